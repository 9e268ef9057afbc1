"""The commands that run one tokenizer: `encode`, `trace`, `decode`, `info` and `models`.

What only one of them needs is imported by it, so that `encode` starts fast.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from explorer.catalog import catalog, load
from explorer.cli.shared import chosen, given_text, options, show_json
from explorer.text import from_bytes, visible

if TYPE_CHECKING:
    from explorer.engine.items import Item
    from explorer.engine.tokenizer import Tokenizer


def add_commands(commands: Any) -> None:
    """Adds these commands to the command line."""

    def command(name: str, run: Any, summary: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = commands.add_parser(name, help=summary, description=summary)
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


def encode(parsed: argparse.Namespace) -> int:
    tok = loaded(parsed)
    text, asked = given_text(parsed), options(parsed)
    encoding = tok.encode(text, **asked)
    if parsed.json:
        from explorer.export import encoding_export

        print(encoding_export(tok, text, asked, encoding).json())
    else:
        print(*encoding.ids)
    return 0


def trace(parsed: argparse.Namespace) -> int:
    tok = loaded(parsed)
    traced = tok.trace(given_text(parsed), **options(parsed))
    if parsed.json:
        from explorer.export import trace_export

        print(trace_export(tok, traced).json())
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
    from explorer.analysis.id_lists import read_ids

    tok = loaded(parsed)
    given = " ".join(parsed.ids) if parsed.ids else from_bytes(sys.stdin.buffer.read(), "standard input")
    ids = read_ids(given) if given.strip("[]() \t\r\n") else []
    asked = {"remove_special": not parsed.keep_special, "unparse_special": not parsed.no_unparse_special}
    decoded = tok.trace_decode(ids, **asked)
    if parsed.json:
        from explorer.export import decoding_export

        print(decoding_export(tok, decoded, asked).json())
    else:
        # the bytes themselves: text that is no UTF-8 leaves as it is, not as U+FFFD
        sys.stdout.buffer.write(decoded.data + b"\n")
    return 0


def info(parsed: argparse.Namespace) -> int:
    from explorer.card import about, card
    from explorer.cli.card_text import lines

    tok = loaded(parsed)
    found = card(tok, about(parsed.model))
    if parsed.json:
        from explorer.export import card_export

        print(card_export(tok, found).json())
    else:
        print(*lines(found), sep="\n")
    return 0


def models(parsed: argparse.Namespace) -> int:
    if parsed.json:
        fields = ("title", "family", "implementations", "file", "sha256", "source", "licence")
        show_json({model.name: {field: getattr(model, field) for field in fields} for model in catalog().values()})
        return 0
    for model in catalog().values():
        print(f"{model.name:<16}{model.family:<8}{', '.join(model.implementations):<24}{model.title}")
    return 0


def loaded(parsed: argparse.Namespace) -> Tokenizer:
    """The tokenizer asked for, with what was chosen for it."""
    tok = load(parsed.model, **dict(chosen(each) for each in parsed.choose))
    if parsed.pattern is None:
        return tok
    from explorer.engine.custom_pattern import with_pattern

    return with_pattern(tok, parsed.pattern, parsed.pattern_number - 1)


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
