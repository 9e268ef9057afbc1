"""Answers about borders as exports: the same as the sentences, with all ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from explorer.analysis.boundary.boundary import Borders, boundary_at
from explorer.analysis.boundary.followers import Followers, OpenEnd
from explorer.analysis.boundary.searches import StopString, Within
from explorer.analysis.boundary.sentences import Sentences, open_say, within_say
from explorer.analysis.exports.export import Export, escaped, table
from explorer.analysis.provenance import Provenance, Record, Table
from explorer.analysis.why.record import said, step_record
from explorer.engine.items import Token
from explorer.engine.part import Options
from explorer.implementations.opened import Opened
from explorer.text.say import plain


def boundary_export(
    tokenizers: Sequence[Opened], labels: Sequence[str], text: str | None, parse_special: bool,
    body: Callable[[], Record],
) -> Export:  # fmt: skip
    """An answer of one tokenizer or several. body: gives its own keys."""
    options = Options(add_special=False, parse_special=parse_special)
    return Export("boundary", Provenance.of(tokenizers, text, options, labels), body)


def border_export(tokenizers: Mapping[str, Opened], text: str, at: int, parse_special: bool) -> Export:
    """One border under each tokenizer, by the names that people call them: the command's answer, and a row for each.

    >>> import explorer
    >>> made = border_export({"GPT-2": explorer.load("gpt-2")}, "https://x", 6, True)
    >>> [row.split(",")[:4] for row in made.csv().splitlines()]
    [['tokenizer', 'at', 'keeps', 'cause'], ['GPT-2', '6', 'False', 'merge']]
    """

    @cache
    def found() -> list[Sentences]:
        return [
            Sentences(tok, boundary_at(tok, text, at, parse_special=parse_special, label=name), name)
            for name, tok in tokenizers.items()
        ]

    def rows() -> Table:
        heading: list[object] = [
            "tokenizer",
            "at",
            "keeps",
            "cause",
            "whole",
            "left",
            "right",
            "across",
            "kept",
            "drop",
            "followers",
        ]
        return [heading, *(border_row(each) for each in found())]

    def says() -> list[str]:
        if len(found()) == 1:
            return [line for name in SAYS for line in (escaped(plain(getattr(found()[0], name))), "")]
        cells = [[each.label, *(plain(getattr(each, name)) for name in ("headline", "across", "healing"))]
                 for each in found()]  # fmt: skip
        return table(["Tokenizer", "Cut here", "Across the border", "The last cut that holds"], cells)

    made = boundary_export(
        list(tokenizers.values()), list(tokenizers), text, parse_special,
        lambda: {"borders": [boundary_record(each) for each in found()]},
    )  # fmt: skip
    return replace(made, rows=rows, says=says, sides={"": "tokenizer"})


SAYS: Final = ("headline", "across", "why", "healing", "sent")
"""The sentences about a border."""


def border_row(sentences: Sentences) -> list[object]:
    """A border as a row of a table: ids separated by spaces."""
    found = sentences.found
    stable = found.stable

    def listed(ids: Iterable[int]) -> str:
        return " ".join(map(str, ids))

    return [
        sentences.label, found.at, found.keeps, found.cause.value, listed(found.ids), listed(found.left_ids),
        listed(found.right_ids), listed(each.token.id for each in found.crossings), stable.kept, listed(stable.drop),
        None if stable.followers is None else stable.followers.total,
    ]  # fmt: skip


def boundary_record(sentences: Sentences, every: Borders | None = None) -> Record:
    """One border under one tokenizer. every: all borders, if they were asked for."""
    found = sentences.found
    stable = found.stable
    return {
        "tokenizer": sentences.label,
        "at": found.at,
        "keeps": found.keeps,
        "cause": found.cause.value,
        "whole": tokens_record(found.whole),
        "left": tokens_record(found.left),
        "right": tokens_record(found.right),
        "kept_left": found.kept_left,
        "kept_right": found.kept_right,
        "crossings": [
            {
                "number": each.number,
                "id": each.token.id,
                "cause": each.cause.value,
                "sentence": said(each.say),
                "parts": list(each.parts),
                "steps": [step_record(step) for step in each.steps],
            }
            for each in found.crossings
        ],
        "stable": {
            "at": stable.at,
            "kept": stable.kept,
            "drop": list(stable.drop),
            "bytes": stable.text.hex(),
            "followers": followers_record(stable.followers),
        },
        "lone_space": None if found.lone_space is None else found.lone_space._asdict(),
        "sentences": {name: said(getattr(sentences, name)) for name in SAYS},
        "every": None if every is None else borders_record(every),
    }


def tokens_record(tokens: Sequence[Token]) -> list[Record]:
    """Tokens with their spans in both texts joined."""
    return [{"id": token.id, "start": token.start, "end": token.end} for token in tokens]


def followers_record(followers: Followers | None) -> Record | None:
    """The tokens that may follow."""
    return None if followers is None else {"begin": list(followers.begin), "shorter": list(followers.shorter)}


def borders_record(every: Borders) -> Record:
    """Every border."""
    return {"first": every.first, "count": len(every.keeps), "keep": list(every.offsets)}


def open_record(tokenizer: Opened, found: OpenEnd) -> Record:
    """Which ids of a text hold, whatever follows."""
    return {
        "tokens": tokens_record(found.tokens),
        "fixed": found.fixed,
        "bytes": found.text.hex(),
        "followers": followers_record(found.followers),
        "sentence": said(open_say(tokenizer, found)),
    }


def within_record(tokenizer: Opened, found: Within) -> Record:
    """Whether ids occur within others."""
    return {
        "wanted": list(found.wanted),
        "ids": list(found.ids),
        "bytes": found.text.hex(),
        "found": list(found.found),
        "near": [each._asdict() | {"before": each.before.hex(), "after": each.after.hex()} for each in found.near],
        "without_space": found.without_space,
        "sentence": said(within_say(tokenizer, found)),
    }


def stop_record(found: StopString) -> Record:
    """In which tokens a stop string can occur."""
    return found._asdict() | {"beginnings": [each._asdict() for each in found.beginnings]}
