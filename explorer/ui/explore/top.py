"""The text in its tokens, the row of stages, and the answer to what was asked there: on Explore and beside a card."""

from __future__ import annotations

from collections.abc import Mapping

from explorer.answers.explore import ExploreView, why_of
from explorer.ui.components import overview


def draw_top(
    view: ExploreView,
    key: str,
    *,
    hint: str = "",
    opens: str = "",
    leaves: Mapping[str, str] | None = None,
    name: str = "",
) -> None:
    """Draws the top of a view. key: of the component. hint: what to look for. The rest as for `overview`."""
    asked, answer = overview.question(key, view.id), None
    if asked is not None:
        card = why_of(view.request, view.window.start, view.stored, *asked)
        answer = card and {**card, "of": f"{asked.kind} {asked.number} {view.id}"}
    overview.overview(
        view.pieces, [node._asdict() for node in view.nodes], focus=view.focus, content_id=view.id, key=key,
        ids=str(view.ids), outside=(view.window.first, len(view.ids) - view.window.last), asked=view.asked,
        answer=answer, hint=hint, opens=opens, leaves=leaves, name=name,
    )  # fmt: skip
