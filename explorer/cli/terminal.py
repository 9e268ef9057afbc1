"""Everything the command line prints, escaped: it may quote untrusted file names, tokens, labels and texts.

A terminal obeys invisible characters: ESC begins a command, U+202E reverses the line, a line feed forges a second line.
So every character that isn't printable (`str.isprintable`) is printed as an escape, which in JSON is still the same
JSON. Exact output (`decode`, CSV, Markdown) is written unchanged to files and pipes, and escaped to a terminal.
"""

from __future__ import annotations

import sys
from typing import Final


def say(*parts: object, error: bool = False) -> None:
    """Prints one line, the parts separated by spaces, to standard output or standard error.

    >>> say("a\\x1b[31m.json:", 3, "\\u202e")
    a\\x1b[31m.json: 3 \\u202e
    """
    print(escaped(" ".join(map(str, parts))), file=sys.stderr if error else sys.stdout)


def prompt(text: str, *, error: bool = False) -> None:
    """Prints a text that an answer follows on the same line."""
    print(escaped(text), end="", file=sys.stderr if error else sys.stdout, flush=True)


def say_json(text: str) -> None:
    """Prints JSON, with characters that aren't printable as JSON escapes.

    >>> say_json('["\\u202e\\U000e0001"]')
    ["\\u202e\\udb40\\udc01"]
    """
    hidden = {ord(ch): in_json(ch) for ch in set(text) if not ch.isprintable() and ch not in "\n\t\r"}
    print(text.translate(hidden) if hidden else text)


def write_exact(data: bytes) -> None:
    """Writes bytes to standard output: unchanged, or escaped if it is a terminal."""
    if sys.stdout.isatty():
        print(escaped(data.decode("utf-8", "backslashreplace"), keep="\n\t"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


WIDE: Final = 60
"""Characters of a word or a token in a list."""


def clipped(text: str) -> str:
    """The beginning of a long text, for a list."""
    return text if len(text) <= WIDE else f"{text[:WIDE]} …"


def progress(line: str = "") -> None:
    """Prints a line to standard error that the next one replaces."""
    print(f"\r{escaped(line)}\x1b[K", end="", file=sys.stderr, flush=True)


def escaped(text: str, keep: str = "") -> str:
    r"""A text with every character that isn't printable escaped, except those of `keep`.

    >>> escaped("a\n\x1b[31m.json: wrong")
    'a\\n\\x1b[31m.json: wrong'
    """
    if text.isprintable():
        return text
    return text.translate({ord(ch): ascii(ch)[1:-1] for ch in set(text) if not ch.isprintable() and ch not in keep})


def in_json(ch: str) -> str:
    """A character as a JSON escape; above U+FFFF a surrogate pair."""
    units = ch.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
