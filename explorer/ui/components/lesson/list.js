/* All lessons: as a list to begin from, or as a row above the lesson that is open. */

const LANGUAGES = { en: "English", de: "Deutsch", ja: "日本語" };

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
    this.node.replaceChildren(...(this.data.view === "list" ? this.drawList() : this.drawRow()));
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

  drawList() {
    const { lessons } = this.data;
    const languages = [...new Set(lessons.map((each) => each.language))];
    const parts = [make("div", { class: "le-head" }, make("h1", { text: "Learn how tokenizers work" }), make("p", { text: "Short cards beside live panels: each card sets the text, the tokenizer and the step, and the engine grades your answers. Progress stays in this browser." }), this.resume(lessons))];
    for (const language of languages) {
      const items = lessons.filter((each) => each.language === language);
      if (languages.length > 1 && language !== "en") parts.push(make("h2", { text: LANGUAGES[language] ?? language, attrs: { lang: language } }));
      parts.push(make("ol", { class: "le-list", attrs: { lang: language } }, ...items.map((each, index) => this.entry(each, index))));
    }
    if (Object.keys(progress().lessons).length) {
      const forget = make("button", { class: "link", text: "Forget my progress", attrs: { type: "button" }, on: { click: forgetProgress } });
      parts.push(make("p", { class: "le-forget" }, forget));
    }
    return parts;
  }

  resume(lessons) {
    const { last } = progress();
    const known = lessons.find((each) => each.key === last?.lesson);
    if (!known) return this.link({ lesson: lessons[0]?.key ?? "", card: 1 }, { class: "btn main", attrs: {} }, "Begin");
    return this.link({ lesson: known.key, card: last.card, link: known.link }, { class: "btn main", attrs: {} }, `Continue: ${known.title}, card ${last.card}`);
  }

  entry(lesson, index) {
    const { seen } = progressOf(lesson.key);
    const state = stateOf(lesson);
    const told = state === "done" ? "done ✓" : seen.length ? `${seen.length} of ${lesson.cards} cards` : `${lesson.cards} cards`;
    const link = this.link({ lesson: lesson.key, card: 1, link: lesson.link }, { class: `le-entry ${state}`, attrs: {} },
      make("b", { class: "num", text: String(index + 1) }),
      make("span", { class: "le-what" }, make("strong", { text: lesson.title }), make("span", { text: lesson.about })),
      make("small", { text: `${lesson.minutes} min · ${told}` }));
    link.style.setProperty("--share", `${(100 * Math.min(seen.length, lesson.cards)) / lesson.cards}%`);
    return make("li", {}, link);
  }
}
