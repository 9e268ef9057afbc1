"""The Explore page's questions about ids within the ids of a text, and about stop strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pandas as pd

from explorer.analysis.alignment import align
from explorer.analysis.boundary.report import (
    boundary_export,
    own_ids_say,
    stop_record,
    stop_say,
    within_record,
    within_say,
)
from explorer.analysis.boundary.searches import StopString, Within, on_text, stop_string, within
from explorer.analysis.export import Export, Record
from explorer.analysis.inputs import read_ids
from explorer.analysis.ownership import Span
from explorer.answers.explore import Request, tokenizer
from explorer.answers.questions import question
from explorer.engine.tokenizer import Encoding
from explorer.errors import InputError
from explorer.script.packing import WINDOW
from explorer.stages.spelling import plain_bytes
from explorer.text import unescape
from explorer.text.say import Say, plural
from explorer.views.compare.aligned import Aligned, Line, aligned

EXAMPLES: Final = 5
"""Tokens in a row of the table."""


class WithinView(NamedTuple):
    """Whether ids are among those of a text. frame: the sentence, and what the field held. rows: both lists."""

    frame: dict[str, Any]
    rows: Aligned


@question
def within_view(request: Request, asked: str, stored: bool) -> WithinView:
    """Whether ids, or those of another text, are among the ids of a text. Raises InputError."""
    tok = tokenizer(request.spec)
    found, read = within_of(request, asked)
    text, tokens, wanted = on_text(tok, found)
    lists = [("The ids of the text", tokens), ("The ids to look for", wanted)]
    rows = [(name, Encoding.of(each, tok.vocabulary, tok.decoder.alone)) for name, each in lists]
    first = max(0, wanted[0].start - WINDOW // 4) if wanted else 0
    part = Span(first, min(len(text), first + WINDOW)) if len(text) > WINDOW else None
    frame = {"said": Line.of(within_say(tok, found)).data, "note": Line.of(read).data, "head": "the text"}
    return WithinView(frame, aligned(align(text, rows), [tok] * 2, part, stored))


def within_of(request: Request, asked: str) -> tuple[Within, str]:
    """The answer, and how the question was read: as ids, or as a text."""
    tok, options = tokenizer(request.spec), {"add_special": False, "parse_special": request.options.parse_special}
    ids = tok.encode(request.text, **options).ids
    try:
        wanted = read_ids(asked) if asked.lstrip().startswith("[") else []
    except InputError:
        wanted = []
    read = f"Read as {plural(len(wanted), 'id')}."
    if not wanted:
        text = unescape(asked)
        wanted = tok.encode(text, **options).ids
        read = f"Read as a text of {plural(len(wanted), 'id')}: {', '.join(map(str, wanted[:20]))}"
    return within(tok, wanted, ids), read


class StopView(NamedTuple):
    """In which tokens a stop string can occur. rows: by how much of it a token has."""

    say: Say
    more: Say
    rows: pd.DataFrame


@question
def stop_view(request: Request, asked: str) -> StopView:
    """In which tokens a stop string can occur. Raises InputError."""
    tok = tokenizer(request.spec)
    found = stop_of(request, asked)
    data = found.text.encode()

    def examples(ids: tuple[int, ...]) -> str:
        shown = " ".join(f"{plain_bytes(tok.token_bytes(id))} ({id})" for id in ids[:EXAMPLES])
        return shown + " …" * (len(ids) > EXAMPLES)

    rows = [("all of it", len(found.contain), len(found.contain), examples(found.contain))] if found.contain else []
    for each in found.beginnings:
        total, inside = len(each.exact) + len(each.inside), len(each.inside)
        rows.append((plain_bytes(data[: each.taken]), total, inside, examples(each.inside or each.exact)))
    columns = ["a token ends with", "tokens", "in which it begins inside", "such as"]
    return StopView(stop_say(found), own_ids_say(found), pd.DataFrame(rows, columns=columns))


def stop_of(request: Request, asked: str) -> StopString:
    """A stop string, its escapes read."""
    return stop_string(tokenizer(request.spec), unescape(asked), parse_special=request.options.parse_special)


def within_export(request: Request, asked: str) -> Export:
    """Ids within ids as an export: the command's answer."""
    return _export(request, request.text, lambda: within_record(tokenizer(request.spec), within_of(request, asked)[0]))


def stop_export(request: Request, asked: str) -> Export:
    """A stop string as an export: the command's answer."""
    return _export(request, None, lambda: stop_record(stop_of(request, asked)))


def _export(request: Request, text: str | None, record: Callable[[], Record]) -> Export:
    label = request.spec.offer.name
    return boundary_export(
        [tokenizer(request.spec)], [label], text, request.options.parse_special,
        lambda: {"borders": [{"tokenizer": label} | record()]},
    )  # fmt: skip
