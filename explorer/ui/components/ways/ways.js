/* Other ways to cut a text. Many draws: a row for each way, a column for each rule. One draw: a bar above its stepper. */

const ASK_WAYS_MS = 160;
const WAYS_PARAMETERS = ["sample", "alpha", "seed", "draws", "rule", "draw"];
const DRAWS = ["100", "1000", "10000"];

class Ways {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    const button = (text, act, kind = "", label = text) => make("button", { class: `btn ${kind}`, text, attrs: { type: "button", "aria-label": label }, on: { click: act } });
    this.what = make("p", { class: "wy-what" });
    this.sub = make("p", { class: "wy-sub" });
    this.kind = make("span", { class: "wy-kind", text: inWords("samples") });
    this.words = make("div", { class: "wy-words", attrs: { role: "status" } }, this.what, this.sub);
    this.views = new Map([["many", inWords("Many draws")], ["one", inWords("One draw")]].map(([view, text]) => [
      view, make("button", { text, attrs: { type: "button", role: "radio" }, on: { click: () => this.change({ sample: view }) } }),
    ]));
    this.switch = make("div", { class: "wy-views", attrs: { role: "radiogroup", "aria-label": "Samples" } }, ...this.views.values());
    this.switch.addEventListener("keydown", (event) => this.switchKey(event));
    this.close = make("button", { class: "btn wy-close", attrs: { type: "button" }, on: { click: () => this.leave() } }, make("span", { class: "wy-esc", text: "Esc" }), ` ${inWords("Close")}`);
    this.head = make("header", { class: "wy-head" }, this.kind, this.words);
    this.names = make("div", { class: "wy-names" });
    this.list = make("ol", { class: "wy-list" });
    this.told = make("p", { class: "wy-told" }); // on a phone, where the columns have no room
    this.more = make("p", { class: "wy-more" });
    this.table = make("div", { class: "wy-table", attrs: { tabindex: "0", role: "group", "aria-label": "Possible cuts of the text" } }, this.names, this.told, this.list, this.more);
    this.error = make("p", { class: "wy-error", attrs: { role: "alert" } });
    this.columns = make("div", { class: "wy-columns" });
    this.range = make("input", { attrs: { type: "range", min: "0", max: "1", step: "0.01" }, on: { input: () => this.typed({ alpha: this.range.value }) } });
    this.alphaWord = make("span");
    const field = (name, label, mode) => make("input", { class: name, attrs: { type: "text", inputmode: mode, maxlength: "20", "aria-label": label, autocomplete: "off" }, on: { input: () => this.typed({ [name]: this[name].value.trim() }) } });
    this.alpha = field("alpha", "α", "decimal");
    this.seed = field("seed", "Seed", "numeric");
    this.again = button(inWords("Draw again"), () => this.change({ seed: this.following("seed") }), "main");
    this.draws = make("select", { on: { change: () => this.change({ draws: this.draws.value }) } });
    this.rule = make("select", { on: { change: () => this.change({ rule: this.rule.value }) } });
    this.number = make("b", { class: "num" });
    this.before = button("◂", () => this.change({ draw: String(Math.max(1, Number(this.asked.draw) - 1 || 1)) }), "wy-arrow", "The draw before");
    this.next = button("▸", () => this.change({ draw: this.following("draw") }), "main wy-arrow", "The next draw");
    this.label = (text, ...nodes) => make("label", {}, text, " ", ...nodes);
    this.foot = make("footer", { class: "wy-foot" });
    this.alphaLabel = make("label", { class: "range" }, this.alphaWord, " ", this.range, this.alpha);
    this.seedLabel = this.label(inWords("Seed"), this.seed);
    this.drawsLabel = this.label(inWords("Draws"), this.draws);
    this.ruleLabel = this.label(inWords("Rule of"), this.rule);
    this.draw = make("div", { class: "wy-draw" }, this.before, make("span", {}, ...aroundNode(inWords("Draw {0}"), this.number)), this.next);
    this.legend = make("p", { class: "wy-legend" }, make("i"), inWords("drawn"), make("u"), inWords("exact"));
    this.panel = make("section", { class: "wy-panel", attrs: { "aria-label": inWords("Other possible cuts") } }, this.head, this.error, this.table, this.columns, this.foot);
    this.root.append(this.panel);
    this.wait = awaiting(0, (on) => setClass(this.panel, "waits", on));
    this.report = debounce(() => this.setStateValue("asked", WAYS_PARAMETERS.map((name) => this.asked[name]).join(" ")), ASK_WAYS_MS);
    this.stopKeys = listenTo("keydown", (event) => this.onKey(event));
    this.stopFollowing = onAddress(() => this.followAddress());
  }

  destroy() {
    this.report.cancel();
    this.stopKeys();
    this.stopFollowing();
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    applyTheme(this.root);
    const first = !this.picture;
    const said = Object.fromEntries(WAYS_PARAMETERS.map((name, index) => [name, data.asked[index]]));
    // an answer to what was asked before the last change leaves the fields alone
    const late = this.wait.answers(JSON.stringify(said));
    if (!late) this.asked = said;
    if (data.content_id !== this.contentId || first) {
      this.contentId = data.content_id;
      this.picture = data.picture;
      this.drawPicture();
    }
    this.drawFields();
    if (first) this.followAddress();
    if (!late) this.write();
  }

  /* The address may ask for something else than the last visit here, and have the last word. */
  followAddress() {
    if (address("sample") === null) return;
    const linked = Object.fromEntries(WAYS_PARAMETERS.map((name) => [name, address(name)]).filter(([, value]) => value));
    if (linked.sample && linked.sample !== "one") linked.sample = "many";
    if (Object.entries(linked).some(([name, value]) => value !== this.asked[name])) this.change(linked);
  }

  write() {
    if (address("sample") === null) return;
    const one = this.asked.sample === "one";
    writeAddress({ ...this.asked, rule: this.asked.rule || null, draws: one ? null : this.asked.draws, draw: one ? this.asked.draw : null });
  }

  change(changes) {
    this.asked = { ...this.asked, ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, value.replaceAll(/\s/g, "")])) };
    this.wait.asks(JSON.stringify(this.asked));
    this.drawFields();
    if (changes.sample) writeAddress({ drawn: null });
    this.write();
    this.report();
  }

  typed(changes) {
    if (Object.values(changes).some((value) => value !== "")) this.change(changes);
  }

  following(name) {
    const now = Number(this.asked[name]);
    return String(Number.isInteger(now) && now < 4294967295 ? now + 1 : 1);
  }

  // --- drawing

  drawFields() {
    const { sample, alpha, seed, draws, draw } = this.asked;
    const one = sample === "one";
    const show = (field, value) => document.activeElement === this.root.getRootNode().host && field.matches(":focus") ? null : (field.value = value);
    show(this.alpha, alpha);
    show(this.seed, seed);
    this.range.value = alpha;
    this.range.setAttribute("aria-label", this.picture.alpha);
    setText(this.number, draw);
    const many = DRAWS.includes(draws) ? DRAWS : [draws, ...DRAWS];
    this.draws.replaceChildren(...many.map((value) => make("option", { text: /^\d+$/.test(value) ? formatNumber(Number(value)) : value, attrs: { value } })));
    this.draws.value = draws;
    const rule = this.asked.rule || this.picture.rule;
    this.rule.replaceChildren(...this.picture.rules.map(({ key, label }) => make("option", { text: label, attrs: { value: key } })));
    this.rule.value = this.picture.rules.some(({ key }) => key === rule) ? rule : this.picture.rule;
    for (const [view, node] of this.views) {
      node.setAttribute("aria-checked", String((view === "one") === one));
      node.setAttribute("tabindex", (view === "one") === one ? "0" : "-1");
    }
  }

  drawPicture() {
    const { rules, rows, says, error, more, scored, alpha } = this.picture;
    const one = this.asked.sample === "one" && rules.length > 0;
    setClass(this.panel, "wy-bar-panel", one);
    setClass(this.panel, "wy-panel", !one);
    const parts = one ? [this.switch, this.alphaLabel, this.seedLabel, this.draw, this.ruleLabel, this.close] : [this.alphaLabel, this.seedLabel, this.again, this.drawsLabel, this.legend];
    this.foot.replaceChildren(...parts);
    if (!one) this.head.append(...(rules.length ? [this.switch] : []), this.close);
    this.head.hidden = one;
    this.table.hidden = this.columns.hidden = one || !rows.length;
    this.foot.hidden = !rules.length;
    this.error.hidden = !error || one;
    setText(this.error, error);
    setText(this.alphaWord, alpha);
    this.panel.style.setProperty("--rules", rules.length);
    this.panel.style.setProperty("--score", scored ? "74px" : "0px");
    if (one) return;
    const fill = (node, say) => (say ? fillSentence(node, say.template, say.args, say.texts, labelSet()) : node.replaceChildren());
    fill(this.what, says.what);
    fill(this.sub, says.sub);
    this.names.replaceChildren(
      make("span"), make("span", { text: inWords("Possible cut") }), make("span", { class: "wy-score", text: scored ? inWords("Score") : "" }),
      ...rules.map(({ key, label }) => make("div", { class: "wy-rule" }, make("button", {
        text: label, attrs: { type: "button", "aria-pressed": String(key === this.picture.rule), title: "Order the cuts by this rule" }, on: { click: () => this.change({ rule: key }) },
      }), make("small", { text: inWords("drawn") }), make("small", { text: inWords("exact") }))),
    );
    const own = rules.findIndex(({ key }) => key === this.picture.rule);
    this.list.replaceChildren(...rows.map((row, index) => this.row(row, index, own, rules)));
    setText(this.told, rules[own]?.why ?? "");
    setText(this.more, more);
    this.columns.replaceChildren(...rules.map(({ title, why }) => make("section", {}, make("h2", { text: title }), make("p", { text: why }))));
  }

  row({ tokens, usual, first, score, cells }, index, own, rules) {
    const chips = tokens.map(([text, id]) => {
      const chip = make("bdi", { class: "tok", text, attrs: { title: String(id) } });
      tint(chip, id);
      return chip;
    });
    const extra = usual ? [make("span", { class: "wy-usual", text: inWords("without sampling") })] : [];
    if (first) {
      extra.push(make("button", { class: "wy-see", text: inWords("See draw {0}", formatNumber(first)), attrs: { type: "button" }, on: { click: () => this.change({ sample: "one", draw: String(first) }) } }));
    }
    return make("li", { class: usual ? "wy-row usual" : "wy-row" },
      make("span", { class: "wy-rank num", text: String(index + 1), attrs: { "aria-hidden": "true" } }),
      make("div", { class: "wy-way" }, ...chips, ...extra),
      make("span", { class: "wy-score num", text: score }),
      ...cells.map((cell, column) => this.cell(cell, column === own, rules[column].label)));
  }

  cell([times, chance, drawn, exact], own, label) {
    const bar = make("div", { class: "wy-bar", attrs: { "aria-hidden": "true" } }, make("i"), ...(exact === null ? [] : [make("u")]));
    bar.style.setProperty("--drawn-share", drawn);
    bar.style.setProperty("--exact-share", exact ?? 0);
    return make("div", { class: `wy-cell${own ? " own" : ""}${times === "0" ? " never" : ""}` }, bar,
      make("b", { class: "num" }, make("span", { class: "sr", text: `${inWords("{0}: drawn", label)} ` }), times),
      make("small", { class: "num" }, make("span", { class: "sr", text: `${inWords("exactly")} ` }), chance || "–"));
  }

  // --- keys

  switchKey(event) {
    if (!["ArrowLeft", "ArrowRight"].includes(keyName(event))) return;
    event.preventDefault();
    event.stopPropagation();
    const view = this.asked.sample === "one" ? "many" : "one";
    this.change({ sample: view });
    this.views.get(view).focus();
  }

  leave() {
    window.dispatchEvent(new CustomEvent("explorer-ways"));
  }

  onKey(event) {
    const ours = onGround() || this.root.getRootNode().host === document.activeElement;
    if (event.defaultPrevented || !ours || ["text", "select"].includes(typingIn(event))) return;
    const actions = { Escape: () => this.leave() };
    if (this.picture.rules.length) {
      actions.r = () => this.change(this.asked.sample === "one" ? { draw: this.following("draw") } : { seed: this.following("seed") });
    }
    const action = actions[keyName(event)];
    if (!action || document.documentElement.hasAttribute("data-lecture") && event.key === "Escape") return;
    event.preventDefault();
    action();
  }
}

const waysViews = mounts();

export default function (component) {
  waysViews.get(component, () => new Ways(component)).update(component);
  return () => waysViews.drop(component.parentElement);
}
