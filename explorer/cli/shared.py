"""What the commands share: options, input (text, files, choices) and output (JSON, errors)."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from explorer.cli.terminal import say, say_json
from explorer.errors import ChoiceNeeded, InputError
from explorer.text import from_bytes, unescape

if TYPE_CHECKING:
    from explorer.analysis.lines import Line
    from explorer.implementations.opened import Opened
    from explorer.origin import File

Run = Callable[[argparse.Namespace], int]
"""Runs a command and returns its exit status."""

STDIN: Final = "-"
"""Means standard input instead of a text, ids or a file."""

MODEL: Final = "a bundled model, a file or a model's folder; MODEL@IMPLEMENTATION picks an implementation"

SAME, DIFFERENT, UNUSABLE = 0, 1, 2
"""Exit status of the commands that compare."""


# --- options ----------------------------------------------------------------------------------------------------------


def add_command(
    commands: Any, name: str, run: Run, summary: str, *examples: tuple[str, str], **more: Any
) -> argparse.ArgumentParser:
    """Adds a command. examples: arguments as a shell reads them, and how the output begins, or an empty string."""
    lines = ["examples:"]
    for arguments, prints in examples:
        lines += [f"  %(prog)s {arguments}".rstrip(), *([f"      {prints}"] if prints else [])]
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        **more,
    )
    command.set_defaults(run=run, usage_error=command.error)
    return command


def add_model(command: argparse.ArgumentParser) -> None:
    """Adds -m for one tokenizer, and the options that change it."""
    command.add_argument("-m", "--model", required=True, metavar="MODEL", help=MODEL)
    add_choices(command)
    add_pattern(command)


def add_models(command: argparse.ArgumentParser) -> None:
    """Adds -m for several tokenizers."""
    command.add_argument("-m", "--model", action="append", required=True, dest="models", metavar="MODEL",
                         help=f"{MODEL}; once for each tokenizer")  # fmt: skip
    add_choices(command)


def add_choices(command: argparse.ArgumentParser) -> None:
    """Adds --choose, for settings that a file leaves open."""
    command.add_argument(
        "--choose",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="choose a setting that a file leaves open; the error names the key",
    )


def add_pattern(command: argparse.ArgumentParser) -> None:
    """Adds --pattern and --pattern-number."""
    command.add_argument("--pattern", metavar="REGEX", help="split the text by this pattern instead of the model's own")
    command.add_argument(
        "--pattern-number", type=int, default=1, metavar="N", help="which of the model's patterns to replace (1)"
    )


def add_encoding(command: argparse.ArgumentParser) -> None:
    """Adds all that encoding one text takes: the tokenizer, the text and the switches."""
    add_model(command)
    add_text(command)
    add_switches(command)


def add_json(command: argparse.ArgumentParser, prints: str = "one JSON object") -> None:
    """Adds --json. prints: what is printed then."""
    command.add_argument("--json", action="store_true", help=f"print {prints}")


def add_switches(command: argparse.ArgumentParser) -> None:
    """Adds --no-add-special and --no-parse-special."""
    command.add_argument("--no-add-special", action="store_true", help="do not add BOS and the like")
    command.add_argument(
        "--no-parse-special", action="store_true", help="read special tokens in the text as plain text"
    )


def add_escapes(command: argparse.ArgumentParser) -> None:
    """Adds --escapes."""
    command.add_argument("--escapes", action="store_true", help=r"read \n, \t, \x00, \u00e9 … as characters")


def add_text(command: argparse.ArgumentParser) -> None:
    """Adds the text and --escapes."""
    command.add_argument("text", nargs="?", metavar="TEXT", help="the text; standard input if missing or -")
    add_escapes(command)


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


def with_own_pattern(tokenizer: Opened, parsed: argparse.Namespace) -> Opened:
    """The tokenizer with the pattern of --pattern, if there is one."""
    if parsed.pattern is None:
        return tokenizer
    from explorer.implementations.opened import with_pattern

    return with_pattern(tokenizer, parsed.pattern, parsed.pattern_number - 1)


def options(parsed: argparse.Namespace) -> dict[str, bool]:
    """The switches of the call as arguments of `encode`."""
    return {"add_special": not parsed.no_add_special, "parse_special": not parsed.no_parse_special}


def input_text(parsed: argparse.Namespace) -> str:
    """The text of the call. Arguments are bytes for the system; bytes that aren't UTF-8 are refused, as in a file."""
    if parsed.text in (None, STDIN):
        text = from_bytes(sys.stdin.buffer.read(), "standard input")
    else:
        text = from_bytes(os.fsencode(parsed.text), "TEXT")
    return unescape(text) if parsed.escapes else text


def input_lines(files: Iterable[str], read: list[File], *, escapes: bool = False) -> Iterator[Line]:
    """The lines of all files, in order. Each file is added to `read` when it ends."""
    from explorer.analysis.lines import lines_of
    from explorer.cli.hashed import HashedFile

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

    def run_command(parsed: argparse.Namespace) -> int:
        try:
            return run(parsed)
        except InputError as error:
            say(error_line(error), error=True)
            return UNUSABLE

    return run_command


def show_json(value: object) -> None:
    """Prints a value as one line of JSON."""
    say_json(json.dumps(value, ensure_ascii=False))


def error_line(error: InputError) -> str:
    """The one line that reports bad input."""
    if not isinstance(error, ChoiceNeeded):
        return f"explorer: {error}"
    known = f" Known: {', '.join(error.options)}." if error.options else ""
    return f"explorer: {error}. Use --choose {error.key}=VALUE.{known}"
