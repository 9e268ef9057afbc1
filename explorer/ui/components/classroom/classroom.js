/* The class on Learn. On the list: the buttons that start or join one, and what they open over the page. Above a lesson:
   the teacher's board. A phone has its lesson as ever; its head has the letters (lesson/card.js). */

class Classroom {
  constructor(root) {
    this.root = root;
    this.line = classLine();
    this.start = new ClassStart(this.line, (why) => this.close(why));
    this.join = new ClassJoin(this.line, (why) => this.close(why));
    this.board = new ClassBoard(this.line);
    this.layer = make("div", { class: "cl-layer" });
    this.layer.hidden = true;
    this.buttons = make("div", { class: "cl-buttons" });
    root.append(this.buttons, this.layer);
    this.stops = [listenTo("explorer-class", () => this.draw()), listenTo("explorer-class-open", ({ detail }) => this.open(detail)), listenTo("explorer-card", () => this.draw()), listenTo("explorer-words", () => this.draw(true))];
  }

  update({ data }) {
    applyTheme(this.root);
    this.data = data ?? {};
    const code = address("class");
    if (code !== null) {
      writeAddress({ class: null });
      if (!this.line.code) {
        this.open("join");
        this.line.join(code.slice(0, 4));
      }
    }
    this.draw(true);
    this.root.hidden = false;
  }

  async open(what) {
    if (what === "start" && !this.line.code) {
      const { lessons } = this.data;
      const chosen = wayOf(lessons, 60);
      await this.line.begin(lessons, lessons.filter(({ key }) => chosen.has(key)), 60);
      if (!this.line.code) what = "join"; // it says why
    }
    this.opened = what;
    this.draw();
  }

  close(why) {
    this.opened = "";
    if (why === "leave") this.line.leave();
    if (why === "end") this.line.ask({ end: true }).then(() => this.line.leave());
    this.line.problem = "";
    this.draw();
  }

  draw(again = false) {
    if (!this.data) return;
    const { line } = this;
    const { code, leads, state } = line;
    const onList = Boolean(this.data.lessons);
    const card = window.explorerCard;
    // a phone waits until the first card comes; one that has lost its class is told
    const waits = code && !leads && onList && !state?.look && state?.together && !state?.card;
    if (waits || line.problem === "over") this.opened = "join";
    else if (this.opened === "join" && code) this.opened = "";
    if (this.opened === "start" && !(code && leads)) this.opened = "";
    const lessons = this.data.lessons ?? line.kept.all ?? [];
    if (this.opened === "start" && lessons.length) this.start.draw(lessons);
    if (this.opened === "join") this.join.draw();
    const shown = this.opened === "start" ? this.start.node : this.opened === "join" ? this.join.node : null;
    this.layer.hidden = !shown;
    if (shown && shown.parentNode !== this.layer) {
      this.layer.replaceChildren(shown);
      shown.querySelector(".cl-field")?.focus();
    }
    document.documentElement.toggleAttribute("data-class-layer", Boolean(shown));
    if (shown) this.layer.style.top = `${Math.max(0, document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().bottom ?? 0) / (this.root.currentCSSZoom ?? 1)}px`;
    if (onList) this.drawButtons(again);
    const leadsHere = code && leads && !onList && card;
    if (leadsHere && state) {
      this.board.draw(card);
      if (!this.board.node.isConnected) this.root.append(this.board.node);
    } else this.board.node.remove();
  }

  drawButtons(again) {
    const { code, leads } = this.line;
    const kind = `${Boolean(code)} ${leads}`;
    if (kind === this.kind && !again) return;
    this.kind = kind;
    const button = (text, what) => make("button", { class: "btn", text, attrs: { type: "button" }, on: { click: () => (what === "leave" ? this.line.leave() : this.open(what)) } });
    this.buttons.replaceChildren(...(!code ? [button(inWords("Start a class"), "start"), button(inWords("Join"), "join")] : leads ? [button(inWords("Your class"), "start")] : [button(inWords("Leave the class"), "leave")]));
  }

  destroy() {
    for (const stop of this.stops) stop();
    document.documentElement.removeAttribute("data-class-layer");
  }
}

const classrooms = mounts(true);

export default function (component) {
  classrooms.get(component, () => new Classroom(component.parentElement.querySelector(".tx"))).update(component);
  return () => classrooms.drop(component.parentElement);
}
