"""SPM: SentencePiece's BPE, as llama.cpp runs it.

Each code point is a symbol. A pair may merge if its joined text is a piece; the highest score merges first, equal
scores from the left. When no pair is left, every symbol that is a piece becomes its token. A symbol that is not a piece
(a character outside the vocabulary) falls back to bytes: each becomes `<0xXX>`, else the piece that is this very byte.
Follows `llm_tokenizer_spm_session` in llama.cpp's `src/llama-vocab.cpp`.

Where the originals differ:

- llama.cpp records how each pushed pair was joined (`rev_merge`), to take a symbol that is not a token apart again
  (`resegment`). That branch is unreachable there, because only texts that are tokens are recorded, and the token is
  looked up first. In sentencepiece (`bpe_model.cc`) it is live for pieces marked UNUSED, which may be merged but not
  output; `resegment_unused` reproduces that.
- sentencepiece merges only pieces of some kinds, and without byte fallback a run of unknown characters becomes one
  unknown token.
- Where a byte has neither `<0xXX>` nor a piece of its own, llama.cpp throws (`byte_to_token`), and sentencepiece gives
  the unknown token.

Also SentencePiece models whose pieces another vocabulary numbers, as in Marian's and M2M100's classes of
`transformers`.

A piece of the model that the other vocabulary lacks is the unknown token. A run of characters that the model does not
know is looked up by its spelling, because the other vocabulary may have it: Marian's is shared by two languages with a
model each.

The ids of the model's pieces are those of the other vocabulary; a piece without one has an id after them, which only
the model's events show.
"""

from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from explorer.engine.models.merges import (
    OUTPUT,
    SEGMENT,
    TOKEN,
    Chain,
    MergeEvent,
    MergeModel,
    MergeRow,
    Pairs,
    Symbols,
    code_point_symbols,
    merge,
    merge_by_queue,
)
from explorer.engine.models.unigram import Unigram, UnigramRules
from explorer.engine.part import Emit, Items, Options, Segment, Token, missing, tokenized
from explorer.errors import InputError
from explorer.vocabulary import BYTE_PIECES, PieceKind, Vocabulary

MAX_DEPTH = 100
"""How deep UNUSED pieces are taken apart, as in sentencepiece; a deeper one is output unchanged."""


class ByteFallback(NamedTuple):
    """What one byte of an unknown character becomes. kind: which fallback it is. token: its id."""

    kind: MergeEvent
    token: int


class Spm(MergeModel):
    """The model stage of a SentencePiece BPE vocabulary.

    vocabulary: pieces with scores.
    unknown: id of the unknown token or None.
    resegment_unused: take UNUSED pieces apart again, as sentencepiece does; llama.cpp does not.
    pieces: the kinds of piece that text may become; llama.cpp allows all.
    byte_fallback: an unknown character becomes its bytes; otherwise a run of them becomes one unknown token.
    byte_throws: a byte without a piece ends the run, as in llama.cpp; otherwise it becomes the unknown token.

    Raises InputError for a vocabulary without scores, and when running, for text without a token.

    >>> model = Spm(Vocabulary.of([b"<unk>", b"a", b"b", b"ab"], [0.0, -2.0, -2.0, -1.0]), unknown=0)
    >>> [token.id for token in model.run([Segment.of("abba")], Options(), lambda *row: None)]
    [3, 2, 1]
    """

    row = MergeRow
    kinds = MergeEvent
    priority = "score"

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown: int | None = None,
        *,
        resegment_unused: bool = False,
        pieces: Container[int] = frozenset(PieceKind),
        byte_fallback: bool = True,
        byte_throws: bool = False,
    ) -> None:
        if len(vocabulary.scores) != len(vocabulary):
            raise InputError("an SPM vocabulary needs a score for each piece, and this one has none")
        self.vocabulary = vocabulary
        self.unknown, self.resegment_unused, self.byte_fallback = unknown, resegment_unused, byte_fallback
        self.takes_apart = resegment_unused and PieceKind.UNUSED in vocabulary.kinds
        self.usable = bytes(kind in pieces for kind in PieceKind)
        """by kind: whether text may become such a piece"""
        self.byte_throws = byte_throws
        self.fallback = [fallback(vocabulary, byte, None if byte_throws else unknown) for byte in range(256)]

    def initial_symbols(self, text: str) -> Symbols:
        """The code points of a segment."""
        return code_point_symbols(text)

    def join(self, pieces: Sequence[bytes]) -> bytes:
        """The spellings, concatenated."""
        return b"".join(pieces)

    def priority_of(self, left: bytes, right: bytes) -> float | None:
        """The negated score of the joined piece, None where it is not a piece."""
        token = self.vocabulary.ids.get(left + right)
        return None if token is None else -self.vocabulary.scores[token]

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment turned into tokens."""
        pairs = Pairs(self.pair)
        return tokenized(items, lambda segment, index: self.tokenize(segment, index, emit, pairs))

    def pair(self, left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        """The priority of two symbols, their joined spelling and its id; None where they may not merge."""
        text = left + right
        # `token_of`, inlined: every pair of a trace is looked up here
        token = self.vocabulary.ids.get(text)
        if token is None or not self.usable[self.vocabulary.kinds[token]]:
            return None
        return -self.vocabulary.scores[token], text, token

    def tokenize(self, segment: Segment, index: int, emit: Emit, pairs: Pairs) -> list[Token]:
        """The tokens of one segment. index: of the segment among the stage's items, for the trace."""
        pieces = [ch.encode() for ch in segment.text]
        emit(SEGMENT, index, len(pieces), -1)
        if self.takes_apart:
            chain, joined = self.recorded_merge(pieces, emit)
            return self.output(segment, chain, joined, emit)
        return self.output(segment, merge(pieces, pairs, emit), {}, emit)

    def output(self, segment: Segment, chain: Chain, joined: Mapping[bytes, int], emit: Emit) -> list[Token]:
        """The tokens of merged symbols. joined: the text of a pushed pair → the size of its left part in bytes."""
        pieces = [ch.encode() for ch in segment.text]
        output = _Resegmented(self, segment, emit, joined, pieces) if self.takes_apart else _Output(self, segment, emit)
        for (left, right), text in zip(pairwise([*chain.first, len(pieces)]), chain.pieces, strict=True):
            output.symbol(left, right, text)
        return output.tokens

    def recorded_merge(self, pieces: Sequence[bytes], emit: Emit) -> tuple[Chain, Mapping[bytes, int]]:
        """The merged chain and rev_merge: the text of a pushed pair → the size of its left part in bytes."""
        joined: dict[bytes, int] = {}

        def recorded(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
            found = self.pair(left, right)
            if found is not None:
                joined[left + right] = len(left)
            return found

        # the last join of a text counts, so every push has to ask again
        return merge_by_queue(pieces, Pairs(recorded, remember=False), emit), joined

    def makes(self, piece: bytes) -> bool:
        """Whether text with this spelling becomes this piece. A piece marked UNUSED is taken apart."""
        token = self.token_of(piece)
        return token is not None and not (self.takes_apart and self.vocabulary.kinds[token] == PieceKind.UNUSED)

    def token_of(self, text: bytes) -> int | None:
        """The id of the piece that text may become."""
        token = self.vocabulary.ids.get(text)
        return token if token is not None and self.usable[self.vocabulary.kinds[token]] else None


class _Output:
    """Turns the merged symbols of one segment into tokens, from the left."""

    def __init__(self, model: Spm, segment: Segment, emit: Emit) -> None:
        self.model, self.segment, self.emit = model, segment, emit
        self.tokens: list[Token] = []
        self.after_unknown = -1
        """the symbol after the last unknown one"""

    def symbol(self, left: int, right: int, text: bytes) -> None:
        """Outputs the symbol merged from the initial symbols [left, right)."""
        token = self.model.token_of(text)
        if token is None:
            self.not_a_piece(left, right, text)
        else:
            self.emit(TOKEN, left, right, token)
            self.tokens.append(Token(token, *self.span(left, right)))

    def not_a_piece(self, left: int, right: int, text: bytes) -> None:
        """Outputs a symbol that is not a piece: as its bytes, or as the unknown token."""
        (self.bytes if self.model.byte_fallback else self.unknown)(left, right, text)

    def unknown(self, left: int, right: int, text: bytes) -> None:
        """Outputs a symbol as the unknown token, which a run of unknown symbols shares."""
        span, unknown = self.span(left, right), self.model.unknown
        if unknown is None:
            raise missing(text.decode(), span[0])
        if self.after_unknown == left:
            self.emit(MergeEvent.UNKNOWN_JOINED, left, right, unknown)
            self.tokens[-1] = self.tokens[-1]._replace(end=span[1])
        else:
            self.emit(MergeEvent.UNKNOWN_SYMBOL, left, right, unknown)
            self.tokens.append(Token(unknown, *span))
        self.after_unknown = right

    def bytes(self, left: int, right: int, text: bytes) -> None:
        """Outputs a symbol byte by byte."""
        span = self.span(left, right)
        for number, byte in enumerate(text):
            found = self.model.fallback[byte]
            if found is None:
                lacks = "a piece of its own" if self.model.byte_throws else "an unknown token"
                throws = " llama.cpp throws an exception there (std::out_of_range)." if self.model.byte_throws else ""
                raise InputError(
                    f"character {span[0] + 1}: byte 0x{byte:02X} has no piece in this vocabulary, which has neither "
                    f"<0x{byte:02X}> nor {lacks}.{throws} Remove the character, or give the vocabulary byte tokens"
                )
            self.emit(found.kind, left, number, found.token)
            self.tokens.append(Token(found.token, *span))

    def span(self, left: int, right: int) -> tuple[int, int]:
        """The characters [start, end) of the original text."""
        return self.segment.starts[left], self.segment.ends[right - 1]


class _Resegmented(_Output):
    """Outputs tokens, but takes pieces marked UNUSED apart the way they were merged.

    joined: text of a merged pair → size of its left part. pieces: the initial symbols.
    """

    def __init__(
        self, model: Spm, segment: Segment, emit: Emit, joined: Mapping[bytes, int], pieces: Sequence[bytes]
    ) -> None:
        super().__init__(model, segment, emit)
        self.joined = joined
        self.offsets = [0, *accumulate(map(len, pieces))]
        """by initial symbol: its byte offset"""

    def symbol(self, left: int, right: int, text: bytes, depth: int = 0) -> None:
        """Outputs the symbol, or its two halves if it is an UNUSED piece."""
        token = self.model.token_of(text)
        if token is None or self.model.vocabulary.kinds[token] != PieceKind.UNUSED or depth > MAX_DEPTH:
            super().symbol(left, right, text)
        elif text not in self.joined:
            self.not_a_piece(left, right, text)
        else:
            size = self.joined[text]
            middle = bisect_left(self.offsets, self.offsets[left] + size)
            self.emit(MergeEvent.UNMERGE, left, middle, token)
            self.symbol(left, middle, text[:size], depth + 1)
            self.symbol(middle, right, text[size:], depth + 1)


def fallback(vocabulary: Vocabulary, byte: int, unknown: int | None) -> ByteFallback | None:
    """`<0xXX>`, else the piece that is the byte itself, else the unknown token, else None."""
    token = vocabulary.ids.get(BYTE_PIECES[byte])
    if token is not None:
        return ByteFallback(MergeEvent.BYTE, token)
    token = vocabulary.ids.get(bytes([byte]))
    if token is not None:
        return ByteFallback(MergeEvent.RAW_BYTE, token)
    return None if unknown is None else ByteFallback(MergeEvent.UNKNOWN, unknown)


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
