"""SPM: SentencePiece's BPE, as llama.cpp runs it.

One symbol a code point; a pair may be merged when its joined text is a piece, the highest score first, equal scores
from the left. When no pair is left every symbol that is a piece becomes its token; a symbol that is none (a character
the vocabulary does not hold) falls back to bytes: to `<0xXX>`, else to the piece that is that very byte, else to the
unknown token. Follows `llm_tokenizer_spm_session` in llama.cpp's `src/llama-vocab.cpp`.

Two things to know. llama.cpp keeps for each pushed pair how it was joined (`rev_merge`) to take a symbol that is no
token apart again (`resegment`); that branch cannot be reached there, because it keeps only texts that are tokens and
looks the token up first. In sentencepiece (`bpe_model.cc`) it is alive for pieces marked UNUSED, which may be merged
but not output: `resegment_unused` runs it so. sentencepiece also merges only pieces of some kinds, and a model without
byte fallback gives one unknown token for a run of unknown characters. And llama.cpp stops with an exception where a
byte has neither `<0xXX>` nor a piece of its own; here it becomes the unknown token, as the field does.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.models.merges import Merge, MergeRow, Pairs, Units, code_point_units, merge, merge_by_queue
from explorer.engine.options import Options
from explorer.engine.trace import Emit
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary

MAX_DEPTH = 100
"""How deep UNUSED pieces are taken apart, as in sentencepiece; one that is deeper is put out as it is."""


class ByteFallback(NamedTuple):
    """What one byte becomes when its character is no piece: how (a `Merge` kind) and which token."""

    kind: Merge
    token: int


class Spm:
    """The model stage of a SentencePiece BPE vocabulary.

    vocabulary: pieces with scores.
    unknown: id of the unknown token or None.
    resegment_unused: take UNUSED pieces apart again, as sentencepiece does; llama.cpp does not.
    pieces: the kinds of piece that a text may become; llama.cpp takes all.
    byte_fallback: a character that is no piece becomes its bytes; else a run of such characters is one unknown token.

    >>> model = Spm(Vocabulary.of([b"<unk>", b"a", b"b", b"ab"], [0.0, -2.0, -2.0, -1.0]), unknown=0)
    >>> [token.id for token in model.run([Segment.of("abba")], Options(), lambda *row: None)]
    [3, 2, 1]
    """

    name = "model"
    row = MergeRow
    kinds = Merge
    worth = "score"

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: int | None = None,
        *,
        resegment_unused: bool = False,
        pieces: Container[int] = frozenset(PieceKind),
        byte_fallback: bool = True,
    ) -> None:
        if len(vocabulary.scores) != len(vocabulary):
            raise InputError("an SPM vocabulary needs a score for each piece, and this one has none")
        self.vocabulary = vocabulary
        self.unknown, self.resegment_unused, self.byte_fallback = unknown, resegment_unused, byte_fallback
        self.takes_apart = resegment_unused and PieceKind.UNUSED in vocabulary.kinds
        self.usable = bytes(kind in pieces for kind in PieceKind)
        """by kind: whether a text may become such a piece"""
        self.fallback = [fallback(vocabulary, byte, unknown) for byte in range(256)]

    def units(self, text: str) -> Units:
        """The symbols of a segment before anything is merged: its code points."""
        return code_point_units(text)

    def join(self, pieces: Sequence[bytes]) -> bytes:
        return b"".join(pieces)

    def priority(self, left: bytes, right: bytes) -> float | None:
        """What a pair is worth in the queue: the piece with the highest score comes first."""
        token = self.vocabulary.ids.get(left + right)
        return None if token is None else -self.vocabulary.scores[token]

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        pairs = Pairs(self.pair)
        return tokenized(items, lambda segment, place: self.tokenize(segment, place, emit, pairs))

    def pair(self, left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        """What two symbols are worth, what they spell together, and its id."""
        text = left + right
        token = self.vocabulary.ids.get(text)
        if token is None or not self.usable[self.vocabulary.kinds[token]]:
            return None
        return -self.vocabulary.scores[token], text, token

    def tokenize(self, segment: Segment, place: int, emit: Emit, pairs: Pairs) -> list[Token]:
        """The tokens of one segment; `place` is where it stands among the items, for the trace only."""
        pieces = [ch.encode() for ch in segment.text]
        emit(Merge.SEGMENT, place, len(pieces), -1)
        ids, kinds, usable_kind = self.vocabulary.ids, self.vocabulary.kinds, self.usable
        joined: dict[bytes, int] = {}
        """rev_merge: text of a pushed pair → the size of its left part in bytes"""
        begin: list[int] = []

        def joins(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
            found = self.pair(left, right)
            if found is not None:
                joined[left + right] = len(left)
            return found

        if self.takes_apart:
            # how a text was joined last is known only where each pair is asked about whenever it is pushed
            chain = merge_by_queue(pieces, Pairs(joins, remember=False), emit)
            begin = [0, *accumulate(map(len, pieces))]
        else:
            chain = merge(pieces, pairs, emit)

        tokens: list[Token] = []
        after_unknown = -1
        """the symbol behind the last unknown one"""

        def resegment(left: int, right: int, text: bytes, depth: int = 0) -> None:
            """Gives the tokens of the symbols left…right-1, which were merged into one text."""
            nonlocal after_unknown
            span = segment.starts[left], segment.ends[right - 1]
            token = ids.get(text)
            if token is not None and not usable_kind[kinds[token]]:
                token = None
            unused = token is not None and self.takes_apart and kinds[token] == PieceKind.UNUSED
            if token is not None and (not unused or depth > MAX_DEPTH):
                emit(Merge.TOKEN, left, right, token)
                tokens.append(Token(token, *span))
            elif unused and text in joined:
                size = joined[text]
                middle = bisect_left(begin, begin[left] + size)
                emit(Merge.UNMERGE, left, middle, -1 if token is None else token)
                resegment(left, middle, text[:size], depth + 1)
                resegment(middle, right, text[size:], depth + 1)
            elif not self.byte_fallback:
                if self.unknown is None:
                    raise InputError(
                        f"character {span[0] + 1}: {text.decode()!r} is no piece of this vocabulary, and it has no "
                        "unknown token to stand for it; remove the character"
                    )
                if after_unknown == left:
                    emit(Merge.UNKNOWN_JOINED, left, right, self.unknown)
                    tokens[-1] = tokens[-1]._replace(end=span[1])
                else:
                    emit(Merge.UNKNOWN_SYMBOL, left, right, self.unknown)
                    tokens.append(Token(self.unknown, *span))
                after_unknown = right
            else:
                for number, byte in enumerate(text):
                    way = self.fallback[byte]
                    if way is None:
                        raise InputError(
                            f"character {span[0] + 1}: byte 0x{byte:02X} has no piece in this vocabulary, no "
                            f"<0x{byte:02X}> and no unknown token to stand for it; remove the character"
                        )
                    emit(way.kind, left, number, way.token)
                    tokens.append(Token(way.token, *span))

        for (at, after), text in zip(pairwise([*chain.first, len(pieces)]), chain.pieces, strict=True):
            resegment(at, after, text)
        return tokens


def fallback(vocabulary: Vocabulary, byte: int, unknown: int | None) -> ByteFallback | None:
    """`<0xXX>`, else the piece that is the byte itself, else the unknown token, else None."""
    token = vocabulary.ids.get(b"<0x%02X>" % byte)
    if token is not None:
        return ByteFallback(Merge.BYTE, token)
    token = vocabulary.ids.get(bytes([byte]))
    if token is not None:
        return ByteFallback(Merge.RAW_BYTE, token)
    return None if unknown is None else ByteFallback(Merge.UNKNOWN, unknown)
