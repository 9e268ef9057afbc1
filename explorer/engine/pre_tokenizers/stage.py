"""The pre-tokenization stage: splits text into pieces that no token crosses.

The stage is a list of splitters applied in turn, each to every piece of the one before. This module has the stage, its
events, and how matches and the gaps between them become pieces (`split_at`, with Hugging Face's five behaviors). The
splitters that several programs share are in `by_regex` (`ByteLevel` there only changes how a piece is spelled) and
`scanners`, those of Hugging Face alone in `huggingface`. Follows Hugging Face's `tokenizers`, tiktoken's single pattern
and llama.cpp's `unicode_regex_split`, which applies several patterns in turn.

For every piece the trace names the alternative of the pattern that matched and the earlier ones that were tried at that
position and failed. A pattern may take long, so matching has a time limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple, Protocol

from explorer.engine.budget import ask, asking
from explorer.engine.items import Emit, Item, Items, LengthBudget, Segment, length
from explorer.engine.part import Options
from explorer.engine.regexes.safe import Alternative

WHAT: Final = "the pre-tokenizer"
"""The name of the stage in errors."""


class PreTokenizeEvent(IntEnum):
    """What a `PreTokenizeRow` says."""

    PIECE = 0
    """This alternative matches the piece [start, end)."""
    FAILED = 1
    """This alternative does not match at `start` (== end)."""
    GAP = 2
    """No alternative matches within [start, end): the text between two matches is a piece, too."""
    REMOVED = 3
    """The match [start, end) is a separator and is dropped."""
    BYTE = 4
    """The byte-to-printable map: byte number `end` of the character at `start` is spelled as the character `choice`."""
    PREFIX = 5
    """The character `choice`, usually a space, is prepended to the piece at `start`."""
    CUT = 6
    """This alternative matches the empty string at `start` (== end): the text is split there."""
    MERGED_PREVIOUS = 7
    """The match [start, end) joins the piece before it."""
    MERGED_NEXT = 8
    """The match [start, end) begins a piece, which the text after it joins."""
    JOINED = 9
    """[start, end) joins the piece before it: it follows a MERGED_NEXT, or (Contiguous) another match."""
    REST_REMOVED = 10
    """No alternative matches within [start, end): it is dropped, because only matches are kept."""
    SPELLED = 11
    """The space [start, end) is written as the character `choice`."""
    NO_PREFIX = 12
    """Nothing is prepended to the piece at `start`: it already begins with that character (end > start), or it is not
    at the beginning of the text (end == start)."""
    SCRIPT = 13
    """The piece [start, end) is of one script, number `choice` of `unicode.versions.NAMES`."""
    LOOK = 14
    """A scanner at `start` reads the character at `end`, of the class `choice`, to decide about its next rule."""
    RUN = 15
    """A scanner reads the run [start, end); the class `choice` ends it, or, if 0, the number of characters."""


# integers: to look up a member of an enum takes as long as to store an event
PIECE, FAILED, GAP, REMOVED, BYTE = map(int, list(PreTokenizeEvent)[:5])
REST_REMOVED, LOOK, RUN = map(int, (PreTokenizeEvent.REST_REMOVED, PreTokenizeEvent.LOOK, PreTokenizeEvent.RUN))


class PreTokenizeRow(NamedTuple):
    """One decision of a pre-tokenizer."""

    kind: int
    """A `PreTokenizeEvent`."""
    start: int
    """First code point in the original text."""
    end: int
    """Index after the last one (BYTE: index of the byte in the character)."""
    choice: int
    """Index of the alternative, counted over all splitters of the stage; -1 for none. BYTE, PREFIX, SPELLED, NO_PREFIX:
    a code point. LOOK, RUN: the code point of a letter of `classes`, `E` after the end of what is scanned."""


class AlternativeMatch(NamedTuple):
    """A match [start, end), and the index of the alternative that matches."""

    start: int
    end: int
    alternative: int


class Behavior(StrEnum):
    """What happens to a match, with Hugging Face's names."""

    REMOVED = "Removed"
    """It is a separator and is dropped."""
    ISOLATED = "Isolated"
    """It is a piece."""
    MERGED_WITH_PREVIOUS = "MergedWithPrevious"
    """It joins the piece before it, unless that is a match, too."""
    MERGED_WITH_NEXT = "MergedWithNext"
    """It joins the piece after it, unless that is a match, too."""
    CONTIGUOUS = "Contiguous"
    """It forms one piece with the matches directly after it."""


class Splitter(Protocol):
    """One step of the stage. Splitters inherit from it."""

    alternatives: tuple[Alternative, ...] = ()
    """The alternatives of its pattern, empty for a splitter without one."""
    unicode: str = ""
    """The version of Unicode whose categories its pattern uses, such as "16"; empty if it uses none."""

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces of one piece. first: the index of its first alternative within the stage."""


class PreTokenization:
    """The stage: splitters applied in turn.

    alternatives: those of all splitters, in the order the rows count them.

    >>> from explorer.engine.pre_tokenizers.patterns import GPT2
    >>> from explorer.engine.pre_tokenizers.by_regex import RegexSplit
    >>> from explorer.engine.items import silent
    >>> part = PreTokenization([RegexSplit(GPT2)])
    >>> [item.text for item in part.run([Segment.of("He's here")], Options(), silent)]
    ['He', "'s", ' here']
    """

    name = "pre-tokenize"
    row = PreTokenizeRow
    kinds = PreTokenizeEvent

    def __init__(self, splitters: Sequence[Splitter]) -> None:
        self.splitters = tuple(splitters)
        self.alternatives: tuple[Alternative, ...] = tuple(a for each in self.splitters for a in each.alternatives)

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        """The items with every segment split. Raises InputError if the text gets too long or the time is up."""
        done: list[Item] = list(items)
        budget = LengthBudget.of(WHAT, done)
        first = 0
        for splitter in self.splitters:
            cut: list[Item] = []
            for item in asking(done, WHAT):
                if isinstance(item, Segment):
                    cut += splitter.split(item, first, emit)
                else:
                    cut.append(item)
            ask(WHAT)
            budget.check(length(cut), splitter)
            done, first = cut, first + len(splitter.alternatives)
        return done


def matches_and_gaps(matches: Iterable[AlternativeMatch], size: int) -> Iterator[AlternativeMatch]:
    """The matches and, as alternative -1, the gaps between them; together they cover the `size` characters of the text.

    >>> [tuple(each) for each in matches_and_gaps([AlternativeMatch(1, 2, 0)], 3)]
    [(0, 1, -1), (1, 2, 0), (2, 3, -1)]
    """
    at = 0
    for match in matches:
        if match.start > at:
            yield AlternativeMatch(at, match.start, -1)
        yield match
        at = match.end
    if at < size:
        yield AlternativeMatch(at, size, -1)


def split_at(
    piece: Segment,
    matches: Iterable[AlternativeMatch],
    first: int,
    emit: Emit,
    behavior: Behavior = Behavior.ISOLATED,
    *,
    invert: bool = False,
) -> list[Segment]:
    """The pieces that the matches and the gaps between them form.

    invert: the behavior applies to the gaps instead of the matches.

    >>> from explorer.engine.items import silent
    >>> dots = [AlternativeMatch(1, 2, 0), AlternativeMatch(2, 3, 0)]
    >>> for behavior in Behavior:
    ...     print([each.text for each in split_at(Segment.of("a--b"), dots, 0, silent, behavior)])
    ['a', 'b']
    ['a', '-', '-', 'b']
    ['a-', '-', 'b']
    ['a', '-', '-b']
    ['a', '--', 'b']
    """
    if behavior in JOINING:
        return _split_joining(
            piece, list(matches_and_gaps(matches, len(piece.text))), first, emit, behavior, invert=invert
        )
    text, starts, ends = piece
    removed = behavior == Behavior.REMOVED
    pieces: list[Segment] = []
    for start, end, alternative in matches_and_gaps(matches, len(text)):
        if alternative >= 0:
            where = starts[start] if start < len(text) else ends[-1]
            for failed in range(first, first + alternative):
                emit(FAILED, where, where, failed)
            if start == end:
                emit(PreTokenizeEvent.CUT, where, where, first + alternative)
                continue
            kept = invert or not removed
            emit(PIECE if kept else REMOVED, where, ends[end - 1], first + alternative)
        else:
            kept = not (invert and removed)
            emit(GAP if kept else REST_REMOVED, starts[start], ends[end - 1], -1)
        if kept:
            pieces.append(piece if end - start == len(text) else piece.slice(start, end))
    return pieces


JOINING = frozenset((Behavior.MERGED_WITH_PREVIOUS, Behavior.MERGED_WITH_NEXT, Behavior.CONTIGUOUS))
"""The behaviors that join matches and gaps."""


def _split_joining(
    piece: Segment, parts: Sequence[AlternativeMatch], first: int, emit: Emit, behavior: Behavior, *, invert: bool
) -> list[Segment]:
    """`split_at` with one of these behaviors. parts: the matches and the gaps."""
    text, starts, ends = piece
    affected = [(part.alternative >= 0) != invert for part in parts]
    pieces: list[Segment] = []
    begin = 0
    """the start of the current piece"""
    for index, (start, end, alternative) in enumerate(parts):
        where = starts[start] if start < len(text) else ends[-1]
        for failed in range(first, first + alternative):
            emit(FAILED, where, where, failed)
        joins, continues = _joins(affected, index, behavior), _joins(affected, index + 1, behavior)
        begin = begin if joins else start
        if start == end:
            kind = PreTokenizeEvent.CUT
        elif begin < start:
            merged = behavior == Behavior.MERGED_WITH_PREVIOUS
            kind = PreTokenizeEvent.MERGED_PREVIOUS if merged else PreTokenizeEvent.JOINED
        elif continues and behavior == Behavior.MERGED_WITH_NEXT:
            kind = PreTokenizeEvent.MERGED_NEXT
        else:
            kind = PreTokenizeEvent.PIECE if alternative >= 0 else PreTokenizeEvent.GAP
        choice = first + alternative if alternative >= 0 else -1
        emit(kind, where, ends[end - 1] if end > start else where, choice)
        if not continues and end > begin:
            pieces.append(piece if end - begin == len(text) else piece.slice(begin, end))
    return pieces


def _joins(affected: Sequence[bool], index: int, behavior: Behavior) -> bool:
    """Whether a match or gap joins the one before it. affected: whether the behavior applies to each of them."""
    if not 0 < index < len(affected):
        return False
    before, this = affected[index - 1], affected[index]
    if behavior == Behavior.CONTIGUOUS:
        return before == this
    if behavior == Behavior.MERGED_WITH_PREVIOUS:
        return this and not before
    return before and not this
