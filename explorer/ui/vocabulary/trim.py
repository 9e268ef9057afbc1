"""The Vocabulary page's *Trim* and *Extend*: languages to keep for, the curve with its slider, what a size changes.

The curve is computed size by size, with a line of progress; the browser has all of it, so its slider asks for no more
than the tokens, names and ids of the size at which it rests, and what was proved of it. The files are a download.
"""

import streamlit as st

from explorer.answers.offers import TokenizerSpec
from explorer.answers.trim import Aim, cut_view, files_of, point_of, sizes_of
from explorer.corpus.sample import sample_texts
from explorer.errors import InputError
from explorer.tables import Record
from explorer.ui.components.every_page import number_in, register, reported, whole
from explorer.ui.frame import choose_tab, progress_line, show_error, side_by_side
from explorer.ui.language import language_name, words
from explorer.ui.parameters import context

KEPT = ("English", "German", "Turkish", "Ukrainian", "Python code")
"""Kept for at first."""
MOST_LANGUAGES = 12
TEXT = "İnsanlar özgür doğar. 所有人"
"""The text before and after at first."""
LONGEST = 400
USUAL = 1 << 14
"""The size at first."""

_draw_trim = register("trim")


def draw_trim(spec: TokenizerSpec) -> None:
    """Draws the section."""
    with side_by_side("bottom", key="trim-bar"):
        extends = choose_tab("What is done", ("Trim", "Extend"), key="way") == "Extend"
        languages = st.multiselect(words("Learned from" if extends else "Kept for"), [*sample_texts()], KEPT,
                                   key="trim-for", format_func=language_name,
                                   max_selections=MOST_LANGUAGES)  # fmt: skip
    if not languages:
        return
    aim = Aim(spec.without_pattern, tuple(languages), extends)
    room = st.empty()
    with side_by_side("bottom", key="trim-end"):
        text = st.text_input(words("Text before and after"), (context().own_text or TEXT)[:LONGEST], key="trim-text",
                             max_chars=LONGEST)  # fmt: skip
        end = st.container(width="content")
    try:
        with room:
            data = curve(aim)
        known = number_in(reported("trim", "size")), whole(st.query_params.get("trim-size", "")), USUAL
        given = next(each for each in known if each is not None)
        size = min(data["sizes"], key=lambda each: abs(each - given))
        view = cut_view(aim, size, text) if size else None
        with room:
            _draw_trim(key="trim", data={**data, "size": size, "text": text, "view": view})
    except InputError as error:
        show_error(error, "This can't be written.")
        return
    if size:
        end.download_button(
            words("All files as zip"), files_of.deferred(aim, size), f"{aim.spec.offer.name}-{size}.zip",
            "application/zip", on_click="ignore",
        )  # fmt: skip


def curve(aim: Aim) -> Record:
    """What every size costs, computed with a line of progress. Raises InputError."""
    sizes, report, points = (0, *sizes_of(aim)), progress_line(), []
    for number, size in enumerate(sizes, 1):
        report(words("writing a vocabulary of every size, {0} of {1}", number, len(sizes)))
        points.append(point_of(aim, size))
    return {
        "extends": aim.extends, "sizes": sizes, "points": points,
        "count": len(aim.languages), "groups": [*map(language_name, aim.groups)],
    }  # fmt: skip
