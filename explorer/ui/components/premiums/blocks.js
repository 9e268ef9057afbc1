/* The chosen language as blocks of tokens: the base first, then the tokenizers that make the most and the fewest of it.

   new Blocks(choose)           choose(language) is called for the language picked from the list
   .node                        update(picture, language) */

const MOST_BLOCKS = 700; // more are drawn as blocks of several tokens
const LARGE = { block: 8, apart: 11, most: 200 }; // pixels; for rows of at most so many blocks
const SMALL = { block: 6, apart: 7.5 };

class Blocks {
  constructor(choose) {
    this.list = make("select", { attrs: { "aria-label": "Language" } });
    this.list.addEventListener("change", () => choose(Number(this.list.value)));
    this.title = make("span", { class: "pr-title" });
    this.link = make("a", { class: "pr-open", text: inWords("Open in Compare"), attrs: { target: "_self" } });
    this.text = make("p", { class: "pr-text", dir: "auto" });
    this.whole = make("button", { class: "link pr-whole", attrs: { type: "button" }, on: { click: () => this.unfold(!this.unfolded) } });
    this.translation = make("p", { class: "pr-translation" });
    this.counts = make("div", { class: "pr-counts" });
    this.watched = new ResizeObserver(([{ contentRect }]) => {
      if (Math.round(contentRect.width) === this.width) return;
      this.width = Math.round(contentRect.width);
      if (this.picture) this.update(this.picture, this.language);
    });
    this.watched.observe(this.counts);
    this.node = make("div", { class: "pr-side" }, make("div", { class: "pr-side-head" }, this.list, this.title, this.whole, this.link), this.text, this.translation, this.counts);
  }

  destroy() {
    this.watched.disconnect();
  }

  update(picture, language) {
    this.language = language;
    const { languages, base, texts, link, title } = picture;
    if (this.picture !== picture) {
      this.picture = picture;
      const named = languages.map((name, number) => [name, number]).sort(([a], [b]) => a.localeCompare(b));
      this.list.replaceChildren(...named.filter(([, number]) => number !== base).map(([name, number]) => make("option", { text: name, attrs: { value: number } })));
    }
    this.list.value = String(language);
    setText(this.title, title);
    setText(this.text, texts[language]);
    setText(this.translation, texts[base]);
    this.text.hidden = !texts[language];
    this.translation.hidden = !texts[base];
    this.unfold(Boolean(this.unfolded));
    this.link.hidden = !link || !texts[language];
    if (link) this.link.href = `${link}&text=${encodeURIComponent(texts[language])}`;
    const shown = shownRows(picture.rows, language, base);
    const most = Math.max(...shown.map((row) => row.blocks[language][0]), 1);
    const each = Math.ceil(most / MOST_BLOCKS);
    this.size = most > LARGE.most ? SMALL : LARGE;
    const dearest = shown[0];
    this.counts.replaceChildren(
      ...(dearest ? [this.count(dearest.blocks[base][0], `${languages[base]}, ${dearest.name}`, "pr-base", each)] : []),
      ...shown.map((row) => {
        const [tokens] = row.blocks[language];
        return this.count(tokens, row.name, row.read[language] ? "" : "pr-unread", each, row.read[language] ? "" : lostWords(row.blocks[language]));
      }),
      ...(each > 1 ? [make("p", { class: "pr-translation", text: inWords("A block is {0} tokens.", each) })] : []),
    );
  }

  /* A text that goes on after its first lines has a button that shows all of it. */
  unfold(open) {
    this.unfolded = open;
    setClass(this.node, "whole", open);
    this.whole.hidden = !open && ![this.text, this.translation].some((node) => node.scrollHeight > node.clientHeight + 1);
    setText(this.whole, inWords(open ? "Less text" : "Whole text"));
  }

  count(tokens, name, kind, each, note = "") {
    const line = make("p", {}, make("b", { text: formatNumber(tokens) }), ` ${name}`, ...(note ? [" ", make("span", { class: "pr-gone", text: note })] : []));
    const { block, apart } = this.size;
    const across = Math.max(1, Math.floor(((this.width || 340) + apart - block) / apart));
    const blocks = Array.from({ length: Math.ceil(tokens / each) }, (_, at) => `M${(at % across) * apart} ${Math.floor(at / across) * apart}h${block}v${block}h-${block}z`);
    const drawing = drawn("svg", { height: apart * Math.ceil(blocks.length / across), class: `pr-blocks ${kind}`, "aria-hidden": "true" });
    drawing.append(drawn("path", { d: blocks.join("") }));
    return make("div", {}, line, drawing);
  }
}

const lostWords = ([, lost]) => inWords("{0} % unknown: the text is lost", Math.round(lost * 100));

/* Of the tokenizers that read the language, the two that make the most tokens of it and the two that make the fewest,
   without repeating a count; and one that loses it. */
function shownRows(rows, language) {
  const read = rows.filter((row) => row.read[language]).sort((a, b) => b.blocks[language][0] - a.blocks[language][0]);
  const apart = read.filter((row, number) => number === 0 || row.blocks[language][0] !== read[number - 1].blocks[language][0]);
  const ends = apart.length > 4 ? [...apart.slice(0, 2), ...apart.slice(-2)] : apart;
  return [...ends, ...rows.filter((row) => !row.read[language]).slice(0, 1)];
}
