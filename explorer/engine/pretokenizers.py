"""Pre-tokenizers: the text is cut into pieces before the model sees it, and no merge crosses a cut.

A stage is a list of splitters applied in turn, each to every piece of the one before: a regular expression, a
hand-written scanner, single digits, or the byte-to-printable map of byte-level BPE (which cuts nothing but changes how
a piece is spelled). Follows the pre-tokenizers of Hugging Face's `tokenizers` (Split, ByteLevel, Digits, Sequence),
tiktoken's one pattern and llama.cpp's `unicode_regex_split`, where several patterns are applied in turn.

For every piece the trace says which alternative of the pattern took it and which earlier ones were tried at that place
and failed. Left out: Split behaviours other than `Removed` and `Isolated`, and inverted patterns.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol

import regex

from explorer.engine.byte_map import PRINTABLE, printable
from explorer.engine.items import Item, Items, Segment
from explorer.engine.options import Options
from explorer.engine.patterns import Alternative, Pattern
from explorer.engine.scanners import Found, Scanner
from explorer.errors import InputError
from explorer.trace import Emit, silent


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
    """A space was put in front of the piece at `start`."""


class PreTokenizeRow(NamedTuple):
    """One decision of a pre-tokenizer."""

    kind: int
    """A `PreTokenize`."""
    start: int
    """First code point of the original text."""
    end: int
    """One after the last (BYTE: which byte of the character, from 0)."""
    choice: int
    """Which of the stage's alternatives, counted over all its splitters; -1 for GAP (BYTE: a code point)."""


class Splitter(Protocol):
    """Cuts one piece. `first` is the number of its first alternative within the stage."""

    @property
    def alternatives(self) -> tuple[Alternative, ...]: ...

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]: ...


class PreTokenization:
    """The stage: splitters applied in turn.

    alternatives: of all splitters, one after the other, as the rows count them.

    >>> from explorer.engine.patterns import GPT2
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
        first = 0
        for splitter in self.splitters:
            cut: list[Item] = []
            for item in done:
                if isinstance(item, Segment):
                    cut += splitter.split(item, first, emit)
                else:
                    cut.append(item)
            done, first = cut, first + len(splitter.alternatives)
        return done


def part_of(piece: Segment, start: int, end: int) -> Segment:
    """Code points [start, end) of a piece, with their alignment."""
    return Segment(piece.text[start:end], piece.starts[start:end], piece.ends[start:end])


def cut_at(piece: Segment, matches: Iterator[Found], first: int, emit: Emit, *, removed: bool = False) -> list[Segment]:
    """The pieces that matches and the gaps between them make."""
    text, starts, ends = piece
    found: list[Segment] = []
    at = 0
    for start, end, alternative in matches:
        if start > at:
            emit(PreTokenize.GAP, starts[at], ends[start - 1], -1)
            found.append(part_of(piece, at, start))
        for failed in range(alternative):
            emit(PreTokenize.FAILED, starts[start], starts[start], first + failed)
        emit(PreTokenize.REMOVED if removed else PreTokenize.PIECE, starts[start], ends[end - 1], first + alternative)
        if not removed:
            found.append(part_of(piece, start, end))
        at = end
    if at < len(text):
        emit(PreTokenize.GAP, starts[at], ends[-1], -1)
        found.append(part_of(piece, at, len(text)) if at else piece)
    return found


class RegexSplit:
    """Cuts by a regular expression, run by the `regex` module: one group an alternative tells which one matched.

    removed: the matches are separators and are left out (Hugging Face's behaviour `Removed`).

    Raises InputError where the expression cannot be compiled.
    """

    def __init__(self, pattern: Pattern, *, removed: bool = False) -> None:
        self.pattern = pattern
        self.removed = removed
        self.alternatives = pattern.alternatives
        whole = "|".join(f"(?P<a{place}>{each.runs})" for place, each in enumerate(pattern.alternatives))
        try:
            self.regex = regex.compile(whole, regex.VERSION0)
        except regex.error as error:
            raise InputError(
                f"the pre-tokenizer pattern {pattern.regex!r} cannot be read ({error}); repair the file"
            ) from None

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return cut_at(piece, self.matches(piece.text), first, emit, removed=self.removed)

    def matches(self, text: str) -> Iterator[Found]:
        """The matches from the left, empty ones passed over, each with its alternative."""
        for match in self.regex.finditer(text):
            start, end = match.span()
            if end > start:
                yield Found(start, end, int((match.lastgroup or "a0")[1:]))


class ScannerSplit:
    """Cuts by a hand-written scanner, as llama.cpp does for the three patterns it has one for."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.alternatives = scanner.alternatives

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return cut_at(piece, self.scanner.scan(piece.text), first, emit)


class Digits:
    """Cuts numbers out: every run of them, or each one alone. Hugging Face's `Digits`, which asks Rust's
    `char::is_numeric`, that is \\p{N}.

    >>> [piece.text for piece in Digits(individual=True).split(Segment.of("a12"), 0, silent)]
    ['a', '1', '2']
    """

    def __init__(self, individual: bool) -> None:
        says = "One number, always alone." if individual else "A run of numbers."
        self.alternatives = (Alternative(r"\p{N}" if individual else r"\p{N}+", says),)
        self._regex = RegexSplit(Pattern("digits", "Hugging Face tokenizers, Digits", self.alternatives))

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return self._regex.split(piece, first, emit)


class ByteLevel:
    """Spells every byte of a piece as a printable character (`byte_map`); cuts nothing.

    add_prefix_space: puts a space in front of each piece that does not begin with white space.

    >>> piece, = ByteLevel().split(Segment.of(" é"), 0, silent)
    >>> piece.text, list(piece.starts)
    ('ĠÃ©', [0, 1, 1])
    """

    alternatives: tuple[Alternative, ...] = ()

    def __init__(self, add_prefix_space: bool = False) -> None:
        self.add_prefix_space = add_prefix_space

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        piece = with_prefix_space(piece, emit) if self.add_prefix_space else piece
        text, starts, ends = piece
        spelled = printable(text.encode())
        if emit is not silent:  # nobody would hear it, and it is every byte
            for ch, start in zip(text, starts, strict=True):
                for number, byte in enumerate(ch.encode()):
                    emit(PreTokenize.BYTE, start, number, ord(PRINTABLE[byte]))
        if len(spelled) == len(text):
            return [Segment(spelled, starts, ends)]
        new_starts, new_ends = array("i"), array("i")
        for ch, start, end in zip(text, starts, ends, strict=True):
            size = 1 if ch < "\x80" else 2 if ch < "\u0800" else 3 if ch < "\U00010000" else 4
            new_starts.extend((start,) * size)
            new_ends.extend((end,) * size)
        return [Segment(spelled, new_starts, new_ends)]


class PrefixSpace:
    """Puts a space in front of each piece that does not begin with white space; stands before ByteLevel's pattern."""

    alternatives: tuple[Alternative, ...] = ()

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        return [with_prefix_space(piece, emit)]


def with_prefix_space(piece: Segment, emit: Emit) -> Segment:
    """The piece with a space in front, where there is none. Hugging Face asks for the plain space only."""
    text, starts, ends = piece
    if text.startswith(" "):
        return piece
    emit(PreTokenize.PREFIX, starts[0], starts[0], ord(" "))
    return Segment(" " + text, array("i", [starts[0], *starts]), array("i", [starts[0], *ends]))
