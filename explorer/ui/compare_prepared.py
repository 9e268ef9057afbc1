"""What the Compare page needs, computed once: alignments, comparisons, what languages cost.

Like `prepared.py`, but kept in the session that asks: among what is compared there may be files of the person's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from explorer.analysis.alignment import Alignment, align
from explorer.analysis.divergence import Comparison, compare
from explorer.analysis.expected import Explanation, explain
from explorer.analysis.id_lists import read_ids
from explorer.analysis.parallel import Language, Languages, measure
from explorer.analysis.prefix_stability import Stability, stability
from explorer.analysis.provenance import Provenance
from explorer.analysis.run import Run as Traced
from explorer.analysis.run import labels
from explorer.analysis.what_if import Variation, variations, what_if
from explorer.engine.options import Options
from explorer.ui.compare_input import Comparing, known
from explorer.ui.offers import Offer, Run
from explorer.ui.prepared import PRIVATE, encoded, named, tokenizer, traced
from explorer.views.aligned import Aligned, aligned
from explorer.views.sections import Section, section_of
from explorer.views.window import window_of

KEYS: dict[str | type, Callable[[Any], Any]] = {Offer: lambda offer: offer.key}


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=KEYS, scope="session")
def rows_of(chosen: Comparing) -> tuple[Alignment, Aligned]:
    """The tokens of all of them aligned, and laid out to be drawn."""
    made = [
        (name, encoded(run, chosen.text, chosen.add_special, chosen.parse_special)) for name, run in chosen.runs.items()
    ]
    alignment = align(chosen.text, made, chosen.names.index(chosen.baseline))
    return alignment, aligned(alignment, [tokenizer(run) for run in chosen.runs.values()])


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=KEYS, scope="session")
def parted(left: Run, right: Run, text: str, add_special: bool, parse_special: bool) -> Comparison:
    """Two of them compared."""
    toks = [tokenizer(run) for run in (left, right)]
    sides = [
        Traced(tok, text, traced(run, text, add_special, parse_special), name)
        for tok, run, name in zip(toks, (left, right), labels(toks), strict=True)
    ]
    return compare(*sides)


class OneStage(NamedTuple):
    """One stage of a run, ready to be drawn. id: names exactly this content."""

    section: Section
    json: str
    id: str


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=KEYS, scope="session")
def stage_of(run: Run, text: str, add_special: bool, parse_special: bool, stage: int, at: int) -> OneStage:
    """A stage by its number, drawn from about code point `at` on."""
    trace = traced(run, text, add_special, parse_special)
    window = window_of(trace, at)
    section = section_of(trace.stages[stage], trace, tokenizer(run).vocabulary, window)
    json = "" if section.script is None else section.script.json()
    return OneStage(section, json, named(run, text, add_special, parse_special, stage, window))


@st.cache_resource(max_entries=8, show_spinner=False, hash_funcs=KEYS, scope="session")
def flipped(run: Run, text: str, add_special: bool, parse_special: bool) -> tuple[tuple[Variation, Comparison], ...]:
    """Every switch of a tokenizer, flipped."""
    tok = tokenizer(run)
    options = {"add_special": add_special, "parse_special": parse_special}
    return tuple(
        (each, what_if(tok, text, each, open_other=by_spec, **options)) for each in variations(tok, text, **options)
    )


@st.cache_resource(max_entries=4, show_spinner="Looking for the reason …", hash_funcs=KEYS, scope="session")
def explained(run: Run, text: str, pasted: str, add_special: bool, parse_special: bool) -> Explanation:
    """Ids from elsewhere, as they were pasted. Raises InputError."""
    return explain(
        tokenizer(run), text, read_ids(pasted), add_special=add_special, parse_special=parse_special, open_other=by_spec
    )


@st.cache_resource(max_entries=8, show_spinner="Tokenizing every beginning of the text …", hash_funcs=KEYS,
                   scope="session")  # fmt: skip
def typed(run: Run, text: str, parse_special: bool) -> Stability:
    """The text as it grows."""
    return stability(tokenizer(run), text, parse_special=parse_special)


@st.cache_resource(max_entries=4, show_spinner="Tokenizing every language …", hash_funcs=KEYS, scope="session")
def measured(runs: tuple[Run, ...], texts: tuple[Language, ...], baseline: str) -> Languages:
    """One text in many languages."""
    return measure(texts, [tokenizer(run) for run in runs], baseline)


PRIVATE.extend(each.clear for each in (rows_of, parted, stage_of, flipped, explained, typed, measured))


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
