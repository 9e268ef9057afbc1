"""Several tokenizers beside each other: aligned rows, rows while typing, where two part, dots for languages.

The browser parts (`aligned/`, `parting/`, `premiums/`, `tokenizer_chips/`) get everything at once, so most clicks ask
nobody; each writes its choice to the URL. Pointing at a token marks the same piece of text in every row and in every
other component of the page. Leaves out deciding what to show and every number (`explorer/views/compare`), and
measuring: the widths of blocks are estimates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from explorer.analysis.export import short_hash
from explorer.text.say import Say
from explorer.ui.components.every_page import register, reported, text_in, whole
from explorer.views.compare.aligned import Aligned
from explorer.views.compare.parting import Parting
from explorer.views.components import ALIGNED, EMBLEM, PARTING, PICTURE, Component

_draw_aligned = register(ALIGNED, "go", "border", "use")
_draw_typed = register(
    Component("aligned", f"{PICTURE} frame.js stairs.js",
              "../picture/button.css aligned.css stairs.css", constants={"EMBLEM": EMBLEM}),
    name="stairs",
)  # fmt: skip
_draw_parting = register(PARTING, "place")
_draw_chips = register(Component("tokenizer_chips", "tokenizer_chips.js", "tokenizer_chips.css"))
_draw_premiums = register(
    Component("premiums", f"{PICTURE} dots.js blocks.js premiums.js",
              "../picture/button.css premiums.css", constants={"EMBLEM": EMBLEM}),
)  # fmt: skip


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
    _draw_aligned(
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
    data = {**rows, "frame": dict(frame), "specs": [], "names": list(names)}
    _draw_aligned(key=key, data=data, on_go_change=on_go)


def typed_rows(picture: Mapping[str, Any], *, key: str) -> None:
    """Draws the rows of `views.compare.typing.typing_picture`.

    >>> typed_rows(typing_picture(stability, speller, "GPT-2"), key="typing-rows")     # doctest: +SKIP
    """
    _draw_typed(key=key, data=dict(picture))


def parting(drawn: Parting, *, key: str) -> None:
    """Draws where two tokenizers part: their stages, the text with a mark at each place, and one place."""
    _draw_parting(key=key, data=drawn._asdict())


def place_tokens(tokens: Sequence[Sequence[Any]], *, key: str) -> None:
    """Draws the tokens that a side makes of the place. tokens: of `views.compare.parting.tokens_of`."""
    _draw_parting(key=key, data={"tokens": list(tokens), "content_id": repr(tokens)})


def chosen_place(key: str, content_id: str) -> int | None:
    """The place that was clicked in this content, None if none was. Call it before drawing.

    The browser reports `CONTENT_ID PLACE`, or anything.
    """
    of, _, number = text_in(reported(key, "place"), 90).partition(" ")
    return whole(number) if of == content_id else None


def tokenizer_chips(
    titles: Mapping[str, str],
    chosen: Collection[str] | None,
    *,
    key: str,
    on_choose: Callable[[str], None],
    on_remove: Callable[[str], None],
) -> None:
    """Draws a chip for each name. titles: by name. chosen: the names that the question is about; None if about all.

    on_choose, on_remove: called with a name, before the page runs again.

    >>> tokenizer_chips({"gpt-2": "GPT-2"}, None, key="chips", on_choose=print, on_remove=print)   # doctest: +SKIP
    """
    state = st.session_state

    def acting(part: str, act: Callable[[str], None]) -> Callable[[], None]:
        def run() -> None:
            name = (state.get(key) or {}).get(part)
            if isinstance(name, str) and name in titles:
                act(name)

        return run

    data = {"chips": list(titles.items()), "chosen": None if chosen is None else list(chosen)}
    _draw_chips(
        key=key, data=data, width="content", on_choose_change=acting("choose", on_choose),
        on_remove_change=acting("remove", on_remove),
    )  # fmt: skip


def premiums(picture: Mapping[str, Any], *, key: str) -> None:
    """Draws the sentence, the dots, and the chosen language in tokens. picture: of `views.premiums.picture`.

    >>> premiums(picture(found, sample), key="premiums")  # doctest: +SKIP
    """
    _draw_premiums(key=key, data={"picture": dict(picture), "content_id": short_hash(repr(picture))})
