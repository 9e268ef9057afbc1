/* How blocks fill lines, and which cells of a row are on a line. No DOM.

   packLines(blocks, room)            [{from, to}]: columns of each line; a block that is too wide gets its own line
   cellsWithin(cells, from, to)       the cells of a row between two columns (cells are in order)
   nearestCell(cells, column)         index of the cell that covers a column, else of the one before it              */

function packLines(blocks, room) {
  const lines = [];
  let used = 0;
  for (const [from, to, width] of blocks) {
    const line = lines.at(-1);
    if (line && used + width <= room) {
      line.to = to;
      used += width;
    } else {
      lines.push({ from, to });
      used = width;
    }
  }
  return lines;
}

function cellsWithin(cells, from, to) {
  const found = [];
  for (let i = firstFrom(cells, from); i < cells.length && cells[i].from < to; i += 1) found.push(i);
  return found;
}

/* Index of the first cell that begins at `column` or later. */
function firstFrom(cells, column) {
  let low = 0;
  let high = cells.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cells[middle].from < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

function nearestCell(cells, column) {
  const at = firstFrom(cells, column + 1) - 1;
  return Math.max(0, Math.min(at, cells.length - 1));
}
