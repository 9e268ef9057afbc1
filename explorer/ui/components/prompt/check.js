/* The second half of the view Engines: a template tried with many conversations, a row for each, a column for each server. Python
   sends it part by part, each when it is asked for; the cell in focus says what was sent, what came of it, the template's line and
   a repair. */

const CHECK = { id: "", next: 0, rows: [] }; // stays while the view is closed

STAGES.check = class {
  constructor(frame) {
    this.frame = frame;
    this.wanted = address("row");
    this.server = address("column") ?? address("server");
    this.only = address("differs") === "1";
    this.servers = make("div", { class: "pr-check-servers" });
    this.table = make("div", { class: "pr-check-table" });
    this.panel = make("section", { class: "pr-check-panel", attrs: { "aria-label": inWords("The chosen cell"), "aria-live": "polite" } });
    this.box = make("div", { class: "pr-check" }, make("div", { class: "pr-check-left" }, this.servers, this.table), this.panel);
    frame.body.append(this.box);
    this.differs = make("button", { class: "btn", text: inWords("Only what differs"), attrs: { type: "button" }, on: { click: () => this.filter() } });
    const write = make("button", { class: "btn main", text: inWords("Check another template"), attrs: { type: "button" }, on: { click: () => writeTemplate() } });
    const copy = doingButton(inWords("Copy the conversation"), toClipboard(() => this.chosen?.call ?? ""), inWords("Copied"), { class: "btn", attrs: { type: "button" } });
    frame.buttons.replaceChildren(write, this.differs, copy);
    this.table.addEventListener("click", (event) => this.clicked(event));
    this.table.addEventListener("keydown", (event) => this.pressed(event));
    this.observer = new ResizeObserver(() => this.placePanel());
    this.observer.observe(frame.root);
  }

  destroy() {
    this.observer.disconnect();
    writeAddress({ row: null, column: null, differs: null });
  }

  /* The row that was chosen, once it is there; at first one that fails. */
  get chosen() {
    const { rows } = CHECK;
    return rows.find(({ id }) => id === this.wanted) ?? rows.find(({ cells }) => cells.some(({ tone }) => tone === "stops")) ?? rows[0];
  }

  get row() {
    return this.chosen?.id;
  }

  draw({ stage }, frame) {
    setClass(frame.foot, "empty", false);
    this.box.hidden = Boolean(stage.problem);
    if (stage.problem) return frame.headline({ pill: inWords("check"), say: stage.problem });
    if (stage.id !== CHECK.id) Object.assign(CHECK, { id: stage.id, next: 0, rows: [] });
    if (stage.part === CHECK.next) this.take(stage);
    else if (CHECK.next < stage.parts) this.ask(CHECK.next);
    this.columns = stage.servers;
    if (!this.columns.some(([name]) => name === this.server)) this.server = this.columns[0][0];
    frame.side.replaceChildren(halves("check", stage.total));
    const { say, reason } = CHECK.said;
    frame.headline({ pill: inWords("check"), tone: CHECK.rows.some(({ differs }) => differs) ? "part" : "fine", say, reason });
    setCount(frame.count, CHECK.rows.filter(({ differs }) => !differs).length, inWords("of {0} as sent everywhere", formatNumber(stage.total)));
    frame.marks = {};
    this.drawTable();
    this.drawPanel();
    const row = this.table.querySelector("tr.here");
    // only the box scrolls, and again when rows arrive below, unless somebody has scrolled it
    if (row && (this.seen !== this.row || this.table.scrollTop === this.placed)) {
      this.table.scrollTop = row.offsetTop - this.table.clientHeight / 2;
      this.placed = this.table.scrollTop;
    }
    this.seen = this.row;
  }

  /* A part: rows that are tried, or again with their lines and repairs. */
  take(stage) {
    CHECK.next += 1;
    CHECK.said = { say: stage.say, reason: stage.reason };
    stage.rows.forEach((row, at) => (CHECK.rows[stage.first + at] = row));
    if (CHECK.next < stage.parts) this.ask(CHECK.next);
  }

  ask(part) {
    if (this.pending === `${CHECK.id} ${part}`) return;
    this.pending = `${CHECK.id} ${part}`;
    this.frame.report("check", { of: CHECK.id, part });
  }

  get shown() {
    return this.only ? CHECK.rows.filter(({ differs }) => differs) : CHECK.rows;
  }

  drawTable() {
    this.differs.setAttribute("aria-pressed", String(this.only));
    this.servers.hidden = this.columns.length < 2; // a format has one
    this.servers.replaceChildren(choiceOf(inWords("Server"), this.columns.map(([name, title]) => [name, title]), this.server, (name) => {
      this.choose(this.row, name);
      this.servers.querySelector('[aria-checked="true"]')?.focus();
    }));
    const focused = this.table.contains(this.frame.root.getRootNode().activeElement);
    const mine = (name) => (name === this.server ? "mine" : "");
    const cell = ({ id }, { words, tone }, [name]) => {
      const here = id === this.row && name === this.server;
      const chip = make("span");
      const button = make("button", { class: "pr-verdict", attrs: { type: "button", tabindex: here ? "0" : "-1", "data-tone": tone, "data-row": id, "data-server": name } }, chip);
      filled(chip, words);
      return make("td", { class: mine(name), attrs: { role: "gridcell", "aria-selected": String(here) } }, button);
    };
    this.detail?.remove();
    this.table.replaceChildren(make("table", { class: "pr-lines pr-caps", attrs: { role: "grid", "aria-label": inWords("Conversations by server") } },
      make("thead", {}, make("tr", {}, make("th", { attrs: { scope: "col" }, text: inWords("Conversation") }), ...this.columns.map(([name, title, version]) => make("th", { class: mine(name), attrs: { scope: "col" } }, make("b", { text: title }), make("small", { text: version }))))),
      make("tbody", {}, ...this.shown.map((row) => make("tr", { class: row.id === this.row ? "here" : "", attrs: { "data-row": row.id } }, make("th", { text: row.name, attrs: { scope: "row" } }), ...row.cells.map((each, at) => cell(row, each, this.columns[at])))))));
    if (focused) this.button?.focus();
    this.placePanel();
  }

  get button() {
    return this.table.querySelector('.pr-verdict[tabindex="0"]');
  }

  /* Below its row where the page is narrow. */
  placePanel() {
    const narrow = this.frame.root.clientWidth < WIDE;
    const row = narrow ? this.table.querySelector("tr.here") : null;
    if (!row) {
      this.detail?.remove();
      if (this.panel.parentNode !== this.box) this.box.append(this.panel);
      return;
    }
    this.detail ??= make("tr", { class: "pr-check-detail" }, make("td", { attrs: { colspan: String(this.columns.length + 1) } }));
    if (this.panel.parentNode !== this.detail.firstChild) this.detail.firstChild.replaceChildren(this.panel);
    if (row.nextSibling !== this.detail) row.after(this.detail);
  }

  drawPanel() {
    const row = this.chosen;
    if (!row) return this.panel.replaceChildren();
    const at = this.columns.findIndex(([name]) => name === this.server);
    const cell = row.cells[at];
    const said = (say, name = "p") => {
      const node = make(name);
      filled(node, say);
      return node;
    };
    const outcome = (each, index) => make("tr", { class: index === at ? "mine" : "" },
      make("th", { attrs: { scope: "row" }, text: this.columns[index][1] }),
      make("td", {}, each.text ? make("code", { text: each.text.replaceAll("\n", "↵").replaceAll("\t", "⇥") }) : said(each.words, "span")),
      make("td", { class: "num" }, ...(each.tokens === null ? [] : [make("b", { text: formatNumber(each.tokens) }), ` ${inWords(each.tokens === 1 ? "token" : "tokens")}`])));
    const line = cell.line ? [make("div", { class: "pr-check-line" }, make("b", { text: inWords("Line {0}", cell.line) }), make("code", { text: cell.code }))] : [];
    const repair = cell.repair
      ? [said(cell.repair[0]), make("p", { class: "pr-proof", text: inWords("Tried: what was fine stays the same.") }), make("div", { class: "pr-check-repair" }, make("b", { text: inWords("Line {0}", cell.repair[1]) }), make("code", { text: cell.repair[3] }))]
      : [];
    this.panel.replaceChildren(
      make("h3", {}, row.name, make("button", { class: "link", text: inWords("Open it"), attrs: { type: "button" }, on: { click: () => this.open(row) } })),
      make("p", { class: "pr-proof", text: row.why }),
      make("pre", { attrs: { tabindex: "0", "aria-label": inWords("The request") }, text: listed(row.call) }),
      make("table", { class: "pr-lines pr-outcomes" }, make("tbody", {}, ...row.cells.map(outcome))),
      ...(cell.reason ? [said(cell.reason)] : []), ...line, ...repair);
  }

  open({ call }) {
    store.change({ call: { ...JSON.parse(call), ...keptVariables() } });
    openView("engines");
  }

  choose(row, server) {
    Object.assign(this, { wanted: row, server });
    writeAddress({ row, column: server });
    this.drawTable();
    this.drawPanel();
  }

  filter() {
    this.only = !this.only;
    writeAddress({ differs: this.only ? "1" : null });
    if (!this.shown.includes(this.chosen)) this.wanted = this.shown[0]?.id;
    this.drawTable();
    this.drawPanel();
  }

  clicked(event) {
    const button = event.target.closest(".pr-verdict");
    const row = event.target.closest("tr[data-row]");
    if (!row || event.target.closest(".pr-check-detail")) return;
    this.choose(row.dataset.row, button?.dataset.server ?? this.server);
    this.button?.focus();
  }

  pressed(event) {
    if (!event.target.closest(".pr-verdict")) return;
    const key = keyName(event);
    const rows = this.shown;
    const at = rows.indexOf(this.chosen);
    const column = this.columns.findIndex(([name]) => name === this.server);
    const differs = ({ differs }) => differs;
    const down = { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1], Home: rows[0], End: rows.at(-1), "[": rows.slice(0, at).findLast(differs), "]": rows.slice(at + 1).find(differs) };
    const right = { ArrowLeft: this.columns[column - 1], ArrowRight: this.columns[column + 1] };
    if (!(key in down) && !(key in right)) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose((down[key] ?? this.chosen).id, (right[key] ?? this.columns[column])[0]);
    this.button?.focus();
    this.button?.scrollIntoView({ block: "nearest" });
  }
};

/* A request with a line for each message. */
function listed(call) {
  const { messages, ...others } = JSON.parse(call);
  const rows = messages.map((message) => `  ${JSON.stringify(message)}`);
  const more = Object.entries(others).map(([name, value]) => `,\n${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{"messages": [\n${rows.join(",\n")}\n]${more.join("")}}`;
}
