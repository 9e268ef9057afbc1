"""The tokenizers compared, as chips: a click chooses one for the question at hand, × removes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import streamlit as st

from explorer.ui.components.assets import register

_mount = register("explorer_tokenizer_chips", "tokenizer_chips", js=["tokenizer_chips.js"], css=["tokenizer_chips.css"])


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

    def reported(part: str, act: Callable[[str], None]) -> Callable[[], None]:
        def run() -> None:
            name = (state.get(key) or {}).get(part)
            if isinstance(name, str) and name in titles:
                act(name)

        return run

    data = {"chips": list(titles.items()), "chosen": None if chosen is None else list(chosen)}
    _mount(key=key, data=data, width="content", on_choose_change=reported("choose", on_choose),
           on_remove_change=reported("remove", on_remove))  # fmt: skip
