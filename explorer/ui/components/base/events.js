/* Timing and keys.

   debounce(fn, ms)                     calls fn(...last arguments) after ms without calls; has .cancel() and .flush()
   perFrame(fn)                         returns request(): fn runs once in the next animation frame; has .cancel()
   awaiting(ms, draw)                   draws what waits for Python: .asks(question), .answers(question), .stop()
   await painted()                      what was changed so far is on the screen, or the page is hidden
   listenTo(type, listener)             listens to an event of the window; returns a function that stops listening
   keyName(event)                       "ArrowLeft", "Shift+ArrowLeft", "Space"; "" with Ctrl, Alt or Meta
   onGround()                           whether no control has the focus: a click on the empty page focuses Streamlit's main
   typingIn(event)                      "range", "select", "button", "text" or "": the native control that gets the key
   toLinks(event, cell, links)          keys between a cell and the links in its details; true if the key was one of them
*/

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

/* draw(true) when the question has had no answer for ms, draw(false) when it has one. Whether it has is read from the two
   questions, not from what happened last: an answer may come before its question is known here, and an answer that
   changes nothing does not come. asks and answers return whether it waits. */
function awaiting(ms, draw) {
  let asked, answered;
  let timer = 0;
  const look = () => {
    clearTimeout(timer);
    const waits = asked !== undefined && asked !== answered;
    if (waits && ms) timer = setTimeout(draw, ms, true);
    else draw(waits);
    return waits;
  };
  return {
    asks: (question) => look((asked = question)),
    answers: (question) => look((answered = question)),
    stop: () => clearTimeout(timer),
  };
}

function painted() {
  return new Promise((done) => {
    if (document.hidden) return done();
    requestAnimationFrame(() => setTimeout(done));
  });
}

function listenTo(type, listener, isFirst = false) {
  window.addEventListener(type, listener, isFirst);
  return () => window.removeEventListener(type, listener, isFirst);
}

function keyName(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return "";
  const key = event.key === " " ? "Space" : event.key;
  return event.shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

function onGround() {
  const active = document.activeElement;
  return !active || active === document.body || Boolean(active.matches?.(".stMain"));
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

/* Tab leads from a cell to its links and from the last of them on; Escape and Shift+Tab lead back to the cell. The
   links have tabindex -1, so that nobody who only passes by must go through them. */
function toLinks(event, cell, links) {
  const at = links.indexOf(event.target);
  const back = event.key === "Escape" || (event.key === "Tab" && event.shiftKey);
  if (!links.length || !cell || (at < 0 && (back || event.target !== cell)) || (event.key !== "Tab" && !back)) return false;
  const next = event.key === "Escape" ? -1 : at + (back ? -1 : 1);
  (links[next] ?? cell).focus();
  // after the last link, the browser moves on from the cell
  if (next < links.length) event.preventDefault();
  event.stopPropagation();
  return true;
}
