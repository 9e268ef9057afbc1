/* The view Prompt, while a warning about characters that nobody sees is in focus: what a person sees, what the model gets, the
   characters of the run in focus with their tokens; a table of the kinds, with what each costs.

     hidden.draw(texts, data)   texts: of the warning, as views/prompt/messages.py gives them (hidden_texts)
     hidden.clean(only)         the call without the runs for which `only` holds
     hidden.escaped             the texts with escapes in place of the runs                                          */

const HIDDEN_KINDS = {
  tags: { name: () => inWords("Tags"), chip: (n) => inWords(n === 1 ? "{0} tag" : "{0} tags", n), does: () => inWords("each is U+E0000 + an ASCII code") },
  selectors: { name: () => inWords("Variation selectors"), chip: (n) => inWords(n === 1 ? "{0} selector" : "{0} selectors", n), does: () => inWords("bytes behind one character") },
  width: { name: () => inWords("Zero-width characters"), chip: () => inWords("zero width"), does: ({ word }) => (word ? inWords("cut “{0}” in two for the model and for a filter", word) : inWords("take no room")) },
  blank: { name: () => inWords("Blank letters"), chip: () => inWords("blank"), does: () => inWords("look like a space and are none") },
  direction: { name: () => inWords("Controls of direction"), chip: (_, code) => directionName(code), does: () => inWords("change the order in which letters are shown") },
  controls: { name: () => inWords("Control characters"), chip: (_, code) => codePointName(code), does: () => inWords("a terminal may obey them") },
  private: { name: () => inWords("Private use"), chip: () => inWords("private use"), does: () => inWords("no standard says what they mean") },
};
const UNSEEN = new Set(["tags", "selectors", "controls"]); // left out of what a person sees: a browser may draw them as boxes
const MOST_AROUND = 1_500; // characters that are drawn before and after the run in focus
const MOST_LETTERS = 40;
const MOST_BESIDE = 16;

function directionName(code) {
  if ([0x202b, 0x202e, 0x2067, 0x200f, 0x061c].includes(code)) return inWords("right to left");
  if ([0x202a, 0x202d, 0x2066, 0x200e].includes(code)) return inWords("left to right");
  return [0x202c, 0x2069].includes(code) ? inWords("end") : codePointName(code);
}

/* A value in a call, and the call with another one there. */
function valueIn(value, path) {
  return path.reduce((inside, key) => inside?.[key], value);
}

function withIn(value, [key, ...path], text) {
  if (key === undefined) return text;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = withIn(value[key], path, text);
  return copy;
}

class HiddenText {
  constructor(open) {
    this.open = open; // shows a token among all
    this.at = 0;
    this.letter = 0;
    const pane = (name, label) => make("div", { class: `pr-hidden-pane ${name}`, dir: "auto", attrs: { role: "group", tabindex: "0", "aria-label": label } });
    this.seen = pane("pr-hidden-seen", inWords("You see"));
    this.gets = pane("pr-hidden-gets", inWords("The model gets"));
    this.title = make("p", { class: "pr-part-title" });
    this.letters = make("div", { class: "pr-hidden-letters" });
    this.tokens = make("div", { class: "pr-hidden-tokens" });
    this.table = make("table", { class: "pr-facts pr-hidden-kinds" });
    this.bar = make("div", { class: "pr-hidden-bar" });
    this.kept = make("p", { class: "pr-proof", text: inWords("Not counted: what an emoji or a script needs.") });
    const title = (text) => make("p", { class: "pr-part-title", text });
    this.node = make("div", { class: "pr-hidden" },
      make("div", {}, title(inWords("You see")), this.seen, title(inWords("The model gets")), this.gets, this.title, this.letters, this.tokens),
      make("div", {}, this.table, this.bar, this.kept));
    this.gets.addEventListener("click", (event) => this.clicked(event));
    this.gets.addEventListener("keydown", (event) => this.pressed(event));
    this.letters.addEventListener("click", (event) => this.spell(Number(event.target.closest("[data-letter]")?.dataset.letter ?? this.letter)));
    this.letters.addEventListener("keydown", (event) => this.spelling(event));
    choosesTokens(this.tokens);
  }

  draw(texts, data) {
    this.data = data;
    const call = callIn(data.asked.call);
    this.texts = texts.map((each) => ({ ...each, characters: Array.from(String(valueIn(call, each.path) ?? "")) }));
    this.runs = this.texts.flatMap((text) => {
      const first = text.runs.some(([, , , , place]) => place === null) ? beginningOf(text, data) : null;
      return text.runs.map(([start, end, kind, says, place]) => ({ text, start, end, kind, says, place: place ?? (first === null ? null : first + start), characters: text.characters.slice(start, end) }));
    });
    this.at = Math.min(this.at, this.runs.length - 1);
    this.drawAll();
  }

  get run() {
    return this.runs[this.at];
  }

  get carries() {
    return this.runs.some(({ says }) => says) && this.runs.some(({ says }) => !says);
  }

  get count() {
    return this.runs.reduce((sum, { start, end }) => sum + end - start, 0);
  }

  /* Each text of the store that is still what Python has read. */
  edited(write) {
    return this.texts.reduce((call, { path, characters, runs }) => {
      if (valueIn(call, path) !== characters.join("")) return call;
      let at = 0;
      const parts = runs.flatMap(([start, end, , says]) => {
        const before = characters.slice(at, start);
        at = end;
        return [...before, write(characters.slice(start, end), says)];
      });
      return withIn(call, path, [...parts, ...characters.slice(at)].join(""));
    }, store.call);
  }

  clean(only) {
    return this.edited((characters, says) => (only(says) ? "" : characters.join("")));
  }

  get escaped() {
    const call = this.edited((characters) => characters.map((each) => `\\u{${each.codePointAt(0).toString(16).toUpperCase()}}`).join(""));
    return this.texts.map(({ path }) => valueIn(call, path)).join("\n");
  }

  drawAll() {
    const { text, start } = this.run;
    const focused = this.gets.contains(this.node.getRootNode().activeElement);
    const [first, last] = [Math.max(0, start - MOST_AROUND), Math.min(text.characters.length, start + MOST_AROUND)];
    const seen = [first ? "…" : ""];
    const gets = [first ? "…" : ""];
    let at = first;
    this.runs.forEach((run, index) => {
      if (run.text !== text || run.start < first || run.start >= last) return;
      const before = text.characters.slice(at, run.start).join("");
      seen.push(before, ...(UNSEEN.has(run.kind) ? [] : [run.characters.join("")]));
      gets.push(...shownLines(before), this.chip(run, index));
      at = run.end;
    });
    const after = text.characters.slice(at, last).join("");
    const more = last < text.characters.length ? "…" : "";
    this.seen.replaceChildren(seen.join("") + after + more);
    this.gets.replaceChildren(...gets, ...shownLines(after), more);
    const here = this.gets.querySelector(".here");
    if (focused) here.focus();
    this.gets.scrollTop = Math.max(0, here.offsetTop - this.gets.clientHeight / 2);
    this.drawLetters();
    this.drawTable();
  }

  chip({ kind, says, characters }, index) {
    const label = HIDDEN_KINDS[kind].chip(characters.length, characters[0].codePointAt(0));
    const many = characters.length > 1 && !["tags", "selectors"].includes(kind) ? ` × ${formatNumber(characters.length)}` : "";
    return make("button", { class: `pr-hidden-chip ${index === this.at ? "here" : ""}`, data: { run: index }, attrs: { type: "button", tabindex: index === this.at ? "0" : "-1", "aria-pressed": String(index === this.at) } }, label + many, ...(says ? [": ", make("code", { text: says })] : []));
  }

  /* The characters of the run in focus, what each spells, and the tokens of one. */
  drawLetters() {
    const { kind, says, characters, place, text } = this.run;
    const spelled = Array.from(says);
    const known = spelled.length === characters.length;
    this.letter = Math.min(this.letter, characters.length - 1);
    const label = HIDDEN_KINDS[kind].chip(characters.length, characters[0].codePointAt(0));
    this.title.replaceChildren(label, make("small", { text: kind === "tags" ? inWords("each is U+E0000 + the ASCII code below it") : "" }));
    this.letters.replaceChildren(...characters.slice(0, MOST_LETTERS).map((character, at) => {
      const code = character.codePointAt(0);
      const small = kind === "tags" ? (code - 0xe0000).toString(16).toUpperCase().padStart(2, "0") : spelled[at]?.codePointAt(0).toString(16).toUpperCase();
      const shown = known ? [spelled[at] === " " ? "␣" : spelled[at], make("small", { text: small })] : [codePointName(code)];
      return make("button", { class: `pr-hidden-letter ${at === this.letter ? "here" : ""}`, data: { letter: at }, attrs: { type: "button", tabindex: at === this.letter ? "0" : "-1", "aria-pressed": String(at === this.letter), "aria-label": known ? `${spelled[at]}, ${codePointName(code)}` : codePointName(code) } }, ...shown);
    }));
    const code = characters[this.letter].codePointAt(0);
    const cells = place === null ? [] : this.data.tokens.filter(({ s, e }) => s <= place + this.letter && e > place + this.letter);
    const count = counted(cells.length, "token", "tokens");
    this.tokens.hidden = !cells.length;
    this.tokens.replaceChildren(make("span", { class: "pr-hidden-code", text: `${codePointName(code)} =` }), ...cells.map((cell) => tokenNode(cell)), make("span", { class: "pr-side-note", text: count }), ...(this.texts.length > 1 ? [make("code", { class: "pr-side-note", text: pathName(text.path) })] : []));
    rove(this.tokens);
  }

  drawTable() {
    const kinds = new Map();
    for (const run of this.runs) kinds.set(run.kind, [...(kinds.get(run.kind) ?? []), run]);
    const sum = (name) => this.texts.reduce((all, { tokens }) => all + tokens.none - (tokens[name] ?? tokens.none), 0);
    const all = sum("all");
    let rest = all;
    const rows = [...kinds].map(([kind, runs]) => {
      const cost = sum(kind);
      rest -= cost;
      const count = runs.reduce((all, { start, end }) => all + end - start, 0);
      const [first] = runs;
      const { before, after, word } = aroundRun(first);
      const names = [...new Set(runs.flatMap(({ characters }) => characters.map((each) => each.codePointAt(0))))].sort((one, other) => one - other).map(codePointName);
      const said = runs.map(({ says }) => says).filter(Boolean).join(" ");
      const button = make("button", { class: "pr-hidden-kind", text: HIDDEN_KINDS[kind].name(), attrs: { type: "button", "aria-pressed": String(kind === this.run.kind) }, on: { click: () => this.choose(this.runs.indexOf(first)) } });
      const which = names.length > 2 ? inWords("{0} to {1}", names[0], names.at(-1)) : names.join(inWords(", "));
      return make("tr", { class: kind === this.run.kind ? "here" : "" }, make("td", {}, button),
        make("td", {}, ...(said ? [make("code", { text: said })] : []), make("span", { text: `${HIDDEN_KINDS[kind].does({ word })}; ${which}` })),
        make("td", { class: "pr-hidden-where" }, before, make("i", { text: "|", attrs: { "aria-hidden": "true" } }), after, ...(runs.length > 1 ? [make("small", { text: inWords(runs.length === 2 ? "and {0} more place" : "and {0} more places", runs.length - 1) })] : [])),
        make("td", { class: "num", text: formatNumber(count) }), make("td", { class: "num" }, make("b", { text: formatNumber(cost) })));
    });
    const last = (words, count, tokens) => make("tr", {}, make("td", { attrs: { colspan: "2" }, text: words }), make("td", { class: "pr-hidden-where" }), make("td", { class: "num", text: count }), make("td", { class: "num" }, make("b", { text: formatNumber(tokens) })));
    const head = [inWords("What"), inWords("What it says or does"), inWords("Where"), inWords("Characters"), inWords("Tokens")];
    this.table.replaceChildren(
      make("thead", {}, make("tr", {}, ...head.map((text, at) => make("th", { class: at > 2 ? "num" : "", attrs: { scope: "col" }, text })))),
      make("tbody", {}, ...rows, ...(rest ? [last(inWords("What is seen is cut into other tokens"), "", rest)] : []), last(inWords("Together"), formatNumber(this.count), all)));
    const whole = this.texts.reduce((count, { tokens }) => count + tokens.none, 0);
    const part = make("i", { class: "pr-hidden-part" });
    part.style.width = `${(100 * Math.max(0, whole - all)) / Math.max(1, whole)}%`;
    this.bar.replaceChildren(
      make("p", { class: "pr-part-title" }, inWords("This text, in tokens"), make("small", { class: "seen", text: inWords("seen") }), make("small", { class: "unseen", text: inWords("not seen") })),
      make("span", { class: "pr-hidden-line", attrs: { "aria-hidden": "true" } }, part), make("b", { class: "num", text: formatNumber(whole) }), make("span", { class: "pr-side-note", text: inWords("instead of {0}", formatNumber(whole - all)) }));
  }

  choose(at) {
    this.at = at;
    this.letter = 0;
    this.drawAll();
    const { place } = this.run;
    const token = place === null ? undefined : this.data.tokens.find(({ s, e }) => s <= place && e > place);
    if (token) store.choose(token.n);
  }

  clicked(event) {
    const chip = event.target.closest("[data-run]");
    if (chip) this.choose(Number(chip.dataset.run));
  }

  /* Enter leads from a run to its first token, among all of them. */
  pressed(event) {
    if (!event.target.closest("[data-run]")) return;
    const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[keyName(event)];
    if (keyName(event) === "Enter") {
      this.choose(this.at);
      this.open();
    } else if (!by || !this.runs[this.at + by]) return;
    else this.choose(this.at + by);
    event.preventDefault();
    event.stopPropagation();
  }

  spell(at) {
    this.letter = at;
    this.drawLetters();
    this.letters.querySelector(".here")?.focus();
  }

  spelling(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[keyName(event)];
    if (!by || !this.letters.children[this.letter + by]) return;
    this.spell(this.letter + by);
    event.preventDefault();
    event.stopPropagation();
  }
}

function shownLines(text) {
  return [text.replaceAll("\n", "↵\n").replaceAll("\t", "⇥")];
}

/* Where a text of the request begins in the prompt, in code points: where one of its message's tokens spells it, and only one
   does. null otherwise. A server may have joined it to others, and a template trims it. */
function beginningOf({ path: [root, message], characters }, { text, tokens }) {
  const whole = characters.join("");
  const bare = whole.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  for (const part of new Set([whole, bare])) {
    const places = [];
    for (let at = part ? text.indexOf(part) : -1; at >= 0 && places.length < 2; at = text.indexOf(part, at + 1)) {
      const place = Array.from(text.slice(0, at)).length;
      if (root !== "messages" || tokens.some(({ s, e, m }) => s <= place && e > place && m === message)) places.push(place);
    }
    if (places.length) return places.length === 1 ? places[0] - Array.from(whole.slice(0, whole.indexOf(part))).length : null;
  }
  return null;
}

/* What stands beside a run, and the word that it cuts. */
function aroundRun({ text, start, end }) {
  const before = text.characters.slice(Math.max(0, start - MOST_BESIDE), start).join("");
  const after = text.characters.slice(end, end + MOST_BESIDE).join("");
  const [left, right] = [before.match(/[\p{L}\p{N}]+$/u)?.[0], after.match(/^[\p{L}\p{N}]+/u)?.[0]];
  const [last, first] = [before.match(/(?:\S+\s)?\S*$/u)[0], after.match(/^\s*\S*/u)[0]].map((each) => each.replaceAll("\n", "↵"));
  return { before: last, after: first, word: left && right ? left + right : "" };
}

function pathName(path) {
  return path.map((key, at) => (typeof key === "number" ? `[${key}]` : at ? `.${key}` : key)).join("");
}
