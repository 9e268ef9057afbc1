/* The alternatives of a pattern, or the rules of a scanner, tried from the top. track.rules: [regex, words, part, what
   it did to the whole text]: the last step shows that. track.parts: names of several patterns. Row 0: [first no, last no, yes, text]; -1 for none. */

class Rules extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.rules = track.rules.map((rule, index) => this.makeRule(rule, index));
    const heads = ["", ...track.heads].map((text) => make("span", { text }));
    this.names = make("div", { class: "rule names" }, ...heads);
    const rows = [];
    track.rules.forEach(([, , part], index) => {
      if (track.parts.length > 1 && (index === 0 || track.rules[index - 1][2] !== part)) rows.push(make("div", { class: "part", text: track.parts[part] }));
      rows.push(this.rules[index].node);
    });
    this.box = make("div", { class: "rules", attrs: { role: "group", "aria-label": track.title, tabindex: "0" } }, this.names, ...rows);
    this.box.dataset.rows = rows.length > 6 ? "many" : "few";
    this.empty = make("p", { class: "none", text: track.empty });
    this.empty.hidden = rows.length > 0;
    this.box.hidden = rows.length === 0;
    this.body.append(this.box, this.empty);
    this.tops = rows.map((node) => node);
  }

  makeRule([regex, words, part], index) {
    const first = this.track.rules.findIndex((rule) => rule[2] === part);
    const here = make("bdi", { class: "here" });
    const node = make("div", { class: "rule" },
      make("span", { class: "n", text: String(index - first + 1) }),
      make("code", { text: regex.replaceAll(" ", "␣"), attrs: { title: regex } }),
      make("span", { class: "words", text: words, attrs: { title: words } }),
      here);
    return { node, here };
  }

  follow(frame) {
    const row = this.view.level === "implementation" ? 28 : this.box.dataset.rows === "many" ? 30 : 34;
    if (!(frame.moved || this.resized) || !this.height || this.height >= 26 + row * this.tops.length) return;
    this.resized = false;
    const at = this.atWork(frame);
    if (at < 0) return;
    const top = this.tops.indexOf(this.rules[at].node) * row;
    const from = this.box.scrollTop;
    if (top >= from && top + row <= from + this.height - 26) return;
    this.box.scrollTop = Math.max(0, top - Math.min(60, (this.height - 26 - row) / 2));
  }

  start() {
    this.observer = new ResizeObserver(([entry]) => {
      this.height = entry.contentRect.height;
      this.resized = true;
      this.view.request();
    });
    this.observer.observe(this.box);
  }

  destroy() {
    this.observer?.disconnect();
  }

  atWork(frame) {
    for (const key of frame.marks.keys()) return key;
    return -1;
  }

  render(frame) {
    const [from, to, yes, text] = this.track.rows.get(0) ?? [-1, -1, -1, -1];
    const work = this.atWork(frame);
    const part = this.track.rules[yes]?.[2];
    const over = frame.step === this.view.player.last;
    this.rules.forEach(({ node, here }, index) => {
      const no = from >= 0 && index >= from && index <= to;
      const later = yes >= 0 && index > yes && this.track.rules[index][2] === part;
      const taken = this.view.texts[text] ?? "";
      setText(here, over ? this.track.rules[index][3] : index === yes ? (taken ? inWords("yes: {0}", taken) : inWords("yes")) : no ? inWords("no") : later ? inWords("not tried") : "");
      setClass(node, "yes", index === yes);
      setClass(node, "no", no);
      setClass(node, "later", later);
      setClass(node, "work", index === work && index !== yes);
    });
  }
}

/* The lines of an original's source, a block for each rule; the block at work is marked. */
class Source extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    this.blocks = track.lines.map((lines) => make("div", { class: "block" }, ...lines.map((text) => {
      const line = make("div", { text });
      line.style.setProperty("--in", text.length - text.trimStart().length);
      return line;
    })));
    this.box = make("div", { class: "code", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": track.title } }, ...this.blocks);
    this.body.append(make("p", { class: "about", text: track.title }), this.box);
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.tops = this.blocks.map((block) => [block.offsetTop, block.offsetTop + block.offsetHeight]);
    this.height = this.box.clientHeight;
    this.resized = true;
  }

  follow(frame) {
    const [at] = frame.marks.keys();
    if (!(frame.moved || this.resized) || at === undefined || !this.tops || !this.height) return;
    this.resized = false;
    const [from, to] = this.tops[at];
    if (from < this.box.scrollTop || to > this.box.scrollTop + this.height) this.box.scrollTop = Math.max(0, from - 30);
  }

  render(frame) {
    this.box.dataset.k = frame.kind.tone;
    this.blocks.forEach((block, index) => {
      for (const line of block.children) setClass(line, "on", frame.marks.has(index));
    });
  }
}

/* Questions with their answers, the same at every step. */
class Answers extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    const items = track.answers.flatMap(([question, answer]) => [make("dt", { text: inWords(question) }), make("dd", { text: inWords(answer) })]);
    this.body.append(make("dl", { class: "answers" }, ...items));
  }
}
