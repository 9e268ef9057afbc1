/* The merges so far as trees over the text: leaves are the symbols of the start, a node is a merge. The trees to come are
   faint outlines, so nothing that is drawn moves when the next merge comes. A pre-token taken whole is a node over all of
   its symbols. Reads the merges of the script (merges.js).
   A step shows what waits once its inner steps are done, which Story passes: the pairs that a merge makes, and those that
   lost a symbol to it, dimmed. When the player moves to a merge, what is joined slides together and what waits takes its
   new places, unless less motion is asked for.
   Of a long text, only the trees near the part in view are in the document: laying out thousands costs each key press. */

const TREE_LEVEL = 62;
const TREE_CHIP = 36;
const TREE_ENDED = { level: 36, chip: 28, leaf: 40, id: 42, gap: 10 }; // with the ids below
const TREE_CLOSE = { least: 28, chip: 24, leaf: 38 }; // beside a card, in a place too low for it
const TREE_ROOM = 250; // what the levels share if there are many
const TREE_ROOM_BESIDE = 200; // beside a card of a lesson
const WAITING_DRAWN = { roomy: 6, beside: 4, narrow: 2 };
const SLIDE = { duration: 300, easing: "ease-in-out" };

class MergeTree extends Panel {
  constructor(view) {
    super(view, "Merges");
    this.head.hidden = true;
    this.strip = view.player.tracks.find(({ type }) => type === "strip");
    this.queue = view.player.tracks.find(({ type }) => type === "queue");
    this.scroller = make("div", { class: "merge-tree", attrs: { tabindex: "0", role: "group", "aria-label": "Merges" } });
    this.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.lines.setAttribute("aria-hidden", "true");
    this.plane = make("div", { class: "plane" });
    this.plane.append(this.lines);
    this.scroller.append(this.plane);
    this.ids = new EndIds(this);
    this.wait = make("p", { class: "waiting" });
    [this.more, this.gone] = [make("span", { class: "after" }), make("span", { class: "after" })];
    this.body.append(this.scroller, this.ids.row, this.wait);
    this.ended = view.ended;
    this.read();
    this.leaves = new Map();
    this.joints = new Map();
    this.chips = new Map(); // serial → what waits, as drawn
    this.seen = { left: 0, top: 0, width: 0, height: 0 };
    this.scroller.addEventListener("scroll", () => {
      this.seen.left = this.scroller.scrollLeft;
      this.seen.top = this.scroller.scrollTop;
      if (this.places && this.showPart()) view.request();
    }, { passive: true });
    this.observer = new ResizeObserver(([{ contentRect }]) => {
      Object.assign(this.seen, { width: contentRect.width, height: contentRect.height });
      if (this.leafPlaces && this.roomChanged()) this.resize(this.width, this.narrow);
      view.request();
    });
    this.observer.observe(this.scroller);
    this.wait.addEventListener("click", (event) => answerUnder(event, view));
    this.scroller.addEventListener("click", (event) => {
      if (answerUnder(event, view)) return;
      const step = event.target.closest(".joint")?.dataset.step;
      if (step) view.go(Number(step));
    });
  }

  destroy() {
    this.observer.disconnect();
  }

  /* Every merge with its children, its height above the text and where it is across. */
  read() {
    const top = this.strip.cells.map((cell, index) => ({ height: 0, x: index, leaf: true, end: index + 1 }));
    this.merges = (this.view.merges?.list ?? []).map((merge) => {
      const children = [];
      for (let at = merge.left; at < merge.end; at = children.at(-1).end) children.push(top[at]);
      const height = 1 + Math.max(...children.map((child) => child.height));
      const made = { ...merge, children, height, x: (children[0].x + children.at(-1).x) / 2 };
      top[merge.left] = made;
      return made;
    });
    this.measure();
  }

  measure() {
    if (this.ended) this.ids.read();
    const flows = Boolean(this.ended) && (this.narrow || !this.ids.aligned);
    this.idsBelow = Boolean(this.ended) && !flows;
    setClass(this.body, "flows", flows);
    if (flows) this.ids.flow();
    this.ids.row.hidden = !flows;
    const highest = Math.max(1, ...this.merges.map(({ height }) => height));
    const room = this.view.beside ? TREE_ROOM_BESIDE : TREE_ROOM;
    const { level, chip, leaf, id, gap } = TREE_ENDED;
    this.level = this.ended ? level : Math.min(TREE_LEVEL, Math.max(this.view.beside ? 39 : 40, room / highest));
    const isClose = Boolean(this.room) && !this.ended && highest * this.level + 56 > this.room;
    if (isClose) this.level = Math.min(this.level, Math.max(TREE_CLOSE.least, (this.room - TREE_CLOSE.leaf - 8) / highest));
    setClass(this.plane, "close", isClose);
    this.chipHeight = this.ended ? chip : isClose ? TREE_CLOSE.chip : TREE_CHIP;
    this.leafWidth = this.ended ? leaf : 48;
    this.bottom = highest * this.level + 8;
    this.plane.style.height = `${this.bottom + (this.idsBelow ? leaf + gap + id + 2 : this.ended ? leaf + 2 : isClose ? TREE_CLOSE.leaf : 48)}px`; // at once: the width comes a moment later
  }

  /* How high the place of a tree is beside a card. A sentence that takes one line more or less changes nothing. */
  roomChanged() {
    const { height } = this.seen;
    if (!this.view.beside || !height || (height >= this.room && height <= this.room + 48)) return false;
    this.room = height;
    return true;
  }

  leaf(index) {
    const node = make("span", { class: "leaf", dir: "auto" });
    showText(node, this.view.texts, this.strip.cells[index][0], this.view.labels);
    setClass(node, "long", [...node.textContent].length > 2); // such as <unk>
    setClass(node, "alone", !this.merges.some(({ left, end }) => left <= index && index < end)); // a token by itself
    node.style.transform = `translate(${this.leafPlaces.x(index) - this.leafWidth / 2}px, ${this.leafPlaces.y}px)`;
    return node;
  }

  joint(index) {
    const { texts, labels } = this.view;
    const merge = this.merges[index];
    const { x, y } = this.places[index];
    const chip = make("button", { class: "joint yet", attrs: { type: "button", tabindex: "-1", "aria-hidden": "true" }, data: { step: merge.step } });
    const text = make("bdi");
    showText(text, texts, merge.text, labels);
    const value = make("small");
    this.view.showNumber(value, merge.value);
    chip.append(text, value);
    tint(chip, merge.id);
    const letters = text.textContent.length + value.textContent.length;
    setClass(chip, "tight", 9 * letters - 2 > (merge.end - merge.left) * this.pitch);
    chip.style.left = `${x}px`;
    chip.style.top = `${y - 6}px`;
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.classList.add("yet");
    const from = y + this.chipHeight - 8;
    path.setAttribute("d", merge.children.map((child) => {
      const across = this.leafPlaces.x(child.x);
      const to = child.leaf ? this.leafPlaces.y : this.leafPlaces.y - child.height * this.level - 6;
      return `M${x} ${from} C${x} ${(from + to) / 2 + 8} ${across} ${(from + to) / 2 - 8} ${across} ${to}`;
    }).join(" "));
    return { chip, path };
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    if (this.view.beside && !this.seen.height) this.seen.height = this.scroller.clientHeight;
    this.roomChanged();
    this.measure();
    const count = Math.max(1, this.strip.cells.length);
    const [before, after] = this.idsBelow ? this.ids.sides() : [0, 0];
    const least = narrow ? (this.view.beside ? 32.5 : 46) : this.ended ? 44 : this.view.beside ? 48 : 56; // a leaf has 48, beside a card 44, at the end 40, on a phone there as much as fits
    this.pitch = Math.max(least, Math.min(91, (width - before - after) / count));
    this.plane.style.setProperty("--leaf", `${Math.min(42, this.pitch - 2)}px`);
    const { bottom } = this;
    const x = (at) => before + (at + 0.5) * this.pitch;
    this.plane.style.width = `${before + this.pitch * count + after}px`;
    this.before = before;
    this.leafPlaces = { x, y: bottom };
    this.places = this.merges.map((merge) => ({ x: x(merge.x), y: bottom - merge.height * this.level }));
    this.leaves.clear();
    this.joints.clear();
    this.part = null;
    this.moved = this.moved || this.seen.width !== width; // what the step is about comes into view again
    this.seen.width = width;
    this.showPart();
  }

  /* Puts the leaves and joints near the part in view into the document. Whether that changed any. */
  showPart() {
    const { left, width } = this.seen;
    const first = Math.floor((left - this.before) / this.pitch);
    const last = Math.ceil((left - this.before + width) / this.pitch);
    if (this.part && first >= this.part.first && last <= this.part.last) return false;
    const room = last - first;
    this.part = { first: first - room, last: last + room };
    const leaves = this.strip.cells.map((_, index) => index).filter((index) => this.isNear(index, index + 1));
    const merges = this.merges.map((_, index) => index).filter((index) => this.isNear(this.merges[index].left, this.merges[index].end));
    this.leaves = kept(leaves, this.leaves, (index) => this.leaf(index));
    this.joints = kept(merges, this.joints, (index) => this.joint(index));
    const joints = [...this.joints.values()];
    this.lines.replaceChildren(...joints.map(({ path }) => path));
    this.plane.replaceChildren(this.lines, ...this.leaves.values(), ...joints.map(({ chip }) => chip), ...(this.idsBelow ? [this.ids.drawn()] : []));
    return true;
  }

  isNear(start, end) {
    return end > this.part.first && start < this.part.last;
  }

  /* A tree that is larger than the panel: what the step is about comes into view. */
  follow(frame) {
    this.moved = this.moved || frame.moved;
    if (!this.moved || !this.places || !this.seen.width) return;
    this.moved = false;
    const newest = this.merges.findIndex(({ step }) => step === frame.step);
    const marked = [...frame.marksOf(this.strip.index).keys()].find((key) => key >= 0);
    const place = newest >= 0 ? this.places[newest] : marked === undefined ? null : { x: this.leafPlaces.x(marked), y: this.leafPlaces.y };
    if (!place) return;
    const { left, top, width, height } = this.seen;
    if (place.x < left + 60 || place.x > left + width - 60) {
      this.scroller.scrollLeft = place.x - width / 2;
      this.seen.left = Math.max(0, place.x - width / 2); // the event comes after the frame
    }
    if (place.y < top + 20 || place.y > top + height - 40) this.scroller.scrollTop = place.y - height / 2;
  }

  render(frame) {
    if (!this.leafPlaces) return;
    if (Boolean(this.ended) !== this.view.ended) this.squeeze(this.view.ended);
    setClass(this.plane, "hidden-plan", this.view.prediction.on);
    if (this.places) this.showPart();
    this.joints.forEach(({ chip, path }, index) => {
      const { step } = this.merges[index];
      const yet = step > frame.step;
      setClass(chip, "yet", yet);
      setClass(path, "yet", yet);
      if (chip.hiddenFrom !== yet) {
        chip.hiddenFrom = yet;
        chip.setAttribute("aria-hidden", String(yet));
      }
      setClass(chip, "newest", step === frame.step);
    });
    if (frame.step === this.merges.at(-1)?.step && this.shownStep < frame.step) this.settle();
    const passed = frame.step > this.shownStep ? this.merges.filter(({ step }) => this.shownStep < step && step <= frame.step) : [];
    const moved = passed.length === 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.shownStep = frame.step;
    if (moved) this.slide(this.merges.indexOf(passed[0]));
    this.showWaiting(frame, moved);
  }

  showWaiting(frame, moved) {
    const { prediction } = this.view;
    const { letters } = prediction;
    this.showLetters(letters);
    if (letters.size) {
      this.chips.clear();
      this.wait.replaceChildren(...prediction.pairs.map(([serial, row]) => this.chip(row, letters.get(serial)))); // what is asked for must not come first
      return;
    }
    const { player, locked } = this.view;
    const most = WAITING_DRAWN[this.narrow ? "narrow" : this.view.beside ? "beside" : "roomy"];
    const skipped = player.deletedAt(frame.step, this.queue.index).filter(([, row]) => row[6]);
    const lost = new Set([...player.justPut(this.queue.index)].filter((serial) => this.queue.rows.get(serial)[6]).concat(skipped.map(([serial]) => serial)));
    const rows = new Map([...this.queue.rows, ...skipped, ...(locked ? [] : player.ahead(this.queue.index))]);
    const byOrder = ([one, a], [other, b]) => a[1] - b[1] || one - other;
    const waiting = [...rows].filter(([, row]) => !row[6]).sort(byOrder);
    const losers = [...rows].filter(([serial]) => lost.has(serial)).sort(byOrder);
    const shown = waiting.slice(0, most);
    const put = new Set(player.justPut(this.queue.index));
    const fresh = waiting.find(([serial]) => put.has(serial)); // what the step is about is among them
    if (fresh && !shown.includes(fresh)) shown.splice(-1, 1, fresh);
    const drawn = [...shown, ...losers.slice(0, most)];
    const before = new Map([...this.wait.children].map((node) => [node, { at: node.shownAt, lost: node.classList.contains("lost") }]));
    this.chips = new Map(drawn.map(([serial, row]) => [serial, this.chips.get(serial) ?? this.chip(row)]));
    for (const [serial, node] of this.chips) setClass(node, "lost", lost.has(serial));
    const words = (shown) => shown.map(([serial]) => this.chips.get(serial));
    const more = waiting.length > most ? ` ${inWords("and {0} more", formatNumber(waiting.length - most))}` : "";
    setText(this.more, more);
    setText(this.gone, more ? `${inWords(", ")}${inWords("out of date")} ` : `${inWords("Out of date")} `);
    const out = losers.length ? [this.gone, ...words(losers.slice(0, most))] : [];
    const none = frame.step && !losers.length ? inWords("No pair waits.") : "";
    this.wait.replaceChildren(...(waiting.length ? [`${inWords(frame.step ? "Still waiting" : "Waiting")} `, ...words(shown), this.more] : [none]), ...out);
    // after all panels are drawn, so that this layout is the only one of the frame
    queueMicrotask(() => this.shift(moved, before));
  }

  chip(row, letter = "") {
    const { texts } = this.view;
    const parts = letter ? [make("i", { class: "answer-letter", text: letter })] : [];
    const value = make("small");
    this.view.showNumber(value, row[2]);
    return make("span", { class: "wait", data: letter ? { answer: letter } : {} }, ...parts, make("bdi", { text: texts[row[0]] }), value);
  }

  /* What waits moves from where it was; what is new, or out of date now, and the words between appear once there is room. */
  shift(moved, before) {
    for (const node of this.wait.children) {
      const was = before.get(node);
      node.shownAt = node.offsetLeft;
      const words = node.classList.contains("after");
      if (!moved || (!words && was?.at === node.shownAt)) continue;
      const slides = was && !words && was.lost === node.classList.contains("lost");
      node.animate(slides ? [{ translate: `${was.at - node.shownAt}px` }, {}] : [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, {}], SLIDE);
    }
  }

  /* What a merge joins slides from its places to that of the joint, which appears under it. */
  slide(index) {
    const made = this.joints.get(index);
    if (!made) return;
    const { children, id } = this.merges[index];
    const to = this.places[index];
    children.forEach((child, number) => {
      const at = this.merges.indexOf(child);
      const node = at < 0 ? this.leaves.get(child.x) : this.joints.get(at)?.chip;
      if (!node) return;
      const text = node.querySelector("bdi") ?? node;
      const ghost = make("b", { class: "ghost", attrs: { "aria-hidden": "true" } }, ...[...text.childNodes].map((part) => part.cloneNode(true)));
      tint(ghost, at < 0 ? -1 : child.id);
      const from = at < 0 ? { x: this.leafPlaces.x(child.x), y: this.leafPlaces.y + 22 } : { x: this.places[at].x, y: this.places[at].y + 12 };
      const aside = (number - (children.length - 1) / 2) * 26;
      const place = ({ x, y }) => `translate(-50%, -50%) translate(${x}px, ${y}px)`;
      this.plane.append(ghost);
      ghost.animate([{ transform: place(from) }, { transform: place({ x: to.x + aside, y: to.y + 12 }) }], { ...SLIDE, fill: "forwards" })
        .finished.finally(() => ghost.remove()).catch(() => {});
    });
    made.chip.animate([{ opacity: 0 }, { opacity: 0, offset: 0.7 }, {}], { ...SLIDE, duration: SLIDE.duration + 80 });
  }

  /* At the end the trees make room for the ids, and give it back. */
  squeeze(ended) {
    const before = this.places;
    const bottom = this.leafPlaces.y;
    this.ended = ended;
    this.resize(this.width, this.narrow);
    if (this.shownStep === undefined || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const slides = (node, from, to) => node.animate([{ translate: `0 ${from - to - (bottom - this.bottom)}px` }, {}], SLIDE);
    for (const [index, { chip, path }] of this.joints) {
      slides(chip, before[index].y, this.places[index].y);
      path.animate([{ opacity: 0 }, {}], SLIDE);
    }
    if (ended) this.ids.grow();
  }

  /* After the last merge, once: the leaves rise in the colors of their tokens, which come to rest above the stage. */
  settle() {
    if (this.settled || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.settled = true;
    const token = new Map(this.merges.flatMap(({ left, end, id }) => Array.from({ length: end - left }, (_, at) => [left + at, id])));
    for (const [index, node] of this.leaves) {
      tint(node, token.get(index) ?? -1);
      node.animate([{}, { translate: "0 -30px", opacity: 0.3, backgroundColor: "color-mix(in oklab, var(--c) 40%, var(--bg))" }, {}], { duration: 1000, easing: "ease-in-out" });
    }
    window.dispatchEvent(new CustomEvent("explorer-settled"));
  }

  /* Between the characters where two symbols meet. */
  showLetters(letters) {
    if (!letters.size && !this.letters?.length) return;
    for (const node of this.letters ?? []) node.remove();
    this.letters = [...letters].map(([serial, letter]) => {
      const right = (this.view.merges.base.get(serial) ?? 0) + this.queue.rows.get(serial)[5];
      const node = make("i", { class: "answer-letter", text: letter, data: { answer: letter } });
      node.style.left = `${this.leafPlaces.x(right - 0.5)}px`;
      node.style.top = `${this.bottom + 23}px`;
      return node;
    });
    this.plane.append(...this.letters);
  }
}

/* The nodes of these indexes, those already made among them. */
function kept(indexes, nodes, create) {
  return new Map(indexes.map((index) => [index, nodes.get(index) ?? create(index)]));
}
