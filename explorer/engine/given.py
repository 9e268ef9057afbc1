"""What a caller hands in, checked for its type where it enters: a text, ids, a switch.

A wrong type would fail far inside, or worse, work: the characters of a string are no list of texts, and bytes are no
list of ids. What behaves as an integer (`__index__`), such as NumPy's, is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index

from explorer.errors import InputError, shown


def text(value: object, what: str = "the text") -> str:
    """A text. Raises InputError for anything else.

    >>> text(b"a")
    Traceback (most recent call last):
    explorer.errors.InputError: the text is bytes and not str; decode it first, as in data.decode("utf-8")
    """
    if isinstance(value, str):
        return value
    raise InputError(f"{what} is {named(value)} and not str; {instead_of_text(value)}")


def instead_of_text(value: object) -> str:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return 'decode it first, as in data.decode("utf-8")'
    if isinstance(value, (list, tuple)):
        return "give one text, or all of them to encode_batch"
    return "give a text"


def texts(values: Iterable[str]) -> Iterable[str]:
    """Several texts. Raises InputError where they are none, or one alone.

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
    """Ids as a list of int. Raises InputError naming what is none.

    >>> ids([1, 2.5])
    Traceback (most recent call last):
    explorer.errors.InputError: id number 2 is 2.5, of type float; ids are whole numbers
    """
    if isinstance(values, (str, bytes, bytearray, dict, set, frozenset)) or not isinstance(values, Iterable):
        raise InputError(f"the ids are {named(values)}; give a list of whole numbers")
    found = list(values)
    if set(map(type, found)) <= {int}:
        return found
    return [whole(value, f"id number {number}") for number, value in enumerate(found, 1)]


def whole(value: object, what: str) -> int:
    """One id."""
    try:
        if not isinstance(value, bool):
            return index(value)  # type: ignore[arg-type]  # what it refuses is what is looked for
    except TypeError:
        pass
    listed = "; give one list of ids" if isinstance(value, (list, tuple)) else "; ids are whole numbers"
    raise InputError(f"{what} is {shown(value)}, of type {type(value).__name__}{listed}")


def switch(value: object, what: str) -> None:
    """Raises InputError for a switch that is neither True nor False: "false" would be taken for True."""
    if value is not True and value is not False:
        raise InputError(f"{what} is {shown(value)}; give True or False")


def named(value: object) -> str:
    """What a value is, for an error."""
    return "None" if value is None else type(value).__name__
