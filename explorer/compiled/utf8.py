"""What compiled functions take: the records of their arguments, and bytes as UTF-8.

The arguments of compiled functions, grouped: what belongs together is one named tuple of arrays and numbers.

In Python an array is anything that is indexed; compiled, it is a bare pointer to numbers of the kind that its
annotation names (`build`).

Reading UTF-8 where it lies: code points, words of eight bytes, runs of a class of characters.

Source for Python and for numba (`build`): `data` is anything that gives a byte by its index, such as `bytes`. It is
valid UTF-8 followed by END and eight bytes more; nothing here checks bounds.
"""

from typing import Annotated, Any, NamedTuple

Octets = Annotated[Any, "uint8"]
Numbers = Annotated[Any, "int32"]
Words = Annotated[Any, "int64"]
Floats = Annotated[Any, "float64"]


class Scanner(NamedTuple):
    """What belongs to a pattern. family, digits, flags: of `scanners.scan`. classes: of every code point."""

    family: int
    digits: int
    flags: int
    classes: Octets


class Table(NamedTuple):
    """A table of `tables`: its slots, the mask of their numbers, and the texts of long keys."""

    slots: Words
    mask: int
    texts: Octets


class Generation(NamedTuple):
    """One generation of the memory of pieces. slots, mask, texts: a table of `tables`. pool: longer lists of
    ids. counters: how much is used."""

    slots: Words
    mask: int
    pool: Numbers
    pool_room: int
    texts: Octets
    text_room: int
    counters: Words


class Model(NamedTuple):
    """What belongs to a vocabulary.

    does: bits of `pieces`. slots, mask, texts: its symbols by their bytes. byte_symbols: the symbol, or id, of each
    byte. ids_of: the id of each symbol. pairs, pair_mask: merges by pair. byte_pairs: those of two bytes. nodes,
    tokens: its pieces as a trie, and the id at each node. scores: of Unigram. rules: words whose meaning each model
    names.
    """

    does: int
    slots: Words
    mask: int
    texts: Octets
    byte_symbols: Numbers
    ids_of: Numbers
    pairs: Words
    pair_mask: int
    byte_pairs: Words
    nodes: Words
    tokens: Numbers
    scores: Floats
    rules: Words


class Respelling(NamedTuple):
    """What is done to a piece before its model sees it. does: bits of `respelling`. units, strings: the character
    map."""

    does: int
    units: Words
    strings: Octets


class Spelled(NamedTuple):
    """What characters become before WordPiece. characters: by code point, the index of its spelling, whose size comes
    first, in `spellings`; 0 where it is not known, negative where it depends on its neighbors. word: memory for a word.
    """

    characters: Numbers
    spellings: Octets
    word: Octets
    word_room: int


class Scratch(NamedTuple):
    """Memory for solving a piece of up to `room` bytes. symbols: a word each; links: `pieces.SCRATCH` words each.
    text: the piece respelled, `text_room` bytes. sums: of Unigram."""

    room: int
    symbols: Words
    links: Words
    text: Octets
    text_room: int
    sums: Floats


class Output(NamedTuple):
    """Memory for `room` ids, and for how many there are after each text."""

    ids: Numbers
    room: int
    text_ends: Words


# words of the state, which says how far a call came
PIECE = 0
"""Index of the next piece."""
START = 1
"""The offset at which it begins."""
WRITTEN = 2
"""Ids written."""
TEXTS = 3
"""Texts ended."""
COUNT = 4
"""Pieces found, of which the next one is a part."""

# why a call stops
DONE = 0
FULL = 1
"""The young generation has no room."""
UNSOLVED = 2
"""The model in Python has to solve this piece."""
TOO_LONG = 3
"""The scratch memory is too small for this piece."""
NO_SPACE = 4
"""The output may be too small for the ids of the next piece."""
MORE = 5
"""As much was done as was asked for."""


END = 0xFF
"""The byte after each text: no UTF-8 contains it."""

NOTHING = 0x110000
"""The code point of END, in no class."""

PADDING = bytes([END]) + bytes(16)
"""What follows the last text, so that words can be read across its end."""


def code_point(data: Any, at: int) -> int:
    """The code point that begins at a byte.

    >>> hex(code_point("é".encode(), 0)), code_point(PADDING, 0) == NOTHING
    ('0xe9', True)
    """
    first = data[at]
    if first < 0x80:
        return int(first)
    if first < 0xE0:
        return int((first & 0x1F) << 6 | data[at + 1] & 0x3F)
    if first < 0xF0:
        return int((first & 0x0F) << 12 | (data[at + 1] & 0x3F) << 6 | data[at + 2] & 0x3F)
    if first == END:
        return NOTHING
    high = (first & 0x07) << 18 | (data[at + 1] & 0x3F) << 12
    return int(high | (data[at + 2] & 0x3F) << 6 | data[at + 3] & 0x3F)


def width(first: int) -> int:
    """How many bytes a character has, by its first one.

    >>> [width(text.encode()[0]) for text in "aé€😀"]
    [1, 2, 3, 4]
    """
    if first < 0x80:
        return 1
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 4


def valid_width(data: Any, at: int, stop: int) -> int:
    r"""How many bytes the character at `at` has, before `stop`; 0 where that is not UTF-8.

    >>> [valid_width(data, 0, len(data)) for data in ("€".encode(), b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xe2\x82")]
    [3, 0, 0, 0, 0]
    """
    first = data[at]
    if first < 0x80:
        return 1
    if first < 0xC2 or first > 0xF4 or at + width(first) > stop:
        return 0
    for offset in range(1, width(first)):
        if data[at + offset] & 0xC0 != 0x80:
            return 0
    # longer than needed, half of a surrogate pair, or above U+10FFFF
    second = data[at + 1]
    low = (first == 0xE0 and second < 0xA0) or (first == 0xF0 and second < 0x90)
    high = (first == 0xED and second > 0x9F) or (first == 0xF4 and second > 0x8F)
    return 0 if low or high else width(first)


def bytes_of(code: int) -> int:
    """How many bytes a code point has.

    >>> [bytes_of(ord(text)) for text in "aé€😀"]
    [1, 2, 3, 4]
    """
    if code < 0x80:
        return 1
    if code < 0x800:
        return 2
    return 3 if code < 0x10000 else 4


def byte_of(code: int, number: int) -> int:
    """One byte of a code point, counted from 0.

    >>> bytes(byte_of(0x20AC, number) for number in range(3)).decode()
    '€'
    """
    last = bytes_of(code) - 1
    if number > 0:
        return 0x80 | code >> 6 * (last - number) & 0x3F
    return code if last == 0 else 0xF00 >> last + 1 & 0xFF | code >> 6 * last


def run(data: Any, at: int, classes: Any, wanted: int) -> int:
    """The index after a run of characters of these classes: the bits of `wanted`.

    >>> run(b"ab1" + PADDING, 0, [0] * 97 + [1] * 26 + [0] * NOTHING, 1)
    2
    """
    while True:
        first = data[at]
        if first < 0x80:
            if not classes[first] & wanted:
                return at
            at += 1
        else:
            if not classes[code_point(data, at)] & wanted:
                return at
            at += width(first)


ANY_CASE = 0x2020202020202020
"""For `letters`: capitals, too."""
_THIRD_BITS = 0x2020202020202020
_COLUMNS = 0x6060606060606060  # "a" to "z" lie in the last of four columns of 32 characters,
_ROWS = 0x1F1F1F1F1F1F1F1F  # in rows 1 to 26:
_NOT_ZERO = 0x1F1F1F1F1F1F1F1F  # with this a row above 0 reaches 32,
_ABOVE_26 = 0x0505050505050505  # and with this one above 26


def letters(data: Any, at: int, any_case: int) -> int:
    """The index after a run of ASCII letters, eight at a time. any_case: ANY_CASE; 0 for lowercase letters only.

    >>> letters(b"Helloworld 1" + PADDING, 0, ANY_CASE), letters(b"aB" + PADDING, 0, 0)
    (10, 1)
    """
    while True:
        read = word(data, at) | any_case
        rows, odd = read & _ROWS, read ^ _COLUMNS
        others = odd | odd >> 1 | odd >> 2 | (rows + _NOT_ZERO) ^ _THIRD_BITS | rows + _ABOVE_26
        others &= _THIRD_BITS
        if others:
            return at + (zeros_below(others) >> 3)
        at += 8


NOT_ASCII = -0x7F7F7F7F7F7F7F80
"""The highest bit of each byte of a word."""


def first_in(data: Octets, at: int, stop: int, classes: Octets, wanted: int) -> int:
    """The index of the first character of these classes, else `stop`. No ASCII is in them.

    >>> first_in("abcdefghié!".encode() + PADDING, 0, 13, [0] * 128 + [1] * NOTHING, 1)
    9
    """
    while at < stop:
        if not word(data, at) & NOT_ASCII:
            at += 8
        elif data[at] < 0x80 or data[at] == END:
            at += 1
        elif classes[code_point(data, at)] & wanted:
            return at
        else:
            at += width(data[at])
    return stop


# Functions that `build` makes one instruction each, the last one a few. Sums and products of numba's own may not
# overflow: LLVM takes it that they don't.


def zeros_below(number: int) -> int:
    """How many bits are zero below the lowest one of a number that is not 0.

    >>> zeros_below(0b10100)
    2
    """
    return (number & -number).bit_length() - 1


def product(one: int, other: int) -> int:
    """The low 63 bits of a product.

    >>> product(1 << 62, 3) == 1 << 62
    True
    """
    return one * other & (1 << 63) - 1


def word(data: Any, at: int) -> int:
    """Eight bytes as one number, signed, the first byte lowest.

    >>> word(b"ab" + bytes(6), 0) == ord("a") + 256 * ord("b")
    True
    """
    return int.from_bytes(bytes(data[at : at + 8]), "little", signed=True)


def within(data: Any, at: int, low: int, high: int, case: int) -> int:
    """Which of 64 bytes are from `low` to `high`: the lowest bit is the first byte's. case: bits set before.

    >>> bin(within(b"aB c" + bytes(60), 0, 0x61, 0x7A, 0x20))
    '0b1011'
    """
    return sum((low <= byte | case <= high) << index for index, byte in enumerate(bytes(data[at : at + 64])))
