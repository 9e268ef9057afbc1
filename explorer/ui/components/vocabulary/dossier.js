/* Everything about one token.

   dossierView(choose)      `choose(id)` opens another token; returns { node, draw(about, explore) }
*/

function dossierView(choose) {
  const node = make("article", { class: "vo-dossier", attrs: { "aria-label": "The token chosen", "aria-live": "polite" } });
  let shown = null;

  const button = (each, on) => {
    const chip = chipOf(each, { tag: "button", number: true });
    chip.type = "button";
    setClass(chip, "here", on);
    chip.addEventListener("click", () => choose(each[0]));
    return chip;
  };
  const part = (title, note, ...content) => make("section", {}, make("h3", { class: "vo-head" }, make("span", { text: title }), make("small", { text: note })), ...content);
  const bytes = (about) => make("div", { class: "vo-bytes" },
    ...about.bytes.map(([byte, label]) => make("span", {}, make("b", { text: byte }), make("bdi", { text: label }))),
    ...(about.more_bytes ? [make("small", { text: `and ${formatNumber(about.more_bytes)} more` })] : []));

  function draw(about, link) {
    if (about === shown) return;
    shown = about;
    if (!about) {
      node.replaceChildren(make("p", { class: "none", text: "Choose a token to see how it is made, what is made from it, and whether text gives it." }));
      return;
    }
    const head = make("header", {}, chipOf([about.id, about.text], { look: "large" }),
      make("p", {}, make("b", { class: "num", text: plainNumber(about.id) }), make("span", { text: about.facts }), make("span", { class: "vo-stored", text: `stored as ${about.stored}` })));
    if (about.explore) head.append(make("a", { class: "btn", text: "Try in Explore", attrs: { href: link(about.explore), target: "_self" } }));
    const verdict = make("p", { class: `vo-verdict ${about.good ? "yes" : "no"}` }, make("b", { text: about.good ? "✓ Yes. " : "✗ No. " }), make("bdi", { text: about.verdict }));
    const trials = make("ul", { class: "vo-trials" }, ...about.trials.map(({ where, tokens }) =>
      make("li", {}, make("span", { text: where }), make("div", { class: "vo-chips" }, ...tokens.map(([id, text, on]) => button([id, text], on))))));
    const sections = [head, part("Bytes", "", bytes(about)), part("Can it come out?", "", verdict, trials)];
    const made = about.made ? [part("How it is made", about.made, ...(about.tree.some(({ children }) => children.length) ? [whyTree(about.tree, () => {})] : []))] : [];
    sections.splice(2, 0, ...made);
    for (const { title, note, tokens } of about.relatives) sections.push(part(title, note, make("div", { class: "vo-chips" }, ...tokens.map((each) => button(each, false)))));
    if (about.findings.length) sections.push(part("Checks", "", make("ul", { class: "vo-findings" }, ...about.findings.map((text) => make("li", { text })))));
    node.replaceChildren(...sections);
    node.scrollTop = 0;
  }
  return { node, draw };
}
