/* The board: one sentence and the rows of one stage, tied to the selection that all components share.
   Needs row_rules.js, cells.js, row.js, card.js.

   Listeners are on the root, once. The same `board_id` means the same data, which isn't drawn again. A selection goes to
   the other components and to the URL (base/), not to Python.                                                  */

let boardNumber = 0;

/* A sentence about a step of a stepper on the page, and the button that goes there. */
function stepLine({ parameter, step, template, args, texts }) {
  const go = () => window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter, step } }));
  const button = make("button", { class: "link num", text: `step ${formatNumber(step)}`, attrs: { type: "button" }, on: { click: go } });
  const words = make("span");
  fillSentence(words, template, args, texts, labelSet([]));
  return make("li", {}, button, words);
}

class Board {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("board");
    this.name = `board-${(boardNumber += 1)}`;
    this.rows = [];
    this.pointed = null; // {row, index} under the pointer
    this.focused = null; // {row, index} with the keyboard focus
    this.detailed = null; // whichever of the two moved last
    this.pinnedCell = null; // {row, index} of the clicked cell, whose details stay
    this.hover = null;
    this.card = new Card(this.root);

    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("pointerover", (event) => this.pointerAt(event));
    this.root.addEventListener("pointerleave", () => this.point(null));
    this.root.addEventListener("focusin", (event) => this.focusAt(event));
    this.root.addEventListener("focusout", () => this.focusLeft());
    const stopSpans = onSpans(
      (detail) => this.selectionMoved(detail),
      (detail) => this.hoverMoved(detail),
    );
    const elsewhere = (event) => this.clickedElsewhere(event);
    const escaped = (event) => event.key === "Escape" && this.detailed && this.look(null);
    document.addEventListener("click", elsewhere);
    document.addEventListener("keydown", escaped);
    this.stopListening = () => {
      stopSpans();
      document.removeEventListener("click", elsewhere);
      document.removeEventListener("keydown", escaped);
    };
  }

  update({ data }) {
    applyTheme(this.root);
    if (data.board_id === this.id) return;
    this.id = data.board_id;
    this.build(data);
  }

  destroy() {
    this.stopListening();
    if (this.pointed) hoverSpan(null, this.name);
  }

  build({ rows, say, hint, spot, steps, tokenizer }) {
    this.card.tokenizer = tokenizer;
    if (spot && spot[0] < spot[1]) offerSpan({ start: spot[0], end: spot[1] }, `${spot} ${this.id}`);
    const focused = this.focused && { row: this.rows.indexOf(this.focused.row), index: this.focused.index };
    // A phone stacks everything: half as many cells, until all are requested.
    const share = this.root.clientWidth <= 640 ? 2 : 1;
    this.rows = rows.map((row) => new Row({ ...row, limit: Math.ceil((row.limit ?? 0) / share) }));
    this.pointed = this.focused = this.detailed = this.pinnedCell = null;
    this.hover = null;
    const selection = currentSelection();
    for (const row of this.rows) {
      const first = firstWithin(row.cells, selection);
      if (first >= 0) {
        row.at = first;
        row.window = windowAround(first, row.cells.length, row.data.limit);
      }
      row.draw();
      row.mark(selection, null);
    }
    const sentence = [];
    if (say) {
      sentence.push(make("p", { class: say.quiet ? "say quiet" : "say" }));
      fillSentence(sentence[0], say.template, say.args ?? [], say.texts ?? [], labelSet(say.control), new Set());
    }
    if (steps?.length) sentence.push(make("ol", { class: "say-steps" }, ...steps.map(stepLine)));
    // A hint; its text is in board.css, which knows whether there is a mouse.
    if (hint) this.rows[0]?.node.querySelector(".h")?.append(" ", make("small", { class: "hint" }));
    this.root.replaceChildren(...sentence, ...this.rows.map((row) => row.node), this.card.node);
    this.updateCard();
    // The focus was in here: keep it at the same cell of the new rows.
    const row = focused && this.rows[focused.row];
    if (row?.cells.length) row.moveTo(focused.index);
  }

  // --- the shared selection ---

  selectionMoved(detail) {
    if (detail?.source !== this.name) {
      for (const row of this.rows) row.pinned = -1;
      this.pinnedCell = null;
    }
    const selection = currentSelection();
    for (const row of this.rows) {
      const first = firstWithin(row.cells, selection);
      const inside = row.nodes.some((node) => spansOverlap(row.cells[node.index].s, row.cells[node.index].e, selection));
      if (first >= 0 && !inside) row.reveal(first);
      row.mark(selection, this.hover);
    }
    this.updateCard();
  }

  hoverMoved(span) {
    this.hover = span;
    const selection = currentSelection();
    for (const row of this.rows) row.mark(selection, span);
  }

  /* If another cell or stage has already selected the span, a click only pins the details. A click on the cell with the
     pinned details clears both. */
  choose(row, index) {
    const cell = row.cells[index];
    row.roveTo(index);
    const again = this.isPinned({ row, index });
    this.pinnedCell = again ? null : { row, index };
    for (const other of this.rows) other.pinned = -1;
    if (!canShare(cell)) {
      if (!again) row.pinned = index;
      if (!clearSelection(this.name)) this.selectionMoved({ source: this.name });
      return;
    }
    const now = currentSelection();
    const chosen = now !== null && now.start === cell.s && now.end === cell.e;
    if (chosen === again) chooseSpan(cell.s, cell.e, this.name);
    else this.updateCard();
  }

  clear() {
    const pinned = this.rows.some((row) => row.pinned >= 0);
    for (const row of this.rows) row.pinned = -1;
    this.pinnedCell = null;
    if (!clearSelection(this.name) && pinned) this.selectionMoved({ source: this.name });
    else this.updateCard();
  }

  isPinned(position) {
    return this.pinnedCell !== null && this.pinnedCell.row === position.row && this.pinnedCell.index === position.index;
  }

  // --- pointer, focus, keys ---

  cellOf(event) {
    const node = event.target.closest?.(".cell");
    return node ? { row: node.row, index: node.index, node } : null;
  }

  clicked(event) {
    const cell = this.cellOf(event);
    if (cell) this.choose(cell.row, cell.index);
  }

  /* Puts the card away, not the selection. */
  clickedElsewhere(event) {
    const path = event.composedPath();
    if (!this.pinnedCell || path.includes(this.card.node) || path.some((node) => node.row && path.includes(this.root))) return;
    this.pinnedCell = null;
    this.updateCard();
  }

  pointerAt(event) {
    if (event.pointerType === "touch") return; // a tap selects; it doesn't leave a hover
    this.point(this.cellOf(event));
  }

  point(position) {
    if (position?.row === this.pointed?.row && position?.index === this.pointed?.index) return;
    this.pointed = position;
    this.look(position ?? this.focused);
  }

  focusAt(event) {
    const position = this.cellOf(event);
    this.focused = position;
    if (!position) return;
    position.row.roveTo(position.index);
    position.node.setAttribute("aria-describedby", this.card.id);
    // A click focuses too, but the pointer has handled it, and a finger must not leave a hover.
    if (position.node.matches(":focus-visible")) this.look(position);
  }

  focusLeft() {
    if (!this.focused) return;
    this.focused = null;
    this.look(this.pointed);
  }

  look(position) {
    this.detailed = position;
    const cell = position && position.row.cells[position.index];
    const span = cell && canShare(cell) ? { start: cell.s, end: cell.e } : null;
    if (span || this.hover) hoverSpan(span, this.name);
    this.updateCard();
  }

  pressed(event) {
    const key = keyName(event);
    const pinned = this.pinnedCell;
    if (pinned && toLinks(event, pinned.row.nodeAt(pinned.index), this.card.links)) return;
    if (key === "Escape") return this.clear();
    const position = this.cellOf(event);
    if (!position) return;
    const { row, index } = position;
    const last = row.cells.length - 1;
    const moves = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last };
    if (key in moves) row.moveTo(moves[key]);
    else if (key === "Enter" || key === "Space") this.choose(row, index);
    else return;
    event.preventDefault();
    event.stopPropagation(); // keeps it from the page's own shortcuts
  }

  /* The card shows the cell looked at (pointer or keyboard), else the one that was clicked. */
  updateCard() {
    const position = this.detailed ?? this.pinnedCell;
    const cell = position?.row.cells[position.index];
    const node = position?.row.nodeAt(position.index);
    if (!cell?.tip?.length || !node) return this.card.hide();
    this.card.show(cell, node, this.isPinned(position), node.matches(":focus-visible"));
  }
}

const boards = mounts();

export default function (component) {
  boards.get(component, () => new Board(component)).update(component);
  return () => boards.drop(component.parentElement);
}
