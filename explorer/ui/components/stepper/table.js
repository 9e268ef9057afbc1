/* A generic table: rows of values, drawn as chips or as lines under a header. A column says how to show its values:
   `quoted` and `text` are indices of the string table; `number` is a number, or nothing below 0.

   A table whose rows all exist from the start shows each of them in full; one that grows has a fixed height and lines of
   equal height. */

const TABLE_CHIPS = 60;
const TABLE_LINES = 8;
const NO_NUMBER = "–";
const COLUMNS_ON_A_PHONE = 5; // beside a card, so that names are not cut off

class Table extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.order = new KeyOrder();
    this.empty = make("p", { class: "none", text: view.emptyWords(track.empty || "Empty.") });
    this.asRows = track.layout === "rows";
    if (this.asRows) {
      this.names = make("div", { class: "names" }, ...track.columns.map((c) => make("span", { class: c.as, text: c.name })));
      this.steady = isSteady(view, track.index);
      if (this.steady) {
        this.box = make("div", { class: "rows steady", attrs: { tabindex: "0", role: "group", "aria-label": track.title } }, this.names);
        this.flow = new Map();
      } else {
        this.rows = new VirtualRows(track.title, () => this.makeRow(), (node, index) => this.fillRow(node, index), this.names);
        this.box = this.rows.node;
      }
      this.body.append(this.box, this.empty);
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
    const rows = this.view.player.puts(this.track.index).flatMap(([, row]) => (row ? [row] : []));
    const says = ({ as }, index) => as === "number" || rows.some((row) => this.view.texts[row[index]]);
    this.mute = new Set(rows.length ? [...this.track.columns.keys()].filter((index) => !says(this.track.columns[index], index)) : []);
    this.lastStep = 0;
    if (!this.asRows) return;
    this.box.style.setProperty("--columns", this.columns());
    this.box.hidden = this.use.most === 0;
    if (this.steady) return;
    this.box.style.height = `${(Math.min(TABLE_LINES, Math.max(2, this.use.most)) + 1) * 26 + 2}px`;
    this.box.append(this.empty); // in the space reserved for the first line
    if (this.box.hidden) this.body.append(this.empty);
  }

  /* Numbers get the width they need; texts share the rest in proportion to their longest value, beside a card with room
     for their names. */
  columns() {
    const longest = this.track.columns.map(({ name }) => name.replace(/[\u3000-\uffef]/g, "xx").length); // of Chinese or Japanese, twice as wide
    const least = longest.map((letters) => (this.view.beside && !this.narrow ? `${letters + 0.6}ch` : "0"));
    for (const [, row] of this.view.player.puts(this.track.index)) {
      if (!row) continue;
      this.track.columns.forEach(({ as }, index) => {
        const length = as === "number" ? plainNumber(row[index]).length : (this.view.texts[row[index]] ?? "").length;
        longest[index] = Math.max(longest[index], length);
      });
    }
    const most = this.view.beside ? 18 : 30; // a name that is cut off says less than a long text that is
    const room = (as, index) => (as === "number" ? `${longest[index] + 0.6}ch` : `minmax(${least[index]}, ${Math.max(5, Math.min(most, longest[index]))}fr)`);
    return this.track.columns.flatMap(({ as }, index) => (this.leavesOut(index) ? [] : [room(as, index)])).join(" ");
  }

  /* On a phone some columns have no room, and one that never says anything needs none. */
  leavesOut(index) {
    return this.narrow && ((this.track.wide ?? []).includes(index) || this.mute.has(index) || (this.view.beside && index >= COLUMNS_ON_A_PHONE));
  }

  resize(width, narrow) {
    const other = narrow !== this.narrow;
    super.resize(width, narrow);
    if (this.asRows) {
      if (other && (this.track.wide || this.mute.size || this.track.columns.length > COLUMNS_ON_A_PHONE)) this.reflow();
      return;
    }
    const lines = Math.min(3, Math.max(1, Math.ceil((this.use.most * this.chipWidth()) / Math.max(1, width))));
    this.body.style.minHeight = `${lines * 28}px`;
  }

  reflow() {
    this.box.style.setProperty("--columns", this.columns());
    for (const [index, node] of [...this.names.children].entries()) node.hidden = this.leavesOut(index);
    this.rows?.render();
  }

  /* The average width of a chip, over all chips of the script. */
  chipWidth() {
    const rows = this.view.player.puts(this.track.index).flatMap(([, row]) => (row ? [row] : []));
    const letters = rows.flatMap((row) =>
      this.track.columns.map(({ as }, index) => (as === "number" ? String(row[index]) : (this.view.texts[row[index]] ?? "")).length));
    const sum = letters.reduce((all, each) => all + each, 0);
    return rows.length ? (7.3 * sum) / rows.length + 14 + 6 * this.track.columns.length : 0;
  }

  follow(frame) {
    if (!this.rows) return;
    this.keys = this.order.sync(this.track);
    this.rows.setSize(this.keys.length, 26);
    if (!frame.moved || !this.keys.length) return;
    const fresh = this.view.player.justPut(this.track.index);
    let row = this.keys.findIndex((key) => fresh.has(key) || frame.marks.has(key));
    // After a jump to a step that wrote nothing here, the newest row is the most relevant.
    if (row < 0 && Math.abs(frame.step - this.lastStep) > 1) row = this.keys.length - 1;
    this.lastStep = frame.step;
    if (row >= 0) this.rows.center(this.keyIndex(row));
  }

  render(frame) {
    this.keys = this.order.sync(this.track);
    const total = this.keys.length;
    setText(this.count, total ? counted(total, "entry", "entries") : "");
    this.empty.hidden = total > 0;
    this.fresh = this.view.player.justPut(this.track.index);
    this.marks = frame.marks;
    if (this.steady) this.renderFlow();
    else if (this.asRows) this.rows.render();
    else this.renderChips(total);
  }

  renderFlow() {
    for (let index = 0; index < this.keys.length; index += 1) {
      const key = this.keys[this.keyIndex(index)];
      if (!this.flow.has(key)) {
        this.flow.set(key, this.makeRow());
        this.box.append(this.flow.get(key));
      }
      this.fillCells({ node: this.flow.get(key), values: this.flow.get(key).values }, key);
    }
  }

  keyIndex(index) {
    return this.track.newest_first ? this.keys.length - 1 - index : index;
  }

  renderChips(total) {
    const shown = Math.min(TABLE_CHIPS, total);
    while (this.chips.length < shown) this.chips.push(this.makeChip());
    const first = this.track.newest_first ? 0 : total - shown;
    for (let index = 0; index < shown; index += 1) this.fillCells(this.chips[index], this.keys[this.keyIndex(first + index)]);
    const nodes = this.chips.slice(0, shown).map((chip) => chip.node);
    setText(this.more, inWords("and {0} more", formatNumber(total - shown)));
    if (total > shown) nodes.splice(this.track.newest_first ? shown : 0, 0, this.more);
    placeChildren(this.list, nodes);
  }

  makeChip() {
    const values = this.track.columns.map((column) => make(column.as === "quoted" ? "bdi" : "small", { class: column.as }));
    return { node: make("span", { class: "pill" }, ...values), values };
  }

  makeRow() {
    const values = this.track.columns.map((column) => make("bdi", { class: column.as }));
    const node = make("div", { class: "row trow" }, ...values);
    node.values = values;
    return node;
  }

  fillRow(node, index) {
    this.fillCells({ node, values: node.values }, this.keys[this.keyIndex(index)]);
  }

  fillCells({ node, values }, key) {
    const row = this.track.rows.get(key) ?? [];
    this.track.columns.forEach((column, index) => {
      values[index].hidden = this.leavesOut(index);
      if (column.as === "number") setText(values[index], row[index] < 0 ? NO_NUMBER : plainNumber(row[index]));
      else showText(values[index], this.view.texts, row[index], this.view.labels);
    });
    const looks = this.marks.get(key)?.map((role) => role.look) ?? [];
    setClass(node, "hit", looks.includes("hit") || looks.includes("done"));
    setClass(node, "next", looks.includes("next"));
    setClass(node, "gone", looks.includes("gone") || looks.includes("reject"));
    setClass(node, "tied", looks.includes("tied"));
    setClass(node, "new", this.fresh.has(key));
  }
}

/* Do all rows exist from the first step to the last? */
function isSteady({ script, player }, index) {
  const keys = new Set(script.initial.filter(([track]) => track === index).map(([, key]) => key));
  return keys.size > 0 && player.puts(index).every(([key, row]) => row && keys.has(key));
}
