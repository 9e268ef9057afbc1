"""What the Compare page needs, computed once: alignments, comparisons, what languages cost.

Like `prepared.py`, but kept in the session that asks: among what is compared there may be files of the person's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import streamlit as st

from explorer.analysis.alignment import Alignment, Span, align
from explorer.analysis.divergence import Comparison, compare
from explorer.analysis.expected import Explanation, explain
from explorer.analysis.id_lists import read_ids
from explorer.analysis.notes import notes
from explorer.analysis.parallel import Language, Languages, measure
from explorer.analysis.prefix_stability import Stability, stability
from explorer.analysis.provenance import Provenance
from explorer.analysis.run import Run as Traced
from explorer.analysis.run import labels
from explorer.analysis.what_if import Variation, flip, variations
from explorer.engine.options import Options
from explorer.ui.compare_input import Comparing, known
from explorer.ui.offers import Offer, Run
from explorer.ui.prepared import PRIVATE, named, staged, tokenizer
from explorer.ui.working import Says, counted
from explorer.views.aligned import Aligned, aligned
from explorer.views.sections import Section, section_of
from explorer.views.window import WINDOW, window_of

P = ParamSpec("P")
T = TypeVar("T")
KEYS: dict[str | type, Callable[[Any], Any]] = {Offer: lambda offer: offer.key}


def kept(entries: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keeps so many results in the session that asks."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        cached = st.cache_resource(max_entries=entries, show_spinner=False, hash_funcs=KEYS, scope="session")(function)
        PRIVATE.append(cached.clear)
        return cast(Callable[P, T], cached)

    return decorate


def tokenized(chosen: Comparing, says: Says, only: Collection[Run] | None = None) -> None:
    """Tokenizes the text with all of them, or some, one after the other: what follows finds it done."""
    names = [name for name, run in chosen.runs.items() if only is None or run in only]
    for name in counted(names, says, lambda name: f"tokenizing with {name}"):
        staged(chosen.runs[name], chosen.text, chosen.add_special, chosen.parse_special)


@kept(8)
def rows_of(chosen: Comparing) -> Alignment:
    """The tokens of all of them aligned."""
    made = [
        (name, staged(run, chosen.text, chosen.add_special, chosen.parse_special).encoding)
        for name, run in chosen.runs.items()
    ]
    return align(chosen.text, made, chosen.names.index(chosen.baseline))


@kept(16)
def grid_of(chosen: Comparing, at: int) -> Grid:
    """The rows, from code point `at` on, as they are drawn."""
    size = len(chosen.text)
    part = Span(at, min(at + WINDOW, size))
    toks = [tokenizer(run) for run in chosen.runs.values()]
    return Grid(part, aligned(rows_of(chosen), toks, part if size > WINDOW else None))


class Grid(NamedTuple):
    """A part of the rows, ready to be drawn."""

    part: Span
    drawn: Aligned


@kept(8)
def parted(left: Run, right: Run, text: str, add_special: bool, parse_special: bool) -> Comparison:
    """Two of them compared."""
    toks = [tokenizer(run) for run in (left, right)]
    sides = [
        Traced(tok, text, staged(run, text, add_special, parse_special), name)
        for tok, run, name in zip(toks, (left, right), labels(toks), strict=True)
    ]
    return compare(*sides)


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=KEYS, scope="session")
def noted(left: Run, right: Run, text: str, add_special: bool, parse_special: bool) -> tuple[str, ...]:
    """What is said beside that: the setting behind it, other text."""
    return notes(parted(left, right, text, add_special, parse_special))


class OneStage(NamedTuple):
    """One stage of a run, ready to be drawn. id: names exactly this content."""

    section: Section
    json: str
    id: str


@kept(8)
def stage_of(run: Run, text: str, add_special: bool, parse_special: bool, stage: int, at: int) -> OneStage:
    """A stage by its number, drawn from about code point `at` on."""
    trace = staged(run, text, add_special, parse_special)
    window = window_of(trace, at)
    section = section_of(trace.stages[stage], trace, tokenizer(run).vocabulary, window)
    json = "" if section.script is None else section.script.json()
    return OneStage(section, json, named(run, text, add_special, parse_special, stage, window))


@kept(8)
def switches_of(run: Run, text: str, add_special: bool, parse_special: bool) -> tuple[Variation, ...]:
    """The switches of a tokenizer that can be flipped."""
    return variations(tokenizer(run), text, add_special=add_special, parse_special=parse_special)


@kept(32)
def flipped(run: Run, text: str, add_special: bool, parse_special: bool, variation: Variation) -> Comparison:
    """One switch of a tokenizer, flipped."""
    now = Traced(tokenizer(run), text, staged(run, text, add_special, parse_special), "")
    return flip(now, variation, open_other=by_spec)


@kept(4)
def explained(run: Run, text: str, pasted: str, add_special: bool, parse_special: bool) -> Explanation:
    """Ids from elsewhere, as they were pasted. Raises InputError."""
    return explain(
        tokenizer(run), text, read_ids(pasted), add_special=add_special, parse_special=parse_special,
        open_other=by_spec, given=staged(run, text, add_special, parse_special),
    )  # fmt: skip


@kept(8)
def typed(run: Run, text: str, parse_special: bool) -> Stability:
    """The text as it grows."""
    return stability(tokenizer(run), text, parse_special=parse_special)


@kept(4)
def measured(runs: tuple[Run, ...], texts: tuple[Language, ...], baseline: str) -> Languages:
    """One text in many languages."""
    return measure(texts, [tokenizer(run) for run in runs], baseline)


def made_of(chosen: Comparing, run: Run | None = None, *, add_special: bool | None = None) -> Provenance:
    """What makes an answer about all of them, or about one."""
    add = chosen.add_special if add_special is None else add_special
    of = {name: each for name, each in chosen.runs.items() if run is None or each == run}
    return Provenance.of(
        [tokenizer(each) for each in of.values()], chosen.text, Options(add, chosen.parse_special), list(of)
    )


def by_spec(spec: str) -> Any:
    """Another tokenizer by NAME@IMPLEMENTATION, from the page's memory."""
    name, _, implementation = spec.partition("@")
    return tokenizer(known().get(spec) or Run(known()[name].offer, implementation))
