/* The merges so far as trees over the text: leaves are the symbols of the start, a node is a merge. Nothing that is drawn
   moves when the next merge comes. Needs a strip track and a queue track. */

const TREE_LEVEL = 62;
const TREE_CHIP = 36;

class MergeTree extends Panel {
  constructor(view) {
    super(view, "Merges");
    this.head.hidden = true;
    this.strip = view.player.tracks.find(({ type }) => type === "strip");
    this.queue = view.player.tracks.find(({ type }) => type === "queue");
    this.scroller = make("div", { class: "merge-tree", attrs: { tabindex: "0", role: "group", "aria-label": "Merges" } });
    this.lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.lines.setAttribute("aria-hidden", "true");
    this.plane = make("div", { class: "plane" });
    this.plane.append(this.lines);
    this.scroller.append(this.plane);
    this.wait = make("p", { class: "waiting" });
    this.body.append(this.scroller, this.wait);
    this.merges = this.read();
    this.scroller.addEventListener("click", (event) => {
      const step = event.target.closest(".joint")?.dataset.step;
      if (step) view.go(Number(step));
    });
  }

  /* Every merge of the script: its step, its cells [left, end), its children and its height. */
  read() {
    const { player } = this.view;
    const top = this.strip.cells.map((cell, index) => ({ left: index, end: index + 1, height: 0, x: index, leaf: true }));
    const merges = [];
    for (const step of player.landmarks) {
      const row = player.deletedAt(step, this.queue.index)[0];
      if (!row) continue;
      const [text, , value, , left, right] = row;
      const one = top[left];
      const other = top[right];
      const made = {
        step, text, value, left, end: other.end, one, other,
        height: 1 + Math.max(one.height, other.height), x: (one.x + other.x) / 2, id: player.putAt(step, this.strip.index, left)?.[1] ?? -1,
      };
      top[left] = made;
      merges.push(made);
    }
    this.highest = Math.max(1, ...merges.map(({ height }) => height));
    return merges;
  }

  start() {
    const { texts, labels } = this.view;
    this.leaves = this.strip.cells.map(([text]) => {
      const node = make("span", { class: "leaf", dir: "auto" });
      showText(node, texts, text, labels);
      return node;
    });
    this.joints = this.merges.map((merge) => {
      const chip = make("button", { class: "joint", attrs: { type: "button", tabindex: "-1" }, data: { step: merge.step } });
      const text = make("bdi");
      showText(text, texts, merge.text, labels);
      chip.append(text, make("small", { text: texts[merge.value] ?? "" }));
      tint(chip, merge.id);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      this.lines.append(path);
      return { chip, path };
    });
    this.plane.append(...this.leaves, ...this.joints.map(({ chip }) => chip));
  }

  resize(width, narrow) {
    super.resize(width, narrow);
    const count = Math.max(1, this.strip.cells.length);
    const pitch = Math.max(narrow ? 46 : 56, Math.min(91, width / count));
    const level = this.highest > 4 ? Math.max(40, (TREE_LEVEL * 4) / this.highest) : TREE_LEVEL;
    const bottom = Math.max(4, this.highest) * level + 8;
    const x = (at) => (at + 0.5) * pitch;
    const y = (height) => bottom - height * level;
    this.plane.style.width = `${pitch * count}px`;
    this.plane.style.height = `${bottom + 54}px`;
    this.leaves?.forEach((leaf, index) => {
      leaf.style.transform = `translate(${x(index) - 24}px, ${bottom}px)`;
    });
    this.joints?.forEach(({ chip, path }, index) => {
      const merge = this.merges[index];
      chip.style.left = `${x(merge.x)}px`;
      chip.style.top = `${y(merge.height) - 6}px`;
      const from = y(merge.height) + TREE_CHIP - 8;
      path.setAttribute("d", [merge.one, merge.other].map((child) => {
        const to = child.leaf ? bottom : y(child.height) - 6;
        return `M${x(merge.x)} ${from} C${x(merge.x)} ${(from + to) / 2 + 8} ${x(child.x)} ${(from + to) / 2 - 8} ${x(child.x)} ${to}`;
      }).join(" "));
    });
  }

  render(frame) {
    this.joints.forEach(({ chip, path }, index) => {
      const { step } = this.merges[index];
      const done = step <= frame.step;
      setClass(chip, "yet", !done);
      path.style.opacity = done ? "" : "0";
      setClass(chip, "newest", step === frame.step);
    });
    const waiting = [];
    let stale = 0;
    for (const row of this.queue.rows.values()) {
      if (row[6]) stale += 1;
      else waiting.push(row);
    }
    waiting.sort((a, b) => a[1] - b[1]);
    const { texts } = this.view;
    const chips = waiting.slice(0, 6).map((row) => make("span", { class: "wait" }, make("bdi", { text: texts[row[0]] }), make("small", { text: texts[row[2]] })));
    const more = waiting.length > 6 ? ` and ${formatNumber(waiting.length - 6)} more` : "";
    const out = stale ? `${more ? ", " : " and "}${counted(stale, "that is", "that are")} out of date` : "";
    this.wait.replaceChildren(...(waiting.length ? ["Still waiting ", ...chips, more, out] : [frame.step ? "No pair waits." : ""]));
  }
}
