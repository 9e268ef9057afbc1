"""Texts in links: compressed, and in the letters that a URL may have. What a link brings is untrusted, so no more of it
is inflated than its reader takes."""

import base64
import zlib


def packed(text: str, longest: int) -> str | None:
    """A text as a parameter of a link; None if that has more than `longest` characters."""
    found = base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode().rstrip("=")
    return found if len(found) <= longest else None


def unpacked(link: str, most: int) -> str | None:
    """The text in such a parameter; None if it is damaged, or has more than `most` bytes.

    >>> unpacked(packed("Hi", 99), 2), unpacked(packed("Hi", 99), 1), unpacked("Hi", 2)
    ('Hi', None, None)
    """
    try:
        inflate = zlib.decompressobj()
        compressed = base64.b64decode(link.encode() + b"=" * (-len(link) % 4), b"-_", validate=True)
        data = inflate.decompress(compressed, most + 1)
        return data.decode() if inflate.eof and len(data) <= most else None
    except (zlib.error, ValueError):
        return None
