"""What Explore asks about one text: its tokens, the stages it goes through, the way back, files to keep."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import Final, NamedTuple

import altair as alt
import pandas as pd

from explorer import cautions
from explorer.analysis.card import Card, card
from explorer.analysis.exports.encodings import trace_export
from explorer.analysis.round_trip.losses import RoundTrip, round_trip
from explorer.answers.asking import question
from explorer.answers.offers import Run
from explorer.engine.pre_tokenizers.custom_pattern import Place, places
from explorer.engine.tokenizer import Encoding, Tokenizer, Trace
from explorer.facts import Choosable
from explorer.views.boards.board import Board
from explorer.views.boards.tokens import tokens_board
from explorer.views.glossary import Word
from explorer.views.sections import Section, sections
from explorer.views.table import chart_of_queue, table_of_tokens
from explorer.views.window import WINDOW, Window, window_of

A_PIECE: Final = 700
"""Bytes of an opened tokenizer, for each piece of its vocabulary."""
A_CHARACTER: Final = 600
"""Bytes of a trace, for each character of its text: all stages with their decisions."""
OF_A_PAGE: Final = 4_000_000
"""Bytes of what is drawn of one text: never more than a window of it."""


def weight_of_trace(trace: Trace) -> int:
    """About what a trace takes."""
    return 50_000 + A_CHARACTER * len(trace.text)


@question(lambda tokenizer: 1_000_000 + A_PIECE * len(tokenizer.vocabulary.pieces), opens=True)
def opened(run: Run) -> Tokenizer:
    """The tokenizer as its file has it; `run` has no pattern of the person's own."""
    tokenizer = run.open()
    set_apart()
    return tokenizer


def set_apart() -> None:
    """Keeps the garbage collector from looking through what is there now: millions of objects that stay.

    Those that were given up since they were set apart are found each time a few more tokenizers have been opened.
    """
    if next(OPENED) % LOOKED_THROUGH == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


OPENED = count(1)
LOOKED_THROUGH = 8
"""Tokenizers: looking through everything takes up to a second."""


def tokenizer(run: Run) -> Tokenizer:
    """The tokenizer, under the person's pattern where there is one: that shares all but the pattern."""
    return run.patterned(opened(run.original))


# --- of the tokenizer alone ----------------------------------------------------------------------------------------


class Told(NamedTuple):
    """What a page knows of an opened tokenizer.

    places: of the patterns that cut a text. choosable: what may be chosen when it is opened, with the choice in force.
    warnings: of its file.
    """

    places: tuple[Place, ...]
    choosable: tuple[Choosable, ...]
    warnings: tuple[str, ...]


@question()
def told(run: Run) -> Told:
    """Opens a tokenizer and says what a page must know of it. Raises InputError, ChoiceNeeded."""
    tok = opened(run.original)
    return Told(places(tok), tuple(tok.choosable), cautions.of_file(tok))


@question(lambda card: 100_000)
def card_of(run: Run) -> Card:
    """The card of an opened tokenizer."""
    return card(opened(run), run.offer.about)


@question()
def warnings(run: Run, text: str, add_special: bool, parse_special: bool) -> tuple[str, ...]:
    """What to know before reading the ids of a text."""
    return warned(run, encoded(run, text, add_special, parse_special).ids, add_special)


def warned(run: Run, ids: list[int], add_special: bool) -> tuple[str, ...]:
    """The same of ids that are there already."""
    return (*cautions.of_ids(tokenizer(run), ids, add_special), *told(run.original).warnings)


# --- of a text -----------------------------------------------------------------------------------------------------


@question(lambda encoding: 50_000 + 300 * len(encoding), material=True)
def encoded(run: Run, text: str, add_special: bool, parse_special: bool) -> Encoding:
    """The ids of a text, for whoever needs no more than these."""
    return tokenizer(run).encode(text, add_special=add_special, parse_special=parse_special)


@question(weight_of_trace, material=True)
def traced(run: Run, text: str, add_special: bool, parse_special: bool) -> Trace:
    """A text's whole way. Shared by all windows on it."""
    return tokenizer(run).trace(text, add_special=add_special, parse_special=parse_special)


@question(lambda back: 50_000 + 500 * len(back.decoded.ids) + 300 * len(back.losses.lost), material=True)
def returned(run: Run, text: str, add_special: bool, parse_special: bool) -> RoundTrip:
    """Its ids decoded, and what of the text does not come back."""
    return round_trip(tokenizer(run), traced(run, text, add_special, parse_special))


class Shown(NamedTuple):
    """A section as it is drawn: `Section` with its script as JSON."""

    key: str
    title: str
    what: str
    board: Board | None
    script: str | None
    queue: str | None
    words: tuple[Word, ...]

    @classmethod
    def of(cls, section: Section) -> Shown:
        key, title, what, board, script, queue, words = section
        return cls(key, title, what, board, None if script is None else script.json(), queue, words)


@dataclass(frozen=True)
class Prepared:
    """One text under one tokenizer, ready to be drawn. `id` names exactly this content.

    table: the tokens, as many as are shown. names: of the files to keep, by what is in them.
    """

    run: Run
    text: str
    add_special: bool
    parse_special: bool
    window: Window
    tokens: Board
    sections: tuple[Shown, ...]
    warnings: tuple[str, ...]
    table: pd.DataFrame
    names: dict[str, str]
    id: str


@question(lambda sections: OF_A_PAGE, material=True)
def sections_of(run: Run, text: str, add_special: bool, parse_special: bool, start: int) -> list[Section]:
    """The sections of a text, within the window that begins at code point `start`."""
    asked = run, text, add_special, parse_special
    trace = traced(*asked)
    return sections(tokenizer(run), trace, returned(*asked), window_of(trace, start))


@question(lambda prepared: OF_A_PAGE)
def prepared(run: Run, text: str, add_special: bool, parse_special: bool, at: int) -> Prepared:
    """Everything the Explore page draws of a text, within the window that begins at code point `at`."""
    asked = run, text, add_special, parse_special
    tok, trace = tokenizer(run), traced(*asked)
    window = window_of(trace, at)
    made = trace_export(tok, trace).provenance
    return Prepared(
        *asked,
        window=window,
        tokens=tokens_board(trace, tok.vocabulary, window),
        sections=tuple(map(Shown.of, sections_of(*asked, window.start))),
        warnings=warned(run, trace.ids, add_special),
        table=table_of_tokens(trace, tok, WINDOW),
        names={"tokens": made.file_name("tokens", "csv"), "trace": made.file_name("trace", "json")},
        id=named(*asked, window),
    )


FILES: Final[dict[str, Callable[[Tokenizer, Trace], str]]] = {
    "tokens": lambda tok, trace: trace_export(tok, trace).csv(),
    "trace": lambda tok, trace: trace_export(tok, trace).json(),
}


@question(len)
def file_of(run: Run, text: str, add_special: bool, parse_special: bool, what: str) -> str:
    """One of the `FILES`: the tokens as CSV, the whole trace as JSON."""
    return FILES[what](tokenizer(run), tokenizer(run).trace(text, add_special=add_special, parse_special=parse_special))


@question(lambda chart: 500_000)
def queue_chart(
    run: Run, text: str, add_special: bool, parse_special: bool, start: int, key: str, theme: str
) -> alt.Chart | None:
    """What came out of the queue of a section, in that order. start: of the window that is drawn."""
    found = next(each for each in sections_of(run, text, add_special, parse_special, start) if each.key == key)
    if found.script is None or not found.queue:
        return None
    return chart_of_queue(found.script, found.queue, theme)


def named(run: Run, *content: object) -> str:
    """A short name for exactly this content of a run."""
    return sha256(repr((run.offer.key, *run[1:], *content)).encode()).hexdigest()[:16]
