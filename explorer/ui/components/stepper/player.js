/* The player: computes the state after any number of steps. Pure: no DOM, no clock, no algorithm.

   A script (written by Python, explorer/views) holds the initial rows of named tracks and the rows that each step writes
   or deletes. Moving forward, the player stores the row that each patch replaced; moving back, it restores that row. So
   going back is exact, and nothing runs twice.

     const player = new Player(script);
     player.seek(26);                    // state after 26 steps; player.step === 26
     player.tracks[0].rows.get(5)        // the row under key 5 as an array of ints, or undefined
     player.sentence()                   // { kind, say, why, args, lines, source } of the step just done
*/

const START_KIND = { label: "start", tone: "info", shape: "ring", height: 0, say: "", why: "", log: "", lines: [], values: [] };

class Player {
  constructor(script) {
    if (script.version !== 1) throw new Error(`a script of version ${script.version}; this player reads version 1`);
    this.script = script;
    this.kinds = script.kinds;
    this.last = script.steps.kind.length;
    this.step = 0;
    this.tracks = script.tracks.map((track, index) => ({ ...track, index, rows: new Map(), changes: new Changes() }));
    this.patches = cutPatches(script.steps);
    this.replaced = new Array(this.patches.key.length); // for each patch, the row it replaced; undefined if none
    for (const [track, key, ...row] of script.initial) this.tracks[track].rows.set(key, row);
    this.landmarks = [];
    script.steps.kind.forEach((kind, index) => {
      if (this.kinds[kind].landmark) this.landmarks.push(index + 1);
    });
  }

  track(name) {
    return this.tracks.find((track) => track.name === name);
  }

  // --- moving

  forward() {
    if (this.step >= this.last) return false;
    const { at, track, key, row } = this.patches;
    for (let i = at[this.step]; i < at[this.step + 1]; i += 1) {
      const { rows, changes } = this.tracks[track[i]];
      this.replaced[i] = rows.get(key[i]);
      put(rows, key[i], row[i]);
      changes.add(key[i]);
    }
    this.step += 1;
    return true;
  }

  back() {
    if (this.step <= 0) return false;
    this.step -= 1;
    const { at, track, key } = this.patches;
    // In reverse, because a step may patch a row twice.
    for (let i = at[this.step + 1] - 1; i >= at[this.step]; i -= 1) {
      const { rows, changes } = this.tracks[track[i]];
      put(rows, key[i], this.replaced[i]);
      changes.add(key[i]);
    }
    return true;
  }

  seek(step) {
    const wanted = clampStep(step, this.last);
    while (this.step < wanted) this.forward();
    while (this.step > wanted) this.back();
  }

  // --- asking

  kindAt(step) {
    return step > 0 ? this.kinds[this.script.steps.kind[step - 1]] : START_KIND;
  }

  argsAt(step) {
    if (step <= 0) return this.script.start.args ?? [];
    const { args, arg_at: at } = this.script.steps;
    return args.slice(at[step - 1], at[step]);
  }

  /* plain: told without the data structures, if there is such a sentence. */
  sentence(plain = false) {
    const kind = this.kindAt(this.step);
    const words = this.wordsAt(this.step, plain);
    const { say = "", why = "", lines = [], source = [] } = words;
    return { kind, say, why, lines, source, args: this.argsAt(this.step) };
  }

  wordsAt(step, plain) {
    const words = step > 0 ? this.kindAt(step) : this.script.start;
    return plain && words.story ? { ...words, say: words.story, why: words.story_why } : words;
  }

  marks() {
    // Marks of the last step: [{track, key, role}], role = {label, look}.
    if (this.step <= 0) return [];
    const { marks, mark_at: at } = this.script.steps;
    const found = [];
    for (let i = at[this.step - 1]; i < at[this.step]; i += 3) {
      found.push({ track: marks[i], key: marks[i + 1], role: this.script.roles[marks[i + 2]] });
    }
    return found;
  }

  justPut(trackIndex) {
    // Keys that the last step wrote in a track.
    const keys = new Set();
    if (this.step <= 0) return keys;
    const { at, track, key, row } = this.patches;
    for (let i = at[this.step - 1]; i < at[this.step]; i += 1) {
      if (track[i] === trackIndex && row[i] !== null) keys.add(key[i]);
    }
    return keys;
  }

  // The rows of one track that a step deletes, as they were before: [key, row].
  deletedAt(step, trackIndex) {
    if (step <= 0) return [];
    const { at, track, key, row } = this.patches;
    const found = [];
    for (let i = at[step - 1]; i < at[step]; i += 1) {
      if (track[i] !== trackIndex || row[i] !== null) continue;
      for (let before = i - 1; before >= -1; before -= 1) {
        if (before < 0) {
          const initial = this.script.initial.find((put) => put[0] === trackIndex && put[1] === key[i]);
          if (initial) found.push([key[i], initial.slice(2)]);
        } else if (track[before] === trackIndex && key[before] === key[i]) {
          if (row[before]) found.push([key[i], row[before]]);
          break;
        }
      }
    }
    return found;
  }

  // All a script ever writes in one track, the initial rows first: [key, row], null for a row that is deleted. Widths
  // and places are reserved from this.
  puts(trackIndex) {
    const { track, key, row } = this.patches;
    const found = this.script.initial.filter((put) => put[0] === trackIndex).map(([, at, ...values]) => [at, values]);
    for (let i = 0; i < key.length; i += 1) if (track[i] === trackIndex) found.push([key[i], row[i]]);
    return found;
  }

  /* The rows that the inner steps after this one put in a track, until one of them takes a row out: key → row. */
  ahead(trackIndex) {
    const { at, track, key, row } = this.patches;
    const rows = new Map();
    for (let step = this.step + 1; step <= this.last && this.kindAt(step).inner; step += 1) {
      for (let i = at[step - 1]; i < at[step]; i += 1) {
        if (track[i] !== trackIndex) continue;
        if (row[i] === null) return rows;
        rows.set(key[i], row[i]);
      }
    }
    return rows;
  }

  /* The steps that are not inner, and the last one; null if no step is inner. */
  outerSteps() {
    if (!this.kinds.some(({ inner }) => inner)) return null;
    const steps = this.script.steps.kind.map((_, index) => index + 1);
    return steps.filter((step) => step === this.last || !this.kindAt(step).inner);
  }

  phaseAt(step) {
    let found = -1;
    this.script.phases.forEach((phase, index) => {
      if (phase.from <= step) found = index;
    });
    return found;
  }

  nextLandmark(step) {
    return this.landmarks[firstAbove(this.landmarks, step)] ?? null;
  }

  previousLandmark(step) {
    return this.landmarks[firstAbove(this.landmarks, step - 1) - 1] ?? null;
  }

  // How full a track gets over the script: {most, from, to}; it has rows only between steps from and to. Heights are
  // reserved from this, so that nothing jumps while stepping. Keys below 0 are not counted.
  fullness(trackIndex) {
    const { at, track, key, row } = this.patches;
    const present = new Set(this.script.initial.filter((put) => put[0] === trackIndex).map((put) => put[1]));
    const result = { most: present.size, from: present.size ? 0 : Infinity, to: present.size ? 0 : -1 };
    for (let step = 1; step <= this.last; step += 1) {
      for (let i = at[step - 1]; i < at[step]; i += 1) {
        if (track[i] !== trackIndex || key[i] < 0) continue;
        if (row[i] === null) present.delete(key[i]);
        else present.add(key[i]);
      }
      if (!present.size) continue;
      result.most = Math.max(result.most, present.size);
      result.from = Math.min(result.from, step);
      result.to = step;
    }
    return result;
  }
}

function clampStep(step, last) {
  return Math.min(last, Math.max(0, Math.trunc(Number(step) || 0)));
}

function put(rows, key, row) {
  if (row === null || row === undefined) rows.delete(key);
  else rows.set(key, row);
}

function cutPatches({ patches, patch_at: patchAt }) {
  // Splits the flat sequence "track, key, count, values…" into parallel arrays; at[k] = first patch of step k + 1.
  const cut = { at: [], track: [], key: [], row: [] };
  let i = 0;
  for (const end of patchAt) {
    while (i < end) {
      const count = patches[i + 2];
      cut.track.push(patches[i]);
      cut.key.push(patches[i + 1]);
      cut.row.push(count < 0 ? null : patches.slice(i + 3, i + 3 + count));
      i += 3 + Math.max(0, count);
    }
    cut.at.push(cut.key.length);
  }
  return cut;
}

function firstAbove(sorted, value) {
  // Index of the first element greater than value (sorted.length if none).
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/* The keys of a track that changed since a widget last read them. Beyond a limit it reports "all": after a long jump, one
   sort of everything is cheaper than thousands of moves. */
class Changes {
  constructor() {
    this.keys = new Set();
    this.all = true;
  }

  add(key) {
    if (this.all) return;
    this.keys.add(key);
    if (this.keys.size > 400) this.all = true;
  }

  take() {
    const taken = { all: this.all, keys: this.keys };
    this.keys = new Set();
    this.all = false;
    return taken;
  }
}

/* The keys of a track in drawing order, (rank(row), key) ascending, updated incrementally. */
class KeyOrder {
  constructor(rank = () => 0) {
    this.rank = rank;
    this.keys = [];
    this.ranks = new Map();
  }

  sync(track) {
    const { all, keys } = track.changes.take();
    if (all) {
      this.ranks = new Map();
      for (const [key, row] of track.rows) if (key >= 0) this.ranks.set(key, this.rank(row));
      this.keys = [...this.ranks.keys()].sort((a, b) => this.ranks.get(a) - this.ranks.get(b) || a - b);
      return this.keys;
    }
    for (const key of keys) {
      if (key < 0) continue;
      if (this.ranks.has(key)) this.keys.splice(this.indexFor(key, this.ranks.get(key)), 1);
      const row = track.rows.get(key);
      if (row) {
        const rank = this.rank(row);
        this.keys.splice(this.indexFor(key, rank), 0, key);
        this.ranks.set(key, rank);
      } else {
        this.ranks.delete(key);
      }
    }
    return this.keys;
  }

  indexFor(key, rank) {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.keys[middle];
      const order = this.ranks.get(other) - rank || other - key;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
