"""Where they part: the first stage at which two tokenizers differ, and every other difference."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import Comparison
from explorer.analysis.exports.comparisons import divergence_export
from explorer.analysis.notes import notes
from explorer.analysis.run import labels
from explorer.answers.cache import Store
from explorer.answers.compare.request import FileNames, file_text
from explorer.answers.compare.trace import lazy_trace, run_of, titles
from explorer.answers.explore import SectionView, content_id, tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.text.say import Say, plain
from explorer.views.compare.differences import (
    absent_say,
    divergence_say,
    more_say,
    side_say,
    table_of_divergences,
    table_of_harmless,
)
from explorer.views.sections import section_of
from explorer.views.window import WINDOW, window_of


def comparison_weight(comparison: Comparison) -> int:
    """The approximate bytes of a comparison."""
    return 100_000 + 800 * len(comparison.left.text)


@question(comparison_weight, store=Store.MATERIAL)
def comparison_of(
    left: TokenizerSpec, right: TokenizerSpec, text: str, add_special: bool, parse_special: bool
) -> Comparison:
    """Two tokenizers compared stage by stage."""
    specs = (left, right)
    names = labels([tokenizer(spec) for spec in specs], titles(specs))
    runs = [run_of(spec, text, add_special, parse_special, name) for spec, name in zip(specs, names, strict=True)]
    return compare(*runs)


class DivergenceView(NamedTuple):
    """Where two tokenizers differ. spot: the span of the first difference in the text, None if there is none."""

    say: Say
    more: str
    kind: str
    spot: tuple[int, int] | None
    divergences: pd.DataFrame
    harmless: pd.DataFrame | None
    names: FileNames


@question(lambda view: 500_000)
def divergence_view(
    left: TokenizerSpec, right: TokenizerSpec, text: str, add_special: bool, parse_special: bool
) -> DivergenceView:
    """The first stage whose output differs, its cause, and every other difference."""
    comparison = comparison_of(left, right, text, add_special, parse_special)
    first = comparison.first
    more = [plain(say) for say in (more_say(comparison),) if say is not None]
    return DivergenceView(
        divergence_say(comparison),
        " ".join([*more, *notes(comparison)]),
        "" if first is None else first.kind.says,
        None if first is None else (first.spot.start, first.spot.end),
        table_of_divergences(comparison),
        table_of_harmless(comparison) if comparison.harmless else None,
        FileNames.of(divergence_export(comparison)),
    )


@question(len)
def divergence_download(
    left: TokenizerSpec, right: TokenizerSpec, text: str, add_special: bool, parse_special: bool, ending: str
) -> str:
    """The comparison as a file."""
    return file_text(divergence_export(comparison_of(left, right, text, add_special, parse_special)), ending)


class SideView(NamedTuple):
    """One side of the first difference: a sentence, and its stage from about `at` on, if it has that stage.

    id: identifies exactly this content. step: where the difference begins in the script.
    """

    label: str
    say: Say
    at: int
    stage: SectionView | None
    step: int
    id: str


@question(lambda side: 2_000_000)
def side_view(
    left: TokenizerSpec, right: TokenizerSpec, text: str, add_special: bool, parse_special: bool, index: int
) -> SideView:
    """One side of the first difference of two tokenizers that differ. index: 0 for the left one."""
    comparison = comparison_of(left, right, text, add_special, parse_special)
    first = comparison.first
    assert first is not None, "the tokenizers differ"
    spec, side, half = (left, comparison.left, first.left) if index == 0 else (right, comparison.right, first.right)
    # of a long text, draw the part around the difference, with some context before it
    at = max(0, first.spot.start - WINDOW // 4) if len(text) > WINDOW else 0
    if half.stage is None:
        return SideView(side.label, absent_say(side.label, first.stage, half), at, None, 0, "")
    trace = lazy_trace(spec, text, add_special, parse_special)
    window = window_of(trace, at)
    section = section_of(trace.stages[half.stage], trace, tokenizer(spec).vocabulary, window)
    step = 0 if section.script is None else section.script.step_of(half.event)
    id = content_id(spec, text, add_special, parse_special, half.stage, window)
    return SideView(side.label, side_say(side.label, section.title, half), at, SectionView.of(section), step, id)
