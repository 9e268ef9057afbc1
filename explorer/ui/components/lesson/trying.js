/* A task on a card: a field for a text that does what is asked. Python judges each text as it is typed, and the panel
   shows it. */

const JUDGED_AFTER = 120;

class Trying {
  /* typed(text): another text stands in the field. done(): it does what is asked. */
  constructor(typed, done) {
    this.typed = debounce(typed, JUDGED_AFTER);
    this.done = done;
    this.ask = make("h2");
    this.field = make("textarea", { class: "le-try", attrs: { rows: "2", dir: "auto", maxlength: "200", spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off" }, on: { input: () => this.changed(), keydown: (event) => this.pressed(event) } });
    this.verdict = make("p", { class: "le-verdict", attrs: { role: "status" } });
    this.show = make("button", { class: "btn", attrs: { type: "button" }, on: { click: () => this.fill(this.task.answer) } });
    this.node = make("section", { class: "le-ask", attrs: {} }, this.ask, this.field, this.verdict, make("div", { class: "le-do" }, this.show));
  }

  update(task, phrases) {
    const isNew = task.id !== this.task?.id;
    this.task = task;
    setText(this.ask, withNames(task.ask));
    setText(this.show, phrases.show);
    this.node.setAttribute("aria-label", phrases.task);
    this.field.setAttribute("aria-label", task.ask);
    this.field.hidden = Boolean(task.alone); // a saved page, where nobody judges a text
    if (isNew) this.field.value = task.text;
    const { verdict } = task;
    const told = verdict && task.text === this.field.value; // a newer text is on its way
    if (!told && !isNew) return;
    const words = make("span");
    if (told) fillSentence(words, verdict.say.template, verdict.say.args, verdict.say.texts, labelSet([]));
    this.verdict.replaceChildren(...(told ? [make("b", { text: `${phrases[verdict.done ? "right" : "notYet"]} ` }), words] : []));
    setClass(this.field, "right", Boolean(told && verdict.done));
    if (told && verdict.done) this.done(this.shown !== task.id);
  }

  /* Enter ends what is typed, as in a field of one line; Shift and Enter break the line. */
  pressed(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.changed();
  }

  changed() {
    this.typed(this.field.value);
  }

  fill(text) {
    this.shown = this.task.id;
    this.field.value = text;
    this.changed();
  }
}
