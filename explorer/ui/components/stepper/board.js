/* A column of a training's board: bars, words in their pieces, numbers of pieces. Its rows are lines that say first what
   they are (views/steppers/train_board.py). The line at work is kept in view. */

const [BOARD_TITLE, BOARD_BAR, BOARD_CHIP, BOARD_NOTE, BOARD_CUT, BOARD_WORD, BOARD_STAGE] = [0, 1, 2, 3, 4, 5, 6];
const BOARD_LOOKS = ["plain", "focus", "going", "done", "coming"];

class Board extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.title = this.head.firstChild;
    this.note = this.head.querySelector("small:not(.num)") ?? this.head.appendChild(make("small"));
    this.list = make("div", { class: "bd-lines", attrs: { tabindex: "0", role: "group", "aria-label": track.title } });
    this.body.append(this.list);
    this.lines = new Map(); // key → { row, node }
    this.list.addEventListener("click", (event) => answerUnder(event, view));
  }

  render(frame) {
    const { rows } = this.track;
    const keys = [...rows.keys()].sort((a, b) => a - b);
    const titled = keys.map((key) => rows.get(key)).find(([kind]) => kind === BOARD_TITLE);
    setText(this.title, titled ? this.text(titled[1]) : this.track.title);
    setText(this.note, titled ? this.text(titled[2]) : this.track.note);
    const shown = keys.filter((key) => rows.get(key)[0] !== BOARD_TITLE);
    for (const key of this.lines.keys()) if (!rows.has(key)) this.lines.delete(key);
    const { prediction } = this.view;
    const asked = prediction.step !== null && this.track.name === "ranking" ? prediction.lines : [];
    if (asked.length) placeChildren(this.list, asked.map((row, place) => this.answer(row, this.view.locked ? "" : ANSWER_LETTERS[place])));
    else placeChildren(this.list, shown.map((key) => this.line(key, rows.get(key))));
    this.list.style.setProperty("--lines", String(shown.length));
    if (frame.moved) this.center(shown, rows);
  }

  text(index) {
    return this.view.texts[index] ?? "";
  }

  /* The bar of the decision, in the middle of a list that is longer than its room: lines have a height by their number. */
  center(shown, rows) {
    const at = shown.findIndex((key) => [BOARD_BAR, BOARD_CHIP].includes(rows.get(key)[0]) && rows.get(key)[4] === 1);
    this.list.scrollTop = at < 0 || shown.length < 20 ? 0 : Math.max(0, (at - 8) * 20);
  }

  line(key, row) {
    const known = this.lines.get(key);
    if (known?.row === row) return known.node;
    const node = this.make(row);
    this.lines.set(key, { row, node });
    return node;
  }

  /* A pair that may be the answer; nothing of it tells whether it is. */
  answer([, label, , share], letter) {
    const node = this.bar(false, label, -1, share, 0);
    if (!letter) return node;
    node.dataset.answer = letter;
    node.prepend(make("b", { class: "answer-letter", text: letter }));
    return node;
  }

  make([kind, ...row]) {
    if (kind === BOARD_BAR || kind === BOARD_CHIP) return this.bar(kind === BOARD_CHIP, ...row);
    if (kind === BOARD_WORD) return this.word(...row);
    if (kind === BOARD_STAGE) return this.stage(...row);
    if (kind === BOARD_CUT) return make("div", { class: `bd-cut${this.text(row[0]) ? "" : " plain"}` }, make("b", { text: this.text(row[0]) }), make("i"), make("b", { text: this.text(row[1]) }));
    return make("p", { class: "bd-note", text: this.text(row[0]) });
  }

  bar(chip, label, value, share, look, symbol = -1) {
    const name = make("bdi", { class: chip ? "bd-chip" : "bd-label" });
    showText(name, this.view.texts, label, this.view.labels);
    tint(name, symbol);
    const node = make("div", { class: `bd-bar ${BOARD_LOOKS[look]}` }, make("span", { class: "bd-name" }, name), make("span", { class: "bd-track" }, make("i"), make("b", { class: "num", text: this.text(value) })));
    node.style.setProperty("--share", String(share / 1000));
    return node;
  }

  word(times, ...pieces) {
    const boxes = [];
    for (let at = 0; at < pieces.length; at += 2) {
      const box = make("b", { class: BOARD_LOOKS[pieces[at + 1]], attrs: { dir: "auto" } });
      showText(box, this.view.texts, pieces[at], this.view.labels);
      boxes.push(box);
    }
    return make("div", { class: `bd-word${times < 0 ? " other" : ""}` }, make("span", { class: "times num", text: times < 0 ? "→" : `${formatNumber(times)} ×` }), ...boxes);
  }

  stage(count, right, share, look, note) {
    const node = make("div", { class: `bd-stage ${BOARD_LOOKS[look]}` }, make("p", {}, make("b", { class: "num", text: this.text(count) }), " pieces", make("span", { class: "num", text: this.text(right) })), make("i"), make("p", { class: "bd-note", text: this.text(note) }));
    node.style.setProperty("--share", String(share / 1000));
    return node;
  }
}
