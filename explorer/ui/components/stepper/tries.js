/* A match as a row of words, drawn from the cells of a text and what each step does to them. Of WordPiece a word has a bar
   for each attempt. A walk down a trie is a word: under its letters a bar for each stretch it reads, in the token's color
   where it passes one, struck out where it ends; what the next walk reads again is dashed. Where units are looked up, a
   word begins at a space, and a unit is a bar.

   A key is a step. A step that puts a box with a token takes that stretch; any other adds the stretch it marks. */

const LONGEST_WORD = 40; // of a text without spaces
const SPACES = ["␣", "▁", "·", " "];

class Tries extends Windows {
  constructor(view) {
    super(view, { title: view.script.title, of: "cells", empty: inWords("The text is empty: no cells.") });
    this.walk = this.text.inline ? view.player.track("walk") : null;
    this.attempts = view.player.track("attempts");
    this.node.classList.add("of-windows");
    const { inline, groups, cells } = this.text;
    setClass(this.list, "titled", inline && cells.some((cell) => groups[cell[2]]?.title)); // bytes under their characters
  }

  get rule() {
    if (this.view.player.track("attempts")) return inWords("Take the longest start that is a piece. Then go on with the rest of the word.");
    return this.view.player.track("walk") && this.view.player.track("cells").inline ? inWords("Follow the text as far as edges lead. Take the last token on the way, and begin again after it.") : "";
  }

  fillWords() {
    if (this.walk) this.words = [];
    else if (!this.attempts) this.words = this.words.flatMap((word) => this.parted(word));
    const { patches, script } = this.view.player;
    const known = new Set();
    this.atWork = [null];
    let word = null;
    for (let step = 1; step < patches.at.length; step += 1) {
      let [began, node, box, put, joins, tried] = [false, null, null, null, false, null];
      for (let at = patches.at[step - 1]; at < patches.at[step]; at += 1) {
        const [track, key, row] = [patches.track[at], patches.key[at], patches.row[at]];
        if (!row) continue;
        if (track === this.walk?.index) {
          if (key === 0 && !row[4]) began = began || row[6] === 0;
          else if (key > 0 && row[6] === 0) node = row;
        } else if (track === this.attempts?.index) {
          tried = row;
        } else if (track === this.text.index) {
          if (key === -1) word = this.words.find(({ group }) => group === row[0]) ?? word;
          if (key >= 0 && row[0] > 0 && row[1] >= 0) box = [key, key + row[0], row[1]];
        } else if (this.view.player.tracks[track].name === "output") {
          [put, joins] = [row, known.has(key)];
          known.add(key);
        }
      }
      const range = box ?? (this.attempts && !tried ? null : this.marked(script.steps, step));
      if (this.walk && range && (began || !word)) this.words.push((word = { group: -1, from: range[0], to: range[1], attempts: [] }));
      else if (!this.walk && range) word = this.words.find(({ from, to }) => from <= range[0] && range[0] < to);
      this.atWork[step] = word;
      if (!word || !range) continue;
      const text = tried?.[2] ?? put?.[0];
      // nothing was tried: a word becomes this token in place of its pieces
      if (box && this.attempts && !tried) for (const each of word.attempts) each.lost = step;
      if (box) this.take(word, step, box, text, joins, this.attempts && !tried);
      else this.add(word, step, range, node, tried);
      word.to = Math.max(word.to, range[1]);
    }
  }

  /* What a step is about, of a long run its first and its last cell; what comes next is not. */
  marked({ marks, mark_at: at }, step) {
    const keys = [];
    for (let index = at[step - 1]; index < at[step]; index += 3) {
      if (marks[index] === this.text.index && marks[index + 1] >= 0 && this.view.script.roles[marks[index + 2]].look !== "next") keys.push(marks[index + 1]);
    }
    return keys.length ? [Math.min(...keys), Math.max(...keys) + 1] : null;
  }

  add(word, step, [from, to], node, tried) {
    const before = word.attempts.at(-1);
    if (!tried && before && before.row[0] === from && before.row[1] === to) return; // the text ends here
    this.attempt(word, step, [from, to, node?.[3] ?? tried?.[2] ?? -1, node?.[2] ?? -1, 0], false);
    Object.assign(word.attempts.at(-1), { node: node !== null, words: tried || node?.[3] >= 0 ? undefined : this.spelled(from, to) });
  }

  take(word, step, [from, to, id], text, joins, instead) {
    const passed = word.attempts.findLast(({ row, hit }) => this.walk && hit === Infinity && row[0] === from && row[1] === to);
    if (!passed) this.attempt(word, step, [from, to, text ?? -1, id, instead ? 1 : 0], true);
    else [passed.hit, passed.row[3]] = [step, id];
    const taken = passed ?? word.attempts.at(-1);
    taken.says = text;
    if (joins) taken.joins = true;
    word.end = to;
  }

  /* A word begins at a space; one that is too long is cut. */
  parted({ group, from, to }) {
    const words = [];
    for (let at = from; at < to; at += 1) {
      const last = words.at(-1);
      if (!last || at - last.from >= LONGEST_WORD || SPACES.includes(this.view.texts[this.text.cells[at][0]])) words.push({ group, from: at, to: at + 1, attempts: [] });
      else last.to = at + 1;
    }
    return words;
  }

  /* Cells as text; of a character that is not whole its bytes. */
  spelled(from, to) {
    const { cells, groups } = this.text;
    let text = "";
    for (let at = from; at < to; at += 1) {
      const first = at === 0 || cells[at - 1][2] !== cells[at][2];
      let end = at + 1;
      while (end < cells.length && cells[end][2] === cells[at][2]) end += 1;
      const title = groups[cells[at][2]]?.title;
      if (title && first && end <= to) {
        text += title;
        at = end - 1;
      } else text += title ? ` ${this.view.texts[cells[at][0]]} ` : this.view.texts[cells[at][0]];
    }
    return text.replace(/ +/g, " ").trim();
  }

  build(word) {
    const node = super.build(word);
    const { cells, groups, inline } = this.text;
    word.letters.forEach((letter, at) => {
      const key = word.from + at;
      const title = inline ? groups[cells[key][2]]?.title : "";
      setClass(letter, "byte", title);
      setClass(letter, "again", word.end !== undefined && key >= word.end);
      if (!title || (key && cells[key - 1][2] === cells[key][2])) return;
      let end = key + 1;
      while (end < cells.length && cells[end][2] === cells[key][2]) end += 1;
      if (end > word.to) return; // the next walk has the rest
      const name = make("i", { text: title, attrs: { dir: "auto" } });
      name.style.left = `calc(var(--letter) * ${at})`;
      name.style.width = `calc(var(--letter) * ${end - key})`;
      letter.parentElement.append(name);
    });
    return node;
  }

  bar(word, attempt) {
    const node = super.bar(word, attempt);
    setClass(node, "walked", attempt.node);
    setClass(node, "seen", attempt.node && attempt.row[3] >= 0);
    return node;
  }

  reached(frame) {
    return frame.step + 1;
  }

  wordAtWork(frame) {
    return this.atWork[frame.step];
  }

  wordsOf(word, seen, isLost, count) {
    if (this.attempts) return super.wordsOf(word, seen, isLost);
    if (!this.walk || !seen.length) return "";
    const passed = seen.filter(({ node, row }) => node && row[3] >= 0).length;
    const tokens = counted(passed, "token", "tokens");
    if (!seen.some(({ hit }) => hit < count)) return passed ? inWords("{0} so far", tokens) : "";
    return passed ? inWords("{0} on the way", tokens) : inWords("No token on the way");
  }

  countOf(hits) {
    return this.attempts ? super.countOf(hits) : counted(hits, "token", "tokens");
  }
}
