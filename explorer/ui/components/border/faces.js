/* What is drawn of a cut: under one tokenizer the tokens of the whole text and of both parts, under several a row each.

   all                  how many can keep the ids
   draw(picture)        what stays while the mark moves
   show(border)         one cut
   bothIds()            the ids of both parts, as text                                                               */

class OneTokenizer {
  constructor(view) {
    this.view = view;
    this.all = 1;
    this.parts = [inWords("The whole"), inWords("Left"), inWords("Right")].map((name) => {
      const count = make("small", { class: "num" });
      const chips = make("div", { class: "bd-chips" });
      return { count, chips, node: make("section", {}, make("h2", {}, name, " ", count), chips) };
    });
    view.phone.append(...this.parts.map(({ node }) => node));
    this.says = [inWords("Why"), inWords("The last cut that holds"), inWords("If you send it as it is")].map((name) => {
      const say = make("p", {});
      return { say, node: make("section", {}, make("h2", { text: name }), say) };
    });
    view.columns.append(...this.says.map(({ node }) => node));
    view.legend.append(make("i", { class: "keeps" }), inWords("keeps the ids"), make("i", { class: "changes" }), inWords("changes them"));
  }

  draw(picture) {
    this.picture = picture;
    this.view.scale.draw(picture, [inWords("The whole"), inWords("Cut here")], this.all);
  }

  show(border) {
    const { view, picture } = this;
    const { headline, across, why, healing, sent } = border.says;
    view.headline(headline);
    view.fill(view.across, across);
    const sentences = [why, healing, sent];
    this.says.forEach(({ say }, index) => view.fill(say, sentences[index]));
    if (border.examples.length) {
      const chips = border.examples.flatMap((text) => [" ", make("code", { class: "q", text })]);
      this.says[1].say.append(" ", ...aroundNode(inWords("Such as{0}."), chips).flat());
    }
    if (border.space) {
      this.says[2].say.append(" ", make("button", { class: "link", text: inWords("Leave out the space"), attrs: { type: "button" }, on: { click: () => view.go(view.at - 1) } }));
    }
    const [left, right] = border.counts;
    view.scale.fill(0, picture.whole, counted(picture.tokens, "token", "tokens"), border.across);
    view.scale.fill(1, border.cells.flat(), inWords("{0} + {1} tokens", formatNumber(left), formatNumber(right)));
    const rows = [picture.whole, ...border.cells];
    const counts = [picture.tokens, left, right];
    this.parts.forEach(({ count, chips }, index) => {
      setText(count, counted(counts[index], "token", "tokens"));
      chips.replaceChildren(...view.chips(rows[index], index ? [] : border.across));
    });
  }

  bothIds() {
    const border = this.picture.borders[this.view.at];
    const { ids } = this.picture;
    if (!border) return "";
    const [before, after] = border.kept;
    return `${JSON.stringify([...ids.slice(0, before), ...border.left])}\n${JSON.stringify([...border.right, ...ids.slice(ids.length - after)])}`;
  }
}

class SeveralTokenizers {
  constructor(view) {
    this.view = view;
    view.copy.hidden = true;
    view.panel.classList.add("several");
    for (const [name, value] of Object.entries({ tabindex: "0", role: "group", "aria-label": "Each tokenizer" })) view.columns.setAttribute(name, value);
    view.legend.append(make("i", { class: "keeps" }), inWords("all keep their ids"), make("i", { class: "some" }), inWords("some do"), make("i", { class: "changes" }), inWords("none does"));
  }

  draw(picture) {
    this.picture = picture;
    this.all = picture.rows.length;
    this.view.scale.draw(picture, picture.rows.map(({ name }) => name), this.all);
    this.lists = picture.rows.map(({ name }) => {
      const [across, healing, count] = [make("p", {}), make("p", {}), make("small", { class: "num" })];
      const chips = make("div", { class: "bd-chips" });
      const row = make("section", { class: "bd-one" }, make("h2", { text: name }), across, healing);
      const part = make("section", {}, make("h2", {}, name, " ", count), chips);
      return { across, healing, count, chips, row, part };
    });
    const heads = ["", inWords("Across the cut"), inWords("The last cut that holds")].map((text) => make("span", { text }));
    this.view.columns.replaceChildren(make("div", { class: "bd-one bd-heads", attrs: { "aria-hidden": "true" } }, ...heads), ...this.lists.map(({ row }) => row));
    const [line, tip] = this.view.phone.children;
    this.view.phone.replaceChildren(line, tip, ...this.lists.map(({ part }) => part));
  }

  show(border) {
    const { view, picture } = this;
    view.headline(border.say);
    setText(view.across, "");
    border.rows.forEach(({ keeps, counts, across, cut, says }, index) => {
      const { tokens, whole } = picture.rows[index];
      const parts = `${formatNumber(counts[0])} + ${formatNumber(counts[1])}`;
      const note = keeps ? `${counted(tokens, "token", "tokens")}, ${parts}` : inWords("{0} → {1} tokens", formatNumber(tokens), parts);
      view.scale.fill(index, whole, note, across, cut < view.at ? cut : null);
      const list = this.lists[index];
      setText(list.count, note);
      list.chips.replaceChildren(...view.chips(whole, across));
      view.fill(list.across, says.across);
      view.fill(list.healing, says.healing);
      setClass(list.row, "keeps", keeps);
    });
  }

  bothIds() {
    return "";
  }
}
