"""The pre-tokenizers of GPT-2, Llama 3 (cl100k, Qwen 2) and o200k, and spaces, as scanners: where each piece ends.

A pattern such as Llama 3's is a list of alternatives, tried in order. The scanners decide by the class of the first
characters, as llama.cpp's do, and cut every text as the pattern does.

In ASCII they look at 64 bytes at once, a bit for each byte, as simdjson finds the structure of JSON. A class of
characters is a mask of 64 bits, and a rule of a pattern becomes shifts of masks: "a letter that no letter precedes" is
`letters & ~(letters << 1)`. A window begins where a piece begins and says only what is certain within it: it ends
before the first character that needs more than masks (not ASCII, or white space whose cut lies further on), and the
scanners go on from there.

Source for Python and for numba (`build`). Left out: patterns of files that are not known, which run as regular
expressions, and windows over what lies between spaces of SentencePiece's models.
"""

from typing import Any

from explorer.compiled.utf8 import ANY_CASE, END, NOT_ASCII, code_point, letters, run, width, within, word, zeros_below

SIZE = 64
"""Bytes that a window reads."""

LAST = -0x8000000000000000
"""The highest bit of a window."""

UNSURE = 3
"""Bytes at the end of a window that only decide about those before them: the longest contraction is that long."""

LONG_S = 1
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


# classes of code points, one bit each (`classes.table`)
UPPER = 1
LOWER = 2
OTHER_LETTER = 4
MARK = 8
NUMBER = 16
SPACE = 32
NEWLINE = 64
VISIBLE = 128
LETTER = UPPER | LOWER | OTHER_LETTER
NOT_WORD = VISIBLE | MARK
"""What is neither white space nor a letter nor a number: `[^\\s\\p{L}\\p{N}]`."""

# families of patterns
GPT2 = 0
LLAMA3 = 1
O200K = 2
SPACES = 3
"""No pattern: a text is cut at white space (`fast.spaces`, `fast.at_white_space`)."""

# classes for SPACES
DROPPED = 1
"""White space that only separates."""
JOINED = 2
"""A space after this character may be within a token."""

# how a pattern differs from its family, one bit each
END_WHOLE = 2
"""White space at the end of a text is one piece, with its line breaks: cl100k's `\\s++$`."""
NO_CONTRACTIONS = 4
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
    """Where pieces begin in the window at `at`, a bit for each byte."""
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
    return not_a_word(data, at, classes, 0, flags)


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
    return not_a_word(data, at, classes, 0x2F, flags)


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


def not_a_word(data: Any, at: int, classes: Any, also: int, flags: int) -> int:
    """The end of other visible characters with line breaks after them, or of white space.

    also: one more character that may follow: o200k's slash.
    """
    begin = at + 1 if data[at] == 0x20 else at
    if classes[code_point(data, begin)] & NOT_WORD:
        end = run(data, begin, classes, NOT_WORD)
        while classes[code_point(data, end)] & NEWLINE or (also and data[end] == also):
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
