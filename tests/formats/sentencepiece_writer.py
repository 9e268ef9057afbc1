"""A small writer of SentencePiece models for tests, written from the .proto."""

from __future__ import annotations

import struct


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def field(number: int, value: int | float | bytes) -> bytes:
    """One field: an int as a varint, a float as 32 bits, bytes with their length."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(**fields: int | float | bytes) -> bytes:
    """A message; the names are f1, f2, …"""
    return b"".join(field(int(name[1:]), value) for name, value in fields.items())


def model(*pieces: tuple[str, float, int], trainer: bytes = b"", normalizer: bytes = b"") -> bytes:
    """A model file of (piece, score, type)."""
    found = b"".join(field(1, message(f1=text.encode(), f2=score, f3=kind)) for text, score, kind in pieces)
    return found + field(2, trainer) + field(3, normalizer)
