/* All lessons: as a list to begin from, or as a row above the lesson that is open. */

const NO_QUIZ = { quiz: null, m: null, kinds: null, texts: null, lang: null };

/* The address of a card; what other pages or steppers wrote into it is left out. */
function addressOf({ lesson, card, seed, link }, more = {}) {
  const query = new URLSearchParams();
  if (link) query.set("own", link);
  else if (lesson && lesson !== "quiz") query.set("lesson", lesson);
  if (card > 1) query.set("card", String(card));
  if (seed !== null && seed !== undefined) query.set("seed", String(seed));
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  if (address("embed") === "true") query.set("embed", "true");
  return `?${query}`;
}

function placeInAddress() {
  const whole = (name) => (/^\d{1,15}$/.test(address(name) ?? "") ? Number(address(name)) : null);
  const quiz = Object.fromEntries(Object.keys(NO_QUIZ).map((name) => [name, address(name)]).filter(([, value]) => value !== null));
  return { quiz, lesson: address("lesson") ?? (address("quiz") ? "quiz" : address("own") ? "own" : ""), card: whole("card") ?? 1, seed: whole("seed"), link: address("own") ?? "", stage: address("stage") ?? "", paper: address("print") === "true" };
}

/* The program's lessons, as the list or the row has them: the end of a lesson counts them and draws the next one. */
let taughtLessons = [];

/* A link to a place on this page, which opens without loading it again. */
function placeLink(place, open, options, ...children) {
  const link = make("a", { ...options, attrs: { href: addressOf(place), ...options.attrs } }, ...children);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(place);
  });
  return link;
}

class LessonList {
  constructor(root) {
    this.root = root;
    this.node = make("div");
    root.append(this.node);
    this.stop = [onAddress(() => this.report(placeInAddress())), listenTo("explorer-progress", () => this.draw())];
  }

  destroy() {
    for (const stop of this.stop) stop();
  }

  update({ data, setStateValue }) {
    this.data = data;
    this.setStateValue = setStateValue;
    if (!data.others) taughtLessons = data.lessons.filter(({ own }) => !own);
    document.documentElement.toggleAttribute("data-embed", address("embed") === "true");
    this.draw();
  }

  report(place) {
    this.setStateValue("place", { ...place, clock: Date.now() });
  }

  go(place) {
    clearSelection(this);
    arrive(addressOf(place));
    this.report(place);
  }

  link(place, options, ...children) {
    return placeLink(place, (to) => this.go(to), options, ...children);
  }

  draw() {
    if (!this.data) return;
    const drawn = { head: () => this.drawHead(), list: () => this.drawList(), row: () => this.drawRow() };
    this.node.replaceChildren(...drawn[this.data.view]());
  }

  say(name, ...values) {
    return fillPhrase(this.data.phrases[name], ...values);
  }

  drawRow() {
    const { lessons, lesson } = this.data;
    const row = make("ol", { class: "le-row", attrs: { "aria-label": this.say("lessons") } });
    lessons.forEach((each, index) => {
      const done = stateOf(each) === "done";
      const here = each.key === lesson;
      const name = make("span", { class: "le-name", attrs: { lang: each.language } }, each.name, ...(done ? [make("i", { text: " ✓", attrs: { "aria-label": this.say("done") } })] : []));
      const attrs = { title: each.title, ...(here ? { "aria-current": "true" } : {}) };
      row.append(make("li", {}, this.link({ lesson: each.key, card: 1, link: each.link }, { class: `${done ? "done" : ""}${here ? " here" : ""}`, attrs }, make("b", { class: "num", text: String(index + 1) }), name)));
    });
    const all = this.link({ lesson: "", card: 1 }, { class: "le-all", attrs: {} }, this.say("all"));
    setTimeout(() => row.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "center" }));
    return [make("nav", { class: "le-nav" }, all, row)];
  }

  /* What the page answers, how far the reader is, and where to go on. */
  drawHead() {
    const { lessons, deeper } = this.data;
    const taught = lessons.filter((each) => !each.own);
    const done = taught.filter((each) => stateOf(each) === "done").length;
    const answers = lessons.flatMap((each) => Object.values(progressOf(each.key).right));
    const parts = [];
    if (done) parts.push(this.say("lessonsDone", done, taught.length));
    if (answers.length) parts.push(this.say(answers.length === 1 ? "answerRight" : "answersRight", answers.filter(Boolean).length, answers.length));
    const more = parts.length ? parts.join(" ") : this.say("engine");
    const known = Object.keys(progress().lessons).length > 0;
    const forget = known ? [make("button", { class: "link", text: this.say("forget"), attrs: { type: "button" }, on: { click: forgetProgress } })] : [];
    const say = make("h1", {}, `${this.say("asks")} `, make("b", { text: this.say("lessonsBeside", taught.length) }));
    return [make("div", { class: "le-head" }, make("div", {}, say, make("p", {}, [more, this.say("deeper", deeper), this.say("kept"), ""].join(" "), ...forget)), this.resume(lessons))];
  }

  drawList() {
    const { lessons } = this.data;
    const entries = lessons.map((each, index) => this.entry(each, index));
    if (this.data.others) return [make("ol", { class: "le-list others" }, ...entries)];
    return [make("ol", { class: "le-list" }, ...entries),
      make("p", { class: "le-start" }, make("a", { class: "btn", text: inWords("What brought you here?"), attrs: { href: appUrl("start"), target: "_self" } }))];
  }

  resume(lessons) {
    const { last } = progress();
    const known = lessons.find((each) => each.key === last?.lesson);
    if (!known) return this.link({ lesson: lessons[0]?.key ?? "", card: 1 }, { class: "btn main", attrs: {} }, this.say("begin"));
    const label = this.say("continue", known.title, last.card);
    return this.link({ lesson: known.key, card: last.card, link: known.link }, { class: "btn main", attrs: { title: label } }, make("span", { text: label }));
  }

  /* All cards are read; which questions wait. */
  toldOpen(lesson) {
    const open = openQuestions(lesson);
    return open.length === 1 ? this.say("openQuestion", open[0]) : this.say("openQuestions", open.slice(0, -1).join(", "), open.at(-1));
  }

  entry(lesson, index) {
    const { seen } = progressOf(lesson.key);
    const state = stateOf(lesson);
    const read = Math.min(seen.length, lesson.cards);
    const told = state === "done" ? this.say("done") : read === lesson.cards ? this.toldOpen(lesson) : read ? this.say("cardsRead", read, lesson.cards) : "";
    const label = lesson.language === this.data.language ? String(index + 1) : lesson.language;
    return make("li", { attrs: { lang: lesson.language } }, this.link({ lesson: lesson.key, card: 1, link: lesson.link }, { class: `le-entry ${state}`, attrs: {} },
      lessonDrawing(lesson.drawing ?? drawingOf(lesson.key)),
      progressRing(state === "done" ? "✓" : label, (read + lesson.asks.length - openQuestions(lesson).length) / (lesson.cards + lesson.asks.length)),
      make("strong", { text: lesson.title }),
      make("span", { class: "le-about" }, make("small", { text: `${this.say("minutes", lesson.minutes)}${told && ` · ${told}`}` }), make("span", { class: "le-text", text: ` · ${lesson.about}` }))));
  }
}

/* A number in a ring that fills as cards are read and questions answered. */
function progressRing(text, share) {
  const ring = make("span", { class: "le-ring num", text, attrs: { "aria-hidden": "true" } });
  ring.style.setProperty("--share", `${Math.round(100 * share)}%`);
  return ring;
}
