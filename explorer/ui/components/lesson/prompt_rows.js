/* What a model reads of messages: a row for each, tokens in the color of who wrote them, and what was found. Of a request
   that several servers get, its JSON, and a row for the servers that make the same prompt of it, with the first token
   that differs from the first row's framed. */

class PromptRows {
  constructor(root) {
    this.node = make("div", { class: "le-prompt-rows" });
    root.append(this.node);
  }

  destroy() {}

  /* The number of the first token of a row that the first row doesn't have there; of the first row none. */
  firstOther(rows, at) {
    const [[, first], [, cells]] = [rows[0], rows[at]];
    return cells.findIndex(({ id }, index) => id !== first[index]?.id) + 1;
  }

  update({ data: { rows, count, counts, request, findings, chosen, labels, phrases } }) {
    const framed = (at) => (counts === "prompts" ? this.firstOther(rows, at) : chosen);
    const drawn = rows.map(([label, cells], at) => make("li", {},
      make("b", { class: `le-role ${roleClass(label)}`, text: labels[label] }),
      make("div", { class: "le-cells" }, ...cells.map((cell) => this.token(cell, framed(at)))),
      make("span", { class: "num", text: plainNumber(cells.length) })));
    const found = findings.map((say) => {
      const node = make("p", { class: "le-found" });
      fillSentence(node, say[0], say[1], say[2]);
      return node;
    });
    const sent = request ? [make("pre", { class: "le-request", text: request, attrs: { tabindex: "0", role: "group", "aria-label": inWords("The request"), dir: "ltr" } })] : [];
    this.node.replaceChildren(...sent, make("p", { class: "num le-sum", text: fillPhrase(phrases[counts], plainNumber(count)) }), make("ol", {}, ...drawn), ...found);
  }

  token(cell, chosen) {
    const node = tokenNode(cell);
    node.disabled = true;
    setClass(node, "here", cell.n + 1 === chosen);
    return node;
  }
}
