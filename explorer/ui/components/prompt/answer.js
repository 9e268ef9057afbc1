/* The view Answer: what the model wrote, line by line, its regions on the tokens, the line in focus with ids, why the chosen
   parser lost a call; beside it a column for each parser, the message of the chosen one, the response template with the field
   that read the token in focus, and what a client that streams has been sent after a part of the answer. */

STAGES.answer = class {
  constructor(frame) {
    this.frame = frame;
    this.name = address("parser");
    this.cut = null;
    this.tokens = make("div", { class: "pr-answer-tokens", attrs: { role: "group", "aria-label": inWords("What the model wrote") } });
    this.lineTitle = make("p", { class: "pr-part-title" });
    this.line = make("div", { class: "pr-answer-line-tokens" });
    this.table = make("div", { class: "pr-lines-box pr-sent" });
    this.why = make("div", { class: "pr-engine-words", attrs: { "aria-live": "polite" } });
    this.title = make("h2", { class: "pr-part-title" });
    this.message = make("pre", { class: "pr-answer-message", attrs: { tabindex: "0" } });
    this.template = make("pre", { class: "pr-answer-message pr-answer-template", attrs: { tabindex: "0", "aria-label": inWords("Response template") } });
    this.reads = make("small", { class: "pr-answer-reads" });
    this.owner = make("small");
    this.faults = make("div", { class: "pr-answer-faults" });
    this.beside = make("div", {}, make("h2", { class: "pr-part-title" }, inWords("Response template"), " ", this.owner), this.template, make("p", {}, this.reads), this.faults);
    this.pair = make("div", { class: "pr-answer-pair" }, make("div", {}, this.title, this.message), this.beside);
    this.slider = make("input", { attrs: { type: "range", min: "0", "aria-label": inWords("Cut the answer anywhere") }, on: { input: () => this.slide() } });
    this.streams = make("p", { class: "pr-proof", attrs: { tabindex: "0" } });
    this.cutter = make("label", { class: "pr-answer-cut" }, make("span", { text: inWords("Cut it anywhere") }), this.slider);
    this.legend = make("p", { class: "pr-answer-legend" }, ...["reasoning", "content", "call", "broken"].map((kind) => make("span", { class: `pr-kind-${kind}`, text: this.kind(kind) })));
    this.both = make("div", { class: "pr-answer" }, make("div", {}, this.legend, this.tokens, this.why, this.lineTitle, this.line), make("div", {}, this.table, this.pair, this.cutter, this.streams));
    frame.body.append(this.both);
    this.on = make("button", { class: "btn main pr-go-on", attrs: { type: "button" }, on: { click: () => this.goOn(this.parser.message) } });
    this.test = doingButton(inWords("Copy as a test"), toClipboard(() => testOf(this.stage, this.parser)), inWords("Copied"), { class: "btn pr-as-test", attrs: { type: "button" } });
    this.copy = doingButton(inWords("Copy message"), toClipboard(() => JSON.stringify(this.parser.message, null, 1)), inWords("Copied"), { class: "btn", attrs: { type: "button" } });
    for (const box of [this.tokens, this.line]) {
      box.addEventListener("click", (event) => this.clicked(event));
      box.addEventListener("keydown", (event) => this.pressed(event));
    }
  }

  destroy() {
    writeAddress({ parser: null });
  }

  kind(kind) {
    return inWords({ reasoning: "reasoning", content: "content", call: "call", broken: "call, broken" }[kind]);
  }

  draw(data, frame) {
    const stage = data.stage ?? {};
    const { parsers = [], losses = [] } = stage;
    const loses = ({ name }) => losses.some(([by]) => by === name);
    this.both.hidden = !parsers.length;
    frame.side.replaceChildren();
    frame.buttons.replaceChildren(...(parsers.length ? [this.on, this.copy, this.test] : [frame.play]), frame.share.button);
    if (!parsers.length) {
      if (stage.problem) return frame.headline({ pill: inWords("error"), tone: "error", say: stage.problem });
      return frame.headline({
        say: told(inWords("There is no answer yet.")), reason: told(inWords("Add what the model wrote, as text, as the last message.")),
        links: [[inWords("Add an answer"), () => store.edit([...store.messages, { role: "assistant", content: EXAMPLE }])]],
      });
    }
    this.stage = stage;
    const parser = parsers.find(({ name }) => name === this.name) ?? parsers.find(loses) ?? parsers[0];
    this.parser = parser;
    frame.side.append(choiceOf(inWords("Parser"), parsers.map(({ name, title }) => [name, title]), parser.name, (name) => this.choose(name)));
    frame.headline({
      pill: inWords(losses.length ? "lost" : stage.calls.length ? "kept" : "no call"), tone: losses.length ? "warning" : "fine", say: stage.say,
    });
    setText(this.on, inWords("Go on with the message of {0}", parser.title));
    this.on.disabled = Boolean(parser.error);
    this.drawTexts(stage, parser);
    this.drawTokens(stage);
    this.drawTable(stage, parser);
    this.drawLosses(losses.filter(([by]) => by === parser.name));
    setText(this.title, parser.error ? parser.title : inWords("The message from {0}", parser.title));
    this.slider.max = stage.cuts.length - 1;
    if (this.cut === null) this.slider.value = stage.cuts.length - 1;
    this.slide();
    setCount(frame.count, parser.kept.length, inWords("of {0} calls kept", formatNumber(stage.calls.length)));
    frame.marks = {};
    this.drawLine(); // again, at the height that the parts below it leave
  }

  /* A line ends with the token that ends with its break. The longest line of a broken call is in focus, else of a call. */
  drawTokens({ tokens, message }) {
    const id = JSON.stringify(tokens);
    if (id === this.drawn) return;
    this.drawn = id;
    const text = Array.from(String(callIn(this.frame.data.asked.call).messages[message]?.content ?? ""));
    this.lines = [[]];
    for (const cell of tokens) {
      this.lines.at(-1).push(cell);
      if (text[cell.e - 1] === "\n") this.lines.push([]);
    }
    if (!this.lines.at(-1).length) this.lines.pop();
    const node = (cell) => {
      const token = tokenNode(cell);
      token.classList.add(`pr-kind-${cell.kind}`);
      token.setAttribute("aria-label", `${token.getAttribute("aria-label")}, ${this.kind(cell.kind)}`);
      return token;
    };
    this.nodes = [];
    this.tokens.replaceChildren(...this.lines.map((cells, at) => {
      const nodes = cells.map(node);
      this.nodes.push(...nodes);
      return make("div", { class: `pr-answer-line pr-kind-${cells[0].kind}`, data: { line: at } }, make("i", { class: "num", text: formatNumber(at + 1), attrs: { "aria-hidden": "true" } }), make("span", {}, ...nodes));
    }));
    const most = (kind) => this.lines.filter(([first]) => first.kind === kind).sort((one, other) => other.length - one.length)[0];
    this.token = (most("broken") ?? most("call") ?? this.lines[0])[0].n;
    this.made = node;
    this.drawLine();
  }

  /* The message of the chosen parser and the response template, each line in the color of the part of the answer that is read. */
  drawTexts({ parsers, tokens, template, own, faults }, { error, message }) {
    const kinds = { reasoning_content: "reasoning", content: "content", tool_calls: "call" };
    this.message.replaceChildren(...(error ? [error] : keyedLines(message, 1).map(([text, key]) => lineNode(text, key, kinds[key]))));
    this.beside.hidden = !template;
    setClass(this.pair, "alone", !template);
    if (!template) return;
    const by = parsers.find(({ parts }) => parts.length) ?? { parts: [] };
    const { parts } = by;
    this.parts = parts.map(([field, start, end], at) => ({ field, start, end, stops: Boolean(by.error) && at === parts.length - 1 })).filter(({ start, end }) => end > Math.max(0, start));
    const kindOf = (field) => {
      const part = this.parts.find((each) => each.field === field && each.stops) ?? this.parts.find((each) => each.field === field);
      return part?.stops ? "broken" : part && tokens.find(({ e }) => e > part.start)?.kind;
    };
    this.template.replaceChildren(...keyedLines(template, 2).map(([text, key]) => lineNode(text, key, kindOf(key))));
    setText(this.owner, own ? inWords("the model's own") : inWords("ours: the model has none"));
    this.faults.replaceChildren(...faults.map((fault) => {
      const line = make("p", { class: "pr-proof" });
      filled(line, fault);
      return line;
    }));
  }

  /* The field that reads the token in focus, in the response template and, if the chosen message is read by it, there. */
  drawRead(line) {
    if (this.beside.hidden) return;
    const { s } = this.stage.tokens[this.token];
    const part = this.parts.find(({ start, end }) => start <= s && s < end);
    const number = formatNumber(line + 1);
    setText(this.reads, part ? inWords(part.stops ? "Line {0}: {1} can't read it" : "Line {0}: {1} reads it", number, part.field) : inWords("Line {0}: no field reads it", number));
    const reads = this.parser.parts.length && !this.parser.error;
    for (const [pre, key] of [[this.template, part?.field], [this.message, reads ? keyOf(part?.field ?? "") : undefined]]) {
      for (const each of pre.children) setClass(each, "here", key !== undefined && each.dataset.key === key);
      const first = pre.querySelector(".here");
      if (first) pre.scrollTop = first.offsetTop - pre.clientHeight / 4;
    }
  }

  drawLine() {
    const at = this.lines.findIndex((cells) => cells.some(({ n }) => n === this.token));
    for (const each of this.tokens.children) setClass(each, "here", Number(each.dataset.line) === at);
    for (const each of this.nodes) each.tabIndex = Number(each.dataset.n) === this.token ? 0 : -1;
    setText(this.lineTitle, inWords("Line {0}, with ids", formatNumber(at + 1)));
    this.line.replaceChildren(...this.lines[at].map(this.made));
    for (const each of this.line.children) {
      setClass(each, "here", Number(each.dataset.n) === this.token);
      each.tabIndex = Number(each.dataset.n) === this.token ? 0 : -1;
    }
    this.drawRead(at);
    const here = this.tokens.children[at];
    const bottom = here.offsetTop + here.offsetHeight - this.tokens.clientHeight;
    if (here.offsetTop < this.tokens.scrollTop || bottom > this.tokens.scrollTop) this.tokens.scrollTop = here.offsetTop < this.tokens.scrollTop ? here.offsetTop : bottom;
  }

  focus(token, box) {
    if (token === undefined) return;
    this.token = token;
    this.drawLine();
    box.querySelector(`[data-n="${token}"]`)?.focus();
  }

  clicked(event) {
    const node = event.target.closest("button.pr-token");
    if (node) this.focus(Number(node.dataset.n), event.currentTarget);
  }

  pressed(event) {
    const node = event.target.closest("button.pr-token");
    if (!node) return;
    const at = this.lines.findIndex((cells) => cells.some(({ n }) => n === this.token));
    const other = { ArrowUp: at - 1, ArrowDown: at + 1 }[keyName(event)];
    const last = this.nodes.length - 1;
    const next = { ArrowLeft: this.token - 1, ArrowRight: this.token + 1, Home: 0, End: last }[keyName(event)] ?? this.lines[other]?.[0].n;
    if (next === undefined || next < 0 || next > last) return;
    this.focus(next, event.currentTarget);
    event.preventDefault();
    event.stopPropagation();
  }

  drawTable({ parsers, calls }, chosen) {
    const mine = ({ name }) => (name === chosen.name ? "mine" : "");
    const signs = (parser, at) => make("td", { class: mine(parser), text: parser.error ? "–" : formatNumber([...(parser.message[at] ?? "")].length) });
    const head = (each) => {
      const [server, ...rest] = each.title.split(" ");
      const button = make("button", { class: "pr-sent-server", attrs: { type: "button", "aria-pressed": String(each === chosen) }, on: { click: () => this.pick(each.name) } }, make("b", { text: server }), make("small", { text: rest.join(" ") }));
      return make("th", { class: mine(each), data: { parser: each.name }, attrs: { scope: "col", title: each.title } }, button);
    };
    const row = (label, ...cells) => make("tr", {}, make("td", { text: label }), ...cells);
    this.table.replaceChildren(make("table", { class: "pr-lines" },
      make("thead", {}, make("tr", {}, make("th", { attrs: { scope: "col" }, text: inWords("Parser") }), ...parsers.map(head))),
      make("tbody", {},
        row(inWords("Reasoning, in characters"), ...parsers.map((each) => signs(each, "reasoning_content"))),
        row(inWords("Content, in characters"), ...parsers.map((each) => signs(each, "content"))),
        ...calls.map((name, at) => row(`${inWords("Call {0}", at + 1)} ${name}`, ...parsers.map((each) => {
          const kept = each.kept.includes(at);
          return make("td", { class: `${mine(each)} ${kept ? "" : "lost"}` }, make("span", { text: inWords(kept ? "kept" : "lost") }));
        }))))));
  }

  drawLosses(losses) {
    this.why.hidden = !losses.length;
    this.why.replaceChildren(...losses.map(([, call, why, text]) => {
      const say = make("span");
      filled(say, why);
      const keep = make("button", { class: "link", text: inWords("Take the answer that keeps it"), attrs: { type: "button" }, on: { click: () => this.goOn({ role: "assistant", content: text }) } });
      return make("div", {}, make("b", { text: `${inWords("Why call {0} was lost", call + 1)}: ` }), say, ...(text ? [" ", keep] : []));
    }));
  }

  slide() {
    const { cuts, tokens } = this.stage;
    const at = Number(this.slider.value);
    this.cut = at === cuts.length - 1 ? null : at;
    for (const node of this.nodes) setClass(node, "gone", this.cut !== null && tokens[Number(node.dataset.n)]?.s >= cuts[at]);
    const sent = this.parser.streams[at];
    setText(this.streams, sent === null || sent === undefined ? inWords("What this parser streams is not followed here.") : inWords("After {0} characters a client that streams has: {1}", formatNumber(cuts[at]), JSON.stringify(sent)));
  }

  /* A parser chosen by its heading, where the focus stays. */
  pick(name) {
    this.choose(name);
    this.table.querySelector(`[data-parser="${name}"] button`)?.focus();
  }

  choose(name) {
    this.name = name;
    writeAddress({ parser: name });
    this.draw(this.frame.data, this.frame);
    this.frame.side.querySelector('[aria-checked="true"]')?.focus();
  }

  goOn(message) {
    store.edit(store.messages.map((each, at) => (at === this.stage.message ? message : each)));
  }
};

/* JSON line by line, each with the key at this depth that it belongs to: of a message, or of the fields of a response template. */
function keyedLines(value, depth) {
  let top, key;
  return JSON.stringify(value, null, 1).split("\n").map((text) => {
    const [, space, name] = /^( *)("(?:[^"\\]|\\.)*"(?=: ))?/.exec(text);
    if (name && space.length === 1) top = JSON.parse(name);
    if (space.length < depth) key = undefined;
    else if (name && space.length === depth && (depth === 1 || top === "fields")) key = JSON.parse(name);
    return [text, key];
  });
}

function lineNode(text, key, kind) {
  return make("span", { class: `pr-json-line${kind ? ` pr-kind-${kind}` : ""}`, data: key === undefined ? {} : { key }, text });
}

/* What a field of a response template is in OpenAI's message, as `parsers/answer.py` takes it. */
function keyOf(field) {
  return field.includes("call") ? "tool_calls" : /reason|think/.test(field) ? "reasoning_content" : field;
}

/* A test in Python: this parser makes this message of this answer. */
function testOf({ message }, { name, message: made, error }) {
  const python = (value) => `json.loads(${JSON.stringify(JSON.stringify(value))})`;
  const named = (tool) => tool.function ?? { name: tool.name, parameters: tool.input_schema ?? tool.parameters };
  const tools = (store.call.tools ?? []).map(named);
  const names = tools.length ? `, names=${python(tools)}` : "";
  return `import json\n\nfrom explorer.prompts.parsers.answer import answer\n\n\ndef test_answer() -> None:\n    said = answer(${python(store.messages[message].content)}${names})\n    message = said.messages[${JSON.stringify(name)}]\n    assert message.${error ? `error == ${python(error)}` : `to_json() == ${python(made)}`}\n`;
}

const EXAMPLE = '<think>\nTwo cities, so two calls.\n</think>\n\nI will look that up.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}\n</tool_call>';
