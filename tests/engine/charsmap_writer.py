"""A small writer of precompiled character maps, for tests that need their own rules."""

from __future__ import annotations

import struct


def charsmap(rules: dict[str, str] | dict[bytes, bytes]) -> bytes:
    """The map with these rules. Every node of the trie gets a block of 256 units of its own, which is simple."""
    pairs = {(k if isinstance(k, bytes) else k.encode()): (v if isinstance(v, bytes) else v.encode())
             for k, v in rules.items()}  # fmt: skip
    strings, offsets = b"", {}
    for key, value in pairs.items():
        offsets[key] = len(strings)
        strings += value + b"\0"
    nodes = sorted({key[:length] for key in pairs for length in range(len(key) + 1)})
    block = {node: (number + 1) * 256 for number, node in enumerate(nodes)}
    """node → the block of its children; block 0 contains only the root"""
    units = [0x01] * (256 * (len(nodes) + 1))  # a label that no lookup asks for there
    at = {b"": 0}
    for node in nodes[1:]:
        at[node] = block[node[:-1]] ^ node[-1]
    for node in nodes:
        label = node[-1] if node else 0
        distance = at[node] ^ block[node]
        # an offset of 21 bits or more must be a multiple of 256, and is encoded as such
        assert distance < 1 << 21
        units[at[node]] = distance << 10 | (0x100 if node in pairs else 0) | label
        if node in pairs:
            units[block[node]] = 1 << 31 | offsets[node]
    for index, unit in enumerate(units):
        if unit == 0x01 and index & 0xFF == 1 and index not in at.values():
            units[index] = 0x02
    return struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + strings
