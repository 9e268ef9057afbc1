/* The symbol strip: a cell for each entry of the track; cells of one symbol are one box. Row of a cell:
   [span, id, ...meta]; span 0 = absorbed by an earlier cell. Row under key -1: [group at work]. Only a window of a
   long strip is drawn; it moves when the step's marks leave it, or by the buttons at its ends. With `inline` a group is
   a character and stays together on its line, if there is room; with `spaced` the texts of a box stay apart. */

const STRIP_ROOM = 190; // pixels, without a margin for what surrounds it (stage.css)
const PAGER = 100; // pixels of a button at an end, "… 23 before"
const ROOMY = 68; // pixels from one bead to the next that leave room for a score
const LINKS = { prev: (value) => `←${value}`, next: (value) => `${value}→` };

class Strip extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.list = make("div", { class: "strip", dir: "ltr" });
    this.spoken = make("p", { class: "sr" });
    this.body.append(this.spoken, this.list);
    this.pagers = [-1, 1].map((way) =>
      make("button", { class: "pager num", attrs: { type: "button" }, on: { click: () => this.page(way) } }));
    this.followPointer(this.list);
    this.observer = new ResizeObserver(([entry]) => (this.scrolls = entry.contentRect.height > STRIP_ROOM));
    this.observer.observe(this.list);
  }

  destroy() {
    this.observer.disconnect();
  }

  start() {
    this.beads = this.view.level !== "implementation" && !this.track.inline;
    setClass(this.node, "beads", this.beads);
    setClass(this.node, "spaced", this.track.spaced);
    this.queue = this.view.player.tracks.find(({ type }) => type === "queue");
    const { cells, meta = [] } = this.track;
    const digits = String(Math.max(cells.length, 10)).length;
    const linked = meta.some((name) => LINKS[name]);
    this.metaLines = meta.filter((name) => !LINKS[name]).length + (linked ? 1 : 0);
    this.links = linked ? digits : 0;
    this.narrowLines = this.metaLines + (linked ? 1 : 0);
    this.drawn = new Map();
    this.lines = new Map();
    this.from = 0;
    this.lastStep = 0;
    this.list.replaceChildren();
    this.body.classList.toggle("empty", cells.length === 0);
    if (!cells.length) this.body.replaceChildren(make("p", { class: "none", text: inWords("The text is empty: no cells.") }));
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    if (this.beads) return this.resizeBeads(width);
    // the links of a cell are larger in a lecture (pages.css)
    const letter = document.documentElement.hasAttribute("data-lecture") ? 8 : 6.4;
    this.wideCell = this.links ? Math.ceil((2 * this.links + 3) * letter) + 2 : 44;
    this.slimCell = Math.max(26, this.links ? Math.ceil((this.links + 1) * 5.8) + 3 : 0);
    this.list.style.setProperty("--cw", `${this.wideCell}px`);
    this.list.style.setProperty("--cs", `${this.slimCell}px`);
    const cell = narrow ? this.slimCell + 4 : this.wideCell + 6;
    this.perLine = Math.max(4, Math.floor(width / cell));
    const all = this.track.cells.length;
    const most = this.perLine * (narrow ? 2 : 1);
    this.budget = all <= most ? most : most - 6; // room for the buttons at both ends
    const lines = this.linesAtFirst(width, cell);
    const line = narrow ? 65 + 13 * this.narrowLines : 76 + 14 * this.metaLines;
    this.list.style.minHeight = `${lines * line}px`;
  }

  /* One line of cells of one width; what does not fit is a window around the pair at work. */
  resizeBeads(width) {
    const count = Math.max(1, this.track.cells.length);
    // the last bead has no thread after it
    const pitchOf = (cell) => Math.max(40, Math.min(91, (width - cell) / Math.max(1, count - 1)));
    const cell = this.narrow ? 40 : pitchOf(52) >= ROOMY ? 52 : 36;
    const fits = (width - cell - 4) / Math.max(1, count - 1); // a last bead or two does not take a line of its own
    const pitch = !this.narrow ? pitchOf(cell) : fits >= 44 && fits < 50 ? fits : 50;
    this.perLine = Math.max(1, Math.floor((width + pitch - cell) / pitch + 0.01));
    const room = this.perLine * (this.narrow ? 2 : 1);
    this.budget = count <= room ? count : Math.max(4, room - Math.ceil((2 * PAGER) / pitch));
    this.list.style.setProperty("--bead", `${cell}px`);
    this.list.style.setProperty("--bead-gap", `${pitch - cell}px`);
    setClass(this.node, "tight", pitch < ROOMY);
  }

  linesAtFirst(width, cell) {
    const { cells, groups, inline } = this.track;
    const drawn = Math.min(cells.length, this.budget);
    if (!inline) return Math.ceil(drawn / this.perLine);
    let [lines, used] = [1, 0];
    for (let first = 0, next; first < drawn; first = next) {
      next = first + 1;
      while (next < drawn && cells[next][2] === cells[first][2]) next += 1;
      const wide = (next - first) * cell + 10 + (groups[cells[first][2]]?.title ? 26 : 0);
      if (used && used + wide > width) [lines, used] = [lines + 1, 0];
      used += wide;
    }
    return lines;
  }

  row(key) {
    return this.track.rows.get(key);
  }

  rootOf(key) {
    let root = key;
    while (root > 0 && this.row(root)?.[0] === 0) root -= 1;
    return root;
  }

  /* Where the window may begin: at a symbol; with `inline`, at a group. */
  startOf(key) {
    const { cells, inline } = this.track;
    let start = this.rootOf(key);
    while (inline && start > 0 && cells[start][2] === cells[start - 1][2]) start = this.rootOf(start - 1);
    return start;
  }

  page(way) {
    this.from = this.startOf(Math.max(0, Math.min(this.from + way * this.budget, this.track.cells.length - 1)));
    this.paged = true;
    this.view.request();
  }

  /* The window moves when the cells of the step leave it, and then holds them all; of more than it can hold, the first. */
  moveWindow(frame) {
    const total = this.track.cells.length;
    if (total <= this.budget) {
      this.from = 0;
      return;
    }
    if (this.paged && !frame.moved) return;
    this.paged = false;
    const work = this.workOf(frame);
    if (work === null) return;
    const first = this.startOf(work.first);
    const after = Math.min(work.after, first + this.budget);
    const slack = Math.min(this.perLine, (this.budget - (after - first)) / 4);
    const low = this.from === 0 ? 0 : this.from + slack;
    const high = this.from + this.budget >= total ? total : this.from + this.budget - slack;
    if (first >= low && after <= high) return;
    const wished = Math.max(0, Math.min(first - Math.floor((this.budget - (after - first)) / 3), total - this.budget));
    // whole lines stay as they are
    const line = this.budget > this.perLine ? wished - (wished % this.perLine) : wished;
    this.from = this.startOf(line + this.budget < after ? wished : line);
    while (this.from + this.budget < after && this.from < first) this.from = this.startAfter(this.from);
  }

  /* Where the window may begin next. */
  startAfter(start) {
    let key = start + 1;
    while (key < this.track.cells.length - 1 && this.startOf(key) !== key) key += 1;
    return key;
  }

  /* The cells that the step is about, [first, after): those marked, else those that come next, else the group's first. */
  workOf(frame) {
    const marked = [...frame.marks].filter(([key]) => key >= 0 && key < this.track.cells.length);
    const done = marked.filter(([, roles]) => roles.some((role) => role.look !== "next"));
    const keys = (done.length ? done : marked).map(([key]) => key);
    if (keys.length) {
      const last = this.rootOf(Math.max(...keys));
      return { first: Math.min(...keys), after: last + Math.max(1, this.row(last)?.[0] ?? 1) };
    }
    const group = this.row(-1)?.[0];
    if (frame.step === 0) return { first: 0, after: 1 };
    const first = group === undefined ? -1 : this.track.cells.findIndex((cell) => cell[2] === group);
    return first < 0 ? null : { first, after: first + 1 };
  }

  /* What takes more lines than it has room for scrolls: the first cell of the step comes into view. */
  scrollToWork(frame) {
    const work = frame.moved && this.scrolls ? this.workOf(frame) : null;
    const node = work && this.drawn.get(this.rootOf(work.first))?.node;
    const box = this.node.parentElement;
    if (!node || !box) return;
    const top = node.offsetTop - this.list.offsetTop;
    if (top < box.scrollTop || top + node.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, top - 18);
  }

  render(frame) {
    const { cells, groups = [], inline } = this.track;
    if (!cells.length || !this.budget) return;
    this.moveWindow(frame);
    const marks = this.marksByRoot(frame);
    const group = this.row(-1)?.[0];
    const nodes = [];
    const together = new Map(); // for each group, the nodes that stay on one line
    const drawn = new Map();
    let own = nodes;
    let key = this.from;
    const goesOn = (at) => at < this.from + this.budget || (inline && cells[at][2] === cells[at - 1][2]);
    while (key < cells.length && goesOn(key)) {
      const symbol = this.symbol(key, frame);
      const newGroup = key > 0 && cells[key][2] !== cells[key - 1][2];
      const title = groups[cells[key][2]]?.title;
      if (inline && (newGroup || key === this.from)) {
        const line = this.lines.get(key) ?? make("div", { class: "together" });
        this.lines.set(key, line);
        together.set(line, (own = []));
        nodes.push(line);
      }
      if (title && (newGroup || key === this.from)) own.push(this.groupTitle(cells[key][2], title));
      this.dress(symbol, marks.get(key), frame, group);
      own.push(symbol.node);
      drawn.set(key, symbol);
      key += symbol.cells.length;
      // The gap follows a group, where a line break absorbs it; characters of one byte need none.
      const ends = key < cells.length && cells[key][2] !== cells[key - 1][2];
      const titled = () => [key - 1, key].some((at) => groups[cells[at][2]]?.title);
      setClass(symbol.node, "gap", ends && (!inline || titled()));
    }
    this.drawn = drawn;
    if (this.beads) this.showThreads(drawn, key);
    this.showPager(nodes, 0, this.from, "before");
    this.showPager(nodes, 1, cells.length - key, "after");
    for (const [line, parts] of together) placeChildren(line, parts);
    placeChildren(this.list, nodes);
    this.lastStep = frame.step;
    this.scrollToWork(frame);
    const parts = [...drawn.values()].map((symbol) => symbol.cells.map((cell) => cell.text).join(""));
    setText(this.spoken, `${counted(parts.length, "symbol", "symbols")}: ${parts.join(" | ")}`);
  }

  /* Between two symbols: solid where the pair waits in the queue, with its score; dotted where it does not. */
  showThreads(drawn, end) {
    const waiting = new Map();
    const asked = new Map(); // key → letter
    const { letters } = this.view.prediction;
    let best = null;
    for (const [serial, row] of this.queue?.rows ?? []) {
      if (row[6]) continue;
      const key = (this.view.merges?.base.get(serial) ?? 0) + row[4];
      waiting.set(key, row);
      if (letters.has(serial)) asked.set(key, letters.get(serial));
      if (best === null || row[1] < best[1]) best = row;
    }
    for (const [key, symbol] of drawn) {
      const after = key + symbol.cells.length;
      const last = after >= end || this.track.cells[after][2] !== this.track.cells[key][2];
      symbol.thread = symbol.thread ?? make("div", { class: "thread", attrs: { "aria-hidden": "true" } }, make("span"), make("i", { class: "answer-letter" }));
      if (!symbol.thread.isConnected) symbol.node.append(symbol.thread);
      symbol.thread.hidden = last || !this.queue;
      symbol.node.style.setProperty("--span", symbol.cells.length);
      const row = waiting.get(key);
      setText(symbol.thread.firstChild, row ? (this.view.texts[row[2]] ?? "") : "");
      const letter = symbol.thread.lastChild;
      letter.hidden = !asked.get(key);
      setText(letter, asked.get(key) ?? "");
      letter.dataset.answer = asked.get(key) ?? "";
      setClass(symbol.thread, "none", !row);
      setClass(symbol.thread, "best", row && row === best && this.view.prediction.step === null);
    }
  }

  showPager(nodes, which, count, word) {
    const button = this.pagers[which];
    if (count <= 0) return;
    setText(button, inWords(`… {0} ${word}`, formatNumber(count)));
    if (which === 1) nodes.push(button);
    else nodes.splice(nodes[0]?.classList.contains("group") ? 1 : 0, 0, button); // below its group's title
  }

  groupTitle(group, title) {
    this.titles = this.titles ?? new Map();
    if (!this.titles.has(group)) this.titles.set(group, make("div", { class: "group inline", text: title, dir: "auto" }));
    return this.titles.get(group);
  }

  marksByRoot(frame) {
    const byRoot = new Map();
    for (const [key, roles] of frame.marks) {
      if (key < 0 || key >= this.track.cells.length) continue;
      const root = this.rootOf(key);
      byRoot.set(root, [...(byRoot.get(root) ?? []), ...roles]);
    }
    return byRoot;
  }

  symbol(root, frame) {
    const span = Math.max(1, Math.min(this.row(root)?.[0] ?? 1, this.track.cells.length - root));
    const known = this.drawn.get(root);
    if (known?.cells.length === span) return known;
    const cells = Array.from({ length: span }, (_, offset) => this.cell(root + offset, offset > 0));
    const box = make("div", { class: "cells" }, ...cells.map((cell) => cell.node));
    const whole = this.beads ? this.view.merges?.textOf(root, span) : undefined;
    if (whole !== undefined) {
      // several bytes may be one character, so a symbol's text is not that of its cells one after the other
      const glyph = make("b", { class: "whole", dir: "auto" });
      showText(glyph, this.view.texts, whole, this.view.labels);
      box.append(glyph);
    }
    const tag = make("div", { class: "tag" });
    const meta = make("div", { class: "meta num" });
    const node = make("div", { class: "sym", data: { key: root } }, tag, box, meta);
    // A symbol that has just grown pops; one that scrolls into view, or shrinks when going back, doesn't.
    if (known && known.cells.length < span && frame.step === this.lastStep + 1) node.classList.add("pop");
    return { node, tag, box, meta, cells };
  }

  cell(key, absorbed) {
    const [text, label, , start, end] = this.track.cells[key];
    const glyph = make("b", { dir: "auto" });
    showText(glyph, this.view.texts, text, this.view.labels);
    setClass(glyph, "long", this.view.texts[text]?.length > 2); // a byte that isn't a character: \\x93
    const node = make("span", { class: absorbed ? "cell dead" : "cell" }, make("i", { text: String(label) }), glyph);
    return { node, start, end, text: this.view.texts[text] };
  }

  dress(symbol, roles, frame, group) {
    const root = Number(symbol.node.dataset.key);
    const row = this.row(root);
    tint(symbol.box, row?.[1] ?? -1);
    setClass(symbol.box, "plain", !(row?.[1] >= 0));
    this.writeMeta(symbol.meta, row);
    const looks = new Set(roles?.map((role) => role.look));
    for (const look of ["done", "reject", "gone", "next", "hit"]) setClass(symbol.node, look, looks.has(look));
    if (roles) symbol.node.dataset.k = frame.kind.tone;
    setText(symbol.tag, [...new Set(roles?.map((role) => role.label))].filter(Boolean).join(" · "));
    setClass(symbol.node, "off", group !== undefined && group >= 0 && this.track.cells[root][2] !== group);
    for (const cell of symbol.cells) markSpan(cell.node, cell.start, cell.end, frame.selection, frame.hover);
    // A symbol that is entirely inside gets one ring instead of one for each cell.
    for (const [name, span] of [["whole-sel", frame.selection], ["whole-hov", frame.hover]]) {
      setClass(symbol.node, name, span && symbol.cells.every((cell) => spansOverlap(cell.start, cell.end, span)));
    }
  }

  writeMeta(node, row) {
    const names = this.track.meta ?? [];
    const values = names.map((_, index) => row?.[2 + index]);
    const signature = values.join();
    if (node.signature === signature) return;
    node.signature = signature;
    const shown = (value) => (value === undefined ? "" : value === -1 ? "·" : String(value));
    const plain = [];
    const links = [];
    names.forEach((name, index) => {
      const text = shown(values[index]);
      if (LINKS[name]) links.push(make("span", { text: text && LINKS[name](text) }));
      else plain.push(make("div", { text: text && `${name}=${text}` }));
    });
    node.replaceChildren(...plain, ...(links.length ? [make("div", { class: "links" }, ...links)] : []));
  }

  spanUnder(event) {
    const key = event.target.closest(".sym")?.dataset.key;
    const cells = this.drawn.get(Number(key))?.cells.filter((cell) => cell.start >= 0) ?? [];
    if (!cells.length) return null;
    return { start: Math.min(...cells.map((cell) => cell.start)), end: Math.max(...cells.map((cell) => cell.end)) };
  }

  pick(event) {
    if (answerUnder(event, this.view)) return;
    const span = this.spanUnder(event);
    if (span) this.view.choose(span.start, span.end);
  }
}
