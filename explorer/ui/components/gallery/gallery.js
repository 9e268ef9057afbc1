/* "What brought you here?": nine tasks, each with a picture of its answer, and texts to try. Every card is a link. GALLERY has
   the pictures and the addresses (views/gallery.json), TEXTS the texts.

   One stop of Tab: arrows move, Enter opens, digits open a card, Esc leads back. */

const CARDS = [
  () => [inWords("My ids differ from Hugging Face's"), inWords("Paste them: the first that differs, and which setting or program gives them."), inWords("Compare, Why are my ids different?")],
  () => [inWords("Two BOS at the start"), inWords("The text has one, and the tokenizer adds another. Switch one off."), inWords("Explore, Llama 2")],
  () => [inWords("Leading space, other ids"), inWords("GPT-2 has one token for a word after a space, and another for the word alone."), inWords("Explore, GPT-2")],
  () => [inWords("Why does Hindi cost more?"), inWords("The same four sentences in English and Hindi with Qwen 2.5, and with GPT-4o."), inWords("Compare, Languages")],
  () => [inWords("A glitch token"), inWords("A whole user name, learned as one token and hardly ever seen again."), inWords("Vocabulary, GPT-2")],
  () => [inWords("Prompt injection by <|im_end|>"), inWords("Text that a user types can end their turn."), inWords("Prompt, Qwen 2.5")],
  () => [inWords("One emoji, three tokens"), inWords("GPT-2 has no token for 🤗: its four bytes become three tokens."), inWords("Explore, GPT-2")],
  ({ minutes }) => [inWords("Train BPE by hand"), inWords("Two lines of text. Count pairs, join the top one, again and again."), `${inWords("Lesson 2")} · ${inWords("{0} min", minutes)}`],
  () => [inWords("My own tokenizer.json"), inWords("What does it do with your text? Drop it on the page, or choose it in the settings."), inWords("Explore, with your file")],
];

const PAGE_NAMES = { compare: () => inWords("Compare"), explore: () => inWords("Explore") };

class Gallery {
  constructor({ parentElement }) {
    this.root = parentElement.querySelector(".tx");
    this.left = new URL(window.explorerLeft ?? "./", window.location.href); // the page that led here (address.js)
    this.from = this.left.pathname.split("/").at(-1) || "explore";
    if (!(this.from in PAGE_NAMES)) [this.from, this.left.search] = ["explore", ""];
    const cards = CARDS.map((words, at) => this.card(GALLERY.cards[at], ...words(GALLERY.cards[at])));
    const texts = TEXTS.map(({ label, text, shows }) => make("a", { class: "btn", text: inWords(label), attrs: { href: this.withText(text), target: "_self", title: inWords(shows) } }));
    this.links = [...cards, ...texts];
    this.backWord = make("a", { class: "btn", attrs: { href: this.before(), target: "_self" }, on: { click: (event) => this.back(event) } },
      inWords("Back to {0}", PAGE_NAMES[this.from]()), make("kbd", { text: "Esc" }));
    this.root.replaceChildren(
      make("div", { class: "top" }, make("h2", { text: inWords("What brought you here?") }),
        make("a", { class: "btn", text: inWords("{0} lessons", GALLERY.lessons), attrs: { href: "./learn", target: "_self" } }), this.backWord),
      make("div", { class: "cards" }, ...cards),
      make("div", { class: "texts" }, make("span", { text: inWords("Or a text:") }), ...texts));
    this.root.addEventListener("keydown", (event) => this.moved(event));
    this.stop = listenTo("keydown", (event) => this.onKey(event));
    this.rove(cards[0], false);
  }

  update() {
    applyTheme(this.root);
  }

  destroy() {
    this.stop();
  }

  card(given, title, sentence, where) {
    const picture = make("span", { class: "picture", attrs: { "aria-hidden": "true" } }, ...pictureParts(given));
    return make("a", { class: "card", attrs: { href: given.href, target: "_self" } }, picture,
      make("b", { text: title }), make("span", { class: "about", text: sentence }), make("small", { text: where }));
  }

  /* The page that led here, with what was chosen there. */
  before() {
    return `./${this.from === "explore" ? "" : this.from}${this.left.search}`;
  }

  withText(text) {
    const url = new URL(this.before(), "http://explorer/");
    for (const name of ["text", "text_kept", "ids", "ids_kept", "at", "sel", ...STEPS]) url.searchParams.delete(name);
    url.searchParams.set("text", text);
    return `.${url.pathname}${url.search}`;
  }

  back(event) {
    if (!window.explorerLeft) return;
    event.preventDefault();
    window.history.back();
  }

  onKey(event) {
    const key = keyName(event);
    if (event.defaultPrevented || ["text", "select"].includes(typingIn(event))) return;
    if (key === "Escape") this.backWord.click();
    else if (/^[1-9]$/.test(key)) this.links[Number(key) - 1].click();
    else return;
    event.preventDefault();
  }

  rove(link, focus) {
    for (const each of this.links) each.tabIndex = each === link ? 0 : -1;
    if (focus) link.focus();
  }

  /* Sideways in their order, else to the nearest of the next row. */
  moved(event) {
    const at = this.links.indexOf(event.target);
    const key = keyName(event);
    const place = (link) => link.getBoundingClientRect();
    const nearest = (rows) => rows.sort((a, b) => place(a).top - place(b).top || Math.abs(place(a).left - place(event.target).left) - Math.abs(place(b).left - place(event.target).left));
    const { top } = at < 0 ? {} : place(event.target);
    const to = {
      ArrowLeft: () => this.links[at - 1], ArrowRight: () => this.links[at + 1], Home: () => this.links[0], End: () => this.links.at(-1),
      ArrowDown: () => nearest(this.links.filter((link) => place(link).top > top + 4))[0],
      ArrowUp: () => {
        const above = this.links.filter((link) => place(link).top < top - 4);
        const last = Math.max(...above.map((link) => place(link).top));
        return nearest(above.filter((link) => place(link).top > last - 4))[0];
      },
    }[key];
    if (at < 0 || !to) return;
    event.preventDefault();
    const link = to();
    if (link) this.rove(link, true);
  }
}

function pictureParts({ rows = [], bars = [], file }) {
  if (file) return [make("span", { class: "drop", text: inWords("Drop it here") })];
  const most = Math.max(...bars.map(({ count }) => count));
  return [
    ...rows.map((row) => make("span", { class: "row" }, make("span", { class: "label", text: row.label ? inWords(row.label) : "" }), ...(row.from ? [make("span", { class: "from", text: `${row.from} →` })] : []),
      ...row.chips.map(chipOf), make("span", { class: "after", text: row.more ? "…" : (row.after ?? "") }))),
    ...bars.map(({ label, count, tone }) => make("span", { class: `bar ${tone}` }, make("span", { class: "label", text: inWords(label) }),
      barOf(count / most), make("b", { text: String(count) }))),
  ];
}

function barOf(share) {
  const node = make("i");
  node.style.width = `${130 * share}px`;
  return node;
}

function chipOf({ t, id, added, wrong, under }) {
  const text = make("span", { class: added ? "tok added" : "tok" });
  asText(text, t, t.length - t.replace(/^ +/, "").length);
  tint(text, added ? -1 : id);
  return make("span", { class: wrong ? "chips wrong" : "chips" }, text, ...(under === undefined ? [] : [make("small", { text: plainNumber(under) })]));
}

const galleries = mounts();

export default function (component) {
  galleries.get(component, () => new Gallery(component)).update(component);
  return () => galleries.drop(component.parentElement);
}
