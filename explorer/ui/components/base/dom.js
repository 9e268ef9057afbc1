/* What every browser component shares, in `base/`. It depends on no component.

   A component's JavaScript is the files of base/, then its own, joined into one ES module (assets.py). So all their
   names are in scope, and nothing is imported. All text goes into the DOM as textContent: a token spelled <script>
   stays text.

     dom.js         elements, and the component's theme     sentences.js   texts, sentences, numbers
     events.js      timing, keys                            address.js     the page's URL
     selection.js   the selection all components share      mounts.js      one instance for each mounted component
     reveal.js      what scrolls into view

   This file:

   make(tag, options, ...children)      a new element; options: class, text, attrs, data, on, dir
   setText(node, text)                  writes textContent if it differs
   setClass(node, name, on)             adds or removes one class
   asText(node, text, spaces)           appends a token's text; its leading spaces are faint dots
   hueOf(id)                            the hue of a token id, in degrees
   tint(node, id)                       sets --c, the color of a token id; id < 0 is gray
   placeOf(node)                        its edges, and the window's size, in the pixels that its own styles are in
   applyTheme(root)                     sets data-theme light|dark on the component's root; call it on each data change
*/

const SAYING = new Set(["aria-label", "title", "placeholder"]); // attributes in the language of the page

function make(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  if (options.class) node.className = options.class;
  if (options.text !== undefined) node.textContent = options.text;
  if (options.dir) node.dir = options.dir;
  for (const [name, value] of Object.entries(options.attrs ?? {})) node.setAttribute(name, SAYING.has(name) ? inWords(value) : value);
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

/* On a large screen the page is zoomed by its styles: what is measured and what is written differ by that factor. */
function placeOf(node) {
  const zoom = node.currentCSSZoom ?? 1;
  const { left, right, top, bottom } = node.getBoundingClientRect();
  return {
    left: left / zoom, right: right / zoom, top: top / zoom, bottom: bottom / zoom, across: window.innerWidth / zoom, down: window.innerHeight / zoom,
  };
}

function asText(node, text, spaces = 0) {
  if (spaces) node.append(make("i", { class: "space", text: "·".repeat(spaces), attrs: { "aria-hidden": "true" } }));
  node.append(text.slice(spaces));
}

// --- color ----------------------------------------------------------------------------------------------------

function hueOf(id) {
  return (id * 137.508) % 360; // golden angle: successive ids get distant hues
}

function tint(node, id) {
  if (node.tintedBy === id) return;
  node.tintedBy = id;
  if (id < 0) node.style.removeProperty("--c");
  else node.style.setProperty("--c", `oklch(0.65 0.15 ${hueOf(id).toFixed(1)})`);
}

function applyTheme(root) {
  // Streamlit passes colors, not the theme's name, so the page's background decides. White text on the theme's
  // primary color may lack contrast, so --acc-deep is that color, darkened until the contrast is AA.
  const style = getComputedStyle(root);
  const background = readColor(style.getPropertyValue("--st-background-color") || "#fff");
  const primary = readColor(style.getPropertyValue("--st-primary-color") || "#c8374a");
  let share = 1;
  const deep = () => primary.map((part) => Math.round(part * share));
  while (1.05 / (luminance(deep()) + 0.05) < 4.6) share -= 0.04;
  root.style.setProperty("--acc-deep", `rgb(${deep().join(" ")})`);
  root.dataset.theme = luminance(background) < 0.2 ? "dark" : "light";
}

const readColors = new Map();

function readColor(text) {
  // from a canvas, so that any notation of CSS will do; a theme has two colors, and each drawing asks for them
  if (readColors.has(text)) return readColors.get(text);
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  paint.fillStyle = text.trim();
  paint.fillRect(0, 0, 1, 1);
  readColors.set(text, [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3));
  return readColors.get(text);
}

function luminance(rgb) {
  // Relative luminance as WCAG defines it, 0 to 1.
  const [red, green, blue] = rgb.map((part) => {
    const c = part / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
