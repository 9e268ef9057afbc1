/* The bytes of a text under their characters, on one line, for the levels Story and Algorithm. Reads a strip track with
   `inline`, whose groups are the characters; a cell's sixth value is its byte. What does not fit scrolls, the bytes at
   work in view; only what is in view is drawn. */

const BYTE_WIDE = 44;
const BYTE_SLIM = 30;
const BYTE_GAP = 8;

class ByteLine extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    this.head.hidden = true;
    this.sideways("byte-line");
  }

  start() {
    const { cells } = this.track;
    this.characters = [];
    cells.forEach((cell, index) => {
      const last = this.characters.at(-1);
      if (last && cells[last.first][2] === cell[2]) last.after = index + 1;
      else this.characters.push({ first: index, after: index + 1 });
    });
    this.drawn = new Map();
    this.plane.replaceChildren();
    if (!cells.length) this.body.replaceChildren(make("p", { class: "none", text: inWords("The text is empty: no bytes.") }));
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const count = this.track.cells.length;
    const gaps = (this.characters.length - 1) * BYTE_GAP;
    this.byte = !narrow && count * BYTE_WIDE + gaps <= width ? BYTE_WIDE : BYTE_SLIM;
    let x = 0;
    for (const character of this.characters) {
      character.x = x;
      character.wide = (character.after - character.first) * this.byte;
      x += character.wide + BYTE_GAP;
    }
    this.across = Math.max(0, x - BYTE_GAP);
    this.plane.style.width = `${this.across}px`;
    this.plane.style.setProperty("--byte", `${this.byte}px`);
    for (const { node } of this.drawn.values()) node.remove();
    this.drawn.clear();
  }

  follow(frame) {
    // Before any other write of this frame (see VirtualRows.center).
    this.moved = this.moved || frame.moved;
    if (!this.moved || !this.width) return;
    this.moved = false;
    if (this.across <= this.width) return;
    const marked = [...frame.marks.keys()].filter((key) => key >= 0);
    if (!marked.length && frame.step) return;
    const [first, last] = marked.length ? [Math.min(...marked), Math.max(...marked)] : [0, 0];
    const from = this.characters.find(({ after }) => after > first).x;
    const end = this.characters.find(({ after }) => after > last);
    const to = end.x + end.wide;
    if (from >= this.left && to <= this.left + this.width) return;
    const wished = to - from > this.width ? to - this.width : (from + to - this.width) / 2;
    this.left = Math.max(0, Math.min(this.across - this.width, Math.round(wished)));
    this.scroller.scrollLeft = this.left;
  }

  render(frame) {
    if (!this.width) return;
    const drawn = new Map();
    this.characters.forEach((character, index) => {
      if (character.x + character.wide < this.left - 200 || character.x > this.left + this.width + 200) return;
      drawn.set(index, this.drawn.get(index) ?? this.makeCharacter(character));
      this.drawn.delete(index);
    });
    for (const { node } of this.drawn.values()) node.remove();
    this.drawn = drawn;
    const tokens = this.tokens();
    const taken = [...frame.marks].filter(([, roles]) => roles.some(({ look }) => look === "hit")).map(([key]) => tokens.get(key)?.root);
    // Of a long run only the first and the last cell are marked.
    const walked = [...frame.marks].filter(([, roles]) => roles.some(({ look }) => look === "done" || look === "next")).map(([key]) => key);
    const run = { from: Math.min(...walked), to: Math.max(...walked) };
    for (const [index, character] of drawn) this.dress(character, this.characters[index], frame, tokens, taken, run);
  }

  /* For each cell that is drawn: its token, and the first cell of it. */
  tokens() {
    const found = new Map();
    for (const index of this.drawn.keys()) {
      const { first, after } = this.characters[index];
      for (let key = first; key < after; key += 1) {
        let root = key;
        while (root > 0 && this.track.rows.get(root)?.[0] === 0) root -= 1;
        found.set(key, { root, id: this.track.rows.get(root)?.[1] ?? -1 });
      }
    }
    return found;
  }

  makeCharacter({ first, after, x }) {
    const { cells, groups } = this.track;
    const { texts, labels } = this.view;
    const glyph = make("b", { dir: "auto" });
    const title = groups[cells[first][2]]?.title;
    if (title) setText(glyph, title);
    else showText(glyph, texts, cells[first][0], labels);
    const bytes = cells.slice(first, after).map((cell, index) => make("span", { text: texts[cell[5]] ?? "", data: { key: first + index } }));
    const box = make("div", { class: "box" }, ...bytes);
    const node = make("div", { class: "character" }, glyph, box);
    node.style.left = `${x}px`;
    node.firstCell = first;
    this.plane.append(node);
    return { node, glyph, box, bytes };
  }

  dress({ node, bytes }, { first }, frame, tokens, taken, run) {
    let at = false;
    let path = false;
    bytes.forEach((byte, index) => {
      const key = first + index;
      const { root, id } = tokens.get(key);
      tint(byte, id);
      const looks = new Set((frame.marks.get(key) ?? []).map(({ look }) => look));
      setClass(byte, "plain", id < 0);
      const walked = key >= run.from && key <= run.to;
      setClass(byte, "walked", walked);
      setClass(byte, "stop", looks.has("reject"));
      setClass(byte, "gone", looks.has("gone"));
      path = path || walked;
      at = at || (id >= 0 && taken.includes(root));
    });
    setClass(node, "at", at);
    setClass(node, "path", path);
    const cells = this.track.cells.slice(first, first + bytes.length);
    const within = (span) => span && cells.some((cell) => spansOverlap(cell[3], cell[4], span));
    setClass(node, "sel", within(frame.selection));
    setClass(node, "hov", within(frame.hover));
  }

  spanUnder(event) {
    const first = event.target.closest(".character")?.firstCell;
    const cell = this.track.cells[first];
    return cell && cell[3] >= 0 ? { start: cell[3], end: cell[4] } : null;
  }
}
