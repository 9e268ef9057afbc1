"""Ids as people paste them: read from any common way to write a list of numbers.

JSON and Python lists, nested ones too; what NumPy, PyTorch and TensorFlow print; a Hugging Face `BatchEncoding` as a
dictionary; what a browser's console prints, with a count in front or an index at each id; arrays of C++, Rust and
JavaScript; a list in YAML; numbers apart by commas, spaces, semicolons or lines, quoted or not, with comments behind;
the lines `1 -> '<s>'` and the list `['<s>':1, …]` of llama.cpp; what its server answers. Nothing is evaluated.

Left out: ids written as hexadecimal or with commas between thousands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from explorer.errors import InputError
from explorer.text import visible

LARGEST: Final = 2**31 - 1
"""No id is larger: the originals keep them in 32 bits."""

PIECE_LINE: Final = re.compile(r"^[ \t]*(-?\d+)[ \t]*(?:->|=>|→|:)[ \t]*['\"“]", re.MULTILINE)
"""A line of llama.cpp's tokenize program: `   338 -> ' is'`. What follows the quote may be anything."""

PIECE_ENTRY: Final = re.compile(r"['\"][ \t]*:[ \t]*(-?\d+)[ \t]*(?=,[ \t\r\n]*['\"]|\][ \t\r\n]*\Z)")
"""An entry of the list that llama.cpp logs: `[ '<s>':1, ' is':338 ]`."""

ID_FIELD: Final = re.compile(r"\"id\"[ \t\r\n]*:[ \t\r\n]*(-?\d+)")
"""An entry of what llama.cpp's server answers when it is asked for pieces."""

IDS_FIELD: Final = re.compile(r"['\"]?\b(?:input_ids|ids|tokens|token_ids)['\"]?[ \t\r\n]*[:=][ \t\r\n]*(?=[\[({\w&])")
"""Where the ids begin in a dictionary that holds other lists as well."""

SETTINGS: Final = re.compile(
    r"\b(?:dtype|device|shape|size|layout|grad_fn|requires_grad)[ \t]*=[ \t]*(?:\([^)]*\)|<[^>]*>|[^,)>\]\s]+)"
)
"""What an array's print says besides its numbers."""

COUNT: Final = re.compile(r"(?:\b\w*Array)?\(\d+\)[ \t]*(?=\[)")
"""How many there are, as a browser's console says in front of a list: `(3) [1, 1724, 338]`, `Array(3) [ …`."""

TYPE_CODE: Final = re.compile(r"(?<=\barray\()[ \t]*['\"][a-zA-Z]['\"][ \t]*,")
"""The type of a Python array: `array('i', [1, 1724])`."""

COMMENT: Final = re.compile(r"(?:^|(?<=[\s,;)\]}]))(?://|#)(?!\d)[^\r\n]*", re.MULTILINE)

YAML: Final = re.compile(r"(?:\w+:[ \t]*\r?\n)?[ \t]*-[ \t]+[^\s-]+(?:[ \t]*\r?\n[ \t]*-[ \t]+[^\s-]+)*")
"""A list in YAML, one `- 338` a line, with or without its key."""

DASH: Final = re.compile(r"^[ \t]*-[ \t]+|^\w+:[ \t]*$", re.MULTILINE)
"""What is not the id in a line of it."""

INDEX: Final = re.compile(r"['\"]?(\d+)['\"]?[ \t]*:[ \t]*(\d+)")
"""An id with its index, as a console unfolds a list: `0: 1`, `1: 1724`."""

INDEXED: Final = re.compile(
    rf"{INDEX.pattern}(?:[\s,]+{INDEX.pattern})*,?(?:\s+length:[ \t]*\d+)?(?:\s+\[\[Prototype\]\]:[^\r\n]*)?"
)
"""All of such a list."""

NAMES: Final = re.compile(
    r"\b(?:(?:np|numpy|torch|tf|jnp|mx)\.)?(?:tensor|Tensor|EagerTensor|array|Array|asarray|int\d*|uint\d+|list|tuple"
    r"|IntTensor|LongTensor|numpy|(?:new[ \t]+)?(?:Big)?(?:Int|Uint)\d+Array)(?=[ \t]*[(=:\[])|<tf\.Tensor:"
    r"|\bnumpy[ \t]*=|\b(?:std::)?(?:vector|array|span)<[^<>]*>(?=[ \t]*[({])|\bvec!(?=[ \t]*[\[(])|&(?=\[)"
)
"""What may stand in front of a list."""

SEPARATORS: Final = re.compile(r"[\s,，;|()\[\]{}<>=\"'`“”‘’]+")

NUMBER: Final = re.compile(r"([+-]?\d+)(?:\.0*|[ui](?:8|16|32|64|size)|[uU]?[lL]{1,2}|[uU]|n)?")
"""A number, also as a whole float, or with its type behind: `1u32`, `1L`, `1n`."""

EMPTY: Final = re.compile(r"\[\s*\]|\(\s*\)")


def read_ids(text: str) -> list[int]:
    """The ids in a text, in order; none for an empty list.

    Raises InputError where there is no list at all, or for the first thing that is no id.

    >>> read_ids("tensor([[    1,  1724,   338]], device='cuda:0')")
    [1, 1724, 338]
    >>> read_ids("  1 -> '<s>'\\n 338 -> ' is'\\n  13 -> '\\n'")
    [1, 338, 13]
    """
    found = [checked(place, word) for place, word in enumerate(words(text.removeprefix("\ufeff")), 1)]
    if not found and not EMPTY.search(text):
        raise InputError("there are no ids in this; give whole numbers from 0, as [1, 2, 3] or apart by spaces")
    return found


def words(text: str) -> Iterator[str]:
    """What should be ids, as they are written."""
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
    """A text up to where the first bracket in it is closed; all of it where none is.

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


def checked(place: int, word: str) -> int:
    """A word as an id. Raises InputError naming its place, counted from 1."""
    shown = visible(word[:40])
    if word in ("...", "…"):
        raise InputError(f"id number {place} is “{shown}”: the print was shortened; paste the whole list")
    number = NUMBER.fullmatch(word) if word.isascii() else None
    if number is None:
        raise InputError(f"id number {place}: “{shown}” is no id; give whole numbers from 0, apart by commas or spaces")
    digits = number[1].lstrip("+")
    if digits.startswith("-"):
        also = " (-100 marks labels that are left out; paste the input ids)" if digits == "-100" else ""
        raise InputError(f"id number {place}: {shown} is less than 0, and no id is{also}")
    if len(digits.lstrip("0")) > len(str(LARGEST)) or int(digits) > LARGEST:
        raise InputError(f"id number {place}: {shown} is larger than any id ({LARGEST}); check where it is from")
    return int(digits)
