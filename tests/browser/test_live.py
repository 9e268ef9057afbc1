"""Explore without a server, in Chromium: its Python answers as this one does, with a network or without."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page

import explorer
from benchmarks.layout_shift import SHIFTS
from explorer.answers import live as own
from explorer.opening.catalog import catalog
from explorer.saved.lesson import BACK, INDEX, Site, index
from explorer.saved.live import LIVE, PARTS, folder, write_live
from explorer.script.script import unpack
from explorer.views.examples import PRESETS
from tests.browser.test_accessibility import violations
from tests.tiers import amount, spread

pytestmark = [pytest.mark.browser, pytest.mark.long]
TEXTS = (
    "What is LoRA? It's 12 o'clock.", "", "     ", "def f(x):\n\treturn x  # twice\n\n",
    "नमस्ते दुनिया", "Å e\u0301 ﬁ 👨‍👩‍👧🇩🇪",
    "<s>[CLS]<|endoftext|></s>", "1234567 3.14", "a\u200bb\u202ec\ufeff\u00a0", "مرحبا 日本語 ひらがな 한국어",
    "a", " a", "a ", "\n", "\r\n\t", "0", "-1.5e+10%", "İstanbul ıI ſK", "Straße STRASSE ß", "ǅ ǆ Ǆ",
    "strawberry strawberries", "don't DON'T can’t we've I'll", "https://example.org/a?b=c&d=%20#e", "aaaaaaaaaaaaaaaa",
    "ab" * 40, "The quick brown fox jumps over the lazy dog.", "Donaudampfschifffahrtsgesellschaft", "ไทยภาษา กำ",
    "ខ្មែរ မြန်မာ", "Ελληνικά Русский עברית", "𝒜𝔅ℂ 𐍈 𠮷", "👍🏽 👩‍💻 ❤️ 1️⃣", "\x00\x07\x7f\x85", "▁▁ ▁a Ġ Ċ ##x <0x41>",
    "[MASK] [UNK] <unk> <pad> <|im_start|>user<|im_end|>", "if (x != null && y >= 2) { z++; }", '{"a": [1, 2.0, "b"]}',
    "SELECT * FROM t WHERE a='b';", "١٢٣ १२३ ⅷ ² ½", "cafe\u0301 café \u1e9b\u0323 각 각",
)  # fmt: skip
ASK = """async ({ address, requests }) => {
  const worker = new Worker(address, { type: "module" });
  const answers = [];
  for (const [id, request] of requests.entries()) {
    const heard = new Promise((done) => worker.addEventListener("message", function hear({ data }) {
      if (data.failed) done(data.failed);
      if (data.id !== id) return;
      worker.removeEventListener("message", hear);
      done(data.answer);
    }));
    worker.postMessage({ id, ...request });
    answers.push(await heard);
  }
  worker.terminate();
  return answers;
}"""


class Quiet(SimpleHTTPRequestHandler):
    """A static host that says nothing."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The folder as a static host serves it."""
    if not all((folder() / each["file"]).is_file() for each in PARTS.values()):
        pytest.skip("Pyodide is not here; run: explorer site FOLDER --live")
    public = tmp_path_factory.mktemp("live")
    pages = Site(public, "", lambda name: None, LIVE)
    write_live(pages.write, public, [(BACK, INDEX)])
    pages.write(INDEX, index({"Texts": [pages.preset(PRESETS[0])]}, "", LIVE).encode())
    handler = partial(Quiet, directory=str(public))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as host:
        Thread(target=host.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{host.server_port}"
        host.shutdown()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A visitor's page: whatever it says in the console, and whatever it asks of another host, is a fault."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, service_workers="allow")
    page, faults = context.new_page(), []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    context.on(
        "request", lambda asked: None if asked.url.startswith((address, "data:", "blob:")) else faults.append(asked.url)
    )
    yield page
    context.close()
    assert faults == []


def opened(page: Page, address: str, **query: str) -> None:
    """Opens the page and waits for its engine."""
    page.goto(f"{address}/{LIVE}?{urlencode(query)}")
    page.locator(".band").wait_for()
    page.locator("html[data-live]").wait_for(state="attached", timeout=180_000)
    page.locator("[aria-busy]").wait_for(state="detached", timeout=60_000)


def ids(page: Page, expected: list[int]) -> None:
    """Waits until the page shows these ids."""
    page.wait_for_function(
        """(expected) => {
          const part = document.querySelector(".of-overview")?.shadowRoot;
          return part && [...part.querySelectorAll(".token small")].map((each) => each.textContent).join() === expected;
        }""",
        arg=",".join(map(str, expected)),
        timeout=60_000,
    )


def plain(answer: str) -> Any:
    """An answer whose scripts are unpacked: zlib's bytes differ between its versions."""
    said = json.loads(answer)
    for section in said["is"]["sections"].values() if "sections" in said.get("is", {}) else ():
        if section["script"] is not None:
            section["script"] = unpack(base64.b64decode(section["script"]))
    return said


def test_every_answer_of_every_tokenizer_is_the_one_that_is_given_here(page: Page, address: str) -> None:
    page.goto(f"{address}/{LIVE}")
    said = re.search(r'id="page">(.*?)</script>', page.request.get(f"{address}/{LIVE}").text())
    assert said is not None
    files = json.loads(said[1])["live"]["addresses"]
    assert ("memory.bin" in files) == bool(shutil.which("node"))
    at = f"{address}/{files['live_worker.js'].removeprefix('./')}&{urlencode({'addresses': json.dumps(files)})}"
    asked = []
    for name, model in catalog().items():
        for implementation in model.implementations:
            for text in spread(TEXTS, amount(len(TEXTS))):
                of = {"name": f"{name}@{implementation}", "text": text, "special": True, "parse": True, "stored": False}
                asked.append({"what": "explore", "of": {**of, "start": 0, "language": "en"}, "needs": [model.file]})
    answers = page.evaluate(ASK, {"address": at, "requests": asked})
    for request, answer in zip(asked, answers, strict=True):
        expected = own.answer(json.dumps({"what": request["what"], "of": request["of"]}))
        assert plain(answer) == plain(expected), request["of"]


def test_a_text_is_typed_explained_compared_and_shared(page: Page, address: str) -> None:
    opened(page, address)
    page.locator("textarea").fill("Hello there")
    ids(page, explorer.load("llama-2").encode("Hello there").ids)
    page.get_by_role("combobox", name="Tokenizer").select_option("gpt-2")
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    page.locator(".token").nth(1).click()
    page.get_by_role("dialog").get_by_text("there").first.wait_for()
    page.keyboard.press("Escape")
    assert "m=gpt-2" in page.url
    page.reload()
    page.locator("html[data-live]").wait_for(state="attached", timeout=180_000)
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    page.get_by_label("Compare").check()
    page.get_by_text("for the same 11 characters").wait_for(timeout=60_000)
    page.get_by_role("tab", name="First difference").click()
    page.locator(".parting-card .of-stepper").first.wait_for(timeout=60_000)
    assert "view=Where+they+part" in page.url
    assert violations(page) == []
    page.get_by_label("Compare").uncheck()
    page.locator("textarea").fill("[15496, 612]")
    page.get_by_role("button", name="Read as ids").click()
    page.get_by_role("tab", name="Back to text").wait_for(timeout=60_000)
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    assert violations(page) == []
    page.get_by_role("link", name="Deutsch").click()
    page.get_by_role("tab", name="Zurück zum Text").wait_for(timeout=180_000)
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)


DROP = """([name, data]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))], name));
  const settings = { dataTransfer, bubbles: true, cancelable: true, composed: true };
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.querySelector("main").dispatchEvent(new DragEvent(type, settings));
  }
}"""


def test_an_own_file_stays_here_and_a_wrong_one_is_refused_in_words(page: Page, address: str, tmp_path: Path) -> None:
    opened(page, address, m="bert-uncased", text="Hello there")
    ids(page, explorer.load("bert-uncased").encode("Hello there").ids)
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"a": 1}')
    page.locator("input[type=file]").set_input_files(wrong)
    page.get_by_role("alert").filter(has_text="wrong.json").wait_for(timeout=60_000)
    page.locator("input[type=file]").set_input_files(catalog()["gpt-2"].path)
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    given = base64.b64encode(catalog()["cl100k_base"].path.read_bytes()).decode()
    page.evaluate(DROP, ["cl100k_base.tiktoken", given])
    ids(page, explorer.load("cl100k_base").encode("Hello there").ids)


def test_the_second_visit_needs_no_network(page: Page, address: str) -> None:
    opened(page, address, m="gpt-2", text="Hello there")
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    page.wait_for_function(
        """async () => {
          const [name] = await caches.keys();
          const urls = (await (await caches.open(name)).keys()).map(({ url }) => url);
          return ["gpt2", "memory.bin"].every((each) => urls.some((url) => url.includes(each)));
        }""",
        timeout=120_000,
    )
    page.context.set_offline(True)
    page.reload()
    page.locator("html[data-live]").wait_for(state="attached", timeout=180_000)
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    page.locator("textarea").fill("Hi")
    ids(page, explorer.load("gpt-2").encode("Hi").ids)


def test_a_damaged_memory_of_python_is_not_taken_over(browser: Browser, address: str) -> None:
    context = browser.new_context(service_workers="block")
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.route(re.compile(r"/memory\.bin\?"), lambda route: route.fulfill(body=b"not what it was"))
    opened(page, address, m="gpt-2", text="Hello there")
    ids(page, explorer.load("gpt-2").encode("Hello there").ids)
    assert sum(line.startswith("Python's memory isn't taken over") for line in said) == 1
    context.close()


def test_a_frame_opens_at_the_step_the_level_and_the_theme_of_its_address(page: Page, address: str) -> None:
    query = {"text": "Hello there", "m": "gpt-2", "level": "algorithm", "step": "2", "theme": "dark"}
    page.set_content(f'<iframe src="{address}/{LIVE}?{urlencode(query)}" width="1000" height="720"></iframe>')
    frame = page.frame_locator("iframe")
    frame.locator("html[data-live][data-theme=dark][data-framed]").wait_for(state="attached", timeout=180_000)
    frame.locator(".token").get_by_text("there").wait_for(timeout=60_000)
    frame.locator(".stepper[data-level=algorithm] .count", has_text=re.compile(r"^\D*2 of ")).wait_for()


WIDTHS = (390, 1060, 1280)


def test_axe_finds_nothing_at_three_widths_in_both_themes(page: Page, address: str) -> None:
    for with_ in ([], ["llama-2", "gpt-2"]):
        page.goto(f"{address}/{LIVE}?{urlencode({'text': 'Hello there', 'm': 'gpt-2', 'with': with_}, doseq=True)}")
        page.locator("html[data-live]").wait_for(state="attached", timeout=180_000)
        page.locator(".of-aligned" if with_ else ".of-overview").first.wait_for(timeout=60_000)
        page.locator("[aria-busy]").wait_for(state="detached", timeout=60_000)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
                page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
                found = violations(page)
                for _ in range(10):  # colors change little by little, while a story plays, too
                    if not found:
                        break
                    page.wait_for_timeout(300)
                    found = violations(page)
                assert found == [], (with_, width, theme)
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (with_, width, theme)


@pytest.mark.parametrize("text", ["What is LoRA?", "Hello there"], ids=["of the file", "of the address"])
def test_the_page_does_not_jump_when_the_engine_takes_over(page: Page, address: str, text: str) -> None:
    page.add_init_script(SHIFTS)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        opened(page, address, **({} if text == "What is LoRA?" else {"m": "gpt-2", "text": text}))
        page.wait_for_timeout(1000)  # whatever moves afterwards counts, too
        assert page.evaluate("shifted") < 0.02, width


def test_the_policy_lets_in_nothing_but_files_of_its_own_host(page: Page, address: str) -> None:
    page.goto(f"{address}/{LIVE}")
    said = page.locator("meta[http-equiv]").get_attribute("content") or ""
    rules = dict(each.strip().split(" ", 1) for each in said.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert {rules["connect-src"], rules["worker-src"]} == {"'self'"}


def test_pages_of_the_site_lead_to_it_and_it_leads_back(page: Page, address: str) -> None:
    page.goto(f"{address}/llama-2-1.html")
    with page.context.expect_page() as opening:
        page.get_by_role("link", name="Open in the explorer").click(modifiers=["ControlOrMeta"])
    own, opened = page, opening.value
    opened.wait_for_url(f"**/{LIVE}?*")
    opened.close()
    own.get_by_role("link", name="All lessons and examples").click()
    own.get_by_role("link", name="Explore a text of your own").click()
    own.wait_for_url(f"**/{LIVE}")
    own.get_by_role("link", name="All lessons and examples").click()
    own.get_by_role("heading", name="Texts").wait_for()
