/* "Why?": how a token came about, or why there is a cut after it. A card at the token; on a phone a sheet from below. */

class WhyCard {
  constructor(view) {
    this.view = view;
    this.shown = this.asked = null;
    this.title = make("h2");
    this.close = make("button", { class: "action", text: "×", attrs: { type: "button", "aria-label": "Close" }, on: { click: () => this.node.hidePopover() } });
    this.body = make("div", { class: "why-body" });
    this.node = make("div", { class: "why", attrs: { popover: "auto", role: "dialog", "aria-label": "Why" } },
      make("div", { class: "why-head" }, this.title, this.close), this.body);
    this.node.addEventListener("toggle", (event) => {
      if (event.newState === "closed") this.closed();
    });
    this.resized = new ResizeObserver(() => this.shown !== null && this.place(this.view.text.nodeOf(this.shown)));
    this.resized.observe(this.node); // a lecture begins: everything is larger
  }

  destroy() {
    this.resized.disconnect();
  }

  /* Python answers with a card, once for each question. */
  update(answer) {
    if (!answer || answer.of === this.shown || answer.of !== this.asked) return;
    this.shown = answer.of;
    this.fill(answer);
    const anchor = this.view.text.nodeOf(answer.of);
    if (!this.node.matches(":popover-open")) this.node.showPopover();
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
    const { left, bottom, across, down } = placeOf(anchor);
    this.node.style.left = `${Math.max(16, Math.min(left - 40, across - this.node.offsetWidth - 16))}px`;
    this.node.style.top = `${Math.min(bottom + 10, Math.max(16, down - this.node.offsetHeight - 16))}px`;
  }

  say(tag, say, name) {
    const node = make(tag, { class: name });
    fillSentence(node, say.template, say.args, say.texts, labelSet([]), this.seen);
    return node;
  }

  fill(answer) {
    this.seen = new Set();
    fillSentence(this.title, answer.title.template, answer.title.args, answer.title.texts, labelSet([]));
    this.node.setAttribute("aria-label", this.title.textContent);
    const parts = [this.say("p", answer.say, "why-say")];
    if (answer.joined) parts.push(this.join(answer.joined));
    if (answer.tree.length) parts.push(whyTree(answer.tree, (at) => this.go(at)));
    if (answer.rows.length) parts.push(make("h3", { text: inWords("How it went") }), make("ol", { class: "why-rows" }, ...answer.rows.map((row) => this.row(row))));
    const notes = answer.notes.map((note) => this.say("p", note, "why-note"));
    if (answer.nearby?.length) parts.push(...this.around(answer, notes));
    else parts.push(...notes);
    setClass(this.node, "wide", Boolean(answer.nearby?.length));
    if (answer.go) {
      const { step } = answer.go;
      parts.push(make("button", { class: "btn main", text: inWords("Go to step {0}", formatNumber(step)), attrs: { type: "button" }, on: { click: () => this.go(answer.go) } }));
    }
    const leaves = this.view.data.leaves ?? this.view.data.saved;
    const links = answer.ids.map(({ text, id }) => vocabularyLink(id, leaves?.m ?? address("m"), leaves?.as ?? address("as"), answer.ids.length > 1 ? text : ""));
    parts.push(make("p", { class: "why-links" }, ...links));
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
    return make("p", { class: "why-join" }, chip(left), "+", chip(right), "→", made, make("small", { text: piece ? "" : inWords("no such piece") }));
  }

  /* How other tokenizers cut these characters, and other spellings under this one. */
  around({ elsewhere, nearby, of }, notes) {
    const here = notes.length ? [make("div", {}, make("h3", { text: inWords("Could it be cut otherwise?") }), ...notes)] : [];
    const others = make("div", {}, make("h3", { text: inWords("Elsewhere") }));
    if (elsewhere) {
      const line = ({ parts, names }) =>
        make("li", {}, make("bdi", { class: "cuts", text: parts.join(" | ") }), make("small", { text: names.join(", ") }));
      others.append(this.say("p", elsewhere.say), make("ul", { class: "why-others" }, ...elsewhere.cuts.map(line)));
      others.append(...elsewhere.refusals.map(([name, why]) => make("p", {}, make("b", { text: name }), `: ${why}`)));
    } else {
      const ask = make("button", { class: "btn", text: inWords("Ask the other tokenizers"), attrs: { type: "button" } });
      ask.addEventListener("click", () => {
        ask.textContent = inWords("Opening the other tokenizers …");
        ask.setAttribute("aria-disabled", "true");
        // the card stays: closing it takes the question back
        this.asked = of.replace("cut ", "others ");
        this.view.setStateValue("question", this.asked);
      });
      others.append(ask);
    }
    const spellings = nearby.map((each) => {
      const chips = each.tokens.map(([text, id]) => {
        const chip = make("span", { class: "why-token" }, make("bdi", { text }));
        tint(chip, id);
        return chip;
      });
      return this.spelling(each, make("bdi", { text: each.label }), ...chips);
    });
    return [make("div", { class: "why-two" }, ...here, ...(elsewhere || !this.view.data.saved ? [others] : [])), make("h3", { text: inWords("Change it and see") }), make("div", { class: "why-spellings" }, ...spellings)];
  }

  /* Typed into the text field; on a page without one, a link that opens the changed text on Explore. */
  spelling(each, ...children) {
    const leaves = this.view.data.leaves ?? this.view.data.saved;
    if (window.explorerApp === "" && !window.explorerLive && !window.explorerTypes) return make("span", { class: "why-spelling" }, ...children);
    if (!leaves || window.explorerTypes) return make("button", { class: "why-spelling", attrs: { type: "button" }, on: { click: () => this.type(each) } }, ...children);
    const was = [...leaves.text];
    const text = [...was.slice(0, each.start), each.text, ...was.slice(each.end)].join("");
    return make("a", { class: "why-spelling", attrs: { href: appUrl(`?${new URLSearchParams({ ...leaves, text })}`), target: "_self", title: "Open in Explore" } }, ...children);
  }

  /* The text field types it, if it still has these characters there. */
  type(spelling) {
    this.node.hidePopover();
    window.dispatchEvent(new CustomEvent("explorer-type", { detail: spelling }));
  }

  row({ at, parts, makes, note, value, good }) {
    const step = at
      ? make("button", { class: "link num", text: inWords("step {0}", formatNumber(at.step)), attrs: { type: "button" }, on: { click: () => this.go(at) } })
      : make("span", {});
    const what = make("span", { class: "what" }, make("bdi", { text: parts.join(" + ") }), ...(makes ? [" → ", make("bdi", { text: makes })] : []));
    return make("li", { class: good ? "" : "bad" }, step, what, this.say("span", note, "note"), make("span", { class: "value", text: value }));
  }

  go(at) {
    this.node.hidePopover();
    this.view.goTo(at);
  }
}
