"""A call in a link: its JSON, deflated, in letters that a URL takes.

A link is a stranger's: what it holds is bounded before it is inflated, so that a small one can't grow without end.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any, Final

from explorer.errors import InputError

LONGEST_LINK: Final = 8_000
"""Characters of a call in a link; a longer one is shared as a file."""
MOST_BYTES: Final = 1_000_000
"""Bytes of the JSON in a link."""


def packed(call: Any) -> str | None:
    """A call as a parameter of a link, None if it is too long for one.

    >>> packed([{"role": "user", "content": "Hi"}]) is None, packed(list(range(9_000))) is None
    (False, True)
    """
    text = json.dumps(call, ensure_ascii=False, separators=(",", ":"))
    found = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode().rstrip("=")
    return found if len(found) <= LONGEST_LINK else None


def unpacked(link: str) -> str:
    """The JSON in such a parameter. Raises InputError if it is none, or holds too much.

    >>> unpacked(packed([{"role": "user", "content": "Hi"}]))
    '[{"role":"user","content":"Hi"}]'
    """
    if len(link) > LONGEST_LINK:
        raise InputError("chat: this link is too long to hold messages.")
    try:
        data = base64.urlsafe_b64decode(link + "=" * (-len(link) % 4))
        inflate = zlib.decompressobj()
        text = inflate.decompress(data, MOST_BYTES)
        if inflate.unconsumed_tail or not inflate.eof:
            raise InputError(f"chat: this link holds more than {MOST_BYTES:,} bytes, or is cut off.")
        return text.decode()
    except (binascii.Error, zlib.error, ValueError) as error:
        raise error if isinstance(error, InputError) else InputError("chat: this link holds no messages.") from None
