"""The commands that run one tokenizer: `encode`, `trace`, `decode`, `info` and `models`.

What only one of them needs is imported by it, so that `encode` starts fast.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from explorer.cli.shared import (
    STDIN,
    added,
    chosen,
    given_text,
    lines_in,
    options,
    patterned,
    takes_model,
    takes_switches,
    takes_text,
    unescaped,
)
from explorer.cli.terminal import say, say_json, take_away
from explorer.cli.warn import Warned
from explorer.errors import InputError
from explorer.opening.catalog import catalog, load
from explorer.text import from_bytes, visible

if TYPE_CHECKING:
    from explorer.analysis.lines import Line
    from explorer.engine.items import Item
    from explorer.engine.tokenizer import Tokenizer


def add_commands(commands: Any) -> None:
    """Adds these commands to the command line."""
    made = added(
        commands, "encode", encode, "Text to token ids.",
        ('-m llama-2 "What is LoRA?"', "1 1724 338 4309 4717 29973"),
        ('-m gpt-2 --count "hello world"', "2"),
        ("-m qwen2.5 --lines - < notes.txt", "[144044, 65671]"),
        (r'-m gpt-2 --json --escapes "caf\u00e9"', '{"format": "tokenizer-explorer encoding 1", '),
    )  # fmt: skip
    takes_model(made)
    takes_text(made)
    takes_switches(made)
    made.add_argument("--lines", action="store_true", help="encode each line on its own: one line of JSON each")
    made.add_argument("--count", action="store_true", help="print the number of tokens only")
    made.add_argument("--json", action="store_true", help="print ids, pieces, bytes and spans as one JSON object")

    made = added(
        commands, "trace", trace, "Text to token ids, with every decision on the way.",
        ('-m llama-2 "is"', "partition: “is”"),
        ('-m gpt-2 --json "hello world" > trace.json', ""),
    )  # fmt: skip
    takes_model(made)
    takes_text(made)
    takes_switches(made)
    made.add_argument("--json", action="store_true", help="print one JSON object")

    made = added(
        commands, "decode", decode, "Token ids to text.",
        ("-m llama-2 1 1724 338", "What is"),
        ('-m gpt-2 "[31373, 995]"', "hello world"),
        ("-m gpt-2 - < ids.json", "hello world"),
    )  # fmt: skip
    takes_model(made)
    made.add_argument("ids", nargs="*", metavar="ID", help="any common notation; standard input when missing or -")
    made.add_argument("--keep-special", action="store_true", help="keep the tokens added around a text")
    made.add_argument("--no-unparse-special", action="store_true", help="leave out special tokens within the text")
    made.add_argument("--json", action="store_true", help="print text and bytes as one JSON object")

    made = added(
        commands, "info", info, "What a vocabulary file says and holds: its card.",
        ("-m gpt-2", "gpt-2: BPE, as huggingface runs it"),
        ("-m my/tokenizer.json --json", ""),
    )  # fmt: skip
    takes_model(made)
    made.add_argument("--json", action="store_true", help="print one JSON object")

    made = added(commands, "models", models, "The bundled models.", ("", "llama-2       SPM        llama.cpp"))
    made.add_argument("--json", action="store_true", help="print one JSON object")


def encode(parsed: argparse.Namespace) -> int:
    if parsed.count and parsed.json:
        parsed.usage_error("give one of --count and --json")
    warned = Warned()
    tok = loaded(parsed, warned)
    if parsed.lines:
        for line in given_lines(parsed):
            try:
                say_json(encoded(tok, line.text, parsed, warned, line.place))
            except InputError as error:
                raise InputError(f"{line.place}: {error}") from None
        return 0
    text = given_text(parsed)
    if parsed.json or parsed.count:
        say_json(encoded(tok, text, parsed, warned))
    else:
        ids = tok.encode(text, **options(parsed)).ids
        warned.of_ids(tok, ids, not parsed.no_add_special)
        say(*ids)
    return 0


def given_lines(parsed: argparse.Namespace) -> Iterator[Line]:
    """The lines of the text of the call."""
    if parsed.text in (None, STDIN):
        yield from lines_in([STDIN], [], escapes=parsed.escapes)
        return
    from explorer.analysis.lines import lines_of

    for line in lines_of(io.BytesIO(os.fsencode(parsed.text)), "TEXT"):
        yield unescaped(line) if parsed.escapes else line


def encoded(tok: Tokenizer, text: str, parsed: argparse.Namespace, warned: Warned, place: str = "") -> str:
    """What is printed of a text, on one line."""
    asked = options(parsed)
    encoding = tok.encode(text, **asked)
    warned.of_ids(tok, encoding.ids, asked["add_special"], place)
    if parsed.json:
        from explorer.analysis.exports.encodings import encoding_export

        return encoding_export(tok, text, asked, encoding).json()
    return str(len(encoding) if parsed.count else encoding.ids)


def trace(parsed: argparse.Namespace) -> int:
    warned = Warned()
    tok = loaded(parsed, warned)
    traced = tok.trace(given_text(parsed), **options(parsed))
    warned.of_ids(tok, traced.ids, not parsed.no_add_special)
    if parsed.json:
        from explorer.analysis.exports.encodings import trace_export

        say_json(trace_export(tok, traced).json())
        return 0
    for stage in traced.stages:
        say(f"{stage.name}: {', '.join(described(item, tok) for item in stage.after) or 'nothing'}")
        for row in stage.events:
            fields = row._asdict()
            kind = stage.part.kinds(fields.pop("kind")).name
            spelling = visible(tok.vocabulary.spelling(row.token)) if fields.get("token", -1) >= 0 else ""
            say(f"  {kind:<12}", *(f"{name}={value}" for name, value in fields.items()), spelling)
    say(*traced.ids)
    return 0


def decode(parsed: argparse.Namespace) -> int:
    from explorer.analysis.id_lists import read_ids

    tok = loaded(parsed, Warned())
    typed = parsed.ids not in ([], [STDIN])
    given = " ".join(parsed.ids) if typed else from_bytes(sys.stdin.buffer.read(), "standard input")
    ids = read_ids(given) if given.strip("[]() \t\r\n") else []
    asked = {"remove_special": not parsed.keep_special, "unparse_special": not parsed.no_unparse_special}
    decoded = tok.trace_decode(ids, **asked)
    if parsed.json:
        from explorer.analysis.exports.encodings import decoding_export

        say_json(decoding_export(tok, decoded, asked).json())
    else:
        # the bytes themselves: text that is no UTF-8 leaves as it is, not as U+FFFD
        take_away(decoded.data + b"\n")
    return 0


def info(parsed: argparse.Namespace) -> int:
    from explorer.analysis.card import about, card
    from explorer.cli.card_text import lines

    tok = loaded(parsed)
    found = card(tok, about(parsed.model))
    if parsed.json:
        from explorer.analysis.exports.encodings import card_export

        say_json(card_export(tok, found).json())
    else:
        for line in lines(found):
            say(line)
    return 0


def models(parsed: argparse.Namespace) -> int:
    if parsed.json:
        from explorer.analysis.exports.encodings import models_export

        say_json(models_export(catalog().values()).json())
        return 0
    for row in table(
        (each.name, each.family, ", ".join(each.implementations), each.title) for each in catalog().values()
    ):
        say(row)
    return 0


def table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Rows as lines of columns, each as wide as its longest entry.

    >>> list(table([("a", "bcd", "e"), ("abc", "d", "e")]))
    ['a    bcd  e', 'abc  d    e']
    """
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)


def loaded(parsed: argparse.Namespace, warned: Warned | None = None) -> Tokenizer:
    """The tokenizer asked for, with what was chosen for it. warned: says what its file warns about."""
    tok = load(parsed.model, **dict(chosen(each) for each in parsed.choose))
    if warned is not None:
        warned.of_files([tok])
    return patterned(tok, parsed)


def described(item: Item, tok: Tokenizer) -> str:
    """An item of a stage: text, or a token, with its bytes where they are no text by themselves."""
    from explorer.engine.items import Segment

    if isinstance(item, Segment):
        return f"“{visible(item.text)}”"
    data = tok.token_bytes(item.id)
    try:
        data.decode()
        alone = ""
    except UnicodeDecodeError:
        alone = f" ({data.hex(' ').upper()})"
    return f"{item.id} {visible(tok.vocabulary.spelling(item.id))}{alone}"
