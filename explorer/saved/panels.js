/* What pages of several kinds show: a text under one tokenizer, a training, rows of several tokenizers.

   A panel has .remove(). `view` is what explore_data in explore.py gives.                                            */

const ALL = "all";
const LAST_STEP = 1e9;

/* The tokens, the row of stages, the stage in focus. on: where it stands, and what else a card asks of it:
   { stage, step, level, spot, covered, asks, beside, opens, leaves, name }. explain: the card for a question such as
   "token 3", a promise, where the file doesn't have it.                                                                */
class StagesPanel {
  constructor(place, view, on = {}, explain = null) {
    this.view = view;
    this.on = on;
    this.explain = explain ?? ((question) => this.kept(question));
    const top = make("div", { class: "st-key-learn_top" });
    this.stages = make("div", { class: "st-key-stage stages" });
    place.append(top, this.stages);
    this.top = part("overview", top, (what, value) => this.reported(what, value));
    this.shown = [];
    this.focus = this.wanted(address("stage") ?? on.stage);
    this.draw();
  }

  remove() {
    for (const each of [this.top, ...this.shown]) each.remove();
  }

  /* Another text or tokenizer in place of this one. */
  take(view) {
    this.view = view;
    this.whys = undefined;
    const same = this.drawn === this.focus && this.wanted(this.focus) === this.focus && this.focus !== ALL && this.shown.length === 1 && view.sections[this.focus].script;
    if (same) this.shown[0].update(stepperData(this.about(this.focus), view.sections[this.focus].script));
    else this.drawn = null;
    this.focus = this.wanted(this.focus);
    this.draw();
  }

  wanted(stage) {
    return stage === ALL || this.view.sections[stage] ? stage : (this.on.stage ?? this.view.focus);
  }

  draw(answer = null) {
    const { opens = "", leaves = null, name = "" } = this.on;
    this.top.update({ hint: "", explains: true, border: false, saved: {}, ...this.view.overview, opens, leaves, name, focus: this.focus, answer, answers: this.answers });
    if (this.drawn === this.focus) return;
    this.drawn = this.focus;
    for (const each of this.shown) each.remove();
    this.stages.replaceChildren();
    const keys = this.focus === ALL ? Object.keys(this.view.sections) : [this.focus];
    this.shown = keys.map((key) => this.section(key)).filter(Boolean);
    document.documentElement.toggleAttribute("data-report", this.focus === ALL);
  }

  section(key) {
    const { title, what, result, script } = this.view.sections[key];
    const place = make("section", { attrs: { "aria-label": title } });
    this.stages.append(place);
    if (this.focus === ALL || !script) place.append(make("h2", { text: title }), make("p", { class: "what" }, ...explained(what, new Set())));
    if (this.focus === ALL && result) place.append(said("p", result, "result"));
    return script ? stepperPanel(place, script, this.about(key)) : null;
  }

  /* What a stage's stepper is told besides its script. */
  about(key) {
    const stands = key === this.on.stage;
    const { step = null, spot = null, level = "", covered = false, asks = false, beside = false } = this.on;
    return {
      script_id: `${key} ${this.view.overview.content_id}`, parameter: stepParameter(key), start: this.focus === ALL ? LAST_STEP : stands ? step : null,
      spot, level, beside, covered: stands && covered, asks: stands && asks,
    };
  }

  async reported(what, value) {
    if (what === "stage") {
      this.answers = value;
      this.focus = this.wanted(value.split(" ")[0]);
      this.draw();
    }
    if (what === "question" && value) {
      const [kind, number] = value.split(" ");
      const card = (await this.explain(`${kind} ${number}`)) ?? this.without(Number(number));
      this.draw({ ...card, of: value });
    }
  }

  async kept(question) {
    this.whys ??= packedJson(this.view.whys);
    return (await this.whys)[question];
  }

  /* For a token or a cut that is not explained in the file. */
  without(number) {
    const { t: text, id } = this.view.overview.tokens[number - this.view.overview.outside[0]];
    const say = (template, ...texts) => ({ template, args: texts.map((_, index) => index), texts });
    return {
      title: say("Why {0:q}?", text), say: say("This file explains the first tokens of a long text only. The explorer explains each."),
      joined: null, tree: [], rows: [], notes: [], ids: [{ text, id }], go: null,
    };
  }

  /* To a stage and a step of it. */
  go({ stage, step }) {
    const focus = this.wanted(stage ?? this.focus);
    if (focus !== this.focus) {
      writeAddress({ stage: focus, [stepParameter(focus)]: step === undefined ? null : String(step) });
      this.focus = focus;
      this.draw();
    } else if (step !== undefined) {
      window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter: stepParameter(focus), step } }));
    }
  }
}

function stepperPanel(place, script, about) {
  const stepper = part("stepper", place);
  stepper.update(stepperData(about, script));
  return stepper;
}

/* rows: what rows_view in answers/compare.py gives. */
function rowsPanel(place, rows, reported) {
  const panel = part("aligned", place, reported);
  panel.update(rowsData(rows));
  return panel;
}

function rowsData({ drawn, id, say, parting = null, names = [] }) {
  return { rows: drawn, rows_id: id, say, parting, specs: names };
}

/* The level of detail, for a page around this one. */
function goToLevel(level) {
  writeAddress({ level });
  window.dispatchEvent(new CustomEvent("explorer-arrived"));
}

function tellSteps(more = () => ({})) {
  listenTo("explorer-moved", ({ detail: { parameter, step, last } }) => {
    tell({ type: "step", stage: parameter === "step" ? "model" : parameter, step, last, ...more() });
  });
}
