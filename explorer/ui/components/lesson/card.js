/* One card: a title, a few words, perhaps a question, and the way on. The next card is drawn at once; Python follows
   with the panel beside it. Keys: PageDown or N for the next card, PageUp or Shift+N back; PageDown on an open question
   shows its answer first, so that a teacher's remote does. */

/* A phrase with its fields {0} and {1}. */
function fillPhrase(phrase, ...values) {
  return phrase.replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)]));
}

/* The runs of a paragraph. A sign stays on the line of the token before it, which a block would not let it; so does a
   Japanese particle, which a no-break space marks. */
function runNodes(runs) {
  const nodes = [];
  for (const [kind, text] of runs) {
    const sign = nodes.at(-1)?.tagName === "CODE" ? text.match(/^(?:[.,:;!?)]+|\u00a0[ぁ-ん]{0,2})/)?.[0] : undefined;
    if (sign) nodes.push(make("span", { class: "le-kept" }, nodes.pop(), sign), text.slice(sign.length));
    else nodes.push(kind ? make(kind, { text, class: kind === "code" ? "q" : "" }) : text);
  }
  return nodes;
}

class CardView {
  constructor(root) {
    this.root = root;
    this.title = make("h1");
    this.words = make("div", { class: "le-words" });
    this.asking = new Asking((choice, isRight) => this.answered(choice, isRight), () => this.anotherQuestion());
    this.back = make("button", { class: "le-back", attrs: { type: "button", title: "PageUp" }, on: { click: () => this.move(-1) } });
    this.next = make("button", { class: "btn le-next", attrs: { type: "button", title: "PageDown" }, on: { click: () => this.move(1) } });
    this.at = make("p", { class: "le-at num" });
    this.fold = make("button", { class: "le-fold", attrs: { type: "button" }, on: { click: () => this.toggle() } });
    this.trying = new Trying((text) => this.typed(text), (alone) => {
      this.answered(null, alone);
      setClass(this.next, "main", true);
    });
    this.article = make("article", { class: "le-card" }, this.fold, make("div", { class: "le-top" }, this.title, this.at), this.words, this.asking.node, this.trying.node,
      make("div", { class: "le-way" }, this.back, this.next));
    root.append(this.article);
    // on a phone the card lies over the foot of the page and scrolls if it is long: what counts is its frame (learn.css)
    const sheet = root.getRootNode().host?.closest(".st-key-learn-card")?.parentElement ?? this.article;
    this.observer = new ResizeObserver(() => document.documentElement.style.setProperty("--sheet", `${sheet.offsetHeight}px`));
    this.observer.observe(sheet);
    this.key = (event) => this.pressed(event);
    window.addEventListener("keydown", this.key, true);
    this.lecture = new Lecture(() => {});
    this.stops = [listenTo("explorer-progress", () => this.count()), listenTo("explorer-lecture", () => this.lecture.toggle())];
  }

  destroy() {
    window.removeEventListener("keydown", this.key, true);
    for (const stop of this.stops) stop();
    this.lecture.destroy();
    this.observer.disconnect();
    for (const name of ["data-covered", "data-task"]) document.documentElement.removeAttribute(name);
  }

  /* On a phone the card lies over the foot of the page; folded, only its title and the way on are seen. */
  toggle() {
    this.article.classList.toggle("folded");
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    if (data.more) this.writeQuiz(data);
    // opened by Python: a file that was dropped
    if (data.lesson.own && address("own") === null && address("lesson") !== data.lesson.key) {
      writeAddress(data.lesson.link ? { own: data.lesson.link, lesson: null } : { lesson: data.lesson.key });
    }
    const asked = addressStep("card") ?? 0;
    if (address("card") !== null && (asked < 1 || asked > data.lesson.cards.length)) writeAddress({ card: String(data.card) });
    const id = JSON.stringify([data.lesson.key, data.lesson.digest, data.card, data.question?.id ?? null]);
    this.data = data;
    if (data.task && data.card === this.number) this.trying.update(data.task, data.lesson.phrases);
    if (this.wanted !== undefined && this.wanted !== data.card && performance.now() < this.until) return; // the reader is further on
    this.wanted = undefined;
    if (id === this.drawn) return;
    this.drawn = id;
    this.draw(data.card, data.question, data.task);
  }

  /* A quiz that was started here is a new entry of the history; a link to one is completed. */
  writeQuiz({ more, seed, started }) {
    const isNew = started > 0 && started !== this.started;
    this.started = started;
    const wanted = { ...NO_QUIZ, ...more, seed: String(seed) };
    if (Object.entries(wanted).every(([name, value]) => address(name) === value)) return;
    if (isNew) writeAddress({ ...wanted, lesson: null, card: null }, true);
    else if (address("quiz") && address("seed") === null) writeAddress({ seed: wanted.seed });
  }

  get lesson() {
    return this.data.lesson;
  }

  phrase(name) {
    return this.lesson.phrases[name];
  }

  draw(number, question, task = null) {
    const { lesson } = this;
    const card = lesson.cards[number - 1];
    this.number = number;
    this.fold.setAttribute("aria-label", this.phrase("fold"));
    setText(this.title, card.title);
    const last = lesson.cards.length - (lesson.quiz ? 1 : 0); // the result is no question
    setText(this.at, number > last ? "" : `${number} / ${last}`);
    this.words.replaceChildren(...card.words.map((runs) => make("p", {}, ...runNodes(runs))));
    this.asking.node.hidden = !question;
    this.trying.node.hidden = !task;
    document.documentElement.toggleAttribute("data-task", Boolean(task)); // on a phone its panel gets the room of the buttons (learn.css)
    if (task) this.trying.update(task, lesson.phrases);
    if (question) {
      const quiz = Boolean(lesson.quiz);
      this.asking.draw(question, { quiz, taken: this.answers[number - 1] ?? undefined, count: "", phrases: lesson.phrases });
    } else document.documentElement.removeAttribute("data-covered");
    this.drawWay();
    this.count();
    if (!lesson.quiz) sawCard(lesson.key, number, lesson.cards.length);
    this.article.scrollTop = 0;
  }

  drawWay() {
    const { lesson, number } = this;
    const last = number === lesson.cards.length;
    setText(this.back, this.phrase("back"));
    this.back.hidden = number === 1;
    const after = lesson.next;
    setText(this.next, !last ? this.phrase("next") : after ? `${this.phrase("nextLesson")}: ${after.name} ▶` : lesson.own ? this.phrase("all") : inWords("What brought you here?"));
    setClass(this.next, "main", this.asking.node.hidden && this.trying.node.hidden);
    this.next.hidden = last && (Boolean(lesson.quiz) || Boolean(lesson.alone));
  }

  /* The answers of a quiz; they live as long as this page. */
  get answers() {
    const { digest, quiz } = this.lesson;
    if (!quiz) return [];
    if (this.given?.digest !== digest) this.given = { digest, list: new Array(this.lesson.cards.length - 1).fill(null) };
    return this.given.list;
  }

  typed(text) {
    if (this.data.task) this.setStateValue("typed", { id: this.data.task.id, text });
  }

  answered(choice, isRight) {
    if (!this.lesson.quiz) return answeredCard(this.lesson.key, this.number, isRight);
    this.answers[this.number - 1] = choice;
    this.setStateValue("answers", [...this.answers]);
  }

  count() {
    if (!this.data || this.lesson.quiz || !this.asking.count) return;
    const given = Object.values(progressOf(this.lesson.key).right);
    setText(this.asking.count, given.length ? fillPhrase(this.phrase("score"), given.filter(Boolean).length, given.length) : "");
  }

  go(place) {
    clearSelection(this);
    arrive(addressOf(place, this.data.more ?? {}));
    this.setStateValue("place", { ...place, clock: Date.now() });
  }

  here(changes = {}) {
    return { lesson: this.lesson.key, link: this.lesson.link ?? "", card: this.number, seed: null, quiz: this.data.more ?? {}, ...changes };
  }

  move(by) {
    const { lesson, number } = this;
    const card = number + by;
    if (card < 1) return;
    if (card > lesson.cards.length) {
      if (lesson.quiz) return;
      if (!lesson.next && !lesson.own) return openInApp(new URL("./start", window.location.href));
      return this.go(lesson.next ? { lesson: lesson.next.key, card: 1, seed: null, link: "" } : { lesson: "", card: 1, seed: null, link: "" });
    }
    this.wanted = card;
    this.until = performance.now() + 5000;
    this.drawn = null;
    this.draw(card, null);
    if (lesson.cards[card - 1].asks) document.documentElement.dataset.covered = "tokens";
    this.go(this.here({ card, seed: lesson.quiz ? this.data.seed : null }));
  }

  anotherQuestion() {
    const seed = (this.data.question?.seed ?? 0) + 1;
    this.go(this.here({ seed }));
  }

  pressed(event) {
    const typing = typingIn(event);
    if (event.defaultPrevented || ["select", "text"].includes(typing) || !this.data) return;
    const within = event.composedPath().some((node) => node.classList?.contains?.("stepper"));
    const key = keyName(event);
    const way = { PageDown: 1, PageUp: -1, ...(within ? {} : { n: 1, N: -1 }) }[key];
    if (key === "PageDown" && this.asking.isOpen) this.asking.reveal();
    else if (way) this.move(way);
    else if (within || this.asking.node.hidden || (typing === "button" && key === "Enter") || !this.asking.pressed(key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
