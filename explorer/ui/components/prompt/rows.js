/* The view Prompt: a row for each message. */

STAGES.prompt = class {
  constructor(frame) {
    this.list = make("div", { class: "pr-rows" });
    frame.body.append(this.list);
  }

  draw({ tokens, stage, fault }, frame) {
    const first = stage.warnings[0];
    frame.headline(first ? { pill: "warning", tone: "warning", say: first.say, reason: first.reason } : { say: [fault ? "{0:t}" : "The model reads this.", [0], [fault?.say ?? ""]] });
    this.list.replaceChildren(...tokens.map(tokenNode));
    setText(frame.count, `${formatNumber(tokens.length)} tokens`);
  }
};
