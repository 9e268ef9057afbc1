/* The palette: a field over the page that answers what is typed, from Python, and leads to what was chosen. Nothing is
   sent while it is closed.

   The focus stays in the field; the row in question is its aria-activedescendant. A row leads where a link would, without
   loading the page: as Forward to that address. */

const ASK_REST_MS = 90;

class Palette {
  constructor(ask) {
    this.ask = ask;
    this.number = 0;
    this.rows = [];
    this.at = 0;
    this.button = make("button", { class: "pa-open", attrs: { type: "button" }, on: { click: () => this.show() } });
    this.field = make("input", {
      class: "pa-field", on: { input: () => this.typed(), keydown: (event) => this.pressed(event) },
      attrs: { type: "text", role: "combobox", "aria-expanded": "true", "aria-autocomplete": "list", "aria-controls": "pa-rows", maxlength: "2000", spellcheck: "false", autocapitalize: "off", autocomplete: "off" },
    });
    this.list = make("ul", { class: "pa-rows", attrs: { id: "pa-rows", role: "listbox" } });
    this.foot = make("p", { class: "pa-foot" });
    this.node = make("dialog", { class: "pa", on: { click: (event) => event.target === this.node && this.node.close(), close: () => this.list.replaceChildren() } }, this.field, this.list, this.foot);
    this.soon = debounce(() => this.send(), ASK_REST_MS);
    this.heard = (event) => this.onKey(event);
    window.addEventListener("keydown", this.heard, true);
  }

  update(answers) {
    this.button.title = inWords("Search (Ctrl K)");
    this.button.setAttribute("aria-label", inWords("Search (Ctrl K)"));
    setText(this.button, "⌕");
    this.field.placeholder = inWords("Ids, a text, a model on the Hub, a question …");
    this.field.setAttribute("aria-label", this.field.placeholder);
    this.list.setAttribute("aria-label", inWords("Answers"));
    this.node.setAttribute("aria-label", inWords("Search (Ctrl K)"));
    setText(this.foot, inWords("Enter opens, Ctrl Enter in a new tab, Esc closes. What you type stays on this server."));
    if (answers && answers.number === this.number && this.node.open) this.draw(answers.rows);
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
    this.node.showModal();
    this.field.select();
    this.field.focus();
    this.send();
  }

  typed() {
    this.stale = true; // the rows are still those of what was typed before: Enter waits for the new ones
    this.waits = null;
    this.number += 1; // nothing answers it yet
    this.soon();
  }

  send() {
    this.stale = true;
    this.number += 1;
    this.ask({ set: "ask", typed: this.field.value.toWellFormed(), number: this.number });
  }

  draw(rows) {
    this.rows = rows;
    this.list.replaceChildren(...rows.map(([title, note], index) => make("li", {
      attrs: { role: "option", id: `pa-${index}` }, on: { click: (event) => this.go(index, event.ctrlKey || event.metaKey), pointermove: () => this.mark(index) },
    }, make("bdi", { text: title }), make("small", { text: note }))));
    this.mark(0);
    this.stale = false;
    const waits = this.waits;
    this.waits = null;
    if (waits) this.go(0, waits.elsewhere);
  }

  mark(at) {
    this.at = Math.max(0, Math.min(at, this.rows.length - 1));
    for (const [index, row] of [...this.list.children].entries()) row.setAttribute("aria-selected", String(index === this.at));
    if (!this.rows.length) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", `pa-${this.at}`);
    this.list.children[this.at].scrollIntoView({ block: "nearest" });
  }

  pressed(event) {
    event.stopPropagation();
    if (event.isComposing) return;
    const moves = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (moves) this.mark(this.at + moves);
    else if (event.key === "Enter" && this.stale) this.waits = { elsewhere: event.ctrlKey || event.metaKey };
    else if (event.key === "Enter") this.go(this.at, event.ctrlKey || event.metaKey);
    else if (event.key === "Escape" && this.field.value) {
      this.field.value = "";
      this.send();
    } else if (event.key === "Escape") this.node.close();
    else return;
    event.preventDefault();
  }

  go(index, elsewhere) {
    const row = this.rows[index];
    if (!row) return;
    const url = new URL(row[2], new URL("./", window.location.href));
    if (elsewhere) return void window.open(url, "_blank", "noopener");
    this.node.close();
    window.history.pushState(null, "", url);
    window.dispatchEvent(new PopStateEvent("popstate"));
  }

  destroy() {
    this.soon.cancel();
    window.removeEventListener("keydown", this.heard, true);
  }
}
