"""Pre-tokenizers: the text is cut into pieces before the model sees it, and no token crosses a cut.

A stage is a list of splitters applied in turn, each to every piece of the one before. Here are the stage, what its
events say, and how matches and the gaps between them become pieces (`cut_at`, with Hugging Face's five behaviours). The
splitters that several programs have are in `by_regex`, `by_scanner` and `byte_level` (which cuts nothing but changes
how a piece is spelled), those of Hugging Face alone in `huggingface`. Follows Hugging Face's `tokenizers`, tiktoken's
one pattern and llama.cpp's `unicode_regex_split`, where several patterns are applied in turn.

For every piece the trace says which alternative of the pattern took it and which earlier ones were tried at that place
and failed. A pattern may take long, so there is a limit of time for one piece and for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple, Protocol

from explorer.engine.items import Item, Items, Segment
from explorer.engine.limits.budget import ask, asking
from explorer.engine.limits.length import Room, length
from explorer.engine.options import Options
from explorer.engine.pre_tokenizers.scanners import Found
from explorer.engine.regexes.pattern import Alternative
from explorer.engine.trace import Emit

WHAT: Final = "the pre-tokenizer"
"""What errors call the stage."""


class PreTokenize(IntEnum):
    """What a `PreTokenizeRow` says."""

    PIECE = 0
    """The piece [start, end) was taken by this alternative."""
    FAILED = 1
    """This alternative was tried at `start` (== end) and did not match."""
    GAP = 2
    """No alternative matches within [start, end): what stands between two matches stays a piece."""
    REMOVED = 3
    """The match [start, end) is a separator: it is left out."""
    BYTE = 4
    """The byte-to-printable map: byte number `end` of the character at `start` is spelled as the character `choice`."""
    PREFIX = 5
    """The character `choice`, mostly a space, was put in front of the piece at `start`."""
    CUT = 30
    """This alternative matches at `start` (== end) without taking anything: the text is cut there."""
    MERGED_PREVIOUS = 31
    """The match [start, end) goes to the piece before it."""
    MERGED_NEXT = 32
    """The match [start, end) begins a piece; what comes behind it joins it."""
    JOINED = 33
    """[start, end) joins the piece before it: what follows a MERGED_NEXT, or (Contiguous) one match after another."""
    REST_REMOVED = 34
    """No alternative matches within [start, end): it is left out, because the matches are what is kept."""
    SPELLED = 35
    """The space [start, end) is written as the character `choice`."""
    NO_PREFIX = 36
    """Nothing was put in front of the piece at `start`: it has what would be put there (end > start), or it does not
    stand at the beginning of the text (end == start)."""
    SCRIPT = 37
    """The piece [start, end) is of one script, number `choice` of `scripts.NAMES`."""


class PreTokenizeRow(NamedTuple):
    """One decision of a pre-tokenizer."""

    kind: int
    """A `PreTokenize`."""
    start: int
    """First code point of the original text."""
    end: int
    """One after the last (BYTE: which byte of the character, from 0)."""
    choice: int
    """Which of the stage's alternatives, counted over all its splitters; -1 where there is none. BYTE, PREFIX, SPELLED,
    NO_PREFIX: a code point."""


class Behavior(StrEnum):
    """What becomes of a match, with Hugging Face's names."""

    REMOVED = "Removed"
    """It is a separator and left out."""
    ISOLATED = "Isolated"
    """It is a piece."""
    MERGED_WITH_PREVIOUS = "MergedWithPrevious"
    """It goes to the piece before it, unless that is a match as well."""
    MERGED_WITH_NEXT = "MergedWithNext"
    """It goes to the piece behind it, unless that is a match as well."""
    CONTIGUOUS = "Contiguous"
    """It is a piece together with the matches that follow it at once."""


class Splitter(Protocol):
    """Cuts one piece. `first` is the number of its first alternative within the stage."""

    @property
    def alternatives(self) -> tuple[Alternative, ...]: ...

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]: ...


class PreTokenization:
    """The stage: splitters applied in turn.

    alternatives: of all splitters, one after the other, as the rows count them.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> from explorer.engine.trace import silent
    >>> part = PreTokenization([RegexSplit(GPT2)])
    >>> [item.text for item in part.run([Segment.of("He's here")], Options(), silent)]
    ['He', "'s", ' here']
    """

    name = "pre-tokenize"
    row = PreTokenizeRow
    kinds = PreTokenize

    def __init__(self, splitters: Sequence[Splitter]) -> None:
        self.splitters = tuple(splitters)
        self.alternatives: tuple[Alternative, ...] = tuple(a for each in self.splitters for a in each.alternatives)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        done: list[Item] = list(items)
        room = Room.of(WHAT, done)
        first = 0
        for splitter in self.splitters:
            cut: list[Item] = []
            for item in asking(done, WHAT):
                if isinstance(item, Segment):
                    cut += splitter.split(item, first, emit)
                else:
                    cut.append(item)
            ask(WHAT)
            room.check(length(cut), splitter)
            done, first = cut, first + len(splitter.alternatives)
        return done


def part_of(piece: Segment, start: int, end: int) -> Segment:
    """Code points [start, end) of a piece, with their alignment."""
    return Segment(piece.text[start:end], piece.starts[start:end], piece.ends[start:end])


def stretches(matches: Iterable[Found], size: int) -> Iterator[Found]:
    """The matches and, as alternative -1, the gaps between them: the whole text of `size` characters.

    >>> [tuple(each) for each in stretches([Found(1, 2, 0)], 3)]
    [(0, 1, -1), (1, 2, 0), (2, 3, -1)]
    """
    at = 0
    for match in matches:
        if match.start > at:
            yield Found(at, match.start, -1)
        yield match
        at = match.end
    if at < size:
        yield Found(at, size, -1)


def cut_at(
    piece: Segment,
    matches: Iterable[Found],
    first: int,
    emit: Emit,
    behavior: Behavior = Behavior.ISOLATED,
    *,
    invert: bool = False,
) -> list[Segment]:
    """The pieces that matches and the gaps between them make.

    invert: the gaps are what the behaviour is about, and the matches are what stands between them.

    >>> from explorer.engine.trace import silent
    >>> dots = [Found(1, 2, 0), Found(2, 3, 0)]
    >>> for behavior in Behavior:
    ...     print([each.text for each in cut_at(Segment.of("a--b"), dots, 0, silent, behavior)])
    ['a', 'b']
    ['a', '-', '-', 'b']
    ['a-', '-', 'b']
    ['a', '-', '-b']
    ['a', '--', 'b']
    """
    if behavior in JOINING:
        return joined_at(piece, list(stretches(matches, len(piece.text))), first, emit, behavior, invert=invert)
    text, starts, ends = piece
    removed = behavior == Behavior.REMOVED
    found: list[Segment] = []
    for start, end, alternative in stretches(matches, len(text)):
        if alternative >= 0:
            where = starts[start] if start < len(text) else ends[-1]
            for failed in range(alternative):
                emit(PreTokenize.FAILED, where, where, first + failed)
            if start == end:
                emit(PreTokenize.CUT, where, where, first + alternative)
                continue
            kept = invert or not removed
            emit(PreTokenize.PIECE if kept else PreTokenize.REMOVED, where, ends[end - 1], first + alternative)
        else:
            kept = not (invert and removed)
            emit(PreTokenize.GAP if kept else PreTokenize.REST_REMOVED, starts[start], ends[end - 1], -1)
        if kept:
            found.append(piece if end - start == len(text) else part_of(piece, start, end))
    return found


JOINING = frozenset((Behavior.MERGED_WITH_PREVIOUS, Behavior.MERGED_WITH_NEXT, Behavior.CONTIGUOUS))
"""The behaviours with which stretches join."""


def joined_at(
    piece: Segment, parts: Sequence[Found], first: int, emit: Emit, behavior: Behavior, *, invert: bool
) -> list[Segment]:
    """`cut_at` with one of these behaviours; `parts` are all stretches."""
    text, starts, ends = piece
    apart = [(part.alternative >= 0) != invert for part in parts]
    found: list[Segment] = []
    begin = 0
    """where the piece begins that is being put together"""
    for place, (start, end, alternative) in enumerate(parts):
        where = starts[start] if start < len(text) else ends[-1]
        for failed in range(alternative):
            emit(PreTokenize.FAILED, where, where, first + failed)
        joins, goes_on = joined(apart, place, behavior), joined(apart, place + 1, behavior)
        begin = begin if joins else start
        if start == end:
            kind = PreTokenize.CUT
        elif begin < start:
            merged = behavior == Behavior.MERGED_WITH_PREVIOUS
            kind = PreTokenize.MERGED_PREVIOUS if merged else PreTokenize.JOINED
        elif goes_on and behavior == Behavior.MERGED_WITH_NEXT:
            kind = PreTokenize.MERGED_NEXT
        else:
            kind = PreTokenize.PIECE if alternative >= 0 else PreTokenize.GAP
        choice = first + alternative if alternative >= 0 else -1
        emit(kind, where, ends[end - 1] if end > start else where, choice)
        if not goes_on and end > begin:
            found.append(piece if end - begin == len(text) else part_of(piece, begin, end))
    return found


def joined(apart: Sequence[bool], place: int, behavior: Behavior) -> bool:
    """Whether a stretch joins the one before it. `apart`: of each stretch, whether the behaviour is about it."""
    if not 0 < place < len(apart):
        return False
    before, this = apart[place - 1], apart[place]
    if behavior == Behavior.CONTIGUOUS:
        return before == this
    if behavior == Behavior.MERGED_WITH_PREVIOUS:
        return this and not before
    return before and not this
