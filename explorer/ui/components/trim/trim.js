/* A vocabulary that is cut, or extended: the curve of cost over size with its slider, and what the chosen size changes.

   All sizes come at once, so the slider asks nobody. At rest it reports its size, and the tokens of the text, the names and
   the ids of that size follow; until then those of the size before stand dimmed. */

const REST_MS = 350;
const SVG = "http://www.w3.org/2000/svg";
const TALL = 232;
const EDGE = { left: 54, right: 12, top: 12, bottom: 24 };

function drawn(tag, attributes = {}, text = null) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== null) node.textContent = text;
  return node;
}

function percent(share, digits = 1) {
  const sign = share > 0 ? "+" : share < 0 ? MINUS : "";
  return `${sign}${(Math.abs(share) * 100).toFixed(digits).replace(".", inWords("."))} %`;
}

/* As a factor from half more on. */
function change(now, before) {
  const ratio = before ? now / before : 1;
  return ratio >= 1.5 ? `× ${ratio.toFixed(1).replace(".", inWords("."))}` : percent(ratio - 1);
}

/* A round step that divides a range in two to five parts. */
function stepOf(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return [0.2, 0.25, 0.5, 1, 2].map((each) => each * power).find((step) => most / step <= 5);
}

class TrimView {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.say = make("p", { class: "tr-say", attrs: { "aria-live": "polite" } });
    this.more = make("p", { class: "tr-more" });
    this.svg = drawn("svg", { "aria-hidden": "true" });
    this.slider = make("input", { attrs: { type: "range", min: "0", step: "1" }, on: { input: () => this.slide(), change: () => this.slide() } });
    this.curve = make("div", { class: "tr-curve" }, this.svg, this.slider);
    this.curveHead = head();
    this.texts = make("section", {});
    this.costs = make("section", {});
    this.named = make("section", {});
    this.ids = make("section", {});
    this.root.append(
      this.say, this.more,
      make("div", { class: "tr-card" },
        make("div", {}, make("section", {}, this.curveHead, this.curve), this.texts),
        make("div", {}, this.costs),
        make("div", {}, this.named, this.ids)));
    this.watched = new ResizeObserver(([{ contentRect }]) => {
      if (Math.round(contentRect.width) === this.width) return;
      this.width = Math.round(contentRect.width);
      this.draw();
    });
    this.watched.observe(this.curve);
  }

  destroy(stays) {
    this.watched.disconnect();
    clearTimeout(this.waiting);
    if (!stays) writeAddress({ "trim-size": null });
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.report = (size) => setStateValue("size", size);
    const id = JSON.stringify([data.points, data.extends]);
    const fresh = this.id !== id;
    this.id = id;
    this.data = { ...data, ...inOrder(data) };
    this.sizes();
    if (fresh) this.at = this.data.sizes.indexOf(data.size);
    this.slider.max = String(this.data.sizes.length - 1);
    this.slider.value = String(this.at);
    this.draw();
    this.show();
    this.drawView();
  }

  /* What each size costs, compared with the whole vocabulary: on lines that it has not seen, and on those that chose. */
  sizes() {
    const { points, whole, count } = this.data;
    const sum = ({ costs }) => costs.slice(0, count).reduce((all, each) => all + each, 0);
    const share = (now, before) => (before ? now / before - 1 : 0);
    this.unseen = points.map((each) => share(sum(each), sum(points[whole])));
    this.seen = points.map((each) => share(each.seen, points[whole].seen));
  }

  slide() {
    const at = Number(this.slider.value);
    if (at === this.at) return;
    this.at = at;
    const size = this.data.sizes[at];
    writeAddress({ "trim-size": String(size) });
    this.draw();
    this.show();
    this.drawView();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.report(size), REST_MS);
  }

  /* The answer of a size, and a line about it. */
  said() {
    const { points, whole, extends: extending } = this.data;
    const [now, before] = [points[this.at].tokens, points[whole].tokens];
    const [unseen, seen] = [this.unseen[this.at], this.seen[this.at]].map((each) => percent(Math.abs(each)).replace("+", ""));
    if (extending) {
      return [
        inWords("{0} new tokens save {1} on text that did not teach them.", formatNumber(now - before), unseen),
        inWords("On the lines that taught them, {0}. All old tokens keep their ids, and no text gets more tokens.", seen),
      ];
    }
    const about = this.seen[this.at] ? inWords("On the lines that chose them, {0} more.", seen) : inWords("On the lines that chose them nothing changes.");
    return [
      inWords("{0} of {1} tokens cost {2} more on text that did not choose them.", formatNumber(now), formatNumber(before), unseen),
      `${about} ${inWords("Room that is left is filled with the lowest ids.")}`,
    ];
  }

  /* The sentences and the costs of the chosen size. */
  show() {
    const { groups, count, points, whole, sizes, extends: extending } = this.data;
    const [say, more] = this.said();
    setText(this.say, say);
    setText(this.more, more);
    this.slider.setAttribute("aria-label", extending ? inWords("New tokens") : inWords("Tokens to keep"));
    this.slider.setAttribute("aria-valuetext", `${formatNumber(points[this.at].tokens)}: ${percent(this.unseen[this.at])}`);
    const before = points[whole].costs;
    const now = points[this.at].costs;
    const row = (name, index) => {
      const dear = now[index] >= 1.5 * before[index];
      return make("tr", {}, make("th", { text: name, attrs: { scope: "row" } }), make("td", { text: formatNumber(before[index]) }), make("td", { text: formatNumber(now[index]) }), make("td", { class: dear ? "tr-dear" : "tr-change", text: change(now[index], before[index]) }));
    };
    const others = make("tr", {}, make("th", { class: "tr-others", text: inWords("not asked for"), attrs: { colspan: "4" } }));
    const rows = groups.map(row);
    const top = make("tr", {}, make("td", {}), ...[inWords("before"), inWords("after"), inWords("change")].map((text) => make("th", { text, attrs: { scope: "col" } })));
    this.costs.replaceChildren(head(inWords("Cost of each"), inWords("tokens of the lines not seen")), make("table", {}, make("thead", {}, top), make("tbody", {}, ...rows.slice(0, count), others, ...rows.slice(count))));
    this.curveHead.replaceChildren(...head(extending ? inWords("How many to add") : inWords("How many to keep"), inWords("tokens of the text, compared with before")).childNodes);
  }

  /* What only the size that was asked for last has. */
  drawView() {
    const { view, sizes, points, whole, extends: extending } = this.data;
    const late = !view || view.size !== sizes[this.at];
    for (const each of [this.texts, this.named, this.ids]) setClass(each, "tr-late", late);
    if (!view || this.shownView === view) return;
    this.shownView = view;
    this.texts.replaceChildren(head(inWords("Before and after"), this.data.text), line(inWords("before"), view.before, view.after, "gone"), line(inWords("after"), view.after, view.before, "new"));
    const names = view.named.map(([text, parts]) => make("span", { class: extending ? "tr-name tr-added" : "tr-name", text: parts.length ? `${text} = ${parts.join(" + ")}` : text }));
    const [title, about, note] = extending
      ? [inWords("New tokens"), inWords("with the old ones that they are made of"), inWords("The embedding of a new token begins as the mean of those of its parts, and has to be trained.")]
      : [inWords("Dropped"), inWords("the lowest ids first"), inWords("Closed under merges: a token stays only with the tokens that it is made of.")];
    this.named.replaceChildren(head(`${title} ${formatNumber(view.total)}`, about), make("p", { class: "tr-names" }, ...names), make("p", { class: "tr-note", text: note }));
    const kept = points[sizes.indexOf(view.size)].tokens;
    const moved = view.ids.map(([text, old, now]) => make("tr", {}, make("th", { class: "tr-mono", text, attrs: { scope: "row" } }), make("td", { text: plainNumber(old) }), make("td", { text: "→" }), make("td", { class: old === now ? "" : "tr-change", text: plainNumber(now) })));
    const rows = make("tr", {}, make("th", { text: inWords("rows of the embedding"), attrs: { scope: "row" } }), make("td", { text: formatNumber(points[whole].tokens) }), make("td", { text: "→" }), make("td", { class: "tr-change", text: formatNumber(kept) }));
    this.ids.replaceChildren(head(inWords("Ids, old to new")), make("table", {}, make("tbody", {}, rows, ...moved)), proofs(view));
  }

  draw() {
    if (!this.width || !this.data) return;
    const { sizes, whole, extends: extending } = this.data;
    const { unseen, seen } = this;
    const last = sizes.length - 1;
    const least = Math.min(0, ...unseen, ...seen);
    const most = Math.max(least < 0 ? 0 : 0.01, ...unseen.filter((each) => each < 3), ...seen.filter((each) => each < 3));
    const step = stepOf(most - least);
    const low = Math.floor(least / step) * step;
    const high = Math.ceil(most / step) * step;
    const x = (at) => EDGE.left + (at / Math.max(1, last)) * (this.width - EDGE.left - EDGE.right);
    const y = (share) => EDGE.top + ((high - Math.min(share, high)) / (high - low)) * (TALL - EDGE.top - EDGE.bottom);
    const lines = [];
    for (let tick = low; tick <= high + step / 2; tick += step) {
      lines.push(drawn("line", { x1: EDGE.left, x2: this.width - EDGE.right, y1: y(tick), y2: y(tick), class: "tr-grid" }), drawn("text", { x: EDGE.left - 8, y: y(tick) + 4, class: "tr-tick", "text-anchor": "end" }, percent(Math.abs(tick) < step / 9 ? 0 : tick, step < 0.01 ? 1 : 0)));
    }
    const path = (shares) => shares.map((share, at) => `${x(at)},${y(share)}`).join(" ");
    let free = 0;
    const ticks = sizes.map((size, at) => {
      const text = at === whole ? extending ? inWords("none") : inWords("all") : formatNumber(size);
      const here = at === this.at;
      const half = 3.8 * text.length + 6;
      const right = at === last;
      if (!here && (x(at) - half < free || (!right && Math.abs(x(at) - x(this.at)) < half + 24) || (!right && x(at) + half > x(last) - 20))) return "";
      free = x(at) + half;
      return drawn("text", { x: right ? x(at) + EDGE.right : x(at), y: TALL - 4, class: here ? "tr-tick tr-on" : "tr-tick", "text-anchor": right ? "end" : "middle" }, text);
    });
    const chosen = y(unseen[this.at]);
    const toRight = this.at < last * 0.7;
    this.svg.replaceChildren(
      ...lines, drawn("polyline", { points: path(seen), class: "tr-seen" }), drawn("polyline", { points: path(unseen), class: "tr-unseen" }),
      ...unseen.map((share, at) => drawn("circle", { cx: x(at), cy: y(share), r: 3.5, class: "tr-dot" })),
      drawn("line", { x1: x(this.at), x2: x(this.at), y1: EDGE.top - 6, y2: TALL - EDGE.bottom, class: "tr-at" }),
      drawn("circle", { cx: x(this.at), cy: chosen, r: 6, class: "tr-here" }),
      drawn("text", { x: x(this.at) + (toRight ? 12 : -12), y: Math.max(chosen - 12, 14), class: "tr-value", "text-anchor": toRight ? "start" : "end" }, percent(unseen[this.at])),
      ...ticks.filter(Boolean));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${TALL}`);
    this.svg.setAttribute("height", TALL);
    this.drawLegend();
  }

  drawLegend() {
    if (this.legend) return;
    const sign = (kind) => {
      const node = drawn("svg", { width: 22, height: 10, "aria-hidden": "true" });
      node.append(drawn("line", { x1: 0, x2: 22, y1: 5, y2: 5, class: kind }));
      return node;
    };
    this.legend = make("p", { class: "tr-legend" }, make("span", {}, sign("tr-unseen"), inWords("lines not seen")), make("span", {}, sign("tr-seen"), inWords("lines seen")));
    this.curve.after(this.legend);
  }
}

/* The sizes in their order: the whole vocabulary comes as 0, the first one, and is the largest unless tokens are added to it. */
function inOrder({ sizes, points, extends: extending }) {
  if (extending) return { whole: 0 };
  const last = ([first, ...rest]) => [...rest, first];
  return { whole: sizes.length - 1, sizes: last(sizes), points: last(points) };
}

function head(title = "", about = "") {
  return make("h3", { class: "h" }, title, " ", make("small", { text: about }));
}

/* The tokens of the text in a row, and how many they are. Those that the other row has not on the same characters are marked. */
function line(name, pieces, others, kind) {
  const there = new Set(others.map(([, , old, span]) => `${old} ${span}`));
  const chips = pieces.map(([text, id, old, span]) => {
    const look = !there.has(`${old} ${span}`) ? kind : id === old ? "" : "moved";
    return make("span", { class: `tr-piece ${look}` }, make("b", { text, dir: "auto" }), make("small", { text: plainNumber(id) }));
  });
  return make("div", { class: "tr-line" }, make("span", { class: "tr-line-name", text: name }), make("div", { class: "tr-pieces" }, ...chips), make("b", { class: "num", text: formatNumber(pieces.length) }));
}

/* What was tried, a line each. */
function proofs({ lines, back, lost }) {
  const said = [[back === lines, inWords("Every text comes back: {0} of {1} lines.", formatNumber(back), formatNumber(lines))]];
  if (lost !== undefined) said.push([!lost, lost ? inWords("{0} tokens that stay are not made any more.", formatNumber(lost)) : inWords("Text gives every token that stays, as before.")]);
  return make("ul", { class: "tr-proofs" }, ...said.map(([holds, text]) => make("li", { class: holds ? "" : "tr-dear", text: `${holds ? "✓" : "✗"} ${text}` })));
}

const trimViews = mounts();

export default function (component) {
  trimViews.get(component, () => new TrimView(component)).update(component);
  return () => trimViews.drop(component.parentElement);
}
