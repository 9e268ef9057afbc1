/* The visitor's part of the page's head. */

class Header {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    const set = (what) => this.setStateValue("set", JSON.stringify({ ...what, at: Date.now() }));
    this.palette = new Palette(set, () => this.chip.startAgain());
    this.chip = new Chip(set, this.palette);
    this.root.append(this.palette.node, make("div", { class: "hd-own" }, this.palette.button, this.chip.undo, this.chip.node), this.chip.box);
    // the words may come after the data that is said in them
    this.stop = listenTo("explorer-words", () => this.data && this.update({ data: { ...this.data, answers: null, file: null }, setStateValue: this.setStateValue }));
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    this.data = data;
    applyTheme(this.root);
    this.root.hidden = false;
    this.chip.update(data.chip);
    this.palette.update(data);
  }

  destroy() {
    this.stop();
    this.chip.destroy();
    this.palette.destroy();
  }
}

const headers = mounts(true);

export default function (component) {
  headers.get(component, () => new Header(component)).update(component);
  return () => headers.drop(component.parentElement);
}
