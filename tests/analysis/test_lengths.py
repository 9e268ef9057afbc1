"""Differences in truncation and padding."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import DifferenceKind, runs
from explorer.opening.formats import open_bytes
from tests.bundled import bundled
from tests.implementations.huggingface.test_lengths import content, padding, truncation
from tests.originals.generators import strings


def toy(cut: dict[str, Any] | None, fill: dict[str, Any] | None) -> explorer.Tokenizer:
    return open_bytes(json.dumps(content(cut, fill)).encode(), "toy", None, {"pad_and_truncate": "yes"})


WHOLE = toy(None, None)
CUT, LEFT = toy(truncation(4), None), toy(truncation(4, direction="Left"), None)
FILLED, IN_FRONT = toy(None, padding({"Fixed": 7})), toy(None, padding({"Fixed": 7}, direction="Left"))


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (WHOLE, CUT, ["truncate: toy (1) truncates nothing; toy (2) truncates 1 token at the end, leaving 4."]),
        (CUT, LEFT, ["truncate: toy (1) truncates 1 token at the end, leaving 4; toy (2) truncates 1 token "
                     "at the beginning, leaving 4."]),
        (FILLED, WHOLE, ["pad: toy (1) adds 2 × “[PAD]” (0) at the end; toy (2) adds no padding."]),
        (IN_FRONT, WHOLE, ["pad: toy (1) adds 2 × “[PAD]” (0) at the start; toy (2) adds no padding."]),
        (CUT, FILLED, ["truncate: toy (1) truncates 1 token at the end, leaving 4; toy (2) truncates nothing.",
                       "pad: toy (1) adds no padding; toy (2) adds 2 × “[PAD]” (0) at the end."]),
    ],
)  # fmt: skip
def test_truncation_and_padding_are_differences_of_their_stages(
    one: explorer.Tokenizer, other: explorer.Tokenizer, said: list[str]
) -> None:
    found = compare(*runs([one, other], "abc"))
    assert [each.sentence for each in found.divergences] == said
    assert not found.same


def test_tokens_added_around_a_text_are_not_padding() -> None:
    filled, llama_cpp = padded(), bundled("bert-uncased@llama.cpp")
    found = compare(*runs([filled, llama_cpp], "hello world"))
    assert [each.kind for each in found.divergences] == [DifferenceKind.PADDED]
    long = compare(*runs([filled, llama_cpp], "word " * 200))
    assert [each.kind for each in long.divergences] == [DifferenceKind.TRUNCATED]
    assert long.divergences[0].region == (126 * 5, 1000 - 1)


def test_only_equal_ids_are_the_same() -> None:
    for text in strings(seed=61, count=250):
        for one, other in ((padded(), bundled("bert-uncased")), (padded(), bundled("bert-uncased@llama.cpp"))):
            found = compare(*runs([one, other], text))
            assert found.same == (found.left.ids == found.right.ids), text


@cache
def padded() -> explorer.Tokenizer:
    return explorer.load("bert-uncased", pad_and_truncate="yes")
