/* The menus above the stages: what can be copied, what can be shared, what else can be asked of the text. */

function idsAs(ids, form) {
  const list = JSON.parse(ids);
  return { python: `ids = [${list.join(", ")}]`, json: JSON.stringify(list), plain: list.join(" ") }[form];
}

/* saved: whether the frame shows this file, which lies beside the page that has the frame. */
function frameCode(saved) {
  const url = placeHere();
  if (!saved) url.searchParams.set("embed", "true");
  const escaped = (saved ? `${url.pathname.split("/").at(-1)}${url.search}` : url.href).replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${escaped}" width="1216" height="700" style="border:0" title="Tokenizer explorer"></iframe>`;
}

/* The tokens as an SVG, from their places on the page. */
function pictureOf(node) {
  const around = node.getBoundingClientRect();
  const root = getComputedStyle(node);
  const parts = [];
  const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
  const box = (part) => {
    const rect = part.getBoundingClientRect();
    return { x: rect.left - around.left + 8, y: rect.top - around.top + node.scrollTop + 8, width: rect.width, height: rect.height };
  };
  const words = (part, text, middle) => {
    const style = getComputedStyle(part);
    const { x, y, width, height } = box(part);
    const size = Number.parseFloat(style.fontSize);
    parts.push(
      `<text x="${x + (middle ? width / 2 : 0)}" y="${y + height / 2 + size * 0.34}" font-size="${size}" font-family="${escape(style.fontFamily)}" fill="${style.color}"${middle ? ' text-anchor="middle"' : ""} xml:space="preserve">${escape(text)}</text>`,
    );
  };
  for (const token of node.querySelectorAll(".token")) {
    const text = token.querySelector(".text");
    const { x, y, width, height } = box(text);
    const style = getComputedStyle(text);
    parts.push(`<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="6" fill="${style.backgroundColor}" stroke="${style.borderBottomColor}"/>`);
    words(text, text.textContent, true);
    const id = token.querySelector("small");
    if (id.offsetParent) words(id, id.textContent, true);
  }
  for (const glyph of node.querySelectorAll(".glyph")) words(glyph, glyph.textContent, true);
  const width = Math.ceil(around.width + 16);
  const height = Math.ceil(node.scrollHeight + 16);
  return { width, height, svg: `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${pageColor(root)}"/>${parts.join("")}</svg>` };
}

function pageColor(style) {
  return style.getPropertyValue("--bg").trim() || "#fff";
}

/* The text in its tokens as a card; a token that is a part of a character is its bytes. */
function cardOfTokens({ tokens, outside, title, stages }) {
  const count = outside[0] + tokens.length + outside[1];
  const boxes = tokens.map((piece) => ({ t: piece.part ? piece.bytes ?? piece.t : piece.t, id: piece.id, look: piece.look, bytes: Boolean(piece.part) }));
  const facts = stages.map(({ name, result }) => `${name}: ${result}`).join(" · ");
  return { say: inWords("{0} with {1}", counted(count, "token", "tokens"), title), facts, rows: [{ boxes }] };
}

/* A button that opens a list of actions. rows: buttons with the role menuitem, and what stands between them. */
class Menu {
  constructor(label, rows, more = "") {
    this.node = make("div", { class: `menu ${more}`, attrs: { popover: "auto", role: "menu", "aria-label": label } }, ...rows);
    this.button = make("button", { class: "action", text: label, attrs: { type: "button", "aria-haspopup": "menu", "aria-expanded": "false" }, on: { click: () => this.open() } });
    if (!more) setClass(this.button, "lists", true);
    this.node.addEventListener("keydown", (event) => this.pressed(event));
    this.node.addEventListener("toggle", ({ newState }) => this.button.setAttribute("aria-expanded", String(newState === "open")));
  }

  get rows() {
    return [...this.node.querySelectorAll("[role=menuitem]")].filter((row) => row.checkVisibility());
  }

  open() {
    this.node.showPopover();
    const { right, bottom } = placeOf(this.button);
    this.node.style.top = `${bottom + 4}px`;
    this.node.style.left = `${Math.max(8, right - this.node.offsetWidth)}px`;
    this.rows[0].focus();
  }

  pressed(event) {
    const { rows } = this;
    if (event.key === "Escape") {
      event.preventDefault();
      this.node.hidePopover();
      return this.button.focus();
    }
    const at = rows.indexOf(event.target.closest("button"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[keyName(event)];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    rows[(to + rows.length) % rows.length].focus();
  }
}

function menuRow(label, act, done) {
  return doingButton(label, act, done, { attrs: { type: "button", role: "menuitem" } });
}

function copyMenu(view) {
  const copy = (label, form) => menuRow(label, toClipboard(() => idsAs(view.data.ids, form)), inWords("Copied"));
  return new Menu(inWords("Copy"), [
    copy(inWords("Ids, plain"), "plain"),
    copy(inWords("Ids for Python"), "python"),
    copy(inWords("Ids as JSON"), "json"),
    ...(view.saved ? [] : [menuRow(inWords("Tokens as a table, and files"), () => takeAway(view.copy), inWords("Below"))]),
  ]);
}

function shareMenu(view) {
  const picture = () => pictureOf(view.text.node);
  return new Menu(inWords("Share"), [
    menuRow(inWords("Link to this step"), toClipboard(linkHere), inWords("Copied")),
    menuRow(inWords("Frame for a page or slides"), toClipboard(() => frameCode(view.saved)), inWords("Copied")),
    menuRow(inWords("Picture, SVG"), () => saveFile("tokens.svg", new Blob([picture().svg], { type: "image/svg+xml" })), inWords("Saved")),
    menuRow(inWords("Picture, PNG"), () => savePicture(view.root, cardOfTokens(view.data)), inWords("Saved")),
    ...(view.saves ? [menuRow(inWords("Save as a page"), () => view.saving.ask(view.contentId), inWords("Saved"))] : []),
  ]);
}

/* Streamlit's expander at the end of the page, which is hidden beside a single stage (pages.css). */
function takeAway(menu) {
  menu.node.hidePopover();
  document.documentElement.setAttribute("data-take-away", "");
  const box = document.querySelector(".st-key-section-take-away");
  if (box && !box.querySelector("details[open]")) box.querySelector("summary")?.click();
  setTimeout(() => box?.scrollIntoView({ block: "start" }), 400);
}

/* Drawn by hand: a saved page has no font of icons. */
const SIGNS = {
  border: "M3 4h6M3 8h6M3 12h6M3 16h6M13 4h4v12h-4z",
  sample: "M10 17v-6L5 6V3M3 5l2-2 2 2M10 11l5-5V3M13 5l2-2 2 2",
  stop: "M10 2a8 8 0 1 0 0 16a8 8 0 1 0 0-16M7 7h6v6H7z",
  stream: "M3 14h3M8.5 14h3M14 14h3M4.5 6v3M10 6v3M15.5 6v3",
  all: "M3 3h14M3 7h14v6H3zM3 17h14",
  lecture: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
  keys: "M2 5h16v10H2zM5 8h1M9 8h1M13 8h1M6 12h8",
};

function signOf(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SIGNS[name]);
  svg.append(path);
  return svg;
}

/* What else can be asked of the text, and how it is shown; each with the key that does it. */
function moreMenu(view) {
  const nodes = {};
  const row = (name, key, title, note = "") => {
    const act = () => {
      menu.node.hidePopover();
      view.more(name);
    };
    nodes[name] = make("button", { attrs: { type: "button", role: "menuitem", "aria-keyshortcuts": key }, on: { click: act } }, signOf(name), make("span", {}, make("span", { class: "what", text: title }), ...(note ? [make("small", { text: note })] : [])), make("kbd", { text: key, attrs: { "aria-hidden": "true" } }));
    return nodes[name];
  };
  const group = (title, ...rows) => make("div", { attrs: { role: "group", "aria-label": title } }, make("p", { text: title, attrs: { "aria-hidden": "true" } }), ...rows);
  const menu = new Menu(inWords("More…"), [
    group(inWords("Ask about this text"),
      row("border", "B", inWords("Cut it in two"), inWords("which positions keep the ids, and where to cut instead")),
      row("sample", "O", inWords("Other possible cuts"), inWords("the best ones, or drawn at random as in training")),
      row("stop", "S", inWords("Find a stop string"), inWords("which tokens it ends in, and what streams too late")),
      row("stream", "D", inWords("From ids to text"), inWords("one id at a time, as a program streams them"))),
    group(inWords("Show it"),
      row("all", "A", inWords("All stages on one page"), inWords("to scroll, search and print")),
      row("lecture", "F", inWords("Full screen"), inWords("for a lecture")),
      row("keys", "?", inWords("Keys"))),
  ], "more");
  return Object.assign(menu, { nodes });
}
