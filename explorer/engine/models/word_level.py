"""WordLevel: a word is a piece as a whole, or the unknown token. Follows `models/wordlevel` of tokenizers.

Leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.part import Model, Options, in_vocabulary, needed
from explorer.engine.trace import Emit
from explorer.vocabulary import Vocabulary


class WordLevelEvent(IntEnum):
    """What a `WordLevelRow` says."""

    KNOWN = 0
    """The word is the piece `token`."""
    UNKNOWN = 1
    """The word is not a piece: it becomes the unknown token, `token`."""


class WordLevelRow(NamedTuple):
    """One word looked up."""

    kind: int
    """A `WordLevelEvent`."""
    place: int
    """Index of the word among the stage's items."""
    size: int
    """Its number of characters."""
    token: int
    """The id."""


class WordLevel(Model):
    """The model stage.

    unknown: id of the token for every other word, or None (`unknown.py`). ids: the pieces the model
    may make, by default the whole vocabulary.

    >>> model = WordLevel(Vocabulary.of([b"<unk>", b"low"]), 0)
    >>> [token.id for token in model.run([Segment.of("low"), Segment.of("lower")], Options(), lambda *row: None)]
    [1, 0]
    """

    row = WordLevelRow
    kinds = WordLevelEvent

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, ids: Mapping[bytes, int] | None = None) -> None:
        self.vocabulary, self.unknown = vocabulary, in_vocabulary(vocabulary, unknown)
        self.ids = vocabulary.ids if ids is None else ids

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every word turned into its token."""
        return tokenized(items, lambda word, index: [self.token(word, index, emit)])

    def token(self, word: Segment, index: int, emit: Emit) -> Token:
        """The token of one word. index: of the word among the stage's items, for the trace."""
        id = self.ids.get(word.text.encode())
        kind, id = (WordLevelEvent.UNKNOWN, needed(self.unknown, word)) if id is None else (WordLevelEvent.KNOWN, id)
        emit(kind, index, len(word.text), id)
        return Token(id, word.starts[0], word.ends[-1])
