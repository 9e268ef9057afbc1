/* Tokens colored by who wrote them: cell = { n, t, id, s, e, who, m, row, control?, parts?, space?, joins?, bytes? }
   (explorer/views/prompt/tokens.py).

   tokenNode(cell)      a button with the text and the id
   whoClass(who)        the class that sets its colors: --who, --who-fill, --who-edge, --who-text                    */

function whoClass(who) {
  return `pr-who-${who}`;
}

function tokenNode(cell) {
  const text = make("b", { class: "pr-text" });
  if (cell.parts) {
    text.append(...cell.parts.map(([who, part]) => make("span", { class: `pr-half ${whoClass(who)}`, text: part })));
  } else asText(text, cell.t, cell.space ?? 0);
  const classes = ["pr-token", whoClass(cell.who), cell.control ? "control" : "", cell.parts ? "split" : "", cell.bytes ? "bytes" : ""];
  return make("button", {
    class: classes.filter(Boolean).join(" "), data: { n: cell.n },
    attrs: { type: "button", tabindex: "-1", "aria-label": `${cell.t}, id ${cell.id}, ${authorOf(cell)}` },
  }, text, make("small", { text: plainNumber(cell.id) }));
}

function authorOf(cell) {
  if (cell.parts) return `half the template's, half message ${cell.m + 1}'s`;
  return cell.m >= 0 ? `message ${cell.m + 1}` : "template";
}
