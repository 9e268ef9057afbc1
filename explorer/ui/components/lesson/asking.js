/* A question on a card: choices, Check, the engine's reason. The engine has made the choices and knows the right one.

   While it is open, what would tell the answer is covered: the tokens above the stepper (learn.css, by data-covered),
   and in the stepper the pair that comes next; the stepper goes no further than the card's step. A wrong answer opens one
   more step, short of the one that shows the answer. In a quiz an answer counts once and nothing is shown until its end.

   In a class (classroom/line.js) a phone only chooses, and the teacher's page has a bar for each choice: it closes the
   question, asks it again and shows the answer, to all. */

/* No line of a question begins with a sign, or with the number of a name such as GPT-2 or Llama 2; a range and a product
   stay whole. */
function keepTogether(node) {
  for (const code of node.querySelectorAll("code, bdi")) {
    const [, sign, rest] = code.nextSibling?.nodeValue?.match(/^([.,:;!?)、。，：）」]+)(.*)$/su) ?? [];
    if (!sign) continue;
    code.nextSibling.nodeValue = rest;
    const kept = make("span", { class: "le-kept" });
    code.replaceWith(kept);
    kept.append(code, sign);
  }
  for (const each of [node, ...node.querySelectorAll("bdi")]) for (const child of each.childNodes) if (child.nodeType === Node.TEXT_NODE) child.nodeValue = withNames(child.nodeValue);
}

function withNames(text) {
  return text.replace(/(?<=[A-Za-z])-(?=\d|RoBERTa)/gu, "-\u2060").replace(/(?<=\b(?:Llama|Qwen|Tokens?|IDs?|Ids?|Merge)) (?=\d)/gu, "\u00a0").replace(/(?<=\d)[–〜](?=\d)/gu, "$&\u2060").replace(/(?<=[\d)]) ([÷×=]) (?=[\d(])/gu, "\u00a0$1\u00a0");
}

class Asking {
  /* changed(choice, isRight): an answer was given. another(): the reader wants another question. */
  constructor(changed, another) {
    this.changed = changed;
    this.another = another;
    this.node = make("section", { class: "le-ask", attrs: {} });
  }

  draw(question, { quiz, taken, count, phrases }) {
    this.phrase = (name) => phrases[name];
    this.node.setAttribute("aria-label", this.phrase("question"));
    this.question = question;
    this.quiz = quiz;
    this.turn = undefined;
    this.drawn = { quiz, taken, count, phrases };
    this.chosen = quiz && taken !== undefined ? taken : null;
    this.tried = new Set();
    this.open = !quiz;
    this.prompt = make("h2");
    fillSentence(this.prompt, question.prompt.template, question.prompt.args, question.prompt.texts, labelSet([]));
    keepTogether(this.prompt);
    const name = `le-${question.id}`;
    this.inputs = question.choices.map((_, index) => make("input", { attrs: { type: "radio", name, value: String(index) }, on: { change: () => this.choose(index) } }));
    this.rows = question.choices.map((choice, index) => {
      const words = make("span", { class: "le-says" });
      fillSentence(words, choice.say.template, choice.say.args, choice.say.texts, labelSet([]));
      return make("label", { class: "le-choice" }, this.inputs[index], make("kbd", { text: String(index + 1), attrs: { "aria-hidden": "true" } }), words, make("span", { class: "le-note num", text: choice.note }), make("span", { class: "le-bar" }, make("i"), make("b", { class: "num" })));
    });
    this.verdict = make("p", { class: "le-verdict", attrs: { role: "status" } });
    this.check = make("button", { class: "btn main", text: this.phrase("check"), attrs: { type: "button", title: "Enter" }, on: { click: () => this.grade() } });
    this.show = make("button", { class: "btn", text: this.phrase("show"), attrs: { type: "button", title: "S" }, on: { click: () => this.reveal() } });
    this.more = make("button", { class: "btn", text: this.phrase("another"), attrs: { type: "button", title: "A" }, on: { click: () => this.another() } });
    this.count = make("span", { class: "le-count num", text: count });
    this.actions?.remove(); // it may stand elsewhere (card.js)
    const button = (click, more) => make("button", { class: `btn ${more ?? ""}`, attrs: { type: "button" }, on: { click } });
    this.closing = button(() => window.explorerClass.lead({ open: !window.explorerClass.state.open }));
    this.repeating = button(() => window.explorerClass.lead({ again: true }));
    this.telling = button(() => this.reveal(), "main");
    this.leading = make("div", { class: "le-do" }, this.closing, this.repeating, this.telling);
    this.share = make("i");
    this.classNote = make("div", { class: "le-class", attrs: { role: "status" } }, (this.classTold = make("p")), make("p", { class: "le-answered", attrs: {} }, make("span", {}, this.share), (this.classCount = make("b", { class: "num" }))));
    this.leading.hidden = this.classNote.hidden = true;
    this.actions = make("div", { class: "le-do" }, ...(quiz ? [] : [this.check, this.show, this.more]), this.count);
    this.node.replaceChildren(this.prompt, make("p", { class: "le-hint", text: this.phrase(quiz ? "quiz" : question.covers ? "hint" : "pick") }), make("div", { class: "le-choices", attrs: { role: "radiogroup", "aria-label": this.phrase("choices") } }, ...this.rows), this.verdict, this.classNote, this.leading, this.actions);
    this.more.hidden = true;
    this.mark();
    this.cover(!quiz || this.chosen === null);
    if (this.chosen !== null) this.inputs[this.chosen].checked = true;
    this.followClass();
  }

  /* What the class says of this question; null for a reader alone, and where each is at their own card. */
  get classState() {
    const line = window.explorerClass;
    return this.question && !this.quiz && line?.isHere() && (line.leads || line.state.together) ? line.state : null;
  }

  followClass() {
    if (!this.question) return;
    const line = window.explorerClass;
    const state = this.classState;
    if (state && this.turn !== undefined && state.turn !== this.turn) {
      line.choice = null;
      this.draw(this.question, this.drawn); // it is asked again
      return this.redrawn();
    }
    this.turn = state?.turn;
    const leads = Boolean(state && line.leads);
    if (state?.shown && this.open) this.showToClass(leads);
    setClass(this.node, "in-class", Boolean(state));
    setClass(this.node, "bars", leads && !this.barsHidden);
    this.check.hidden = this.show.hidden = Boolean(state) || !this.open;
    if (state) this.more.hidden = true;
    this.leading.hidden = !leads;
    this.classNote.hidden = !state;
    if (!state) return;
    const { here, answered, open, shown } = state;
    this.share.style.setProperty("--share", `${here ? Math.min(100, (100 * answered) / here) : 0}%`);
    setText(this.classCount, leads ? inWords("{0} of {1} have answered", answered, Math.max(here, answered)) : inWords("{0} of {1}", answered, Math.max(here, answered)));
    setText(this.classTold, leads ? "" : this.toldPhone(line));
    if (!leads) return;
    const { bars = {}, before = {} } = state;
    this.rows.forEach((row, index) => {
      const bar = row.querySelector(".le-bar");
      const count = bars[index] ?? 0;
      bar.firstChild.style.setProperty("--share", `${answered ? (100 * count) / answered : 0}%`);
      setText(bar.lastChild, Object.keys(before).length ? `${formatNumber(before[index] ?? 0)} → ${formatNumber(count)}` : formatNumber(count));
    });
    setText(this.closing, open ? inWords("Close answers") : inWords("Open answers"));
    setText(this.repeating, inWords("Ask again"));
    setText(this.telling, inWords("Show the answer"));
    this.telling.title = inWords("Space");
    this.telling.hidden = this.closing.hidden = shown;
  }

  toldPhone({ choice, problem, state }) {
    if (problem === "lost") return inWords("Answers wait here and go when the line is back.");
    if (state.shown) return "";
    if (!state.open) return inWords("Answers are closed.");
    return choice === null ? inWords("Choose one: your teacher shows the answer.") : inWords("Your answer is in. You can change it until your teacher shows the answer.");
  }

  /* A phone learns whether its choice was right, and why it was not. */
  showToClass(leads) {
    const { chosen } = this;
    if (leads || chosen === null) return this.reveal();
    const isRight = chosen === this.question.right;
    this.tried.add(chosen);
    this.changed(chosen, isRight);
    this.reveal(`${this.phrase(isRight ? "right" : "wrong")} `);
    const { why } = this.question.choices[chosen];
    if (isRight || !why.template) return;
    const words = make("p");
    fillSentence(words, why.template, why.args, why.texts, labelSet([]));
    this.verdict.before(words);
    words.className = "le-verdict";
  }

  /* Whether it waits for an answer that it will grade. */
  get isOpen() {
    return !this.node.hidden && Boolean(this.open);
  }

  cover(covered) {
    document.documentElement.style.setProperty("--covered", JSON.stringify(this.phrase("covered")));
    const { covers } = this.question;
    if (covered) document.documentElement.dataset.covered = covers || "nothing";
    else delete document.documentElement.dataset.covered;
  }

  choose(index) {
    const state = this.classState;
    if ((!this.open && !this.quiz) || (state && !window.explorerClass.leads && !state.open)) {
      if (state) for (const [at, input] of this.inputs.entries()) input.checked = at === this.chosen;
      return;
    }
    this.chosen = index;
    this.inputs[index].checked = true;
    this.mark();
    if (state) window.explorerClass.chose(index);
    if (this.quiz) this.changed(index, index === this.question.right);
  }

  grade() {
    if (!this.open || this.chosen === null || this.classState) return;
    const isRight = this.chosen === this.question.right;
    this.tried.add(this.chosen);
    this.changed(this.chosen, isRight);
    if (isRight) return this.reveal(`${this.phrase("right")} `);
    const { why } = this.question.choices[this.chosen];
    const { step, after } = this.question;
    const hint = step + this.tried.size;
    if (hint < after) this.tellStepper("explorer-hint", hint);
    this.say(`${this.phrase("wrong")} `, why.template ? why : null, this.phrase(hint < after ? "hinted" : "again"));
    this.mark();
  }

  reveal(before = "") {
    const state = this.classState;
    if (!this.open || (state && !state.shown && !window.explorerClass.leads)) return;
    if (state && !state.shown) window.explorerClass.lead({ shown: true });
    if (!this.tried.size) this.changed(null, false);
    this.open = false;
    this.chosen = this.question.right;
    this.inputs[this.chosen].checked = true;
    this.say(before, this.question.explanation);
    this.check.hidden = this.show.hidden = true;
    this.more.hidden = this.question.kind === "exercise" || Boolean(state);
    this.cover(false);
    this.mark();
    this.tellStepper("explorer-step", this.question.after);
  }

  tellStepper(event, step) {
    const { stage } = this.question;
    window.dispatchEvent(new CustomEvent(event, { detail: { parameter: stage === "model" ? "step" : stage, step } }));
  }

  say(before, sentence, after = "") {
    const words = make("span");
    if (sentence) fillSentence(words, sentence.template, sentence.args, sentence.texts, labelSet([]));
    this.verdict.replaceChildren(...(before ? [make("b", { text: before })] : []), words, after ? ` ${after}` : "");
    // after the answer is marked and the buttons are gone
    queueMicrotask(() => this.verdict.scrollIntoView?.({ block: "nearest" }));
  }

  mark() {
    this.rows.forEach((row, index) => {
      setClass(row, "chosen", index === this.chosen);
      setClass(row, "right", !this.open && !this.quiz && index === this.question.right);
      setClass(row, "wrong", this.tried.has(index) && index !== this.question.right);
    });
    this.check.setAttribute("aria-disabled", String(this.chosen === null));
  }

  /* Whether a key meant the question. */
  pressed(key) {
    const number = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
    if (number >= 0 && number < this.rows.length) {
      this.choose(number);
      return true;
    }
    if (this.quiz) return false;
    if (this.classState && window.explorerClass.leads) {
      if (key === "Space" && this.open) this.reveal();
      else if (key === "h") {
        this.barsHidden = !this.barsHidden;
        this.followClass();
      } else return false;
      return true;
    }
    if (key === "Enter") this.grade();
    else if (key === "s") this.reveal();
    else if (key === "a" && !this.more.hidden) this.another();
    else return false;
    return true;
  }
}
