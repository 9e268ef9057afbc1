/* A sentence about the page's texts, and below it sentences about steps of a stepper, each with a button that goes there.
   The same `sentence_id` means the same data, which isn't drawn again. */

function stepLine({ parameter, step, say: { template, args, texts } }) {
  const go = () => window.dispatchEvent(new CustomEvent("explorer-step", { detail: { parameter, step } }));
  const button = make("button", { class: "link num", text: inWords("step {0}", formatNumber(step)), attrs: { type: "button" }, on: { click: go } });
  const words = make("span");
  fillSentence(words, template, args, texts, labelSet([]));
  return make("li", {}, button, words);
}

class Sentence {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("sentence");
  }

  update({ data: { sentence_id: id, say, quiet, steps, more } }) {
    applyTheme(this.root);
    if (id === this.id) return;
    this.id = id;
    if (more !== undefined) return this.head(say, more);
    const words = make("p", { class: quiet ? "say quiet" : "say" });
    fillSentence(words, say.template, say.args, say.texts, labelSet([]), new Set());
    this.root.replaceChildren(words, ...(steps.length ? [make("ol", { class: "say-steps" }, ...steps.map(stepLine))] : []));
  }

  /* The answer of a page: the same two nodes each time, so that a change is announced. */
  head(say, more) {
    if (!this.lines) {
      this.lines = [make("p", { class: "headline", attrs: { "aria-live": "polite" } }), make("p", { class: "more" })];
      this.root.replaceChildren(...this.lines);
      this.root.classList.add("headed");
    }
    [say, more].forEach((each, index) => {
      const line = this.lines[index];
      line.hidden = !each;
      if (each) fillSentence(line, each.template, each.args, each.texts, labelSet([]), index ? new Set() : null);
    });
  }
}

const sentences = mounts();

export default function (component) {
  sentences.get(component, () => new Sentence(component)).update(component);
  return () => sentences.drop(component.parentElement);
}
