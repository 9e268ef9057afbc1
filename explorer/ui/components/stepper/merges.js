/* What a script says about its merges: the text of every symbol, what each pair in the queue was made of, and every merge
   with its place. A script numbers the cells of each fragment from 0; here they are the keys of the strip. The script is
   played once, without drawing. Needs a strip track and a queue track.

     const merges = mergesOf(player);         // null without those tracks
     merges.list[0]                           // { step, left, end, text, value, id }: cells [left, end) became one; without
                                              // a value if they were not merged but taken as a whole
     merges.base.get(serial)                  // the key of cell 0 of the fragment that an entry belongs to
     merges.sides.get(serial)                 // the texts of both symbols, indices in the string table
     merges.textOf(key, span)                 // the text of a symbol of several cells; undefined for one never merged */

function mergesOf(player) {
  const strip = player.tracks.find(({ type }) => type === "strip");
  const queue = player.tracks.find(({ type }) => type === "queue");
  return strip && queue ? new Merges(player.script, strip.index, queue.index, player.track("output").index) : null;
}

class Merges {
  constructor(script, stripIndex, queueIndex, outputIndex) {
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
      let joined; // the first cell of what became one symbol, and its text
      let made;
      for (let i = at[step - 1]; i < at[step]; i += 1) {
        if (track[i] === stripIndex && key[i] >= 0 && row[i]?.[0] > 1) joined ??= key[i];
        else if (track[i] === outputIndex && row[i]) made = { text: row[i][0] };
        else if (track[i] === queueIndex && row[i] === null) {
          const [text, , value] = queue.rows.get(key[i]);
          made = { text, value };
        } else if (track[i] === queueIndex && !this.base.has(key[i])) {
          const [, , , , left, right] = row[i];
          this.base.set(key[i], base);
          this.sides.set(key[i], [textAt(base + left), textAt(base + right)]);
        }
      }
      player.forward();
      if (joined === undefined || !player.kindAt(step).landmark) continue;
      const [span, id] = strip.rows.get(joined);
      this.texts.set(`${joined} ${span}`, made.text);
      this.list.push({ step, left: joined, end: joined + span, ...made, id });
    }
  }

  textOf(key, span) {
    return this.texts.get(`${key} ${span}`);
  }
}
