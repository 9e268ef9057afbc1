"""What Compare asks about several tokenizers: rows beside each other, where two part, one switch flipped, languages.

The second half of the questions gives what is drawn; the first what that is made of, which stays where it was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import altair as alt
import pandas as pd

from explorer.analysis.alignment import Alignment, Span, align
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison
from explorer.analysis.expected import Explanation, explain
from explorer.analysis.exports.comparisons import (
    alignment_export,
    explanation_export,
    flips_export,
    languages_export,
    parting_export,
    stability_export,
)
from explorer.analysis.exports.export import Export
from explorer.analysis.id_lists import read_ids
from explorer.analysis.languages import Language, Languages, measure
from explorer.analysis.notes import notes
from explorer.analysis.prefix_stability import Stability, stability
from explorer.analysis.provenance import Provenance
from explorer.analysis.run import Run as Traced
from explorer.analysis.run import labels
from explorer.analysis.what_if import Variation, flip, variations
from explorer.answers.asking import question
from explorer.answers.explore import Shown, named, tokenizer, weight_of_trace
from explorer.answers.offers import Run, bundled
from explorer.engine.options import Options
from explorer.engine.tokenizer import Tokenizer, Trace
from explorer.views.compare.aligned import Aligned, aligned
from explorer.views.compare.compared import chart_of_rows, rows_say, table_of_rows
from explorer.views.compare.differences import (
    SWITCHES,
    absent_say,
    flip_say,
    more_say,
    parting_say,
    side_say,
    table_of_divergences,
    table_of_harmless,
)
from explorer.views.compare.expected_table import spelled_say, table_of_expected, table_of_regions
from explorer.views.compare.languages_chart import heat_map, languages_say, wide_table
from explorer.views.compare.typing_chart import chart_of_typing, typing_say
from explorer.views.say import Say, plain
from explorer.views.sections import section_of
from explorer.views.window import WINDOW, window_of

ENDINGS = ("json", "csv", "md")
"""Of the files that an answer is kept as."""


class Comparing(NamedTuple):
    """What is compared: runs by the names they have on the page, which of them is the baseline, and the options.

    typed: the text as it stands in the field, where `escapes` says whether its escapes are read.
    """

    runs: Mapping[str, Run]
    text: str
    typed: str
    escapes: bool
    add_special: bool
    parse_special: bool
    baseline: str

    @property
    def names(self) -> list[str]:
        return list(self.runs)

    def asked(self, run: Run) -> tuple[Run, str, bool, bool]:
        """One of the runs with the text and the options."""
        return run, self.text, self.add_special, self.parse_special


class Names(NamedTuple):
    """What the files of an answer are called, in the order of `ENDINGS`."""

    json: str
    csv: str
    md: str

    @classmethod
    def of(cls, export: Export) -> Names:
        return cls(*map(export.file_name, ENDINGS))


def written(export: Export, ending: str) -> str:
    """One of the files."""
    return {"json": export.json, "csv": export.csv, "md": export.markdown}[ending]()


# --- what answers are made of ----------------------------------------------------------------------------------------


@question(weight_of_trace, material=True)
def staged(run: Run, text: str, add_special: bool, parse_special: bool) -> Trace:
    """A text's way for whoever compares: a stage's decisions are found once they are asked for."""
    return tokenizer(run).trace_lazily(text, add_special=add_special, parse_special=parse_special)


@question()
def tokenized(chosen: Comparing, name: str) -> None:
    """Tokenizes the text with one of them: what follows finds it done."""
    staged(*chosen.asked(chosen.runs[name]))


@question(lambda alignment: 100_000 + 800 * len(alignment.text), material=True)
def rows_of(chosen: Comparing) -> Alignment:
    """The tokens of all of them aligned."""
    made = [(name, staged(*chosen.asked(run)).encoding) for name, run in chosen.runs.items()]
    return align(chosen.text, made, chosen.names.index(chosen.baseline))


@question(lambda comparison: 100_000 + 800 * len(comparison.left.text), material=True)
def parted(left: Run, right: Run, text: str, add_special: bool, parse_special: bool) -> Comparison:
    """Two of them compared."""
    toks = [tokenizer(run) for run in (left, right)]
    sides = [
        Traced(tok, text, staged(run, text, add_special, parse_special), name)
        for tok, run, name in zip(toks, (left, right), labels(toks), strict=True)
    ]
    return compare(*sides)


@question()
def switches_of(run: Run, text: str, add_special: bool, parse_special: bool) -> tuple[Variation, ...]:
    """The switches of a tokenizer that can be flipped."""
    return variations(tokenizer(run), text, add_special=add_special, parse_special=parse_special)


@question(lambda comparison: 100_000 + 800 * len(comparison.left.text), material=True)
def flipped(run: Run, text: str, add_special: bool, parse_special: bool, variation: Variation) -> Comparison:
    """One switch of a tokenizer, flipped."""
    now = Traced(tokenizer(run), text, staged(run, text, add_special, parse_special), "")
    return flip(now, variation, open_other=Others(run))


@question(lambda explanation: 1_000_000 + 200 * len(explanation.expected))
def explained(run: Run, text: str, add_special: bool, parse_special: bool, pasted: str) -> Explanation:
    """Ids from elsewhere, as they were pasted. Raises InputError."""
    return explain(
        tokenizer(run), text, read_ids(pasted), add_special=add_special, parse_special=parse_special,
        open_other=Others(run), given=staged(run, text, add_special, parse_special),
    )  # fmt: skip


@question(lambda stability: 1_000_000)
def typed(run: Run, text: str, parse_special: bool) -> Stability:
    """The text as it grows."""
    return stability(tokenizer(run), text, parse_special=parse_special)


@question(lambda languages: 1_000_000)
def measured(runs: tuple[Run, ...], texts: tuple[Language, ...], baseline: str) -> Languages:
    """One text in many languages."""
    return measure(texts, [tokenizer(run) for run in runs], baseline)


def made_of(chosen: Comparing) -> Provenance:
    """What makes an answer about all of them."""
    toks = [tokenizer(each) for each in chosen.runs.values()]
    return Provenance.of(toks, chosen.text, Options(chosen.add_special, chosen.parse_special), chosen.names)


def made_of_one(name: str, run: Run, text: str, add_special: bool, parse_special: bool) -> Provenance:
    """And about one of them, by its name on the page."""
    return Provenance.of([tokenizer(run)], text, Options(add_special, parse_special), [name])


@dataclass(frozen=True)
class Others:
    """Opens other tokenizers by NAME@IMPLEMENTATION, beside one: those of its own file, and the bundled ones."""

    beside: Run

    def __call__(self, spec: str) -> Tokenizer:
        own = self.beside.offer
        name, _, implementation = spec.rpartition("@") if "@" in spec else (spec, "", "")
        offer = own if name == own.label else bundled().get(name, own)
        choices = self.beside.choices if offer == own and implementation == self.beside.implementation else ()
        return tokenizer(Run(offer, implementation or offer.implementations[0], choices))


# --- what is drawn ---------------------------------------------------------------------------------------------------


class Rows(NamedTuple):
    """All of them above each other. part: of the text, as it is drawn; names: of the files to keep."""

    say: Say
    part: Span
    drawn: Aligned
    chart: alt.LayerChart | alt.FacetChart
    table: pd.DataFrame
    names: Names


@question(lambda rows: 200_000 + 2 * len(rows.drawn.json))
def rows_drawn(chosen: Comparing, at: int) -> Rows:
    """The rows, from code point `at` on."""
    alignment, size = rows_of(chosen), len(chosen.text)
    part = Span(at, min(at + WINDOW, size))
    drawn = aligned(alignment, [tokenizer(run) for run in chosen.runs.values()], part if size > WINDOW else None)
    names = Names.of(alignment_export(made_of(chosen), alignment))
    return Rows(rows_say(alignment), part, drawn, chart_of_rows(alignment), table_of_rows(alignment), names)


@question(len)
def rows_file(chosen: Comparing, ending: str) -> str:
    return written(alignment_export(made_of(chosen), rows_of(chosen)), ending)


class Parting(NamedTuple):
    """Where two part. spot: of the first difference in the text, None where there is none."""

    say: Say
    more: str
    kind: str
    spot: tuple[int, int] | None
    divergences: pd.DataFrame
    harmless: pd.DataFrame | None
    names: Names


@question(lambda parting: 500_000)
def parting_drawn(left: Run, right: Run, text: str, add_special: bool, parse_special: bool) -> Parting:
    """The first stage whose output differs, what is behind it, and every other place."""
    comparison = parted(left, right, text, add_special, parse_special)
    first = comparison.first
    more = [plain(say) for say in (more_say(comparison),) if say is not None]
    return Parting(
        parting_say(comparison),
        " ".join([*more, *notes(comparison)]),
        "" if first is None else first.kind.says,
        None if first is None else (first.spot.start, first.spot.end),
        table_of_divergences(comparison),
        table_of_harmless(comparison) if comparison.harmless else None,
        Names.of(parting_export(comparison)),
    )


@question(len)
def parting_file(left: Run, right: Run, text: str, add_special: bool, parse_special: bool, ending: str) -> str:
    return written(parting_export(parted(left, right, text, add_special, parse_special)), ending)


class Side(NamedTuple):
    """One side of the first difference: its sentence, and its stage from about `at` on, if it has that stage.

    id: names exactly this content. step: where in the script the difference begins.
    """

    label: str
    say: Say
    at: int
    stage: Shown | None
    step: int
    id: str


@question(lambda side: 2_000_000)
def side_drawn(left: Run, right: Run, text: str, add_special: bool, parse_special: bool, place: int) -> Side:
    """A side of the first difference of two that differ. place: 0 for the left one."""
    comparison = parted(left, right, text, add_special, parse_special)
    first = comparison.first
    assert first is not None, "they differ"
    run, side, half = (left, comparison.left, first.left) if place == 0 else (right, comparison.right, first.right)
    # of a long text that part is drawn in which the difference lies, with some of what stands in front of it
    at = max(0, first.spot.start - WINDOW // 4) if len(text) > WINDOW else 0
    if half.stage is None:
        return Side(side.label, absent_say(side.label, first.stage, half), at, None, 0, "")
    trace = staged(run, text, add_special, parse_special)
    window = window_of(trace, at)
    section = section_of(trace.stages[half.stage], trace, tokenizer(run).vocabulary, window)
    step = 0 if section.script is None else section.script.step_of(half.event)
    id = named(run, text, add_special, parse_special, half.stage, window)
    return Side(side.label, side_say(side.label, section.title, half), at, Shown.of(section), step, id)


class Expected(NamedTuple):
    """Ids from elsewhere. regions: those that differ; None where none does."""

    say: Say
    spelled: Say | None
    regions: pd.DataFrame | None
    ids: pd.DataFrame
    names: Names


@question(lambda expected: 1_000_000)
def expected_drawn(name: str, run: Run, text: str, add_special: bool, parse_special: bool, pasted: str) -> Expected:
    """Ids as they were pasted beside those of a tokenizer. name: of the run on the page. Raises InputError."""
    asked = run, text, add_special, parse_special
    found = explained(*asked, pasted)
    return Expected(
        Say.of("{0:t}", found.sentence),
        spelled_say(found),
        table_of_regions(found) if found.regions else None,
        table_of_expected(found, tokenizer(run).vocabulary),
        Names.of(explanation_export(made_of_one(name, *asked), found)),
    )


@question(len)
def expected_file(
    name: str, run: Run, text: str, add_special: bool, parse_special: bool, pasted: str, ending: str
) -> str:
    asked = run, text, add_special, parse_special
    return written(explanation_export(made_of_one(name, *asked), explained(*asked, pasted)), ending)


class Flip(NamedTuple):
    """One switch, flipped. places: all of them, where there are several."""

    say: Say
    about: str
    parting: Say
    more: Say | None
    places: pd.DataFrame | None


@question(lambda flip: 200_000)
def flip_drawn(run: Run, text: str, add_special: bool, parse_special: bool, variation: Variation) -> Flip:
    """What one switch would change, and at which stage."""
    comparison = flipped(run, text, add_special, parse_special, variation)
    return Flip(
        flip_say(variation, comparison),
        SWITCHES[variation.switch],
        parting_say(comparison),
        more_say(comparison),
        table_of_divergences(comparison) if len(comparison.divergences) > 1 else None,
    )


def flips_of(name: str, run: Run, text: str, add_special: bool, parse_special: bool) -> Export:
    """All switches of a tokenizer flipped, one after the other."""
    asked = run, text, add_special, parse_special
    flips = [(each, flipped(*asked, each)) for each in switches_of(*asked)]
    return flips_export(made_of_one(name, *asked), flips, [plain(flip_say(*each)) for each in flips])


@question()
def flips_names(name: str, run: Run, text: str, add_special: bool, parse_special: bool) -> Names:
    return Names.of(flips_export(made_of_one(name, run, text, add_special, parse_special), (), ()))


@question(len)
def flips_file(name: str, run: Run, text: str, add_special: bool, parse_special: bool, ending: str) -> str:
    return written(flips_of(name, run, text, add_special, parse_special), ending)


class Typing(NamedTuple):
    """A text while it is typed. chart: None for an empty text."""

    say: Say
    chart: alt.Chart | None
    names: Names


@question(lambda typing: 1_000_000)
def typing_drawn(name: str, run: Run, text: str, parse_special: bool) -> Typing:
    """Which earlier tokens change while the text is typed, as a picture."""
    found = typed(run, text, parse_special)
    chart = chart_of_typing(found, tokenizer(run).vocabulary) if found.prefixes else None
    return Typing(typing_say(found), chart, Names.of(typing_of(name, run, text, parse_special)))


def typing_of(name: str, run: Run, text: str, parse_special: bool) -> Export:
    found = typed(run, text, parse_special)
    return stability_export(made_of_one(name, run, text, False, parse_special), found, plain(typing_say(found)))


@question(len)
def typing_file(name: str, run: Run, text: str, parse_special: bool, ending: str) -> str:
    return written(typing_of(name, run, text, parse_special), ending)


class InLanguages(NamedTuple):
    """One text in many languages under several tokenizers."""

    say: Say
    chart: alt.LayerChart | alt.FacetChart
    table: pd.DataFrame
    names: Names


@question(lambda found: 1_000_000)
def languages_drawn(runs: tuple[Run, ...], texts: tuple[Language, ...], baseline: str, figure: str) -> InLanguages:
    """What each language costs. figure: what the map's colours show. Raises InputError."""
    found = measured(runs, texts, baseline)
    names = Names.of(languages_export([tokenizer(run) for run in runs], found))
    return InLanguages(languages_say(found), heat_map(found, figure), wide_table(found), names)


@question(len)
def languages_file(runs: tuple[Run, ...], texts: tuple[Language, ...], baseline: str, ending: str) -> str:
    toks = [tokenizer(run) for run in runs]
    return written(languages_export(toks, measured(runs, texts, baseline)), ending)
