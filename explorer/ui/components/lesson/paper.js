/* A part of a lesson on paper: its title, a card's words with the result that does not move, or a card's question. */

class Paper {
  constructor(root) {
    this.root = root;
    this.node = make("div", { class: "le-paper" });
    root.append(this.node);
  }

  destroy() {
    document.documentElement.removeAttribute("data-covered");
  }

  update({ data: { head, card, shown, question, task } }) {
    const parts = [];
    document.documentElement.dataset.covered = "tokens"; // a stepper at a question leaves the choices to the card
    if (head) parts.push(make("h1", { text: head.title }), make("p", { class: "le-about", text: head.about }));
    if (card) parts.push(make("h2", { text: card.title }), ...this.words(card.words), ...this.shown(shown));
    parts.push(...this.question(question), ...(task ? [make("p", { class: "le-prompt", text: task })] : []));
    this.node.replaceChildren(...parts);
  }

  words(words) {
    return words.map((runs) => make("p", {}, ...runs.map(([kind, text]) => (kind ? make(kind, { text, class: kind === "code" ? "q" : "" }) : text))));
  }

  /* The text in its tokens with their ids, the stages' results, the sentence of the step. */
  shown(shown) {
    if (!shown) return [];
    const parts = [];
    if (shown.pieces?.length) {
      parts.push(make("p", { class: "le-tokens" }, ...shown.pieces.map((piece) => {
        const chip = make("span", { class: "chip" }, make("b", { text: (piece.part ? piece.bytes ?? piece.t : piece.t).replaceAll(" ", "·") }), make("small", { class: "num", text: plainNumber(piece.id) }));
        tint(chip, piece.id);
        return chip;
      })));
    }
    if (shown.ribbon?.length) parts.push(make("p", { class: "le-results", text: shown.ribbon.map(([name, result]) => `${name}: ${result}`).join(" · ") }));
    if (shown.sentence) parts.push(make("blockquote", { text: shown.sentence }));
    for (const [name, count] of shown.rows ?? []) parts.push(make("p", { class: "le-results", text: `${name}: ${count}` }));
    return parts;
  }

  question(question) {
    if (!question) return [];
    const prompt = make("p", { class: "le-prompt" });
    fillSentence(prompt, question.prompt.template, question.prompt.args, question.prompt.texts, labelSet([]));
    const choices = question.choices.map((choice) => {
      const row = make("li");
      fillSentence(row, choice.say.template, choice.say.args, choice.say.texts, labelSet([]));
      if (choice.note) row.append(` (${choice.note})`);
      return row;
    });
    return [prompt, make("ol", { class: "le-paper-choices" }, ...choices)];
  }
}

/* The result of a quiz, of one reader or a class: a row for each question. */
class Result {
  constructor(root) {
    this.node = make("div", { class: "le-result" });
    root.append(this.node);
  }

  destroy() {}

  update({ data }) {
    const rows = data.rows.map(({ cells, isRight }) => make("tr", { class: isRight ? "right" : "wrong" }, ...cells.map((text, column) => make("td", { text, class: column ? "" : "num" }))));
    const heads = data.heads.map((text) => (text ? make("th", { text, attrs: { scope: "col" } }) : make("td")));
    this.node.replaceChildren(make("p", { class: "le-score", text: data.say }), make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  }
}
