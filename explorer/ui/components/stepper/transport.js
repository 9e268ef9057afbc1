/* Buttons, the timeline with its scrub bar and its phases, and the step's sentence. */

/* A sentence's type in the panel of fixed height against the one it is measured in, and a margin for the estimate. */
const SAY_TYPE = (21 / 15) * 1.04;
const WHY_TYPE = (15.5 / 13.5) * 1.04;
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11.5 3v10L4.5 8z",
  play: "M4 2.5v11L13 8z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4.5 3v10l7-5z",
  landmark: "M1.5 3v10l6-5zM7.5 3v10l6-5zM13.5 3h1.5v10h-1.5z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

/* The color of a tone in this theme. Read once: reading a style lays out the page. */
const toneColors = new Map();

function toneColor(root, tone) {
  const name = `${root.dataset.theme} ${tone}`;
  if (!toneColors.has(name)) toneColors.set(name, getComputedStyle(root).getPropertyValue(`--k-${tone}`).trim() || "gray");
  return toneColors.get(name);
}

class Transport {
  constructor(view) {
    this.view = view;
    const { script, player } = view;
    this.first = this.button("first", inWords("First step"), "wide", () => view.go(0));
    this.back = this.button("back", inWords("Back one step"), "", () => view.move(-1));
    this.play = this.button("play", inWords("Play"), "main", () => view.togglePlay());
    this.playIcon = this.play.firstChild;
    this.playWord = make("span", { class: "wide", text: inWords("Play") });
    this.play.append(this.playWord);
    this.next = this.button("next", inWords("Forward one step"), "", () => view.move(1));
    const onward = inWords("Next {0}", script.landmark);
    this.landmark = this.button("landmark", onward, "", () => view.moveToLandmark(1));
    this.landmark.append(make("span", { class: "wide", text: onward }));
    this.landmark.hidden = player.landmarks.length === 0;
    this.stepNumber = make("b");
    // Where a move passes steps, what it stops at is counted.
    this.ofLandmarks = view.stops !== null && player.landmarks.length > 0;
    this.noun = this.ofLandmarks ? (view.onBoard ? inWords("decision") : script.landmark.replace(/^./, (first) => first.toUpperCase())) : inWords("Step");
    this.whole = this.ofLandmarks ? player.landmarks.length : player.last;
    this.places = view.onBoard ? player.landmarks.length : view.placeOf(player.last);
    this.total = make("span", { class: "total", text: ` ${inWords("of {0}", formatNumber(this.whole))}` });
    this.count = make("div", { class: "count num" }, make("span", {}, `${this.noun} `, this.stepNumber), this.total);
    this.tokens = make("span", { class: "all-tokens num", attrs: { "aria-hidden": "true" } });
    this.stopCounting = listenTo("explorer-top", () => this.countTokens());
    this.countTokens();
    this.first.hidden = view.onBoard;
    this.landmark.hidden ||= view.onBoard;
    this.result = this.makeResult();
    this.buttons = make("div", { class: "buttons", attrs: { role: "toolbar", "aria-label": "Player" } },
      this.first, this.back, this.play, this.next, this.landmark,
      this.makePredict());
    this.scrub = this.timeline();
    this.narration = this.makeNarration();
    this.sentences = this.measure();
    this.roomObserver = new ResizeObserver(([entry]) => this.takeRoom(entry.contentRect.width));
    this.roomObserver.observe(this.words);
  }

  /* On a phone the tokens above may be out of view: their number stays, beside the step. */
  countTokens() {
    const { tokens, outside: [before, after] } = window.explorerTop ?? { tokens: [], outside: [0, 0] };
    const count = before + tokens.length + after;
    const isExplore = document.querySelector(".st-key-overview") !== null && !this.view.side;
    setText(this.tokens, isExplore && count ? counted(count, "token", "tokens") : "");
  }

  /* Beside a board: what came of the training. */
  makeResult() {
    const said = make("p", { class: "result" });
    const { board } = this.view;
    if (board) fillSentence(said, board.template, board.args, board.texts, null);
    said.hidden = !board;
    return said;
  }

  /* What is counted: on a board the decision that the step belongs to, at Story the merge; 0 before the first. */
  get at() {
    const { player } = this.view;
    return this.ofLandmarks ? firstAbove(player.landmarks, player.step) : player.step;
  }

  makePredict() {
    this.predict = make("button", {
      class: "btn", text: inWords("Predict"),
      attrs: { type: "button", "aria-pressed": "false", title: inWords("Stop before each step that counts and ask (P)") },
      on: { click: () => this.view.prediction.toggle() },
    });
    return this.predict;
  }

  button(name, label, style, action) {
    const node = make("button", { class: `btn ${style}`, attrs: { type: "button", "aria-label": label, title: label } }, icon(name));
    // A disabled button would lose the focus and its keys, so it is only marked as disabled.
    node.addEventListener("click", () => node.getAttribute("aria-disabled") !== "true" && action());
    return node;
  }

  timeline() {
    const { view } = this;
    this.canvas = make("canvas", { attrs: { "aria-hidden": "true" } });
    this.veil = make("div", { class: "veil" });
    this.head = make("div", { class: "head" });
    this.strip = make("div", { class: "line" }, this.canvas, this.veil, this.head);
    this.range = make("input", {
      dir: "ltr", attrs: { type: "range", min: 0, max: this.places, step: 1, value: 0, "aria-label": view.onBoard ? "Decision" : "Step" },
    });
    this.range.addEventListener("input", () => view.go(view.stepAt(Number(this.range.value))));
    this.observer = new ResizeObserver(([entry]) => {
      this.lineWidth = entry.contentRect.width;
      this.lineHeight = entry.contentRect.height;
      this.drawTimeline();
    });
    this.observer.observe(this.strip);
    return make("div", { class: "scrub" }, this.strip, this.phaseMarks(), this.range);
  }

  /* Beneath the timeline: where each phase begins, by name as far as there is room. */
  phaseMarks() {
    const { player, script } = this.view;
    const phases = this.view.onBoard ? [] : script.phases;
    const place = (step) => (100 * this.view.placeOf(Math.max(0, step - 1))) / Math.max(1, this.places);
    this.marks = phases.map(({ name, from }, index) => {
      const end = phases[index + 1]?.from ?? player.last + 1;
      const node = make("span", { text: name, attrs: { title: name } });
      node.style.left = `${place(from)}%`;
      node.style.width = `${Math.max(0, place(end) - place(from))}%`;
      return node;
    });
    return make("div", { class: "phase-marks", attrs: { "aria-hidden": "true" } }, ...this.marks);
  }

  /* A name that has no room is left out; that of the current phase is drawn whole, over its neighbors. */
  showPhase(now) {
    if (!this.marks?.length || (this.phaseNow === now && this.phaseWidth === this.lineWidth)) return;
    this.phaseNow = now;
    this.phaseWidth = this.lineWidth;
    const { phases } = this.view.script;
    const pixels = (percent) => (Number.parseFloat(percent) * (this.lineWidth ?? 0)) / 100;
    const room = this.marks.map((mark) => pixels(mark.style.width));
    const left = this.marks.map((mark) => pixels(mark.style.left));
    const needed = phases.map(({ name }) => name.length * 7.2 + 8);
    const shift = now in left ? Math.max(-left[now], Math.min(0, (this.lineWidth ?? 0) - left[now] - needed[now])) : 0;
    const [from, to] = [left[now] + shift, left[now] + shift + needed[now]];
    this.marks.forEach((mark, index) => {
      const beside = index < now ? left[index] + needed[index] <= from : left[index] >= to;
      setClass(mark, "now", index === now);
      mark.style.marginLeft = index === now ? `${shift}px` : "";
      setClass(mark, "tight", index !== now && !(room[index] >= needed[index] && beside));
    });
  }

  destroy() {
    this.observer.disconnect();
    this.roomObserver.disconnect();
    this.stopCounting();
  }

  /* What does not fit on its lines gets smaller and wraps; the height is that of the whole script. */
  takeRoom(room) {
    if (!room || room === this.room) return;
    this.room = room;
    setClass(this.narration, "tall", this.sentences.some(({ say, why }) => this.isLong(say) && this.isLongWhy(why)));
    this.view.request();
  }

  isLong(pixels) {
    return pixels * SAY_TYPE > this.room * (this.view.narrow ? 2 : 1);
  }

  isLongWhy(pixels) {
    return pixels * WHY_TYPE > this.room;
  }

  /* Every pixel column is a bar: as high as its highest event, with colors in proportion to the kinds. */
  drawTimeline() {
    const { player } = this.view;
    if (!this.lineWidth || !player.last) return;
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(this.lineWidth * ratio);
    const height = Math.round(this.lineHeight * ratio);
    this.canvas.width = width;
    this.canvas.height = height;
    const colorOf = (tone) => toneColor(this.view.root, tone);
    const paint = this.canvas.getContext("2d");
    const bar = (x, wide, steps) => {
      const tones = new Map();
      let high = 0;
      for (const step of steps) {
        const kind = player.kindAt(step);
        high = Math.max(high, kind.height);
        tones.set(kind.tone, (tones.get(kind.tone) ?? 0) + 1);
      }
      let y = height;
      for (const [tone, count] of tones) {
        const part = (height * Math.max(high, 8) * count) / (100 * steps.length);
        paint.fillStyle = colorOf(tone);
        paint.fillRect(x, y - part, wide, part + 0.5);
        y -= part;
      }
    };
    if (this.view.onBoard) return this.drawDecisions(paint, width, height, ratio);
    const count = this.places;
    const each = width / count;
    const gap = each > 4 * ratio ? Math.round(ratio) : 0;
    if (each >= 1) {
      for (let place = 1; place <= count; place += 1) {
        const x = Math.round((place - 1) * each);
        bar(x, Math.round(place * each) - x - gap, [this.view.stepAt(place)]);
      }
      return;
    }
    let first = 1;
    for (let x = 0; x < width; x += 1) {
      const end = Math.round((x + 1) / each);
      const steps = [];
      for (let place = first; place <= Math.min(end, count); place += 1) steps.push(this.view.stepAt(place));
      if (steps.length) bar(x, 1, steps);
      first = end + 1;
    }
  }

  /* A bar for each decision: those before the one at work, that one, and those to come. */
  drawDecisions(paint, width, height, ratio) {
    const count = this.view.player.landmarks.length;
    const each = Math.min(width / Math.max(1, count), 84 * ratio);
    this.scrub.style.setProperty("--drawn", `${(each * count) / ratio}px`);
    const now = this.drawnDecision = this.at;
    for (let number = 1; number <= count; number += 1) {
      const [from, to] = [Math.round((number - 1) * each), Math.round(number * each)];
      paint.globalAlpha = number <= now ? 1 : 0.4;
      paint.fillStyle = number === now ? toneColor(this.view.root, "byte") : toneColor(this.view.root, "merge");
      const high = number === now ? height : height * 0.75;
      paint.fillRect(from, height - high, Math.max(1, to - from - (each > 4 * ratio ? 2 * ratio : 0)), high);
    }
    paint.globalAlpha = 1;
  }

  makeNarration() {
    this.kind = make("span", { class: "kind" });
    this.say = make("p", { class: "what", dir: "ltr" });
    this.why = make("p", { class: "why", dir: "ltr" });
    this.words = make("div", { class: "words" }, this.say, this.why);
    return make("div", { class: "say" }, this.kind, this.words);
  }

  /* The maximum width of each kind's sentences, in pixels on one line. */
  measure() {
    const { player, script, texts } = this.view;
    const widest = new Map();
    const see = (name, words, args) => {
      const most = widest.get(name) ?? { say: 0, why: 0 };
      most.say = Math.max(most.say, sentenceWidth(words.say ?? "", args, texts, 6.8));
      most.why = Math.max(most.why, sentenceWidth(words.why ?? "", args, texts, 6.1));
      widest.set(name, most);
    };
    const { plain } = this.view;
    see("start", player.wordsAt(0, plain), player.argsAt(0));
    for (let step = 1; step <= player.last; step += 1) see(script.steps.kind[step - 1], player.wordsAt(step, plain), player.argsAt(step));
    return [...widest.values()];
  }

  render(frame) {
    const { player, texts, labels } = this.view;
    const { step } = frame;
    const now = player.phaseAt(step);
    this.showPhase(now);
    const off = (button, disabled) => {
      if (button.isOff === disabled) return;
      button.isOff = disabled;
      button.setAttribute("aria-disabled", String(disabled));
    };
    off(this.first, step === 0);
    off(this.back, step === 0);
    off(this.next, step === this.view.lastOpen);
    off(this.play, player.last === 0 || (this.view.locked && step === this.view.lastOpen));
    off(this.landmark, (player.nextLandmark(step) ?? Infinity) > this.view.lastOpen);
    const { at } = this;
    if (this.view.onBoard && this.drawnDecision !== at) this.drawTimeline();
    setText(this.stepNumber, formatNumber(at));
    this.count.title = inWords("Step {0} of {1}", formatNumber(step), formatNumber(player.last)); // as the address has it
    const place = Math.min(this.view.placeOf(step), this.places);
    this.scrub.style.setProperty("--p", `${this.places ? (100 * place) / this.places : 0}%`);
    if (Number(this.range.value) !== place) this.range.value = String(place);
    const { kind, say, why, args } = player.sentence(this.view.plain);
    const { ended } = this.view;
    this.range.setAttribute("aria-valuetext", `${this.noun.toLowerCase()} ${at} ${inWords("of {0}", this.whole)}${inWords(", ")}${inWords(kind.label)}`);
    this.narration.dataset.k = ended ? "merge" : kind.tone;
    setText(this.kind, inWords(ended ? "done" : kind.label));
    if (this.room) {
      setClass(this.narration, "long", this.isLong(sentenceWidth(say, args, texts, 6.8)));
      setClass(this.narration, "long-why", this.isLongWhy(sentenceWidth(why, args, texts, 6.1)));
    }
    const { prediction } = this.view;
    this.predict.setAttribute("aria-pressed", String(prediction.on));
    this.predict.hidden = player.landmarks.length === 0;
    this.showPlaying(this.view.playing || Boolean(this.view.introduction));
    setClass(this.play, "yields", this.view.ending.isOpen);
    if (prediction.step !== null) {
      setText(this.kind, inWords("your turn"));
      fillSentence(this.say, prediction.question, [], texts, labels);
      fillSentence(this.why, prediction.hint.replace(/[{}]/g, "$&$&"), [], texts, labels);
      return;
    }
    const seen = new Set();
    if (ended) {
      const [count, only, reason] = this.view.ending.sentences();
      for (const node of [this.say, this.why]) node.shownText = undefined;
      this.say.replaceChildren(make("b", { text: count }), " ", ...explained(only, seen));
      this.why.replaceChildren(...explained(reason, seen));
      return;
    }
    const means = (arg, value) => (kind.numbers?.includes(arg) ? texts[this.view.means.get(value)] : "");
    fillSentence(this.say, say, args, texts, labels, seen, means);
    fillSentence(this.why, why, args, texts, labels, seen, means);
  }

  showPlaying(playing) {
    const word = this.view.prediction.step !== null && !this.view.locked ? "Show it" : playing ? "Pause" : "Play";
    const said = word === "Play" && this.view.ended ? inWords("Again") : inWords(word);
    if (this.playWord.shownText === said) return;
    this.playIcon.firstChild.setAttribute("d", ICONS[word === "Pause" ? "pause" : "play"]);
    setText(this.playWord, said);
    this.play.setAttribute("aria-label", said);
    this.play.title = said;
  }
}

/* Chinese and Japanese letters are as wide as high. */
function sentenceWidth(template, args, texts, letter) {
  const lengthOf = (text) => text.length + 1.2 * (text.match(/[\u2e80-\u9fff\uac00-\ud7af\uff00-\uff60]/g)?.length ?? 0);
  return sentenceParts(template).reduce((sum, part) => {
    if (typeof part === "string") return sum + lengthOf(part) * letter;
    if (part.as === "n" || part.as === "i") return sum + plainNumber(args[part.arg]).length * (letter + 0.6);
    const length = lengthOf(texts[args[part.arg]] ?? "");
    return sum + (part.as === "q" ? length * (letter + 1.8) + 8 : length * letter);
  }, 0);
}
