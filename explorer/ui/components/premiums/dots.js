/* The dots: a row for each tokenizer, a dot for each language on a logarithmic axis, the chosen one joined down the rows.

   new Dots(choose)             choose(language, moves) is called for the dot that is pressed
   .node                        the picture; update(picture), choose(language), resize()
   multiple(premium)            "4.1 ×", three digits at most */

const TICKS = [0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SVG = "http://www.w3.org/2000/svg";
const REACH = 16; // pixels from a dot at which the pointer means it

function drawn(tag, attributes = {}, text = null) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  return node;
}

function multiple(premium) {
  const digits = premium >= 99.95 ? 0 : premium < 1.995 ? 2 : 1;
  return `${premium.toFixed(digits).replace(".", inWords("."))} ×`;
}

class Dots {
  constructor(choose) {
    this.choose = choose;
    this.svg = drawn("svg", { role: "img" });
    this.tip = make("div", { class: "pr-tip", attrs: { hidden: "" } });
    this.node = make("div", { class: "pr-dots", attrs: { tabindex: "0", role: "group" } }, this.svg, this.tip);
    this.node.addEventListener("pointermove", (event) => this.point(this.under(event)));
    this.node.addEventListener("pointerleave", () => this.point(null));
    this.node.addEventListener("click", (event) => {
      const dot = this.under(event);
      if (dot) this.choose(dot.language, true);
    });
    this.node.addEventListener("keydown", (event) => this.onKey(event));
    this.watched = new ResizeObserver(([{ contentRect }]) => {
      if (Math.round(contentRect.width) === this.width) return;
      this.width = Math.round(contentRect.width);
      this.draw();
    });
    this.watched.observe(this.node);
  }

  destroy() {
    this.watched.disconnect();
  }

  update(picture, language) {
    this.picture = picture;
    this.language = language;
    this.draw();
  }

  /* The languages as the last row has them, from the cheapest: the order of the arrow keys. */
  order() {
    const { rows, languages } = this.picture;
    const last = rows.at(-1).premiums;
    return languages.map((_, language) => language).sort((a, b) => (last[a] ?? 0) - (last[b] ?? 0));
  }

  onKey(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1 };
    const order = this.order();
    const at = order.indexOf(this.language);
    const next = event.key === "Home" ? 0 : event.key === "End" ? order.length - 1 : at + (moves[event.key] ?? 0);
    if (event.ctrlKey || event.altKey || event.metaKey || next === at || !(next in order)) return;
    this.choose(order[next], false);
    event.preventDefault();
    event.stopPropagation();
  }

  draw() {
    if (!this.width || !this.picture) return;
    const { rows } = this.picture;
    const narrow = this.width < 560;
    const names = narrow ? 104 : 206;
    const pitch = narrow ? 30 : Math.max(26, Math.min(76, Math.floor(420 / rows.length)));
    // lost text may be any number of times cheaper: it stands at the left edge
    const known = rows.flatMap((row) => row.premiums.filter((value, language) => value > 0 && row.read[language]));
    const low = Math.min(1, ...known) * 0.94;
    const high = Math.max(1.5, ...known);
    const left = names + 12;
    const right = this.width - (narrow ? 44 : 60);
    this.x = (value) => left + (Math.log(Math.min(Math.max(value, low), high) / low) / Math.log(high / low)) * (right - left);
    this.y = (row) => 30 + pitch * (row + 0.5);
    const height = 30 + pitch * rows.length + 4;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.svg.setAttribute("height", height);
    this.places = [];
    const parts = [...this.axis(low, high, height, narrow, names), this.line(), ...rows.flatMap((row, number) => this.row(row, number, narrow, names))];
    this.svg.replaceChildren(...parts, (this.ring = drawn("g")));
  }

  axis(low, high, height, narrow, names) {
    let free = names + 8; // after the head of the names
    const head = narrow ? [] : [drawn("text", { x: names - 8, y: 16, class: "pr-tick", "text-anchor": "end" }, inWords("tokens"))];
    return head.concat(TICKS.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001).flatMap((tick) => {
      const x = this.x(tick);
      const line = drawn("line", { x1: x, x2: x, y1: 28, y2: height, class: tick === 1 ? "pr-one" : "pr-grid" });
      const wide = tick === 1 && !narrow;
      const text = wide ? inWords("as {0}", this.picture.languages[this.picture.base]) : `${String(tick).replace(".", inWords("."))} ×`;
      const half = wide ? 4 * text.length : 18;
      if (x - half < free) return [line];
      free = x + half;
      return [line, drawn("text", { x, y: 16, class: tick === 1 ? "pr-tick pr-bold" : "pr-tick", "text-anchor": "middle" }, text)];
    }));
  }

  /* The chosen language, joined down the rows in which it is read. */
  line() {
    const points = this.picture.rows.flatMap((row, number) => (row.read[this.language] ? [[this.x(row.premiums[this.language]), this.y(number)]] : []));
    return drawn("polyline", { points: points.map((each) => each.join()).join(" "), class: "pr-line" });
  }

  row(row, number, narrow, names) {
    const y = this.y(number);
    const parts = [
      drawn("line", { x1: names, x2: this.width - 40, y1: y, y2: y, class: "pr-grid" }),
      drawn("text", { x: 0, y: y + 5, class: "pr-name" }, narrow ? row.name.replace(/ \(.*\)$/, "") : row.name),
    ];
    if (!narrow) parts.push(drawn("text", { x: names - 8, y: y + 5, class: "pr-total", "text-anchor": "end" }, formatNumber(row.tokens)));
    row.premiums.forEach((premium, language) => {
      if (!premium || language === this.picture.base) return;
      this.places.push({ language, row: number, x: this.x(premium), y });
      if (language !== this.language) parts.push(drawn("circle", { cx: this.x(premium), cy: y, r: 5, class: row.read[language] ? "pr-dot" : "pr-lost" }));
    });
    if (row.middle) parts.push(drawn("rect", { x: this.x(row.middle) - 1.25, y: y - 9, width: 2.5, height: 18, class: "pr-middle" }));
    return [...parts, ...this.chosen(row, y)];
  }

  chosen(row, y) {
    const premium = row.premiums[this.language];
    if (!premium || this.language === this.picture.base) return [];
    const x = this.x(premium);
    const read = row.read[this.language];
    const text = read ? multiple(premium).replace(" ×", "") : inWords("{0} % lost", Math.round(row.lost[this.language] * 100));
    return [
      drawn("circle", { cx: x, cy: y, r: 7, class: read ? "pr-here" : "pr-lost pr-lost-here" }),
      // the words of a loss stand above: at its right is where others pay
      drawn("text", read ? { x: x + 12, y: y + 5, class: "pr-value" } : { x: x - 6, y: y - 9, class: "pr-value pr-gone" }, text),
    ];
  }

  under(event) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.width / box.width;
    const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = null;
    let least = REACH;
    for (const place of this.places ?? []) {
      const far = Math.hypot(place.x - x, place.y - y);
      if (far < least) [best, least] = [place, far];
    }
    return best;
  }

  /* Rings the language under the pointer in every row, and names it. */
  point(dot) {
    const language = dot?.language ?? null;
    if (language === this.pointed && dot?.row === this.pointedRow) return;
    [this.pointed, this.pointedRow] = [language, dot?.row];
    this.ring.replaceChildren(...(dot ? this.places.filter((place) => place.language === language).map(({ x, y }) => drawn("circle", { cx: x, cy: y, r: 7.5, class: "pr-ring" })) : []));
    this.tip.hidden = !dot;
    if (!dot) return;
    const row = this.picture.rows[dot.row];
    const lost = row.read[language] ? "" : `, ${inWords("{0} % lost", Math.round(row.lost[language] * 100))}`;
    setText(this.tip, `${this.picture.languages[language]}: ${multiple(row.premiums[language])}${lost}`);
    this.tip.style.left = `${Math.min(dot.x + 10, this.width - 180)}px`;
    this.tip.style.top = `${dot.y - 40}px`;
  }
}
