"""Hugging Face's decoding: each id becomes a string, and a chain of decoders rewrites the list of strings.

At the end the strings are joined. Each byte carries the position of the token it comes from (`AttributedBytes`) through
the whole chain, and every edit keeps it, so the bytes of each token are known. The decoders are in `huggingface` and
`python_decoding`.

Follows `TokenizerImpl::decode` and `decoders/sequence.rs` of Hugging Face's tokenizers: a token is skipped as special
by its string, and a normalized added token gives its *normalized* spelling. An id without a token is an InputError
here; the original skips it. No ids give no text.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple, Protocol, TypeAlias

from explorer.engine.budget import ask
from explorer.engine.decoders.events import DecodeEvent, DecodeRow, check_ids, without_added
from explorer.engine.items import DECODER, Emit, LengthBudget
from explorer.text.utf8 import character_offsets
from explorer.vocabulary import Vocabulary


class AttributedBytes(NamedTuple):
    """A string as UTF-8, and for each byte the position of the token it comes from, in ascending order.

    first: the position of the token that the string begins with; an empty string has one, too.
    """

    data: bytes
    owners: Sequence[int]
    first: int


def attributed(data: bytes, owner: int) -> AttributedBytes:
    """A string that comes from one token."""
    return AttributedBytes(data, [owner] * len(data), owner)


def joined(strings: Sequence[AttributedBytes]) -> AttributedBytes:
    """All strings as one."""
    first = strings[0].first if strings else 0
    owners = [owner for each in strings for owner in each.owners]
    return AttributedBytes(b"".join(each.data for each in strings), owners, first)


def substituted(string: AttributedBytes, spans: Sequence[tuple[int, int]], new: bytes) -> AttributedBytes:
    """The string with the bytes [start, end) of each span replaced by `new`.

    New bytes belong to the owner of the span's first byte; at the end of the string, to the owner of the last byte.

    >>> substituted(attributed(b"a_b", 7), [(1, 2)], b"  ")
    AttributedBytes(data=b'a  b', owners=[7, 7, 7, 7], first=7)
    """
    data, owners, first = string
    made, owned = bytearray(), list[int]()
    at = 0
    for start, end in spans:
        made += data[at:start] + new
        owned += owners[at:start]
        owned += [owners[min(start, len(owners) - 1)]] * len(new)
        at = end
    return AttributedBytes(bytes(made + data[at:]), [*owned, *owners[at:]], first)


def replaced(string: AttributedBytes, old: bytes, new: bytes) -> AttributedBytes:
    """The string with every `old` replaced by `new`; the same object if it does not contain `old`.

    >>> replaced(attributed("▁a▁".encode(), 0), "▁".encode(), b" ").data
    b' a '
    """
    data, owners, first = string
    if old and old not in data:
        return string
    if not data:
        return attributed(new, first)
    if old and owners[0] == owners[-1]:
        return attributed(data.replace(old, new), owners[0])
    if not old:  # between all characters
        return substituted(string, [(at, at) for at in character_offsets(data)], new)
    spans = []
    at = data.find(old)
    while at >= 0:
        spans.append((at, at + len(old)))
        at = data.find(old, at + len(old))
    return substituted(string, spans, new)


def bytes_by_token(strings: Sequence[AttributedBytes], count: int) -> list[bytes]:
    """The bytes that come from each of `count` tokens. Joined, they are the strings joined.

    >>> bytes_by_token([AttributedBytes(b"ab", [0, 2], 0), attributed(b"c", 2)], 3)
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


Strings: TypeAlias = list[AttributedBytes]
"""The strings of tokens, or what decoders have made of them."""

StepEmit: TypeAlias = Callable[[DecodeEvent, int, int], None]
"""The sink for the events of a decoder: kind, position of the token, number of bytes."""


class DecoderStep(Protocol):
    """One decoder of the chain. Decoders inherit from it. fuses: it joins all strings into one."""

    fuses: bool = False

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings rewritten."""

    def alone(self, data: bytes, fused: bool) -> bytes:
        """What the decoder makes of one token's string, whatever its neighbors and position; need not be UTF-8.

        fused: an earlier decoder joined the strings, so this one does not see where the token's string begins or ends.
        """
        return data


def alone(data: bytes, steps: Sequence[DecoderStep], fused: bool = False) -> bytes:
    """What decoders in turn make of one token's string (`DecoderStep.alone`)."""
    for step in steps:
        data = step.alone(data, fused)
        fused = fused or step.fuses
    return data


@dataclass(eq=False, repr=False)
class ChainDecoder:
    """Decodes ids with a chain of decoders.

    steps: the decoders. before, after: the ids that `add_special` adds. special: the strings of the tokens that
    `unparse_special=False` skips. strings: the strings of tokens that do not decode from their piece.

    >>> class Shout(DecoderStep):
    ...     def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
    ...         return [each._replace(data=each.data.upper()) for each in strings]
    >>> ChainDecoder(Vocabulary.of([b"a", b"b"]), [Shout()]).run([1, 0], True, True, lambda *row: None)
    [b'B', b'A']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    steps: Sequence[DecoderStep]
    _: KW_ONLY
    before: Sequence[int] = ()
    after: Sequence[int] = ()
    special: Container[bytes] = ()
    strings: Mapping[int, bytes] = field(default_factory=dict)

    def alone(self, id: int) -> bytes:
        """What the chain makes of the token's string alone."""
        return alone(self.strings.get(id, self.vocabulary.pieces[id]), self.steps)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        if not ids:
            return []

        *_, strings = self.states(ids, remove_special, unparse_special, emit)
        return bytes_by_token(strings, len(ids))

    def states(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> Iterator[Strings]:
        """The strings of the tokens, then those that each decoder leaves."""

        def emit_at(kind: DecodeEvent, position: int, size: int) -> None:
            emit(kind, position, size, ids[position])

        budget = LengthBudget.for_ids(len(ids))
        strings = self.strings_of(ids, remove_special, unparse_special, emit_at, budget)
        yield strings
        for step in self.steps:
            ask(DECODER)
            strings = step.run(strings, emit_at)
            budget.check(sum(len(string.data) for string in strings), step)
            yield strings

    def strings_of(
        self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: StepEmit, budget: LengthBudget
    ) -> Strings:
        """The strings of the tokens that are not skipped."""
        kept = without_added(ids, self.before, self.after) if remove_special else range(len(ids))
        strings: Strings = []
        size = 0
        for position, id in enumerate(ids):
            data = self.strings.get(id, self.vocabulary.pieces[id])
            if position not in kept:
                emit(DecodeEvent.DROP, position, 0)
            elif not unparse_special and data in self.special:
                emit(DecodeEvent.HIDDEN, position, 0)
            else:
                size += len(data)
                budget.check(size)
                emit(DecodeEvent.STRING, position, len(data))
                strings.append(attributed(data, position))
        return strings
