"""SentencePiece models whose pieces another vocabulary numbers, as in Marian's and M2M100's classes of `transformers`.

A piece of the model that the other vocabulary lacks is the unknown token. A run of characters that the model does not
know is looked up by its spelling, because the other vocabulary may have it: Marian's is shared by two languages with a
model each.

The ids of the model's pieces are those of the other vocabulary; a piece without one has an id after them, which only
the model's events show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from explorer.engine.items import Emit, Segment, Token
from explorer.engine.models.merges import OUTPUT, MergeEvent, Pairs
from explorer.engine.models.spm import Spm
from explorer.engine.models.unigram import Unigram, UnigramRules
from explorer.vocabulary import Vocabulary


class Lookup(NamedTuple):
    """The other vocabulary. ids: id of a piece → the id it gets, where that differs. spelled: spelling → id."""

    ids: Mapping[int, int]
    spelled: Mapping[bytes, int]

    def of(self, token: Token) -> Token:
        """A token of the model with its id in the other vocabulary."""
        id = self.ids.get(token.id)
        return token if id is None else token._replace(id=id)


class RenumberedUnigram(Unigram):
    """A Unigram model with a lookup.

    >>> from explorer.engine.models.unigram import sentencepiece_rules
    >>> v = Vocabulary.of([b"<unk>", b"a", b"b", "é".encode()], [0.0, -1.0, -1.0, 0.0], [2, 1, 1, 0])
    >>> model = RenumberedUnigram(v, 0, sentencepiece_rules(v), Lookup({2: 0}, {"é".encode(): 3}))
    >>> [token.id for token in model.items_of(Segment.of("abéü"), 0, lambda *row: None)]
    [1, 0, 0]
    >>> [token.id for token in model.items_of(Segment.of("aé"), 0, lambda *row: None)]
    [1, 3]
    """

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, rules: UnigramRules, lookup: Lookup) -> None:
        super().__init__(vocabulary, unknown, rules._replace(by_spelling=not rules.byte_fallback))
        self.lookup = lookup

    def instead_of_unknown(self, data: bytes) -> tuple[int, list[int]]:
        """The token of a run of unknown characters."""
        known = self.lookup.spelled.get(data) if self.rules.by_spelling else None
        return super().instead_of_unknown(data) if known is None else (known, [])

    def items_of(self, segment: Segment, index: int, emit: Emit) -> list[Token]:
        """The tokens of one segment."""
        return [self.lookup.of(token) for token in super().items_of(segment, index, emit)]


class RenumberedSpm(Spm):
    """A BPE model with a lookup. settings: of `Spm`."""

    def __init__(self, vocabulary: Vocabulary, unknown: int | None, lookup: Lookup, **settings: Any) -> None:
        super().__init__(vocabulary, unknown, **settings)
        self.lookup = lookup

    def tokenize(self, segment: Segment, index: int, emit: Emit, pairs: Pairs) -> list[Token]:
        """The tokens of one segment."""
        runs: list[tuple[int, int] | None] = []
        """by token: the unknown symbols that it stands for"""

        def noted(kind: int, left: int, right: int, token: int) -> None:
            emit(kind, left, right, token)
            if kind == MergeEvent.UNKNOWN_JOINED:
                assert runs[-1] is not None, "a run has begun"
                runs[-1] = runs[-1][0], right
            elif kind in OUTPUT:
                runs.append((left, right) if kind == MergeEvent.UNKNOWN_SYMBOL else None)

        tokens = super().tokenize(segment, index, noted, pairs)
        done: list[Token] = []
        for token, run in zip(tokens, runs, strict=True):
            known = None if run is None else self.lookup.spelled.get(segment.text[run[0] : run[1]].encode())
            done.append(self.lookup.of(token) if known is None else token._replace(id=known))
        return done
