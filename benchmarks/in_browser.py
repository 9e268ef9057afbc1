"""What a visitor of Explore waits for, measured in a real Chromium, from the browser's time of the key press.

A change is painted at the end of the frame in which a script sees it: the message sent there arrives after the paint.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from benchmarks.served import Server

CHIPS: Final = ".st-key-overview .token, .st-key-board_tokens [role=option]"
"""The chips of the tokens, in this version and in earlier ones."""
STRIP: Final = ".st-key-stepper .count"
VIEW: Final = {"width": 1280, "height": 800}

PRESS_TO_PAINT: Final = """
async ({key, times}) => {
  const host = document.querySelector('.st-key-stepper');
  const find = root => { for (const e of root.querySelectorAll('*')) {
    if (e.classList.contains('count')) return e;
    const inner = e.shadowRoot && find(e.shadowRoot); if (inner) return inner; } };
  const count = find(host), root = count.closest('[tabindex]');
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const taken = [];
  for (let i = 0; i < times; i++) {
    await new Promise(done => setTimeout(done, 60 + 20 * Math.random()));
    const before = count.textContent, start = performance.now();
    root.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, composed: true}));
    while (count.textContent === before && performance.now() - start < 5000) await frame();
    await frame();
    if (count.textContent !== before) taken.push(performance.now() - start);
  }
  return taken;
}
"""

CHIPS_CHANGED: Final = """
() => new Promise(done => {
  const find = root => { for (const n of root.querySelectorAll('*')) {
    if (n.getAttribute('role') === 'listbox') return n;
    const inner = n.shadowRoot && find(n.shadowRoot); if (inner) return inner; } };
  const list = () => find(document.querySelector('.st-key-overview, .st-key-board_tokens'));
  let now = list(), start;
  const before = now.textContent;
  addEventListener('keydown', event => { start = event.timeStamp; }, {capture: true, once: true});
  const painted = new MessageChannel();
  painted.port1.onmessage = () => done(performance.now() - start);
  const look = () => {
    if (!now.isConnected) now = list();
    if (now && now.textContent !== before) painted.port2.postMessage('');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})
"""

VISITED: Final = "try { localStorage.setItem('explorer-visited', 'yes') } catch {}"
"""A visitor who has been here before: the first visit plays its merges."""


def visit(page: Page, server: Server, **query: str) -> None:
    page.goto(f"{server.address}/?{urlencode(query)}")
    drawn(page)
    page.wait_for_timeout(1500)


def drawn(page: Page) -> None:
    """Waits until tokens and stepper are on the page."""
    for each in (CHIPS, STRIP):
        page.locator(each).first.wait_for(state="attached", timeout=120_000)


def start_of_text(page: Page) -> None:
    """Focuses the text field, with the cursor before the first character."""
    page.locator("textarea").first.click()
    page.keyboard.press("Control+Home")


def chips_after_keys(browser: Browser, server: Server, model: str, text: str) -> list[float]:
    """Milliseconds from a key in the text field to the painted chips; a key by itself is sent at once."""
    page = browser.new_page(viewport=VIEW)
    page.add_init_script(VISITED)
    visit(page, server, m=model, text=text)
    start_of_text(page)
    page.wait_for_timeout(700)
    taken = painted_after_keys(page, "abcdefghijklmnop", CHIPS_CHANGED, 700)
    page.close()
    return taken


def painted_after_keys(page: Page, letters: str, changed: str, pause: float) -> list[float]:
    """Milliseconds from each key to what it changes, painted.

    changed: a function of JavaScript, called before the key, whose promise has them. pause: milliseconds after a key.
    """
    taken = []
    for letter in letters:
        waiting = page.evaluate_handle(f"() => ({{ promise: ({changed})() }})")
        page.keyboard.press(letter)
        taken.append(float(waiting.evaluate("box => box.promise")))
        page.wait_for_timeout(pause)
    return taken


def steps_after_arrows(browser: Browser, server: Server, model: str, text: str) -> tuple[int, list[float], float]:
    """How many steps there are, milliseconds from arrow keys to painted steps, how many of 20 fast presses arrive."""
    page = browser.new_page(viewport=VIEW)
    page.add_init_script(VISITED)
    visit(page, server, m=model, text=text)
    page.locator(STRIP).click()
    page.keyboard.press("Home")  # an earlier version opens with the last step
    page.wait_for_timeout(300)
    taken = page.evaluate(PRESS_TO_PAINT, {"key": "ArrowRight", "times": 40})
    before, steps = step(page)
    for _ in range(20):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(33)
    page.wait_for_timeout(300)
    arrived = step(page)[0] - before
    page.close()
    return steps, taken, arrived


def step(page: Page) -> tuple[int, int]:
    """The step shown, and how many there are."""
    said = (page.locator(STRIP).text_content() or "").replace(",", "").replace("/", " ")
    numbers = [int(word) for word in said.split() if word.isdigit()]
    return numbers[0], numbers[-1]
