/* The view Sent: a column for each server, first the prompts, equal ones with the same letter, then a row for each field that one of
   them changes; below, the tokens of the chosen server's, and where it parts from the first. */

STAGES.sent = class {
  constructor(frame) {
    this.frame = frame;
    this.name = address("server");
    this.table = make("div", { class: "pr-lines-box pr-sent" });
    this.why = make("p", { class: "pr-proof", attrs: { "aria-live": "polite" } });
    this.title = make("p", { class: "pr-part-title" });
    this.tokens = make("div", { class: "pr-engine-tokens" });
    this.box = make("div", { class: "pr-parting" }, this.title, this.tokens);
    this.words = make("div", { class: "pr-engine-words" });
    frame.body.append(this.table, this.why, this.words, this.box);
    choosesTokens(this.tokens);
  }

  destroy() {
    writeAddress({ server: null });
  }

  draw(data, frame) {
    const stage = data.stage ?? {};
    const { servers = [], rows = [], prompts = {} } = stage;
    for (const node of [this.table, this.box]) node.hidden = !servers.length;
    this.why.hidden = this.words.hidden = true;
    frame.side.replaceChildren();
    if (!servers.length) return frame.headline(data.fault ? faultLine(data.fault) : { say: stage.problem ?? told(inWords("No request to follow.")) });
    const chosen = servers.find(({ name }) => name === this.name) ?? servers[0];
    frame.side.append(choiceOf(inWords("Server"), servers.map(({ name, title }) => [name, title]), chosen.name, (name) => this.choose(name)));
    frame.headline({ pill: inWords(stage.same ? "the same" : "differ"), tone: stage.same ? "fine" : "part", say: stage.say });
    this.drawTable(servers, rows, chosen);
    const cells = prompts[chosen.letter] ?? [];
    const said = chosen.error ? told("{0:t}", [0], [chosen.error]) : chosen.parting?.say;
    this.words.hidden = !said;
    if (said) {
      filled(this.words, said);
      if (chosen.parting?.line) this.words.append(make("div", {}, make("b", { text: `${inWords("Line")} ${chosen.parting.line} ` }), make("code", { text: chosen.parting.text })));
    }
    this.box.hidden = !cells.length;
    setText(this.title, inWords("The model reads"));
    this.tokens.replaceChildren(...cells.map(engineToken), ...(chosen.count > cells.length ? [make("span", { class: "pr-ellipsis", text: "⋯" })] : []));
    rove(this.tokens);
    setCount(frame.count, chosen.count ?? 0, inWords(chosen.count === 1 ? "token" : "tokens"));
    frame.marks = {};
  }

  choose(name) {
    this.name = name;
    writeAddress({ server: name });
    this.draw(this.frame.data, this.frame);
    this.frame.side.querySelector('[aria-checked="true"]')?.focus();
  }

  drawTable(servers, rows, chosen) {
    const mine = ({ name }) => (name === chosen.name ? "mine" : "");
    const head = (server) => make("th", { class: mine(server), attrs: { scope: "col" } }, make("b", { text: server.title }), make("small", { text: server.version }));
    const cell = (server, { word, tone, made, why }) => make("td", { class: `${mine(server)} ${tone}`, attrs: { title: [made, why].filter(Boolean).join(" · ") } }, make("span", { text: word }), ...(made ? [make("code", { text: made })] : []));
    const prompts = make("tr", { class: "pr-sent-prompts" }, make("td", { text: inWords("Prompt, in tokens") }), ...servers.map((server) => make("td", { class: mine(server) }, ...(server.letter ? [make("i", { text: server.letter }), make("b", { class: "num", text: formatNumber(server.count) })] : [make("span", { text: inWords("none") })]))));
    this.table.replaceChildren(make("table", { class: "pr-lines pr-caps" },
      make("thead", {}, make("tr", {}, make("th", { attrs: { scope: "col" }, text: inWords("Field") }), ...servers.map(head))),
      make("tbody", {}, prompts, ...rows.map(({ path, sent, cells }) => make("tr", {}, make("td", { attrs: { title: path } }, make("code", { text: path }), make("code", { class: "pr-sent-value", text: sent })), ...cells.map((each, at) => cell(servers[at], each)))))));
    const steps = rows.flatMap(({ path, cells }) => cells.flatMap(({ why }, at) => (why && servers[at] === chosen ? [`${path}: ${why}`] : [])));
    this.why.hidden = !steps.length;
    setText(this.why, steps.join("; "));
  }
};
