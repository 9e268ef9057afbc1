/* "Why?": how a token came about, or why there is a cut after it. A card at the token; on a phone a sheet from below. */

class WhyCard {
  constructor(view) {
    this.view = view;
    this.title = make("h2");
    this.close = make("button", { class: "action", text: "×", attrs: { type: "button", "aria-label": "Close" }, on: { click: () => this.node.hidePopover() } });
    this.body = make("div", { class: "why-body" });
    this.node = make("div", { class: "why", attrs: { popover: "auto", role: "dialog", "aria-label": "Why" } },
      make("div", { class: "why-head" }, this.title, this.close), this.body);
    this.node.addEventListener("toggle", (event) => {
      if (event.newState === "closed") this.closed();
    });
  }

  /* Python answers with a card, once for each question. */
  update(answer) {
    if (!answer || answer.of === this.shown || answer.of !== this.asked) return;
    this.shown = answer.of;
    this.fill(answer);
    const anchor = this.view.text.nodeOf(answer.of);
    this.node.showPopover();
    this.place(anchor);
  }

  ask(question) {
    this.asked = question;
    this.shown = null;
    this.view.setStateValue("question", question);
  }

  closed() {
    if (this.shown === null) return;
    this.shown = null;
    this.asked = null;
    this.view.setStateValue("question", "");
  }

  place(anchor) {
    if (!anchor || window.innerWidth <= 900) {
      this.node.classList.add("sheet");
      this.node.removeAttribute("style");
      return;
    }
    this.node.classList.remove("sheet");
    const { left, bottom } = anchor.getBoundingClientRect();
    const width = this.node.offsetWidth;
    this.node.style.left = `${Math.max(16, Math.min(left - 40, window.innerWidth - width - 16))}px`;
    this.node.style.top = `${Math.min(bottom + 10, Math.max(16, window.innerHeight - this.node.offsetHeight - 16))}px`;
  }

  say(tag, say, name) {
    const node = make(tag, { class: name });
    fillSentence(node, say.template, say.args, say.texts, labelSet([]));
    return node;
  }

  fill(answer) {
    fillSentence(this.title, answer.title.template, answer.title.args, answer.title.texts, labelSet([]));
    this.node.setAttribute("aria-label", this.title.textContent);
    const parts = [this.say("p", answer.say, "why-say")];
    if (answer.joined) parts.push(this.join(answer.joined));
    if (answer.tree.length) parts.push(whyTree(answer.tree, (at) => this.go(at)));
    if (answer.rows.length) parts.push(make("h3", { text: "How it went" }), make("ol", { class: "why-rows" }, ...answer.rows.map((row) => this.row(row))));
    parts.push(...answer.notes.map((note) => this.say("p", note, "why-note")));
    if (answer.go) {
      const { step } = answer.go;
      parts.push(make("button", { class: "btn main", text: `Go to step ${formatNumber(step)}`, attrs: { type: "button" }, on: { click: () => this.go(answer.go) } }));
    }
    this.body.replaceChildren(...parts);
    this.body.scrollTop = 0;
  }

  join({ left, right, text, piece }) {
    const chip = ({ text: words, id }) => {
      const node = make("span", { class: "why-piece" }, make("bdi", { text: words }));
      tint(node, id);
      return node;
    };
    const made = make("span", { class: piece ? "why-piece" : "why-piece none" }, make("bdi", { text }));
    return make("p", { class: "why-join" }, chip(left), "+", chip(right), "→", made, make("small", { text: piece ? "" : "no such piece" }));
  }

  row({ at, parts, makes, note, value, good }) {
    const step = at
      ? make("button", { class: "link num", text: `step ${formatNumber(at.step)}`, attrs: { type: "button" }, on: { click: () => this.go(at) } })
      : make("span", {});
    const what = make("span", { class: "what" }, make("bdi", { text: parts.join(" + ") }), ...(makes ? [" → ", make("bdi", { text: makes })] : []));
    return make("li", { class: good ? "" : "bad" }, step, what, this.say("span", note, "note"), make("span", { class: "value", text: value }));
  }

  go(at) {
    this.node.hidePopover();
    this.view.goTo(at);
  }
}
