"""English contractions after an apostrophe, which the patterns cut from words or leave at them.

Source for Python and for numba (`build`).
"""

from __future__ import annotations

from typing import Any, Final

LONG_S: Final = 1
"""A flag of a pattern: `(?i:'s)` matches 'ſ."""


def contraction(data: Any, at: int, any_case: int, flags: int) -> int:
    """The end of a contraction that begins with this apostrophe: 's 't 're 've 'm 'll 'd; `at` itself for none.

    any_case: 0x20 where capitals count, too.

    >>> [contraction(text + bytes([0xFF]), 0, 0x20, LONG_S) for text in (b"'s", b"'LL", b"'x", "'ſ".encode())]
    [2, 3, 0, 3]
    """
    one = data[at + 1]
    if flags & LONG_S and one == 0xC5 and data[at + 2] == 0xBF:
        return at + 3
    if one >= 0x80:
        return at
    one |= any_case
    if one == 0x73 or one == 0x74 or one == 0x6D or one == 0x64:  # s t m d
        return at + 2
    two = data[at + 2]
    if two >= 0x80:
        return at
    two |= any_case
    if (one == 0x72 or one == 0x76) and two == 0x65:  # re ve
        return at + 3
    return at + 3 if one == 0x6C and two == 0x6C else at  # ll
