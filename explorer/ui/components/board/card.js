/* The details of a cell, on a card beside it. The card overlaps what follows, so nothing moves when it appears. Only a
   card pinned by a click takes the pointer, so that its text can be copied; others don't get in the way of a pointer
   that moves from cell to cell. Needs only base/.                                                                 */

const CARD_GAP = 6;
let cardNumber = 0;

class Card {
  constructor(root) {
    this.root = root;
    this.tokenizer = ""; // whose tokens have a link, by its name in URLs
    this.id = `details${(cardNumber += 1)}`;
    this.links = [];
    this.keys = make("div");
    this.node = make("div", { class: "card", attrs: { role: "tooltip", id: this.id } });
    this.node.hidden = true;
  }

  hide() {
    if (this.node.hidden) return;
    this.node.hidden = true;
    this.shown = null;
    setClass(this.root, "raised", false);
  }

  /* byKeys: the cell has the keyboard's focus. */
  show(cell, node, pinned, byKeys) {
    if (this.shown !== cell) this.fill(cell);
    this.shown = cell;
    setClass(this.node, "pinned", pinned);
    // a tooltip holds nothing that takes the focus
    this.node.setAttribute("role", pinned ? "group" : "tooltip");
    this.node.setAttribute("aria-label", "Details");
    this.keys.replaceChildren(...(byKeys && this.links.length ? [keysToLinks(pinned)] : []));
    this.node.hidden = false;
    setClass(this.root, "raised", true); // above the following components
    this.position(node);
  }

  fill(cell) {
    const name = make("code", { class: cell.control ? "q label" : "q", dir: "auto", text: cell.t || "nothing" });
    const pairs = cell.tip.flatMap(([label, value]) => [
      make("dt", { text: label }),
      make("dd", {}, make("bdi", { text: String(value) })),
    ]);
    this.links = this.tokenizer && Number.isInteger(cell.id) && cell.id >= 0 ? [cellLink(this.tokenizer, cell.id)] : [];
    this.node.replaceChildren(name, make("dl", {}, ...pairs), ...this.links, this.keys);
  }

  /* Below the cell; above it if there is no room below. Nothing else in the board reads layout. */
  position(node) {
    const board = this.root.getBoundingClientRect();
    const cell = node.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.node;
    const fits = cell.bottom + CARD_GAP + height <= window.innerHeight || cell.top < CARD_GAP + height;
    const top = fits ? cell.bottom + CARD_GAP : cell.top - CARD_GAP - height;
    this.node.style.top = `${Math.round(top - board.top)}px`;
    this.node.style.left = `${Math.round(Math.max(0, Math.min(cell.left - board.left, board.width - width)))}px`;
  }
}
