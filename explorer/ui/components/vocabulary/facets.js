/* The facets of a search: values with counts, and the lengths as bars that choose a range.

   facetsView(ask)          `ask(changes)` sends a search with these changes; returns { node, draw(data, asked) }
*/

const FEW = 7;

function facetsView(ask) {
  const groups = make("div", { class: "vo-groups" });
  const bars = make("div", { class: "vo-bars", attrs: { role: "group", "aria-label": inWords("Length in bytes") } });
  const clear = make("button", { class: "vo-clear", text: inWords("Clear all"), attrs: { type: "button" }, on: { click: () => ask({ facets: {}, bytes: null, characters: null }) } });
  const length = make("section", {}, make("h2", { class: "vo-head" }, make("span", { text: inWords("Length") }), make("small", { text: inWords("bytes") })), bars);
  const node = make("div", { class: "vo-facets" }, clear, groups, length);
  const open = new Set();
  let from = null;

  function group({ name, title, values }, asked) {
    const chosen = new Set(asked.facets[name] ?? []);
    const shown = [...values].sort((a, b) => chosen.has(b[0]) - chosen.has(a[0]));
    const few = open.has(name) ? shown : shown.slice(0, Math.max(FEW, chosen.size));
    const most = Math.max(...values.map((value) => value[2]));
    const list = few.map(([value, found, all, , said = value]) => {
      const on = chosen.has(value);
      const toggle = () => {
        const next = new Set(chosen);
        if (on) next.delete(value);
        else next.add(value);
        ask({ facets: { ...asked.facets, [name]: [...next] } });
      };
      const bar = make("i", { class: "vo-share", attrs: { "aria-hidden": "true", style: `--all:${(all / most).toFixed(4)};--found:${(found / most).toFixed(4)}` } });
      const count = make("span", { class: "vo-count num" }, make("b", { text: formatNumber(found) }), ...(found === all ? [] : [` ${inWords("of {0}", formatNumber(all))}`]));
      return make("button", { class: `vo-value${found ? "" : " empty"}`, attrs: { type: "button", "aria-pressed": String(on) }, on: { click: toggle } },
        make("span", { class: "vo-name", text: said, attrs: { title: said } }), count, bar);
    });
    if (values.length > few.length || open.has(name)) {
      const flip = () => {
        if (!open.delete(name)) open.add(name);
        groups.replaceChildren(...last.facets.map((each) => group(each, lastAsked)));
      };
      const text = open.has(name) ? inWords("fewer") : inWords("{0} more", formatNumber(values.length - few.length));
      if (values.length > FEW) list.push(make("button", { class: "vo-more", text, attrs: { type: "button" }, on: { click: flip } }));
    }
    return make("section", {}, make("h2", { class: "vo-head" }, make("span", { text: title }), make("small", { text: inWords("matches of all") })), ...list);
  }

  function bar([found, all], index, most, asked) {
    const size = index + 1;
    const last = index === 15;
    const range = asked.bytes;
    const on = range && range[0] <= size && size <= range[1];
    const many = last ? inWords("{0} bytes or more", size) : counted(size, "byte", "bytes");
    const label = `${many}: ${inWords("{0} of {1}", formatNumber(found), formatNumber(all))}`;
    const end = (at) => (at === 15 ? 999999999 : at + 1);
    const choose = (event) => {
      if (event.shiftKey && from !== null) return ask({ bytes: [Math.min(from, index) + 1, end(Math.max(from, index))] });
      from = index;
      ask({ bytes: on && range[0] === size && range[1] === end(index) ? null : [size, end(index)] });
    };
    return make("button", {
      class: "vo-bar", attrs: { type: "button", title: label, "aria-label": label, "aria-pressed": String(Boolean(on)), style: `--all:${(all / most).toFixed(4)};--found:${(found / most).toFixed(4)}` }, on: { click: choose },
    });
  }

  let last = { facets: [] };
  let lastAsked = { facets: {} };
  return {
    node,
    draw(data, asked) {
      last = data;
      lastAsked = asked;
      groups.replaceChildren(...data.facets.map((each) => group(each, asked)));
      const most = Math.max(1, ...data.lengths.map((each) => each[1]));
      bars.replaceChildren(...data.lengths.map((each, index) => bar(each, index, most, asked)));
      clear.hidden = !asked.bytes && !asked.characters && !Object.values(asked.facets).some((values) => values.length);
    },
  };
}
