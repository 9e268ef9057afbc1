/* The board: one sentence and the rows of one stage, tied to the selection that all components share.
   Needs row_rules.js, cells.js, row.js, card.js.

   Listeners sit on the root, once. The same `board_id` means the same data: nothing is drawn again. A
   selection goes to the other components and to the address (base/); Python does not hear of it.               */

let boardNumber = 0;

class Board {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("board");
    this.name = `board-${(boardNumber += 1)}`;
    this.rows = [];
    this.pointed = null; // {row, index} under the pointer
    this.focused = null; // {row, index} with the keyboard focus
    this.lookedAt = null; // whichever of the two moved last
    this.held = null; // {row, index} that was clicked: its details stay
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
    const escaped = (event) => event.key === "Escape" && this.lookedAt && this.look(null);
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

  build({ rows, say, hint, spot }) {
    if (spot && spot[0] < spot[1]) offerSpan({ start: spot[0], end: spot[1] }, `${spot} ${this.id}`);
    const focused = this.focused && { row: this.rows.indexOf(this.focused.row), index: this.focused.index };
    // A phone is a column of everything: half as many cells, until all are asked for.
    const share = this.root.clientWidth <= 640 ? 2 : 1;
    this.rows = rows.map((row) => new Row({ ...row, limit: Math.ceil((row.limit ?? 0) / share) }));
    this.pointed = this.focused = this.lookedAt = this.held = null;
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
      sentence.push(make("p", { class: "say" }));
      fillSentence(sentence[0], say.template, say.args ?? [], say.texts ?? [], labelSet(say.control));
    }
    // What to do here; the words are in board.css, which knows whether there is a mouse.
    if (hint) this.rows[0]?.node.querySelector(".h")?.append(" ", make("small", { class: "hint" }));
    this.root.replaceChildren(...sentence, ...this.rows.map((row) => row.node), this.card.node);
    this.tell();
    // The person was in here: stay at the same place of the new rows.
    const row = focused && this.rows[focused.row];
    if (row?.cells.length) row.moveTo(focused.index);
  }

  // --- the shared selection ---

  selectionMoved(detail) {
    if (detail?.source !== this.name) {
      for (const row of this.rows) row.pinned = -1;
      this.held = null;
    }
    const selection = currentSelection();
    for (const row of this.rows) {
      const first = firstWithin(row.cells, selection);
      const inside = row.nodes.some((node) => spansOverlap(row.cells[node.index].s, row.cells[node.index].e, selection));
      if (first >= 0 && !inside) row.reveal(first);
      row.mark(selection, this.hover);
    }
    this.tell();
  }

  hoverMoved(span) {
    this.hover = span;
    const selection = currentSelection();
    for (const row of this.rows) row.mark(selection, span);
  }

  /* Where the span is chosen already, by another cell or in another stage, a click asks for the details alone; the
     cell whose details are held gives both back. */
  choose(row, index) {
    const cell = row.cells[index];
    row.roveTo(index);
    const again = this.isHeld({ row, index });
    this.held = again ? null : { row, index };
    for (const other of this.rows) other.pinned = -1;
    if (!canShare(cell)) {
      if (!again) row.pinned = index;
      if (!clearSelection(this.name)) this.selectionMoved({ source: this.name });
      return;
    }
    const now = currentSelection();
    const chosen = now !== null && now.start === cell.s && now.end === cell.e;
    if (chosen === again) chooseSpan(cell.s, cell.e, this.name);
    else this.tell();
  }

  clear() {
    const pinned = this.rows.some((row) => row.pinned >= 0);
    for (const row of this.rows) row.pinned = -1;
    this.held = null;
    if (!clearSelection(this.name) && pinned) this.selectionMoved({ source: this.name });
    else this.tell();
  }

  isHeld(place) {
    return this.held !== null && this.held.row === place.row && this.held.index === place.index;
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
    if (!this.held || path.includes(this.card.node) || path.some((node) => node.row && path.includes(this.root))) return;
    this.held = null;
    this.tell();
  }

  pointerAt(event) {
    if (event.pointerType === "touch") return; // a tap is a choice, not a hover that stays behind
    this.point(this.cellOf(event));
  }

  point(place) {
    if (place?.row === this.pointed?.row && place?.index === this.pointed?.index) return;
    this.pointed = place;
    this.look(place ?? this.focused);
  }

  focusAt(event) {
    const place = this.cellOf(event);
    this.focused = place;
    if (!place) return;
    place.row.roveTo(place.index);
    place.node.setAttribute("aria-describedby", this.card.id);
    // A click focuses too, but there the pointer has said it already, and a finger leaves no hover behind.
    if (place.node.matches(":focus-visible")) this.look(place);
  }

  focusLeft() {
    if (!this.focused) return;
    this.focused = null;
    this.look(this.pointed);
  }

  look(place) {
    this.lookedAt = place;
    const cell = place && place.row.cells[place.index];
    const span = cell && canShare(cell) ? { start: cell.s, end: cell.e } : null;
    if (span || this.hover) hoverSpan(span, this.name);
    this.tell();
  }

  pressed(event) {
    const key = keyName(event);
    if (key === "Escape") return this.clear();
    const place = this.cellOf(event);
    if (!place) return;
    const { row, index } = place;
    const last = row.cells.length - 1;
    const moves = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last };
    if (key in moves) row.moveTo(moves[key]);
    else if (key === "Enter" || key === "Space") this.choose(row, index);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page's own shortcuts
  }

  /* The card shows the cell looked at (pointer or keyboard), else the one that was clicked. */
  tell() {
    const place = this.lookedAt ?? this.held;
    const cell = place?.row.cells[place.index];
    const node = place?.row.nodeAt(place.index);
    if (!cell?.tip?.length || !node) return this.card.hide();
    this.card.show(cell, node, this.isHeld(place));
  }
}

const boards = mounts();

export default function (component) {
  boards.get(component, () => new Board(component)).update(component);
  return () => boards.drop(component.parentElement);
}
