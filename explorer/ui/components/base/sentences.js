/* Texts of a component's string table, sentence templates, numbers.

   labelSet(control)                    Set of the indices in `control`, for showText
   showText(node, texts, index, labels) puts a text of the string table into a node; labels are drawn small
   sentenceParts(template)              the parts of a template: strings and {arg, as}
   fillSentence(node, template, args, texts, labels, seen, means)   writes a filled template into a node, quoted texts as
                                        code; with `seen`, words of the glossary are explained (glossary.js), with `means`
                                        numbers are, which gives a phrase for an argument's position and value
   plainSentence(template, args, texts) the same as one string, for aria labels and live regions
   inWords(english, ...values)          a phrase of a component, in the language of the page
   counted(n, one, many)                a count with its noun, in the language of the page
   aroundNode(phrase, node)             the parts of a phrase, a node in the place of {0}
   formatNumber(n)                      12345 -> "12,345", -3 -> "−3"; the separator is that of the page's language
   plainNumber(n)                       12345 -> "12345", -3 -> "−3": ids
   codePointName(n)                     197 -> "U+00C5"
*/

/* What a component says, in the language of the page, with its values: window.explorerWords = { words, glossary } has them
   (key_list.js), English → that language (a noun with a count: its forms; "": the language), and its glossary; all else stays
   English. */
function pageWords() {
  return globalThis.explorerWords; // tests have no window
}

function inWords(english, ...values) {
  const said = (english && pageWords()?.words[english]) || english; // "" is the language
  return values.length ? said.replace(/\{(\d)\}/g, (_, index) => values[index]) : said;
}

const CATEGORIES = ["zero", "one", "two", "few", "many", "other"]; // in the order of a catalog's forms

/* A count with its noun: the form that the page's language has for it. */
function counted(n, one, many) {
  const words = pageWords()?.words;
  const forms = words?.[`{0} ${one}`];
  if (!forms) return `${formatNumber(n)} ${n === 1 ? one : many}`;
  if (typeof forms === "string") return forms.replace("{0}", formatNumber(n));
  const rules = new Intl.PluralRules(words[""]);
  const known = CATEGORIES.filter((each) => rules.resolvedOptions().pluralCategories.includes(each));
  return (forms[known.indexOf(rules.select(n))] ?? forms.at(-1)).replace("{0}", formatNumber(n));
}

/* A phrase with a node in the place of {0}. */
function aroundNode(phrase, node) {
  const [before, after] = phrase.split("{0}");
  return [before, node, after];
}

const MINUS = "\u2212";


function labelSet(control) {
  return new Set(control ?? []);
}

function showText(node, texts, index, labels) {
  setText(node, texts[index] ?? "");
  setClass(node, "label", labels?.has(index));
}

const knownTemplates = new Map();

function sentenceParts(template) {
  let parts = knownTemplates.get(template);
  if (parts) return parts;
  parts = [];
  const add = (text) => {
    if (typeof parts.at(-1) === "string") parts[parts.length - 1] += text;
    else if (text) parts.push(text);
  };
  let from = 0;
  for (const found of template.matchAll(/\{\{|\}\}|\{(\d+)(?::([qti]))?\}/g)) {
    add(template.slice(from, found.index));
    if (found[1] === undefined) add(found[0][0]);
    else parts.push({ arg: Number(found[1]), as: found[2] ?? "n" });
    from = found.index + found[0].length;
  }
  add(template.slice(from));
  knownTemplates.set(template, parts);
  return parts;
}

function fillSentence(node, template, args, texts, labels, seen = null, means = () => "") {
  const children = sentenceParts(template).flatMap((part) => {
    if (typeof part === "string") return seen ? explained(part, seen) : part;
    const value = args[part.arg];
    if (part.as === "n") return formatNumber(value);
    if (part.as === "i") return plainNumber(value);
    const text = make(part.as === "q" ? "code" : "bdi", { class: part.as === "q" ? "q" : "", attrs: { "data-arg": part.arg } });
    showText(text, texts, value, labels);
    const phrase = means(part.arg, value);
    if (phrase) meansHere(text, phrase);
    return text;
  });
  node.shownText = undefined;
  node.replaceChildren(...children);
}

function plainSentence(template, args, texts) {
  return sentenceParts(template)
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.as === "n") return formatNumber(args[part.arg]);
      return part.as === "i" ? plainNumber(args[part.arg]) : (texts[args[part.arg]] ?? "");
    })
    .join("");
}

function formatNumber(n) {
  if (n === undefined || n === null) return "";
  const digits = String(Math.abs(n)).replace(/\B(?=(\d{3})+$)/g, inWords(","));
  return n < 0 ? MINUS + digits : digits;
}

function plainNumber(n) {
  return n === undefined ? "" : String(n).replace("-", MINUS); // an id: no thousands separator
}

function codePointName(n) {
  return "U+" + n.toString(16).toUpperCase().padStart(4, "0");
}
