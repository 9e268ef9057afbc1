/* What can be taken away from here: ids in three spellings, a link, a frame for slides, a picture of the text. */

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

class Share {
  constructor(view) {
    this.view = view;
    const copy = (label, text) => this.row(label, toClipboard(text), "Copied");
    this.menu = make("div", { class: "menu", attrs: { popover: "auto", role: "menu", "aria-label": inWords("Share") } },
      copy("Link to this step", linkHere),
      copy("Ids for Python", () => idsAs(view.data.ids, "python")),
      copy("Ids as JSON", () => idsAs(view.data.ids, "json")),
      copy("Ids, plain", () => idsAs(view.data.ids, "plain")),
      copy("Frame for a page or slides", () => frameCode(view.saved)),
      this.row("Picture, SVG", () => saveFile("tokens.svg", new Blob([this.picture().svg], { type: "image/svg+xml" })), "Saved"),
      this.row("Picture, PNG", () => savePicture(this.view.root, cardOfTokens(this.view.data)), "Saved"),
      ...(view.saves ? [this.row("Save as a page", () => view.saving.ask(view.contentId), "Saved")] : []),
      ...(view.saved ? [] : [this.row("Tokens as a table, and files", () => this.takeAway(), "Below")]));
    this.button = make("button", { class: "action", text: inWords("Share"), attrs: { type: "button", "aria-haspopup": "menu" }, on: { click: () => this.open() } });
    this.menu.addEventListener("keydown", (event) => this.pressed(event));
  }

  /* Streamlit's expander at the end of the page, which is hidden beside a single stage (pages.css). */
  takeAway() {
    this.menu.hidePopover();
    document.documentElement.setAttribute("data-take-away", "");
    const box = document.querySelector(".st-key-section-take-away");
    if (box && !box.querySelector("details[open]")) box.querySelector("summary")?.click();
    setTimeout(() => box?.scrollIntoView({ block: "start" }), 400);
  }

  picture() {
    return pictureOf(this.view.text.node);
  }

  row(label, act, done) {
    return doingButton(label, act, done, { attrs: { type: "button", role: "menuitem" } });
  }

  open() {
    this.menu.showPopover();
    const { right, bottom } = placeOf(this.button);
    this.menu.style.top = `${bottom + 4}px`;
    this.menu.style.left = `${Math.max(8, right - this.menu.offsetWidth)}px`;
    this.menu.firstElementChild.focus();
  }

  pressed(event) {
    const rows = [...this.menu.children];
    const at = rows.indexOf(event.target.closest("button"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[keyName(event)];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    rows[(to + rows.length) % rows.length].focus();
  }
}
