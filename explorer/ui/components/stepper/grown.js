/* What a template is at work on, and the prompt that grows.

   track "parts": [expression, value, first token, last token, look, what the value is]; key -1: [heading, what it belongs to]. track.cells:
   the prompt's tokens (../prompt/tokens.js); track.offer: the message that could be sent as text. track "grown": [label, author, tokens], -1 tokens for a turn that isn't
   written yet; key -1: [tokens so far, those before this step]. */

const PART_LOOKS = ["", " tp-hot", " tp-fault", ""];
const TOKENS_OF_A_PART = 80;
const TOKENS_IN_STORY = 600;
const NOTHING_WRITTEN = [0, 0];

class Parts extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    this.grown = view.player.track("grown");
    this.heading = make("div", { class: "tp-h" });
    this.list = make("div", { class: "tp-parts" });
    this.so = make("div", { class: "tp-h tp-so-far" });
    this.pills = make("div", { class: "tp-turns" });
    const { offer } = track;
    this.offer = make("button", {
      class: "link tp-offer", text: inWords("Send message {0} as text", (offer ?? 0) + 1), attrs: { type: "button" },
      on: { click: () => window.dispatchEvent(new CustomEvent("explorer-prompt-as-text", { detail: offer })) },
    });
    this.body.append(this.heading, this.list, this.offer, this.so, this.pills);
    this.node.classList.add("tp-at-work");
  }

  render(frame) {
    const { rows } = this.track;
    this.offer.hidden = this.track.offer === undefined || frame.step < this.view.player.last;
    const { texts } = this.view;
    const [head, about] = rows.get(AT_WORK) ?? [];
    this.heading.replaceChildren(make("span", { text: texts[head] ?? "" }), " ", make("small", { class: "num", text: texts[about] ?? "" }));
    const keys = [...rows.keys()].filter((key) => key >= 0).sort((a, b) => a - b);
    placeChildren(this.list, keys.map((key) => this.partRow(rows.get(key))));
    this.renderTurns();
  }

  partRow([expression, value, first, last, look, kind]) {
    const what = make("div", { class: "tp-part-value" });
    const cells = this.track.cells.slice(first, Math.min(last, first + TOKENS_OF_A_PART));
    if (cells.length) what.append(make("div", { class: "pr-tokens" }, ...cells.map((cell) => asLabel(cell))));
    if (last - first > cells.length) what.append(make("small", { text: counted(last - first - cells.length, "more token", "more tokens") }));
    const words = this.view.texts[value] ?? "";
    if (words) what.append(make("bdi", { class: "tp-said", text: words }));
    const counts = last > first ? formatNumber(last - first) : (this.view.texts[kind] ?? "");
    return make("div", { class: `tp-part${PART_LOOKS[look]}` }, make("code", { text: this.view.texts[expression] ?? "" }), what, make("small", { class: "num", text: counts }));
  }

  renderTurns() {
    const [soFar] = this.grown.rows.get(AT_WORK) ?? NOTHING_WRITTEN;
    this.so.replaceChildren(make("span", { text: inWords("Text so far") }), " ", make("small", { class: "num", text: counted(soFar, "token", "tokens") }));
    this.pills.replaceChildren(...turnPills(this.view, this.grown));
  }
}

/* A pill for each turn, with its tokens; dashed where it isn't written yet. */
function turnPills(view, track) {
  const fresh = view.player.justPut(track.index);
  return [...track.rows.keys()].filter((key) => key >= 0).sort((a, b) => a - b).map((key) => {
    const [label, who, tokens] = track.rows.get(key);
    const future = tokens < 0;
    return make("span", { class: `tp-turn ${whoClass(view.texts[who])}${future ? " tp-future" : ""}${fresh.has(key) && !future ? " tp-now" : ""}` },
      make("i", { class: "pr-dot" }), make("span", { text: view.texts[label] }), ...(future ? [] : [make("small", { class: "num", text: formatNumber(tokens) })]));
  });
}

/* A token that is only looked at: no button. A control token that a message wrote is marked. */
function asLabel(cell) {
  const { className, childNodes } = tokenNode(cell);
  return make("span", { class: `${className}${cell.control && cell.m >= 0 ? " warned" : ""}` }, ...childNodes);
}

/* Story: the prompt grows; what a step has written is ringed. */
class Grown extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    this.cells = view.player.track("parts").cells;
    this.pills = make("div", { class: "tp-turns" });
    this.list = make("div", { class: "pr-tokens tp-growing", dir: "ltr", attrs: { tabindex: "0", role: "group", "aria-label": track.title } });
    this.body.append(this.pills, this.list);
    this.nodes = new Map();
  }

  nodeOf(index) {
    if (!this.nodes.has(index)) this.nodes.set(index, asLabel(this.cells[index]));
    return this.nodes.get(index);
  }

  render() {
    this.pills.replaceChildren(...turnPills(this.view, this.track));
    const fresh = this.view.player.justPut(this.track.index).has(AT_WORK);
    const [soFar, before] = this.track.rows.get(AT_WORK) ?? NOTHING_WRITTEN;
    const end = Math.min(soFar, this.cells.length);
    const first = Math.max(0, end - TOKENS_IN_STORY);
    const shown = [];
    if (first > 0) shown.push(make("small", { class: "tp-before", text: inWords("… {0} before", counted(first, "token", "tokens")) }));
    for (let index = first; index < end; index += 1) {
      const node = this.nodeOf(index);
      setClass(node, "tp-new", fresh && index >= before);
      shown.push(node);
      if (this.cells[index].t.endsWith("↵")) shown.push(make("span", { class: "pr-break" }));
    }
    if (soFar > end) shown.push(make("small", { class: "tp-before", text: counted(soFar - end, "more token is not drawn", "more tokens are not drawn") }));
    if (!shown.length) shown.push(make("p", { class: "none", text: inWords("Nothing is written yet.") }));
    this.list.replaceChildren(...shown);
    this.list.scrollTop = this.list.scrollHeight;
  }
}
