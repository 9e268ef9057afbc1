"""The table of a precompiled character map: a double-array trie of Darts-clone and the strings it points to."""

from __future__ import annotations

import sys
from array import array

from explorer.errors import InputError

LABEL_MASK = 1 << 31 | 0xFF
"""Bits of a unit that must equal the byte that leads to it; bit 31 marks a unit that holds a value."""

HAS_VALUE = 1 << 8
"""Bit of a unit whose node ends a rule; the unit at its base holds the value."""

VALUE_MASK = (1 << 31) - 1
"""Bits of the value."""

BLOCK_BYTES = 1024
"""The trie consists of blocks of 256 units; all children of a node are in one block."""

MAX_TRIE = 1 << 24
"""Maximum size of a trie in bytes. The largest known have 300,000."""


def offset_of(unit: int) -> int:
    """The distance from a node to the base of its children; with bit 9 it counts in blocks of 256."""
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


class PrecompiledCharsmap:
    """The table: a trie and the strings its values point to.

    data: as in the file: the size of the trie in bytes (4 bytes, little endian), the trie in units of 32 bits, the
    strings. Raises InputError if these are inconsistent or a value points outside the strings.

    >>> import explorer
    >>> table = explorer.load("xlm-r").parts[1].charsmap
    >>> [(length, table.string(value)) for length, value in table.matches("ﬁne".encode(), 0)]
    [(3, 'fi')]
    """

    __slots__ = ("_strings", "name", "strings", "units")

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        if len(data) < 4:
            raise self.error(f"it has {len(data)} bytes, but the size of its trie takes 4")
        size = int.from_bytes(data[:4], "little")
        if size % BLOCK_BYTES or not size or 4 + size >= len(data):
            why = f"the stated size of its trie is {size} bytes (a multiple of {BLOCK_BYTES} is allowed)"
            raise self.error(f"{why}, and {len(data) - 4} bytes follow")
        if size > MAX_TRIE:
            raise self.error(f"its trie has {size} bytes, and the maximum is {MAX_TRIE}")
        self.units = array("I", data[4 : 4 + size])
        if sys.byteorder == "big":
            self.units.byteswap()
        self.strings = data[4 + size :]
        if self.strings[-1]:
            raise self.error("its last string is not terminated by NUL")
        self._check()
        self._strings: dict[int, str] = {}

    def _check(self) -> None:
        """Checks every pointer, as sentencepiece's `DoubleArray::validate`, so that lookups need no checks."""
        units, end = self.units, len(self.strings)
        if units[0] & (LABEL_MASK | HAS_VALUE) or not units[0] >> 10:
            raise self.error("the root of its trie is invalid: it has a label or a value, or no children")
        for index, unit in enumerate(units):
            if unit >> 31:
                if unit & VALUE_MASK >= end:
                    raise self.error(f"a rule points to byte {unit & VALUE_MASK} of its strings, which have {end}")
                continue
            base = index ^ offset_of(unit)
            if base | 0xFF >= len(units):
                raise self.error(f"unit {index} of its trie points to unit {base}, outside the {len(units)} units")
            if unit & HAS_VALUE and not units[base] >> 31:
                raise self.error(f"unit {index} of its trie ends a rule, but unit {base} holds no value")

    def matches(self, data: bytes, at: int) -> list[tuple[int, int]]:
        """Every prefix of `data[at:]` that has a rule, shortest first: (length in bytes, offset of its string)."""
        units, found = self.units, []
        node = 0
        unit = units[0]
        for end in range(at, len(data)):
            byte = data[end]
            # a key of the trie ends at NUL, so it cannot contain one
            if not byte:
                break
            # `offset_of`, written out where every character of a text passes
            node ^= (unit >> 10) << ((unit & 1 << 9) >> 6) ^ byte
            unit = units[node]
            if unit & LABEL_MASK != byte:
                break
            if unit & HAS_VALUE:
                value = units[node ^ ((unit >> 10) << ((unit & 1 << 9) >> 6))]
                found.append((end + 1 - at, value & VALUE_MASK))
        return found

    def begins_none(self, data: bytes) -> bool:
        """Whether no rule is a prefix of these bytes, and none begins with all of them. NUL ends them."""
        units = self.units
        node = 0
        for byte in data:
            if not byte:
                return True
            node ^= offset_of(units[node]) ^ byte
            if units[node] & LABEL_MASK != byte:
                return True
            if units[node] & HAS_VALUE:
                return False
        return False

    def string(self, value: int) -> str:
        """The string at a byte offset; it ends at the next NUL."""
        text = self._strings.get(value)
        if text is None:
            data = self.strings[value : self.strings.index(0, value)]
            try:
                text = self._strings[value] = data.decode()
            except UnicodeDecodeError:
                raise self.error(f"its string at byte {value} ({data.hex(' ').upper()}) is not UTF-8") from None
        return text

    def rule(self, data: bytes, at: int, length: int) -> str:
        """The characters of a match. Raises InputError if it ends within a character."""
        try:
            return data[at : at + length].decode()
        except UnicodeDecodeError:
            cut = data[at : at + length].hex(" ").upper()
            raise self.error(f"it has a rule for {cut}, which ends within a character") from None

    def error(self, why: str) -> InputError:
        """The error about a damaged table."""
        return InputError(f"{self.name}: the precompiled character map is damaged: {why}; fetch the file again")
