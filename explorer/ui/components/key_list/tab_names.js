/* What a style says in place of a tab's own words (`said_in_style` of frame.py), said to screen readers, too: else a tab has both
   names. The page's parts are not looked through: a tab or a style that comes is seen by Streamlit's own changes. In a
   row that scrolls, as on a phone, the selected tab comes with the row into view. */

const TAB = ".stButtonGroup [role=radio]";
const STYLE_OR_TAB = `style, ${TAB}`;
const SHOWN = new WeakSet();
/* The rows that were scrolled to their selected tab. */

function nameTabs() {
  for (const tab of document.querySelectorAll(TAB)) {
    const { content } = getComputedStyle(tab, "::after");
    const says = content.startsWith('"') ? JSON.parse(content) : null;
    tab.ariaLabel = says;
    for (const own of tab.children) own.ariaHidden = says === null ? null : "true";
    const row = tab.parentElement;
    if (tab.getAttribute("aria-checked") !== "true" || SHOWN.has(row)) continue;
    SHOWN.add(row);
    const [{ left, width }, box] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
    row.scrollLeft += left + width / 2 - box.left - box.width / 2;
  }
}

/* Returns a function that stops it. */
function keepTabsNamed() {
  const request = perFrame(nameTabs);
  const observer = new MutationObserver((changes) => {
    const comes = (node) => node.nodeType === Node.ELEMENT_NODE && (node.matches(STYLE_OR_TAB) || node.querySelector(STYLE_OR_TAB));
    if (changes.some(({ addedNodes }) => [...addedNodes].some(comes))) request();
  });
  observer.observe(streamlitApp(), { subtree: true, childList: true });
  request();
  return () => {
    observer.disconnect();
    request.cancel();
  };
}
