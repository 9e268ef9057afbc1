/* All lessons: as a list to begin from, or as a row above the lesson that is open. */

const NO_QUIZ = { quiz: null, m: null, kinds: null, texts: null };

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
  return { quiz, lesson: address("lesson") ?? (address("quiz") ? "quiz" : address("own") ? "own" : ""), card: whole("card") ?? 1, seed: whole("seed"), link: address("own") ?? "", stage: address("stage") ?? "" };
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
    const link = make("a", { ...options, attrs: { href: addressOf(place), ...options.attrs } }, ...children);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.go(place);
    });
    return link;
  }

  draw() {
    if (!this.data) return;
    const drawn = { head: () => this.drawHead(), list: () => this.drawList(), row: () => this.drawRow() };
    this.node.replaceChildren(...drawn[this.data.view]());
  }

  drawRow() {
    const { lessons, lesson, language } = this.data;
    const row = make("ol", { class: "le-row", attrs: { "aria-label": "Lessons" } });
    const shown = lessons.filter((each) => each.language === language || each.key === lesson);
    shown.forEach((each, index) => {
      const done = stateOf(each) === "done";
      const here = each.key === lesson;
      const name = make("span", { class: "le-name", attrs: { lang: each.language } }, each.name, ...(done ? [make("i", { text: " ✓", attrs: { "aria-label": "done" } })] : []));
      const attrs = { title: each.title, ...(here ? { "aria-current": "true" } : {}) };
      row.append(make("li", {}, this.link({ lesson: each.key, card: 1, link: each.link }, { class: `${done ? "done" : ""}${here ? " here" : ""}`, attrs }, make("b", { class: "num", text: String(index + 1) }), name)));
    });
    const all = this.link({ lesson: "", card: 1 }, { class: "le-all", attrs: {} }, this.data.all);
    setTimeout(() => row.querySelector(".here")?.scrollIntoView({ block: "nearest", inline: "center" }));
    return [make("nav", { class: "le-nav" }, all, row)];
  }

  /* What the page answers, how far the reader is, and where to go on. */
  drawHead() {
    const { lessons, language } = this.data;
    const taught = lessons.filter((each) => each.language === language && !each.link);
    const done = taught.filter((each) => stateOf(each) === "done").length;
    const answers = lessons.flatMap((each) => Object.values(progressOf(each.key).right));
    const parts = [];
    if (done) parts.push(`${done} of ${taught.length} lessons done.`);
    if (answers.length) parts.push(`${answers.filter(Boolean).length} of ${answers.length} ${answers.length === 1 ? "answer" : "answers"} right the first time.`);
    const more = parts.length ? parts.join(" ") : "Each card sets the text, the tokenizer and the step beside it, and the engine grades your answers.";
    const known = Object.keys(progress().lessons).length > 0;
    const forget = known ? [make("button", { class: "link", text: "Forget my progress", attrs: { type: "button" }, on: { click: forgetProgress } })] : [];
    const say = make("h1", {}, "How does text become tokens? ", make("b", { text: `${taught.length} lessons beside the real engine.` }));
    return [make("div", { class: "le-head" }, make("div", {}, say, make("p", {}, `${more} Progress stays in this browser. `, ...forget)), this.resume(lessons))];
  }

  drawList() {
    const { lessons } = this.data;
    const kind = lessons.every(({ language }) => language === this.data.language) ? "le-list" : "le-list others";
    return [make("ol", { class: kind }, ...lessons.map((each, index) => this.entry(each, index)))];
  }

  resume(lessons) {
    const { last } = progress();
    const known = lessons.find((each) => each.key === last?.lesson);
    if (!known) return this.link({ lesson: lessons[0]?.key ?? "", card: 1 }, { class: "btn main", attrs: {} }, "Begin");
    const label = `Continue: ${known.title}, card ${last.card}`;
    return this.link({ lesson: known.key, card: last.card, link: known.link }, { class: "btn main", attrs: { title: label } }, make("span", { text: label }));
  }

  /* All cards are read; which questions wait. */
  toldOpen(lesson) {
    const open = openQuestions(lesson);
    return open.length === 1 ? `the question on card ${open[0]} is open` : `questions on cards ${open.slice(0, -1).join(", ")} and ${open.at(-1)} are open`;
  }

  entry(lesson, index) {
    const { seen } = progressOf(lesson.key);
    const state = stateOf(lesson);
    const read = Math.min(seen.length, lesson.cards);
    const told = state === "done" ? "done" : read === lesson.cards ? this.toldOpen(lesson) : read ? `${read} of ${lesson.cards} cards` : "";
    const label = lesson.language === this.data.language ? String(index + 1) : lesson.language;
    return make("li", { attrs: { lang: lesson.language } }, this.link({ lesson: lesson.key, card: 1, link: lesson.link }, { class: `le-entry ${state}`, attrs: {} },
      lessonDrawing(lesson.drawing),
      progressRing(state === "done" ? "✓" : label, (read + lesson.asks.length - openQuestions(lesson).length) / (lesson.cards + lesson.asks.length)),
      make("strong", { text: lesson.title }),
      make("span", { class: "le-about" }, make("small", { text: `${lesson.minutes} min${told && ` · ${told}`}` }), make("span", { class: "le-text", text: ` · ${lesson.about}` }))));
  }
}

/* A number in a ring that fills as cards are read and questions answered. */
function progressRing(text, share) {
  const ring = make("span", { class: "le-ring num", text, attrs: { "aria-hidden": "true" } });
  ring.style.setProperty("--share", `${Math.round(100 * share)}%`);
  return ring;
}
