/* The tokens found, of which only the rows in view are in the DOM.

   listView(choose, more)   `choose(id, clicked)` opens a token, `more()` asks for further rows; returns { node, draw(data, token) }
*/

const ROW = 37;

function chipOf([id, text, look = ""], options = {}) {
  const chip = make(options.tag ?? "span", { class: ["vo-chip", look, options.size].filter(Boolean).join(" ") }, make("bdi", { text }));
  if (look === "bytes") chip.title = inWords("bytes {0}", text);
  if (options.number) chip.append(make("small", { class: "num", text: plainNumber(id) }));
  tint(chip, id);
  return chip;
}

function listView(choose, more) {
  const plane = make("div", { class: "vo-plane" });
  const view = make("div", { class: "vo-scroll", attrs: { role: "listbox", tabindex: "0", "aria-label": inWords("Tokens found") } }, plane);
  const end = make("p", { class: "vo-end", attrs: { role: "status" } });
  const head = make("div", { class: "vo-row vo-top", attrs: { "aria-hidden": "true" } }, ...["Id", "Token", "Made of"].map((text) => make("span", { text: inWords(text) })));
  const pinned = make("div", { class: "vo-pinned" });
  const node = make("div", { class: "vo-list" }, head, pinned, view, end);
  let data = { rows: [], found: 0 };
  let token = null;
  let asked = "";

  function row([id, text, left, right, look], index) {
    const on = id === token;
    const one = text.length === 2;
    const made = left ? `${left} + ${right}` : look === "bytes" ? inWords(one ? "byte" : "bytes") : "";
    return make("div", {
      class: `vo-row${on ? " on" : ""}`, attrs: { role: "option", id: `row-${index}`, "aria-selected": String(on), style: `top:${index * ROW}px` }, on: { click: () => choose(id, true) },
    }, make("span", { class: "vo-id num", text: plainNumber(id) }), make("span", { class: "vo-token" }, chipOf([id, text, look])), make("bdi", { class: "vo-made", text: made, attrs: { title: made } }));
  }

  const fill = perFrame(() => {
    const first = Math.max(0, Math.floor(view.scrollTop / ROW) - 6);
    const last = Math.min(data.rows.length, first + Math.ceil(view.clientHeight / ROW) + 12);
    plane.replaceChildren(...data.rows.slice(first, last).map((each, index) => row(each, first + index)));
    const here = data.rows.findIndex((each) => each[0] === token);
    if (here >= first && here < last) view.setAttribute("aria-activedescendant", `row-${here}`);
    else view.removeAttribute("aria-activedescendant");
    if (data.more && last > data.rows.length - 40 && asked !== data.id) {
      asked = data.id;
      more();
    }
  });
  view.addEventListener("scroll", fill, { passive: true });
  new ResizeObserver(fill).observe(view);
  view.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -data.rows.length, End: data.rows.length }[keyName(event)];
    if (!steps || !data.rows.length) return;
    event.preventDefault();
    const here = data.rows.findIndex((each) => each[0] === token);
    const next = Math.max(0, Math.min(data.rows.length - 1, (here < 0 && steps > 0 ? -1 : here) + steps));
    reveal(next);
    choose(data.rows[next][0], false);
  });

  /* The token that is open, above the list where it is not among the rows. */
  function pin(own) {
    const apart = own && own[0] === token && !data.rows.some((each) => each[0] === token);
    pinned.replaceChildren(...(apart ? [row(own, "open")] : []));
    pinned.firstChild?.removeAttribute("style");
    pinned.firstChild?.removeAttribute("role");
    pinned.firstChild?.removeAttribute("aria-selected");
  }

  function reveal(index) {
    const top = index * ROW;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW - view.clientHeight;
  }

  return {
    node,
    draw(next, chosen) {
      const other = next.search !== data.search;
      data = next;
      token = chosen;
      plane.style.height = `${data.rows.length * ROW}px`;
      if (other) view.scrollTop = 0;
      const here = other ? data.rows.findIndex((each) => each[0] === token) : -1;
      if (here > 0) reveal(here);
      const rest = data.found - data.rows.length;
      setText(end, data.found === 0 ? inWords("No token matches.") : rest > 0 && !data.more ? inWords("The first {0} of {1}. Narrow the search, or download all.", formatNumber(data.rows.length), formatNumber(data.found)) : "");
      end.hidden = !end.textContent;
      setClass(node, "none", data.found === 0);
      pin(next.dossier?.row);
      fill();
    },
    mark(chosen) {
      token = chosen;
      fill();
    },
  };
}
