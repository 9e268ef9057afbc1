"""Rows of tokens above each other, aligned on the characters of the text.

The browser part (`aligned/`) breaks the blocks that `explorer/views/compare/aligned.py` lays out into lines, and
repeats the rows' names on each line. Pointing at a token marks the same piece of text in every row and in every other
component of the page. Leaves out deciding what to show, and measuring: block widths are estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from explorer.text.say import Say
from explorer.ui.components.assets import mounted
from explorer.views.compare.aligned import Aligned
from explorer.views.components import ALIGNED

_mount = mounted("explorer_aligned", ALIGNED)


def aligned_rows(
    drawn: Aligned,
    say: Say | None = None,
    parting: Mapping[str, Any] | None = None,
    *,
    key: str,
    names: Sequence[str] = (),
    on_go: Callable[[], None] = lambda: None,
    on_border: Callable[[], None] | None = None,
) -> None:
    """Draws the sentence, the grid, and where the rows part most. The browser redraws a grid only if its id differs.

    names: of the rows' tokenizers in URLs (`TokenizerSpec.name`), for links to the dossiers of their tokens and to the
    step where two of them part. on_go: called after a click on that; `go` then has the parameters it changes, as JSON.
    on_border: called after a click on Border; None: the rows have none.

    >>> aligned_rows(grid, say, parting_of(alignment), key="rows")      # doctest: +SKIP
    """
    said = None if say is None else say._asdict()
    _mount(
        key=key,
        data={"rows": drawn.json, "rows_id": drawn.id, "say": said, "parting": parting, "specs": list(names),
              "border": on_border is not None},
        on_go_change=on_go,
        on_border_change=on_border or (lambda: None),
    )  # fmt: skip


def framed_rows(
    frame: Mapping[str, Any],
    drawn: Aligned | None = None,
    *,
    key: str,
    names: Sequence[str] = (),
    on_go: Callable[[], None] = lambda: None,
) -> None:
    """Draws rows in the order given, and around them what `frame` holds: sentences, notes, links, lists.

    frame: `said` and `note`, the lines above the card (`views.compare.line.Line.data`); `head`, what the first row is;
    `link`, a button that leads to another tab; more in `aligned/frame.js`. What is clicked in a list of ids is reported
    as `use`: its number, and a number that changes with each click. names: of the page's tokenizers, which a link to
    one more needs. on_go: as in `aligned_rows`.
    """
    rows = {"rows": None, "rows_id": ""} if drawn is None else {"rows": drawn.json, "rows_id": drawn.id}
    _mount(
        key=key,
        data={**rows, "frame": dict(frame), "specs": [], "names": list(names)},
        on_use_change=lambda: None,
        on_go_change=on_go,
    )
