/* The table of symbols as the implementation keeps it: index, text, size, prev and next, the absorbed ones with n = 0 and
   the links they had when they were absorbed. Reads a strip track whose cells have `meta` with prev and next. */

class Symbols extends Panel {
  constructor(view) {
    super(view, "symbols");
    this.strip = view.player.tracks.find(hasLinks);
    this.names = make("div", { class: "names" }, ...["", "text", ...this.strip.meta, ""].map((text) => make("span", { text })));
    this.rows = new VirtualRows("symbols", () => this.makeRow(), (node, index) => this.fillRow(node, index), this.names);
    this.rows.node.classList.add("symbols");
    this.body.append(this.rows.node);
  }

  destroy() {
    this.rows.destroy();
  }

  follow(frame) {
    this.rows.setSize(this.strip.cells.length, 26);
    const [first] = frame.marksOf(this.strip.index).keys();
    if (frame.moved && first >= 0) this.rows.center(first);
  }

  render(frame) {
    const dead = [...this.strip.rows].filter(([key, row]) => key >= 0 && row[0] === 0).length;
    setText(this.count, dead ? inWords("{0} absorbed", formatNumber(dead)) : "");
    this.marks = frame.marksOf(this.strip.index);
    this.rows.render();
  }

  makeRow() {
    const values = ["index", "text", ...this.strip.meta, "note"].map((name) => make(name === "text" ? "bdi" : "span", { class: name }));
    const node = make("div", { class: "row" }, ...values);
    node.values = values;
    return node;
  }

  fillRow(node, key) {
    const { cells, rows } = this.strip;
    const { texts } = this.view;
    const [span, , ...meta] = rows.get(key) ?? [1, -1];
    const dead = span === 0;
    const text = cells.slice(key, key + Math.max(1, span)).map((cell) => texts[cell[0]]).join("");
    const values = [`[${cells[key][1]}]`, text, ...meta.map(plainNumber), dead ? inWords("absorbed") : ""];
    values.forEach((value, index) => setText(node.values[index], value));
    setClass(node, "dead", dead);
    setClass(node, "hit", this.marks.has(key));
  }
}

function hasLinks({ type, meta }) {
  return type === "strip" && Boolean(meta?.includes("prev"));
}
