/* The algorithm's code, with the lines of the last step highlighted, and at their right edge what they work on. A long
   line wraps with a hanging indent. The level Implementation shows the original's own code, if the script has it. */

const CODE_LINE = 21;

class Code extends Panel {
  constructor(view) {
    const own = !view.plain && view.script.source?.lines.length > 0;
    const { title, lines } = own ? view.script.source : view.script.code;
    super(view, title);
    this.field = own ? "source" : "lines";
    this.lines = lines.map((text) => {
      const line = make("div", { text: text || " " });
      line.style.setProperty("--in", text.length - text.trimStart().length);
      line.letters = text.length;
      return line;
    });
    this.box = make("div", { class: "code", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": "Code" } }, ...this.lines);
    this.body.append(this.box);
    this.top = 0;
    this.height = 0;
    this.lit = new Set();
    this.values = new Map(); // line → the node of its value
    this.edges = []; // the top of each line, and the bottom of the last
    this.box.addEventListener("scroll", () => (this.top = this.box.scrollTop), { passive: true });
    this.observer = new ResizeObserver(([entry]) => (this.height = entry.contentRect.height));
    this.observer.observe(this.box);
  }

  destroy() {
    this.observer.disconnect();
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.perLine = Math.floor(width / (Number.parseFloat(getComputedStyle(this.box).fontSize) * 0.6));
    this.edges = [...this.lines.map((line) => line.offsetTop), this.box.scrollHeight];
  }

  follow() {
    const lines = this.view.player.sentence()[this.field];
    if (!lines.length || !this.height || !this.edges.length) return;
    const from = this.edges[Math.min(...lines)];
    const to = this.edges[Math.max(...lines) + 1];
    if (from >= this.top && to <= this.top + this.height) return;
    this.box.scrollTop = Math.max(0, from - CODE_LINE);
  }

  render(frame) {
    const sentence = this.view.player.sentence();
    const asking = this.view.prediction.asksForPair;
    const lines = new Set(asking ? this.view.prediction.kind[this.field].slice(0, 1) : sentence[this.field]);
    this.box.dataset.k = asking ? "merge" : frame.kind.tone;
    for (const index of this.lit) if (!lines.has(index)) this.lines[index]?.classList.remove("on");
    for (const index of lines) if (!this.lit.has(index)) this.lines[index]?.classList.add("on");
    this.lit = lines;
    this.showValues(asking ? [[[...lines][0], inWords("which one?")]] : this.valuesOf(sentence), sentence.args);
  }

  valuesOf({ kind, [this.field]: lines }) {
    if (this.field === "lines" && kind.values?.length) return kind.values;
    return lines.length && kind.log ? [[Math.max(...lines), kind.log]] : [];
  }

  showValues(values, args) {
    const shown = new Set();
    for (const [index, template] of values) {
      if (!this.lines[index]) continue;
      shown.add(index);
      if (!this.values.has(index)) this.values.set(index, make("bdi", { class: "value" }));
      const node = this.values.get(index);
      if (node.parentNode !== this.lines[index]) this.lines[index].append(node);
      const text = plainSentence(template, args, this.view.texts);
      setText(node, text);
      // what does not fit beside the code stands below it
      setClass(node, "below", this.perLine && this.lines[index].letters + text.length + 6 > this.perLine);
    }
    for (const [index, node] of this.values) node.hidden = !shown.has(index);
  }
}
