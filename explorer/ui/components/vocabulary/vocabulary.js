/* The Vocabulary page: a search field, facets, the tokens found, the dossier of one.

   What is asked for belongs to the browser: it is in the URL, and goes to Python as one JSON text, `ask`. An answer that
   is not for the last question is drawn all the same: the next one follows. */

const FACET_NAMES = ["kind", "script", "with", "check"];
const PARAMETERS = { kind: "kind", script: "script", with: "having", check: "check" };
const BY = { text: inWords("text"), regex: "regular expression", bytes: "bytes", ids: "id" };
const EXAMPLE = { text: inWords("token"), regex: "^[A-Z]+$", bytes: "20 74", ids: "100-200" };
const SORTS = { id: "id", text: inWords("text"), length: "length", score: "score" };

function askedInAddress() {
  const range = (name) => {
    const match = /^(\d{1,9})-(\d{1,9})$/.exec(address(name) ?? "");
    return match ? [Number(match[1]), Number(match[2])] : null;
  };
  const facets = Object.fromEntries(FACET_NAMES.map((name) => [name, addressAll(PARAMETERS[name])]).filter(([, values]) => values.length));
  const token = /^\d{1,9}$/.test(address("token") ?? "") ? Number(address("token")) : null;
  return {
    q: address("q") ?? "", by: address("by") in BY ? address("by") : "text", exact: address("case") === "exact", facets,
    bytes: range("bytes"), characters: range("characters"), sort: address("sort") in SORTS ? address("sort") : "id", token, more: false, others: null,
  };
}

const SLOW_MS = 400;

class VocabularyPage {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.asked = askedInAddress();
    this.input = make("input", { class: "vo-input", attrs: { type: "search", "aria-label": inWords("Search the vocabulary"), spellcheck: "false", autocapitalize: "off", autocomplete: "off", maxlength: "1000" }, on: { input: () => this.typed() } });
    this.count = make("span", { class: "vo-found num", attrs: { role: "status" } });
    this.by = this.select(inWords("What is searched"), BY, (by) => this.ask({ by }));
    this.sort = this.select(inWords("Sorted by"), SORTS, (sort) => this.ask({ sort }));
    this.exact = make("button", { class: "btn vo-case", text: "Aa", attrs: { type: "button", title: inWords("Match case"), "aria-label": inWords("Match case") }, on: { click: () => this.ask({ exact: !this.asked.exact }) } });
    this.own = make("p", { class: "vo-own" });
    this.error = make("p", { class: "vo-error", attrs: { role: "alert" } });
    this.say = make("p", { class: "vo-say", attrs: { "aria-live": "polite" } });
    this.why = make("p", { class: "vo-why" });
    this.ids = make("button", { class: "link vo-ids", attrs: { type: "button" }, on: { click: () => this.askForIds() } });
    this.surprise = make("button", { class: "btn vo-surprise", text: inWords("Surprise me"), attrs: { type: "button", title: inWords("Another token worth looking at") }, on: { click: () => this.surpriseMe() } });
    this.facets = facetsView((changes) => this.ask(changes, true));
    this.list = listView((token, moves) => this.choose(token, { moves }), () => this.ask({ more: true }));
    this.dossier = dossierView((token) => this.choose(token), (others) => this.ask({ others }));
    this.sheet = make("details", { class: "vo-sheet" }, make("summary", { text: inWords("Kind, script, length, checks") }), this.facets.node);
    this.root.append(
      make("div", { class: "vo-search" }, make("label", { class: "vo-field" }, this.input, this.count), this.by, this.exact, make("label", { class: "vo-sort" }, make("span", { text: inWords("sorted by") }), this.sort), this.surprise),
      this.own, this.error, make("div", { class: "vo-headline" }, this.say, this.why, this.ids), make("div", { class: "vo-columns" }, this.sheet, this.list.node, this.dossier.node));
    this.number = 0; // of the question asked last
    this.found = "";
    this.wait = awaiting(SLOW_MS, (on) => this.waits(on));
    this.later = addressLater(() => this.ask({ q: this.input.value }), 90);
    this.wide = window.matchMedia("(min-width: 1024px)");
    this.widen = () => (this.sheet.open = this.wide.matches);
    this.wide.addEventListener("change", this.widen);
    this.widen();
    this.leave = onAddress(() => {
      this.later.cancel();
      this.asked = askedInAddress();
      this.drawControls(true);
      afterBack(() => !this.gone && this.report());
    });
    this.drawControls(true);
  }

  select(label, options, chosen) {
    return make("select", { class: "btn", attrs: { "aria-label": label }, on: { change: (event) => chosen(event.target.value) } },
      ...Object.entries(options).map(([value, text]) => make("option", { text: inWords(text), attrs: { value } })));
  }

  typed() {
    this.later();
  }

  choose(token, { reveal = true, moves = true } = {}) {
    this.list.mark(token);
    this.ask({ token }, moves);
    if (reveal && !this.wide.matches) this.reveal = true;
  }

  /* Any of the tokens worth looking at but the one that is open; the address is then a link to it. */
  surpriseMe() {
    const others = (this.surprises ?? []).filter((id) => id !== this.shown);
    if (others.length) this.choose(others[Math.floor(Math.random() * others.length)], { reveal: false });
  }

  /* What was typed as text, read as ids. */
  askForIds() {
    this.ask({ q: this.typedIds.q, by: "ids", token: null }, true);
    this.drawControls(true);
  }

  /* moves: Back returns to what was asked before; keys in the field or the list would fill the history. */
  ask(changes, moves = false) {
    const searched = Object.keys(changes).some((name) => !["token", "more", "others"].includes(name));
    this.asked = { ...this.asked, ...changes };
    if (searched) this.asked.more = false;
    const { q, by, exact, facets, bytes, characters, sort, token } = this.asked;
    const range = (each) => (each ? `${each[0]}-${each[1]}` : null);
    const named = Object.fromEntries(FACET_NAMES.map((name) => [PARAMETERS[name], facets[name]?.length ? facets[name] : null]));
    writeAddress({ q: q || null, by: by === "text" ? null : by, case: exact ? "exact" : null, ...named, bytes: range(bytes), characters: range(characters), sort: sort === "id" ? null : sort, token: token === null ? null : String(token) }, moves);
    this.drawControls(false);
    this.report();
  }

  report() {
    this.number += 1;
    this.setStateValue?.("ask", JSON.stringify({ ...this.asked, number: this.number }));
    this.wait.asks(this.number);
  }

  /* The list of another search stays, and says that it is one. */
  waits(on) {
    this.list.node.toggleAttribute("data-waits", on);
    setText(this.count, on ? inWords("searching…") : this.found);
  }

  drawControls(text) {
    if (text) this.input.value = this.asked.q;
    this.input.placeholder = inWords("Search, such as {0}", EXAMPLE[this.asked.by]);
    this.by.value = this.asked.by;
    this.sort.value = this.asked.sort;
    this.exact.setAttribute("aria-pressed", String(this.asked.exact));
    this.exact.hidden = this.asked.by === "bytes" || this.asked.by === "ids";
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    applyTheme(this.root);
    this.root.toggleAttribute("data-beside", Boolean(data.given));
    if (data.given && String(data.given) !== this.given) {
      if (this.given) this.turn();
      this.given = String(data.given);
      this.asked = { ...askedInAddress(), q: data.given[0], by: data.given[1] };
      this.drawControls(true);
    }
    writeAddress({ checked: data.checked ? "true" : null });
    this.wait.answers(data.answers);
    setText(this.error, data.error);
    this.error.hidden = !data.error;
    this.sort.querySelector('[value="score"]').hidden = !data.scored;
    if (data.rows) {
      this.found = inWords("{0} of {1}", formatNumber(data.found), formatNumber(data.of));
      if (!this.list.node.hasAttribute("data-waits")) setText(this.count, this.found);
      this.list.draw(data, this.asked.token ?? data.token);
      if (this.drawn !== data.id) this.facets.draw(data, this.asked);
      this.drawn = data.id;
    }
    this.headline(data);
    this.drawOwn(data.own ?? []);
    // a phone shows the token first, until something is searched for
    const { q, facets, bytes, characters } = this.asked;
    this.root.toggleAttribute("data-token-first", !q && !bytes && !characters && !Object.values(facets).some((values) => values.length));
    this.root.hidden = false; // the dossier asks for its width
    this.dossier.draw(data.dossier, (text) => `./?${new URLSearchParams({ ...data.explore, text })}`);
    if (this.reveal && data.dossier?.id === this.asked.token) {
      this.reveal = false;
      this.dossier.node.scrollIntoView({ block: "start" });
    }
    this.root.dataset.drawn = "";
  }

  /* Another card of a lesson: what it shows is new, and not the last card's that jumps to where the new list ends. */
  turn() {
    const { style } = this.list.node.parentElement;
    style.display = "none";
    requestAnimationFrame(() => requestAnimationFrame(() => (style.display = "")));
  }

  /* The tokens of the text that goes with the visitor. */
  drawOwn(tokens) {
    this.own.hidden = !tokens.length;
    this.own.replaceChildren(inWords("from your text"), ...tokens.map(([id, text]) => {
      const chip = make("button", { class: "chip", text, attrs: { type: "button" }, on: { click: () => this.choose(id) } });
      tint(chip, id);
      return chip;
    }));
  }

  /* The search's own answer, else what is said of the token that is open. */
  headline({ say, dossier, surprises, ids }) {
    this.typedIds = ids;
    this.surprises = surprises;
    this.shown = dossier?.id;
    this.surprise.hidden = !surprises?.length;
    const fill = (node, said) => fillSentence(node, said?.template ?? "", said?.args ?? [], said?.texts ?? [], null);
    fill(this.say, say ?? dossier?.say);
    fill(this.why, say ? null : dossier?.why);
    fill(this.ids, ids?.say);
    this.ids.hidden = !ids;
    this.why.hidden = Boolean(ids);
  }

  destroy() {
    this.gone = true;
    this.leave();
    this.later.cancel();
    this.wait.stop();
    this.wide.removeEventListener("change", this.widen);
  }
}

const vocabularies = mounts();

export default function (component) {
  vocabularies.get(component, () => new VocabularyPage(component)).update(component);
  return () => vocabularies.drop(component.parentElement);
}
