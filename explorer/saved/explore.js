/* Explore, saved: the tokens, the row of stages, the stage in focus. PAGE.sections has a script for each stage,
   PAGE.whys a card for each token and cut. A page of one stage has that stage alone. */

const ALL = "all";
const LAST_STEP = 1e9;

class SavedExplore {
  constructor(main) {
    this.main = main;
    this.stages = make("div", { class: "stages" });
    this.heading = head(PAGE.part);
    main.append(this.heading);
    this.top = part("overview", main, (what, value) => this.reported(what, value));
    main.append(this.stages, foot());
    this.shown = [];
    this.focus = this.wanted(address("stage"));
    this.draw();
    onMessages((wanted) => this.go(wanted));
    listenTo("explorer-moved", ({ detail }) => this.moved(detail));
    tell({ type: "ready", stages: Object.keys(PAGE.sections), stage: this.focus });
  }

  wanted(stage) {
    return stage === ALL || PAGE.sections[stage] ? stage : PAGE.focus;
  }

  draw(answer = null) {
    this.top.update({ ...PAGE.overview, focus: this.focus, answer });
    if (this.drawn === this.focus) return;
    this.drawn = this.focus;
    for (const each of this.shown) each.remove();
    this.stages.replaceChildren();
    const keys = this.focus === ALL ? Object.keys(PAGE.sections) : [this.focus];
    this.shown = keys.map((key) => this.section(key)).filter(Boolean);
    document.documentElement.toggleAttribute("data-report", this.focus === ALL);
  }

  section(key) {
    const { title, what, result, script } = PAGE.sections[key];
    const place = make("section", { attrs: { "aria-label": title } });
    this.stages.append(place);
    if (this.focus === ALL || !script) place.append(make("h2", { text: title }), make("p", { class: "what" }, ...explained(what, new Set())));
    if (this.focus === ALL && result) place.append(said("p", result, "result"));
    if (!script) return null;
    const stepper = part("stepper", place);
    stepper.update(stepperData({ script_id: `${key} ${PAGE.overview.content_id}`, parameter: stepParameter(key), start: this.focus === ALL ? LAST_STEP : null }, script));
    return stepper;
  }

  async reported(what, value) {
    if (what === "stage") {
      this.focus = this.wanted(value.split(" ")[0]);
      this.draw();
    }
    if (what === "question" && value) {
      this.whys ??= packedJson(PAGE.whys);
      const [kind, number] = value.split(" ");
      const card = (await this.whys)[`${kind} ${number}`];
      if (card) this.draw({ ...card, of: value });
    }
  }

  /* What a page around this one asks for. */
  go({ stage, step, level }) {
    if (level) {
      writeAddress({ level });
      window.dispatchEvent(new CustomEvent("explorer-arrived"));
    }
    const focus = this.wanted(stage ?? this.focus);
    if (focus !== this.focus) {
      writeAddress({ stage: focus, [stepParameter(focus)]: step === undefined ? null : String(step) });
      this.focus = focus;
      this.draw();
    } else if (step !== undefined) {
      window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter: stepParameter(focus), step } }));
    }
  }

  moved({ parameter, step, last }) {
    const stage = parameter === "step" ? "model" : parameter;
    tell({ type: "step", stage, step, last });
  }
}

function show(main) {
  new SavedExplore(main);
}
