/* What is read at the position at work, or how a piece's bytes are spelled. Rows: 0 [cell at work], 1 [cell ahead or -1,
   what it is, its class], 2 [first cell of a run, the cell after it, what ends it], 3 [first cell of a piece, the cell
   after it, the number of the last byte written]. track.bytes: [cell, byte, letter]. */

const MOST_BYTES = 10;
const [AT, AHEAD, OVER, SPELLED] = [0, 1, 2, 3];

class Reads extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    const row = (name) => {
      const parts = { glyph: make("bdi", { class: "glyph" }), letter: make("b", { class: "letter" }), words: make("span", { class: "words" }) };
      return { ...parts, node: make("div", { class: "read" }, make("span", { class: "name", text: name }), parts.glyph, parts.letter, parts.words) };
    };
    this.lines = { at: row(inWords("Position")), ahead: row(inWords("Looks ahead")), over: row(inWords("Run")) };
    this.scan = make("div", { class: "scan" },
      make("p", { class: "about", text: track.title }),
      ...Object.values(this.lines).map(({ node }) => node),
      make("p", { class: "legend", text: track.legend ?? "" }));
    this.about = make("p", { class: "about" });
    this.how = make("p", { class: "how" });
    this.grid = make("div", { class: "bytes", attrs: { role: "group", "aria-label": "Bytes of the pre-token" } });
    this.spelling = make("div", { class: "spelling" }, this.about, this.how, this.grid);
    this.none = make("p", { class: "how", text: "" });
    this.box = make("div", { class: "reads" }, this.scan, this.spelling, this.none);
    this.body.append(this.box);
    this.byCell = new Map();
    track.bytes.forEach(([cell], number) => this.byCell.set(cell, [...(this.byCell.get(cell) ?? []), number]));
    this.cells = view.player.track("cells").cells;
    this.classes = view.player.track("cells").classes ?? [];
  }

  glyph(node, cell) {
    showText(node, this.view.texts, this.cells[cell]?.[0] ?? -1, this.view.labels);
  }

  render(frame) {
    const rows = this.track.rows;
    const scanning = Boolean(this.track.legend) && (rows.has(AT) || !rows.has(SPELLED));
    this.scan.hidden = !scanning;
    this.spelling.hidden = scanning || !rows.has(SPELLED);
    this.none.hidden = scanning || rows.has(SPELLED);
    setText(this.none, inWords(this.track.bytes.length ? "When a pre-token is found, its bytes are shown here." : "Pre-tokens keep their spelling: the vocabulary holds text, not bytes."));
    if (scanning) this.showScan(rows);
    else if (rows.has(SPELLED)) this.showBytes(...rows.get(SPELLED));
  }

  showScan(rows) {
    const { at, ahead, over } = this.lines;
    const [cell] = rows.get(AT) ?? [];
    this.fill(at, cell, cell === undefined ? "" : this.classes[cell], cell === undefined ? inWords("nothing read yet") : className(this.classes[cell]));
    const [next, words, letter] = rows.get(AHEAD) ?? [];
    this.fill(ahead, next, this.view.texts[letter] ?? "", next === undefined ? inWords("not needed so far") : this.view.texts[words]);
    const [from, to, ends] = rows.get(OVER) ?? [];
    const text = from === undefined ? "" : this.cells.slice(from, to).map(([index]) => this.view.texts[index]).join("");
    setText(over.glyph, text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-6)}` : text);
    setText(over.letter, from === undefined ? "" : String(to - from));
    setText(over.words, from === undefined ? inWords("none read yet") : inWords("ended by {0}", this.view.texts[ends]));
    setClass(over.node, "off", from === undefined);
  }

  fill(line, cell, letter, words) {
    if (cell === undefined || cell < 0) setText(line.glyph, "");
    else this.glyph(line.glyph, cell);
    setText(line.letter, cell === undefined || cell < 0 ? "" : letter);
    setText(line.words, words);
    setClass(line.node, "off", cell === undefined);
  }

  /* The bytes of one piece: characters above, bytes, and the letters that the vocabulary has for them. */
  showBytes(from, to, written) {
    const numbers = [];
    for (let cell = from; cell < to; cell += 1) numbers.push(...(this.byCell.get(cell) ?? []));
    const at = written < 0 ? 0 : Math.max(0, numbers.indexOf(written));
    const first = Math.max(0, Math.min(at - MOST_BYTES + 2, numbers.length - MOST_BYTES));
    const shown = numbers.slice(first, first + MOST_BYTES);
    const letters = numbers.map((number) => this.track.bytes[number][2]).join("");
    setText(this.about, inWords("Where {0} comes from", letters.length > 24 ? `${letters.slice(0, 24)}…` : letters));
    const size = counted(numbers.length, "byte", "bytes");
    const part = inWords("The vocabulary writes every byte as one visible letter: {0}; here {1} to {2}.", size, first + 1, first + shown.length);
    setText(this.how, shown.length < numbers.length ? part : inWords("The vocabulary writes every byte as one visible letter: {0}.", size));
    const done = (number) => written < 0 || number <= written;
    const signature = `${first} ${shown.join()} ${written}`;
    if (signature === this.signature) return;
    this.signature = signature;
    const chars = [];
    shown.forEach((number, column) => {
      const [cell] = this.track.bytes[number];
      if (chars.at(-1)?.cell === cell) chars.at(-1).span += 1;
      else chars.push({ cell, column, span: 1 });
    });
    this.grid.style.setProperty("--count", shown.length);
    const place = (node, row, column, span = 1) => {
      node.style.gridArea = `${row} / ${column + 2} / auto / span ${span}`;
      return node;
    };
    const name = (text, row) => {
      const node = make("span", { class: "name", text });
      node.style.gridArea = `${row} / 1`;
      return node;
    };
    this.grid.replaceChildren(
      name("bytes", 2), name("in the file", 4),
      ...chars.map(({ cell, column, span }) => {
        const node = make("bdi", { class: span > 1 ? "char over" : "char" });
        this.glyph(node, cell);
        return place(node, 1, column, span);
      }),
      ...shown.map((number, column) => place(make("span", { class: number === written ? "byte now" : "byte", text: this.track.bytes[number][1].toString(16).toUpperCase().padStart(2, "0") }), 2, column)),
      ...shown.map((number, column) => place(make("span", { class: "down", text: "↓", attrs: { "aria-hidden": "true" } }), 3, column)),
      ...shown.map((number, column) => place(make("bdi", { class: number === written ? "in now" : "in", text: done(number) ? this.track.bytes[number][2] : "" }), 4, column)),
    );
  }
}

function className(letter) {
  const said = { L: "a letter", N: "a number", S: "white space", "↵": "a line break", O: "another sign" }[letter];
  return said ? inWords(said) : "";
}
