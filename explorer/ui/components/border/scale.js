/* The characters in a row, rows of tokens below them, a dot for each cut, and the mark that is dragged over them.

   new Scale(move)              move(at) is called while the mark is dragged, and for a cut that is pressed
   draw(picture, names, all)    the characters, and a row for each name; all: how many can keep the ids at a cut
   fill(index, cells, note)     a row's cells and what its label says; note: a text
   place(at, waits)             where the mark is; waits: the rows are of another cut still                       */

const LABELS = 176;
const CHARACTER = 44;

class Scale {
  constructor(move) {
    this.move = move;
    this.chars = make("div", { class: "bd-chars", attrs: { "aria-hidden": "true" } });
    this.rows = make("div", {});
    this.dots = make("div", { class: "bd-dots", attrs: { "aria-hidden": "true" } });
    this.kept = make("small", { class: "num" });
    this.handle = make("div", {
      class: "bd-handle", text: "↔",
      attrs: { role: "slider", tabindex: "0", "aria-label": "Cut", "aria-orientation": "horizontal" },
    });
    this.mark = make("div", { class: "bd-mark" }, this.handle);
    const every = this.row(inWords("Every cut"), this.kept, this.dots);
    every.classList.add("bd-every");
    this.area = make("div", { class: "bd-area" }, this.chars, this.rows, every, this.mark);
    this.node = make("div", { class: "bd-scale" }, this.area);
    this.area.addEventListener("pointerdown", (event) => this.press(event));
    this.area.addEventListener("pointermove", (event) => this.dragging && this.drag(event));
    for (const type of ["pointerup", "pointercancel"]) this.area.addEventListener(type, () => (this.dragging = false));
    this.watched = new ResizeObserver(() => this.resize());
    this.watched.observe(this.node);
  }

  destroy() {
    this.watched.disconnect();
  }

  resize() {
    const width = this.node.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    if (this.picture) this.measure();
  }

  /* A character is 44 wide, less where not all have room. */
  measure() {
    this.each = Math.min(CHARACTER, (this.width - LABELS - 4) / Math.max(1, this.picture.chars.length));
    this.node.style.setProperty("--each", `${this.each}px`);
  }

  row(name, note, node) {
    return make("div", { class: "bd-row" }, make("div", { class: "bd-label" }, make("b", { text: name, attrs: { title: name } }), note), node);
  }

  draw(picture, names, all) {
    this.picture = picture;
    this.measure();
    const { chars, first, dots, length } = picture;
    this.chars.replaceChildren(...chars.map((text) => make("span", { class: text.length > 2 ? "long" : "", text })));
    this.lines = names.map(() => [make("div", { class: "bd-cells" }), make("small", { class: "num" })]);
    this.rows.replaceChildren(...this.lines.map(([cells, note], index) => this.row(names[index], note, cells)));
    const borders = Array.from({ length: chars.length - 1 }, (_, index) => first + index + 1);
    this.dots.replaceChildren(
      ...borders.map((at) => {
        const keeps = dots.keeps[at - dots.first];
        const dot = make("i", { class: keeps === undefined ? "unknown" : keeps === all ? "keeps" : keeps ? "some" : "changes" });
        dot.style.setProperty("--at", at - first);
        return dot;
      }),
    );
    const tried = dots.keeps.length === length - 1 ? formatNumber(length - 1) : inWords("{0} near it", formatNumber(dots.keeps.length));
    setText(this.kept, inWords(all > 1 ? "{0} of {1} keep all ids" : "{0} of {1} keep the ids", formatNumber(dots.kept), tried));
    this.handle.setAttribute("aria-valuemin", "1");
    this.handle.setAttribute("aria-valuemax", String(length - 1));
  }

  cell([start, end, text, ids, fresh], kind = "") {
    const name = make("span", { class: "text" });
    asText(name, text, 0);
    const node = make("div", { class: `bd-cell ${fresh ? "fresh" : kind}` }, name, make("small", { class: "num", text: ids.join(" ") }));
    node.title = `${text} ${ids.join(" ")}`;
    node.style.setProperty("--start", start - this.picture.first);
    node.style.setProperty("--size", end - start);
    return node;
  }

  /* crossed: the spans that have text on both sides of the mark. cut: where the last cut that holds is, if it is drawn. */
  fill(index, cells, note, crossed = [], cut = null) {
    const [line, small] = this.lines[index];
    const kind = ([start, end]) => (crossed.length && start < this.at && this.at < end ? "crossed" : "");
    line.replaceChildren(...cells.map((cell) => this.cell(cell, kind(cell))));
    const place = cut === null ? -1 : cut - this.picture.first;
    if (place >= 0 && place <= this.picture.chars.length) {
      const holds = make("i", { class: "bd-holds", attrs: { title: "The last cut that holds" } });
      holds.style.setProperty("--at", place);
      line.append(holds);
    }
    setText(small, note);
  }

  place(at, waits) {
    this.at = at;
    this.node.style.setProperty("--mark", at - this.picture.first);
    setClass(this.node, "waits", waits);
    this.handle.setAttribute("aria-valuenow", String(at));
  }

  press(event) {
    if (event.button) return;
    const at = this.under(event);
    if (at === null) return;
    event.preventDefault();
    this.dragging = true;
    this.area.setPointerCapture(event.pointerId);
    this.handle.focus({ preventScroll: true });
    this.move(at);
  }

  drag(event) {
    const at = this.under(event);
    if (at !== null && at !== this.at) this.move(at);
  }

  /* The cut nearest to the pointer. */
  under(event) {
    const { left, width } = this.chars.getBoundingClientRect();
    const { chars, first, length } = this.picture;
    if (event.clientX < left - 30) return null;
    const at = first + Math.round(((event.clientX - left) / width) * chars.length);
    return Math.max(1, first, Math.min(at, length - 1, first + chars.length));
  }
}
