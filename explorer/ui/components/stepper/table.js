/* A generic table: rows of values, drawn as chips or as lines under a header. Columns say how a value is shown:
   quoted and text are indices of the string table, number is a number. */

const TABLE_CHIPS = 60;

class Table extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.order = new KeyOrder();
    this.empty = make("p", { class: "none", text: view.emptyWords(track.empty || "Empty.") });
    this.asRows = track.layout === "rows";
    if (this.asRows) {
      const columns = track.columns.map((column) => (column.as === "number" ? "64px" : "minmax(0, 1fr)")).join(" ");
      this.names = make("div", { class: "names" }, ...track.columns.map((c) => make("span", { class: c.as, text: c.name })));
      this.rows = new VirtualRows(track.title, () => this.makeRow(columns), (node, index) => this.fillRow(node, index));
      this.names.style.gridTemplateColumns = columns;
      this.body.append(this.names, this.rows.node, this.empty);
    } else {
      this.chips = [];
      this.more = make("span", { class: "more num" });
      this.list = make("div", { class: "pills", attrs: { tabindex: "0", role: "group", "aria-label": track.title } });
      this.body.append(this.list, this.empty);
    }
  }

  destroy() {
    this.rows?.destroy();
  }

  start() {
    this.use = this.view.player.fullness(this.track.index);
    if (this.asRows) this.rows.node.style.height = `${Math.min(8, Math.max(2, this.use.most)) * 26 + 2}px`;
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const lines = Math.min(3, Math.max(1, Math.ceil((this.use.most * 96) / Math.max(1, width))));
    if (!this.asRows) this.body.style.minHeight = `${lines * 28}px`;
  }

  follow(frame) {
    if (!this.asRows) return;
    this.keys = this.order.sync(this.track);
    this.rows.setSize(this.keys.length, 26);
    const fresh = this.view.player.justPut(this.track.index);
    const put = frame.moved ? this.keys.findIndex((key) => fresh.has(key)) : -1;
    if (put >= 0) this.rows.centre(this.place(put));
  }

  render(frame) {
    this.keys = this.order.sync(this.track);
    const total = this.keys.length;
    setText(this.count, total ? counted(total, "entry", "entries") : "");
    this.empty.hidden = total > 0;
    this.fresh = this.view.player.justPut(this.track.index);
    this.marks = frame.marks;
    if (this.asRows) this.rows.render();
    else this.renderChips(total);
  }

  place(index) {
    return this.track.newest_first ? this.keys.length - 1 - index : index;
  }

  renderChips(total) {
    const shown = Math.min(TABLE_CHIPS, total);
    while (this.chips.length < shown) this.chips.push(this.makeChip());
    const first = this.track.newest_first ? 0 : total - shown;
    for (let index = 0; index < shown; index += 1) this.fillCells(this.chips[index], this.keys[this.place(first + index)]);
    const nodes = this.chips.slice(0, shown).map((chip) => chip.node);
    setText(this.more, `and ${formatNumber(total - shown)} more`);
    if (total > shown) nodes.splice(this.track.newest_first ? shown : 0, 0, this.more);
    placeChildren(this.list, nodes);
  }

  makeChip() {
    const values = this.track.columns.map((column) => make(column.as === "quoted" ? "bdi" : "small", { class: column.as }));
    return { node: make("span", { class: "pill" }, ...values), values };
  }

  makeRow(columns) {
    const values = this.track.columns.map((column) => make("bdi", { class: column.as }));
    const node = make("div", { class: "row trow" }, ...values);
    node.style.gridTemplateColumns = columns;
    node.values = values;
    return node;
  }

  fillRow(node, index) {
    this.fillCells({ node, values: node.values }, this.keys[this.place(index)]);
  }

  fillCells({ node, values }, key) {
    const row = this.track.rows.get(key) ?? [];
    this.track.columns.forEach((column, index) => {
      if (column.as === "number") setText(values[index], plainNumber(row[index]));
      else showText(values[index], this.view.texts, row[index], this.view.labels);
    });
    const looks = this.marks.get(key)?.map((role) => role.look) ?? [];
    setClass(node, "hit", looks.includes("hit") || looks.includes("done"));
    setClass(node, "next", looks.includes("next"));
    setClass(node, "gone", looks.includes("gone") || looks.includes("reject"));
    setClass(node, "new", this.fresh.has(key));
  }
}
