/* The event log: a line for each step, the current one in the middle. A click on a line goes to its step. */

class Log extends Panel {
  constructor(view) {
    super(view, inWords("Event log"));
    this.rows = new VirtualRows(inWords("Event log"), () => this.makeRow(), (node, index, other) => this.fillRow(node, index, other));
    this.rows.node.classList.add("log");
    this.body.append(this.rows.node);
    this.rows.node.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (!row) return;
      // The clicked node will soon show another step, so the list takes the focus, not the node.
      this.rows.node.focus({ preventScroll: true });
      view.go(row.rowIndex + 1);
    });
  }

  destroy() {
    this.rows.destroy();
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    this.rows.setSize(this.view.player.last, narrow ? 44 : 26);
  }

  follow(frame) {
    this.rows.setSize(this.view.player.last, this.narrow ? 44 : 26);
    if (frame.moved) this.rows.center(Math.max(0, frame.step - 1));
  }

  render(frame) {
    this.step = frame.step;
    setText(this.count, counted(this.view.player.last, "event", "events"));
    this.rows.node.hidden = this.view.player.last === 0;
    this.rows.render();
  }

  makeRow() {
    const row = make("button", { class: "row", attrs: { type: "button", tabindex: "-1" } });
    row.number = make("span", { class: "n num" });
    row.words = make("span", { class: "words" });
    row.append(row.number, make("span", { class: "dot" }), row.words);
    return row;
  }

  fillRow(row, index, other) {
    const step = index + 1;
    if (other) {
      const { player, texts, labels } = this.view;
      const kind = player.kindAt(step);
      row.dataset.k = kind.tone;
      row.dataset.shape = kind.shape;
      setText(row.number, formatNumber(step));
      fillSentence(row.words, kind.log, player.argsAt(step), texts, labels);
    }
    setClass(row, "future", step > this.step);
    const now = step === this.step;
    if (row.isNow !== now) {
      if (now) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
      row.isNow = now;
    }
  }
}
