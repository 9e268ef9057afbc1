"""What the Explore page draws of ids: traced backwards (`analysis.decoding`), encoded again, and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import pandas as pd

from explorer.analysis.alignment import align
from explorer.analysis.export import Export, Provenance, Record
from explorer.analysis.inputs import read_ids
from explorer.analysis.ownership import Span
from explorer.analysis.round_trip import Decoding, DriftTotals, IdsAgain, decoding, ids_again
from explorer.analysis.streaming import stream
from explorer.answers.explore import SectionView, content_id, tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import material, question
from explorer.engine.tokenizer import Trace
from explorer.errors import InputError
from explorer.languages import ENGLISH
from explorer.script.packing import WINDOW, pack, window_of
from explorer.stages.spelling import Speller, plain_bytes
from explorer.text.say import Say, plural
from explorer.views.compare.aligned import Aligned, Line, Picture, aligned
from explorer.views.compare.expected import again_picture
from explorer.views.overview import Node, Overview, sections
from explorer.views.steppers.stream_script import MOST, stream_script

ROWS: Final = ("ids", "again")
"""The stages that are drawn as rows of tokens on the text, by their keys."""

LISTED: Final = 8
"""Ids in a cell of the table of differences."""


class IdsRequest(NamedTuple):
    """Ids as they were pasted, under one tokenizer. add_special: whether their text gets special tokens, too."""

    spec: TokenizerSpec
    pasted: str
    add_special: bool

    @property
    def ids(self) -> list[int]:
        """The ids. Raises InputError for a text that is no list."""
        return read_ids(self.pasted) if self.pasted.strip("[]() \t\r\n") else []


@material(lambda found: 100_000 + 2_000 * len(found.trace.ids))
def decoding_of(request: IdsRequest) -> Decoding:
    """The ids in a text, decoded. Raises InputError for a text without ids, and for an id that is none here."""
    return decoding(tokenizer(request.spec), request.ids, add_special=request.add_special)


@question
def decoded_text(request: IdsRequest) -> str:
    """The text of the ids. Raises InputError."""
    return decoding_of(request).trace.text


@question
def known_ids(request: IdsRequest) -> tuple[str, str]:
    """A list of the ids that the vocabulary has, and what is wrong with the others. Raises InputError for no list."""
    try:
        decoding_of(request)
    except InputError as error:
        pieces = tokenizer(request.spec).vocabulary.pieces
        return str([id for id in read_ids(request.pasted) if 0 <= id < len(pieces) and pieces[id]]), str(error)
    return request.pasted, ""


class DecodeView(NamedTuple):
    """Ids on their way back to text. same: whether the text gives the ids again; say: if not, where and why."""

    text: str
    top: Overview
    same: bool
    say: Say


@question
def decode_view(request: IdsRequest, at: int, stored: bool) -> DecodeView:
    """What is drawn first, within the window that starts at code point `at` of the decoded text."""
    decoded = decoding_of(request)
    trace, data = decoded.trace, decoded.round_trip.decoded.data
    window = window_of(trace, at)
    nodes = [
        Node("ids", "Ids", plural(len(trace.ids), "id"), True),
        Node("decode", "Text again", plural(len(trace.text), "character"), True),
        Node("utf8", "Bytes read", plural(len(data), "byte"), len(data) != len(trace.text)),
        Node("again", "Encode again", "the same ids" if decoded.same else "other ids", not decoded.same),
    ]
    number = content_id(request.spec, "ids", *request[1:], window, stored)
    top = Overview.of(number, trace, tokenizer(request.spec), window, nodes, stored)
    return DecodeView(trace.text, top, decoded.same, decoded.say)


@question
def decode_section(request: IdsRequest, at: int, stored: bool, key: str, language: str = ENGLISH) -> SectionView:
    """One stage of the way back that has a stepper, said in a language."""
    found = decoding_of(request)
    (section,) = sections(
        tokenizer(request.spec), found.trace, found.round_trip, window_of(found.trace, at), key, stored
    )
    return SectionView.of(section, language)


@question
def decode_rows(request: IdsRequest, at: int, stored: bool) -> Aligned:
    """The ids on their text, within the window that starts at code point `at`."""
    trace = decoding_of(request).trace
    alignment = align(trace.text, [("These ids", trace.encoding)])
    return aligned(alignment, [tokenizer(request.spec)], _part(trace, at), stored)


def _part(trace: Trace, at: int) -> Span | None:
    """The window of a text, None if it is all of it."""
    window = window_of(trace, at)
    return Span(window.start, window.end) if (window.start, window.end) != (0, len(trace.text)) else None


class DriftView(NamedTuple):
    """Which ids are not canonical: those that encoding their text does not give.

    same: whether it gives all of them. picture: both lists on the text. rows: a stretch each.
    """

    same: bool
    picture: Picture
    rows: pd.DataFrame


@question
def drift_view(request: IdsRequest, at: int, stored: bool) -> DriftView:
    """Where the ids and those of their text part, the canonical ones, and the stage that makes them differ."""
    found, decoded = again_of(request), decoding_of(request)
    trace = decoded.trace
    picture = again_picture(
        found, tokenizer(request.spec), stored, _part(trace, at) if found.text == trace.text else None
    )
    if not found.ids or (found.same and not decoded.same):  # only the tokens around the text differ
        picture.frame["said"] = Line.of(decoded.say).data
    spell = Speller(tokenizer(request.spec).trace("")).token

    def listed(ids: Sequence[int]) -> str:
        return " ".join(f"{id} {spell(id)}" for id in ids[:LISTED]) + " …" * (len(ids) > LISTED)

    rows = [
        (
            numbered(each.start, each.end),
            listed(each.ids),
            listed(each.canonical),
            plain_bytes(each.text)[:100],
            each.stage,
        )
        for each in found.drifts[:WINDOW]
    ]
    columns = ["ids number", "these ids", "canonical", "their text", "changed by"]
    return DriftView(found.same, picture, pd.DataFrame(rows, columns=columns))


def numbered(start: int, end: int) -> str:
    """The numbers of the ids [start, end), from 1; of none, the id that they would come before.

    >>> numbered(3, 5), numbered(3, 4), numbered(3, 3)
    ('4–5', '4', 'before 4')
    """
    if end <= start:
        return f"before {start + 1}"
    return f"{start + 1}–{end}" if end > start + 1 else str(end)


def again_of(request: IdsRequest) -> IdsAgain:
    """The ids in a text, and those of their text. Raises InputError."""
    return ids_again(tokenizer(request.spec), request.ids)


def drift_export(request: IdsRequest) -> Export:
    """A round trip of ids as an export: the totals of the command, and this list."""
    tok = tokenizer(request.spec)

    def body() -> Record:
        found, totals = again_of(request), DriftTotals()
        totals.add(found)
        return {"inputs": []} | totals.record() | {"examples": [found.record()]}

    return Export("roundtrip", Provenance.of([tok]), body)


STREAMED: Final = MOST
"""Ids that the page draws."""
MORE: Final = 8


class StreamView(NamedTuple):
    """script: packed, as the stepper gets it. total: how many ids there are; the first of many are drawn."""

    script: bytes
    total: int


@question
def stream_of_text(spec: TokenizerSpec, text: str, parse_special: bool) -> StreamView:
    """The ids of a text one by one, without those that are put around it."""
    return _view(spec, tokenizer(spec).encode(text, add_special=False, parse_special=parse_special).ids)


@question
def stream_of_ids(request: IdsRequest) -> StreamView:
    """Pasted ids one by one. Raises InputError for a text without ids, and for an id that is none here."""
    return _view(request.spec, request.ids)


def _view(spec: TokenizerSpec, ids: list[int]) -> StreamView:
    # a few more than are drawn, so that the last character is known
    played = stream(tokenizer(spec), ids[: STREAMED + MORE])
    return StreamView(pack(stream_script(played, len(ids))), len(ids))
