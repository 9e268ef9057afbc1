"""Reads text that a person gives: typed escapes, strings that may contain surrogates, bytes.

Anything that is not a character raises InputError with its position. Escapes are written as in Python and JavaScript,
surrogate pairs as in JSON; bytes are decoded by `explorer.text.utf8`. `unescape` checks escapes only; `clean` checks
surrogates that are already in the string.

Left out: escapes for raw bytes (each names a code point), octal and named escapes, encodings other than UTF-8, and any
other change to the text: it is not trimmed or normalized.
"""

import re
from collections.abc import Iterator

from explorer.errors import InputError
from explorer.text.utf8 import first_fault
from explorer.text.visible import visible

_ESCAPE = re.compile(
    r"\\(?:(?P<letter>[ntr0\\])|x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})"
    r"|u\{(?P<brace>[0-9A-Fa-f]{1,8})\})"
)
_LETTERS = {"n": 0x0A, "t": 0x09, "r": 0x0D, "0": 0x00, "\\": 0x5C}
_DIGITS = {"x": r"\xHH with two", "u": r"\uXXXX with four", "U": r"\UXXXXXXXX with eight"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")


def unescape(text: str) -> str:
    """Replaces backslash escapes: \\n \\t \\r \\0 \\\\ \\xHH \\uXXXX \\UXXXXXXXX \\u{X…}, all naming code points.

    A surrogate pair written as two escapes (as in JSON) is joined. Raises InputError for an unknown or unfinished
    escape, for half a pair and for a number above U+10FFFF, naming the position (characters, from 1) and what to write.

    >>> unescape(r"a\\tb \\u00c5 \\u{1F60A}")
    'a\\tb Å 😊'
    """
    parts: list[str] = []
    at = 0
    for start, end, ch in escapes(text):
        parts += (text[at:start], ch)
        at = end
    return "".join([*parts, text[at:]])


def escapes(text: str) -> Iterator[tuple[int, int, str]]:
    """The escapes that `unescape` replaces: (start, end, the character it names).

    >>> list(escapes(r"a\\tb"))
    [(1, 3, '\\t')]
    """
    at = 0
    while (slash := text.find("\\", at)) >= 0:
        code, at = _escape(text, slash)
        if 0xD800 <= code < 0xDC00:
            low, end = _escape(text, at) if text.startswith("\\u", at) else (0, at)
            if not 0xDC00 <= low < 0xE000:
                raise _half_pair(slash + 1, code)
            code, at = 0x10000 + (code - 0xD800 << 10) + (low - 0xDC00), end
        elif 0xDC00 <= code < 0xE000:
            raise _half_pair(slash + 1, code)
        yield slash, at, chr(code)


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
    """What is wrong with an escape, given the one or two characters after its backslash."""
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
    """The text with surrogate pairs joined. Raises InputError with the position for half of a pair.

    Such halves come from JavaScript and from files read with "surrogateescape"; no tokenizer can encode them.
    """
    if not _SURROGATE.search(text):
        return text
    lone = _SURROGATE.search(_PAIR.sub("xx", text))
    if lone:
        raise _half_pair(lone.start() + 1, ord(text[lone.start()]))
    return _PAIR.sub(lambda pair: chr(0x10000 + (ord(pair[1]) - 0xD800 << 10) + ord(pair[2]) - 0xDC00), text)


def whole_characters(text: str) -> str:
    """The text with surrogate pairs joined and U+FFFD for half of one, as in a browser's encoder.

    >>> whole_characters("\\ud83d\\ude0a\\ud83d")
    '😊\ufffd'
    """
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def from_bytes(data: bytes, where: str) -> str:
    """Decodes UTF-8. Raises InputError naming `where`, the first malformed bytes (offset, hex) and the rule.

    A byte order mark is kept, because a tokenizer would see it as a character.

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
