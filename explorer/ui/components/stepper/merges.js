/* What a script says about its merges: the text of every symbol, what each pair in the queue was made of, and every merge
   with its place. A script numbers the cells of each fragment from 0; here they are the keys of the strip. The script is
   played once, without drawing. Needs a strip track and a queue track.

     const merges = mergesOf(player);         // null without those tracks
     merges.list[0]                           // { step, left, end, text, value, id }: cells [left, end) became one
     merges.base.get(serial)                  // the key of cell 0 of the fragment that an entry belongs to
     merges.sides.get(serial)                 // the texts of both symbols, indices in the string table
     merges.textOf(key, span)                 // the text of a symbol of several cells; undefined for one never merged */

function mergesOf(player) {
  const strip = player.tracks.find(({ type }) => type === "strip");
  const queue = player.tracks.find(({ type }) => type === "queue");
  return strip && queue ? new Merges(player.script, strip.index, queue.index) : null;
}

class Merges {
  constructor(script, stripIndex, queueIndex) {
    const player = new Player(script);
    const strip = player.tracks[stripIndex];
    const queue = player.tracks[queueIndex];
    this.list = [];
    this.base = new Map();
    this.sides = new Map();
    this.texts = new Map();
    const first = new Map(); // group → key of its cell 0
    strip.cells.forEach(([, cell, group], key) => {
      if (!first.has(group)) first.set(group, key - cell);
    });
    const textAt = (key) => {
      const span = strip.rows.get(key)?.[0] ?? 1;
      return span > 1 ? this.textOf(key, span) : strip.cells[key]?.[0];
    };
    const { at, track, key, row } = player.patches;
    for (let step = 1; step <= player.last; step += 1) {
      const base = first.get(strip.rows.get(-1)?.[0] ?? 0) ?? 0;
      let taken;
      for (let i = at[step - 1]; i < at[step]; i += 1) {
        if (track[i] !== queueIndex) continue;
        if (row[i] === null) taken = queue.rows.get(key[i]);
        else if (!this.base.has(key[i])) {
          const [, , , , left, right] = row[i];
          this.base.set(key[i], base);
          this.sides.set(key[i], [textAt(base + left), textAt(base + right)]);
        }
      }
      player.forward();
      if (!taken || !player.kindAt(step).landmark) continue;
      const [text, , value, , from] = taken;
      const left = base + from;
      const [span, id] = strip.rows.get(left) ?? [1, -1];
      this.texts.set(`${left} ${span}`, text);
      this.list.push({ step, left, end: left + span, text, value, id });
    }
  }

  textOf(key, span) {
    return this.texts.get(`${key} ${span}`);
  }
}
