/* A live Explore: the page of a saved one, whose worker answers instead of the file (answers/live.py). The address is that of
   the app's Explore: text or ids, m, as, special, stage, step, level, sel, lang; several `with` compare tokenizers, as the
   app's Compare has them. */

const { examples, addresses } = PAGE.live; // addresses: of each file of the site
const models = PAGE.live.models.map(([name, title, file, implementations]) => ({ name, title, file, implementations }));
const LANGUAGES = { en: "English", de: "Deutsch", ja: "日本語" };
const FIRST = examples[0][1];
const LONGEST = 20_000; // characters
const PATIENCE_MS = 30_000; // for one answer, once Python runs
const MOST_ROWS = 6;

/* The engine in its worker. What is asked while it answers waits, and of what draws the page only the latest. A worker that
   takes too long is ended, and another one takes its place. */
class Engine {
  constructor(told) {
    this.told = told;
    this.waiting = new Map();
    this.own = [];
    this.number = 0;
    this.start();
  }

  start() {
    this.ready = false;
    this.worker = new Worker(workerAddress(), { type: "module" });
    this.worker.addEventListener("message", ({ data }) => this.heard(data));
    this.worker.addEventListener("error", ({ message }) => this.told({ failed: message ?? "live_worker.js" })); // no message where it can't be fetched
    for (const file of this.own) this.send({ file });
  }

  heard({ id, answer, progress, failed }) {
    if (failed) return this.told({ failed });
    if (progress) {
      this.ready = progress === "ready";
      return this.told({ progress });
    }
    const { resolve, clock } = this.waiting.get(id) ?? {};
    if (!resolve) return;
    clearTimeout(clock);
    this.waiting.delete(id);
    resolve(JSON.parse(answer));
  }

  send(request) {
    const id = ++this.number;
    this.worker.postMessage({ id, ...request });
    return new Promise((resolve) => this.waiting.set(id, { resolve }));
  }

  /* What a function of answers/live.py gives: { is } or { error }. */
  async ask(what, of, needs) {
    const asked = this.send({ what, of, needs });
    const entry = this.waiting.get(this.number);
    if (this.ready) entry.clock = setTimeout(() => this.end(), PATIENCE_MS);
    return asked;
  }

  end() {
    this.worker.terminate();
    const late = [...this.waiting.values()];
    this.waiting.clear();
    this.start();
    for (const { resolve } of late) resolve({ error: inWords("It took too long, and was ended. Try a shorter text.") });
  }

  /* A visitor's own file; gives its path. */
  async open(name, bytes) {
    const file = { name, bytes };
    this.own.push(file);
    return (await this.send({ file })).is;
  }
}

class LiveExplore {
  constructor(main) {
    this.main = main;
    this.ownNames = new Map(); // a file's name → its path
    this.taken = new Set(); // vocabularies
    this.engine = new Engine((news) => this.heard(news));
    this.progress = make("span", { attrs: { "aria-hidden": "true" } });
    this.status = make("p", { class: "live-status", attrs: { role: "status" } }, inWords("The engine is loading…"), " ", this.progress);
    this.problem = make("p", { class: "live-problem", attrs: { role: "alert" } });
    this.problem.hidden = true;
    this.field = make("div", { class: "live-field" });
    this.choices = make("div", { class: "live-choices" });
    this.stages = make("div", { class: "live-stages" });
    this.rows = make("div", { class: "live-rows" });
    window.explorerTypes = true;
    PAGE.made = [PAGE.made[0], ["Python", Object.keys(addresses).find((name) => name.includes("/")).split("/")[0]]];
    PAGE.line = inWords("The engine runs in your browser. Your text and your files stay there.");
    main.append(make("header", { class: "live-head" }, make("h1", { text: inWords("Tokenizer explorer") }), this.status, this.languages()), make("div", { class: "live-bar" }, this.field, this.choices), this.problem, this.stages, this.rows, foot());
    this.controls();
    this.text = part("live_text", this.field, (what, value) => this.typed(what, value));
    this.comparison = new ComparisonPanel(this.rows, (pair, place) => this.parting(pair, place));
    this.arrives();
    this.panel = new StagesPanel(this.stages, PAGE, {}, (question) => this.why(question));
    this.rev = 0;
    this.read();
    onAddress(() => {
      this.arrives();
      this.read();
    });
    onMessages(({ level, stage, step }) => {
      if (level) goToLevel(level);
      if (!this.names.length) this.panel.go({ stage, step });
    });
    tellSteps();
    this.receiveFiles();
    tell({ type: "ready", stages: Object.keys(PAGE.sections), stage: this.panel.focus });
  }

  // --- what is asked ---

  get reading() {
    return address("ids") === null ? "text" : "ids";
  }

  get model() {
    const name = address("m") ?? models[0].name;
    return this.ownNames.has(name) || models.some((each) => each.name === name) ? name : models[0].name;
  }

  /* The switches, by what answers/live.py calls them. */
  get switches() {
    const on = (...names) => names.every((name) => address(name) !== "false"); // Compare has other names
    return { special: on("special", "addspecial"), parse: on("parse", "parsespecial"), stored: address("stored") === "true" };
  }

  get names() {
    return [...new Set(addressAll("with"))].filter((name) => this.ownNames.has(name) || this.known(name)).slice(0, MOST_ROWS);
  }

  known(name) {
    return models.find((each) => each.name === name.split("@")[0]);
  }

  /* A tokenizer as `explorer.load` takes it. */
  spec(name) {
    if (this.ownNames.has(name)) return this.ownNames.get(name);
    const as = address("as");
    return this.known(name)?.implementations.some(([each]) => each === as) ? `${name}@${as}` : name;
  }

  needs(names) {
    const files = [...new Set(names.map((name) => this.known(name)?.file).filter(Boolean))];
    const more = files.filter((each) => !this.taken.has(each));
    for (const each of more) this.taken.add(each);
    if (more.length && this.engine.ready) this.keep();
    return files;
  }

  /* What the address says, in the controls and in the answer. */
  read() {
    this.select.value = this.model;
    this.implementations();
    for (const [name, box] of Object.entries(this.boxes)) box.checked = this.switches[name];
    this.beside.checked = this.names.length > 0;
    const { reading } = this;
    this.written = address(reading) ?? (reading === "text" ? FIRST : "");
    this.rev += 1;
    this.text.update({
      max: LONGEST, label: inWords("Text"), parameter: reading, placeholder: "", note: "", unlinked: reading === "text" ? FIRST : "",
      readings: { text: FIRST, ids: "" }, longest_link: 2000, selectable: true, bar: true, ids: false, text: this.written, rev: this.rev, session: "live",
    });
    this.answerSoon();
  }

  /* The stage and the steps that the address names, for the answer to it: what is drawn until then moves on by itself. */
  arrives() {
    this.arrival = new Map(["stage", ...STEPS].map((name) => [name, address(name)]));
  }

  typed(what, value) {
    this.arrival = null;
    if (what === "reading") return this.read();
    if (what !== "text") return;
    this.written = value;
    this.answerSoon();
  }

  /* One run at a time; of what is asked meanwhile, the latest. */
  async answerSoon() {
    this.stale = true;
    if (this.answering) return;
    this.answering = true;
    while (this.stale) {
      this.stale = false;
      await this.answer();
    }
    this.answering = false;
  }

  async answer() {
    const { names } = this;
    this.rows.hidden = !names.length;
    this.stages.hidden = names.length > 0;
    const shared = { ...this.switches, language: document.documentElement.lang };
    if (names.length) {
      const text = await this.whole();
      if (text === null) return;
      this.compared = { text, ...shared };
      const { is, error } = await this.engine.ask("rows", { names: this.paths(names), ...this.compared }, this.needs(names));
      if (this.refused(error) || !this.names.length) return;
      const [first, ...others] = is.names.map((name, at) => ({ name, label: is.labels[at] }));
      this.comparison.take({ rows: is, pairs: others.map((each) => ({ names: [first.name, each.name], labels: [first.label, each.label] })) });
      return;
    }
    const text = this.written;
    if (this.reading === "ids") {
      if (!this.engine.ready) this.stages.setAttribute("aria-busy", "true");
      return this.take(await this.engine.ask("backwards", { name: this.spec(this.model), ids: text, ...shared }, this.needs([this.model])));
    }
    this.asked = { name: this.spec(this.model), text, start: 0, ...shared };
    const first = text === FIRST && this.model === models[0].name && shared.special && !shared.stored && shared.language === "en";
    if (first && !this.engine.ready) return; // the page came with it
    if (!this.engine.ready) this.stages.setAttribute("aria-busy", "true");
    await this.take(await this.engine.ask("explore", this.asked, this.needs([this.model])));
  }

  async take({ is, error }) {
    const { stages } = this;
    const other = stages.hasAttribute("aria-busy");
    if (other) {
      stages.style.visibility = "hidden"; // another text is there: nothing of it moves to where this one has it
      await painted();
    }
    stages.removeAttribute("aria-busy");
    if (!this.refused(error)) this.draw(is);
    if (other) {
      await painted();
      stages.style.visibility = "";
    }
  }

  draw(is) {
    const { panel, arrival } = this;
    this.arrival = null;
    if (arrival) {
      if (is.sections[arrival.get("stage")]) panel.focus = arrival.get("stage");
      const name = stepParameter(panel.focus);
      writeAddress({ [name]: arrival.get(name) });
      window.dispatchEvent(new CustomEvent("explorer-arrived")); // the stepper opens its next script there
    }
    panel.take(is);
  }

  paths(names) {
    return names.map((name) => this.ownNames.get(name) ?? name);
  }

  /* Where the tokenizers of a pair part. */
  async parting({ names }, place) {
    const { is, error } = await this.engine.ask("parting", { names: this.paths(names), place, ...this.compared }, this.needs(names));
    return this.refused(error) ? null : { ...is, knows: (number) => number < is.count };
  }

  /* A browser that keeps nothing asks the network again. */
  keep() {
    keepForLater([...this.taken].map((name) => addresses[`${name}.gz`])).catch(() => {});
  }

  /* The text of the field; of ids, what they say. */
  async whole() {
    if (this.reading === "text") return this.written;
    const { is, error } = await this.engine.ask("decode", { name: this.spec(this.model), ids: this.written, special: this.switches.special }, this.needs([this.model]));
    return this.refused(error) ? null : is;
  }

  async why(question) {
    return (await this.engine.ask("why", { ...this.asked, card: question })).is;
  }

  refused(error) {
    this.problem.hidden = !error;
    setText(this.problem, error ?? "");
    return Boolean(error);
  }

  heard({ progress, failed }) {
    if (failed) return this.refused(`${inWords("The engine didn't start:")} ${failed}`);
    if (progress !== "ready") return setText(this.progress, `${(progress / 1e6).toFixed(1)} MB`);
    this.status.replaceChildren();
    document.documentElement.toggleAttribute("data-live", true);
    this.keep();
  }

  // --- controls ---

  controls() {
    const option = (value, text) => make("option", { text, attrs: { value } });
    const picks = (label, options, changed) => {
      const select = make("select", { attrs: { "aria-label": label } }, ...options);
      select.addEventListener("change", () => changed(select.value));
      return select;
    };
    const switches = (label, changed) => {
      const box = make("input", { attrs: { type: "checkbox" } });
      box.addEventListener("change", () => changed(box.checked));
      return [box, make("label", {}, box, label)];
    };
    const go = (changes) => {
      writeAddress({ sel: null, ...Object.fromEntries(STEPS.map((name) => [name, null])), ...changes }, true);
      this.read();
    };
    this.examples = picks(inWords("Examples"), [option("", inWords("Examples")), ...examples.map(([label], at) => option(String(at), inWords(label)))], (at) => {
      if (at !== "") go({ text: examples[at][1], ids: null });
      this.examples.value = "";
    });
    this.select = picks(inWords("Tokenizer"), models.map(({ name, title }) => option(name, title)), (name) => go({ m: name === models[0].name ? null : name, as: null, stage: null }));
    this.engines = picks(inWords("Implementation"), [], (as) => go({ as, stage: null }));
    const [special, specialLabel] = switches(inWords("Add BOS/EOS"), (on) => go({ special: on ? null : "false", addspecial: null }));
    const [parse, parseLabel] = switches(inWords("Recognize control tokens"), (on) => go({ parse: on ? null : "false", parsespecial: null }));
    const [stored, storedLabel] = switches(inWords("Raw spelling"), (on) => go({ stored: on ? "true" : null }));
    const [beside, besideLabel] = switches(inWords("Compare"), (on) => go({ view: null, pair: null, place: null, with: on ? [...new Set([this.model, "llama-2", "gpt-2", "o200k_base"])] : null }));
    this.boxes = { special, parse, stored };
    this.beside = beside;
    this.file = make("input", { attrs: { type: "file", hidden: "" } });
    this.file.addEventListener("change", () => this.receive(this.file.files));
    const open = make("button", { text: inWords("Open a file"), attrs: { type: "button" }, on: { click: () => this.file.click() } });
    const settings = make("details", {}, make("summary", { text: inWords("Settings") }), make("div", { class: "live-settings" }, specialLabel, parseLabel, storedLabel, open, this.file));
    this.choices.append(this.examples, this.select, this.engines, besideLabel, settings);
  }

  implementations() {
    const known = this.ownNames.has(this.model) ? [] : (this.known(this.model)?.implementations ?? []);
    this.engines.hidden = known.length < 2;
    this.engines.replaceChildren(...known.map(([value, text]) => make("option", { text, attrs: { value } })));
    const as = address("as");
    if (known.some(([each]) => each === as)) this.engines.value = as;
  }

  /* This page in another language, as it is when the link is followed. */
  languages() {
    const links = Object.entries(LANGUAGES).map(([key, name]) => {
      const link = make("a", { text: name, attrs: { hreflang: key, lang: key, "aria-current": String(key === document.documentElement.lang) } });
      const now = () => {
        const url = placeHere();
        url.searchParams.set("lang", key);
        link.href = url.href;
      };
      for (const type of ["pointerdown", "focus", "click"]) link.addEventListener(type, now);
      now();
      return link;
    });
    return make("nav", { attrs: { "aria-label": inWords("Language") } }, ...links);
  }

  // --- own files ---

  receiveFiles() {
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      this.receive(event.dataTransfer.files);
    });
  }

  async receive([file]) {
    if (!file) return;
    const name = file.name.replace(/[^\w.-]/g, "_");
    this.ownNames.set(name, await this.engine.open(name, new Uint8Array(await file.arrayBuffer())));
    if (![...this.select.options].some(({ value }) => value === name)) this.select.append(make("option", { text: file.name, attrs: { value: name } }));
    writeAddress({ m: name, as: null, stage: null, with: null, view: null }, true);
    this.read();
  }
}

/* Resolves when what is there now was painted, and at once where nobody looks. */
function painted() {
  return new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 100);
  });
}

/* For the next visit, with or without a network. more: addresses besides what every visit needs. */
async function keepForLater(more) {
  if (!navigator.serviceWorker) return;
  const build = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(addresses)))).slice(0, 8);
  await navigator.serviceWorker.register(`./live_offline.js?${[...build].map((each) => each.toString(16).padStart(2, "0")).join("")}`);
  const { active } = await navigator.serviceWorker.ready;
  const every = Object.entries(addresses).filter(([name]) => !name.endsWith(".gz")).map(([, each]) => each);
  active.postMessage([window.location.pathname, workerAddress(), ...every, ...more].map((each) => new URL(each, window.location.href).href));
}

function workerAddress() {
  return `${addresses["live_worker.js"]}&${new URLSearchParams({ addresses: JSON.stringify(addresses) })}`;
}

async function spoken() {
  const asked = address("lang") ?? navigator.language.slice(0, 2);
  const language = asked in LANGUAGES ? asked : "en";
  document.documentElement.lang = language;
  if (language === "en") return;
  window.explorerWords = await (await fetch(addresses[`words-${language}.json`])).json();
}

async function show(main) {
  await spoken();
  new LiveExplore(main);
}
