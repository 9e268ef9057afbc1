/* Tokens colored by who wrote them: cell = { n, t, id, s, e, who, m, row, control?, parts?, space?, joins?, bytes? }
   (explorer/views/prompt/tokens.py). Colors come from the class: pr-who-user and the like set --fill-who and so on.

   tokenNode(cell, large)   a button with the text and the id; large: 20 px, as in rows of a single turn
   whoClass(who)            the class of an author
   roleClass(role)          the author of a message's role
   LETTERS                  authors by their letters in data.strip                                                  */

const LETTERS = { s: "system", u: "user", a: "assistant", t: "tool", o: "other", ".": "template", "~": "changed" };
const ROLES = { system: "system", developer: "system", user: "user", assistant: "assistant", tool: "tool" };

function whoClass(who) {
  return `pr-who pr-who-${who}`;
}

function roleClass(role) {
  return whoClass(ROLES[role] ?? "other");
}

function tokenNode(cell, large = false) {
  const text = make("b", { class: "pr-text" });
  if (cell.parts) {
    text.append(...cell.parts.map(([who, part]) => make("span", { class: `pr-half ${whoClass(who)}`, text: part })));
  } else asText(text, cell.t, cell.space ?? 0);
  const classes = ["pr-token", whoClass(cell.who), large ? "large" : "", cell.control ? "control" : "", cell.parts ? "split" : "", cell.bytes ? "bytes" : ""];
  const node = make("button", {
    class: classes.filter(Boolean).join(" "), data: { n: cell.n },
    attrs: { type: "button", tabindex: "-1", "aria-label": `${cell.t}, ${inWords("id {0}", cell.id)}, ${authorOf(cell)}` },
  }, text, make("small", { text: plainNumber(cell.id) }));
  return node;
}

function authorOf(cell) {
  if (cell.parts) return inWords("of two authors");
  if (cell.who === "changed") return inWords("computed by the template");
  return cell.m >= 0 ? inWords("of message {0}", cell.m + 1) : inWords(cell.who === "tool" ? "of the tools" : "of the template");
}
