/* The board: one sentence and the rows of one stage, tied to the selection that all components share.
   Needs row_rules.js, cells.js, row.js.

   Listeners sit on the root, once. The same `board_id` means the same data: nothing is drawn again. Python hears of
   a selection as state "selection" = [start, end, count], cleared as [-1, -1, count]; `count` only makes two reports
   differ, because choosing A here, B in another component and A here again has to run the callback a second time. */

const REPORT_REST_MS = 350;
let boardNumber = 0;

class Board {
  constructor({ parentElement, data }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("board");
    this.name = `board-${(boardNumber += 1)}`;
    this.rows = [];
    this.pointed = null; // {row, index} under the pointer
    this.focused = null; // {row, index} with the keyboard focus
    this.lookedAt = null; // whichever of the two moved last
    this.hover = null;
    this.report = debounce((pair) => this.setStateValue("selection", selectionReport(pair)), REPORT_REST_MS);
    // Details too long for their strip are scrolled, so that one strip, and only then, can be reached with Tab.
    this.sizes = new ResizeObserver((entries) => {
      for (const { target } of entries) {
        const strip = target.parentElement;
        if (strip) strip.tabIndex = strip.scrollHeight > strip.clientHeight ? 0 : -1;
      }
    });
    adoptSelection(data.selection);

    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("pointerover", (event) => this.pointerAt(event));
    this.root.addEventListener("pointerleave", () => this.point(null));
    this.root.addEventListener("focusin", (event) => this.focusAt(event));
    this.root.addEventListener("focusout", () => this.focusLeft());
    this.stopListening = onSpans(
      (detail) => this.selectionMoved(detail),
      (detail) => this.hoverMoved(detail),
    );
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    applyTheme(this.root);
    if (data.board_id === this.id) return;
    this.id = data.board_id;
    this.build(data);
  }

  destroy() {
    this.report.cancel();
    this.stopListening();
    this.sizes.disconnect();
    if (this.pointed) hoverSpan(null, this.name);
  }

  build({ rows, say }) {
    const focused = this.focused && { row: this.rows.indexOf(this.focused.row), index: this.focused.index };
    this.sizes.disconnect();
    this.rows = rows.map((row) => new Row(row, this.sizes));
    this.pointed = this.focused = this.lookedAt = null;
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
    this.root.replaceChildren(...sentence, ...this.rows.map((row) => row.node));
    this.tell();
    // The person was in here: stay at the same place of the new rows.
    const row = focused && this.rows[focused.row];
    if (row?.cells.length) row.moveTo(focused.index);
  }

  // --- the shared selection ---

  selectionMoved(detail) {
    if (detail?.source !== this.name) {
      this.report.cancel(); // another component has the last word, and reports it
      for (const row of this.rows) row.pinned = row.chosen = -1;
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

  choose(row, index) {
    const cell = row.cells[index];
    row.roveTo(index);
    if (!canShare(cell)) return this.pin(row, index);
    const now = currentSelection();
    const same = now !== null && now.start === cell.s && now.end === cell.e;
    // Tokens that share one character have one span: another one of them only changes the details.
    const another = same && row.chosen >= 0 && row.chosen !== index;
    for (const other of this.rows) other.pinned = other.chosen = -1;
    row.chosen = index;
    if (another) this.tell();
    else this.report(chooseSpan(cell.s, cell.e, this.name));
  }

  pin(row, index) {
    const again = row.pinned === index;
    for (const other of this.rows) other.pinned = other.chosen = -1;
    if (!again) row.pinned = index;
    if (clearSelection(this.name)) this.report(null);
    else this.selectionMoved({ source: this.name });
  }

  clear() {
    const pinned = this.rows.some((row) => row.pinned >= 0);
    for (const row of this.rows) row.pinned = row.chosen = -1;
    if (clearSelection(this.name)) this.report(null);
    else if (pinned) this.selectionMoved({ source: this.name });
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
    if (place.row.tips) place.node.setAttribute("aria-describedby", place.row.tips.id);
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

  /* Every strip shows the cell looked at (pointer or keyboard), else the chosen one. */
  tell() {
    const selection = currentSelection();
    for (const row of this.rows) {
      row.details(this.lookedAt?.row === row ? this.lookedAt.index : row.resting(selection));
    }
  }
}

const boards = mounts();

export default function (component) {
  boards.get(component, () => new Board(component)).update(component);
  return () => boards.drop(component.parentElement);
}
