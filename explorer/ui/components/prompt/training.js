/* The view Training: the messages with the tokens that a mask trains, the template's tags, and three ways to make a mask. */

STAGES.training = class {
  constructor(frame) {
    this.frame = frame;
    this.way = null;
    this.turns = make("div", { class: "pr-mask-rows" });
    this.lines = make("div", { class: "pr-lines-box" });
    this.input = make("input", { class: "pr-response", attrs: { type: "text", spellcheck: "false", "aria-label": inWords("The text after which is trained") }, on: { input: () => this.typed() } });
    this.ways = make("div", { class: "pr-ways" });
    this.lower = make("div", { class: "pr-lower" }, this.lines, this.ways);
    frame.body.append(this.turns, this.lower);
    this.copy = doingButton(inWords("Copy mask"), toClipboard(() => JSON.stringify([...this.mask].map(Number))), inWords("Copied"), { class: "btn", attrs: { type: "button" } });
    choosesTokens(this.turns);
    this.typedSoon = debounce(() => {
      const text = this.input.value.replaceAll("↵", "\n");
      store.change({ response: text === this.own ? null : text }, "typing");
    }, 150);
  }

  draw(data, frame) {
    const stage = data.stage ?? { ways: [] };
    const shown = stage.ways.length > 0;
    for (const node of [this.turns, this.lower]) node.hidden = !shown;
    frame.side.replaceChildren();
    frame.buttons.replaceChildren(frame.play, shown ? this.copy : frame.copy, frame.share.button);
    if (!shown) return frame.headline(data.fault ? faultLine(data.fault) : { say: told(inWords("No prompt.")) });
    const way = stage.ways.find((each) => each.way === (this.way ?? "tags")) ?? stage.ways[0];
    this.mask = way.mask;
    frame.side.append(choiceOf(inWords("Mask"), stage.ways.map((each) => [each.way, each.choice]), way.way, (chosen) => this.choose(chosen)));
    frame.headline({
      pill: inWords(way.warns ? "warning" : way.count ? "trained" : "no mask"), tone: way.warns ? "warning" : way.count ? "fine" : "", say: way.say, reason: way.reason,
      links: way.offer ? [[way.offer[0], () => store.edit(store.messages.map((each, at) => (at === way.offer[1] ? { ...each, content: way.offer[2] } : each)))]] : [],
    });
    this.drawTurns(stage, way);
    this.drawLines(stage.lines);
    this.drawWays(stage, way);
    frame.strip.draw(stage, rowName);
    setCount(frame.count, way.count, inWords("of {0} trained", formatNumber(way.mask.length)));
    const edge = way.warns ? way.mask.indexOf("1") : -1;
    frame.marks = { lost: [...way.mask].flatMap((one, n) => (one === "1" ? [] : [n])), warned: edge >= 0 ? [edge] : way.way === "after" && stage.response.token !== null ? [stage.response.token] : [] };
    // the frame draws the prompt's strip; this view's is without the question for an answer
    queueMicrotask(() => {
      if (frame.focus !== "training") return;
      frame.strip.draw(stage, rowName);
      frame.strip.mark({ chosen: store.token, ...frame.marks });
    });
  }

  choose(way) {
    this.way = way;
    this.draw(this.frame.data, this.frame);
    this.frame.side.querySelector('[aria-checked="true"]')?.focus();
  }

  typed() {
    this.way = "after";
    this.typedSoon();
  }

  /* A turn with a trained token is drawn, or one whose token stands in the way; others are folded, as many as follow each
     other in one line. */
  drawTurns({ segments, tokens, response, most }, way) {
    const nodes = [];
    let folded = [];
    const fold = () => {
      if (!folded.length) return;
      const count = folded.reduce((sum, [, each]) => sum + each, 0);
      nodes.push(make("div", { class: "pr-folded" }, make("span", { class: "pr-folded-name", text: inWords("Not trained") }), ...folded.map(([row, each]) => rowPill(row, each)), make("span", { class: "pr-end num", text: inWords("{0} of {1}", 0, formatNumber(count)) })));
      folded = [];
    };
    for (const [row, start, end] of segments) {
      const trained = [...way.mask.slice(start, end)].filter((one) => one === "1").length;
      const blocked = way.way === "after" && response.token !== null && response.token >= start && response.token < end;
      if (!trained && !blocked) {
        folded.push([row, end - start]);
        continue;
      }
      fold();
      const cells = tokens.slice(start, Math.min(end, start + most));
      nodes.push(make("div", { class: `pr-mask-turn ${row >= 0 ? roleClass(store.messages[row]?.role) : whoClass("template")}`, attrs: { role: "group", "aria-label": rowName(row) } },
        make("p", { class: "pr-mask-head" }, make("b", { text: rowName(row) }), make("b", { class: "pr-end num", text: inWords("{0} of {1}", formatNumber(trained), formatNumber(end - start)) })),
        make("div", { class: "pr-mask-tokens" }, ...cells.map((cell) => {
          const node = tokenNode(cell, true);
          setClass(node, "trained", way.mask[cell.n] === "1");
          setClass(node, "untrained", way.mask[cell.n] !== "1");
          setClass(node, "blocks", blocked && cell.n === response.token);
          node.setAttribute("aria-label", `${node.getAttribute("aria-label")}, ${way.mask[cell.n] === "1" ? inWords("trained") : inWords("not trained")}`);
          return node;
        }), ...(end - start > cells.length ? [make("span", { class: "pr-ellipsis", text: counted(end - start - cells.length, "more token", "more tokens") })] : []))));
    }
    fold();
    this.turns.replaceChildren(...nodes);
    rove(this.turns);
  }

  drawLines(lines) {
    if (!lines.length) {
      this.lines.hidden = false;
      return this.lines.replaceChildren(make("p", { class: "pr-no-tags" }, ...aroundNode(inWords("This template has no {0} tags. A template marks with them what the model is trained to write."), make("code", { text: "{% generation %}" }))));
    }
    this.lines.hidden = false;
    this.lines.replaceChildren(make("table", { class: "pr-lines pr-tags" },
      make("thead", {}, make("tr", {}, ...[inWords("Line"), inWords("The template's tags"), inWords("Tokens")].map((text) => make("th", { attrs: { scope: "col" }, text })))),
      make("tbody", {}, ...lines.map(([number, text, count, tag]) => make("tr", { class: tag ? "tag" : "" }, make("th", { attrs: { scope: "row" }, text: String(number) }), make("td", {}, make("code", { text })), make("td", { text: count ? counted(count, "token", "tokens") : "" }))))));
  }

  drawWays({ ways, response }, way) {
    const text = response.text.replaceAll("\n", "↵");
    if (!response.own) this.own = response.text;
    if (this.input.getRootNode().activeElement !== this.input) this.input.value = text;
    const say = make("p", { class: "pr-found" });
    filled(say, response.say);
    const remedy = make("p", { class: "pr-found" });
    filled(remedy, response.remedy);
    const row = ({ way: name, row: title, note, count }) => make("div", { class: `pr-way${name === way.way ? " here" : ""}` },
      name === "after" ? make("label", {}, make("span", { text: title }), this.input) : make("span", {}, title, make("small", { text: note })),
      make("b", { class: `num${count ? "" : " none"}`, text: formatNumber(count) }));
    const kept = this.input.getRootNode().activeElement === this.input;
    const place = [this.input.selectionStart, this.input.selectionEnd];
    this.ways.replaceChildren(make("h2", { text: inWords("Three ways to make a mask") }), ...ways.map(row), say, ...(response.remedy ? [remedy] : []));
    if (kept) {
      this.input.focus();
      this.input.setSelectionRange(...place);
    }
  }
};
