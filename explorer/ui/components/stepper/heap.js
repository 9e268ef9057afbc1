/* The queue as the binary heap that stores it. Track row under array index i: [queue key]; the children of i are 2i+1
   and 2i+2. Draws up to fifteen nodes (four levels), seven in a narrow panel. */

const HEAP_NODES = 15;

class Heap extends Panel {
  constructor(view, track) {
    super(view, track.title, track.note);
    this.track = track;
    this.queue = view.player.track(track.of);
    this.tree = make("div", { class: "tree" });
    this.idle = make("p", { class: "none idle" });
    this.body.append(this.tree, this.idle);
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("aria-hidden", "true");
    this.nodes = Array.from({ length: HEAP_NODES }, (_, index) => this.makeNode(index, svg));
    this.tree.append(svg, ...this.nodes.map((node) => node.node));
  }

  makeNode(index, svg) {
    const pointOf = (i) => {
      const level = 31 - Math.clz32(i + 1);
      return { level, across: (100 * (2 * (i + 1 - 2 ** level) + 1)) / 2 ** (level + 1) };
    };
    const here = pointOf(index);
    const node = { text: make("bdi"), value: make("small") };
    node.node = make("div", { class: index ? "node" : "node top" }, node.text, node.value);
    node.node.style.left = `${here.across}%`;
    node.node.style.top = `calc(${here.level} * var(--level))`;
    if (index > 0) {
      const above = pointOf((index - 1) >> 1);
      node.line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      // The drawing always has four levels, so lines need no measuring: y is a percentage of its height.
      const y = (level) => `${25 * level + 9}%`;
      const ends = { x1: `${above.across}%`, y1: y(above.level), x2: `${here.across}%`, y2: y(here.level) };
      for (const [name, value] of Object.entries(ends)) node.line.setAttribute(name, value);
      svg.append(node.line);
    }
    return node;
  }

  start() {
    this.use = this.view.player.fullness(this.queue.index);
    this.idleShown = null;
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.limit = narrow ? 7 : HEAP_NODES;
    const levels = Math.ceil(Math.log2(Math.min(this.use.most, this.limit) + 1));
    this.tree.style.setProperty("--levels", Math.max(1, levels));
  }

  render(frame) {
    const total = this.queue.rows.size;
    const idle = total === 0 && idlePhase(this.use, frame.step);
    setClass(this.body, "is-idle", idle);
    this.idle.hidden = total > 0;
    if (total === 0) setText(this.idle, inWords(idle === "never" ? "No queue, no heap." : "No nodes: the queue is empty."));
    setText(this.count, total > this.limit ? `top ${this.limit} of ${counted(total, "entry", "entries")}` : "");
    const moved = this.view.player.justPut(this.track.index);
    this.nodes.forEach((node, index) => this.show(node, index, moved));
  }

  show(node, index, moved) {
    const key = index < this.limit ? this.track.rows.get(index)?.[0] : undefined;
    const row = key === undefined ? undefined : this.queue.rows.get(key);
    node.node.hidden = row === undefined;
    if (node.line) node.line.style.display = row === undefined ? "none" : "";
    if (!row) return;
    showText(node.text, this.view.texts, row[0], this.view.labels);
    setText(node.value, this.view.texts[row[2]] ?? "");
    setClass(node.node, "stale", row[6]);
    setClass(node.node, "moved", moved.has(index) && !row[6]);
  }
}
