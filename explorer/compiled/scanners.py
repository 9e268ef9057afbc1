"""The pre-tokenizers of GPT-2, Llama 3 (cl100k, Qwen 2) and o200k, and spaces, as scanners: where each piece ends.

A pattern such as Llama 3's is a list of alternatives, tried in order. The scanners decide by the class of the first
characters, as llama.cpp's do, and cut every text as the pattern does. Source for Python and for numba (`build`).

Left out: patterns of files that are not known, which run as regular expressions.
"""

from __future__ import annotations

from typing import Any, Final

from explorer.compiled.utf8 import (
    ANY_CASE,
    END,
    NOT_ASCII,
    code_point,
    letters,
    run,
    width,
    word,
    zeros_below,
)
from explorer.compiled.windows import SIZE, contraction, gpt2_starts, llama3_starts, o200k_starts

# classes of code points, one bit each (`classes.table`)
UPPER: Final = 1
LOWER: Final = 2
OTHER_LETTER: Final = 4
MARK: Final = 8
NUMBER: Final = 16
SPACE: Final = 32
NEWLINE: Final = 64
VISIBLE: Final = 128
LETTER: Final = UPPER | LOWER | OTHER_LETTER
NOT_WORD: Final = VISIBLE | MARK
"""What is neither white space nor a letter nor a number: `[^\\s\\p{L}\\p{N}]`."""

# families of patterns
GPT2: Final = 0
LLAMA3: Final = 1
O200K: Final = 2
SPACES: Final = 3
"""No pattern: a text is cut at white space (`fast.at_spaces`, `fast.at_white_space`)."""

# classes for SPACES
DROPPED: Final = 1
"""White space that only separates."""
JOINED: Final = 2
"""A space after this character may be within a token."""

# how a pattern differs from its family, one bit each
END_WHOLE: Final = 2
"""White space at the end of a text is one piece, with its line breaks: cl100k's `\\s++$`."""
NO_CONTRACTIONS: Final = 4
"""Words take no contraction: Tekken."""


def scan(
    family: int, digits: int, flags: int, data: Any, at: int, stop: int, classes: Any, ends: Any, room: int
) -> int:
    """Writes the end of each piece from `at` to `stop` to `ends`, up to `room` of them; returns how many.

    digits: the most numbers in a piece (Llama 3: 3). END is a piece by itself, so texts may follow each other.
    """
    count = 0
    while at < stop and count < room:
        found = 0
        if at + SIZE <= stop and family != SPACES and not word(data, at) & NOT_ASCII:
            found = starts(family, digits, flags, data, at)
        if found:
            begin = at
            while found and count < room:
                at = begin + zeros_below(found)
                ends[count] = at
                count += 1
                found &= found - 1
            continue
        if data[at] == END:
            at += 1
        elif family == GPT2:
            at = gpt2_end(data, at, classes)
        elif family == LLAMA3:
            at = llama3_end(data, at, classes, digits, flags)
        elif family == O200K:
            at = o200k_end(data, at, classes, digits, flags)
        else:
            at = spaces_end(data, at, classes)
        ends[count] = at
        count += 1
    return count


def starts(family: int, digits: int, flags: int, data: Any, at: int) -> int:
    """Where pieces begin in the window at `at`, as `windows` says."""
    if family == GPT2:
        return gpt2_starts(data, at)
    if family == LLAMA3:
        return llama3_starts(data, at, digits)
    return o200k_starts(data, at, digits, not flags & NO_CONTRACTIONS)


def gpt2_end(data: Any, at: int, classes: Any) -> int:
    """The end of the piece that begins at a byte, as GPT-2 cuts.

    `'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+`
    """
    first = data[at]
    if first == 0x27:  # '
        after = contraction(data, at, 0x00, 0)
        if after > at:
            return after
    begin = at + 1 if first == 0x20 else at
    kind = classes[code_point(data, begin)]
    if kind & LETTER:
        return run(data, letters(data, begin, ANY_CASE), classes, LETTER)
    if kind & NUMBER:
        return run(data, begin, classes, NUMBER)
    if kind & NOT_WORD:
        return run(data, begin, classes, NOT_WORD)
    return white_space(data, at, classes)


def llama3_end(data: Any, at: int, classes: Any, digits: int, flags: int) -> int:
    """The end of the piece that begins at a byte, as Llama 3, cl100k and Qwen 2 cut.

    `(?i:'s|…)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`
    """
    first = data[at]
    if first == 0x27:  # '
        after = contraction(data, at, 0x20, flags)
        if after > at:
            return after
    kind = classes[code_point(data, at)]
    if kind & LETTER:
        return run(data, letters(data, at, ANY_CASE), classes, LETTER)
    if kind & NUMBER:
        return numbers(data, at, classes, digits)
    after = at + width(first)
    if not kind & NEWLINE and classes[code_point(data, after)] & LETTER:
        return run(data, letters(data, after, ANY_CASE), classes, LETTER)
    return not_a_word(data, at, classes, NEWLINE, 0, flags)


def o200k_end(data: Any, at: int, classes: Any, digits: int, flags: int) -> int:
    """The end of the piece that begins at a byte, as o200k and Tekken cut.

    A word is `[^\\r\\n\\p{L}\\p{N}]?U*L+` or, where that does not match, `[^\\r\\n\\p{L}\\p{N}]?U+L*`. U are capitals,
    L lowercase letters; letters without case and marks are both. Each is tried with the character in front first.
    """
    first = data[at]
    kind = classes[code_point(data, at)]
    if kind & NUMBER:
        return numbers(data, at, classes, digits)
    if not kind & NEWLINE:
        after = at + width(first)
        in_front = not kind & LETTER and classes[code_point(data, after)] & (LETTER | MARK)
        begin = after if in_front else at
        if in_front or kind & (LETTER | MARK):
            end = word_with_small_end(data, begin, classes)
            if end < 0 and kind & MARK:
                # without the character in front, a mark is a word
                end = word_with_small_end(data, at, classes)
            if end < 0:
                end = run(data, begin, classes, UPPER | OTHER_LETTER | MARK)
            if not flags & NO_CONTRACTIONS and data[end] == 0x27:
                return contraction(data, end, 0x20, flags)
            return end
    return not_a_word(data, at, classes, NEWLINE, 0x2F, flags)


def spaces_end(data: Any, at: int, classes: Any) -> int:
    """The end of white space that is dropped with the text after it, up to more of it or to a space that no token
    crosses."""
    at = run(data, at, classes, DROPPED)
    before = JOINED
    while True:
        first = data[at]
        if first < 0x80:
            kind = classes[first]
            if kind & DROPPED or (first == 0x20 and not before & JOINED):
                return at
            at += 1
        else:
            kind = classes[code_point(data, at)]
            if first == END or kind & DROPPED:
                return at
            at += width(first)
        before = kind


def word_with_small_end(data: Any, at: int, classes: Any) -> int:
    """The end of `U*L+`, -1 where it does not match.

    U* takes all it can. If no lowercase letter follows, it gives back characters until the last one is also in L.
    """
    last = -1
    while True:
        kind = classes[code_point(data, at)]
        if kind & LOWER:
            return run(data, letters(data, at, 0), classes, LOWER | OTHER_LETTER | MARK)
        if not kind & (UPPER | OTHER_LETTER | MARK):
            return last
        at += width(data[at])
        if not kind & UPPER:
            last = at


def numbers(data: Any, at: int, classes: Any, most: int) -> int:
    """The end of up to `most` numbers."""
    while most and classes[code_point(data, at)] & NUMBER:
        at += width(data[at])
        most -= 1
    return at


def not_a_word(data: Any, at: int, classes: Any, newlines: int, also: int, flags: int) -> int:
    """The end of other visible characters with line breaks after them, or of white space.

    also: one more character that may follow: o200k's slash.
    """
    begin = at + 1 if data[at] == 0x20 else at
    if classes[code_point(data, begin)] & NOT_WORD:
        end = run(data, begin, classes, NOT_WORD)
        while classes[code_point(data, end)] & newlines or (also and data[end] == also):
            end += 1
        return end
    return lines(data, at, classes, flags)


def lines(data: Any, at: int, classes: Any, flags: int) -> int:
    """The end of white space up to its last line break; without one, as `white_space`."""
    last, end = -1, at
    while True:
        kind = classes[code_point(data, end)]
        if not kind & SPACE:
            break
        end += width(data[end])
        if kind & NEWLINE:
            last = end
    if flags & END_WHOLE and data[end] == END:
        return end
    return last if last >= 0 else white_space(data, at, classes)


def white_space(data: Any, at: int, classes: Any) -> int:
    """The end of white space, all of it before the end of the text, and all but the last character before a word."""
    end, last = at, at
    while classes[code_point(data, end)] & SPACE:
        last = end
        end += width(data[end])
    return end if data[end] == END or last == at else last
