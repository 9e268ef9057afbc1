/* One cell of a row as DOM, for each of the four kinds. Needs row_rules.js.

   The accessible name of a cell is its content, plus a word for screen readers where only the look carries meaning.
   Cells of a row align because the row decides which lines exist (`lines`): a cell without a top text has an empty line
   there if another cell of the row has one.                                                                        */

function rowLines(cells, kind) {
  return {
    top: cells.some((cell) => cell.top),
    sub: cells.some((cell) => cell.sub || cell.tag || cell.part || (kind === "chips" && hasId(cell))),
  };
}

function cellNode(cell, kind, lines) {
  const node = document.createElement("div");
  const look = cell.look && cell.look !== "plain" ? ` ${cell.look}` : "";
  node.className = `cell ${kind === "chips" ? "chip" : kind}${look}`;
  node.setAttribute("role", "option");
  node.setAttribute("aria-selected", "false");
  node.tabIndex = -1;
  if (hasId(cell)) tint(node, cell.id);
  if (cell.part) paintPart(node, cell.part);
  if (lines.top) node.append(small("top", cell.top));
  FILL[kind](node, cell, lines);
  if (kind !== "map" && LOOK_WORDS[cell.look]) node.append(unseen(LOOK_WORDS[cell.look]));
  return node;
}

const LOOK_WORDS = { changed: "changed", inserted: "inserted", dropped: "dropped", special: "special", bad: "invalid" };

function unseen(text) {
  return make("span", { class: "sr", text });
}

const FILL = {
  chips(node, cell, lines) {
    node.append(glyph("b", cell));
    if (lines.sub) node.append(subLine(cell));
  },

  bytes(node, cell, lines) {
    const role = cell.bytes?.[0]?.[2];
    if (role) node.dataset.role = role;
    node.append(glyph("b", cell));
    if (lines.sub) node.append(subLine(cell));
  },

  cards(node, cell, lines) {
    node.append(glyph("b", cell));
    if (lines.sub) node.append(subLine(cell));
    if (cell.bytes?.length) node.append(make("div", { class: "bits" }, ...cell.bytes.map(byteLine)));
    if (cell.fault) node.append(small("fault", cell.fault));
  },

  map(node, cell) {
    const source = cell.t === "" ? make("b", { class: "t nothing" }) : glyph("b", cell);
    source.classList.add("source");
    const mark = cell.to === undefined || cell.to === null ? "same" : cell.to.length ? "turned" : "gone";
    const target = make("span", { class: "target" });
    const arrow = make("span", { class: "arrow" });
    if (mark === "same") {
      target.append(glyph("b", cell));
      target.setAttribute("aria-hidden", "true"); // repeats the text
    } else if (mark === "gone") {
      target.append(make("b", { class: "t nothing", attrs: { "aria-hidden": "true" }, text: "∅" }));
      arrow.append(unseen("dropped"));
    } else {
      target.append(...cell.to.map((part) => glyph("b", part)));
      arrow.append(unseen(cell.t === "" ? "inserted" : "becomes"));
    }
    node.classList.add(mark);
    node.append(source, arrow, target);
    // Nothing follows below, so other cells need no empty line: one pill must not double the height of a long map.
    if (cell.sub || cell.tag || cell.part) node.append(subLine(cell));
  },
};

/* The main text, isolated from its neighbors' direction. The zero-width space that cells.css appends keeps a combining
   mark at the start of the next text off its last letter. */
function glyph(tag, cell) {
  const node = document.createElement(tag);
  node.className = cell.control ? "t label" : "t";
  node.dir = "auto";
  node.textContent = cell.t;
  return node;
}

function small(name, text) {
  const node = document.createElement("small");
  node.className = name;
  node.textContent = text || "\u00a0"; // keeps the line's height
  return node;
}

function subLine(cell) {
  const node = document.createElement("small");
  node.className = "sub";
  const text = cell.sub ?? (hasId(cell) ? String(cell.id) : "");
  if (text) node.append(make("bdi", { text }));
  if (cell.part) node.append(make("span", { class: "of", text: shareOf(cell.part) }), unseen("of the bytes of a character"));
  if (cell.tag) node.append(make("span", { class: "tag", text: cell.tag }));
  if (!node.firstChild) node.textContent = "\u00a0";
  return node;
}

/* Bytes [first, last) of the `of` bytes of a character: "1–2/4". */
function shareOf([first, last, of]) {
  return `${first + 1}${last - first > 1 ? `–${last}` : ""}/${of}`;
}

function paintPart(node, [first, last, of]) {
  node.classList.add("part");
  node.style.setProperty("--first", first);
  node.style.setProperty("--last", last);
  node.style.setProperty("--of", of);
}

function byteLine([value, prefix, role]) {
  const bits = value.toString(2).padStart(8, "0");
  return make(
    "div",
    { class: "byte", data: { role } },
    make("span", { class: "hex", text: hex(value) }),
    make("span", { class: "prefix", attrs: { "aria-hidden": "true" }, text: bits.slice(0, prefix) }),
    make("span", { class: "payload", attrs: { "aria-hidden": "true" }, text: bits.slice(prefix) }),
  );
}
