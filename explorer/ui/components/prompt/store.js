/* What is asked, shared by all mounts of this module: the call as OpenAI's interface takes it, the template, whether
   control tokens in messages are read as text, the date. The browser owns it; the mount in the bar reports it to Python.

   store.call, .template, .source, .as_text, .date   what is asked; .server: what changes the call first, "" for nothing
   store.change(changes, what)     changes it: fields of `asked`, or `then`; what: "typing" and the field: joins
                                  with the edit before
   store.edit(messages, what)      the same for the messages alone
   store.undo()                    takes the last change back
   store.subscribe(listener)       is called after each change, and with each new view; returns a function that stops it
   store.view                      the last data of the stage: tokens, rows, lines
   store.token                     the number of the token that was chosen, null without one                          */

const REST_MS = 60; // of keys in quick succession the last is reported after this
const ALONE_MS = 250; // a key after this long is reported at once
const ADDRESS_MS = 400;
const MOST_UNDO = 100;
const NAMES = ["chat", "chat_kept", "template", "then", "on", "off", "as_text", "date", "after", "server"];

class Store {
  constructor() {
    Object.assign(this, { call: FIRST_CALL, template: "", source: null, as_text: false, date: "", response: null, server: "", view: null, token: null });
    this.listeners = new Set();
    this.past = [];
    this.keyAt = -Infinity;
    this.report = () => {};
    this.reportSoon = debounce(() => this.report(), REST_MS);
    this.addressSoon = () => {};
  }

  get messages() {
    return Array.isArray(this.call.messages) ? this.call.messages : [];
  }

  /* What the model is asked to do after the messages. */
  get then() {
    return this.call.continue_final_message ? "continue" : this.call.add_generation_prompt === false ? "nothing" : "answer";
  }

  get asked() {
    const { template, source, as_text, date, response, server } = this;
    return { call: JSON.stringify(this.call).toWellFormed(), template, source, as_text, date, response, server };
  }

  /* The same as one text, and that of what Python has answered. */
  get question() {
    return JSON.stringify(this.asked);
  }

  questionOf({ call, ...others }) {
    return JSON.stringify({ call: JSON.stringify(callIn(call)), ...others });
  }

  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  notify(what = "") {
    for (const listener of [...this.listeners]) listener(what);
  }

  /* What Python or the address asks. */
  take({ call, ...others }) {
    Object.assign(this, others, { call: callIn(call) });
    this.notify("taken");
  }

  edit(messages, what = "edit") {
    this.change({ call: { ...this.call, messages } }, what);
  }

  change(changes, what = "change") {
    const { then, variables, ...fields } = changes;
    const kept = { call: this.call, template: this.template, source: this.source, as_text: this.as_text, date: this.date, response: this.response, server: this.server };
    if (!what.startsWith("typing") || this.lastChange !== what) this.past = [...this.past.slice(-MOST_UNDO), kept];
    this.lastChange = what;
    if (fields.date === "today") fields.date = localDay(new Date());
    Object.assign(this, fields);
    if (then) this.call = withThen(this.call, then);
    if (variables) this.call = withVariables(this.call, variables);
    this.notify(what);
    this.told(what);
  }

  undo() {
    const kept = this.past.pop();
    if (!kept) return false;
    Object.assign(this, kept);
    this.lastChange = "undo";
    this.notify("taken");
    this.told("undo");
    return true;
  }

  /* A key by itself does not wait. */
  told(what) {
    this.addressSoon();
    const now = performance.now();
    const alone = now - this.keyAt > ALONE_MS;
    this.keyAt = now;
    this.reportSoon();
    if (alone || !what.startsWith("typing")) this.reportSoon.flush();
  }

  choose(token) {
    if (token === this.token) return;
    this.token = token;
    writeAddress({ t: token === null ? null : String(token) });
    this.notify("token");
  }

  // --- the address ---

  async writeAddress() {
    const call = this.call;
    const plain = withoutFlags(call);
    const first = JSON.stringify(plain) === JSON.stringify(FIRST_CALL);
    const chat = first ? null : await packed(plain);
    if (call !== this.call || this.closed) return; // changed meanwhile
    const values = Object.entries(call.chat_template_kwargs ?? {});
    writeAddress({
      chat,
      chat_kept: first || chat !== null ? null : keepText(JSON.stringify(plain)),
      template: this.template || null,
      then: this.then === "answer" ? null : this.then,
      on: values.filter(([, value]) => value === true).map(([name]) => name),
      off: values.filter(([, value]) => value === false).map(([name]) => name),
      as_text: this.as_text ? "1" : null,
      date: this.date || null,
      after: this.response,
      server: this.server || null,
    });
    this.linked = chat !== null || first;
  }

  /* What the address asks; null if it says nothing that can be read. */
  async readAddress() {
    const chat = address("chat");
    const kept = address("chat_kept");
    const lost = kept === null ? null : keptText(kept);
    let call = chat === null ? (lost === null ? (kept === null ? FIRST_CALL : null) : JSON.parse(lost)) : await unpacked(chat);
    if (call === null) return null;
    const flags = [...addressAll("on").map((name) => [name, true]), ...addressAll("off").map((name) => [name, false])];
    call = withThen(flags.length ? withVariables(call, Object.fromEntries(flags)) : call, address("then") ?? "answer");
    return { call, template: address("template") ?? "", as_text: address("as_text") === "1", date: address("date") ?? "", response: address("after"), server: address("server") ?? "" };
  }

  async followAddress() {
    const asked = await this.readAddress();
    if (asked === null || this.closed) return;
    const before = this.question;
    this.take(asked);
    if (this.question !== before) this.report();
  }
}

/* A call, also from its text. */
function callIn(given) {
  let call = given;
  try {
    if (typeof given === "string") call = JSON.parse(given);
  } catch {
    call = [];
  }
  return Array.isArray(call) ? { messages: call } : call;
}

function localDay(now) {
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

function withThen(call, then) {
  const { add_generation_prompt, continue_final_message, ...rest } = call;
  if (then === "answer") return rest;
  const silent = { ...rest, add_generation_prompt: false };
  if (then === "nothing") return silent;
  return { ...silent, continue_final_message: typeof continue_final_message === "string" && continue_final_message ? continue_final_message : true };
}

/* variables: undefined takes one away. */
function withVariables(call, variables) {
  const { chat_template_kwargs: known, ...rest } = call;
  const made = Object.fromEntries(Object.entries({ ...known, ...variables }).filter(([, value]) => value !== undefined));
  return Object.keys(made).length ? { ...rest, chat_template_kwargs: made } : rest;
}

/* The call without what the address says by parameters of their own. */
function withoutFlags(call) {
  const { add_generation_prompt, continue_final_message, chat_template_kwargs, ...rest } = call;
  const kept = Object.fromEntries(Object.entries(chat_template_kwargs ?? {}).filter(([, value]) => typeof value !== "boolean"));
  return { ...rest, ...(Object.keys(kept).length && { chat_template_kwargs: kept }) };
}

const store = new Store();

/* The stepper of a template offers it where a list of parts can't be joined to a text. */
if (typeof window !== "undefined") {
  window.addEventListener("explorer-prompt-as-text", ({ detail }) => {
    const text = (content) => (Array.isArray(content) ? content.map((part) => part?.text ?? "").join("") : content);
    store.edit(store.messages.map((message, index) => (index === detail ? { ...message, content: text(message.content) } : message)));
  });
}
