"""BPE: byte pair encoding, as Hugging Face, llama.cpp and tiktoken run it, on the chain and queue of `merges.py`.

Each piece from the pre-tokenizer is a chain of symbols of its own. The best pair of neighbors merges until no pair may
merge, and every remaining symbol is a token. One of two rules, which are not the same test, decides which pair is best:

* `MergeList` (Hugging Face, llama.cpp): a pair may merge if the list contains it, the earliest first. The list may
  contain the same joined text several times, split differently.
* `MergeableRanks` (tiktoken): a pair may merge if its joined bytes are a token, the smallest rank first, whatever its
  parts are.

A third rule precedes both: a piece that is a token as a whole may be taken at once, without any merge. Llama 3 asks for
it (`ignore_merges`: 588 of its tokens cannot be built by its merges), and tiktoken always does it.

`InitialSymbols` says what a symbol is before merging: a character of the piece (the printable spelling of a byte, after
ByteLevel), a byte (tiktoken), or a stand-in for a character that is not in the vocabulary. A vocabulary may mark pieces
that continue a word with a prefix, and pieces that end one with a suffix. Then every symbol but the first is spelled
with the prefix, of which a merge keeps only the left symbol's, and the last symbol with the suffix. Follows
`models/bpe` of Hugging Face's tokenizers, `llm_tokenizer_bpe_session` of llama.cpp and `src/lib.rs` of tiktoken.

Dropout, which varies the merges during training, is in `engine.sampling`.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Protocol

from explorer.engine.models.merges import (
    NOT_WHOLE,
    SEGMENT,
    TOKEN,
    WHOLE,
    Chain,
    MergeEvent,
    MergeModel,
    MergeRow,
    Pairs,
    Symbols,
    code_point_symbols,
    counted_spans,
    merge,
)
from explorer.engine.part import (
    Aligned,
    Emit,
    Items,
    Options,
    Segment,
    Token,
    emit_rows,
    in_order,
    missing,
    silent,
    tokenized,
)
from explorer.errors import InputError
from explorer.text.input import character_of_each_byte
from explorer.vocabulary import BYTE_PIECES, SortedIds, Vocabulary, order_of


class InitialSymbols(Protocol):
    """The symbols of a piece before merging.

    unknown: the spelling of the token for characters without a piece, or None. prefix: in front of
    every symbol but the first. suffix: after the last symbol.
    """

    unknown: bytes | None = None
    prefix: bytes = b""
    suffix: bytes = b""

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """The symbols of a piece. Emits what happened to unknown characters."""

    def count(self, text: str) -> int:
        """How many symbols a piece has, without making them where that is known."""
        return len(self.symbols(text, silent).pieces)


class Characters(InitialSymbols):
    """One symbol per character, in the vocabulary or not (llama.cpp checks at the end)."""

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """One symbol per character."""
        return code_point_symbols(text)

    def count(self, text: str) -> int:
        """The number of characters."""
        return len(text)


class Bytes(InitialSymbols):
    """One symbol per byte (tiktoken).

    >>> from explorer.engine.part import silent
    >>> Bytes().symbols("é", silent).pieces
    [b'\\xc3', b'\\xa9']
    """

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """One symbol per byte."""
        data = text.encode()
        pieces = [data[at : at + 1] for at in range(len(data))]
        if len(data) == len(text):
            return Symbols(pieces, range(len(data)), range(1, len(data) + 1))
        of = character_of_each_byte(data)
        return Symbols(pieces, of, [index + 1 for index in of])

    def count(self, text: str) -> int:
        """The number of bytes."""
        return len(text.encode())


@dataclass(eq=False, repr=False)
class KnownCharacters(InitialSymbols):
    """One symbol per character in the vocabulary, and a stand-in for every other one (Hugging Face).

    ids: the pieces. byte_fallback: an unknown character becomes its bytes `<0xXX>`, if the vocabulary has all of them.
    unknown: otherwise it becomes this token (if that is not a piece, see `part.missing`); None: it is dropped. fuse:
    adjacent unknown characters become one such token.
    prefix: in front of every character but the first. suffix: after the last one.

    Hugging Face withholds an unknown token until the next character in the vocabulary, so byte tokens between the two
    end up before it. Its offsets add up the size of each symbol in order, as if nothing had been dropped or reordered
    (`sizes`).

    >>> from explorer.engine.part import silent
    >>> start = KnownCharacters({b"a": 0, b"<unk>": 1}, unknown=b"<unk>", fuse=True)
    >>> start.symbols("xya", silent).pieces
    [b'<unk>', b'a']
    """

    ids: Mapping[bytes, int]
    _: KW_ONLY
    unknown: bytes | None = None
    fuse: bool = False
    byte_fallback: bool = False
    prefix: bytes = b""
    suffix: bytes = b""

    def spellings(self, text: str, emit: Emit) -> list[bytes]:
        """The spelling of each character as a symbol, with prefix and suffix."""
        spelled = [ch.encode() for ch in text]
        if self.prefix and len(spelled) > 1:
            emit(MergeEvent.PREFIXED, 0, len(spelled), -1)
            spelled[1:] = [self.prefix + piece for piece in spelled[1:]]
        if self.suffix and spelled:
            emit(MergeEvent.SUFFIXED, 0, len(spelled), -1)
            spelled[-1] += self.suffix
        return spelled

    def symbols(self, text: str, emit: Emit) -> Symbols:
        """One symbol per known character. Raises InputError where one needs an unknown token that is not a piece."""
        ids = self.ids
        spellings = self.spellings(text, emit)
        if all(piece in ids for piece in spellings):
            return Symbols(spellings, range(len(text)), range(1, len(text) + 1))
        made: list[tuple[bytes, int, int, int]] = []
        """symbols, each with its characters [start, end) and the bytes that it counts for"""
        withheld: tuple[int, int, int] | None = None
        """the characters [start, end) of the unknown token that is withheld, and their bytes"""

        def flush() -> None:
            if withheld is not None and self.unknown is not None:
                start, end, size = withheld
                emit(MergeEvent.UNKNOWN_RUN, len(made), end - start, ids[self.unknown])
                made.append((self.unknown, start, end, size))

        for index, (ch, piece) in enumerate(zip(text, spellings, strict=True)):
            size = len(ch.encode())
            if piece in ids:
                flush()
                withheld = None
                made.append((piece, index, index + 1, size))
                continue
            fallback = [BYTE_PIECES[byte] for byte in piece] if self.byte_fallback else []
            if fallback and all(byte in ids for byte in fallback):
                emit(MergeEvent.FALLBACK, len(made), len(fallback), ids[fallback[0]])
                made += [(byte, index, index + 1, 1) for byte in fallback]
            elif self.unknown is None:
                emit(MergeEvent.SKIPPED, len(made), index, -1)
            elif self.unknown not in ids:
                raise missing(ch)
            elif withheld is None or not self.fuse:
                flush()
                withheld = index, index + 1, size
            else:
                withheld = withheld[0], index + 1, withheld[2] + size
        flush()
        spans = in_order([start for _, start, _, _ in made], [end for _, _, end, _ in made])
        return Symbols([piece for piece, *_ in made], *spans, [size for *_, size in made])

    def count(self, text: str) -> int:
        """The number of symbols: of characters, if the vocabulary has them all."""
        if not self.prefix and not self.suffix and all(map(self.ids.__contains__, map(str.encode, text))):
            return len(text)
        return super().count(text)


BETWEEN = b"\xff"
"""Separates the two sides of a merge in a key: a byte that no UTF-8 text contains."""

END = b"\xfe"
"""Terminates each of many concatenated keys: another such byte."""


class Rule(Protocol):
    """Which pairs may merge, and which first.

    priority: what merges sort by: the position in a list of merges ("merge") or the rank of the joined bytes ("rank").
    """

    @property
    def priority(self) -> str:
        """What merges sort by."""

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The rank of a pair, lowest first; None where it may not merge."""


class MergeList:
    """A list of merges; a pair's rank is its position in the list.

    merges: `left right`, separated by one space. Of a duplicate pair the first position counts, and an entry that is
    not a pair merges nothing (llama.cpp).

    The look-up table is built on first use: 280,000 merges take 0.1 s.

    >>> rule = MergeList([b"a b", b"ab c"])
    >>> rule.rank(b"ab", b"c"), rule.rank(b"a", b"bc")
    (1, None)
    """

    priority = "merge"

    def __init__(self, merges: Sequence[bytes]) -> None:
        self.merges = merges

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The position of the pair, None where it is not listed."""
        return self.ranks.get(left + BETWEEN + right)

    @cached_property
    def ranks(self) -> Mapping[bytes, int]:
        """left + BETWEEN + right → rank."""
        keys = merge_keys(self.merges)
        # in reverse, so that the first of two duplicates stays
        return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))


@dataclass
class Keys:
    """The keys of merges, each cut out of all of them when it is asked for. starts: of each, and of one more."""

    joined: bytes
    starts: Sequence[int]

    def __getitem__(self, rank: int) -> bytes:
        return self.joined[self.starts[rank] : self.starts[rank + 1] - 1]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.joined.split(END)[:-1])


class MergeKeys(MergeList):
    """A list of merges given as keys, left + BETWEEN + right + END. Of a duplicate pair the last position counts
    (Hugging Face).

    order, starts: the ranks in the order of the keys, and where the keys start, as 32-bit integers, where these are
    known (`stored`).

    >>> rule = MergeKeys(b"a\\xffb\\xfeab\\xffc\\xfe")
    >>> rule.rank(b"ab", b"c"), MergeKeys(*rule.stored()).rank(b"ab", b"c")
    (1, 1)
    """

    def __init__(self, keys: bytes, order: bytes = b"", starts: bytes = b"") -> None:
        self.keys, self.order, self.each = keys, array("i", order), Keys(keys, array("i", starts))

    def stored(self) -> tuple[bytes, bytes, bytes]:
        """What makes it again."""
        keys = [*self.each]
        starts = array("i", accumulate((len(key) + 1 for key in keys), initial=0))
        return self.keys, order_of(keys, self.ranks.values()), starts.tobytes()

    @cached_property
    def ranks(self) -> Mapping[bytes, int]:
        """left + BETWEEN + right → rank."""
        if self.order:
            return SortedIds(self.each, self.order)
        return {key: rank for rank, key in enumerate(self.each)}


def merge_keys(merges: Sequence[bytes]) -> list[bytes]:
    """The keys of a list of merges, in order; an entry that is not a pair gets a key that no pair has."""
    # one pass over all entries is five times as fast as a loop
    joined = b"\n".join(merges)
    if joined.count(b" ") == len(merges) == joined.count(b"\n") + 1:
        keys = joined.replace(b" ", BETWEEN).split(b"\n")
        if joined.count(b"\n ") == 0 and not joined.startswith(b" "):
            return keys
    keys = []
    for entry in merges:
        # as in llama.cpp: the first space after the first character
        at = entry.find(b" ", 1)
        keys.append(entry[:at] + BETWEEN + entry[at + 1 :] if at > 0 else b"")
    return keys


class MergeableRanks:
    """tiktoken's rule (`mergeable_ranks`): the rank of a pair is that of its joined bytes.

    ranks: by bytes.

    >>> MergeableRanks({b"ab": 7}).rank(b"a", b"b")
    7
    """

    priority = "rank"

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        self.ranks = ranks

    def rank(self, left: bytes, right: bytes) -> int | None:
        """The rank of the joined bytes, None where they are not a token."""
        return self.ranks.get(left + right)


class Bpe(Aligned, MergeModel):
    """The model stage of a BPE vocabulary.

    rule: which pairs merge. initial: the symbols before merging. whole: take pieces that are tokens whole, all of them
    or those for which the function returns True. ids: the pieces the model may make, by default the whole vocabulary
    (a tokenizer's added tokens are not the model's). dropped: how many bytes of the right symbol a merge drops, namely
    the prefix of pieces within a word. byte_tokens: a symbol that is not a piece at the end becomes its bytes `<0xXX>`.

    >>> from explorer.engine.models.bpe import MergeList
    >>> from explorer.engine.part import silent
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
        """The symbols of a piece before merging; its characters if merging is refused, because it is taken whole."""
        try:
            return self.initial.symbols(text, silent)
        except InputError:
            return code_point_symbols(text)

    def join(self, pieces: Sequence[bytes]) -> bytes:
        """The spelling of a symbol merged from these, with inner prefixes dropped."""
        if not self.dropped:
            return b"".join(pieces)
        return b"".join([*pieces[:1], *(piece[self.dropped :] for piece in pieces[1:])])

    def priority_of(self, left: bytes, right: bytes) -> float | None:
        """The rank of a pair, None where it may not merge."""
        return self.rule.rank(left, right)

    def pair(self, left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        """The rank of two symbols, their joined spelling and its id; None where they may not merge."""
        rank = self.rule.rank(left, right)
        if rank is None:
            return None
        both = left + right[self.dropped :]
        return rank, both, self.ids.get(both, -1)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every piece turned into tokens."""
        pairs = Pairs(self.pair)

        def tokens(segment: Segment, index: int) -> list[Token]:
            text, starts, ends = segment
            pieces = self.tokenize(text, index, emit, pairs)
            return [Token(id, starts[start], ends[end - 1]) for id, start, end in pieces]

        return tokenized(items, tokens)

    def tokenize(self, text: str, index: int, emit: Emit, pairs: Pairs) -> list[Token]:
        """The tokens of one piece, with its characters. index: of the piece among the stage's items, for the trace."""
        whole = self.ids.get(text.encode()) if self.may_be_whole(text) else None
        if whole is None:
            return self.merged(text, index, emit, pairs)
        if emit is not silent:
            count = len(self.initial_symbols(text).pieces) if self.initial.unknown else self.initial.count(text)
            emit(SEGMENT, index, count, -1)
            emit(WHOLE, 0, count, whole)
        return [Token(whole, 0, len(text))]

    def may_be_whole(self, text: str) -> bool:
        """Whether the model takes this piece whole if it is a token."""
        return self.whole(text) if callable(self.whole) else self.whole

    def merged(self, text: str, index: int = 0, emit: Emit = silent, pairs: Pairs | None = None) -> list[Token]:
        """The tokens of one piece, with its characters, by merges alone, even if the piece is a token."""
        before: list[int] = []
        """rows of the initial symbols, which come after their number"""
        symbols = self.initial.symbols(text, silent if emit is silent else lambda *row: before.extend(row))
        pieces = symbols.pieces
        emit(SEGMENT, index, len(pieces), -1)
        if before:
            emit_rows(emit, before)
        if self.may_be_whole(text):
            emit(NOT_WHOLE, 0, len(pieces), -1)
        chain = merge(pieces, Pairs(self.pair) if pairs is None else pairs, emit)
        return self.output(text, symbols, chain, emit)

    def output(self, text: str, symbols: Symbols, chain: Chain, emit: Emit) -> list[Token]:
        """The tokens of one piece's merged symbols, with its characters. symbols: before merging."""
        pieces, ids = symbols.pieces, self.ids
        starts, ends = counted_spans(symbols, text) if self.as_original else (symbols.starts, symbols.ends)
        tokens: list[Token] = []
        for (left, right), symbol in zip(pairwise([*chain.first, len(pieces)]), chain.pieces, strict=True):
            span = starts[left], ends[right - 1]
            token = ids.get(symbol)
            if token is not None:
                emit(TOKEN, left, right, token)
                tokens.append(Token(token, *span))
            else:
                tokens += [Token(id, *span) for id in self.byte_ids(symbol, left, emit)]
        return tokens

    def byte_ids(self, symbol: bytes, left: int, emit: Emit) -> list[int]:
        """The ids of the bytes of a symbol that is not a piece. Bytes without a token are dropped, as in llama.cpp."""
        spelling, kind = (b"<0x%02X>", MergeEvent.BYTE) if self.byte_tokens else (b"%c", MergeEvent.RAW_BYTE)
        ids = []
        for number, byte in enumerate(symbol):
            id = self.ids.get(spelling % byte)
            emit(MergeEvent.DROPPED if id is None else kind, left, number, -1 if id is None else id)
            if id is not None:
                ids.append(id)
        return ids
