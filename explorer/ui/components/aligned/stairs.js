/* The text while it is typed: a row of tokens after each key, one below the other. Needs frame.js.

   Up and down move through the rows; the row looked at tells below what its key did. In a wide window with few rows every
   row tells it. A row wider than the page leaves out tokens from its start.                                           */

const PX = { most: 44, least: 11, wide: 17 }; // pixels of a character; `wide`: the least where a character is a wide one
const LETTER = 8.2; // of text in a small box
const SKIPPED = 92; // pixels of what stands for the tokens left out
const BESIDE = 420; // pixels of what a key did, beside its row

class Stairs {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.root.classList.add("aligned", "framed", "stairs");
    this.width = 0;
    this.unfolded = address("all") === "1";
    this.say = make("p", { class: "al-say", attrs: { "aria-live": "polite" } });
    this.note = make("p", { class: "al-colors" });
    this.box = make("ol", { class: "st-rows", attrs: { "aria-label": "The tokens after each key" } });
    this.below = make("div", { class: "fr-below" });
    this.did = make("p", { class: "st-did", attrs: { "aria-live": "off" } });
    this.head = make("div", { class: "al-head" }, this.note, pictureButton(this.root, () => this.picture()));
    this.card = make("div", { class: "al-card" }, this.box, this.did, this.below);
    this.root.append(this.say, this.head, this.card);
    this.root.addEventListener("keydown", (event) => this.pressed(event));
    this.root.addEventListener("focusin", (event) => this.look(event.target.closest(".st-row")));
    this.root.addEventListener("pointerover", (event) => event.pointerType !== "touch" && this.look(event.target.closest(".st-row")));
    this.root.addEventListener("click", (event) => event.target.closest(".st-row")?.focus());
    this.stopListening = onAddress(() => {
      const open = address("all") === "1";
      if (open !== this.unfolded) this.unfold(open);
    });
    this.observer = new ResizeObserver(([entry]) => {
      if (Math.abs(entry.contentRect.width - this.width) < 1) return;
      this.width = entry.contentRect.width;
      this.draw();
    });
    this.observer.observe(this.root);
  }

  update({ data }) {
    applyTheme(this.root);
    fillLine(this.say, data.said);
    fillLine(this.note, data.note);
    if (data.typed === this.typed) return;
    this.typed = data.typed;
    this.data = { ...data, ...JSON.parse(data.typed) };
    this.characters = [...this.data.text];
    this.head.hidden = this.card.hidden = !this.data.rows.length;
    let before = [];
    this.rows = this.data.rows.map(([length, kept, tail, kinds, gone, fresh, back]) => {
      const tokens = [...before.slice(0, kept).map((token) => ({ ...token, kind: 0 })), ...tail.map(([start, end, text], index) => ({ start, end, text: this.data.texts[text], kind: kinds[index] }))];
      before = tokens;
      return { length, tokens, back, gone: gone.map((text) => this.data.texts[text]), fresh: fresh.map((text) => this.data.texts[text]) };
    });
    this.at = null;
    this.draw();
  }

  destroy() {
    this.stopListening();
    this.observer.disconnect();
  }

  unfold(open) {
    this.unfolded = open;
    writeAddress({ all: open ? "1" : null });
    this.draw();
    this.below.querySelector("button")?.focus();
  }

  // --- drawing

  draw() {
    if (!this.rows || this.width === 0) return;
    const { size, folded, paired } = this.data;
    const shown = this.unfolded ? this.rows.map((_, index) => index) : this.data.shown;
    const narrow = this.width <= 640;
    const pairs = paired && !this.unfolded;
    const beside = !narrow && !pairs && Math.min(size, 17) * 26 + BESIDE < this.width;
    const wide = this.rows.some((row) => row.tokens.some(({ text, start, end }) => end > start && [...text].length <= end - start && /[\u1100-\u9fff\uac00-\ud7af\uff00-\uff60]/.test(text)));
    this.room = this.width - (narrow ? 34 : 76) - (beside ? BESIDE + 20 : pairs && !narrow ? 130 : 0);
    this.px = Math.max(wide ? PX.wide : PX.least, Math.min(PX.most, this.room / Math.max(1, size)));
    setClass(this.root, "beside", beside);
    setClass(this.root, "pairs", pairs);
    setClass(this.root, "small", pairs || this.px < 16);
    setClass(this.root, "dense", !narrow && (pairs || shown.length > 15));
    this.root.style.setProperty("--room", `${Math.round(this.room)}px`);
    const head = make("li", { class: "st-head", attrs: { "aria-hidden": "true" } }, make("span", { text: inWords("typed") }), ...(beside ? [make("span", { class: "st-tokens" }), make("span", { text: inWords("what the last key did") }), make("b", { text: inWords("tokens") })] : []));
    this.nodes = shown.map((index) => this.row(index, beside, pairs && this.rows[index].back === 0));
    this.box.replaceChildren(...(shown.length ? [head] : []), ...this.nodes);
    const last = this.nodes.findLast((node) => this.rows[node.index].back) ?? this.nodes.at(-1);
    this.rove(this.nodes.find((node) => node.index === this.at) ?? last);
    this.tell(this.at ?? last?.index);
    this.below.replaceChildren(...(folded ? [this.folded(folded)] : []));
  }

  /* The rows that are shown, in their colors. */
  picture() {
    const rows = this.nodes.map(({ index }) => {
      const { length, tokens } = this.rows[index];
      const boxes = grouped(tokens, this.characters).map(({ text, count, kind }) => ({ t: count > 1 ? `${text} ×${count}` : text, kind }));
      return { label: formatNumber(length), value: formatNumber(tokens.length), boxes };
    });
    return { say: this.say.textContent, facts: this.data.text.slice(0, 200), rows };
  }

  folded([title, about]) {
    const open = this.unfolded;
    const button = make("button", { class: "link fr-show", text: inWords(open ? "Show fewer" : "Show every key"), attrs: { type: "button", "aria-expanded": String(open) }, on: { click: () => this.unfold(!open) } });
    return make("div", { class: "fr-bar" }, make("p", { class: "fr-head" }, ...(open ? [] : [make("b", { text: title }), " ", make("span", { text: about })])), button);
  }

  row(index, beside, before) {
    const row = this.rows[index];
    const line = make("span", { class: "st-tokens", attrs: { "aria-hidden": "true" } });
    const next = before ? this.rows[index + 1] : null;
    const cells = grouped(row.tokens, this.characters);
    const long = Math.max(row.length, next?.length ?? 0) * this.px;
    const over = long > this.room + 1 ? long + SKIPPED - this.room : 0;
    const after = next ? grouped(next.tokens, this.characters) : [];
    const skipped = over > 0 ? cells.filter((cell) => cell.start * this.px < over) : [];
    const from = skipped.length ? skipped.at(-1).end : 0;
    if (skipped.length) line.append(make("span", { class: "st-skipped", text: `… ${counted(skipped.length, "token", "tokens")}` }));
    line.style.setProperty("--shift", skipped.length ? `${SKIPPED}px` : "0px");
    for (const cell of cells.slice(skipped.length)) {
      // in the row before a key: what the key takes away
      const goes = next && !after.some((each) => each.start === cell.start && each.end === cell.end && each.text === cell.text);
      // a box of one character has no room for the space before it
      const fits = [...cell.text].length * LETTER <= (cell.end - cell.start) * this.px - 3;
      const text = make("bdi", { text: fits ? cell.text : cell.text.replace(/^·(?=.)/u, "") });
      const node = make("span", { class: `st-token k${cell.kind}${goes ? " gone" : ""}`, dir: "auto" }, text, ...(cell.count > 1 && (cell.end - cell.start) * this.px > 38 ? [make("small", { text: `×${cell.count}` })] : []));
      node.style.left = `calc(var(--shift) + ${((cell.start - from) * this.px).toFixed(1)}px)`;
      node.style.width = `${Math.max(10, (cell.end - cell.start) * this.px - 3).toFixed(1)}px`;
      line.append(node);
    }
    const did = this.words(row);
    const say = make("span", { class: `st-say${row.back ? " k2" : ""}` });
    if (beside) say.append(...did);
    else if (row.back) {
      say.append(inWords("{0} replaced, {1} back", counted(row.gone.length, "token", "tokens"), counted(row.back, "character", "characters")));
      const place = (row.length - from) * this.px + (skipped.length ? SKIPPED : 0) + 16;
      if (place + 250 > this.room + 130) say.replaceChildren(inWords("{0} replaced", formatNumber(row.gone.length)));
      say.style.left = place + 250 > this.room + 130 ? "auto" : `${place}px`;
      line.append(say);
    }
    const shown = `${counted(row.tokens.length, "token", "tokens")}: ${cells.map((cell) => cell.text).join(" | ")}`;
    const node = make(
      "li", { class: `st-row${row.back ? " far" : ""}`, attrs: { tabindex: "-1", "aria-label": `${inWords("{0} typed", formatNumber(row.length))}. ${did.map((part) => part.textContent ?? part).join("")}. ${shown}` } },
      make("span", { class: "st-number num", text: formatNumber(row.length), attrs: { "aria-hidden": "true" } }), line,
      ...(beside ? [say, make("b", { class: "num", text: formatNumber(row.tokens.length), attrs: { "aria-hidden": "true" } })] : []),
    );
    if (beside) say.setAttribute("aria-hidden", "true");
    node.index = index;
    return node;
  }

  /* What a key did, in words. */
  words({ gone, fresh, back }) {
    const code = (texts) => texts.slice(0, 4).flatMap((text) => [make("code", { class: "q", text }), " "]);
    if (!gone.length) return fresh.length ? aroundNode(inWords(fresh.length === 1 ? "{0}is added" : "{0}are added"), code(fresh)).flat() : [inWords("no token changes")];
    const said = inWords(gone.length === 1 ? "{0}becomes {1}" : "{0}become {1}").split(/(\{\d\})/);
    const became = said.flatMap((part) => ({ "{0}": code(gone), "{1}": code(fresh) })[part] ?? [part]);
    return back ? [make("b", { text: `${inWords("{0} replaced", counted(gone.length, "token", "tokens"))}: ` }), ...became] : became;
  }

  // --- the row looked at

  tell(index) {
    const row = this.rows[index];
    if (!row) return this.did.replaceChildren();
    this.did.replaceChildren(make("b", { class: row.back ? "k2" : "", text: `${inWords(this.data.step === 1 ? "Key {0}" : "At {0} characters", formatNumber(row.length))}: ` }), ...this.words({ ...row, back: 0 }));
  }

  look(node) {
    if (!node || node.index === undefined) return;
    this.at = node.index;
    this.rove(node);
    this.tell(node.index);
  }

  rove(node) {
    for (const each of this.nodes) {
      each.tabIndex = each === node ? 0 : -1;
      setClass(each, "here", each === node && this.at !== null);
    }
  }

  pressed(event) {
    const node = event.target.closest(".st-row");
    if (!node) return;
    const index = this.nodes.indexOf(node);
    const key = keyName(event);
    const to = key === "ArrowDown" ? index + 1 : key === "ArrowUp" ? index - 1 : key === "Home" ? 0 : key === "End" ? this.nodes.length - 1 : -1;
    if (to < 0 && key !== "ArrowUp") return;
    event.preventDefault();
    event.stopPropagation();
    this.nodes[to]?.focus();
  }
}

/* Tokens of one character share a box that shows it, and one without a character is in the box of the next. */
function grouped(tokens, characters) {
  const cells = [];
  for (const token of tokens) {
    const before = cells.at(-1);
    if (before && (token.start < before.end || (before.start === before.end && token.start === before.start))) {
      before.end = Math.max(before.end, token.end);
      before.count += 1;
      before.text = characters.slice(before.start, before.end).join("").replace(/ /g, "·");
      before.kind = Math.max(before.kind, token.kind);
    } else cells.push({ ...token, count: 1 });
  }
  return cells;
}

const stairViews = mounts();

export default function (component) {
  stairViews.get(component, () => new Stairs(component)).update(component);
  return () => stairViews.drop(component.parentElement);
}
