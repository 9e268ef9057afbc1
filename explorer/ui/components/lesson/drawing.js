/* A small drawing of what a lesson is about, from its own text (views/lesson_drawings.py): a function for each kind.
   It is drawn at its natural size, so that no letter gets small; what does not fit is faded out at the right. */

const DRAWN_HEIGHT = 72;
/* The room of a tile at its narrowest. */
const ROOM = 170;
const BARS = 134;

const svgNode = (name, attrs = {}, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attrs)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

const letterAt = (x, y, text, kind = "") => svgNode("text", { x, y, class: kind, "text-anchor": "middle" }, text.replace(/^\p{M}/u, "◌$&"));

/* A box of a token's color; gray where it is no token. */
function boxAt(x, y, width, height, id, kind = "") {
  const box = svgNode("rect", { x, y, width, height, rx: 4, class: `box ${id < 0 ? "none" : ""} ${kind}` });
  tint(box, id);
  return box;
}

const wide = (text) => [...text].reduce((sum, char) => sum + (char.codePointAt(0) > 0x2e7f ? 14 : 8.2), 0);

const DRAWINGS = {
  bytes({ groups }) {
    const parts = [];
    let x = 1;
    for (const [char, bytes] of groups) {
      const size = 25 * bytes.length - 3;
      parts.push(letterAt(x + size / 2, 22, char === " " ? "·" : char, "large"));
      parts.push(svgNode("path", { d: `M${x + 1} 38v-6h${size - 2}v6`, class: "line" }));
      bytes.forEach((byte, at) => parts.push(boxAt(x + 25 * at, 40, 22, 24, -1), letterAt(x + 25 * at + 11, 57, byte)));
      x += 25 * bytes.length + 4;
    }
    return { parts, width: x };
  },

  /* The emblem: a character over the bytes that no piece holds together. */
  character({ text, bytes }) {
    const size = 44 * bytes.length - 6;
    const parts = [letterAt(1 + size / 2, 20, text, "large"), svgNode("path", { d: `M2 38v-8h${size - 2}v8`, class: "line" })];
    bytes.forEach(([byte, id], at) => parts.push(boxAt(1 + 44 * at, 40, 38, 24, id), letterAt(20 + 44 * at, 57, byte)));
    return { parts, width: size + 2 };
  },

  items({ items }) {
    const parts = [];
    let [x, y] = [1, 7];
    let width = 0;
    for (const [text, id, look] of items) {
      const size = wide(text) + 12;
      if (x > 1 && x + size > ROOM && y === 7) [x, y] = [1, 39];
      parts.push(boxAt(x, y, size, 26, id, look), letterAt(x + size / 2, y + 18, text));
      x += size + 5;
      width = Math.max(width, x);
    }
    if (y === 7) for (const part of parts) part.setAttribute("y", Number(part.getAttribute("y")) + 16);
    return { parts, width };
  },

  normal({ before, after }) {
    const parts = [];
    const place = (at) => 20 + 44 * at;
    before.forEach((char, at) => parts.push(boxAt(place(at) - 15, 2, 30, 26, -1), letterAt(place(at), 20, char === " " ? "·" : char)));
    for (const [char, start, end] of after) {
      const x = (place(start) + place(Math.max(start, end - 1))) / 2;
      const changed = end - start !== 1 || before[start] !== char;
      for (let at = start; at < end; at += 1) parts.push(svgNode("path", { d: `M${place(at)} 28C${place(at)} 38 ${x} 34 ${x} 44`, class: changed ? "way" : "line" }));
      parts.push(boxAt(x - 15, 44, 30, 26, -1, changed ? "made" : ""), letterAt(x, 62, char === " " ? "·" : char));
    }
    return { parts, width: 44 * before.length };
  },

  tree({ leaves, nodes }) {
    const pitch = Math.min(18, ROOM / leaves.length);
    const place = (at) => pitch * (at + 0.5);
    const lines = [];
    const dots = [];
    const top = new Map(leaves.map((_, at) => [at, { x: place(at), level: 0, end: at + 1 }]));
    const highest = Math.max(...levelsOf(nodes, leaves.length));
    const up = (level) => 52 - (level * 46) / Math.max(3, highest);
    for (const [start, middle, end, id] of nodes) {
      const [left, right] = [top.get(start), top.get(middle)];
      const node = { x: (left.x + right.x) / 2, level: 1 + Math.max(left.level, right.level), end };
      for (const child of [left, right]) lines.push(svgNode("path", { d: `M${node.x} ${up(node.level)}C${node.x} ${up(node.level) + 8} ${child.x} ${up(child.level) - 8} ${child.x} ${up(child.level)}`, class: "line" }));
      const dot = svgNode("circle", { cx: node.x, cy: up(node.level), r: 5, class: "dot" });
      tint(dot, id);
      dots.push(dot);
      top.set(start, node);
    }
    return { parts: [...lines, ...dots, ...leaves.map((text, at) => letterAt(place(at), 68, text))], width: pitch * leaves.length };
  },

  queue({ leaves, scores, best }) {
    const place = (at) => 12 + 32 * at;
    const parts = [svgNode("path", { d: `M12 24H${place(leaves.length - 1)}`, class: "line" })];
    leaves.forEach((text, at) => parts.push(boxAt(place(at) - 11, 11, 22, 26, -1, at === best || at === best - 1 ? "made" : ""), letterAt(place(at), 29, text)));
    scores.forEach(([at, score], index) => {
      const x = (place(at) + place(at - 1)) / 2;
      parts.push(svgNode("path", { d: `M${x} 37v${index % 2 ? 17 : 4}`, class: "line" }), letterAt(x, index % 2 ? 68 : 53, score, at === best ? "best" : "number"));
    });
    return { parts, width: 32 * leaves.length };
  },

  lattice({ leaves, arcs }) {
    const place = (at) => 4 + 16.5 * at;
    const parts = leaves.map((text, at) => letterAt(place(at) + 8, 68, text));
    for (const [start, end, , won] of [...arcs].sort((one, other) => one[3] - other[3])) {
      const high = Math.min(44, 10 + 7 * (end - start));
      const [from, to] = [place(start) + 2, place(end) - 2];
      parts.push(svgNode("path", { d: `M${from} 54C${from} ${54 - high} ${to} ${54 - high} ${to} 54`, class: won ? "way" : "line" }));
    }
    return { parts, width: 16.5 * leaves.length + 8 };
  },

  walk({ nodes, taken, stop }) {
    const parts = [];
    nodes.forEach(([byte, id, text], at) => {
      const x = 4 + 24 * (at + 1);
      parts.push(svgNode("path", { d: `M${x - 20} 36h16`, class: at <= taken ? "way" : "line" }), letterAt(x - 12, 26, byte, "number"));
      const dot = svgNode("circle", { cx: x, cy: 36, r: id < 0 ? 3 : 5.5, class: id < 0 ? "dot none" : "dot" });
      tint(dot, id);
      parts.push(dot);
      if (text) parts.push(letterAt(x - (at === nodes.length - 1 ? wide(text) / 2 - 8 : 0), 62, text));
    });
    parts.unshift(svgNode("circle", { cx: 4, cy: 36, r: 3, class: "dot none" }));
    const x = 4 + 24 * nodes.length;
    if (stop) parts.push(svgNode("path", { d: `M${x + 8} 36h14`, class: "lost" }), letterAt(x + 16, 26, stop, "lost-text"));
    return { parts, width: x + 28 };
  },

  attempts({ leaves, tries }) {
    const step = Math.min(20, (ROOM - 4) / leaves.length);
    const parts = leaves.map((text, at) => letterAt(2 + step * (at + 0.5), 14, text));
    const pitch = Math.min(8, 52 / tries.length);
    tries.forEach(([start, end, id], at) => {
      const bar = svgNode("rect", { x: 3 + step * start, y: 20 + pitch * at, width: step * (end - start) - 2, height: Math.max(1.5, id < 0 ? 1.5 : pitch), rx: 1, class: id < 0 ? "try" : "hit" });
      tint(bar, id);
      parts.push(bar);
    });
    return { parts, width: step * leaves.length + 4 };
  },

  rows({ text, rows }) {
    const parts = [...text].map((char, at) => letterAt(BARS * ((at + 0.5) / text.length), 14, char));
    const [top, pitch] = text ? [20, Math.min(17, 52 / rows.length)] : [2, Math.min(18, 70 / rows.length)];
    rows.forEach(([ends, count], at) => {
      const kind = count === rows[0][1] ? "" : count < rows[0][1] ? "fewer" : "more";
      ends.forEach((end, index) => parts.push(svgNode("rect", { x: BARS * (ends[index - 1] ?? 0), y: top + pitch * at, width: Math.max(1, BARS * (end - (ends[index - 1] ?? 0)) - 1.5), height: pitch - 4, rx: 2, class: `share ${kind}` })));
      parts.push(letterAt(BARS + 20, top + pitch * at + pitch / 2 + 3, String(count), "number"));
    });
    return { parts, width: ROOM };
  },

  list({ rows }) {
    const most = Math.max(...rows.map(([, value]) => value));
    // no bars where a text needs their room
    const hasBars = rows.every(([text]) => wide(text) < 82);
    const parts = rows.flatMap(([text, value], at) => [
      ...(hasBars ? [svgNode("rect", { x: 84, y: 3 + 17.5 * at, width: Math.max(3, (38 * value) / most), height: 12, rx: 2, class: "share" })] : []),
      svgNode("text", { x: 1, y: 14 + 17.5 * at }, wide(text + plainNumber(value)) < ROOM - 12 ? text : `${text.slice(0, 13)}…`),
      svgNode("text", { x: ROOM - 2, y: 14 + 17.5 * at, class: "number", "text-anchor": "end" }, plainNumber(value)),
    ]);
    return { parts, width: ROOM };
  },
};

/* How high each node of a tree is. */
function levelsOf(nodes, count) {
  const level = new Array(count).fill(0);
  return nodes.map(([start, middle]) => (level[start] = 1 + Math.max(level[start], level[middle])));
}

/* The drawing of one of the program's lessons; a translated one may have its own. */
const drawingOf = (key) => LESSON_DRAWINGS[key] ?? LESSON_DRAWINGS[key.split(".")[0]];

function lessonDrawing(drawing) {
  const box = make("span", { class: "le-drawing", attrs: { "aria-hidden": "true" } });
  const draw = DRAWINGS[drawing?.kind];
  if (!draw) return box;
  const { parts, width } = draw(drawing);
  const svg = svgNode("svg", { width: Math.ceil(width) + 2, height: DRAWN_HEIGHT });
  svg.append(...parts);
  box.append(svg);
  setClass(box, "long", width > ROOM + 2);
  setClass(box, "wide", width > 116);
  return box;
}
