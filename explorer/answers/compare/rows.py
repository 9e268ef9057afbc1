"""Side by side: the tokens of all tokenizers, aligned on the text."""

from __future__ import annotations

from typing import NamedTuple

import altair as alt
import pandas as pd

from explorer.analysis.alignment import Alignment, Span, align
from explorer.analysis.exports.comparisons import alignment_export
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
    """The tokens of all tokenizers, aligned."""
    encodings = [(name, lazy_trace(*request.of(spec)).encoding) for name, spec in request.specs.items()]
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
def rows_view(request: CompareRequest, at: int) -> RowsView:
    """The rows, from code point `at` on."""
    alignment, size = alignment_of(request), len(request.text)
    part = Span(at, min(at + WINDOW, size))
    drawn = aligned(alignment, [tokenizer(spec) for spec in request.specs.values()], part if size > WINDOW else None)
    names = FileNames.of(alignment_export(provenance_of_all(request), alignment))
    return RowsView(rows_say(alignment), part, drawn, chart_of_rows(alignment), table_of_rows(alignment), names)


@question(len)
def rows_download(request: CompareRequest, ending: str) -> str:
    """The rows as a file."""
    return file_text(alignment_export(provenance_of_all(request), alignment_of(request)), ending)
