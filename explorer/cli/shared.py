"""What the commands share: input (text, files, choices) and output (lines, JSON, errors), which is escaped.

Output may quote untrusted file names, tokens, labels and texts, and a terminal obeys invisible characters: ESC begins
a command, U+202E reverses the line, a line feed forges a second line. So every character that isn't printable
(`str.isprintable`) is printed as an escape, which in JSON is still the same JSON. Exact output (`decode`, CSV,
Markdown) is written unchanged to files and pipes, and escaped to a terminal.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, BinaryIO

from explorer.errors import ChoiceNeeded, InputError
from explorer.origin import File
from explorer.text import from_bytes, unescape

if TYPE_CHECKING:
    from explorer.analysis.export import Export
    from explorer.analysis.inputs import Line
    from explorer.implementations.opened import Opened


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
    hidden = {ord(ch): json.dumps(ch)[1:-1] for ch in set(text) if not ch.isprintable() and ch not in "\n\t\r"}
    print(text.translate(hidden) if hidden else text)


def write_exact(data: bytes) -> None:
    """Writes bytes to standard output: unchanged, or escaped if it is a terminal."""
    if sys.stdout.isatty():
        print(escaped(data.decode("utf-8", "backslashreplace"), keep="\n\t"), end="")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


WIDE = 60
"""Characters of a word or a token in a list."""


def clipped(text: str) -> str:
    """The beginning of a long text, for a list."""
    return text if len(text) <= WIDE else f"{text[:WIDE]} …"


def progress(line: str = "") -> None:
    """Prints a line to standard error that the next one replaces, if that is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        # spaces, because a console of Windows may print an escape sequence instead of obeying it
        print(f"\r{escaped(line):<{WIDE}}\r", end="", file=sys.stderr, flush=True)


def escaped(text: str, keep: str = "") -> str:
    r"""A text with every character that isn't printable escaped, except those of `keep`.

    >>> escaped("a\n\x1b[31m.json: wrong")
    'a\\n\\x1b[31m.json: wrong'
    """
    if text.isprintable():
        return text
    return text.translate({ord(ch): ascii(ch)[1:-1] for ch in set(text) if not ch.isprintable() and ch not in keep})


Parsed = argparse.Namespace
"""The arguments of a call."""

Run = Callable[[Parsed], int]
"""Runs a command and returns its exit status."""

STDIN = "-"
"""Means standard input instead of a text, ids or a file."""


SAME, DIFFERENT, UNUSABLE = 0, 1, 2
"""Exit status of the commands that compare."""


# --- input ------------------------------------------------------------------------------------------------------------


def parse_choice(argument: str) -> tuple[str, str]:
    """A KEY=VALUE of --choose. The value may contain "=".

    >>> parse_choice("pattern=a=b")
    ('pattern', 'a=b')
    """
    key, equals, value = argument.partition("=")
    if key == "implementation":
        raise InputError("--choose implementation=… does not exist; write the implementation as -m NAME@IMPLEMENTATION")
    if not equals or not key.isidentifier() or key == "spec":
        raise InputError(f"--choose {argument[:60]!r} is not KEY=VALUE; write it as in --choose pre=gpt-2")
    return key, value


def choices(parsed: Parsed) -> dict[str, str]:
    """The choices of the call, by key."""
    return dict(map(parse_choice, parsed.choose))


def only_one(parsed: Parsed, *flags: str) -> str:
    """The one of these flags that is given, or an empty string; a usage error for several."""
    present = [flag for flag in flags if getattr(parsed, flag)]
    if len(present) > 1:
        first, *rest = (f"--{flag}" for flag in flags)
        parsed.usage_error(f"give one of {', '.join([first, *rest[:-1]])} and {rest[-1]}")
    return "".join(present)


def with_own_pattern(tokenizer: Opened, parsed: Parsed) -> Opened:
    """The tokenizer with the pattern of --pattern, if there is one."""
    if parsed.pattern is None:
        return tokenizer
    from explorer.implementations.opened import with_pattern

    return with_pattern(tokenizer, parsed.pattern, parsed.pattern_number - 1)


def options(parsed: Parsed) -> dict[str, bool]:
    """The switches of the call as arguments of `encode`."""
    return {"add_special": not parsed.no_add_special, "parse_special": not parsed.no_parse_special}


def input_text(parsed: Parsed) -> str:
    """The text of the call. Arguments are bytes for the system; bytes that aren't UTF-8 are refused, as in a file."""
    if parsed.text not in (None, STDIN):
        return argument(parsed, parsed.text, "TEXT")
    text = from_bytes(sys.stdin.buffer.read(), "standard input")
    return unescape(text) if parsed.escapes else text


def argument(parsed: Parsed, text: str, name: str) -> str:
    """A text among the arguments, its escapes replaced on request. name: what errors call it."""
    read = from_bytes(os.fsencode(text), name)
    return unescape(read) if parsed.escapes else read


def input_lines(files: Iterable[str], read: list[File], *, escapes: bool = False) -> Iterator[Line]:
    """The lines of all files, in order. Each file is added to `read` when it ends."""
    from explorer.analysis.inputs import lines_of

    for path in files:
        name = "standard input" if path == STDIN else path
        with open_input(path) as file:
            hashed = HashedFile(file)
            for line in lines_of(hashed, name):
                yield read_escapes(line) if escapes else line
            read.append(hashed.end(name))


def read_escapes(line: Line) -> Line:
    """The line with its escapes replaced. Raises InputError naming file and line."""
    try:
        return line._replace(text=unescape(line.text))
    except InputError as error:
        raise InputError(f"{line.location}: {error}") from None


@contextlib.contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """A file opened for reading bytes. Raises InputError if it cannot be opened."""
    if name == STDIN:
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: SIM115  # closed below; only errors of opening are caught here
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{name[:200]}: cannot be read ({why}); check the path and its permissions") from None
    with file:
        yield file


# --- output -----------------------------------------------------------------------------------------------------------


def as_comparison(run: Run) -> Run:
    """A command whose status 1 means that something differs: bad input exits with 2 instead."""

    def run_command(parsed: Parsed) -> int:
        try:
            return run(parsed)
        except InputError as error:
            say(error_line(error), error=True)
            return UNUSABLE

    return run_command


def say_lines(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def columns(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Rows as lines of aligned columns.

    >>> list(columns([("a", "bcd", "e"), ("abc", "d", "e")]))
    ['a    bcd  e', 'abc  d    e']
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def say_columns(rows: Iterable[tuple[str, ...]]) -> None:
    """Prints rows in aligned columns."""
    say_lines(columns(rows))


def show_json(value: object) -> None:
    """Prints a value as one line of JSON."""
    say_json(json.dumps(value, ensure_ascii=False))


def say_export(export: Export, form: str = "json") -> None:
    """Prints an export as "json", "csv" or "markdown"."""
    text = getattr(export, form)()
    if form == "json":
        say_json(text)
    else:
        write_exact(text.encode("utf-8", "backslashreplace"))


def error_line(error: InputError) -> str:
    """The one line that reports bad input."""
    if not isinstance(error, ChoiceNeeded):
        return f"explorer: {error}"
    known = f" Known: {', '.join(error.options)}." if error.options else ""
    return f"explorer: {error}. Use --choose {error.key}=VALUE.{known}"


# --- warnings ---------------------------------------------------------------------------------------------------------


class Warnings:
    """Prints each warning about tokenizers and ids once per command, to standard error.

    Neither the exit status nor standard output changes.
    """

    def __init__(self) -> None:
        self.said: set[str] = set()

    def of_files(self, tokenizers: Iterable[Opened]) -> None:
        """Prints the warnings of these tokenizers' files."""
        for tok in tokenizers:
            for warning in tok.warnings:
                self.say(f"{tok.name} ({tok.implementation}): {warning}")

    def of_ids(self, tokenizer: Opened, ids: Sequence[int], add_special: bool, place: str = "") -> None:
        """Prints the warnings about the ids of a text. place: its file and line, empty for a single text."""
        for warning in tokenizer.doubled(ids, add_special):
            self.say(warning, f"{place}{place and ': '}{tokenizer.name}: ")

    def say(self, warning: str, about: str = "") -> None:
        """Prints one warning, whatever it was about when it was printed before."""
        if warning not in self.said:
            self.said.add(warning)
            say(f"explorer: warning: {about}{warning}", error=True)


# --- hashed files: exports name the bytes they were made from ---------------------------------------------------------


class HashedFile:
    """A file that is read line by line and hashed.

    >>> import io
    >>> file = HashedFile(io.BytesIO(b"a\\nb"))
    >>> file.readline(9), file.end("a.txt").size
    (b'a\\n', 2)
    """

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.size, self.hash = file, 0, sha256()

    def readline(self, most: int) -> bytes:
        """The next line, or the first `most` bytes of it."""
        data = self.file.readline(most)
        self.size += len(data)
        self.hash.update(data)
        return data

    def end(self, name: str) -> File:
        """The name, size and sha256 of what was read."""
        return File(name, self.size, self.hash.hexdigest(), self.size)


def records(read: Iterable[File]) -> list[dict[str, Any]]:
    """Files as JSON objects."""
    return [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in read]
