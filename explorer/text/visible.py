"""Text made visible: invisible characters, and those that act on the display, become a glyph or a label (U+202E).

The general category of `unicodedata` decides, with a list of characters that are blank despite their category. The
space and the ASCII controls have the glyphs of Unicode's block Control Pictures, but line feed and tab are arrows;
labels are those of `explorer.text.code_points`.

Left out: grapheme clusters (an emoji sequence is split at its joiners) and an inverse, since a text may contain a
literal ␣.
"""

import re
import unicodedata

from explorer.text.code_points import label

# Characters that are blank despite their category (letter, mark, symbol).
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U00016fe4\U0001d159"  # joiner, fillers, blank braille …
    "\u180b\u180c\u180d\u180f"  # Mongolian variation selectors
    + "".join(map(chr, range(0xFE00, 0xFE10)))  # variation selectors 1 to 16
    + "".join(map(chr, range(0xE0100, 0xE01F0)))  # variation selectors 17 to 256
)
_EMOJI_SELECTORS = "\ufe0e\ufe0f"
_GLYPHS = {" ": "␣", "\n": "↵", "\t": "⇥", "\x7f": "␡"} | {
    chr(code): chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)
}


def is_control_label(ch: str) -> bool:
    """Whether a character is shown as a glyph or label instead of itself.

    These are white space, controls, format characters (including bidi controls and zero-width ones), surrogates,
    private use, unassigned, variation selectors and other blank characters.
    """
    return unicodedata.category(ch)[0] in "ZC" or ch in _BLANK


def visible_char(ch: str) -> tuple[str, bool]:
    """One character as it is shown on its own: (shown, is_label as in `is_control_label`).

    A mark is put on a dotted circle, which does not count as a label.

    >>> visible_char("a"), visible_char(" "), visible_char("\\u202e"), visible_char("\\u0301")
    (('a', False), ('␣', True), ('U+202E', True), ('◌́', False))
    """
    if is_control_label(ch):
        return _GLYPHS.get(ch) or label(ch), True
    if unicodedata.category(ch)[0] == "M":
        return "◌" + ch, False
    return ch, False


def visible(text: str) -> str:
    """The text with every character visible; printable text is unchanged, except for its spaces.

    Glyphs: ␣ space, ↵ line feed, ⇥ tab, ␍ carriage return, ␀ and the other control pictures; everything else that is
    invisible or acts on the display becomes a label such as U+202E. A mark stays on the character before it, or gets a
    dotted circle; an emoji or text selector stays after a symbol. The result contains no control, format or bidi
    character and no surrogate.

    >>> visible("a b\\n"), visible("\\u202eabc"), visible("x \\u0301")
    ('a␣b↵', 'U+202Eabc', 'x␣◌́')
    """
    if text.isascii() and text.isprintable():
        return text.replace(" ", "␣")
    shown = []
    before = ""  # the last base character shown as itself; "" at the start and after a label
    for ch in text:
        kind = unicodedata.category(ch)[0]
        if ch in _EMOJI_SELECTORS and before and unicodedata.category(before)[0] == "S":
            shown.append(ch)
            before = ""  # one selector only
        elif kind == "M" and before and ch not in _BLANK:
            shown.append(ch)
        else:
            glyph, is_label = visible_char(ch)
            shown.append(glyph)
            before = "" if is_label else ch
    return "".join(shown)


def shortened(text: str, most: int = 40) -> str:
    """A text made visible; the middle of a text of more than `most` characters is left out.

    >>> shortened("What is LoRA?", 6)
    'Wha … RA?'
    """
    if len(text) <= most:
        return visible(text)
    return f"{visible(text[: most // 2])} … {visible(text[-(most // 2) :])}"


def quoted(data: bytes, most: int = 40) -> str:
    """Bytes for a sentence: text in quotes, invalid UTF-8 as bytes.

    >>> quoted(" é".encode()), quoted(b"\\xc3"), quoted(b" \\xe6\\xbc")
    ('“␣é”', 'byte C3', '“␣” + bytes E6 BC')
    """
    parts = []
    for run in _RUNS.findall(data.decode("utf-8", "surrogateescape")) or [""]:
        if run and "\udc80" <= run[0] <= "\udcff":
            raw = run.encode("utf-8", "surrogateescape")
            shown = raw.hex(" ").upper() if len(raw) <= most else f"{raw[:most].hex(' ').upper()} …"
            parts.append(f"byte{'s' * (len(raw) > 1)} {shown}")
        else:
            parts.append(f"“{shortened(run, most)}”")
    if len(parts) > _PARTS:
        parts[_PARTS // 2 : -_PARTS // 2] = ["…"]
    return " + ".join(parts)


_RUNS = re.compile("[\udc80-\udcff]+|[^\udc80-\udcff]+")
"""Runs of invalid bytes, as Python decodes them, and of text."""
_PARTS = 8
"""Runs that a sentence writes out."""


def dotted(text: str, most: int = 24) -> str:
    """A text made visible for a sentence: a space is a ·. The middle of a text of more than `most` is left out.

    >>> dotted(" café\\n"), dotted("What is LoRA?", 6)
    ('·café↵', 'Wha…RA?')
    """
    if len(text) > most:
        return f"{dotted(text[: most // 2])}…{dotted(text[-(most // 2) :])}"
    return "·".join(map(visible, text.split(" ")))


def visible_words(text: str) -> str:
    """The same for a name, whose spaces stay spaces.

    >>> visible_words("New Zealand\\n")
    'New Zealand↵'
    """
    return " ".join(map(visible, text.split(" ")))


def hexadecimal(data: bytes, most: int = 24) -> str:
    """Bytes as `E2 96 81`, at most the first `most`.

    >>> hexadecimal(b"abc", 2)
    '61 62 … 3 bytes'
    """
    return data[:most].hex(" ").upper() + (f" … {len(data)} bytes" if len(data) > most else "")
