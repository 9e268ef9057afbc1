"""GGUF's key/value section written from Python values: what `gguf` reads.

Follows ggml's `docs/gguf.md`. A key that is not changed is written from its bytes (`gguf.pairs`), so its type stays.

Left out: tensors. What is written is a vocabulary, which llama.cpp loads as one (`vocab_only`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from enum import IntEnum

from explorer.formats.gguf import Pair, Pairs


class Kind(IntEnum):
    """Numbers of the types that vocabularies need (`gguf_metadata_value_type`)."""

    UINT32 = 4
    INT32 = 5
    FLOAT32 = 6
    BOOL = 7
    STRING = 8
    ARRAY = 9


def text(key: str, value: str, order: str = "<") -> Pair:
    """A key with a string.

    >>> text("a", "b").data
    b'\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00b'
    """
    return Pair(key, Kind.STRING, _string(value.encode(), order))


def boolean(key: str, value: bool) -> Pair:
    return Pair(key, Kind.BOOL, bytes([value]))


def integer(key: str, value: int, order: str = "<") -> Pair:
    """A key with a whole number from 0."""
    return Pair(key, Kind.UINT32, struct.pack(f"{order}I", value))


def strings(key: str, values: Sequence[bytes], order: str = "<") -> Pair:
    """A key with an array of strings."""
    return Pair(key, Kind.ARRAY, _head(Kind.STRING, values, order) + b"".join(_string(each, order) for each in values))


def numbers(key: str, values: Sequence[float], of: Kind, order: str = "<") -> Pair:
    """A key with an array of numbers. of: FLOAT32 or INT32."""
    letter = "f" if of is Kind.FLOAT32 else "i"
    packed = struct.pack(f"{order}{len(values)}{letter}", *values)
    return Pair(key, Kind.ARRAY, _head(of, values, order) + packed)


def file(head: Pairs) -> bytes:
    """The file of these keys, without tensors."""
    order = head.order
    found = [b"GGUF" + struct.pack(f"{order}IQQ", head.version, 0, len(head.pairs))]
    for key, kind, data in head.pairs:
        found += [_string(key.encode(), order), struct.pack(f"{order}I", kind), data]
    return b"".join(found)


def _string(data: bytes, order: str) -> bytes:
    return struct.pack(f"{order}Q", len(data)) + data


def _head(of: Kind, values: Sequence[object], order: str) -> bytes:
    return struct.pack(f"{order}IQ", of, len(values))
