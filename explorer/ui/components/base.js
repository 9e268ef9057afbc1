/* What every browser component of the explorer shares. It knows nothing of any one component.

   A component's JavaScript is this file followed by its own files, joined into one ES module (assets.py), so
   these names are simply there; nothing is imported. All text goes into the DOM as textContent: a token
   spelled <script> stays seven letters and a bracket.

   make(tag, options, ...children)      a new element; options: class, text, attrs, data, on, dir
   setText(node, text)                  write textContent only when it differs
   setClass(node, name, on)             add or remove one class
   hueOf(id)                            the hue of a token id, degrees
   tint(node, id)                       set --c, the colour of a token id; id < 0 = grey
   applyTheme(root)                     set data-theme light|dark on the component's root (call on each data change)
   labelSet(control)                    Set of the indices in `control`, for showText
   showText(node, texts, index, labels) put a text of the string table into a node; labels are drawn small
   sentenceParts(template)              a template cut into parts: strings and {arg, as}
   fillSentence(node, template, args, texts, labels)   write a filled template into a node, quoted texts as code
   plainSentence(template, args, texts) the same as one string, for aria labels and live regions
   formatNumber(n)                      12345 -> "12,345", -3 -> "−3"
   plainNumber(n)                       12345 -> "12345", -3 -> "−3": ids, positions, {i} of a template
   codePointName(n)                     197 -> "U+00C5"
   debounce(fn, ms)                     runs fn(...last arguments) after ms of rest; has .cancel() and .flush()
   perFrame(fn)                         returns request(): fn runs once in the next animation frame; .cancel()
   keyName(event)                       "ArrowLeft", "Shift+ArrowLeft", "Space"; "" with Ctrl, Alt or Meta held
   typingIn(event)                      "range", "select", "button", "text" or "": the native control under the key
   spansOverlap(start, end, span)       does [start, end) share a code point with span {start, end}?
   address(name)                        a parameter of the page's address, or null
   writeAddress(changes, push)          set or (null) delete parameters; push = a new entry for the back button
   onAddress(listener)                  listen to the back and forward buttons; returns what stops it
   addressStep(parameter)               the step in the address, null if there is none or it is nonsense
   currentSelection()                   the selection all components share: {start, end} or null
   chooseSpan(start, end, source)       select; the same span again clears it
   clearSelection(source)               select nothing. Returns true when there was something to clear
   offerSpan(span, of)                  select a span once for what `of` names, where nothing is selected yet
   hoverSpan(span, source)              tell everybody what the pointer is on ({start, end} or null)
   onSpans(select, hover)               listen to both; returns the function that stops listening
   markSpan(node, start, end, selection, hover)   classes sel and hov by overlap
   mounts()                             instances by parentElement: .get(component, create), .drop(parentElement)
   adoptStyles(root)                    give a shadow root the component's styles, one sheet for all instances
*/

const MINUS = "\u2212";

// --- DOM -------------------------------------------------------------------------------------------------------

function make(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  if (options.class) node.className = options.class;
  if (options.text !== undefined) node.textContent = options.text;
  if (options.dir) node.dir = options.dir;
  for (const [name, value] of Object.entries(options.attrs ?? {})) node.setAttribute(name, value);
  for (const [name, value] of Object.entries(options.data ?? {})) node.dataset[name] = value;
  for (const [name, listener] of Object.entries(options.on ?? {})) node.addEventListener(name, listener);
  node.append(...children);
  return node;
}

function setText(node, text) {
  // Compared with a remembered string: reading textContent of a filled node walks its children.
  if (node.shownText === text) return;
  node.shownText = text;
  node.textContent = text;
}

function setClass(node, name, on) {
  if (node.classList.contains(name) !== Boolean(on)) node.classList.toggle(name, Boolean(on));
}

// --- colour ----------------------------------------------------------------------------------------------------

function hueOf(id) {
  return (id * 137.508) % 360; // golden angle: neighbouring ids get far hues
}

function tint(node, id) {
  if (node.tintedBy === id) return;
  node.tintedBy = id;
  if (id < 0) node.style.removeProperty("--c");
  else node.style.setProperty("--c", `oklch(0.65 0.15 ${hueOf(id).toFixed(1)})`);
}

function applyTheme(root) {
  // Streamlit hands over colours, not the name of the theme. The page's own background decides. And white letters
  // on the theme's primary colour may be too faint, so --acc-deep is that colour, darkened until they read (AA).
  const style = getComputedStyle(root);
  const background = readColour(style.getPropertyValue("--st-background-color") || "#fff");
  const primary = readColour(style.getPropertyValue("--st-primary-color") || "#c8374a");
  let share = 1;
  const deep = () => primary.map((part) => Math.round(part * share));
  while (1.05 / (luminance(deep()) + 0.05) < 4.6) share -= 0.04;
  root.style.setProperty("--acc-deep", `rgb(${deep().join(" ")})`);
  root.dataset.theme = luminance(background) < 0.2 ? "dark" : "light";
}

function readColour(text) {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  paint.fillStyle = text.trim();
  paint.fillRect(0, 0, 1, 1);
  return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

function luminance(rgb) {
  // Relative luminance as WCAG defines it, 0 to 1.
  const [red, green, blue] = rgb.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// --- texts and sentences ---------------------------------------------------------------------------------------

function labelSet(control) {
  return new Set(control ?? []);
}

function showText(node, texts, index, labels) {
  setText(node, texts[index] ?? "");
  setClass(node, "label", labels?.has(index));
}

const knownTemplates = new Map();

function sentenceParts(template) {
  let parts = knownTemplates.get(template);
  if (parts) return parts;
  parts = [];
  const add = (text) => {
    if (typeof parts.at(-1) === "string") parts[parts.length - 1] += text;
    else if (text) parts.push(text);
  };
  let from = 0;
  for (const found of template.matchAll(/\{\{|\}\}|\{(\d+)(?::([qt]))?\}/g)) {
    add(template.slice(from, found.index));
    if (found[1] === undefined) add(found[0][0]);
    else parts.push({ arg: Number(found[1]), as: found[2] ?? "n" });
    from = found.index + found[0].length;
  }
  add(template.slice(from));
  knownTemplates.set(template, parts);
  return parts;
}

function fillSentence(node, template, args, texts, labels) {
  const children = sentenceParts(template).map((part) => {
    if (typeof part === "string") return part;
    const value = args[part.arg];
    if (part.as === "n") return plainNumber(value);
    const text = make(part.as === "q" ? "code" : "bdi", { class: part.as === "q" ? "q" : "" });
    showText(text, texts, value, labels);
    return text;
  });
  node.shownText = undefined;
  node.replaceChildren(...children);
}

function plainSentence(template, args, texts) {
  return sentenceParts(template)
    .map((part) => {
      if (typeof part === "string") return part;
      return part.as === "n" ? plainNumber(args[part.arg]) : (texts[args[part.arg]] ?? "");
    })
    .join("");
}

function formatNumber(n) {
  if (n === undefined || n === null) return "";
  const digits = String(Math.abs(n)).replace(/\B(?=(\d{3})+$)/g, ",");
  return n < 0 ? MINUS + digits : digits;
}

function plainNumber(n) {
  return n === undefined ? "" : String(n).replace("-", MINUS); // ids and positions: no thousands separator
}

function codePointName(n) {
  return "U+" + n.toString(16).toUpperCase().padStart(4, "0");
}

// --- time ------------------------------------------------------------------------------------------------------

function debounce(fn, ms) {
  let timer = 0;
  let pending = null;
  const run = () => {
    const args = pending;
    timer = 0;
    pending = null;
    fn(...args);
  };
  const later = (...args) => {
    clearTimeout(timer);
    pending = args;
    timer = setTimeout(run, ms);
  };
  later.cancel = () => {
    clearTimeout(timer);
    timer = 0;
    pending = null;
  };
  later.flush = () => {
    if (!pending) return;
    clearTimeout(timer);
    run();
  };
  return later;
}

function perFrame(fn) {
  let frame = 0;
  const request = () => {
    if (frame) return;
    frame = requestAnimationFrame((time) => {
      frame = 0;
      fn(time);
    });
  };
  request.cancel = () => {
    cancelAnimationFrame(frame);
    frame = 0;
  };
  return request;
}

// --- keys ------------------------------------------------------------------------------------------------------

function keyName(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return "";
  const key = event.key === " " ? "Space" : event.key;
  return event.shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

function typingIn(event) {
  const node = event.composedPath()[0];
  if (!(node instanceof HTMLElement)) return "";
  if (node.isContentEditable || node.tagName === "TEXTAREA") return "text";
  if (node.tagName === "SELECT") return "select";
  if (node.tagName === "BUTTON") return "button";
  if (node.tagName === "INPUT") return node.type === "range" ? "range" : "text";
  return "";
}

// --- the address ----------------------------------------------------------------------------------------------

/* The address leads to this very text, step and selection. It is written here, in the browser, and only read by
   Python when a session begins: an address that Python writes arrives later than the next key press, and would be
   taken for a link to an older text. Switches write theirs themselves (Streamlit's bind="query-params").          */

function address(name) {
  return new URLSearchParams(window.location.search).get(name);
}

function writeAddress(changes, push = false) {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    window.explorerAddress.own.add(name);
    setParameter(url, name, value);
  }
  if (url.href === window.location.href) return;
  window.explorerAddress[push ? "pushState" : "replaceState"](window.history.state, "", url);
}

function setParameter(url, name, value) {
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
}

const PAGE_LINKS = ["stPageLink-NavLink", "stTopNavLink", "stSidebarNavLink"].map((id) => `a[data-testid="${id}"]`).join();

/* When Python chooses for a switch, Streamlit writes the whole address, from its own memory of it, in which the
   parameters written here are as they once were. On its way to the browser they are set right.

   A link from one page to another: Streamlit would give the new parameters to the old page first, in an entry of their
   own, and what was there would be lost to the back button. So the new address is written here, as one entry, and until
   the person does the next thing all that Streamlit still writes belongs to that entry.                          */
if (typeof window !== "undefined" && window.explorerAddress === undefined) {
  const own = new Set();
  window.explorerAddress = { own };
  let arriving = false;
  for (const name of ["pushState", "replaceState"]) {
    const write = window.history[name].bind(window.history);
    window.explorerAddress[name] = write;
    window.history[name] = (state, title, given) => {
      const before = window.location.pathname;
      const url = given && new URL(given, window.location.href);
      if (url && url.pathname === window.location.pathname) for (const each of own) setParameter(url, each, address(each));
      if (arriving) window.explorerAddress.replaceState(state, title, url);
      else write(state, title, url);
      // another page of the app: what its address selects
      if (url && url.pathname !== before) window.explorerSelection = addressSelection();
    };
  }
  const acted = () => (arriving = false);
  for (const type of ["pointerdown", "keydown", "popstate"]) window.addEventListener(type, acted, true);
  const followed = (event) => {
    const link = event.target.closest?.(PAGE_LINKS);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (new URL(link.href).pathname === window.location.pathname) return;
    window.history.pushState(null, "", link.href);
    arriving = true;
  };
  window.addEventListener("click", followed, true);
}

function onAddress(listener) {
  window.addEventListener("popstate", listener);
  return () => window.removeEventListener("popstate", listener);
}

function addressStep(parameter) {
  const text = address(parameter);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function addressSelection() {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(address("sel") ?? "");
  return match && Number(match[1]) < Number(match[2]) ? { start: Number(match[1]), end: Number(match[2]) } : null;
}

// --- one selection through all components ----------------------------------------------------------------------

const SELECT = "explorer-select";
const HOVER = "explorer-hover";

/* Every component holds a copy of this file, and the page is one: whoever comes first takes the address's selection
   and listens to the back button. */
if (typeof window !== "undefined" && window.explorerSelection === undefined) {
  window.explorerSelection = addressSelection();
  onAddress(() => {
    window.explorerSelection = addressSelection();
    announce(SELECT, window.explorerSelection, "address");
  });
}

function spansOverlap(start, end, span) {
  if (!span || start < 0) return false;
  if (start === end) return span.start <= start && start < span.end; // an empty span lies inside or nowhere
  return start < span.end && span.start < end;
}

function currentSelection() {
  return window.explorerSelection ?? null;
}

function announce(type, span, source) {
  window.dispatchEvent(new CustomEvent(type, { detail: span && { start: span.start, end: span.end, source } }));
}

function select(span, source) {
  window.explorerSelection = span;
  writeAddress({ sel: span && `${span.start}-${span.end}` });
  announce(SELECT, span, source);
}

function chooseSpan(start, end, source) {
  const now = currentSelection();
  const again = now !== null && now.start === start && now.end === end;
  select(again ? null : { start, end }, source);
}

function clearSelection(source) {
  if (currentSelection() === null) return false;
  select(null, source);
  return true;
}

/* What the page itself would show first. It is no choice of the person's: the address does not hold it, and once it was
   given up it does not come back. */
function offerSpan(span, of) {
  if (!span || window.explorerOffered === of) return;
  window.explorerOffered = of;
  if (currentSelection() !== null && !window.explorerSelection.offered) return;
  window.explorerSelection = { ...span, offered: true };
  announce(SELECT, window.explorerSelection, "page");
}

function hoverSpan(span, source) {
  announce(HOVER, span, source);
}

function onSpans(select, hover) {
  const selected = (event) => select(event.detail);
  const hovered = (event) => hover(event.detail);
  window.addEventListener(SELECT, selected);
  window.addEventListener(HOVER, hovered);
  return () => {
    window.removeEventListener(SELECT, selected);
    window.removeEventListener(HOVER, hovered);
  };
}

function markSpan(node, start, end, selection, hover) {
  setClass(node, "sel", spansOverlap(start, end, selection));
  setClass(node, "hov", spansOverlap(start, end, hover));
}

// --- one instance per mounted component ------------------------------------------------------------------------

/* Streamlit calls the default export again on every change of data or theme and runs the returned cleanup only at
   unmount, so the instance is looked up by the element it lives in:

     const live = mounts();
     export default function (component) {
       const view = live.get(component, () => new View(component));
       view.update(component);                // every time: data, setStateValue may be new
       return () => live.drop(component.parentElement);    // calls view.destroy() once it is gone from the page
     }
*/
function mounts() {
  const instances = new WeakMap();
  return {
    get(component, create) {
      let instance = instances.get(component.parentElement);
      if (!instance) {
        adoptStyles(component.parentElement);
        instance = create(component);
        instances.set(component.parentElement, instance);
      }
      return instance;
    },
    drop(parentElement) {
      // Streamlit also cleans up after an update that the next one overtook: then the element is still on the page
      setTimeout(() => {
        if ((parentElement.host ?? parentElement).isConnected) return;
        instances.get(parentElement)?.destroy?.();
        instances.delete(parentElement);
      });
    },
  };
}

let sheet = null;

function adoptStyles(root) {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES); // the first line of the module (assets.py)
  }
  root.adoptedStyleSheets = [sheet];
}
