"""What a new visitor waits for: from the address to a page with its tokens and its stage, in a browser of its own.

Chromium is asked for nothing but the page, over its debugging socket: Playwright listens to each of a hundred requests
and looks for elements from outside, which alone takes the browser a fifth of a second. A script in the page notes the
frame that has both, after its paint.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, Final

from websockets.sync.client import ClientConnection, connect

from benchmarks.in_browser import VIEW, VISITED
from benchmarks.served import Server
from tests.browser.conftest import CHROMIUM, FLAGS

WATCH: Final = """
window.shifts = 0;
new PerformanceObserver(list => { for (const each of list.getEntries()) window.shifts += each.value; })
  .observe({type: 'layout-shift', buffered: true});
{
  const within = (root, wanted) => { for (const each of root.querySelectorAll('*')) {
    if (each.matches(wanted)) return true;
    if (each.shadowRoot && within(each.shadowRoot, wanted)) return true; } };
  const has = (key, wanted) => { const host = document.querySelector(key); return host && within(host, wanted); };
  const painted = new MessageChannel();
  painted.port1.onmessage = () => { window.drawn = performance.now(); };
  const look = () => {
    if (has('.st-key-overview', '.token') && has('.st-key-stepper', '.count')) painted.port2.postMessage('');
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
"""


class Chromium:
    """A browser. socket: its debugging socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.numbers = socket, count(1)

    def call(self, method: str, session: str = "", **parameters: Any) -> Any:
        """The result of a method of the debugging protocol. Raises RuntimeError if it fails."""
        number = next(self.numbers)
        addressed = {"sessionId": session} if session else {}
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters} | addressed))
        while True:
            answer = json.loads(self.socket.recv(timeout=120))
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def visit(self, address: str) -> tuple[float, float]:
        """Opens a page as a new visitor; the seconds until it is drawn, and how far it jumped in the 2 s after."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        opened = self.call("Target.createTarget", url="about:blank", browserContextId=context)
        session = self.call("Target.attachToTarget", targetId=opened["targetId"], flatten=True)["sessionId"]
        self.call("Page.enable", session)
        self.call("Emulation.setDeviceMetricsOverride", session, **VIEW, deviceScaleFactor=1, mobile=False)
        self.call("Page.addScriptToEvaluateOnNewDocument", session, source=VISITED + WATCH)
        self.call("Page.navigate", session, url=address)
        drawn = None
        while drawn is None:
            time.sleep(1)  # asking takes the page's time
            drawn = self.value(session, "window.drawn")
        time.sleep(2)
        jumped = self.value(session, "window.shifts")
        self.call("Target.disposeBrowserContext", browserContextId=context)
        return drawn / 1000, jumped

    def value(self, session: str, expression: str) -> Any:
        """The value of an expression in a page."""
        return self.call("Runtime.evaluate", session, expression=expression, returnByValue=True)["result"].get("value")


@contextmanager
def chromium() -> Iterator[Chromium]:
    """A browser with an empty profile."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen([str(CHROMIUM), *FLAGS, *arguments], stderr=subprocess.PIPE, text=True)
        try:
            assert process.stderr is not None
            address = next(found[0] for line in process.stderr if (found := re.search(r"ws://\S+", line)))
            with connect(address, max_size=None) as socket:
                yield Chromium(socket)
        finally:
            process.terminate()
            process.wait(60)


def first_pages(server: Server, model: str, visits: int = 5) -> tuple[list[float], list[float]]:
    """Seconds until a new visitor's page is drawn, and its layout shift, of visits to a server that knows it."""
    with chromium() as browser:
        taken = [browser.visit(f"{server.address}/?m={model}") for _ in range(visits + 1)][1:]
    return [seconds for seconds, _ in taken], [jumped for _, jumped in taken]
