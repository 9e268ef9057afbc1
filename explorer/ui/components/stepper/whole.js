/* The text itself with what happens to it, at the level Story: parts that stand where they stand in the text, in large
   letters, each with what it is below it. Around the model a part is a fragment (the tracks cells and output), a token of
   the list of ids, or, on the way back, what a token has written (the track columns). As large as its room allows; of a
   great many parts those around the one at work are drawn. */

const LARGE = [64, 52, 44, 36, 30, 24, 20];
const ROOM_OF_PARTS = { wide: 300, narrow: 200 };
const MOST_PARTS = 200;

class Whole extends Panel {
  constructor(view) {
    super(view, view.script.title);
    this.node.classList.add("scene");
    this.head.hidden = true;
    this.columns = view.player.track("columns");
    this.output = view.player.track("output");
    this.cells = view.player.track("cells");
    this.writes = Boolean(view.player.track("held")); // ids become text again
    this.list = make("div", { class: "text-whole", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": view.script.title } });
    this.empty = make("p", { class: "none", text: view.emptyWords((this.columns ?? this.output).empty) });
    this.body.append(this.list, this.empty);
    this.before = make("small", { class: "more-parts num" });
    this.after = make("small", { class: "more-parts num" });
    this.track = this.columns ?? this.output;
    this.followPointer(this.list);
  }

  start() {
    this.drawn = new Map();
    this.letters = new Map(); // key → the most letters it ever has, large and below
    for (const [key, row] of this.view.player.puts(this.track.index)) {
      if (!row || key < 0) continue;
      const { big, lines } = this.contentOf(row);
      const [large, small] = this.letters.get(key) ?? [1, 1];
      this.letters.set(key, [Math.max(large, big.length), Math.max(small, ...lines.map(({ text, look }) => (look === "slot" ? 0 : text.length)))]);
    }
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const sizes = [...this.letters.values()].slice(0, MOST_PARTS);
    const most = narrow ? ROOM_OF_PARTS.narrow : ROOM_OF_PARTS.wide;
    const room = Math.min(most, this.list.clientHeight - 12 || most); // beside a card, or above a table, it is lower
    const lines = this.columns ? this.columns.lines.length : 1;
    const fits = (large) => {
      const whole = this.columns ? sizes.reduce((sum, [big, small]) => sum + this.widthOf(big, small, large) + 6, 0) : this.cells.cells.length * 0.62 * large;
      return Math.ceil(whole / Math.max(1, width)) * (1.5 * large + 24 * lines + 20) <= room;
    };
    const longest = Math.max(1, ...sizes.map(([big]) => big));
    // on a phone, a part that a smaller type keeps on one line is not broken
    const whole = (large) => !narrow || large <= 24 || (large <= 44 && 0.6 * large * longest + 20 <= width);
    this.large = LARGE.find((large) => whole(large) && fits(large)) ?? LARGE.at(-1);
    this.list.style.setProperty("--large", `${this.large}px`);
    for (const { node } of this.drawn.values()) node.remove();
    this.drawn.clear();
  }

  widthOf(big, small, large = this.large) {
    return Math.max(0.62 * large * big + 18, 8.7 * small + 8);
  }

  /* What a row says: the large text, its color, and what stands below it. */
  contentOf(row) {
    const { texts } = this.view;
    const [text, id, start, end, ...more] = row;
    if (!this.columns) return { big: texts[text] ?? "", id, start, end, text, lines: [{ text: id < 0 ? inWords("text") : inWords("token {0}", plainNumber(id)), look: id < 0 ? "" : "mine" }] };
    const below = [];
    for (let at = 0; at < more.length; at += 2) below.push({ text: texts[more[at]] ?? "", index: more[at], look: LINE_STATES[more[at + 1]] });
    const name = { text: texts[text] ?? "", index: text, look: "token" };
    if (!this.writes) {
      if (below[1]) below[1].look = "slot";
      return { big: name.text, id, start, end, text, lines: below, comes: text < 0 };
    }
    const written = below.pop();
    const dropped = below.at(-1)?.look === "gone";
    return { big: dropped ? "" : written.text, id, start, end, text: dropped ? -1 : written.index, lines: [name, ...below], comes: written.index < 0 && !dropped, dropped, waits: written.look === "waits" };
  }

  keysOf(frame) {
    const keys = [...this.track.rows.keys()].filter((key) => key >= 0).sort((one, other) => one - other);
    const at = keys.findIndex((key) => frame.marks.has(key));
    if (keys.length <= MOST_PARTS) this.from = 0;
    else if (at >= 0 && (at < this.from || at >= this.from + MOST_PARTS)) this.from = Math.max(0, Math.min(at - MOST_PARTS / 4, keys.length - MOST_PARTS));
    this.from = Math.min(this.from ?? 0, Math.max(0, keys.length - 1));
    return keys;
  }

  render(frame) {
    if (!this.large) return;
    const keys = this.keysOf(frame);
    const shown = keys.slice(this.from, this.from + MOST_PARTS);
    const marks = this.columns ? frame.marks : frame.marksOf(this.cells.index);
    let before = "";
    const drawn = new Map();
    for (const key of shown) {
      const row = this.track.rows.get(key);
      const known = this.drawn.get(key);
      const part = known?.row === row ? known : this.make(key, row, known);
      drawn.set(key, part);
      const slot = part.content.lines.find(({ look }) => look === "slot")?.text ?? "";
      setClass(part.node, "same", slot !== "" && slot === before);
      before = slot;
      this.dress(part, key, marks, frame);
    }
    this.drawn = drawn;
    const nodes = [...drawn.values()].map(({ node }) => node);
    const rest = keys.length - this.from - shown.length;
    if (this.from) nodes.unshift(this.before);
    if (rest > 0) nodes.push(this.after);
    setText(this.before, inWords("… {0} before", formatNumber(this.from)));
    setText(this.after, inWords("… {0} after", formatNumber(rest)));
    placeChildren(this.list, nodes);
    this.empty.hidden = keys.length > 0;
    this.list.hidden = !keys.length;
    if (frame.moved) queueMicrotask(() => this.keepInView());
  }

  make(key, row, known) {
    const content = this.contentOf(row);
    const node = known?.node ?? make("div", { class: "text-part", data: { key } });
    const { texts, labels } = this.view;
    const big = make("b", { class: "large", attrs: { dir: "auto" } });
    let cells = [];
    if (this.columns || content.id >= 0) {
      if (content.text >= 0) showText(big, texts, content.text, labels);
    } else {
      // a text that a page cuts short has all its letters here
      cells = this.cells.cells.map((cell, index) => [cell, index]).filter(([[, , , start, end]]) => start >= content.start && end <= content.end && end > start)
        .map(([[text], index]) => ({ index, node: make("i", { text: texts[text] ?? "" }) }));
      big.append(...cells.map((each) => each.node));
    }
    tint(node, content.id);
    for (const look of ["comes", "dropped", "waits"]) setClass(node, look, content[look]);
    setClass(node, "plain", content.id < 0);
    setClass(node, "added", content.id >= 0 && content.start < 0);
    node.replaceChildren(big, ...content.lines.map(({ text, index, look }) => {
      const line = make("small", { class: `below ${look}` });
      if (index === undefined) setText(line, text);
      else showText(line, texts, index, labels);
      return line;
    }));
    if (this.columns) node.style.minWidth = `${this.widthOf(...(this.letters.get(key) ?? [1, 1]))}px`;
    return { node, row, content, cells };
  }

  dress({ node, content, cells }, key, marks, frame) {
    const within = (index) => {
      const cell = this.cells.cells[index];
      return cell && cell[3] >= content.start && cell[4] <= content.end;
    };
    const looks = new Set(this.columns ? marks.get(key)?.map(({ look }) => look) : content.id < 0 ? [] : [...marks].filter(([index]) => within(index)).flatMap(([, roles]) => roles.map(({ look }) => look)));
    const runs = cells.length ? this.runsOf(marks, cells[0].index, cells.at(-1).index) : [];
    for (const each of cells) for (const look of ["reject", "gone", "hit"]) setClass(each.node, look, runs.some((run) => run.look === look && run.first <= each.index && each.index <= run.last));
    for (const look of ["done", "reject", "gone", "hit"]) setClass(node, look, looks.has(look));
    node.dataset.k = frame.kind.tone;
    markSpan(node, content.start, content.end, frame.selection, frame.hover);
  }

  /* The marks of a stretch of cells, by look; of a long run only the first and the last cell are marked. */
  runsOf(marks, first, last) {
    const runs = new Map();
    for (const [key, roles] of marks) {
      if (key < first || key > last) continue;
      for (const { look } of roles) {
        const run = runs.get(look) ?? { look, first: key, last: key };
        runs.set(look, { look, first: Math.min(run.first, key), last: Math.max(run.last, key) });
      }
    }
    return [...runs.values()];
  }

  keepInView() {
    if (this.list.scrollHeight <= this.list.clientHeight + 1) return;
    const node = this.list.querySelector(".text-part.done, .text-part.hit, .text-part.reject, i.hit, i.reject");
    if (!node) return;
    const [box, inner] = [placeOf(this.list), placeOf(node)];
    if (inner.top < box.top || inner.bottom > box.bottom) this.list.scrollTop += inner.bottom - box.bottom + (box.bottom - box.top) / 3;
  }

  spanUnder(event) {
    const part = this.drawn.get(Number(event.target.closest(".text-part")?.dataset.key ?? -1));
    const { start = -1, end = -1 } = part?.content ?? {};
    return start >= 0 && end > start ? { start, end } : null;
  }
}
