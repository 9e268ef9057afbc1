/* Texts too long for a URL, kept while the tab is open: a reload and Back find them again. The URL has a mark of the text
   in its place (`text_kept`), so another tab knows that something is missing.

   keepText(text)      keeps it; returns its mark
   keptText(mark)      the text, or null

   The last few are kept; a browser without storage keeps none.                                                  */

const KEPT = "explorer text ";
const MOST_KEPT = 8;

function markOf(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length}-${(hash >>> 0).toString(36)}`;
}

function keepText(text) {
  const mark = markOf(text);
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "[]").filter((each) => each !== mark);
    for (const each of kept.splice(0, Math.max(0, kept.length - MOST_KEPT + 1))) sessionStorage.removeItem(KEPT + each);
    sessionStorage.setItem(KEPT, JSON.stringify([...kept, mark]));
    sessionStorage.setItem(KEPT + mark, text);
  } catch {} // no storage, or no room in it
  return mark;
}

function keptText(mark) {
  try {
    return sessionStorage.getItem(KEPT + mark);
  } catch {
    return null;
  }
}
