"""BPE: byte pair encoding, as Hugging Face, llama.cpp and tiktoken run it, on the chain and queue of `merges.py`.

Each piece the pre-tokenizer cut is a chain of symbols of its own. The best pair of neighbours is merged until none is
left, and every symbol that remains is a token. Which pair is best is decided by one of two rules, which are not the
same test:

* `MergeList` (Hugging Face, llama.cpp): a list of pairs; a pair may merge if it is listed, the earliest first. The
  same joined text may stand there more than once, made of other parts.
* `MergeableRanks` (tiktoken): a pair may merge if its joined bytes are a token, the smallest rank first, whatever its
  parts are.

A third rule comes before both: a piece that is a token as a whole may be taken at once, without any merge. Llama 3
asks for it (`ignore_merges`: 588 of its tokens cannot be built by its merges), and tiktoken always does it.

`InitialSymbols` says what a symbol is before merging: a character of the piece (the printable spelling of a byte, after
ByteLevel), a byte (tiktoken), or a stand-in for a character that is not in the vocabulary. A vocabulary may mark pieces
that continue a word with a prefix, and pieces that end one with a suffix. Then every symbol but the first is spelled
with the prefix, of which a merge keeps only the left symbol's, and the last symbol with the suffix. Follows
`models/bpe` of Hugging Face's tokenizers, `llm_tokenizer_bpe_session` of llama.cpp and `src/lib.rs` of tiktoken.

Left out: dropout, which makes training vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.models.bpe_rules import Rule
from explorer.engine.models.bpe_symbols import Characters, InitialSymbols
from explorer.engine.models.merges import MergeEvent, MergeRow, Pairs, Symbols, merge, spans
from explorer.engine.options import Options
from explorer.engine.part import Model
from explorer.engine.trace import Emit, silent
from explorer.vocabulary import Vocabulary


class PieceToken(NamedTuple):
    """A token of a piece of text: its id and the characters [start, end) of the piece it stands for."""

    id: int
    start: int
    end: int


class Bpe(Model):
    """The model stage of a BPE vocabulary.

    rule: which pairs merge. initial: what the symbols are at first. whole: a piece that is a token is taken whole, all
    such pieces or those it says yes to. byte_tokens: what is no piece at the end becomes its bytes `<0xXX>`.
    ids: the pieces the model may make, by default all of the vocabulary (added tokens are no matter of the model).
    dropped: so many bytes of the right symbol are left out when two are merged: the prefix of pieces within a word.

    >>> from explorer.engine.models.bpe_rules import MergeList
    >>> from explorer.engine.trace import silent
    >>> v = Vocabulary.of([b"a", b"b", b"c", b"ab", b"bc"])
    >>> model = Bpe(v, MergeList([b"b c", b"a b"]))
    >>> [token.id for token in model.run([Segment.of("abc")], Options(), silent)]
    [0, 4]
    """

    row = MergeRow
    kinds = MergeEvent

    def __init__(
        self,
        vocabulary: Vocabulary,
        rule: Rule,
        initial: InitialSymbols | None = None,
        *,
        whole: bool | Callable[[str], bool] = False,
        ids: Mapping[bytes, int] | None = None,
        dropped: int = 0,
        byte_tokens: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self.dropped = dropped
        self.rule = rule
        self.priority = rule.priority
        self.initial = initial or Characters()
        self.whole = whole
        self.ids = vocabulary.ids if ids is None else ids
        self.unknown = None if self.initial.unknown is None else self.ids.get(self.initial.unknown)
        self.prefix, self.suffix = self.initial.prefix, self.initial.suffix
        self.byte_tokens = byte_tokens

    def initial_symbols(self, text: str) -> Symbols:
        """The symbols of a piece before anything is merged."""
        return self.initial.symbols(text, silent)

    def join(self, pieces: Sequence[bytes]) -> bytes:
        if not self.dropped:
            return b"".join(pieces)
        return b"".join([*pieces[:1], *(piece[self.dropped :] for piece in pieces[1:])])

    def priority_of(self, left: bytes, right: bytes) -> float | None:
        return self.rule.rank(left, right)

    def pair(self, left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        """What two symbols are worth, what they spell together, and its id."""
        rank = self.rule.rank(left, right)
        if rank is None:
            return None
        both = left + right[self.dropped :]
        return rank, both, self.ids.get(both, -1)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        pairs = Pairs(self.pair)

        def tokens(segment: Segment, place: int) -> list[Token]:
            text, starts, ends = segment
            cuts = self.tokenize(text, place, emit, pairs)
            return [Token(id, starts[start], ends[end - 1]) for id, start, end in cuts]

        return tokenized(items, tokens)

    def tokenize(self, text: str, place: int, emit: Emit, pairs: Pairs) -> list[PieceToken]:
        """The tokens of one piece; `place` is where it stands among the items, for the trace only."""
        whole = self.ids.get(text.encode()) if self.may_be_whole(text) else None
        if whole is not None and emit is silent:
            return [PieceToken(whole, 0, len(text))]
        if whole is not None:
            count = len(self.initial.symbols(text, silent).pieces)
            emit(MergeEvent.SEGMENT, place, count, -1)
            emit(MergeEvent.WHOLE, 0, count, whole)
            return [PieceToken(whole, 0, len(text))]
        return self.merged(text, place, emit, pairs)

    def may_be_whole(self, text: str) -> bool:
        """Whether a piece is taken whole if it is a token."""
        return self.whole(text) if callable(self.whole) else self.whole

    def merged(self, text: str, place: int = 0, emit: Emit = silent, pairs: Pairs | None = None) -> list[PieceToken]:
        """The tokens of one piece by merges alone, whether it is a token as a whole or not."""
        units = self.initial.symbols(text, silent)
        pieces = units.pieces
        emit(MergeEvent.SEGMENT, place, len(pieces), -1)
        if emit is not silent:
            self.initial.symbols(text, emit)
        if self.may_be_whole(text):
            emit(MergeEvent.NOT_WHOLE, 0, len(pieces), -1)
        chain = merge(pieces, Pairs(self.pair) if pairs is None else pairs, emit)
        ids = self.ids
        starts, ends = spans(units, text)
        cuts: list[PieceToken] = []
        for (at, right), symbol in zip(pairwise([*chain.first, len(pieces)]), chain.pieces, strict=True):
            span = starts[at], ends[right - 1]
            token = ids.get(symbol)
            if token is not None:
                emit(MergeEvent.TOKEN, at, right, token)
                cuts.append(PieceToken(token, *span))
            else:
                # llama.cpp only: each byte that has a token, the others are lost
                spelling, kind = (b"<0x%02X>", MergeEvent.BYTE) if self.byte_tokens else (b"%c", MergeEvent.RAW_BYTE)
                for number, byte in enumerate(symbol):
                    token = ids.get(spelling % byte)
                    emit(MergeEvent.DROPPED if token is None else kind, at, number, -1 if token is None else token)
                    if token is not None:
                        cuts.append(PieceToken(token, *span))
        return cuts
