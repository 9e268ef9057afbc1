/* The visitor's part of the page's head. */

class Header {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    const set = (what) => this.setStateValue("set", JSON.stringify({ ...what, at: Date.now() }));
    this.palette = new Palette(set, () => this.chip.startAgain());
    this.chip = new Chip(set, this.palette);
    this.pill = new ClassPill();
    this.own = make("div", { class: "hd-own" }, this.pill.node, this.palette.button, this.chip.undo, this.chip.node);
    this.root.append(this.palette.node, this.own, this.chip.box);
    // the links to the pages leave it room (pages.css)
    this.observer = new ResizeObserver(() => document.documentElement.style.setProperty("--own-width", `${this.own.offsetWidth}px`));
    this.observer.observe(this.own);
    // the words may come after the data that is said in them
    this.stop = listenTo("explorer-words", () => this.data && this.update({ data: { ...this.data, answers: null, file: null }, setStateValue: this.setStateValue }));
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    this.data = data;
    applyTheme(this.root);
    this.root.hidden = false;
    this.chip.update(data.chip);
    this.pill.draw();
    this.palette.update(data);
  }

  destroy() {
    this.stop();
    this.observer.disconnect();
    this.chip.destroy();
    this.pill.destroy();
    this.palette.destroy();
  }
}

const headers = mounts(true);

export default function (component) {
  headers.get(component, () => new Header(component)).update(component);
  return () => headers.drop(component.parentElement);
}
