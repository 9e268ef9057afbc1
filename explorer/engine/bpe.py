"""BPE: byte pair encoding, as Hugging Face, llama.cpp and tiktoken run it, on the chain and queue of `merges.py`.

Each piece the pre-tokenizer cut is a chain of symbols of its own. The best pair of neighbours is merged until none is
left, and every symbol that remains is a token. Which pair is best is decided by one of two rules, which are not the
same test:

* `MergeList` (Hugging Face, llama.cpp): a list of pairs; a pair may merge if it is listed, the earliest first. The
  same joined text may stand there more than once, made of other parts.
* `JoinedRanks` (tiktoken): a pair may merge if its joined bytes are a token, the smallest rank first, whatever its
  parts are.

A third rule comes before both: a piece that is a token as a whole may be taken at once, without any merge. Llama 3
asks for it (`ignore_merges`: 588 of its tokens cannot be built by its merges), and tiktoken always does it.

What a symbol is at first is said by a `Start`: a character of the piece (which ByteLevel has made a byte's printable
spelling), a byte (tiktoken), or what stands for a character the vocabulary does not hold. A vocabulary may mark the
pieces that go on in a word by a prefix, and those that end one by a suffix: then every symbol but the first is spelled
with that prefix, of which a merge keeps only the left one's, and the last with the suffix. Follows `models/bpe` of
Hugging Face's tokenizers, `llm_tokenizer_bpe_session` of llama.cpp and `src/lib.rs` of tiktoken.

Left out: dropout, which makes training vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

from explorer.engine.items import Items, Segment, Token, tokenized
from explorer.engine.merges import Merge, MergeRow, Pairs, Units, code_point_units, merge, spans
from explorer.engine.options import Options
from explorer.engine.unknown import missing
from explorer.trace import Emit, silent
from explorer.vocabulary import Vocabulary

BETWEEN = b"\xff"
"""Stands between the two sides of a merge in a key: a byte that no UTF-8 text holds."""
END = b"\xfe"
"""Stands behind each of many keys in one: another such byte."""


class Rule(Protocol):
    """Which pairs may merge, and which one first.

    worth: what a pair is judged by: its place in a list of merges ("merge") or the rank of the joined bytes ("rank").
    """

    @property
    def worth(self) -> str: ...

    def priority(self, left: bytes, right: bytes) -> int | None:
        """The rank of a pair, lowest first; None where it may not merge."""


class MergeList:
    """A list of merges; a pair's rank is its place in the list.

    merges: `left right` with one space between. Of a pair that is listed twice the first place counts, and an entry
    that is no pair merges nothing (llama.cpp).

    The lookup is built when it is first needed: a file of 280,000 merges takes 0.1 s.

    >>> rule = MergeList([b"a b", b"ab c"])
    >>> rule.priority(b"ab", b"c"), rule.priority(b"a", b"bc")
    (1, None)
    """

    worth = "merge"

    def __init__(self, merges: Sequence[bytes]) -> None:
        self.merges = merges

    def priority(self, left: bytes, right: bytes) -> int | None:
        return self.ranks.get(left + BETWEEN + right)

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        """left + BETWEEN + right → rank."""
        keys = merge_keys(self.merges)
        # from the end, so that the first of a pair listed twice is the one that stays
        return dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))


class MergeKeys(MergeList):
    """The same from keys, left + BETWEEN + right, each with END behind it. Of a pair that is listed twice the last
    place counts (Hugging Face).

    >>> rule = MergeKeys(b"a\\xffb\\xfeab\\xffc\\xfe")
    >>> rule.priority(b"ab", b"c")
    1
    """

    def __init__(self, keys: bytes) -> None:
        self.keys = keys

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        """left + BETWEEN + right → rank."""
        keys = self.keys.split(END)[:-1]
        return dict(zip(keys, range(len(keys)), strict=True))


def merge_keys(merges: Sequence[bytes]) -> list[bytes]:
    """The keys of a list of merges, in its order; an entry that is no pair gets a key that no pair has."""
    # one pass over all of them: five times as fast as one by one
    joined = b"\n".join(merges)
    if joined.count(b" ") == len(merges) == joined.count(b"\n") + 1:
        keys = joined.replace(b" ", BETWEEN).split(b"\n")
        if joined.count(b"\n ") == 0 and not joined.startswith(b" "):
            return keys
    keys = []
    for entry in merges:
        # as llama.cpp does: the first space after the first character
        at = entry.find(b" ", 1)
        keys.append(entry[:at] + BETWEEN + entry[at + 1 :] if at > 0 else b"")
    return keys


class JoinedRanks:
    """tiktoken's rule: the rank of a pair is that of the token its joined bytes are.

    >>> JoinedRanks({b"ab": 7}).priority(b"a", b"b")
    7
    """

    worth = "rank"

    def __init__(self, ranks: Mapping[bytes, int]) -> None:
        self.ranks = ranks

    def priority(self, left: bytes, right: bytes) -> int | None:
        return self.ranks.get(left + right)


class Start(Protocol):
    """What the symbols of a piece are before anything is merged."""

    def units(self, text: str, emit: Emit) -> Units: ...


class Characters:
    """One symbol a character, known to the vocabulary or not (llama.cpp finds out at the end)."""

    def units(self, text: str, emit: Emit) -> Units:
        return code_point_units(text)


class Bytes:
    """One symbol a byte (tiktoken).

    >>> Bytes().units("é", silent).pieces
    [b'\\xc3', b'\\xa9']
    """

    def units(self, text: str, emit: Emit) -> Units:
        data = text.encode()
        pieces = [data[at : at + 1] for at in range(len(data))]
        if len(data) == len(text):
            return Units(pieces, range(len(data)), range(1, len(data) + 1))
        places = [place for place, ch in enumerate(text) for _ in ch.encode()]
        return Units(pieces, places, [place + 1 for place in places])


class KnownCharacters:
    """One symbol a character the vocabulary holds; what stands for the others (Hugging Face).

    ids: the pieces. byte_fallback: such a character becomes its bytes `<0xXX>`, if the vocabulary has all of them.
    unknown: else it becomes this token (where it is no piece, see `unknown.py`); None: it is left out. fuse: neighbours
    of that kind become one such token.
    prefix: in front of every character but the first, suffix: behind the last one.

    Hugging Face keeps an unknown token back until the next character that the vocabulary holds: byte tokens met
    meanwhile come to stand in front of it. And it tells spans by adding up what each symbol is counted for, in order,
    as if nothing had been left out or changed places. So here; only where that leads beyond the end of the text, as a
    prefix has bytes as well, the original goes on counting and spans here end with the text.

    >>> start = KnownCharacters({b"a": 0, b"<unk>": 1}, unknown=b"<unk>", fuse=True)
    >>> start.units("xya", silent).pieces
    [b'<unk>', b'a']
    """

    def __init__(
        self,
        ids: Mapping[bytes, int],
        *,
        unknown: bytes | None = None,
        fuse: bool = False,
        byte_fallback: bool = False,
        prefix: bytes = b"",
        suffix: bytes = b"",
    ) -> None:
        self.ids, self.unknown, self.fuse, self.byte_fallback = ids, unknown, fuse, byte_fallback
        self.prefix, self.suffix = prefix, suffix

    def spellings(self, text: str, emit: Emit) -> list[bytes]:
        """How each character would be spelled as a symbol."""
        found = [ch.encode() for ch in text]
        if self.prefix and len(found) > 1:
            emit(Merge.PREFIXED, 0, len(found), -1)
            found[1:] = [self.prefix + piece for piece in found[1:]]
        if self.suffix and found:
            emit(Merge.SUFFIXED, 0, len(found), -1)
            found[-1] += self.suffix
        return found

    def units(self, text: str, emit: Emit) -> Units:
        ids = self.ids
        spellings = self.spellings(text, emit)
        if all(piece in ids for piece in spellings):
            return Units(spellings, range(len(text)), range(1, len(text) + 1))
        pieces: list[bytes] = []
        starts: list[int] = []
        ends: list[int] = []
        sizes: list[int] = []
        held: tuple[int, int] | None = None
        """the characters [start, end) that one unknown token is kept back for"""
        kept = 0
        """how many bytes of the text it is counted for"""

        def add(piece: bytes, start: int, end: int, size: int) -> None:
            pieces.append(piece)
            starts.append(start)
            ends.append(end)
            sizes.append(size)

        def give(unknown: bytes) -> None:
            nonlocal held, kept
            if held is not None:
                emit(Merge.UNKNOWN_RUN, len(pieces), held[1] - held[0], ids[unknown])
                add(unknown, *held, kept)
                held, kept = None, 0

        for place, (ch, piece) in enumerate(zip(text, spellings, strict=True)):
            size = len(ch.encode())
            if piece in ids:
                if self.unknown is not None:
                    give(self.unknown)
                add(piece, place, place + 1, size)
                continue
            fallback = [b"<0x%02X>" % byte for byte in piece] if self.byte_fallback else []
            if fallback and all(byte in ids for byte in fallback):
                emit(Merge.FALLBACK, len(pieces), len(fallback), ids[fallback[0]])
                for byte in fallback:
                    add(byte, place, place + 1, 1)
            elif self.unknown is None:
                emit(Merge.SKIPPED, len(pieces), place, -1)
            else:
                if self.unknown not in ids:
                    raise missing(ch)
                if held is None or not self.fuse:
                    give(self.unknown)
                    held = place, place
                held, kept = (held[0], place + 1), kept + size
        if self.unknown is not None:
            give(self.unknown)
        return Units(pieces, starts, ends, sizes)


class Cut(NamedTuple):
    """A token of a piece of text: its id and the characters [start, end) of the piece it stands for."""

    id: int
    start: int
    end: int


class Bpe:
    """The model stage of a BPE vocabulary.

    rule: which pairs merge. start: what the symbols are at first. whole: a piece that is a token is taken whole, all
    such pieces or those it says yes to. byte_tokens: what is no piece at the end becomes its bytes `<0xXX>`.
    ids: the pieces the model may make, by default all of the vocabulary (added tokens are no matter of the model).
    dropped: so many bytes of the right symbol are left out when two are merged: the prefix of pieces within a word.

    >>> v = Vocabulary.of([b"a", b"b", b"c", b"ab", b"bc"])
    >>> model = Bpe(v, MergeList([b"b c", b"a b"]))
    >>> [token.id for token in model.run([Segment.of("abc")], Options(), silent)]
    [0, 4]
    """

    name = "model"
    row = MergeRow
    kinds = Merge

    def __init__(
        self,
        vocabulary: Vocabulary,
        rule: Rule,
        start: Start | None = None,
        *,
        whole: bool | Callable[[str], bool] = False,
        ids: Mapping[bytes, int] | None = None,
        dropped: int = 0,
        byte_tokens: bool = False,
    ) -> None:
        self.vocabulary = vocabulary
        self.dropped = dropped
        self.rule = rule
        self.worth = rule.worth
        self.start = start or Characters()
        self.whole = whole
        self.ids = vocabulary.ids if ids is None else ids
        self.byte_tokens = byte_tokens

    def units(self, text: str) -> Units:
        """The symbols of a piece before anything is merged."""
        return self.start.units(text, silent)

    def join(self, pieces: Sequence[bytes]) -> bytes:
        if not self.dropped:
            return b"".join(pieces)
        return b"".join([*pieces[:1], *(piece[self.dropped :] for piece in pieces[1:])])

    def priority(self, left: bytes, right: bytes) -> float | None:
        return self.rule.priority(left, right)

    def pair(self, left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        """What two symbols are worth, what they spell together, and its id."""
        rank = self.rule.priority(left, right)
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

    def tokenize(self, text: str, place: int, emit: Emit, pairs: Pairs) -> list[Cut]:
        """The tokens of one piece; `place` is where it stands among the items, for the trace only."""
        whole = self.ids.get(text.encode()) if self.may_be_whole(text) else None
        if whole is not None and emit is silent:
            return [Cut(whole, 0, len(text))]
        if whole is not None:
            count = len(self.start.units(text, silent).pieces)
            emit(Merge.SEGMENT, place, count, -1)
            emit(Merge.WHOLE, 0, count, whole)
            return [Cut(whole, 0, len(text))]
        return self.merged(text, place, emit, pairs)

    def may_be_whole(self, text: str) -> bool:
        """Whether a piece is taken whole if it is a token."""
        return self.whole(text) if callable(self.whole) else self.whole

    def merged(self, text: str, place: int = 0, emit: Emit = silent, pairs: Pairs | None = None) -> list[Cut]:
        """The tokens of one piece by merges alone, whether it is a token as a whole or not."""
        units = self.start.units(text, silent)
        pieces = units.pieces
        emit(Merge.SEGMENT, place, len(pieces), -1)
        if emit is not silent:
            self.start.units(text, emit)
        if self.may_be_whole(text):
            emit(Merge.NOT_WHOLE, 0, len(pieces), -1)
        chain = merge(pieces, Pairs(self.pair) if pairs is None else pairs, emit)
        ids = self.ids
        starts, ends = spans(units, text)
        cuts: list[Cut] = []
        for (at, right), symbol in zip(pairwise([*chain.first, len(pieces)]), chain.pieces, strict=True):
            span = starts[at], ends[right - 1]
            token = ids.get(symbol)
            if token is not None:
                emit(Merge.TOKEN, at, right, token)
                cuts.append(Cut(token, *span))
            else:
                # llama.cpp only: each byte that has a token, the others are lost
                spelling, kind = (b"<0x%02X>", Merge.BYTE) if self.byte_tokens else (b"%c", Merge.RAW_BYTE)
                for number, byte in enumerate(symbol):
                    token = ids.get(spelling % byte)
                    emit(Merge.DROPPED if token is None else kind, at, number, -1 if token is None else token)
                    if token is not None:
                        cuts.append(Cut(token, *span))
        return cuts
