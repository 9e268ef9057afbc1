/* The view Sent: the request, a row for each field that a server changes, a column for each server; the row in focus with the
   tokens it leads to in each prompt, equal prompts with the same letter. Without such a row, the chosen server's tokens.
   On a narrow screen the row in focus alone, a line for each server, and the request folded at the end.
   The chosen server is that of all views. */

STAGES.sent = class {
  constructor(frame) {
    this.frame = frame;
    this.wanted = address("row");
    this.table = make("div", { class: "pr-lines-box pr-sent" });
    this.request = make("div", { class: "pr-request", attrs: { role: "group", tabindex: "0", "aria-label": inWords("The request") } });
    this.why = make("p", { class: "pr-proof", attrs: { "aria-live": "polite" } });
    this.title = make("p", { class: "pr-part-title" });
    this.tokens = make("div", { class: "pr-engine-tokens" });
    this.fields = make("div", { class: "pr-sent-fields" });
    this.line = make("div", { class: "pr-check-line pr-sent-line" });
    this.box = make("div", { class: "pr-parting" }, this.title, this.tokens, this.fields, this.line);
    this.words = make("div", { class: "pr-engine-words" });
    this.one = make("div", { class: "pr-sent-one" });
    this.fold = make("button", { class: "btn pr-sent-fold", text: inWords("The request as JSON"), attrs: { type: "button", "aria-expanded": "false" }, on: { click: () => this.unfold() } });
    this.both = make("div", { class: "pr-sent-both" }, make("div", { class: "pr-sent-request" }, this.fold, this.request), make("div", {}, this.one, this.table, this.box, this.words, this.why));
    frame.body.append(this.both);
    const turn = (by) => make("button", { class: "btn", attrs: { type: "button", "aria-label": inWords(by < 0 ? "The difference before" : "The next difference") }, on: { click: () => this.turn(by) } }, arrowSign(by < 0));
    this.number = make("span", { class: "pr-of num" });
    this.pager = make("div", { class: "pr-pager" }, turn(-1), this.number, turn(1));
    frame.side.append(this.pager);
    this.goOn = make("button", { class: "btn main", attrs: { type: "button" }, on: { click: () => this.show("prompt") } });
    frame.buttons.replaceChildren(this.goOn, frame.copy, frame.share.button);
    for (const box of [this.tokens, this.fields]) choosesTokens(box);
    this.table.addEventListener("click", (event) => this.clicked(event));
    this.table.addEventListener("keydown", (event) => this.pressed(event));
    this.stopKeys = listenTo("keydown", (event) => this.paged(event));
  }

  destroy() {
    this.stopKeys();
    writeAddress({ row: null });
  }

  /* The row in focus: the one that was chosen, at first the heaviest difference. */
  get row() {
    return this.rows.find(({ path }) => path === this.wanted) ?? this.rows.find(({ path }) => this.wanted && path.endsWith(this.wanted)) ?? this.differences[0] ?? this.rows[0];
  }

  unfold() {
    const open = this.fold.getAttribute("aria-expanded") !== "true";
    this.fold.setAttribute("aria-expanded", String(open));
    setClass(this.both, "unfolded", open);
  }

  /* The heaviest differences: which field is lost, or encoded again, and by whom. */
  get reason() {
    const heavy = this.differences.filter(({ cells }) => cells.some(({ tone }) => tone === "lost")).slice(0, MOST_REASONS);
    const said = heavy.map(({ path, cells }) => {
      const first = cells.find(({ tone }) => tone === "lost");
      const names = this.columns.filter((_, at) => cells[at].outcome === first.outcome).map(({ title }) => title);
      return inWords("{0} is {1} in {2}", shortPath(path), first.word, names.join(inWords(", ")));
    });
    return said.length ? told("{0:t}", [0], [`${said.join("; ")}.`]) : null;
  }

  get differences() {
    const weight = ({ cells }) => Math.min(...cells.map(({ outcome }) => WEIGHTS.indexOf(outcome) + 1 || WEIGHTS.length + 1));
    const differ = ({ cells }) => new Set(cells.map(({ word, made }) => `${word} ${made}`)).size > 1;
    return this.rows.filter(differ).sort((one, other) => weight(one) - weight(other));
  }

  get server() {
    return this.columns.find(({ name }) => name === store.server) ?? this.columns[0];
  }

  draw(data, frame) {
    const stage = data.stage ?? {};
    ({ servers: this.columns = [], rows: this.rows = [], prompts: this.prompts = {} } = stage);
    this.both.hidden = !this.columns.length;
    this.pager.hidden = !this.differences.length;
    this.goOn.hidden = !this.columns.length;
    if (!this.columns.length) return frame.headline(data.fault ? faultLine(data.fault) : { say: stage.problem ?? told(inWords("No request to follow.")) });
    frame.headline({ pill: inWords(stage.same ? "the same" : "differ"), tone: stage.same ? "fine" : "part", say: stage.say, reason: this.reason });
    frame.marks = {};
    this.drawAll();
  }

  /* Another server was chosen: what is here is all known. */
  asked() {
    if (this.columns?.length) this.drawAll();
  }

  drawAll() {
    const { rows, row, server: chosen } = this;
    const at = this.differences.indexOf(row);
    this.number.replaceChildren(make("b", { text: at < 0 ? "–" : String(at + 1) }), ` ${inWords("of {0}", formatNumber(this.differences.length))}`, make("span", { class: "pr-long", text: ` ${inWords(this.differences.length === 1 ? "difference" : "differences")}` }));
    setText(this.goOn, inWords("Go on with the prompt of {0}", chosen.title));
    this.request.replaceChildren(...requestLines(store.call, new Map(rows.map(({ path }, index) => [path, index + 1])), row?.path));
    this.drawTable(chosen);
    this.drawOne(chosen);
    this.drawField(chosen);
    const cells = row ? [] : this.prompts[chosen.letter] ?? [];
    const said = chosen.error ? told("{0:t}", [0], [chosen.error]) : chosen.parting?.say;
    this.words.hidden = !said;
    if (said) {
      filled(this.words, said);
      if (chosen.parting?.line) this.words.append(make("div", {}, make("b", { text: `${inWords("Line")} ${chosen.parting.line} ` }), make("code", { text: chosen.parting.text })));
    }
    this.tokens.replaceChildren(...cells.map(engineToken), ...(cells.length && chosen.count > cells.length ? [make("span", { class: "pr-ellipsis", text: "⋯" })] : []));
    this.box.hidden = !row && !cells.length;
    if (!row) setText(this.title, inWords("The model reads"));
    rove(this.tokens);
    setCount(this.frame.count, chosen.count ?? 0, inWords(chosen.count === 1 ? "token" : "tokens"));
  }

  /* The tokens of the field in focus in each prompt, and the line that writes them for the chosen server. */
  drawField(chosen) {
    const { row } = this;
    this.fields.replaceChildren();
    this.line.hidden = true;
    if (!row) return;
    setText(this.title, inWords("The tokens of {0}", row.path));
    this.fields.replaceChildren(...Object.entries(row.fields).map(([letter, field]) => {
      const [first, last] = field?.tokens ?? [0, 0];
      const cells = this.prompts[letter].slice(first, Math.min(last, first + MOST_OF_A_FIELD));
      const names = this.columns.filter((each) => each.letter === letter).map(({ title }) => title).join(inWords(", "));
      return make("div", { class: `pr-sent-field ${letter === chosen.letter ? "mine" : ""}` }, make("i", { text: letter }), make("span", { class: "pr-sent-names", text: names }),
        make("div", { class: "pr-engine-tokens" }, ...cells.map(engineToken), ...(last - first > cells.length ? [make("span", { class: "pr-ellipsis", text: "⋯" })] : []), ...(last > first ? [] : [make("span", { class: "pr-empty", text: inWords("Not in the prompt.") })])),
        make("b", { class: "num", text: counted(last - first, "token", "tokens") }));
    }));
    rove(this.fields);
    const { line = 0, text = "" } = row.fields[chosen.letter] ?? {};
    this.line.hidden = !line;
    if (line) this.line.replaceChildren(make("b", { text: inWords("Line {0}", line) }), make("code", { text }), make("button", { class: "link", text: inWords("Show in the template"), attrs: { type: "button" }, on: { click: () => this.show("template") } }));
  }

  drawTable(chosen) {
    const mine = ({ name }) => (name === chosen.name ? "mine" : "");
    const focused = this.table.contains(this.frame.root.getRootNode().activeElement);
    const head = (server) => make("th", { class: mine(server), attrs: { scope: "col", title: server.title } }, make("button", { class: "pr-sent-server", data: { server: server.name }, attrs: { type: "button", "aria-pressed": String(server === chosen) } }, make("b", { text: server.title }), make("small", { text: server.version })));
    const cell = (row, server, { word, tone, made, why }) => {
      const here = row === this.row && server === chosen;
      return make("td", { class: `${mine(server)} ${tone}`, data: { server: server.name }, attrs: { role: "gridcell", tabindex: here ? "0" : "-1", "aria-selected": String(here), title: [made, why].filter(Boolean).join(" · ") } }, make("span", { text: word }), ...(made ? [make("code", { text: made })] : []));
    };
    const prompts = make("tr", { class: "pr-sent-prompts" }, make("td", { text: inWords("Prompt, in tokens") }), ...this.columns.map((server) => make("td", { class: mine(server) }, ...(server.letter ? [make("i", { text: server.letter }), make("b", { class: "num", text: formatNumber(server.count) })] : [make("span", { text: inWords("none") })]))));
    this.table.replaceChildren(make("table", { class: "pr-lines pr-caps", attrs: { role: "grid", "aria-label": inWords("Fields by server") } },
      make("thead", {}, make("tr", {}, make("th", { attrs: { scope: "col" }, text: inWords("Field") }), ...this.columns.map(head)), prompts),
      make("tbody", {}, ...this.rows.map((row, index) => make("tr", { class: row === this.row ? "here" : "", data: { path: row.path } }, make("td", { attrs: { title: row.path } }, numberOf(index + 1), pathOf(row.path), make("code", { class: "pr-sent-value", text: row.sent })), ...row.cells.map((each, at) => cell(row, this.columns[at], each)))))));
    const here = this.table.querySelector("tr.here");
    if (here) this.table.scrollTop = Math.max(this.table.scrollTop, here.offsetTop + here.offsetHeight - this.table.clientHeight);
    if (focused) this.focusCell();
    const steps = this.row ? [this.row.cells[this.columns.indexOf(chosen)].why].filter(Boolean) : [];
    this.why.hidden = !steps.length;
    setText(this.why, steps.join("; "));
  }

  /* The row in focus, for a narrow screen: what each server makes of it. */
  drawOne(chosen) {
    const { rows, row, columns } = this;
    this.one.hidden = !row;
    if (!row) return;
    const label = inWords("Server");
    const line = (server, at) => {
      const { word, tone, made } = row.cells[at];
      const button = make("button", { class: `pr-sent-line-of ${tone}`, data: { server: server.name }, attrs: { type: "button", role: "radio", "aria-checked": String(server === chosen), tabindex: server === chosen ? "0" : "-1" } },
        make("b", { text: server.title }), make("span", { text: word }), ...(made ? [make("code", { text: made })] : []), ...(server.letter ? [make("i", { text: server.letter })] : []));
      button.addEventListener("click", () => {
        this.choose(server.name);
        this.one.querySelector('[data-server][aria-checked="true"]')?.focus();
      });
      return button;
    };
    const list = make("div", { class: "pr-sent-list", attrs: { role: "radiogroup", "aria-label": label } }, ...columns.map(line));
    list.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[keyName(event)];
      const next = by && list.children[columns.indexOf(chosen) + by];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      next.click();
    });
    const fields = choiceOf(inWords("Field"), rows.map(({ path }, at) => [path, String(at + 1)]), row.path, (path) => {
      this.choose(this.server.name, rows.find((each) => each.path === path));
      this.one.querySelector('.pr-choice [aria-checked="true"]')?.focus();
    });
    this.one.replaceChildren(make("p", { class: "pr-sent-where" }, numberOf(rows.indexOf(row) + 1), make("code", { text: `${row.path} ` }), make("mark", { text: row.sent })), list, ...(rows.length > 1 ? [fields] : []));
    const here = fields.querySelector('[aria-checked="true"]');
    fields.scrollLeft = here.offsetLeft - fields.clientWidth / 2;
  }

  focusCell() {
    const cell = this.table.querySelector('td[tabindex="0"]');
    cell?.focus();
    cell?.scrollIntoView({ block: "nearest" });
  }

  choose(name, row = this.row) {
    this.wanted = row?.path ?? null;
    writeAddress({ row: this.wanted });
    if (name !== this.server.name) store.change({ server: name });
    else this.drawAll();
  }

  turn(by) {
    const { differences } = this;
    if (!differences.length) return;
    this.choose(this.server.name, differences[(differences.indexOf(this.row) + by + differences.length) % differences.length]);
    this.table.querySelector("tr.here")?.scrollIntoView({ block: "nearest" });
  }

  /* Another view, of the chosen server's prompt; its template at what writes the field in focus. */
  show(view) {
    const token = view === "template" ? this.row?.fields[this.server.letter]?.tokens[0] : undefined;
    if (store.server !== this.server.name) store.change({ server: this.server.name });
    if (token !== undefined) store.choose(token);
    openView(view);
  }

  clicked(event) {
    const path = event.target.closest("tr[data-path]")?.dataset.path;
    const name = event.target.closest("[data-server]")?.dataset.server;
    if (!path && !name) return;
    this.choose(name ?? this.server.name, path ? this.rows.find((row) => row.path === path) : undefined);
    if (path) this.focusCell();
  }

  pressed(event) {
    if (!event.target.closest("td[data-server]")) return;
    const [row, column] = [this.rows.indexOf(this.row), this.columns.indexOf(this.server)];
    const key = keyName(event);
    const down = { ArrowUp: row - 1, ArrowDown: row + 1, Home: 0, End: this.rows.length - 1 }[key] ?? row;
    const right = column + ({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0);
    if (key === "Enter") this.show("template");
    else if ((down === row && right === column) || !this.rows[down] || !this.columns[right]) return;
    else {
      this.choose(this.columns[right].name, this.rows[down]);
      this.focusCell();
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /* [ and ] go through the differences, e opens the JSON, wherever the focus is, unless something is typed. */
  paged(event) {
    const act = { "[": () => this.turn(-1), "]": () => this.turn(1), e: () => window.dispatchEvent(new CustomEvent("explorer-prompt-json")) }[keyName(event)];
    if (!act || event.defaultPrevented || ["text", "select"].includes(typingIn(event)) || this.both.hidden) return;
    event.preventDefault();
    act();
  }
};

/* Differences, the heaviest first; the others follow. */
const WEIGHTS = ["message-dropped", "encoded-again", "refused", "dropped"];
const MOST_REASONS = 2; // differences that are said in a sentence
const MOST_OF_A_FIELD = 24; // tokens of a field that are drawn
const LONGEST_VALUE = 200; // characters of a value that are shown
const ONE_LINE = 44;

/* Of a long path, its ends. */
function shortPath(path) {
  const keys = path.split(".");
  return keys.length > 2 ? `${keys[0]}…${keys.at(-1)}` : path;
}

/* The path of a field, cut off before its last key. */
function pathOf(path) {
  const at = path.lastIndexOf(".");
  return make("code", { class: "pr-sent-path" }, make("span", { text: path.slice(0, at + 1) }), make("span", { text: path.slice(at + 1) }));
}

function numberOf(number) {
  return make("b", { class: "pr-sent-number", text: String(number) });
}

/* A request as JSON, a node for each line. numbers: by path, of what a server changes. here: the path in focus. */
function requestLines(request, numbers, here) {
  const lines = [make("div")];
  const paths = [...numbers.keys()];
  const write = (value, path, indent) => {
    const text = JSON.stringify(value) ?? "null";
    const opens = value !== null && typeof value === "object" && (paths.some((each) => each.length > path.length && each.startsWith(path)) || (!numbers.has(path) && text.length > ONE_LINE));
    if (numbers.has(path)) lines.at(-1).prepend(numberOf(numbers.get(path)));
    if (!opens) {
      const shown = text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
      return lines.at(-1).append(numbers.has(path) ? make("mark", { class: path === here ? "here" : "", text: shown }) : shown);
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
