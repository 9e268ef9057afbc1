/* The sentence of the chosen language, the dots and the blocks, kept together. */

class PremiumsView {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    const choose = (language, moves) => this.choose(language, moves);
    this.sentence = make("p", { class: "pr-say", attrs: { "aria-live": "polite" } });
    this.about = make("p", { class: "pr-about" });
    this.dots = new Dots(choose);
    this.blocks = new Blocks(choose);
    this.legend = make("p", { class: "pr-legend" });
    const left = make("div", { class: "pr-left" }, this.dots.node, this.legend);
    const head = make("div", { class: "pr-head" }, this.about, this.share(), pictureButton(this.root, () => this.card()));
    this.root.append(this.sentence, head, make("div", { class: "pr-card" }, left, this.blocks.node));
    this.stopFollowing = onAddress(() => this.follow());
  }

  share() {
    const link = toClipboard(() => window.location.href);
    return doingButton("Share", link, "Link copied", { class: "picture-button", attrs: { type: "button", title: "Copy the link to this" } });
  }

  destroy(stays) {
    this.dots.destroy();
    this.blocks.destroy();
    this.stopFollowing();
    if (!stays) writeAddress({ picked: null });
  }

  update({ data }) {
    applyTheme(this.root);
    if (this.contentId === data.content_id) return;
    this.contentId = data.content_id;
    this.picture = data.picture;
    const { keys, left_out: leftOut } = this.picture;
    setText(this.about, `${inWords("A dot is a language; the further right, the more its readers pay. The bar is the language in the middle.")}${leftOut}`);
    const lost = this.picture.rows.some((row) => row.read.includes(false));
    this.legend.replaceChildren(
      key("pr-dot", inWords("a language")), key("pr-here", inWords("the one chosen; click another")),
      ...(lost ? [key("pr-lost", inWords("over {0} % of its tokens are unknown: not cheap, lost", Math.round(this.picture.lost_from * 100)))] : []),
    );
    const linked = keys.indexOf(linkedLanguage());
    this.show(linked >= 0 && linked !== this.picture.base ? linked : this.picture.chosen);
  }

  follow() {
    const linked = this.picture?.keys.indexOf(linkedLanguage()) ?? -1;
    this.show(linked >= 0 ? linked : this.picture.chosen);
  }

  /* moves: Back returns to the language before; the arrow keys would fill the history. */
  choose(language, moves = true) {
    writeAddress({ picked: language === this.picture.chosen ? null : this.picture.keys[language] }, moves);
    this.show(language);
  }

  show(language) {
    this.dots.update(this.picture, language);
    this.blocks.update(this.picture, language);
    const { template, values } = this.said(language);
    fillSentence(this.sentence, template, values.map((_, index) => index), values, null);
    this.dots.svg.setAttribute("aria-label", this.sentence.textContent);
    this.dots.node.setAttribute("aria-label", inWords("Languages: left and right arrow keys choose another"));
  }

  /* The chosen language in blocks, after the one that it is compared with. */
  card() {
    const { rows, languages, base, title, texts } = this.picture;
    const { language } = this.blocks;
    const shown = shownRows(rows, language);
    const row = (label, [count], look, note = "") => ({ label, value: formatNumber(count), blocks: { count, look, note } });
    const first = shown.slice(0, 1).map((each) => row(languages[base], each.blocks[base], "base", each.name));
    const sample = texts[language] ? `${title}: ${texts[language]}` : title;
    return { say: this.sentence.textContent, facts: sample, rows: [...first, ...shown.map((each) => (each.read[language] ? row(each.name, each.blocks[language], "") : row(each.name, each.blocks[language], "lost", lostWords(each.blocks[language]))))] };
  }

  /* The tokenizer in the last row that reads the language, and the one that makes the fewest tokens of it. */
  said(language) {
    const { rows, words, languages, base } = this.picture;
    const read = rows.filter((row) => row.read[language]);
    if (!read.length) return { template: inWords(words.none), values: [languages[language]] };
    const dear = read.at(-1);
    const cheap = read.reduce((best, row) => (row.premiums[language] < best.premiums[language] ? row : best));
    const values = [languages[language], multiple(dear.premiums[language]), languages[base], dear.name];
    if (cheap === dear) return { template: inWords(words.one), values };
    return { template: inWords(words.two), values: [...values, multiple(cheap.premiums[language]), cheap.name] };
  }
}

/* Older links have it in the parameter that names the page's language now. */
function linkedLanguage() {
  return address("picked") ?? address("lang");
}

function key(kind, text) {
  const sign = drawn("svg", { width: 14, height: 14, "aria-hidden": "true" });
  sign.append(drawn("circle", { cx: 7, cy: 7, r: kind === "pr-here" ? 6 : 5, class: kind }));
  return make("span", {}, sign, text);
}

const premiumViews = mounts();

export default function (component) {
  premiumViews.get(component, () => new PremiumsView(component)).update(component);
  return () => premiumViews.drop(component.parentElement);
}
