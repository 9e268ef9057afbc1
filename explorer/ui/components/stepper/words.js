/* The words of a corpus, each on a line: how often it occurs, and its symbols. Row of a word: [times, then text and
   number of each symbol]. Row under key -1: the symbols at work, a pair of neighbors or the one just made. Symbols from
   `track.first` on were merged. Of a long word the part around its symbols at work is drawn. */

const WORD_HEIGHT = 34;
const SMALL_WORD_HEIGHT = 30; // on a board
const WORD_HEIGHTS_BESIDE = { page: 26, lecture: 20 }; // beside a card, where twelve words fit
const WORD_SYMBOLS = 60;

class Words extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.rows = new VirtualRows(track.title, () => this.makeRow(), (node, index) => this.fillRow(node, index));
    this.rows.node.classList.add("words");
    this.body.append(this.rows.node);
  }

  destroy() {
    this.rows.destroy();
  }

  follow(frame) {
    this.keys = [...this.track.rows.keys()].filter((key) => key >= 0).sort((a, b) => a - b);
    // on a board, the pair that comes next is not told while it is asked for
    const covered = this.view.onBoard && this.view.prediction.step !== null;
    this.work = covered ? [] : (this.track.rows.get(-1) ?? []);
    this.marks = frame.marks;
    const height = this.rowHeight();
    this.rows.node.style.setProperty("--word", `${height}px`);
    this.rows.setSize(this.keys.length, height);
    const row = this.keys.findIndex((key) => frame.marks.has(key));
    if (frame.moved && row >= 0) this.rows.center(row);
  }

  rowHeight() {
    if (this.view.beside) return WORD_HEIGHTS_BESIDE[document.documentElement.hasAttribute("data-lecture") ? "lecture" : "page"];
    return this.view.onBoard ? SMALL_WORD_HEIGHT : WORD_HEIGHT;
  }

  render(frame) {
    this.follow(frame);
    let symbols = 0;
    for (const key of this.keys) symbols += (this.track.rows.get(key)[0] * (this.track.rows.get(key).length - 1)) / 2;
    setText(this.count, counted(symbols, "symbol", "symbols"));
    this.rows.render();
  }

  makeRow() {
    const times = make("span", { class: "times num" });
    const symbols = make("span", { class: "spelling", attrs: { dir: "ltr" } });
    const node = make("div", { class: "word" }, times, symbols);
    Object.assign(node, { times, symbols });
    return node;
  }

  fillRow(node, index) {
    const key = this.keys[index];
    const [times, ...row] = this.track.rows.get(key);
    setText(node.times, `${formatNumber(times)} ×`);
    setClass(node, "changed", this.marks.has(key));
    const count = row.length / 2;
    const atWork = (at) => {
      if (!this.work.length) return false;
      const is = (place, which) => row[2 * place + 1] === this.work[which];
      return this.work.length === 1 ? is(at, 0) : (is(at, 0) && is(at + 1, 1)) || (is(at - 1, 0) && is(at, 1));
    };
    const first = Math.max(0, Array.from({ length: count }, (_, at) => at).find(atWork) ?? 0);
    const from = count > WORD_SYMBOLS ? Math.max(0, Math.min(first - 3, count - WORD_SYMBOLS)) : 0;
    const shown = Array.from({ length: Math.min(count, WORD_SYMBOLS) }, (_, at) => {
      const box = make("b", { attrs: { dir: "auto" } });
      showText(box, this.view.texts, row[2 * (from + at)], this.view.labels);
      const symbol = row[2 * (from + at) + 1];
      if (symbol >= this.track.first) tint(box, symbol);
      setClass(box, "plain", symbol < this.track.first);
      setClass(box, "work", this.marks.has(key) && atWork(from + at));
      return box;
    });
    if (from > 0) shown.unshift(make("small", { text: inWords("… {0} before", formatNumber(from)) }));
    const after = count - from - Math.min(count, WORD_SYMBOLS);
    if (after > 0) shown.push(make("small", { text: inWords("… {0} after", formatNumber(after)) }));
    node.symbols.replaceChildren(...shown);
  }
}
