/* Predict: before every landmark (a merge, a match) the stepper stops and asks what comes next. With a queue, the pairs
   stand in the order of the text, each with a letter; a letter answers, Space shows. Remembered by the browser. */

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

class Prediction {
  constructor(stepper) {
    this.stepper = stepper;
    this.on = remembered("explorer-predict") === "on";
    this.step = null; // the landmark that is asked for
    this.said = "";
  }

  toggle() {
    this.on = !this.on;
    remember("explorer-predict", this.on ? "on" : "off");
    this.step = null;
    this.stepper.moved = true;
    this.stepper.request();
  }

  /* Where a move may lead: the step before the next landmark, as long as that has not been shown. */
  limit(from, to) {
    if (!this.on || to <= from) {
      this.step = null;
      return to;
    }
    if (this.step !== null && from === this.step - 1) {
      this.step = null; // asked and now shown
      return from + 1;
    }
    const next = this.stepper.player.nextLandmark(from);
    if (next === null || next > to) return to;
    this.step = next;
    this.said = "";
    return next - 1;
  }

  /* The queue track and the row that comes next, if the stepper has a queue. */
  get winner() {
    const { player } = this.stepper;
    const queue = player.tracks.find(({ type }) => type === "queue");
    return queue ? player.deletedAt(this.step, queue.index)[0]?.[1] : undefined;
  }

  /* [serial, row] of the pairs that wait, in the order of the text. */
  get pairs() {
    const queue = this.stepper.player.tracks.find(({ type }) => type === "queue");
    return [...(queue?.rows ?? [])].filter(([, row]) => !row[6]).sort(([, a], [, b]) => a[4] - b[4]).slice(0, LETTERS.length);
  }

  /* True when the key was an answer. */
  answer(key) {
    if (this.step === null || this.winner === undefined) return false;
    const row = this.pairs[LETTERS.indexOf(key.toUpperCase())]?.[1];
    if (key.length !== 1 || !row) return false;
    const right = row[4] === this.winner[4] && row[5] === this.winner[5];
    const { texts } = this.stepper;
    if (right) this.stepper.move(1);
    else {
      const best = this.winner;
      this.said = row[2] === best[2] ? `${texts[row[0]]} has the same score, and the left one goes first.` : `${texts[row[0]]} has ${texts[row[2]]}. Another pair comes before it.`;
      this.stepper.request();
    }
    return true;
  }

  get question() {
    return this.winner === undefined ? "What happens next?" : "Which pair is joined next?";
  }

  get hint() {
    if (this.said) return this.said;
    return this.winner === undefined ? "Space shows it." : "Answer with a letter. Space shows it.";
  }
}
