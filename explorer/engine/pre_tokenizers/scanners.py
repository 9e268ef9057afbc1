"""Hand-written scanners, which llama.cpp runs for some of its patterns: classes of code points instead of a regex.

Follows the functions `unicode_regex_split_custom_*` in llama.cpp's `src/unicode.cpp`, which it selects by the text of a
pattern (`SCANNERS`). At each position a scanner decides which alternative matches and where the piece ends; the numbers
in the branches are indices of alternatives. The scanners for GPT-2, Llama 3 and Qwen 2 agree with their patterns on
every text, with two exceptions: a contraction consists of ASCII letters only (not `'ſ`), and letters and numbers are
those of Unicode 15.1, as in llama.cpp. Others do what llama.cpp's patterns could not express, and two differ from the
model's own pattern: `kimi_k2` does not handle marks, and `thirds` joins the first digits to the text before them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

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
from explorer.engine.regexes.pattern import Alternative, Pattern
from explorer.text import WHITE_SPACE
from explorer.text.code_points import HAN_RANGES
from explorer.text.unicode_versions import major_category

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
"""The same, but marks are letters."""


def classes(text: str) -> str:
    """The class of each code point, then END.

    >>> classes("a １\\n!")
    'LSNSOE'
    """
    return text.translate(_CLASSES) + END


class AlternativeMatch(NamedTuple):
    """A match [start, end), and the index of the alternative that matches."""

    start: int
    end: int
    alternative: int


Scan = Callable[[str], Iterator[AlternativeMatch]]
"""Yields the pieces of a text from the left."""


class Scanner(NamedTuple):
    """A scanner, and the alternatives that its branches implement."""

    name: str
    scan: Scan
    alternatives: tuple[Alternative, ...]


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


def run(kinds: str, at: int, kind: str) -> int:
    """The end of the run of one class that begins at `at`."""
    while kinds[at] == kind:
        at += 1
    return at


def white_space(kinds: str, at: int) -> tuple[int, bool]:
    """For `\\s+(?!\\S)|\\s+`: the end of the match, and whether the first of the two matches."""
    end = run(kinds, at, SPACE)
    if kinds[end] == END:
        return end, True
    if end - at > 1:
        return end - 1, True
    return end, False


def gpt2(text: str) -> Iterator[AlternativeMatch]:
    """Scans as GPT-2.

    >>> [(" He's  so"[f.start : f.end], f.alternative) for f in gpt2(" He's  so")]
    [(' He', 1), ("'s", 0), (' ', 4), (' so', 1)]
    """
    kinds, at = classes(text), 0
    while at < len(text):
        start = at
        size = contraction(text, at, any_case=False)
        # a single space joins the run after it
        lead = kinds[at + 1] if text[at] == " " else kinds[at]
        if size:
            at, alternative = at + size, 0
        elif lead in (LETTER, NUMBER, OTHER):
            at = run(kinds, at + (text[at] == " "), lead)
            alternative = (LETTER, NUMBER, OTHER).index(lead) + 1
        else:
            at, gives_back = white_space(kinds, at)
            alternative = 4 if gives_back else 5
        yield AlternativeMatch(start, at, alternative)


def _llama3(text: str, numbers: int, kinds: str) -> Iterator[AlternativeMatch]:
    """Scans as Llama 3 and Qwen, which differ in the digits of a piece (`numbers`) and in what is a letter."""
    at = 0
    while at < len(text):
        start, kind = at, kinds[at]
        size = contraction(text, at, any_case=True)
        if size:
            at, alternative = at + size, 0
        elif kind == LETTER or (kind != NUMBER and text[at] not in "\r\n" and kinds[at + 1] == LETTER):
            at, alternative = run(kinds, at + 1, LETTER), 1
        else:
            at, alternative = _not_letters(text, kinds, at, numbers)
        yield AlternativeMatch(start, at, alternative)


def _not_letters(text: str, kinds: str, at: int, numbers: int) -> tuple[int, int]:
    """The alternatives of Llama 3 after those for letters: the end of the match, and the index of the alternative.

    numbers: the maximum number of digits of a piece.
    """
    space = text[at] == " "
    if kinds[at] == NUMBER:
        end = at + 1
        while end < at + numbers and kinds[end] == NUMBER:
            end += 1
        return end, 2
    if kinds[at + space] == OTHER:
        end = run(kinds, at + space, OTHER)
        while text[end : end + 1] in ("\r", "\n"):
            end += 1
        return end, 3
    end = run(kinds, at, SPACE)
    last = max(text.rfind("\n", at, end), text.rfind("\r", at, end))
    if last >= 0:
        return last + 1, 4
    end, gives_back = white_space(kinds, at)
    return end, 5 if gives_back else 6


def llama3(text: str) -> Iterator[AlternativeMatch]:
    """Scans as Llama 3: up to three digits per piece.

    >>> [f.end for f in llama3("1234 a")]
    [3, 4, 6]
    """
    return _llama3(text, 3, classes(text))


def qwen2(text: str) -> Iterator[AlternativeMatch]:
    """Scans as Qwen 2: each digit alone.

    >>> [f.end for f in qwen2("123")]
    [1, 2, 3]
    """
    return _llama3(text, 1, classes(text))


def qwen35(text: str) -> Iterator[AlternativeMatch]:
    """Scans as Qwen 3.5: as Qwen 2, but marks count as letters.

    >>> [f.end for f in qwen35("e\u0301s")]
    [3]
    """
    return _llama3(text, 1, text.translate(_WITH_MARKS) + END)


CPT_HAN: Final = (*HAN_RANGES, (0x2B820, 0x2CEAF), (0x2CEB0, 0x2EBEF))
"""The ranges of llama.cpp's `unicode_cpt_is_han`; not all that Unicode calls Han."""


def is_cpt_han(ch: str) -> bool:
    """Whether one character is Chinese for llama.cpp's `unicode_cpt_is_han`; False for the empty string.

    >>> is_cpt_han("漢"), is_cpt_han("々"), is_cpt_han("")
    (True, False, False)
    """
    return ch >= "\u3400" and any(low <= ord(ch) <= high for low, high in CPT_HAN)


def kimi_k2(text: str) -> Iterator[AlternativeMatch]:
    """Scans as Kimi K2: as Llama 3, but runs of Chinese characters are pieces and a contraction stays with its word.

    >>> [("It's漢字a"[f.start : f.end], f.alternative) for f in kimi_k2("It's漢字a")]
    [("It's", 1), ('漢字', 0), ('a', 1)]
    """
    kinds, at = classes(text), 0
    while at < len(text):
        start, ch, kind = at, text[at], kinds[at]
        # one character that is not a letter may join the letters after it
        letters = at if kind == LETTER else at + 1
        if is_cpt_han(ch):
            while is_cpt_han(text[at : at + 1]):
                at += 1
            alternative = 0
        elif kind == LETTER or (
            kind != NUMBER and ch not in "\r\n" and kinds[letters] == LETTER and not is_cpt_han(text[letters])
        ):
            at = letters
            while kinds[at] == LETTER and not is_cpt_han(text[at]):
                at += 1
            at += contraction(text, at, any_case=True) if at < len(text) else 0
            alternative = 1
        else:
            at, alternative = _not_letters(text, kinds, at, 3)
        yield AlternativeMatch(start, at, alternative)


def thirds(text: str) -> Iterator[AlternativeMatch]:
    """Digits in threes, counted from their end. The text before the first group joins it, as in llama.cpp.

    >>> ["abc1234567 8"[f.start : f.end] for f in thirds("abc1234567 8")]
    ['abc1', '234', '567', ' 8']
    """
    kinds, at, cut = classes(text), 0, 0
    while at < len(text):
        if kinds[at] != NUMBER:
            at += 1
            continue
        end = run(kinds, at, NUMBER)
        size = (end - at) % 3 or 3
        while at < end:
            at, size = at + size, 3
            yield AlternativeMatch(cut, at, 0)
            cut = at


def line_feeds(text: str) -> Iterator[AlternativeMatch]:
    """Lines, and the runs of line feeds between them.

    >>> [(f.end, f.alternative) for f in line_feeds("a b\\n\\nc")]
    [(3, 0), (5, 1), (6, 0)]
    """
    at = 0
    while at < len(text):
        start, is_feed = at, text[at] == "\n"
        while at < len(text) and (text[at] == "\n") == is_feed:
            at += 1
        yield AlternativeMatch(start, at, int(is_feed))


def thousands(text: str) -> Iterator[AlternativeMatch]:
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
    *LLAMA3.alternatives[2:],
)
"""The branches of its scanner, written as a pattern; llama.cpp has no text for them."""

SCANNERS: Final[Mapping[str, Scanner]] = MappingProxyType(
    {
        pattern.regex: Scanner(pattern.name, scan, alternatives or pattern.alternatives)
        for pattern, scan, alternatives in (
            (GPT2_SHORT, gpt2, (*GPT2_SHORT.alternatives, LLAMA3.alternatives[-1])),
            (LLAMA3_ASCII, llama3, ()),
            (QWEN2_ASCII, qwen2, ()),
            (QWEN35, qwen35, ()),
            (KIMI_K2, kimi_k2, KIMI_K2_ALTERNATIVES),
            (AFMOE_DIGITS, thirds, ()),
            (TINY_AYA_DIGITS, thirds, ()),
            (LINE_FEEDS, line_feeds, ()),
        )
    }
)
"""The scanners by the text of the pattern that llama.cpp runs them for."""

LINEAR: Final[Mapping[str, Scanner]] = MappingProxyType(
    {THOUSANDS.regex: Scanner(THOUSANDS.name, thousands, THOUSANDS.alternatives)}
)
"""Linear scanners for patterns that llama.cpp runs as regexes, in quadratic time."""


def scanner_of(pattern: Pattern) -> Scanner | None:
    """The scanner for a pattern; None if the pattern itself is run."""
    return SCANNERS.get(pattern.regex) or LINEAR.get(pattern.regex)
