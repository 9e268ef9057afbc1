"""llama.cpp's hand-written scanners: classes of code points instead of a regex, and the splitter that runs them.

llama.cpp selects one of the functions `unicode_regex_split_custom_*` in its `src/unicode.cpp` by the text of a pattern
(`SCANNERS`). At each position a scanner tries rules in order; rule i is alternative i of the scanner's pattern. The
scanners for GPT-2, Llama 3, Qwen 2 and Qwen 3.5 cut every text as their patterns do, with two exceptions: a contraction
consists of ASCII letters only (not `'ſ`), and letters and numbers are those of Unicode 15.1, as in llama.cpp. Others do
what llama.cpp's patterns could not express, and two differ from the model's own pattern: `kimi_k2` does not handle
marks, and `thirds` joins the first digits to the text before them.

Two rules take what another alternative would take: white space at the end of a text goes to the last rule, and in Llama
3 and Qwen a single space at the end to the rule for signs, which asks only that no letter, number or white space
follows.

Scanners decide by the class of a code point (`classes`): letters and numbers of Unicode 15.1, white space as an
explicit list, as in llama.cpp's `src/unicode-data.cpp`. A scanner reads a class through `_get_flags`, which has no flag
set after the end of the text. What a scanner reads is noted as it is read (`Notes`): a rule that fails, a look-ahead,
the end of a run.

`thousands` does in linear time what llama.cpp does with a regex in quadratic time.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from explorer.engine.part import BLOCK, Emit, Segment, emit_rows, silent
from explorer.engine.pre_tokenizers.by_regex import (
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
from explorer.engine.pre_tokenizers.patterns import ALTERNATIVES, LLAMA3
from explorer.engine.pre_tokenizers.patterns_llama_cpp import (
    AFMOE_DIGITS,
    GPT2_SHORT,
    KIMI_K2,
    LINE_FEEDS,
    LLAMA3_ASCII,
    QWEN2_ASCII,
    QWEN35,
    THOUSANDS,
    TINY_AYA_DIGITS,
)
from explorer.engine.regexes.safe import Alternative, Pattern
from explorer.text import WHITE_SPACE
from explorer.text.code_points import HAN_RANGES, major_category

LETTER, NUMBER, SPACE, OTHER, END = "L", "N", "S", "O", "E"
"""Classes of code points; END comes after the text."""


class _Classes(dict[int, str]):
    """Code point → class, filled on demand; for `str.translate`. of: general category → class."""

    def __init__(self, of: Mapping[str, str]) -> None:
        self.of = of

    def __missing__(self, code_point: int) -> str:
        # unassigned code points are OTHER
        of = self.of.get(major_category(code_point), OTHER)
        found = SPACE if code_point in WHITE_SPACE else of
        self[code_point] = found
        return found


_CLASSES = _Classes({"L": LETTER, "N": NUMBER})
_WITH_MARKS = _Classes({"L": LETTER, "M": LETTER, "N": NUMBER})


def classes(text: str) -> str:
    """The class of each code point, then END.

    >>> classes("a １\\n!")
    'LSNSOE'
    """
    return text.translate(_CLASSES) + END


def classes_with_marks(text: str) -> str:
    """The same, but marks are letters.

    >>> classes("e\\u0301"), classes_with_marks("e\\u0301")
    ('LOE', 'LLE')
    """
    return text.translate(_WITH_MARKS) + END


CPT_HAN = (*HAN_RANGES, (0x2B820, 0x2CEAF), (0x2CEB0, 0x2EBEF))
"""The ranges of llama.cpp's `unicode_cpt_is_han`; not all that Unicode calls Han."""


def is_cpt_han(ch: str) -> bool:
    """Whether one character is Chinese for llama.cpp's `unicode_cpt_is_han`; False for the empty string.

    >>> is_cpt_han("漢"), is_cpt_han("々"), is_cpt_han("")
    (True, False, False)
    """
    return ch >= "\u3400" and any(low <= ord(ch) <= high for low, high in CPT_HAN)


Notes = list[int]
"""Four integers for each: the kind of event, two indices in the scanned text, and a rule or the code point of a class.
A list, because a call for each would take as long as the scanning."""

FULL = 0
"""In place of the class that ends a run: it has as many characters as the rule takes."""


def contraction(text: str, at: int, any_case: bool) -> int:
    """The length of `'s 't 'm 'd 're 've 'll` at index `at`, 0 for none."""
    if text[at] != "'":
        return 0
    after = text[at + 1 : at + 3]
    if any_case:
        # not str.lower: only what llama.cpp's one-to-one lower case turns into these ASCII letters
        after = "".join(ch.lower() if ch.isascii() else ch for ch in after)
    if after[:1] in ("s", "t", "m", "d"):
        return 2
    return 3 if after in ("re", "ve", "ll") else 0


def note_contraction(kinds: str, at: int, length: int, notes: Notes) -> None:
    """Notes what a scanner reads after the apostrophe at index `at` to find that length: the second character only if
    the first is not enough.
    """
    for ahead in range(at + 1, min(at + (2 if length == 2 else 3), len(kinds) - 1)):
        notes += (LOOK, at, ahead, ord(kinds[ahead]))


def run(kinds: str, at: int, kind: str) -> int:
    """The end of the run of one class that begins at `at`."""
    while kinds[at] == kind:
        at += 1
    return at


def gpt2(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Scans as GPT-2.

    >>> [(" He's  so"[f.start : f.end], f.alternative) for f in gpt2(" He's  so")]
    [(' He', 1), ("'s", 0), (' ', 4), (' so', 1)]
    """
    kinds, at = classes(text), 0
    while at < len(text):
        start, space = at, text[at] == " "
        size = contraction(text, at, any_case=False)
        if notes is not None:
            if text[at] == "'":
                note_contraction(kinds, at, size, notes)
            if not size:
                notes += (FAILED, at, at, 0)
                if space:
                    notes += (LOOK, at, at + 1, ord(kinds[at + 1]))
        # a single space joins the run after it
        lead = kinds[at + space]
        if size:
            at, rule = at + size, 0
        elif lead in (LETTER, NUMBER, OTHER):
            at, rule = run(kinds, at + space, lead), (LETTER, NUMBER, OTHER).index(lead) + 1
            if notes is not None:
                for failed in range(1, rule):
                    notes += (FAILED, start, start, failed)
                notes += (RUN, start + space, at, ord(kinds[at]))
        else:
            if notes is not None:
                notes += (FAILED, at, at, 1, FAILED, at, at, 2, FAILED, at, at, 3)
            end = run(kinds, at, SPACE)
            if notes is not None:
                notes += (RUN, at, end, ord(kinds[end]))
            at, rule = _white_space(kinds, at, end, 4, notes)
        yield AlternativeMatch(start, at, rule)


def _white_space(kinds: str, at: int, end: int, rule: int, notes: Notes | None) -> tuple[int, int]:
    """The rules `\\s+(?!\\S)` and `\\s+` for the run of white space [at, end): the end of the match, and the rule."""
    if end - at > 1:
        if notes is not None:
            notes += (LOOK, at, end, ord(kinds[end]))
        if kinds[end] != END:
            return end - 1, rule
    if notes is not None:
        notes += (FAILED, at, at, rule)
    return end, rule + 1


def llama3(
    text: str, notes: Notes | None = None, *, numbers: int = 3, classes_of: Callable[[str], str] = classes
) -> Iterator[AlternativeMatch]:
    """Scans as Llama 3 and Qwen, which differ in the digits of a piece (`numbers`) and in what is a letter.

    >>> [f.end for f in llama3("1234 a")], [f.end for f in llama3("123", numbers=1)]
    ([3, 4, 6], [1, 2, 3])
    """
    kinds = classes_of(text)
    at = 0
    while at < len(text):
        kind = kinds[at]
        size = contraction(text, at, any_case=True)
        if notes is not None:
            if text[at] == "'":
                note_contraction(kinds, at, size, notes)
            if not size:
                notes += (FAILED, at, at, 0)
        looks = not size and kind not in (LETTER, NUMBER) and text[at] not in "\r\n"
        if looks and notes is not None:
            notes += (LOOK, at, at + 1, ord(kinds[at + 1]))
        if size:
            end = at + size
            yield AlternativeMatch(at, end, 0)
        elif kind == LETTER or (looks and kinds[at + 1] == LETTER):
            end = run(kinds, at + 1, LETTER)
            if notes is not None:
                notes += (RUN, at if kind == LETTER else at + 1, end, ord(kinds[end]))
            yield AlternativeMatch(at, end, 1)
        else:
            if notes is not None:
                notes += (FAILED, at, at, 1)
            end = at
            for match in _not_letters(text, kinds, at, numbers, True, notes):
                yield match
                end = match.end
        at = end


def _not_letters(
    text: str, kinds: str, at: int, numbers: int, lone: bool, notes: Notes | None
) -> Iterator[AlternativeMatch]:
    """The rules of Llama 3 after those for letters; of a run of numbers all pieces.

    numbers: the maximum number of digits of a piece. lone: a single space at the end of the text goes to the rule for
    signs.
    """
    if kinds[at] == NUMBER:
        yield from _numbers(kinds, at, numbers, notes)
        return
    space = text[at] == " "
    if notes is not None:
        notes += (FAILED, at, at, 2)
        if space:
            notes += (LOOK, at, at + 1, ord(kinds[at + 1]))
    if kinds[at + space] == OTHER or (lone and kinds[at + space] == END):
        signs = end = run(kinds, at + space, OTHER)
        while text[end : end + 1] in ("\r", "\n"):
            end += 1
        if notes is not None and signs > at + space:
            notes += (RUN, at + space, signs, ord(kinds[signs]))
        if notes is not None and end > signs:
            notes += (RUN, signs, end, ord(kinds[end]))
        yield AlternativeMatch(at, end, 3)
        return
    end = run(kinds, at, SPACE)
    if notes is not None:
        notes += (FAILED, at, at, 3, RUN, at, end, ord(kinds[end]))
    last = max(text.rfind("\n", at, end), text.rfind("\r", at, end))
    if last >= 0:
        yield AlternativeMatch(at, last + 1, 4)
        return
    if notes is not None:
        notes += (FAILED, at, at, 4)
    yield AlternativeMatch(at, *_white_space(kinds, at, end, 5, notes))


def _numbers(kinds: str, at: int, most: int, notes: Notes | None) -> Iterator[AlternativeMatch]:
    """The pieces of a run of numbers. One at a time needs no run: the scanner goes back to its first rule."""
    if most == 1:
        yield AlternativeMatch(at, at + 1, 2)
        return
    start = at
    while kinds[at] == NUMBER:
        at += 1
        if at - start == most:
            if notes is not None:
                notes += (RUN, start, at, FULL)
            yield AlternativeMatch(start, at, 2)
            start = at
    if at > start:
        if notes is not None:
            notes += (RUN, start, at, ord(kinds[at]))
        yield AlternativeMatch(start, at, 2)


def kimi_k2(text: str, notes: Notes | None = None) -> Iterator[AlternativeMatch]:
    """Scans as Kimi K2: as Llama 3, but runs of Chinese characters are pieces and a contraction stays with its word.

    >>> [("It's漢字a"[f.start : f.end], f.alternative) for f in kimi_k2("It's漢字a")]
    [("It's", 1), ('漢字', 0), ('a', 1)]
    """
    kinds, at = classes(text), 0
    while at < len(text):
        start, kind = at, kinds[at]
        if is_cpt_han(text[at]):
            while is_cpt_han(text[at : at + 1]):
                at += 1
            if notes is not None:
                notes += (RUN, start, at, ord(kinds[at]))
            yield AlternativeMatch(start, at, 0)
            continue
        looks = kind not in (LETTER, NUMBER) and text[at] not in "\r\n"
        if notes is not None:
            notes += (FAILED, at, at, 0)
            if looks:
                notes += (LOOK, at, at + 1, ord(kinds[at + 1]))
        # one character that is not a letter may join the letters after it
        letters = at + looks
        if kinds[letters] == LETTER and not is_cpt_han(text[letters]):
            at = letters
            while kinds[at] == LETTER and not is_cpt_han(text[at]):
                at += 1
            length = contraction(text, at, any_case=True) if at < len(text) else 0
            if notes is not None:
                notes += (RUN, letters, at, ord(kinds[at]))
                if text[at : at + 1] == "'":
                    note_contraction(kinds, at, length, notes)
            at += length
            yield AlternativeMatch(start, at, 1)
            continue
        if notes is not None:
            notes += (FAILED, at, at, 1)
        for match in _not_letters(text, kinds, at, 3, False, notes):
            yield match
            at = match.end


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


WHITE_SPACE_ALTERNATIVES = (
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


DIGITS = re.compile("[0-9]+")


KIMI_K2_ALTERNATIVES = (
    KIMI_K2.alternatives[0],
    Alternative(
        rf"[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}&&[^\p{{Han}}]]+{ALTERNATIVES['CONTRACTION'].regex}?",
        "Letters that are not Chinese, with one character in front that is not a letter, number or line break, and "
        "the end of a contraction after it. A mark ends the word.",
    ),
    *LLAMA3.alternatives[2:-2],
    *WHITE_SPACE_ALTERNATIVES,
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
    before = next(
        index for index, each in enumerate(pattern.alternatives) if each.regex == WHITE_SPACE_ALTERNATIVES[0].regex
    )
    return _scanner(pattern, scan, source, (*pattern.alternatives[:before], *WHITE_SPACE_ALTERNATIVES), kinds)


_SPLIT = "unicode_regex_split_custom_"
_QWEN35 = partial(llama3, numbers=1, classes_of=classes_with_marks)

SCANNERS = dict(
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

LINEAR = dict([_scanner(THOUSANDS, thousands, "")])
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
