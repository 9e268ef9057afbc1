/* The line below the rows: which line and part of the template wrote a token. */

class SourceLine {
  constructor() {
    this.number = make("b", { class: "pr-number" });
    this.code = make("code", { class: "pr-code" });
    this.show = make("button", { class: "link pr-show", text: inWords("Show in the template"), attrs: { type: "button" }, on: { click: () => openView("template") } });
    this.node = make("div", { class: "pr-source", attrs: { role: "group", "aria-label": inWords("What wrote this token") } }, this.number, this.code, this.show);
  }

  draw([statements, numbers], token) {
    const found = statements[numbers[token] ?? -1];
    this.node.classList.toggle("empty", !found);
    if (!found) {
      setText(this.number, token === null ? "" : inWords("Added by the tokenizer"));
      this.code.replaceChildren();
      return;
    }
    const [line, text, start, end] = found;
    setText(this.number, inWords("Line {0}", line));
    const shown = (part) => part.replaceAll("\n", "↵");
    this.code.replaceChildren(shown(text.slice(0, start)), make("mark", { text: shown(text.slice(start, end)) }), shown(text.slice(end)));
    // the part is in view, however long the statement is
    const mark = this.code.querySelector("mark");
    this.code.scrollLeft = Math.max(0, mark.offsetLeft - this.code.clientWidth / 2);
  }
}
