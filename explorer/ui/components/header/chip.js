/* What goes with the visitor to every page: the tokenizer, the text and its tokens' colors. A click leads to the text's field,
   × sets both back, which can be undone for a while.

   The text follows each key by itself, and the colors follow what is drawn ("explorer-context"); Python sends both with
   each page. The tab keeps them for a session that is new (`keptContext`). */

const UNDO_MS = 8000;
const CONTEXT = "explorer context";
const CHIP_TEXT = 40; // code points

class Chip {
  constructor(set) {
    this.set = set;
    this.bars = make("span", { class: "ch-bars", attrs: { "aria-hidden": "true" } });
    this.name = make("b");
    this.text = make("bdi", { class: "ch-text" });
    this.open = make("button", { class: "ch-open", attrs: { type: "button" }, on: { click: () => this.leadsToText() } }, this.bars, this.name, this.text);
    this.again = make("button", { class: "ch-again", text: "×", attrs: { type: "button" }, on: { click: () => this.startAgain() } });
    this.undo = make("button", { class: "ch-undo", attrs: { type: "button" }, on: { click: () => this.undone() } });
    this.node = make("div", { class: "ch", attrs: { role: "group" } }, this.open, this.again);
    this.undo.hidden = true;
    this.stop = listenTo("explorer-context", ({ detail }) => this.follow(detail));
  }

  update(chip) {
    this.chip = chip;
    this.typed = undefined;
    setText(this.undo, inWords("Undo"));
    this.node.setAttribute("aria-label", inWords("Goes with you to every page"));
    this.open.title = inWords("Goes with you to every page");
    this.again.title = inWords("Start again with the first text and tokenizer");
    this.again.setAttribute("aria-label", this.again.title);
    if (this.path !== window.location.pathname) this.drawn = undefined;
    this.path = window.location.pathname;
    // typing may be further than what has come; a page without a field does not answer
    window.dispatchEvent(new CustomEvent("explorer-to-chip"));
    this.drawBars((this.typed !== undefined && this.drawn) || chip.bars);
    this.draw();
    // a reload, or a link in the same tab: what the address does not say
    const kept = this.known ? null : readContext();
    const fuller = kept && Object.keys(kept).some((name) => !(name in chip.kept));
    // apart from what the page's fields report now: Streamlit warns of one message for two fragments
    if (fuller) this.tells = setTimeout(() => this.set({ set: "kept", ...kept }), 100);
    else keepContext(chip.kept);
    this.known = true;
  }

  /* The text as it is typed; null for the one that a page begins with. */
  follow({ text, bars }) {
    if (!this.chip) return;
    if (bars) return this.drawBars((this.drawn = bars));
    this.typed = text;
    this.draw();
    const { text: before, ...tokenizer } = this.chip.kept;
    keepContext({ ...(text !== null && { text }), ...tokenizer });
  }

  draw() {
    const text = this.typed === undefined ? this.chip.text : this.typed;
    this.node.hidden = !text && !this.chip.kept.m;
    setText(this.name, this.chip.name);
    setText(this.text, [...(text ?? "")].slice(0, CHIP_TEXT).join("").replace(/\s+/g, " "));
    this.bars.hidden = this.text.hidden = !text;
  }

  drawBars(bars) {
    this.bars.replaceChildren(...bars.map(([id, letters]) => {
      const bar = make("i");
      tint(bar, id);
      bar.style.flexGrow = Math.min(letters, 6);
      return bar;
    }));
  }

  leadsToText() {
    // a page without a field: its tokenizer, or the page with the field
    if (!window.dispatchEvent(new CustomEvent("explorer-to-text", { cancelable: true }))) return;
    const field = document.querySelector(".st-key-m input");
    if (field) field.focus();
    else document.querySelector(PAGE_LINKS)?.click();
  }

  startAgain() {
    this.set({ set: "first" });
    this.undo.hidden = false;
    clearTimeout(this.hides);
    this.hides = setTimeout(() => (this.undo.hidden = true), UNDO_MS);
    this.undo.focus();
  }

  undone() {
    this.undo.hidden = true;
    this.set({ set: "before" });
    this.open.focus();
  }

  destroy() {
    clearTimeout(this.hides);
    clearTimeout(this.tells);
    this.stop();
  }
}

function readContext() {
  try {
    return JSON.parse(sessionStorage.getItem(CONTEXT));
  } catch {
    return null;
  }
}

function keepContext(kept) {
  try {
    sessionStorage.setItem(CONTEXT, JSON.stringify(kept));
  } catch {} // no storage, or no room in it
}
