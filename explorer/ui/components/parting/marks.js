/* The text with a mark at each place where two tokenizers differ. The marks are one tab stop: arrows move between them,
   Enter chooses. No DOM is measured: columns have a known width.

   columnWidths(texts, room)    pixels of each character's column: a label needs more
   spotsOf(bars, apart)         where each number stands: on its bar, if need be beside its middle, so that no two of them
                                touch; else in a lane below, -1 where there is no room                                */

const MARKS = { least: 16, most: 44, label: 58, apart: 24, lanes: 3 };
const WORDS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

function columnWidths(texts, room) {
  const labels = texts.filter((text) => text.length > 2).length;
  const width = Math.max(MARKS.least, Math.min(MARKS.most, (room - labels * MARKS.label) / Math.max(1, texts.length - labels)));
  return texts.map((text) => (text.length > 2 ? MARKS.label : width));
}

function spotsOf(bars, apart = MARKS.apart) {
  const ends = new Array(MARKS.lanes).fill(-Infinity);
  return bars.map(([from, to]) => {
    const middle = (from + to) / 2;
    const far = Math.max(middle, to - 6);
    const lane = ends.findIndex((end) => far - end >= apart);
    const center = lane < 0 ? middle : Math.max(middle, ends[lane] + apart);
    if (lane >= 0) ends[lane] = center;
    return { lane, center };
  });
}

class Marks {
  constructor(choose) {
    this.choose = choose;
    this.text = make("div", { class: "pt-text", attrs: { "aria-hidden": "true" } });
    this.list = make("div", { class: "pt-marks", attrs: { role: "toolbar", "aria-label": "Places where they differ" } });
    this.scroll = make("div", { class: "pt-scroll" }, make("div", { class: "pt-line" }, this.text, this.list));
    this.list.addEventListener("keydown", (event) => this.pressed(event));
  }

  draw({ text, start, places, place }, room) {
    const widths = columnWidths(text, room);
    const left = [0];
    for (const width of widths) left.push(left.at(-1) + width);
    const at = (offset) => left[Math.max(0, Math.min(text.length, offset - start))];
    const small = widths.some((width) => width < 26);
    this.text.replaceChildren(...text.map((ch, index) => {
      const node = make("span", { class: ch.length > 2 ? "pt-label" : ch === "·" ? "pt-space" : "", text: ch });
      node.style.width = `${widths[index]}px`;
      return node;
    }));
    setClass(this.scroll, "small", small);
    const shown = places.map(([from, to, harmless, ids], index) => ({ index, from, to, dashed: harmless || ids }))
      .filter(({ from, to }) => to >= start && from <= start + text.length);
    const spots = spotsOf(shown.map(({ from, to }) => [at(from), at(to)]));
    this.list.style.height = `${26 + 24 * Math.max(0, ...spots.map(({ lane }) => lane))}px`;
    this.list.style.width = `${left.at(-1)}px`;
    this.buttons = shown.map(({ index, from, to, dashed }, number) => {
      const here = index === place;
      const what = from === to ? inWords("before character {0}", from + 1) : inWords("characters {0} to {1}", from + 1, to);
      const button = make("button", { class: `pt-mark${dashed ? " dashed" : ""}${here ? " here" : ""}`, attrs: { type: "button", "aria-pressed": String(here), "aria-label": inWords("Place {0}, {1}", index + 1, what), tabindex: here || (place === null && number === 0) ? "0" : "-1" }, on: { click: () => this.choose(index) } });
      const bar = make("span", { class: "pt-bar" });
      const from_ = at(from) + 2, width = Math.max(3, at(to) - at(from) - 4);
      button.style.left = `${from_}px`;
      button.style.width = `${width}px`;
      const label = make("span", { class: "pt-number", text: String(index + 1) });
      const { lane, center } = spots[number];
      label.style.top = `${3 + 24 * Math.max(0, lane)}px`;
      label.style.left = `${center - from_}px`;
      if (lane < 0 && !here) label.hidden = true;
      button.append(bar, label);
      button.number = index;
      return button;
    });
    this.list.replaceChildren(...this.buttons);
    const chosen = this.buttons.find((button) => button.number === place);
    if (chosen) this.scroll.scrollLeft = Math.max(0, Number.parseFloat(chosen.style.left) - room / 2);
  }

  pressed(event) {
    const at = this.buttons.indexOf(event.target.closest("button"));
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: this.buttons.length - 1 }[keyName(event)];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const to = this.buttons[Math.max(0, Math.min(this.buttons.length - 1, next))];
    this.buttons[at].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }
}
