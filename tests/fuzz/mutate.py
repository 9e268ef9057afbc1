"""Mutations for fuzzing: bytes of any format, lines of text, protobuf messages, and the structure of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.formats.sentencepiece_writer import varint

EXTREMES = (
    0,
    1,
    0x7F,
    0x80,
    0xFF,
    0x7FFF,
    0xFFFF,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 60,
    (1 << 63) - 1,
    (1 << 64) - 1,
)
VARINTS = (b"\xff" * 9 + b"\x01", b"\xff" * 4 + b"\x07", b"\x80" * 9 + b"\x00", b"\xff" * 11, b"\x80", b"\x00")
NUMBERS = (
    b"-1",
    b"0",
    b"99999999999",
    b"9" * 5_000,
    b"1e999",
    b"NaN",
    b"0x10",
    b"1_0",
    "٣".encode(),
    b"",
    b"4294967296",
)
BITS = (b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n\n", b"\0", b"\xff", b"\xed\xa0\x80", "\u2028".encode(), b" ", b"\\", b'"')


def span(choose: Random, data: bytearray, most: int = 64) -> tuple[int, int]:
    """A random span [start, end) of the data, mostly short."""
    start = choose.randrange(len(data) + 1)
    return start, min(len(data), start + choose.randint(0, choose.choice((1, 4, most, len(data) or 1))))


def flip(choose: Random, data: bytearray) -> None:
    for _ in range(choose.randint(1, 8) if data else 0):
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)


def overwrite(choose: Random, data: bytearray) -> None:
    for _ in range(choose.randint(1, 4) if data else 0):
        data[choose.randrange(len(data))] = choose.randrange(256)


def truncate(choose: Random, data: bytearray) -> None:
    del data[choose.randrange(len(data) + 1) :]


def delete(choose: Random, data: bytearray) -> None:
    start, end = span(choose, data)
    del data[start:end]


def insert(choose: Random, data: bytearray) -> None:
    at = choose.randrange(len(data) + 1)
    data[at:at] = choose.choice((choose.randbytes(choose.randint(1, 16)), choose.choice(BITS), choose.choice(VARINTS)))


def duplicate(choose: Random, data: bytearray) -> None:
    start, end = span(choose, data, 400)
    at = choose.choice((end, choose.randrange(len(data) + 1)))
    data[at:at] = data[start:end] * choose.choice((1, 1, 1, 2, 50))


def extreme(choose: Random, data: bytearray) -> None:
    """Sets a length or number field to an end of its range, in either byte order."""
    size = choose.choice((1, 2, 4, 8))
    at = choose.randrange(len(data) + 1)
    value = (choose.choice(EXTREMES) + choose.choice((-1, 0, 0, 1))) & (1 << 8 * size) - 1
    data[at : at + size] = value.to_bytes(size, choose.choice(("little", "little", "big")))


def number(choose: Random, data: bytearray) -> None:
    """Replaces a number in digits with another one."""
    digits = [at for at, byte in enumerate(data) if 0x30 <= byte < 0x3A]
    if digits:
        start = end = choose.choice(digits)
        while end < len(data) and 0x30 <= data[end] < 0x3A:
            end += 1
        data[start:end] = choose.choice(NUMBERS)


def lines(choose: Random, data: bytearray) -> None:
    """Repeats a line, swaps two, changes the line ends, or adds a byte order mark."""
    found = bytes(data).split(b"\n")
    a, b = (choose.randrange(len(found)) for _ in range(2))
    way = choose.randrange(5)
    if way == 0:
        found.insert(b, found[a])
    elif way == 1:
        found[a], found[b] = found[b], found[a]
    elif way == 2:
        found[a] += choose.choice(BITS)
    elif way == 3:
        found[0] = b"\xef\xbb\xbf" + found[0]
    data[:] = choose.choice((b"\n", b"\n", b"\r\n", b"\r", b"\n\n")).join(found)


WAYS: tuple[Callable[[Random, bytearray], None], ...] = (
    flip, overwrite, truncate, delete, insert, duplicate, extreme, number, lines,
)  # fmt: skip


def bytes_mutated(choose: Random, data: bytes) -> bytes:
    """Applies one to four mutations to the data."""
    changed = bytearray(data)
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        choose.choice(WAYS)(choose, changed)
    return bytes(changed)


# --- protocol buffers ----------------------------------------------------------------------------------------------


def message_mutated(choose: Random, data: bytes, depth: int = 0) -> bytes:
    """Changes, repeats or removes one field of a message, and adjusts all lengths."""
    fields = fields_of(data)
    if not fields:
        return bytes_mutated(choose, data)
    at = choose.randrange(len(fields)) if depth or choose.random() < 0.7 else len(fields) - 1 - choose.randrange(3)
    number, wire, payload = fields[at]
    way = choose.randrange(6)
    if way == 0:
        fields.insert(choose.randrange(len(fields) + 1), fields[at])
    elif way == 1:
        del fields[at]
    elif wire == 2:
        deeper = way > 3 and depth < 2 and choose.random() < 0.7
        changed = message_mutated(choose, payload, depth + 1) if deeper else bytes_mutated(choose, payload)
        fields[at] = number, wire, changed
    elif wire == 0:
        fields[at] = number, wire, choose.choice((*VARINTS[:2], bytes([choose.randrange(8)])))
    else:
        fields[at] = number, wire, choose.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"\0\0\0\x80",
                                                  b"\xff\xff\x7f\x7f", choose.randbytes(4)))  # fmt: skip
    return b"".join(
        varint(number << 3 | wire) + (varint(len(payload)) if wire == 2 else b"") + payload
        for number, wire, payload in fields
    )


def fields_of(data: bytes) -> list[tuple[int, int, bytes]]:
    """Number, wire type and payload of each field; empty if the data is not a message."""
    found: list[tuple[int, int, bytes]] = []
    at = 0
    while at < len(data):
        tag, start = number_at(data, at)
        end = {0: number_at(data, start)[1], 1: start + 8, 5: start + 4}.get(tag & 7, len(data) + 1)
        if tag & 7 == 2:
            length, start = number_at(data, start)
            end = start + length
        if not tag >> 3 or end > len(data):
            return []
        found.append((tag >> 3, tag & 7, data[start:end]))
        at = end
    return found


def number_at(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return (value | data[at] << shift, at + 1) if at < len(data) else (0, at + 1)


# --- JSON ----------------------------------------------------------------------------------------------------------


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 2**31, 2**32, 2**63, 2**64, 10**300, 0.5, -0.0, 1e308, float("inf"), float("nan"),
    "", " ", "a", "▁", "\x00", "\ud800", "<unk>", "[CLS]", "(", "(a+)+$", r"\p{L", "(?<=a*)b", "(?P<a0>x)", "x" * 2_000,
    [], {}, [[]], [1, 2], ["a", "b"], ["a", "b", "c"], {"type": "Sequence"}, {"type": "NFC"}, {"type": 7},
    {"String": ""}, {"Regex": "["}, nested(60),
)  # fmt: skip


def locations(value: Any) -> list[tuple[Any, Any]]:
    """Every location in the structure, as (container, key); of long objects and lists, only a few entries."""
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        container = stack.pop()
        keys = list(container) if isinstance(container, dict) else list(range(len(container)))
        for key in keys if len(keys) < 40 else keys[:3] + keys[-3:] + keys[40:43]:
            found.append((container, key))
            if isinstance(container[key], (dict, list)):
                stack.append(container[key])
    return found


def json_mutated(choose: Random, data: bytes) -> bytes:
    """Changes the structure of the JSON in one to four locations, and sometimes its bytes."""
    whole = json.loads(data)
    for _ in range(choose.choice((1, 1, 1, 2, 4))):
        known = locations(whole)
        if not known:
            break
        container, key = choose.choice(known)
        other, there = choose.choice(known)
        way = choose.randrange(6)
        if way <= 1:
            container[key] = choose.choice(VALUES)
        elif way == 2:
            del container[key]
        elif way == 3:
            container[key], other[there] = other.get(there) if isinstance(other, dict) else other[there], container[key]
        elif way == 4 and isinstance(container, dict):
            container[choose.choice(("type", "id", "", "vocab", f"{key}x", "\ud83d"))] = container[key]
        elif isinstance(container, list):
            container += container[: choose.choice((1, 2, 50))]
        if cyclic(whole):
            return json_mutated(choose, data)
    text = json.dumps(whole, ensure_ascii=choose.random() < 0.5)
    if choose.random() < 0.02:
        text = text.replace('"type"', '"a": ' + "[" * 10_000 + "]" * 10_000 + ', "type"', 1)
    changed = text.encode("utf-8", "surrogatepass")
    return bytes_mutated(choose, changed) if choose.random() < 0.1 else changed


def cyclic(value: Any, above: tuple[int, ...] = ()) -> bool:
    """Whether a container contains itself, which JSON cannot express (swapping entries may cause it)."""
    if not isinstance(value, (dict, list)):
        return False
    if id(value) in above:
        return True
    inner = value.values() if isinstance(value, dict) else value
    return any(cyclic(each, (*above, id(value))) for each in inner if isinstance(each, (dict, list)))
