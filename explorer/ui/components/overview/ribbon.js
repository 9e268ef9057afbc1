/* The row of stages: one is in focus. node = { key, name, result, changed } (explorer/views/overview.py).

   asks(key, asked)                the new focus, shown before Python has drawn its stage; returns what is to be reported,
                                   by the key or by what was asked for there
   draw(stages, focus, answers)    answers: the report that Python had read when it chose this focus                   */

class Ribbon {
  constructor(choose) {
    this.choose = choose;
    this.node = make("div", { class: "ribbon", attrs: { role: "tablist", "aria-label": "Stages" } });
    this.nodes = new Map();
    this.node.addEventListener("keydown", (event) => this.pressed(event));
  }

  /* The focus that was asked for, until Python has read that; then the one that Python drew, which may be another. */
  get current() {
    return this.asked && this.asked.report !== this.answers ? this.asked.key : this.drawn;
  }

  asks(key, asked = key) {
    this.asked = { key, report: `${asked} ${Date.now()}` }; // the time: a stage can be chosen again after another was drawn
    this.focusOn(key);
    return this.asked.report;
  }

  draw(stages, focus, answers) {
    Object.assign(this, { drawn: focus, answers });
    const seen = new Set();
    const keys = stages.map(({ key }) => key);
    if (keys.join() !== [...this.nodes.keys()].join()) this.build(stages);
    for (const { key, name, result, changed } of stages) {
      const stage = this.nodes.get(key);
      if (stage.said !== name) {
        stage.said = name;
        stage.name.replaceChildren(...explained(name, seen));
      }
      setText(stage.result, result);
      setClass(stage.node, "same", !changed);
    }
    this.focusOn(this.current);
  }

  build(stages) {
    this.nodes = new Map(
      stages.map(({ key }) => {
        const name = make("span", { class: "name" });
        const result = make("span", { class: "result num" });
        const node = make("button", {
          class: "stage", attrs: { type: "button", role: "tab" }, on: { click: () => this.choose(key) },
        }, name, result);
        return [key, { node, name, result }];
      }),
    );
    this.node.replaceChildren(...[...this.nodes.values()].map(({ node }) => node));
    this.focus = undefined; // the new nodes are not marked yet
  }

  /* key: of a stage, or "all", which no stage is: then the first one takes the tab stop. */
  focusOn(key) {
    if (this.focus === key) return;
    this.focus = key;
    const stop = this.nodes.has(key) ? key : [...this.nodes.keys()][0];
    for (const [each, { node }] of this.nodes) {
      node.setAttribute("aria-selected", String(each === key));
      node.setAttribute("tabindex", each === stop ? "0" : "-1");
    }
    this.reveal();
  }

  /* On a phone the row scrolls: the focus stays in the middle. Nothing else on the page may scroll with it. */
  reveal() {
    const node = this.nodes.get(this.focus)?.node;
    if (node) this.node.scrollTo({ left: node.offsetLeft - (this.node.clientWidth - node.offsetWidth) / 2 });
  }

  pressed(event) {
    const keys = [...this.nodes.keys()];
    const at = keys.indexOf(this.focus);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: keys.length - 1 }[keyName(event)];
    if (to === undefined || keys[to] === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose(keys[to]);
    this.nodes.get(keys[to]).node.focus();
  }
}
