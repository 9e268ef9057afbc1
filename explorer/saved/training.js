/* A training, saved: the text, its decisions at three levels, the file that was learned. The address has `level` and
   `step`. */

class SavedTraining {
  constructor(main) {
    this.buttons = LEVELS_SHOWN.map(([name, label]) => make("button", { text: label, attrs: { type: "button", "aria-pressed": "false" }, on: { click: () => this.choose(name) } }));
    const levels = make("div", { class: "saved-tabs", attrs: { role: "group", "aria-label": "Level of detail" } }, ...this.buttons);
    const save = make("button", { class: "saved-file", text: "Save the tokenizer", attrs: { type: "button" }, on: { click: () => this.save() } });
    const text = make("div", { class: "saved-text", attrs: { tabindex: "0", role: "group", "aria-label": "Text" } }, make("bdi", { text: PAGE.text }));
    const place = make("div", { class: "st-key-stage" });
    main.append(head(), text, make("div", { class: "saved-bar" }, levels, save), place, foot());
    this.stepper = part("stepper", place);
    onAddress(() => this.draw());
    onMessages(({ level, step }) => {
      if (level) this.choose(level);
      if (step !== undefined) window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter: "step", step } }));
    });
    tellSteps();
    this.draw();
    tell({ type: "ready" });
  }

  get level() {
    const asked = address("level");
    return LEVELS_SHOWN.some(([name]) => name === asked) ? asked : "story";
  }

  choose(level) {
    writeAddress({ level: level === "story" ? null : level });
    this.draw();
  }

  draw() {
    this.buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(LEVELS_SHOWN[index][0] === this.level)));
    this.stepper.update(stepperData({ ...PAGE.on, level: this.level }, PAGE.script));
  }

  save() {
    saveData(PAGE.file_name, packedBytes(PAGE.file));
  }
}

const LEVELS_SHOWN = [["story", "Story"], ["algorithm", "Algorithm"], ["implementation", "Implementation"]];

function show(main) {
  new SavedTraining(main);
}
