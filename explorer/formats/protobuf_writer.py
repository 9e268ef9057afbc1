"""Writes messages of protocol buffers by the tables that `protobuf` reads them with: names of fields → bytes.

Fields are written in the order of their numbers. Left out: groups, packed lists, 64-bit numbers of fixed size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.formats.protobuf import FLOAT, Field, Wire

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
    found = bytearray()
    for number, field in sorted(table.items()):
        value = values.get(field.name)
        if value is None:
            continue
        many = value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else (value,)
        for each in many:
            found += varint(number << 3 | field.wire)
            if field.wire == Wire.VARINT:
                found += varint(int(each))
            elif field.wire == Wire.FIXED32:
                found += FLOAT.pack(float(each))
            else:
                data = each.encode() if isinstance(each, str) else bytes(each)  # type: ignore[arg-type]
                found += varint(len(data)) + data
    return bytes(found)


def varint(number: int) -> bytes:
    """A number in groups of seven bits, the lowest first. A negative one takes its 64 bits, as in the original.

    >>> varint(1), varint(300), len(varint(-1))
    (b'\\x01', b'\\xac\\x02', 10)
    """
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])
