/* A lattice as arcs, for the levels Story and Algorithm. Single characters are the ground, each with its score; longer
   pieces are arcs above it, shorter ones lower, never two in one lane. Under each position stands the best sum so far;
   the ways to one position, the one of the step or the one that was clicked, are added up below.

   Reads a lattice track: [first cell, cell after, text, value, state, id, score, sum before, sum with it] (the last three
   with two digits, -1 where there is none), state 0 the best to its position so far, 1 on the best path, 2 lost; and the
   table "best", whose key is the position and whose sixth value is its sum. With to_end a sum reaches to the end of the
   text and belongs to the position where its piece begins. */

const ARC_PITCH = { least: 62, beside: 48, most: 81, narrow: 54 }; // beside a card of a lesson thirteen letters fit, in a lecture too
const ARC_GAP = 14; // between two fragments
const ARC_LANE = { roomy: 31, close: 25, dense: 18 };
const ARC_LANES = { story: 6, algorithm: 5 }; // in view; more scroll
const GROUND = 106; // the height of the characters, their positions and sums (scenes.css)
const ARC_EDGE = 8; // free at both ends
const WAYS = 3;
const WAY_PIECES = 3;

class Arcs extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.node.classList.add("scene");
    this.head.hidden = true;
    this.track = track;
    this.text = view.player.track(track.of);
    this.best = view.player.track("best");
    this.lines = svgNode("svg", { "aria-hidden": "true" });
    this.labels = make("div", { class: "arc-labels" });
    this.above = make("div", { class: "arcs-above" });
    this.above.append(this.lines, this.labels);
    this.ground = make("div", { class: "ground" });
    this.sideways("arcs", this.above, this.ground);
    this.ways = make("div", { class: "ways" });
    this.none = make("p", { class: "none", text: inWords("The text is empty: no cells.") });
    this.body.append(this.ways, this.none);
    this.observer = new ResizeObserver(([entry]) => {
      this.height = entry.contentRect.height;
      this.floor = this.ground.offsetHeight || GROUND; // lower on a phone on its side
      this.moved = true;
      view.request();
    });
    this.observer.observe(this.scroller);
  }

  destroy() {
    this.observer.disconnect();
  }

  start() {
    const { cells } = this.text;
    const arcs = new Map(this.view.player.puts(this.track.index).filter(([, row]) => row));
    const long = [...arcs].map(([key, [first, after]]) => [key, first, after]).filter(([, first, after]) => after - first > 1);
    this.lanes = lanesFromBelow(long, cells.length);
    this.count = Math.max(0, ...[...this.lanes.values()].map((lane) => lane + 1));
    this.insets = insetsOf(long);
    this.drawn = new Map();
    this.chosen = null;
    this.topLane = Infinity;
    this.scroller.hidden = this.ways.hidden = cells.length === 0;
    this.none.hidden = cells.length > 0;
    this.room = ARC_LANES[this.view.level] ?? ARC_LANES.story;
    const short = this.view.level !== "story"; // columns share the panel
    const [roomy, close] = short ? [2, 3] : this.view.beside ? [3, 4] : [this.room - 1, Infinity];
    this.lane = this.count <= roomy ? ARC_LANE.roomy : this.count <= close ? ARC_LANE.close : ARC_LANE.dense;
    this.high = Math.max(this.count, 1) * this.lane + 22;
    this.above.style.height = `${this.high}px`;
    this.above.style.setProperty("--lane", `${this.lane}px`);
    this.node.style.setProperty("--above", `${Math.min(this.high, this.room * this.lane + 22)}px`);
    setClass(this.above, "close", this.lane !== ARC_LANE.roomy);
    setClass(this.above, "dense", this.lane === ARC_LANE.dense);
    setClass(this.node, "short", short);
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const { cells } = this.text;
    const pitch = narrow ? ARC_PITCH.narrow : Math.max(this.view.beside ? ARC_PITCH.beside : ARC_PITCH.least, Math.min(ARC_PITCH.most, (width - 2 * ARC_EDGE - 62) / Math.max(1, cells.length)));
    this.pitch = pitch;
    let shift = ARC_EDGE + 20;
    this.at = cells.map((cell, index) => {
      if (index && cell[2] !== cells[index - 1][2]) shift += ARC_GAP;
      return index * pitch + shift;
    });
    this.at.push(cells.length ? this.at.at(-1) + pitch : 0);
    this.across = this.at.at(-1) + ARC_EDGE + 34;
    this.plane.style.width = `${this.across}px`;
    this.plane.style.setProperty("--pitch", `${pitch - 8}px`);
    setClass(this.ground, "tight", pitch < 56);
    this.drawnFrom = -1;
    for (const arc of this.drawn.values()) this.removeArc(arc);
    this.drawn.clear();
  }

  follow(frame) {
    // Before any other write of this frame (see VirtualRows.center).
    if (frame.moved) this.chosen = null;
    this.moved = this.moved || frame.moved;
    if (!this.moved || !this.width || this.at.length < 2) return;
    this.moved = false;
    const rows = [...frame.marks.keys()].map((key) => this.track.rows.get(key)).filter(Boolean);
    this.scrollToLanes([...frame.marks.keys()]);
    const cells = [...frame.marksOf(this.text.index).keys()].filter((key) => key >= 0);
    if (!rows.length && !cells.length && frame.step) return;
    const first = rows.length ? rows[0][0] : cells.length ? Math.min(...cells) : 0;
    const after = rows.length ? rows[0][1] : cells.length ? Math.max(...cells) + 1 : 1;
    const [from, to] = [this.at[first] - 30, this.at[after] + 30];
    if (from >= this.left && to <= this.left + this.width) return;
    this.left = Math.max(0, Math.min(this.across - this.width, Math.round((from + to - this.width) / 2)));
    this.scroller.scrollLeft = this.left;
  }

  /* The arcs of the step are in view, and as far as these stay in view those of the best path (see placeArc). */
  scrollToLanes(marked) {
    const lanesOf = (keys) => keys.map((key) => this.lanes.get(key)).filter((lane) => lane !== undefined);
    const own = lanesOf(marked);
    const path = lanesOf([...this.track.rows].filter(([, row]) => row[4] === 1).map(([key]) => key));
    const room = this.height ? Math.floor((this.height - this.floor - 22) / this.lane) : this.room;
    const hidden = (lanes) => Math.max(0, ...lanes.map((lane) => lane + 1 - room));
    const least = hidden(own);
    const most = own.length ? Math.max(least, Math.min(...own)) : Infinity;
    const below = Math.min(most, Math.max(least, hidden(path)));
    this.topLane = below + room - 1;
    const top = -below * this.lane; // the scroller is reversed: 0 is the ground
    if (top !== this.top) this.scroller.scrollTop = this.top = top;
  }

  /* The position that the ways lead to: the one that was clicked, else the one of the step. */
  place(frame) {
    if (this.chosen !== null) return this.chosen;
    const [marked] = frame.marksOf(this.best.index).keys();
    return marked ?? null;
  }

  render(frame) {
    if (!this.width || this.at.length < 2) return;
    const inView = (index) => this.at[index] > this.left - 4 * this.pitch && this.at[index] < this.left + this.width + 3 * this.pitch;
    const first = Math.max(0, this.at.findIndex((_, index) => inView(index)));
    let last = first;
    while (last < this.text.cells.length && inView(last)) last += 1;
    if (this.drawnFrom !== first || this.drawnTo !== last) this.drawGround(first, last);
    const drawn = new Map();
    this.single = new Map();
    this.winner = new Map();
    this.onPath = new Set();
    const { to_end: toEnd } = this.track;
    for (const [key, row] of this.track.rows) {
      const [from, after, , , state] = row;
      if (state !== 2) this.winner.set(toEnd ? from : after, row);
      if (state === 1) this.onPath.add(from).add(after);
      if (after - from === 1) this.single.set(from, [key, row]);
      if (after - from === 1 || after < first || from > last) continue;
      const arc = this.drawn.get(key) ?? this.makeArc(key, row);
      this.drawn.delete(key);
      this.dressArc(arc, row, frame, frame.marks.get(key));
      drawn.set(key, arc);
    }
    for (const arc of this.drawn.values()) this.removeArc(arc);
    this.drawn = drawn;
    const place = this.place(frame);
    const group = this.text.rows.get(-1)?.[0] ?? -1;
    for (const cell of this.cells) this.dressCell(cell, frame, group);
    for (const point of this.points) this.dressPoint(point, place, group);
    this.drawWays(place);
  }

  // --- the ground

  drawGround(first, last) {
    this.drawnFrom = first;
    this.drawnTo = last;
    const { cells } = this.text;
    const { texts, labels } = this.view;
    this.cells = [];
    this.points = [];
    for (let index = first; index < last; index += 1) {
      const glyph = make("b", { dir: "auto" });
      showText(glyph, texts, cells[index][0], labels);
      const value = make("small");
      const node = make("span", { class: "piece" }, glyph, value);
      node.style.left = `${this.at[index]}px`;
      node.cellIndex = index;
      this.cells.push({ node, value, index });
      this.points.push(this.makePoint(index));
    }
    if (last === cells.length) this.points.push(this.makePoint(last));
    this.ground.replaceChildren(...this.cells.map(({ node }) => node), ...this.points.map(({ node }) => node));
  }

  makePoint(index) {
    const sum = make("span");
    const node = make("button", { class: "point", attrs: { type: "button", tabindex: "-1" } }, make("i"), sum);
    node.style.left = `${this.at[index] - 4}px`;
    node.place = index;
    return { node, sum, index };
  }

  dressCell({ node, value, index }, frame, group) {
    const [, , own, start, end] = this.text.cells[index];
    const [key, row] = this.single.get(index) ?? [];
    this.view.showNumber(value, row ? row[6] : -1);
    tint(node, row?.[4] === 1 ? row[5] : -1);
    setClass(node, "best", row?.[4] === 1);
    setClass(node, "lost", row?.[4] === 2);
    setClass(node, "off", group >= 0 && own !== group);
    const roles = key === undefined ? undefined : frame.marks.get(key);
    if (roles) node.dataset.k = frame.kind.tone;
    setClass(node, "at", Boolean(roles));
    setClass(node, "gone", roles?.some(({ look }) => look === "gone"));
    markSpan(node, start, end, frame.selection, frame.hover);
  }

  dressPoint({ node, sum, index }, place, group) {
    const { cells } = this.text;
    const own = group < 0 || cells[index]?.[2] === group || (index > 0 && cells[index - 1][2] === group);
    const row = own ? this.best.rows.get(index) : undefined;
    setText(sum, row ? this.word(row[5]) : "");
    setClass(node, "path", this.onPath.has(index));
    setClass(node, "chosen", index === place);
    setClass(node, "off", !own);
    const known = Boolean(row);
    if (node.known === known) return;
    node.known = known;
    node.setAttribute("aria-label", known ? inWords("Position {0}, {1}: the ways to it", index, this.word(row[5])) : inWords("Position {0}", index));
  }

  // --- arcs

  makeArc(key, [, , text]) {
    const words = make("bdi");
    showText(words, this.view.texts, text, this.view.labels);
    const value = make("small");
    const label = make("button", { class: "arc", attrs: { type: "button", tabindex: "-1" }, data: { key } }, words, value);
    const path = svgNode("path", {});
    this.lines.append(path);
    this.labels.append(label);
    return { key, path, label, value, lane: null };
  }

  /* An arc of the best path whose lane is above the view is drawn on top of the view, over those that lost. */
  placeArc(arc, [first, after, , , state]) {
    const own = this.lanes.get(arc.key);
    const lane = state === 1 ? Math.min(own, this.topLane) : own;
    if (lane === arc.lane) return;
    arc.lane = lane;
    const [left, right] = this.insets.get(arc.key);
    const inset = this.lane === ARC_LANE.roomy ? 2 : 0;
    const [from, to] = [this.at[first] + inset * left, this.at[after] - 8 - inset * right];
    const top = this.high - 16 - (lane + 0.5) * this.lane;
    const base = this.high;
    arc.path.setAttribute("d", `M${from} ${base}V${top + 11}Q${from} ${top} ${from + 11} ${top}H${to - 11}Q${to} ${top} ${to} ${top + 11}V${base}`);
    arc.label.style.left = `${(from + to) / 2}px`;
    arc.label.style.top = `${top}px`;
    arc.label.style.maxWidth = `${to - from - 12}px`;
  }

  dressArc(arc, row, frame, roles) {
    const { path, label, value } = arc;
    this.placeArc(arc, row);
    const [first, after, , , state, id, score] = row;
    const { cells } = this.text;
    this.view.showNumber(value, score);
    tint(label, state === 1 ? id : -1);
    const looks = ["candidate", "best", "lost"][state] + (roles ? " at" : "") + (roles?.some(({ look }) => look === "gone") ? " gone" : "");
    if (path.shownLooks !== looks) {
      path.shownLooks = looks;
      path.setAttribute("class", looks);
      label.className = `arc ${looks}`;
      if (state === 1) this.lines.append(path); // over the others
    }
    if (roles) path.dataset.k = label.dataset.k = frame.kind.tone;
    markSpan(label, cells[first][3], cells[after - 1][4], frame.selection, frame.hover);
  }

  removeArc({ path, label }) {
    path.remove();
    label.remove();
  }

  word(index) {
    return index < 0 ? "" : (this.view.texts[index] ?? "");
  }

  // --- the ways to a position

  drawWays(place) {
    const { to_end: toEnd } = this.track;
    const here = place === null ? [] : [...this.track.rows.values()].filter((row) => row[toEnd ? 0 : 1] === place && row[8] >= 0);
    const of = (row) => Number.parseFloat(this.word(row[8]).replaceAll(",", "").replace(MINUS, "-")); // a sum, or a share in percent
    here.sort((a, b) => (a[4] === 2) - (b[4] === 2) || of(b) - of(a));
    const signature = `${place} ${JSON.stringify(here)}`;
    if (signature === this.shownWays) return;
    this.shownWays = signature;
    if (!here.length) {
      const begins = place !== null && this.best.rows.has(place);
      return this.ways.replaceChildren(make("p", { class: "quiet", text: inWords(begins ? "Every sum begins here, with 0." : "The ways to a position are added up here.") }));
    }
    const room = this.narrow ? 1 : Math.max(1, Math.min(WAYS, Math.floor((this.width - 150) / 300)));
    const shown = here.slice(0, room);
    const [beside, inside] = [this.text.cells[toEnd ? place - 1 : place], this.text.cells[toEnd ? place : place - 1]];
    const within = beside && beside[2] === inside?.[2];
    const many = counted(here.length, "way", "ways") + (here.length > room ? `${inWords(", ")}${room > 1 ? inWords("the best {0}", room) : inWords("the best")}` : "");
    const where = within ? aroundNode(inWords(toEnd ? "from the position after {0}" : "to the position before {0}"), make("bdi", { class: "q", text: this.word(beside[0]) })) : [inWords(toEnd ? "from the start" : "to the end")];
    const head = make("p", { class: "ways-head" }, make("b", { text: many }), " ", make("br"), ...where);
    this.ways.replaceChildren(head, ...shown.map((row) => this.way(row, this.chain(row, here))));
  }

  way(row, chain) {
    const chips = chain.slice(-WAY_PIECES).map((piece) => {
      const chip = make("bdi", { class: "token-chip" });
      showText(chip, this.view.texts, piece[2], this.view.labels);
      tint(chip, piece[5]);
      return chip;
    });
    if (this.track.to_end) chips.reverse();
    const score = this.word(row[6]);
    const minus = score.startsWith(MINUS);
    const sum = make("span", { class: "adds num" }, `${this.word(row[7])} ${minus ? MINUS : "+"} `, make("b", { text: minus ? score.slice(1) : score }));
    return make("div", { class: row[4] === 2 ? "way" : "way won" }, make("span", { class: "chips" }, ...chips), sum, make("strong", { class: "num", text: this.word(row[8]) }));
  }

  /* The pieces of a way since the position where all the ways part, the last one first found last. */
  chain(row, ways) {
    const { to_end: toEnd } = this.track;
    const before = (each) => (toEnd ? each[1] : each[0]);
    const back = (each) => {
      const found = [each];
      while (found.length < 40 && this.winner.has(before(found.at(-1)))) found.push(this.winner.get(before(found.at(-1))));
      return found;
    };
    const paths = ways.map((each) => new Set(back(each).map(before)));
    const chain = [];
    for (const each of back(row)) {
      chain.unshift(each);
      if (paths.every((path) => path.has(before(each)))) break;
    }
    return chain;
  }

  // --- pointing

  pick(event) {
    const point = event.target.closest(".point");
    if (point) {
      this.chosen = point.place;
      return void this.view.request();
    }
    super.pick(event);
  }
}

/* The lane of each arc: the lowest with room, shortest arcs first. Returns a Map from key to lane. */
function lanesFromBelow(arcs, width) {
  const lanes = [];
  const found = new Map();
  for (const [key, first, after] of [...arcs].sort((a, b) => a[2] - a[1] - (b[2] - b[1]) || a[1] - b[1])) {
    let lane = 0;
    while (lanes[lane]?.subarray(first, after).some((taken) => taken)) lane += 1;
    lanes[lane] ??= new Uint8Array(width);
    lanes[lane].fill(1, first, after);
    found.set(key, lane);
  }
  return found;
}

/* How far the legs of each arc are inside the longer ones that share its end: [left, right], at most 4. */
function insetsOf(arcs) {
  const found = new Map(arcs.map(([key]) => [key, [0, 0]]));
  [1, 2].forEach((end, side) => {
    const sharing = new Map();
    for (const arc of arcs) sharing.set(arc[end], [...(sharing.get(arc[end]) ?? []), arc]);
    for (const group of sharing.values()) {
      group.sort((a, b) => b[2] - b[1] - (a[2] - a[1]));
      group.forEach(([key], index) => (found.get(key)[side] = Math.min(4, index)));
    }
  });
  return found;
}
