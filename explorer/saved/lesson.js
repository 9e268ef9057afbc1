/* A lesson or a quiz, saved: a card beside its panel. What Python would answer is in PAGE.packed, PAGE.views and
   PAGE.links: other lessons by their keys, the list of lessons as "". */

/* The page takes the names of the app's parts, so that the styles of Learn hold for it. */
class SavedLesson {
  constructor(main, { lesson, cards, results = null, words = null, glossary = [] }) {
    window.explorerWords = words && { words, glossary }; // sentences.js
    this.lesson = lesson;
    this.cards = cards;
    this.results = results;
    this.answers = [];
    this.seed = 0;
    const left = make("div", { class: "st-key-learn-card" });
    this.right = make("div", { class: "st-key-learn-panel", attrs: { tabindex: "0" } });
    main.append(lessonHead(lesson), make("div", { class: "st-key-learn" }, left, this.right));
    this.card = part("lesson", left, (what, value) => this.reported(what, value));
    this.panels = [];
    main.append(foot());
    onAddress(() => this.turn());
    onMessages(({ card, level, step }) => {
      if (level) goToLevel(level);
      if (card) this.go({ card });
      else if (step !== undefined) this.stages?.go({ step });
    });
    tellSteps(() => ({ card: this.number }));
    this.turn();
    tell({ type: "ready", cards: cards.length, card: this.number });
  }

  get last() {
    return this.lesson.cards.length;
  }

  /* The card and the question that the address asks for. */
  turn() {
    const whole = (name) => (/^\d{1,9}$/.test(address(name) ?? "") ? Number(address(name)) : null);
    this.number = Math.min(Math.max(1, whole("card") ?? 1), this.last);
    this.seed = whole("seed");
    this.typed = "";
    this.draw();
    tell({ type: "card", card: this.number, of: this.last });
  }

  go(place) {
    arrive(`?${new URLSearchParams({ card: String(Math.min(place.card, this.last)) })}`);
    this.turn();
  }

  reported(what, value) {
    if (what === "place") {
      if (value.lesson !== this.lesson.key) return this.leave(value.lesson);
      this.turn();
    } else if (what === "answers") {
      this.answers = value;
    } else if (what === "typed") {
      this.typed = value.text;
      this.draw();
    }
  }

  leave(key) {
    const link = PAGE.links.find(([name]) => name === key);
    if (link) window.location.href = link[1];
  }

  /* Of several questions of a kind, the one that the seed asks for; after the last comes the first. */
  questionOf(card) {
    if (!card?.questions) return null;
    const first = card.questions[0].seed;
    const at = this.seed === null || this.lesson.quiz ? 0 : Math.max(0, this.seed - first) % card.questions.length;
    const { panel, ...question } = card.questions[at];
    this.asks = panel;
    return this.seed === null || at === this.seed - first ? question : { ...question, seed: this.seed };
  }

  draw() {
    const card = this.cards[this.number - 1];
    const question = this.questionOf(card);
    const task = card?.task ? { ...card.task, text: this.typed, verdict: this.typed ? card.task.told : null } : null;
    this.card.update({ view: "card", lesson: this.lesson, card: this.number, question, task, more: this.lesson.quiz ? {} : undefined, seed: this.seed });
    const shown = !card ? null : question ? this.asks : this.typed ? card.answered : card.panel;
    const id = JSON.stringify([this.number, this.seed, this.typed]);
    if (id === this.drawn) return;
    this.drawn = id;
    for (const each of this.panels) each.remove();
    this.right.replaceChildren();
    this.stages = null;
    this.panels = [shown ? this.panel(shown) : this.result()];
    document.documentElement.scrollTop = 0;
  }

  panel(shown) {
    if (shown.kind === "explore") return (this.stages = new StagesPanel(this.right, PAGE.views[shown.view], shown.on));
    if (shown.kind === "compare") return rowsPanel(place(this.right, "st-key-learn-rows"), shown.rows);
    if (shown.kind === "train") return stepperPanel(place(this.right, "st-key-stage"), shown.script, { ...shown.on, parameter: "step" });
    if (shown.kind === "found") return foundPanel(this.right, shown);
    const own = part("lesson", this.right);
    own.update(shown.data);
    return own;
  }

  /* What a quiz says at its end, and the file for the teacher. */
  result() {
    const { results, cards, results: { words } } = this;
    const rows = results.questions.map((prompt, index) => {
      const [{ right }] = cards[index].questions;
      const taken = this.answers[index] ?? null;
      const texts = results.choices[index];
      return { cells: [String(index + 1), prompt, taken === null ? "–" : texts[taken], taken === right ? "✓" : texts[right]], isRight: taken === right };
    });
    const many = rows.filter(({ isRight }) => isRight).length;
    const own = part("lesson", this.right);
    own.update({ view: "result", say: results.scores[many], heads: ["", words["Question"], words["Your answer"], words["Right"]], rows });
    const name = make("input", { attrs: { type: "text", maxlength: "80", autocomplete: "name", placeholder: words["optional, in the file only"] } });
    const save = make("button", { text: words["Result as CSV"], attrs: { type: "button" }, on: { click: () => this.saveResult(name.value.trim()) } });
    const again = make("button", { text: words["Again"], attrs: { type: "button" }, on: { click: () => this.again() } });
    this.right.append(make("p", { class: "take" }, make("label", {}, `${words["Your name"]} `, name), save, again));
    return own;
  }

  saveResult(name) {
    const { head, lines, file_name: file } = this.results;
    const taken = lines.map((each, index) => each[this.answers[index] ?? each.length - 1]);
    const text = head + taken.map((line) => `${csvCell(name)},${line}`).join("");
    saveData(file, text);
  }

  again() {
    this.answers = [];
    this.lesson = { ...this.lesson, digest: `${this.lesson.digest}+` }; // the card forgets its answers
    this.go({ card: 1 });
  }
}

function lessonHead(lesson) {
  const all = PAGE.links.find(([key]) => key === "");
  const back = all ? [make("a", { class: "back", text: lesson.phrases.all, attrs: { href: all[1] } })] : [];
  return make("header", {}, ...back, make("p", { class: "lesson-title", attrs: { lang: lesson.language } }, make("b", {}, make("bdi", { text: PAGE.heading }))));
}

function place(around, name) {
  const node = make("div", { class: name });
  around.append(node);
  return node;
}

/* The tokens that a search of a vocabulary found. */
function foundPanel(around, { say, rows }) {
  const chips = rows.map(([text, id]) => {
    const chip = make("li", {}, make("bdi", { text }), make("small", { text: plainNumber(Number(id)) }));
    tint(chip, Number(id));
    return chip;
  });
  const node = make("section", { class: "found" }, said("p", say, "result"), make("ol", {}, ...chips));
  around.append(node);
  return { remove: () => node.remove() };
}

/* A cell as csv_text.py writes it. */
function csvCell(text) {
  const safe = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function show(main) {
  new SavedLesson(main, await packedJson(PAGE.packed));
}
