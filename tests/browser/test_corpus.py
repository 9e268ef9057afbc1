"""The Corpus page in a real browser: an uploaded result, on a desktop and on a phone, light and dark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.cli.main import main
from tests.browser.conftest import DESK, PHONE, Explorer

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("results")
    texts = {"en": "Good morning <b>you</b>", "de": "Guten Morgen", "zh": "早上好", "\u202e x": "?"}
    lines = (json.dumps({"text": text, "lang": label}) for label, text in texts.items())
    (folder / "a.jsonl").write_text("\n".join(lines))
    out = folder / "out.json"
    models = ("-m", "gpt-2", "-m", "llama-2")
    asked = (str(folder / "a.jsonl"), "--label", "lang", "--baseline", "en", "--output", str(out))
    assert main(["corpus", *models, *asked]) == 0
    return Path(out).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_an_uploaded_result_is_drawn(
    visit: Callable[..., Explorer], result: bytes, size: dict[str, int], dark: bool
) -> None:
    here = visit(size, dark).open()
    here.page.get_by_role("link", name="Corpus").click()
    here.page.wait_for_url("**/corpus*")
    here.page.goto(f"{here.page.url.partition('?')[0]}?result=a+result+from+a+file")
    field = here.page.locator(".st-key-corpus_file input[type=file]")
    field.wait_for(state="attached")
    here.settle()
    field.set_input_files([{"name": "mine.json", "mimeType": "application/json", "buffer": result}])
    here.settle()
    say = here.page.locator(".pr-say")
    assert here.comes_to(lambda: say.count() == 1 and "with GPT-2" in say.inner_text())
    assert here.sideways() == 0
    here.page.locator(".st-key-part").get_by_text("Whole text").dispatch_event("click")
    charts = here.page.locator('[data-testid="stVegaLiteChart"] canvas, [data-testid="stVegaLiteChart"] svg')
    assert here.comes_to(lambda: charts.count() == 1)
    assert here.comes_to(lambda: here.page.get_by_text("needs the fewest tokens").count() == 1)
    assert here.sideways() == 0


def test_a_language_is_chosen_by_dot_key_and_list_and_the_address_keeps_it(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK)
    here.page.goto(f"{here.address}/corpus?picked=Thai")
    say, dots = here.page.locator(".pr-say"), here.page.locator(".pr-dots")
    dots.wait_for()
    assert here.comes_to(lambda: "Thai" in say.inner_text())
    picked = here.page.locator(".pr-side select")
    picked.select_option(label="Burmese")
    assert here.comes_to(lambda: "Burmese" in say.inner_text() and "picked=" not in here.page.url), "the usual one"
    dots.focus()
    here.page.keyboard.press("ArrowLeft")
    assert here.comes_to(lambda: "Burmese" not in say.inner_text() and "picked=" in here.page.url)
    chosen = say.inner_text()
    here.page.reload()
    assert here.comes_to(lambda: say.count() == 1 and say.inner_text() == chosen)
    # the dot that is furthest right in the last row
    box = here.page.evaluate(
        """() => {
          const dot = [...document.querySelector('.st-key-premiums').querySelectorAll('*')].map(each => each.shadowRoot)
            .find(Boolean).querySelectorAll('circle.pr-dot');
          const last = [...dot].sort((a, b) => a.cx.baseVal.value - b.cx.baseVal.value).at(-1).getBoundingClientRect();
          return [last.x + last.width / 2, last.y + last.height / 2];
        }"""
    )
    here.page.mouse.move(*box)
    tip = here.page.locator(".pr-tip")
    assert here.comes_to(tip.is_visible)
    named = tip.inner_text().partition(":")[0]
    here.page.mouse.click(*box)
    assert here.comes_to(lambda: named in say.inner_text())
    assert here.page.locator(".pr-here").count() >= 9, "one a row, and one in the legend"


def test_another_base_changes_every_number(visit: Callable[..., Explorer]) -> None:
    here = visit(DESK)
    here.page.goto(f"{here.address}/corpus?than=Burmese&picked=English")
    say = here.page.locator(".pr-say")
    assert here.comes_to(lambda: say.count() == 1 and "Burmese" in say.inner_text() and "English" in say.inner_text())
    assert "0.0" in say.inner_text(), "English costs a part of Burmese"
