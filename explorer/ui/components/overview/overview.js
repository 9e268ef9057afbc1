/* The top of the page: tokens on the text, what to do with them, and the row of stages. The stage in focus is drawn by
   Python; a click moves the focus at once and tells Python. */

const INSTEAD = ["border", "sample"]; // of a stage, each by its parameter in the address
const ASKS = { border: "border", sample: "sample", stop: "border", stream: "decode" }; // of the menu: where the answer is drawn
const TAB_OF = { stop: ["between", "A stop string"], stream: ["stream", "One by one"] }; // Streamlit's, which writes it once it is chosen there
const STREAMED_TEXT = "LoRA 🤗 東京";
const STREAMED_STEP = "4";
const INSTEAD_ADDRESS = [...INSTEAD, "alpha", "seed", "draws", "rule", "draw", "drawn"]; // and what belongs to it
const LEVELS_OF_HINTS = ["story", "algorithm", "implementation"];
const HINT_HEIGHT = 68; // three lines, as much as the band has
const LAST_STEP = 999_999_999; // an address has at most nine digits; a step that a script lacks is its last

class Overview {
  constructor({ parentElement, data }) {
    this.root = parentElement.querySelector(".tx");
    this.source = Symbol("overview");
    this.saved = Boolean(data.saved); // nobody answers but the file
    this.saves = Boolean(data.saves);
    this.saving = new PageSaving((value) => this.setStateValue("page", value));
    this.hovered = null;
    this.text = new RunningText((piece, index) => this.chosen(piece, index), (piece) => this.pointed(piece), (index) => this.ask("cut", this.data.outside[0] + index));
    this.counts = make("p", { class: "counts num" });
    this.copy = copyMenu(this);
    this.share = shareMenu(this);
    this.moreMenu = moreMenu(this);
    // on Learn the card has it: it goes on when the next card has no such top
    this.lecture = data.leaves ? null : new Lecture((on) => setText(this.lectureButton, inWords(on ? "Leave (Esc)" : "Full screen")));
    this.lectureButton = make("button", { class: "action lecture", text: inWords("Full screen"), attrs: { type: "button", title: inWords("For a lecture (F)") }, on: { click: () => this.more("lecture") } });
    this.why = new WhyCard(this);
    this.offer = make("button", { class: "ask", attrs: { type: "button" }, on: { click: () => this.ask("cut", this.data.asked) } });
    this.hint = make("p", { class: "hint" });
    this.ribbon = new Ribbon((key) => this.focus(key));
    const side = make("div", { class: "side" }, this.counts, toolbar("Actions", [this.copy.button, this.share.button, this.moreMenu.button, this.lectureButton]), this.copy.node, this.share.node, this.moreMenu.node);
    this.root.append(make("div", { class: "band" }, this.text.node, this.hint, side), this.ribbon.node, this.why.node);
    this.stopListening = onSpans(() => this.mark(), (span) => {
      this.hovered = span;
      this.mark();
    });
    this.stopFollowing = onAddress(() => this.followAddress());
    this.stopBorder = [
      listenTo("explorer-border", () => this.data.focus === "border" && this.focus(address("stage") ?? "model")),
      listenTo("explorer-ways", () => this.data.focus === "sample" && this.focus(address("stage") ?? "model")),
      listenTo("keydown", (event) => this.onKey(event)),
      listenTo("explorer-past", ({ detail }) => this.passEnd(detail)),
      listenTo("click", (event) => this.streams(event), true),
    ];
    this.level = address("level") ?? remembered("explorer-level") ?? LEVELS_OF_HINTS[0];
    this.stopLevels = listenTo("explorer-drawn-level", ({ detail }) => {
      this.level = detail;
      this.drawHint();
    });
    this.stopNext = [
      listenTo("explorer-ask", ({ detail }) => this.ask(detail.what, detail.at)),
      listenTo("explorer-next", ({ detail }) => setClass(this.root, "has-next", detail)),
    ];
    this.stopSettling = listenTo("explorer-settled", () => this.text.settle());
    this.observer = new ResizeObserver(() => {
      this.ribbon.reveal();
      if (!this.text.isSettling) this.makeRoom();
    });
    this.observer.observe(this.root);
  }

  destroy() {
    this.stopListening();
    this.stopFollowing();
    this.stopSettling();
    this.stopLevels();
    for (const stop of [...this.stopBorder, ...this.stopNext]) stop();
    this.observer.disconnect();
    this.why.destroy();
    this.lecture?.destroy();
  }

  /* In a frame on another page, only the text, the stages and the stepper are shown (pages.css). */
  embed() {
    document.documentElement.toggleAttribute("data-embed", address("embed") === "true");
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    const first = this.data === undefined;
    this.data = data;
    this.embed();
    applyTheme(this.root);
    if (data.content_id !== this.contentId) {
      this.contentId = data.content_id;
      this.text.draw(data.tokens, data.outside[0]);
      const [before, after] = data.outside;
      const count = before + data.tokens.length + after;
      const many = counted(count, "token", "tokens");
      const ends = data.lone_space === null ? [] : [make("span", { class: "ends" }, ...explained(inWords("ends in a lone space"), new Set()))];
      this.counts.replaceChildren(...(data.name ? [make("small", { text: data.name.split(" · ").map((each) => inWords(each)).join(" · ") })] : []), ...ends, make("span", { class: "count", text: many }));
      this.offerQuestion();
      this.mark();
      if (this.saves) window.dispatchEvent(new CustomEvent("explorer-context", { detail: { bars: data.tokens.filter(({ s, e }) => s < e).slice(0, 8).map(({ id, s, e }) => [id, e - s]) } }));
    }
    window.explorerTop = data;
    window.dispatchEvent(new CustomEvent("explorer-top"));
    this.why.update(data.answer);
    this.saving.take(data.page);
    if (data.opens && data.opens !== this.opened) this.why.ask(`${data.opens.replace(/^\d+ /, "")} ${data.content_id}`);
    else if (this.opened && !data.opens && this.why.node.matches(":popover-open")) this.why.node.hidePopover(); // of the card before
    this.opened = data.opens;
    this.drawHint();
    const { nodes } = this.moreMenu;
    for (const name of Object.keys(ASKS)) nodes[name].hidden = !data.border;
    nodes.all.hidden = !(this.saves || (this.saved && data.explains)) || !data.stages.length;
    nodes.keys.hidden = this.saved;
    nodes.border.parentNode.hidden = !data.border;
    setText(nodes.all.querySelector(".what"), inWords(data.focus === "all" ? "One stage" : "All stages on one page"));
    this.ribbon.node.hidden = !data.stages.length; // a saved page of one stage
    this.ribbon.draw(data.stages, data.focus, data.answers);
    if (first) this.agreeWithAddress();
    this.press(this.ribbon.current);
    this.root.getRootNode().host?.setAttribute("data-drawn", ""); // pages.css: the stage waits for it
  }

  focus(key) {
    if (key === this.ribbon.current) return;
    this.show(key);
    this.report(key);
  }

  show(key) {
    const gone = Object.fromEntries(INSTEAD_ADDRESS.filter((name) => name !== key).map((name) => [name, null]));
    writeAddress(INSTEAD.includes(key) ? { ...gone, [key]: address(key) ?? "" } : { ...gone, stage: key }, true);
    this.press(key);
  }

  /* Not at a level that shows less than what it speaks of. */
  drawHint() {
    const { words = "", level = "", warning = "" } = this.data?.hint ?? {};
    const less = LEVELS_OF_HINTS.indexOf(this.level) < LEVELS_OF_HINTS.indexOf(level);
    setText(this.hint, words && !less ? words : warning);
    setClass(this.hint, "warns", warning && (!words || less));
    this.text.ring(warning !== "");
    this.makeRoom();
  }

  press(key) {
    this.moreMenu.button.setAttribute("aria-pressed", String(INSTEAD.includes(key)));
  }

  /* What the menu asks for. The border, or other cuts, takes the place of the stage, and gives it back. */
  more(name) {
    if (name === "lecture") return this.lecture ? this.lecture.toggle() : window.dispatchEvent(new CustomEvent("explorer-lecture"));
    if (name === "keys") return window.dispatchEvent(new KeyboardEvent("keydown", { key: "?" }));
    if (name === "all") return this.saved ? this.focus(this.data.focus === "all" ? "model" : "all") : this.showAll();
    const key = ASKS[name];
    const again = this.ribbon.current === key && (this.asked ?? name) === name;
    this.asked = name;
    if (again) return this.focus(address("stage") ?? "model");
    if (name === "stream" && this.isFirstText) return this.showStreamed();
    this.show(key);
    if (TAB_OF[name]) writeTab(TAB_OF[name]);
    this.report(key, name);
  }

  /* Whether nobody has typed or opened anything yet. */
  get isFirstText() {
    return !this.saved && ["text", "text_kept", "ids"].every((each) => address(each) === null);
  }

  /* A click on Streamlit's tab: the same as the menu's, before Streamlit hears of it. */
  streams(event) {
    if (!this.data?.border || !this.isFirstText || !event.target.closest?.(`.st-key-${TAB_OF.stream[0]} button:nth-of-type(2)`)) return;
    event.stopPropagation();
    this.showStreamed();
  }

  /* Of the text that every page begins with each id is whole; of this one some are held back until others come. */
  showStreamed() {
    const url = new URL(window.location.href);
    for (const [key, value] of Object.entries({ text: STREAMED_TEXT, stage: ASKS.stream, [TAB_OF.stream[0]]: TAB_OF.stream[1] })) url.searchParams.set(key, value);
    for (const key of ["step", ...INSTEAD_ADDRESS]) url.searchParams.delete(key);
    url.searchParams.set("arrived", STREAMED_STEP);
    openInApp(url);
  }

  /* All stages are on the page that can be saved: it opens in another tab. There the app's Content-Security-Policy holds,
     which lets no script run that is inside the page, so its code is unpacked here (saved/start.js). */
  async showAll() {
    const tab = window.open("", "_blank");
    const { html } = await this.saving.made(this.contentId);
    const page = new DOMParser().parseFromString(html, "text/html");
    const place = new URL(window.location.href);
    place.searchParams.set("stage", "all");
    const packed = Uint8Array.from(atob(page.getElementById("code").textContent), (each) => each.charCodeAt(0));
    const code = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
    for (const node of page.querySelectorAll("meta[http-equiv], script:not([type='application/json'])")) node.remove();
    const runs = new Blob([`window.explorerPlace = ${JSON.stringify(place.href)};\n`, code], { type: "text/javascript" });
    page.body.append(Object.assign(page.createElement("script"), { src: URL.createObjectURL(runs) }));
    tab.location = URL.createObjectURL(new Blob(["<!doctype html>", page.documentElement.outerHTML], { type: "text/html" }));
  }

  onKey(event) {
    const name = { b: "border", o: "sample", s: "stop", d: "stream", a: "all" }[keyName(event)];
    if (!this.data?.border || !name || event.defaultPrevented || this.lecture?.on) return;
    if (["text", "select"].includes(typingIn(event))) return;
    event.preventDefault();
    this.more(name);
  }

  /* asked: what the menu asks for, which may be one of several in the same place. */
  report(stage, asked = stage) {
    this.setStateValue("stage", this.ribbon.asks(stage, asked));
  }

  /* Back and Forward. An address without a stage means the model's; one that this text does not have may come with the
     tokenizer of the address, so Python decides. */
  followAddress() {
    if (this.data.leaves) return; // the lesson follows
    const instead = this.data.border && INSTEAD.find((name) => address(name) !== null);
    const key = instead || (address("stage") ?? "model");
    if (key !== this.ribbon.current) this.report(key);
  }

  /* The stage may have come along from another page of the app, and a reloaded page may find its old session again. */
  agreeWithAddress() {
    if (this.data.leaves) return;
    const key = address("stage");
    if (key === null && !["model", ...INSTEAD].includes(this.data.focus)) writeAddress({ stage: this.data.focus });
    else this.followAddress();
  }

  mark() {
    this.text.mark(currentSelection(), this.hovered);
  }

  /* A token that is chosen is explained, too. */
  chosen(piece, index) {
    const now = currentSelection();
    const again = now !== null && now.start === piece.s && now.end === piece.e;
    if (piece.s >= 0) chooseSpan(piece.s, piece.e, this.source);
    if (!again) this.ask("token", this.data.outside[0] + index);
  }

  /* what: "token" or "cut"; index: of the token among all. */
  ask(what, index) {
    if (!this.data.explains) return;
    this.why.ask(`${what} ${index} ${this.contentId}`);
  }

  /* After the tokens: the first cut inside a word, the one that nothing in the text explains. */
  offerQuestion() {
    const { asked, tokens, outside } = this.data;
    const at = asked === null ? -1 : asked - outside[0];
    const fits = this.text.largest === 0 && tokens[at] && tokens[at + 1];
    if (!fits) return this.offer.remove();
    const name = (piece) => make("bdi", { text: piece.t.trim() });
    const cut = make("span", {}, name(tokens[at]), " ", make("i", { text: "|" }), " ", name(tokens[at + 1]));
    this.offer.replaceChildren(...aroundNode(inWords("Why cut {0}?"), cut));
    this.text.node.after(this.offer);
  }

  /* Where not all has room, the question goes first. Then the text gets smaller. */
  makeRoom() {
    this.offer.hidden = false;
    this.text.fit();
    if (this.text.isLarge && this.hint.offsetHeight <= HINT_HEIGHT) return;
    this.offer.hidden = true;
    this.text.fit();
  }

  /* A step of a stage: the stepper there is told, or reads it from the URL when it is drawn. */
  goTo({ stage, step }) {
    const parameter = stage === "model" ? "step" : stage;
    writeAddress({ stage, [parameter]: String(step) }, true);
    if (stage === this.data.focus) window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter, step } }));
    else this.report(stage);
  }

  /* A presenter's remote past the last step: the next stage opens before its first; past the first: the one before, at
     its end. A second press waits until that stage is drawn. */
  passEnd(by) {
    const keys = [...this.ribbon.nodes.keys()];
    const stage = keys[keys.indexOf(this.data.focus) + by];
    if (this.data.leaves || this.ribbon.current !== this.data.focus || !keys.includes(this.data.focus) || stage === undefined) return;
    this.goTo({ stage, step: by > 0 ? 0 : LAST_STEP });
  }

  pointed(piece) {
    const span = piece && piece.s >= 0 ? { start: piece.s, end: piece.e } : null;
    if (span?.start === this.hovered?.start && span?.end === this.hovered?.end) return;
    hoverSpan(span, this.source);
  }
}

function writeTab([name, value]) {
  const url = placeHere();
  url.searchParams.set(name, value);
  window.history.replaceState(window.history.state, "", url);
}

/* Buttons in a row with one tab stop: the arrow keys move within. */
function toolbar(label, buttons) {
  const node = make("div", { class: "actions", attrs: { role: "toolbar", "aria-label": label } }, ...buttons);
  const stop = (chosen) => buttons.forEach((button) => button.setAttribute("tabindex", button === chosen ? "0" : "-1"));
  stop(buttons[0]);
  node.addEventListener("keydown", (event) => {
    const shown = buttons.filter((button) => button.offsetParent);
    const at = shown.indexOf(event.target.closest("button"));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: shown.length - 1 }[keyName(event)];
    if (to === undefined || !shown[to]) return;
    event.preventDefault();
    event.stopPropagation();
    stop(shown[to]);
    shown[to].focus();
  });
  return node;
}

const overviews = mounts();

export default function (given) {
  const component = readComponent(given);
  overviews.get(component, () => new Overview(component)).update(component);
  return () => overviews.drop(component.parentElement);
}
