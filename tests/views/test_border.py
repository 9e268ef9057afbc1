"""The picture of a border: its cells cover the tokens, and every prepared border is the analysis's answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.boundary import borders, boundary_at
from explorer.analysis.why.spellings import Form
from explorer.views.border import WIDE, Picture, border_picture
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

SPECS = ("gpt-2", "llama-2", "bert-uncased", "xlm-r", "rwkv-world", "o200k_base", "qwen2.5")


def picture_of(spec: str, text: str, at: int | None = None) -> Picture:
    return border_picture(bundled(spec), text, at, parse_special=True, label=spec, form=Form.AS_TEXT)


def test_it_begins_inside_the_second_token() -> None:
    assert picture_of("gpt-2", "https://example.org")["at"] == 6
    assert picture_of("gpt-2", "The answer is 42")["at"] == 4
    assert picture_of("gpt-2", "abc")["at"] == 1


@pytest.mark.parametrize("text", ["", "a", "🤗"])
@pytest.mark.sample(3)
def test_a_text_of_one_character_has_no_border(text: str) -> None:
    assert picture_of("gpt-2", text)["borders"] == {}


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.sample(3)
@settings(max_examples=amount(80))
@given(
    text=st.text(st.sampled_from("ab tehé猫🤗\n1e\u0301"), min_size=2, max_size=40) | texts(), where=st.integers(0, 99)
)
def test_each_border_is_the_analysis(spec: str, text: str, where: int) -> None:
    if len(text) < 2:
        return
    tok = bundled(spec)
    made = picture_of(spec, text, 1 + where % (len(text) - 1))
    assert str(made["at"]) in made["borders"]
    first, last = made["first"], made["first"] + len(made["chars"])
    assert len(made["chars"]) == min(WIDE, len(text))
    every = borders(tok, text, around=made["at"])
    for at, border in made["borders"].items():
        found = boundary_at(tok, text, int(at))
        assert border["keeps"] == found.keeps
        before, after = border["kept"]
        assert made["ids"][:before] + border["left"] == found.left_ids
        assert border["right"] + made["ids"][len(made["ids"]) - after :] == found.right_ids
        assert every.keeps[int(at) - every.first] == found.keeps
        shown = [id for side in border["cells"] for cell in side for id in cell[3]]
        whole = found.left_ids + found.right_ids
        assert any(whole[start : start + len(shown)] == shown for start in range(len(whole) + 1))
        for side in (*border["cells"], made["whole"]):
            for start, end, _, ids, _ in side:
                assert first <= start < end <= last
                assert ids
