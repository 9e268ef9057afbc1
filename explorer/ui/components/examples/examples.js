/* The menu of examples. QUESTIONS, WALKS, SEARCHES and TEXTS come with this file (components/examples.py); each entry
   is { value, label, shows, query } and is drawn as a link. A search is on another page: { label, shows, href }. */

const TEXT_ONLY = ["text", "ids", "at", "sel", ...STEPS];

class Examples {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.button = make("button", { class: "open", text: "Examples", attrs: { type: "button", "aria-haspopup": "dialog" }, on: { click: () => this.open() } });
    this.close = make("button", { class: "close", text: "×", attrs: { type: "button", "aria-label": "Close" }, on: { click: () => this.menu.hidePopover() } });
    this.menu = make("div", { class: "menu", attrs: { popover: "auto", role: "dialog", "aria-label": "Examples" } },
      make("div", { class: "side" },
        this.group("Six surprising questions", this.list(QUESTIONS)),
        this.group("Texts for this tokenizer", make("div", { class: "texts" }, ...TEXTS.map((each) => this.short(each))))),
      make("div", { class: "walks" }, ...WALKS.map(({ title, stops }) => this.group(title, this.list(stops))), this.group("Count in the vocabulary", this.list(SEARCHES))),
      this.close);
    this.root.append(this.button, this.menu);
  }

  update({ data, setTriggerValue }) {
    setClass(this.menu, "texts-only", data.texts_only);
    this.setTriggerValue = setTriggerValue;
    applyTheme(this.root);
  }

  destroy() {}

  group(title, content) {
    return make("section", {}, make("h2", { text: title }), content);
  }

  list(entries) {
    return make("ul", {}, ...entries.map((entry) => make("li", {}, this.link(entry, make("b", { text: visibleText(entry.label) }), make("small", { text: entry.shows })))));
  }

  short(entry) {
    const link = this.link(entry, entry.label);
    link.title = entry.shows;
    return link;
  }

  link(entry, ...content) {
    if (entry.href) return make("a", { attrs: { href: entry.href, target: "_self" } }, ...content);
    const link = make("a", { attrs: { href: `?${entry.query}` }, data: { value: entry.value } }, ...content);
    link.addEventListener("click", (event) => {
      // a new tab or window is opened by the browser
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      this.choose(entry);
    });
    return link;
  }

  choose(entry) {
    this.menu.hidePopover();
    clearSelection(this);
    arrive(entry.value.startsWith("text") ? this.withText(entry.query) : `?${entry.query}`);
    this.setTriggerValue("choice", entry.value);
  }

  /* The current address with another text: the tokenizer, the stage and the level stay. */
  withText(query) {
    const url = new URL(window.location.href);
    for (const name of TEXT_ONLY) url.searchParams.delete(name);
    for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
    return url.search || "?";
  }

  open() {
    this.menu.showPopover();
    const { right, bottom, across, down } = placeOf(this.button);
    const sheet = window.innerWidth <= 900;
    setClass(this.menu, "sheet", sheet);
    if (sheet) this.menu.removeAttribute("style");
    else {
      this.menu.style.top = `${bottom + 6}px`;
      this.menu.style.maxHeight = `${down - bottom - 22}px`;
      this.menu.style.left = `${Math.max(16, Math.min(right - this.menu.offsetWidth, across - this.menu.offsetWidth - 16))}px`;
    }
    [...this.menu.querySelectorAll("a")].find((link) => link.offsetParent).focus();
  }
}

/* Spaces and line breaks of a text that is its own label. */
function visibleText(text) {
  return text.replace(/^ +| +$/g, (spaces) => "␣".repeat(spaces.length)).replaceAll("\n", "↵");
}

const menus = mounts();

export default function (component) {
  menus.get(component, () => new Examples(component)).update(component);
  return () => menus.drop(component.parentElement);
}
