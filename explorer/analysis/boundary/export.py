"""Answers about borders as JSON: the same as the sentences, with all ids."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.analysis.boundary.answers import Followers
from explorer.analysis.boundary.borders import Borders
from explorer.analysis.boundary.followers import OpenEnd
from explorer.analysis.boundary.sentences import Sentences, open_say, within_say
from explorer.analysis.boundary.stop_strings import StopString
from explorer.analysis.boundary.within import Within
from explorer.analysis.exports.export import Export
from explorer.analysis.provenance import Provenance, Record
from explorer.analysis.why.answers import said, step_record
from explorer.engine.items import Token
from explorer.engine.options import Options
from explorer.implementations.opened import Opened


def boundary_export(
    tokenizers: Sequence[Opened], labels: Sequence[str], text: str | None, parse_special: bool, body: Record
) -> Export:
    """An answer of one tokenizer or several. body: its own keys."""
    options = Options(add_special=False, parse_special=parse_special)
    return Export("boundary", Provenance.of(tokenizers, text, options, labels), lambda: body)


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
        "sentences": {
            name: said(getattr(sentences, name)) for name in ("headline", "across", "why", "healing", "sent")
        },
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
