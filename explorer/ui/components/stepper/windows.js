/* The shrinking window of a longest match: the word's characters, and under them a bar for each attempt, as wide as what
   was looked up. Row: [first cell, cell after, text, id, word], an id of -1 was not found; rows are in the order of the
   attempts, cells those of the track named by `of`. */

const WINDOW_CELL = { least: 16, most: 58 };
const WINDOW_WORDS = 330; // what was looked up, and what was found, beside the bars

class Windows extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.node.classList.add("scene");
    this.head.hidden = true;
    this.track = track;
    this.text = view.player.track(track.of);
    this.letters = make("div", { class: "letters" });
    this.list = make("div", { class: "tries" });
    this.scroller = make("div", { class: "windows", attrs: { tabindex: "0", role: "group", "aria-label": track.title } }, this.list);
    this.empty = make("p", { class: "none", text: track.empty });
    this.body.append(this.letters, this.scroller, this.empty);
  }

  start() {
    this.order = new KeyOrder();
    this.lines = [];
    this.word = "";
    this.list.replaceChildren();
  }

  render() {
    if (!this.width) return;
    const keys = this.order.sync(this.track);
    const group = this.text.rows.get(-1)?.[0];
    const { cells } = this.text;
    const first = cells.findIndex((cell) => cell[2] === group);
    let after = Math.max(0, first);
    while (first >= 0 && after < cells.length && cells[after][2] === group) after += 1;
    const known = first >= 0 && (keys.length > 0 || group !== undefined);
    this.empty.hidden = known;
    this.letters.hidden = this.scroller.hidden = !known;
    if (!known) return;
    const cell = Math.max(WINDOW_CELL.least, Math.min(WINDOW_CELL.most, (this.width - (this.narrow ? 20 : WINDOW_WORDS)) / (after - first)));
    const word = `${first} ${after} ${cell}`;
    if (word !== this.word) this.drawLetters(first, after, cell);
    this.word = word;
    const ids = keys.map((key) => this.track.rows.get(key));
    ids.forEach((row, index) => this.draw(this.line(index), row, first, cell, index === ids.length - 1));
    for (let left = ids.length; left < this.lines.length; left += 1) this.lines[left].node.hidden = true;
  }

  drawLetters(first, after, cell) {
    const { texts, labels } = this.view;
    this.letters.replaceChildren(...this.text.cells.slice(first, after).map(([text]) => {
      const node = make("span", { dir: "auto" });
      showText(node, texts, text, labels);
      node.style.width = `${cell}px`;
      return node;
    }));
  }

  line(index) {
    if (!this.lines[index]) {
      const bar = make("bdi", { class: "bar" });
      const found = make("span", { class: "found" });
      const node = make("div", { class: "try" }, bar, found);
      this.lines[index] = { node, bar, found };
      this.list.append(node);
    }
    return this.lines[index];
  }

  draw({ node, bar, found }, [from, to, text, id, word], first, cell, last) {
    const { texts, labels } = this.view;
    node.hidden = false;
    bar.style.marginLeft = `${(from - first) * cell + 2}px`;
    bar.style.width = `${(to - from) * cell - 4}px`;
    showText(bar, texts, text, labels);
    bar.title = texts[text] ?? "";
    setText(found, texts[word] ?? "");
    tint(bar, id);
    setClass(node, "hit", id >= 0);
    setClass(node, "now", last);
  }
}
