"""Decoding as Hugging Face does it: every id is a string, and decoders in a row turn a list of strings into another.

In the end the strings are joined. Between two decoders strings are always text; so that it can still be said which id
gave which bytes, each byte carries the place of the id it came from (`Owned`). The decoders themselves are in
`decoders/huggingface.py`.

Follows `TokenizerImpl::decode` and `decoders/sequence.rs` of Hugging Face's tokenizers: a token is left out as special
by its string, and a normalized added token gives its *normalized* spelling. An id that no token has is an InputError
here; the original passes over it. No ids give no text.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from explorer.engine.decoders.rows import Decode, DecodeRow, check_ids, without_added
from explorer.engine.limits.budget import ask
from explorer.engine.limits.length import DECODER, Room
from explorer.engine.trace import Emit
from explorer.vocabulary import Vocabulary


class Owned(NamedTuple):
    """A string as UTF-8, and for each byte the place of the id it came from, in rising order.

    first: the place of the id that the string begins with, an empty one too.
    """

    data: bytes
    owners: Sequence[int]
    first: int


def whole(data: bytes, owner: int) -> Owned:
    """A string that comes from one id."""
    return Owned(data, [owner] * len(data), owner)


def joined(strings: Sequence[Owned]) -> Owned:
    """All strings as one."""
    first = strings[0].first if strings else 0
    return Owned(b"".join(each.data for each in strings), [owner for each in strings for owner in each.owners], first)


def substituted(string: Owned, spans: Sequence[tuple[int, int]], new: bytes) -> Owned:
    """The string with `new` in place of the bytes [start, end) of each span. What is new belongs to whoever owned the
    beginning of the span, or the byte before it.

    >>> substituted(whole(b"a_b", 7), [(1, 2)], b"  ")
    Owned(data=b'a  b', owners=[7, 7, 7, 7], first=7)
    """
    data, owners, first = string
    made, owned = bytearray(), list[int]()
    at = 0
    for start, end in spans:
        made += data[at:start] + new
        owned += owners[at:start]
        owned += [owners[min(start, len(owners) - 1)]] * len(new)
        at = end
    return Owned(bytes(made + data[at:]), [*owned, *owners[at:]], first)


def replaced(string: Owned, old: bytes, new: bytes) -> Owned:
    """The string with `new` for every `old`; the same object where there is none.

    >>> replaced(whole("▁a▁".encode(), 0), "▁".encode(), b" ").data
    b' a '
    """
    data, owners, first = string
    if old and old not in data:
        return string
    if not data:
        return whole(new, first)
    if old and owners[0] == owners[-1]:
        return whole(data.replace(old, new), owners[0])
    if not old:  # between all characters
        places = [at for at, byte in enumerate(data) if byte & 0xC0 != 0x80] + [len(data)]
        return substituted(string, [(at, at) for at in places], new)
    spans = []
    at = data.find(old)
    while at >= 0:
        spans.append((at, at + len(old)))
        at = data.find(old, at + len(old))
    return substituted(string, spans, new)


Tell: TypeAlias = Callable[[Decode, int, int], None]
"""What a decoder calls with its decisions: the kind, the place of the id, and a number of bytes."""


class Step(Protocol):
    """One decoder. joins: behind it all strings are one."""

    joins: bool

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]: ...

    def alone(self, data: bytes, fused: bool) -> bytes:
        """What it makes of one token's string, whatever the neighbours and the position; the bytes may be no text.

        fused: the strings were joined before, so neither end of the string is an end of what this decoder sees.
        """


class ChainDecoder:
    """Ids to bytes.

    steps: the decoders. before, behind: the ids that `add_special` adds. special: the strings of the tokens that
    `unparse_special=False` leaves out. strings: of tokens that decode to something else than their piece.

    >>> class Shout:
    ...     joins = False
    ...     def alone(self, data: bytes, fused: bool) -> bytes:
    ...         return data.upper()
    ...     def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
    ...         return [each._replace(data=each.data.upper()) for each in strings]
    >>> ChainDecoder(Vocabulary.of([b"a", b"b"]), [Shout()]).run([1, 0], True, True, lambda *row: None)
    [b'B', b'A']
    """

    row = DecodeRow

    def __init__(
        self,
        vocabulary: Vocabulary,
        steps: Sequence[Step],
        *,
        before: Sequence[int] = (),
        behind: Sequence[int] = (),
        special: Container[bytes] = (),
        strings: Mapping[int, bytes] | None = None,
    ) -> None:
        self.vocabulary, self.steps = vocabulary, tuple(steps)
        self.before, self.behind = tuple(before), tuple(behind)
        self.special, self.strings = special, strings or {}

    def alone(self, id: int) -> bytes:
        """What the decoders in a row make of its string alone."""
        data, fused = self.strings.get(id, self.vocabulary.pieces[id]), False
        for step in self.steps:
            data = step.alone(data, fused)
            fused = fused or step.joins
        return data

    def followed_by(self, step: Step) -> ChainDecoder:
        """The same with one more decoder behind the others."""
        return self._with([*self.steps, step], self.strings)

    def spelled_plainly(self) -> ChainDecoder:
        """The same with every token as its piece is spelled."""
        return self._with(self.steps, {})

    def _with(self, steps: Sequence[Step], strings: Mapping[int, bytes]) -> ChainDecoder:
        return ChainDecoder(
            self.vocabulary, steps, before=self.before, behind=self.behind, special=self.special, strings=strings
        )

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry an id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        kept = without_added(ids, self.before, self.behind) if remove_special else range(len(ids))

        def tell(kind: Decode, position: int, size: int) -> None:
            emit(kind, position, size, ids[position])

        if not ids:
            return []
        strings: list[Owned] = []
        room, size = Room.for_ids(len(ids)), 0
        for position, id in enumerate(ids):
            data = self.strings.get(id, self.vocabulary.pieces[id])
            if position not in kept:
                tell(Decode.DROP, position, 0)
            elif not unparse_special and data in self.special:
                tell(Decode.HIDDEN, position, 0)
            else:
                size += len(data)
                room.check(size)
                tell(Decode.STRING, position, len(data))
                strings.append(whole(data, position))
        for step in self.steps:
            ask(DECODER)
            strings = step.run(strings, tell)
            room.check(sum(len(string.data) for string in strings), step)
        return shares(strings, len(ids))


def shares(strings: Sequence[Owned], count: int) -> list[bytes]:
    """What of all strings comes from each of `count` ids; joined it is the strings joined.

    >>> shares([Owned(b"ab", [0, 2], 0), whole(b"c", 2)], 3)
    [b'a', b'', b'bc']
    """
    parts = [b""] * count
    for data, owners, _ in strings:
        begin = 0
        while begin < len(data):
            owner, end = owners[begin], begin + 1
            if owners[-1] == owner:
                end = len(data)
            while end < len(data) and owners[end] == owner:
                end += 1
            parts[owner] += data[begin:end]
            begin = end
    return parts
