/* What stands around rows: sentences with parts that stand out, links, what to do, lists of ids.

   fillLine(node, line)        a line of sentences: [[{template, args, texts}, style], …]; style: classes such as "b k1"
   remedyNode(remedy, link)    what to change in other programs, a box for each
   listNode(list, use)         rows of ids, the first the tokenizer's own; use(number) is called for an example
   linkNode(link, names, go)   a button that changes parameters of the page's URL; link.add: a tokenizer it needs;
                               go(changes): tells Python, as JSON, whose widgets then write the URL
   lettersOf(text)             the characters of a text that stand beside each other: a mark stands on another one     */

function fillLine(node, line) {
  node.replaceChildren(
    ...(line ?? []).map(([{ template, args, texts }, style]) => {
      const part = make("span", { class: style });
      fillSentence(part, template, args, texts, null);
      return part;
    }),
  );
}

function sayNode(tag, { template, args, texts }) {
  const node = make(tag);
  fillSentence(node, template, args, texts, null);
  return node;
}

function linkNode({ text, query: changes, add }, names, go) {
  const query = new URLSearchParams(window.location.search);
  if (add && !names.includes(add)) changes = { ...changes, with: [...names, add] };
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name);
    for (const each of [value].flat()) query.append(name, each);
  }
  const link = make("a", { class: "btn", text, attrs: { href: `?${query}`, target: "_self" } });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const [start, end] = (changes.sel ?? "").split("-").map(Number);
    if (end) select({ start, end }, null);
    go(JSON.stringify({ ...changes, clicked: Date.now() }));
  });
  return link;
}

function remedyNode(remedy, link) {
  const head = make("p", { class: "fr-head" }, sayNode("b", remedy.title), " ", sayNode("span", remedy.about));
  const boxes = remedy.boxes.map(([program, says]) => {
    const how = sayNode("span", says);
    return make("li", {}, make("small", { text: program }), how);
  });
  return [make("div", { class: "fr-bar" }, head, ...(link ? [link] : [])), make("ul", { class: "fr-boxes" }, ...boxes)];
}

function idNodes({ ids, kinds, gone, more }) {
  const chips = ids.map((id, index) => make("span", { class: `fr-id k${kinds[index]}`, text: plainNumber(id) }));
  if (gone) chips.splice(gone[0], 0, make("span", { class: "fr-id gone", attrs: { title: "missing" } }, make("bdi", { text: gone[1] })));
  return [...chips, ...(more ? ["…"] : [])];
}

function listNode({ rows, heading }, use) {
  const [own, ...examples] = rows.map((row, index) => {
    const name = make("span", { class: "fr-name" }, make("b", {}, make("bdi", { text: row.name })), make("small", {}, make("bdi", { text: row.about })));
    const children = [name, make("span", { class: "fr-ids" }, ...idNodes(row))];
    if (index === 0) return make("div", { class: "fr-row" }, ...children);
    return make("button", { class: "fr-row", attrs: { type: "button" }, on: { click: () => use(index - 1) } }, ...children, make("span", { class: "fr-use", text: inWords("Use these") }));
  });
  if (!examples.length) return [own];
  const head = make("p", { class: "fr-head fr-rule" }, make("b", { text: heading[0] }), " ", make("span", { text: heading[1] }));
  return [own, head, ...examples];
}

/* What is folded, and the button that shows it. */
function foldedNode({ names, show }, open, toggle) {
  const button = make("button", { class: "link fr-show", text: open ? inWords("Hide") : show, attrs: { type: "button", "aria-expanded": String(open) }, on: { click: toggle } });
  return make("div", { class: "fr-bar" }, make("p", { class: "fr-head" }, make("b", { text: inWords("Changes nothing here") }), " ", make("bdi", { text: names })), button);
}

function lettersOf(text) {
  const letters = [];
  for (const letter of text) {
    if (!/\p{M}/u.test(letter)) letters.push(letter);
    else if (letters.length) letters[letters.length - 1] += letter;
    else letters.push(`\u25cc${letter}`);
  }
  return letters;
}
