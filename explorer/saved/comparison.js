/* Compare without the app: the rows of all tokenizers, and where each other one parts from the first. The address has `view`,
   `pair` (of several, the number) and `place`, both from 1. */

const VIEWS = ["Side by side", "Where they part"];

/* Both views, one at a time. take({ rows, pairs }): rows as `rowsPanel` has them, pairs with names and labels. partOf(pair,
   place): what `place_data` in answers/saved.py gives, with its number and all scripts; a promise. place: a number from 0, null
   for the first. */
class ComparisonPanel {
  constructor(place, partOf) {
    this.partOf = partOf;
    this.tabs = [inWords("Side by side"), inWords("First difference")].map((text, at) => make("button", { text, attrs: { type: "button", role: "tab" }, on: { click: () => this.choose({ view: at ? VIEWS[1] : null }) } }));
    const bar = make("div", { class: "saved-tabs", attrs: { role: "tablist", "aria-label": inWords("Question") } }, ...this.tabs);
    bar.addEventListener("keydown", (event) => this.pressed(event));
    this.body = make("div", { class: "saved-body" });
    place.append(bar, this.body);
    this.rows = null;
    this.pairs = this.shown = [];
    this.drawing = 0;
  }

  take({ rows, pairs }) {
    const same = this.shown.length === 1 && this.shown[0] === this.rowsShown && !this.parts;
    this.rows = rows;
    this.pairs = pairs;
    if (same) this.rowsShown.update(rowsData(rows));
    else this.draw();
  }

  get parts() {
    return address("view") === VIEWS[1] && this.pairs.length > 0;
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

  /* A number of the address, from 0. */
  number(name) {
    const text = address(name);
    return text !== null && /^\d{1,5}$/.test(text) ? Number(text) - 1 : null;
  }

  async draw() {
    if (!this.rows) return;
    const mine = (this.drawing += 1);
    const { parts } = this;
    this.tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(Boolean(index) === parts));
      tab.setAttribute("tabindex", Boolean(index) === parts ? "0" : "-1");
    });
    const asked = this.number("pair");
    const at = asked in this.pairs ? asked : 0;
    const part = parts ? await this.partOf(this.pairs[at], this.number("place")) : null;
    if (mine !== this.drawing || (parts && !part)) return;
    for (const each of this.shown) each.remove();
    this.body.replaceChildren();
    if (part) this.shown = this.parting(at, part);
    else this.shown = [(this.rowsShown = rowsPanel(this.body, this.rows, (what, value) => what === "go" && this.follow(JSON.parse(value))))];
  }

  /* A link of the rows: where two of them part. */
  follow({ left, right, sel }) {
    const at = this.pairs.findIndex(({ names }) => [left, right].every((name) => names.includes(name)));
    if (at < 0) return;
    this.choose({ view: VIEWS[1], pair: at ? String(at + 1) : null, place: null, ...(sel && { sel }) });
  }

  parting(at, { place, scripts, knows }) {
    const { say, more, drawn, panels, spot, tokens } = place;
    const { labels } = this.pairs[at];
    if (this.pairs.length > 1) this.body.append(this.chooser(at));
    this.body.append(said("h2", say, "parts"), said("p", more, "what"));
    const card = make("div", { class: "parting-card" });
    this.body.append(card);
    const top = part("parting", card, (what, value) => {
      const number = Number(value.split(" ")[1]);
      if (what === "place" && knows(number)) this.choose({ place: number === drawn.default ? null : String(number + 1) });
    });
    top.update(drawn);
    const both = panels.length === 2 && panels.every(({ stage }) => stage);
    const sides = make("div", { class: both ? "pair" : "" });
    card.append(sides);
    const shown = panels.flatMap((each, index) => this.side(sides, { ...each, index, both, spot, drawn, scripts, label: labels[index], tokens: tokens[index] }));
    return [top, ...shown];
  }

  side(around, { script, step, index, both, spot, drawn, scripts, label, tokens }) {
    if (!script) return [];
    const column = make("div", {});
    around.append(column);
    const position = both ? ["left", "right"][index] : "alone";
    const stepper = stepperPanel(column, scripts[script], {
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
    return make("div", { class: "saved-pairs", attrs: { role: "group", "aria-label": inWords("Two of them") } }, ...buttons);
  }
}

/* On messages, the level and the step of the left side. */
function followSteps() {
  onMessages(({ level, step }) => {
    if (level) goToLevel(level);
    if (step !== undefined) window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter: "step0", step } }));
  });
  tellSteps();
}

async function show(main) {
  const { pairs, scripts } = await packedJson(PAGE.packed);
  main.append(head(PAGE.part));
  const panel = new ComparisonPanel(main, ({ places, none, start }, number) => {
    const known = Object.keys(places).map(Number);
    return { place: start === null ? none : places[known.includes(number) ? number : start], scripts, knows: (each) => known.includes(each) };
  });
  main.append(foot());
  onAddress(() => panel.draw());
  followSteps();
  panel.take({ rows: PAGE.rows, pairs });
  tell({ type: "ready" });
}
