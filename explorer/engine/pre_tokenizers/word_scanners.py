"""llama.cpp's scanners for GPT-2, Llama 3, Qwen 2, Qwen 3.5 and Kimi K2: rules tried in order at each position.

Follows `unicode_regex_split_custom_gpt2`, `…_llama3`, `…_qwen2`, `…_qwen35` and `…_kimi_k2` of llama.cpp's
`src/unicode.cpp`, rule by rule; rule i is alternative i of the scanner's pattern. The pieces of the first four are
those of the pattern, but two rules take what another alternative would take: white space at the end of a text goes to
the last rule, and in Llama 3 and Qwen a single space at the end to the rule for signs, which asks only that no letter,
number or white space follows.

They decide by the class of a code point (`classes`): letters and numbers of Unicode 15.1, white space as an explicit
list, as in llama.cpp's `src/unicode-data.cpp`. A scanner reads a class through `_get_flags`, which has no flag set
after the end of the text. What a scanner reads is noted as it is read (`Notes`): a rule that fails, a look-ahead, the
end of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from explorer.engine.pre_tokenizers.stage import FAILED, LOOK, RUN, AlternativeMatch
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


CPT_HAN: Final = (*HAN_RANGES, (0x2B820, 0x2CEAF), (0x2CEB0, 0x2EBEF))
"""The ranges of llama.cpp's `unicode_cpt_is_han`; not all that Unicode calls Han."""


def is_cpt_han(ch: str) -> bool:
    """Whether one character is Chinese for llama.cpp's `unicode_cpt_is_han`; False for the empty string.

    >>> is_cpt_han("漢"), is_cpt_han("々"), is_cpt_han("")
    (True, False, False)
    """
    return ch >= "\u3400" and any(low <= ord(ch) <= high for low, high in CPT_HAN)


Notes: TypeAlias = list[int]
"""Four integers for each: the kind of event, two indices in the scanned text, and a rule or the code point of a class.
A list, because a call for each would take as long as the scanning."""

FULL: Final = 0
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
