/* The stepper: plays a script step by step. This file connects the player to the widgets and to Streamlit.

   A key press only changes `wanted`; in each frame the player seeks there and the widgets render, so no press is lost.
   The step is written to the URL 350 ms after the last change (base/address.js), and not sent to Python. */

const REPORT_AFTER = 350;
const PLAY_EVERY = 500;
const REST_BEFORE_PLAY = 900; // without a key
const PLAYED_IN = 6000;
const PLAYED_ONE_BY_ONE = 40; // of a longer story; the rest comes at once
const NEW_SCRIPT_WITHIN = 20_000; // milliseconds: a tokenizer may have to be opened for it
const WIDGETS = {
  strip: Strip, queue: Queue, heap: Heap, table: Table, output: Output, lattice: Lattice, bits: Bits, columns: Columns,
  tree: Tree, reading: Reading, rules: Rules, reads: Reads, source: Source, answers: Answers,
  layers: Layers, words: Words, board: Board, template: TemplateSource, parts: Parts, grown: Grown,
};
/* What draws a track at the levels Story and Algorithm, if that is something else. */
const SCENES = { queue: Pairs, inline: ByteLine, lattice: Arcs };
const NAMES_OF_TABS = {
  queue: "Queue", heap: "Heap", log: "Log", code: "Code", rev: "rev_merge", path: "Path", best: "Best sums",
  attempts: "Attempts", word: "Word", rules: "Rules", reads: "What it reads", source: "Source",
  walk: "Tree", symbols: "Symbols",
  bits: "Bits", offsets: "Offsets",
  lookup: "Look-up", vectors: "Vectors", flags: "Flags",
};
const NO_MARKS = new Map();
/* Panels of these types are empty before the first decision. */
const EMPTY_AT_FIRST = ["tree", "lattice", "rules"];

/* The stages around the model open at their result. A model with a queue has symbols to show from the start, where its
   queue is drawn the first pair; the others, and the pre-tokenizer, open at their first decision. A template opens at the
   step that wrote the token in the address. */
function opensAt(player, parameter, level) {
  const token = Number(address("t") ?? -1);
  const wrote = player.track("grown")?.wrote.find(([first, end]) => first <= token && token < end);
  if (wrote) return wrote[2];
  if (["utf8", "partition", "normalize", "post-process", "decode"].includes(parameter)) return player.last;
  const decision = player.landmarks[0] ?? 1;
  if (player.tracks.some(({ type }) => EMPTY_AT_FIRST.includes(type))) return decision;
  const queue = player.tracks.find(({ type }) => type === "queue");
  return queue && level !== "story" ? Math.min(player.fullness(queue.index).from, decision) : 0;
}

class Stepper {
  constructor({ parentElement, data }) {
    this.root = parentElement.querySelector(".tx");
    this.box = make("div", { class: "stepper", attrs: { tabindex: "0", role: "group", "aria-busy": "true" } });
    this.live = make("p", { class: "sr", attrs: { "aria-live": "polite", "aria-atomic": "true" } });
    this.root.append(this.box, this.live);
    this.source = Symbol("stepper");
    this.wanted = 0;
    this.hovered = null;
    this.widgets = [];
    this.request = perFrame((time) => this.render(time));
    this.report = addressLater(() => this.updateAddress(), REPORT_AFTER);
    this.parameter = data.parameter;
    this.given = data.level;
    this.board = data.board ?? null;
    this.level = this.readLevel();
    this.prediction = new Prediction(this);
    this.together = new Together(this);
    this.ending = new Ending(this);
    onPage.add(this);
    this.opening = { step: addressStep(this.parameter), until: Infinity }; // where the next script is opened, if it comes by then
    this.speak = debounce(() => setText(this.live, this.spokenLine()), 250);
    this.box.addEventListener("keydown", (event) => this.onKey(event));
    this.stopListening = onSpans(() => this.request(), (span) => {
      this.hovered = span;
      this.request();
    });
    this.stopSteps = listenTo("explorer-step", ({ detail }) => detail.parameter === this.parameter && this.unlock(detail.step));
    this.stopHints = listenTo("explorer-hint", ({ detail }) => detail.parameter === this.parameter && this.hint(detail.step));
    this.stopArriving = listenTo("explorer-arrived", () => this.arrived());
    this.stopTabs = listenTo("explorer-tab", () => this.showTabs());
    this.stopFollowing = onAddress(() => this.followAddress());
    this.observer = new ResizeObserver((entries) => this.onResize(entries));
    this.observer.observe(this.root);
  }

  destroy() {
    this.pause();
    onPage.delete(this);
    this.request.cancel();
    this.report.cancel();
    this.speak.cancel();
    this.stopListening();
    this.stopFollowing();
    this.stopSteps();
    this.stopHints();
    this.stopArriving();
    this.stopTabs();
    this.together.stop();
    this.ending.destroy();
    this.observer.disconnect();
    for (const widget of this.all()) widget.destroy?.();
    if (this.asking) document.documentElement.removeAttribute("data-asking");
    this.gone = true;
  }

  readLevel() {
    return readLevel(this.given, this.board !== null);
  }

  /* A training is drawn as a board: a decision after the other, in the script's own columns. */
  get onBoard() {
    return this.board !== null && this.level === "story" && Boolean(this.script?.board);
  }

  /* A story of merges that is played to its end, on a page whose text can be changed. */
  get ended() {
    return this.onExplore && this.level === "story" && this.merges !== null && this.player.last > 0 && this.wanted === this.player.last && this.prediction.step === null;
  }

  get onExplore() {
    return this.parameter === "step" && Boolean(window.explorerTop?.border);
  }

  all() {
    return this.transport ? [this.transport, ...this.widgets] : this.widgets;
  }

  // --- data from Python

  async update(component) {
    this.component = component;
    const { data } = component;
    this.together.on = data.together ?? null;
    this.covered = Boolean(data.covered);
    this.beside = Boolean(data.beside);
    this.asks = Boolean(data.asks);
    this.side = data.side;
    this.box.toggleAttribute("data-together", Boolean(data.together));
    this.whose = data.name;
    // links that follow each other quickly: the message of the first may come after the second was followed
    const followed = this.arrival !== undefined && this.arrival !== data.arrival;
    this.arrival = data.arrival;
    this.box.toggleAttribute("data-beside", this.beside);
    applyTheme(this.root);
    this.board = data.board ?? null;
    if (this.given !== data.level) {
      this.given = data.level;
      this.takeLevel(this.readLevel());
    }
    this.latest = data;
    if (data.script_id === this.loadingId) {
      this.from = data.start ?? null;
      // not at a message that was on its way when the link was followed; nor while the script is unpacked, which then opens there
      if (followed && this.loadedId === this.loadingId) this.openSameScript();
      this.transport?.drawTimeline(); // the theme may have changed
      this.request();
      return;
    }
    this.loadingId = data.script_id;
    try {
      const script = await unpack(data.packed);
      if (this.player) await painted(); // first the tokens of the edit, which come in the same moment
      // A newer script may have arrived while this one was unpacked, or the same one to be opened at another step.
      if (this.loadingId === data.script_id && !this.gone) {
        const { start, spot } = this.latest;
        this.load(script, start ?? null);
        this.loadedId = data.script_id;
        if (spot) offerSpan({ start: spot[0], end: spot[1] }, data.script_id);
      }
    } catch (error) {
      this.loadingId = null;
      this.pause();
      this.box.replaceChildren(make("p", { class: "none", text: inWords("The steps can't be read: {0}. Reload the page.", error.message) }));
      console.error(error);
    }
  }

  /* The step at which the script opens without one in the address; the keys for the first step lead to step 0. */
  get start() {
    return clampStep(this.from ?? opensAt(this.player, this.parameter, this.level), this.player.last);
  }

  /* The back button: the same script at another step, or a new script that follows. */
  followAddress() {
    this.opening = { step: addressStep(this.parameter), until: performance.now() + NEW_SCRIPT_WITHIN };
    this.takeLevel(this.readLevel());
    this.showTabs();
    if (this.player) this.go(this.opening.step ?? this.start);
    this.report.cancel(); // if another script follows, its step would be written as one of this script
  }

  /* A link within the page: the script it leads to comes when Python has it, for a new tokenizer after seconds. */
  arrived() {
    this.report.cancel(); // the step of the old script would be written into the new address
    this.opening = { step: addressStep(this.parameter), until: performance.now() + NEW_SCRIPT_WITHIN };
    this.takeLevel(this.readLevel());
    this.showTabs();
  }

  showTabs() {
    for (const column of this.columns ?? []) column.followAddress();
  }

  openSameScript() {
    const step = this.asks ? null : this.opening.step;
    this.opening = { step, until: performance.now() + NEW_SCRIPT_WITHIN };
    this.hinted = 0;
    this.go(step ?? this.start);
    this.prediction.cover(this.covered);
  }

  load(script, start) {
    this.from = start;
    const stoodAtEnd = this.player !== undefined && this.player.last > 0 && this.wanted === this.player.last;
    this.pause();
    this.report.cancel();
    const player = new Player(script);
    for (const widget of this.all()) widget.destroy?.();
    this.script = script;
    this.player = player;
    this.merges = mergesOf(player);
    this.texts = script.texts;
    this.labels = labelSet(script.control);
    this.means = new Map(script.means);
    const linked = performance.now() < this.opening.until && addressStep(this.parameter) === this.opening.step; // no edit since
    const opening = linked && !this.asks ? this.opening.step : null;
    const passing = isGoingBack(); // the text may be back before its tokenizer: its script, which follows, opens at the step
    if (!passing) this.opening.until = 0;
    this.hinted = 0;
    this.wanted = opening === null ? (start === null && stoodAtEnd ? player.last : this.start) : clampStep(opening, player.last);
    this.moved = true;
    this.build();
    this.prediction.cover(this.covered);
    if (opening === null && start === null && !passing && this.level === "story" && address("t") === null) this.introduce();
    if (!passing) this.report(); // also corrects a URL with a step that doesn't exist
    this.request();
  }

  /* At the level that was chosen (stage.js). stops: the steps at which a move of one stops, ascending: on a board its
     decisions, at Story all but inner ones; null for every step. */
  build() {
    const { player } = this;
    this.stops = this.onBoard ? [...new Set([...player.landmarks, player.last])] : this.level === "story" ? player.outerSteps() : null;
    this.transport = new Transport(this);
    this.widgets = [];
    this.widgetOf = new Map();
    const { top, left, right, board } = arrange(this.script, this.level, this.onBoard);
    const made = (names) => names.map((name) => this.widget(name)).filter(Boolean);
    // a card of a lesson is about the tree
    const above = made(this.beside && top.includes("tries") && player.track("cells").inline ? ["cells", "walk"] : top);
    const sides = board?.map((name) => [name]) ?? (this.together.on === null ? [left, right] : [[...left, ...right]]);
    const columns = sides.map(made).filter((widgets) => widgets.length).map((widgets) => new Tabs(widgets));
    this.columns = columns;
    const { narration, buttons, scrub, count, result } = this.transport;
    this.levels = this.levels ?? new LevelSwitch((level) => this.chooseLevel(level));
    this.levels.show(this.level);
    this.levels.node.hidden = this.board !== null;
    this.box.toggleAttribute("data-board", this.onBoard);
    this.box.toggleAttribute("data-training", Boolean(this.script.board));
    this.box.setAttribute("aria-label", this.script.title);
    this.box.removeAttribute("aria-busy");
    this.box.dataset.level = this.level;
    window.dispatchEvent(new CustomEvent("explorer-drawn-level", { detail: this.level }));
    if (this.side) this.box.dataset.side = this.side;
    this.ending.placeIn(this.box, [
      make("div", { class: "headline" }, narration, this.termsButton(), this.levels.node),
      // on a card of Compare it scrolls, and in a lesson on a phone
      make("div", { class: "top", attrs: this.side || this.beside ? { tabindex: "0", role: "group", "aria-label": this.script.title } : {} }, ...above.map(({ node }) => node)),
      make("div", { class: "columns" }, ...columns.map(({ node }) => node)),
    ], make("div", { class: "foot" }, ...(this.whose ? [make("b", { class: "whose" }, make("bdi", { text: this.whose }))] : []), buttons, scrub, count, this.transport.tokens, result));
    this.box.querySelector(".columns").hidden = columns.length === 0;
    this.box.classList.add("unsized");
    this.observer.disconnect();
    this.observer.observe(this.root);
    this.observer.observe(this.box);
    this.box.style.removeProperty("--tallest");
    for (const widget of this.widgets) {
      widget.start();
      this.observer.observe(widget.body);
    }
  }

  termsButton() {
    const title = "Words on this panel";
    return make("button", { class: "terms-button", text: "?", attrs: { type: "button", title, "aria-label": title }, on: { click: () => listTerms(this.root) } });
  }

  /* Whether sentences are told without the data structures. */
  get plain() {
    return this.level !== "implementation";
  }

  chooseLevel(level) {
    if (level === this.level) return;
    remember("explorer-level", level);
    writeAddress({ level });
    this.takeLevel(level);
    this.together.chose(level);
  }

  takeLevel(level) {
    if (level === this.level) return;
    const { player } = this;
    const opened = player && this.wanted === this.start;
    this.level = level;
    if (!player) return;
    if (level !== "story") this.pause();
    if (opened) this.wanted = this.start;
    for (const widget of this.all()) widget.destroy?.();
    for (const track of player.tracks) track.changes = new Changes();
    this.build();
    this.moved = true;
    this.request();
  }

  widget(name) {
    let widget;
    if (name === "log") widget = this.player.last > 0 && new Log(this);
    else if (name === "symbols") widget = new Symbols(this);
    else if (name === "tree") widget = new MergeTree(this);
    else if (name === "tries") widget = new Tries(this);
    else if (name === "whole") widget = new Whole(this);
    else if (name === "code") widget = this.script.code?.lines.length && new Code(this);
    else {
      const track = this.player.track(name);
      if (!track) throw new Error(`the layout names a track that is not there: ${name}`);
      const kind = (this.plain && SCENES[track.inline ? "inline" : track.type]) || WIDGETS[track.type];
      widget = new kind(this, track);
      widget.node.classList.add(`of-${track.type}`);
      this.widgetOf.set(track.index, widget);
    }
    if (!widget) return null;
    widget.panel = name;
    widget.name = this.player.track(name)?.tab ?? inWords(NAMES_OF_TABS[name] ?? name);
    this.widgets.push(widget);
    return widget;
  }

  /* A number of the vocabulary, an index in the string table, which says what it means (ScriptBuilder.explain). */
  showNumber(node, index) {
    setText(node, this.texts[index] ?? "");
    meansHere(node, this.texts[this.means.get(index)] ?? "");
  }

  emptyWords(words) {
    return this.player.last === 0 ? inWords(ALWAYS_EMPTY) : words; // a script without steps has nothing to wait for
  }

  // --- moving

  go(step) {
    this.pause();
    this.show(step);
  }

  /* straight: past what Predict would ask about. */
  show(step, straight = false) {
    if (!this.player) return;
    const { locked } = this;
    const to = Math.min(clampStep(step, this.player.last), this.lastOpen);
    if (locked && to === this.wanted) {
      this.pause();
      return this.request(); // the slider goes back
    }
    if (straight) this.prediction.step = null;
    const wanted = straight ? to : this.prediction.limit(this.wanted, to);
    if (wanted === this.wanted && this.prediction.step === null) return;
    if (this.prediction.step !== null) this.pause();
    this.wanted = wanted;
    this.stepped = true;
    if (locked) this.prediction.cover(this.covered && wanted >= this.start);
    this.moved = true;
    if (!this.playing) this.report();
    this.request();
    this.together.moved();
  }

  /* While a question of a lesson is open, the steps after its own are locked, except those a wrong answer opened. */
  get locked() {
    return this.asks && document.documentElement.dataset.covered !== undefined;
  }

  get lastOpen() {
    return this.locked ? Math.max(this.start, this.hinted) : this.player.last;
  }

  unlock(step) {
    this.pause();
    this.show(step, this.asks); // the answer of a card's question, also while Predict is on
    this.request(); // the buttons, if it stands there already
  }

  hint(step) {
    if (!this.player || !this.locked) return;
    this.hinted = clampStep(step, this.player.last);
    this.pause();
    this.show(this.hinted, true);
  }

  move(by) {
    this.go(this.stepAfter(by));
  }

  /* Where a move of one leads. */
  stepAfter(by) {
    if (!this.stops) return this.wanted + by;
    return by > 0 ? this.stopFrom(this.wanted + 1) : this.stepAt(firstAbove(this.stops, this.wanted - 1));
  }

  /* How many stops there are up to a step, and the step of such a number. */
  placeOf(step) {
    return this.stops ? firstAbove(this.stops, step) : step;
  }

  stepAt(place) {
    return this.stops && place > 0 ? (this.stops[place - 1] ?? this.player.last) : place;
  }

  /* The first stop from a step on. */
  stopFrom(step) {
    return this.stops ? (this.stops[firstAbove(this.stops, step - 1)] ?? this.player.last) : step;
  }

  moveToLandmark(way) {
    const step = way > 0 ? this.player.nextLandmark(this.wanted) : this.player.previousLandmark(this.wanted);
    if (step !== null) this.go(step);
  }

  togglePlay() {
    if (this.prediction.step !== null) this.move(1);
    else if (this.playing) this.pause();
    else if (this.introduction) this.stopIntroduction();
    else this.play();
  }

  play() {
    if (!this.player?.last) return;
    this.pause();
    if (this.wanted === this.player.last) this.show(0);
    this.playing = true;
    this.report.cancel();
    this.due = null;
    this.transport.showPlaying(true);
    this.request();
  }

  /* On the first visit the steps that count are played once, and so is every text that is new on the page. */
  introduce() {
    if (!this.player.landmarks.length) return;
    const first = !remembered("explorer-visited") || this.ending.isGoing();
    if (first) remember("explorer-visited", "yes");
    const known = this.playedText;
    this.playedText ??= textHere();
    if (first) {
      if (!remembered("explorer-visited")) return; // a browser that keeps nothing would see them each time
      this.ending.begin();
      this.playThrough();
    } else if (this.onExplore) {
      const waits = this.ending.isPlayed() ? 0 : known === undefined ? PLAY_EVERY : REST_BEFORE_PLAY;
      if (known !== undefined || address("text")) this.playSoon(waits, known);
    }
  }

  /* known: the text that was there before. */
  playSoon(wait, known) {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => {
      if (this.gone || this.ending.isComposing || (wait === REST_BEFORE_PLAY && textHere() === known)) return;
      this.playedText = textHere();
      this.ending.close();
      this.playThrough();
    }, wait);
  }

  playThrough() {
    const { last, landmarks } = this.player;
    if (window.matchMedia("(prefers-reduced-motion: reduce)").matches) return this.show(last);
    const steps = [...landmarks.slice(0, PLAYED_ONE_BY_ONE), last];
    const every = Math.min(900, PLAYED_IN / steps.length);
    if (this.wanted) this.show(0);
    const next = () => {
      if (this.gone) return;
      this.show(steps.shift());
      this.introduction = steps.length ? setTimeout(next, every) : null;
      this.request();
    };
    this.introduction = setTimeout(next, 600);
  }

  stopIntroduction() {
    if (!this.introduction) return;
    clearTimeout(this.introduction);
    this.introduction = null;
    this.request();
  }

  pause() {
    clearTimeout(this.soon);
    this.stopIntroduction();
    if (!this.playing) return;
    this.playing = false;
    this.transport.showPlaying(false);
    this.report();
    this.speak();
  }

  advance(time) {
    if (this.due === null) this.due = time + PLAY_EVERY;
    if (time >= this.due) {
      // After a hidden tab or a slow frame, continue from here instead of catching up.
      this.due = Math.max(this.due, time - PLAY_EVERY) + PLAY_EVERY;
      this.show(this.stepAfter(1));
    }
    if (this.wanted === this.player.last) this.pause();
    else this.request();
  }

  onKey(event) {
    const control = typingIn(event);
    const key = keyName(event);
    hideTerms(this.root);
    if (key === "Escape") {
      this.ending.close();
      clearSelection(this.source);
      return;
    }
    // A list keeps all its keys, a button its Space. The slider's arrows are handled here, so that none counts twice.
    if (control === "select" || control === "text" || (control === "button" && key === "Space")) return;
    const actions = {
      ArrowLeft: () => this.move(-1),
      ArrowRight: () => this.move(1),
      "Shift+ArrowLeft": () => this.moveToLandmark(-1),
      "Shift+ArrowRight": () => this.moveToLandmark(1),
      Space: () => this.togglePlay(),
      Home: () => this.go(0),
      End: () => this.go(this.player.last),
      ...pageActions(this),
    };
    if (!this.player) return;
    if (this.prediction.step !== null) {
      if (this.prediction.answer(key)) return event.preventDefault();
    }
    if (!actions[key]) return;
    event.preventDefault();
    actions[key]();
  }

  /* Whether the panel is on the screen, for keys that are meant for the page. */
  isSeen() {
    const { top, bottom } = this.box.getBoundingClientRect();
    return bottom > 80 && top < window.innerHeight - 80;
  }

  // --- selection

  choose(start, end) {
    chooseSpan(start, end, this.source);
  }

  hover(span) {
    if (span?.start === this.hovered?.start && span?.end === this.hovered?.end) return;
    hoverSpan(span, this.source);
  }

  // --- drawing

  onResize(entries) {
    for (const { target, contentRect, borderBoxSize } of entries) {
      if (target === this.root) {
        this.narrow = contentRect.width <= 640;
        this.box.style.removeProperty("--tallest");
      }
      // Where the height is that of the picture, nothing below moves when the player goes back (stage.css).
      if (target === this.box && this.wanted === this.player?.last && !this.ending.isOpen) this.box.style.setProperty("--tallest", `${borderBoxSize[0].blockSize}px`);
    }
    for (const { target, contentRect } of entries) {
      this.widgets.find((widget) => widget.body === target)?.resize(contentRect.width, this.narrow);
    }
    this.box.classList.remove("unsized");
    this.request();
  }

  render(time) {
    if (!this.player || this.gone) return;
    if (this.playing) this.advance(time);
    const { player } = this;
    player.seek(this.wanted);
    const frame = {
      step: player.step,
      moved: this.moved,
      kind: player.kindAt(player.step),
      selection: currentSelection(),
      hover: this.hovered,
      marksOf: (track) => marks.get(track) ?? NO_MARKS,
    };
    const marks = this.marksByTrack();
    this.moved = false;
    // Scrolling widgets first (see VirtualRows.center), then the others.
    for (const widget of this.widgets) widget.follow?.({ ...frame, marks: frame.marksOf(widget.track?.index) });
    const asking = this.prediction.step !== null;
    setClass(this.box, "asking", asking);
    if (this.asking !== asking) document.documentElement.toggleAttribute("data-asking", asking); // pages.css
    this.asking = asking;
    setClass(this.box, "ended", this.ended);
    this.ending.render();
    this.transport.render(frame);
    for (const widget of this.widgets) widget.render({ ...frame, marks: frame.marksOf(widget.track?.index) });
    if (frame.moved && this.beside && player.step === this.start) for (const column of this.columns) column.fill();
    if (frame.moved && this.narrow) this.revealMarks();
    if (frame.moved && !this.playing) this.speak();
    if (frame.moved) window.dispatchEvent(new CustomEvent("explorer-moved", { detail: { parameter: this.parameter, step: player.step, last: player.last } }));
  }

  /* On a phone the page scrolls, and the buttons lie over its end: what the step marks comes into view above them, with
     what it is made of, which a tree has below it. */
  revealMarks() {
    const page = this.beside || this.side ? null : document.querySelector("[data-testid=stMain]");
    if (!page || !this.isSeen() || !this.stepped) return;
    for (const node of marksOf(this.box).reverse()) reveal(node, page, { top: 60, bottom: this.transport.buttons.parentElement.offsetHeight + 84 });
  }

  marksByTrack() {
    const byTrack = new Map();
    for (const { track, key, role } of this.player.marks()) {
      if (!byTrack.has(track)) byTrack.set(track, new Map());
      const keys = byTrack.get(track);
      keys.set(key, [...(keys.get(key) ?? []), role]);
    }
    return byTrack;
  }

  spokenLine() {
    if (this.ended) return this.ending.sentences().join(" ");
    const { kind, say, why, args } = this.player.sentence(this.plain);
    const words = [say, why].map((template) => plainSentence(template, args, this.texts)).join(" ");
    if (this.onBoard) return `${words} ${inWords("Decision")} ${this.transport.at} ${inWords("of {0}", this.transport.whole)}.`;
    const { noun, at, whole } = this.transport;
    return `${noun} ${at} ${inWords("of {0}", whole)}${inWords(", ")}${inWords(kind.label)}. ${words}`;
  }

  /* The first step is in no address if the script opens there; a step that a link names stays in it. */
  updateAddress() {
    const opens = this.wanted === this.start && (this.start === 0 || address(this.parameter) === null);
    if (!this.playing) writeAddress({ [this.parameter]: opens ? null : String(this.wanted) });
  }
}

/* The text of the page, as its address has it. */
function textHere() {
  return `${address("text") ?? ""} ${address("text_kept") ?? ""}`;
}

/* What Python sends: a line of JSON about the script, then the script. */
function received(bytes) {
  const end = bytes.indexOf(10);
  return { ...JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))), packed: bytes.subarray(end + 1) };
}

const steppers = mounts();

export default function (given) {
  const component = { ...given, data: received(given.data) };
  steppers.get(component, () => new Stepper(component)).update(component);
  return () => steppers.drop(component.parentElement);
}
