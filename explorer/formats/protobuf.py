"""The wire format of protocol buffers, read by hand and bounded by the bytes at hand.

A message is a sequence of fields, each a tag (field number × 8 + wire type) and a value. A table names the fields a
caller reads; others are skipped. Every length is checked against the message it is in.

Left out: groups (an obsolete wire type).
"""

import struct
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, TypeAlias

from explorer.errors import InputError

MAX_FIELDS = 1_000_000
"""Fields in one file. A file of nothing but the shortest fields would take very long."""

MAX_TEXT = 1_000
"""Bytes of a value that `as_text` shows."""

DAMAGED = "the file is damaged or incomplete; fetch it again"

FLOAT = struct.Struct("<f")

Value: TypeAlias = "int | bytes"


class Wire(IntEnum):
    """Wire types: how a value is encoded, the low three bits of a tag."""

    VARINT = 0
    FIXED64 = 1
    BYTES = 2
    FIXED32 = 5


class Field(NamedTuple):
    """A field that is read: its name in the .proto and its wire type."""

    name: str
    wire: Wire


def fields_of(message: str) -> dict[int, Field]:
    """The fields of a message by their numbers, from lines as in a .proto.

    >>> fields_of("bytes piece = 1; fixed32 score = 2;")[2].name
    'score'
    """
    rows = (line.split() for line in message.split(";") if line.strip())
    return {int(number): Field(name, Wire[wire.upper()]) for wire, name, _, number in rows}


class Reader:
    """Reads the fields of one file. name: what errors call the file."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name = data, name
        self.fields = 0

    def values(self, table: Mapping[int, Field], at: int, end: int) -> Iterator[tuple[Field, Value, int]]:
        """The fields of the message [at, end) that the table names: field, value, byte offset of the value."""
        while at < end:
            number, wire, start, at = self.field(at, end)
            field = self.known(table, number, wire, start)
            if field is None:
                continue
            if wire == Wire.VARINT:
                yield field, self.varint(start, end)[0], start
            elif wire == Wire.BYTES:
                yield field, self.data[start:at], start
            else:
                yield field, int.from_bytes(self.data[start:at], "little"), start

    def field(self, at: int, end: int) -> tuple[int, int, int, int]:
        """The field at byte offset `at`: number, wire type, and [start, end) of its value without its length."""
        self.fields += 1
        if self.fields > MAX_FIELDS:
            raise self.error(f"more than {MAX_FIELDS} fields; no model has that many", at)
        tag, start = self.varint(at, end)
        number, wire = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise self.error(f"a field has the number {number}", at)
        if wire == Wire.VARINT:
            return number, wire, start, self.varint(start, end)[1]
        if wire == Wire.BYTES:
            length, start = self.varint(start, end)
        elif wire in (Wire.FIXED32, Wire.FIXED64):
            length = 4 if wire == Wire.FIXED32 else 8
        else:
            raise self.error(f"field {number} has wire type {wire}, which this format does not use", at)
        if length > end - start:
            raise self.error(f"field {number} should have {length} bytes, but only {end - start} are left", at)
        return number, wire, start, start + length

    def known(self, table: Mapping[int, Field], number: int, wire: int, at: int) -> Field | None:
        """The field with that number, None if the table does not have it. Raises InputError for another wire type."""
        field = table.get(number)
        if field is not None and field.wire != wire:
            difference = f"wire type {wire}, but {field.name} is encoded with {int(field.wire)}"
            raise self.error(f"field {number} has {difference}", at)
        return field

    def varint(self, at: int, end: int) -> tuple[int, int]:
        """A number of 7 bits per byte, low bits first, and the offset after it."""
        value = 0
        for index in range(10):
            if at + index >= end:
                cut = end == len(self.data)
                raise self.error("the file ends within a number" if cut else "a message ends within a number", at)
            byte = self.data[at + index]
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value & (1 << 64) - 1, at + index + 1
        raise self.error("a number has more than 10 bytes", at)

    def error(self, why: str, at: int, advice: str = DAMAGED) -> InputError:
        """An InputError that names the file and the byte offset."""
        return InputError(f"{self.name}: byte offset {at}: {why}; {advice}")


def as_text(wire: Wire, value: Value) -> str:
    """A value for people: bytes as text, numbers with their sign.

    >>> as_text(Wire.VARINT, (1 << 64) - 1), as_text(Wire.FIXED32, 0x3F7FEF9E), as_text(Wire.BYTES, b"a\\xff")
    ('-1', '0.99975', 'a\\\\xff')
    """
    if isinstance(value, bytes):
        return value[:MAX_TEXT].decode("utf-8", "backslashreplace")
    if wire == Wire.FIXED32:
        return f"{FLOAT.unpack(value.to_bytes(4, 'little'))[0]:g}"
    return str(value - (1 << 64) if value >> 63 else value)


# Writes messages of protocol buffers by the tables that `protobuf` reads them with: names of fields → bytes.
#
# Fields are written in the order of their numbers. Left out: groups, packed lists, 64-bit numbers of fixed size.

Written = bool | int | float | str | bytes | Sequence[bytes] | Sequence[str]
"""What a field may hold; a list is a repeated field."""


def message(table: Mapping[int, Field], values: Mapping[str, Written]) -> bytes:
    """A message. Names that are not in the table raise KeyError.

    >>> message({1: Field("name", Wire.BYTES), 2: Field("size", Wire.VARINT)}, {"size": 300, "name": "ab"})
    b'\\n\\x02ab\\x10\\xac\\x02'
    """
    unknown = set(values) - {field.name for field in table.values()}
    if unknown:
        raise KeyError(f"no field is called {min(unknown)}")
    data_of = bytearray()
    for number, field in sorted(table.items()):
        value = values.get(field.name)
        if value is None:
            continue
        many = value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else (value,)
        for each in many:
            data_of += varint(number << 3 | field.wire)
            if field.wire == Wire.VARINT:
                data_of += varint(int(each))
            elif field.wire == Wire.FIXED32:
                data_of += FLOAT.pack(float(each))
            else:
                data = each.encode() if isinstance(each, str) else bytes(each)  # type: ignore[arg-type]
                data_of += varint(len(data)) + data
    return bytes(data_of)


def varint(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first. A negative one takes its 64 bits, as in the original.

    >>> varint(1), varint(300), len(varint(-1))
    (b'\\x01', b'\\xac\\x02', 10)
    """
    number &= (1 << 64) - 1
    groups = bytearray()
    while number > 0x7F:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])
