"""What a corpus of any size would take, from the rates of a measured one: tokens, bytes of ids, suffix arrays, hours.

A suffix array holds one position for each place in a text: as many bytes as the largest position needs, rounded up; or
in whole words, 4 bytes up to 2³² places and 8 above.
Leaves out compression, shards, and what a machine does besides.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SHORT_IDS: Final = 1 << 16
"""So many ids fit into 16 bits."""


class Needs(NamedTuple):
    """What a corpus takes, in bytes. ids_16: None for a vocabulary of more ids. words_of_bytes, words_of_ids: suffix
    arrays of 4 or 8 bytes a position. hours: None without a rate.
    """

    tokens: int
    ids_16: int | None
    ids_32: int
    suffixes_of_bytes: int
    suffixes_of_ids: int
    words_of_bytes: int
    words_of_ids: int
    hours: float | None


def needs(size: int, bytes_per_token: float, vocabulary: int, rate: float = 0.0, cores: int = 1) -> Needs:
    """What a corpus of `size` bytes takes. rate: bytes of text a second on one core, 0 for unknown.

    >>> needs(10**12, 4.0, 50_257, rate=10e6, cores=100)
    Needs(tokens=250000000000, ids_16=500000000000, ids_32=1000000000000, suffixes_of_bytes=5000000000000, \
suffixes_of_ids=1250000000000, words_of_bytes=8000000000000, words_of_ids=2000000000000, hours=0.2777777777777778)
    """
    tokens = round(size / bytes_per_token) if bytes_per_token > 0 else 0
    return Needs(
        tokens,
        2 * tokens if vocabulary <= SHORT_IDS else None,
        4 * tokens,
        size * position_bytes(size),
        tokens * position_bytes(tokens),
        size * word_bytes(size),
        tokens * word_bytes(tokens),
        size / rate / cores / 3600 if rate > 0 and cores > 0 else None,
    )


def position_bytes(places: int) -> int:
    """The bytes of a number that names any of these places.

    >>> position_bytes(256), position_bytes(257), position_bytes(10**12)
    (1, 2, 5)
    """
    return max(1, ((places - 1).bit_length() + 7) // 8) if places > 0 else 0


def word_bytes(places: int) -> int:
    """The bytes of a position in 32 bits, or in 64 where they don't suffice.

    >>> word_bytes(1 << 32), word_bytes((1 << 32) + 1)
    (4, 8)
    """
    return 4 if places <= 1 << 32 else 8
