/* Where two tokenizers part: a column for each stage, the marks on the text (marks.js), and the place chosen as rows where
   a side lacks the stage. With `tokens` alone, it draws the tokens that one side makes of the place.

   The place is reported to Python, which draws its panels, and is written to the URL as `place`, counted from 1. */

class Parting {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("parting");
    this.marks = new Marks((place) => this.choose(place));
    this.stopKeys = listenTo("keydown", (event) => this.pressed(event));
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.observer.observe(this.root);
  }

  destroy(stays) {
    this.stopKeys();
    this.observer.disconnect();
    if (this.data?.picture && !stays) writeAddress({ place: null });
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.setStateValue = setStateValue;
    const id = JSON.stringify([data.content_id, data.picture?.place, data.sides]);
    if (id === this.id) return;
    this.id = id;
    this.data = data;
    if (data.tokens) return this.root.replaceChildren(tokenRow(data.tokens));
    const { place } = data.picture;
    writeAddress({ place: place === null || place === data.default ? null : String(place + 1) });
    if (this.width) this.draw();
  }

  resized(width) {
    if (Math.abs(width - (this.width ?? 0)) < 1) return;
    this.width = width;
    if (this.data?.picture) this.draw();
  }

  choose(place) {
    const { picture, content_id: id } = this.data;
    if (place === picture.place) return;
    this.setStateValue("place", `${id} ${place}`);
  }

  /* n and Shift+N, wherever the focus is, unless something is typed. */
  pressed(event) {
    const places = this.data?.picture?.places;
    const by = { n: 1, N: -1 }[keyName(event)];
    if (!by || !places?.length || ["text", "select"].includes(typingIn(event)) || event.defaultPrevented) return;
    event.preventDefault();
    this.choose(((this.data.picture.place ?? -by) + by + places.length) % places.length);
  }

  draw() {
    const { picture, sides, head, rows, label } = this.data;
    const focused = this.root.getRootNode().activeElement?.classList.contains("pt-mark");
    const narrow = this.width <= 640;
    const side = narrow ? 0 : 196;
    this.root.style.setProperty("--stages", picture.stages.length);
    const parts = [this.stages(picture, sides, label)];
    if (sides.length > 1) {
      this.marks.draw(picture, this.width - side);
      parts.push(make("div", { class: "pt-band" }, about(...this.told(picture)), this.marks.scroll));
    }
    if (head) parts.push(make("p", { class: "pt-head" }, make("b", { text: head.title }), make("span", { text: head.note })));
    if (rows) parts.push(this.rows(rows, sides, narrow));
    this.root.replaceChildren(...parts);
    if (focused) this.root.querySelector(".pt-mark.here")?.focus();
  }

  told({ count, places }) {
    const dashed = places.some(([, , harmless]) => harmless) ? inWords("dashed: no id depends on it") : places.some(([, , , ids]) => ids) ? inWords("dashed: only the ids do") : "";
    const harmless = places.length && !count;
    const number = harmless ? places.length : count;
    return [counted(number, "place differs", "places differ"), dashed || (number > 1 ? inWords("click one to see its step") : "")];
  }

  stages({ stages, differ, here, harmless }, sides, label) {
    const nodes = sides.map(({ name, about: line }, side) => {
      const node = about(name, line);
      node.classList.add("pt-side");
      node.style.setProperty("--side", side);
      return node;
    });
    const head = (column, text, style = "") => {
      const node = make("span", { class: `pt-over ${style}`, text });
      node.style.setProperty("--column", column);
      return node;
    };
    if (sides.length > 1) {
      if (differ > 0 && stages[0].same) nodes.push(head(0, stages.every(({ same }) => same) ? inWords("the same on both sides, all the way") : inWords("the same on both sides")));
      if (here !== null) nodes.push(head(here, harmless.includes(here) && here < differ ? inWords("no id depends on it") : inWords("the first difference"), "here"));
      const after = here === null ? differ : Math.max(here, differ) + 1;
      if (differ < stages.length && after < stages.length) nodes.push(head(after, inWords("follows from it")));
    }
    stages.forEach(({ sides: pair, same }, column) => {
      const shown = same || sides.length === 1 ? pair.slice(0, 1) : pair;
      shown.forEach((stage, side) => {
        const style = [same ? "same" : "", column < differ ? "before" : "", column === here ? "here" : "", stage ? "" : "none", harmless.includes(column) && column < differ ? "harmless" : ""].join(" ");
        const [name, result, changed] = stage ?? ["", inWords("no such stage"), false];
        const node = make("div", { class: `pt-stage ${style}` }, ...(name ? [make("b", { text: name })] : []), make("span", { class: changed ? "" : "dim", text: result }));
        node.style.setProperty("--column", column);
        node.style.setProperty("--side", side);
        nodes.push(node);
      });
    });
    const picture = make("div", { class: `pt-stages${sides.length === 1 ? " one" : ""}`, attrs: { role: "img", "aria-label": label } }, ...nodes);
    return make("div", {}, picture, stageTable(stages, sides));
  }

  rows({ columns, text, sides: made }, sides, narrow) {
    const room = narrow ? this.width - 84 : Math.min(640, this.width - 196 - 260);
    const px = Math.max(20, Math.min(52, room / Math.max(1, columns)));
    const changes = sides.some(({ tokens }) => tokens.length); // some id depends on it
    const line = (name, more, cells, tokens, first) => {
      const row = make("div", { class: "pt-cells" }, ...cells.map(([shown, code, from, to, differs]) => {
        const cell = make("span", { class: `pt-cell${differs ? " here" : ""}` }, make("b", { text: shown }), ...(code && px >= 40 ? [make("small", { text: code })] : []));
        cell.style.gridColumn = `${from + 1} / ${Math.max(from + 2, to + 1)}`;
        return cell;
      }));
      row.style.gridTemplateColumns = `repeat(${columns}, ${px}px)`;
      const side = first ? make("p", { class: "pt-so", text: inWords("and so the tokens are") }) : tokenRow(tokens);
      return make("div", { class: "pt-row" }, about(name, more), ...(columns ? [row] : []), ...(changes ? [side] : []));
    };
    const whole = columns ? [line(inWords("Your text"), inWords("at this place"), text, [], true)] : [];
    return make("div", { class: "pt-rows" }, ...whole, ...sides.map(({ name, does, tokens }, side) => line(name, does, made[side], tokens)));
  }
}

function about(name, line) {
  return make("div", { class: "pt-about" }, make("b", {}, make("bdi", { text: name })), make("small", { text: line }));
}

function tokenRow(tokens) {
  return make("div", { class: "pt-tokens" }, ...tokens.map(([text, id]) => {
    if (id === undefined) return make("small", { text: inWords("and {0} more", formatNumber(text)) });
    const shown = make("b", {});
    asText(shown, text, /^·+(?=.)/.exec(text)?.[0].length ?? 0);
    return make("span", { class: "pt-cell here" }, shown, make("small", { text: plainNumber(id) }));
  }), ...(tokens.length ? [] : [make("small", { text: inWords("no token") })]));
}

/* The same for screen readers. In a box: a table cannot be narrower than its words, and would widen the page of a phone. */
function stageTable(stages, sides) {
  const row = (cells, tag) => make("tr", {}, ...cells.map((text, index) => make(index ? tag : "th", { text, attrs: index ? {} : { scope: "row" } })));
  const result = (stage) => (stage ? `${stage[0]}: ${stage[1]}` : inWords("no such stage"));
  const rows = sides.map(({ name }, side) => row([name, ...stages.map(({ sides: pair }) => result(pair[side]))], "td"));
  return make("div", { class: "sr" }, make("table", { attrs: { "aria-label": "Stages" } }, make("tbody", {}, ...rows)));
}

const partings = mounts();

export default function (component) {
  partings.get(component, () => new Parting(component)).update(component);
  return () => partings.drop(component.parentElement);
}
