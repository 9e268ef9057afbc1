/* Which tokens follow one in a text: the text with the token marked, and a bar for each follower. */

class Next {
  constructor(root) {
    this.node = make("div", { class: "le-next-tokens" });
    root.append(this.node);
  }

  destroy() {}

  update({ data: { text, after, total, rows, phrases } }) {
    const chip = (words, id) => {
      const node = make("bdi", { class: "chip", text: words });
      if (id !== undefined) tint(node, id);
      return node;
    };
    const say = make("h2", {}, ...aroundNode(fillPhrase(phrases.follows, "{0}", total), chip(after)));
    const shares = rows.map(([id, words, count]) => {
      const bar = make("span", { class: "le-share" });
      bar.style.setProperty("--share", `${(100 * count) / rows[0][2]}%`);
      return make("li", {}, chip(words, id), make("small", { class: "num", text: plainNumber(id) }), bar, make("span", { class: "num", text: fillPhrase(phrases.share, count, total) }), make("b", { class: "num", text: `${Math.round((100 * count) / total)} %` }));
    });
    const parts = text.split(after.replace("·", " "));
    const marked = parts.flatMap((part, index) => (index ? [make("mark", { text: after.replace("·", " ") }), part] : [part]));
    this.node.replaceChildren(say, make("ol", {}, ...shares), make("p", { class: "le-source" }, ...marked));
  }
}
