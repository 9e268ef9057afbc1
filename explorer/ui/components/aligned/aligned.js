/* Rows of tokens on one text, aligned on its characters. Needs lines.js.

   Every line is a CSS grid: the rows' names in the first column, then the line's columns. Left and right move along a
   row, up and down to the same column of the next row. The first lines are drawn at once, the others on request.
   Listeners are on the root, once.                                                                                 */

const DIGIT = 7.7; // width of a chip's digit in pixels; the unit of the blocks' widths
const NAMES = { least: 70, most: 236, letter: 6.9, around: 38 }; // width of the names in pixels
const NARROW = 640;
const FIRST_LINES = 40;
let alignedNumber = 0;

class Aligned {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("aligned");
    this.name = `aligned-${(alignedNumber += 1)}`;
    this.at = { row: 0, index: 0 };
    this.looked = null;
    this.opened = null; // the node of the cell that was clicked last
    this.hover = null;
    this.width = 0;
    this.all = false;
    this.box = make("div", { class: "lines", attrs: { role: "grid", "aria-label": "Tokens of every row, aligned on the text" } });
    this.more = make("button", { class: "link more", attrs: { type: "button" }, on: { click: () => this.showAll() } });
    this.more.hidden = true;
    this.tips = make("div", { class: "tips", attrs: { id: `${this.name}-details` } });
    this.strip = make("div", { class: "strip", attrs: { "aria-live": "off" } }, this.tips);
    this.legend = make("ol", { class: "legend" }); // used when the names don't fit beside their rows
    this.root.append(this.legend, this.box, this.more, this.strip);

    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.look(this.positionOf(event)));
    this.root.addEventListener("pointerleave", () => this.look(null));
    this.root.addEventListener("focusin", (event) => this.focusAt(this.positionOf(event)));
    // the details stay while the focus is in them
    this.root.addEventListener("focusout", (event) => this.tips.contains(event.relatedTarget) || this.look(null));
    this.stopListening = onSpans(
      () => this.mark(),
      (span) => {
        this.hover = span;
        this.mark();
      },
    );
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.observer.observe(this.root);
  }

  update({ data }) {
    applyTheme(this.root);
    this.specs = data.specs;
    if (data.rows_id === this.id) return;
    this.id = data.rows_id;
    const { rows, looks, blocks } = JSON.parse(data.rows);
    const cellOf = ([from, to, s, e, ring, look]) => ({ from, to, s, e, ring, ...looks[look] });
    this.rows = rows.map(({ label, cells }) => ({ label, cells: cells.map(cellOf) }));
    this.blocks = blocks;
    const letters = Math.max(0, ...rows.map((row) => row.label.length));
    this.names = Math.max(NAMES.least, Math.min(NAMES.most, letters * NAMES.letter + NAMES.around));
    this.root.style.setProperty("--names", `${this.names}px`);
    this.root.style.setProperty("--rows", rows.length);
    this.legend.replaceChildren(...rows.map((row, rowIndex) => make("li", {}, number(rowIndex), make("bdi", { text: row.label }))));
    this.all = false;
    this.at = { row: 0, index: 0 };
    this.looked = null;
    this.draw();
  }

  destroy() {
    this.stopListening();
    this.observer.disconnect();
  }

  resized(width) {
    if (Math.abs(width - this.width) < 1) return;
    this.width = width;
    if (this.rows) this.draw();
  }

  // --- drawing

  draw() {
    if (this.width === 0) return; // not laid out yet: resized() follows
    const names = this.width < NARROW ? 30 : this.names + 6;
    this.lines = packLines(this.blocks, Math.max(12, (this.width - names - 16) / DIGIT));
    const shown = this.all ? this.lines : this.lines.slice(0, FIRST_LINES);
    this.nodes = this.rows.map(() => []);
    this.box.replaceChildren(...shown.map((line) => this.line(line)));
    const hidden = this.lines.length - shown.length;
    this.more.hidden = hidden === 0;
    setText(this.more, `show ${formatNumber(hidden)} more lines`);
    this.rove(this.at.row, this.at.index);
    this.mark();
    this.updateDetails();
  }

  line({ from, to }) {
    const columns = Math.max(1, to - from);
    const node = make("div", { class: "line", attrs: { role: "rowgroup" } });
    node.style.gridTemplateColumns = `auto repeat(${columns}, auto) 1fr`;
    this.rows.forEach((row, rowIndex) => {
      const name = make("div", { class: "name", attrs: { role: "rowheader", title: row.label } },
        number(rowIndex), make("bdi", { class: "label-text", text: row.label }));
      name.style.gridRow = String(rowIndex + 1);
      const line = make("div", { class: "aligned-row", attrs: { role: "row" } }, name);
      for (const index of cellsWithin(row.cells, from, to)) line.append(this.cell(row, rowIndex, index, from));
      node.append(line);
    });
    return node;
  }

  cell(row, rowIndex, index, from) {
    const cell = row.cells[index];
    const look = `${cell.ring ? " ring" : ""}${cell.look ? ` ${cell.look}` : ""}${cell.ids.length > 1 ? " parts" : ""}`;
    const node = make("div", { class: `chip cell${look}`, attrs: { role: "gridcell", tabindex: "-1" } });
    node.style.gridRow = String(rowIndex + 1);
    node.style.gridColumn = `${cell.from - from + 2} / ${cell.to - from + 2}`;
    node.rowIndex = rowIndex;
    node.index = index;
    tint(node, cell.ids[0]);
    const text = make("b", { class: cell.control ? "label" : "", dir: "auto" });
    asText(text, cell.t, cell.space);
    const ids = make("small", { class: "ids" }, ...cell.ids.map((id) => stripe(id, cell.ids.length)));
    node.append(text, ids);
    if (cell.ring) node.append(make("span", { class: "sr", text: "not in every row" }));
    this.nodes[rowIndex][index] = node;
    return node;
  }

  showAll() {
    this.all = true;
    this.draw();
  }

  // --- the shared selection

  cellAt({ row, index }) {
    return this.rows[row].cells[index];
  }

  mark() {
    const selection = currentSelection();
    this.nodes?.forEach((row, rowIndex) =>
      row.forEach((node, index) => {
        const { s, e } = this.rows[rowIndex].cells[index];
        setClass(node, "sel", spansOverlap(s, e, selection));
        setClass(node, "hov", spansOverlap(s, e, this.hover));
      }),
    );
    this.updateDetails();
  }

  look(position) {
    if (!position && !this.looked) return;
    this.looked = position;
    const cell = position && this.cellAt(position);
    hoverSpan(cell && cell.e > cell.s ? { start: cell.s, end: cell.e } : null, this.name);
    this.updateDetails();
  }

  focusAt(position) {
    if (!position) return;
    this.rove(position.row, position.index);
    this.nodes[position.row][position.index].setAttribute("aria-describedby", this.tips.id);
    this.look(position);
  }

  clicked(event) {
    const position = this.positionOf(event);
    if (!position) return;
    const cell = this.cellAt(position);
    this.rove(position.row, position.index);
    this.looked = position;
    this.opened = this.nodes[position.row][position.index];
    if (cell.e > cell.s) chooseSpan(cell.s, cell.e, this.name);
    this.updateDetails();
  }

  positionOf(event) {
    const node = event.target.closest?.(".cell");
    return node ? { row: node.rowIndex, index: node.index } : null;
  }

  // --- keys

  pressed(event) {
    const key = keyName(event);
    if (toLinks(event, this.opened, [...this.tips.querySelectorAll("a")])) return;
    if (key === "Escape") return clearSelection(this.name);
    const position = this.positionOf(event);
    if (!position) return;
    const { row, index } = position;
    const last = this.rows[row].cells.length - 1;
    if (key === "ArrowLeft") this.moveTo(row, index - 1);
    else if (key === "ArrowRight") this.moveTo(row, index + 1);
    else if (key === "Home") this.moveTo(row, 0);
    else if (key === "End") this.moveTo(row, last);
    else if (key === "ArrowUp") this.moveAcross(row - 1, this.cellAt(position).from);
    else if (key === "ArrowDown") this.moveAcross(row + 1, this.cellAt(position).from);
    else if (key === "Enter" || key === "Space") this.clicked(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  moveAcross(row, column) {
    if (row >= 0 && row < this.rows.length) this.moveTo(row, nearestCell(this.rows[row].cells, column));
  }

  moveTo(row, index) {
    const to = Math.max(0, Math.min(index, this.rows[row].cells.length - 1));
    if (to < 0 || this.rows[row].cells.length === 0) return;
    if (!this.nodes[row][to]) this.showAll();
    this.rove(row, to);
    this.nodes[row][to].focus();
  }

  rove(row, index) {
    const old = this.nodes[this.at.row]?.[this.at.index];
    if (old) old.tabIndex = -1;
    this.at = { row, index };
    const now = this.nodes[row]?.[index] ?? this.nodes.find((cells) => cells[0])?.[0];
    if (now) now.tabIndex = 0;
  }

  /* Details of the cell looked at, else of what is selected, else of nothing. */
  updateDetails() {
    if (!this.rows) return;
    const { looked } = this;
    const position = looked ?? this.selected();
    const cell = position && this.cellAt(position);
    if (!cell) {
      this.tips.replaceChildren(make("span", { class: "hint" }));
      return;
    }
    const who = make("span", { class: "tip" }, make("bdi", { class: "tip-row", text: this.rows[position.row].label }));
    const where = cell.e > cell.s ? [["offsets", `${cell.s}–${cell.e}, end excluded`]] : [];
    const name = this.specs[position.row];
    const link = (index) => (name ? [cellLink(name, cell.ids[index])] : []);
    const lines = cell.tips.map((tip, index) => make("div", { class: "tips" }, who.cloneNode(true), ...[...tip, ...where].map(tipNode), ...link(index)));
    const node = this.nodes[position.row][position.index];
    const byKeys = name && node?.matches(":focus-visible");
    this.tips.replaceChildren(...lines, ...(byKeys ? [keysToLinks(node === this.opened)] : []));
  }

  selected() {
    const selection = currentSelection();
    if (!selection) return null;
    const { row } = this.at;
    const index = this.rows[row]?.cells.findIndex((cell) => cell.e > cell.s && spansOverlap(cell.s, cell.e, selection)) ?? -1;
    return index >= 0 ? { row, index } : null;
  }
}

function number(rowIndex) {
  return make("span", { class: "number", text: String(rowIndex + 1) });
}

function stripe(id, count) {
  const node = make("span", { class: count > 1 ? "stripe" : "", text: plainNumber(id) });
  if (count > 1) tint(node, id);
  return node;
}

function tipNode([label, value]) {
  return make("span", { class: "tip" }, make("span", { class: "tip-label", text: label }), " ", make("bdi", { class: "tip-value", text: value }));
}

const alignedViews = mounts();

export default function (component) {
  alignedViews.get(component, () => new Aligned(component)).update(component);
  return () => alignedViews.drop(component.parentElement);
}
