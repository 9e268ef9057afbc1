/* One walk down a trie as a tree: the path is a straight line with its edges' labels above, the edges not taken hang
   below it. Row k of the track is the node after k edges: [edge, character, id, text, size, branches, state]; an id of -1
   is no token; branches is an index in track.branches, lists of [edge, character, count], a last one without an edge
   counts the others; state 0 passed, 1 taken, 2 beyond the end of this walk. Row -1: [edge, word], why the walk ended.
   Row -2: [text] where the next one begins. */

const TREE_PITCH = 86;
const TREE_LINE = 58; // where the path runs, from the top
const TREE_BRANCH = 25; // between two edges not taken
const TREE_ROOT = 26;
const TREE_FIRST = 14; // the root's edges have the largest numbers
const TREE_END = 86; // after the last node
const TREE_TEXT = 7; // letters above a node

class Tree extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.node.classList.add("scene");
    this.head.hidden = true;
    this.track = track;
    this.lines = svgNode("svg", { "aria-hidden": "true" });
    this.marks = make("div");
    this.plane = make("div", { class: "plane", dir: "ltr" });
    this.plane.append(this.lines, this.marks);
    this.scroller = make("div", { class: "walk", attrs: { tabindex: "0", role: "group", "aria-label": "The walk down the tree" } }, this.plane);
    this.note = make("p", { class: "walk-note", text: track.note });
    this.list = make("ol");
    this.ends = make("p", { class: "ends" });
    this.passed = make("div", { class: "passed" },
      make("p", { class: "passed-head", text: track.title }), make("div", { class: "list", attrs: { tabindex: "0", role: "group", "aria-label": track.title } }, this.list), this.ends);
    this.body.append(make("div", { class: "walk-side" }, this.scroller, this.note), this.passed);
  }

  start() {
    this.shown = "";
  }

  nodes() {
    const found = [];
    for (let key = 0; this.track.rows.has(key); key += 1) {
      const [edge, character, id, text, size, branches, state] = this.track.rows.get(key);
      found.push({ key, edge, character, id, text, size, branches, state, x: TREE_ROOT + key * TREE_PITCH + (key ? TREE_FIRST : 0) });
    }
    return found;
  }

  /* The end of the walk stays in view. */
  follow(frame) {
    this.moved = this.moved || frame.moved;
    if (!this.moved || !this.width) return;
    this.moved = false;
    const nodes = this.nodes();
    this.plane.style.width = `${(nodes.at(-1)?.x ?? 0) + TREE_END}px`;
    const last = nodes.findLast(({ state }) => state !== 2);
    const room = this.narrow ? this.width : this.width - 284;
    const left = last ? Math.max(0, last.x + TREE_END - room) : 0;
    if (left !== this.left) this.scroller.scrollLeft = left;
    this.left = left;
  }

  render() {
    const shown = JSON.stringify([...this.track.rows]);
    if (shown === this.shown) return;
    this.shown = shown;
    const nodes = this.nodes();
    const stop = this.track.rows.get(-1);
    const next = this.track.rows.get(-2);
    this.lines.replaceChildren();
    const parts = [];
    for (const node of nodes) parts.push(...this.drawNode(node, nodes, stop));
    if (stop && nodes.length) parts.push(...this.drawStop(stop, nodes));
    this.marks.replaceChildren(...parts);
    this.drawList(nodes, next);
  }

  text(index) {
    return this.view.texts[index] ?? "";
  }

  path(d, kind) {
    this.lines.append(svgNode("path", { d, class: kind }));
  }

  drawNode(node, nodes, stop) {
    const { key, x, id, state } = node;
    const before = nodes[key - 1];
    const taken = nodes.find((each) => each.state === 1);
    const beyond = state === 2 ? "beyond" : taken && key > taken.key ? "back" : "";
    const parts = [];
    const put = (name, text, left, top, more = {}) => {
      const part = make(more.tag ?? "span", { class: name, text });
      part.style.left = `${left}px`;
      part.style.top = `${top}px`;
      parts.push(part);
      return part;
    };
    if (before) {
      this.path(`M${before.x} ${TREE_LINE}H${x}`, `live ${beyond}`);
      const label = put("edge", this.text(node.edge), (before.x + x) / 2, TREE_LINE - 24);
      // One byte that is a character: both are said.
      if (node.character >= 0) label.append(make("b", { text: this.text(node.character) }));
    } else {
      put("edge start", inWords("start"), x, TREE_LINE - 24);
    }
    const dot = put(`knot ${id >= 0 ? "token" : ""} ${state === 1 ? "taken" : ""} ${beyond}`, "", x, TREE_LINE);
    tint(dot, id);
    if (id >= 0) {
      const whole = this.text(node.text);
      const letters = [...whole];
      const short = state !== 1 && letters.length > TREE_TEXT ? `…${letters.slice(1 - TREE_TEXT).join("")}` : whole;
      const text = put(`spelled ${state === 1 ? "taken" : ""} ${beyond}`, short, x, TREE_LINE - 52, { tag: "bdi" });
      if (short !== whole) text.title = whole;
    }
    const left = key + 1 < nodes.length || stop !== undefined;
    if (left && state !== 2) this.drawBranches(node, put);
    return parts;
  }

  drawBranches({ x, branches }, put) {
    (this.track.branches[branches] ?? []).forEach(([edge, character, count], index) => {
      const y = TREE_LINE + 46 + index * TREE_BRANCH;
      this.path(`M${x} ${TREE_LINE + 8}V${y - 14}Q${x} ${y} ${x + 12} ${y}`, "other");
      const label = put("branch", "", x + 16, y - 10);
      if (edge < 0) return void label.append(inWords("{0} more", formatNumber(count)));
      label.append(make("code", { text: this.text(edge) }));
      if (character >= 0) label.append(make("b", { text: this.text(character) }));
      label.append(make("small", { text: formatNumber(count) }));
    });
  }

  drawStop([edge, word], nodes) {
    const last = nodes.findLast(({ state }) => state !== 2);
    const from = last.x + (last.state === 1 ? 13 : 8);
    const middle = last.x + TREE_PITCH / 2 + (last.key ? 0 : TREE_FIRST / 2);
    const beyond = nodes.length > last.key + 1;
    if (!beyond && edge >= 0) this.path(`M${from} ${TREE_LINE}H${last.x + TREE_PITCH - 16}`, "none");
    const parts = [make("span", { class: "edge none", text: beyond ? "" : this.text(edge) }), make("span", { class: `ending ${edge < 0 ? "quiet" : ""}`, text: this.text(word) })];
    parts[0].style.left = parts[1].style.left = `${middle}px`;
    parts[0].style.top = `${TREE_LINE - 24}px`;
    parts[1].style.top = `${TREE_LINE + (edge < 0 ? -10 : 12)}px`;
    return parts;
  }

  drawList(nodes, next) {
    const tokens = nodes.filter(({ id, state }) => id >= 0 && state !== 2);
    const { texts, labels } = this.view;
    this.list.replaceChildren(...tokens.map(({ id, text, size, state }) => {
      const chip = make("bdi", { class: "token-chip" });
      showText(chip, texts, text, labels);
      tint(chip, id);
      return make("li", { class: state === 1 ? "taken" : "" }, chip, make("span", { class: "num", text: String(id) }), make("small", { text: counted(size, "byte", "bytes") }));
    }));
    const taken = tokens.find(({ state }) => state === 1);
    const words = taken ? [`${this.track.taken} `, make("b", { class: "num", text: String(taken.id) }), inWords(".")] : [];
    if (taken && next?.[0] >= 0) {
      const chip = make("bdi", { class: "q" });
      showText(chip, texts, next[0], labels);
      words.push(make("br"), ...aroundNode(inWords("The next walk starts at {0}"), chip));
    }
    this.ends.replaceChildren(...words);
    if (!tokens.length) this.list.replaceChildren(make("li", { class: "nothing", text: inWords(nodes.length > 1 ? "None so far." : "The walk has not begun.") }));
  }
}

function svgNode(name, attrs) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attrs)) node.setAttribute(key, value);
  return node;
}
