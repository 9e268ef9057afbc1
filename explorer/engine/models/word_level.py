"""WordLevel: a word is a piece as a whole, or it is the unknown token. Follows `models/wordlevel` of tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.models.unknown import needed
from explorer.engine.options import Options
from explorer.engine.part import Model
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary


class WordLevelEvent(IntEnum):
    """What a `WordLevelRow` says."""

    KNOWN = 0
    """The word is the piece `token`."""
    UNKNOWN = 1
    """The word is no piece: it becomes the unknown token, `token`."""


class WordLevelRow(NamedTuple):
    """One word looked up."""

    kind: int
    """A `WordLevelEvent`."""
    place: int
    """Of the word among the stage's items."""
    size: int
    """How many characters it has."""
    token: int
    """The id."""


class WordLevel(Model):
    """The model stage.

    unknown: id of the token for every other word, None where there is none (`unknown.py`). ids: the pieces the model
    may make, by default all of the vocabulary.

    >>> model = WordLevel(Vocabulary.of([b"<unk>", b"low"]), 0)
    >>> [token.id for token in model.run([Segment.of("low"), Segment.of("lower")], Options(), lambda *row: None)]
    [1, 0]
    """

    row = WordLevelRow
    kinds = WordLevelEvent

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, ids: Mapping[bytes, int] | None = None) -> None:
        if unknown is not None and not 0 <= unknown < len(vocabulary):
            raise InputError(
                f"the unknown token {unknown} is not in this vocabulary of {len(vocabulary)}; repair the file"
            )
        self.vocabulary, self.unknown = vocabulary, unknown
        self.ids = vocabulary.ids if ids is None else ids

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        return tokenized(items, lambda word, place: [self.token(word, place, emit)])

    def token(self, word: Segment, place: int, emit: Emit) -> Token:
        """The token of one word; `place` is where it stands among the items, for the trace only."""
        id = self.ids.get(word.text.encode())
        kind, id = (WordLevelEvent.UNKNOWN, needed(self.unknown, word)) if id is None else (WordLevelEvent.KNOWN, id)
        emit(kind, place, len(word.text), id)
        return Token(id, word.starts[0], word.ends[-1])
