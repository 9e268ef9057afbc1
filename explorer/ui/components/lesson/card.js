/* One card: a title, a few words, perhaps a question, and the way on. The next card is drawn at once; Python follows
   with the panel beside it. Keys: PageDown or N for the next card, PageUp or Shift+N back; PageDown on an open question
   shows its answer first, so that a teacher's remote does. On a phone the card is a story (story.js): PageDown turns its
   pages. After the last card comes an end: what to keep, the next lesson, a text of the reader's own, all lessons. */

/* A phrase with its fields {0} and {1}. */
function fillPhrase(phrase, ...values) {
  return phrase.replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)]));
}

const MOST_OF_SUM = 14; // letters

/* The runs of a paragraph. A sign stays on the line of the token before it, which a block would not let it; so does a
   Japanese particle, which a no-break space marks. A short sum of tokens stays on one line. */
function runNodes(runs) {
  const nodes = [];
  const isToken = (node) => node?.tagName === "CODE" || node?.className === "le-kept";
  for (const [kind, text] of runs) {
    const [left, plus] = nodes.slice(-2);
    if (kind === "code" && plus === " + " && isToken(left) && left.textContent.length + text.length <= MOST_OF_SUM) {
      nodes.splice(-2, 2, make("span", { class: "le-kept" }, left, "\u00a0+\u00a0", make(kind, { text, class: "q" })));
      continue;
    }
    const sign = isToken(nodes.at(-1)) ? text.match(/^(?:[.,:;!?)、。，：）」]+|\u00a0[ぁ-ん]{0,2})/)?.[0] : undefined;
    if (sign) nodes.push(make("span", { class: "le-kept" }, nodes.pop(), sign), withNames(text.slice(sign.length)));
    else nodes.push(kind === "code" ? make(kind, { text, class: "q" }) : kind ? make(kind, { text: withNames(text) }) : withNames(text));
  }
  return nodes;
}

/* A text as a number, not 0 (FNV-1a): the same for all who read it. */
function numberOf(text) {
  let number = 2166136261;
  for (const byte of new TextEncoder().encode(text)) number = Math.imul(number ^ byte, 16777619);
  return number >>> 0 || 1;
}

function lineIcon(d) {
  const icon = svgNode("svg", { width: 20, height: 20, viewBox: "0 0 24 24", "aria-hidden": "true" });
  icon.append(svgNode("path", { d }));
  return icon;
}

/* The page of a card that was turned to: the component may be mounted anew. */
const lastPage = {};

class CardView {
  constructor(root) {
    this.root = root;
    this.title = make("h1");
    this.words = make("div", { class: "le-words" });
    this.asking = new Asking((choice, isRight) => this.answered(choice, isRight), () => this.anotherQuestion());
    this.asking.redrawn = () => this.drawPage();
    this.back = make("button", { class: "le-back", attrs: { type: "button", title: "PageUp" }, on: { click: () => this.turn(-1) } });
    this.next = make("button", { class: "btn le-next", attrs: { type: "button", title: "PageDown" }, on: { click: () => this.turn(1) } });
    this.at = make("p", { class: "le-at num" });
    this.head = make("header", { class: "le-story-head" });
    this.dots = make("p", { class: "le-dots", attrs: { "aria-hidden": "true" } });
    this.live = make("p", { class: "sr", attrs: { "aria-live": "polite" } });
    this.end = make("section", { class: "le-end" });
    this.way = make("div", { class: "le-way" });
    this.trying = new Trying((text) => this.typed(text), (alone) => {
      this.answered(null, alone);
      setClass(this.next, "main", true);
    });
    this.body = make("div", { class: "le-body" }, make("div", { class: "le-top" }, this.title, this.at), this.words, this.asking.node, this.trying.node, this.end, this.live);
    this.article = make("article", { class: "le-card" }, this.head, this.body, this.way);
    root.append(this.article);
    this.media = window.matchMedia(STORY);
    this.rotated = () => this.data && this.draw(this.number, this.data.card === this.number ? this.data.question : null, this.data.task);
    this.media.addEventListener("change", this.rotated);
    this.findPanel(root);
    this.key = (event) => this.pressed(event);
    window.addEventListener("keydown", this.key, true);
    this.lecture = new Lecture(() => {});
    this.stops = [listenTo("explorer-progress", () => this.count()), listenTo("explorer-class", () => this.inClass()), listenTo("explorer-lecture", () => this.lecture.toggle())];
  }

  destroy() {
    window.explorerCard = null;
    window.removeEventListener("keydown", this.key, true);
    for (const stop of this.stops) stop();
    this.lecture.destroy();
    this.media.removeEventListener("change", this.rotated);
    clearTimeout(this.looking);
    for (const each of [this.place, this.swipes]) each?.destroy();
    this.picture?.disconnect();
    for (const name of ["data-covered", "data-task"]) document.documentElement.removeAttribute(name);
  }

  /* The parts of the card stand around the panel, in the grid of the page (learn.css): what is between lets them through. */
  findPanel(root) {
    const page = root.getRootNode().host?.closest(".st-key-learn") ?? root.closest(".st-key-learn");
    for (let each = root; page && each && each !== page; each = parentOf(each)) each.setAttribute("data-through", "");
    const panel = page?.querySelector(".st-key-learn-panel");
    if (!panel) {
      // Streamlit draws the panel's frame with the first thing in it, after the card
      this.looking = page && setTimeout(() => this.findPanel(root), 100);
      return;
    }
    this.place = new Place(panel);
    this.swipes = new Swipes(page, panel, (by) => this.isStory && this.turn(by));
    // a card in the top layer takes the place of the picture (why.css)
    this.picture = new ResizeObserver(() => {
      const { left, right, top, bottom, across, down } = placeOf(panel);
      document.documentElement.style.setProperty("--picture", `${top}px ${across - right}px ${down - bottom}px ${left}px`);
    });
    this.picture.observe(panel);
    if (this.data) this.drawPage();
  }

  get isStory() {
    return this.media.matches;
  }

  /* On a phone: the question or the task of the card is its last page. */
  get pageCount() {
    return this.pages.length + (this.lesson.cards[this.number - 1].asks ? 1 : 0);
  }

  get isAsking() {
    return this.page >= this.pages.length && !this.ended;
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
    if (number !== this.number || lesson.digest !== this.digest) {
      const again = this.number === undefined && lastPage.lesson === lesson.key && lastPage.card === number;
      const isAsked = Boolean(this.phone?.state?.together && card.asks);
      this.page = this.isFromBehind || isAsked ? Infinity : again ? lastPage.page : 0;
      this.ended = this.isFromBehind = false;
      this.place?.begin();
    }
    this.number = number;
    this.digest = lesson.digest;
    this.question = question;
    this.task = task;
    setText(this.title, card.title);
    const last = lesson.cards.length - (lesson.quiz ? 1 : 0); // the result is no question
    setText(this.at, number > last ? "" : `${number} / ${last}`);
    this.pages = this.isStory ? pagesOf(card.words, lesson.language) : [];
    this.page = Math.min(this.page, Math.max(0, this.pageCount - 1));
    this.words.replaceChildren(...(this.isStory
      ? this.pages.map(({ say, why }) => make("div", { class: `le-page${lengthOf(say) > 75 ? " long" : ""}` }, make("p", { class: "le-say" }, ...runNodes(say)), ...(why.length ? [make("p", { class: "le-why" }, ...runNodes(why))] : [])))
      : card.words.map((runs) => make("p", {}, ...runNodes(runs)))));
    if (task) this.trying.update(task, lesson.phrases);
    this.tellClass();
    if (question) {
      const quiz = Boolean(lesson.quiz);
      this.asking.draw(question, { quiz, taken: this.answers[number - 1] ?? undefined, count: "", phrases: lesson.phrases });
    } else document.documentElement.removeAttribute("data-covered");
    this.drawPage();
    this.count();
    if (!lesson.quiz) sawCard(lesson.key, number, lesson.cards.length);
    this.article.scrollTop = 0;
  }

  /* The class of this phone (classroom/line.js); none for its teacher, and alone. */
  get phone() {
    const line = window.explorerClass;
    return line?.code && !line.leads ? line : null;
  }

  /* Where the reader is, and what the card asks, as a number. Until the question of a card is there, nothing is said. */
  tellClass() {
    const { lesson, number, question, task } = this;
    const known = !(lesson.quiz || lesson.own || lesson.alone);
    if (!known || (lesson.cards[number - 1].asks && !question && !task)) return;
    const [key] = lesson.key.split(".");
    const asks = question ? numberOf(question.id) : task ? numberOf(`${key} ${number}`) : 0;
    window.explorerCard = { card: `${key} ${number}`, asks, lesson: lesson.key, number, titles: lesson.cards.map(({ title }) => title) };
    window.dispatchEvent(new CustomEvent("explorer-card"));
  }

  inClass() {
    if (!this.data) return;
    if (this.question) this.asking.followClass();
    if (this.isStory && this.phone?.code !== this.letters) this.drawPage();
  }

  /* What is seen of the card: on a wide screen all of it, on a phone one page. */
  drawPage() {
    const { isStory, isAsking, ended, question, task, page, pages } = this;
    const open = !ended && (!isStory || isAsking);
    Object.assign(lastPage, { lesson: this.lesson.key, card: this.number, page });
    this.asking.node.hidden = !question || !open;
    this.trying.node.hidden = !task || !open;
    this.words.hidden = ended || (isStory && isAsking);
    [...this.words.children].forEach((node, index) => {
      const away = isStory && index !== page;
      setClass(node, "away", away);
      if (isStory) node.setAttribute("aria-hidden", String(away));
    });
    this.end.hidden = !ended;
    this.title.parentElement.hidden = ended;
    document.documentElement.toggleAttribute("data-story-ends", ended);
    document.documentElement.toggleAttribute("data-story-asks", isStory && this.isAsking);
    const { say = [], why = [] } = (isStory && !ended && pages[page]) || {};
    this.live.textContent = this.isTurning ? [...say, ["", " "], ...why].map(([, words]) => words).join("") : "";
    this.place?.about(isStory ? [...say, ...why] : []);
    if (isStory) this.drawHead();
    if (ended) this.drawEnd();
    this.drawWay();
  }

  drawHead() {
    const { lesson, number, ended } = this;
    const { cards } = lesson;
    const bars = cards.map((_, index) => {
      const bar = make("i");
      const share = index + 1 < number || ended ? 1 : index + 1 > number ? 0 : (this.page + 1) / this.pageCount;
      bar.style.setProperty("--share", `${100 * share}%`);
      if (index + 1 === number && !ended) bar.className = "here";
      return bar;
    });
    const { phone } = this;
    this.letters = phone?.code;
    const close = phone ? make("button", { class: "le-close", text: "✕", attrs: { type: "button", "aria-label": inWords("Leave the class"), title: inWords("Leave the class") }, on: { click: () => phone.leave() } }) : this.link({ lesson: "", card: 1 }, { class: "le-close", text: "✕", attrs: { "aria-label": this.phrase("all"), title: this.phrase("all") } });
    const at = make("span", { class: "num", text: ended ? "" : fillPhrase(this.phrase("share"), number, cards.length) });
    this.head.replaceChildren(make("div", { class: "le-bars", attrs: { "aria-hidden": "true" } }, ...bars), make("div", { class: "le-story-title" }, ...(phone ? [make("span", { class: "le-letters", text: phone.code })] : []), make("b", { text: lesson.title }), at, ...(lesson.alone ? [] : [close])));
  }

  /* A link within this page. */
  link(place, options, ...children) {
    return placeLink(place, (to) => this.go({ seed: null, link: "", ...to }), options, ...children);
  }

  /* The lesson after this one; in a class, the next one on its way. */
  get after() {
    return window.explorerClass?.after(this.lesson.key) ?? this.lesson.next;
  }

  /* After the last card: the sentences to keep, or else what the lesson was about, by the titles of its cards. */
  drawEnd() {
    const { lesson } = this;
    const { cards } = lesson;
    const given = Object.values(progressOf(lesson.key).right);
    const score = given.length ? fillPhrase(this.phrase("cardsScore"), cards.length, given.filter(Boolean).length, given.length) : fillPhrase(this.phrase("cards"), cards.length);
    const at = taughtLessons.findIndex(({ key }) => key === lesson.key);
    const title = at < 0 ? this.phrase("lessonDone") : fillPhrase(this.phrase("numberDone"), at + 1);
    const words = make("div", {}, make("h1", { text: title }), make("p", { class: "le-reason", text: score }));
    const done = make("header", { class: "le-done" }, make("span", { class: "le-check", text: "✓", attrs: { "aria-hidden": "true" } }), words, ...(at < 0 ? [] : [lessonDrawing(drawingOf(lesson.key))]));
    const kept = make("ul", {}, ...(lesson.keep?.length ? lesson.keep : cards.map(({ title: name }) => name)).map((text) => make("li", { text })));
    this.end.replaceChildren(done, kept, make("nav", { class: "le-on" }, ...this.nextTile(), this.tryLink(), this.allLink()));
  }

  nextTile() {
    const at = taughtLessons.findIndex(({ key }) => key === this.after?.key);
    if (at < 0) return [];
    const { key, title, about, minutes, language } = taughtLessons[at];
    const words = make("span", {}, make("small", { text: fillPhrase(this.phrase("lessonMinutes"), at + 1, minutes) }), make("strong", { text: title }), make("small", { text: about }));
    return [this.link({ lesson: key, card: 1 }, { class: "le-after", attrs: { lang: language } }, lessonDrawing(drawingOf(key)), words)];
  }

  /* A text of the reader's own, where the last card's is read: the page, and the tokenizers that its address names. */
  tryLink() {
    const { page, query, title } = this.lesson.tries;
    const kept = Object.entries(query).filter(([name]) => ["m", "as", "with"].includes(name));
    const search = new URLSearchParams(kept.flatMap(([name, values]) => [values].flat().map((value) => [name, value])));
    const url = new URL(`./${page === "explore" ? "" : page}?${search}`, window.location.href);
    const open = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      openInApp(url);
    };
    return make("a", { class: "le-link", attrs: { href: url.href }, on: { click: open } }, lineIcon("M4 20h4L19.5 8.5l-4-4L4 16zM13 7l4 4"), make("span", { text: fillPhrase(this.phrase("tryText"), title) }));
  }

  allLink() {
    const done = taughtLessons.filter((each) => stateOf(each) === "done").length;
    return this.link({ lesson: "", card: 1 }, { class: "le-link", attrs: {} }, lineIcon("M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z"),
      make("span", { text: taughtLessons.length ? fillPhrase(this.phrase("allOf"), taughtLessons.length) : this.phrase("all") }), ...(done ? [make("small", { text: fillPhrase(this.phrase("countDone"), done) })] : []));
  }

  drawWay() {
    const { lesson, number, isStory } = this;
    const atLast = number === lesson.cards.length;
    const last = this.ended || (atLast && (Boolean(lesson.quiz) || (Boolean(lesson.alone) && (!isStory || this.page === this.pageCount - 1))));
    setText(this.back, isStory ? "◀" : this.phrase("back"));
    if (isStory) this.back.setAttribute("aria-label", this.phrase("back").replace("◀ ", ""));
    else this.back.removeAttribute("aria-label");
    this.back.hidden = number === 1 && !this.ended && !(isStory && this.page > 0);
    setText(this.next, !last ? this.phrase("next") : this.after ? `${this.phrase("nextLesson")} ▶` : lesson.own ? this.phrase("all") : inWords("What brought you here?"));
    const waits = isStory && this.isAsking && this.asking.isOpen;
    setClass(this.next, "main", (this.asking.node.hidden && this.trying.node.hidden) || (isStory && !waits));
    this.next.hidden = (last && (Boolean(lesson.quiz) || Boolean(lesson.alone))) || waits;
    // the buttons of a question stand where a page has its way on
    const asks = isStory && this.isAsking && this.question && this.asking.actions;
    const dots = isStory && this.pageCount > 1 && !this.ended;
    this.dots.replaceChildren(...(dots ? Array.from({ length: this.pageCount }, (_, index) => make("i", { class: index === this.page ? "here" : "" })) : []));
    if (!asks && this.question) this.asking.node.append(this.asking.actions);
    const nodes = [...(isStory ? [this.dots] : []), this.back, ...(asks ? [asks] : []), this.next];
    if (nodes.length === this.way.children.length && nodes.every((node, index) => node === this.way.children[index])) return;
    const focused = this.way.getRootNode().activeElement;
    this.way.replaceChildren(...nodes);
    if (nodes.some((node) => node.contains(focused))) focused.focus();
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
    queueMicrotask(() => this.drawWay());
    if (this.task && isRight) window.explorerClass?.chose(0);
    if (!this.lesson.quiz) return answeredCard(this.lesson.key, this.number, isRight);
    this.answers[this.number - 1] = choice;
    this.setStateValue("answers", [...this.answers]);
  }

  /* A page on, or a card on a wide screen. */
  turn(by) {
    const { lesson, number } = this;
    if (!this.isStory) return this.move(by);
    this.isTurning = true;
    const page = this.page + by;
    if (by > 0 && this.isAsking && this.asking.isOpen && !lesson.quiz) return; // the next page opens after the answer
    else if (!this.ended && page >= 0 && page < this.pageCount) this.page = page;
    else {
      this.isFromBehind = by < 0 && number > 1 && !this.ended;
      return this.move(by);
    }
    this.drawPage();
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
    if (this.ended ? by < 0 : card > lesson.cards.length && !lesson.quiz && !lesson.alone) {
      this.ended = by > 0;
      return this.drawPage();
    }
    if (card < 1) return;
    if (card > lesson.cards.length) {
      if (lesson.quiz) return;
      if (!lesson.next && !lesson.own) return openInApp(new URL("./start", window.location.href));
      const { after } = this;
      return this.go(after ? { lesson: after.key, card: 1, seed: null, link: "" } : { lesson: "", card: 1, seed: null, link: "" });
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
    else if (way && key.startsWith("Page")) this.turn(way);
    else if (way) this.move(way);
    else if (within || this.asking.node.hidden || (typing === "button" && key === "Enter") || !this.asking.pressed(key)) return;
    event.preventDefault();
    event.stopPropagation();
  }
}
