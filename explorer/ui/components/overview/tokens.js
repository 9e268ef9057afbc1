/* The text in its tokens: one run of characters per token, its id beneath.

   piece = { t, id, s, e, space?, look?, part?, bytes?, joins? } (explorer/views/overview.py). A character that
   several tokens share is drawn once, across their colors, with a bracket above and dashed seams between them. */

/* For how many letters at most, the size, whether ids are shown. The first of these at which all lines are in view. */
const SIZES = [
  [55, "large", true],
  [170, "medium", true],
  [170, "medium", false],
  [Infinity, "small", false],
];

/* The last character of a text as it is shown: one that can't be seen has a label, a mark alone stands on a dotted circle
   (explorer/text/say.py). */
function lastSign(text) {
  return /(U\+[0-9A-F]{4,6}|◌\p{M}|.)$/su.exec(text)?.[0] ?? "";
}

class RunningText {
  constructor(choose, hover, ask) {
    this.ask = ask;
    this.node = make("div", { class: "tokens", dir: "auto", attrs: { role: "listbox", "aria-label": "Text in tokens", "aria-orientation": "horizontal" } });
    this.choose = choose;
    this.hover = hover;
    this.at = 0;
    this.node.addEventListener("click", (event) => this.clicked(event));
    this.node.addEventListener("pointerover", (event) => this.hover(this.pieceOf(event)));
    this.node.addEventListener("pointerleave", () => this.hover(null));
    this.node.addEventListener("keydown", (event) => this.pressed(event));
  }

  /* first: the number of the first piece among all tokens. */
  draw(pieces, first) {
    this.first = first;
    this.pieces = pieces;
    this.at = Math.min(this.at, Math.max(0, pieces.length - 1));
    const letters = pieces.reduce((sum, piece) => sum + [...piece.t].length, 0);
    this.largest = SIZES.findIndex(([most]) => letters <= most);
    this.take(SIZES[this.largest]);
    this.nodes = pieces.map((piece, index) => this.token(piece, index));
    this.node.replaceChildren(...this.grouped());
    this.rove(this.at, false);
  }

  fit() {
    for (const size of SIZES.slice(this.largest)) {
      this.take(size);
      if (this.node.scrollHeight <= this.node.clientHeight + 1) return;
    }
  }

  take([, size, ids]) {
    this.node.dataset.size = size;
    this.node.dataset.ids = ids;
  }

  /* Tokens on their way are higher than the line they will be in. */
  get isSettling() {
    return performance.now() < this.settled;
  }

  get isLarge() {
    return this.node.dataset.size === "large";
  }

  token(piece, index) {
    const text = make("b", { class: "text" });
    const spaces = piece.space ?? 0;
    asText(text, piece.part ? piece.t.slice(0, spaces) : piece.t, spaces);
    // a shared character is drawn once for all its tokens (`grouped`); here is only the room for it
    const shown = piece.t.slice(spaces);
    const room = shown.slice(0, shown.length - lastSign(shown).length);
    if (piece.part) text.append(make("i", { class: "share", text: room, attrs: { "aria-hidden": "true" } }));
    const label = `${piece.t}, ${piece.look === "added" ? `${inWords("added")}, ` : ""}${inWords("id {0}", piece.id)}`;
    const node = make("button", {
      class: `token ${piece.look ?? ""}`, data: { index },
      attrs: { type: "button", role: "option", tabindex: "-1", "aria-label": label, title: piece.bytes ? inWords("bytes {0}", piece.bytes) : "" },
    }, text, make("small", { text: plainNumber(piece.id) }));
    if (!piece.bytes) node.removeAttribute("title");
    if (piece.joins) node.classList.add("joins");
    tint(node, piece.look === "added" ? -1 : piece.id);
    return node;
  }

  /* Tokens that share a character stand under one bracket, the character across their colors. */
  grouped() {
    const groups = [];
    this.nodes.forEach((node, index) => {
      const piece = this.pieces[index];
      if (index && !piece.joins) groups.push(this.seam(index - 1));
      if (!piece.joins || !groups.length) return groups.push(node);
      let group = groups.at(-1);
      if (!group.classList.contains("split")) {
        group = make("span", { class: "split" }, group);
        const sign = lastSign(this.pieces[index - 1].t);
        group.append(make("span", { class: sign.startsWith("U+") ? "glyph named" : "glyph", text: sign, attrs: { "aria-hidden": "true" } }));
        groups[groups.length - 1] = group;
      }
      group.insertBefore(node, group.lastChild);
      const sign = lastSign(piece.t);
      if (!group.lastChild.textContent.includes(sign)) group.lastChild.append(sign);
    });
    return groups;
  }

  seam(after) {
    // for the pointer; by keyboard, w on the token before it asks the same
    return make("span", { class: "seam", data: { after }, attrs: { "aria-hidden": "true", title: "Why is there a cut?" } });
  }

  /* The token that a question is about: "token 3 …" or "cut 3 …", counted among all tokens. */
  nodeOf(question) {
    return this.nodes[Number(question.split(" ")[1]) - this.first] ?? null;
  }

  /* A token that is added, and the same one beside it that the text has. */
  ring(on) {
    const isAdded = (at) => this.pieces[at]?.look === "added";
    const twice = (at, other) => this.pieces[at].id === this.pieces[other]?.id && isAdded(at) !== isAdded(other);
    this.nodes?.forEach((node, at) => setClass(node, "twice", on && (twice(at, at - 1) || twice(at, at + 1))));
  }

  mark(selection, hover) {
    this.nodes?.forEach((node, index) => {
      const { s, e } = this.pieces[index];
      markSpan(node, s, e, selection, hover);
      node.setAttribute("aria-selected", String(spansOverlap(s, e, selection)));
    });
  }

  /* The tokens hop, one after the other, as the letters below rise to them: the tree has its last merge. They stay in sight. */
  settle() {
    this.settled = performance.now() + 800 + 45 * Math.min(60, this.nodes.length);
    this.nodes.slice(0, 60).forEach((node, index) =>
      node.animate([{}, { translate: "0 -6px" }, {}], { duration: 420, delay: 350 + 45 * index, easing: "ease-in-out" }));
  }

  pieceOf(event) {
    const node = event.target.closest?.(".token");
    return node ? this.pieces[Number(node.dataset.index)] : null;
  }

  clicked(event) {
    const seam = event.target.closest?.(".seam");
    if (seam) return this.ask(Number(seam.dataset.after));
    const node = event.target.closest?.(".token");
    if (!node) return;
    this.rove(Number(node.dataset.index), false);
    this.choose(this.pieces[this.at], this.at);
  }

  pressed(event) {
    const last = this.pieces.length - 1;
    if (keyName(event) === "w") {
      event.preventDefault();
      event.stopPropagation();
      if (this.at < last) this.ask(this.at);
      return;
    }
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[keyName(event)];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.rove(Math.max(0, Math.min(last, to)), true);
  }

  /* One tab stop for all tokens: the arrow keys move within. */
  rove(index, focus) {
    this.nodes[this.at]?.setAttribute("tabindex", "-1");
    this.at = index;
    const node = this.nodes[index];
    node?.setAttribute("tabindex", "0");
    if (focus) node?.focus();
  }
}
