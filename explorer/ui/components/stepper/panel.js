/* What the stepper's panels share: the frame with its title, the list that draws only visible rows, and the message of
   an empty panel.

   Every widget has: node (its panel), start() once per script, resize(width, narrow) and render(frame).
   frame = { step, moved, kind, marks, marksOf, selection, hover }; marks: Map from key to roles for this widget's track;
   marksOf(index) returns those of another track.
   No widget reads layout while rendering; a ResizeObserver passes sizes to resize(). */

class Panel {
  constructor(view, title, note = "") {
    this.view = view;
    this.count = make("small", { class: "num" });
    this.head = make("div", { class: "h" }, make("span", { text: title }), " ", this.count);
    if (note) this.head.append(" ", make("small", { text: note }));
    this.body = make("div", { class: "body" });
    this.node = make("div", { class: "panel", attrs: { role: "group", "aria-label": title } }, this.head, this.body);
    this.width = 0;
    this.narrow = false;
  }

  /* Hovering and clicking within `node` point at the text under spanUnder(event). */
  followPointer(node) {
    node.addEventListener("click", (event) => this.pick(event));
    node.addEventListener("pointerover", (event) => this.view.hover(this.spanUnder(event)));
    node.addEventListener("pointerleave", () => this.view.hover(null));
  }

  /* Of a lattice: the span of a token's row, or of a cell of the text. */
  spanUnder(event) {
    const { cells } = this.text;
    const row = this.track.rows.get(Number(event.target.closest(".arc, .bar")?.dataset.key ?? -1));
    const index = event.target.closest(".piece, .cell")?.cellIndex;
    const [first, after] = row ?? [index, index + 1];
    if (first === undefined || cells[first][3] < 0) return null;
    return { start: cells[first][3], end: cells[after - 1][4] };
  }

  pick(event) {
    const span = this.spanUnder(event);
    if (span) this.view.choose(span.start, span.end);
  }

  /* A plane along the text, which scrolls sideways. */
  sideways(kind, ...nodes) {
    this.plane = make("div", { class: "plane", dir: "ltr" }, ...nodes);
    this.scroller = make("div", { class: kind, attrs: { tabindex: "0", role: "group", "aria-label": this.track.title } }, this.plane);
    this.body.append(this.scroller);
    this.left = 0;
    this.followPointer(this.plane);
    this.scroller.addEventListener("scroll", () => {
      this.left = this.scroller.scrollLeft;
      this.view.request();
    }, { passive: true });
  }

  start() {}

  resize(width, narrow) {
    this.width = width;
    this.narrow = narrow;
  }

  render() {}
}

/* A scroller with `count` rows of equal height; only visible rows have nodes. fill(node, index) writes a row. Row i uses
   pool node i mod pool size, so scrolling by one row rewrites one node. `head`, one row high, stays on top. */
class VirtualRows {
  constructor(label, makeRow, fill, head = null) {
    this.fill = fill;
    this.makeRow = makeRow;
    this.headHeight = head ? 26 : 0;
    this.count = 0;
    this.top = 0;
    this.height = 0;
    this.rowHeight = 26;
    this.pool = [];
    this.space = make("div", { class: "all-rows" });
    this.node = make("div", { class: "rows", attrs: { tabindex: "0", role: "group", "aria-label": label } }, ...(head ? [head] : []), this.space);
    this.redraw = perFrame(() => this.render());
    this.node.addEventListener("scroll", () => {
      if (this.top !== this.node.scrollTop) this.wantedRow = undefined; // scrolled by hand
      this.top = this.node.scrollTop;
      this.redraw();
    }, { passive: true });
    this.observer = new ResizeObserver(([entry]) => {
      this.height = entry.contentRect.height - this.headHeight;
      if (this.wantedRow !== undefined) this.center(this.wantedRow); // requested before the height was known
      this.redraw();
    });
    this.observer.observe(this.node);
  }

  destroy() {
    this.observer.disconnect();
    this.redraw.cancel();
  }

  setSize(count, rowHeight) {
    if (count === this.count && rowHeight === this.rowHeight) return;
    this.count = count;
    this.rowHeight = rowHeight;
    this.space.style.height = `${count * rowHeight}px`;
    this.top = Math.min(this.top, Math.max(0, count * rowHeight - this.height));
    for (const node of this.pool) node.rowIndex = -1;
  }

  // Scrolls a row to the middle. Writing scrollTop forces layout of what has changed, so call this before any other
  // write of a frame; then it costs nothing.
  center(index) {
    this.wantedRow = index;
    if (!this.height) return;
    const middle = index * this.rowHeight - (this.height - this.rowHeight) / 2;
    const top = Math.max(0, Math.min(Math.round(middle), this.count * this.rowHeight - this.height));
    if (top === this.top) return;
    this.top = top;
    this.node.scrollTop = top;
  }

  render() {
    const wanted = Math.min(this.count, Math.ceil((this.height || 320) / this.rowHeight) + 2);
    if (this.pool.length !== wanted) {
      this.pool = Array.from({ length: wanted }, () => this.makeRow());
      this.space.replaceChildren(...this.pool);
    }
    if (!wanted) return;
    const first = Math.max(0, Math.min(Math.floor(this.top / this.rowHeight), this.count - wanted));
    for (let index = first; index < first + wanted; index += 1) {
      const node = this.pool[index % wanted];
      if (node.rowIndex !== index) node.style.transform = `translateY(${index * this.rowHeight}px)`;
      this.fill(node, index, node.rowIndex !== index);
      node.rowIndex = index;
    }
  }
}

/* Whether an empty panel is still empty, empty again, or always empty. `use` is player.fullness(). In between, "": a
   track that is empty for a moment keeps its height. */
function idlePhase(use, step) {
  if (use.to < 0) return "never";
  if (step < use.from) return "before";
  return step > use.to ? "after" : "";
}

function idleLine(view, use, step) {
  const jump = (to) =>
    make("button", {
      class: "link num", text: inWords("step {0}", formatNumber(to)), attrs: { type: "button" }, on: { click: () => view.go(to) },
    });
  const phase = idlePhase(use, step);
  if (phase === "never") return [inWords(ALWAYS_EMPTY)];
  if (phase === "before") return aroundNode(inWords("Nothing here yet. The first entry appears at {0}."), jump(use.from));
  return aroundNode(inWords("Empty: the work is done. The last entry left at {0}."), jump(use.to + 1));
}

const ALWAYS_EMPTY = "Stays empty for this text.";

/* Makes `nodes` the children of `list`, moving as few as possible. */
function placeChildren(list, nodes) {
  let here = list.firstChild;
  for (const node of nodes) {
    if (node === here) here = here.nextSibling;
    else list.insertBefore(node, here);
  }
  while (here) {
    const next = here.nextSibling;
    here.remove();
    here = next;
  }
}
