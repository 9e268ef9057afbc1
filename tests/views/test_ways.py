"""Other ways to cut a text as they are drawn: rows, bars and the sentence, against the distribution itself."""

from __future__ import annotations

from typing import Any

import pytest

import explorer
from explorer.analysis.sampling import rules_of
from explorer.stages.spelling import Form
from explorer.text.say import Flat, plain
from explorer.views.ways import ROWS, ways_picture
from tests.bundled import bundled


def drawn(model: str, text: str, alpha: float = 0.1, draws: int = 100, rule: str = "", seed: int = 0) -> dict[str, Any]:
    return ways_picture(bundled(model), text, alpha, seed, draws, rule, parse_special=True, form=Form.AS_TEXT)


def is_rounding(shown: str, chance: float) -> bool:
    """Whether what is shown of a probability is true of it."""
    if shown == "never":
        return chance == 0
    value = float(shown.lstrip("<>").removesuffix(" %")) / 100
    return {"<": 0 < chance < value, ">": value < chance < 1}.get(shown[0], abs(chance - value) <= 0.00005001)


def said(picture: dict[str, Any], part: str) -> str:
    return plain(Flat(**picture["says"][part]))


@pytest.mark.long
def test_one_word_under_three_rules() -> None:
    picture = drawn("gpt-2", " unrelated")
    assert [rule["key"] for rule in picture["rules"]] == ["huggingface", "sentencepiece", "subword-nmt"]
    first = picture["rows"][0]
    assert first["usual"]
    assert [text for text, _ in first["tokens"]] == ["·unrelated"]
    assert [cell[1] for cell in first["cells"]] == ["94.03 %", "38.74 %", "65.46 %"]
    assert f"{first['cells'][0][0]} of 100 draws" in said(picture, "what")
    assert all(part in said(picture, "sub") for part in ("94.03", "38.74", "65.46", "293"))
    assert len(picture["rows"]) == ROWS
    assert str(293 - ROWS) in picture["more"]


@pytest.mark.parametrize(("model", "alpha"), [("gpt-2", 0.2), ("llama-2", 0.2), ("xlm-r", 0.3)])
def test_rows_are_those_of_the_distribution(model: str, alpha: float) -> None:
    tok, text = bundled(model), " able"
    for rule in rules_of(tok):
        picture = drawn(model, text, alpha, 50, rule, 3)
        found = explorer.distribution(tok, text, alpha, 3, samples=50, rule=rule, add_special=False)
        own = [each["key"] for each in picture["rules"]].index(rule)
        rows = picture["rows"]
        for row, way in zip(rows, found.ways, strict=False):
            assert tuple(id for _, id in row["tokens"]) == way.ids
            assert row["cells"][own][0] == str(way.times)
            assert is_rounding(row["cells"][own][1], way.probability or 0)
            assert row["first"] == way.first
        assert max(max(cell[2], cell[3]) for row in rows for cell in row["cells"]) <= 1
        assert sum(row["usual"] for row in rows) == 1


def test_a_unigram_has_scores_of_its_best_ways() -> None:
    picture = drawn("xlm-r", " unbelievable", 0.2, rule="sentencepiece")
    scores = [float(row["score"].replace("−", "-")) for row in picture["rows"] if row["score"]]
    best = explorer.nbest(bundled("xlm-r"), " unbelievable", 5, add_special=False)
    assert scores[:5] == [round(each.score, 3) for each in best]


def test_a_model_without_sampling_says_so() -> None:
    picture = drawn("bert-uncased", "hello")
    assert not picture["rules"]
    assert not picture["rows"]
    assert "WordPiece" in said(picture, "what")


@pytest.mark.long
def test_an_original_that_never_samples_is_named() -> None:
    assert "tiktoken" in said(drawn("cl100k_base", " unrelated"), "sub")


def test_without_text_nothing_is_drawn() -> None:
    assert not drawn("gpt-2", "")["rows"]


@pytest.mark.parametrize(
    ("alpha", "draws", "seed"), [(float("nan"), 100, 0), (2.0, 100, 0), (0.1, 10**6, 0), (0.1, 10**9, 0), (0.1, 9, -1)]
)
def test_what_cannot_be_drawn_is_one_error(alpha: float, draws: int, seed: int) -> None:
    picture = drawn("gpt-2", "a word", alpha, draws, seed=seed)
    assert picture["error"]
    assert "\n" not in picture["error"]
    assert not picture["rows"]


def test_a_way_that_a_rule_cannot_give_is_never_drawn() -> None:
    """Where all ways of a rule are listed, a row that is none of them is impossible, not unknown."""
    tok, text = bundled("gpt-2"), " unrelated"
    picture = drawn("gpt-2", text, draws=0, rule="sentencepiece")
    keys = [each["key"] for each in picture["rules"]]
    known = {key: explorer.distribution(tok, text, samples=0, rule=key, add_special=False) for key in keys}
    for row in picture["rows"]:
        ids = tuple(id for _, id in row["tokens"])
        for key, cell in zip(keys, row["cells"], strict=True):
            way = next((way for way in known[key].ways if way.ids == ids), None)
            if way is None:
                assert cell[1] == ("never" if known[key].complete else "")
            else:
                assert is_rounding(cell[1], way.probability or 0)
