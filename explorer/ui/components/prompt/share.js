/* What can be taken away: the text, ids, the call, a link while it is short. */

class ShareMenu {
  constructor(frame) {
    this.frame = frame;
    const copy = (label, text) => doingButton(label, toClipboard(text), inWords("Copied"), { attrs: { type: "button", role: "menuitem" } });
    const ids = () => JSON.parse(frame.data.ids);
    this.link = copy(inWords("Link to this prompt"), () => window.location.href);
    const opens = (label) => make("a", { text: label, attrs: { role: "menuitem", target: "_self" } });
    [this.explore, this.compare] = [opens(inWords("Open the text in Explore")), opens(inWords("Compare the text"))];
    this.border = opens("");
    this.menu = make("div", { class: "menu pr-menu", attrs: { popover: "auto", role: "menu", "aria-label": inWords("Share") } },
      this.link,
      copy(inWords("Text of the prompt"), () => frame.data.text),
      copy(inWords("Ids for Python"), () => `ids = [${ids().join(", ")}]`),
      copy(inWords("Ids, plain"), () => ids().join(" ")),
      copy(inWords("Call as JSON"), () => JSON.stringify(store.call, null, 2)),
      doingButton(inWords("Call as a JSON file"), () => saveFile("call.json", new Blob([JSON.stringify(store.call, null, 2)], { type: "application/json" })), inWords("Saved"), { attrs: { type: "button", role: "menuitem" } }),
      this.explore,
      this.border,
      this.compare,
      doingButton(inWords("Tokens and files"), () => this.takeAway(), inWords("Below"), { attrs: { type: "button", role: "menuitem" } }));
    this.button = make("button", { class: "btn pr-shares", text: inWords("Share"), attrs: { type: "button", "aria-haspopup": "menu" }, on: { click: () => this.open() } });
    menuKeys(this.menu);
  }

  open() {
    this.link.hidden = store.linked === false;
    const { explore, compare } = this.frame.data.links ?? {};
    const token = this.frame.data.tokens[store.token ?? -1];
    // the chosen token is selected there
    if (explore) this.explore.href = token && token.e > token.s ? `${explore}&sel=${token.s}-${token.e}` : explore;
    if (compare) this.compare.href = compare;
    for (const link of [this.explore, this.compare]) link.hidden = !explore;
    this.linkBorder(explore, token);
    showMenu(this.menu, this.button, true);
  }

  /* A border at the end of the message that wrote the chosen token, of the last one if none is chosen, or after a token of
     the template. */
  linkBorder(explore, token) {
    const { text, ends = {} } = this.frame.data;
    const last = Math.max(-1, ...Object.keys(ends).map(Number));
    const message = !token ? last : token.m >= 0 ? token.m : null;
    const at = message === null ? token?.e : ends[message];
    this.border.hidden = !explore || !at || at >= [...text].length;
    if (this.border.hidden) return;
    setText(this.border, message === null ? inWords("Cut after this token, in Explore") : inWords("Cut after message {0}, in Explore", message + 1));
    this.border.href = `${explore}&border=${at}`;
  }

  /* Streamlit's buttons at the end of the page, hidden until they are asked for (pages.css). */
  takeAway() {
    this.menu.hidePopover();
    document.documentElement.setAttribute("data-take-away", "");
    setTimeout(() => document.querySelector(".st-key-section-take-away")?.scrollIntoView({ block: "end" }), 200);
  }
}

/* Opens a menu below a button, or above it where there is more room; its first row gets the focus. */
function showMenu(menu, button, above = false) {
  menu.showPopover();
  const { left, top, bottom, down, across } = placeOf(button);
  const high = menu.offsetHeight;
  const over = above || bottom + high + 8 > down;
  menu.style.top = `${Math.max(8, over ? top - high - 4 : bottom + 4)}px`;
  menu.style.left = `${Math.max(8, Math.min(left, across - menu.offsetWidth - 8))}px`;
  [...menu.querySelectorAll("[role=menuitem], button")].find((row) => !row.hidden)?.focus();
}

function menuKeys(menu) {
  menu.addEventListener("keydown", (event) => {
    const rows = [...menu.querySelectorAll("[role=menuitem], button")].filter((row) => !row.hidden && !row.disabled);
    const at = rows.indexOf(event.target.closest("[role=menuitem], button"));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[keyName(event)];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    rows[(to + rows.length) % rows.length].focus();
  });
}
