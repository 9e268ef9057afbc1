"""Checks the types of a caller's arguments where they enter: a text, ids, a switch.

A wrong type would fail deep inside, or worse, work: a string is not a list of texts, and bytes are not a list of ids.
Anything that behaves as an integer (`__index__`), such as NumPy's integers, is accepted as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index

from explorer.errors import InputError, shown


def text(value: object, what: str = "the text") -> str:
    """The text. Raises InputError for anything else.

    >>> text(b"a")
    Traceback (most recent call last):
    explorer.errors.InputError: the text is bytes and not str; decode it first, as in data.decode("utf-8")
    """
    if isinstance(value, str):
        return value
    raise InputError(f"{what} is {named(value)} and not str; {instead_of_text(value)}")


def instead_of_text(value: object) -> str:
    """How to pass a text instead of this value, for an error."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return 'decode it first, as in data.decode("utf-8")'
    if isinstance(value, (list, tuple)):
        return "give one text, or all of them to encode_batch"
    return "give a text"


def texts(values: Iterable[str]) -> Iterable[str]:
    """Several texts. Raises InputError for anything else, a single text included.

    >>> texts("abc")
    Traceback (most recent call last):
    explorer.errors.InputError: the texts are one str; give a list of them, or encode this one
    """
    if isinstance(values, (str, bytes, bytearray)):
        raise InputError(f"the texts are one {type(values).__name__}; give a list of them, or encode this one")
    if not isinstance(values, Iterable):
        raise InputError(f"the texts are {named(values)}; give a list of texts")
    return values


def ids(values: Iterable[int]) -> Sequence[int]:
    """Ids as a list of int. Raises InputError naming the first value that is not an id.

    >>> ids([1, 2.5])
    Traceback (most recent call last):
    explorer.errors.InputError: id number 2 is 2.5, of type float; ids are whole numbers
    """
    if isinstance(values, (str, bytes, bytearray, dict, set, frozenset)) or not isinstance(values, Iterable):
        raise InputError(f"the ids are {named(values)}; give a list of whole numbers")
    found = list(values)
    if set(map(type, found)) <= {int}:
        return found
    return [an_id(value, f"id number {number}") for number, value in enumerate(found, 1)]


def an_id(value: object, what: str) -> int:
    """An id. Raises InputError for anything that is no integer. what: its name in the error."""
    return whole(value, what, "give one list of ids" if isinstance(value, (list, tuple)) else "ids are whole numbers")


def whole(value: object, what: str, wanted: str = "give a whole number") -> int:
    """An integer. Raises InputError for anything else. what: its name in the error. wanted: what to do.

    >>> whole(1.5, "the seed")
    Traceback (most recent call last):
    explorer.errors.InputError: the seed is 1.5, of type float; give a whole number
    """
    try:
        if not isinstance(value, bool):
            return index(value)  # type: ignore[arg-type]  # a TypeError is handled
    except TypeError:
        pass
    raise InputError(f"{what} is {shown(value)}, of type {type(value).__name__}; {wanted}")


def switch(value: object, what: str) -> None:
    """Raises InputError for a switch that is neither True nor False: "false" would count as True."""
    if value is not True and value is not False:
        raise InputError(f"{what} is {shown(value)}; give True or False")


def named(value: object) -> str:
    """The type of a value, for an error."""
    return "None" if value is None else type(value).__name__
