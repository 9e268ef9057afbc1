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
    if size is PHONE:
        here.page.locator('[data-testid="stExpandSidebarButton"]').click()
    here.page.get_by_role("link", name="Corpus").click()
    here.page.wait_for_url("**/corpus*")
    here.page.goto(f"{here.page.url.partition('?')[0]}?result=a+result+from+a+file")
    field = here.page.locator(".st-key-corpus input[type=file]")
    field.wait_for(state="attached")
    here.settle()
    field.set_input_files([{"name": "mine.json", "mimeType": "application/json", "buffer": result}])
    charts = here.page.locator('[data-testid="stVegaLiteChart"] canvas, [data-testid="stVegaLiteChart"] svg')
    assert here.comes_to(lambda: charts.count() == 3), "bars, labels, lengths"
    here.settle()
    assert here.comes_to(lambda: here.page.get_by_text("needs the fewest tokens").count() == 1)
    assert here.sideways() == 0
