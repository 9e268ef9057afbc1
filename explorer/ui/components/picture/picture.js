/* A picture of an answer for slides and messages: 1200 × 630 pixels, drawn on a canvas. Texts are drawn, never read as
   markup. What has no room is counted.

   savePicture(root, card)     saves it as tokens.png, in the colors and fonts of `root`, a component's element
   pictureButton(root, cardOf) a button that does so; cardOf() gives the card when it is pressed

   card = { say, facts, rows: [{ label, value, boxes, blocks }] }
     say     the answer, in a sentence       facts   a quiet line below it
     boxes   tokens: { t, id, kind, look, bytes }; `kind` is that of Compare: 0 as the baseline, 1 fewer, 2 more,
             3 elsewhere, 4 differs; `bytes`: t has the bytes of a part of a character
     blocks  { count, look, note }: a square for each token instead; `look` is "base", "lost" or nothing

   EMBLEM is the file emblem.svg: 🤗 under a bracket over its four bytes. */

const CARD = { width: 1200, height: 630, side: 56, foot: 540, label: 310 };
const BOX_SIZES = [56, 44, 38, 32, 27, 23, 20, 17, 15];
const KIND_COLORS = {
  light: [["#f3f2f0", "#bcb9b5"], ["#d9efe5", "#4fb28e"], ["#fbe3d5", "#e39a6d"], ["#e9e6f7", "#a59bd6"], ["#fcebed", "#c2374a"]],
  dark: [["#24272e", "#5b5f68"], ["#123a2e", "#2f8f6e"], ["#472817", "#b8693a"], ["#2c2750", "#7669c4"], ["#43191f", "#c84455"]],
};

class PictureCard {
  constructor(root) {
    this.style = getComputedStyle(root);
    this.theme = root.dataset.theme === "dark" ? "dark" : "light";
    this.canvas = make("canvas", { attrs: { width: CARD.width, height: CARD.height } });
    this.paint = this.canvas.getContext("2d");
    this.sans = this.value("--st-font", "sans-serif");
    this.mono = this.value("--st-code-font", "monospace");
    this.text = this.value("--st-text-color", "#222");
    this.ground = this.value("--st-background-color", "#fff");
    this.dim = `color-mix(in oklab, ${this.text} 78%, ${this.ground})`;
  }

  value(name, usual) {
    return this.style.getPropertyValue(name).trim() || usual;
  }

  write(text, x, y, { size = 20, weight = 400, color = this.text, font = this.sans, align = "left" } = {}) {
    this.paint.font = `${weight} ${size}px ${font}`;
    this.paint.fillStyle = color;
    this.paint.textAlign = align;
    this.paint.fillText(text, x, y);
  }

  wide(text, size, weight = 400, font = this.sans) {
    this.paint.font = `${weight} ${size}px ${font}`;
    return this.paint.measureText(text).width;
  }

  /* The words in lines, at most `most` of them; the last one ends in an ellipsis where more would follow. */
  lines(text, size, weight, room, most) {
    const lines = [];
    let line = "";
    for (const word of text.split(" ")) {
      const longer = line ? `${line} ${word}` : word;
      if (!line || this.wide(longer, size, weight) <= room) line = longer;
      else {
        lines.push(line);
        line = word;
      }
    }
    lines.push(line);
    return lines.slice(0, most).map((each, at) => this.fitting(at === most - 1 && lines.length > most ? `${each} …` : each, size, weight, room));
  }

  /* A text that is too wide loses its middle. */
  fitting(text, size, weight, room) {
    const signs = [...text];
    let [kept, shown] = [signs.length, text];
    while (kept > 2 && this.wide(shown, size, weight) > room) {
      kept -= 1;
      shown = `${signs.slice(0, Math.ceil(kept / 2)).join("")}…${signs.slice(-Math.floor(kept / 2)).join("")}`;
    }
    return shown;
  }

  async draw({ say, facts, rows }) {
    const { width, height, side } = CARD;
    this.paint.fillStyle = this.ground;
    this.paint.fillRect(0, 0, width, height);
    let y = 88;
    for (const line of this.lines(say, 36, 600, width - 2 * side, 2)) {
      this.write(line, side, y, { size: 36, weight: 600 });
      y += 46;
    }
    if (facts) for (const line of this.lines(facts, 22, 400, width - 2 * side, 2)) {
      this.write(line, side, y - 4, { size: 22, color: this.dim });
      y += 30;
    }
    this.rows(rows, y + 4);
    await this.foot();
    return this.canvas;
  }

  rows(rows, top) {
    const left = CARD.side + (rows.some(({ label }) => label) ? CARD.label : 0);
    const room = CARD.width - CARD.side - left;
    const sizes = BOX_SIZES.map((size) => ({ size, laid: rows.map((row) => this.laid(row, size, room, rows.length === 1)) }));
    const height = ({ laid }) => laid.reduce((sum, each) => sum + each.height + 16, 0);
    const chosen = sizes.find((each) => top + height(each) <= CARD.foot) ?? sizes.at(-1);
    // rows that don't fit share the room, so that each of them is seen
    const share = Math.max(40, (CARD.foot - top) / rows.length - 16);
    const whole = top + height(chosen) <= CARD.foot;
    let y = top;
    rows.forEach((row, at) => {
      const laid = chosen.laid[at];
      const left_over = rows.length - at;
      if (y + 40 > CARD.foot) {
        if (y < CARD.foot + 30) this.write(`and ${formatNumber(left_over)} more`, CARD.side, y + 10, { size: 20, color: this.dim });
        y = Infinity;
        return;
      }
      if (row.label) {
        this.write(this.fitting(row.label, 22, 600, CARD.label - (row.value ? 100 : 20)), CARD.side, y + 30, { size: 22, weight: 600 });
        this.write(row.value ?? "", left - 22, y + 30, { size: 24, weight: 600, align: "right" });
      }
      if (row.blocks) this.blocks(row.blocks, left, y, room, rows);
      else this.boxes(laid, left, y, whole ? CARD.foot : Math.min(CARD.foot, y + share), room);
      y += (whole ? laid.height : Math.min(laid.height, share)) + 16;
    });
  }

  /* Where each box of a row is. */
  laid(row, size, room, numbered) {
    const ids = numbered && size >= 20;
    const boxHeight = Math.round(size * 1.5);
    const pitch = boxHeight + (ids ? 26 : 8);
    if (row.blocks) return { boxes: [], height: 40 };
    const boxes = [];
    let [x, y] = [0, 0];
    for (const box of row.boxes) {
      const text = box.bytes ? box.t : drawnText(box.t);
      const needs = Math.max(this.wide(text, size, 400), ids ? this.wide(plainNumber(box.id), 15, 400, this.mono) : 0) + size * 0.5;
      const across = Math.min(room, needs);
      if (x > 0 && x + across > room) [x, y] = [0, y + pitch];
      boxes.push({ ...box, text: across < needs ? this.fitting(text, size, 400, room - size * 0.5) : text, x, y, across, size, boxHeight, ids });
      x += across + 4;
    }
    return { boxes, height: Math.max(row.label ? 40 : 0, y + pitch) };
  }

  /* The boxes above `bottom`; how many more there are is at the end of the last line. */
  boxes({ boxes }, left, top, bottom, room) {
    const more = (count) => `and ${formatNumber(count)} more`;
    let shown = boxes.filter(({ y, boxHeight }, at) => at === 0 || top + y + boxHeight <= bottom);
    if (shown.length < boxes.length) {
      const wide = this.wide(more(boxes.length), 20) + 10;
      while (shown.length > 1 && shown.at(-1).x + shown.at(-1).across + wide > room) shown = shown.slice(0, -1);
      const { x, y, across, boxHeight } = shown.at(-1);
      this.write(more(boxes.length - shown.length), left + x + across + 10, top + y + boxHeight / 2 + 7, { size: 20, color: this.dim });
    }
    shown.forEach((box) => {
      const [x, y] = [left + box.x, top + box.y];
      const [fill, edge] = this.colors(box);
      this.paint.beginPath();
      this.paint.roundRect(x, y, box.across, box.boxHeight, 7);
      this.paint.fillStyle = fill;
      this.paint.fill();
      this.paint.strokeStyle = edge;
      this.paint.lineWidth = 2;
      this.paint.setLineDash(box.look ? [6, 5] : []);
      this.paint.stroke();
      this.write(box.text, x + box.across / 2, y + box.boxHeight / 2 + box.size * 0.35, { size: box.size, align: "center" });
      if (box.ids) this.write(plainNumber(box.id), x + box.across / 2, y + box.boxHeight + 18, { size: 15, font: this.mono, color: this.dim, align: "center" });
    });
    this.paint.setLineDash([]);
  }

  colors({ kind, id }) {
    if (kind !== undefined) return KIND_COLORS[this.theme][kind];
    if (id < 0) return KIND_COLORS[this.theme][0];
    const color = `oklch(0.65 0.15 ${hueOf(id).toFixed(1)})`;
    return [22, 58].map((share) => `color-mix(in oklab, ${color} ${share + (this.theme === "dark" ? 10 : 0)}%, ${this.ground})`);
  }

  blocks({ count, look, note }, left, top, room, rows) {
    const most = Math.max(...rows.map(({ blocks }) => blocks.count));
    const pitch = Math.min(20, room / most);
    const orange = KIND_COLORS[this.theme][2][1];
    this.paint.fillStyle = { base: this.dim, lost: orange }[look] ?? this.value("--st-primary-color", "#c2374a");
    for (let at = 0; at < count; at += 1) this.paint.fillRect(left + at * pitch, top + 12, Math.max(1, pitch * 0.78), 22);
    if (note) this.write(note, left + count * pitch + 14, top + 30, { size: 20, color: this.dim });
  }

  async foot() {
    const { side, height, width } = CARD;
    const emblem = await imageOf(EMBLEM);
    this.paint.drawImage(emblem, side, height - 72, 48, 48);
    this.write("Tokenizer explorer", side + 62, height - 40, { size: 22, weight: 600 });
    const from = side + 62 + this.wide("Tokenizer explorer", 22, 600) + 24;
    const url = readable(linkHere()).replace(/^https?:\/\//, "").replaceAll("+", " ");
    this.write(this.fitting(url, 18, 400, width - side - from), width - side, height - 40, { size: 18, color: this.dim, align: "right" });
  }
}

/* A token as it is drawn: its spaces as dots, and what breaks a line as a sign. */
function drawnText(text) {
  return text.replaceAll(" ", "·").replaceAll("\n", "↵").replaceAll("\t", "⇥").replace(/^\p{M}/u, "◌$&");
}

async function imageOf(svg) {
  const image = new Image();
  const source = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await new Promise((resolve, reject) => {
    image.onload = resolve;
    image.onerror = () => reject(new Error("the picture could not be drawn"));
    image.src = source;
  });
  URL.revokeObjectURL(source);
  return image;
}

async function savePicture(root, card) {
  const canvas = await new PictureCard(root).draw(card);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  saveFile("tokens.png", blob);
}

function pictureButton(root, cardOf) {
  return doingButton("Picture", () => savePicture(root, cardOf()), "Saved", { class: "picture-button", attrs: { type: "button", title: "Save as a picture, 1200 × 630" } });
}

/* An address for reading. Characters that draw nothing or turn the text around stay escaped, as in a browser's bar. */
function readable(href) {
  try {
    return decodeURI(href).replace(/[\p{Cc}\p{Cf}]/gu, encodeURIComponent);
  } catch {
    return href; // "%" without digits, typed by hand
  }
}
