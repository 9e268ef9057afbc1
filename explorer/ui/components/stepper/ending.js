/* How a story of merges on Explore ends: the ids below the letters, and, once in a browser, what to do next. The tokens are
   those of the top of the page (window.explorerTop, of overview.js), which has those around the text, too. */

const HURRY_MS = 2000; // within which a text arrives that is to be played at once
const FIRST_MS = 20000;
const MOST_IN_ROW = 200;

class Ending {
  constructor(view) {
    this.view = view;
    this.isFirst = this.isOpen = this.isComposing = false; // isFirst: this is the first visit
    this.hurry = 0;
    const stops = [listenTo("explorer-top", () => view.request()), listenTo("explorer-enter", () => view.onExplore && view.level === "story" && view.player?.landmarks.length && this.playNow())];
    this.stop = () => stops.forEach((stop) => stop());
    this.field = make("input", {
      dir: "auto", attrs: { type: "text", placeholder: "your name, नमस्ते, 🤗 …", "aria-label": "Your own text", autocomplete: "off", spellcheck: "false" },
      on: { input: () => this.typed(), keydown: (event) => event.key === "Enter" && !event.isComposing && this.play(),
        compositionstart: () => (this.isComposing = true), compositionend: () => { this.isComposing = false; this.typed(); } },
    });
    this.button = make("button", { class: "btn main", attrs: { type: "button" }, on: { click: () => this.play() } }, icon("play"), inWords("Play"));
    this.cut = make("button", { class: "tile", attrs: { type: "button" }, on: { click: () => this.ask() } });
    const lesson = make("a", { class: "tile", attrs: { href: appUrl("learn?lesson=token"), target: "_self" } },
      make("b", { text: inWords("Lesson 1") }), make("span", { text: ` · ${inWords("{0} min", LESSON.minutes)}` }),
      chipsOf(LESSON.tokens), make("small", { text: inWords("What is a token?") }));
    this.node = make("section", { class: "what-next", attrs: { "aria-label": "What next?" } },
      make("div", { class: "tile" }, make("b", { text: inWords("Try your own text") }), make("div", { class: "own" }, this.field, this.button), make("small", { text: inWords("Enter plays it at once.") })),
      this.cut, lesson);
    this.node.hidden = true;
  }

  /* The first visit's story begins. A page may draw it again at once, as when its words arrive in another language: it is
     the first one then, too. */
  begin() {
    this.isFirst = true;
    window.explorerFirst ??= { story: this.story, until: performance.now() + FIRST_MS };
  }

  get story() {
    return `${address("stage")} ${textHere()}`;
  }

  isGoing() {
    return !this.isOpen && window.explorerFirst?.story === this.story && performance.now() < window.explorerFirst.until;
  }

  destroy() {
    this.stop();
    this.show(false);
  }

  /* Leaves this section where it is, because it may have the focus. */
  placeIn(box, above, below) {
    if (this.node.parentNode !== box) box.replaceChildren(this.node);
    for (const other of [...box.children]) if (other !== this.node) other.remove();
    this.node.before(...above);
    this.node.after(below);
  }

  /* How many tokens there are, what they are for, and why. */
  sentences() {
    const { tokens, outside } = window.explorerTop;
    const count = outside[0] + tokens.length + outside[1];
    return [
      `${counted(count, "token", "tokens")}${inWords(".")}`,
      inWords(count === 1 ? "The model sees only this number." : "The model sees only these numbers."),
      inWords("It never sees a letter. Each number picks one row of the model, learned from much text."),
    ];
  }

  render() {
    if (!this.isFirst) return;
    const open = this.view.ended;
    if (open && !this.isOpen) this.open();
    else if (open && this.drawn !== window.explorerTop) this.drawCut();
    else if (!open && this.isOpen) this.close();
  }

  open() {
    this.drawCut();
    this.show(true);
    if (!document.activeElement || document.activeElement === document.body) this.field.focus({ preventScroll: true });
  }

  close() {
    if (!this.isOpen) return;
    this.isFirst = false;
    window.explorerFirst = {};
    if (this.node.contains(this.view.root.getRootNode().activeElement)) this.view.box.focus({ preventScroll: true });
    this.show(false);
    this.view.request();
  }

  show(open) {
    this.isOpen = open;
    this.node.hidden = !open;
    this.view.box.toggleAttribute("data-next", open);
    window.dispatchEvent(new CustomEvent("explorer-next", { detail: open }));
  }

  /* The tokens above follow each key. */
  typed() {
    if (this.isComposing || !this.field.value) return;
    window.dispatchEvent(new CustomEvent("explorer-write", { detail: this.field.value }));
  }

  play() {
    if (!this.field.value) return this.field.focus();
    this.typed();
    this.close();
    this.playNow();
  }

  /* The text that is here, or comes within this time. */
  playNow() {
    this.hurry = performance.now() + HURRY_MS;
    this.view.playSoon(HURRY_MS / 4);
  }

  /* Whether the text that comes now was asked to be played. */
  isPlayed() {
    return performance.now() < this.hurry;
  }

  /* Of the word that is cut: why. Without one, how the longest token came about. */
  drawCut() {
    this.drawn = window.explorerTop;
    const { tokens, outside, word } = this.drawn;
    const [first, last] = word ? [word.first, word.last].map((each) => each - outside[0]) : [longestOf(tokens), longestOf(tokens)];
    const pieces = tokens.slice(first, last + 1);
    this.question = { what: word ? "cut" : "token", at: first + outside[0] };
    const text = pieces.map(({ t }) => t).join("");
    const count = counted(pieces.length, "token", "tokens");
    const title = word ? inWords("Why is {0} {1}?", text.trim(), count) : inWords("How did {0} come about?", text.trim());
    const none = word && !word.listed ? inWords("None of the {0} is {1}.", formatNumber(word.size), text.replace(/^ /, "·")) : "";
    this.cut.hidden = !pieces.length;
    this.cut.replaceChildren(make("b", { text: title }), chipsOf(pieces.map(({ t, id }) => [t, id]), "|"), make("small", { text: none }));
  }

  ask() {
    window.dispatchEvent(new CustomEvent("explorer-ask", { detail: this.question }));
  }
}

function longestOf(tokens) {
  return tokens.reduce((best, { t, look }, at) => (!look && t.length > (tokens[best]?.t.length ?? 0) ? at : best), 0);
}

/* Tokens in their colors. tokens: [text, id]. */
function chipsOf(tokens, between = "") {
  const chips = tokens.map(([text, id]) => {
    const node = make("span", { class: "tok" });
    asText(node, text, text.length - text.replace(/^ +/, "").length);
    tint(node, id);
    return node;
  });
  return make("span", { class: "pieces" }, ...chips.flatMap((chip, at) => (between && at ? [make("i", { text: between }), chip] : [chip])));
}

/* The ids of the tokens: each as wide as its letters, below them; in a row of their own on a phone, and where a token has
   no letters in the tree. */
class EndIds {
  constructor(tree) {
    this.tree = tree;
    this.row = make("div", { class: "end-row", dir: "ltr", attrs: { role: "img" } });
    this.row.hidden = true;
    this.below = make("div", { class: "end-ids", attrs: { role: "img" } });
  }

  /* What the last step has: of each symbol the tokens it became. */
  read() {
    const { view, strip } = this.tree;
    const { player } = view;
    const { tokens, outside } = window.explorerTop;
    const added = ({ look }) => look === "added";
    const last = tokens.length - 1;
    const inner = tokens.findIndex((each) => !added(each));
    this.before = inner < 0 || outside[0] ? [] : tokens.slice(0, inner);
    this.after = outside[1] ? [] : tokens.slice(tokens.findLastIndex((each) => !added(each)) + 1);
    if (inner < 0) this.after = last < 0 ? [] : tokens;
    const ends = new Map(player.puts(strip.index));
    const out = [...new Map(player.puts(player.track("output").index))].filter(([key, row]) => key >= 0 && row).sort(([a], [b]) => a - b).map(([, row]) => row);
    this.cells = [];
    let next = 0;
    for (let at = 0; at < strip.cells.length; at += 1) {
      const [span] = ends.get(at) ?? [1];
      if (!span) continue;
      const [start, end] = [strip.cells[at][3], strip.cells[at + span - 1][4]];
      const ids = [];
      for (; next < out.length && out[next][2] >= start && out[next][3] <= end; next += 1) ids.push(out[next][1]);
      ids.forEach((id, number) => this.cells.push({ id, from: at + (span * number) / ids.length, to: at + (span * (number + 1)) / ids.length }));
    }
    this.aligned = next === out.length;
    const label = `${inWords("Ids")}: ${tokens.map(({ id }) => id).join(", ")}`;
    for (const node of [this.row, this.below]) node.setAttribute("aria-label", label);
  }

  /* In a row: the first of them. */
  flow() {
    const arrow = () => make("i", { text: "↓" });
    this.row.replaceChildren(...window.explorerTop.tokens.slice(0, MOST_IN_ROW).map(({ t, id, look }) => make("span", {}, chipsOf([[t, id]]), arrow(), this.cell(id, look === "added"))));
  }

  cell(id, added = false) {
    const node = make("b", { class: added ? "end-id added" : "end-id", text: plainNumber(id) });
    tint(node, added ? -1 : id);
    return node;
  }

  /* The room of the tokens before and after the letters. */
  sides() {
    return [this.before, this.after].map((tokens) => tokens.reduce((sum, token) => sum + this.widthOf(token), 0));
  }

  widthOf({ t, id }) {
    return Math.max(64, 12.7 * String(id).length + 16, 8.5 * t.length + 8) + 14;
  }

  /* Of the part in view. */
  drawn() {
    const { tree } = this;
    const { x, y } = tree.leafPlaces;
    const top = y + TREE_ENDED.leaf + TREE_ENDED.gap;
    const placed = (node, left, width, size) => {
      node.style.left = `${left}px`;
      node.style.width = `${width}px`;
      node.style.top = `${top}px`;
      node.style.fontSize = `${Math.min(21, (width - 3) / (0.61 * size))}px`;
      return node;
    };
    const nodes = this.cells.filter(({ from, to }) => tree.isNear(from, to)).map(({ id, from, to }) =>
      placed(this.cell(id), x(from - 0.5) + 4, (to - from) * tree.pitch - 8, String(id).length));
    const around = (tokens, left) => {
      for (const token of tokens) {
        const width = this.widthOf(token) - 14;
        const text = make("span", { class: "end-text", text: token.t });
        Object.assign(text.style, { left: `${left}px`, width: `${width}px`, top: `${y}px` });
        nodes.push(text, placed(this.cell(token.id, true), left, width, String(token.id).length));
        left += width + 14;
      }
    };
    around(this.before, 0);
    around(this.after, x(tree.strip.cells.length - 0.5) + 14);
    this.below.replaceChildren(...nodes);
    return this.below;
  }

  /* Each grows as wide as its letters; what was added comes last, from its side. */
  grow() {
    for (const node of this.below.children) {
      const added = node.matches(".added, .end-text");
      node.animate(added ? [{ opacity: 0, translate: "-30px" }, {}] : [{ opacity: 0, scale: "0.2 1" }, {}], { ...SLIDE, delay: added ? 600 : 250, fill: "backwards" });
    }
  }
}
