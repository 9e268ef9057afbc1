"""Compare: each switch of a tokenizer, flipped."""

from __future__ import annotations

from explorer.answers.compare import (
    CompareRequest,
    flip_one,
    variations_of,
    what_if_export,
    what_if_names,
    what_if_view,
)
from explorer.ui.compare.controls import choose_one, follow, tokenize_all
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.comparison import framed_rows
from explorer.ui.frame import Report, reporting


def what_if_tab(request: CompareRequest, report: Report) -> None:
    """Draws a row for each switch of a tokenizer: the tokens it changes."""
    name = choose_one(request, "Flip the switches of")
    spec = request.specs[name]
    asked = request.of(spec)
    tokenize_all(request, report, (spec,))
    for variation in reporting(
        variations_of(asked), report, lambda each: f"flipping “{each.spec or each.switch.value}”"
    ):
        flip_one(asked, variation)
    report("aligning the rows")
    view = what_if_view(name, asked)
    framed_rows(view.frame, view.drawn, key="flips", names=request.names, on_go=follow("flips"))
    downloads(request, what_if_names(name, asked), what_if_export, name, asked)
