"""Compare: a text as it is typed."""

from __future__ import annotations

from explorer.answers.compare import CompareRequest, typing_export, typing_view
from explorer.answers.explore import Request
from explorer.engine.part import Options
from explorer.ui.compare.controls import choose_one
from explorer.ui.compare.downloads import downloads
from explorer.ui.components.comparison import typed_rows
from explorer.ui.frame import Report


def typing_tab(request: CompareRequest, report: Report) -> None:
    """Draws which earlier tokens change while the text is typed."""
    name = choose_one(request, "Type with")
    args = name, Request(request.specs[name], request.text, Options(False, request.options.parse_special))
    report("tokenizing every prefix of the text")
    view = typing_view(*args)
    typed_rows(view.picture, key="typing-rows")
    if request.text:
        downloads(request, view.names, typing_export, *args)
