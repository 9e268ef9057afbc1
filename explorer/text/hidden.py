"""Characters of a text that nobody sees, and what they carry.

Tags (decoded), variation selectors (their bytes), zero-width and blank characters, controls, private use. Not reported
is what a script or a sign needs: a joiner inside an emoji or between letters of a script that joins, one selector after
a character that takes one, the tags of a flag, a zero-width space between letters of a script without spaces, marks of
direction in a text that has letters from right to left.
"""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from explorer.text.say import Text

JOINS = r"\p{Arabic}\p{Syriac}\p{Mongolian}\p{Nko}\p{Devanagari}\p{Bengali}\p{Gurmukhi}\p{Gujarati}\p{Oriya}" + (
    r"\p{Tamil}\p{Telugu}\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Hebrew}"
)
UNSPACED = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\p{Javanese}\p{Han}\p{Hiragana}\p{Katakana}"
JAMO = r"\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff"
NEEDED = regex.compile(
    "|".join(
        (
            r"\U0001f3f4[\U000e0030-\U000e007a]{1,8}\U000e007f",
            r"(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})",
            rf"(?<=[{JOINS}])[\u200c\u200d]",
            rf"(?<=[{UNSPACED}])\u200b(?=[{UNSPACED}])",
            r"(?<=\p{Emoji})[\ufe0e\ufe0f]",
            r"(?<=[\p{L}\p{M}\p{S}\p{N}])[\ufe00-\ufe0d](?![\ufe00-\ufe0f\U000e0100-\U000e01ef])",
            r"(?<=\p{Han})[\U000e0100-\U000e01ef](?![\ufe00-\ufe0f\U000e0100-\U000e01ef])",
            rf"(?<=[{JAMO}])[\u115f\u1160]|[\u115f\u1160](?=[{JAMO}])",
        )
    )
)
"""What a script or a sign needs."""
HIDDEN = {
    "tags": (Text("tags"), r"\U000e0000-\U000e007f"),
    "selectors": (Text("variation selectors"), r"\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f"),
    "width": (Text("zero-width characters"), r"\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff"),
    "blank": (
        Text("blank letters"),
        r"\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a",
    ),
    "direction": (Text("controls of direction"), r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"),
    "controls": (Text("control characters"), r"\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"),
    "private": (Text("private-use characters"), r"\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"),
}
"""By kind: what people call it, and its characters."""
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
