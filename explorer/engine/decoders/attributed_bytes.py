"""UTF-8 strings in which each byte carries the position of the token it comes from, and edits that keep it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from explorer.text.utf8 import character_offsets


class AttributedBytes(NamedTuple):
    """A string as UTF-8, and for each byte the position of the token it comes from, in ascending order.

    first: the position of the token that the string begins with; an empty string has one, too.
    """

    data: bytes
    owners: Sequence[int]
    first: int


def attributed(data: bytes, owner: int) -> AttributedBytes:
    """A string that comes from one token."""
    return AttributedBytes(data, [owner] * len(data), owner)


def joined(strings: Sequence[AttributedBytes]) -> AttributedBytes:
    """All strings as one."""
    first = strings[0].first if strings else 0
    owners = [owner for each in strings for owner in each.owners]
    return AttributedBytes(b"".join(each.data for each in strings), owners, first)


def substituted(string: AttributedBytes, spans: Sequence[tuple[int, int]], new: bytes) -> AttributedBytes:
    """The string with the bytes [start, end) of each span replaced by `new`.

    New bytes belong to the owner of the span's first byte; at the end of the string, to the owner of the last byte.

    >>> substituted(attributed(b"a_b", 7), [(1, 2)], b"  ")
    AttributedBytes(data=b'a  b', owners=[7, 7, 7, 7], first=7)
    """
    data, owners, first = string
    made, owned = bytearray(), list[int]()
    at = 0
    for start, end in spans:
        made += data[at:start] + new
        owned += owners[at:start]
        owned += [owners[min(start, len(owners) - 1)]] * len(new)
        at = end
    return AttributedBytes(bytes(made + data[at:]), [*owned, *owners[at:]], first)


def replaced(string: AttributedBytes, old: bytes, new: bytes) -> AttributedBytes:
    """The string with every `old` replaced by `new`; the same object if it does not contain `old`.

    >>> replaced(attributed("▁a▁".encode(), 0), "▁".encode(), b" ").data
    b' a '
    """
    data, owners, first = string
    if old and old not in data:
        return string
    if not data:
        return attributed(new, first)
    if old and owners[0] == owners[-1]:
        return attributed(data.replace(old, new), owners[0])
    if not old:  # between all characters
        return substituted(string, [(at, at) for at in character_offsets(data)], new)
    spans = []
    at = data.find(old)
    while at >= 0:
        spans.append((at, at + len(old)))
        at = data.find(old, at + len(old))
    return substituted(string, spans, new)


def bytes_by_token(strings: Sequence[AttributedBytes], count: int) -> list[bytes]:
    """The bytes that come from each of `count` tokens. Joined, they are the strings joined.

    >>> bytes_by_token([AttributedBytes(b"ab", [0, 2], 0), attributed(b"c", 2)], 3)
    [b'a', b'', b'bc']
    """
    parts = [b""] * count
    for data, owners, _ in strings:
        begin = 0
        while begin < len(data):
            owner, end = owners[begin], begin + 1
            if owners[-1] == owner:
                end = len(data)
            while end < len(data) and owners[end] == owner:
                end += 1
            parts[owner] += data[begin:end]
            begin = end
    return parts
