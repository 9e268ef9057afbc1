"""Lines of a text file, for the readers of vocabularies: UTF-8, no byte order mark, LF or CRLF.

A byte order mark is refused, because it would become part of the first token.
"""

from __future__ import annotations

from explorer.errors import InputError
from explorer.text import first_fault
from explorer.vocabulary import MOST_PIECES

MAX_LINES = MOST_PIECES
BOM = b"\xef\xbb\xbf"


def text_of(data: bytes, name: str) -> str:
    """The text of a file. name: what errors call it. Raises InputError if it isn't UTF-8 or begins with a mark."""
    if data.startswith(BOM):
        raise InputError(
            f"{name}: it begins with a byte order mark (U+FEFF), which is not part of any token; save it without"
        )
    fault = first_fault(data)
    if fault is not None:
        raise InputError(f"{name}: byte offset {fault[0]} is not UTF-8 ({fault[2].value}); give a file in UTF-8")
    return data.decode()


def lines_of(data: bytes, name: str) -> list[str]:
    """The lines without line ends. Raises InputError as `text_of` does, and for more lines than any vocabulary has.

    >>> lines_of(b"a\\r\\nb \\n\\n", "toy")
    ['a', 'b ', '']
    """
    count = data.count(b"\n")
    if count > MAX_LINES:
        raise InputError(f"{name}: {count} lines, but no vocabulary has that many tokens; give another file")
    lines = text_of(data, name).split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines] if b"\r" in data else lines


def lines_in_python(data: bytes, name: str) -> list[str]:
    """The lines as Python's text mode splits them, with what is after the last line end. Raises as `lines_of` does.

    >>> lines_in_python(b"a\\r\\nb\\rc\\n", "toy")
    ['a', 'b', 'c', '']
    """
    lines_of(data, name)  # the limits of every list of pieces
    return text_of(data, name).replace("\r\n", "\n").replace("\r", "\n").split("\n")
