/* The settings of the page, in its popover. */

class SettingsMount {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
  }

  destroy() {}

  update() {
    applyTheme(this.root);
  }
}
