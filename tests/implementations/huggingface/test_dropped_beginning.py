"""A character map that drops the first characters, before a Metaspace that marks the first piece only."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from explorer.implementations.opened import Opened
from explorer.opening.formats import open_bytes
from tests.engine.charsmap_writer import charsmap

RULES = {"x": "", "y": "ab"}


def both() -> tuple[Opened, Tokenizer]:
    theirs = Tokenizer(models.BPE({letter: id for id, letter in enumerate("▁ab ")}, []))
    theirs.normalizer = normalizers.Precompiled(charsmap(RULES))
    theirs.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    theirs.add_tokens(["<s>"])
    return open_bytes(theirs.to_str().encode(), "toy", None), theirs


OURS, THEIRS = both()


@given(st.lists(st.sampled_from(["x", "y", "a", "b", " ", "<s>"]), max_size=8).map("".join))
def test_the_first_piece_is_marked_as_in_tokenizers(text: str) -> None:
    assert OURS.encode(text).ids == THEIRS.encode(text).ids


def test_a_text_whose_beginning_is_dropped_begins_a_word() -> None:
    assert OURS.encode("xa").ids == [0, 1]
