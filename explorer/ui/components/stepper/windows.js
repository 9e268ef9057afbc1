/* A longest match as a row of words: under the letters of each word a bar for every attempt, where it is in the word, and
   the pieces so far below all of them. After a hit the next attempts begin in its own row, right of it.

   An attempt is { key, row, line, hit }, its row [first cell, cell after, text, id, instead], an id of -1 was not found;
   it is there from its key on, and taken from `hit` on. Cells are those of the track named by `of`; their third value is
   the word. `instead` is 1 for the token that a word becomes in place of its pieces. Space for all rows is kept from the
   start, so nothing moves. What the attempts are says a subclass (tries.js): fillWords(), reached(frame),
   wordAtWork(frame). */

const LETTER = { least: 30, most: 52, narrow: 22 };
const BETWEEN_WORDS = 46;
const ATTEMPT = 25;

class Windows extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.node.classList.add("scene");
    this.head.hidden = true;
    this.track = track;
    this.text = view.player.track(track.of);
    this.list = make("div", { class: "windows", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": track.title } });
    this.pieces = make("div", { class: "so-far" });
    this.count = make("small", { class: "num" });
    this.foot = make("div", { class: "windows-foot" }, make("span", { text: inWords("Output so far") }), make("div", { class: "scroll", attrs: { tabindex: "0", role: "group", "aria-label": inWords("Output so far") } }, this.pieces), this.count);
    this.empty = make("p", { class: "none", text: track.empty });
    this.body.append(this.list, this.foot, this.empty);
    this.followPointer(this.list);
  }

  /* Every word of the script with its cells and its attempts, each in its row. */
  start() {
    this.words = [];
    for (const [index, cell] of this.text.cells.entries()) {
      if (this.words.at(-1)?.group !== cell[2]) this.words.push({ group: cell[2], from: index, attempts: [] });
      this.words.at(-1).to = index + 1;
    }
    this.fillWords();
    const all = this.words.flatMap(({ attempts }) => attempts);
    this.hits = all.filter(({ hit, lost, joins }) => hit < Infinity && lost === undefined && !joins).length;
    this.list.replaceChildren(...this.words.map((word) => this.build(word)));
    this.shown = -1;
  }

  /* An attempt in its row: after a hit in the hit's own, right of it. hit: the key from which on it is one. */
  attempt(word, key, row, hits) {
    const before = word.attempts.at(-1);
    const line = before ? before.line + (before.hit === Infinity || row[0] < before.row[1] ? 1 : 0) : 0;
    word.attempts.push({ key, row, line, hit: hits ? key : Infinity });
  }

  build(word) {
    const { texts, labels } = this.view;
    word.letters = this.text.cells.slice(word.from, word.to).map(([text]) => {
      const node = make("span", { dir: "auto" });
      showText(node, texts, text, labels);
      return node;
    });
    word.tries = make("div", { class: "tries" });
    word.said = make("p");
    word.node = make("div", { class: "of-word" }, make("div", { class: "letters" }, ...word.letters), word.tries, word.said);
    word.tries.style.height = `${(Math.max(-1, ...word.attempts.map(({ line }) => line)) + 1) * ATTEMPT}px`;
    word.drawn = "";
    word.bars = new Map();
    return word.node;
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const sizes = this.words.map(({ from, to }) => to - from);
    const letters = Math.max(1, sizes.reduce((sum, size) => sum + size, 0));
    const room = width - BETWEEN_WORDS * (this.words.length - 1) - 24;
    const longest = Math.max(1, ...sizes);
    const pitch = narrow ? (width - 24) / longest : room / letters;
    this.pitch = Math.max(narrow ? LETTER.narrow : LETTER.least, Math.min(LETTER.most, pitch));
    this.list.style.setProperty("--letter", `${this.pitch}px`);
    for (const word of this.words) word.drawn = "";
    this.shown = -1;
    this.resized = true;
  }

  render(frame) {
    if (!this.pitch) return;
    this.empty.hidden = this.words.length > 0;
    const count = this.reached(frame);
    const working = frame.step > 0 ? this.wordAtWork(frame) : null;
    for (const word of this.words) this.draw(word, count, word === working);
    if (this.shown !== count) this.showPieces(count);
    this.shown = count;
    this.words.forEach((word) => word.letters.forEach((node, at) => {
      const cell = this.text.cells[word.from + at];
      markSpan(node, cell[3], cell[4], frame.selection, frame.hover);
    }));
    if (frame.moved || this.resized) queueMicrotask(() => this.keepInView());
    this.resized = false;
  }

  draw(word, count, atWork) {
    const seen = word.attempts.filter(({ key }) => key < count);
    const taken = seen.filter(({ hit }) => hit < count);
    const now = `${seen.length} ${taken.length}${atWork ? " now" : ""}`;
    if (atWork) this.working = word;
    if (word.drawn === now) return;
    word.drawn = now;
    setClass(word.node, "now", atWork);
    const isLost = ({ lost }) => lost !== undefined && lost < count;
    const latest = seen.find(({ hit }) => hit === count - 1) ?? seen.at(-1);
    const colors = new Array(word.to - word.from).fill(-1);
    for (const each of word.attempts) {
      const bar = word.bars.get(each.key);
      if (each.key >= count) {
        if (bar) bar.hidden = true;
        continue;
      }
      const node = bar ?? this.bar(word, each);
      node.hidden = false;
      setClass(node, "hit", each.hit < count);
      setClass(node, "lost", isLost(each));
      setClass(node, "latest", atWork && each === latest);
      if (each.hit < count && !isLost(each)) colors.fill(each.row[3], each.row[0] - word.from, each.row[1] - word.from);
    }
    word.letters.forEach((node, at) => {
      tint(node, colors[at]);
      setClass(node, "found", colors[at] >= 0);
    });
    setText(word.said, this.wordsOf(word, seen, isLost, count));
  }

  bar(word, { key, row: [from, to, text, id], line, words }) {
    const node = make("bdi", { class: "bar", data: { from, to } });
    if (words === undefined) showText(node, this.view.texts, text, this.view.labels);
    else setText(node, words);
    node.title = node.textContent;
    tint(node, id);
    node.style.top = `${line * ATTEMPT}px`;
    node.style.left = `calc(var(--letter) * ${from - word.from} + 1px)`;
    node.style.width = `calc(var(--letter) * ${to - from} - 3px)`;
    word.bars.set(key, node);
    word.tries.append(node);
    return node;
  }

  /* How many attempts a word took. */
  wordsOf(word, seen, isLost) {
    const tries = seen.filter(({ row }) => !row[4]);
    if (!tries.length) return "";
    const told = counted(tries.length, "try", "tries");
    if (seen.length < word.attempts.length) return inWords("{0} so far", told);
    const pieces = tries.filter((each) => each.hit < Infinity && !isLost(each)).length;
    if (tries.length === 1 && pieces) return inWords("1 try: the whole word is a piece.");
    return pieces ? `${told}, ${counted(pieces, "piece", "pieces")}` : told;
  }

  countOf(hits) {
    return counted(hits, "piece", "pieces");
  }

  showPieces(count) {
    const { texts, labels } = this.view;
    const hits = this.words.flatMap(({ attempts }) => attempts)
      .filter(({ hit, lost, joins }) => hit < count && !(lost < count) && !joins);
    const before = hits.length - 60;
    const chips = hits.slice(-60).map(({ hit, row: [, , text, id], says = text }) => {
      const [name, value] = [make("bdi"), make("small", { text: String(id) })];
      showText(name, texts, says, labels);
      const chip = make("span", { class: hit === count - 1 ? "piece-chip new" : "piece-chip" }, name, value);
      tint(chip, id);
      return chip;
    });
    if (before > 0) chips.unshift(make("small", { text: inWords("… {0} before", formatNumber(before)) }));
    this.pieces.replaceChildren(...chips);
    setText(this.count, this.hits ? inWords("{0} of {1}", formatNumber(hits.length), this.countOf(this.hits)) : "");
  }

  /* The word at work, and its latest attempt. After the panels are drawn, so that this layout is the only one. */
  keepInView() {
    const node = this.list.querySelector(".bar.latest") ?? this.working?.node;
    if (!node || this.list.scrollHeight <= this.list.clientHeight + 1) return;
    const [box, inner] = [placeOf(this.list), placeOf(node)];
    if (inner.top < box.top || inner.bottom > box.bottom) this.list.scrollTop += inner.bottom - box.bottom + (box.bottom - box.top) / 3;
  }

  spanUnder(event) {
    const bar = event.target.closest(".bar");
    const word = this.words.find(({ node }) => node.contains(event.target));
    if (!word) return null;
    const at = word.letters.indexOf(event.target.closest(".letters span"));
    const [from, to] = bar ? [Number(bar.dataset.from), Number(bar.dataset.to)] : at >= 0 ? [word.from + at, word.from + at + 1] : [0, 0];
    const cells = this.text.cells.slice(from, to).filter((cell) => cell[3] >= 0);
    return cells.length ? { start: cells[0][3], end: cells.at(-1)[4] } : null;
  }
}
