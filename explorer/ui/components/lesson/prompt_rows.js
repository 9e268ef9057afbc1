/* What a model reads of messages: a row for each, tokens in the color of who wrote them, and what was found. */

class PromptRows {
  constructor(root) {
    this.node = make("div", { class: "le-prompt-rows" });
    root.append(this.node);
  }

  destroy() {}

  update({ data: { rows, count, findings, chosen, labels, phrases } }) {
    const drawn = rows.map(([label, cells]) => make("li", {},
      make("b", { class: `le-role ${roleClass(label)}`, text: labels[label] }),
      make("div", { class: "le-cells" }, ...cells.map((cell) => this.token(cell, chosen))),
      make("span", { class: "num", text: plainNumber(cells.length) })));
    const found = findings.map((say) => {
      const node = make("p", { class: "le-found" });
      fillSentence(node, say[0], say[1], say[2]);
      return node;
    });
    this.node.replaceChildren(make("p", { class: "num le-sum", text: fillPhrase(phrases.tokens, plainNumber(count)) }), make("ol", {}, ...drawn), ...found);
  }

  token(cell, chosen) {
    const node = tokenNode(cell);
    node.disabled = true;
    setClass(node, "here", cell.n + 1 === chosen);
    return node;
  }
}
