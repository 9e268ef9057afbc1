"""`.tiktoken`: a ranks file, one token a line: its bytes in base64, a space, its rank.

Follows `load_tiktoken_bpe` of OpenAI's tiktoken. The rank is the token's id and decides which pair merges first. The
file says neither which pattern cuts the text nor which special tokens there are; that is kept with the implementation.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from pathlib import Path

from explorer.errors import InputError

MAX_RANK = 10_000_000


def read(source: Path | bytes, name: str = "") -> dict[bytes, int]:
    """Token bytes → rank, in the order of the file. Raises InputError naming the line that is wrong.

    >>> read(b"YQ== 0\\nYWI= 1\\n")
    {b'a': 0, b'ab': 1}
    """
    name = name or ("these bytes" if isinstance(source, bytes) else source.name)
    data = source if isinstance(source, bytes) else source.read_bytes()
    ranks: dict[bytes, int] = {}
    try:
        # the whole file at once is the quick way; a fault is looked for line by line
        fields = data.split()
        ranks = {b64decode(token): int(rank) for token, rank in zip(fields[::2], fields[1::2], strict=True)}
        if ranks and len(ranks) == len(fields) // 2 and all(0 <= rank < MAX_RANK for rank in ranks.values()):
            return ranks
    except (ValueError, binascii.Error):
        pass
    ranks.clear()
    for number, line in enumerate(data.splitlines(), 1):
        if not line:
            continue
        parts = line.split()
        try:
            token, rank = b64decode(parts[0], validate=True), int(parts[1])
        except (ValueError, IndexError, binascii.Error):
            raise InputError(
                f"{name}: line {number} is no base64 token and rank ({line[:40]!r}); fetch the file again"
            ) from None
        if len(parts) != 2 or not 0 <= rank < MAX_RANK:
            raise InputError(f"{name}: line {number} is not one token and one rank from 0; fetch the file again")
        if token in ranks:
            raise InputError(f"{name}: line {number} gives the token of rank {ranks[token]} again; fetch it anew")
        ranks[token] = rank
    raise InputError(f"{name}: this is no file of tokens and ranks; give a .tiktoken file")


def looks_like(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a ranks file.

    >>> looks_like(b"IQ== 0\\nIg== 1\\n"), looks_like(b"{}")
    (True, False)
    """
    line, _, _ = head.partition(b"\n")
    token, _, rank = line.strip().partition(b" ")
    try:
        return bool(b64decode(token, validate=True)) and rank.isdigit()
    except binascii.Error:
        return False
