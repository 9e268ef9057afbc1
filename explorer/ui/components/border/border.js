/* A border in the text. Python sends the borders around the mark; one further away is asked for. */

const ASK_MS = 120;

class Border {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.kind = make("span", { class: "bd-kind", text: "border" });
    this.what = make("p", { class: "bd-what" });
    this.across = make("p", { class: "bd-across" });
    const close = make("button", { class: "btn bd-close", attrs: { type: "button" }, on: { click: () => this.close() } }, make("span", { class: "bd-esc", text: "Esc" }), " Close");
    const head = make("header", { class: "bd-head" }, this.kind, make("div", { class: "bd-words", attrs: { role: "status" } }, this.what, this.across), close);
    this.scale = new Scale((at) => this.go(at));
    this.line = make("p", { class: "bd-line" });
    this.parts = ["The whole", "Left", "Right"].map((name) => {
      const count = make("small", { class: "num" });
      const chips = make("div", { class: "bd-chips" });
      return { count, chips, node: make("section", {}, make("h2", {}, name, " ", count), chips) };
    });
    this.phone = make("div", { class: "bd-phone" }, this.line, make("p", { class: "bd-tip", text: "Press between two characters, or use the buttons below." }), ...this.parts.map(({ node }) => node));
    this.says = ["Why", "The last cut that holds", "If you send it as it is"].map((name) => {
      const say = make("p", {});
      return { say, node: make("section", {}, make("h2", { text: name }), say) };
    });
    this.columns = make("div", { class: "bd-columns" }, ...this.says.map(({ node }) => node));
    const button = (text, label, act, kind = "") => make("button", { class: `btn ${kind}`, attrs: { type: "button", "aria-label": label }, on: { click: act } }, ...text);
    const word = (text) => make("span", { class: "bd-word", text });
    const arrow = (text) => make("span", { class: "bd-arrow", text });
    this.back = button([arrow("◂"), word("Border")], "The border before", () => this.step(-1));
    this.on = button([word("Border"), arrow("▸")], "The next border", () => this.step(1));
    this.keeps = button(["Next that keeps", word("the ids")], "Next border that keeps the ids", () => this.stepKept(1), "main");
    this.copy = doingButton("Copy both as ids", toClipboard(() => this.bothIds()), "Copied", { class: "btn bd-copy", attrs: { type: "button" } });
    const legend = make("p", { class: "bd-legend" }, make("i", { class: "keeps" }), "keeps the ids", make("i", { class: "changes" }), "changes them");
    this.count = make("p", { class: "bd-count num" });
    this.foot = make("footer", { class: "bd-foot" }, this.back, this.on, this.keeps, this.copy, legend, this.count);
    this.none = make("p", { class: "none", text: "A border needs a text of two characters or more." });
    this.panel = make("section", { class: "bd-panel", attrs: { "aria-label": "Border" } }, head, this.scale.node, this.phone, this.columns, this.foot);
    this.root.append(this.panel, this.none);
    this.ask = debounce((at) => this.setStateValue("at", `${this.contentId} ${at}`), ASK_MS);
    this.stopKeys = listenTo("keydown", (event) => this.onKey(event));
    this.stopFollowing = onAddress(() => address("border") !== null && this.go(addressStep("border") ?? this.at, false));
  }

  destroy() {
    this.ask.cancel();
    this.stopKeys();
    this.stopFollowing();
    this.scale.destroy();
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    applyTheme(this.root);
    const { picture, content_id } = data;
    this.none.hidden = picture.length > 1;
    this.panel.hidden = picture.length < 2;
    const other = content_id !== this.contentId;
    if (!other && picture === this.sent) return;
    this.sent = picture;
    this.picture = picture;
    if (other) this.contentId = content_id;
    if (picture.length < 2) return;
    this.scale.draw(picture);
    // the URL knows where the mark was left; and it may have moved on since this was asked for
    const linked = this.at === undefined ? addressStep("border") : null;
    const here = !other && picture.borders[this.at] ? this.at : (linked ?? picture.at);
    this.go(here, address("border") !== null);
  }

  /* Shows a border at once where it is known, and asks for it otherwise. */
  go(at, writes = true) {
    const { length, borders } = this.picture;
    if (length < 2) return;
    this.at = Math.max(1, Math.min(at, length - 1));
    const border = borders[this.at];
    if (writes) writeAddress({ border: String(this.at) });
    const { first, chars } = this.picture;
    const shown = this.at >= first && this.at <= first + chars.length;
    if (shown) this.scale.show(this.at, border);
    this.count.replaceChildren("Border ", make("b", { text: formatNumber(this.at) }), ` of ${formatNumber(length - 1)}`);
    setClass(this.panel, "waits", !border);
    if (!border) return this.ask(this.at);
    this.ask.cancel();
    this.say(border);
    this.drawPhone(border);
  }

  say(border) {
    const fill = (node, { template, args, texts }) => fillSentence(node, template, args, texts, labelSet());
    const { headline, across, why, healing, sent } = border.says;
    fill(this.what, headline);
    fill(this.across, across);
    const sentences = [why, healing, sent];
    this.says.forEach(({ say }, index) => fill(say, sentences[index]));
    if (border.examples.length) {
      const chips = border.examples.flatMap((text) => [" ", make("code", { class: "q", text })]);
      this.says[1].say.append(" Such as", ...chips, ".");
    }
    if (border.space) {
      this.says[2].say.append(" ", make("button", { class: "link", text: "Leave out the space", attrs: { type: "button" }, on: { click: () => this.go(this.at - 1) } }));
    }
    this.scale.handle.setAttribute("aria-valuetext", `${this.at}: ${plainSentence(headline.template, headline.args, headline.texts)}`);
  }

  /* On a phone there is no room for a row of characters: a line of text, and the tokens as chips. */
  drawPhone(border) {
    const { chars, first } = this.picture;
    const cut = this.at - first;
    this.line.replaceChildren(
      ...chars.flatMap((text, index) => [
        ...(index === cut ? [make("i", { class: "bd-here" })] : []),
        make("span", { text, on: { click: () => this.go(first + index || 1) } }),
      ]),
    );
    const { whole } = this.picture;
    const marked = ([start, end]) => (border.across.length && start < this.at && this.at < end ? "crossed" : "");
    const rows = [whole, ...border.cells];
    const counts = [this.picture.tokens, ...border.counts];
    this.parts.forEach(({ count, chips }, index) => {
      setText(count, plural(counts[index], "token"));
      chips.replaceChildren(...rows[index].map((cell) => this.chip(cell, index ? "" : marked(cell))));
    });
  }

  chip([, , text, ids, fresh], kind) {
    return make("div", { class: `bd-chip ${fresh ? "fresh" : kind}` }, make("span", { class: "text", text }), make("small", { class: "num", text: ids.join(" ") }));
  }

  step(by) {
    this.go(this.at + by);
  }

  /* The nearest border in a direction that keeps the ids, of those that are known; after the last one the first. */
  stepKept(by) {
    const { first, keeps } = this.picture.dots;
    const kept = [...keeps.keys()].filter((index) => keeps[index]).map((index) => first + index);
    const next = by > 0 ? (kept.find((at) => at > this.at) ?? kept[0]) : (kept.findLast((at) => at < this.at) ?? kept.at(-1));
    if (next !== undefined) this.go(next);
  }

  bothIds() {
    const border = this.picture.borders[this.at];
    const { ids } = this.picture;
    if (!border) return "";
    const [before, after] = border.kept;
    return `${JSON.stringify([...ids.slice(0, before), ...border.left])}\n${JSON.stringify([...border.right, ...ids.slice(ids.length - after)])}`;
  }

  close() {
    window.dispatchEvent(new CustomEvent("explorer-border"));
  }

  onKey(event) {
    const focused = document.activeElement;
    const ours = !focused || focused === document.body || this.root.getRootNode().host === focused;
    if (event.defaultPrevented || !ours || ["text", "select", "range"].includes(typingIn(event))) return;
    const actions = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      "Shift+ArrowLeft": () => this.stepKept(-1), "Shift+ArrowRight": () => this.stepKept(1),
      Escape: () => this.close(),
    };
    const action = actions[keyName(event)];
    if (!action || this.panel.hidden) return;
    if (document.documentElement.hasAttribute("data-lecture") && event.key === "Escape") return;
    event.preventDefault();
    action();
  }
}

const borderViews = mounts();

export default function (component) {
  borderViews.get(component, () => new Border(component)).update(component);
  return () => borderViews.drop(component.parentElement);
}
