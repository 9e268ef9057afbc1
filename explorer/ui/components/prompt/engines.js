/* The view Engines: the turns that are the same, folded; the turn where the engines part, a row for each; the template's
   lines there; other conversations; what makes them the same. */

const ENGINE_NAMES = ["transformers", "llama.cpp"];

STAGES.engines = class {
  constructor(frame) {
    this.frame = frame;
    this.folded = make("div", { class: "pr-folded" });
    this.title = make("p", { class: "pr-part-title" });
    this.rows = make("div", { class: "pr-engine-rows" });
    this.box = make("div", { class: "pr-parting" }, this.title, this.rows);
    this.proof = make("p", { class: "pr-proof" });
    this.words = make("div", { class: "pr-engine-words" });
    this.lines = make("div", { class: "pr-lines-box" });
    this.probes = make("div", { class: "pr-probes" });
    this.lower = make("div", { class: "pr-lower" }, make("div", { class: "pr-lower-left" }, this.words, this.lines), make("div", {}, this.probes, this.proof));
    this.also = make("ul", { class: "pr-also" });
    this.settings = make("p", { class: "pr-settings-line" });
    frame.body.append(this.folded, this.box, this.lower, this.settings, this.also);
    choosesTokens(this.rows);
  }

  draw(data, frame) {
    const stage = data.stage ?? {};
    const known = stage.verdict !== undefined;
    for (const node of [this.folded, this.box, this.lower, this.settings, this.proof, this.also]) node.hidden = !known;
    if (!known) return frame.headline(data.fault ? faultLine(data.fault) : { say: told(inWords("No prompt to compare.")) });
    frame.side.replaceChildren(halves("engines", stage.conversations));
    frame.headline({ pill: stage.verdict, tone: stage.same ? "fine" : "part", say: stage.say, reason: stage.reason });
    const parts = stage.token !== null;
    this.folded.hidden = parts ? !stage.folded.length : !stage.same || !data.rows.length;
    if (!parts && !this.folded.hidden) this.drawFolded(data.rows.map(({ row, all }) => [row, all]));
    this.box.hidden = !parts;
    if (parts) this.drawTurn(stage);
    this.drawWords(stage);
    if (stage.lines.length) drawLines(this.lines, inWords("First difference"), stage.lines);
    else this.drawCapabilities(stage.capabilities);
    this.drawProbes(stage.probes);
    this.settings.hidden = !stage.settings;
    if (stage.settings) {
      const text = make("span");
      filled(text, stage.settings);
      this.settings.replaceChildren(text, make("button", { class: "link pr-offer", text: inWords("Set it"), attrs: { type: "button" }, on: { click: () => store.change({ variables: stage.variables }) } }));
    }
    filled(this.proof, stage.proof);
    this.proof.hidden = !stage.proof;
    const more = [...stage.also.map((say) => ({ ...say, template: inWords("Also: {0}", say.template) })), ...(stage.note ? [stage.note] : [])];
    this.also.hidden = !more.length;
    this.also.replaceChildren(...more.map((say) => {
      const item = make("li");
      filled(item, say);
      return item;
    }));
    const [one, other] = stage.counts;
    if (one && other && one !== other) setCount(frame.count, one, inWords("and {0} tokens", formatNumber(other)));
    else setCount(frame.count, one || other, inWords("tokens"));
    frame.marks = parts ? { warned: [stage.token] } : {};
  }

  drawTurn({ folded, row, rows, counts, from, names }) {
    this.drawFolded(folded);
    setText(this.title, row === -1 ? inWords("Then the template asks for an answer") : row < 0 ? inWords("What the template writes first") : inWords("Message {0}, {1}", row + 1, rowName(row)));
    const notNumber = (name, at) => make("div", { class: "pr-engine-row", attrs: { role: "group", "aria-label": name } },
      make("span", { class: "pr-engine-number", text: String(at + 1), attrs: { "aria-hidden": "true" } }),
      make("b", { class: "pr-engine-name", text: name }),
      make("div", { class: "pr-engine-tokens" }, ...(from > 0 && rows[at][0]?.n > 0 ? [make("span", { class: "pr-ellipsis", text: "⋯" })] : []), ...rows[at].map(engineToken)),
      make("b", { class: "pr-end num", text: formatNumber(counts[at]) }));
    this.rows.replaceChildren(...names.map(notNumber));
    rove(this.rows);
  }

  drawFolded(folded) {
    const before = folded.reduce((sum, [, count]) => sum + count, 0);
    const messages = folded.filter(([row]) => row >= 0).length;
    this.folded.replaceChildren(
      make("span", { class: "pr-folded-name", text: messages < 2 ? inWords("The same in both") : inWords("{0} messages, the same in both", formatNumber(messages)) }),
      ...folded.map(([each, count]) => rowPill(each, count)),
      make("b", { class: "pr-end num", text: formatNumber(before) }));
  }

  drawWords({ errors }) {
    this.words.hidden = !errors;
    filled(this.words, errors);
  }

  /* Where no line parts them: what llama.cpp found by probes, which decides what it does with messages. */
  drawCapabilities(capabilities) {
    this.lines.hidden = false;
    this.lines.replaceChildren(make("table", { class: "pr-lines pr-caps" },
      make("thead", {}, make("tr", {}, ...[inWords("This template takes"), inWords("by llama.cpp's probes"), inWords("what it does then")].map((text) => make("th", { attrs: { scope: "col" }, text })))),
      make("tbody", {}, ...capabilities.map(([name, has, without]) => make("tr", {}, make("td", { text: name }), make("td", {}, make("b", { text: inWords(has ? "yes" : "no") })), make("td", { text: has ? "" : without }))))));
  }

  drawProbes(probes) {
    const counts = new Map();
    for (const [word] of probes) counts.set(word, (counts.get(word) ?? 0) + 1);
    const said = [...counts].map(([word, count]) => `${formatNumber(count)} × ${word}`).join(inWords(", "));
    this.probes.replaceChildren(
      make("p", { class: "pr-probes-head" }, make("b", { text: inWords("{0} conversations", probes.length) }), make("span", { text: said })),
      make("ul", { class: "pr-probe-list" }, ...probes.map(([word, same, name, call]) => make("li", { class: same ? "same" : "differs" },
        call === null
          ? make("span", { text: name })
          : make("button", { class: "link", text: name, attrs: { type: "button" }, on: { click: () => store.change({ call: { ...call, ...keptVariables() } }) } }),
        make("b", { text: word, attrs: { title: word } })))));
  }
};

/* The two halves of the view: this conversation, and many. */
function halves(current, count) {
  return choiceOf(inWords("Conversations"), [["engines", inWords("This conversation")], ["check", inWords("{0} conversations", formatNumber(count))]], current, (view) => openView(view));
}

/* The template's variables that are set stay set. */
function keptVariables() {
  const { chat_template_kwargs } = store.call;
  return chat_template_kwargs ? { chat_template_kwargs } : {};
}

function engineToken(cell) {
  if (cell.mark === "gap") return make("span", { class: "pr-token large gap" }, make("b", { class: "pr-text" }), make("small", { text: inWords("no token") }));
  const node = tokenNode(cell, true);
  setClass(node, "parts-here", cell.mark === "here");
  return node;
}

/* A row of the prompt as a pill: whose it is, how many tokens. */
function rowPill(row, count) {
  const style = row >= 0 ? roleClass(store.messages[row]?.role) : whoClass("template");
  return make("span", { class: `pr-row-pill ${style}` }, make("i"), rowName(row), make("span", { class: "num", text: formatNumber(count) }));
}

/* Lines of the template, and what each engine did on them. */
function drawLines(node, title, lines, heads = ENGINE_NAMES) {
  node.hidden = !lines.length;
  node.replaceChildren(make("table", { class: "pr-lines" },
    make("thead", {}, make("tr", {}, make("th", { attrs: { scope: "col" }, text: inWords("Line") }), make("th", { attrs: { scope: "col" }, text: title }), ...heads.map((head) => make("th", { attrs: { scope: "col" }, text: head })))),
    make("tbody", {}, ...lines.map(([number, text, ...rest]) => {
      const here = rest.pop();
      return make("tr", { class: here ? "here" : "" }, make("th", { attrs: { scope: "row" }, text: String(number) }), make("td", {}, make("code", { text })), ...rest.map((each) => make("td", { text: String(each) })));
    }))));
}

/* Tokens in a box: one stop of the Tab key, arrows move, a click chooses. */
function choosesTokens(box) {
  const to = (node) => {
    for (const each of box.querySelectorAll("button.pr-token")) each.tabIndex = each === node ? 0 : -1;
    node.focus();
  };
  box.addEventListener("click", (event) => {
    const node = event.target.closest("button.pr-token");
    if (node) store.choose(Number(node.dataset.n));
  });
  box.addEventListener("keydown", (event) => {
    const nodes = [...box.querySelectorAll("button.pr-token")];
    const at = nodes.indexOf(event.target.closest("button.pr-token"));
    const next = { ArrowLeft: nodes[at - 1], ArrowRight: nodes[at + 1], Home: nodes[0], End: nodes.at(-1) }[keyName(event)];
    if (at < 0 || !next) return;
    event.preventDefault();
    event.stopPropagation();
    to(next);
  });
}

function rove(box) {
  const first = box.querySelector("button.pr-token");
  if (first) first.tabIndex = 0;
}
