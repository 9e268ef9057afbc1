"""The command line: `python -m explorer encode|decode|trace|info|models -m MODEL [TEXT]`.

Text comes from the arguments or, when there is none, from standard input, as bytes that must be UTF-8. Ids go to
standard output, errors to standard error, one line each. Exit status: 0 done, 1 bad input, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from explorer.analysis.id_lists import read_ids
from explorer.card import about, card, lines
from explorer.catalog import catalog, load
from explorer.engine.custom_pattern import with_pattern
from explorer.engine.items import Item, Segment
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import ChoiceNeeded, InputError
from explorer.export import trace_record
from explorer.text import from_bytes, unescape, visible

DESCRIPTION = "See which tokens a language model gets, and why."


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; gives the exit status. Wrong usage leaves with 2 by way of argparse."""
    parsed = parser().parse_args(arguments)
    if sys.stdin is None or sys.stdout is None:
        print("explorer: standard input or output is closed; open both", file=sys.stderr)
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):
        # the same bytes whatever the terminal's language: tokens are in every script
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        status: int = parsed.run(parsed)
        sys.stdout.flush()
        return status
    except InputError as error:
        print(refusal(error), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # the reader went away (`| head`): there is nobody left to tell
        abandon_output()
        return 0
    except OSError as error:
        abandon_output()
        print(f"explorer: cannot read or write: {error.strerror or error}; make room or open the file", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser(prog="python -m explorer", description=DESCRIPTION)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, summary: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=summary, description=summary)
        made.set_defaults(run=run)
        made.add_argument("--json", action="store_true", help="print one JSON object")
        return made

    def with_model(made: argparse.ArgumentParser) -> None:
        made.add_argument(
            "-m", "--model", required=True, help="a bundled model or the path of a file, either with @IMPLEMENTATION"
        )
        made.add_argument("--choose", action="append", default=[], metavar="KEY=VALUE",
                          help="answer what the file leaves open; the error names the key")  # fmt: skip
        made.add_argument("--pattern", metavar="REGEX", help="cut the text by this pattern instead of the model's own")
        made.add_argument("--pattern-number", type=int, default=1, metavar="N",
                          help="which of the model's patterns it stands in for (1)")  # fmt: skip

    for name, run, summary in (
        ("encode", encode, "Text to token ids."),
        ("trace", trace, "Text to token ids, with every decision on the way."),
    ):
        made = command(name, run, summary)
        with_model(made)
        made.add_argument("text", nargs="?", metavar="TEXT", help="the text; read from standard input when missing")
        made.add_argument("--no-add-special", action="store_true", help="do not add BOS and the like")
        made.add_argument("--no-parse-special", action="store_true", help="take special tokens in the text for text")
        made.add_argument("--escapes", action="store_true", help=r"read \n, \t, \x00, \u00e9 … as characters")
    made = command("decode", decode, "Token ids to text.")
    with_model(made)
    made.add_argument("ids", nargs="*", metavar="ID", help="ids, apart by spaces or commas; else from standard input")
    made.add_argument("--keep-special", action="store_true", help="do not drop the tokens added around a text")
    made.add_argument("--no-unparse-special", action="store_true", help="leave out special tokens within the text")
    with_model(command("info", info, "What a vocabulary file says and holds: its card."))
    command("models", models, "The bundled models.")
    from explorer.cli_compare import add_commands  # here, for they use what is below
    from explorer.cli_corpus import add_command

    add_commands(commands)
    add_command(commands)
    return top


# --- commands ------------------------------------------------------------------------------------------------------


def encode(parsed: argparse.Namespace) -> int:
    tok = loaded(parsed)
    encoding = tok.encode(given_text(parsed), **options(parsed))
    if parsed.json:
        show_json({"ids": encoding.ids, "pieces": encoding.pieces, "spans": encoding.spans})
    else:
        print(*encoding.ids)
    return 0


def trace(parsed: argparse.Namespace) -> int:
    tok = loaded(parsed)
    traced = tok.trace(given_text(parsed), **options(parsed))
    if parsed.json:
        show_json(trace_record(tok, traced))
        return 0
    for stage in traced.stages:
        print(f"{stage.name}: {', '.join(described(item, tok) for item in stage.after) or 'nothing'}")
        for row in stage.events:
            fields = row._asdict()
            kind = stage.part.kinds(fields.pop("kind")).name
            spelling = visible(tok.vocabulary.spelling(row.token)) if fields.get("token", -1) >= 0 else ""
            print(f"  {kind:<12}", *(f"{name}={value}" for name, value in fields.items()), spelling)
    print(*traced.ids)
    return 0


def decode(parsed: argparse.Namespace) -> int:
    tok = loaded(parsed)
    given = " ".join(parsed.ids) if parsed.ids else from_bytes(sys.stdin.buffer.read(), "standard input")
    ids = read_ids(given) if given.strip("[]() \t\r\n") else []
    decoded = tok.trace_decode(
        ids, remove_special=not parsed.keep_special, unparse_special=not parsed.no_unparse_special
    )
    if parsed.json:
        show_json({"text": decoded.text, "bytes": [part.hex() for part in decoded.parts]})
    else:
        # the bytes themselves: text that is no UTF-8 leaves as it is, not as U+FFFD
        sys.stdout.buffer.write(decoded.data + b"\n")
    return 0


def info(parsed: argparse.Namespace) -> int:
    found = card(loaded(parsed), about(parsed.model))
    if parsed.json:
        show_json(found.record())
    else:
        print(*lines(found), sep="\n")
    return 0


def models(parsed: argparse.Namespace) -> int:
    if parsed.json:
        fields = ("title", "family", "implementations")
        show_json({model.name: {field: getattr(model, field) for field in fields} for model in catalog().values()})
        return 0
    for model in catalog().values():
        print(f"{model.name:<16}{model.family:<8}{', '.join(model.implementations):<24}{model.title}")
    return 0


# --- in and out ----------------------------------------------------------------------------------------------------


def loaded(parsed: argparse.Namespace) -> Tokenizer:
    """The tokenizer asked for, with what was chosen for it."""
    tok = load(parsed.model, **dict(chosen(each) for each in parsed.choose))
    return tok if parsed.pattern is None else with_pattern(tok, parsed.pattern, parsed.pattern_number - 1)


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


def described(item: Item, tok: Tokenizer) -> str:
    if isinstance(item, Segment):
        return f"“{visible(item.text)}”"
    return f"{item.id} {visible(tok.vocabulary.spelling(item.id))}"


def show_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False))


def abandon_output() -> None:
    """What is still buffered goes nowhere, or the interpreter would try to write it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
