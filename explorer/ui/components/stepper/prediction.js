/* Predict: before every landmark (a merge, a match) the stepper stops and asks what comes next. With a queue, the pairs
   stand in the order of the text, each with a letter, there and on the text; on the board of a training its pairs stand
   in the order of the alphabet. A letter or a click answers, Space shows.
   Remembered by the browser. */

/* Without those that are keys on a page with steps (views/keys.py), such as A for another question. */
const ANSWER_LETTERS = "CEGIJKLMQTUVXYZ";

/* A click on what has a letter is the answer. */
function answerUnder(event, stepper) {
  const letter = event.target.closest("[data-answer]")?.dataset.answer;
  return Boolean(letter) && stepper.prediction.answer(letter);
}

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

  /* Hides what comes next until the next move, whether or not predicting is on. */
  cover(covered) {
    const { player, wanted } = this.stepper;
    this.step = covered ? player.nextLandmark(wanted) : null;
    this.said = "";
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

  get kind() {
    return this.stepper.player.kindAt(this.step);
  }

  /* Whether a pair of the queue is asked for. */
  get asksForPair() {
    return this.step !== null && this.winner !== undefined;
  }

  /* The queue track and the row that comes next, if the stepper has a queue. */
  get winner() {
    const { player } = this.stepper;
    const queue = player.tracks.find(({ type }) => type === "queue");
    return queue ? player.deletedAt(this.step, queue.index)[0]?.[1] : undefined;
  }

  /* [serial, row] of the pairs that wait, in the order of the text; the best ones, if there are more than letters. */
  get pairs() {
    const queue = this.stepper.player.tracks.find(({ type }) => type === "queue");
    const waiting = [...(queue?.rows ?? [])].filter(([, row]) => !row[6]);
    const best = waiting.sort(([one, a], [other, b]) => a[1] - b[1] || one - other).slice(0, ANSWER_LETTERS.length);
    return best.sort(([, a], [, b]) => a[4] - b[4]);
  }

  /* The lines of a training's board that may be the answer: pairs, of which one has the focus. */
  get lines() {
    const { onBoard, player, texts } = this.stepper;
    const ranking = onBoard && player.tracks.find(({ type, name }) => type === "board" && name === "ranking");
    const bars = ranking ? [...ranking.rows.values()].filter(([kind]) => kind === BOARD_BAR) : [];
    return bars.some(([, , , , look]) => look === 1) ? bars.sort(([, a], [, b]) => (texts[a] < texts[b] ? -1 : 1)) : [];
  }

  /* serial → letter, while a pair is asked for. No letters where a card asks: it has the choices. */
  get letters() {
    return new Map(this.asksForPair ? this.pairs.map(([serial], place) => [serial, this.stepper.locked ? "" : ANSWER_LETTERS[place]]) : []);
  }

  /* True when the key was an answer. */
  answer(key) {
    if (this.step === null || this.stepper.locked || key.length !== 1) return false;
    const place = ANSWER_LETTERS.indexOf(key.toUpperCase());
    if (this.winner === undefined) return this.answerLine(this.lines[place]);
    const row = this.pairs[place]?.[1];
    if (!row) return false;
    const right = row[4] === this.winner[4] && row[5] === this.winner[5];
    const { texts } = this.stepper;
    if (right) this.stepper.move(1);
    else {
      const best = this.winner;
      this.said = row[2] === best[2] ? inWords("{0} has the same score, and the left one goes first.", texts[row[0]]) : inWords("{0} has {1}. Another pair comes before it.", texts[row[0]], texts[row[2]]);
      this.stepper.request();
    }
    return true;
  }

  /* On a board. The value of the pair that is right is told once it is shown. */
  answerLine(line) {
    if (!line) return false;
    const { texts } = this.stepper;
    const [, label, value, , look] = line;
    const best = this.lines.find((each) => each[4] === 1);
    if (look === 1) this.stepper.move(1);
    else {
      const equal = texts[value] === texts[best[2]];
      this.said = inWords(equal ? "{0}: {1}, as many as the next one, and the tie rule prefers another." : "{0}: {1}, and another pair has more.", texts[label], texts[value]);
      this.stepper.request();
    }
    return true;
  }

  get question() {
    return this.winner === undefined && !this.lines.length ? inWords("What happens next?") : inWords("Which pair is joined next?");
  }

  get hint() {
    if (this.said) return this.said;
    if (this.stepper.locked) return inWords("The card has the choices.");
    if (this.lines.length) return inWords("Click a pair, or type its letter. Space shows it.");
    return inWords(this.winner === undefined ? "Space shows it." : "Answer with a letter. Space shows it.");
  }
}
