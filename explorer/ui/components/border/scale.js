/* The characters in a row, the tokens of the whole text and of both parts below them, a dot for each border, and the
   mark that is dragged over them.

   new Scale(move)              move(at) is called while the mark is dragged, and for a border that is pressed
   .node                        draw(picture), show(at, border): border is undefined while it is being computed      */

const LABELS = 176;
const CHARACTER = 44;

class Scale {
  constructor(move) {
    this.move = move;
    this.chars = make("div", { class: "bd-chars", attrs: { "aria-hidden": "true" } });
    this.whole = make("div", { class: "bd-cells" });
    this.cut = make("div", { class: "bd-cells" });
    this.dots = make("div", { class: "bd-dots", attrs: { "aria-hidden": "true" } });
    this.handle = make("div", {
      class: "bd-handle", text: "↔",
      attrs: { role: "slider", tabindex: "0", "aria-label": "Border", "aria-orientation": "horizontal" },
    });
    this.mark = make("div", { class: "bd-mark" }, this.handle);
    this.labels = ["The whole", "Cut here", "Every border"].map((name) => [make("b", { text: name }), make("small", { class: "num" })]);
    const row = (kind, at, node) => make("div", { class: `bd-row ${kind}` }, make("div", { class: "bd-label" }, ...this.labels[at]), node);
    this.area = make("div", { class: "bd-area" }, this.chars, row("bd-whole", 0, this.whole), row("bd-cut", 1, this.cut), row("bd-every", 2, this.dots), this.mark);
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

  draw(picture) {
    this.picture = picture;
    this.measure();
    const { chars, first, tokens, dots, length } = picture;
    this.chars.replaceChildren(...chars.map((text) => make("span", { class: text.length > 2 ? "long" : "", text })));
    this.whole.replaceChildren(...picture.whole.map((cell) => this.cell(cell)));
    setText(this.labels[0][1], plural(tokens, "token"));
    const borders = Array.from({ length: chars.length - 1 }, (_, index) => first + index + 1);
    this.dots.replaceChildren(
      ...borders.map((at) => {
        const keeps = dots.keeps[at - dots.first];
        const dot = make("i", { class: keeps === undefined ? "unknown" : keeps ? "keeps" : "changes" });
        dot.style.setProperty("--at", at - first);
        return dot;
      }),
    );
    const all = dots.keeps.length === length - 1;
    setText(this.labels[2][1], all ? `${formatNumber(dots.kept)} of ${formatNumber(length - 1)} keep the ids` : `${formatNumber(dots.kept)} of ${formatNumber(dots.keeps.length)} near it keep the ids`);
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

  show(at, border) {
    this.at = at;
    this.node.style.setProperty("--mark", at - this.picture.first);
    setClass(this.node, "waits", !border);
    this.handle.setAttribute("aria-valuenow", String(at));
    if (!border) return;
    const crossed = border.across.map(([start]) => start);
    [...this.whole.children].forEach((node, index) => {
      const [start, end] = this.picture.whole[index];
      setClass(node, "crossed", crossed.length > 0 && start < at && at < end);
    });
    this.cut.replaceChildren(...border.cells.flat().map((cell) => this.cell(cell)));
    const [left, right] = border.counts;
    setText(this.labels[1][1], `${formatNumber(left)} + ${formatNumber(right)} tokens`);
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

  /* The border nearest to the pointer. */
  under(event) {
    const { left, width } = this.chars.getBoundingClientRect();
    const { chars, first, length } = this.picture;
    if (event.clientX < left - 30) return null;
    const at = first + Math.round(((event.clientX - left) / width) * chars.length);
    return Math.max(1, first, Math.min(at, length - 1, first + chars.length));
  }
}
