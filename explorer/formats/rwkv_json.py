"""RWKV World's vocabulary as JSON, as ChatRWKV has it: an object of ids and tokens.

    {"1": "\\u0000", "129": [128], "257": "\\t\\t"}

A token is a string, or, where it is not valid UTF-8, a list of its bytes. A file may leave out the single bytes, which
JSON can't spell as strings: an id up to 256 that is missing is the byte one below it, as RWKV's fallback has it.
"""

from __future__ import annotations

import re
from typing import Any

from explorer.errors import InputError, shown
from explorer.formats import strict_json
from explorer.formats.files import check_size
from explorer.formats.rwkv_txt import MAX_FILE

BYTES = 256
"""The ids from 1 on that are the single bytes."""


def looks_like(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: an object whose first key is a number, its value a token.

    >>> looks_like(b'{"1": "a"'), looks_like(b'{"129": [128]'), looks_like(b'{"a": 1'), looks_like(b'{"1": {')
    (True, True, False, False)
    """
    return re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"[0-9]{1,9}"\s*:\s*(?:"|\[\s*[0-9])', head) is not None


def read(data: bytes, name: str) -> list[bytes]:
    """The tokens of the ids 1, 2, 3 …; name: what errors call the file.

    Raises InputError naming the id if a token is malformed, or if an id is missing.

    >>> tokens = read(b'{"257": "ab", "258": [255, 97]}', "toy")
    >>> len(tokens), tokens[255:]
    (258, [b'\\xff', b'ab', b'\\xffa'])
    """
    check_size(len(data), MAX_FILE, name)
    file = strict_json.read(data, name, "an RWKV vocabulary")
    if not isinstance(file, dict) or not file:
        raise InputError(f"{name}: this is not an object of ids and tokens; fetch the file again")
    if "0" in file:
        raise InputError(
            f"{name}: this is an object of ids and pieces, from the id 0 on, and a vocab.json is one of pieces and "
            "ids; swap them, and put merges.txt next to it"
        )
    tokens: dict[int, bytes] = {id: bytes([id - 1]) for id in range(1, BYTES + 1)}
    highest = max(len(file) + BYTES, BYTES)
    for key, value in file.items():
        if not re.fullmatch("[1-9][0-9]{0,8}", key) or int(key) > highest:
            raise InputError(f"{name}: {shown(key)} is not an id between 1 and {highest}; fetch the file again")
        tokens[int(key)] = token_of(value, f"{name}: id {key}")
    missing = next((id for id in range(1, len(tokens) + 1) if id not in tokens), None)
    if missing is not None:
        raise InputError(f"{name}: the id {missing} is missing, though higher ones are there; fetch the file again")
    return [tokens[id] for id in range(1, len(tokens) + 1)]


def token_of(value: Any, where: str) -> bytes:
    """The bytes of a token. where: what errors begin with.

    >>> token_of("é", "toy"), token_of([195], "toy")
    (b'\\xc3\\xa9', b'\\xc3')
    """
    if isinstance(value, str) and value:
        return value.encode()
    if isinstance(value, list) and value and all(type(byte) is int and 0 <= byte < 256 for byte in value):
        return bytes(value)
    raise InputError(f"{where}: {shown(value)} is neither text nor a list of bytes; fetch the file again")
