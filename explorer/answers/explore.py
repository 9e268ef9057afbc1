"""The Explore page's questions about one text: its tokens, its stages, decoding, downloads."""

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
from explorer.analysis.why import why_cut, why_token
from explorer.answers.cache import Store
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.engine.pre_tokenizers.custom_pattern import PatternSlot, pattern_slots
from explorer.engine.tokenizer import Encoding, Tokenizer, Trace
from explorer.facts import Choosable
from explorer.views.boards.board import Board
from explorer.views.boards.tokens import tokens_board
from explorer.views.glossary import Word
from explorer.views.ribbon import Node, focus_of, ribbon
from explorer.views.running_text import Piece, running_text, word_cut
from explorer.views.sections import Section, sections
from explorer.views.table import chart_of_queue, table_of_tokens
from explorer.views.why_card import Card as WhyCard
from explorer.views.why_card import Place, cut_card, token_card
from explorer.views.window import WINDOW, Window, window_of

BYTES_PER_PIECE: Final = 700
"""Weight of an opened tokenizer, for each piece of its vocabulary."""
BYTES_PER_CHARACTER: Final = 600
"""Weight of a trace with the events of all stages, for each character of its text."""
ALL: Final = "all"
"""In place of the key of a stage: the whole report."""
VIEW_BYTES: Final = 4_000_000
"""Weight of what is drawn of one text, which is never more than a window of it."""


def trace_weight(trace: Trace) -> int:
    """The approximate bytes of a trace."""
    return 50_000 + BYTES_PER_CHARACTER * len(trace.text)


@question(lambda tokenizer: 1_000_000 + BYTES_PER_PIECE * len(tokenizer.vocabulary.pieces), store=Store.TOKENIZERS)
def opened(spec: TokenizerSpec) -> Tokenizer:
    """The opened tokenizer of a spec without a pattern."""
    tokenizer = spec.open()
    freeze_heap()
    return tokenizer


def freeze_heap() -> None:
    """Excludes all current objects from garbage collection: millions that live as long as their tokenizer.

    Every few calls it includes them once, to find those that were dropped.
    """
    if next(OPENED) % FULL_COLLECTION_EVERY == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


OPENED = count(1)
FULL_COLLECTION_EVERY = 8
"""Opened tokenizers between two full collections, which take up to a second."""


def tokenizer(spec: TokenizerSpec) -> Tokenizer:
    """The tokenizer of a spec. With a pattern, it shares everything else with the one without."""
    return spec.apply_pattern(opened(spec.without_pattern))


# --- about the tokenizer alone -------------------------------------------------------------------------------------


class TokenizerFacts(NamedTuple):
    """What a page knows about an opened tokenizer.

    patterns: those that split a text. choosable: the optional choices, with their current values. warnings: about its
    file.
    """

    patterns: tuple[PatternSlot, ...]
    choosable: tuple[Choosable, ...]
    warnings: tuple[str, ...]


@question()
def facts_of(spec: TokenizerSpec) -> TokenizerFacts:
    """Opens a tokenizer and returns what a page needs to know about it. Raises InputError, ChoiceNeeded."""
    tok = opened(spec.without_pattern)
    return TokenizerFacts(pattern_slots(tok), tuple(tok.choosable), cautions.of_file(tok))


@question(lambda card: 100_000)
def card_of(spec: TokenizerSpec) -> Card:
    """The card of an opened tokenizer."""
    return card(opened(spec), spec.offer.about)


@question()
def warnings(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> tuple[str, ...]:
    """Warnings about the tokenizer's file and about the ids of a text."""
    return warnings_of_ids(spec, encoding_of(spec, text, add_special, parse_special).ids, add_special)


def warnings_of_ids(spec: TokenizerSpec, ids: list[int], add_special: bool) -> tuple[str, ...]:
    """The same for ids already computed."""
    return (*cautions.of_ids(tokenizer(spec), ids, add_special), *facts_of(spec.without_pattern).warnings)


# --- about a text --------------------------------------------------------------------------------------------------


@question(lambda encoding: 50_000 + 300 * len(encoding), store=Store.MATERIAL)
def encoding_of(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> Encoding:
    """The encoding of a text, for callers that need no trace."""
    return tokenizer(spec).encode(text, add_special=add_special, parse_special=parse_special)


@question(trace_weight, store=Store.MATERIAL)
def trace_of(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> Trace:
    """The full trace of a text, shared by all windows on it."""
    return tokenizer(spec).trace(text, add_special=add_special, parse_special=parse_special)


@question(lambda back: 50_000 + 500 * len(back.decoded.ids) + 300 * len(back.losses.lost), store=Store.MATERIAL)
def round_trip_of(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> RoundTrip:
    """Its ids decoded, and what of the text doesn't come back."""
    return round_trip(tokenizer(spec), trace_of(spec, text, add_special, parse_special))


class SectionView(NamedTuple):
    """A `Section` ready to draw, its script as JSON."""

    key: str
    title: str
    what: str
    board: Board | None
    script: str | None
    queue: str | None
    words: tuple[Word, ...]

    @classmethod
    def of(cls, section: Section) -> SectionView:
        """The view of a section."""
        key, title, what, board, script, queue, words = section
        return cls(key, title, what, board, None if script is None else script.json(), queue, words)


@dataclass(frozen=True)
class ExploreView:
    """One text under one tokenizer, ready to draw. `id` identifies exactly this content.

    pieces: the text in its tokens. nodes: the row of stages. focus: the key of the stage drawn, or `ALL`. asked:
    the first cut inside a word, which the page offers to explain. tokens: the
    board of the whole report, None otherwise. table: the tokens, as many as are shown. names: of the downloads, by what
    they hold.
    """

    spec: TokenizerSpec
    text: str
    add_special: bool
    parse_special: bool
    window: Window
    ids: list[int]
    pieces: list[Piece]
    nodes: list[Node]
    focus: str
    asked: int | None
    tokens: Board | None
    sections: tuple[SectionView, ...]
    warnings: tuple[str, ...]
    table: pd.DataFrame
    names: dict[str, str]
    id: str


@question(lambda sections: VIEW_BYTES, store=Store.MATERIAL)
def sections_of(
    spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, start: int, only: str | None
) -> list[Section]:
    """The sections of a text within the window that starts at code point `start`. only: the key of one of them."""
    request = spec, text, add_special, parse_special
    trace = trace_of(*request)
    return sections(tokenizer(spec), trace, round_trip_of(*request), window_of(trace, start), only)


@question(lambda view: VIEW_BYTES)
def explore_view(
    spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, at: int, stage: str
) -> ExploreView:
    """Everything the Explore page draws of a text, within the window that starts at code point `at`.

    stage: the key of the stage to draw, or `ALL`.
    """
    request = spec, text, add_special, parse_special
    tok, trace = tokenizer(spec), trace_of(*request)
    window = window_of(trace, at)
    made_by = trace_export(tok, trace).provenance
    nodes, report = ribbon(trace, round_trip_of(*request).decoded), stage == ALL
    focus = ALL if report else focus_of(nodes, stage)
    return ExploreView(
        *request,
        window=window,
        ids=trace.ids,
        pieces=running_text(trace, tok.vocabulary, window),
        nodes=nodes,
        focus=focus,
        asked=word_cut(trace),
        tokens=tokens_board(trace, tok.vocabulary, window) if report else None,
        sections=tuple(map(SectionView.of, sections_of(*request, window.start, None if report else focus))),
        warnings=warnings_of_ids(spec, trace.ids, add_special),
        table=table_of_tokens(trace, tok, WINDOW),
        names={"tokens": made_by.file_name("tokens", "csv"), "trace": made_by.file_name("trace", "json")},
        id=content_id(*request, window),
    )


@question(lambda card: 100_000)
def why_of(
    spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, start: int, cut: bool, index: int
) -> WhyCard | None:
    """How token `index` of a text came about, or why there is a cut after it; None if there is no such token.

    start: of the window that is drawn: only steps within it are linked.
    """
    request = spec, text, add_special, parse_special
    trace = trace_of(*request)
    if not 0 <= index < len(trace.ids) - cut:
        return None

    def place(stage: int, event: int | None) -> Place | None:
        key = trace.stages[stage].name
        script = next((each.script for each in sections_of(*request, start, key)), None)
        if event is None or script is None or event not in script.events:
            return None
        return {"stage": key, "step": script.step_of(event)}

    called = spec.offer.label
    if cut:
        return cut_card(why_cut(trace, index, called=called), place)
    return token_card(why_token(trace, index, called=called), place)


DOWNLOADS: Final[dict[str, Callable[[Tokenizer, Trace], str]]] = {
    "tokens": lambda tok, trace: trace_export(tok, trace).csv(),
    "trace": lambda tok, trace: trace_export(tok, trace).json(),
}


@question(len)
def download(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, what: str) -> str:
    """One of the `DOWNLOADS`: the tokens as CSV, or the full trace as JSON."""
    tok = tokenizer(spec)
    return DOWNLOADS[what](tok, tok.trace(text, add_special=add_special, parse_special=parse_special))


@question(lambda chart: 500_000)
def queue_chart(
    spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, start: int, key: str, theme: str
) -> alt.Chart | None:
    """The entries of a section's queue in the order they were popped. start: of the window that is drawn."""
    (found,) = sections_of(spec, text, add_special, parse_special, start, key)
    if found.script is None or not found.queue:
        return None
    return chart_of_queue(found.script, found.queue, theme)


def content_id(spec: TokenizerSpec, *content: object) -> str:
    """A short id of exactly this content of a spec."""
    return sha256(repr((spec.offer.key, *spec[1:], *content)).encode()).hexdigest()[:16]
