"""Side by side: the tokens of all tokenizers, aligned on the text."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import altair as alt
import pandas as pd

from explorer.analysis.alignment import Alignment, Span, align
from explorer.analysis.exports.comparisons import alignment_export
from explorer.analysis.exports.export import Export
from explorer.answers.cache import Store
from explorer.answers.compare.request import CompareRequest, FileNames, file_text, provenance_of_all
from explorer.answers.compare.trace import lazy_trace
from explorer.answers.explore import tokenizer
from explorer.answers.questions import question
from explorer.text.say import Say
from explorer.views.compare.aligned import Aligned, aligned
from explorer.views.compare.token_counts import chart_of_rows, rows_say, table_of_rows
from explorer.views.window import WINDOW


@question(lambda alignment: 100_000 + 800 * len(alignment.text), store=Store.MATERIAL)
def alignment_of(request: CompareRequest) -> Alignment:
    """The tokens of all tokenizers, aligned, under the names that people know."""
    encodings = [(spec.title, lazy_trace(*request.of(spec)).encoding) for spec in request.specs.values()]
    return align(request.text, encodings, request.names.index(request.baseline))


class RowsView(NamedTuple):
    """Rows of tokens above each other. part: the span of the text that is drawn; names: of the downloads."""

    say: Say
    part: Span
    drawn: Aligned
    chart: alt.LayerChart | alt.FacetChart
    table: pd.DataFrame
    names: FileNames


@question(lambda view: 200_000 + 2 * len(view.drawn.json))
def rows_view(request: CompareRequest, at: int, stored: bool) -> RowsView:
    """The rows, from code point `at` on. stored: tokens as the vocabularies spell them."""
    alignment, size = alignment_of(request), len(request.text)
    part = Span(at, min(at + WINDOW, size))
    drawn = aligned(
        alignment, [tokenizer(spec) for spec in request.specs.values()], part if size > WINDOW else None, stored
    )
    names = FileNames.of(rows_export(request))
    return RowsView(rows_say(alignment), part, drawn, chart_of_rows(alignment), table_of_rows(alignment), names)


def rows_export(request: CompareRequest) -> Export:
    """The rows as an export, under the names of the command line."""
    alignment = alignment_of(request)
    rows = tuple(replace(row, label=name) for row, name in zip(alignment.rows, request.names, strict=True))
    return alignment_export(provenance_of_all(request), replace(alignment, rows=rows))


@question(len)
def rows_download(request: CompareRequest, ending: str) -> str:
    """The rows as a file."""
    return file_text(rows_export(request), ending)
