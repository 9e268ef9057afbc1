/* All keys of a page, behind "?". The list is a popover over the page; another key, a click outside or Esc closes it.
   A button at the top copies the page's link, which has all that was chosen. */

class KeyList {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.list = make("div", { class: "ky-list", attrs: { popover: "auto", role: "dialog", "aria-label": "Keys", tabindex: "-1" } });
    this.share = doingButton("Share", toClipboard(linkHere), "Link copied", { class: "ky-share", attrs: { type: "button", title: inWords("Copy a link to what this page shows") } });
    this.root.append(this.share, this.list);
    this.pressed = (event) => this.onKey(event);
    window.addEventListener("keydown", this.pressed, true);
  }

  destroy() {
    window.removeEventListener("keydown", this.pressed, true);
  }

  update({ data }) {
    applyTheme(this.root);
    this.groups = data.groups;
    this.share.dataset.where = data.shares;
    this.draw();
  }

  draw() {
    this.list.replaceChildren(
      make("h2", { text: inWords("Keys") }),
      make("div", { class: "ky-groups" }, ...this.groups.map(([title, rows]) => make("section", {}, make("h3", { text: inWords(title) }), make("dl", {}, ...rows.flatMap((row) => this.row(row)))))),
    );
  }

  row([keys, does]) {
    return [make("dt", {}, ...keys.map((key) => make("kbd", { text: inWords(key) }))), make("dd", { text: inWords(does) })];
  }

  onKey(event) {
    const open = this.list.matches(":popover-open");
    if (open && keyName(event) === "Escape") this.list.hidePopover();
    else if (keyName(event) === "Escape") return leaveField(event);
    else if (keyName(event) !== "?" || ["text", "select"].includes(typingIn(event))) return;
    else if (open) this.list.hidePopover();
    else {
      this.draw(); // the page may be in another language by now
      this.list.showPopover();
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/* Esc leaves a field of text, on every page. A list that is open in a field closes first. */
function leaveField(event) {
  const field = event.composedPath()[0];
  if (typingIn(event) === "text" && !event.isComposing && !field.matches("[role=combobox]")) field.blur();
}

const keyLists = mounts(true);

export default function (component) {
  keyLists.get(component, () => new KeyList(component)).update(component);
  return () => keyLists.drop(component.parentElement);
}
