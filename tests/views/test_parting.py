"""The picture of where two tokenizers part: what is drawn, against the traces and the text."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from explorer.analysis.divergence.result import Comparison
from explorer.analysis.vocabulary.index import index_of
from explorer.views.compare.aligned import picture, three_rows, tokens_of
from explorer.views.overview import Node, ribbon
from explorer.views.vocabulary import rows as rows_of_vocabulary
from tests.analysis.pairs import compared
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount


def rows(comparison: Comparison, *names: str) -> tuple[list[Node], list[Node]]:
    """The stages of both sides."""
    one, other = (
        ribbon(run.trace, bundled(name).trace_decode(run.trace.ids))
        for run, name in zip((comparison.left, comparison.right), names, strict=True)
    )
    return one, other


def drawn(one: str, other: str, text: str) -> tuple[Comparison, dict[str, Any]]:
    comparison = compared(one, other, text)
    return comparison, picture(comparison, comparison.first_place, rows(comparison, one, other))


PAIRS = (("gpt-2", "llama-3"), ("qwen2.5", "qwen2.5@llama.cpp"), ("llama-2", "bert-uncased"))


def check(one: str, other: str, text: str) -> None:
    """Every stage is in one column, in order; equal ones lie before what differs; each place is on its text."""
    comparison, made = drawn(one, other, text)
    for side, nodes in enumerate(rows(comparison, one, other)):
        own = [stage["sides"][side] for stage in made["stages"] if stage["sides"][side]]
        assert own == [[node.name, node.result, node.changed] for node in nodes]
    for column, stage in enumerate(made["stages"]):
        assert not stage["same"] or (column < made["differ"] and stage["sides"][0][:2] == stage["sides"][1][:2])
    assert made["count"] == len(comparison.divergences)
    assert (made["here"] is None) is (not comparison.places)
    assert len(made["text"]) == len(text)
    for (start, end, *_), place in zip(made["places"], comparison.places, strict=True):
        assert 0 <= start <= end <= len(text)
        found = three_rows(comparison, place)
        sides = place.difference.left, place.difference.right
        if found is None:
            assert all(side.stage is not None for side in sides)
            continue
        for cells in (found["text"], *found["sides"]):
            for _, _, first, last, _ in cells:
                assert 0 <= first < last <= found["columns"]
        spans = sorted((first, last) for _, _, first, last, _ in found["text"])
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
    for run, side in ((comparison.left, 0), (comparison.right, 1)):
        for place in comparison.places:
            half = (place.difference.left, place.difference.right)[side]
            shown = tokens_of(run, half)
            ids = [each[1] for each in shown if len(each) > 1]
            assert ids == [token.id for token in half.tokens][: len(ids)]
            assert len(ids) + sum(each[0] for each in shown if len(each) == 1) == len(half.tokens)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_every_stage_and_every_place_is_drawn(one: str, other: str) -> None:
    for text in ("", "a", "He's 1234567 LoRA", "naïve cafe\u0301 ﬁ", "<s>x</s> 東京🤗", "a\u200bb  \n\nc\td"):
        check(one, other, text)


@settings(max_examples=amount(10), deadline=None)
@given(texts())
def test_any_text_is_drawn(text: str) -> None:
    for pair in PAIRS:
        check(*pair, text)


def test_a_place_of_numbers_alone_is_at_the_ids_and_a_cut_at_the_pre_tokenizer() -> None:
    comparison, made = drawn("gpt-2", "llama-3", "He's 1234567 LoRA")
    named = lambda column: made["stages"][column]["sides"][0][0]  # noqa: E731
    assert named(made["here"]) == named(made["differ"]) == "Pre-tokenize"
    again = picture(comparison, 0, rows(comparison, "gpt-2", "llama-3"))
    assert again["stages"][again["here"]]["sides"][0][0] == "Ids"
    assert again["differ"] == made["differ"], "what differs first does not depend on the place"


def test_a_space_that_is_inserted_has_a_column_of_its_own() -> None:
    comparison, _ = drawn("llama-2", "gpt-2", "Hi")
    place = comparison.places[comparison.first_place or 0]
    found = three_rows(comparison, place)
    assert found is not None
    text, (one, other) = found["text"], found["sides"]
    assert [cell[:4] for cell in one][:2] == [["·", "0020", 0, 1], ["H", "0048", 1, 2]]
    assert other[0][:4] == text[0][:4] == ["H", "0048", 1, 2]
    assert [cell[4] for cell in one] == [True, False, False]


@pytest.mark.parametrize("name", ["gpt-2", "llama-2", "bert-uncased"])
def test_tokens_of_a_place_are_spelled_as_in_the_vocabulary(name: str) -> None:
    """Also beyond ASCII: never by the stand-ins of a vocabulary's file."""
    comparison = compared(name, "gpt-2" if name == "llama-2" else "llama-2", " né 🤗 né")
    known = {row[0]: row[1] for row in rows_of_vocabulary(index_of(bundled(name)), set(comparison.left.ids))}
    shown = [token for place in comparison.places for token in tokens_of(comparison.left, place.difference.left)]
    assert any(len(token) > 1 for token in shown)
    assert all(known[token[1]] == token[0] for token in shown if len(token) > 1)
