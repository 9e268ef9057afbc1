/* The details of one cell, on a card beside it. The card lies over what follows, so no height is reserved for it and
   nothing moves when it comes. Only one that was asked for by a click takes the pointer: text can be copied from it,
   and the pointer on its way from cell to cell never runs into one that was not. Needs nothing but base/.         */

const CARD_GAP = 6;
let cardNumber = 0;

class Card {
  constructor(root) {
    this.root = root;
    this.id = `details${(cardNumber += 1)}`;
    this.node = make("div", { class: "card", attrs: { role: "tooltip", id: this.id } });
    this.node.hidden = true;
  }

  hide() {
    if (this.node.hidden) return;
    this.node.hidden = true;
    this.shown = null;
    setClass(this.root, "told", false);
  }

  show(cell, node, held) {
    if (this.shown !== cell) this.fill(cell);
    this.shown = cell;
    setClass(this.node, "held", held);
    this.node.hidden = false;
    setClass(this.root, "told", true); // above the components that follow
    this.place(node);
  }

  fill(cell) {
    const name = make("code", { class: cell.control ? "q label" : "q", dir: "auto", text: cell.t || "nothing" });
    const pairs = cell.tip.flatMap(([label, value]) => [
      make("dt", { text: label }),
      make("dd", {}, make("bdi", { text: String(value) })),
    ]);
    this.node.replaceChildren(name, make("dl", {}, ...pairs));
  }

  /* Below the cell; above it where there is no room below. The only place where the board reads its layout. */
  place(node) {
    const board = this.root.getBoundingClientRect();
    const cell = node.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.node;
    const fits = cell.bottom + CARD_GAP + height <= window.innerHeight || cell.top < CARD_GAP + height;
    const top = fits ? cell.bottom + CARD_GAP : cell.top - CARD_GAP - height;
    this.node.style.top = `${Math.round(top - board.top)}px`;
    this.node.style.left = `${Math.round(Math.max(0, Math.min(cell.left - board.left, board.width - width)))}px`;
  }
}
