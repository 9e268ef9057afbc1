/* What each operation makes of a row of columns: a lane for each layer, a chip for what has changed, a thin line where
   nothing has. A row of the track, under key layer * columns + column: [text, label, look, …], three values a chip.

   track.spans: [start, end] in the original text. track.layers: a layer each: {title, note, look}; look "full": the whole
   text is drawn; "changes": chips where something changes; "quiet": one dim line, nothing changes. A chip's look: 0 as it
   was, 1 new, 2 dropped, 3 taken up by its neighbor, 4 as it was and about to change.

   What is to come is drawn dim. Columns that do not fit are a page; the page of the step's marks is shown. On the level
   Story every lane is drawn, on the others the whole texts and the lane at work. */

const LANE = { full: 50, changes: 50, quiet: 22 };
const LANE_TITLE = 20; // on a phone the title is above its lane
const CHIP_LOOKS = ["", "new", "dropped", "joined", "source"];
const GONE = [2, 3];
const PAGE_OVERLAP = 2;

class Layers extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.columns = track.spans.length;
    this.box = make("div", { class: "layers", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": track.title } });
    this.body.append(this.box);
    this.pagers = [-1, 1].map((way) =>
      make("button", { class: "pager num", attrs: { type: "button" }, on: { click: () => this.turn(way) } }));
    this.pages = make("div", { class: "pages" }, ...this.pagers);
    this.followPointer(this.box);
    this.observer = new ResizeObserver(([entry]) => {
      this.height = entry.contentRect.height;
      this.unscrolled = true;
      this.view.request();
    });
    this.observer.observe(this.box);
  }

  destroy() {
    this.observer.disconnect();
  }

  start() {
    this.whole = this.view.level === "story";
    setClass(this.node, "whole", this.whole);
    this.final = new Map(this.view.player.puts(this.track.index).filter(([, row]) => row));
    this.chipsOf = new Array(this.columns).fill(1);
    for (const [key, row] of this.view.player.puts(this.track.index)) {
      const column = key % this.columns;
      if (row) this.chipsOf[column] = Math.max(this.chipsOf[column], row.length / 3);
    }
    this.page = 0;
    this.lanes = this.track.layers.map((layer, index) => this.lane(layer, index));
    if (!this.columns) this.box.replaceChildren(make("p", { class: "none", text: this.track.empty }));
    else this.box.replaceChildren(...this.lanes.map(({ node }) => node), this.pages);
  }

  lane({ title, note, look }, index) {
    const copy = make("button", {
      class: "copy", attrs: { type: "button", title: "Copy the code points after this operation", "aria-label": inWords("Copy the code points: {0}", title) },
      on: { click: (event) => this.copy(index, event) },
    });
    const head = make("div", { class: "lane-head" }, make("b", { text: look === "quiet" ? `${title}:` : title }), make("small", { text: note }));
    if (look !== "quiet") head.append(copy);
    const cells = make("div", { class: "lane-cells" });
    const last = index === this.track.layers.length - 1 ? " last" : "";
    return { node: make("div", { class: `lane ${look}${last}` }, head, cells), cells, look, index, nodes: new Map(), copy };
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.unscrolled = true;
    const head = narrow ? 0 : 196;
    const least = narrow ? 44 : 58;
    const chip = narrow ? 40 : 46;
    const room = Math.max(least, width - head - 24);
    const widths = this.chipsOf.map((count) => (count > 1 ? count * chip + 8 : least));
    const all = widths.reduce((sum, each) => sum + each, 0);
    const spare = all < room ? Math.min(26, Math.floor((room - all) / Math.max(1, this.columns))) : 0; // whole pixels: their sum fits
    this.widths = widths.map((each) => each + spare);
    this.starts = pagesOf(this.widths, room);
    this.box.style.setProperty("--lane-head", `${head}px`);
    setClass(this.node, "narrow", narrow);
    this.pages.hidden = this.starts.length < 2;
  }

  /* The first column of the page, and the one after its last. */
  range() {
    const [from, to] = this.starts[this.page] ?? [0, 0];
    return { from, to };
  }

  turn(way) {
    this.page = Math.max(0, Math.min(this.page + way, this.starts.length - 1));
    this.turned = true;
    this.view.request();
  }

  follow(frame) {
    if (!this.columns || !this.starts) return;
    const keys = [...frame.marks.keys()];
    this.marked = new Set(keys);
    const last = this.lanes.length - 1;
    const work = keys.map((key) => Math.floor(key / this.columns)).find((layer) => layer !== last);
    this.atWork = frame.step === 0 ? -1 : (work ?? this.atWork ?? -1);
    if (frame.moved) this.turned = false;
    if (keys.length && !this.turned) {
      const column = Math.min(...keys.map((key) => key % this.columns));
      const held = this.starts.findIndex(([from, to], index) => column >= from && (column < to - PAGE_OVERLAP || index === this.starts.length - 1));
      this.page = Math.max(0, held);
    } else if (frame.step === 0 && frame.moved) this.page = 0;
    this.page = Math.min(this.page, this.starts.length - 1);
    this.unscrolled ||= frame.moved;
    if (this.whole && this.unscrolled && this.height) {
      this.unscrolled = false;
      this.scrollTo(this.atWork);
    }
  }

  /* The lane at work comes into view, from heights that are known; the last lane, the text now, sticks to the bottom. */
  scrollTo(layer) {
    const heights = this.track.layers.map(({ look }) => LANE[look] + (this.narrow && look !== "quiet" ? LANE_TITLE : 0));
    const above = (count) => heights.slice(0, count).reduce((sum, each) => sum + each, 0);
    const top = layer <= 0 ? 0 : above(layer);
    const foot = heights[heights.length - 1] + (this.pages.hidden ? 0 : 28);
    const bottom = top + (layer < 0 ? 0 : heights[layer]) + foot;
    const now = this.scrolled ?? 0;
    const wanted = top < now ? top : bottom > now + this.height ? bottom - this.height : now;
    const most = Math.max(0, above(heights.length) + (this.pages.hidden ? 0 : 28) - this.height);
    this.scrolled = Math.min(most, Math.max(0, wanted));
    if (this.scrolled !== now) this.box.scrollTop = this.scrolled;
  }

  render(frame) {
    if (!this.columns || !this.starts) return;
    const { from, to } = this.range();
    const shown = this.whole ? null : this.atWork >= 0 ? this.atWork : this.lanes.findIndex(({ look }) => look === "changes");
    for (const lane of this.lanes) {
      const hidden = shown !== null && lane.look !== "full" && lane.index !== shown;
      if (lane.node.hidden !== hidden) lane.node.hidden = hidden;
      setClass(lane.node, "now", lane.index === this.atWork);
      setClass(lane.node, "coming", lane.look === "changes" && lane.index > this.atWork);
    }
    this.box.dataset.k = frame.kind.tone;
    for (let column = from; column < to; column += 1) this.renderColumn(column, frame);
    for (const lane of this.lanes) {
      for (const [column, cell] of lane.nodes) if (column < from || column >= to) lane.nodes.delete(column), cell.remove();
      placeChildren(lane.cells, [...lane.nodes.keys()].sort((a, b) => a - b).map((column) => lane.nodes.get(column)));
    }
    setText(this.pagers[0], inWords("… {0} before", formatNumber(from)));
    setText(this.pagers[1], inWords("… {0} after", formatNumber(this.columns - to)));
    this.pagers[0].disabled = from === 0;
    this.pagers[1].disabled = to === this.columns;
  }

  /* From the top: a chip where the layer has one, else a line as long as the column holds anything. */
  renderColumn(column, frame) {
    let alive = false;
    const [start, end] = this.track.spans[column];
    for (const lane of this.lanes) {
      const key = lane.index * this.columns + column;
      const put = this.track.rows.get(key);
      const row = put ?? (lane.look === "changes" ? this.final.get(key) : undefined);
      const cell = lane.nodes.get(column) ?? this.cell(lane, column);
      const signature = `${row?.join() ?? ""}/${put ? 1 : 0}/${alive ? 1 : 0}/${this.narrow ? 1 : 0}`;
      if (cell.signature !== signature) {
        cell.signature = signature;
        cell.replaceChildren(...this.chips(row ?? [], lane.look));
        setClass(cell, "through", !row && alive && lane.look !== "full");
        setClass(cell, "yet", row && !put);
      }
      const width = `${Math.floor(this.widths[column])}px`;
      if (cell.style.width !== width) cell.style.width = width;
      setClass(cell, "hit", this.marked.has(key));
      markSpan(cell, start, end, frame.selection, frame.hover);
      if (row) alive = hasLiving(row);
    }
  }

  cell(lane, column) {
    const cell = make("div", { class: "lane-cell", data: { column } });
    lane.nodes.set(column, cell);
    return cell;
  }

  chips(row, look) {
    const chips = [];
    for (let at = 0; at < row.length; at += 3) {
      const glyph = make("b", { dir: "auto" });
      showText(glyph, this.view.texts, row[at], this.view.labels);
      setClass(glyph, "low", this.view.texts[row[at]] === "▁");
      const label = this.view.texts[row[at + 1]] ?? "";
      const small = make("small", { text: row.length === 3 && label && !this.narrow ? `U+${label}` : label });
      chips.push(make("span", { class: `pick ${CHIP_LOOKS[row[at + 2]]}` }, glyph, ...(look === "full" && row[at + 2] === 0 ? [] : [small])));
    }
    return chips;
  }

  /* The code points after a layer, as decimal numbers: of each column, what its last chips up to there leave. */
  vector(layer) {
    const found = [];
    for (let column = 0; column < this.columns; column += 1) {
      let codes = [];
      for (let above = 0; above <= layer; above += 1) {
        const row = this.track.rows.get(above * this.columns + column);
        if (row) codes = living(row).map((at) => parseInt(this.view.texts[row[at + 1]], 16));
      }
      found.push(...codes);
    }
    return found;
  }

  async copy(layer, event) {
    event.stopPropagation();
    const { copy } = this.lanes[layer];
    try {
      await navigator.clipboard.writeText(this.vector(layer).join(" "));
      setClass(copy, "done", true);
      setTimeout(() => setClass(copy, "done", false), 1200);
    } catch {
      copy.title = inWords("The browser does not allow copying");
    }
  }

  spanUnder(event) {
    const column = event.target.closest(".lane-cell")?.dataset.column;
    if (column === undefined) return null;
    const [start, end] = this.track.spans[column];
    return start >= 0 && end > start ? { start, end } : null;
  }
}

/* Where the chips of a row begin that stay in the text. */
function living(row) {
  const found = [];
  for (let at = 0; at < row.length; at += 3) if (!GONE.includes(row[at + 2])) found.push(at);
  return found;
}

function hasLiving(row) {
  return living(row).length > 0;
}

/* Pages of columns that fit into the room, [from, to); each begins with the last columns of the one before. */
function pagesOf(widths, room) {
  const pages = [];
  let from = 0;
  while (from < widths.length) {
    let to = from;
    let used = 0;
    while (to < widths.length && (used + widths[to] <= room || to === from)) used += widths[to++];
    pages.push([from, to]);
    if (to >= widths.length) break;
    from = Math.max(from + 1, to - PAGE_OVERLAP);
  }
  return pages;
}
