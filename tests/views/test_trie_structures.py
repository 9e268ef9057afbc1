"""Structures that hold a trie: each gives the tokens of the engine, and the page has the figures of all of them."""

from __future__ import annotations

import pytest

from benchmarks.tries import PACKAGES, STRUCTURES, matched
from explorer.engine.models.longest_match import TrieMatch
from explorer.engine.part import silent
from explorer.views.charts import trie_structures
from explorer.vocabulary import Vocabulary

PIECES = [b"a", b"ab", b"abcd", b"b", b"\xff", b"\xe7\x8c\xab", b"\xe7", b"c", b"!", b"!--"]
TEXT = "abcabcdab!--!-猫abcd".encode() + b"\xff\xe7x"


@pytest.mark.parametrize("name", [name for name in STRUCTURES if name not in PACKAGES])
def test_every_structure_gives_the_tokens_of_the_engine(name: str) -> None:
    structure = STRUCTURES[name]([(id, piece) for id, piece in enumerate(PIECES, 1)])
    model = TrieMatch(Vocabulary.of([b"?", *PIECES], kinds=[2] + [1] * len(PIECES)), unknown=0)
    expected = [found.id for found in model.tokenize(TEXT, silent)]
    assert [max(id, 0) for id in matched(structure, TEXT)] == expected
    prefixes = {piece[:size] for piece in PIECES for size in range(len(piece) + 1)}
    assert structure.nodes in (0, len(prefixes))


def test_the_page_shows_what_the_benchmark_measures() -> None:
    found = trie_structures()
    assert [row["Structure"] for row in found.rows] == list(STRUCTURES)
    assert "longest matches" in found.measured
