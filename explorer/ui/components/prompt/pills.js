/* The messages in the bar, as pills; what opens from there: the fields on a narrow screen, the whole call as JSON, the
   examples. This mount reports what is asked. */

class Pills {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("pr-bar");
    this.list = make("div", { class: "pr-pills", attrs: { role: "group", "aria-label": inWords("Messages") } });
    this.size = make("span", { class: "pr-size num" });
    this.edit = make("button", { class: "pr-edit link", text: inWords("Edit"), attrs: { type: "button" }, on: { click: () => this.sheet.open() } });
    this.add = make("button", { class: "pr-add", text: "+", attrs: { type: "button", "aria-label": inWords("Add a message"), "aria-haspopup": "menu" }, on: { click: () => showMenu(this.addMenu, this.add) } });
    this.json = make("button", { class: "pr-add", text: "JSON", attrs: { type: "button", "aria-label": inWords("The call as JSON") }, on: { click: () => this.callEditor.open() } });
    const row = (menu, label, act) => make("button", { text: label, attrs: { type: "button", role: "menuitem" }, on: { click: () => {
      menu().hidePopover();
      act();
    } } });
    const inAdd = () => this.addMenu;
    this.addMenu = make("div", { class: "menu pr-menu", attrs: { popover: "auto", role: "menu", "aria-label": inWords("Add") } },
      row(inAdd, inWords("Message"), () => addMessage()),
      row(inAdd, inWords("System message"), () => {
        store.edit([{ role: "system", content: "" }, ...store.messages]);
        editMessage(0);
      }),
      row(inAdd, inWords("Tool result"), () => addMessage({ role: "tool", content: "" })),
      row(inAdd, inWords("Tools"), () => store.change({ call: { ...store.call, tools: store.call.tools ?? EXAMPLES.find(({ call }) => call.tools).call.tools } })));
    menuKeys(this.addMenu);
    this.examples = make("button", { class: "pr-examples", attrs: { type: "button", "aria-haspopup": "menu" }, on: { click: () => showMenu(this.exampleMenu, this.examples) } }, inWords("Examples"), downSign());
    this.exampleMenu = make("div", { class: "menu pr-menu", attrs: { popover: "auto", role: "menu", "aria-label": inWords("Examples") } },
      ...EXAMPLES.map((example) => row(() => this.exampleMenu, inWords(example.label), () => this.openExample(example)).appendChild(make("small", { text: inWords(example.shows) })).parentNode),
      row(() => this.exampleMenu, inWords("What brought you here?"), () => openInApp(new URL("./start", window.location.href))));
    menuKeys(this.exampleMenu);
    this.notice = make("div", { class: "pr-notice", attrs: { role: "status" } });
    this.sheet = new Sheet();
    this.callEditor = new CallEditor((text) => this.takeText(text));
    this.popover = new MessagePopover();
    // beside the list, which scrolls: a long call does not hide them; on a phone both scroll
    const line = make("div", { class: "pr-pills-line" }, this.list, this.add, this.json);
    this.strip = make("div", { class: "pr-box" }, line, this.size, this.edit);
    this.root.append(this.strip, this.examples, this.addMenu, this.exampleMenu, this.notice, this.sheet.node, this.callEditor.node, this.popover.node);
    this.stops = [
      store.subscribe(() => this.draw()),
      onAddress(() => store.followAddress()),
      listenTo("explorer-prompt-edit", (event) => this.editHere(event)),
      listenTo("explorer-prompt-json", () => this.callEditor.open()),
      listenTo("paste", (event) => this.pasted(event)),
      listenTo("keydown", (event) => this.pressed(event)),
    ];
    store.closed = false;
    store.report = () => this.report();
    store.addressSoon = addressLater(() => store.writeAddress(), ADDRESS_MS);
  }

  destroy() {
    for (const stop of this.stops) stop();
    store.closed = true;
    store.reportSoon.cancel();
    store.addressSoon.cancel();
    store.choose(null);
    writeAddress(Object.fromEntries(NAMES.map((name) => [name, null])));
  }

  update({ data, setStateValue }) {
    applyTheme(this.root);
    this.setStateValue = setStateValue;
    this.data = data;
    const lost = this.session !== undefined && data.session !== this.session;
    this.session = data.session;
    if (lost) {
      this.rev = data.rev;
      this.report();
    } else if (data.rev !== this.rev) {
      const mounting = this.rev === undefined;
      this.rev = data.rev;
      store.take(data.asked);
      if (mounting) this.open();
      else store.writeAddress();
    }
    this.draw();
  }

  /* A reloaded page may find its old session again: the address knows better. Without anything in it, what is asked came
     along from another page of the app. */
  open() {
    store.past = [];
    const t = address("t");
    store.token = t !== null && /^\d{1,6}$/.test(t) ? Number(t) : null;
    if (NAMES.some((name) => address(name) !== null)) store.followAddress();
    else store.writeAddress();
  }

  report() {
    this.setStateValue?.("asked", { ...store.asked, rev: this.rev });
  }

  draw() {
    const rows = new Map((store.view?.rows ?? []).map((row) => [row.row, row]));
    const shown = store.messages.map((message) => [String(message.role ?? "?"), Array.isArray(message.content) && !rows.size ? inWords("list") : null]);
    const counts = store.messages.map((_, index) => rows.get(index)?.own);
    const tools = store.call.tools?.length;
    const id = JSON.stringify([shown, counts, tools]);
    if (id !== this.drawn) {
      this.drawn = id;
      const pill = (name, who, count, act, label) => make("button", { class: `pr-message ${who}`, attrs: { type: "button", "aria-label": label }, on: { click: act } }, make("i", { class: "pr-dot" }), make("span", { text: name }), make("small", { class: "num", text: count }));
      const pills = shown.map(([role, kind], index) => pill(role, roleClass(role), kind ?? (counts[index] === undefined ? "" : formatNumber(counts[index])), (event) => this.choose(index, event.currentTarget), inWords("Message {0}, {1}, edit it", index + 1, role)));
      const ofTools = tools ? [pill(inWords("tools"), whoClass("tool"), formatNumber(tools), () => this.callEditor.open(), inWords("Tools, edit them"))] : [];
      this.list.replaceChildren(...ofTools, ...pills);
    }
    const size = store.messages.reduce((sum, { content }) => sum + (typeof content === "string" ? [...content].length : JSON.stringify(content ?? "").length), 0);
    setText(this.size, counted(size, "character", "characters"));
    this.sheet.draw();
    this.popover.draw();
  }

  /* On the view Prompt the row has the field; elsewhere it opens here. */
  choose(index, pill) {
    this.pill = pill;
    editMessage(index);
  }

  editHere(event) {
    // the rows have had their turn
    queueMicrotask(() => setTimeout(() => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      if (window.innerWidth < 1024) this.sheet.open(event.detail);
      else this.popover.open(event.detail, this.list.querySelectorAll(".pr-message")[event.detail + (store.call.tools?.length ? 1 : 0)] ?? this.list);
    }));
  }

  openExample({ call, template }) {
    store.change({ call: structuredClone(call), template: template || store.template, source: null });
    store.choose(null);
  }

  // --- JSON ---

  /* Takes a call or a list of messages; returns what is wrong with it. */
  takeText(text) {
    let call;
    try {
      call = JSON.parse(text);
    } catch (error) {
      return error.message;
    }
    if (Array.isArray(call)) call = { messages: call };
    if (!Array.isArray(call?.messages)) return inWords("A call is a list of messages, or an object that has messages.");
    const wrong = call.messages.findIndex((each) => !each || typeof each !== "object" || Array.isArray(each));
    if (wrong >= 0) return inWords("messages[{0}] is not an object with a role and a content.", wrong);
    store.change({ call });
    store.choose(null);
    return "";
  }

  /* The JSON of a call, pasted anywhere but into a text. */
  pasted(event) {
    const text = event.clipboardData?.getData("text") ?? "";
    const node = event.composedPath()[0];
    const typing = typingIn(event) === "text" && (node.value !== "" || !node.classList.contains("pr-area"));
    if (typing || !/^\s*[[{]/.test(text) || text.length > 1_000_000) return;
    if (this.takeText(text) !== "") return;
    event.preventDefault();
    this.say(inWords("{0} pasted.", counted(store.messages.length, "message", "messages")));
  }

  say(text) {
    const undo = make("button", { class: "link", text: inWords("Undo"), attrs: { type: "button" }, on: { click: () => {
      store.undo();
      this.notice.replaceChildren();
    } } });
    this.notice.replaceChildren(text, " ", undo);
    clearTimeout(this.noticed);
    this.noticed = setTimeout(() => this.notice.replaceChildren(), 12_000);
  }

  /* In a text field, undo is the field's own. */
  pressed(event) {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "z") return;
    if (typingIn(event) === "text" || event.defaultPrevented) return;
    if (store.undo()) event.preventDefault();
  }
}

/* All messages to edit, over the page: on a screen without room for them in the rows. */
class Sheet {
  constructor() {
    this.list = make("div", { class: "pr-sheet-list" });
    this.node = make("dialog", { class: "pr-sheet", attrs: { "aria-label": inWords("Messages") } },
      make("div", { class: "pr-sheet-head" }, make("b", { text: inWords("Messages") }), make("button", { class: "btn", text: inWords("Add"), attrs: { type: "button" }, on: { click: () => addMessage() } }), make("button", { class: "btn main", text: inWords("Done"), attrs: { type: "button" }, on: { click: () => this.node.close() } })),
      this.list);
    this.editors = [];
  }

  open(index = null) {
    if (!this.node.open) this.node.showModal();
    this.draw();
    if (index !== null) this.editors[index]?.focus();
  }

  draw() {
    if (!this.node.open) return;
    const messages = store.messages.length ? store.messages : [{ role: "user", content: "" }];
    while (this.editors.length < messages.length) this.editors.push(new MessageEditor());
    this.editors.length = messages.length;
    this.editors.forEach((editor, index) => {
      editor.update(index, messages[index]);
      if (this.list.children[index] !== editor.node) this.list.insertBefore(editor.node, this.list.children[index] ?? null);
    });
    while (this.list.children.length > messages.length) this.list.lastElementChild.remove();
  }
}

/* One message to edit, beside its pill. */
class MessagePopover {
  constructor() {
    this.editor = new MessageEditor();
    this.node = make("div", { class: "pr-popover", attrs: { popover: "auto", role: "dialog", "aria-label": inWords("Message") } }, this.editor.node);
  }

  open(index, pill) {
    this.index = index;
    showMenu(this.node, pill);
    this.draw();
    this.editor.focus();
  }

  draw() {
    if (!this.node.matches(":popover-open")) return;
    const message = store.messages[this.index];
    if (message) this.editor.update(this.index, message);
    else this.node.hidePopover();
  }
}

/* The whole call as JSON, in the form of OpenAI's interface. */
class CallEditor {
  constructor(take) {
    this.take = take;
    this.area = make("textarea", { class: "pr-call", attrs: { "aria-label": inWords("The call as JSON"), spellcheck: "false" } });
    this.problem = make("p", { class: "pr-problem", attrs: { role: "status" } });
    this.node = make("dialog", { class: "pr-sheet pr-call-sheet", attrs: { "aria-label": inWords("The call as JSON") } },
      make("div", { class: "pr-sheet-head" }, make("b", { text: inWords("The call as JSON") }), make("button", { class: "btn", text: inWords("Cancel"), attrs: { type: "button" }, on: { click: () => this.node.close() } }), make("button", { class: "btn main", text: inWords("Use it"), attrs: { type: "button" }, on: { click: () => this.use() } })),
      this.area, this.problem);
  }

  open() {
    this.area.value = JSON.stringify(store.call, null, 2);
    setText(this.problem, "");
    this.node.showModal();
    this.area.focus();
    this.area.setSelectionRange(0, 0);
  }

  use() {
    const problem = this.take(this.area.value);
    setText(this.problem, problem);
    if (!problem) this.node.close();
  }
}
