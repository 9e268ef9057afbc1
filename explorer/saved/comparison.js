/* Compare, saved: the rows of all tokenizers, and where each other one parts from the first. The address has `view`,
   `pair` (of several, the number) and `place`, both from 1. */

const VIEWS = ["Side by side", "Where they part"];

class SavedComparison {
  constructor(main, { pairs, scripts }) {
    this.pairs = pairs;
    this.scripts = scripts;
    const shown = [inWords("Side by side"), inWords("First difference")];
    this.tabs = VIEWS.map((name, at) => make("button", { text: shown[at], attrs: { type: "button", role: "tab" }, on: { click: () => this.choose({ view: name === VIEWS[0] ? null : name }) } }));
    const bar = make("div", { class: "saved-tabs", attrs: { role: "tablist", "aria-label": "Question" } }, ...this.tabs);
    bar.addEventListener("keydown", (event) => this.pressed(event));
    this.body = make("div", { class: "saved-body" });
    main.append(head(PAGE.part), bar, this.body, foot());
    this.shown = [];
    onAddress(() => this.draw());
    onMessages(({ level, step }) => {
      if (level) goToLevel(level);
      if (step !== undefined) window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter: "step0", step } }));
    });
    tellSteps();
    this.draw();
    tell({ type: "ready" });
  }

  pressed(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[keyName(event)];
    if (!by) return;
    event.preventDefault();
    const other = this.tabs[1 - this.tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true")];
    other.click();
    other.focus();
  }

  choose(changes) {
    writeAddress({ step0: null, step1: null, ...changes }, true);
    this.draw();
  }

  number(name, among) {
    const text = address(name);
    return text !== null && /^\d{1,5}$/.test(text) && among.includes(Number(text) - 1) ? Number(text) - 1 : null;
  }

  draw() {
    const parts = address("view") === VIEWS[1];
    this.tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(Boolean(index) === parts));
      tab.setAttribute("tabindex", Boolean(index) === parts ? "0" : "-1");
    });
    for (const each of this.shown) each.remove();
    this.body.replaceChildren();
    this.shown = parts ? this.parting() : [rowsPanel(this.body, PAGE.rows, (what, value) => what === "go" && this.follow(JSON.parse(value)))];
  }

  /* A link of the rows: where two of them part. */
  follow({ left, right, sel }) {
    const at = this.pairs.findIndex(({ names }) => [left, right].every((name) => names.includes(name)));
    if (at < 0) return;
    this.choose({ view: VIEWS[1], pair: at ? String(at + 1) : null, place: null, ...(sel && { sel }) });
  }

  parting() {
    const at = this.number("pair", [...this.pairs.keys()]) ?? 0;
    const pair = this.pairs[at];
    const known = Object.keys(pair.places).map(Number);
    const number = this.number("place", known) ?? pair.start;
    const { say, more, drawn, panels, spot, tokens } = number === null ? pair.none : pair.places[number];
    if (this.pairs.length > 1) this.body.append(this.chooser(at));
    this.body.append(said("h2", say, "parts"), said("p", more, "what"));
    const card = make("div", { class: "parting-card" });
    this.body.append(card);
    const top = part("parting", card, (what, value) => {
      const place = Number(value.split(" ")[1]);
      if (what === "place" && known.includes(place)) this.choose({ place: place === drawn.default ? null : String(place + 1) });
    });
    top.update(drawn);
    const both = panels.length === 2 && panels.every(({ stage }) => stage);
    const sides = make("div", { class: both ? "pair" : "" });
    card.append(sides);
    const shown = panels.flatMap((each, index) => this.side(sides, { ...each, index, both, spot, drawn, label: pair.labels[index], tokens: tokens[index] }));
    return [top, ...shown];
  }

  side(around, { script, step, index, both, spot, drawn, label, tokens }) {
    if (!script) return [];
    const column = make("div", {});
    around.append(column);
    const position = both ? ["left", "right"][index] : "alone";
    const stepper = stepperPanel(column, this.scripts[script], {
      script_id: `${index} ${step} ${script}`, parameter: `step${index}`, start: step, spot, name: label, together: both ? true : null,
      side: drawn.rows?.columns ? `${position} rows` : position,
    });
    if (!both || drawn.rows) return [stepper];
    const made = part("parting", column);
    made.update({ tokens, content_id: JSON.stringify(tokens) });
    return [stepper, made];
  }

  chooser(at) {
    const buttons = this.pairs.map(({ labels }, index) =>
      make("button", { attrs: { type: "button", "aria-pressed": String(index === at) }, on: { click: () => this.choose({ pair: index ? String(index + 1) : null, place: null }) } }, make("bdi", { text: labels.join(" · ") })));
    return make("div", { class: "saved-pairs", attrs: { role: "group", "aria-label": "Two of them" } }, ...buttons);
  }
}

async function show(main) {
  new SavedComparison(main, await packedJson(PAGE.packed));
}
