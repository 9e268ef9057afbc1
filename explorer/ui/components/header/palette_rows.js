/* The rows of the palette: under a heading for each kind, a picture, the answer, where it opens. */

const PAGE_ICONS = { explore: "search", compare: "compare_arrows", train: "model_training", vocabulary: "dictionary", prompt: "forum", learn: "school", corpus: "library_books", start: "grid_view" };

/* The name of the page of an address, relative to the app's. */
function pageOf(href) {
  return href.replace(/^\.\//, "").split("?")[0] || "explore";
}

function iconOf(name) {
  return make("span", { class: /^\d+$/.test(name) ? "pa-number" : "pa-icon", data: { icon: name }, attrs: { "aria-hidden": "true" } });
}

function tokenOf([text, id]) {
  const node = make("span", { class: /^<.*>$/.test(text) ? "pa-token special" : "pa-token" });
  asText(node, text, text.length - text.replace(/^ +/, "").length);
  tint(node, id);
  return node;
}

/* The title, with each typed word that begins one of its words in bold. */
function markedTitle(title, typed) {
  const words = typed.split(/\s+/).filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const node = make("bdi", { class: "pa-title" });
  if (!words.length) node.append(title);
  else for (const [at, part] of title.split(new RegExp(`(?<![\\p{L}\\p{N}])(${words.join("|")})`, "giu")).entries()) node.append(at % 2 ? make("b", { text: part }) : part);
  return node;
}

function rowNode(row, index, typed) {
  const long = row.tokens.length > 2 && !row.slim;
  const drawn = row.tokens.map(tokenOf);
  const icon = iconOf(row.icon || PAGE_ICONS[pageOf(row.href)] || "tune");
  const picture = make("span", { class: "pa-picture", attrs: { "aria-hidden": "true" } }, ...(row.slim || (drawn.length && !long) ? drawn : [icon]));
  const words = make("span", { class: "pa-words" }, markedTitle(row.title, typed), ...(long ? [make("span", { class: "pa-tokens", attrs: { "aria-hidden": "true" } }, ...drawn)] : []), ...(row.note ? [make("small", { text: row.note })] : []));
  const end = make("span", { class: "pa-where" });
  if (row.on !== null) end.append(make("span", { class: "pa-switch", attrs: { "aria-hidden": "true" } }));
  else if (row.tag) end.append(make("span", { class: "pa-tag", text: row.tag }));
  else if (!row.slim) end.append(row.where ?? "");
  const attrs = { role: "option", id: `pa-${index}`, "aria-selected": "false", ...(row.on !== null && { "aria-checked": String(row.on) }) };
  return make("div", { class: row.slim ? "pa-row slim" : "pa-row", attrs }, picture, words, end);
}

/* Groups of rows, each named by its heading. */
function rowNodes(rows, typed) {
  const groups = [];
  let before;
  rows.forEach((row, index) => {
    if (row.kind !== before) {
      const id = `pa-kind-${groups.length}`;
      groups.push(make("div", { class: row.slim ? "pa-group boxes" : "pa-group", attrs: { role: "group", "aria-labelledby": id } }, make("div", { class: "pa-kind", text: row.kind, attrs: { id } })));
      before = row.kind;
    }
    groups.at(-1).append(rowNode(row, index, typed));
  });
  return groups;
}
