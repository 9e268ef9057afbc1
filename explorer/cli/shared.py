"""What the commands share: their arguments, their input (text, files, choices) and their output (JSON, errors)."""

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
    from explorer.engine.tokenizer import Tokenizer
    from explorer.origin import File

Run = Callable[[argparse.Namespace], int]
"""What a command does: it gives the exit status."""

STDIN: Final = "-"
"""What stands for standard input in the place of a text, ids or a file."""

MODEL: Final = "a bundled model, a file or a model's folder; MODEL@IMPLEMENTATION picks an implementation"

SAME, DIFFERENT, UNUSABLE = 0, 1, 2
"""Exit status of the commands that compare."""


# --- arguments --------------------------------------------------------------------------------------------------------


def added(
    commands: Any, name: str, run: Run, summary: str, *examples: tuple[str, str], **more: Any
) -> argparse.ArgumentParser:
    """A new command. examples: arguments as a shell reads them, and how the output begins, where that is told."""
    lines = ["examples:"]
    for arguments, prints in examples:
        lines += [f"  %(prog)s {arguments}".rstrip(), *([f"      {prints}"] if prints else [])]
    made: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, description=summary, epilog="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter, **more,
    )  # fmt: skip
    made.set_defaults(run=run, usage_error=made.error)
    return made


def takes_model(made: argparse.ArgumentParser) -> None:
    """-m for one tokenizer, and what changes it."""
    made.add_argument("-m", "--model", required=True, metavar="MODEL", help=MODEL)
    takes_choices(made)
    takes_pattern(made)


def takes_models(made: argparse.ArgumentParser) -> None:
    """-m for several tokenizers."""
    made.add_argument("-m", "--model", action="append", required=True, dest="models", metavar="MODEL",
                      help=f"{MODEL}; once for each tokenizer")  # fmt: skip
    takes_choices(made)


def takes_choices(made: argparse.ArgumentParser) -> None:
    made.add_argument("--choose", action="append", default=[], metavar="KEY=VALUE",
                      help="answer what a file leaves open; the error names the key")  # fmt: skip


def takes_pattern(made: argparse.ArgumentParser) -> None:
    made.add_argument("--pattern", metavar="REGEX", help="split the text by this pattern instead of the model's own")
    made.add_argument("--pattern-number", type=int, default=1, metavar="N",
                      help="which of the model's patterns to replace (1)")  # fmt: skip


def takes_switches(made: argparse.ArgumentParser) -> None:
    made.add_argument("--no-add-special", action="store_true", help="do not add BOS and the like")
    made.add_argument("--no-parse-special", action="store_true", help="read special tokens in the text as plain text")


def takes_escapes(made: argparse.ArgumentParser) -> None:
    made.add_argument("--escapes", action="store_true", help=r"read \n, \t, \x00, \u00e9 … as characters")


def takes_text(made: argparse.ArgumentParser) -> None:
    made.add_argument("text", nargs="?", metavar="TEXT", help="the text; standard input when missing or -")
    takes_escapes(made)


# --- input ------------------------------------------------------------------------------------------------------------


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


def patterned(tokenizer: Tokenizer, parsed: argparse.Namespace) -> Tokenizer:
    """The tokenizer with the pattern of the call, where there is one."""
    if parsed.pattern is None:
        return tokenizer
    from explorer.engine.pre_tokenizers.custom_pattern import with_pattern

    return with_pattern(tokenizer, parsed.pattern, parsed.pattern_number - 1)


def options(parsed: argparse.Namespace) -> dict[str, bool]:
    return {"add_special": not parsed.no_add_special, "parse_special": not parsed.no_parse_special}


def given_text(parsed: argparse.Namespace) -> str:
    """The text of the call. Arguments are bytes to the system: what is no UTF-8 in them is refused like a file's."""
    if parsed.text in (None, STDIN):
        text = from_bytes(sys.stdin.buffer.read(), "standard input")
    else:
        text = from_bytes(os.fsencode(parsed.text), "TEXT")
    return unescape(text) if parsed.escapes else text


def lines_in(files: Iterable[str], read: list[File], *, escapes: bool = False) -> Iterator[Line]:
    """The lines of all files, one after the other. What was read of each is added to `read`."""
    from explorer.analysis.lines import lines_of
    from explorer.cli.hashed import Hashed

    for path in files:
        name = "standard input" if path == STDIN else path
        with opened(path) as file:
            hashed = Hashed(file)
            for line in lines_of(hashed, name):
                yield unescaped(line) if escapes else line
            read.append(hashed.end(name))


def unescaped(line: Line) -> Line:
    """The line with its escapes read. Raises InputError naming its place."""
    try:
        return line._replace(text=unescape(line.text))
    except InputError as error:
        raise InputError(f"{line.place}: {error}") from None


@contextlib.contextmanager
def opened(name: str) -> Iterator[BinaryIO]:
    """A file that is read as bytes. Raises InputError where it cannot be opened."""
    if name == STDIN:
        yield sys.stdin.buffer
        return
    try:
        file = open(name, "rb")  # noqa: SIM115  # closed below; only opening is to be caught here
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{name[:200]}: cannot be read ({why}); check the path and its permissions") from None
    with file:
        yield file


# --- output -----------------------------------------------------------------------------------------------------------


def compares(run: Run) -> Run:
    """A command whose status 1 means that something differs: bad input is one line, too, but status 2."""

    def usable(parsed: argparse.Namespace) -> int:
        try:
            return run(parsed)
        except InputError as error:
            say(refusal(error), error=True)
            return UNUSABLE

    return usable


def show_json(value: object) -> None:
    say_json(json.dumps(value, ensure_ascii=False))


def refusal(error: InputError) -> str:
    """The one line that is said of bad input."""
    if not isinstance(error, ChoiceNeeded):
        return f"explorer: {error}"
    known = f" Known: {', '.join(error.options)}." if error.options else ""
    return f"explorer: {error}. Use --choose {error.key}=VALUE.{known}"
