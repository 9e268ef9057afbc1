/* All keys of a page, behind "?". The list is a popover over the page; another key, a click outside or Esc closes it.
   A button at the top copies the page's link, which has all that was chosen; beside it the language is chosen, in which the
   components of the page speak. */

class KeyList {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.language = make("select", { class: "ky-language", on: { change: () => this.choose() } },
      ...LANGUAGES.map((code) => make("option", { text: new Intl.DisplayNames([code], { type: "language" }).of(code), attrs: { value: code, lang: code } })));
    // over the name, which is a part of the header's styles
    this.home = make("a", { class: "ky-home", attrs: { href: "./start", "aria-label": "What brought you here?", title: "What brought you here?" }, on: { click: (event) => this.goHome(event) } });
    this.head = make("div", { class: "ky-head" }, this.language);
    this.list = make("div", { class: "ky-list", attrs: { popover: "auto", role: "dialog", tabindex: "-1" } });
    this.root.append(this.home, this.head, this.list);
    this.pressed = (event) => this.onKey(event);
    this.stop = listenTo("explorer-language", ({ detail }) => {
      this.language.value = detail;
      this.choose();
    });
    window.addEventListener("keydown", this.pressed, true);
    this.stopNaming = keepTabsNamed();
    // the chip is left of it, and a narrow window has the button that copies on some pages only
    this.observer = new ResizeObserver(() => document.documentElement.style.setProperty("--head-width", `${this.head.offsetWidth}px`));
    this.observer.observe(this.head);
  }

  destroy() {
    this.observer.disconnect();
    this.stopNaming();
    window.removeEventListener("keydown", this.pressed, true);
    this.stop();
  }

  update({ data, setStateValue, setTriggerValue }) {
    applyTheme(this.root);
    this.setStateValue = setStateValue;
    this.leave = () => setTriggerValue("start", true);
    this.groups = data.groups;
    this.speak(data);
    const share = doingButton(inWords("Share"), toClipboard(linkHere), inWords("Link copied"), { class: "ky-share", attrs: { type: "button", title: inWords("Copy a link to what this page shows"), "data-where": data.shares } });
    this.head.replaceChildren(this.language, share);
    this.language.setAttribute("aria-label", inWords("Language"));
    this.list.setAttribute("aria-label", inWords("Keys"));
    this.draw();
  }

  /* What all components of the page say from now on. A link's language is kept until this browser is closed. */
  speak({ language = "en", words, glossary }) {
    this.language.value = language;
    document.documentElement.lang = language;
    if (address("lang") === language) keepLanguage(language);
    if (pageWords()?.words[""] === words?.[""]) return;
    window.explorerWords = words && { words, glossary };
    window.dispatchEvent(new CustomEvent("explorer-words"));
  }

  /* Without a new session, unless another tab is asked for. */
  goHome(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.leave();
  }

  choose() {
    const { value } = this.language;
    keepLanguage(value, "; max-age=31536000");
    writeAddress({ lang: value });
    this.setStateValue("language", `${value} ${Date.now()}`);
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

/* For pages that are loaded anew without it in their address. */
function keepLanguage(language, long = "") {
  const kept = `explorer_language=${language}`;
  if (long || !document.cookie.split("; ").includes(kept)) document.cookie = `${kept}; path=/; samesite=lax${long}`;
}

const keyLists = mounts(true);

export default function (component) {
  keyLists.get(component, () => new KeyList(component)).update(component);
  return () => keyLists.drop(component.parentElement);
}
