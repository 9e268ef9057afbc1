/* The settings of the page, in its popover: the template, what it reads besides messages, how control tokens in messages
   are read. */

const OWN = "own";
const SWITCHES = /^(enable|add|use|is|has|no|keep|preserve|clear|disable|drop|tools_in|strip)_|thinking/;

class SettingsMount {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("pr-settings");
    this.template = make("select", { attrs: { "aria-label": inWords("Template") }, on: { change: () => this.choose(this.template.value) } });
    this.source = make("textarea", { class: "pr-call", attrs: { "aria-label": inWords("Source of the template"), spellcheck: "false", rows: "8" } });
    this.sourceSoon = debounce(() => store.change({ source: this.source.value }, "typing"), 250);
    this.source.addEventListener("input", () => this.sourceSoon());
    this.copy = make("button", { class: "link", text: inWords("Change this one"), attrs: { type: "button" }, on: { click: () => store.change({ source: this.data.source || OWN_SOURCE }) } });
    this.switches = make("div", { class: "pr-switches" });
    this.date = make("input", { attrs: { type: "date", "aria-label": inWords("Date that the template writes") }, on: { change: () => store.change({ date: this.date.value }) } });
    this.dated = labeled(inWords("Date"), this.date);
    this.asText = make("div");
    this.root.append(labeled(inWords("Template"), this.template), this.copy, this.source, this.switches, this.dated, this.asText);
    this.stopChanges = store.subscribe((what) => what !== "token" && this.data && this.draw());
  }

  destroy() {
    this.stopChanges();
  }

  update({ data }) {
    applyTheme(this.root);
    this.data = data;
    this.draw();
  }

  choose(value) {
    if (value === OWN) store.change({ source: this.data.source || OWN_SOURCE });
    else store.change({ template: value, source: null });
  }

  draw() {
    const { own, ours, formats, variables, dates, text, source } = this.data;
    const option = (value, words) => make("option", { text: words, attrs: { value } });
    const group = (label, ...options) => make("optgroup", { attrs: { label } }, ...options);
    const names = own.filter((name) => name !== "default");
    const listed = [...ours, ...formats].map(([name]) => name);
    const unknown = store.template && ![...own, ...listed].includes(store.template) ? [option(store.template, store.template)] : [];
    const named = (label, pairs) => pairs.length ? [group(label, ...pairs.map(([name, title]) => option(name, title)))] : [];
    const id = JSON.stringify([own, listed, unknown.length, store.template]);
    if (id !== this.listed) {
      this.listed = id;
      this.template.replaceChildren(
        group(inWords("The model's"), option("", inWords(own.length ? "the default" : "none, so ChatML")), ...names.map((name) => option(name, name)), ...unknown),
        ...named(inWords("Ours"), ours), ...named(inWords("Formats"), formats), group(inWords("Yours"), option(OWN, inWords("your own"))));
    }
    this.template.value = store.source === null ? store.template : OWN;
    this.source.hidden = store.source === null;
    this.copy.hidden = store.source !== null || !source;
    if (store.source !== null && this.source.value !== store.source && this.source.getRootNode().activeElement !== this.source) this.source.value = store.source;
    const known = store.call.chat_template_kwargs ?? {};
    const wanted = [...new Set([...variables, ...Object.keys(known)])];
    const switched = JSON.stringify([wanted, known]);
    if (switched !== this.switched) {
      this.switched = switched;
      this.switches.replaceChildren(...wanted.map((name) => labeled(name, this.control(name, known[name]))));
    }
    this.dated.hidden = !dates && !store.date;
    if (this.date.value !== store.date) this.date.value = store.date;
    const radio = choiceOf(inWords("Control tokens in messages"), [[false, inWords("control")], [true, inWords("text")]], store.as_text, (value) => store.change({ as_text: value }));
    this.asText.hidden = !text;
    this.asText.replaceChildren(labeled(inWords("Control tokens in messages are"), radio));
  }

  /* A switch with three states, or a field for a text or JSON. */
  control(name, value) {
    const set = (made) => store.change({ variables: { [name]: made } });
    if (typeof value === "boolean" || (value === undefined && SWITCHES.test(name))) {
      const select = make("select", { attrs: { "aria-label": name }, on: { change: () => set({ true: true, false: false }[select.value]) } },
        ...[["", inWords("not set")], ["true", "true"], ["false", "false"]].map(([each, words]) => make("option", { text: words, attrs: { value: each } })));
      select.value = value === undefined ? "" : String(value);
      return select;
    }
    const input = make("input", { attrs: { "aria-label": name, placeholder: inWords("not set") }, on: { change: () => set(input.value === "" ? undefined : readValue(input.value)) } });
    input.value = value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
    return input;
  }
}

/* A value as the command line reads it: JSON, or a text. */
function readValue(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function labeled(words, control) {
  return make("label", { class: "pr-labeled" }, make("span", { text: words }), control);
}
