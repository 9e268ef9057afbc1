/* A saved page: the explorer's components without a server. The file's data answers what they ask Python on a page of
   the app. This part is the same for all kinds of pages; `show` draws a kind (explore.js and its siblings).

   PAGE                         the data in the file (page.py)
   part(name, place, reported)  mounts a component; .update(data), .remove(). reported(what, value): what it would tell Python
   packedBytes(text)            the bytes of a base64 text
   packedJson(text)             the value that `packed` in page.py wrote
   stepperData(about, script)   what the component of steppers takes; about: some of its fields, script: base64
   said(tag, say, name)         a sentence in an element
   saveData(name, data)         a file for whoever reads the page
   refresh                      functions that draw again in another theme

   The URL has stage, step, level and sel, as on the pages of the app; after # the same, for places that allow no query.
   Messages from and to the page that frames this one are described in docs/saved-pages.md.                            */

const PAGE = JSON.parse(document.getElementById("page").textContent);
const refresh = [];

window.explorerApp = PAGE.app;
window.explorerLive = PAGE.explore; // a live Explore of the same site
window.explorerBack = PAGE.back && appUrl(PAGE.back) !== PAGE.back ? appUrl(PAGE.back) : undefined;

function part(name, place, reported = () => {}) {
  const { draw, html } = COMPONENTS[name];
  const host = make("div", { class: `part of-${name}` });
  const root = host.attachShadow({ mode: "open" });
  root.append(...new DOMParser().parseFromString(html, "text/html").body.children);
  place.append(host);
  let drop = () => {};
  let latest = null;
  const update = (data) => {
    latest = data;
    drop = draw({ parentElement: root, data, setStateValue: reported, setTriggerValue: reported, key: name });
  };
  const again = () => latest && update(latest);
  refresh.push(again);
  return {
    host, update,
    remove() {
      refresh.splice(refresh.indexOf(again), 1);
      host.remove();
      drop();
    },
  };
}

function packedBytes(text) {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}

async function packedJson(text) {
  const stream = new Blob([packedBytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const USUAL = {
  parameter: "step", start: null, arrival: 0, together: null, spot: null, level: "", covered: false, beside: false,
  asks: false, side: "", name: "", board: null,
};

function stepperData(about, script) {
  const head = new TextEncoder().encode(`${JSON.stringify({ ...USUAL, ...about })}\n`);
  const bytes = packedBytes(script);
  const data = new Uint8Array(head.length + bytes.length);
  data.set(head);
  data.set(bytes, head.length);
  return data;
}

function stepParameter(stage) {
  return stage === "model" ? "step" : stage;
}

function said(tag, say, name = "") {
  const node = make(tag, { class: name });
  fillSentence(node, say.template, say.args, say.texts, labelSet([]));
  return node;
}

/* A file for whoever reads the page. */
function saveData(name, data) {
  const link = make("a", { attrs: { href: URL.createObjectURL(new Blob([data])), download: name } });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// --- the address ------------------------------------------------------------------------------------------------------

/* What stands after # moves to the query, where the components look; so does where the page begins, if no address says it. */
function takeHash(begins = "") {
  const { hash, search } = window.location;
  const given = [...new URLSearchParams(hash.slice(1) || (search ? "" : begins))].filter(([name, value]) => name && value);
  if (!given.length) return false;
  const url = placeHere();
  url.hash = "";
  for (const [name, value] of given) url.searchParams.set(name, value);
  window.explorerAddress.replaceState(null, "", url);
  return true;
}

window.addEventListener("hashchange", () => {
  if (takeHash()) window.dispatchEvent(new PopStateEvent("popstate"));
});

// --- the theme --------------------------------------------------------------------------------------------------------

const night = window.matchMedia("(prefers-color-scheme: dark)");

function takeTheme() {
  const asked = address("theme");
  document.documentElement.dataset.theme = ["light", "dark"].includes(asked) ? asked : night.matches ? "dark" : "light";
}

night.addEventListener("change", () => {
  takeTheme();
  for (const each of refresh) each();
});

// --- messages ---------------------------------------------------------------------------------------------------------

const framed = window.parent !== window;

function tell(message) {
  if (framed) window.parent.postMessage({ explorer: 1, ...message }, "*");
}

/* go({ stage, step, level, card }): set by the kind of page. */
function onMessages(go) {
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !framed || data?.explorer !== 1 || data.type !== "go") return;
    const word = (value) => (typeof value === "string" && /^[\w-]{1,40}$/.test(value) ? value : undefined);
    const number = (value) => (Number.isInteger(value) && value >= 0 && value < 1e9 ? value : undefined);
    go({ stage: word(data.stage), level: word(data.level), step: number(data.step), card: number(data.card) });
  });
}

/* A page around this one that asks for its height gets it, now and whenever it changes. The stage no longer follows the
   height of the frame, which follows it. */
function fit(main) {
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !framed || data?.explorer !== 1 || data.type !== "fit") return;
    if (document.documentElement.hasAttribute("data-fitted")) return;
    document.documentElement.toggleAttribute("data-fitted", true);
    new ResizeObserver(() => tell({ type: "height", height: Math.ceil(main.getBoundingClientRect().height) })).observe(main);
  });
}

// --- what is around ---------------------------------------------------------------------------------------------------

/* What made the page, and the way back. */
function foot() {
  const facts = PAGE.made.flatMap(([name, value]) => [make("dt", { text: name }), make("dd", {}, make("bdi", { text: value }))]);
  const line = make("p", {}, make("bdi", { text: PAGE.line }));
  const node = make("footer", {}, line, make("details", {}, make("summary", { text: "What made this page" }), make("dl", {}, ...facts)));
  if (window.explorerBack) {
    const link = make("a", { class: "back", text: "Open in the explorer", attrs: { href: linkHere(), target: "_blank", rel: "noopener noreferrer" } });
    const now = () => (link.href = linkHere());
    for (const type of ["pointerdown", "focus", "click"]) link.addEventListener(type, now);
    line.append(" ", link);
  }
  for (const [label, href] of PAGE.links) line.append(" ", make("a", { class: "back", text: label, attrs: { href } }));
  return node;
}

function head(small = "") {
  return make("header", {}, make("h1", {}, make("bdi", { text: PAGE.heading })), ...(small ? [make("p", { text: small })] : []));
}

/* Whether a link leads to the app, or to the live Explore. */
function leavesPage(link) {
  return [PAGE.app, PAGE.explore].some((root) => root && link.href.startsWith(new URL(root, window.location.href).href));
}

/* Links of components lead away from the page: a frame keeps it. */
document.addEventListener("click", (event) => {
  const link = event.composedPath().find((node) => node.tagName === "A" && node.href);
  if (link && (PAGE.app || PAGE.explore) && leavesPage(link) && link.getRootNode() !== document) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
}, true);

function begin() {
  takeHash(PAGE.begins);
  takeTheme();
  document.documentElement.toggleAttribute("data-framed", framed);
  window.explorerSelection = addressSelection();
  const main = make("main");
  document.body.replaceChildren(main);
  fit(main);
  show(main);
}
