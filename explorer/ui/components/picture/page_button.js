/* A button that saves the page as a file. */

class PageButton {
  constructor({ parentElement, data }) {
    this.root = parentElement.querySelector(".tx");
    this.saving = new PageSaving((value) => this.setStateValue("page", value));
    const { label, done } = data;
    this.root.append(doingButton(label, () => this.saving.ask(this.contentId), done, { class: "picture-button", attrs: { type: "button" } }));
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.setStateValue = setStateValue;
    this.contentId = data.content_id;
    this.saving.take(data.page);
  }
}

const pageButtons = mounts();

export default function (component) {
  pageButtons.get(component, () => new PageButton(component)).update(component);
  return () => pageButtons.drop(component.parentElement);
}
