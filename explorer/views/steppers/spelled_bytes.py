"""The bytes of a text as a byte-level vocabulary spells them, for the pre-tokenizer's script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from explorer.engine.pre_tokenizers.stage import PreTokenizeEvent
from explorer.engine.results import Stage
from explorer.engine.unicode.byte_map import bytes_of


class SpelledByte(NamedTuple):
    """One byte.

    number: its index among those drawn. cell: of the character it is part of, `char`. which: its index there, of `size`
    bytes.
    """

    event: int
    number: int
    cell: int
    char: str
    byte: int
    letter: str
    which: int
    size: int

    @property
    def hexadecimal(self) -> str:
        """The byte, with its number if the character has several."""
        return f"{self.byte:02X}" + (f", {self.which + 1} of {self.size}," if self.size > 1 else "")


def spelled_bytes(stage: Stage, key_of: Mapping[int, int]) -> list[SpelledByte]:
    """The bytes of the characters that have a cell, in order. key_of: code point of the text → its first cell."""
    rows = [(event, row) for event, row in enumerate(stage.events) if row.kind == PreTokenizeEvent.BYTE]
    found: list[SpelledByte] = []
    for at, (_, row) in enumerate(rows):
        if row.end or row.start not in key_of:
            continue
        # the first byte of a character; the others follow
        size = 1
        while at + size < len(rows) and rows[at + size][1].end == size:
            size += 1
        letters = [chr(each.choice) for _, each in rows[at : at + size]]
        data = bytes_of("".join(letters)) or b""
        char = data.decode("utf-8", "replace")
        for index, letter in enumerate(letters):
            event, number = rows[at + index][0], len(found)
            found.append(SpelledByte(event, number, key_of[row.start], char, data[index], letter, index, size))
    return found
