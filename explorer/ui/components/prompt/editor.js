/* One message, ready to edit: its role with a menu, and a field for its text; more fields for reasoning, tool calls, and a
   content that is a list, which is edited as JSON. What is typed goes to the store at once.

   A textarea can't mark words, so the same text stands behind it, with control tokens underlined and white space shown;
   the textarea's own letters are transparent.                                                                        */

const ROLE_NAMES = ["system", "user", "assistant", "tool"];
const REASONING = ["reasoning_content", "thinking", "reasoning"];

/* Replaces a message, or makes the first one. */
function setMessage(index, changes, what) {
  const messages = store.messages.length ? [...store.messages] : [{ role: "user", content: "" }];
  messages[index] = Object.fromEntries(Object.entries({ ...messages[index], ...changes }).filter(([, value]) => value !== undefined));
  store.edit(messages, what);
}

class Field {
  constructor(label, write) {
    this.write = write;
    this.back = make("div", { class: "pr-back", attrs: { "aria-hidden": "true" } });
    this.area = make("textarea", { class: "pr-area", dir: "auto", attrs: { rows: "1", spellcheck: "false", autocapitalize: "off", autocomplete: "off", "aria-label": label } });
    this.node = make("div", { class: "pr-field" }, this.back, this.area);
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("scroll", () => (this.back.scrollTop = this.area.scrollTop));
    this.area.addEventListener("compositionstart", () => (this.composing = true));
    this.area.addEventListener("compositionend", () => {
      this.composing = false;
      this.typed();
    });
  }

  typed() {
    this.draw();
    if (this.composing) return;
    this.known = this.area.value;
    this.write(this.area.value);
  }

  /* The typed JSON, unless it is none: then the field says so, and stays as it is until the value changes elsewhere. */
  readJson(take) {
    let made;
    try {
      made = JSON.parse(this.area.value);
    } catch {
      this.area.setAttribute("aria-invalid", "true");
      return;
    }
    this.area.removeAttribute("aria-invalid");
    this.value = JSON.stringify(made, null, 1);
    take(made);
  }

  /* What a field of JSON shows of a value: what was typed, while that says the same. */
  keeps(text) {
    const typed = this.known !== undefined && text === this.value ? this.known : text;
    if (typed !== this.known) this.area.removeAttribute("aria-invalid");
    this.value = text;
    return typed;
  }

  /* A text that this field has reported itself is left alone. */
  update(text, controls, label) {
    this.area.setAttribute("aria-label", label);
    this.controls = controls;
    if (!this.composing && text !== this.known) {
      this.known = text;
      if (this.area.value !== text) this.area.value = text;
    }
    this.draw();
  }

  draw() {
    const id = JSON.stringify([this.area.value, this.controls]);
    if (id === this.drawn) return;
    this.drawn = id;
    this.back.replaceChildren(...(this.json ? [this.area.value, "\u200b"] : marked(this.area.value, this.controls ?? [])));
    this.area.rows = Math.min(5, this.area.value.split("\n", 6).length); // for browsers without field-sizing
    this.back.scrollTop = this.area.scrollTop;
  }
}

/* The text with its control tokens marked; line ends, tabs and spaces at an edge are shown without taking room. */
function marked(text, controls) {
  const escaped = [...new Set(controls)].sort((one, other) => other.length - one.length).map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(${[...escaped, "\\n", "\\t", "^ +| +$|(?<=\\n) +| +(?=\\n)| {2,}"].join("|")})`, "g");
  const known = new Set(controls);
  const parts = text.slice(0, 20_000).split(pattern).filter((each) => each !== undefined && each !== "");
  const nodes = parts.map((part) => {
    if (known.has(part)) return make("u", { class: "pr-spelled", text: part });
    if (part === "\n" || part === "\t" || /^ +$/.test(part)) return make("span", { class: part === "\n" ? "pr-sign-line" : part === "\t" ? "pr-sign-tab" : "pr-sign-space", text: part });
    return part;
  });
  return [...nodes, text.endsWith("\n") || text === "" ? "\u200b" : ""];
}

class MessageEditor {
  constructor() {
    this.role = make("button", { class: "pr-role", attrs: { type: "button", "aria-haspopup": "menu" }, on: { click: () => this.openMenu() } });
    this.menu = make("div", { class: "menu pr-menu", attrs: { popover: "auto", role: "menu", "aria-label": inWords("Message") } });
    menuKeys(this.menu);
    this.fields = make("div", { class: "pr-fields" });
    this.node = make("div", { class: "pr-editor" }, this.role, this.fields, this.menu);
    this.node.addEventListener("keydown", (event) => this.pressed(event));
    this.known = new Map();
  }

  update(index, message, controls = []) {
    this.index = index;
    this.message = message;
    const role = String(message.role ?? "");
    this.node.className = `pr-editor ${roleClass(role)}`;
    if (this.shownRole !== role) {
      this.shownRole = role;
      this.role.replaceChildren(make("span", { text: role || inWords("no role") }), downSign());
    }
    this.role.setAttribute("aria-label", inWords("Message {0}: {1}, change it", index + 1, role));
    const wanted = this.parts(message);
    for (const [name, field] of this.known) {
      if (wanted.some((part) => part.name === name)) continue;
      field.box.remove();
      this.known.delete(name);
    }
    wanted.forEach(({ name, label, text, json }, at) => {
      let field = this.known.get(name);
      if (!field) {
        field = new Field(label, (value) => this.write(name, value));
        field.box = make("div", { class: "pr-part" }, ...(label ? [make("span", { class: "pr-part-name", text: label })] : []), field.node);
        this.known.set(name, field);
      }
      const other = field.json !== undefined && field.json !== Boolean(json);
      field.json = Boolean(json);
      if (this.fields.children[at] !== field.box) this.fields.insertBefore(field.box, this.fields.children[at] ?? null);
      field.update(json && !other ? field.keeps(text) : text, controls, inWords("{0} of message {1}", label || inWords("text"), index + 1));
      setClass(field.node, "pr-json", json);
    });
  }

  parts(message) {
    const { content } = message;
    const parts = [];
    const reasoning = REASONING.find((name) => typeof message[name] === "string");
    if (reasoning) parts.push({ name: reasoning, label: inWords("reasoning"), text: message[reasoning] });
    if (typeof content === "string" || content === undefined || content === null) {
      if (!message.tool_calls || content) parts.push({ name: "content", label: "", text: content ?? "" });
    } else parts.push({ name: "content", label: inWords("content"), text: JSON.stringify(content, null, 1), json: true });
    if (message.tool_calls) parts.push({ name: "tool_calls", label: inWords("tool calls"), text: JSON.stringify(message.tool_calls, null, 1), json: true });
    return parts;
  }

  write(name, value) {
    const field = this.known.get(name);
    if (!field.json) return setMessage(this.index, { [name]: value }, `typing ${this.index} ${name}`);
    field.readJson((made) => setMessage(this.index, { [name]: made }, `typing ${this.index} ${name}`));
  }

  focus() {
    const area = this.fields.querySelector("textarea");
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }

  /* The fields that Tab reaches: those of one message, so that a long conversation is no long way. */
  stop(on) {
    for (const node of this.node.querySelectorAll("textarea, .pr-role")) node.tabIndex = on ? 0 : -1;
  }

  pressed(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by || !event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    moveMessage(this.index, by);
  }

  openMenu() {
    const { index, message } = this;
    const row = (label, act, attrs = {}) => make("button", { text: label, attrs: { type: "button", role: "menuitem", ...attrs }, on: { click: () => {
      this.menu.hidePopover();
      act();
    } } });
    const reasoning = REASONING.find((name) => message[name] !== undefined);
    const roles = [...new Set([...ROLE_NAMES, String(message.role ?? "user")])];
    this.menu.replaceChildren(
      ...roles.map((role) => row(role, () => setMessage(index, { role }), { role: "menuitemradio", "aria-checked": String(role === message.role) })),
      make("hr"),
      row(inWords("Duplicate"), () => store.edit([...store.messages.slice(0, index + 1), structuredClone(message), ...store.messages.slice(index + 1)])),
      ...(index > 0 ? [row(inWords("Move up"), () => moveMessage(index, -1))] : []),
      ...(index + 1 < store.messages.length ? [row(inWords("Move down"), () => moveMessage(index, 1))] : []),
      row(inWords(reasoning ? "Remove its reasoning" : "Add reasoning"), () => setMessage(index, reasoning ? { [reasoning]: undefined } : { reasoning_content: "" })),
      row(inWords(message.tool_calls ? "Remove its tool calls" : "Add a tool call"), () => setMessage(index, { tool_calls: message.tool_calls ? undefined : [{ type: "function", function: { name: "weather", arguments: { place: "Oslo" } } }] })),
      row(inWords("Delete"), () => store.edit(store.messages.filter((_, each) => each !== index))),
    );
    showMenu(this.menu, this.role);
  }
}

function moveMessage(index, by) {
  const messages = [...store.messages];
  if (!messages[index + by]) return;
  [messages[index], messages[index + by]] = [messages[index + by], messages[index]];
  store.edit(messages);
  editMessage(index + by);
}

/* A message at the end: the other one's turn. */
function addMessage(message) {
  const last = store.messages.at(-1)?.role;
  store.edit([...store.messages, message ?? { role: last === "user" ? "assistant" : "user", content: "" }]);
  editMessage(store.messages.length - 1);
}

/* Puts the focus into a message's field, wherever it is drawn. */
function editMessage(index) {
  requestAnimationFrame(() => window.dispatchEvent(new CustomEvent("explorer-prompt-edit", { detail: index, cancelable: true })));
}
