/* A cut in the text. Python sends the cuts around the mark; one further away is asked for. What is drawn of one, its
   `face` decides: one tokenizer, or several (faces.js). */

const ASK_MS = 120;
const REST_MS = 700; // then the downloads are those of the mark

class Border {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.kind = make("span", { class: "bd-kind", text: inWords("cut") });
    this.what = make("p", { class: "bd-what" });
    this.across = make("p", { class: "bd-across" });
    const close = make("button", { class: "btn bd-close", attrs: { type: "button" }, on: { click: () => this.close() } }, make("span", { class: "bd-esc", text: "Esc" }), ` ${inWords("Close")}`);
    const head = make("header", { class: "bd-head" }, this.kind, make("div", { class: "bd-words", attrs: { role: "status" } }, this.what, this.across), close);
    this.scale = new Scale((at) => this.go(at));
    this.line = make("p", { class: "bd-line" });
    this.phone = make("div", { class: "bd-phone" }, this.line, make("p", { class: "bd-tip", text: inWords("Press between two characters, or use the buttons below.") }));
    this.columns = make("div", { class: "bd-columns" });
    const button = (text, label, act, kind = "") => make("button", { class: `btn ${kind}`, attrs: { type: "button", "aria-label": label }, on: { click: act } }, ...text);
    const word = (text) => make("span", { class: "bd-word", text });
    const arrow = (text) => make("span", { class: "bd-arrow", text });
    this.back = button([arrow("◂"), word(inWords("Cut"))], "The cut before", () => this.step(-1));
    this.on = button([word(inWords("Cut")), arrow("▸")], "The next cut", () => this.step(1));
    this.keeps = button([], "", () => this.stepKept(1), "main");
    this.word = word;
    this.copy = doingButton("Copy both as ids", toClipboard(() => this.face.bothIds()), "Copied", { class: "btn bd-copy", attrs: { type: "button" } });
    this.legend = make("p", { class: "bd-legend" });
    this.count = make("p", { class: "bd-count num" });
    this.foot = make("footer", { class: "bd-foot" }, this.back, this.on, this.keeps, this.copy, this.legend, this.count);
    this.none = make("p", { class: "none", text: inWords("A cut needs a text of two characters or more.") });
    this.panel = make("section", { class: "bd-panel", attrs: { "aria-label": "Cut it in two" } }, head, this.scale.node, this.phone, this.columns, this.foot);
    this.root.append(this.panel, this.none);
    this.ask = debounce((at) => this.setStateValue("at", `${this.contentId} ${at}`), ASK_MS);
    this.rest = debounce((at) => this.setStateValue("mark", `${this.contentId} ${at}`), REST_MS);
    this.stopKeys = listenTo("keydown", (event) => this.onKey(event));
    this.stopFollowing = onAddress(() => {
      if (address("border") !== null) this.go(addressStep("border") ?? this.at, false);
      else if (this.picture.rows) afterBack(() => this.setStateValue("closed", String(Date.now())));
    });
  }

  destroy() {
    this.ask.cancel();
    this.rest.cancel();
    this.stopKeys();
    this.stopFollowing();
    this.scale.destroy();
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    applyTheme(this.root);
    const { picture, content_id } = data;
    this.none.hidden = picture.length > 1;
    this.panel.hidden = picture.length < 2;
    const other = content_id !== this.contentId;
    if (!other && picture === this.sent) return;
    this.sent = picture;
    this.picture = picture;
    if (other) Object.assign(this, { contentId: content_id, known: picture.at });
    if (picture.length < 2) return;
    const opened = !this.face;
    this.face ??= new (picture.rows ? SeveralTokenizers : OneTokenizer)(this);
    this.face.draw(picture);
    this.nameKept();
    // the URL knows where the mark was left; and it may have moved on since this was asked for
    const linked = this.at === undefined ? addressStep("border") : null;
    const here = (other ? linked : this.at) ?? picture.at;
    this.go(here, address("border") !== null);
    // opened by the button in the row of tools, where arrows choose a tool
    if (opened && !picture.rows && document.activeElement?.closest(".st-key-overview")) this.scale.handle.focus({ preventScroll: true });
  }

  /* Shows a border at once where it is known, and asks for it otherwise. */
  go(at, writes = true) {
    const { length, borders } = this.picture;
    if (length < 2) return;
    this.at = Math.max(1, Math.min(at, length - 1));
    const border = borders[this.at];
    if (writes) writeAddress({ border: String(this.at) });
    const { first, chars } = this.picture;
    const shown = this.at >= first && this.at <= first + chars.length;
    if (shown) this.scale.place(this.at, !border);
    this.count.replaceChildren(...aroundNode(inWords("Cut {0} of {1}").replace("{1}", formatNumber(length - 1)), make("b", { text: formatNumber(this.at) })));
    setClass(this.panel, "waits", !border);
    if (!border) return this.ask(this.at);
    this.ask.cancel();
    if (this.at !== this.known) this.rest((this.known = this.at));
    this.face.show(border);
    this.drawLine();
  }

  fill(node, { template, args, texts }) {
    fillSentence(node, template, args, texts, labelSet());
  }

  headline(say) {
    this.fill(this.what, say);
    this.scale.handle.setAttribute("aria-valuetext", `${this.at}: ${plainSentence(say.template, say.args, say.texts)}`);
  }

  /* On a phone there is no room for a row of characters: a line of text. */
  drawLine() {
    const { chars, first } = this.picture;
    const cut = this.at - first;
    this.line.replaceChildren(
      ...chars.flatMap((text, index) => [
        ...(index === cut ? [make("i", { class: "bd-here" })] : []),
        make("span", { text, on: { click: () => this.go(first + index || 1) } }),
      ]),
    );
  }

  /* Tokens as chips, for a phone. crossed: the spans that have text on both sides of the mark. */
  chips(cells, crossed = []) {
    return cells.map(([start, end, text, ids, fresh]) => {
      const kind = fresh ? "fresh" : crossed.length && start < this.at && this.at < end ? "crossed" : "";
      return make("div", { class: `bd-chip ${kind}` }, make("span", { class: "text", text }), make("small", { class: "num", text: ids.join(" ") }));
    });
  }

  step(by) {
    this.go(this.at + by);
  }

  /* How many keep their ids at the best border that is known: under several tokenizers it may not be all. */
  get most() {
    return Math.max(0, ...this.picture.dots.keeps.map(Number));
  }

  nameKept() {
    const { most, face } = this;
    const some = most > 0 && most < face.all;
    const counts = [most, face.all].map(formatNumber);
    this.keeps.replaceChildren(...(some ? [inWords("Next that {0} of {1} keep", ...counts)] : [inWords("Next that keeps"), this.word(inWords("the ids"))]));
    this.keeps.setAttribute("aria-label", some ? inWords("Next cut at which {0} of {1} keep their ids", ...counts) : inWords("Next cut that keeps the ids"));
    this.keeps.setAttribute("aria-disabled", String(most === 0));
  }

  /* The nearest border in a direction at which the most keep their ids, of those that are known; after the last one the first. */
  stepKept(by) {
    const { first, keeps } = this.picture.dots;
    const { most } = this;
    const kept = most ? [...keeps.keys()].filter((index) => Number(keeps[index]) === most).map((index) => first + index) : [];
    const next = by > 0 ? (kept.find((at) => at > this.at) ?? kept[0]) : (kept.findLast((at) => at < this.at) ?? kept.at(-1));
    if (next !== undefined) this.go(next);
  }

  close() {
    if (!this.picture.rows) return window.dispatchEvent(new CustomEvent("explorer-border"));
    writeAddress({ border: null }, true);
    this.setStateValue("closed", String(Date.now()));
  }

  onKey(event) {
    const ours = onGround() || this.root.getRootNode().host === document.activeElement;
    if (event.defaultPrevented || !ours || ["text", "select", "range"].includes(typingIn(event))) return;
    const actions = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      "Shift+ArrowLeft": () => this.stepKept(-1), "Shift+ArrowRight": () => this.stepKept(1),
      Escape: () => this.close(),
    };
    const action = actions[keyName(event)];
    if (!action || this.panel.hidden) return;
    if (document.documentElement.hasAttribute("data-lecture") && event.key === "Escape") return;
    event.preventDefault();
    action();
  }
}

const borderViews = mounts();

export default function (component) {
  borderViews.get(component, () => new Border(component)).update(component);
  return () => borderViews.drop(component.parentElement);
}
