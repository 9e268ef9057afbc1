/* Everything about one token.

   dossierView(choose, others)   `choose(id)` opens another token, `others(id)` asks what its text is in other
                                 tokenizers; returns { node, draw(about, link) }
*/

const TREE_LEVEL = 55; // lower than where a tree stands alone
const TREE_SIDES = 44; // the padding of the dossier

/* A token, what it is made of, and what is made of it. */
function cardOfToken(about) {
  const box = ([id, t]) => ({ id, t });
  const parts = about.tree.filter(({ children }) => !children.length);
  const rows = [{ label: inWords("Token"), value: "", boxes: [box([about.id, about.text])] }];
  if (parts.length > 1) rows.push({ label: inWords("Made of"), value: String(parts.length), boxes: parts.map(({ id, text }) => ({ id, t: text })) });
  for (const { title, tokens } of about.relatives.slice(0, 3)) if (tokens.length) rows.push({ label: title, value: "", boxes: tokens.map(box) });
  const bytes = about.bytes.map(([byte]) => byte).join(" ");
  return { say: inWords("Token {0}: {1}", plainNumber(about.id), about.verdict), facts: `${about.facts} · ${inWords("bytes {0}", bytes)}${about.more_bytes ? " …" : ""}`, rows };
}

function dossierView(choose, others) {
  const node = make("article", { class: "vo-dossier", attrs: { "aria-label": inWords("The token chosen"), "aria-live": "polite" } });
  let shown = "";

  const elsewhere = (about) => {
    if (about.others) {
      return make("ul", { class: "vo-others" }, ...about.others.map(({ m, title, tokens, more, refused }) => {
        if (refused) return make("li", {}, make("span", { text: title }), make("span", { text: refused }));
        const one = tokens.length === 1;
        const chips = tokens.map((each) => chipOf(each, { number: one }));
        if (more) chips.push(make("small", { text: inWords("and {0} more", formatNumber(more)) }));
        if (!tokens.length) chips.push(make("small", { text: inWords("nothing") }));
        const href = `?${new URLSearchParams(one ? { m, token: tokens[0][0] } : { m })}`;
        return make("li", {}, make("a", { text: title, attrs: { href, target: "_self" } }), make("div", { class: "vo-chips" }, ...chips));
      }));
    }
    const ask = make("button", { class: "btn", text: inWords("Compare"), attrs: { type: "button" } });
    ask.addEventListener("click", () => {
      ask.textContent = inWords("Opening them…");
      ask.setAttribute("aria-disabled", "true");
      others(about.id);
    });
    return ask;
  };
  const button = (each, on) => {
    const chip = chipOf(each, { tag: "button", number: true });
    chip.type = "button";
    setClass(chip, "here", on);
    chip.addEventListener("click", () => choose(each[0]));
    return chip;
  };
  const part = (title, note, ...content) => make("section", {}, make("h2", { class: "vo-head" }, make("span", { text: inWords(title) }), make("small", { text: note })), ...content);
  const bytes = (about) => make("div", { class: "vo-bytes" },
    ...about.bytes.map(([byte, label]) => make("span", {}, make("b", { text: byte }), make("bdi", { text: label }))),
    ...(about.more_bytes ? [make("small", { text: inWords("and {0} more", formatNumber(about.more_bytes)) })] : []));

  function draw(about, link) {
    const content = JSON.stringify(about);
    if (content === shown) return;
    const same = about && shown.startsWith(`[{"id":${about.id},`);
    const { scrollTop } = node;
    shown = content;
    if (!about) {
      node.replaceChildren(make("p", { class: "none", text: inWords("Choose a token to see how it is made, what is made from it, and whether text gives it.") }));
      return;
    }
    const head = make("header", {}, chipOf([about.id, about.text, about.row?.[4]], { size: "large" }), make("b", { class: "num", text: plainNumber(about.id) }));
    if (about.explore) head.append(make("a", { class: "btn", text: inWords("Try in Explore"), attrs: { href: link(about.explore), target: "_self" } }));
    head.append(pictureButton(node.closest(".tx"), () => cardOfToken(about)), make("p", {}, make("span", { text: about.facts }), " · ", make("span", { class: "vo-stored", text: inWords("stored as {0}", about.stored) })));
    const verdict = make("p", { class: `vo-verdict ${about.answer}` }, make("b", { text: about.answer ? `${inWords({ yes: "✓ Yes.", no: "✗ No." }[about.answer])} ` : "" }), make("bdi", { text: about.verdict }));
    const trials = make("ul", { class: "vo-trials" }, ...about.trials.map(({ where, tokens }) =>
      make("li", {}, make("span", { text: where }), make("div", { class: "vo-chips" }, ...(tokens.length ? tokens.map(([id, text, look, on]) => button([id, text, look], on)) : [inWords("no token")])))));
    const sections = [head, part("Bytes", "", bytes(about)), part("Can this token occur?", "", verdict, trials)];
    const made = about.made ? [part("How it is made", about.made, ...(about.tree.some(({ children }) => children.length) ? [whyTree(about.tree, () => {}, TREE_LEVEL, node.clientWidth ? node.clientWidth - TREE_SIDES : Infinity)] : []))] : [];
    sections.splice(2, 0, ...made);
    for (const { title, note, tokens } of about.relatives) sections.push(part(title, note, make("div", { class: "vo-chips" }, ...tokens.map((each) => button(each, false)))));
    if (about.findings.length) sections.push(part("Checks", "", make("ul", { class: "vo-findings" }, ...about.findings.map((text) => make("li", { text })))));
    if (about.explore) sections.push(part("In other tokenizers", "", elsewhere(about)));
    node.replaceChildren(...sections);
    node.scrollTop = same ? scrollTop : 0;
  }
  return { node, draw };
}
