/* The stepper as one panel of fixed height: a sentence, what is worked on, two columns, the transport.

   Level: "story" shows what happens without data structures, "algorithm" the queue (or what the algorithm keeps) beside
   the pseudo-code, "implementation" every panel of the script. Panels that share a column are tabs of it. */

const LEVELS = [
  ["story", "Story"],
  ["algorithm", "Algorithm"],
  ["implementation", "Implementation"],
];

/* The level is the same for all steppers of the page: the address has it, else the page, else what was chosen last in
   this browser. owned: the page has a control for it. */
function readLevel(given = "", owned = false) {
  const known = LEVELS.map(([name]) => name);
  const linked = owned ? given : address("level");
  if (known.includes(linked)) return linked;
  if (known.includes(given)) return given;
  const kept = remembered("explorer-level");
  return known.includes(kept) ? kept : "story";
}

class LevelSwitch {
  constructor(choose) {
    this.buttons = new Map(
      LEVELS.map(([name, label]) => [
        name,
        make("button", { text: inWords(label), attrs: { type: "button", role: "radio" }, on: { click: () => choose(name) } }),
      ]),
    );
    this.node = make("div", { class: "levels", attrs: { role: "radiogroup", "aria-label": "Level of detail" } }, ...this.buttons.values());
    this.node.addEventListener("keydown", (event) => {
      const names = [...this.buttons.keys()];
      const by = { ArrowLeft: -1, ArrowRight: 1 }[keyName(event)];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const next = names[(names.indexOf(this.level) + by + names.length) % names.length];
      choose(next);
      this.buttons.get(next).focus();
    });
  }

  show(level) {
    this.level = level;
    for (const [name, button] of this.buttons) {
      button.setAttribute("aria-checked", String(name === level));
      button.setAttribute("tabindex", name === level ? "0" : "-1");
    }
  }
}

/* Panels of one column: one is seen at a time, its title is its tab. The address has the tabs that were chosen, by the
   names of their panels; a column shows the one of them that it has, else its first. They are the same for all steppers of
   the page. */
class Tabs {
  constructor(widgets) {
    this.widgets = widgets;
    this.node = make("div", { class: "column" });
    if (widgets.length > 1) {
      this.heads = widgets.map((widget, index) =>
        make("button", { text: widget.name, attrs: { type: "button", role: "tab" }, on: { click: () => this.choose(index) } }));
      this.bar = make("div", { class: "tabs", attrs: { role: "tablist" } }, ...this.heads);
      this.bar.addEventListener("keydown", (event) => this.pressed(event));
      this.node.append(this.bar);
    }
    this.node.append(...widgets.map((widget) => widget.node));
    for (const { body, name } of widgets) {
      // a panel that scrolls can be scrolled by keyboard
      if (body.querySelector("[tabindex], button")) continue;
      for (const [key, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", name]]) body.setAttribute(key, value);
    }
    this.followAddress();
  }

  choose(index) {
    const own = this.widgets.map(({ panel }) => panel);
    const others = addressAll("tab").filter((name) => !own.includes(name));
    const chosen = index ? [...others, own[index]] : others;
    writeAddress({ tab: chosen.length ? chosen : null });
    window.dispatchEvent(new CustomEvent("explorer-tab"));
  }

  followAddress() {
    const chosen = addressAll("tab");
    this.show(Math.max(0, this.widgets.findIndex(({ panel }) => chosen.includes(panel))));
  }

  /* At a card's step a tab that is empty gives its place to the first that is not, unless the reader chose it. */
  fill() {
    const isIdle = ({ body }) => body.matches(".is-idle, .empty");
    const chosen = addressAll("tab");
    if (!isIdle(this.widgets[this.at]) || this.widgets.some(({ panel }) => chosen.includes(panel))) return;
    this.show(Math.max(0, this.widgets.findIndex((widget) => !isIdle(widget))));
  }

  show(index) {
    if (index === this.at) return;
    this.at = index;
    this.widgets.forEach((widget, number) => {
      widget.node.hidden = number !== index;
      this.heads?.[number].setAttribute("aria-selected", String(number === index));
      this.heads?.[number].setAttribute("tabindex", number === index ? "0" : "-1");
    });
  }

  pressed(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[keyName(event)];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    this.choose((this.at + by + this.heads.length) % this.heads.length);
    this.heads[this.at].focus();
  }
}

/* Which tracks each level shows: on top, and in the two columns. A script's layout is rows of names; the first row is on
   top, the others fill the columns from the left. A script may choose its own panels for a level. */
function arrange(script, level, onBoard) {
  if (onBoard) return { top: [], left: [], right: [], board: script.board };
  const own = script.levels?.[level];
  if (own) return { top: [], left: [], right: [], ...own };
  const [top, ...rows] = script.layout;
  const left = rows.flatMap((row) => row[0]).flat();
  const right = rows.flatMap((row) => row.slice(1)).flat();
  if (level === "implementation") {
    const [queue, ...others] = left;
    // what has come out stands on the strip, too: the code fills its column from the first step on
    if (right[0] === "output" && right.includes("code")) right.sort((one, other) => (other === "code") - (one === "code"));
    return { top, left: script.tracks.some(hasLinks) ? [queue, "symbols", ...others] : left, right };
  }
  const tree = script.tracks.some(({ type }) => type === "queue");
  if (level === "story") return tree ? { top: ["tree"], left: [], right: [] } : { top, left: [left.find((name) => name !== "log")], right: ["output"] };
  return { top, left: left.filter((name) => name !== "log" && name !== "output").slice(0, 1), right: ["code"] };
}
