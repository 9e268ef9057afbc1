"""Languages: the tokens that one text takes in many languages."""

from __future__ import annotations

from typing import NamedTuple

import altair as alt
import pandas as pd

from explorer.analysis.exports.comparisons import languages_export
from explorer.analysis.languages import Language, Languages, measure
from explorer.answers.compare.request import FileNames, file_text
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.text.say import Say
from explorer.views.compare.languages_chart import heat_map, languages_say, wide_table


@question(lambda languages: 1_000_000)
def languages_of(specs: tuple[TokenizerSpec, ...], texts: tuple[Language, ...], baseline: str) -> Languages:
    """The measures of every language. baseline: a language's code."""
    return measure(texts, [tokenizer(spec) for spec in specs], baseline)


class LanguagesView(NamedTuple):
    """One text in many languages under several tokenizers."""

    say: Say
    chart: alt.LayerChart | alt.FacetChart
    table: pd.DataFrame
    names: FileNames


@question(lambda view: 1_000_000)
def languages_view(
    specs: tuple[TokenizerSpec, ...], texts: tuple[Language, ...], baseline: str, figure: str
) -> LanguagesView:
    """The cost of each language. figure: the measure that the heat map shows. Raises InputError."""
    found = languages_of(specs, texts, baseline)
    names = FileNames.of(languages_export([tokenizer(spec) for spec in specs], found))
    return LanguagesView(languages_say(found), heat_map(found, figure), wide_table(found), names)


@question(len)
def languages_download(
    specs: tuple[TokenizerSpec, ...], texts: tuple[Language, ...], baseline: str, ending: str
) -> str:
    """The measures as a file."""
    toks = [tokenizer(spec) for spec in specs]
    return file_text(languages_export(toks, languages_of(specs, texts, baseline)), ending)
