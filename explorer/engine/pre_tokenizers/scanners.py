"""llama.cpp's hand-written scanners: classes of code points instead of a regex, and the splitter that runs them.

llama.cpp selects one of the functions `unicode_regex_split_custom_*` in its `src/unicode.cpp` by the text of a pattern
(`SCANNERS`). At each position a scanner tries rules in order; they implement the alternatives of the pattern. The
scanners for GPT-2, Llama 3 and Qwen 2 cut every text as their patterns do, with two exceptions: a contraction consists
of ASCII letters only (not `'ſ`), and letters and numbers are those of Unicode 15.1, as in llama.cpp. Others do what
llama.cpp's patterns could not express, and two differ from the model's own pattern: `kimi_k2` does not handle marks,
and `thirds` joins the first digits to the text before them.

`thousands` does in linear time what llama.cpp does with a regex in quadratic time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, NamedTuple, Protocol

from explorer.engine.items import BLOCK, Emit, Segment, emit_rows, silent
from explorer.engine.pre_tokenizers.patterns import LLAMA3
from explorer.engine.pre_tokenizers.patterns_llama_cpp import (
    AFMOE_DIGITS,
    CONTRACTION,
    GPT2_SHORT,
    KIMI_K2,
    LINE_FEEDS,
    LLAMA3_ASCII,
    QWEN2_ASCII,
    QWEN35,
    THOUSANDS,
    TINY_AYA_DIGITS,
)
from explorer.engine.pre_tokenizers.stage import (
    FAILED,
    GAP,
    LOOK,
    PIECE,
    RUN,
    AlternativeMatch,
    Splitter,
    matches_and_gaps,
    split_at,
)
from explorer.engine.pre_tokenizers.word_scanners import (
    NUMBER,
    Notes,
    classes,
    classes_with_marks,
    gpt2,
    kimi_k2,
    llama3,
    run,
)
from explorer.engine.regexes.safe import Alternative, Pattern


class Scan(Protocol):
    """Yields the pieces of a text from the left; notes what it reads."""

    def __call__(self, text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
        """The pieces of a text."""


class Scanner(NamedTuple):
    """A scanner.

    alternatives: of the pattern that it replaces, one for each rule. source: the name of the function in llama.cpp
    that it follows; empty for one that llama.cpp does not have. classes: the class of each code point.
    """

    name: str
    scan: Scan
    alternatives: tuple[Alternative, ...]
    source: str
    classes: Callable[[str], str] = classes


WHITE_SPACE: Final = (
    LLAMA3.alternatives[-2]._replace(
        says="White space before a word, except its last character, which the word takes."
    ),
    LLAMA3.alternatives[-1]._replace(
        says="The remaining white space: all of it at the end of the text, otherwise one character before a word."
    ),
)
"""The last two rules of the scanners for words: only the last one takes white space at the end of a text."""


def thirds(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Digits in threes, counted from their end. The text before the first group joins it, as in llama.cpp.

    >>> ["abc1234567 8"[f.start : f.end] for f in thirds("abc1234567 8")]
    ['abc1', '234', '567', ' 8']
    """
    kinds, at, cut = classes(text), 0, 0
    while at < len(text):
        if kinds[at] != NUMBER:
            if notes is not None:
                notes += (FAILED, at, at, 0)
            at += 1
            continue
        end = run(kinds, at, NUMBER)
        if notes is not None:
            notes += (RUN, at, end, ord(kinds[end]))
        size = (end - at) % 3 or 3
        while at < end:
            at, size = at + size, 3
            yield AlternativeMatch(cut, at, 0)
            cut = at


def line_feeds(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Lines, and the runs of line feeds between them.

    >>> [(f.end, f.alternative) for f in line_feeds("a b\\n\\nc")]
    [(3, 0), (5, 1), (6, 0)]
    """
    kinds, at = classes(text) if notes is not None else "", 0
    while at < len(text):
        start, is_feed = at, text[at] == "\n"
        while at < len(text) and (text[at] == "\n") == is_feed:
            at += 1
        if notes is not None:
            if is_feed:
                notes += (FAILED, start, start, 0)
            notes += (RUN, start, at, ord(kinds[at]))
        yield AlternativeMatch(start, at, int(is_feed))


def thousands(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Empty matches before each third ASCII digit, counted from the end of the digits.

    >>> [f.start for f in thousands("a1234567 12")]
    [2, 5]
    """
    for digits in DIGITS.finditer(text):
        start, end = digits.span()
        for at in range(end - (end - start) // 3 * 3, end, 3):
            yield AlternativeMatch(at, at, 0)


DIGITS: Final = re.compile("[0-9]+")


KIMI_K2_ALTERNATIVES: Final = (
    KIMI_K2.alternatives[0],
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}&&[^\p{{Han}}]]+{CONTRACTION.regex}?",
        "Letters that are not Chinese, with one character in front that is not a letter, number or line break, and "
        "the end of a contraction after it. A mark ends the word.",
    ),
    *LLAMA3.alternatives[2:-2],
    *WHITE_SPACE,
)
"""The branches of its scanner, written as a pattern; llama.cpp has no text for them."""


def _scanner(
    pattern: Pattern,
    scan: Scan,
    source: str,
    alternatives: tuple[Alternative, ...] = (),
    kinds: Callable[[str], str] = classes,
) -> tuple[str, Scanner]:
    """The text of a pattern, and a scanner with its rules, or with others."""
    return pattern.regex, Scanner(pattern.name, scan, alternatives or pattern.alternatives, source, kinds)


def _words(pattern: Pattern, scan: Scan, source: str, kinds: Callable[[str], str] = classes) -> tuple[str, Scanner]:
    """The same for a pattern that ends in the alternatives for white space."""
    before = next(index for index, each in enumerate(pattern.alternatives) if each.regex == WHITE_SPACE[0].regex)
    return _scanner(pattern, scan, source, (*pattern.alternatives[:before], *WHITE_SPACE), kinds)


_SPLIT: Final = "unicode_regex_split_custom_"
_QWEN35: Final = partial(llama3, numbers=1, classes_of=classes_with_marks)

SCANNERS: Final = dict(
    (
        _words(GPT2_SHORT, gpt2, f"{_SPLIT}gpt2"),
        _words(LLAMA3_ASCII, llama3, f"{_SPLIT}llama3"),
        _words(QWEN2_ASCII, partial(llama3, numbers=1), f"{_SPLIT}qwen2"),
        _words(QWEN35, _QWEN35, f"{_SPLIT}qwen35", classes_with_marks),
        _scanner(KIMI_K2, kimi_k2, f"{_SPLIT}kimi_k2", KIMI_K2_ALTERNATIVES),
        _scanner(AFMOE_DIGITS, thirds, f"{_SPLIT}afmoe"),
        _scanner(TINY_AYA_DIGITS, thirds, f"{_SPLIT}afmoe"),
        _scanner(LINE_FEEDS, line_feeds, f"{_SPLIT}newlines"),
    )
)
"""The scanners by the text of the pattern that llama.cpp runs them for."""

LINEAR: Final = dict([_scanner(THOUSANDS, thousands, "")])
"""Linear scanners for patterns that llama.cpp runs as regexes, in quadratic time."""


def scanner_of(pattern: Pattern) -> Scanner | None:
    """The scanner for a pattern; None if the pattern itself is run."""
    return SCANNERS.get(pattern.regex) or LINEAR.get(pattern.regex)


class ScannerSplit(Splitter):
    """Splits by a hand-written scanner, as llama.cpp does for the patterns it has one for."""

    unicode = "15.1"

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.alternatives = scanner.alternatives

    def split(self, piece: Segment, first: int, emit: Emit) -> list[Segment]:
        """The pieces that the scanner finds."""
        if emit is silent or not self.scanner.source:
            return split_at(piece, self.scanner.scan(piece.text), first, emit)
        size = len(piece.text)
        notes: Notes = []
        pieces: list[Segment] = []
        for start, end, alternative in matches_and_gaps(self.scanner.scan(piece.text, notes), size):
            notes += (PIECE if alternative >= 0 else GAP, start, end, alternative)
            pieces.append(piece if end - start == size else piece.slice(start, end))
            if len(notes) >= BLOCK:
                place(notes, piece, first)
                emit_rows(emit, notes)
                notes.clear()
        place(notes, piece, first)
        emit_rows(emit, notes)
        return pieces


def place(notes: Notes, piece: Segment, first: int) -> None:
    """Makes rows of notes: positions of the original text in place of indices, alternatives counted from `first`.

    >>> notes = [FAILED, 1, 1, 0, PIECE, 1, 2, 1]
    >>> place(notes, Segment.of("x!", 7), 3)
    >>> notes
    [1, 8, 8, 3, 0, 8, 9, 4]
    """
    _, starts, ends = piece
    if isinstance(starts, range) and isinstance(ends, range):
        # unchanged text: every index is as far from its position
        if shift := starts[0]:
            notes[1::4] = [at + shift for at in notes[1::4]]
            notes[2::4] = [at + shift for at in notes[2::4]]
    else:
        for at in range(0, len(notes), 4):
            kind, start, index = notes[at : at + 3]
            notes[at + 1] = where = starts[start]
            looks = kind == LOOK and index < len(starts)
            notes[at + 2] = where if kind == FAILED else starts[index] if looks else ends[index - 1]
    if first:
        for at in range(0, len(notes), 4):
            if notes[at] in (FAILED, PIECE):
                notes[at + 3] += first
