/* What goes with the visitor to every page: the tokenizer, the text and its tokens' colors. A click opens both to change them,
   × sets both back, which can be undone for a while.

   The text follows each key by itself, and the colors follow what is drawn ("explorer-context"); Python sends both with
   each page. The tab keeps them for a session that is new (`keptContext`). */

const UNDO_MS = 8000;
const CONTEXT = "explorer context";
const CHIP_TEXT = 40; // code points

class Chip {
  constructor(set, palette) {
    this.set = set;
    this.palette = palette;
    this.sign = make("span", { class: "pa-icon", attrs: { "aria-hidden": "true" } });
    this.bars = make("span", { class: "ch-bars", attrs: { "aria-hidden": "true" } });
    this.name = make("b");
    this.text = make("bdi", { class: "ch-text" });
    this.open = make("button", { class: "ch-open", attrs: { type: "button" }, on: { click: () => this.show() } }, this.sign, this.bars, this.name, this.text, make("span", { class: "ch-caret", attrs: { "aria-hidden": "true" } }));
    this.again = make("button", { class: "ch-again", text: "×", attrs: { type: "button" }, on: { click: () => this.startAgain() } });
    this.undo = make("button", { class: "ch-undo", attrs: { type: "button" }, on: { click: () => this.undone() } });
    this.node = make("div", { class: "ch", attrs: { role: "group" } }, this.open, this.again);
    this.undo.hidden = true;
    this.field = make("input", { attrs: { type: "text", id: "ch-text", maxlength: "100000", spellcheck: "false", autocapitalize: "off", autocomplete: "off" }, on: { change: () => this.takeText(), keydown: (event) => event.key === "Enter" && this.takeText() } });
    this.box = make("div", { class: "ch-box", attrs: { popover: "auto", role: "dialog" } });
    this.open.setAttribute("aria-haspopup", "dialog");
    this.stop = listenTo("explorer-context", ({ detail }) => this.follow(detail));
  }

  update(chip) {
    this.chip = chip;
    this.typed = undefined;
    setText(this.undo, inWords("Undo"));
    this.node.setAttribute("aria-label", inWords("Goes with you to every page"));
    this.open.title = inWords("Goes with you to every page");
    if (this.path !== window.location.pathname) this.drawn = undefined;
    this.path = window.location.pathname;
    // a reload, or a link in the same tab: what the address does not say
    const kept = this.known ? null : readContext();
    // typing may be further than what has come; a page without a field does not answer
    window.dispatchEvent(new CustomEvent("explorer-to-chip"));
    this.drawBars((this.typed !== undefined && this.drawn) || chip.bars);
    if (this.box.matches(":popover-open")) this.drawBox();
    this.draw();
    const fuller = kept && Object.keys(kept).some((name) => kept[name] !== chip.kept[name]);
    if (fuller) this.tellSoon({ set: "kept", ...kept });
    else this.keep();
    this.known = true;
  }

  /* Apart from what the page's parts report as they are drawn: Streamlit warns of one message for two fragments. */
  tellSoon(what) {
    clearTimeout(this.tells);
    this.tells = setTimeout(() => (streamlitApp().dataset.testScriptState === "running" ? this.tellSoon(what) : this.set(what)), 100);
  }

  /* The text as it is typed; null for the one that a page begins with. */
  follow({ text, bars }) {
    if (!this.chip) return;
    if (bars) return this.drawBars((this.drawn = bars));
    this.typed = text;
    this.draw();
    this.keep();
  }

  /* The text and the tokenizer as they are now. */
  here() {
    const { text = null, ...tokenizer } = this.chip.kept;
    return { text: this.typed === undefined ? text : this.typed, m: null, as: null, ...tokenizer };
  }

  /* Whether a link shows its own in place of the visitor's, who has not changed it since. */
  get linked() {
    const { link } = this.chip;
    const here = this.here();
    return Object.keys(link).length > 0 && Object.keys(link).every((name) => here[name] === link[name]);
  }

  /* What the tab keeps is the visitor's own. */
  keep() {
    const here = { ...this.here(), ...(this.linked && this.chip.own) };
    keepContext(Object.fromEntries(Object.entries(here).filter(([, value]) => value !== null)));
  }

  draw() {
    const text = this.typed === undefined ? this.chip.text : this.typed;
    const icon = this.linked ? "link" : this.chip.icon;
    this.node.hidden = !text && !this.chip.kept.m && !this.linked;
    setText(this.name, this.chip.name);
    this.sign.hidden = !icon;
    this.sign.dataset.icon = icon;
    this.again.title = this.linked ? inWords("From a link. Back to your own text and tokenizer") : inWords("Start again with the first text and tokenizer");
    this.again.setAttribute("aria-label", this.again.title);
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

  show() {
    this.more = false;
    this.drawBox();
    this.box.showPopover();
    const { right, bottom } = placeOf(this.node);
    this.box.style.top = `${bottom + 8}px`;
    this.box.style.left = `${Math.max(8, right - this.box.offsetWidth)}px`;
    this.field.focus();
  }

  /* The text, and the tokenizers that are open: the visitor's own, uploads, those of the Hub; all others behind a button. */
  drawBox() {
    const { tokenizers } = this.chip;
    const others = tokenizers.filter(({ own }) => !own).length;
    const act = (icon, text, click) => make("button", { class: "btn", attrs: { type: "button" }, on: { click } }, iconOf(icon), make("span", { text }));
    const close = (then) => () => {
      this.box.hidePopover();
      then();
    };
    this.field.value = (this.typed === undefined ? this.chip.kept.text : this.typed) ?? this.chip.first;
    this.box.setAttribute("aria-label", inWords("Goes with you to every page"));
    this.box.replaceChildren(
      make("h2", { text: inWords("Goes with you to every page") }),
      make("label", { text: inWords("Text"), attrs: { for: "ch-text" } }),
      make("div", { class: "ch-field" }, this.field),
      make("p", { text: inWords("Tokenizer"), attrs: { id: "ch-tokenizers" } }),
      make("div", { attrs: { role: "radiogroup", "aria-labelledby": "ch-tokenizers" } }, ...tokenizers.filter(({ own }) => own || this.more).map((each) => this.tokenizer(each))),
      make("div", { class: "ch-acts" },
        ...(this.more ? [] : [act("add", inWords("Another of the {0}", others), () => {
          this.more = true;
          this.drawBox();
        })]),
        act("upload_file", inWords("A file"), close(() => this.palette.chooseFile())), act("cloud_download", inWords("The Hub"), close(() => {
          this.palette.show();
          this.palette.hint("org/name");
        }))),
      make("div", { class: "ch-end" }, make("button", { class: "ch-first", text: this.linked ? inWords("Back to your own text and tokenizer") : inWords("Start again with {0}", this.chip.first), attrs: { type: "button" }, on: { click: close(() => this.startAgain()) } }), make("small", { text: inWords("also ×") })));
  }

  tokenizer({ m, name, note, icon, chosen }) {
    const radio = make("input", { attrs: { type: "radio", name: "ch-tokenizer", ...(chosen && { checked: "" }) }, on: { change: () => this.set({ set: "choose", m }) } });
    const removes = icon === "archive" ? [] : [make("button", { class: "ch-remove", text: "×", attrs: { type: "button", "aria-label": inWords("Remove {0}", name) }, on: { click: () => this.set({ set: "remove", m }) } })];
    return make("div", { class: "ch-row" }, make("label", {}, radio, make("span", {}, make("bdi", { text: name }), make("small", { text: note })), iconOf(icon)), ...removes);
  }

  takeText() {
    if (this.field.value !== (this.chip.kept.text ?? this.chip.first)) this.set({ set: "text", text: this.field.value.toWellFormed() });
  }

  startAgain() {
    this.set({ set: "first" });
    this.undo.hidden = false;
    this.undo.focus();
    this.hideUndo();
  }

  /* Later, and not while it is about to be pressed. */
  hideUndo() {
    clearTimeout(this.hides);
    this.hides = setTimeout(() => (this.undo.matches(":focus, :hover") ? this.hideUndo() : (this.undo.hidden = true)), UNDO_MS);
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
