/* A longest match as a row of words: under the letters of each word a bar for every attempt, where it is in the word, and
   the pieces so far below all of them. After a hit the next attempts begin in its own row, right of it.

   An attempt is { key, row, line, hit }, its row [first cell, cell after, text, id, instead], an id of -1 was not found;
   it is there from its key on, and taken from `hit` on. Cells are those of the track named by `of`; their third value is
   the word. `instead` is 1 for the token that a word becomes in place of its pieces. Space for all rows is kept from the
   start, so nothing moves. A word of many rows has its count where its attempts leave room. The rule stands below the
   words where they leave the most, or not at all. What the attempts are says a subclass (tries.js): fillWords(),
   reached(frame), wordAtWork(frame), rule. */

const LETTER = { least: 30, most: 52, narrow: 22 };
const BETWEEN_WORDS = 46;
const ATTEMPT = 25;
const MANY_ROWS = 7;
const ROOM_OF_COUNT = 5; // letters
const RULE = { least: 260, most: 400, height: 96, gap: 60 }; // the gap has the count of a word, on two lines

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
    this.said = make("p", { class: "rule-of", text: this.rule });
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
    this.list.replaceChildren(...this.words.map((word) => this.build(word)), this.said);
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
    this.placeCount(word);
    return word.node;
  }

  /* In the row that leaves the most letters free. */
  placeCount(word) {
    const ends = [];
    for (const { line, row } of word.attempts) ends[line] = Math.max(ends[line] ?? 0, row[1]);
    const line = ends.indexOf(Math.min(...ends));
    const free = word.to - ends[line];
    const aside = ends.length > MANY_ROWS && free >= ROOM_OF_COUNT;
    setClass(word.said, "aside", aside);
    if (!aside) return;
    word.said.style.top = `${line * ATTEMPT}px`;
    word.said.style.width = `calc(var(--letter) * ${free} - 8px)`;
    word.tries.append(word.said);
  }

  placeRule() {
    const { list, said, words } = this;
    said.hidden = true;
    if (!this.rule || this.narrow || words.some(({ node }) => node.offsetTop !== words[0].node.offsetTop)) return;
    const ends = words.map(({ tries }) => tries.offsetTop + tries.offsetHeight + RULE.gap);
    const lefts = words.map(({ node }) => node.offsetLeft + 10).concat(list.clientWidth);
    let best = { size: 0 };
    for (let from = 0; from < words.length; from += 1) {
      for (let to = from + 1; to <= words.length; to += 1) {
        const top = Math.max(...ends.slice(from, to));
        const [width, height] = [Math.min(RULE.most, lefts[to] - lefts[from] - 24), list.clientHeight - top];
        if (width >= RULE.least && height >= RULE.height && width * height > best.size) best = { size: width * height, left: lefts[from], top, width };
      }
    }
    said.hidden = !best.size;
    for (const side of ["left", "top", "width"]) said.style[side] = `${best[side]}px`;
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
    const { resized } = this;
    if (frame.moved || resized) queueMicrotask(() => {
      if (resized) this.placeRule();
      this.keepInView();
    });
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
    if (seen.length < word.attempts.length) {
      const next = word.attempts[seen.length].row;
      return seen.at(-1).hit < Infinity && !next[4] && next[2] >= 0 ? inWords("{0} so far. Next it looks up {1}.", told, this.view.texts[next[2]]) : inWords("{0} so far", told);
    }
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
    if (inner.top < box.top || inner.bottom > box.bottom) this.list.scrollTop += inner.bottom - box.bottom + Math.min((box.bottom - box.top) / 3, 1.3 * ATTEMPT);
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
