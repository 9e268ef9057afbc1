/* The five cards: the row of stages, each with its answer and a count of warnings. */

class Cards extends Ribbon {
  draw(cards, focus, answers) {
    super.draw(cards, focus, answers);
    this.node.setAttribute("aria-label", inWords("Questions"));
    for (const { key, warnings } of cards) {
      const stage = this.nodes.get(key);
      stage.badge ??= stage.node.appendChild(make("span", { class: "pr-badge" }));
      stage.badge.hidden = !warnings;
      stage.badge.replaceChildren(...(warnings ? [sign(), make("span", { class: "num", text: formatNumber(warnings) }), make("span", { class: "sr", text: ` ${inWords(warnings === 1 ? "warning" : "warnings")}` })] : []));
    }
  }
}

const SVG = "http://www.w3.org/2000/svg";

/* The triangle of a warning. */
function sign() {
  const node = document.createElementNS(SVG, "svg");
  node.setAttribute("viewBox", "0 0 16 16");
  node.setAttribute("aria-hidden", "true");
  node.setAttribute("class", "pr-sign");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", "M8 1.6 15 14H1L8 1.6Zm0 4.6v3.9m0 1.6v.9");
  node.append(path);
  return node;
}

class CardsMount {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("pr-cards");
    this.cards = new Cards((key) => this.focus(key));
    this.root.append(this.cards.node);
    this.stopFollowing = onAddress(() => this.followAddress());
    this.stopAsking = listenTo("explorer-prompt-view", ({ detail }) => this.focus(detail, null));
  }

  destroy() {
    this.stopFollowing();
    this.stopAsking();
    writeAddress({ view: null });
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.setStateValue = setStateValue;
    const content = JSON.stringify(data.cards);
    if (this.content !== content) this.step = null;
    this.content = content;
    this.data = data;
    this.cards.draw(data.cards, data.focus, data.answers);
  }

  /* The view that was asked for, until Python has drawn it: of Engines, it may be its second half, check. */
  get view() {
    const { asked, answers } = this.cards;
    return asked && asked.report !== answers ? this.asked : this.data.view;
  }

  ask(key) {
    this.asked = key;
    this.setStateValue("stage", this.cards.asks(key === "check" ? "engines" : key, key));
  }

  /* step: at which a template opens, by default the one at which it was left. */
  focus(key, step = this.step) {
    if (key === this.view) return;
    if (this.cards.current === "template") this.step = address("step");
    writeAddress({ view: key === "prompt" ? null : key, step: key === "template" ? step : null }, true);
    this.ask(key);
  }

  followAddress() {
    const key = address("view") ?? "prompt";
    if (key !== this.view) this.ask(key);
  }
}

/* Opens a view from anywhere on the page. */
function openView(name) {
  // the stepper opens at the step that wrote the chosen token
  if (name === "template") writeAddress({ step: null });
  window.dispatchEvent(new CustomEvent("explorer-prompt-view", { detail: name }));
}
