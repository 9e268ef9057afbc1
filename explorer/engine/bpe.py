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
spelling), a byte (tiktoken), or what stands for a character the vocabulary does not hold. Follows `models/bpe` of
Hugging Face's tokenizers, `llm_tokenizer_bpe_session` of llama.cpp and `src/lib.rs` of tiktoken.

Left out: dropout, which makes training vary, and `continuing_subword_prefix` and `end_of_word_suffix`, which no
vocabulary bundled here uses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from explorer.engine.items import Item, Items, Segment, Token
from explorer.engine.merges import Merge, MergeRow, Symbols, Units, code_point_units, merge
from explorer.engine.options import Options
from explorer.errors import InputError
from explorer.trace import Emit, silent
from explorer.vocabulary import Vocabulary, spelled

CACHED = 1 << 16
"""Pieces of text whose tokens are remembered at most."""
CACHED_LENGTH = 64
"""Longer ones are not remembered."""

BETWEEN = b"\xff"
"""Stands between the two sides of a merge in a key: a byte that no UTF-8 text holds."""


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

    merges: `left right` with one space between (as bytes), or pairs of texts.
    last_wins: of a pair that is listed twice, the later place counts (Hugging Face); else the first (llama.cpp).
    needed: what every merge must give is a piece of this, or InputError is raised, as Hugging Face does.

    The lookup is built when it is first needed: a file of 280,000 merges takes 0.1 s.

    >>> rule = MergeList([b"a b", b"ab c"])
    >>> rule.priority(b"ab", b"c"), rule.priority(b"a", b"bc")
    (1, None)
    """

    worth = "merge"

    def __init__(
        self,
        merges: Sequence[bytes] | Sequence[str] | Sequence[Sequence[str]],
        *,
        last_wins: bool = False,
        needed: Mapping[bytes, int] | None = None,
    ) -> None:
        self.merges, self.last_wins, self.needed = merges, last_wins, needed

    def priority(self, left: bytes, right: bytes) -> int | None:
        return self.ranks.get(left + BETWEEN + right)

    @cached_property
    def ranks(self) -> dict[bytes, int]:
        """left + BETWEEN + right → rank."""
        keys = merge_keys(self.merges)
        if self.needed is not None:
            for place, key in enumerate(keys):
                if key.replace(BETWEEN, b"", 1) not in self.needed:
                    raise InputError(
                        f"merge {place + 1}: {spelled(key.replace(BETWEEN, b' + ', 1))} gives a text that is no token; "
                        "repair the vocabulary file"
                    )
        count = len(keys)
        if self.last_wins:
            return dict(zip(keys, range(count), strict=True))
        # from the end, so that the first of a pair listed twice is the one that stays
        return dict(zip(reversed(keys), range(count - 1, -1, -1), strict=True))


def merge_keys(merges: Sequence[bytes] | Sequence[str] | Sequence[Sequence[str]]) -> list[bytes]:
    """The keys of a list of merges, in its order. Raises InputError for an entry that is no pair."""
    if not merges:
        return []
    first = merges[0]
    if isinstance(first, (str, bytes)):
        # one pass over all of them: five times as fast as one by one
        lines: Any = merges  # all are of the first one's type
        joined = b"\n".join(lines) if isinstance(first, bytes) else "\n".join(lines).encode()
        if joined.count(b" ") == len(merges) == joined.count(b"\n") + 1:
            keys = joined.replace(b" ", BETWEEN).split(b"\n")
            if joined.count(b"\n ") == 0 and not joined.startswith(b" "):
                return keys
    keys = []
    for place, entry in enumerate(merges):
        if isinstance(entry, (str, bytes)):
            data = entry.encode() if isinstance(entry, str) else entry
            # as llama.cpp does: the first space after the first character
            at = data.find(b" ", 1)
            pair: Sequence[bytes] = (data[:at], data[at + 1 :]) if at > 0 else ()
        else:
            sides = entry if isinstance(entry, Sequence) else ()  # what a JSON file holds may be anything
            pair = [side.encode() for side in sides if isinstance(side, str)]
        if len(pair) != 2:
            raise InputError(f"merge {place + 1}: {entry!r} is no pair of pieces; repair the vocabulary file")
        keys.append(pair[0] + BETWEEN + pair[1])
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
    unknown: else it becomes this token; None: it is left out. fuse: neighbours of that kind become one such token.

    Hugging Face keeps an unknown token back until the next character that the vocabulary holds: byte tokens met
    meanwhile come to stand in front of it. So here.

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
    ) -> None:
        self.ids, self.unknown, self.fuse, self.byte_fallback = ids, unknown, fuse, byte_fallback
        if unknown is not None and unknown not in ids:
            raise InputError(f"the unknown token {spelled(unknown)!r} is not in the vocabulary; repair the file")

    def units(self, text: str, emit: Emit) -> Units:
        ids = self.ids
        units = code_point_units(text)
        if all(piece in ids for piece in units.pieces):
            return units
        pieces: list[bytes] = []
        starts: list[int] = []
        ends: list[int] = []
        held: tuple[int, int] | None = None
        """the characters [start, end) that one unknown token is kept back for"""

        def add(piece: bytes, start: int, end: int) -> None:
            pieces.append(piece)
            starts.append(start)
            ends.append(end)

        def give(unknown: bytes) -> None:
            nonlocal held
            if held is not None:
                emit(Merge.UNKNOWN_RUN, len(pieces), held[1] - held[0], ids[unknown])
                add(unknown, *held)
                held = None

        for place, piece in enumerate(units.pieces):
            if piece in ids:
                if self.unknown is not None:
                    give(self.unknown)
                add(piece, place, place + 1)
                continue
            fallback = [b"<0x%02X>" % byte for byte in piece] if self.byte_fallback else []
            if fallback and all(byte in ids for byte in fallback):
                emit(Merge.FALLBACK, len(pieces), len(fallback), ids[fallback[0]])
                for byte in fallback:
                    add(byte, place, place + 1)
            elif self.unknown is None:
                emit(Merge.SKIPPED, len(pieces), place, -1)
            elif held is not None and self.fuse:
                held = held[0], place + 1
            else:
                give(self.unknown)
                held = place, place + 1
        if self.unknown is not None:
            give(self.unknown)
        return Units(pieces, starts, ends)


class Cut(NamedTuple):
    """A token of a piece of text: its id and the characters [start, end) of the piece it stands for."""

    id: int
    start: int
    end: int


class Bpe:
    """The model stage of a BPE vocabulary.

    rule: which pairs merge. start: what the symbols are at first. whole: a piece that is a token is taken whole.
    ids: the pieces the model may make, by default all of the vocabulary (added tokens are no matter of the model).

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
        whole: bool = False,
        ids: Mapping[bytes, int] | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.rule = rule
        self.worth = rule.worth
        self.start = start or Characters()
        self.whole = whole
        self.ids = vocabulary.ids if ids is None else ids
        self._cache: dict[str, list[Cut]] = {}

    def units(self, text: str) -> Units:
        """The symbols of a piece before anything is merged."""
        return self.start.units(text, silent)

    def priority(self, left: bytes, right: bytes) -> float | None:
        return self.rule.priority(left, right)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = []
        cache = self._cache
        for place, item in enumerate(items):
            if not isinstance(item, Segment):
                done.append(item)
                continue
            text, starts, ends = item
            # the same word has the same tokens; a trace wants to see how, so it never asks the memory
            cuts = cache.get(text) if emit is silent else None
            if cuts is None:
                cuts = self.tokenize(text, place, emit)
                if len(text) <= CACHED_LENGTH and len(cache) < CACHED:
                    cache[text] = cuts
            done += [Token(id, starts[start], ends[end - 1]) for id, start, end in cuts]
        return done

    def tokenize(self, text: str, place: int, emit: Emit) -> list[Cut]:
        """The tokens of one piece; `place` is where it stands among the items, for the trace only."""
        whole = self.ids.get(text.encode()) if self.whole else None
        if whole is not None and emit is silent:
            return [Cut(whole, 0, len(text))]
        if whole is not None:
            count = len(self.start.units(text, silent).pieces)
            emit(Merge.SEGMENT, place, count, -1)
            emit(Merge.WHOLE, 0, count, whole)
            return [Cut(whole, 0, len(text))]
        return self.merged(text, place, emit)

    def merged(self, text: str, place: int = 0, emit: Emit = silent) -> list[Cut]:
        """The tokens of one piece by merges alone, whether it is a token as a whole or not."""
        pieces, starts, ends = self.start.units(text, silent)
        emit(Merge.SEGMENT, place, len(pieces), -1)
        if emit is not silent:
            self.start.units(text, emit)
        if self.whole:
            emit(Merge.NOT_WHOLE, 0, len(pieces), -1)
        data = b"".join(pieces)
        symbols = Symbols([len(piece) for piece in pieces])
        ids, priority = self.ids, self.rule.priority

        def lookup(start: int, middle: int, end: int) -> tuple[float, int] | None:
            rank = priority(data[start:middle], data[middle:end])
            return None if rank is None else (rank, ids.get(data[start:end], -1))

        merge(symbols, lookup, emit)

        cuts: list[Cut] = []
        at = 0 if pieces else -1
        while at >= 0:
            after = symbols.next[at]
            right = after if after >= 0 else len(pieces)
            span = starts[at], ends[right - 1]
            begin = symbols.begin[at]
            symbol = data[begin : begin + symbols.size[at]]
            token = ids.get(symbol)
            if token is not None:
                emit(Merge.TOKEN, at, right, token)
                cuts.append(Cut(token, *span))
            else:
                # llama.cpp only: each byte that is a piece by itself, the others are lost
                for number, byte in enumerate(symbol):
                    token = ids.get(bytes([byte]))
                    emit(Merge.DROPPED if token is None else Merge.RAW_BYTE, at, number, -1 if token is None else token)
                    if token is not None:
                        cuts.append(Cut(token, *span))
            at = after
        return cuts
