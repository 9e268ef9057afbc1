/* The tokens so far, as chips in key order. Row: [text, id, start, end]; start -1 = not from the text. Chips take part in
   the selection. A long output shows its last chips and counts the ones before. For items other than tokens,
   track.counts names them and track.from is their first number (colors follow the number in the row). With
   track.labeled the row ends in a text that is drawn instead of the number. */

const OUTPUT_CHIPS = 80;

class Output extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.order = new KeyOrder();
    this.list = make("div", { class: "out", dir: "ltr" });
    this.empty = make("p", { class: "none", text: view.emptyWords(track.empty) });
    this.before = make("button", {
      class: "pager num", attrs: { type: "button" }, on: { click: () => this.page() },
    });
    // A reversed scroller stays at its end without measuring.
    this.body.append(make("div", { class: "outbox" }, this.list), this.empty);
    this.followPointer(this.list);
  }

  start() {
    this.chips = new Map();
    this.back = 0;
    // Widths of all chips of the script, from their texts: the height to reserve.
    this.chipWidth = 0;
    for (const row of new Map(this.view.player.puts(this.track.index)).values()) {
      if (row) this.chipWidth += Math.max(9 * (this.view.texts[row[0]] ?? "").length, 7 * String(row[1]).length) + 26;
    }
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const lines = Math.min(3, Math.max(1, Math.ceil((this.chipWidth * 1.08) / Math.max(1, width))));
    this.body.style.setProperty("--lines", lines);
  }

  page() {
    this.back += OUTPUT_CHIPS / 2;
    this.view.request();
  }

  render(frame) {
    const keys = this.order.sync(this.track);
    if (frame.moved) this.back = 0;
    const end = Math.max(Math.min(OUTPUT_CHIPS, keys.length), keys.length - this.back);
    const first = Math.max(0, end - OUTPUT_CHIPS);
    const fresh = this.view.player.justPut(this.track.index);
    const chips = new Map();
    for (const key of keys.slice(first, end)) {
      const chip = this.chips.get(key) ?? this.makeChip(key);
      this.dress(chip, key, frame, fresh.has(key));
      chips.set(key, chip);
    }
    this.chips = chips;
    const nodes = [...chips.values()].map((chip) => chip.node);
    setText(this.before, `… ${formatNumber(first)} before`);
    if (first > 0) nodes.unshift(this.before);
    placeChildren(this.list, nodes);
    this.empty.hidden = keys.length > 0;
    setClass(this.body, "filling", keys.length > 0);
    setText(this.count, keys.length ? counted(keys.length, ...this.track.counts) : "");
  }

  makeChip(key) {
    const text = make("b", { dir: "auto" });
    const id = make("small");
    return { text, id, node: make("button", { class: "chip", attrs: { type: "button" }, data: { key } }, text, id) };
  }

  dress(chip, key, frame, fresh) {
    const [text, id, start, end, label] = this.track.rows.get(key);
    showText(chip.text, this.view.texts, text, this.view.labels);
    if (this.track.labeled) setText(chip.id, this.view.texts[label] ?? "");
    else setText(chip.id, id < 0 ? "" : String(id + (this.track.from ?? 0)));
    tint(chip.node, id);
    setClass(chip.node, "new", fresh);
    markSpan(chip.node, start, end, frame.selection, frame.hover);
    const pressed = spansOverlap(start, end, frame.selection);
    if (chip.pressed !== pressed) chip.node.setAttribute("aria-pressed", String(pressed));
    chip.pressed = pressed;
  }

  spanUnder(event) {
    const row = this.track.rows.get(Number(event.target.closest(".chip")?.dataset.key ?? -1));
    return row && row[2] >= 0 ? { start: row[2], end: row[3] } : null;
  }
}
