/* The stage of a view: a headline, a body that scrolls, a foot. A view registers a class by its name:

     STAGES.turns = class {
       constructor(frame) { … }     once; puts its nodes into frame.body
       draw(data, frame) { … }      each time: data.stage is what explorer/views/prompt/turns.py gives; data.tokens,
                                    data.rows, data.lines are the prompt's
       destroy() { … }              optional
     };

   frame.headline({ pill, tone, say, reason, links })   pill: its word; tone: "warning", "error", "fine", "here" or "";
                                    say, reason: sentences [template, args, texts]; links: [[label, act], …]
   frame.side       a place at the right of the headline     frame.body       the body
   frame.buttons    the foot's buttons, at first Play, Copy ids, Share      frame.count    the foot's count
   frame.strip      one cell for each token (strip.js)                                                              */

const STAGES = {};

class StageMount {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("pr");
    this.pill = make("span", { class: "pr-pill" });
    this.sentence = make("p", { class: "pr-say", attrs: { "aria-live": "polite" } });
    this.reason = make("p", { class: "pr-reason" });
    this.side = make("div", { class: "pr-side" });
    this.head = make("div", { class: "pr-head" }, this.pill, make("div", { class: "pr-words" }, this.sentence, this.reason), this.side);
    this.body = make("div", { class: "pr-body" });
    this.buttons = make("div", { class: "pr-buttons" });
    this.count = make("p", { class: "pr-count" });
    this.foot = make("div", { class: "pr-foot" }, this.buttons, this.count);
    this.stage = make("section", { class: "pr-stage", attrs: { "aria-label": "Answer" } }, this.head, this.body, this.foot);
    this.root.append(this.stage);
    this.stopChanges = store.subscribe((what) => this.view?.changed?.(what));
  }

  destroy() {
    this.stopChanges();
    this.view?.destroy?.();
    store.view = null;
  }

  update({ data }) {
    applyTheme(this.root);
    this.data = data;
    store.view = data;
    this.stage.hidden = data.stage === null || data.stage === undefined;
    if (data.focus !== this.focus) {
      this.view?.destroy?.();
      this.focus = data.focus;
      for (const node of [this.side, this.body, this.buttons]) node.replaceChildren();
      this.view = STAGES[data.focus] ? new STAGES[data.focus](this) : null;
    }
    if (!this.stage.hidden) this.view?.draw(data, this);
    store.notify("view");
    this.root.getRootNode().host?.setAttribute("data-drawn", "");
  }

  headline({ pill = "", tone = "", say = null, reason = null, links = [] }) {
    this.pill.hidden = !pill;
    setText(this.pill, pill);
    this.pill.dataset.tone = tone;
    filled(this.sentence, say);
    filled(this.reason, reason);
    this.reason.append(...links.map(([label, act]) => make("button", { class: "link pr-offer", text: label, attrs: { type: "button" }, on: { click: act } })));
  }
}

/* Writes a sentence [template, args, texts] into a node; nothing for null. */
function filled(node, say) {
  if (!say) return node.replaceChildren();
  const [template, args, texts] = say;
  fillSentence(node, template, args, texts, null);
}
