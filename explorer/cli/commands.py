"""The commands that run one tokenizer: `encode`, `trace`, `decode`, `info` and `models`.

Each command imports what only it needs, so that `encode` starts fast.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.cli.shared import (
    STDIN,
    Parsed,
    Warnings,
    choices,
    input_lines,
    input_text,
    only_one,
    options,
    progress,
    read_escapes,
    say,
    say_columns,
    say_export,
    say_json,
    say_lines,
    with_own_pattern,
    write_exact,
)
from explorer.errors import InputError, Unfinished
from explorer.opening.catalog import catalog, load
from explorer.text import from_bytes, visible

if TYPE_CHECKING:
    from explorer.analysis.card import Card
    from explorer.analysis.inputs import Line
    from explorer.engine.part import Item
    from explorer.engine.tokenizer import Stage
    from explorer.implementations.opened import Opened


def encode(parsed: Parsed) -> int:
    only_one(parsed, "count", "json")
    warned = Warnings()
    tok = load_model(parsed, warned)
    if parsed.lines:
        for line in text_lines(parsed):
            try:
                say_json(encoding_line(tok, line.text, parsed, warned, line.location))
            except InputError as error:
                raise InputError(f"{line.location}: {error}") from None
        return 0
    text = input_text(parsed)
    if parsed.json or parsed.count:
        say_json(encoding_line(tok, text, parsed, warned))
        return 0
    ids = tok.encode(text, **options(parsed)).ids
    warned.of_ids(tok, ids, not parsed.no_add_special)
    say(*ids)
    return 0


def text_lines(parsed: Parsed) -> Iterator[Line]:
    """The lines of the text of the call."""
    if parsed.text in (None, STDIN):
        yield from input_lines([STDIN], [], escapes=parsed.escapes)
        return
    from explorer.analysis.inputs import lines_of

    for line in lines_of(io.BytesIO(os.fsencode(parsed.text)), "TEXT"):
        yield read_escapes(line) if parsed.escapes else line


def encoding_line(tok: Opened, text: str, parsed: Parsed, warned: Warnings, place: str = "") -> str:
    """The encoding of a text as one line of output."""
    switches = options(parsed)
    encoding = tok.encode(text, **switches)
    warned.of_ids(tok, encoding.ids, switches["add_special"], place)
    if parsed.json:
        from explorer.analysis.tokenizer_exports import encoding_export

        return encoding_export(tok, text, switches, encoding).json()
    return str(len(encoding) if parsed.count else encoding.ids)


def trace(parsed: Parsed) -> int:
    warned = Warnings()
    tok = load_model(parsed, warned)
    try:
        traced = tok.trace(input_text(parsed), **options(parsed))
    except Unfinished as error:
        if not parsed.json:
            say_stages(tok, error.stages)
        raise
    warned.of_ids(tok, traced.ids, not parsed.no_add_special)
    if parsed.json:
        from explorer.analysis.tokenizer_exports import trace_export

        say_export(trace_export(tok, traced))
        return 0
    say_stages(tok, traced.stages)
    say(*traced.ids)
    return 0


def say_stages(tok: Opened, stages: Iterable[Stage]) -> None:
    """Stages with what they make and their decisions."""
    for stage in stages:
        say(f"{stage.name}: {', '.join(item_text(item, tok) for item in stage.after) or 'nothing'}")
        for row in stage.events:
            fields = row._asdict()
            kind = stage.part.kinds(fields.pop("kind")).name
            spelling = visible(tok.vocabulary.spelling(row.token)) if fields.get("token", -1) >= 0 else ""
            say(f"  {kind:<12}", *(f"{name}={value}" for name, value in fields.items()), spelling)


def decode(parsed: Parsed) -> int:
    tok = load_model(parsed)
    ids = input_ids(parsed)
    switches = {"remove_special": not parsed.keep_special, "unparse_special": not parsed.no_unparse_special}
    decoded = tok.trace_decode(ids, **switches)
    if parsed.json:
        from explorer.analysis.tokenizer_exports import decoding_export

        say_export(decoding_export(tok, decoded, switches))
    else:
        # exact bytes: output that isn't UTF-8 does not become U+FFFD
        write_exact(decoded.data + b"\n")
    return 0


def input_ids(parsed: Parsed) -> list[int]:
    """The ids of the call."""
    from explorer.analysis.inputs import read_ids

    typed = parsed.ids not in ([], [STDIN])
    text = " ".join(parsed.ids) if typed else from_bytes(sys.stdin.buffer.read(), "standard input")
    return read_ids(text) if text.strip("[]() \t\r\n") else []


def info(parsed: Parsed) -> int:
    from explorer.analysis.card import about, card, folder_facts
    from explorer.analysis.pre_tokenizer import pre_tokenizer_facts

    (tok,) = load_all([parsed.model], parsed, None)
    tok = with_own_pattern(tok, parsed)
    listing = card(tok, about(parsed.model), [*pre_tokenizer_facts(tok), *folder_facts(parsed.model, tok)])
    if parsed.json:
        from explorer.analysis.tokenizer_exports import card_export

        say_export(card_export(tok, listing))
    else:
        say_lines(card_lines(listing))
    return 0


def models(parsed: Parsed) -> int:
    if parsed.refresh:
        if parsed.below is not None or parsed.json:
            parsed.usage_error("give --refresh without --in and --json")
        return models_refreshed(parsed.refresh)
    if parsed.below is not None:
        return models_below(parsed)
    if parsed.json:
        from explorer.analysis.tokenizer_exports import models_export

        say_export(models_export(catalog().values()))
        return 0
    say_columns((each.name, each.title, each.kind, ", ".join(each.implementations)) for each in catalog().values())
    return 0


def models_below(parsed: Parsed) -> int:
    """`models --in`: a line for each tokenizer, the reasons why others can't be opened on standard error."""
    from explorer.analysis.card import inventory
    from explorer.text.say import plural, size

    problems: list[str] = []
    entries = []
    for entry in inventory(Path(parsed.below), problems):
        entries.append(entry)
        progress(f"{plural(len(entries), 'tokenizer')}, {entry.name}")
    progress()
    if parsed.json:
        from explorer.analysis.tokenizer_exports import folder_export

        say_export(folder_export(parsed.below, entries, problems))
        return 0
    heading = ("name", "kind", "tokens", "pre-tokenizer", "template", "size", "")
    rows = [
        (
            visible(each.name), each.kind, f"{each.tokens:,}", each.pre or "–", "yes" if each.template else "no",
            size(each.bytes), f"= {visible(each.same_as)}" if each.same_as else "",
        )
        for each in entries
        if not each.problem
    ]  # fmt: skip
    say_columns([heading, *rows] if rows else [])
    for problem in (*(each.problem for each in entries if each.problem), *problems):
        say(f"explorer: {problem}", error=True)
    if not entries:
        say(f"explorer: no tokenizer is below {visible(parsed.below)}", error=True)
    return 0


def models_refreshed(names: Iterable[str]) -> int:
    """`models --refresh`: a line for each model."""
    from explorer.opening.model_names import refreshed

    for name in names:
        before, now = refreshed(name)
        changed = f"moved from commit {before} to {now}" if before else f"fetched at commit {now}"
        say(f"{visible(name)}: {f'still at commit {now}' if before == now else changed}")
    return 0


def load_model(parsed: Parsed, warned: Warnings | None = None) -> Opened:
    """The tokenizer of the call, with its choices and its pattern. warned: prints the warnings of its file."""
    (tok,) = load_all([parsed.model], parsed, warned or Warnings())
    return with_own_pattern(tok, parsed)


def load_all(models: Iterable[str], parsed: Parsed, warned: Warnings | None) -> list[Opened]:
    """Tokenizers with the choices of the call, which apply to each that needs them. warned: as for `load_model`."""
    chosen = choices(parsed)
    tokenizers = [load(model, **chosen) for model in models]
    if warned is not None:
        warned.of_files(tokenizers)
    return tokenizers


def item_text(item: Item, tok: Opened) -> str:
    """An item of a stage: a text, or a token with its bytes if they aren't valid UTF-8 alone."""
    from explorer.engine.part import Segment

    if isinstance(item, Segment):
        return f"“{visible(item.text)}”"
    data = tok.token_bytes(item.id)
    try:
        data.decode()
        alone = ""
    except UnicodeDecodeError:
        alone = f" ({data.hex(' ').upper()})"
    return f"{item.id} {visible(tok.vocabulary.spelling(item.id))}{alone}"


LISTED = 40
"""Tokens of one kind that are listed."""
LINES = 200
"""Lines of a fact's code that are shown."""
LONGEST = 6_000
"""Characters of one value. A pattern has up to 5,000, but a file may contain a token of a million."""
LONGEST_LINE = 2 * LONGEST


def card_lines(card: Card) -> Iterator[str]:
    """The card as lines of bounded length; `--json` prints all of it."""
    return (clipped(line, LONGEST_LINE) for line in _lines(card))


def _lines(card: Card) -> Iterator[str]:
    from explorer.analysis.card import code_lines, shown

    yield f"{card.name}: {card.family}, as {card.implementation} runs it"
    for word, what in (*card.about, *card.numbers, ("stages", " → ".join(card.stages))):
        yield f"  {word:<20}{clipped(what, LONGEST, shown)}"
    for title, facts in (("warnings", card.warnings), *card.topics, ("in the file, but not used", card.unused)):
        if facts:
            yield title
            for fact in facts:
                place = f"  [{clipped(fact.place, LONGEST, shown)}]" if fact.place else ""
                yield f"  {clipped(fact.says, LONGEST, shown)}{place}"
                code = code_lines(fact._replace(code=clipped(fact.code, LINES * LONGEST)))
                yield from (f"      {line}" for line in code[:LINES])
                if len(code) > LINES:
                    yield f"      … and {len(code) - LINES:,} more lines; --json prints all of them"
    for title, tokens in (("special tokens", card.special), ("user-defined tokens", card.user_defined)):
        if tokens:
            yield f"{title}: {len(tokens):,}"
        for token in tokens[:LISTED]:
            yield f"  {token.id:>8}  {clipped(token.piece, LONGEST, visible)}  ({token.kind})"
        if len(tokens) > LISTED:
            yield f"  … and {len(tokens) - LISTED:,} more; --json prints all of them"


def clipped(text: str, most: int, spell: Callable[[str], str] = str) -> str:
    """At most `most` characters of a text, made visible by `spell`, and how many more it has.

    >>> clipped("abcdef", 4), clipped("abcd", 4)
    ('abcd … and 2 more characters', 'abcd')
    """
    more = len(text) - most
    return f"{spell(text[:most])} … and {more:,} more characters" if more > 0 else spell(text)
