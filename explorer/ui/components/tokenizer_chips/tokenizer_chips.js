/* Chips of tokenizers. A chip is a button that chooses it, and one that removes it; Delete on either removes it, too. */

class TokenizerChips {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("tc");
    this.list = make("ul", { class: "tc-chips", attrs: { "aria-label": "Tokenizers compared" } });
    this.root.append(this.list);
    this.list.addEventListener("keydown", (event) => {
      if (keyName(event) !== "Delete") return;
      event.preventDefault();
      this.remove(event.target.closest("li").name);
    });
  }

  update({ data, setTriggerValue }) {
    applyTheme(this.root);
    this.setTriggerValue = setTriggerValue;
    const id = JSON.stringify(data);
    if (id === this.id) return;
    const focused = this.root.getRootNode().activeElement?.closest("li");
    const at = [...this.list.children].indexOf(focused);
    this.id = id;
    this.list.replaceChildren(...data.chips.map(([name, title]) => this.chip(name, title, data)));
    // the focus stays where it was; after a removal, on the chip that took its place
    if (focused) this.list.children[Math.min(at, data.chips.length - 1)]?.querySelector("button")?.focus(); // one that is left alone has none
  }

  chip(name, title, { chosen, chips }) {
    const [, model, how] = title.match(/^(.*?)( · [^·]*)?$/s); // a long name loses its end, not its implementation
    const label = [make("bdi", { class: "tc-model", text: model }), make("bdi", { text: how })];
    const choose = { type: "button", "aria-pressed": String(Boolean(chosen?.includes(name))) };
    const remove = make("button", { class: "tc-remove", text: "×", attrs: { type: "button", "aria-label": inWords("Remove {0}", title) }, on: { click: () => this.remove(name) } });
    const node = make("li", { class: chosen?.includes(name) ? "chosen" : "" },
      chosen ? make("button", { class: "tc-name", attrs: choose, on: { click: () => this.setTriggerValue("choose", name) } }, ...label) : make("span", { class: "tc-name" }, ...label),
      ...(chips.length > 1 ? [remove] : []));
    node.name = name;
    return node;
  }

  remove(name) {
    if (this.list.children.length > 1) this.setTriggerValue("remove", name);
  }
}

const tokenizerChips = mounts();

export default function (component) {
  tokenizerChips.get(component, () => new TokenizerChips(component)).update(component);
  return () => tokenizerChips.drop(component.parentElement);
}
