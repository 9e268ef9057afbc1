"""How files are read: what was asked for, and what becomes of bytes that are no text.

Invalid text is bytes that are no UTF-8, half of a surrogate pair in JSON, and a null where a text should be. It is
refused with its place, or replaced by U+FFFD, or its document is left out and counted.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from explorer.errors import InputError, shown
from explorer.text import first_fault

LONGEST: Final = 8_000_000
"""Bytes of one document or line, unless asked otherwise: what a worker can hold many times over."""

SURROGATE: Final = re.compile("[\ud800-\udfff]")


class Invalid(StrEnum):
    """What is done with invalid text."""

    REFUSE = "refuse"
    REPLACE = "replace"
    SKIP = "skip"


class Reading(NamedTuple):
    """What was asked for.

    field: of the records that holds the text. label: of the records that names a group, or nothing. whole: a file of
    plain text is one document, not each of its lines. longest: bytes of a line or document.
    """

    field: str = "text"
    label: str = ""
    invalid: Invalid = Invalid.REFUSE
    whole: bool = False
    longest: int = LONGEST


def too_long(where: str, longest: int) -> InputError:
    """Says that a line or document is longer than allowed."""
    return InputError(f"{where} is longer than {longest} bytes; break it up, or allow more with --longest SIZE")


def missing(where: str, field: str, fields: list[str], option: str) -> InputError:
    """Says that a record or table has not the field that was asked for, and which it has."""
    has = ", ".join([*(shown(each) for each in fields[:8]), *(["…"] if len(fields) > 8 else [])]) or "nothing"
    return InputError(f"{where} has no {shown(field)} (it has {has}); name one of its fields with {option}")


def check_columns(name: str, columns: list[str], field: str, label: str) -> None:
    """Raises InputError where a table has not just one column of the text, and of the label if one is asked for."""
    for column, option in ((field, "--field"), *([(label, "--label")] if label else [])):
        if column not in columns:
            raise missing(f"{name}: the table", column, columns, option)
        if columns.count(column) > 1:
            raise InputError(f"{name}: the table has several columns {shown(column)}; choose another {option}")


class Judge:
    """Makes text of bytes as asked, and counts what was not valid."""

    def __init__(self, invalid: Invalid) -> None:
        self.invalid, self.replaced, self.skipped = invalid, 0, 0

    def text(self, data: bytes, name: str, offset: int) -> str | None:
        """The text of bytes that stand at an offset of a file; None where it is to be left out."""
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            pass
        if self.invalid == Invalid.REFUSE:
            fault = first_fault(data)
            assert fault is not None  # Python refused these very bytes
            place, run, why = fault
            raise InputError(
                f"{name}: byte offset {offset + place} ({run.hex(' ').upper()}) is not UTF-8. {why.value} Save it as "
                "UTF-8, or say --invalid replace or --invalid skip"
            )
        return self.changed(data.decode("utf-8", "replace"))

    def value(self, value: str | None, where: str) -> str | None:
        """The text of a record's field, which may be missing or hold half of a surrogate pair."""
        if value is None:
            if self.invalid == Invalid.SKIP:
                return self.changed("")
            raise InputError(f"{where} is null, and not a text; repair it, or say --invalid skip")
        if value.isascii() or not SURROGATE.search(value):
            return value
        if self.invalid == Invalid.REFUSE:
            raise InputError(
                f"{where} holds half of a surrogate pair; repair it, or say --invalid replace or --invalid skip"
            )
        return self.changed(SURROGATE.sub("\ufffd", value))

    def changed(self, text: str) -> str | None:
        """A text that is not what the file says: counted, and left out where that is asked."""
        if self.invalid == Invalid.SKIP:
            self.skipped += 1
            return None
        self.replaced += 1
        return text
