"""A lesson in a URL: compressed, and in the letters that a URL may have. What a link brings is an untrusted file."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Final

from explorer.errors import InputError
from explorer.learning.lessons.reading import MOST_BYTES

LONGEST_LINK: Final = 6_000
"""Characters of a lesson in a link; browsers and servers take about 8,000 for the whole URL."""


def link_of(source: str) -> str | None:
    """The text of a lesson as a URL holds it; None if it is too long for one.

    >>> source_of(link_of('title = "Bytes"'))
    'title = "Bytes"'
    """
    packed = base64.urlsafe_b64encode(zlib.compress(source.encode(), 9)).decode().rstrip("=")
    return packed if len(packed) <= LONGEST_LINK else None


def source_of(link: str) -> str:
    """The text of the lesson in a URL. Raises InputError."""
    if len(link) > LONGEST_LINK:
        raise InputError(
            f"the lesson in this link has {len(link):,} characters; at most {LONGEST_LINK:,} are read. "
            "Ask for the file."
        )
    try:
        packed = base64.b64decode(link.encode() + b"=" * (-len(link) % 4), b"-_", validate=True)
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(packed, MOST_BYTES + 1)
        if not unpacking.eof or len(data) > MOST_BYTES:
            raise ValueError
        return data.decode()
    except (binascii.Error, zlib.error, ValueError):
        raise InputError("the lesson in this link is damaged; copy the whole link, or ask for the file") from None
