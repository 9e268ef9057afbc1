"""A real Chromium and the real app, started once for all browser tests."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, ViewportSize, sync_playwright

from tests import tiers

ROOT = Path(__file__).parent.parent.parent
CHROMIUM = shutil.which("chromium")
SHELL = shutil.which("chromium-headless-shell")
"""The same engine without what draws windows: the same tests take a quarter less processor. The long tier runs in it,
where it is installed; the quick tier has Chromium's own gestures."""
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --process-per-site"  # the pages of a context share what is compiled
).split()


PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 1000}
WIDE: ViewportSize = {"width": 1920, "height": 1080}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("CI must run the browser tests: install Debian's package chromium")
        pytest.skip("no chromium on the PATH; install Debian's package chromium to run the browser tests")
    with sync_playwright() as playwright:
        engine = SHELL if SHELL and tiers.chosen_tier == "long" else CHROMIUM
        chromium = playwright.chromium.launch(executable_path=engine, args=FLAGS)
        yield chromium
        chromium.close()


STALE = re.compile(
    r"Error executing deferred callable(?:(?!Error executing).)*?StorageError: Deferred file \w+ not found", re.DOTALL
)
"""What Streamlit logs of a click on a download just when a run of the page ends: the server has dropped the callable of
the earlier button (`MediaFileManager.remove_orphaned_files`), and the browser has not drawn the new button. The button
says that it failed, and the next click works."""


@contextmanager
def served(command: Sequence[str | Path], folder: Path, log: Path, **environment: str) -> Iterator[str]:
    """The URL of the app that a command starts. Its log must contain no error."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command, "--server.port", str(port)],
            cwd=folder, stdout=out, stderr=subprocess.STDOUT, env=os.environ | environment,
        )  # fmt: skip
        address = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                try:
                    with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                        break
                except OSError:
                    assert process.poll() is None, log.read_text()
                    time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait(10)
    said = STALE.sub("", log.read_text())
    assert "Traceback" not in said, said


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the app, started as the README says."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.address", "127.0.0.1"]
    with served(command, ROOT, tmp_path_factory.mktemp("server") / "log.txt") as address:
        yield address


def choose_in_menu(page: Page, name: str, action: str) -> None:
    """Opens a menu above the stages of a page, also a saved one, and chooses an action of it."""
    page.locator(".actions .action").filter(has_text=name).click()
    page.get_by_role("menuitem", name=action).click()


class Explorer:
    """One open page of the app, with the errors and warnings of its console."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.complaints: list[str] = []
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))

    def _heard(self, message: ConsoleMessage) -> None:
        # on a subpage, Streamlit looks for its server below that page first, and then at the root
        expected = message.location.get("url", "").startswith(
            tuple(f"{self.address}/{page}/_stcore/" for page in ("compare", "corpus", "vocabulary", "learn", "prompt"))
        )
        if message.type in ("error", "warning") and not expected:
            self.complaints.append(f"{message.type}: {message.text}")

    def open(self, **query: str) -> Explorer:
        """Opens the stage that is asked for, else the model with every panel of its stepper."""
        if "stage" not in query:
            query = {"stage": "model", "level": "implementation"} | query
        self.page.goto(f"{self.address}/?{urlencode(query)}")
        self.page.locator("[class*=st-key-stepper] .count").first.wait_for(state="attached")
        self.settle()
        return self

    def settle(self) -> None:
        """Waits until Streamlit has nothing to run."""
        self.page.wait_for_timeout(150)
        self.page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        self.page.wait_for_timeout(100)

    def drop(self, *files: tuple[str, bytes]) -> None:
        """Uploads files, all at once, and waits until they are read."""
        self.open_settings()
        given = [{"name": name, "mimeType": "application/octet-stream", "buffer": data} for name, data in files]
        field = self.page.locator(".st-key-drop [class*='st-key-drop-']").last
        (key,) = re.findall(r"st-key-drop-\d+", field.get_attribute("class") or "")
        field.locator("input[type=file]").set_input_files(given)  # type: ignore[arg-type]
        # the app has the files once a new, empty field is there
        self.page.locator(f".{key}").wait_for(state="detached")
        self.settle()
        self.page.keyboard.press("Escape")

    def open_settings(self) -> None:
        """Opens the settings of a page that keeps them behind a button."""
        button = self.page.locator(".st-key-settings button:visible").first
        if button.count() and not self.page.locator(".st-key-drop").count():
            button.click()
            self.page.locator(".st-key-drop").first.wait_for()

    def choose(self, key: str, name: str) -> None:
        """Types a name in a select box and takes what it finds."""
        field = self.page.locator(f".st-key-{key} input").first
        field.click()
        field.fill(name)
        self.page.get_by_role("option").first.wait_for()
        field.press("Enter")
        if field.locator("xpath=ancestor::*[@data-testid='stMultiSelect']").count():
            field.press("Escape")  # a list of several stays open; of one, it would close the form around it
        self.settle()

    def menu(self, name: str, action: str) -> None:
        """Opens a menu above the stages, Copy, Share or More, and chooses an action of it."""
        choose_in_menu(self.page, name, action)

    @property
    def field(self) -> Locator:
        return self.page.locator("textarea").first

    @property
    def step(self) -> tuple[int, int]:
        """The step shown, as in the URL, and how many there are: Story counts merges, and has the step as a hint."""
        count, title = self.page.locator(".st-key-stepper .count"), ""

        def has_numbers() -> bool:  # the element is empty until the stepper is built, and again while another one is
            nonlocal title
            title = count.get_attribute("title") or ""
            return any(map(str.isdigit, title))

        self.comes_to(has_numbers)
        done, all_ = re.findall(r"[\d,]+", title)
        return int(done.replace(",", "")), int(all_.replace(",", ""))

    def comes_to(self, holds: Callable[[], bool]) -> bool:
        """Waits until a condition holds, at most 20 seconds; a busy machine is slow."""
        for _ in range(400):
            if holds():
                return True
            self.page.wait_for_timeout(50)
        return False

    def at_step(self, step: int) -> bool:
        return self.comes_to(lambda: self.step[0] == step)

    def at_end(self) -> bool:
        return self.comes_to(lambda: self.step[0] == self.step[1])

    def puts_out(self, ids: list[int]) -> bool:
        return self.comes_to(lambda: self.output() == ids)

    def shows(self, ids: list[int]) -> bool:
        return self.comes_to(lambda: self.ids() == ids)

    def cells(self) -> Locator:
        """The cells of the text in the model's stepper."""
        return self.page.locator(".st-key-stepper .strip .cell")

    def ids(self) -> list[int]:
        """The ids under the tokens."""
        return [int(text) for text in self.page.locator(".st-key-overview .token small").all_text_contents()]

    def output(self) -> list[int]:
        """The ids in the stepper's output."""
        return [int(text) for text in self.page.locator(".st-key-stepper .out .chip small").all_inner_texts()]

    def focus_stepper(self) -> None:
        self.page.locator(".st-key-stepper .count").click()

    def jumped(self) -> float:
        """How far the page has moved under the reader while it was built: the browser's own score."""
        return float(
            self.page.evaluate(
                """() => new Promise((done) => {
                  const add = (list) => done(list.getEntries().reduce((sum, { value }) => sum + value, 0));
                  new PerformanceObserver(add).observe({ type: "layout-shift", buffered: true });
                  setTimeout(() => done(0), 500);
                })"""
            )
        )

    def sideways(self) -> int:
        """How many pixels the page scrolls sideways."""
        return int(
            self.page.evaluate(
                """() => Math.max(0, ...[document.documentElement, document.querySelector('[data-testid=stMain]')]
                .map(e => e.scrollWidth - e.clientWidth))"""
            )
        )


class Visitors:
    """Pages of visitors who know nothing of each other, but share what the browser keeps of the app's files.

    Fetching and compiling Streamlit's own code takes longer than most tests, so a context is kept for the session and
    only what a page stores is cleared.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.kept: dict[bool, BrowserContext] = {}

    def new(self, **options: Any) -> BrowserContext:
        context = self.browser.new_context(**options)
        # the merges are not played as on a first visit
        context.add_init_script("try { localStorage.setItem('explorer-visited', 'yes') } catch {}")
        return context

    def page(self, size: ViewportSize, dark: bool, address: str, permissions: Sequence[str] = (), **media: Any) -> Page:
        touch = size == PHONE and not permissions and not media
        if touch not in self.kept:
            self.kept[touch] = self.new(has_touch=touch)
            # keeps its window and the site's process: they cost more than a page in them
            self.kept[touch].new_page().goto(f"{address}/_stcore/health")
        if permissions:
            self.kept[touch].grant_permissions(permissions)
        page = self.kept[touch].new_page()
        page.set_viewport_size(size)
        page.emulate_media(color_scheme="dark" if dark else "light", **media)
        return page

    def forget(self, page: Page, address: str) -> None:
        """Closes a page, and clears what it stored in the browser."""
        if page.context in self.kept.values():
            if not page.is_closed():
                session = page.context.new_cdp_session(page)
                session.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "local_storage"})
                page.close()
            page.context.clear_cookies()
            page.context.clear_permissions()
        else:
            page.context.close()


@pytest.fixture(scope="session")
def visitors(browser: Browser) -> Visitors:
    return Visitors(browser)


@pytest.fixture
def visit(visitors: Visitors, server: str) -> Iterator[Callable[..., Explorer]]:
    """Opens the app: visit(size, dark). Every page must end without an error or a warning in its console.

    What else is asked for is an option of Playwright's contexts; one that no kept context can take gets its own.
    """
    visits: list[Explorer] = []

    def new(size: ViewportSize = DESK, dark: bool = False, **more: Any) -> Explorer:
        if more.keys() - {"permissions", "reduced_motion", "forced_colors"}:
            context = visitors.new(viewport=size, color_scheme="dark" if dark else "light", **more)
            page = context.new_page()
        else:
            page = visitors.page(size, dark, server, **more)
        visits.append(Explorer(page, server))
        return visits[-1]

    yield new
    for each in visits:
        assert each.complaints == []
    for each in visits:
        visitors.forget(each.page, server)


class Saved:
    """A saved page without a network: what its console says and what it asks for must be nothing."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page, self.path = page, path
        self.complaints: list[str] = []
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("request", lambda request: self.asked(request.url))

    def asked(self, url: str) -> None:
        if not url.startswith(("file:", "blob:", "data:", "about:")):
            self.complaints.append(f"request: {url}")

    def open(self, **query: str) -> Saved:
        """Opens it at a level that counts every step."""
        self.page.goto(f"{self.path.as_uri()}?{urlencode({'level': 'algorithm', **query})}")
        self.page.locator(".stepper .count").first.wait_for(state="attached")
        return self

    @property
    def sentence(self) -> str:
        return self.page.locator(".stepper .say .what").first.inner_text()

    def count(self, words: str) -> None:
        """Waits for the count of steps to say this."""
        self.page.locator(".stepper .count", has_text=words).first.wait_for(timeout=10_000)

    def play_to_end(self) -> None:
        """Every step, forwards; at its end the button for the next one is off."""
        count = self.page.locator(".stepper .count").first
        last = int("".join(filter(str.isdigit, count.inner_text().split("of")[1])))
        self.page.locator(".stepper").first.focus()
        self.page.keyboard.press("Home")
        for _ in range(last):
            self.page.keyboard.press("ArrowRight")
        self.count(f"{last:,} of {last:,}")


@pytest.fixture
def saved(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Saved]]:
    """Opens the text of a file: saved(html, size, dark)."""
    opened: list[Saved] = []

    def new(made: str, size: ViewportSize = DESK, dark: bool = False) -> Saved:
        path = tmp_path / f"page {len(opened)}.html"
        path.write_text(made, "utf-8")
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", offline=True)
        context.add_init_script("try { localStorage.setItem('explorer-visited', 'yes') } catch {}")
        opened.append(Saved(context.new_page(), path))
        return opened[-1]

    yield new
    for each in opened:
        assert each.complaints == []
        each.page.context.close()
