/* The view Sent: a column for each server, first the prompts, equal ones with the same letter, then a row for each field that one of
   them changes, and the tokens of the chosen server's, and where it parts from the first; the request beside them. */

STAGES.sent = class {
  constructor(frame) {
    this.frame = frame;
    this.name = address("server");
    this.table = make("div", { class: "pr-lines-box pr-sent" });
    this.request = make("div", { class: "pr-request", attrs: { role: "group", tabindex: "0", "aria-label": inWords("The request") } });
    this.why = make("p", { class: "pr-proof", attrs: { "aria-live": "polite" } });
    this.title = make("p", { class: "pr-part-title" });
    this.tokens = make("div", { class: "pr-engine-tokens" });
    this.box = make("div", { class: "pr-parting" }, this.title, this.tokens);
    this.words = make("div", { class: "pr-engine-words" });
    this.both = make("div", { class: "pr-sent-both" }, this.request, make("div", {}, this.table, this.why, this.words, this.box));
    frame.body.append(this.both);
    choosesTokens(this.tokens);
  }

  destroy() {
    writeAddress({ server: null });
  }

  draw(data, frame) {
    const stage = data.stage ?? {};
    const { servers = [], rows = [], prompts = {} } = stage;
    this.both.hidden = !servers.length;
    this.why.hidden = this.words.hidden = true;
    frame.side.replaceChildren();
    if (!servers.length) return frame.headline(data.fault ? faultLine(data.fault) : { say: stage.problem ?? told(inWords("No request to follow.")) });
    const chosen = servers.find(({ name }) => name === this.name) ?? servers[0];
    frame.side.append(choiceOf(inWords("Server"), servers.map(({ name, title }) => [name, title]), chosen.name, (name) => this.choose(name)));
    frame.headline({ pill: inWords(stage.same ? "the same" : "differ"), tone: stage.same ? "fine" : "part", say: stage.say });
    this.request.replaceChildren(...requestLines(callIn(data.asked.call), new Map(rows.map(({ path }, at) => [path, at + 1]))));
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
      make("tbody", {}, prompts, ...rows.map(({ path, sent, cells }, index) => make("tr", {}, make("td", { attrs: { title: path } }, numberOf(index + 1), make("code", { text: path }), make("code", { class: "pr-sent-value", text: sent })), ...cells.map((each, at) => cell(servers[at], each)))))));
    const steps = rows.flatMap(({ path, cells }) => cells.flatMap(({ why }, at) => (why && servers[at] === chosen ? [`${path}: ${why}`] : [])));
    this.why.hidden = !steps.length;
    setText(this.why, steps.join("; "));
  }
};

const LONGEST_VALUE = 200; // characters of a value that are shown
const ONE_LINE = 44;

function numberOf(number) {
  return make("b", { class: "pr-sent-number", text: String(number) });
}

/* A request as JSON, a node for each line. numbers: by path, of what a server changes. */
function requestLines(request, numbers) {
  const lines = [make("div")];
  const paths = [...numbers.keys()];
  const write = (value, path, indent) => {
    const text = JSON.stringify(value) ?? "null";
    const opens = value !== null && typeof value === "object" && (paths.some((each) => each.length > path.length && each.startsWith(path)) || (!numbers.has(path) && text.length > ONE_LINE));
    if (numbers.has(path)) lines.at(-1).prepend(numberOf(numbers.get(path)));
    if (!opens) {
      const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
      return lines.at(-1).append(numbers.has(path) ? make("mark", { text: shown }) : shown);
    }
    const isList = Array.isArray(value);
    const entries = Object.entries(value);
    lines.at(-1).append(isList ? "[" : "{");
    entries.forEach(([key, each], at) => {
      lines.push(make("div", {}, " ".repeat(indent + 1)));
      if (!isList) lines.at(-1).append(`${JSON.stringify(key)}: `);
      write(each, isList ? `${path}[${key}]` : path ? `${path}.${key}` : key, indent + 1);
      if (at < entries.length - 1) lines.at(-1).append(",");
    });
    lines.push(make("div", {}, `${" ".repeat(indent)}${isList ? "]" : "}"}`));
  };
  write(request, "", 0);
  return lines;
}
