/* In the head of every page while a class lasts: its letters, and for the teacher the button that shows this page to all. */

class ClassPill {
  constructor() {
    this.line = classLine();
    this.letters = make("b");
    this.back = make("a", { class: "cl-back", attrs: { target: "_self" } }, this.letters);
    this.back.addEventListener("click", (event) => {
      event.preventDefault();
      const { state, leads } = this.line;
      openInApp(new URL(`./learn${state?.card && (leads || state.together) ? `?lesson=${state.card.replace(" ", "&card=")}` : ""}`, window.location.href));
    });
    this.look = make("button", { class: "cl-look", attrs: { type: "button" }, on: { click: () => this.show() } });
    this.out = make("button", { class: "cl-out", text: "×", attrs: { type: "button" }, on: { click: () => this.line.leave() } });
    this.told = make("span", { class: "sr", attrs: { role: "status" } });
    this.node = make("div", { class: "cl-pill", attrs: { role: "group" } }, this.back, this.look, this.out, this.told);
    this.stop = listenTo("explorer-class", () => this.draw());
    this.draw();
  }

  get page() {
    return window.location.pathname.split("/").at(-1) + window.location.search;
  }

  show() {
    this.line.lead({ look: this.page });
    setText(this.told, inWords("The class sees this page."));
    this.draw();
  }

  draw() {
    const { code, leads, state } = this.line;
    this.node.hidden = !code;
    if (!code) return;
    const same = leads && state?.look === this.page;
    this.node.setAttribute("aria-label", inWords("Class"));
    setText(this.letters, leads && state ? `${code} · ${state.here}` : code);
    this.back.href = "./learn";
    this.back.title = inWords("Back to the class");
    this.look.hidden = !leads;
    setText(this.look, same ? inWords("All see this") : inWords("Look at this"));
    this.look.setAttribute("aria-pressed", String(Boolean(same)));
    this.out.hidden = leads;
    this.out.title = inWords("Leave the class");
    this.out.setAttribute("aria-label", inWords("Leave the class"));
  }

  destroy() {
    this.stop();
  }
}
