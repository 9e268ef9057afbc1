/* A lattice: every candidate piece as an arc over the cells it covers. Row: [first cell, cell after the last, text,
   value, state]; state 0 candidate, 1 best so far, 2 lost. The cells of the strip named by `of` are the axis. Wide
   lattices scroll sideways inside the panel; only the arcs in view are drawn. */

const ARC_CELL = 50;
const ARC_STEP = 30;
const ARC_LEVELS = 7;
const ARC_STATES = ["candidate", "best", "lost"];

class Arcs extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.cells = view.player.track(track.of).cells;
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.axis = make("div", { class: "axis" });
    this.wide = make("div", { class: "wide", dir: "ltr" }, this.svg, this.axis);
    this.scroller = make("div", { class: "arcs", attrs: { tabindex: "0", role: "group", "aria-label": track.title } }, this.wide);
    this.body.append(this.scroller);
    this.left = 0;
    const spanUnder = (event) => {
      const [, , , start, end] = this.cells[event.target.closest(".cell")?.cellIndex] ?? [0, 0, 0, -1, -1];
      return start < 0 ? null : { start, end };
    };
    this.axis.addEventListener("pointerover", (event) => view.hover(spanUnder(event)));
    this.axis.addEventListener("pointerleave", () => view.hover(null));
    this.axis.addEventListener("click", (event) => {
      const span = spanUnder(event);
      if (span) view.choose(span.start, span.end);
    });
    this.scroller.addEventListener("scroll", () => {
      this.left = this.scroller.scrollLeft;
      view.request();
    }, { passive: true });
  }

  start() {
    this.drawn = new Map();
    this.axisFrom = -1;
    let longest = 1;
    const see = (row) => {
      if (row) longest = Math.max(longest, row[1] - row[0]);
    };
    const { patches } = this.view.player;
    patches.row.forEach((row, i) => patches.track[i] === this.track.index && see(row));
    this.view.script.initial.forEach((p) => p[0] === this.track.index && see(p.slice(2)));
    this.height = 34 + ARC_STEP * Math.min(ARC_LEVELS, longest);
    this.wide.style.width = `${this.cells.length * ARC_CELL + 2}px`;
    this.svg.style.height = `${this.height}px`;
    // All texts above all lines.
    this.lines = document.createElementNS(this.svg.namespaceURI, "g");
    this.words = document.createElementNS(this.svg.namespaceURI, "g");
    this.svg.replaceChildren(this.lines, this.words);
  }

  follow(frame) {
    // Before anything is written in this frame (see VirtualRows.centre).
    const keys = [...frame.marks.keys()].filter((key) => this.track.rows.has(key));
    if (!frame.moved || !keys.length || !this.width) return;
    const [first, after] = this.track.rows.get(keys[0]);
    const from = first * ARC_CELL;
    const to = after * ARC_CELL;
    if (from >= this.left && to <= this.left + this.width) return;
    const room = this.cells.length * ARC_CELL - this.width;
    this.left = Math.max(0, Math.min(room, Math.round((from + to - this.width) / 2)));
    this.scroller.scrollLeft = this.left;
  }

  render(frame) {
    const first = Math.max(0, Math.floor(this.left / ARC_CELL) - 2);
    const last = Math.min(this.cells.length, Math.ceil((this.left + this.width) / ARC_CELL) + 2);
    if (this.axisFrom !== first || this.axisTo !== last) this.drawAxis(first, last);
    const drawn = new Map();
    let best = 0;
    for (const [key, row] of this.track.rows) {
      best += row[4] === 1 ? 1 : 0;
      if (row[1] < first || row[0] > last) continue;
      const arc = this.drawn.get(key) ?? this.makeArc();
      this.drawn.delete(key);
      this.dress(arc, row, frame, frame.marks.get(key));
      drawn.set(key, arc);
    }
    for (const arc of this.drawn.values()) for (const group of [arc.line, arc.word]) group.remove();
    this.drawn = drawn;
    const count = this.track.rows.size;
    setText(this.count, count ? `${counted(count, "piece", "pieces")}${best ? `, ${best} on a best path` : ""}` : "");
    for (const cell of this.axis.children) {
      const [, , , start, end] = this.cells[cell.cellIndex];
      markSpan(cell, start, end, frame.selection, frame.hover);
    }
  }

  drawAxis(first, last) {
    this.axisFrom = first;
    this.axisTo = last;
    const cells = [];
    for (let index = first; index < last; index += 1) {
      const glyph = make("b", { dir: "auto" });
      showText(glyph, this.view.texts, this.cells[index][0], this.view.labels);
      const node = make("span", { class: "cell" }, make("i", { text: String(this.cells[index][1]) }), glyph);
      node.style.left = `${index * ARC_CELL}px`;
      node.cellIndex = index;
      cells.push(node);
    }
    this.axis.replaceChildren(...cells);
  }

  makeArc() {
    const svg = (tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
    const arc = { line: svg("g"), word: svg("g"), path: svg("path"), text: svg("text"), value: svg("text") };
    arc.value.setAttribute("class", "value");
    arc.line.append(arc.path);
    arc.word.append(arc.text, arc.value);
    this.lines.append(arc.line);
    this.words.append(arc.word);
    return arc;
  }

  dress(arc, row, frame, roles) {
    const [first, after, text, value, state] = row;
    const place = `${first}-${after}`;
    if (arc.place !== place) {
      arc.place = place;
      const level = Math.min(ARC_LEVELS, after - first);
      // Long arcs stand outside short ones, so that their legs do not cover each other.
      const inset = 2 + 1.6 * (ARC_LEVELS - level);
      const from = first * ARC_CELL + inset;
      const to = after * ARC_CELL - inset;
      // Long neighbours would write over each other: every other one sits a little higher.
      const top = this.height - ARC_STEP * level - (first % 2 && level > 3 ? 9 : 0);
      const base = this.height;
      const bend = Math.min(14, (to - from) / 2);
      arc.path.setAttribute(
        "d",
        `M${from} ${base} V${top + bend} Q${from} ${top} ${from + bend} ${top} H${to - bend} Q${to} ${top} ${to} ${top + bend} V${base}`,
      );
      for (const node of [arc.text, arc.value]) node.setAttribute("x", (from + to) / 2);
      arc.text.setAttribute("y", top - 3);
      arc.value.setAttribute("y", top + 11);
    }
    setText(arc.text, this.view.texts[text] ?? "");
    setText(arc.value, this.view.texts[value] ?? "");
    const look = roles?.find((role) => role.look)?.look ?? "";
    const name = `arc ${ARC_STATES[state] ?? "candidate"} ${look && `mark-${look}`}`;
    if (arc.name !== name) for (const group of [arc.line, arc.word]) group.setAttribute("class", name);
    arc.name = name;
    if (roles) arc.line.dataset.k = frame.kind.tone;
  }
}
