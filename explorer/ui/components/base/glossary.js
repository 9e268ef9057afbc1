/* Words of the trade: underlined where they stand, explained in one line on hover or tap, and by the stepper's button
   "?" all that are seen in it. The words come with the module (GLOSSARY, from explorer/views/glossary.py), so no message
   carries them; in another language the page has its own (inWords). They are looked for in our own templates only, never in
   a token's text.

   termParts(text)             the parts of a text: strings, and { text, word } for a word of the glossary
   explained(text, seen)       the same as nodes; `seen` holds the words already underlined in this part of the screen
   meansHere(node, phrase)     a number that explains itself on hover or tap, without a line under it; "" for one that doesn't
   watchTerms(root)            shows the explanations within a component's root
   listTerms(root)             explains all that are underlined in it, or stops doing so                              */

const termsOf = new Map();
let termForms = null;

function formsOfTerms() {
  const glossary = pageWords()?.glossary ?? GLOSSARY;
  if (termForms?.glossary === glossary) return termForms;
  termsOf.clear();
  const words = [...glossary].sort((a, b) => b.word.length - a.word.length); // "special token" before "token"
  const pattern = words.map(({ form }) => `(${form})`).join("|");
  termForms = { glossary, words, pattern: new RegExp(`(?<![\\w-])(?:${pattern})(?![\\w-])`, "g") };
  return termForms;
}

function termParts(text) {
  const { words, pattern } = formsOfTerms();
  let parts = termsOf.get(text);
  if (parts) return parts;
  parts = [];
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    if (found.index > from) parts.push(text.slice(from, found.index));
    parts.push({ text: found[0], word: words[found.findIndex((group, index) => index && group !== undefined) - 1] });
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  termsOf.set(text, parts);
  return parts;
}

function explained(text, seen) {
  return termParts(text).map((part) => {
    if (typeof part === "string") return part;
    if (seen.has(part.word)) return part.text;
    seen.add(part.word);
    const node = make("span", { class: "term", text: part.text });
    node.word = part.word;
    return node;
  });
}

function meansHere(node, phrase) {
  node.word = phrase ? { word: node.textContent, means: phrase } : undefined;
  setClass(node, "means", Boolean(phrase));
}

function tipOf(root) {
  if (!root.termTip) {
    root.termTip = make("div", { class: "term-tip", attrs: { popover: "manual", role: "status" } });
    root.append(root.termTip);
  }
  return root.termTip;
}

function showTerms(root, words, anchor) {
  const tip = tipOf(root);
  tip.replaceChildren(...words.map(({ word, means }) => make("p", {}, make("b", { text: word }), `: ${means}${inWords(".")}`)));
  tip.showPopover();
  const { left, top, bottom, across, down } = placeOf(anchor);
  const below = bottom + 6 + tip.offsetHeight < down;
  tip.style.left = `${Math.max(8, Math.min(left - 12, across - tip.offsetWidth - 8))}px`;
  tip.style.top = `${below ? bottom + 6 : Math.max(8, top - 6 - tip.offsetHeight)}px`;
}

function hideTerms(root) {
  if (root.termTip?.matches(":popover-open")) root.termTip.hidePopover();
}

function listTerms(root) {
  if (root.termTip?.matches(":popover-open")) return hideTerms(root);
  const nodes = [...root.querySelectorAll(".term")].filter((node) => node.offsetParent);
  const words = [...new Set(nodes.map((node) => node.word))];
  if (words.length) showTerms(root, words, nodes[0]);
}

function watchTerms(root) {
  const termAt = (event) => event.target.closest?.(".term, .means");
  root.addEventListener("pointerover", (event) => {
    const node = termAt(event);
    if (node) showTerms(root, [node.word], node);
  });
  root.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "touch" && termAt(event)) hideTerms(root);
  });
  root.addEventListener("pointerdown", (event) => {
    if (!termAt(event)) hideTerms(root);
  });
  root.addEventListener("keydown", () => hideTerms(root));
}
