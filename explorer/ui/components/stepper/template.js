/* A chat template's source. At Algorithm rows that did nothing are folded and what decided a test is underlined; at
   Implementation all lines stand as they are, and the white space that the engine drops is hatched.

   track.brief, track.lines: [line, last line, start, depth, text, fold]; track.places: operand → [start, end);
   track.cut: [start, end) of dropped white space. Rows: operand → [value, step, then starts and ends of what decided];
   key -1: what is at work, [start, end, start and end of what matters in it, whether it failed]. */

const AT_WORK = -1;

class TemplateSource extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    this.whole = view.level === "implementation";
    this.rows = (this.whole ? track.lines : track.brief).map((row) => this.makeRow(row));
    this.box = make("div", { class: "tp-template", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": "Source of the template" } }, ...this.rows.map(({ node }) => node));
    if (this.whole && track.lines.length < track.count) {
      this.box.append(make("p", { class: "none", text: counted(track.count - track.lines.length, "more line is not drawn.", "more lines are not drawn.") }));
    }
    setClass(this.box, "tp-whole", this.whole);
    this.body.append(this.box);
    this.owner = new Map(); // operand → its row
    for (const [operand, [start]] of Object.entries(track.places)) {
      const row = this.rowAt(start);
      if (row) this.owner.set(Number(operand), row);
    }
    for (const row of this.owner.values()) row.acts = true;
    this.box.addEventListener("scroll", () => (this.top = this.box.scrollTop), { passive: true });
    this.top = 0;
  }

  makeRow([line, last, start, depth, text, fold]) {
    const code = make("span", { class: "tp-source" });
    const value = make("bdi", { class: "tp-value" });
    const node = make("div", { class: fold ? "tp-row tp-fold" : "tp-row" }, make("span", { class: "tp-number num", text: String(line), attrs: { "aria-hidden": "true" } }), code, value);
    node.style.setProperty("--in", this.whole ? 0 : Math.min(depth, 8));
    const row = { node, code, value, start, end: start + text.length, text, fold };
    if (fold) {
      code.textContent = `… ${fold}`;
      value.textContent = counted(last - line + 1, "line", "lines");
    } else this.paint(row, []);
    return row;
  }

  /* The row that holds an offset; none where it is folded. */
  rowAt(offset) {
    return this.rows.find((row) => !row.fold && row.start <= offset && offset < Math.max(row.end, row.start + 1));
  }

  /* A row's text with marks: [start, end, class] in the source. */
  paint(row, marks) {
    const all = this.whole ? [...this.track.cut.filter(([from, to]) => from < row.end + 1 && to > row.start).map(([from, to]) => [from, to, "tp-cut"]), ...marks] : marks;
    const id = JSON.stringify(all);
    if (row.painted === id) return;
    row.painted = id;
    const inside = all.map(([from, to, name]) => [Math.max(0, from - row.start), Math.min(row.text.length, to - row.start), name]).filter(([from, to]) => from < to);
    const edges = [...new Set([0, row.text.length, ...inside.flatMap(([from, to]) => [from, to])])].sort((a, b) => a - b);
    const parts = edges.slice(0, -1).map((from, index) => {
      const text = row.text.slice(from, edges[index + 1]);
      const names = inside.filter(([start, end]) => start <= from && from < end).map(([, , name]) => name);
      return names.length ? make("span", { class: names.join(" "), text }) : text;
    });
    // a line break that is dropped has no character in its line
    if (this.whole && all.some(([from, to, name]) => name === "tp-cut" && from <= row.end && row.end < to)) parts.push(make("span", { class: "tp-cut", text: "↵", attrs: { "aria-hidden": "true" } }));
    row.code.replaceChildren(...parts, ...(row.text ? [] : ["\u200b"]));
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.height = this.box.clientHeight;
    this.resized = true;
  }

  follow(frame) {
    if (!(frame.moved || this.resized) || !this.height) return;
    this.resized = false;
    const now = this.track.rows.get(AT_WORK);
    const row = now && this.rowAt(now[0]);
    if (!row) return;
    const from = row.node.offsetTop;
    const to = from + row.node.offsetHeight;
    if (from < this.top || to > this.top + this.height) this.box.scrollTop = Math.max(0, from - this.height / 3);
  }

  render(frame) {
    const { rows } = this.track;
    const latest = new Map();
    for (const [operand, row] of this.owner) {
      const found = rows.get(operand);
      if (found && found[1] > (latest.get(row)?.[1] ?? 0)) latest.set(row, found);
    }
    const [start, end, from, to, failed] = rows.get(AT_WORK) ?? [-1, -1, 0, 0, 0];
    const hot = from < to ? [[from, to, failed ? "tp-fault" : "tp-hot"]] : [];
    let reached = true;
    for (const row of this.rows) {
      if (row.fold) continue;
      const on = start >= 0 && row.end > start && row.start < Math.max(end, start + 1);
      const [value, , ...decided] = latest.get(row) ?? [];
      const marks = on ? [...hot] : [];
      for (let i = 0; i < decided.length; i += 2) marks.push([decided[i], decided[i + 1], "tp-decided"]);
      this.paint(row, marks);
      if (row.acts) reached = latest.has(row) || on;
      setClass(row.node, "tp-on", on);
      setClass(row.node, "tp-failed", on && failed === 1);
      setClass(row.node, "tp-future", !reached && frame.step > 0);
      setText(row.value, on && failed === 1 ? "fails" : value === undefined ? "" : (this.view.texts[value] ?? ""));
    }
  }
}
