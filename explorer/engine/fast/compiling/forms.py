"""A Unicode form (Qwen's NFC) over joined texts: only lines near what may change go through Python.

Unicode's quick check: a text is in the form if each of its characters is, has no combining class and composes with
nothing before it. A compiled search finds the other characters (UAX #15, section 9).
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

from explorer.compiled import build
from explorer.compiled.arrays import Call, octets
from explorer.compiled.utf8 import END, NOTHING, PADDING
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm

UNSURE: Final = 1
"""The class of characters that a form may change, alone or with those before them."""

LAST: Final = 0x40000
"""From here on, only plane 14 has characters, none of which a form changes."""

JAMO: Final = (range(0x1161, 0x1176), range(0x11A8, 0x11C3))
"""What composes with Hangul before it; the decomposition of syllables is not in the tables."""

SOME: Final = 1 << 12
"""Bytes that are put into a form at once, with the rest of their last line."""

WITH_ENDS: Final = ("utf-8", "surrogateescape")
"""How joined texts become a string: END becomes half of a surrogate pair, which no form changes."""

LINE_END: Final = b"\n"
TEXT_END: Final = bytes([END])


@cache
def unsure(form: Form) -> bytes:
    """By code point, UNSURE or nothing.

    >>> [unsure("NFC")[ord(ch)] for ch in "aé가\\u0301\\u212b"], unsure("NFD")[ord("é")]
    ([0, 0, 0, 1, 1], 1)
    """
    table = bytearray(NOTHING + 1)
    keeps = UnicodeForm(form).keeps
    for code in (*range(0x80, 0xD800), *range(0xE000, LAST)):
        ch = chr(code)
        table[code] |= unicodedata.combining(ch) != 0 or not keeps(ch)
        parts = unicodedata.decomposition(ch).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            # the second one may compose with a character before it
            table[int(parts[1], 16)] = UNSURE
    for codes in JAMO:
        table[codes[0] : codes[-1] + 1] = bytes([UNSURE]) * len(codes)
    return bytes(table)


class InForm:
    """Puts joined texts into a form. table: of `unsure`. One thread's: calls share their arguments.

    >>> from explorer.compiled.utf8 import PADDING
    >>> InForm(UnicodeForm("NFC"), unsure("NFC"), {})("e\\u0301".encode() + PADDING).removesuffix(PADDING).decode()
    'é'
    """

    def __init__(self, form: UnicodeForm, table: bytes, functions: build.Functions) -> None:
        self.form = form
        self.next = Call("first_in", functions)
        self.next.give(classes=octets(table), wanted=UNSURE)

    def __call__(self, joined: bytes) -> bytes:
        """The texts, each with END after it, in this form. Nothing composes with a line end or moves across one."""
        stop = len(joined) - len(PADDING) + 1
        self.next.give(data=octets(joined), stop=stop)
        parts: list[bytes] = []
        done = text_end = 0
        while (at := self.next(at=done)) < stop:
            begin = max(done, joined.rfind(LINE_END, done, at) + 1, joined.rfind(TEXT_END, done, at) + 1)
            # what may change is seldom alone
            end = max(at, min(begin + SOME, stop - 1))
            if end >= text_end:
                text_end = joined.index(TEXT_END, end)
            line_end = joined.find(LINE_END, end, text_end)
            end = text_end if line_end < 0 else line_end
            some = joined[begin:end].decode(*WITH_ENDS)
            parts += (joined[done:begin], self.form.text(some).encode(*WITH_ENDS))
            done = end
        return b"".join([*parts, joined[done:]]) if parts else joined
