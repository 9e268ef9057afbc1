/* Which cells a row draws, and which belong to a span. No DOM.

   windowAround(index, count, limit)   {from, to}: at most `limit` of `count` cells, `index` near the middle
   firstWithin(cells, span)            index of the first cell that shares a code point with span, -1 if none
   canShare(cell)                      does the cell have a span in the original text?
   hasId(cell), hex(byte)                                                                                          */

function windowAround(index, count, limit) {
  if (!(limit > 0) || count <= limit) return { from: 0, to: count };
  const from = Math.min(Math.max(0, index - (limit >> 1)), count - limit);
  return { from, to: from + limit };
}

function firstWithin(cells, span) {
  if (!span) return -1;
  // An insertion (an empty span) counts only if the span contains no cell of the text itself.
  const own = cells.findIndex((cell) => cell.e > cell.s && spansOverlap(cell.s, cell.e, span));
  return own >= 0 ? own : cells.findIndex((cell) => spansOverlap(cell.s, cell.e, span));
}

function canShare(cell) {
  return cell.s >= 0 && cell.e > cell.s;
}

function hasId(cell) {
  return cell.id !== null && cell.id !== undefined && cell.id >= 0;
}

function hex(value) {
  return value.toString(16).toUpperCase().padStart(2, "0");
}
