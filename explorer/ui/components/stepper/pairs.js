/* The pairs that wait, in the order they will be taken, with what each one makes and from what. The pair that was taken
   by the step just done stands on top. Reads the rows of a queue track (queue.js) and the cells of the strip. */

const PAIRS_DRAWN = 60;

class Pairs extends Panel {
  constructor(view, track) {
    super(view, track.title);
    this.track = track;
    this.order = new KeyOrder((row) => row[1]);
    this.strip = view.player.tracks.find(({ type }) => type === "strip");
    const heads = ["", "Makes", "From", track.measure, ""].map((text) => make("span", { text: inWords(text) }));
    this.waiting = heads.at(-1);
    this.list = make("ol", { class: "pairs" });
    this.names = make("div", { class: "names", attrs: { "aria-hidden": "true" } }, ...heads);
    this.body.append(this.names, this.list);
    this.head.hidden = true;
    this.list.addEventListener("click", (event) => answerUnder(event, view));
    this.lines = [];
  }

  line(index) {
    if (!this.lines[index]) {
      const parts = ["rank", "text", "from", "value", "note"].map((name) => make(name === "text" ? "bdi" : "span", { class: name }));
      const node = make("li", {}, ...parts);
      this.lines[index] = { node, rank: parts[0], text: parts[1], from: parts[2], value: parts[3], note: parts[4] };
      this.list.append(node);
    }
    return this.lines[index];
  }

  render(frame) {
    const keys = this.order.sync(this.track);
    const { prediction } = this.view;
    if (prediction.step !== null) {
      const { letters } = prediction;
      prediction.pairs.forEach(([serial, row], place) => this.show(this.line(place), letters.get(serial) ?? "", serial, row, ""));
      for (let left = prediction.pairs.length; left < this.lines.length; left += 1) this.lines[left].node.hidden = true;
      return setText(this.waiting, inWords("in text order"));
    }
    const taken = this.view.player.deletedAt(frame.step, this.track.index);
    let index = 0;
    for (const [serial, row] of taken) this.show(this.line(index++), "now", serial, row, inWords(row[6] ? "out of date" : "joined"));
    keys.slice(0, PAIRS_DRAWN).forEach((key, place) => {
      const row = this.track.rows.get(key);
      this.show(this.line(index++), String(place + 1), key, row, row[6] ? this.reason(key, row) : place === 0 ? inWords("next") : "");
    });
    for (let left = index; left < this.lines.length; left += 1) this.lines[left].node.hidden = true;
    let live = 0;
    for (const row of this.track.rows.values()) live += row[6] ? 0 : 1;
    const more = keys.length > PAIRS_DRAWN ? `${inWords(", ")}${inWords("{0} shown", PAIRS_DRAWN)}` : "";
    setText(this.waiting, `${counted(live, "pair waits", "pairs wait")}${more}`);
    setClass(this.body, "nothing", keys.length === 0 && taken.length === 0);
  }

  show(line, rank, serial, row, note) {
    const { texts, labels, prediction } = this.view;
    const asked = prediction.step !== null && rank !== "";
    setClass(line.rank, "answer-letter", asked);
    if (asked) line.node.dataset.answer = rank;
    else delete line.node.dataset.answer;
    line.node.hidden = false;
    setText(line.rank, inWords(rank));
    showText(line.text, texts, row[0], labels);
    setText(line.from, this.sides(serial).join(" + "));
    this.view.showNumber(line.value, row[2]);
    setText(line.note, note);
    setClass(line.node, "now", rank === "now");
    setClass(line.node, "stale", row[6]);
  }

  /* The texts of both symbols when the pair was offered. */
  sides(serial) {
    return (this.view.merges?.sides.get(serial) ?? []).map((text) => this.view.texts[text] ?? "");
  }

  /* Why an entry is out of date: one of its symbols has been joined with another one since. */
  reason(serial, [, , , , first, second]) {
    const [left, right] = this.sides(serial);
    const base = this.view.merges?.base.get(serial);
    if (base === undefined) return inWords("out of date");
    if (this.strip.rows.get(base + second)?.[0] === 0) return inWords("out of date: {0} is gone", right);
    if (this.strip.rows.get(base + first)?.[0] === 0) return inWords("out of date: {0} is gone", left);
    return inWords("out of date: {0} has grown", right);
  }
}
