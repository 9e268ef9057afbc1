/* The text as a pre-tokenizer reads it: a strip whose pieces are boxes, underlined and named. Row of a cell:
   [span, alternative, label]; label -1 = not cut yet. With track.classes, the letter of its class stands under each
   character. A long text scrolls, with the cell at work in view; nothing moves when cells become a piece. */

const READING_PITCH = 69;

class Reading extends Strip {
  start() {
    super.start();
    this.beads = true;
    this.classes = this.track.classes ?? [];
    this.offsets = !this.view.plain;
    if (this.view.side) for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", this.view.script.title]]) this.list.setAttribute(name, value);
    setClass(this.node, "beads", true);
    setClass(this.node, "reading", true);
    setClass(this.node, "classed", this.classes.length > 0);
    setClass(this.node, "offsets", this.offsets);
  }

  resizeBeads(width) {
    const count = Math.max(1, this.track.cells.length);
    const least = this.view.side ? 30 : 46;
    const onPhone = this.view.beside ? Math.max(32, Math.min(least, (width + 4) / count)) : least; // of a lesson, all that fit
    this.pitch = this.narrow ? onPhone : Math.max(least, Math.min(this.view.side ? 40 : READING_PITCH, (width + 7) / count));
    this.gap = this.pitch > 60 ? 7 : 4;
    this.perLine = Math.max(1, Math.floor(width / this.pitch));
    this.budget = Math.max(count <= 160 ? count : 120, 4);
    this.list.style.setProperty("--bead", `${this.pitch - this.gap}px`);
    this.list.style.setProperty("--bead-gap", `${this.gap}px`);
    setClass(this.node, "tight", this.pitch < 60);
    // what scrolls can be scrolled by keyboard
    const scrolls = count * this.pitch > width;
    for (const [name, value] of Object.entries({ tabindex: "0", role: "group", "aria-label": "Characters" })) {
      if (scrolls) this.list.setAttribute(name, value);
      else this.list.removeAttribute(name);
    }
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.resized = true;
  }

  render(frame) {
    super.render(frame);
    if (frame.moved || this.resized) this.keepInView(frame);
    this.resized = false;
  }

  /* The cell at work stays in the middle three fifths of the view. */
  keepInView(frame) {
    const focus = this.workOf(frame)?.first ?? null;
    if (focus === null || !this.pitch || !this.width) return;
    const before = this.from > 0 ? 110 : 0;
    const at = before + (focus - this.from) * this.pitch;
    const drawn = before + Math.min(this.budget, this.track.cells.length - this.from) * this.pitch;
    const left = this.left ?? 0;
    const inView = at > left + this.width * 0.2 && at < left + this.width * 0.8;
    const wanted = inView ? left : at - this.width * 0.4;
    this.left = Math.max(0, Math.min(Math.round(wanted), drawn - this.width));
    if (this.list.scrollLeft !== this.left) this.list.scrollLeft = this.left;
  }

  symbol(root, frame) {
    const symbol = super.symbol(root, frame);
    if (symbol.under) return symbol;
    symbol.under = make("div", { class: "under" });
    symbol.kinds = make("div", { class: "kinds", attrs: { "aria-hidden": "true" } }, ...symbol.cells.map((_, offset) =>
      make("span", { text: this.classes[root + offset] ?? "" })));
    symbol.numbers = make("div", { class: "numbers" }, ...symbol.cells.map((_, offset) =>
      make("span", { text: String(this.track.cells[root + offset][1]) })));
    if (this.classes.length) symbol.node.append(symbol.kinds);
    if (this.offsets) symbol.node.append(symbol.numbers);
    symbol.node.append(symbol.under);
    return symbol;
  }

  dress(symbol, roles, frame, group) {
    super.dress(symbol, roles, frame, group);
    const root = Number(symbol.node.dataset.key);
    const [span, , label] = this.row(root) ?? [1, -1, -1];
    const looks = new Set(roles?.map((role) => role.look));
    for (const look of ["here", "look", "run"]) setClass(symbol.node, look, looks.has(look));
    setClass(symbol.node, "unread", label < 0);
    symbol.node.style.setProperty("--span", span);
    const room = span * this.pitch - this.gap;
    const said = label >= 0 ? this.view.texts[label] ?? "" : looks.has("here") ? inWords("here") : looks.has("look") ? inWords("looks here") : "";
    const short = { "looks here": "looks", "white space": "space", "line breaks": "breaks", "other signs": "signs", contraction: "end" };
    const fits = (text) => (text.length + (text.match(/[\u3000-\u9fff\uff00-\uffef]/gu)?.length ?? 0)) * 7 <= room;
    setText(symbol.under, fits(said) ? said : fits(short[said] ?? said) ? short[said] ?? said : "");
    symbol.under.title = said;
    this.nameUnread(symbol, root, label, looks);
  }

  /* The first cell that is not cut yet says so, once. */
  nameUnread(symbol, root, label, looks) {
    const first = label < 0 && !looks.has("here") && !looks.has("look") && (root === 0 || (this.row(this.rootOf(root - 1))?.[2] ?? -1) >= 0);
    setClass(symbol.node, "first", first);
    if (first) symbol.under.dataset.unread = inWords("not read yet");
  }
}
