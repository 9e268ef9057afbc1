/* Rows of tokens on one text, aligned on its characters. Needs lines.js.

   Every line is a CSS grid: the rows' names in the first column, then the line's columns. Left and right move along a
   row, up and down to the same column of the next row. The first lines are drawn at once, the others on request.
   Listeners are on the root, once.                                                                                 */

const DIGIT = 7.7; // width of a chip's digit in pixels; the unit of the blocks' widths
const BORDERS = 2.2; // of a chip and the gap after it, in digits
const BARE = 10.4; // width of a token's character where it is set at 17 pixels
const TIGHT = 800; // narrower than this, names and counts take less
const NAMES = { least: 70, most: 236, framed: 182, letter: 6.9, around: 38, tight: 200 }; // width of the names in pixels
const NARROW = 640;
const FIRST_LINES = 40;
const PITCH = { wide: [20, 34], narrow: [20, 24] }; // pixels of a character, at least and at most, in rows with a frame
const KINDS = () => ["", inWords("fewer tokens than the baseline"), inWords("more tokens than the baseline"), inWords("cut elsewhere than the baseline"), inWords("differs")];
let alignedNumber = 0;

class Aligned {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("aligned");
    this.name = `aligned-${(alignedNumber += 1)}`;
    this.at = { row: 0, index: 0 };
    this.looked = null;
    this.lookedRow = null; // the row whose reason is shown
    this.unfolded = address("all") === "1"; // whether rows that are the same are shown
    this.opened = null; // the node of the cell that was clicked last
    this.hover = null;
    this.width = 0;
    this.all = false;
    this.box = make("div", { class: "lines", attrs: { role: "grid", "aria-label": "Tokens of every row, aligned on the text" } });
    this.more = make("button", { class: "link more", attrs: { type: "button" }, on: { click: () => this.showAll() } });
    this.more.hidden = true;
    this.tips = make("div", { class: "tips", attrs: { id: `${this.name}-details` } });
    this.strip = make("div", { class: "strip", attrs: { "aria-live": "off" } }, this.tips);
    this.legend = make("ol", { class: "legend" }); // used when the names don't fit beside their rows
    this.say = make("p", { class: "al-say", attrs: { "aria-live": "polite" } });
    this.colors = make("p", { class: "al-colors" });
    this.parting = make("div", { class: "al-parting" });
    this.list = make("div", { class: "fr-list" });
    this.below = make("div", { class: "fr-below" });
    this.part = make("p", { class: "fr-part" });
    const card = make("div", { class: "al-card" }, this.legend, this.list, this.part, this.box, this.more, this.parting, this.below);
    this.save = pictureButton(this.root, () => this.picture());
    this.border = make("button", { class: "picture-button", text: inWords("Cut it in two"), attrs: { type: "button", title: inWords("Which positions keep the ids, and where to cut instead") }, on: { click: () => this.openBorder() } });
    const head = make("div", { class: "al-head" }, this.colors, make("div", { class: "al-actions" }, this.border, this.save));
    this.root.append(this.say, head, card, this.strip);

    this.root.addEventListener("click", (event) => this.clicked(event));
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("pointerover", (event) => event.pointerType !== "touch" && !this.tips.contains(event.target) && this.look(this.positionOf(event), this.rowAt(event)));
    this.root.addEventListener("pointerleave", () => this.look(null));
    this.root.addEventListener("focusin", (event) => (this.rowAt(event) === null ? this.focusAt(this.positionOf(event)) : this.look(null, this.rowAt(event))));
    // the details stay while the focus is in them
    this.root.addEventListener("focusout", (event) => this.tips.contains(event.relatedTarget) || this.look(null));
    const stops = [
      onSpans(
        () => this.mark(),
        (span) => {
          this.hover = span;
          this.mark();
        },
      ),
      listenTo("keydown", (event) => this.toPlace(event)),
      onAddress(() => {
        if (!this.border.hidden && address("border") !== null) afterBack(() => this.setStateValue("border", String(Date.now())));
        const open = address("all") === "1";
        if (open !== this.unfolded && this.frame?.folded) this.unfold(open);
      }),
    ];
    this.stopListening = () => stops.forEach((stop) => stop());
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.observer.observe(this.root);
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.specs = data.specs;
    this.setStateValue = setStateValue;
    this.border.hidden = !data.border;
    this.frame = data.frame ?? null;
    this.others = data.names ?? [];
    this.say.hidden = !data.say && !this.frame;
    if (data.say) fillSentence(this.say, data.say.template, data.say.args, data.say.texts, null);
    for (const name of this.say.querySelectorAll("bdi")) setClass(name, "short", name.textContent.length <= 24);
    this.showParting(data.parting, data.specs);
    this.showFrame();
    if (data.rows_id === this.id) return;
    this.id = data.rows_id;
    this.box.hidden = this.strip.hidden = this.save.hidden = !data.rows;
    if (!data.rows) {
      this.rows = null;
      this.nodes = [];
      this.box.replaceChildren();
      this.more.hidden = true;
      return;
    }
    this.taken(JSON.parse(data.rows));
    this.all = false;
    this.arrange();
  }

  /* What Python sent, as this component keeps it. */
  taken({ rows, looks, blocks, heads }) {
    const cellOf = ([from, to, s, e, kind, look]) => ({ from, to, s, e, kind, ...looks[look] });
    // fewest tokens first; `index`: the tokenizer's place among those compared
    this.every = rows.map((row, index) => ({ ...row, index, cells: row.cells.map(cellOf) }));
    if (!this.frame) this.every.sort((a, b) => a.tokens - b.tokens);
    this.blocks = blocks;
    this.heads = heads;
  }

  /* The rows that are shown. */
  arrange() {
    const rows = this.frame?.folded && !this.unfolded ? this.every.filter((row) => !row.same) : this.every;
    this.rows = rows;
    this.most = Math.max(1, ...rows.map((row) => row.tokens));
    const base = this.rows.find((row) => row.base);
    this.colors.hidden = rows.length < 2 && !this.frame;
    if (!this.frame) this.colors.replaceChildren(`${inWords("Gray: cut as {0} cuts.", base.label)} `, colored(1, `${inWords("Green: fewer tokens here.")} `), colored(2, `${inWords("Orange: more.")} `), colored(3, inWords("Violet: as many, cut elsewhere.")));
    const letters = Math.max(0, ...rows.map((row) => Math.max(row.label.length + 9 * row.base, inWords(row.family).length)));
    this.names = Math.max(NAMES.least, Math.min(this.frame ? NAMES.framed : NAMES.most, letters * NAMES.letter + NAMES.around));
    this.root.style.setProperty("--rows", rows.length);
    this.legend.replaceChildren(...this.rows.map((row, rowIndex) => make("li", {}, number(rowIndex), make("bdi", { text: row.label }), ...this.count(row))));
    this.at = { row: 0, index: 0 };
    this.looked = null;
    this.lookedRow = null;
    this.draw();
  }

  openBorder() {
    writeAddress({ border: "" }, true);
    this.setStateValue("border", String(Date.now()));
  }

  linkTo(link) {
    return linkNode(link, this.others, (changes) => this.setStateValue("go", changes));
  }

  /* What stands around the rows. */
  showFrame() {
    const { frame } = this;
    setClass(this.root, "framed", Boolean(frame));
    if (!frame) return;
    fillLine(this.say, frame.said);
    fillLine(this.colors, frame.note);
    this.list.replaceChildren(...(frame.list ? listNode(frame.list, (number) => this.setStateValue("use", `${number} ${Date.now()}`)) : []));
    this.markCut();
    setText(this.part, frame.part ?? "");
    const { remedy, link, folded } = frame;
    this.below.replaceChildren(
      ...(folded ? [foldedNode(folded, this.unfolded, () => this.unfold(!this.unfolded))] : []),
      ...(remedy ? remedyNode(remedy, link && this.linkTo(link)) : link ? [this.linkTo(link)] : []),
    );
  }

  unfold(open) {
    this.unfolded = open;
    writeAddress({ all: open ? "1" : null });
    this.showFrame();
    this.arrange();
    this.below.querySelector(".fr-show")?.focus();
  }

  /* Ids that go on behind the edge fade there. */
  markCut() {
    for (const ids of this.list.querySelectorAll(".fr-ids")) setClass(ids, "cut", ids.scrollWidth > ids.clientWidth);
  }

  destroy() {
    this.stopListening();
    this.observer.disconnect();
  }

  resized(width) {
    if (Math.abs(width - this.width) < 1) return;
    this.width = width;
    this.markCut();
    if (this.rows) this.draw();
  }

  // --- drawing

  draw() {
    this.nodes = this.rows.map(() => []); // a selection is announced to rows without room, too
    if (this.width === 0) return; // not laid out yet, or hidden: resized() follows
    const narrow = this.width < NARROW;
    const tight = !this.frame && this.width < TIGHT; // beside a card of a lesson
    const named = tight ? Math.min(this.names, NAMES.tight) : this.names;
    const counts = this.frame ? 140 : tight ? 88 : 104;
    this.root.style.setProperty("--names", `${named}px`);
    this.root.style.setProperty("--around", `${counts}px`);
    const names = narrow ? (this.frame ? 0 : 30) : named + 6;
    const room = this.width - names - (narrow ? 16 : counts + 64); // 64: the padding
    const least = Math.max(12, room / DIGIT);
    this.lines = packLines(this.frame ? this.pitched(room, narrow) : this.withIds(), least);
    const wholeIds = !this.frame && this.lines.length <= FIRST_LINES;
    if (!this.frame && !wholeIds) this.lines = packLines(this.blocks, least);
    setClass(this.root, "whole-ids", wholeIds);
    const shown = this.all ? this.lines : this.lines.filter(this.frame?.fold ? (line, at) => at === 0 || this.differsIn(line) : () => true).slice(0, FIRST_LINES);
    const inRows = this.box.contains(this.root.getRootNode().activeElement);
    this.box.replaceChildren(...shown.map((line, number) => this.line(line, number === 0)));
    const hidden = this.lines.length - shown.length;
    this.more.hidden = hidden === 0;
    setText(this.more, this.frame?.fold ? inWords("Show all {0} lines: in the others nothing differs", formatNumber(this.lines.length)) : inWords("show {0} more lines", formatNumber(hidden)));
    this.rove(this.at.row, this.at.index);
    if (inRows) this.nodes[this.at.row]?.[this.at.index]?.focus({ preventScroll: true });
    this.mark();
    this.updateDetails();
  }

  /* Blocks as wide as their ids need, too. */
  withIds() {
    const needed = ({ n, ids }) => BORDERS + ((n ?? ids.length) > 1 ? 3 : String(ids[0]).length);
    return this.blocks.map(([from, to, width]) => [from, to, Math.max(width, ...this.rows.map(({ cells }) => cellsWithin(cells, from, to).reduce((sum, at) => sum + needed(cells[at]), 0)))]);
  }

  /* Blocks as wide as their characters, all characters equally wide: as wide as fit on one line, within limits. A column
     without text, such as BOS, or with a label, such as U+200B, is as wide as the widest token in it needs. */
  pitched(room, narrow) {
    const letters = new Map(this.heads.map(([column, text]) => [column, lettersOf(text).length || 1]));
    const last = Math.max(0, ...this.blocks.map(([, to]) => to));
    const needs = new Array(last).fill(0);
    const needed = ({ t, ids, control }) => Math.max([...t].length * BARE, ids.length > 1 ? 26 : 0) * (control ? 0.9 : 1) + 8;
    for (let column = 0; column < last; column += 1) if (!letters.has(column)) needs[column] = 46;
    const cells = this.rows.flatMap((row) => row.cells).sort((a, b) => a.to - a.from - (b.to - b.from));
    for (const cell of cells) if (cell.to - cell.from === 1) needs[cell.from] = Math.max(needs[cell.from], letters.has(cell.from) && !cell.control && !cell.look ? 0 : needed(cell));
    const fixed = needs.reduce((sum, each) => sum + each, 0);
    const free = [...letters].reduce((sum, [column, each]) => sum + (needs[column] ? 0 : each), 0);
    const [least, most] = narrow ? PITCH.narrow : PITCH.wide;
    const px = Math.max(least, Math.min(most, Math.floor((room - fixed) / Math.max(1, free))));
    this.px = px;
    this.root.style.setProperty("--px", `${px}px`);
    const widths = needs.map((each, column) => Math.max(each, (letters.get(column) ?? 0) * px));
    // what a token across several columns lacks, they share, as in CSS
    for (const cell of cells) {
      const lack = needed(cell) - widths.slice(cell.from, cell.to).reduce((sum, each) => sum + each, 0);
      if (lack > 0) for (let column = cell.from; column < cell.to; column += 1) widths[column] += lack / (cell.to - cell.from);
    }
    return this.blocks.map(([from, to]) => [from, to, widths.slice(from, to).reduce((sum, each) => sum + each, 0) / DIGIT]);
  }

  differsIn({ from, to }) {
    return this.rows.some((row) => cellsWithin(row.cells, from, to).some((index) => row.cells[index].kind));
  }

  line({ from, to }, isFirst) {
    const columns = Math.max(1, to - from);
    const node = make("div", { class: "line", attrs: { role: "rowgroup" } });
    // a line that is laid out now and scrolls sideways can be scrolled by keyboard
    node.addEventListener("contentvisibilityautostatechange", ({ skipped }) => {
      if (!skipped && node.scrollWidth > node.clientWidth + 1) node.tabIndex = 0;
    });
    node.style.gridTemplateColumns = `auto repeat(${columns}, auto) 1fr auto`;
    node.append(...this.head(from, to, isFirst));
    this.rows.forEach((row, rowIndex) => {
      const about = make("small", { text: inWords(row.family) });
      const label = make("span", { class: "label-text" }, make("bdi", { text: row.label }), ...(row.base && this.rows.length > 1 && !this.frame ? [" ", make("small", { text: inWords("baseline") })] : []));
      const name = make("div", { class: "name", attrs: { role: "rowheader", title: row.label } }, number(rowIndex), make(row.why ? "button" : "div", { class: "who", attrs: row.why ? { type: "button", "aria-describedby": this.tips.id } : {} }, label, about));
      name.rowIndex = rowIndex;
      name.style.setProperty("--r", rowIndex);
      const line = make("div", { class: "aligned-row", attrs: { role: "row" } }, name);
      for (const index of cellsWithin(row.cells, from, to)) line.append(this.cell(row, rowIndex, index, from));
      const count = make("div", { class: "count", attrs: { title: row.facts } }, ...(isFirst ? this.count(row) : []));
      count.style.setProperty("--r", rowIndex);
      if (row.note) name.append(make("span", { class: "name-note" }, ...this.count(row)));
      if (row.rule) {
        for (const each of [name, count, line]) each.classList.add("ruled");
        const rule = make("div", { class: "rule", attrs: { "aria-hidden": "true" } });
        rule.style.setProperty("--r", rowIndex);
        node.append(rule);
      }
      count.style.gridColumn = String(columns + 3);
      line.append(count);
      for (const [from_, to_, text] of (row.gone ?? []).filter(([column]) => column >= from && column < to)) line.append(this.ghost(from_ - from, to_ - from, text, rowIndex));
      node.append(line);
    });
    return node;
  }

  /* The text itself, and behind each column how many of the rows cut there. */
  head(from, to, isFirst) {
    if (this.rows.length < 2) return [];
    const note = make("div", { class: "name head-note", text: isFirst ? (this.frame?.head ?? inWords("how many cut here")) : "", attrs: { "aria-hidden": "true" } });
    note.style.gridRow = "1";
    const nodes = this.heads.filter(([column]) => column >= from && column < to).map(([column, text, cuts]) => {
      const head = make("div", { class: "head", attrs: { "aria-hidden": "true" } });
      for (const letter of text.length > 60 ? [text] : lettersOf(text)) head.append(letter === " " ? make("i", { class: "space", text: "·" }) : make("span", { text: letter === "\n" ? "↵" : letter }));
      if (this.frame) head.style.setProperty("--letters", lettersOf(text).length || 1);
      else if (cuts) head.append(make("b", { class: cuts === this.rows.length ? "cuts all" : "cuts", text: String(cuts) }));
      head.style.gridRow = "1";
      head.style.gridColumn = String(column - from + 2);
      return head;
    });
    return [note, ...nodes];
  }

  count(row) {
    if (row.note) return row.note.map(([text, style]) => make("span", { class: `note ${style}`, text }));
    const more = row.more > 0 ? `+${formatNumber(row.more)}` : formatNumber(row.more);
    const bar = make("i", { class: "bar" });
    bar.style.setProperty("--share", row.tokens / this.most);
    return [make("b", { class: "num", text: formatNumber(row.tokens) }), ...(row.base ? [] : [make("span", { class: `num k${row.more < 0 ? 1 : row.more > 0 ? 2 : 0}`, text: row.more ? more : "0" })]), bar];
  }

  /* Where the rows part most, and a link to the step. */
  showParting(parting, specs) {
    this.parting.hidden = !parting;
    if (!parting) return;
    const [left, right] = parting.sides.map((side) => specs[side]);
    const groups = parting.groups.flatMap(([names, pieces], number) => [number ? " · " : " ", make("bdi", { text: names }), ": ", ...pieces.flatMap((piece, at) => [at ? " | " : "", make("bdi", { class: "piece", text: piece.replace(/^ /, "·") })])]);
    const query = { view: "Where they part", left, right, sel: parting.at.join("-") };
    const link = this.linkTo({ text: inWords("See the step of the first difference"), query });
    this.parting.replaceChildren(make("p", {}, make("b", { text: `${inWords("Biggest difference")}: ` }), make("code", { class: "q", text: parting.text }), ...groups), ...(specs.length ? [link] : []));
  }

  cell(row, rowIndex, index, from) {
    const cell = row.cells[index];
    const count = cell.n ?? cell.ids.length;
    const look = ` k${cell.kind}${cell.look ? ` ${cell.look}` : ""}${count > 1 ? " parts" : ""}`;
    const node = make("div", { class: `chip cell${look}`, attrs: { role: "gridcell", tabindex: "-1" } });
    node.style.setProperty("--r", rowIndex);
    node.style.gridColumn = `${cell.from - from + 2} / ${cell.to - from + 2}`;
    node.rowIndex = rowIndex;
    node.index = index;
    const text = make("b", { class: cell.control ? "label" : "", dir: "auto" });
    asText(text, cell.t, cell.space);
    const several = count > 1;
    const ids = make("small", { class: "ids" }, make("span", { text: several ? `×${formatNumber(count)}` : plainNumber(cell.ids[0]) }));
    if (several) node.style.setProperty("--tokens", Math.min(count, 12));
    node.append(text, ids);
    if (this.frame && cell.e > cell.s && !several && (cell.e - cell.s) * this.px < 8 * String(cell.ids[0]).length + 8) node.classList.add("no-id");
    if (cell.kind) node.append(make("span", { class: "sr", text: KINDS()[cell.kind] }));
    this.nodes[rowIndex][index] = node;
    return node;
  }

  /* The rows as they are sorted here, in their colors. */
  picture() {
    const text = (this.heads ?? []).map(([, letters]) => letters).join("");
    const boxes = ({ cells }) => cells.map(({ t, ids, kind, look }) => ({ t: ids.length > 1 ? `${t} ×${ids.length}` : t, id: ids[0], kind, look }));
    const rows = (this.rows ?? []).map((row) => ({ label: row.label, value: formatNumber(row.tokens), boxes: boxes(row) }));
    return { say: this.say.textContent || text, facts: this.say.textContent ? text : "", rows };
  }

  /* A token that is there in the row as it is, and not in this one. */
  ghost(from, to, text, rowIndex) {
    const node = make("div", { class: "chip cell ghost", attrs: { title: "not in this row" } }, make("b", {}, make("bdi", { text })), make("span", { class: "sr", text: inWords("missing") }));
    node.style.setProperty("--r", rowIndex);
    node.style.gridColumn = `${from + 2} / ${to + 2}`;
    return node;
  }

  showAll() {
    this.all = true;
    this.draw();
  }

  // --- the shared selection

  cellAt({ row, index }) {
    return this.rows[row].cells[index];
  }

  mark() {
    const selection = currentSelection();
    this.nodes?.forEach((row, rowIndex) =>
      row.forEach((node, index) => {
        const { s, e } = this.rows[rowIndex].cells[index];
        setClass(node, "sel", spansOverlap(s, e, selection));
        setClass(node, "hov", spansOverlap(s, e, this.hover));
      }),
    );
    this.updateDetails();
  }

  /* A row whose name is pointed at tells its reason. */
  rowAt(event) {
    const name = event.target.closest?.(".name");
    return name && this.rows?.[name.rowIndex]?.why ? name.rowIndex : null;
  }

  look(position, row = null) {
    if (!position && row === null && !this.looked && this.lookedRow === null) return;
    this.looked = position;
    this.lookedRow = row;
    const cell = position && this.cellAt(position);
    hoverSpan(cell && cell.e > cell.s ? { start: cell.s, end: cell.e } : null, this.name);
    this.updateDetails();
  }

  focusAt(position) {
    if (!position) return;
    this.rove(position.row, position.index);
    this.nodes[position.row][position.index].setAttribute("aria-describedby", this.tips.id);
    this.look(position);
  }

  clicked(event) {
    const position = this.positionOf(event);
    if (!position && this.rowAt(event) !== null) this.look(null, this.rowAt(event));
    if (!position) return;
    const cell = this.cellAt(position);
    this.rove(position.row, position.index);
    this.looked = position;
    this.opened = this.nodes[position.row][position.index];
    if (cell.e > cell.s) chooseSpan(cell.s, cell.e, this.name);
    this.updateDetails();
  }

  positionOf(event) {
    const node = event.target.closest?.(".cell:not(.ghost)");
    return node ? { row: node.rowIndex, index: node.index } : null;
  }

  // --- keys

  pressed(event) {
    const key = keyName(event);
    if (toLinks(event, this.opened, [...this.tips.querySelectorAll("a")])) return;
    if (key === "Escape") return clearSelection(this.name);
    const position = this.positionOf(event);
    if (!position) return;
    const { row, index } = position;
    const last = this.rows[row].cells.length - 1;
    if (key === "ArrowLeft") this.moveTo(row, index - 1);
    else if (key === "ArrowRight") this.moveTo(row, index + 1);
    else if (key === "Home") this.moveTo(row, 0);
    else if (key === "End") this.moveTo(row, last);
    else if (key === "ArrowUp") this.moveAcross(row - 1, this.cellAt(position).from);
    else if (key === "ArrowDown") this.moveAcross(row + 1, this.cellAt(position).from);
    else if (key === "Enter" || key === "Space") this.clicked(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /* To the next place that differs, or the one before: a run of cells that do, in the first row. */
  toPlace(event) {
    const step = { n: 1, N: -1 }[keyName(event)];
    if (!step || !this.frame?.fold || !this.rows || typingIn(event) === "text") return;
    const { cells } = this.rows.find((row) => row.cells.some((cell) => cell.kind)) ?? { cells: [] };
    const row = this.rows.findIndex((each) => each.cells === cells);
    const places = cells.flatMap((cell, index) => (cell.kind && !cells[index - 1]?.kind ? [index] : []));
    if (!places.length) return;
    const here = this.root.contains(this.root.getRootNode().activeElement) && this.at.row === row ? this.at.index : -1;
    const ahead = step > 0 ? places.find((index) => index > here) : places.findLast((index) => index < here);
    this.moveTo(row, ahead ?? places.at(step > 0 ? 0 : -1));
    event.preventDefault();
  }

  moveAcross(row, column) {
    if (row >= 0 && row < this.rows.length) this.moveTo(row, nearestCell(this.rows[row].cells, column));
  }

  moveTo(row, index) {
    const to = Math.max(0, Math.min(index, this.rows[row].cells.length - 1));
    if (to < 0 || this.rows[row].cells.length === 0) return;
    if (!this.nodes[row][to]) this.showAll();
    this.rove(row, to);
    this.nodes[row][to].focus();
  }

  rove(row, index) {
    const old = this.nodes[this.at.row]?.[this.at.index];
    if (old) old.tabIndex = -1;
    this.at = { row, index };
    const now = this.nodes[row]?.[index] ?? this.nodes.find((cells) => cells[0])?.[0];
    if (now) now.tabIndex = 0;
  }

  /* Details of the cell looked at, else of what is selected, else of nothing. */
  updateDetails() {
    if (!this.rows) return;
    const { looked } = this;
    if (!looked && this.lookedRow !== null) return this.tips.replaceChildren(...this.reason(this.rows[this.lookedRow]));
    const position = looked ?? this.selected();
    const cell = position && this.cellAt(position);
    if (!cell) {
      this.tips.replaceChildren(make("span", { class: "hint", data: whatToDo(), text: this.frame?.hint ? ` ${this.frame.hint}` : "" }));
      return;
    }
    const who = make("span", { class: "tip" }, make("bdi", { class: "tip-row", text: this.rows[position.row].label }));
    const where = cell.e > cell.s ? [[inWords("offsets"), inWords("{0}–{1}, end excluded", cell.s, cell.e)]] : [];
    const name = this.specs[this.rows[position.row].index];
    const link = (index) => (name ? [cellLink(name, cell.ids[index])] : []);
    const lines = cell.tips.map((tip, index) => make("div", { class: "tips" }, who.cloneNode(true), ...[...tip, ...where].map(tipNode), ...link(index)));
    const node = this.nodes[position.row][position.index];
    if (cell.kind && this.rows[position.row].why) lines.push(...this.reason(this.rows[position.row]));
    const byKeys = name && node?.matches(":focus-visible");
    this.tips.replaceChildren(...lines, ...(byKeys ? [keysToLinks(node === this.opened)] : []));
  }

  reason(row) {
    return [sayNode("p", row.why), ...(row.link ? [this.linkTo(row.link)] : [])];
  }

  selected() {
    const selection = currentSelection();
    if (!selection) return null;
    const { row } = this.at;
    const index = this.rows[row]?.cells.findIndex((cell) => cell.e > cell.s && spansOverlap(cell.s, cell.e, selection)) ?? -1;
    return index >= 0 ? { row, index } : null;
  }
}

function number(rowIndex) {
  return make("span", { class: "number", text: String(rowIndex + 1) });
}

function colored(kind, text) {
  return make("span", { class: `k${kind}`, text });
}

function tipNode([label, value]) {
  return make("span", { class: "tip" }, make("span", { class: "tip-label", text: label }), " ", make("bdi", { class: "tip-value", text: value }));
}

/* What to do, by pointer and by touch. */
function whatToDo() {
  return {
    point: inWords("Point at a token for its ids and bytes; the same piece of text is marked in every row."),
    tap: inWords("Tap a token for its ids and bytes; the same piece of text is marked in every row."),
  };
}

const alignedViews = mounts();

export default function (component) {
  alignedViews.get(component, () => new Aligned(component)).update(component);
  return () => alignedViews.drop(component.parentElement);
}
