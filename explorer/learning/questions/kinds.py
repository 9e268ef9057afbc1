"""The kinds of question, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from explorer.engine.models.bpe import Bpe
from explorer.engine.models.merges import MergeRow
from explorer.engine.models.spm import Spm
from explorer.engine.models.trie import TrieRow
from explorer.engine.models.wordpiece import WordPieceRow
from explorer.engine.pre_tokenizers.by_scanner import ScannerSplit
from explorer.engine.pre_tokenizers.stage import PreTokenization
from explorer.implementations.opened import Opened
from explorer.learning.questions.counts import costs_more, how_many
from explorer.learning.questions.fallback import byte_fallback, has_fallback
from explorer.learning.questions.matches import longest_match, matched_piece
from explorer.learning.questions.merging import next_merge, out_of_date
from explorer.learning.questions.missing_merge import missing_merge
from explorer.learning.questions.normalized import normalized, normalizes
from explorer.learning.questions.paths import best_path, is_unigram
from explorer.learning.questions.question import Draft
from explorer.learning.questions.scene import Scene


class Kind(NamedTuple):
    """A kind of question.

    title: the question in short. stages: the names of the stages it can be about. write: makes a question of a scene,
    or None where its text has none. suits: whether a tokenizer can have such questions at all. most: choices.
    """

    title: str
    stages: tuple[str, ...]
    write: Callable[[Scene], Draft | None]
    suits: Callable[[Opened], bool]
    most: int = 4


def merges(tokenizer: Opened) -> bool:
    """Whether a tokenizer merges pairs from a queue."""
    return tokenizer.model.row is MergeRow


def merges_known(tokenizer: Opened) -> bool:
    """Whether a tokenizer merges by a rule from which one merge can be left out."""
    return isinstance(tokenizer.model, Spm | Bpe)


def has_pattern(tokenizer: Opened) -> bool:
    """Whether a tokenizer splits by a pattern. A scanner's rules try more than one alternative at once."""
    stages = [part for part in tokenizer.parts if isinstance(part, PreTokenization)]
    scans = any(isinstance(splitter, ScannerSplit) for part in stages for splitter in part.splitters)
    return not scans and any(part.alternatives for part in stages)


def matches_longest(tokenizer: Opened) -> bool:
    """Whether a tokenizer takes the longest match: WordPiece or a trie."""
    return tokenizer.model.row in (WordPieceRow, TrieRow)


def falls_back(tokenizer: Opened) -> bool:
    """Whether a tokenizer spells characters without a piece as bytes."""
    return has_fallback(tokenizer.model)


KINDS: Final[Mapping[str, Kind]] = {
    "next-merge": Kind("Which pair merges next?", ("model",), next_merge, merges),
    "out-of-date": Kind("Which entry of the queue is out of date?", ("model",), out_of_date, merges),
    "missing-merge": Kind("What if this merge were missing?", ("model",), missing_merge, merges_known),
    "how-many": Kind("How many tokens?", ("model", "post-process"), how_many, lambda tokenizer: True),
    "costs-more": Kind("Which text costs more tokens?", ("model", "post-process"), costs_more, lambda tokenizer: True),
    "matched-piece": Kind("Which pre-token does the alternative match?", ("pre-tokenize",), matched_piece, has_pattern),
    "longest-match": Kind("Where does the longest match end?", ("model",), longest_match, matches_longest),
    "byte-fallback": Kind("Which ids does byte fallback give?", ("model",), byte_fallback, falls_back),
    "best-path": Kind("Which path wins, and by how much?", ("model",), best_path, is_unigram),
    "normalized": Kind("What does normalization make of this?", ("normalize",), normalized, normalizes),
}
"""By the name in links and exports."""
