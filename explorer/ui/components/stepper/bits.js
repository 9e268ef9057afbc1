/* Bytes bit by bit, and the number that some of their bits make together. Row: [value, marker, state, offset]: the first
   `marker` bits of the byte are a mark, the others join the number; state 0 = not read yet, 1 = taken, 2 = refused. Row
   under key -1: [name, result], texts; result -1 = none yet. track.most is the largest number of bytes at once, which
   fixes the size of a bit, so that nothing moves; track.idle is said while there is none. */

const BIT_STATES = ["waits", "taken", "refused"];

class Bits extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.bytes = Array.from({ length: track.most }, () => this.makeByte());
    this.sum = make("div", { class: "sum", attrs: { "aria-hidden": "true" } });
    this.label = make("b", { class: "name" });
    this.result = make("span", { class: "glyph", dir: "auto" });
    this.caption = make("small", { text: inWords(track.number) });
    this.box = make("div", { class: "bits", dir: "ltr" },
      make("div", { class: "octets" }, ...this.bytes.map(({ node }) => node)),
      make("div", { class: "number" }, this.caption, this.sum, make("div", { class: "is" }, this.label, this.result)));
    this.none = make("p", { class: "none", text: track.idle ?? "" });
    this.body.append(this.box, this.none);
    setClass(this.box, "small", Boolean(track.idle)); // without a result line
  }

  makeByte() {
    const head = make("small", { class: "num" });
    const bits = Array.from({ length: 8 }, () => make("i"));
    const node = make("div", { class: "octet" }, head, make("div", { class: "row8" }, ...bits));
    return { node, head, bits };
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const gaps = (this.track.most - 1) * 12;
    this.box.style.setProperty("--bit", `${Math.max(9, Math.min(30, Math.floor((width - gaps - 4) / (8 * this.track.most))))}px`);
  }

  render() {
    const digits = [];
    this.bytes.forEach(({ node, head, bits }, index) => {
      const row = this.track.rows.get(index);
      setClass(node, "none-yet", !row);
      if (!row) return;
      const [value, marker, state, offset] = row;
      const text = value.toString(2).padStart(8, "0");
      setText(head, this.view.plain ? value.toString(16).toUpperCase().padStart(2, "0") : `[${offset}] ${value.toString(16).toUpperCase().padStart(2, "0")}`);
      BIT_STATES.forEach((name, number) => setClass(node, name, number === state));
      bits.forEach((bit, at) => {
        setText(bit, text[at]);
        setClass(bit, "marker", at < marker);
      });
      if (state === 1) digits.push(...[...text.slice(marker)].map((digit) => [digit, index]));
    });
    const drawn = digits.map(([digit, index]) => `${digit}${index}`).join();
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.sum.replaceChildren(...digits.map(([digit, index], at) =>
        make("i", { text: digit, class: at && digits[at - 1][1] !== index ? "seam" : "" })));
    }
    const [name, result] = this.track.rows.get(-1) ?? [-1, -1];
    setText(this.label, this.view.texts[name] ?? "");
    showText(this.result, this.view.texts, result, this.view.labels);
    this.none.hidden = name >= 0 || !this.track.idle;
    setClass(this.box, "blank", name < 0);
    setClass(this.box, "whole", result >= 0);
  }
}
