"""Truncation and padding: the ids of a text are cut or padded to a length.

Follows `TokenizerImpl::post_process`, `utils/truncation.rs` and `utils/padding.rs` of Hugging Face's tokenizers, for
one text. Truncation comes before post-processing and leaves room for the tokens added there; padding is last. If the
added tokens alone exceed the length, the original's count underflows and it cuts nothing; this is reproduced.

Left out: pairs of texts, batches, and the parts that are cut off (`overflowing`), which the trace only counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from explorer.engine.items import ADDED, Emit, Items, Token
from explorer.engine.part import Options
from explorer.errors import InputError

MOST: Final = 1_000_000
"""The largest padded length, in tokens."""


class LengthEvent(IntEnum):
    """What a `LengthRow` says."""

    CUT = 0
    """The tokens [start, end) are cut off: they exceed the length."""
    FILLED = 1
    """`token` fills the positions [start, end)."""


class LengthRow(NamedTuple):
    """One decision about the length."""

    kind: int
    """A `LengthEvent`."""
    start: int
    """First index; CUT: among the tokens before the stage; FILLED: among those after it."""
    end: int
    """One after the last."""
    token: int
    """FILLED: the padding token's id, else -1."""


@dataclass(eq=False)
class Truncation:
    """Cuts the tokens of a text to a length, before special tokens are added.

    longest: the length in tokens, added ones included. added: how many are added later. left: cut at the beginning, not
    at the end. stride: by how many tokens the parts overlap. second_only: only the second text of a pair may be cut.

    >>> tokens = [Token(id, id, id + 1) for id in range(5)]
    >>> [token.id for token in Truncation(5, added=2).run(tokens, Options(), lambda *row: None)]
    [0, 1, 2]
    """

    name = "truncate"
    row = LengthRow
    kinds = LengthEvent

    longest: int
    _: KW_ONLY
    added: int = 0
    left: bool = False
    stride: int = 0
    second_only: bool = False

    def room(self, options: Options) -> int | None:
        """How many tokens the text itself may have; None: any number."""
        if not options.add_special:
            return self.longest
        return self.longest - self.added if self.longest >= self.added else None

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens that remain. Raises InputError where the original stops."""
        room, size = self.room(options), len(items)
        if room is None or size <= room:
            return items
        if room and self.second_only:
            raise InputError(
                f"the text has {size} tokens, {room} are allowed, and only the second text of a pair may be cut "
                "(OnlySecond); give a shorter text, or another file"
            )
        if room and self.stride >= room:
            raise InputError(
                f"the parts would overlap by {self.stride} tokens, but a part has {room}; tokenizers refuses that, "
                "so give a file with a smaller stride"
            )
        start, end = (0, size - room) if self.left else (room, size)
        emit(LengthEvent.CUT, start, end, -1)
        return [*items[:start], *items[end:]]

    def parts(self, size: int, room: int) -> Iterator[tuple[int, int]]:
        """The parts [start, end) that the original makes of `size` tokens; it keeps the first.

        >>> list(Truncation(4, stride=1).parts(8, 4)), list(Truncation(4, left=True).parts(6, 4))
        ([(0, 4), (3, 7), (6, 8)], [(2, 6), (0, 2)])
        """
        if not room:
            yield from ((0, 0), (0, size))
            return
        for at in range(0, size, room - self.stride):
            part = (at, min(at + room, size))
            yield (max(size - at - room, 0), size - at) if self.left else part
            if part[1] == size:
                return


@dataclass(eq=False)
class Padding:
    """Pads ids to a length, after all other stages.

    token: the padding token's id. length: None for padding to the longest of a batch, which leaves a single text as it
    is. multiple: the length is rounded up to a multiple of this. left: pad at the beginning, not at the end.

    >>> [token.id for token in Padding(0, 4).run([Token(7, 0, 1)], Options(), lambda *row: None)]
    [7, 0, 0, 0]
    """

    name = "pad"
    row = LengthRow
    kinds = LengthEvent

    token: int
    length: int | None
    _: KW_ONLY
    multiple: int = 0
    left: bool = False

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The tokens with padding."""
        size = len(items)
        length = size if self.length is None else self.length
        if self.multiple:
            length = -(-length // self.multiple) * self.multiple
        if length <= size:
            return items
        filling = [Token(self.token, ADDED, ADDED)] * (length - size)
        emit(LengthEvent.FILLED, *((0, length - size) if self.left else (size, length)), self.token)
        return [*filling, *items] if self.left else [*items, *filling]
