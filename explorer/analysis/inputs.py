"""Reads what people give: pasted ids in any common notation for a list of numbers, and the lines of files.

JSON and Python lists, nested ones included; the output of NumPy, PyTorch and TensorFlow; a Hugging Face `BatchEncoding`
as a dictionary; the output of browser consoles, with a count before the list or an index at each id; arrays in C++,
Rust and JavaScript; YAML lists; numbers separated by commas, spaces, semicolons or lines, quoted or not, with trailing
comments; llama.cpp's lines `1 -> '<s>'`, its list `['<s>':1, …]` and its server's responses. Nothing is evaluated.
Leaves out hexadecimal ids and thousands separators.

Lines of files are read one after the other, each with its position, without loading a whole file.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from explorer.errors import InputError
from explorer.text import from_bytes, visible

LARGEST = 2**31 - 1
"""The largest id: implementations store ids in 32 bits."""

ANY = 10**2_000
"""More than any id, and within what Python reads as a number."""

PIECE_LINE = re.compile(r"^[ \t]*(-?\d+)[ \t]*(?:->|=>|→|:)[ \t]*['\"“]", re.MULTILINE)
"""A line of llama.cpp's tokenize program: `   338 -> ' is'`. What follows the quote may be anything."""

PIECE_ENTRY = re.compile(r"['\"][ \t]*:[ \t]*(-?\d+)[ \t]*(?=,[ \t\r\n]*['\"]|\][ \t\r\n]*\Z)")
"""An entry of the list that llama.cpp logs: `[ '<s>':1, ' is':338 ]`."""

ID_FIELD = re.compile(r"\"id\"[ \t\r\n]*:[ \t\r\n]*(-?\d+)")
"""An entry in a response of llama.cpp's server with pieces."""

IDS_FIELD = re.compile(r"['\"]?\b(?:input_ids|ids|tokens|token_ids)['\"]?[ \t\r\n]*[:=][ \t\r\n]*(?=[\[({\w&])")
"""Where the ids begin in a dictionary that also contains other lists."""

SETTINGS = re.compile(
    r"\b(?:dtype|device|shape|size|layout|grad_fn|requires_grad)[ \t]*=[ \t]*(?:\([^)]*\)|<[^>]*>|[^,)>\]\s]+)"
)
"""What a printed array contains besides its numbers."""

COUNT = re.compile(r"(?:\b\w*Array)?\(\d+\)[ \t]*(?=\[)")
"""The count that a browser's console prints before a list: `(3) [1, 1724, 338]`, `Array(3) [ …`."""

TYPE_CODE = re.compile(r"(?<=\barray\()[ \t]*['\"][a-zA-Z]['\"][ \t]*,")
"""The type of a Python array: `array('i', [1, 1724])`."""

COMMENT = re.compile(r"(?:^|(?<=[\s,;)\]}]))(?://|#)(?!\d)[^\r\n]*", re.MULTILINE)

YAML = re.compile(r"(?:\w+:[ \t]*\r?\n)?[ \t]*-[ \t]+[^\s-]+(?:[ \t]*\r?\n[ \t]*-[ \t]+[^\s-]+)*")
"""A YAML list, one `- 338` per line, with or without its key."""

DASH = re.compile(r"^[ \t]*-[ \t]+|^\w+:[ \t]*$", re.MULTILINE)
"""The parts of its lines that are not ids."""

INDEX = re.compile(r"['\"]?(\d+)['\"]?[ \t]*:[ \t]*(\d+)")
"""An id with its index, as a console prints an expanded list: `0: 1`, `1: 1724`."""

INDEXED = re.compile(
    rf"{INDEX.pattern}(?:[\s,]+{INDEX.pattern})*,?(?:\s+length:[ \t]*\d+)?(?:\s+\[\[Prototype\]\]:[^\r\n]*)?"
)
"""A complete list of this form."""

NAMES = re.compile(
    r"\b(?:(?:np|numpy|torch|tf|jnp|mx)\.)?(?:tensor|Tensor|EagerTensor|array|Array|asarray|int\d*|uint\d+|list|tuple"
    r"|IntTensor|LongTensor|numpy|(?:new[ \t]+)?(?:Big)?(?:Int|Uint)\d+Array)(?=[ \t]*[(=:\[])|<tf\.Tensor:"
    r"|\bnumpy[ \t]*=|\b(?:std::)?(?:vector|array|span)<[^<>]*>(?=[ \t]*[({])|\bvec!(?=[ \t]*[\[(])|&(?=\[)"
)
"""Names of types and functions that may precede a list."""

SEPARATORS = re.compile(r"[\s,，;|()\[\]{}<>=\"'`“”‘’]+")

NUMBER = re.compile(r"([+-]?\d+)(?:\.0*|[ui](?:8|16|32|64|size)|[uU]?[lL]{1,2}|[uU]|n)?")
"""A number, also as a float without a fraction, or with a type suffix: `1u32`, `1L`, `1n`."""

EMPTY = re.compile(r"\[\s*\]|\(\s*\)")


def read_ids(text: str, largest: int = LARGEST) -> list[int]:
    """The ids in a text, in order; none for an empty list. largest: `ANY` where a vocabulary is asked about each.

    Raises InputError if there is no list, or for the first word that is not an id.

    >>> read_ids("tensor([[    1,  1724,   338]], device='cuda:0')")
    [1, 1724, 338]
    >>> read_ids("  1 -> '<s>'\\n 338 -> ' is'\\n  13 -> '\\n'")
    [1, 338, 13]
    """
    found = [checked(number, word, largest) for number, word in enumerate(words(text.removeprefix("\ufeff")), 1)]
    if not found and not EMPTY.search(text):
        raise InputError("there are no ids here; give whole numbers from 0, as [1, 2, 3] or separated by spaces")
    return found


def words(text: str) -> Iterator[str]:
    """The words that should be ids."""
    whole = text.strip()
    if INDEXED.fullmatch(whole.removeprefix("{").removesuffix("}").strip()):
        indexed = INDEX.findall(whole)
        if [int(index[:9]) for index, _ in indexed] == list(range(len(indexed))):
            yield from (id for _, id in indexed)
            return
    pieces = PIECE_LINE.findall(text) or PIECE_ENTRY.findall(text) or ID_FIELD.findall(text)
    if pieces:
        yield from pieces
        return
    text = DASH.sub(" ", whole) if YAML.fullmatch(whole) else text
    for pattern in (COMMENT, COUNT, TYPE_CODE):
        text = pattern.sub(" ", text)
    field = IDS_FIELD.search(text)
    if field is not None:
        text = in_brackets(text[field.end() :])
    for pattern in (SETTINGS, NAMES):
        text = pattern.sub(" ", text)
    yield from (word for word in SEPARATORS.split(text) if word)


def in_brackets(text: str) -> str:
    """A text up to the end of its first bracketed part; all of it if no bracket is closed.

    >>> in_brackets("[[1, 2]], 'attention_mask': [[1, 1]]")
    '[[1, 2]]'
    """
    depth = 0
    for at, ch in enumerate(text):
        if ch in "[({":
            depth += 1
        elif ch in "])}":
            depth -= 1
            if depth <= 0:
                return text[: at + 1]
    return text


def checked(position: int, word: str, largest: int) -> int:
    """A word as an id. Raises InputError naming its position, from 1."""
    shown = visible(word[:40])
    if word in ("...", "…"):
        raise InputError(f"id number {position} is “{shown}”: the output was shortened; paste the whole list")
    number = NUMBER.fullmatch(word) if word.isascii() else None
    if number is None:
        raise InputError(
            f"id number {position}: “{shown}” is not an id; give whole numbers from 0, separated by commas or spaces"
        )
    digits = number[1].lstrip("+")
    if digits.startswith("-"):
        also = " (-100 marks ignored labels; paste the input ids)" if digits == "-100" else ""
        raise InputError(f"id number {position}: {shown} is negative, and ids start at 0{also}")
    if len(digits.lstrip("0")) > len(str(largest)) or int(digits) > largest:
        raise InputError(f"id number {position}: {shown} is larger than any id ({largest}); check where it comes from")
    return int(digits)


LONGEST = 1_000_000
"""The most bytes of one line."""


class Line(NamedTuple):
    """A line of a file: the file's name, the line number from 1, the text without the line end."""

    file: str
    number: int
    text: str

    @property
    def location(self) -> str:
        """File and line, for errors."""
        return f"{self.file}: line {self.number}"


class Readable(Protocol):
    """An object that can be read line by line."""

    def readline(self, most: int, /) -> bytes:
        """The next line, at most `most` bytes of it; empty at the end."""
        ...


def lines_of(file: Readable, name: str) -> Iterator[Line]:
    """The lines of a file. Raises InputError for a line that is too long or not UTF-8.

    >>> import io
    >>> [line.text for line in lines_of(io.BytesIO(b"a\\r\\n\\nb"), "x.txt")]
    ['a', '', 'b']
    """
    number = 0
    while data := file.readline(LONGEST + 1):
        number += 1
        if len(data) > LONGEST:
            raise InputError(f"{name}: line {number} has more than {LONGEST} bytes; split it")
        yield Line(name, number, from_bytes(data.removesuffix(b"\n").removesuffix(b"\r"), f"{name}: line {number}"))
