/* The view Next turn: the cache beside the next prompt, as bars and as tokens where they part; why, what it costs, what
   would keep the rest. */

STAGES.turns = class {
  constructor(frame) {
    this.frame = frame;
    this.as = "ids";
    this.at = null;
    this.bars = make("div", { class: "pr-bars" });
    this.windows = make("div", { class: "pr-windows" });
    this.columns = make("div", { class: "pr-columns" });
    this.sampled = make("input", { class: "pr-sampled-ids", attrs: { placeholder: inWords("as its text is cut"), spellcheck: "false" }, on: { change: () => this.sample(this.sampled.value) } });
    this.wrong = make("span", { class: "pr-problem", attrs: { role: "status" } });
    this.sampling = make("label", { class: "pr-labeled pr-sampled" }, make("span", { text: inWords("Ids that the model wrote") }), this.sampled, this.wrong);
    frame.body.append(this.bars, this.windows, this.columns, this.sampling);
    this.both = doingButton(inWords("Copy both as ids"), toClipboard(() => this.turn.ids.slice(0, 2).map((each) => JSON.stringify(each)).join("\n")), inWords("Copied"), { class: "btn", attrs: { type: "button" } });
    choosesTokens(this.windows);
    this.observer = new ResizeObserver(([entry]) => {
      this.bars.style.setProperty("--wide", `${entry.contentRect.width}px`);
    });
    this.observer.observe(this.bars);
  }

  destroy() {
    this.observer.disconnect();
  }

  draw(data, frame) {
    const { turns = [], problem = null, worst = 0 } = data.stage ?? {};
    const shown = turns.length > 0;
    for (const node of [this.bars, this.windows, this.columns]) node.hidden = !shown;
    this.sampling.hidden = this.answer < 0;
    frame.side.replaceChildren();
    frame.buttons.replaceChildren(...(shown ? [frame.play, this.both, frame.share.button] : [frame.play, frame.copy, frame.share.button]));
    if (!shown) {
      if (data.fault) return frame.headline(faultLine(data.fault));
      return frame.headline(problem ? { pill: "error", tone: "error", say: problem } : {
        say: told(inWords("There is no answer yet.")), reason: told(inWords("Add an answer of the assistant, and what is said after it.")),
        links: [[inWords("Add an answer"), () => store.edit([...store.messages, { role: "assistant", content: "\nA cheap way to fine-tune a model." }, { role: "user", content: "And QLoRA?" }])]],
      });
    }
    const found = turns.findIndex((each) => each.message === this.at);
    this.turn = turns[found < 0 ? worst : found];
    const { turn } = this;
    const choices = [];
    if (turns.length > 1) choices.push(choiceOf(inWords("Answer"), turns.map((each) => [each.message, inWords("message {0}", each.message + 1)]), turn.message, (message) => this.choose({ at: message })));
    choices.push(choiceOf(inWords("Compare"), [["text", inWords("As text")], ["ids", inWords("As ids")]], this.as, (as) => this.choose({ as })));
    frame.side.append(make("div", { class: "pr-choices" }, ...choices));
    frame.headline({ pill: inWords(turn.all ? "kept" : "part"), tone: turn.all ? "fine" : "part", say: this.as === "ids" ? turn.say : turn.as_text, reason: turn.reason });
    this.drawSampled();
    this.drawBars(turn);
    if (this.as === "ids") this.drawTokens(turn);
    else this.drawTexts(turn);
    this.drawColumns(turn);
    setCount(frame.count, turn.kept, inWords("of {0} kept", formatNumber(turn.ids[0].length)));
    const whole = turn.ids[1].length === data.strip.length;
    frame.marks = whole && !turn.all ? { warned: [turn.kept] } : {};
  }

  choose(change) {
    Object.assign(this, change);
    this.draw(this.frame.data, this.frame);
    this.frame.strip.mark({ chosen: store.token, ...this.frame.marks });
    this.frame.side.querySelectorAll('[aria-checked="true"]')[change.as ? this.frame.side.querySelectorAll('[role="radiogroup"]').length - 1 : 0]?.focus();
  }

  /* The answer whose ids the field has: the chosen one, or the last. */
  get answer() {
    return this.turn?.message ?? store.messages.findLastIndex(({ role }) => role === "assistant");
  }

  drawSampled() {
    const { token_ids: ids } = store.messages[this.answer] ?? {};
    if (this.sampled.getRootNode().activeElement !== this.sampled) this.sampled.value = Array.isArray(ids) ? ids.join(" ") : "";
  }

  /* Ids with spaces or commas between them; without any, those of the text are taken. */
  sample(text) {
    const words = text.replace(/^\s*\[|\]\s*$/g, "").split(/[\s,]+/).filter(Boolean);
    const isWrong = !words.every((word) => /^\d{1,9}$/.test(word));
    setText(this.wrong, isWrong ? inWords("Give whole numbers, with spaces or commas between them.") : "");
    if (isWrong) return;
    const { answer } = this;
    store.edit(store.messages.map((each, at) => {
      if (at !== answer) return each;
      const { token_ids, ...rest } = each;
      return words.length ? { ...rest, token_ids: words.map(Number) } : rest;
    }));
  }

  drawBars({ bars, kept, messages, ids, all }) {
    const [cached, next] = [ids[0].length, ids[1].length];
    const preserving = all ? null : ids[2];
    const whole = preserving ? bars[0] + (preserving.length > cached ? bars[1].slice(cached - preserving.length) : "") : "";
    const most = Math.max(bars[0].length, bars[1].length, whole.length);
    const bar = (letters, same = kept) => make("div", { class: "pr-cache-bar", attrs: { "aria-hidden": "true" } }, ...runs(letters, same).map(([letter, start, end, lost]) => {
      const who = LETTERS[letter.toLowerCase()] ?? "other";
      const node = make("i", { class: `${whoClass(who)}${lost ? " lost" : ""}${letter !== letter.toLowerCase() ? " half" : ""}` });
      node.style.left = `${(100 * start) / most}%`;
      node.style.width = `${(100 * (end - start)) / most}%`;
      node.style.setProperty("--cells", end - start);
      return node;
    }));
    const line = make("div", { class: "pr-cut", attrs: { "aria-hidden": "true" } }, make("b", { text: inWords("{0} kept", formatNumber(kept)) }));
    line.style.left = `${(100 * Math.min(kept, most)) / most}%`;
    setClass(line, "late", kept > most / 2);
    this.bars.replaceChildren(
      make("div", { class: "pr-bar-row" }, heading(inWords("In the cache"), inWords("prompt and answer")), make("div", { class: "pr-bar-place" }, bar(bars[0])), make("b", { class: "pr-end num", text: formatNumber(cached) })),
      make("div", { class: "pr-bar-row" }, heading(inWords("Next prompt"), counted(messages, "message", "messages")), make("div", { class: "pr-bar-place" }, bar(bars[1])), make("b", { class: "pr-end num", text: formatNumber(next) })),
      ...(preserving ? [make("div", { class: "pr-bar-row pr-preserving" }, heading(inWords("With its ids kept"), inWords("a prefix-preserving prompt")), make("div", { class: "pr-bar-place" }, bar(whole, whole.length)), make("b", { class: "pr-end num", text: formatNumber(preserving.length) }))] : []),
      make("div", { class: "pr-cut-place" }, line));
  }

  drawTokens({ rows, from, kept, ids }) {
    const row = (name, cells, later, cache) => make("div", { class: "pr-window", attrs: { role: "group", "aria-label": name } }, heading(name, from ? inWords("from token {0}", from + 1) : ""),
      make("div", { class: "pr-window-tokens" }, ...cells.map((cell) => {
        const node = tokenNode(cell, true);
        setClass(node, "gone", cell.n >= kept && cache);
        return node;
      }), ...(later ? [make("span", { class: "pr-ellipsis", text: "⋯" })] : [])));
    this.windows.replaceChildren(row(inWords("In the cache"), rows[0], from + rows[0].length < ids[0].length, true), row(inWords("Next prompt"), rows[1], from + rows[1].length < ids[1].length, false));
    rove(this.windows);
  }

  drawTexts({ texts }) {
    const row = (name, [kept, lost]) => make("div", { class: "pr-window" }, heading(name, ""), make("p", { class: "pr-excerpt" }, make("span", { text: shownText(kept) }), make("mark", { text: shownText(lost) })));
    this.windows.replaceChildren(row(inWords("In the cache"), texts[0]), row(inWords("Next prompt"), texts[1]));
  }

  drawColumns({ why, cost, remedy, offer }) {
    const column = (title, say, ...more) => {
      const text = make("p");
      filled(text, say);
      text.append(...more);
      return make("div", {}, make("h2", { text: title }), text);
    };
    const links = offer ? [" ", offerLink(offer)] : [];
    this.columns.replaceChildren(column(inWords("Why"), why), column(inWords("What it costs"), cost), ...(remedy ? [column(inWords("What would keep them"), remedy, ...links)] : []));
  }
};

/* Stretches of equal letters, cut where the cache ends: letter, start, end, whether after it. */
function runs(letters, kept) {
  const found = [];
  for (let at = 0; at < letters.length; at += 1) {
    const last = found.at(-1);
    if (last && last[0] === letters[at] && last[3] === at >= kept) last[2] = at + 1;
    else found.push([letters[at], at, at + 1, at >= kept]);
  }
  return found;
}

function heading(title, note) {
  return make("p", { class: "pr-heading" }, make("b", { text: title }), ...(note ? [make("span", { text: note })] : []));
}

function shownText(text) {
  return text.replaceAll("\n", "↵").replaceAll("\t", "⇥");
}

/* A link that gives a message another content: [label, index, content]. */
function offerLink([label, index, content]) {
  const act = () => store.edit(store.messages.map((each, at) => (at === index ? { ...each, content } : each)));
  return make("button", { class: "link pr-offer", text: label, attrs: { type: "button" }, on: { click: act } });
}
