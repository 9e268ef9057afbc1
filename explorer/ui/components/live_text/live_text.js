/* A textarea that sends its text to Python while you type.

   The browser owns the text. It takes Python's `text` at mount and when `rev` changes, and at no other time, so a slow
   rerun can't undo what was typed meanwhile. Needs text_facts.js and kept_text.js.                               */

const REST_MS = 60;
const TYPING_MS = 150; // a key that follows another sooner is one of several, which are sent together
const ADDRESS_REST_MS = 350;
const NO_STEPS = Object.fromEntries(STEPS.map((name) => [name, null])); // they belong to the previous text
const ONE_EDIT_MS = 2000; // keys within this interval make one history entry

class LiveText {
  constructor({ parentElement }) {
    const find = (selector) => parentElement.querySelector(selector);
    this.root = find(".tx");
    this.root.hidden = false; // hidden until it has styles
    this.label = find("label");
    this.area = find("textarea");
    this.problem = find(".problem");
    this.note = find(".note");
    this.size = find(".size");
    this.rev = undefined; // the last one taken from Python
    this.reported = undefined; // what this instance has reported
    this.reportedRev = undefined;
    this.given = null; // Python's text, and the field's value for it
    this.waiting = null; // a new text that arrived during a composition
    this.replaced = null; // what was replaced without the browser's undo history
    this.composing = false;
    this.replacing = false;
    this.sendSoon = debounce(() => this.send(), REST_MS);
    this.keyAt = -Infinity;

    this.reading = make("button", { class: "reading", attrs: { type: "button" }, on: { click: () => this.readAs(this.otherReading()) } });
    this.reading.hidden = true;
    this.area.after(this.reading);
    this.clear = make("button", { class: "clear", text: "×", attrs: { type: "button", "aria-label": "Clear the field" }, on: { click: () => this.empty() } });
    this.clear.hidden = true;
    this.area.after(this.clear);

    this.editedAt = -Infinity;
    this.addressSoon = addressLater(() => writeAddress(this.addressChanges()), ADDRESS_REST_MS);
    this.stopFollowing = onAddress(() => this.followAddress());
    const typed = ({ detail }) => this.typeOver(detail);
    window.addEventListener("explorer-type", typed);
    const written = ({ detail }) => this.write(detail);
    window.addEventListener("explorer-write", written);
    const stopChip = listenTo("explorer-to-text", (event) => this.data.bar && (event.preventDefault(), this.area.focus(), this.area.select()));
    const stopAnswer = listenTo("explorer-to-chip", () => this.goesAlong());
    const stopWords = listenTo("explorer-words", () => this.data && this.judge());
    this.stopTyping = () => {
      window.removeEventListener("explorer-type", typed);
      window.removeEventListener("explorer-write", written);
      stopChip();
      stopAnswer();
      stopWords();
    };

    this.area.addEventListener("input", () => this.edited());
    this.area.addEventListener("blur", () => {
      this.sendSoon.flush();
      this.addressSoon.flush(); // Back from the link that is clicked now leads to the whole text
      if (this.data.bar) this.area.scrollTop = 0; // one line is left of it
    });
    this.area.addEventListener("keydown", (event) => (keyName(event) === "Enter" ? this.entered(event) : this.undoReplacement(event)));
    this.area.addEventListener("compositionstart", () => {
      this.composing = true;
      this.sendSoon.cancel();
    });
    this.area.addEventListener("compositionend", () => this.composed());
  }

  update({ data, setStateValue }) {
    this.setStateValue = setStateValue;
    this.data = data;
    this.max = data.max;
    this.parameter = data.parameter;
    applyTheme(this.root);
    setClass(this.root, "bar", data.bar);
    setClass(this.root, "of-ids", data.ids);
    this.area.enterKeyHint = data.ids || (data.bar && data.selectable) ? "go" : "enter";
    setText(this.label, data.label);
    if (data.ids) this.area.style.setProperty("--label", `${[...data.label].reduce((sum, letter) => sum + (letter > "\u2e80" ? 15 : 6.6), 24)}px`);
    if (this.area.placeholder !== data.placeholder) this.area.placeholder = data.placeholder ?? "";
    const lost = this.session !== undefined && data.session !== this.session;
    this.session = data.session;
    if (lost) this.restore();
    else if (data.rev !== this.rev) {
      const mounting = this.rev === undefined;
      this.rev = data.rev;
      if (mounting) this.open(data.text);
      else if (this.composing) this.waiting = data.text;
      else {
        this.take(data.text);
        this.goesAlong();
        this.editedAt = -Infinity;
        // a text from the URL, the back button or another tokenizer isn't an edit
        const stale = address(keptName(this.parameter)) !== null || (data.readings && addressHas(this.otherReading()));
        if (stale || address(this.parameter) !== this.addressText()) this.updateAddress();
        this.editedAt = -Infinity;
      }
    }
    this.judge();
  }

  destroy() {
    this.sendSoon.cancel();
    this.addressSoon.cancel();
    this.stopTyping();
    this.stopFollowing();
  }

  // --- typing ---

  edited() {
    if (this.replacing) return;
    this.missing = false;
    this.judge();
    this.updateAddress();
    this.goesAlong();
    if (!this.composing) this.sendAtOnceOrSoon();
  }

  /* The chip in the head shows the text that goes with the visitor. */
  goesAlong() {
    if (!this.data.bar || !this.data.selectable || this.parameter !== "text") return;
    const text = this.text();
    window.dispatchEvent(new CustomEvent("explorer-context", { detail: { text: text === this.data.unlinked ? null : text } }));
  }

  /* A key by itself does not wait; of keys in quick succession the last is sent after a rest. */
  sendAtOnceOrSoon() {
    const now = performance.now();
    const alone = now - this.keyAt > TYPING_MS;
    this.keyAt = now;
    this.sendSoon();
    if (alone) this.sendSoon.flush();
  }

  /* In the bar of a page Enter is done, as in a field of one line, and Shift+Enter is the line break. */
  entered(event) {
    const { bar, selectable, ids } = this.data;
    if (event.isComposing || !(ids || (bar && selectable))) return;
    event.preventDefault();
    this.sendSoon.flush();
    if (selectable) window.dispatchEvent(new CustomEvent("explorer-enter"));
  }

  composed() {
    this.composing = false;
    if (this.waiting !== null) {
      const text = this.waiting;
      this.waiting = null;
      this.take(text);
    }
    this.edited();
  }

  /* The text Python is to see. One that came with \r and was not touched goes back as it came. */
  text() {
    const { value } = this.area;
    return this.given?.field === value ? this.given.text : value;
  }

  judge() {
    const text = this.text();
    if (this.judged?.text !== text) this.judged = { text, facts: textFacts(text) };
    const { facts } = this.judged;
    const problem = textProblem(facts, this.max);
    setText(this.size, this.data.ids ? idsText(text) : sizeText(facts));
    this.clear.hidden = !this.data.ids || text === "";
    setText(this.problem, problem);
    const unlinkable = facts.points > this.data.longest_link;
    const tooLong = unlinkable ? inWords("Too long for a link: only this tab keeps the text.") : "";
    const missing = this.missing ? inWords("The text of this link was too long to be in it. Paste it here.") : "";
    setText(this.note, tooLong || missing || this.data.note);
    this.note.hidden = problem !== "";
    setClass(this.root, "noted", unlinkable || this.missing);
    this.offerReading(text);
    const long = facts.points > this.max;
    if (long) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
    // pages.css: the page shows the result of an older text
    this.root.getRootNode().host?.toggleAttribute("data-too-long", long);
    // For browsers without `field-sizing`: grow by line ends at least.
    this.area.rows = Math.min(10, Math.max(this.data.bar ? 1 : 2, text.split("\n", 10).length));
    return facts;
  }

  send() {
    const facts = this.judge();
    if (facts.points > this.max) return;
    const text = facts.clean;
    if (text === this.reported && this.rev === this.reportedRev) return;
    const sameRev = this.rev === this.reportedRev;
    this.reported = text;
    this.reportedRev = this.rev;
    this.setStateValue("text", text);
    // After the text: the new text with the old rev does no harm, but the old text with the new rev would.
    if (!sameRev) this.setStateValue("rev", this.rev);
  }

  /* The server has a new session in place of the one that knew this text. */
  restore() {
    this.rev = this.data.rev;
    this.reported = undefined;
    if (!this.composing) this.send();
  }

  /* As if all of it had been deleted by a key. */
  empty() {
    this.area.focus();
    this.area.select();
    if (!document.execCommand("delete")) this.area.value = "";
    this.edited();
  }

  // --- the URL ---

  /* The text as a link carries it: nothing for the text that is there without one, and for one too long for links. */
  addressText() {
    const { clean, points } = this.judge();
    return clean === this.data.unlinked || points > this.data.longest_link ? null : clean;
  }

  /* Those of the text, or of the mark of one too long for links. */
  addressChanges() {
    const linked = this.addressText();
    const { clean, points } = this.judged.facts;
    const long = points > this.data.longest_link && points <= this.max;
    return { [this.parameter]: linked, [keptName(this.parameter)]: long ? keepText(clean) : null };
  }

  /* The text of the URL: linked or kept; null without one. Notes whether it is missing. */
  linkedText() {
    const mark = address(keptName(this.parameter));
    const linked = address(this.parameter) ?? (mark === null ? null : keptText(mark));
    this.missing = linked === null && mark !== null;
    return linked;
  }

  /* The first key of an edit makes a new entry, so that the old one keeps its text, step and selection. */
  updateAddress() {
    const now = performance.now();
    if (now - this.editedAt > ONE_EDIT_MS) writeAddress({ ...(this.data.readings ? noText(this.otherReading()) : {}), ...this.addressChanges(), ...NO_STEPS }, true);
    else this.addressSoon();
    this.editedAt = now;
    // a selection is a span of the old text and means something else in the new one
    if (this.data.selectable) clearSelection(this);
  }

  followAddress() {
    this.addressSoon.cancel();
    this.editedAt = -Infinity;
    const { readings } = this.data;
    const reading = addressHas("ids") ? "ids" : "text";
    if (readings && reading !== this.parameter) {
      this.parameter = reading;
      this.data = { ...this.data, parameter: reading, unlinked: readings[reading] };
      this.setStateValue("reading", `${reading} ${Date.now()}`);
    }
    const text = this.linkedText() ?? this.data.unlinked ?? "";
    if (text === this.text()) return void this.judge();
    this.take(text);
    this.judge();
    this.send();
  }

  // --- text or ids ---

  otherReading() {
    return this.parameter === "ids" ? "text" : "ids";
  }

  /* A list of numbers may be meant as text: it is offered to be read as ids, and never read so unasked. */
  offerReading(text) {
    const offered = Boolean(this.data.readings) && (this.parameter === "ids" || looksLikeIds(text));
    this.reading.hidden = !offered;
    setClass(this.root, "offers", offered);
    setText(this.reading, inWords(this.parameter === "ids" ? "Ids · read as text" : "Read as ids"));
  }

  readAs(reading) {
    this.sendSoon.cancel();
    this.addressSoon.cancel();
    this.send();
    const text = this.area.value;
    const long = [...text].length > this.data.longest_link;
    const linked = text === this.data.readings[reading] || long ? null : text;
    const kept = { [reading]: linked, [keptName(reading)]: long ? keepText(text) : null };
    writeAddress({ ...noText(this.parameter), ...kept, stage: null, ...NO_STEPS }, true);
    clearSelection(this);
    this.setStateValue("reading", `${reading} ${Date.now()}`);
    this.area.focus();
  }

  // --- a text from Python ---

  /* A reloaded page may find its old session again, with the text of then: the address knows better. */
  open(text) {
    this.fill(text);
    const linked = this.linkedText();
    // without one, the text came along from another page of the app
    if (linked === null && !this.missing) writeAddress(this.addressChanges());
    if (linked === null || linked === text) return;
    this.fill(linked);
    this.send();
  }

  fill(text) {
    this.given = { text, field: asField(text) };
    this.area.value = text;
  }

  take(text) {
    this.sendSoon.cancel();
    const before = this.area.value;
    const field = asField(text);
    this.given = { text, field };
    if (before !== field) {
      this.replacing = true;
      if (this.area.getRootNode().activeElement === this.area) {
        // As if typed, so the browser's own undo reverts it.
        this.area.select();
        document.execCommand(field ? "insertText" : "delete", false, field);
      }
      if (this.area.value !== field) {
        // Typing would need the focus, and the focus stays elsewhere on the page.
        this.area.value = field;
        this.replaced = { before, after: field };
      }
      this.replacing = false;
    }
    // Python's state of this component still has the older text. If it kept that, returning to that text would be no
    // change, and no callback would run. Later than what other components report as they are drawn: Streamlit sends all
    // of one turn as one fragment's, and warns.
    if (this.reported !== undefined) this.sendSoon();
  }

  /* Replaces the code points [start, end), as if typed, so that Undo takes it back. Only where the page's text is the
     field's own: with escapes it is not. */
  typeOver({ start, end, was, text }) {
    if (!this.data.selectable || this.area.disabled) return;
    const points = [...this.area.value];
    if (points.slice(start, end).join("") !== was) return;
    const from = points.slice(0, start).join("").length;
    this.area.focus();
    this.area.setSelectionRange(from, from + was.length);
    if (!document.execCommand("insertText", false, text)) {
      this.area.setRangeText(text, from, from + was.length, "end");
      this.edited();
    }
  }

  /* A text that is typed elsewhere on the page. */
  write(text) {
    if (!this.data.selectable || this.parameter !== "text") return;
    this.area.value = text;
    this.edited();
  }

  undoReplacement(event) {
    const undo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    if (!undo || this.replaced === null) return;
    const { before, after } = this.replaced;
    if (this.area.value !== after) return; // edited since: the browser's undo comes first
    this.replaced = null;
    event.preventDefault();
    this.area.select();
    document.execCommand(before ? "insertText" : "delete", false, before);
    if (this.area.value !== before) {
      this.area.value = before;
      this.edited();
    }
  }
}

/* The parameter of a text too long for links. */
function keptName(parameter) {
  return `${parameter}_kept`;
}

function addressHas(parameter) {
  return address(parameter) !== null || address(keptName(parameter)) !== null;
}

function noText(parameter) {
  return { [parameter]: null, [keptName(parameter)]: null };
}

const liveTexts = mounts(true);

export default function (given) {
  const component = readComponent(given);
  liveTexts.get(component, () => new LiveText(component)).update(component);
  return () => liveTexts.drop(component.parentElement);
}
