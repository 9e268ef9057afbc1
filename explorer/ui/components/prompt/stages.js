/* The stage of a view: a headline, a body that scrolls, a foot. A view registers a class by its name:

     STAGES.turns = class {
       constructor(frame) { … }     once; puts its nodes into frame.body
       draw(data, frame) { … }      each time: data.stage is what explorer/views/prompt/registry.py gives; data.tokens,
                                    data.rows, data.strip … are the prompt's (answers/prompt.py, PromptView)
       chosen(token) { … }          optional: another token was chosen (store.token)
       destroy() { … }              optional
     };

   frame.headline({ pill, tone, say, reason, links })   pill: its word; tone: "warning", "error", "fine", "part" or "";
                                    say, reason: sentences { template, args, texts }; links: [[label, act], …]
   frame.side       a place at the right of the headline     frame.body       the body
   frame.buttons    the foot's buttons: .play .copy .share are there; prepend or replaceChildren for others
   frame.count      the foot's count: setCount(frame.count, 13, "of 54 trained")
   frame.marks      { chosen, warned, lost }: set it in draw; numbers of tokens that the strip marks
   frame.report(name, value)   tells Python something
   choiceOf(label, [[value, words], …], value, act)   a row of choices, as for frame.side                             */

const STAGES = {};

class StageMount {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("pr");
    this.borrowedSay = make("span");
    this.borrowed = make("p", { class: "pr-borrowed", attrs: { role: "status" } }, this.borrowedSay, make("button", { class: "link", text: inWords("Take Llama 3’s"), attrs: { type: "button" }, on: { click: () => store.change({ template: "ours:llama-3" }) } }), make("button", { class: "link", text: inWords("Write one"), attrs: { type: "button" }, on: { click: () => writeTemplate() } }));
    this.servedSay = make("span");
    this.served = make("p", { class: "pr-borrowed pr-served", attrs: { role: "status" } }, this.servedSay, make("button", { class: "link", text: inWords("As it is"), attrs: { type: "button" }, on: { click: () => store.change({ server: "" }) } }));
    this.pill = make("span", { class: "pr-pill" });
    this.sentence = make("p", { class: "pr-say" });
    this.why = make("span", { class: "pr-why" });
    this.reason = make("p", { class: "pr-reason" }, this.why);
    this.side = make("div", { class: "pr-side" });
    this.head = make("div", { class: "pr-head" }, this.pill, make("div", { class: "pr-words", attrs: { "aria-live": "polite" } }, this.sentence, this.reason), this.side);
    this.body = make("div", { class: "pr-body" });
    this.source = new SourceLine();
    this.play = make("button", { class: "btn main pr-play", attrs: { type: "button" }, on: { click: () => openView("template") } }, playSign(), make("span", { text: inWords("Play the template") }));
    this.copy = doingButton(inWords("Copy ids"), toClipboard(() => this.data.ids), inWords("Copied"), { class: "btn", attrs: { type: "button" } });
    this.share = new ShareMenu(this);
    this.buttons = make("div", { class: "pr-buttons" });
    this.strip = new Strip((token) => store.choose(token));
    this.count = make("p", { class: "pr-count num" });
    this.foot = make("div", { class: "pr-foot" }, this.buttons, this.strip.node, this.count);
    this.stage = make("section", { class: "pr-stage", attrs: { "aria-label": inWords("Answer") } }, this.borrowed, this.served, this.head, this.body, this.source.node, this.foot, this.share.menu);
    this.root.append(this.stage);
    this.lecture = new Lecture(() => {});
    this.marks = {};
    this.stopChanges = store.subscribe((what) => this.changed(what));
  }

  destroy() {
    this.stopChanges();
    this.view?.destroy?.();
    this.strip.destroy();
    this.lecture.destroy();
    store.view = null;
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.report = setStateValue;
    this.data = data;
    store.view = data;
    this.stage.hidden = data.stage === null || data.stage === undefined;
    if (data.focus !== this.focus) {
      this.view?.destroy?.();
      this.focus = data.focus;
      this.stage.dataset.view = data.focus;
      this.marks = {};
      for (const node of [this.side, this.body]) node.replaceChildren();
      this.buttons.replaceChildren(this.play, this.copy, this.share.button);
      this.source.node.hidden = true;
      this.view = STAGES[data.focus] ? new STAGES[data.focus](this) : null;
    }
    this.borrowed.hidden = !data.borrowed;
    filled(this.borrowedSay, data.borrowed);
    this.served.hidden = !data.asked.server;
    filled(this.servedSay, servedSay(data.served));
    setClass(this.foot, "empty", Boolean(data.fault));
    if (!this.stage.hidden) {
      setCount(this.count, data.strip.length, inWords(data.strip.length === 1 ? "token" : "tokens"));
      this.view?.draw(data, this);
      this.strip.draw(data, rowName);
      this.strip.mark({ chosen: store.token, ...this.marks });
    }
    store.notify("view");
    this.root.getRootNode().host?.setAttribute("data-drawn", "");
  }

  changed(what) {
    if (!this.data || this.stage.hidden) return;
    if (what === "token") {
      this.strip.mark({ ...this.marks, chosen: store.token });
      this.view?.chosen?.(store.token);
      return;
    }
    if (what === "view") return;
    this.strip.draw(this.data, rowName); // the roles are those of the store
    this.view?.asked?.(what);
  }

  headline({ pill = "", tone = "", say = null, reason = null, links = [] }) {
    const id = JSON.stringify([pill, tone, say, reason, links.map(([label]) => label)]);
    if (id === this.said) return;
    this.said = id;
    this.pill.hidden = !pill;
    setText(this.pill, pill);
    this.pill.dataset.tone = tone;
    filled(this.sentence, say);
    filled(this.why, reason);
    setClass(this.head, "long", this.sentence.textContent.length > 84);
    this.reason.replaceChildren(this.why, ...links.map(([label, act]) => make("button", { class: "link pr-offer", text: label, attrs: { type: "button" }, on: { click: act } })));
  }
}

/* Which server changed the request, and whether it makes another number of messages of it. */
function servedSay(served) {
  if (!served) return told(inWords("A server changes the request first."));
  const [title, version, count] = served;
  const sent = store.messages.length;
  return count === sent ? told(inWords("What {0:t} {1:t} makes of the request."), [0, 1], [title, version]) : told(inWords("What {0:t} {1:t} makes of the request: {2} messages of {3}. Sentences count its messages."), [0, 1, count, sent], [title, version]);
}

/* The name of a row: of its message, of the answer, of what the template writes before. */
function rowName(row) {
  if (row === -1) return inWords("answer");
  return row < 0 ? inWords("template") : String(store.messages[row]?.role ?? "message");
}

function setCount(node, number, words) {
  node.replaceChildren(make("b", { text: formatNumber(number) }), ` ${words}`);
}

/* A sentence of our own. */
function told(template, args = [], texts = []) {
  return { template, args, texts };
}

/* Writes a sentence into a node; nothing for null. Line breaks and tabs in it are shown. */
function filled(node, say) {
  if (!say) return node.replaceChildren();
  const { template, args, texts } = say;
  fillSentence(node, template, args, texts.map((text) => text.replaceAll("\n", "↵").replaceAll("\t", "⇥")), null);
}

function choiceOf(label, choices, value, act) {
  const buttons = choices.map(([each, words]) => make("button", { text: words, attrs: { type: "button", role: "radio", "aria-checked": String(each === value), tabindex: each === value ? "0" : "-1" }, on: { click: () => act(each) } }));
  const node = make("div", { class: "pr-choice", attrs: { role: "radiogroup", "aria-label": label } }, ...buttons);
  node.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(event.target.closest("button"));
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1 }[keyName(event)];
    if (to === undefined || !buttons[to]) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[to].focus();
    buttons[to].click();
  });
  return node;
}

function icon(d, name = "") {
  const node = document.createElementNS(SVG, "svg");
  node.setAttribute("viewBox", "0 0 16 16");
  node.setAttribute("aria-hidden", "true");
  if (name) node.setAttribute("class", name);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", d);
  node.append(path);
  return node;
}

const playSign = () => icon("M4 2.5v11l9-5.5z");
const arrowSign = (left) => icon(left ? "M10 3 5 8l5 5" : "M6 3l5 5-5 5", "pr-stroke");
const downSign = () => icon("M4 6l4 4 4-4", "pr-stroke");
