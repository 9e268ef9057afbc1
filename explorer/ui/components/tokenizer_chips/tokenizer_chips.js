/* Chips of tokenizers. A chip is a button that chooses it, and one that removes it; Delete on either removes it, too. */

const REMOVED_MS = 5000; // by then the page is drawn without it
const removed = { at: -1, until: 0 };

class TokenizerChips {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("tc");
    this.list = make("ul", { class: "tc-chips", attrs: { "aria-label": inWords("Tokenizers compared") } });
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
    const focused = this.focused();
    this.id = id;
    this.list.replaceChildren(...data.chips.map(([name, title]) => this.chip(name, title, data)));
    // the focus stays where it was; after a removal, on the chip that took its place, also where the page draws them anew
    const at = focused < 0 && onGround() && performance.now() < removed.until ? removed.at : focused;
    if (at < 0) return;
    const next = this.list.children[Math.min(at, data.chips.length - 1)]?.querySelector("button"); // one that is left alone has none
    (next ?? addingButton())?.focus();
  }

  /* The index of the chip that has the focus; -1 without one. */
  focused() {
    return [...this.list.children].indexOf(this.root.getRootNode().activeElement?.closest("li"));
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
    if (this.list.children.length < 2) return;
    Object.assign(removed, { at: this.focused(), until: performance.now() + REMOVED_MS });
    this.setTriggerValue("remove", name);
  }
}

/* The page's button beside the chips; Streamlit has it twice, once to measure it. */
function addingButton() {
  return [...document.querySelectorAll(".st-key-add button")].find((each) => each.checkVisibility({ visibilityProperty: true }));
}

const tokenizerChips = mounts();

export default function (component) {
  tokenizerChips.get(component, () => new TokenizerChips(component)).update(component);
  return () => tokenizerChips.drop(component.parentElement);
}
