"""All that the command line prints goes through here: it quotes strangers' file names, tokens, labels and texts.

A terminal obeys characters that are not shown: ESC begins a command, U+202E turns the line round, a line feed makes a
second line that nobody said. So whatever is no printable character (`str.isprintable`) leaves as an escape. JSON is the
same JSON then. What is taken away byte for byte (`decode`, CSV, Markdown) leaves exactly into files and pipes, and
escaped onto a terminal.
"""

from __future__ import annotations

import sys


def say(*parts: object, error: bool = False) -> None:
    """One line, the parts apart by spaces, on standard output or standard error.

    >>> say("a\\x1b[31m.json:", 3, "\\u202e")
    a\\x1b[31m.json: 3 \\u202e
    """
    print(escaped(" ".join(map(str, parts))), file=sys.stderr if error else sys.stdout)


def say_json(text: str) -> None:
    """JSON as it is, what is not printable in its strings as JSON's own escapes.

    >>> say_json('["\\u202e\\U000e0001"]')
    ["\\u202e\\udb40\\udc01"]
    """
    hidden = {ord(ch): in_json(ch) for ch in set(text) if not ch.isprintable() and ch not in "\n\t\r"}
    print(text.translate(hidden) if hidden else text)


def take_away(data: bytes) -> None:
    """Bytes that somebody takes away: exact, but for a terminal."""
    if sys.stdout.isatty():
        print(escaped(data.decode("utf-8", "backslashreplace"), keep="\n\t"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


def progress(line: str = "") -> None:
    """A line on standard error that the next one takes the place of."""
    print(f"\r{escaped(line)}\x1b[K", end="", file=sys.stderr, flush=True)


def escaped(text: str, keep: str = "") -> str:
    r"""Text whatever it holds, in one line unless line feeds are kept.

    >>> escaped("a\n\x1b[31m.json: wrong")
    'a\\n\\x1b[31m.json: wrong'
    """
    if text.isprintable():
        return text
    return text.translate({ord(ch): ascii(ch)[1:-1] for ch in set(text) if not ch.isprintable() and ch not in keep})


def in_json(ch: str) -> str:
    """A character as JSON escapes it, beyond U+FFFF as a pair."""
    units = ch.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
