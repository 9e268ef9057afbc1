/* The page's URL, which links to this text, step and selection.

   The browser writes it, and Python only reads it when a session begins: a URL that Python writes arrives after the next
   key press and would look like a link to an older text. Switches write their own parameters (Streamlit's
   bind="query-params").

   address(name)                        a parameter of the URL, or null
   addressAll(name)                     the values of a repeated parameter
   writeAddress(changes, push)          sets, repeats (a list) or deletes (null) parameters; push adds a history entry
   arrive(search)                       goes to another URL of this page, as a link does, without loading it again
   isArriving()                         whether the visitor has done nothing since a link, Back or Forward
   onAddress(listener)                  listens to the back and forward buttons within this page; returns what stops listening
   afterBack(report)                    calls back when Streamlit's widgets have their values from the URL
   isGoingBack()                        whether such a report waits: what Python draws may be part of this URL only
   addressStep(parameter)               the step in the URL, null if it is missing or invalid
   addressSelection()                   the selection in the URL, or null
   addressLater(write, ms)              debounce for what writes the URL: not on another page of the app, where it may end
   remembered(name), remember(name, value)   what this browser keeps besides
   STEPS                                the parameters of steps, which belong to one text
   vocabularyLink(id, m, as, text)      a link to a token's dossier; m, as: its tokenizer; text: which token it is
   cellLink(name, id)                   the same in a cell's details (`toLinks`); name: such as gpt-2@llama.cpp
   appUrl(path)                         another page of the explorer
   linkHere()                           what leads here from elsewhere: on a saved page, the same place in the explorer

   A saved page (explorer/saved/) has window.explorerApp, the explorer it came from or "", window.explorerLive, a live Explore
   beside it or "", and window.explorerBack, what it shows there; on a live one, window.explorerTypes. Where it may not write its URL, in a sandboxed frame, window.explorerPlace is what it would have written.
*/

const STEPS = ["step", "utf8", "partition", "normalize", "pre-tokenize", "post-process", "decode", "step0", "step1"];

function address(name) {
  return placeHere().searchParams.get(name);
}

function addressAll(name) {
  return placeHere().searchParams.getAll(name);
}

function placeHere() {
  return new URL(window.explorerPlace ?? window.location.href);
}

function appUrl(path) {
  const live = window.explorerLive && /^(compare)?\?/.exec(path);
  return live ? window.explorerLive + path.slice(path.indexOf("?")) : `${window.explorerApp ?? "./"}${path}`;
}

function linkHere() {
  if (!window.explorerBack) return window.location.href;
  const url = new URL(window.explorerBack, window.location.href);
  for (const [name, value] of placeHere().searchParams) url.searchParams.set(name, value);
  return url.href;
}

function vocabularyLink(id, m, as, text = "") {
  if (window.explorerApp === "") return make("span", { class: "vocabulary-link" });
  const query = new URLSearchParams({ ...(m && { m }), ...(as && { as }), token: String(id) });
  return make("a", { class: "vocabulary-link", attrs: { href: appUrl(`vocabulary?${query}`), target: "_self" } }, inWords("In the vocabulary"), ...(text ? [": ", make("bdi", { text })] : []));
}

function cellLink(name, id) {
  const [m, as] = name.split(/@(?=[^@]*$)/);
  const link = vocabularyLink(id, m, as);
  link.tabIndex = -1;
  return link;
}

/* What the keys do for a cell with such links. */
function keysToLinks(opened) {
  return make("span", { class: "link-keys", text: opened ? "Tab: go to the link" : "Enter, then Tab: go to the link" });
}

function writeAddress(changes, push = false) {
  const url = placeHere();
  for (const [name, value] of Object.entries(changes)) {
    window.explorerAddress.own.add(name);
    setParameter(url, name, value);
  }
  if (url.href === placeHere().href) return;
  window.explorerAddress[push ? "pushState" : "replaceState"](window.history.state, "", url);
}

/* Does nothing on another page of the app than the one on which it was made: a component is there until the next page is
   drawn, and what it then reports, Streamlit runs for its own page, which takes the place of that one. */
function onThisPage(call) {
  const { pathname } = placeHere();
  return (...args) => placeHere().pathname === pathname && call(...args);
}

function addressLater(write, ms) {
  return debounce(onThisPage(write), ms);
}

function remembered(name) {
  try {
    return window.localStorage.getItem(name);
  } catch {
    return null; // a browser that keeps nothing
  }
}

function remember(name, value) {
  try {
    window.localStorage.setItem(name, value);
  } catch {
    // nothing is kept; the address has it
  }
}

function setParameter(url, name, value) {
  const values = value === null ? [] : [value].flat();
  const before = url.searchParams.getAll(name);
  if (values.length === before.length && values.every((each, index) => each === before[index])) return; // keeps its place
  if (values.length === 1) return url.searchParams.set(name, values[0]);
  url.searchParams.delete(name);
  for (const each of values) url.searchParams.append(name, each);
}

const LEAVES_MS = 1000;
const STARTS_MS = 400; // of a run, after what it was asked by
const TAKES_MS = 1500;
const PAGE_LINKS = ["stPageLink-NavLink", "stTopNavLink", "stSidebarNavLink"].map((id) => `a[data-testid="${id}"]`).join();

/* Parameters that Streamlit writes for its widgets. */
const STREAMLITS = /^(?:special|parse|escapes|pattern_of|choose_.*)$/;

/* Parameters of tabs, which Streamlit writes, too. */
const TABS = ["view", "part", "ask", "algorithm", "look"];

/* When Python sets a switch, Streamlit writes the whole URL from its own copy, in which the parameters written here are
   outdated. This corrects them before they reach the browser.

   Streamlit replaces the entry of the history when a widget is used, and adds one when Python sets a widget. Here another
   tab adds an entry, so that Back returns to the one before, and all else replaces it.

   On a link to another page, Streamlit would first write the new parameters for the old page, as a history entry of
   their own, and Back would not restore the old URL. So the new URL is written here as one entry. After a link, Back or
   Forward, and until the visitor's next action, whatever Streamlit writes replaces the entry.                      */
if (typeof window !== "undefined" && window.explorerAddress === undefined) {
  const own = new Set();
  const back = { reports: [] };
  window.explorerAddress = { own, back };
  let search = window.location.search;
  let arriving = false;
  let cleared = { left: "", at: -Infinity };
  let follows;
  const moves = ({ searchParams }) => TABS.some((tab) => searchParams.get(tab) !== address(tab));
  for (const name of ["pushState", "replaceState"]) {
    const original = window.history[name].bind(window.history);
    const write = (...given) => {
      try {
        original(...given);
      } catch (error) {
        if (window.explorerApp === undefined) throw error;
        window.explorerPlace = given[2].href;
      }
      search = window.location.search;
    };
    window.explorerAddress[name] = write;
    window.history[name] = (state, title, given) => {
      const before = window.location.pathname;
      const left = placeHere().href;
      const url = given && new URL(given, window.location.href);
      const here = url && url.pathname === before;
      if (here && !url.search) cleared = { left, at: performance.now() }; // as Streamlit does before it leaves
      if (here) for (const each of own) setParameter(url, each, addressAll(each));
      if (arriving) window.explorerAddress.replaceState(state, title, url);
      else if (here) window.explorerAddress[moves(url) ? "pushState" : "replaceState"](state, title, url);
      else write(state, title, url);
      // another page of the app: take the selection of its URL
      if (url && url.pathname !== before) Object.assign(window, { explorerSelection: addressSelection(), explorerLeft: performance.now() - cleared.at < LEAVES_MS ? cleared.left : left });
    };
  }
  const acted = ({ type }) => {
    arriving = type === "popstate";
    if (!arriving) return;
    // has Streamlit widgets to set, so that its run must be waited for?
    const [was, is] = [search, (search = window.location.search)].map((each) => JSON.stringify([...new URLSearchParams(each)].filter(([key]) => !own.has(key)).sort()));
    back.sets = was !== is;
  };
  for (const type of ["pointerdown", "keydown", "popstate"]) window.addEventListener(type, acted, true);
  const followed = (event) => {
    const link = event.target.closest?.(PAGE_LINKS);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (new URL(link.href).pathname === window.location.pathname) return;
    clearTimeout(follows);
    if (window.explorerTurns?.open) {
      // what the old page has just reported goes first (mounts.js), and is taken: the link's run would end the one that takes it
      event.preventDefault();
      event.stopImmediatePropagation();
      const since = performance.now();
      let began = false;
      const follow = () => {
        const runs = streamlitApp().dataset.testScriptState !== "notRunning";
        began ||= runs;
        if (performance.now() - since < (runs ? TAKES_MS : began ? 0 : STARTS_MS)) follows = setTimeout(follow, LOOK_MS);
        else link.click();
      };
      follows = setTimeout(follow, 2 * LOOK_MS);
      return;
    }
    window.history.pushState(null, "", link.href);
    arriving = true;
  };
  window.addEventListener("click", followed, true);
  window.explorerAddress.isArriving = () => arriving;
  window.explorerAddress.arrive = (url) => {
    for (const { searchParams } of [url, placeHere()]) {
      for (const name of searchParams.keys()) if (!STREAMLITS.test(name)) own.add(name);
    }
    window.explorerAddress.pushState(null, "", url);
    arriving = true;
  };
}

/* Opens an address of the app in this session. */
function openInApp(url) {
  if (url.pathname === window.location.pathname) window.explorerAddress.arrive(url);
  else window.history.pushState(null, "", url);
  window.dispatchEvent(new PopStateEvent("popstate"));
}

/* Streamlit's widgets get their values from Python, so its own writing of them belongs to the same history entry. */
function arrive(search) {
  const url = placeHere();
  url.search = search;
  window.explorerAddress.arrive(url);
  window.dispatchEvent(new CustomEvent("explorer-arrived"));
}

function isArriving() {
  return window.explorerAddress.isArriving();
}

function onAddress(listener) {
  const listens = onThisPage(listener);
  window.addEventListener("popstate", listens);
  return () => window.removeEventListener("popstate", listens);
}

/* For Back and Forward, Streamlit runs the page with the URL's values of its widgets. Every report from the browser brings
   their values, too, and until that run is drawn they are the old ones. One report at a time, because two may be to
   different fragments of the page. */
const BEGINS_MS = 1500; // by then the run has begun, if there is one
const LOOK_MS = 25;
const DRAWN_LOOKS = 4; // after its end

function afterBack(report) {
  const { back } = window.explorerAddress;
  back.reports.push(onThisPage(report));
  Object.assign(back, { since: performance.now(), began: !back.sets, drawn: 0 });
  // a run may begin and end between two looks
  back.watch ??= new MutationObserver(() => (back.began = true));
  back.watch.observe(streamlitApp(), { attributeFilter: ["data-test-script-state"] });
  clearTimeout(back.look);
  back.look = setTimeout(lookForRun, LOOK_MS);
}

function isGoingBack() {
  return window.explorerAddress.back.reports.length > 0;
}

function streamlitApp() {
  return document.querySelector('[data-testid="stApp"]');
}

function lookForRun() {
  const { back } = window.explorerAddress;
  const running = streamlitApp().dataset.testScriptState === "running";
  back.began ||= running || performance.now() - back.since > BEGINS_MS;
  back.drawn = running || !back.began ? 0 : back.drawn + 1;
  if (back.drawn >= DRAWN_LOOKS) back.reports.shift()();
  if (back.reports.length) back.look = setTimeout(lookForRun, LOOK_MS);
}

function addressStep(parameter) {
  const text = address(parameter);
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

function addressSelection() {
  const match = /^(\d{1,9})-(\d{1,9})$/.exec(address("sel") ?? "");
  return match && Number(match[1]) < Number(match[2]) ? { start: Number(match[1]), end: Number(match[2]) } : null;
}
