/* The selection and the hovered span, which all components of the page share.

   spansOverlap(start, end, span)       does [start, end) share a code point with span {start, end}?
   currentSelection()                   {start, end} or null
   chooseSpan(start, end, source)       selects; the same span again clears it
   clearSelection(source)               clears it; returns whether there was one
   offerSpan(span, of)                  selects a span once for each `of`, if nothing is selected
   hoverSpan(span, source)              announces the span under the pointer ({start, end} or null)
   onSpans(select, hover)               listens to both; returns a function that stops listening
   markSpan(node, start, end, selection, hover)   sets the classes sel and hov by overlap
*/

const SELECT = "explorer-select";
const HOVER = "explorer-hover";

/* Every component has a copy of this file, but the page has one selection: the first copy takes the selection of the URL
   and listens to the back button, on every page. */
if (typeof window !== "undefined" && window.explorerSelection === undefined) {
  window.explorerSelection = addressSelection();
  window.addEventListener("popstate", () => {
    window.explorerSelection = addressSelection();
    announce(SELECT, window.explorerSelection, "address");
  });
}

function spansOverlap(start, end, span) {
  if (!span || start < 0) return false;
  if (start === end) return span.start <= start && start < span.end; // an empty span overlaps if it is inside
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

/* A selection that the page suggests. It isn't the visitor's, so it isn't in the URL and doesn't return once cleared. */
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
