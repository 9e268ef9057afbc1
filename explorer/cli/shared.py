"""What the commands share: their input (text, choices, switches) and their output (JSON, errors)."""

from __future__ import annotations

import argparse
import json
import os
import sys

from explorer.errors import ChoiceNeeded, InputError
from explorer.text import from_bytes, unescape


def chosen(argument: str) -> tuple[str, str]:
    """A KEY=VALUE. The value may hold more of =.

    >>> chosen("pattern=a=b")
    ('pattern', 'a=b')
    """
    key, equals, value = argument.partition("=")
    if key == "implementation":
        raise InputError("--choose implementation=… is written behind the model: -m NAME@IMPLEMENTATION")
    if not equals or not key.isidentifier() or key == "spec":
        raise InputError(f"--choose {argument[:60]!r} is no KEY=VALUE; write it as in --choose pre=gpt-2")
    return key, value


def options(parsed: argparse.Namespace) -> dict[str, bool]:
    return {"add_special": not parsed.no_add_special, "parse_special": not parsed.no_parse_special}


def given_text(parsed: argparse.Namespace) -> str:
    """The text of the call. Arguments are bytes to the system: what is no UTF-8 in them is refused like a file's."""
    if parsed.text is None:
        text = from_bytes(sys.stdin.buffer.read(), "standard input")
    else:
        text = from_bytes(os.fsencode(parsed.text), "TEXT")
    return unescape(text) if parsed.escapes else text


def show_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False))


def refusal(error: InputError) -> str:
    """The one line that is said of bad input."""
    if not isinstance(error, ChoiceNeeded):
        return f"explorer: {one_line(str(error))}"
    known = f" Known: {', '.join(error.options)}." if error.options else ""
    return f"explorer: {one_line(str(error))}. Say --choose {error.key}=VALUE.{known}"


def one_line(message: str) -> str:
    r"""A message whatever it quotes: the name of a file may hold line feeds and what a terminal would obey.

    >>> one_line("a\n\x1b[31m.json: wrong")
    'a\\n\\x1b[31m.json: wrong'
    """
    return "".join(ch if ch.isprintable() else ascii(ch)[1:-1] for ch in message)


def plural(count: int, word: str) -> str:
    """`1 line`, `1,000 lines`."""
    return f"{count:,} {word}{'s' * (count != 1)}"
