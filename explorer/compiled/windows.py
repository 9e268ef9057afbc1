"""Where pieces begin in 64 bytes of ASCII at once: a bit for each byte, as simdjson finds the structure of JSON.

A class of characters is a mask of 64 bits, and a rule of a pattern becomes shifts of masks: "a letter that no letter
precedes" is `letters & ~(letters << 1)`. A window begins where a piece begins and says only what is certain within it:
it ends before the first character that needs more than masks (not ASCII, or white space whose cut lies further on), and
the scanners go on from there. Source for Python and for numba (`build`).

Left out: what lies between spaces of SentencePiece's models, and everything that is not ASCII.
"""

from __future__ import annotations

from typing import Any, Final

from explorer.compiled.utf8 import END, within, zeros_below

SIZE: Final = 64
"""Bytes that a window reads."""

LAST: Final = -0x8000000000000000
"""The highest bit of a window."""

UNSURE: Final = 3
"""Bytes at the end of a window that only decide about those before them: the longest contraction is that long."""

LONG_S: Final = 1
"""A flag of a pattern: `(?i:'s)` matches 'ſ."""


def contraction(data: Any, at: int, any_case: int, flags: int) -> int:
    """The end of a contraction that begins with this apostrophe: 's 't 're 've 'm 'll 'd; `at` itself for none.

    any_case: 0x20 where capitals count, too.

    >>> [contraction(text + bytes([0xFF]), 0, 0x20, LONG_S) for text in (b"'s", b"'LL", b"'x", "'ſ".encode())]
    [2, 3, 0, 3]
    """
    one = data[at + 1]
    if flags & LONG_S and one == 0xC5 and data[at + 2] == 0xBF:
        return at + 3
    if one >= 0x80:
        return at
    one |= any_case
    if one == 0x73 or one == 0x74 or one == 0x6D or one == 0x64:  # s t m d
        return at + 2
    two = data[at + 2]
    if two >= 0x80:
        return at
    two |= any_case
    if (one == 0x72 or one == 0x76) and two == 0x65:  # re ve
        return at + 3
    return at + 3 if one == 0x6C and two == 0x6C else at  # ll


def gpt2_starts(data: Any, at: int) -> int:
    """Where pieces begin after the one at `at`, as GPT-2 cuts: bit i for byte `at + i`; 0 where a scanner has to say.

    >>> found = gpt2_starts(b"Hello  world, it's 1" + bytes(60), 0)
    >>> [bit for bit in range(SIZE) if found >> bit & 1]
    [5, 6, 12, 13, 16, 18, 20]
    """
    letters, numbers = within(data, at, 0x61, 0x7A, 0x20), within(data, at, 0x30, 0x39, 0)
    spaces, ends = within(data, at, 0x20, 0x20, 0), within(data, at, END, END, 0)
    white = spaces | within(data, at, 0x09, 0x0D, 0)
    others = ~(letters | numbers | white | ends)
    size = zeros_below(within(data, at, 0x80, END - 1, 0) | LAST)
    in_front = spaces << 1
    runs = letters & ~(letters << 1) | numbers & ~(numbers << 1) | others & ~(others << 1)
    starts = runs & ~in_front | white & ~(white << 1) | white & ~((white | ends) >> 1) | ends | ends << 1
    sure = sure_of(size)
    marks = within(data, at, 0x27, 0x27, 0) & ~(others << 1 | in_front) & letters >> 1 & sure
    while marks:
        mark = zeros_below(marks)
        end = contraction(data, at + mark, 0, 0) - at
        if end > mark:
            starts = starts & ~(1 << mark + 1) | 1 << end
        marks &= marks - 1
    return starts & sure & ~1


def llama3_starts(data: Any, at: int, digits: int) -> int:
    """Where pieces begin as Llama 3, cl100k and Qwen 2 cut; a mask as of `gpt2_starts`."""
    letters, ends = within(data, at, 0x61, 0x7A, 0x20), within(data, at, END, END, 0)
    spaces, lines = within(data, at, 0x20, 0x20, 0), line_breaks(data, at)
    blanks = (spaces | within(data, at, 0x09, 0x0D, 0)) & ~lines
    numbers = within(data, at, 0x30, 0x39, 0)
    others = ~(letters | numbers | blanks | lines | ends)
    unsure = within(data, at, 0x80, END - 1, 0) | (lines | ends) & blanks << 1
    size = zeros_below(unsure | LAST)
    alone = others & ~(others << 1 | spaces << 1)
    starts = alone | letters & ~((letters | alone | blanks) << 1)
    starts |= white_starts(blanks, lines, others) | number_starts(numbers, digits) | ends | ends << 1
    sure = sure_of(size)
    marks = within(data, at, 0x27, 0x27, 0) & alone & letters >> 1 & sure
    while marks:
        mark = zeros_below(marks)
        end = contraction(data, at + mark, 0x20, 0) - at
        if end > mark:
            starts |= 1 << end
        marks &= marks - 1
    return starts & sure & before_last(blanks, size) & ~1


def o200k_starts(data: Any, at: int, digits: int, contractions: bool) -> int:
    """Where pieces begin as o200k and Tekken cut; a mask as of `gpt2_starts`."""
    capitals, small = within(data, at, 0x41, 0x5A, 0), within(data, at, 0x61, 0x7A, 0)
    letters, ends = capitals | small, within(data, at, END, END, 0)
    spaces, lines = within(data, at, 0x20, 0x20, 0), line_breaks(data, at)
    blanks = (spaces | within(data, at, 0x09, 0x0D, 0)) & ~lines
    numbers = within(data, at, 0x30, 0x39, 0)
    others = ~(letters | numbers | blanks | lines | ends)
    unsure = within(data, at, 0x80, END - 1, 0) | (lines | ends) & blanks << 1
    # slashes belong to the line breaks before them
    size = zeros_below(unsure | within(data, at, 0x2F, 0x2F, 0) & lines << 1 | LAST)
    alone = others & ~(others << 1 | spaces << 1)
    starts = alone | letters & ~((letters | alone | blanks) << 1) | capitals & small << 1
    starts |= white_starts(blanks, lines, others) | number_starts(numbers, digits) | ends | ends << 1
    sure = sure_of(size)
    marks = within(data, at, 0x27, 0x27, 0) & letters << 1 & letters >> 1 & sure if contractions else 0
    word_end = -1
    while marks:
        mark = zeros_below(marks)
        end = contraction(data, at + mark, 0x20, 0) - at
        # a word has one at most
        if end > mark and mark != word_end:
            starts = starts & ~((1 << end) - (1 << mark)) | 1 << end
            word_end = end
        marks &= marks - 1
    return starts & sure & before_last(blanks, size) & ~1


def line_breaks(data: Any, at: int) -> int:
    """Line feeds and carriage returns."""
    return within(data, at, 0x0A, 0x0A, 0) | within(data, at, 0x0D, 0x0D, 0)


def white_starts(blanks: int, lines: int, others: int) -> int:
    """Where white space is cut, if no line break follows blanks.

    A run begins a piece, unless it begins with line breaks after other characters: those take them. Blanks after line
    breaks do, and so does the last blank.
    """
    white = blanks | lines
    begin = white & ~(white << 1) & ~(lines & others << 1)
    return begin | blanks & lines << 1 | blanks & ~(white >> 1)


def number_starts(numbers: int, digits: int) -> int:
    """Where pieces of up to `digits` numbers begin.

    >>> bin(number_starts(0b1101111111, 3)), bin(number_starts(0b111, 1))
    ('0b101001001', '0b111')
    """
    if digits == 1:
        return numbers
    starts = numbers & ~(numbers << 1)
    inner = numbers
    for before in range(1, digits + 1):
        inner &= numbers << before
    if inner:
        start = starts << digits & inner
        while start:
            starts |= start
            start = start << digits & inner
    return starts


def sure_of(size: int) -> int:
    """The mask of positions whose cuts don't depend on bytes beyond a window of this size."""
    return (1 << max(size - UNSURE, 0)) - 1


def before_last(blanks: int, size: int) -> int:
    """All up to the blanks that a window of this size ends with: a line break may follow them.

    >>> bin(before_last(0b1110010, 7))
    '0b1111'
    """
    found = ~blanks & (1 << min(size, SIZE - 2)) - 1
    for shift in (1, 2, 4, 8, 16, 32):
        found |= found >> shift
    return found
