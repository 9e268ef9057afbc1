/* The palette: a field over the page that answers what is typed, from Python, and leads to what was chosen. Nothing is
   sent while it is closed, but a file that is dropped on the page, which opens it.

   The focus stays in the field; the row in question is its aria-activedescendant. A row leads where a link would, without
   loading the page, as Forward to that address; or it does what `does` names: `switches` of a page, and of the browser. The
   browser keeps the last five places that were opened. */

const ASK_REST_MS = 90;
const ASK_AGAIN_MS = 2000;
const WIDE_REST_MS = 400; // then more tokenizers are asked
const LOOK_AT_FETCH_MS = 500;
const RECENT = "explorer-recent";
const MOST_RECENT = 5;
const LONGEST = 2000; // of what is typed; a longer text belongs into a page's field

class Palette {
  constructor(ask, startAgain) {
    this.ask = ask;
    this.startAgain = startAgain;
    this.number = 0;
    this.rows = [];
    this.at = 0;
    this.button = make("button", { class: "pa-open", attrs: { type: "button" }, on: { click: () => this.show() } }, iconOf("search"), make("kbd", { text: /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ K" : "Ctrl K", attrs: { "aria-hidden": "true" } }));
    this.field = make("input", {
      class: "pa-field", on: { input: () => this.typed(), keydown: (event) => this.pressed(event), paste: (event) => this.takeFiles(event, event.clipboardData) },
      attrs: { type: "text", role: "combobox", "aria-expanded": "true", "aria-autocomplete": "list", "aria-controls": "pa-rows", maxlength: String(LONGEST), spellcheck: "false", autocapitalize: "off", autocomplete: "off" },
    });
    const button = (name, act) => make("button", { class: name, attrs: { type: "button" }, on: { click: act } });
    this.reading = make("span", { class: "pa-reading", attrs: { role: "status" } });
    this.clear = button("pa-clear", () => this.type(""));
    this.close = button("pa-close", () => this.node.close());
    this.buttons = [
      [() => inWords("Paste"), "content_paste", () => this.paste()],
      [() => inWords("File"), "upload_file", () => this.chooseFile()],
      [() => inWords("Hub"), "cloud_download", () => this.hint("org/name")],
    ].map(([name, icon, act]) => [name, make("button", { class: "btn", attrs: { type: "button" }, on: { click: act } }, iconOf(icon), make("span"))]);
    this.list = make("div", { class: "pa-rows", attrs: { id: "pa-rows", role: "listbox", tabindex: "-1" } });
    this.progress = make("div", { class: "pa-fetch", attrs: { role: "status" } });
    this.foot = make("p", { class: "pa-foot" });
    this.node = make("dialog", { class: "pa", on: { click: (event) => event.target === this.node && this.node.close(), close: () => this.closed() } },
      make("div", { class: "pa-head" }, iconOf("search"), this.field, this.reading, this.clear, this.close), make("div", { class: "pa-buttons" }, ...this.buttons.map(([, node]) => node)), this.progress, this.list, this.foot);
    this.list.addEventListener("click", (event) => this.onRow(event, (index) => this.go(index, event.ctrlKey || event.metaKey)));
    this.list.addEventListener("pointermove", (event) => this.onRow(event, (index) => index !== this.at && this.mark(index, false)));
    this.soon = debounce(() => this.send(), ASK_REST_MS);
    this.wide = debounce(() => this.send(true), WIDE_REST_MS);
    this.heard = (event) => this.onKey(event);
    window.addEventListener("keydown", this.heard, true);
    this.stops = [
      listenTo("dragover", (event) => this.draggedOver(event)),
      listenTo("dragleave", (event) => !event.relatedTarget && this.node.removeAttribute("data-drop")),
      listenTo("drop", (event) => this.isFree(event) && this.takeFiles(event, event.dataTransfer)),
    ];
  }

  update({ answers, file, fetch }) {
    const title = inWords("Search (Ctrl K)");
    this.button.title = title;
    for (const node of [this.button, this.node]) node.setAttribute("aria-label", title);
    this.usual = inWords("Ids, a text, a model on the Hub, a question …");
    this.field.placeholder = this.hinted ?? this.usual;
    this.field.setAttribute("aria-label", this.usual);
    this.list.setAttribute("aria-label", inWords("Answers"));
    this.clear.setAttribute("aria-label", inWords("Clear"));
    setText(this.close, inWords("Close"));
    for (const [name, node] of this.buttons) setText(node.lastChild, name());
    if (file) this.showFile(file);
    else if (answers && answers.number === this.number && this.node.open) this.draw(answers);
    this.follow(fetch);
    this.drawFoot();
  }

  drawFoot() {
    const keys = [["↑", "↓", inWords("choose")], ["↵", inWords("open")], ["Ctrl ↵", inWords("in a new tab")], ["Esc", inWords("close")]];
    const hub = this.rows[0]?.does.hub !== undefined;
    this.foot.replaceChildren(
      ...keys.map((row) => make("span", { class: "pa-key" }, ...row.slice(0, -1).map((key) => make("kbd", { text: key })), row.at(-1))),
      make("span", { class: "pa-private", text: inWords(hub ? "The Hub is asked only when you press Enter." : "What you type stays on this server.") }));
  }

  onKey(event) {
    const letter = event.key.toLowerCase();
    const asks = (letter === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) || (keyName(event) === "/" && !["text", "select"].includes(typingIn(event)));
    if (!asks || this.node.open) return;
    event.preventDefault();
    event.stopPropagation();
    this.show();
  }

  show() {
    if (!this.node.open) this.node.showModal();
    this.field.select();
    this.field.focus();
    this.send();
  }

  closed() {
    this.list.replaceChildren();
    this.rows = [];
    this.hinted = undefined;
  }

  /* Puts a text into the field, as if it were typed. */
  type(text) {
    this.field.value = text.slice(0, LONGEST);
    this.field.focus();
    this.typed();
  }

  hint(text) {
    this.hinted = this.field.placeholder = text;
    this.type("");
  }

  async paste() {
    try {
      this.type(await navigator.clipboard.readText());
    } catch {
      this.field.focus(); // refused: the keyboard can still paste
    }
  }

  typed() {
    this.stale = true; // the rows are still those of what was typed before: Enter waits for the new ones
    this.waits = null;
    this.number += 1; // nothing answers it yet
    this.wide.cancel();
    this.soon();
  }

  send(wide = false) {
    this.stale = !wide;
    this.number += 1;
    this.ask({ set: "ask", typed: this.field.value.toWellFormed(), number: this.number, wide });
    clearTimeout(this.retry);
    if (!wide) this.sendAgainLater();
  }

  /* Streamlit drops one of two messages that come at once from two fragments. An answer on its way would be lost, too. */
  sendAgainLater() {
    this.retry = setTimeout(() => {
      if (!this.node.open || !this.stale) return;
      if (streamlitApp().dataset.testScriptState === "running") this.sendAgainLater();
      else this.send();
    }, ASK_AGAIN_MS);
  }

  draw({ rows, reading = "", wide = true }) {
    const typed = this.field.value.trim();
    const at = wide ? this.at : 0;
    this.rows = typed ? rows : [...recentRows(), ...rows];
    const whole = this.field.value.length < LONGEST;
    setClass(this.reading, "cut", !whole);
    setText(this.reading, whole ? reading : inWords("the first {0} characters", formatNumber([...this.field.value].length)));
    this.list.replaceChildren(...rowNodes(this.rows, typed));
    this.mark(at);
    this.stale = false;
    this.drawFoot();
    const waits = this.waits;
    this.waits = null;
    if (waits) this.go(0, waits.elsewhere);
    else if (!wide && reading && /\d/.test(typed)) this.wide();
  }

  onRow(event, act) {
    const index = [...this.list.querySelectorAll(".pa-row")].indexOf(event.target.closest(".pa-row"));
    if (index >= 0) act(index);
  }

  mark(at, shows = true) {
    const rows = [...this.list.querySelectorAll(".pa-row")];
    this.at = Math.max(0, Math.min(at, rows.length - 1));
    for (const [index, row] of rows.entries()) row.setAttribute("aria-selected", String(index === this.at));
    if (!rows.length) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", `pa-${this.at}`);
    if (this.at === 0) this.list.scrollTop = 0;
    else if (shows) rows[this.at].scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    event.stopPropagation();
    if (event.isComposing) return;
    const moves = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (moves) this.mark(this.at + moves);
    else if (event.key === "Enter" && this.stale) this.waits = { elsewhere: event.ctrlKey || event.metaKey };
    else if (event.key === "Enter") this.go(this.at, event.ctrlKey || event.metaKey);
    else if (event.key === "Escape" && this.field.value) this.type("");
    else if (event.key === "Escape") this.node.close();
    else return;
    event.preventDefault();
  }

  go(index, elsewhere) {
    const row = this.rows[index];
    if (!row) return;
    if (!row.href) return this.perform(row, index);
    if (row.kind !== this.fileKind) keepRecent(row);
    const url = new URL(row.href, new URL("./", window.location.href));
    if (elsewhere) return void window.open(url, "_blank", "noopener");
    this.node.close();
    openInApp(url);
  }

  perform({ does, on }, index) {
    if (does.switch !== undefined) {
      this.rows[index] = { ...this.rows[index], on: !on };
      this.list.querySelectorAll(".pa-row")[index].setAttribute("aria-checked", String(!on));
      return this.ask({ set: "switch", key: does.switch, to: !on });
    }
    if (does.hub !== undefined) {
      this.fetching = true;
      return this.ask({ set: "hub", name: does.hub, then: does.then });
    }
    if (does.type !== undefined) return this.type(does.type);
    if (does.hint !== undefined) return this.hint(does.hint);
    if (does.file) return this.chooseFile();
    this.node.close();
    if (does.theme) setTheme(does.theme);
    if (does.language) window.dispatchEvent(new CustomEvent("explorer-language", { detail: does.language }));
    if (does.level) setLevel(does.level);
    if (does.again) this.startAgain();
    if (does.key) window.dispatchEvent(new KeyboardEvent("keydown", { key: does.key }));
  }

  // --- files and models of the Hub ------------------------------------------------------------------------------------

  /* Streamlit's own fields keep what is dropped on them. */
  isFree(event) {
    this.node.removeAttribute("data-drop");
    return event.dataTransfer?.types.includes("Files") && !event.composedPath().some((node) => node.dataset?.testid === "stFileUploaderDropzone");
  }

  draggedOver(event) {
    if (!this.isFree(event)) return;
    event.preventDefault();
    this.node.setAttribute("data-drop", "");
  }

  /* Read by Python through a field of the head, which is not shown. */
  takeFiles(event, { files }) {
    const field = document.querySelector(".st-key-head-file input[type=file]");
    if (!files.length || !field) return;
    event.preventDefault();
    field.files = files;
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  chooseFile() {
    document.querySelector(".st-key-head-file input[type=file]")?.click();
  }

  showFile({ name, rows }) {
    if (!this.node.open) this.node.showModal();
    this.field.value = name;
    this.field.focus();
    this.number += 1;
    this.fileKind = rows[0]?.kind;
    this.draw({ rows, reading: inWords("a file") });
    if (rows.length > 1) this.mark(1);
  }

  follow(fetch) {
    clearTimeout(this.looks);
    this.progress.hidden = !fetch;
    if (!fetch) return void (this.fetching = false);
    const { name, share = null, said = "", file = "", error = "", go } = fetch;
    if (go && this.fetching) {
      this.fetching = false;
      this.rows = [{ kind: "", href: go, title: name, note: "", tokens: [], icon: "cloud_done", does: {}, on: null }];
      return this.go(0, false);
    }
    const bar = make("progress", { attrs: { max: "1", "aria-label": inWords("Fetching {0} …", name), ...(share !== null && { value: String(share) }) } });
    const cancel = make("button", { class: "btn", text: inWords("Cancel"), attrs: { type: "button" }, on: { click: () => this.ask({ set: "cancel" }) } });
    const words = [inWords("Fetching {0} …", name), said, file].filter(Boolean).join(" · ");
    this.progress.replaceChildren(...(error ? [iconOf("error"), make("span", { text: error })] : [iconOf("downloading"), make("span", {}, make("span", { text: words }), bar), cancel]));
    if (!error) this.looks = setTimeout(() => this.ask({ set: "look" }), LOOK_AT_FETCH_MS);
  }

  destroy() {
    this.soon.cancel();
    this.wide.cancel();
    clearTimeout(this.looks);
    clearTimeout(this.retry);
    for (const stop of this.stops) stop();
    window.removeEventListener("keydown", this.heard, true);
  }
}

/* Streamlit keeps a theme for each page's path, and reads it when it is loaded. */
function setTheme(theme) {
  const paths = [...document.querySelectorAll(PAGE_LINKS)].map((link) => new URL(link.href).pathname);
  for (const path of [...paths, new URL("./start", window.location.href).pathname, window.location.pathname]) remember(`stActiveTheme-${path}-v2`, JSON.stringify(theme));
  window.location.reload();
}

function setLevel(level) {
  remember("explorer-level", level);
  writeAddress({ level });
  window.dispatchEvent(new CustomEvent("explorer-level", { detail: level }));
}

function recentRows() {
  try {
    return JSON.parse(remembered(RECENT) ?? "[]").map((row) => ({ does: {}, on: null, tokens: [], note: "", ...row, kind: inWords("Where you were") }));
  } catch {
    return [];
  }
}

function keepRecent({ title, note, href, where, icon, tokens }) {
  const others = recentRows().filter((row) => row.href !== href);
  remember(RECENT, JSON.stringify([{ title, note, href, where, icon, tokens: tokens.slice(0, 2) }, ...others].slice(0, MOST_RECENT)));
}
