/* A column for each key: a chip, and under it a line for each thing that becomes of it. Row: [text, id, start, end, then
   text and state of each line]; text -1 = nothing yet, also in the chip; state 0 = as it is, 1 = finished, 2 = waiting, 3 = left out.
   track.lines names the chip and the lines. A column is as wide as the longest text the script ever puts into it, so
   nothing moves. Of many columns a window around the one at work is drawn. */

const MOST_COLUMNS = 60;
const LINE_STATES = ["", "good", "waits", "gone"];

class Columns extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.order = new KeyOrder();
    this.names = make("div", { class: "line-names", attrs: { "aria-hidden": "true" } }, ...track.lines.map((text) => make("span", { text })));
    this.list = make("div", { class: "columns-list" });
    this.box = make("div", { class: "columns-box", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": track.title } }, this.names, this.list);
    this.empty = make("p", { class: "none", text: track.empty });
    this.body.append(this.box, this.empty);
    this.before = make("span", { class: "more-columns num" });
    this.after = make("span", { class: "more-columns num" });
    this.followPointer(this.list);
    this.box.addEventListener("scroll", () => (this.left = this.box.scrollLeft), { passive: true });
  }

  start() {
    this.drawn = new Map();
    this.from = 0;
    this.left = 0;
    this.letters = new Map();
    for (const [key, row] of this.view.player.puts(this.track.index)) {
      if (row) this.letters.set(key, Math.max(this.letters.get(key) ?? 2, ...this.texts(row).map((text) => [...text].length)));
    }
    this.box.style.setProperty("--count", this.track.lines.length - 1);
  }

  texts(row) {
    return [row[0], ...this.track.lines.slice(1).map((_, line) => row[4 + 2 * line])].map((index) => this.view.texts[index] ?? "");
  }

  widthOf(key) {
    return 22 + 8.6 * this.letters.get(key);
  }

  /* Scrolls to the column at work, from sums of widths; no layout is read. */
  follow(frame) {
    this.keys = this.order.sync(this.track);
    if (!frame.moved || !this.keys.length) return;
    const marked = this.keys.findIndex((key) => frame.marks.has(key));
    const at = marked >= 0 ? marked : frame.step === 0 ? 0 : -1;
    if (at < 0) return;
    if (at < this.from || at >= this.from + MOST_COLUMNS || (this.from && at === this.from)) {
      this.from = Math.max(0, Math.min(at - MOST_COLUMNS / 3, this.keys.length - MOST_COLUMNS));
    }
    const room = this.width - (this.track.lines.some(Boolean) ? 80 : 0);
    const start = this.keys.slice(this.from, at).reduce((sum, key) => sum + this.widthOf(key) + 8, 0);
    const end = start + this.widthOf(this.keys[at]);
    if (start < this.left || end > this.left + room) this.box.scrollLeft = Math.max(0, start - room / 3);
  }

  render(frame) {
    this.keys = this.order.sync(this.track);
    const shown = this.keys.slice(this.from, this.from + MOST_COLUMNS);
    const drawn = new Map(shown.map((key) => [key, this.drawn.get(key) ?? this.makeColumn(key)]));
    this.drawn = drawn;
    for (const [key, column] of drawn) this.dress(column, key, frame);
    const nodes = [...drawn.values()].map(({ node }) => node);
    const rest = this.keys.length - this.from - shown.length;
    if (this.from) nodes.unshift(this.before);
    if (rest > 0) nodes.push(this.after);
    setText(this.before, `… ${formatNumber(this.from)} before`);
    setText(this.after, `… ${formatNumber(rest)} after`);
    placeChildren(this.list, nodes);
    this.empty.hidden = this.keys.length > 0;
    this.box.hidden = this.keys.length === 0;
  }

  makeColumn(key) {
    const chip = make("b", { class: "top-text", dir: "auto" });
    const lines = this.track.lines.slice(1).map(() => make("bdi"));
    const node = make("div", { class: "column-of", data: { key } }, chip, ...lines);
    node.style.width = `${this.widthOf(key)}px`;
    return { node, chip, lines };
  }

  dress({ node, chip, lines }, key, frame) {
    const row = this.track.rows.get(key);
    const [text, id, start, end] = row;
    showText(chip, this.view.texts, text, this.view.labels);
    tint(chip, id);
    setClass(chip, "added", start < 0);
    setClass(chip, "blank", text < 0);
    markSpan(chip, start, end, frame.selection, frame.hover);
    lines.forEach((line, index) => {
      const [value, state] = row.slice(4 + 2 * index);
      showText(line, this.view.texts, value, this.view.labels);
      LINE_STATES.forEach((name, number) => name && setClass(line, name, number === state && value >= 0));
    });
    const looks = frame.marks.get(key)?.map((role) => role.look) ?? [];
    node.dataset.k = frame.kind.tone;
    for (const look of ["done", "reject", "gone"]) setClass(node, look, looks.includes(look));
  }

  spanUnder(event) {
    const row = this.track.rows.get(Number(event.target.closest(".column-of")?.dataset.key ?? -1));
    return row && row[2] >= 0 ? { start: row[2], end: row[3] } : null;
  }
}
