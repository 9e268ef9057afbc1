"""What the Explore page draws of ids: traced backwards, encoded again, one by one, within others; and stop strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from explorer.analysis.alignment import align
from explorer.analysis.boundary.boundary import StopString, Within, on_text, stop_string, within
from explorer.analysis.boundary.report import (
    boundary_export,
    own_ids_say,
    stop_say,
    within_record,
    within_say,
)
from explorer.analysis.export import Export, Provenance, plain_values
from explorer.analysis.inputs import ANY, read_ids
from explorer.analysis.ownership import Span
from explorer.analysis.round_trip import Decoding, DriftTotals, IdsAgain, decoding, ids_again
from explorer.analysis.streaming import stream
from explorer.answers.explore import Request, SectionView, content_id, tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import material, question
from explorer.engine.tokenizer import Encoding, Trace
from explorer.errors import InputError
from explorer.languages import ENGLISH
from explorer.script.script import WINDOW, pack, window_of
from explorer.stages.spelling import Speller, plain_bytes
from explorer.tables import Record
from explorer.text import unescape
from explorer.text.say import Say, Text, plural
from explorer.views.compare.aligned import Aligned, Picture, StyledLine, aligned
from explorer.views.compare.expected import again_picture
from explorer.views.overview import Node, Overview, sections
from explorer.views.steppers.stream_script import MOST, stream_script

if TYPE_CHECKING:
    import pandas as pd

ROWS = ("ids", "again")
"""The stages that are drawn as rows of tokens on the text, by their keys."""

LISTED = 8
"""Ids in a cell of the table of differences."""


class IdsRequest(NamedTuple):
    """Ids as they were pasted, under one tokenizer. add_special: whether their text gets special tokens, too."""

    spec: TokenizerSpec
    pasted: str
    add_special: bool

    @property
    def ids(self) -> list[int]:
        """The ids. Raises InputError for a text that is no list."""
        return read_ids(self.pasted, ANY) if self.pasted.strip("[]() \t\r\n") else []


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
        return str([id for id in request.ids if 0 <= id < len(pieces) and pieces[id]]), str(error)
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
        Node("decode", "Back to text", plural(len(trace.text), "character"), True),
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
    import pandas as pd  # a browser has none

    found, decoded = again_of(request), decoding_of(request)
    trace = decoded.trace
    picture = again_picture(
        found, tokenizer(request.spec), stored, _part(trace, at) if found.text == trace.text else None
    )
    if not found.ids or (found.same and not decoded.same):  # only the tokens around the text differ
        picture.frame["said"] = StyledLine(decoded.say).data
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


STREAMED = MOST
"""Ids that the page draws."""
MORE = 8
"""Ids beyond those, so that the last character is known."""


class StreamView(NamedTuple):
    """script: packed, as the stepper gets it. total: how many ids there are; the first of many are drawn."""

    script: bytes
    total: int


@question
def stream_of_text(spec: TokenizerSpec, text: str, parse_special: bool, language: str) -> StreamView:
    """The ids of a text one by one, without those that are put around it."""
    return _view(spec, tokenizer(spec).encode(text, add_special=False, parse_special=parse_special).ids, language)


@question
def stream_of_ids(request: IdsRequest, language: str) -> StreamView:
    """Pasted ids one by one. Raises InputError for a text without ids, and for an id that is none here."""
    return _view(request.spec, request.ids, language)


def _view(spec: TokenizerSpec, ids: list[int], language: str) -> StreamView:
    played = stream(tokenizer(spec), ids[: STREAMED + MORE])
    return StreamView(pack(stream_script(played, len(ids)), language), len(ids))


EXAMPLES = 5
"""Tokens in a row of the table."""


class WithinView(NamedTuple):
    """Whether ids are among those of a text. frame: the sentence, and what the field held. rows: both lists."""

    frame: Record
    rows: Aligned


@question
def within_view(request: Request, asked: str, stored: bool) -> WithinView:
    """Whether ids, or those of another text, are among the ids of a text. Raises InputError."""
    tok = tokenizer(request.spec)
    found, read = within_of(request, asked)
    text, tokens, wanted = on_text(tok, found)
    lists = [(Text("The ids of the text"), tokens), (Text("The ids to look for"), wanted)]
    rows = [(name, Encoding.of(each, tok.vocabulary, tok.decoder.alone)) for name, each in lists]
    first = max(0, wanted[0].start - WINDOW // 4) if wanted else 0
    part = Span(first, min(len(text), first + WINDOW)) if len(text) > WINDOW else None
    frame = {
        "said": StyledLine(within_say(tok, found)).data,
        "note": StyledLine(read).data,
        "head": Text("the text"),
    }
    return WithinView(frame, aligned(align(text, rows), [tok] * 2, part, stored))


def within_of(request: Request, asked: str) -> tuple[Within, Say]:
    """The answer, and how the question was read: as ids, or as a text."""
    tok, options = tokenizer(request.spec), {"add_special": False, "parse_special": request.options.parse_special}
    ids = tok.encode(request.text, **options).ids
    try:
        wanted = read_ids(asked) if asked.lstrip().startswith("[") else []
    except InputError:
        wanted = []
    read = "Read as {0:t}."
    if not wanted:
        text = unescape(asked)
        wanted = tok.encode(text, **options).ids
        read = "Read as a text of {0:t}: {1:t}"
    shown = ", ".join(map(str, wanted[:20]))
    return within(tok, wanted, ids), Say(read, plural(len(wanted), "id"), shown)


class StopView(NamedTuple):
    """In which tokens a stop string can occur. rows: by how much of it a token has."""

    say: Say
    more: Say
    rows: pd.DataFrame


@question
def stop_view(request: Request, asked: str) -> StopView:
    """In which tokens a stop string can occur. Raises InputError."""
    import pandas as pd

    tok = tokenizer(request.spec)
    found = stop_of(request, asked)
    data = found.text.encode()

    def examples(ids: tuple[int, ...]) -> str:
        shown = " ".join(f"{plain_bytes(tok.token_bytes(id))} ({id})" for id in ids[:EXAMPLES])
        return shown + " …" * (len(ids) > EXAMPLES)

    whole = len(found.contain)
    rows = [(plain_bytes(data), whole, whole, examples(found.contain))] if whole else []
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
    return _export(request, None, lambda: plain_values(stop_of(request, asked)))


def _export(request: Request, text: str | None, record: Callable[[], Record]) -> Export:
    label = request.spec.offer.name
    return boundary_export(
        [tokenizer(request.spec)], [label], text, request.options.parse_special,
        lambda: {"borders": [{"tokenizer": label} | record()]},
    )  # fmt: skip
