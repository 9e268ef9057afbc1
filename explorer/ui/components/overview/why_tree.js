/* The merges of one token as a tree: leaves on top in the order of the text, the token at the bottom. */

const WHY_PITCH = 64;
const WHY_LEAST = 46; // closer, leaves of one or two characters would touch
const WHY_LEVEL = 66;

/* The number that a merge sorts by; it says what it means. */
function valueOf({ value, means }) {
  const node = make("span", { text: value });
  meansHere(node, means);
  return node;
}

function whyTree(nodes, choose, levelHeight = WHY_LEVEL, room = Infinity) {
  const at = nodes.map(() => ({ x: 0, level: 0 }));
  const leaves = nodes.filter(({ children }) => !children.length);
  const columns = Math.max(1, ...leaves.map(({ span }) => span[1]));
  const least = leaves.every(({ text }) => text.length < 3) ? WHY_LEAST : WHY_PITCH;
  const pitch = Math.max(least, Math.min(WHY_PITCH, room / columns));
  nodes.forEach((node, index) => {
    const children = node.children.map((child) => at[child]);
    at[index] = children.length
      ? { x: children.reduce((sum, { x }) => sum + x, 0) / children.length, level: 1 + Math.max(...children.map(({ level }) => level)) }
      : { x: (node.span[0] + 0.5) * pitch, level: 0 };
  });
  const width = columns * pitch;
  const height = (1 + Math.max(...at.map(({ level }) => level))) * levelHeight;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  const plane = make("div", { class: "why-tree", attrs: { style: `width:${width}px;height:${height}px` } }, svg);
  nodes.forEach((node, index) => {
    const { x, level } = at[index];
    const y = level * levelHeight;
    for (const child of node.children) {
      const from = at[child];
      const top = from.level * levelHeight + 36;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${from.x} ${top} C${from.x} ${(top + y) / 2} ${x} ${(top + y) / 2} ${x} ${y}`);
      svg.append(path);
    }
    const chip = make(node.at ? "button" : "span", { class: "why-chip", attrs: { style: `left:${x}px;top:${y}px` } }, make("bdi", { text: node.text }));
    if (node.at) {
      chip.type = "button";
      chip.addEventListener("click", () => choose(node.at));
      chip.append(make("small", {}, `${inWords("step {0}", formatNumber(node.at.step))} · `, valueOf(node)));
    } else if (node.value && node.children.length) chip.append(make("small", {}, valueOf(node)));
    tint(chip, node.id);
    plane.append(chip);
  });
  return make("div", { class: "why-scroll", attrs: { tabindex: "0", role: "group", "aria-label": "Merges" } }, plane);
}
