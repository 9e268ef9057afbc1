/* The prompt in one line: a cell for each token, in the color of who wrote it; the rows below it by name. Of a long prompt,
   a cell is as many tokens as it must be, in the color of most of them.

   strip.draw(data, roles)    data: of the stage; roles: the name of each row by its number
   strip.mark({ chosen, warned, lost })   numbers of tokens: ringed, with a mark above, pale                          */

const LEAST_CELL = 3;

class Strip {
  constructor(choose) {
    this.choose = choose;
    this.cells = make("div", { class: "pr-cells", attrs: { "aria-hidden": "true" } });
    this.names = make("div", { class: "pr-names", attrs: { "aria-hidden": "true" } });
    this.node = make("div", { class: "pr-strip" }, this.cells, this.names);
    this.cells.addEventListener("click", (event) => this.clicked(event));
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.observer.observe(this.node);
    this.marks = {};
  }

  destroy() {
    this.observer.disconnect();
  }

  draw({ strip, segments }, nameOf) {
    const id = JSON.stringify([strip, segments, segments.map(([row]) => nameOf(row))]);
    if (id === this.id) return;
    this.id = id;
    this.letters = strip;
    this.segments = segments.map(([row, start, end]) => [nameOf(row), start, end]);
    this.lay();
  }

  resized(width) {
    if (width === this.width) return;
    this.width = width;
    this.lay();
  }

  lay() {
    if (!this.letters || !this.width) return this.cells.replaceChildren();
    const count = this.letters.length;
    this.per = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(this.width / LEAST_CELL))));
    const bins = Math.ceil(count / this.per);
    this.nodes = Array.from({ length: bins }, (_, bin) => {
      const letters = this.letters.slice(bin * this.per, (bin + 1) * this.per);
      const letter = this.per === 1 ? letters : most(letters);
      const who = LETTERS[letter.toLowerCase()] ?? "other";
      return make("i", { class: `pr-cell ${whoClass(who)}${letter !== letter.toLowerCase() ? " half" : ""}` });
    });
    setClass(this.node, "binned", this.per > 1 || this.width / bins < 4);
    this.cells.style.gridTemplateColumns = `repeat(${bins}, minmax(0, 1fr))`;
    this.cells.replaceChildren(...this.nodes);
    let free = -1;
    this.names.replaceChildren(...this.segments.flatMap(([name, start, end], index) => {
      const left = (100 * start) / count;
      const width = (100 * (end - start)) / count;
      const px = (left * this.width) / 100;
      const line = make("span", { class: "pr-line" });
      line.style.left = `${left}%`;
      line.style.width = `calc(${width}% - ${index === this.segments.length - 1 ? 0 : 4}px)`;
      const words = 7.2 * name.length;
      const at = Math.min(px, this.width - words);
      if (at < free) return [line];
      free = at + words + 6;
      const label = make("span", { class: "pr-name", text: name });
      label.style.left = `${at}px`;
      return [line, label];
    }));
    this.mark(this.marks);
  }

  mark(marks) {
    this.marks = marks;
    if (!this.nodes) return;
    const bins = (numbers) => new Set((numbers ?? []).map((n) => Math.floor(n / this.per)));
    const warned = bins(marks.warned);
    const lost = bins(marks.lost);
    const chosen = marks.chosen === null || marks.chosen === undefined ? -1 : Math.floor(marks.chosen / this.per);
    this.nodes.forEach((node, bin) => {
      setClass(node, "warned", warned.has(bin));
      setClass(node, "lost", lost.has(bin));
      setClass(node, "here", bin === chosen);
    });
  }

  clicked(event) {
    const bin = this.nodes?.indexOf(event.target.closest(".pr-cell")) ?? -1;
    if (bin >= 0) this.choose(bin * this.per);
  }
}

/* The letter that occurs most often. */
function most(letters) {
  const counts = new Map();
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts].sort((one, other) => other[1] - one[1])[0][0];
}
