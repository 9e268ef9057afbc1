/* One row: its head and the cells inside the window. Needs row_rules.js and cells.js.

   The row is a listbox with a roving tabindex: `at` is the cell that Tab reaches. `pinned` is a selected cell without a
   span in the text (a BOS token, an inserted space); it is marked in its own row only.                             */

let rowNumber = 0;

class Row {
  constructor(data) {
    this.data = data;
    this.cells = data.cells ?? [];
    this.lines = rowLines(this.cells, data.kind);
    this.all = false; // whether all cells are drawn
    this.window = windowAround(0, this.cells.length, data.limit);
    this.at = 0;
    this.pinned = -1;
    this.nodes = [];

    const id = `row${(rowNumber += 1)}`;
    this.list = make("div", {
      class: `flow flow-${data.kind}`,
      attrs: { role: "listbox", "aria-multiselectable": "true", "aria-orientation": "horizontal", "aria-labelledby": `${id}h` },
    });
    const head = make("div", { class: "h", attrs: { id: `${id}h` } }, make("span", { text: data.title ?? "" }));
    if (data.note) head.append(" ", make("small", { text: data.note }));
    this.node = make("section", { class: "board-row" });
    if (data.title || data.note) this.node.append(head);
    else {
      this.list.removeAttribute("aria-labelledby");
      this.list.setAttribute("aria-label", "cells");
    }
    if (this.cells.length === 0) {
      this.node.append(make("p", { class: "none", text: data.empty || "Nothing here." }));
      return;
    }
    this.node.append(this.list);
    if (this.cells.length > (data.limit || Infinity)) {
      this.more = make("button", { class: "link more", attrs: { type: "button" }, on: { click: () => this.toggleAll() } });
      this.node.append(this.more);
    }
  }

  draw() {
    if (this.cells.length === 0) return;
    const { from, to } = this.all ? { from: 0, to: this.cells.length } : this.window;
    const cut = from > 0 || to < this.cells.length || this.data.before > 0 || this.data.after > 0;
    this.from = from;
    this.nodes = [];
    for (let i = from; i < to; i += 1) {
      const node = cellNode(this.cells[i], this.data.kind, this.lines);
      node.row = this;
      node.index = i;
      if (cut) {
        node.setAttribute("aria-posinset", (this.data.before || 0) + i + 1);
        node.setAttribute("aria-setsize", (this.data.before || 0) + this.cells.length + (this.data.after || 0));
      }
      this.nodes.push(node);
    }
    if (this.at < from || this.at >= to) this.at = from;
    this.nodeAt(this.at).tabIndex = 0;
    const before = beyond((this.data.before || 0) + from, "before");
    const after = beyond((this.data.after || 0) + this.cells.length - to, "after");
    this.list.replaceChildren(...before, ...this.nodes, ...after);
    if (this.more) {
      const all = formatNumber(this.cells.length);
      setText(this.more, this.all ? `show only ${formatNumber(this.data.limit)}` : `show all ${all}`);
    }
  }

  toggleAll() {
    this.all = !this.all;
    if (!this.all) this.window = windowAround(this.at, this.cells.length, this.data.limit);
    this.draw();
    this.mark(currentSelection(), null);
  }

  nodeAt(index) {
    return this.nodes[index - this.from];
  }

  /* Makes sure the cell is drawn. Returns true when the row had to be drawn again. */
  reveal(index) {
    if (index < 0 || this.nodeAt(index)) return false;
    this.window = windowAround(index, this.cells.length, this.data.limit);
    this.draw();
    return true;
  }

  moveTo(index) {
    const target = Math.min(Math.max(0, index), this.cells.length - 1);
    if (this.reveal(target)) this.mark(currentSelection(), null);
    this.roveTo(target);
    this.nodeAt(target).focus();
  }

  roveTo(index) {
    const old = this.nodeAt(this.at);
    if (old) old.tabIndex = -1;
    this.at = index;
    this.nodeAt(index).tabIndex = 0;
  }

  mark(selection, hover) {
    for (const node of this.nodes) {
      const { s, e } = this.cells[node.index];
      const selected = node.index === this.pinned || spansOverlap(s, e, selection);
      if ((node.selected ?? false) !== selected) {
        node.selected = selected;
        node.classList.toggle("sel", selected);
        node.setAttribute("aria-selected", String(selected));
      }
      const hovered = spansOverlap(s, e, hover);
      if ((node.hovered ?? false) !== hovered) {
        node.hovered = hovered;
        node.classList.toggle("hov", hovered);
      }
    }
  }
}

/* How many cells aren't drawn. Hidden from the listbox, where aria-setsize of the options says the same. */
function beyond(n, word) {
  if (n <= 0) return [];
  return [make("span", { class: "beyond", attrs: { "aria-hidden": "true" }, text: `… ${formatNumber(n)} ${word}` })];
}
