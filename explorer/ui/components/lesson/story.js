/* A lesson on a phone is a story: the picture on top, below it one sentence of the card, then the next; nothing lies over
   the picture. The lesson's files stay as they are: a card is split at the ends of its sentences, and a question or a task
   is a page of its own.

   pagesOf(words, language)    the pages of a card: { say, why }, each the runs of a sentence; why may have none
   Place                       brings what a page names into view, and the marks of the step beside it */

const STORY = "(max-width: 900px), (max-height: 480px)"; // as in learn.css and card.css
const BOTH_FIT = 120; // letters of a sentence with the next one below it
const WIDE_LETTERS = /[\u3000-\u9fff\uff00-\uffef]/gu;

function lengthOf(runs) {
  const text = runs.map(([, words]) => words).join("");
  return text.length + (text.match(WIDE_LETTERS)?.length ?? 0);
}

/* The runs of [start, end) of the text that all runs are. */
function cutRuns(runs, start, end) {
  const cut = [];
  let at = 0;
  for (const [kind, text] of runs) {
    const part = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (part) cut.push([kind, part]);
    at += text.length;
  }
  if (cut.length && !cut.at(-1)[0]) cut[cut.length - 1] = ["", cut.at(-1)[1].trimEnd()];
  return cut.filter(([, text]) => text);
}

/* Names that begin a sentence with a small letter, which Unicode takes for the same sentence. */
const BEFORE_NAMES = /(?<=[.!?]\s)(?=(?:vLLM|llama\.cpp|transformers|sentencepiece|tiktoken)\b)/gu;

/* A sentence ends in plain words, and not after one letter, as in "z. B.". What Unicode lets it end with, an opening
   bracket or the space that a token begins with, belongs to the next one. */
function sentencesOf(runs, language) {
  const text = runs.map(([, words]) => words).join("");
  const plain = runs.flatMap(([kind, words]) => new Array(words.length).fill(!kind));
  const isNext = (at) => (plain[at] ? /[\p{Ps}\p{Pi}]/u : /\s/).test(text[at]);
  const endOf = (end) => (end < text.length && isNext(end - 1) ? endOf(end - 1) : end);
  const segments = [...new Intl.Segmenter(language, { granularity: "sentence" }).segment(text)].map(({ index, segment }) => endOf(index + segment.length));
  const ends = [...new Set([...segments, ...[...text.matchAll(BEFORE_NAMES)].map(({ index }) => index)])].sort((one, other) => one - other);
  const isPlain = (end) => plain[text.slice(0, end).trimEnd().length - 1];
  const cuts = ends.filter((end) => end === text.length || (isPlain(end) && !/(^|[\s(])\p{L}\.\s*$/u.test(text.slice(0, end))));
  return cuts.map((end, index) => cutRuns(runs, cuts[index - 1] ?? 0, end));
}

function pagesOf(words, language) {
  return words.flatMap((runs) => {
    const sentences = sentencesOf(runs, language);
    const pages = [];
    while (sentences.length) {
      const say = sentences.shift();
      const both = sentences.length && lengthOf(say) + lengthOf(sentences[0]) <= BOTH_FIT;
      pages.push({ say, why: both ? sentences.shift() : [] });
    }
    return pages;
  });
}

/* A token as a sentence and a picture write it: a space is a dot, a number has no separators. */
function plainName(text) {
  const name = text.trim().replace(/[▁\s]/gu, "·");
  return /^\d[\d,.\u202f·]*$/u.test(name) ? name.replace(/\D/g, "") : name;
}

/* The tokens and the numbers that runs name. */
function namesIn(runs) {
  return runs.flatMap(([kind, text]) => (kind === "code" ? [text] : text.match(/(?<![\p{L}\d])\d[\d,]*\d(?![\p{L}\d])/gu) ?? [])).map(plainName);
}

/* All numbers of a sentence, of one digit, too. */
function numbersIn(runs) {
  return runs.flatMap(([, text]) => text.match(/\d+(?:[.,/]\d+)*/gu) ?? []);
}

const NOT_THE_PICTURE = ".headline, .foot, .side, .sr, .say, .ribbon, .yet, .stepper:has(.of-words) .of-output small, style, script"; // nor ids that a count may equal
const MOST_RUNG = 4;
const SAME_THING = ".token, .pr-token, .chip, .sym, .joint, .arc, .wait, li, tr";

/* Between the middles of two nodes. */
function distance(one, other) {
  const [{ x, y, width, height }, to] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  return Math.hypot(x + width / 2 - to.x - to.width / 2, y + height / 2 - to.y - to.height / 2);
}

class Place {
  constructor(panel) {
    this.panel = panel;
    this.names = [];
    this.numbers = [];
    this.rung = [];
    this.show = debounce(() => this.draw(), 120);
    this.sizes = new ResizeObserver(() => this.show());
    this.changes = new MutationObserver(() => {
      for (const each of panel.children) this.sizes.observe(each);
      this.show();
    });
    this.changes.observe(panel, { childList: true, subtree: true });
    this.sizes.observe(panel);
    this.stops = [listenTo("explorer-moved", () => this.show()), listenTo("explorer-top", () => this.show())];
    this.touch = () => (this.touched = true);
    for (const type of ["wheel", "touchmove"]) panel.addEventListener(type, this.touch, { passive: true });
  }

  destroy() {
    for (const stop of this.stops) stop();
    for (const type of ["wheel", "touchmove"]) this.panel.removeEventListener(type, this.touch);
    this.show.cancel();
    this.changes.disconnect();
    this.sizes.disconnect();
    this.ring([]);
  }

  /* A new card is seen from its top. */
  begin() {
    this.panel.scrollTo(0, 0);
  }

  about(runs) {
    this.names = namesIn(runs);
    this.numbers = numbersIn(runs);
    this.touched = false;
    this.show();
  }

  /* The marks first, so that what the sentence names has the last word. Whoever scrolls the picture has it for this page. */
  draw() {
    const nodes = [...deepNodes(this.panel)];
    if (!this.touched) for (const node of nodes.filter((each) => each.matches(".stepper")).flatMap(marksOf)) reveal(node, this.panel);
    const named = [];
    this.vague = new Set();
    for (const name of this.names) named.push(...[this.find(nodes, name, named.at(-1))].filter(Boolean));
    if (!this.touched) for (const node of [...named].reverse()) reveal(node, this.panel);
    this.ring(named.length > MOST_RUNG ? [] : named.filter((node) => !this.vague.has(node))); // a list of many is seen without
  }

  ring(nodes) {
    for (const node of this.rung) node.removeAttribute("data-about");
    this.rung = nodes;
    for (const node of nodes) node.setAttribute("data-about", "");
  }

  /* A number that several rows have is of the row that has all numbers of the sentence. If none has, all are in question. */
  inRows(nodes, name) {
    const rows = new Set(nodes.map((node) => node.closest(".trow")).filter(Boolean));
    if (rows.size < 2 || !/^\d+$/u.test(name)) return nodes;
    const has = (row) => this.numbers.every((number) => [...row.children].some((cell) => cell.textContent === number));
    const sure = nodes.filter((node) => !rows.has(node.closest(".trow")) || has(node.closest(".trow")));
    if (sure.length) return sure;
    for (const node of nodes) this.vague.add(node);
    return nodes;
  }

  /* The smallest thing that is spelled so, one that is in view before others, of these the one nearest to what the sentence
     named before: in full, else without its space or sign in front. Of a prompt it is the framed one, or the last. */
  find(nodes, name, before) {
    const bare = (text) => text.replace(/^(·|##)/u, "");
    const seen = nodes.filter((node) => node.textContent.length <= name.length + 12 && node.checkVisibility() && node.getBoundingClientRect().width > 0 && !node.closest(NOT_THE_PICTURE));
    for (const same of [(text) => text === name, (text) => bare(name) && bare(text) === bare(name)]) {
      const alike = seen.filter((node) => same(plainName(node.textContent)));
      const smallest = alike.filter((node) => !alike.some((other) => other !== node && node.contains(other)));
      const whole = this.inRows(smallest.map((node) => node.closest(SAME_THING) ?? node), name);
      if (!whole.length) continue;
      const near = whole.filter((node) => isInView(node, this.panel));
      if (whole[0].closest(".le-prompt-rows")) return whole.find((node) => node.matches(".here")) ?? near.at(-1) ?? whole[0];
      // a letter that no merge ever takes is a token by itself
      const alone = before || nodes.some((node) => node.matches(".joint.newest")) ? [] : whole.filter((node) => node.matches(".leaf.alone"));
      if (alone.length) return alone.find((node) => near.includes(node)) ?? alone[0];
      if (before) near.sort((one, other) => distance(one, before) - distance(other, before));
      return near[0] ?? whole[0];
    }
    return null;
  }
}

/* Turns pages by a swipe, or a tap in the right or left third of the picture that means nothing else there. */
class Swipes {
  constructor(node, picture, turn) {
    this.stops = [["touchstart", (event) => this.start(event)], ["touchend", (event) => this.end(event, turn)], ["click", (event) => this.tap(event, picture, turn)]].map(([type, listener]) => {
      node.addEventListener(type, listener, { passive: true });
      return () => node.removeEventListener(type, listener);
    });
  }

  destroy() {
    for (const stop of this.stops) stop();
  }

  start(event) {
    const wide = (node) => node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX);
    const scrolls = event.composedPath().some((node) => node instanceof Element && wide(node));
    this.from = event.touches.length > 1 || scrolls || typingIn(event) ? null : event.touches[0];
  }

  end(event, turn) {
    const { from } = this;
    this.from = null;
    if (!from || event.touches.length) return;
    const [across, down] = [event.changedTouches[0].clientX - from.clientX, event.changedTouches[0].clientY - from.clientY];
    if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) turn(across < 0 ? 1 : -1);
  }

  tap(event, picture, turn) {
    const path = event.composedPath();
    if (!path.includes(picture) || path.some((node) => node.matches?.("button, a, input, textarea, select, label, summary, [role=button], .token, .means, .term"))) return;
    const { left, width } = picture.getBoundingClientRect();
    const share = (event.clientX - left) / width;
    if (share > 2 / 3) turn(1);
    else if (share < 1 / 3) turn(-1);
  }
}
