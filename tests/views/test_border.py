"""The picture of a border: its cells cover the tokens, and every prepared border is the analysis's answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.boundary.boundary import borders, boundary_at
from explorer.stages.spelling import Form
from explorer.views.border import WIDE, Picture, border_picture, borders_picture
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


@pytest.mark.sample(1)
@pytest.mark.parametrize("specs", [("gpt-2", "llama-2"), ("bert-uncased", "xlm-r", "o200k_base"), ("rwkv-world",)])
@settings(max_examples=amount(40))
@given(
    text=st.text(st.sampled_from("ab tehé猫🤗\n1e\u0301"), min_size=2, max_size=30) | texts(), where=st.integers(0, 99)
)
def test_each_row_of_several_is_the_analysis(specs: tuple[str, ...], text: str, where: int) -> None:
    if len(text) < 2:
        return
    toks = {spec: bundled(spec) for spec in specs}
    made = borders_picture(toks, text, 1 + where % (len(text) - 1), parse_special=True, form=Form.AS_TEXT)
    assert [row["name"] for row in made["rows"]] == list(specs)
    keeps = [borders(tok, text, around=made["at"]) for tok in toks.values()]
    for at, border in made["borders"].items():
        found = [boundary_at(tok, text, int(at)) for tok in toks.values()]
        assert [row["keeps"] for row in border["rows"]] == [each.keeps for each in found]
        assert [row["cut"] for row in border["rows"]] == [each.stable.at for each in found]
        across = [[[each.token.start, each.token.end] for each in one.crossings] for one in found]
        assert [row["across"] for row in border["rows"]] == across
        kept = sum(each.keeps for each in found)
        assert made["dots"]["keeps"][int(at) - made["dots"]["first"]] == kept
        if len(specs) > 1:
            assert border["say"]["args"] == ((kept, len(specs)) if 0 < kept < len(specs) else (len(specs),))
    assert made["dots"]["kept"] == sum(all(each) for each in zip(*(every.keeps for every in keeps), strict=True))
    for row, tok in zip(made["rows"], toks.values(), strict=True):
        ids = [id for cell in row["whole"] for id in cell[3]]
        whole = tok.encode(text, add_special=False).ids
        assert row["tokens"] == len(whole)
        assert any(whole[start : start + len(ids)] == ids for start in range(len(whole) + 1))


@pytest.mark.long
def test_a_long_text_tells_the_border_at_the_mark() -> None:
    text = "ab " * 10_000
    made = picture_of("gpt-2", text, 9_000)
    assert list(made["borders"]) == ["9000"]
    assert made["dots"] == {"first": 9_000, "keeps": [boundary_at(bundled("gpt-2"), text, 9_000).keeps], "kept": 0}
    several = borders_picture({"a": bundled("gpt-2")}, text, 9_001, parse_special=True, form=Form.AS_TEXT)
    assert list(several["borders"]) == ["9001"]
