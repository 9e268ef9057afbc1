"""Characters of a text that nobody sees, and what they carry.

Tags (decoded), variation selectors (their bytes), zero-width and blank characters, controls, private use. Not reported
is what a script or a sign needs: a joiner inside an emoji or between letters of a script that joins, one selector after
a character that takes one, the tags of a flag, a zero-width space between letters of a script without spaces, marks of
direction in a text that has letters from right to left.
"""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from explorer.tables import read_toml

TABLE = read_toml(__file__, "hidden.toml")
HIDDEN = TABLE["kinds"]
"""By kind: what people call it, and its characters."""
NEEDED = regex.compile("|".join(TABLE["needed"]))
"""What a script or a sign needs."""
ANY = regex.compile("|".join(f"(?P<{kind}>[{characters}]+)" for kind, (_, characters) in HIDDEN.items()))
MARKS = regex.compile(r"[\u061c\u200e\u200f]")
RIGHT_TO_LEFT = regex.compile(r"[\p{Bidi_Class=R}\p{Bidi_Class=AL}--\u200f\u061c]", regex.V1)


class Hidden(NamedTuple):
    """A run of characters that nobody sees. kind: a key of `HIDDEN`. says: the text that it carries, "" for none."""

    start: int
    end: int
    kind: str
    says: str


def hidden(text: str) -> Iterator[Hidden]:
    """The runs in a text.

    >>> [*hidden("Hi\\U000e0068\\U000e006f")]
    [Hidden(start=2, end=4, kind='tags', says='ho')]
    >>> [*hidden("👩\\u200d🚀 نمی\\u200cخواهم ❤\\ufe0f")]
    []
    """
    if not ANY.search(text):
        return
    needed = {index for match in NEEDED.finditer(text) for index in range(*match.span())}
    if RIGHT_TO_LEFT.search(text):
        needed |= {match.start() for match in MARKS.finditer(text)}
    # a letter in place of what is needed
    shown = "".join("a" if index in needed else character for index, character in enumerate(text))
    for match in ANY.finditer(shown):
        yield Hidden(*match.span(), str(match.lastgroup), _carried(match[0], str(match.lastgroup)))


def _carried(run: str, kind: str) -> str:
    codes = [ord(character) for character in run]
    if kind == "tags":
        return "".join(chr(code - 0xE0000) for code in codes if 0xE0020 <= code < 0xE007F)
    if kind == "selectors" and not any(0x180B <= code <= 0x180F for code in codes):
        carried = bytes(code - 0xFE00 if code <= 0xFE0F else code - 0xE0100 + 16 for code in codes)
        try:
            text = carried.decode()
        except UnicodeDecodeError:
            return ""
        return text if text.isprintable() else ""
    return ""
