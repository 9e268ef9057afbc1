"""Lines as texts, and what a block of them counts: one pass over its bytes, which also says whether they are UTF-8.

The other pass counts ids. Source for Python and for numba (`build`).
"""

from explorer.compiled.utf8 import END, NOT_ASCII, Numbers, Octets, Words, code_point, valid_width, word

# words of the state
CHARACTERS = 0
WORDS = 1
"""Runs of characters other than white space."""
LINE_ENDS = 2
TEXTS = 3
LONGEST = 4
"""Bytes of the longest line, with its end."""

LINE_END = 0x0A


_SPACES = 0x2020202020202020
_LOWEST_BITS = 0x0101010101010101


def not_zero(read: int) -> int:
    """The lowest bit of each byte of a word without highest bits: whether the byte is not zero.

    >>> hex(not_zero(0x7F0001002000))
    '0x10001000100'
    """
    read |= read >> 4
    read |= read >> 2
    return (read | read >> 1) & _LOWEST_BITS


def ones(bits: int) -> int:
    """How many lowest bits of the bytes of a word are set; no others are.

    >>> ones(0x10001000101)
    4
    """
    bits += bits >> 32
    bits += bits >> 16
    return bits + (bits >> 8) & 0xF


def spread(data: Octets, stop: int, classes: Octets, front: Octets, front_size: int, text: Octets, state: Words) -> int:
    """Writes each line, with `front` before it and END after it, to `text`; returns how many bytes, -1 for bytes that
    are not UTF-8.

    A line goes up to its line end, which belongs to it. classes: 1 for white space, by code point.
    """
    at = made = begin = 0
    characters, words, line_ends, texts, longest, blank = 0, 0, 0, 0, 0, 1
    while at < stop:
        # a line
        for offset in range(front_size):
            text[made] = front[offset]
            made += 1
        first = 0
        while at < stop and first != LINE_END:
            first = data[at]
            # characters of up to three bytes are written out: `valid_width` is slower
            if first < 0x80:
                if at + 8 <= stop:
                    # eight at a time, if none is a control character: of the others only the space is white space
                    read = word(data, at)
                    if not read & NOT_ASCII and (read | read >> 1) & _SPACES == _SPACES:
                        for offset in range(8):
                            text[made + offset] = read >> 8 * offset & 0xFF
                        visible = not_zero(read ^ _SPACES)
                        words += ones(visible & ~(visible << 8 | blank ^ 1))
                        blank = visible >> 56 ^ 1
                        characters += 8
                        made += 8
                        at += 8
                        continue
                kind = classes[first]
                wide = 1
            elif 0xC2 <= first < 0xE0 and at + 2 <= stop and data[at + 1] & 0xC0 == 0x80:
                second = data[at + 1]
                kind = classes[(first & 0x1F) << 6 | second & 0x3F]
                text[made + 1] = second
                wide = 2
            elif 0xE1 <= first < 0xED and at + 3 <= stop and data[at + 1] & 0xC0 == data[at + 2] & 0xC0 == 0x80:
                second, third = data[at + 1], data[at + 2]
                kind = classes[(first & 0x0F) << 12 | (second & 0x3F) << 6 | third & 0x3F]
                text[made + 1] = second
                text[made + 2] = third
                wide = 3
            else:
                wide = valid_width(data, at, stop)
                if wide == 0:
                    return -1
                kind = classes[code_point(data, at)]
                for offset in range(1, wide):
                    text[made + offset] = data[at + offset]
            text[made] = first
            made += wide
            at += wide
            characters += 1
            words += blank & (kind ^ 1)
            blank = kind
        line_ends += first == LINE_END
        text[made] = END
        made += 1
        texts += 1
        longest = max(longest, at - begin)
        begin = at
    state[CHARACTERS] = characters
    state[WORDS] = words
    state[LINE_ENDS] = line_ends
    state[TEXTS] = texts
    state[LONGEST] = longest
    return made


def count_ids(ids: Numbers, count: int, kind_of: Octets, counts: Words, kinds: Words) -> int:
    """Counts ids, each in `counts` and its kind in `kinds`; returns 0."""
    for index in range(count):
        counts[ids[index]] += 1
        kinds[kind_of[ids[index]]] += 1
    return 0
