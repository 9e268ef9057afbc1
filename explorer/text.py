"""Text before any tokenizer sees it: bytes to code points, facts about a code point, and text made visible.

Four subjects that every floor above needs, from the standard library alone:

* `decode_utf8` decodes UTF-8 by hand and keeps a verdict for every byte. The rules are table 3-7 of the
  Unicode Standard; a malformed run is the "maximal subpart" the Standard recommends, so replacement
  characters stand exactly where `bytes.decode("utf-8", "replace")` puts them.
* `flags_of` and `facts` tell what llama.cpp's hand-written scanners know about a code point: the twelve flags
  of its `unicode_cpt_flags`. `simple_lower`, `simple_upper` and `first_of_nfd` are the mappings behind three
  of them. All come from `unicodedata`, so a code point newer than this Python's Unicode is undefined here.
* `visible` shows what cannot be seen: white space and controls as glyphs, the rest as labels such as U+202E.
* `unescape`, `clean` and `from_bytes` are the doors by which a person's text comes in.

Left out: normalization forms (engine/normalizers.py), grapheme clusters, other encodings than UTF-8, and the
properties that the standard library does not have, such as script and block.
"""

import re
import unicodedata
from enum import Enum, IntFlag, StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from explorer.errors import InputError

# --- UTF-8, byte by byte ------------------------------------------------------------------------------------


class Fault(Enum):
    """The rule of UTF-8 that a malformed run breaks; the value is one sentence about it."""

    STRAY = "A continuation byte stands where a character must begin."
    TRUNCATED = "The character breaks off: a continuation byte is missing."
    OVERLONG = "Overlong: the same code point has a shorter encoding, and only the shortest is allowed."
    SURROGATE = "This spells half of a surrogate pair (U+D800 to U+DFFF), which is no character in UTF-8."
    TOO_HIGH = "This spells a code point above U+10FFFF, where Unicode ends."
    IMPOSSIBLE = "No UTF-8 text can contain this byte."


class Role(StrEnum):
    """What the first bits of a byte say it is, whether or not it stands in the right place."""

    SINGLE = "single"  # 0xxxxxxx: a whole character
    LEAD = "lead"  # 110xxxxx, 1110xxxx, 11110xxx: begins a character of 2, 3, 4 bytes
    CONTINUATION = "continuation"  # 10xxxxxx
    BAD = "bad"  # C0, C1, F5 to FF: occurs in no well-formed text


class ByteFields(NamedTuple):
    """One byte cut into its marker and the bits it carries.

    >>> fields_of(0xC3)
    ByteFields(value=195, role=<Role.LEAD: 'lead'>, prefix_bits=3, payload=3)
    >>> fields_of(0xC3).bits
    ('110', '00011')
    """

    value: int
    """The byte, 0 to 255."""
    role: Role
    prefix_bits: int
    """How many leading bits are the marker: 1 (single), 2 (continuation), 3 to 5 (lead), up to 8 (bad)."""
    payload: int
    """The other 8 - prefix_bits bits, as a number."""

    @property
    def bits(self) -> tuple[str, str]:
        """Marker and payload as binary digits, together 8 of them."""
        digits = f"{self.value:08b}"
        return digits[: self.prefix_bits], digits[self.prefix_bits :]


class Decoded(NamedTuple):
    """One character of the decoded bytes, or one malformed run (one U+FFFD)."""

    start: int
    """Offset of the first byte."""
    length: int
    """Number of bytes: 1 to 4, in a malformed run 1 to 3."""
    code_point: int | None
    """None in a malformed run."""
    fault: Fault | None
    """None in a well-formed character."""
    fields: tuple[ByteFields, ...]
    """One per byte."""


def _fields_of(byte: int) -> ByteFields:
    ones = 8 - (byte ^ 0xFF).bit_length()
    prefix = min(ones + 1, 8)
    by_ones = (Role.SINGLE, Role.CONTINUATION, Role.LEAD)
    role = Role.BAD if byte in (0xC0, 0xC1) or byte > 0xF4 else by_ones[min(ones, 2)]
    return ByteFields(byte, role, prefix, byte & ((1 << (8 - prefix)) - 1))


_FIELDS = tuple(_fields_of(byte) for byte in range(256))

# After these leads the second byte has a narrower range than 80..BF; outside it the character breaks a rule.
_NARROW_SECOND = {
    0xE0: (0xA0, 0xBF, Fault.OVERLONG),
    0xED: (0x80, 0x9F, Fault.SURROGATE),
    0xF0: (0x90, 0xBF, Fault.OVERLONG),
    0xF4: (0x80, 0x8F, Fault.TOO_HIGH),
}


def fields_of(byte: int) -> ByteFields:
    """The bit fields of one byte (0 to 255)."""
    return _FIELDS[byte]


def decode_utf8(data: bytes) -> list[Decoded]:
    """Decode UTF-8, keeping where each character lies and what is wrong with each malformed run.

    Runs lie end to end and cover all of `data`. No error is raised: a run that is no character has
    `code_point` None and the `fault`. Rules: The Unicode Standard, table 3-7, and "U+FFFD Substitution of
    Maximal Subparts" in section 3.9.

    >>> [(d.start, d.length, d.code_point, d.fault) for d in decode_utf8(b"A\\xc3\\x85\\xe2\\x82")]
    [(0, 1, 65, None), (1, 2, 197, None), (3, 2, None, <Fault.TRUNCATED: 'The character breaks off: ...'>)]
    """
    decoded = []
    start = 0
    while start < len(data):
        code_point, length, fault = _decode_one(data, start)
        fields = tuple(_FIELDS[byte] for byte in data[start : start + length])
        decoded.append(Decoded(start, length, code_point if fault is None else None, fault, fields))
        start += length
    return decoded


def _decode_one(data: bytes, start: int) -> tuple[int, int, Fault | None]:
    """(code point so far, bytes taken, fault) of the run that begins at `start`."""
    lead = data[start]
    if lead < 0x80:
        return lead, 1, None
    if lead < 0xC0:
        return 0, 1, Fault.STRAY
    if lead < 0xC2:
        return 0, 1, Fault.OVERLONG
    if lead > 0xF4:
        return 0, 1, Fault.TOO_HIGH if lead < 0xF8 else Fault.IMPOSSIBLE
    needed = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    code_point = _FIELDS[lead].payload
    for taken in range(1, needed):
        byte = data[start + taken] if start + taken < len(data) else 0
        if byte & 0xC0 != 0x80:
            return 0, taken, Fault.TRUNCATED
        if taken == 1 and lead in _NARROW_SECOND:
            low, high, fault = _NARROW_SECOND[lead]
            if not low <= byte <= high:
                return 0, 1, fault
        code_point = code_point << 6 | byte & 0x3F
    return code_point, needed, None


# --- Facts about a code point -------------------------------------------------------------------------------


class Flag(IntFlag):
    """llama.cpp's `unicode_cpt_flags`, with its bit values. Each code point has one of the first eight.

    LOWERCASE, UPPERCASE and NFD are set on what a mapping *yields*: `A` has NFD because Å decomposes into it,
    and LOWERCASE stands on ß (ẞ becomes ß) but not on ŉ, which is the lower case of nothing.
    """

    UNDEFINED = 0x0001
    NUMBER = 0x0002
    LETTER = 0x0004
    SEPARATOR = 0x0008
    ACCENT_MARK = 0x0010
    PUNCTUATION = 0x0020
    SYMBOL = 0x0040
    CONTROL = 0x0080
    WHITESPACE = 0x0100
    LOWERCASE = 0x0200
    UPPERCASE = 0x0400
    NFD = 0x0800


class Facts(NamedTuple):
    """What is known about one code point.

    >>> fact = facts("Å")
    >>> fact.label, fact.name, fact.category, fact.words
    ('U+00C5', 'LATIN CAPITAL LETTER A WITH RING ABOVE', 'Lu', ('letter', 'uppercase'))
    """

    code_point: int
    label: str
    """U+ and at least four hexadecimal digits."""
    name: str
    """The Unicode name; for a control its usual name, for what has none a word in angle brackets."""
    category: str
    """General category, two letters."""
    flags: Flag

    @property
    def words(self) -> tuple[str, ...]:
        """The flags that are set, in words, in the order of their bits."""
        return tuple((flag.name or "").lower().replace("_", " ") for flag in Flag if flag in self.flags)


_FLAG_OF_CATEGORY = {
    "N": Flag.NUMBER,
    "L": Flag.LETTER,
    "Z": Flag.SEPARATOR,
    "M": Flag.ACCENT_MARK,
    "P": Flag.PUNCTUATION,
    "S": Flag.SYMBOL,
    "C": Flag.CONTROL,
}

WHITE_SPACE = frozenset([*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B)]) | {
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
}
"""The code points with Unicode's White_Space property (PropList.txt). `str.isspace` adds U+001C to U+001F."""

# Unicode gives controls no name; these are the first control aliases of NameAliases.txt, which
# `unicodedata.lookup` knows but `unicodedata.name` does not tell.
_C0_NAMES = (  # U+0000 to U+001F
    "NULL|START OF HEADING|START OF TEXT|END OF TEXT|END OF TRANSMISSION|ENQUIRY|ACKNOWLEDGE|ALERT|BACKSPACE|"
    "CHARACTER TABULATION|LINE FEED|LINE TABULATION|FORM FEED|CARRIAGE RETURN|SHIFT OUT|SHIFT IN|"
    "DATA LINK ESCAPE|DEVICE CONTROL ONE|DEVICE CONTROL TWO|DEVICE CONTROL THREE|DEVICE CONTROL FOUR|"
    "NEGATIVE ACKNOWLEDGE|SYNCHRONOUS IDLE|END OF TRANSMISSION BLOCK|CANCEL|END OF MEDIUM|SUBSTITUTE|ESCAPE|"
    "INFORMATION SEPARATOR FOUR|INFORMATION SEPARATOR THREE|INFORMATION SEPARATOR TWO|"
    "INFORMATION SEPARATOR ONE"
)
_C1_NAMES = (  # U+0080 to U+009F
    "PADDING CHARACTER|HIGH OCTET PRESET|BREAK PERMITTED HERE|NO BREAK HERE|INDEX|NEXT LINE|"
    "START OF SELECTED AREA|END OF SELECTED AREA|CHARACTER TABULATION SET|"
    "CHARACTER TABULATION WITH JUSTIFICATION|LINE TABULATION SET|PARTIAL LINE FORWARD|PARTIAL LINE BACKWARD|"
    "REVERSE LINE FEED|SINGLE SHIFT TWO|SINGLE SHIFT THREE|DEVICE CONTROL STRING|PRIVATE USE ONE|"
    "PRIVATE USE TWO|SET TRANSMIT STATE|CANCEL CHARACTER|MESSAGE WAITING|START OF GUARDED AREA|"
    "END OF GUARDED AREA|START OF STRING|SINGLE GRAPHIC CHARACTER INTRODUCER|SINGLE CHARACTER INTRODUCER|"
    "CONTROL SEQUENCE INTRODUCER|STRING TERMINATOR|OPERATING SYSTEM COMMAND|PRIVACY MESSAGE|"
    "APPLICATION PROGRAM COMMAND"
)
_CONTROL_NAMES = {
    **dict(enumerate(_C0_NAMES.split("|"))),
    0x7F: "DELETE",
    **dict(enumerate(_C1_NAMES.split("|"), start=0x80)),
}


def label(ch: str) -> str:
    """The code point of one character as U+00C5: at least four digits, capital letters."""
    return f"U+{ord(ch):04X}"


def name(ch: str) -> str:
    """The Unicode name of one character, or a word in angle brackets where there is none. Never fails.

    >>> name("\\n"), name("\\ue000"), name("\\uffff")
    ('LINE FEED', '<private use>', '<noncharacter>')
    """
    known = unicodedata.name(ch, "") or _CONTROL_NAMES.get(ord(ch), "")
    if known:
        return known
    category = unicodedata.category(ch)
    if category == "Co":
        return "<private use>"
    if category == "Cs":
        return "<surrogate>"
    if category == "Cn":
        return "<noncharacter>" if _is_noncharacter(ord(ch)) else "<unassigned>"
    # unicodedata has the code points of Tangut ideographs but not their names, which are made by rule.
    return f"TANGUT IDEOGRAPH-{ord(ch):04X}" if 0x17000 <= ord(ch) < 0x18E00 else "<unnamed>"


def _is_noncharacter(code_point: int) -> bool:
    return 0xFDD0 <= code_point <= 0xFDEF or code_point & 0xFFFE == 0xFFFE


def simple_lower(ch: str) -> str:
    """The simple (one to one) lower case of one character, or the character itself.

    >>> simple_lower("Å"), simple_lower("İ")     # "İ".lower() is two characters
    ('å', 'i')
    """
    # İ is the only character whose full lower case is longer; it begins with the simple one.
    return ch.lower()[0]


def simple_upper(ch: str) -> str:
    """The simple (one to one) upper case of one character, or the character itself.

    >>> simple_upper("å"), simple_upper("ß"), simple_upper("ᾳ")     # "ß".upper() is "SS"
    ('Å', 'ß', 'ᾼ')
    """
    upper = ch.upper()
    if len(upper) > 1:
        # Greek letters with iota subscript: the simple upper case is the title case. The others have none.
        upper = ch.title()
    return upper if len(upper) == 1 else ch


def first_of_nfd(ch: str) -> str:
    """The first character of the canonical decomposition: all that llama.cpp keeps of it.

    >>> first_of_nfd("Å"), first_of_nfd("각"), first_of_nfd("x")
    ('A', 'ᄀ', 'x')
    """
    return unicodedata.normalize("NFD", ch)[0]


@cache
def _images() -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
    """All code points that lower-casing, upper-casing and NFD yield from another one."""
    lower: set[int] = set()
    upper: set[int] = set()
    # llama.cpp's table of decompositions begins with a dummy range that maps 0 to 0, so NULL counts as well.
    nfd = {0}
    for code_point in range(0x110000):
        ch = chr(code_point)
        if unicodedata.category(ch) in ("Cn", "Co", "Cs"):
            continue
        for image, found in ((simple_lower(ch), lower), (simple_upper(ch), upper), (first_of_nfd(ch), nfd)):
            if image != ch:
                found.add(ord(image))
    return frozenset(lower), frozenset(upper), frozenset(nfd)


@lru_cache(maxsize=1 << 16)
def flags_of(code_point: int) -> Flag:
    """The twelve flags of a code point as `unicode_cpt_flags_from_cpt` of llama.cpp gives them.

    Any number is allowed; what is no code point is UNDEFINED. The first call takes 0.2 s: it walks all of
    Unicode once for the three mappings.

    >>> flags_of(ord("a"))
    <Flag.LETTER|LOWERCASE|NFD: 2564>
    """
    if not 0 <= code_point < 0x110000:
        return Flag.UNDEFINED
    category = unicodedata.category(chr(code_point))
    flags = Flag.UNDEFINED if category == "Cn" else _FLAG_OF_CATEGORY[category[0]]
    lower, upper, nfd = _images()
    if code_point in WHITE_SPACE:
        flags |= Flag.WHITESPACE
    if code_point in lower:
        flags |= Flag.LOWERCASE
    if code_point in upper:
        flags |= Flag.UPPERCASE
    if code_point in nfd:
        flags |= Flag.NFD
    return flags


def facts(ch: str) -> Facts:
    """Everything the pages tell about one character (`ch` has length 1; a lone surrogate is allowed)."""
    return Facts(ord(ch), label(ch), name(ch), unicodedata.category(ch), flags_of(ord(ch)))


# --- Text made visible --------------------------------------------------------------------------------------

# Characters that show nothing although their category (letter, mark, symbol) does not say so.
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
    """True if a character is not shown as itself but as a glyph or label standing for it.

    That is: white space, controls, format characters (bidi controls and zero-width ones among them),
    surrogates, private use, unassigned, variation selectors and other characters that show nothing.
    """
    return unicodedata.category(ch)[0] in "ZC" or ch in _BLANK


def visible_char(ch: str) -> tuple[str, bool]:
    """One character as it can be shown alone: (shown, is_label as in `is_control_label`).

    A mark gets a dotted circle to sit on; that is no label.

    >>> visible_char("a"), visible_char(" "), visible_char("\\u202e"), visible_char("\\u0301")
    (('a', False), ('␣', True), ('U+202E', True), ('◌́', False))
    """
    if is_control_label(ch):
        return _GLYPHS.get(ch) or label(ch), True
    if unicodedata.category(ch)[0] == "M":
        return "◌" + ch, False
    return ch, False


def visible(text: str) -> str:
    """`text` with every character visible; printable text comes back as it is, but for its spaces.

    Glyphs: ␣ space, ↵ line feed, ⇥ tab, ␍ carriage return, ␀ and the other control pictures; all else that
    shows nothing or would act on the display is a label such as U+202E. A mark stays on the character before
    it, or gets a dotted circle where there is none; an emoji or text selector stays after a symbol. The
    result has no control, format or bidi character and no surrogate in it. It cannot be read back: a text may
    hold a ␣ of its own.

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


# --- Doors: how text comes in -------------------------------------------------------------------------------

_ESCAPE = re.compile(
    r"\\(?:(?P<letter>[ntr0\\])|x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})"
    r"|u\{(?P<brace>[0-9A-Fa-f]{1,8})\})"
)
_LETTERS = {"n": 0x0A, "t": 0x09, "r": 0x0D, "0": 0x00, "\\": 0x5C}
_DIGITS = {"x": r"\xHH with two", "u": r"\uXXXX with four", "U": r"\UXXXXXXXX with eight"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")


def unescape(text: str) -> str:
    """Read backslash escapes: \\n \\t \\r \\0 \\\\ \\xHH \\uXXXX \\UXXXXXXXX \\u{X…}, all naming code points.

    A surrogate pair written as two escapes (as in JSON) is joined. Raises InputError for an unknown or
    unfinished escape, for half a pair and for what lies above U+10FFFF, naming the position (characters, from
    1) and what to write.

    >>> unescape(r"a\\tb \\u00c5 \\u{1F60A}")
    'a\\tb Å 😊'
    """
    parts = []
    at = 0
    while (slash := text.find("\\", at)) >= 0:
        parts.append(text[at:slash])
        code, at = _escape(text, slash)
        if 0xD800 <= code < 0xDC00:
            low, end = _escape(text, at) if text.startswith("\\u", at) else (0, at)
            if not 0xDC00 <= low < 0xE000:
                raise _half_pair(slash + 1, code)
            code, at = 0x10000 + (code - 0xD800 << 10) + (low - 0xDC00), end
        elif 0xDC00 <= code < 0xE000:
            raise _half_pair(slash + 1, code)
        parts.append(chr(code))
    return "".join([*parts, text[at:]])


def _escape(text: str, slash: int) -> tuple[int, int]:
    """(code point, index after it) of the escape whose backslash is at index `slash`."""
    position = slash + 1
    found = _ESCAPE.match(text, slash)
    if found is None:
        raise InputError(f"position {position}: {_advice(text[slash + 1 : slash + 3])}")
    if found["letter"]:
        return _LETTERS[found["letter"]], found.end()
    code = int(found["x"] or found["u"] or found["U"] or found["brace"], 16)
    if code > 0x10FFFF:
        raise InputError(
            f"position {position}: {found[0]} is above U+10FFFF, where Unicode ends; write a smaller number"
        )
    return code, found.end()


def _advice(after: str) -> str:
    """What is wrong with an escape, from the one or two characters after its backslash."""
    if not after:
        return r"a backslash ends the text; write \\ for a backslash"
    if after == "u{":
        return r"unfinished escape \u{; write one to eight hexadecimal digits and a closing }"
    if after[0] in _DIGITS:
        return rf"unfinished escape \{after[0]}; write {_DIGITS[after[0]]} hexadecimal digits"
    return rf"unknown escape \{visible(after[0])}; write \\ for a backslash, or \n \t \r \0 \xHH \uXXXX \u{{X…}}"


def _half_pair(position: int, code: int) -> InputError:
    return InputError(
        f"position {position}: half of a surrogate pair (U+{code:04X}); give the whole character or both halves"
    )


def clean(text: str) -> str:
    """The text itself, checked: surrogate pairs are joined, half of one raises InputError with its position.

    Such halves come from JavaScript and from files read with "surrogateescape"; no tokenizer can encode them.
    """
    if not _SURROGATE.search(text):
        return text
    lone = _SURROGATE.search(_PAIR.sub("xx", text))
    if lone:
        raise _half_pair(lone.start() + 1, ord(text[lone.start()]))
    return _PAIR.sub(lambda pair: chr(0x10000 + (ord(pair[1]) - 0xD800 << 10) + ord(pair[2]) - 0xDC00), text)


def first_fault(data: bytes) -> tuple[int, bytes, Fault] | None:
    """The first place that is not UTF-8: its offset, the bytes there, the rule broken; None if all is well.

    The bytes are the malformed run and the continuation bytes behind it, which help to find the place.

    >>> first_fault(b"ab\\xc0\\xafc")
    (2, b'\\xc0\\xaf', <Fault.OVERLONG: 'Overlong: ...'>)
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        window = data[error.start : error.start + 4]
        fault = decode_utf8(window)[0].fault
        run = re.match(rb"(?s).[\x80-\xbf]*", window)
        assert fault is not None  # the standard library refused these very bytes
        assert run is not None
        return error.start, run[0], fault
    return None


def from_bytes(data: bytes, where: str) -> str:
    """Decode UTF-8, or raise InputError naming `where`, the first bad bytes (offset, hex) and the rule.

    A byte order mark is kept: it is a character that a tokenizer would see.

    >>> from_bytes(b"caf\\xe9", "menu.txt")
    Traceback (most recent call last):
    explorer.errors.InputError: menu.txt: byte offset 3 (E9) is not UTF-8. The character breaks off: ...
    """
    bad = first_fault(data)
    if bad is None:
        return data.decode("utf-8")
    offset, run, fault = bad
    raise InputError(
        f"{where}: byte offset {offset} ({run.hex(' ').upper()}) is not UTF-8. {fault.value} "
        "Save the text as UTF-8 and try again."
    )
