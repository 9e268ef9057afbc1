/* What a row draws and what is where, without any DOM.

   windowAround(index, count, limit)   {from, to}: at most `limit` of `count` cells, `index` near the middle
   firstWithin(cells, span)            index of the first cell that shares a code point with span, -1 if none
   canShare(cell)                      does the cell stand for a piece of the original text?
   hasId(cell), hex(byte)                                                                                          */

function windowAround(index, count, limit) {
  if (!(limit > 0) || count <= limit) return { from: 0, to: count };
  const from = Math.min(Math.max(0, index - (limit >> 1)), count - limit);
  return { from, to: from + limit };
}

function firstWithin(cells, span) {
  if (!span) return -1;
  // What was inserted (an empty span) is told of only where nothing of the text itself is chosen.
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
