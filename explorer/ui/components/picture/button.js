/* The button alone. */

class PictureOf {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.append(pictureButton(this.root, () => this.card));
  }

  update({ data }) {
    applyTheme(this.root);
    this.card = data.card;
  }
}

const pictures = mounts();

export default function (component) {
  pictures.get(component, () => new PictureOf(component)).update(component);
  return () => pictures.drop(component.parentElement);
}
