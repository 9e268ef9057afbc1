"""Compare: a tab's downloads. Each file is written when it is requested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from explorer.analysis.export import Export
from explorer.answers.compare import CompareRequest, FileNames
from explorer.answers.explore import content_id
from explorer.answers.saved import comparison_file
from explorer.ui.components.every_page import LONGEST_LINK, download_buttons, page_button
from explorer.ui.frame import side_by_side
from explorer.ui.parameters import app_url

LABELS: Final = {"json": "JSON", "csv": "CSV", "md": "Markdown"}


def downloads(
    request: CompareRequest, names: FileNames, export: Callable[..., Export], *arguments: Any, saves: int | None = None
) -> None:
    """Draws buttons for JSON, CSV and Markdown, and says what the page's URL leaves out.

    export: called with the arguments when a file is requested, on another thread. saves: where the window of the
    text begins, if the comparison can be saved as a page.
    """
    with st.container(key="section-take-away"), side_by_side():
        download_buttons(export, arguments, LABELS, names, "compare", icon=":material/download:", type="tertiary")
        if saves is not None and len(request.specs) > 1:
            save_page(request, saves)
        if missing := not_in_links(request):
            st.caption(f"A link to this page leaves out {' and '.join(missing)}.")


def save_page(request: CompareRequest, start: int) -> None:
    """Draws the button that saves the rows, and where they part, as a page. start: of the window that is drawn."""
    stored = bool(st.session_state.get("asstored"))
    here = content_id(next(iter(request.specs.values())), (request.names, start), request.text, request.options, stored)
    page_button(lambda: comparison_file(request, start, stored, app_url()), content_id=here, key="comparison_page")


def not_in_links(request: CompareRequest) -> list[str]:
    """What the page's URL doesn't show to somebody else."""
    missing = {
        "the text, which is too long for a link": len(request.typed) > LONGEST_LINK,
        "your own files, which nobody else has": any(spec.private for spec in request.specs.values()),
    }
    return [each for each, is_missing in missing.items() if is_missing]
