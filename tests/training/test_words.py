"""Counting words: by the stages of a tokenizer, and the same without their events."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.training import words
from explorer.training.huggingface import bpe
from tests.originals.generators import texts
from tests.originals.hugging_face_parts import parts
from tests.tiers import amount
from tests.training.huggingface import CUTS

REGEX = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|"
    r"\s+(?!\S)|\s+"
)
LLAMA3 = {"type": "Split", "behavior": "Isolated", "invert": False, "pattern": {"Regex": REGEX}}
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
MORE = {
    "llama 3": (None, {"type": "Sequence", "pretokenizers": [LLAMA3, BYTES]}),
    "composed, by a pattern": ({"type": "NFC"}, LLAMA3),
    "spaces prepended": ({"type": "Prepend", "prepend": "▁"}, CUTS["bytes"][1]),
}


@settings(max_examples=amount(100))
@given(st.lists(texts(), max_size=5), st.sampled_from([*CUTS, *MORE]))
def test_counting_without_events_is_the_same(corpus: list[str], name: str) -> None:
    stages = parts(*(CUTS | MORE)[name])
    counted = words.counted(corpus, stages)
    assert list(counted.items()) == list(words.count(corpus, words.by_parts(stages)).items())
    assert sum(counted.values()) == sum(1 for text in corpus for _ in words.by_parts(stages)(text))


def test_a_word_with_half_a_character_is_refused() -> None:
    with pytest.raises(InputError, match="surrogate"):
        bpe.train({"a\ud83d": 1})
    with pytest.raises(InputError, match="surrogate"):
        words.counted(["a\ud83d"], parts(*CUTS["bytes"]))


@pytest.mark.parametrize(("word", "times"), [("", 1), ("a", 0), ("a", -3)])
def test_words_without_characters_or_counts_are_refused(word: str, times: int) -> None:
    with pytest.raises(InputError, match=f"'{word}'.* {times}\\b"):
        bpe.train({word: times})
