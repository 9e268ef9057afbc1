/* What a row draws and what is where, without any DOM.

   windowAround(index, count, limit)   {from, to}: at most `limit` of `count` cells, `index` near the middle
   firstWithin(cells, span)            index of the first cell that shares a code point with span, -1 if none
   longestTip(cells)                   the details that need most room (the strip reserves it), or null
   canShare(cell)                      does the cell stand for a piece of the original text?
   describe(cell)                      the cell in words, for screen readers                                       */

function windowAround(index, count, limit) {
  if (!(limit > 0) || count <= limit) return { from: 0, to: count };
  const from = Math.min(Math.max(0, index - (limit >> 1)), count - limit);
  return { from, to: from + limit };
}

function firstWithin(cells, span) {
  if (!span) return -1;
  return cells.findIndex((cell) => spansOverlap(cell.s, cell.e, span));
}

function longestTip(cells) {
  let longest = null;
  let most = -1;
  for (const cell of cells) {
    if (!cell.tip?.length) continue;
    // About eight letters' worth of gap between two entries.
    const room = cell.tip.reduce((sum, [label, value]) => sum + String(label).length + String(value).length + 8, 0);
    if (room > most) [longest, most] = [cell, room];
  }
  return longest;
}

function canShare(cell) {
  return cell.s >= 0 && cell.e > cell.s;
}

const LOOK_WORDS = { changed: "changed", inserted: "inserted", dropped: "dropped", special: "special", bad: "invalid" };

function describe(cell) {
  const words = [cell.t === "" ? "nothing" : cell.t];
  if (cell.to) words.push(cell.to.length ? `becomes ${cell.to.map((part) => part.t).join(" ")}` : "dropped");
  else if (LOOK_WORDS[cell.look]) words.push(LOOK_WORDS[cell.look]);
  if (cell.tag && cell.tag !== words.at(-1)) words.push(cell.tag);
  if (cell.top) words.push(cell.top);
  if (cell.sub) words.push(cell.sub);
  else if (hasId(cell)) words.push(`id ${cell.id}`);
  if (cell.part) words.push(`part ${cell.part[0]} of ${cell.part[1]} of one character`);
  if (cell.bytes?.length) words.push(`bytes ${cell.bytes.map(([value]) => hex(value)).join(" ")}`);
  if (cell.fault) words.push(cell.fault);
  return words.join(", ");
}

function hasId(cell) {
  return cell.id !== null && cell.id !== undefined && cell.id >= 0;
}

function hex(value) {
  return value.toString(16).toUpperCase().padStart(2, "0");
}
