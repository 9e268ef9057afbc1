/* A lattice: every candidate piece as a bar with its score, under the characters it covers. Row: [first cell, cell
   after the last, text, value, state]; state 0 candidate, 1 on the best path, 2 lost. The track named by `of` gives the
   characters and their rows, so no strip needs to draw them again.

   Bars never overlap: all bars of the script are known, so each has its lane from the start, long pieces in the upper
   lanes. Wide lattices scroll inside the panel; only what is in view is drawn. */

const LATTICE_CELL = { wide: 50, most: 84, narrow: 42 }; // a short text fills the panel, so that its bars have room for their scores
const LATTICE_GAP = 14; // between two fragments
const LATTICE_LANE = 26;
const LATTICE_AXIS = 58;
const LANES_IN_VIEW = 14;
const BAR_STATES = ["candidate", "best", "lost"];
const MARK_LOOKS = ["done", "hit", "reject", "gone"];

class Lattice extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.text = view.player.track(track.of);
    this.axis = make("div", { class: "axis" });
    this.bars = make("div", { class: "bars" });
    this.sideways("lattice", this.axis, this.bars);
    this.none = make("p", { class: "none", text: inWords("The text is empty: no cells.") });
    this.body.append(this.none);
  }

  start() {
    const { cells } = this.text;
    this.drawn = new Map();
    this.axisFrom = -1;
    const bars = new Map(this.view.player.puts(this.track.index).filter(([, row]) => row));
    this.lanes = lanesOf([...bars].map(([key, [first, after]]) => [key, first, after]), cells.length);
    const lanes = Math.max(1, ...this.lanes.values(), 0) + (this.lanes.size ? 1 : 0);
    this.bars.style.height = `${lanes * LATTICE_LANE + 4}px`;
    this.scroller.style.maxHeight = `${LATTICE_AXIS + Math.min(lanes, LANES_IN_VIEW) * LATTICE_LANE + 20}px`;
    this.scroller.hidden = cells.length === 0;
    this.none.hidden = cells.length > 0;
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.lanesInView = Math.max(1, Math.min(LANES_IN_VIEW, Math.floor((this.scroller.clientHeight - LATTICE_AXIS - 20) / LATTICE_LANE)));
    let shift = 0;
    const { cells } = this.text;
    const gaps = cells.filter((cell, index) => index && cell[2] !== cells[index - 1][2]).length * LATTICE_GAP;
    const fits = Math.floor((width - gaps) / Math.max(1, cells.length));
    this.cell = narrow ? LATTICE_CELL.narrow : Math.max(LATTICE_CELL.wide, Math.min(LATTICE_CELL.most, fits));
    this.at = cells.map((cell, index) => {
      if (index && cell[2] !== cells[index - 1][2]) shift += LATTICE_GAP;
      return index * this.cell + shift;
    });
    this.across = cells.length ? this.at.at(-1) + this.cell : 0;
    this.plane.style.width = `${this.across}px`;
    this.plane.style.setProperty("--cell", `${this.cell}px`);
    this.axisFrom = -1;
    for (const bar of this.drawn.values()) bar.position = "";
  }

  follow(frame) {
    // Before any other write of this frame (see VirtualRows.center).
    if (!frame.moved || !this.width || !this.at.length) return;
    const [key] = [...frame.marks.keys()].filter((each) => this.track.rows.has(each));
    const cells = [...frame.marksOf(this.text.index).keys()].filter((each) => each >= 0 && each < this.at.length);
    if (key === undefined && !cells.length) return;
    const row = this.track.rows.get(key);
    const from = this.at[row ? row[0] : Math.min(...cells)];
    const to = this.at[row ? row[1] - 1 : Math.max(...cells)] + this.cell;
    if (row) this.scrollDown(this.lanes.get(key));
    if (from >= this.left && to <= this.left + this.width) return;
    const room = this.across - this.width;
    this.left = Math.max(0, Math.min(room, Math.round((from + to - this.width) / 2)));
    this.scroller.scrollLeft = this.left;
  }

  scrollDown(lane) {
    const top = Math.max(0, lane + 1 - this.lanesInView) * LATTICE_LANE;
    if (top === this.top) return;
    this.top = top;
    this.scroller.scrollTop = top;
  }

  render(frame) {
    if (!this.width) return;
    const inView = (index) => this.at[index] > this.left - 3 * this.cell && this.at[index] < this.left + this.width + 2 * this.cell;
    const first = Math.max(0, this.at.findIndex((_, index) => inView(index)));
    let last = first;
    while (last < this.at.length && inView(last)) last += 1;
    if (this.axisFrom !== first || this.axisTo !== last) this.drawAxis(first, last);
    const drawn = new Map();
    let best = 0;
    for (const [key, row] of this.track.rows) {
      best += row[4] === 1 ? 1 : 0;
      if (row[1] < first || row[0] > last) continue;
      const bar = this.drawn.get(key) ?? this.makeBar(key);
      this.drawn.delete(key);
      this.dress(bar, row, frame, frame.marks.get(key));
      drawn.set(key, bar);
    }
    for (const bar of this.drawn.values()) bar.node.remove();
    this.drawn = drawn;
    const count = this.track.rows.size;
    setText(this.count, count ? `${counted(count, "piece", "pieces")}${best ? `, ${best} on the best path` : ""}` : "");
    const marks = frame.marksOf(this.text.index);
    const group = this.text.rows.get(-1)?.[0] ?? -1;
    for (const cell of this.axis.children) this.dressCell(cell, frame, marks.get(cell.cellIndex), group);
  }

  drawAxis(first, last) {
    this.axisFrom = first;
    this.axisTo = last;
    const cells = [];
    for (let index = first; index < last; index += 1) {
      const [text, label] = this.text.cells[index];
      const glyph = make("b", { dir: "auto" });
      showText(glyph, this.view.texts, text, this.view.labels);
      const node = make("span", { class: "cell" }, make("i", { text: String(label) }), glyph);
      node.style.left = `${this.at[index]}px`;
      node.cellIndex = index;
      cells.push(node);
    }
    this.axis.replaceChildren(...cells);
  }

  /* The cells of an emitted token are one box, in its color. */
  dressCell(node, frame, roles, group) {
    const index = node.cellIndex;
    const [, , own, start, end] = this.text.cells[index];
    let root = index;
    while (root > 0 && this.text.rows.get(root)?.[0] === 0) root -= 1;
    const [span, id] = this.text.rows.get(root) ?? [1, -1];
    tint(node, id);
    setClass(node, "joins", index > root);
    setClass(node, "goes-on", index < root + span - 1);
    setClass(node, "off", group >= 0 && own !== group);
    this.mark(node, frame, roles);
    markSpan(node, start, end, frame.selection, frame.hover);
  }

  makeBar(key) {
    const bar = { text: make("bdi"), value: make("small") };
    bar.node = make("div", { class: "bar", data: { key } }, bar.text, bar.value);
    bar.node.style.top = `${this.lanes.get(key) * LATTICE_LANE}px`;
    this.bars.append(bar.node);
    return bar;
  }

  dress(bar, row, frame, roles) {
    const [first, after, text, value, state] = row;
    const [words, score] = [this.view.texts[text] ?? "", this.view.texts[value] ?? ""];
    const position = `${first}-${after}`;
    if (bar.position !== position) {
      bar.position = position;
      const width = this.at[after - 1] + this.cell - this.at[first] - 4;
      bar.node.style.left = `${this.at[first]}px`;
      bar.node.style.width = `${width}px`;
      bar.value.hidden = roughWidth(words, 12.5) + roughWidth(score, 10.5) + 20 > width;
      bar.node.title = `${words} ${score}`;
    }
    showText(bar.text, this.view.texts, text, this.view.labels);
    setText(bar.value, score);
    BAR_STATES.forEach((name, index) => setClass(bar.node, name, index === state));
    this.mark(bar.node, frame, roles);
    markSpan(bar.node, this.text.cells[first][3], this.text.cells[after - 1][4], frame.selection, frame.hover);
  }

  mark(node, frame, roles) {
    if (roles) node.dataset.k = frame.kind.tone;
    for (const look of MARK_LOOKS) setClass(node, look, roles?.some((role) => role.look === look));
  }
}

/* The lane of each bar: the first with room, longest bars first. Returns a Map from key to lane. */
function lanesOf(bars, width) {
  const lanes = [];
  const found = new Map();
  for (const [key, first, after] of bars.sort((a, b) => b[2] - b[1] - (a[2] - a[1]) || a[1] - b[1])) {
    let lane = 0;
    while (lanes[lane]?.subarray(first, after).some((taken) => taken)) lane += 1;
    lanes[lane] ??= new Uint8Array(width);
    lanes[lane].fill(1, first, after);
    found.set(key, lane);
  }
  return found;
}

/* The approximate width of a monospace text: East Asian characters and emoji take a full em. */
function roughWidth(text, size) {
  let ems = 0;
  for (const ch of text) ems += ch.codePointAt(0) >= 0x1100 ? 1.05 : 0.6;
  return ems * size;
}
