"""A model on the Hub in a browser: its name, the fetch and its end, a link; hostile answers beside another visitor."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, expect

import explorer
from explorer.opening.hub import fetching
from tests.browser.conftest import DESK, ROOT, Explorer, served
from tests.opening.hub_server import Hub, clients, serving

pytestmark = [pytest.mark.browser, pytest.mark.long]
LETTERS = "abcdefghijklmnopqrstuvwxyz ."
TINY = {"model": {"type": "BPE", "vocab": {each: id for id, each in enumerate(LETTERS)}, "merges": []}}
FILES = {"tokenizer.json": json.dumps(TINY).encode() + b" " * 300_000, "model.safetensors": bytes(2000)}
TEXT = "abc"
PATIENCE = 100_000
"""Milliseconds: a fetch starts a process, and a busy machine takes long to import the client."""


@pytest.fixture(scope="module")
def visited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Hub, Path]]:
    """The app for visitors, its Hub, and the folder of its cache."""
    home = tmp_path_factory.mktemp("hub")
    with serving() as hub:
        given = {"HF_ENDPOINT": hub.endpoint, fetching.STORAGE: hub.storage, "HF_HOME": str(home), "no_proxy": "*"}
        command = [sys.executable, "-m", "explorer", "app", "--hub", "on"]
        with served(command, ROOT, home / "log.txt", **given) as address:
            yield address, hub, home


def opened(browser: Browser, address: str, **query: str) -> Explorer:
    context = browser.new_context(viewport=DESK)
    return Explorer(context.new_page(), address).open(text=TEXT, **query)


def ask(page: Explorer, name: str) -> None:
    page.open_settings()
    page.settle()  # a run that ends later would draw an empty field again
    field = page.page.get_by_role("textbox", name="Model on the Hub")
    field.fill(name)
    expect(field).to_have_value(name)
    field.press("Enter")
    page.settle()  # the name is sent before its field is closed
    page.page.keyboard.press("Escape")


def test_a_name_its_fetch_and_its_link(visited: tuple[str, Hub, Path], browser: Browser) -> None:
    address, hub, _ = visited
    commit = hub.put("org/name", FILES)
    hub.fault = "dripping"
    page = opened(browser, address)
    ask(page, "org/name")
    notice = page.page.get_by_role("status").filter(has_text="org/name")
    expect(notice).to_contain_text("of 30", timeout=PATIENCE)
    page.page.get_by_role("button", name="Cancel").click()
    expect(notice).to_have_count(0)
    hub.fault = ""
    ask(page, "org/name")
    expect(page.page.get_by_text(commit[:12])).to_be_visible(timeout=PATIENCE)
    assert page.comes_to(lambda: f"org/name@{commit}" in unquote(page.page.url))
    assert page.comes_to(lambda: clients(hub) == [])
    hub.requests.clear()
    other = opened(browser, address, m=f"org/name@{commit}")
    expect(other.page.get_by_text(commit[:12])).to_be_visible()
    assert hub.requests == []
    assert page.complaints + other.complaints == []


def test_a_model_is_two_actions_away(visited: tuple[str, Hub, Path], browser: Browser) -> None:
    """The palette, then its name with Enter; as `test_tasks` counts."""
    address, hub, _ = visited
    commit = hub.put("org/quick", FILES)
    page = opened(browser, address)
    page.page.keyboard.press("Control+k")
    page.page.locator(".pa-field").fill("org/quick")
    expect(page.page.locator(".pa-row").first).to_contain_text("org/quick")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".st-key-m input").first).to_have_value(re.compile("org/quick"), timeout=PATIENCE)
    assert page.comes_to(lambda: commit in page.page.url)
    assert page.comes_to(lambda: page.ids() == [LETTERS.index(each) for each in TEXT])


def test_two_ggufs_of_a_model_by_their_first_bytes(visited: tuple[str, Hub, Path], browser: Browser) -> None:
    address, hub, home = visited
    data = explorer.catalog()["xlm-r"].path.read_bytes()
    commit = hub.put("org/large", {name: data + bytes(30_000_000) for name in ("q4.gguf", "q8.gguf")})
    hub.fault = "held"
    page = opened(browser, address)
    ask(page, "org/large:q4.gguf")
    notice = page.page.get_by_role("status").filter(has_text="org/large:q4.gguf")
    expect(notice).to_contain_text("65.5 kB of its beginning", timeout=PATIENCE)
    hub.fault = ""
    hub.release.set()
    for name in ("q4.gguf", "q8.gguf"):
        if name == "q8.gguf":
            ask(page, f"org/large:{name}")
        title = re.compile(re.escape(f"org/large@{commit[:7]}:{name}"))
        expect(page.page.locator(".st-key-m input").first).to_have_value(title, timeout=PATIENCE)
    hub.release.clear()
    assert page.comes_to(lambda: f"org/large@{commit}:q8.gguf" in unquote(page.page.url))
    kept = [path for path in home.rglob("*.gguf") if path.is_file()]
    assert {path.name for path in kept} == {"q4.gguf", "q8.gguf"}
    assert max(path.stat().st_size for path in kept) < len(data) + 3_000_000
    assert page.comes_to(lambda: clients(hub) == [])
    hub.requests.clear()
    other = opened(browser, address, m=f"org/large@{commit}:q4.gguf")
    expect(other.page.get_by_text(commit[:12])).to_be_visible()
    assert hub.requests == []
    assert page.complaints + other.complaints == []


def test_the_palette_fetches_a_model_and_opens_it_here(visited: tuple[str, Hub, Path], browser: Browser) -> None:
    address, hub, _ = visited
    hub.put("org/palette", FILES)
    hub.fault = "dripping"
    page = opened(browser, address)
    page.page.keyboard.press("Control+k")
    page.page.locator(".pa-field").fill("org/palette")
    row = page.page.locator(".pa-row").filter(has_text="never weights")
    row.wait_for()
    hub.requests.clear()
    page.settle()
    assert hub.requests == [], "nothing is asked before Enter"
    page.page.keyboard.press("Enter")
    progress = page.page.locator(".pa-fetch")
    expect(progress).to_contain_text("of 30", timeout=PATIENCE)
    progress.get_by_role("button", name="Cancel").click()
    expect(progress).to_be_hidden()
    hub.fault = ""
    row.click()
    expect(page.page.locator(".st-key-m input").first).to_have_value(re.compile("org/palette"), timeout=PATIENCE)
    assert not page.page.locator(".pa[open]").count()
    assert page.complaints == []


@pytest.mark.parametrize("fault", ["endless", "compressed", "elsewhere", "moved on", "endless list", "hostile etag"])
def test_a_hostile_answer_costs_another_visitor_nothing(
    fault: str, visited: tuple[str, Hub, Path], browser: Browser
) -> None:
    address, hub, home = visited
    hub.put("org/hostile", FILES)
    hub.fault, hub.target = fault, "http://169.254.169.254/latest/meta-data"
    attacker, other = opened(browser, address), opened(browser, address, m="gpt-2")
    ask(attacker, "org/hostile")
    other.page.locator(".st-key-text textarea, .st-key-text input").first.fill("abc abd")
    expect(other.page.get_by_role("option", name="d, id 67")).to_be_visible()
    expect(attacker.page.get_by_role("alert").filter(has_text="org/hostile")).to_be_visible(timeout=PATIENCE)
    assert attacker.comes_to(lambda: clients(hub) == [])
    kept = [path for path in home.rglob("*") if path.is_file() and "hostile" in str(path)]
    assert sum(path.stat().st_size for path in kept) < 10_000
    assert attacker.complaints + other.complaints == []
