// Marks the page as arrived once its script has run, Streamlit shows no gray box and every component has drawn: until then pages.css hides
// what is below the bar, so that nothing moves under the reader's eyes. Another page begins anew as soon as its address is there, which may
// be before, within or after its run: while the title is that of another page, it runs. What draws nothing is not waited for long.
(() => {
  const root = document.documentElement, LONGEST = 1500, UNANSWERED = 10000;
  const PAGES = ["compare", "corpus", "learn", "prompt", "start", "train", "vocabulary"]; // all others are Explore
  let page = "", began = 0, ended = 0, waiting = 0;
  const title = () => document.querySelector(".st-key-title h1")?.dataset.page;
  const drawn = (box) => {
    const root = box.shadowRoot?.querySelector(".tx");
    return root && (root.hidden || root.childElementCount > 0);
  };
  const leaves = (window.explorerLeaves = () => {
    const name = location.pathname.split("/").at(-1);
    const other = ![undefined, PAGES.includes(name) ? name : "explore"].includes(title());
    return waiting > 0 && other && began + UNANSWERED > performance.now();
  });
  const look = () => {
    const app = document.querySelector(".stApp");
    const runs = leaves() || !app?.querySelector(".st-key-title") || app.dataset.testScriptState !== "notRunning";
    ended = runs ? 0 : ended || performance.now();
    const whole = !runs && !app.querySelector(".stMainBlockContainer [data-testid=stSkeleton]") && [...app.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every(drawn);
    if (whole || (ended && performance.now() - ended > LONGEST)) {
      clearInterval(waiting);
      waiting = 0;
      requestAnimationFrame(() => requestAnimationFrame(() => waiting || root.toggleAttribute("data-arrived", true)));
    }
  };
  const begin = () => {
    if (page === location.pathname) return;
    page = location.pathname;
    root.removeAttribute("data-arrived");
    clearInterval(waiting);
    began = performance.now();
    ended = 0;
    waiting = setInterval(look, 40);
  };
  for (const name of ["pushState", "replaceState"]) {
    const write = history[name].bind(history);
    history[name] = (...to) => {
      write(...to);
      begin();
    };
  }
  addEventListener("popstate", begin);
  begin();
})();
