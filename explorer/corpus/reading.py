"""How files are read: the options, and what happens to invalid text.

Invalid text is invalid UTF-8, half of a surrogate pair in JSON, or null instead of text. It is refused with its
position, or replaced by U+FFFD, or its document is skipped and counted.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from explorer.errors import InputError, shown
from explorer.text import first_fault

LONGEST: Final = 8_000_000
"""The default limit for one document or line, in bytes: a worker can hold this many times over."""

SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Invalid(StrEnum):
    """What happens to invalid text."""

    REFUSE = "refuse"
    REPLACE = "replace"
    SKIP = "skip"


class Reading(NamedTuple):
    """The options for reading.

    field: the records' text field. label: the records' field that names a group, or empty. whole: a plain text file is
    one document, not one per line. longest: the limit for a line or document in bytes. unpacked: the limit for what a
    compressed file expands to, in bytes; 0 for none.
    """

    field: str = "text"
    label: str = ""
    invalid: Invalid = Invalid.REFUSE
    whole: bool = False
    longest: int = LONGEST
    unpacked: int = 0


def too_long(where: str, longest: int) -> InputError:
    """The error for a line or document that is longer than allowed."""
    return InputError(f"{where} is longer than {longest} bytes; split it, or allow more with --longest SIZE")


def missing(where: str, field: str, fields: list[str], option: str) -> InputError:
    """The error for a record or table without the requested field; lists the fields it has."""
    has = ", ".join([*(shown(each) for each in fields[:8]), *(["…"] if len(fields) > 8 else [])]) or "nothing"
    return InputError(f"{where} has no {shown(field)} (it has {has}); choose one of its fields with {option}")


def check_columns(name: str, columns: list[str], field: str, label: str) -> None:
    """Raises InputError unless a table has exactly one text column, and one label column if requested."""
    for column, option in ((field, "--field"), *([(label, "--label")] if label else [])):
        if column not in columns:
            raise missing(f"{name}: the table", column, columns, option)
        if columns.count(column) > 1:
            raise InputError(f"{name}: the table has several columns {shown(column)}; choose another {option}")


class InvalidTextPolicy:
    """Decodes text according to an `Invalid` setting, and counts the invalid documents."""

    def __init__(self, invalid: Invalid) -> None:
        self.invalid, self.replaced, self.skipped = invalid, 0, 0

    def text(self, data: bytes, name: str, offset: int) -> str | None:
        """The text of the bytes at an offset of a file; None if it is skipped."""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        if self.invalid == Invalid.REFUSE:
            fault = first_fault(data)
            assert fault is not None  # Python has just refused these bytes
            at, run, why = fault
            raise InputError(
                f"{name}: byte offset {offset + at} ({run.hex(' ').upper()}) is not UTF-8. {why.value} Save it as "
                "UTF-8, or use --invalid replace or --invalid skip"
            )
        return self._replacement(data.decode("utf-8", "replace"))

    def value(self, value: str | None, where: str) -> str | None:
        """The text of a record's field; None if it is skipped. Null and half surrogate pairs are invalid."""
        if value is None:
            if self.invalid == Invalid.SKIP:
                return self._replacement("")
            raise InputError(f"{where} is null, not text; fix it, or use --invalid skip")
        if value.isascii() or not SURROGATE.search(value):
            return value
        if self.invalid == Invalid.REFUSE:
            raise InputError(
                f"{where} contains half of a surrogate pair; fix it, or use --invalid replace or --invalid skip"
            )
        return self._replacement(SURROGATE.sub("\ufffd", value))

    def _replacement(self, text: str) -> str | None:
        """The replacement of an invalid text, or None if it is skipped; counts it either way."""
        if self.invalid == Invalid.SKIP:
            self.skipped += 1
            return None
        self.replaced += 1
        return text
