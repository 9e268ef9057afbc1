/* The view Prompt: a row for each message, what is sent on the left, what the model reads on the right, the counts. The
   left side follows the store at once; the right side comes from Python. */

const CLIPPED_LINES = 4;
const LINE = 46;
const WAIT_MS = 600; // after this long without an answer, the tokens are gray
const MOST_MARKERS = 200;
const WIDE = 960; // from here on, rows hold the fields; below, the bar opens them as a sheet

class PromptRow {
  constructor() {
    this.left = make("div", { class: "pr-left" });
    this.tokens = make("div", { class: "pr-tokens" });
    this.more = make("button", { class: "link pr-more", attrs: { type: "button" }, on: { click: () => this.expand() } });
    this.more.hidden = true;
    this.sum = make("b", { class: "num" });
    this.parts = make("small", { class: "num" });
    this.count = make("div", { class: "pr-counted" }, this.sum, this.parts);
    this.name = make("b", { class: "pr-row-name" });
    this.node = make("div", { class: "pr-row", attrs: { role: "group" } }, this.name, this.left, make("div", { class: "pr-right" }, this.tokens, this.more), this.count);
    this.expanded = false;
  }

  draw(name, style, cells, notes, counts) {
    this.node.className = `pr-row ${style}`;
    this.node.setAttribute("aria-label", name);
    setText(this.name, name);
    const id = JSON.stringify([cells, notes]);
    if (id !== this.drawn) {
      this.drawn = id;
      this.nodes = cells.map((cell) => tokenNode(cell));
      const noted = new Set(notes.map(([n]) => n));
      const children = [];
      let marker = null;
      this.nodes.forEach((node, at) => {
        if (at && noted.has(cells[at].n)) children.push(make("span", { class: "pr-break" }));
        const number = cells[at].marker ?? -1;
        if (number < 0) return children.push(node);
        if (Number(marker?.dataset.marker) !== number) children.push((marker = make("span", { class: "pr-marker", data: { marker: number } })));
        marker.append(node);
      });
      for (const [, { template, args, texts }] of notes) children.push(make("span", { class: "pr-note", text: plainSentence(template, args, texts) }));
      this.tokens.replaceChildren(...children);
      this.clip(counts);
    }
    setText(this.sum, counts ? formatNumber(counts.all) : "");
    setText(this.parts, counts ? `${formatNumber(counts.own)} + ${formatNumber(counts.template)}${counts.both ? `${inWords(", ")}${inWords("{0} both", formatNumber(counts.both))}` : ""}` : "");
  }

  say(text) {
    this.drawn = undefined;
    this.nodes = [];
    this.more.hidden = true;
    this.tokens.classList.remove("clipped");
    this.tokens.replaceChildren(make("span", { class: "pr-empty", text }));
    setText(this.sum, "");
    setText(this.parts, "");
  }

  /* Long rows are four lines high, and say how many tokens follow. */
  clip(counts) {
    this.tokens.classList.remove("clipped");
    const unsent = counts ? counts.all - counts.shown : 0;
    let left = unsent;
    if (this.nodes.length > 40 && !this.expanded) {
      this.tokens.classList.add("clipped");
      const limit = CLIPPED_LINES * LINE - 8; // of the tokens' own box
      left += this.nodes.filter((node) => node.offsetTop >= limit).length;
      if (left === unsent) this.tokens.classList.remove("clipped");
    }
    this.more.hidden = left === 0;
    this.more.disabled = left === unsent;
    setText(this.more, counted(left, "more token", "more tokens"));
  }

  expand() {
    this.expanded = true;
    this.drawn = undefined;
    this.redraw?.();
  }
}

STAGES.prompt = class {
  constructor(frame) {
    this.frame = frame;
    this.at = 0;
    this.rows = new Map();
    this.dashed = make("span", { class: "pr-marker-note", text: inWords("dashed: a marker that is only text") });
    this.heads = make("div", { class: "pr-heads", attrs: { "aria-hidden": "true" } }, make("span", { text: inWords("You send") }), make("span", {}, `${inWords("The model reads")} `, this.dashed), make("span", { text: inWords("Message + template") }));
    this.list = make("div", { class: "pr-rows" });
    this.follows = make("div", { class: "pr-follows" });
    this.hidden = new HiddenText(() => this.look(true));
    frame.body.append(this.hidden.node, this.heads, this.list, this.follows);
    this.own = make("button", { class: "btn main pr-own", attrs: { type: "button" }, on: { click: () => this.act(this.ownTemplate[1]) } });
    this.takeOut = make("button", { class: "btn main pr-go-on", attrs: { type: "button" }, on: { click: () => store.change({ call: this.hidden.clean(() => true) }) } });
    this.carrying = make("button", { class: "btn pr-carrying", text: inWords("Only what carries text"), attrs: { type: "button" }, on: { click: () => store.change({ call: this.hidden.clean((says) => says !== "") }) } });
    this.escapes = doingButton(inWords("Copy as escapes"), toClipboard(() => this.hidden.escaped), inWords("Copied"), { class: "btn pr-escapes", attrs: { type: "button" } });
    this.back = make("button", { class: "btn", attrs: { type: "button", "aria-label": inWords("The warning before") }, on: { click: () => this.turn(-1) } }, arrowSign(true));
    this.on = make("button", { class: "btn", attrs: { type: "button", "aria-label": inWords("The next warning") }, on: { click: () => this.turn(1) } }, arrowSign(false));
    this.number = make("span", { class: "pr-of num" });
    this.pager = make("div", { class: "pr-pager" }, this.back, this.number, this.on);
    frame.side.append(this.pager);
    const turn = (by) => make("button", { class: "btn pr-turn", attrs: { type: "button", "aria-label": inWords(by < 0 ? "The warning before" : "The next warning") }, on: { click: () => this.turn(by) } }, arrowSign(by < 0));
    this.turns = [turn(-1), turn(1)];
    this.drawButtons();
    this.then = make("select", { class: "pr-then", attrs: { "aria-label": inWords("Then") }, on: { change: () => store.change({ then: this.then.value }) } },
      ...[["answer", inWords("ask for an answer")], ["continue", inWords("continue the last message")], ["nothing", inWords("nothing")]].map(([value, text]) => make("option", { text, attrs: { value } })));
    this.tools = new Field(inWords("tools"), (text) => this.writeTools(text));
    this.tools.json = true;
    this.tools.node.classList.add("pr-json");
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("focusin", (event) => this.entered(event));
    this.stopEditing = listenTo("explorer-prompt-edit", (event) => this.edit(event));
    this.stopKeys = listenTo("keydown", (event) => this.paged(event));
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.observer.observe(frame.root);
    frame.source.node.hidden = false;
    this.wait = awaiting(WAIT_MS, (on) => setClass(this.list, "waiting", on));
  }

  destroy() {
    this.stopEditing();
    this.stopKeys();
    this.wait.stop();
    this.observer.disconnect();
  }

  get isWide() {
    return this.width >= WIDE;
  }

  resized(width) {
    const before = this.isWide;
    this.width = width;
    if (before !== this.isWide && this.data) this.drawRows();
  }

  draw(data) {
    this.wait.answers(store.questionOf(data.asked));
    if (store.closed === false) this.wait.asks(store.question); // before that, what is asked is not known here
    if (data.id !== this.id) {
      const kept = this.warnings?.[this.at];
      this.warnings = data.stage.warnings;
      const again = this.warnings.findIndex((each) => each.kind === kept?.kind && each.message === kept?.message);
      this.at = Math.max(0, again);
      this.id = data.id;
      if (store.token !== null && store.token >= data.strip.length) store.choose(null);
    }
    this.data = data;
    this.warnings = data.stage.warnings;
    this.markers = markersIn(data, this.warnings);
    this.drawHead();
    this.drawRows();
    this.drawFollows();
    this.mark();
  }

  /* What is asked has changed; Python has not answered yet. */
  asked() {
    if (!this.data) return;
    this.drawRows();
    this.wait.asks(store.question);
  }

  chosen() {
    this.mark();
  }

  // --- the headline ---

  drawHead() {
    const { fault, strip, rows } = this.data;
    const warning = this.warnings[this.at];
    const count = this.warnings.length;
    const { texts } = this;
    this.drawHidden(texts);
    this.pager.hidden = count === 0;
    this.on.disabled = this.back.disabled = count < 2;
    const noun = this.warnings.some(({ note }) => note) ? inWords(count === 1 ? "note" : "findings") : inWords(count === 1 ? "warning" : "warnings");
    this.number.replaceChildren(make("b", { text: String(this.at + 1) }), ` ${inWords("of {0}", formatNumber(count))}`, make("span", { class: "pr-long", text: ` ${noun}` }));
    this.pager.classList.toggle("alone", count < 2);
    for (const button of this.turns) button.hidden = count < 2;
    if (fault) return this.frame.headline(faultLine(fault));
    if (!warning) {
      const template = rows.reduce((sum, row) => sum + row.template, 0);
      const turns = store.messages.length;
      return this.frame.headline({
        pill: inWords("fine"), tone: "fine", say: told(inWords(turns === 1 ? "The model reads your message." : "The model reads {0} messages, as you sent them."), [turns]),
        reason: told(inWords("{0} of {1} tokens are the template's."), [template, strip.length]),
      });
    }
    const { say, reason, offers } = warning;
    const twice = warning.kind === "bos-twice" && warning.tokens.length === 1 && this.data.links.explore ? [[inWords("Open the text in Explore"), () => this.explore()]] : [];
    const looks = texts.length ? [this.looks ? [inWords("Show all tokens"), () => this.look(true)] : [inWords("Show what is hidden"), () => this.look(false)]] : [];
    this.frame.headline({ pill: inWords(warning.note ? "note" : "warning"), tone: warning.note ? "" : "warning", say, reason, links: [...looks, ...twice, ...offers.filter((each) => each !== this.ownTemplate).map(([label, change]) => [label, () => this.act(change)])] });
  }

  // --- characters that nobody sees, in place of the rows ---

  /* The texts of the warning in focus: the warnings are in the order of the places. */
  get texts() {
    const warning = this.warnings?.[this.at];
    if (warning?.kind !== "hidden-text" || this.data.fault) return [];
    const places = Map.groupBy(this.data.stage.hidden, ({ path }) => JSON.stringify(path.slice(0, 2)));
    const number = this.warnings.slice(0, this.at).filter(({ kind }) => kind === warning.kind).length;
    return [...places.values()][number] ?? [];
  }

  /* Whoever types goes on typing: then the rows stay. */
  drawHidden(texts) {
    const typing = this.list.contains(this.frame.root.getRootNode().activeElement);
    const before = this.looks;
    this.looks = texts.length > 0 && !this.all && (before || !typing);
    if (this.looks) {
      this.hidden.draw(texts, this.data);
      setText(this.takeOut, inWords("Take out all {0}", formatNumber(this.hidden.count)));
      this.carrying.hidden = !this.hidden.carries;
    }
    this.hidden.node.hidden = !this.looks;
    this.heads.hidden = this.list.hidden = this.frame.source.node.hidden = Boolean(this.looks);
    this.frame.stage.dataset.lens = this.looks ? "hidden" : "";
    this.drawButtons();
    if (Boolean(before) === Boolean(this.looks)) return;
    for (const row of this.rows.values()) row.drawn = undefined; // rows that were not shown have no height
  }

  drawButtons() {
    const { play, copy, share, buttons } = this.frame;
    setText(this.own, this.ownTemplate?.[0] ?? "");
    buttons.replaceChildren(...(this.looks ? [this.turns[0], this.takeOut, this.turns[1], this.carrying, this.escapes] : [this.turns[0], this.ownTemplate ? this.own : play, this.turns[1], copy, share.button]));
  }

  /* The offer of the model's own template, where the marker in focus is text. */
  get ownTemplate() {
    const warning = this.data?.fault ? undefined : this.warnings?.[this.at];
    return warning?.kind === "marker-as-text" ? warning.offers.find(([, change]) => change.template === "") : undefined;
  }

  look(all) {
    this.all = all;
    this.drawHead();
    this.drawRows();
    if (all) this.nodeOf(this.current)?.focus();
    else this.hidden.gets.querySelector(".here")?.focus();
  }

  // --- markers that are text ---

  drawFollows() {
    const { markers } = this;
    this.dashed.hidden = this.follows.hidden = !markers.length || this.looks;
    if (this.follows.hidden) return;
    const cells = markers.flatMap((each) => each.cells);
    const shared = cells.filter(({ parts }) => parts);
    const row = (words, ...what) => make("tr", {}, make("td", { text: words }), make("td", {}, ...what));
    const spelled = [...Map.groupBy(markers, (each) => each.warning).entries()];
    const [mark, first] = spelled.find(([warning]) => warning === this.warnings[this.at]) ?? spelled[0];
    const own = new URL(this.data.links.explore ?? "", window.location.href).searchParams.get("m");
    const counts = MARKERS.tokens[mark.say.texts[0]] ?? [];
    const beside = Object.entries(MARKERS.models).map(([m, title], at) => [m, title, counts[at]]).filter(([m, , count]) => count && m !== own).map((each) => each.slice(1));
    const bars = [[inWords("This model"), first[0].cells.length], ...beside];
    const most = Math.max(...bars.map(([, count]) => count));
    this.follows.replaceChildren(
      make("div", {}, make("h3", { text: inWords("What follows") }), make("table", { class: "pr-facts" }, make("tbody", {},
        row(inWords("Tokens that spell markers"), make("b", { class: "num", text: inWords("{0} of {1}", formatNumber(cells.length), formatNumber(this.data.strip.length)) })),
        ...(shared.length ? [row(inWords("Tokens that a message shares with a marker"), ...shared.slice(0, 4).map((cell) => make("span", { class: "pr-token split" }, tokenNode(cell).firstChild)))] : []),
        row(inWords("A message that spells one"), inWords("looks the same to the model"))))),
      make("div", {}, make("h3", { text: inWords("The markers") }), make("table", { class: "pr-facts" },
        make("thead", {}, make("tr", {}, ...[inWords("Marker"), inWords("In the file"), inWords("Read as")].map((text) => make("th", { attrs: { scope: "col" }, text })))),
        make("tbody", {}, ...spelled.map(([{ say }, all]) => make("tr", {}, make("td", {}, make("code", { text: say.texts[0] })), make("td", { text: say.args.length > 3 ? say.texts[say.args[2]] : inWords("no token") }), make("td", { class: "pr-marker-note", text: counted(all[0].cells.length, "token", "tokens") })))))),
      ...(beside.length ? [make("div", {}, make("h3", {}, make("code", { text: mark.say.texts[0] }), " ", inWords("in other vocabularies")), make("table", { class: "pr-facts pr-marker-bars" }, make("tbody", {}, ...bars.map(([title, count]) => {
        const bar = make("i", { class: count === 1 ? "one" : "" });
        bar.style.width = `${(100 * count) / most}%`;
        return make("tr", {}, make("th", { attrs: { scope: "row" }, text: title }), make("td", { attrs: { "aria-hidden": "true" } }, bar), make("td", { class: "num", text: counted(count, "token", "tokens") }));
      }))))] : []));
  }

  /* What a click on an offer does: changes what is asked, copies a text, or opens the vocabulary with tokens to add. */
  act({ copy, add, ...change }) {
    if (copy !== undefined) return navigator.clipboard.writeText(copy);
    if (!add) return store.change(change);
    const url = new URL("./vocabulary", window.location.href);
    for (const [name, value] of new URL(this.data.links.explore ?? "", window.location.href).searchParams) if (name === "m" || name === "as") url.searchParams.append(name, value);
    url.searchParams.set("edit", "true");
    for (const each of add) url.searchParams.append("add", each);
    window.location.assign(url);
  }

  /* The text on Explore as a tokenizer reads it by its defaults. */
  explore() {
    const url = new URL(this.data.links.explore, window.location.href);
    url.searchParams.delete("special");
    window.location.assign(url);
  }

  turn(by) {
    const count = this.warnings.length;
    if (!count) return;
    this.at = (this.at + by + count) % count;
    store.choose(this.warnings[this.at].tokens[0] ?? null);
    this.drawHead();
    this.drawRows();
    this.drawFollows();
    this.nodeOf(this.current)?.scrollIntoView({ block: "nearest" });
  }

  /* [ and ], wherever the focus is, unless something is typed. */
  paged(event) {
    const by = { "[": -1, "]": 1 }[keyName(event)];
    if (!by || event.defaultPrevented || ["text", "select"].includes(typingIn(event))) return;
    event.preventDefault();
    this.turn(by);
  }

  // --- the rows ---

  drawRows() {
    const { tokens, rows, stage, fault } = this.data;
    const counts = new Map(rows.map((row) => [row.row, row]));
    const byRow = Map.groupBy ? Map.groupBy(tokens, (cell) => cell.row) : groupBy(tokens);
    const messages = store.messages.length ? store.messages : [{ role: "user", content: "" }];
    const shown = [];
    const put = (key, name, style) => {
      let row = this.rows.get(key);
      if (!row) {
        row = new PromptRow();
        row.key = key;
        row.redraw = () => this.drawRows();
        this.rows.set(key, row);
      }
      shown.push(row);
      row.args = [name, style];
      return row;
    };
    const fill = (row, number) => {
      const cells = byRow.get(number) ?? [];
      const notes = stage.notes.filter(([n]) => cells.some((cell) => cell.n === n));
      row.draw(...row.args, cells, notes, counts.get(number));
    };
    if (store.call.tools) this.drawTools(put("tools", inWords("tools"), whoClass("tool")), tokens);
    if (counts.has(-2)) {
      const row = put("before", inWords("template"), whoClass("template"));
      fill(row, -2);
      if (!row.left.firstChild) row.left.append(make("div", { class: `pr-editor ${whoClass("template")}` }, make("span", { class: "pr-role", text: inWords("template") }), make("span", { class: "pr-side-note", text: inWords("writes this by itself") })));
    }
    const spelled = new Map();
    for (const cell of tokens) if (cell.control && cell.m >= 0) spelled.set(cell.m, [...(spelled.get(cell.m) ?? []), cell.t]);
    messages.forEach((message, index) => {
      const row = put(`message ${index}`, String(message.role ?? "message"), roleClass(message.role));
      if (fault?.kind === "empty" || !store.messages.length) {
        row.draw(...row.args, [], [], undefined);
        row.say(inWords("Write a message, or paste the JSON of a call."));
      } else if (!counts.has(index)) {
        row.draw(...row.args, [], [], undefined);
        row.say(fault ? "–" : tokens.length && index < this.data.messages ? inWords("Not in the prompt.") : "…");
      } else fill(row, index);
      setClass(row.node, "so-far", fault);
      if (!this.isWide) return row.left.replaceChildren();
      row.editor ??= new MessageEditor();
      if (row.editor.node.parentNode !== row.left) row.left.replaceChildren(row.editor.node);
      row.editor.update(index, message, spelled.get(index) ?? []);
      row.editor.stop(index === (this.focusedRow ?? 0));
      if (fault?.kind === "empty" && !this.begun) requestAnimationFrame(() => row.editor.focus());
    });
    this.begun = true;
    const last = put("then", inWords("then"), whoClass("template"));
    if (counts.has(-1)) fill(last, -1);
    else {
      last.draw(...last.args, [], [], undefined);
      last.say(fault || !store.messages.length ? "" : { continue: inWords("The last message stays open."), nothing: inWords("Nothing asks for an answer."), answer: inWords("The template writes nothing more.") }[store.then]);
    }
    if (this.then.parentNode?.parentNode !== last.left) last.left.replaceChildren(make("label", { class: "pr-editor pr-then-row pr-who" }, make("span", { class: "pr-role", text: inWords("then") }), this.then));
    this.then.value = store.then;
    for (const [key, row] of this.rows) {
      if (shown.includes(row)) continue;
      row.node.remove();
      this.rows.delete(key);
    }
    shown.forEach((row, at) => {
      if (this.list.children[at] !== row.node) this.list.insertBefore(row.node, this.list.children[at] ?? null);
    });
    this.mark();
  }

  drawTools(row, tokens) {
    row.draw(...row.args, [], [], undefined);
    const count = tokens.filter((cell) => cell.who === "tool" && cell.m < 0).length;
    row.say(this.data.fault ? "–" : count ? inWords("{0} tokens, in the rows below.", formatNumber(count)) : inWords("This template doesn't write tools."));
    const box = make("div", { class: `pr-editor ${whoClass("tool")}` }, make("span", { class: "pr-role", text: inWords("tools") }), make("div", { class: "pr-fields" }, this.tools.node));
    if (!this.tools.node.isConnected && this.isWide) row.left.replaceChildren(box);
    const text = JSON.stringify(store.call.tools, null, 1);
    this.tools.update(this.tools.keeps(text), [], inWords("tools as JSON"));
  }

  writeTools(text) {
    const { tools: before, ...call } = store.call;
    if (text.trim() === "") return store.change({ call });
    this.tools.readJson((tools) => store.change({ call: { ...call, tools } }, "typing"));
  }

  // --- the token chosen ---

  /* The one chosen, or what the warning is about, or the first that its message wrote, or any message. */
  get current() {
    if (store.token !== null) return store.token;
    const warning = this.warnings?.[this.at];
    const wrote = (message) => this.data?.tokens.find((cell) => cell.m === message && message >= 0)?.n;
    return warning?.tokens[0] ?? wrote(warning?.message) ?? this.data?.tokens.find((cell) => cell.m >= 0)?.n ?? null;
  }

  nodeOf(token) {
    for (const row of this.rows.values()) {
      const node = row.nodes?.find((each) => Number(each.dataset.n) === token);
      if (node) return node;
    }
    return null;
  }

  mark() {
    if (!this.data) return;
    const { current } = this;
    const warned = new Set([...this.warnings.flatMap((each) => each.tokens), ...this.markers.flatMap(({ cells }) => cells.map(({ n }) => n))]);
    let stop = null;
    const marker = this.markers.findIndex(({ cells, warning }) => warning === this.warnings[this.at] && cells[0].n === current);
    for (const node of this.list.querySelectorAll(".pr-marker")) setClass(node, "here", Number(node.dataset.marker) === marker);
    for (const row of this.rows.values()) {
      let here = false;
      for (const node of row.nodes ?? []) {
        const n = Number(node.dataset.n);
        setClass(node, "warned", warned.has(n));
        setClass(node, "here", n === current);
        node.tabIndex = n === current ? 0 : -1;
        if (n === current) {
          here = true;
          stop = node;
        }
      }
      setClass(row.node, "of-chosen", here);
    }
    if (!stop) for (const node of [...this.rows.values()].flatMap((row) => row.nodes ?? []).slice(0, 1)) node.tabIndex = 0;
    this.frame.source.draw(this.data.lines, current);
    this.frame.marks = { warned: [...warned], chosen: current };
    this.frame.strip.mark(this.frame.marks);
  }

  clicked(event) {
    const node = event.target.closest(".pr-token");
    if (node) store.choose(Number(node.dataset.n));
  }

  entered(event) {
    const index = [...this.rows.values()].find((row) => row.node.contains(event.target))?.editor?.index;
    if (index === undefined || index === this.focusedRow) return;
    this.focusedRow = index;
    for (const row of this.rows.values()) row.editor?.stop(row.editor.index === index);
  }

  pressed(event) {
    const node = event.target.closest(".pr-token");
    if (!node) return;
    const key = keyName(event);
    const rows = [...this.rows.values()].filter((row) => row.nodes?.length).sort((one, other) => (one.node.compareDocumentPosition(other.node) & 4 ? -1 : 1));
    const row = rows.find((each) => each.nodes.includes(node));
    const at = row.nodes.indexOf(node);
    const beside = rows[rows.indexOf(row) + ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0)];
    const to = { ArrowLeft: row.nodes[at - 1], ArrowRight: row.nodes[at + 1], Home: row.nodes[0], End: row.nodes.at(-1) }[key] ?? (["ArrowUp", "ArrowDown"].includes(key) ? beside?.nodes[Math.min(at, beside.nodes.length - 1)] : undefined);
    if (key === "Enter") openView("template");
    else if (key === "e" && row.editor) row.editor.focus();
    else if (to) {
      store.choose(Number(to.dataset.n));
      to.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /* A pill, or a key, asks for the field of a message. */
  edit(event) {
    const editor = this.rows.get(`message ${event.detail}`)?.editor;
    if (!editor || !this.isWide || event.defaultPrevented) return;
    event.preventDefault();
    editor.focus();
    editor.node.scrollIntoView({ block: "nearest" });
  }
};

/* Where the template writes markers that are no control token: { warning, cells }, in order. Each token is of one. */
function markersIn({ tokens, text }, warnings) {
  const markers = [];
  for (const warning of warnings) {
    const spelled = warning.kind === "marker-as-text" && warning.say.texts[0];
    if (!spelled) continue;
    for (let at = text.indexOf(spelled), before = 0, points = 0; at >= 0 && markers.length < MOST_MARKERS; at = text.indexOf(spelled, at + spelled.length)) {
      points += Array.from(text.slice(before, at)).length;
      before = at;
      const [start, end] = [points, points + Array.from(spelled).length];
      const cells = tokens.filter(({ s, e }) => s < end && e > start);
      if (cells.length && cells.every((cell) => cell.marker === undefined && (cell.parts ? cell.parts.some(([who]) => who === "template") : cell.m < 0))) markers.push({ warning, cells, start });
      for (const cell of markers.at(-1)?.start === start ? cells : []) cell.marker = markers.length - 1;
    }
  }
  return markers;
}

function groupBy(tokens) {
  const groups = new Map();
  for (const cell of tokens) groups.set(cell.row, [...(groups.get(cell.row) ?? []), cell]);
  return groups;
}

/* What the headline says where there is no prompt. */
function faultLine({ kind, line, say }) {
  const see = line ? [[inWords("Show in the template"), () => openView("template")]] : [];
  if (kind === "empty") return { say: told(inWords("No message yet.")) };
  if (kind === "call") return { pill: inWords("error"), tone: "error", say: told(inWords("This is not a call.")), reason: told("{0:t}", [0], [say]) };
  if (kind === "refused") return { pill: inWords("error"), tone: "error", say: told("{0:t}", [0], [say]), links: see };
  if (kind === "stopped") return { pill: inWords("stopped"), tone: "error", say: told("{0:t}", [0], [say]), reason: told(inWords(line ? "Line {0}. Nothing of it was kept." : "Nothing of it was kept."), [line]), links: see };
  // typed parts, as for pictures: many templates take only a text
  const listed = store.messages.findIndex(({ content }) => Array.isArray(content) && content.every((part) => typeof part?.text === "string"));
  const asText = () => setMessage(listed, { content: store.messages[listed].content.map(({ text }) => text).join("") });
  return {
    pill: inWords("error"), tone: "error", say: told(inWords(line ? "Line {0} fails." : "The template fails."), [line]), reason: told("{0:t}", [0], [say]),
    links: [...(listed < 0 ? [] : [[inWords("Send message {0} as text", listed + 1), asText]]), ...see],
  };
}

/* Begins with ours, in the field of the settings. */
function writeTemplate() {
  store.change({ source: store.view?.source || OWN_SOURCE });
  document.querySelector(".st-key-settings button")?.click();
}
