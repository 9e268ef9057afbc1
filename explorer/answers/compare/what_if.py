"""What if: each switch of a tokenizer, flipped alone."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from explorer.analysis.divergence.result import Comparison
from explorer.analysis.exports.comparisons import flips_export
from explorer.analysis.exports.export import Export
from explorer.analysis.what_if import Variation, flip, variations
from explorer.answers.cache import Store
from explorer.answers.compare.divergence import comparison_weight
from explorer.answers.compare.request import FileNames, file_text, provenance_of
from explorer.answers.compare.trace import OtherTokenizers, run_of
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.text.say import Say, plain
from explorer.views.compare.differences import SWITCHES, divergence_say, flip_say, more_say, table_of_divergences


@question()
def variations_of(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> tuple[Variation, ...]:
    """The switches of a tokenizer that can be flipped."""
    return variations(tokenizer(spec), text, add_special=add_special, parse_special=parse_special)


@question(comparison_weight, store=Store.MATERIAL)
def flip_comparison(
    spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, variation: Variation
) -> Comparison:
    """A tokenizer compared with itself, one switch flipped."""
    return flip(run_of(spec, text, add_special, parse_special, ""), variation, open_other=OtherTokenizers(spec))


class FlipView(NamedTuple):
    """One flipped switch. divergences: all of them, if there are several."""

    say: Say
    about: str
    parting: Say
    more: Say | None
    divergences: pd.DataFrame | None


@question(lambda view: 200_000)
def flip_view(spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, variation: Variation) -> FlipView:
    """What flipping one switch changes, and at which stage."""
    comparison = flip_comparison(spec, text, add_special, parse_special, variation)
    return FlipView(
        flip_say(variation, comparison),
        SWITCHES[variation.switch],
        divergence_say(comparison),
        more_say(comparison),
        table_of_divergences(comparison) if len(comparison.divergences) > 1 else None,
    )


def flips_of(name: str, spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> Export:
    """All switches of a tokenizer, flipped one after the other."""
    request = spec, text, add_special, parse_special
    flips = [(each, flip_comparison(*request, each)) for each in variations_of(*request)]
    return flips_export(provenance_of(name, *request), flips, [plain(flip_say(*each)) for each in flips])


@question()
def flips_file_names(name: str, spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool) -> FileNames:
    """The names of the downloads, without flipping anything."""
    return FileNames.of(flips_export(provenance_of(name, spec, text, add_special, parse_special), (), ()))


@question(len)
def flips_download(
    name: str, spec: TokenizerSpec, text: str, add_special: bool, parse_special: bool, ending: str
) -> str:
    """All flips as a file."""
    return file_text(flips_of(name, spec, text, add_special, parse_special), ending)
