// Marks the page as arrived once its script has run, Streamlit shows no gray box and every component has drawn: until then pages.css hides
// what is below the bar, so that nothing moves under the reader's eyes. Another page begins anew. What draws nothing is not waited for long.
(() => {
  const root = document.documentElement, LONGEST = 1500;
  let page = "", ended = 0, waiting = 0;
  const drawn = (box) => {
    const root = box.shadowRoot?.querySelector(".tx");
    return root && (root.hidden || root.childElementCount > 0);
  };
  const look = () => {
    const app = document.querySelector(".stApp");
    const runs = !app?.querySelector(".st-key-title") || app.dataset.testScriptState !== "notRunning";
    ended = runs ? 0 : ended || performance.now();
    const whole = !runs && !app.querySelector(".stMainBlockContainer [data-testid=stSkeleton]") && [...app.querySelectorAll("[data-testid=stBidiComponentIsolated]")].every(drawn);
    if (whole || (ended && performance.now() - ended > LONGEST)) {
      clearInterval(waiting);
      requestAnimationFrame(() => requestAnimationFrame(() => root.toggleAttribute("data-arrived", true)));
    }
  };
  const begin = () => {
    if (page === location.pathname) return;
    page = location.pathname;
    root.removeAttribute("data-arrived");
    clearInterval(waiting);
    ended = 0;
    waiting = setInterval(look, 40);
  };
  begin();
  new MutationObserver(begin).observe(root, { subtree: true, attributeFilter: ["data-test-script-state"] });
})();
