"""The picture of an answer: 1200 × 630, with what the page answers, its tokens, counts and address."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from urllib.parse import quote

import pytest

import explorer
from tests.browser.conftest import DESK, Explorer

pytestmark = pytest.mark.browser
Visit = Callable[..., Explorer]

WRITTEN = """
window.written = [];
const { fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  window.written.push(text);
  return fillText.call(this, text, ...rest);
};
"""
TEXT = "Is <b>LoRA</b> 🤗?"


def picture(seen: Explorer, path: str, name: str = "Picture") -> list[str]:
    """What is written on the picture of a page."""
    seen.page.add_init_script(WRITTEN)
    seen.page.goto(seen.address + path)
    if name == "Picture":
        button = seen.page.get_by_role("button", name=name)
    else:
        seen.page.get_by_role("button", name="Share").click()
        button = seen.page.get_by_role("menuitem", name=name)
    button.first.wait_for()
    seen.settle()
    with seen.page.expect_download() as waited:
        button.first.click()
    data = waited.value.path().read_bytes()
    assert struct.unpack(">II", data[16:24]) == (1200, 630)
    written: list[str] = seen.page.evaluate("window.written")
    assert written[-1].startswith(seen.address.removeprefix("http://")), "the address"
    return written


@pytest.mark.long
def test_explore_s_picture_has_every_token_with_its_id(visit: Visit) -> None:
    written = picture(visit(DESK), f"/?m=gpt-2&text={quote(TEXT)}", "Picture, PNG")
    ids = explorer.load("gpt-2").encode(TEXT).ids
    drawn = written[-2 - 2 * len(ids) : -2]  # a token, its id, the next token, …; then the foot
    assert drawn[1::2] == list(map(str, ids))
    assert f"{len(ids)} tokens" in written[0]
    assert drawn[2] == "·<", "markup is text"


@pytest.mark.long
def test_corpus_picture_counts_each_tokenizer_in_dark(visit: Visit) -> None:
    seen = visit(DESK, dark=True)
    written = picture(seen, "/corpus")
    assert written[0] in (seen.page.locator(".pr-say").text_content() or "")
    counts = seen.page.locator(".pr-counts b").all_text_contents()
    assert [text for text in written if re.fullmatch(r"[\d,]+", text)] == counts


@pytest.mark.long
def test_compare_s_picture_has_each_row_with_its_count(visit: Visit) -> None:
    seen = visit(DESK)
    written = picture(seen, f"/compare?text={quote(TEXT)}&with=gpt-2&with=llama-3")
    for name, title in (("gpt-2", "GPT-2"), ("llama-3", "Llama 3")):
        assert title in written
        assert str(len(explorer.load(name).encode(TEXT))) in written


@pytest.mark.long
def test_vocabulary_s_picture_has_the_token_and_its_parts(visit: Visit) -> None:
    tok = explorer.load("gpt-2")
    id = tok.vocabulary.pieces.index("Ġthe".encode())
    written = picture(visit(DESK), f"/vocabulary?m=gpt-2&token={id}")
    assert str(id) in written[0]
    assert "·the" in written
    assert {"t", "h", "e"} <= set("".join(written[3:8]))


@pytest.mark.long
def test_the_emblem_is_the_icon_of_the_tab(visit: Visit) -> None:
    seen = visit(DESK).open(stage="ids")
    link = seen.page.locator("link[rel~=icon]")
    assert seen.comes_to(lambda: (link.first.get_attribute("href") or "").startswith("data:image/svg+xml"))


@pytest.mark.long
def test_train_s_picture_has_the_learned_tokens(visit: Visit) -> None:
    written = picture(visit(DESK), f"/train?corpus={quote('ab ab abc')}&size=6")
    assert {"ab", "·ab"} & set(written)
    assert "ab ab abc" in written
