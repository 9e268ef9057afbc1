/* The visitor's part of the page's head. */

class Header {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.chip = new Chip((what) => this.setStateValue("set", JSON.stringify({ ...what, at: Date.now() })));
    this.palette = new Palette((what) => this.setStateValue("set", JSON.stringify({ ...what, at: Date.now() })));
    this.root.append(this.palette.node, make("div", { class: "hd-own" }, this.palette.button, this.chip.undo, this.chip.node));
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    applyTheme(this.root);
    this.root.hidden = false;
    this.chip.update(data.chip);
    this.palette.update(data.answers);
  }

  destroy() {
    this.chip.destroy();
    this.palette.destroy();
  }
}

const headers = mounts(true);

export default function (component) {
  headers.get(component, () => new Header(component)).update(component);
  return () => headers.drop(component.parentElement);
}
