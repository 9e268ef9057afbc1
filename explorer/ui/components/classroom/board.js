/* The teacher's bar above a lesson: letters, count, time, pace, end; below it at the left the lessons, and who is where. */

class ClassBoard {
  constructor(line) {
    this.line = line;
    this.letters = make("button", { class: "cl-small", attrs: { type: "button" } });
    this.here = make("b", { class: "num" });
    this.time = make("span", { class: "num" });
    this.parts = make("p", { class: "cl-parts", attrs: { "aria-hidden": "true" } });
    this.pace = make("div");
    this.lock = make("button", { class: "btn", attrs: { type: "button" }, on: { click: () => line.lead({ locked: !line.state?.locked }) } });
    this.end = make("button", { class: "btn", attrs: { type: "button", "aria-haspopup": "dialog" }, on: { click: () => this.box.showPopover() } });
    this.box = make("div", { class: "cl-box", attrs: { popover: "auto", role: "dialog" } });
    this.bar = make("header", { class: "cl-bar" }, this.letters, make("p", { class: "cl-count", attrs: { role: "status" } }, this.here), make("div", { class: "cl-time" }, this.time, this.parts), this.pace, this.lock, this.end, this.box);
    this.way = make("ol", { class: "cl-way" });
    this.node = make("div", { class: "cl-board" }, this.bar, this.way);
    this.letters.addEventListener("click", () => window.dispatchEvent(new CustomEvent("explorer-class-open", { detail: "start" })));
  }

  /* card: { lesson, number, titles }, what the page shows. */
  draw(card) {
    const { line } = this;
    const { state } = line;
    if (!state) return;
    if (this.code !== line.code || this.together !== state.together) {
      this.code = line.code;
      this.together = state.together;
      this.letters.replaceChildren(qrCode(joinAddress(line.code)), ...[...line.code].map((each) => make("span", { text: each })));
      this.letters.setAttribute("aria-label", inWords("{0}: show the code", [...line.code].join(" ")));
      this.pace.replaceChildren(paceOf(line));
      this.box.setAttribute("aria-label", inWords("End the class"));
      this.box.replaceChildren(make("h2", { text: inWords("End the class?") }), make("p", { text: inWords("This server then forgets all answers.") }), make("div", { class: "cl-go" },
        make("button", { class: "btn", text: inWords("Save the counts"), attrs: { type: "button" }, on: { click: () => this.save() } }),
        make("button", { class: "btn main", text: inWords("End the class"), attrs: { type: "button" }, on: { click: () => this.over() } })));
      setText(this.end, inWords("End the class"));
    }
    const lost = line.problem === "lost";
    setText(this.here, lost ? inWords("No line to the server.") : inWords("{0} here", formatNumber(state.here)));
    const minutes = line.kept.minutes ?? 60;
    setText(this.time, inWords("{0} of {1} min", Math.floor((state.seconds ?? 0) / 60), minutes));
    setText(this.lock, state.locked ? inWords("Let others in") : inWords("Let nobody else in"));
    this.lock.setAttribute("aria-pressed", String(Boolean(state.locked)));
    this.drawWay(card);
  }

  drawWay(card) {
    const { line } = this;
    const { at = {}, here } = line.state;
    const drawn = JSON.stringify([card, at, here, line.way]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const base = (key) => key.split(".")[0];
    const done = line.way.findIndex(({ key }) => base(key) === base(card.lesson));
    this.parts.replaceChildren(...line.way.map((each, index) => {
      const part = make("i", { class: index < done ? "done" : "" });
      part.style.flexGrow = each.minutes;
      const share = index === done ? card.number / Math.max(1, card.titles.length) : index < done ? 1 : 0;
      part.style.setProperty("--share", `${100 * share}%`);
      return part;
    }));
    const link = (lesson, number, options, ...children) => {
      const url = new URL(`./learn?lesson=${lesson}${number > 1 ? `&card=${number}` : ""}`, window.location.href);
      const node = make("a", { ...options, attrs: { href: url.href, target: "_self", ...options.attrs } }, ...children);
      node.addEventListener("click", (event) => {
        event.preventDefault();
        openInApp(url);
      });
      return node;
    };
    const count = (n) => {
      const bar = make("i");
      bar.style.setProperty("--share", `${here ? Math.min(100, (100 * n) / here) : 0}%`);
      return n ? [bar, make("span", { class: "num", text: formatNumber(n) })] : [];
    };
    this.way.replaceChildren(...line.way.map((each) => {
      const key = base(each.key);
      const all = Object.entries(at).filter(([name]) => name.startsWith(`${key} `));
      const open = key === base(card.lesson);
      const sum = all.reduce((total, [, n]) => total + n, 0);
      const head = link(each.key, 1, { class: "cl-lesson" }, make("b", { text: each.title }), make("small", { class: "num", text: inWords("{0} min", each.minutes) }), ...(open ? [] : count(sum)));
      if (!open) return make("li", {}, head);
      return make("li", { class: "open" }, head, make("ol", {}, ...card.titles.map((title, index) => {
        const number = index + 1;
        const here_ = number === card.number;
        return make("li", {}, link(card.lesson, number, { class: here_ ? "here" : "", attrs: here_ ? { "aria-current": "true" } : {} }, make("span", { class: "num", text: String(number) }), make("b", { text: title }), ...count(at[`${key} ${number}`] ?? 0)));
      })));
    }));
  }

  async save() {
    const given = await this.line.ask({ counts: true });
    const rows = given?.counts;
    if (!rows) return;
    const lines = ["card,question,choice,count", ...rows.map(([card, asks, choice, count]) => [card, asks, choice + 1, count].join(","))];
    const link = make("a", { attrs: { href: URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" })), download: `class-${this.line.code}.csv` } });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  async over() {
    await this.line.ask({ end: true });
    this.box.hidePopover();
    this.line.leave();
    openInApp(new URL("./learn", window.location.href));
  }
}
