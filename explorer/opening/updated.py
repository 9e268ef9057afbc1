"""A bundled tokenizer.json whose maker has changed one section since: the choice between both.

Meta published Llama 3's tokenizer.json with a post-processor that adds nothing, and replaced it within two weeks. The
bundled file is the first one; `post_processor=updated` puts the later section in its place.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from explorer.errors import InputError, shown
from explorer.facts import Choosable, Fact
from explorer.opening.formats import Choices, open_bytes
from explorer.origin import File

if TYPE_CHECKING:
    from explorer.implementations.opened import Opened

KEY: Final = "post_processor"
"""The key of the choice."""
FIRST, UPDATED = ANSWERS = ("first", "updated")

CHOSEN: Final = "Chosen: the section of the maker's file as it is now, in place of the one in the bundled file."

SECTION: Final = re.compile(rb'"post_processor": \{[^{}]*\}')
"""The section of the bundled file, which has no objects within it."""


def open_updated(name: str, updated: str, note: str, data: bytes, choices: Choices, file: File) -> Opened:
    """The tokenizer with its file's section, or with the updated one. Raises InputError for an unknown answer.

    updated: that section, as JSON. note: what distinguishes the file from the maker's.

    >>> import explorer
    >>> explorer.load("llama-3").encode("a").ids, explorer.load("llama-3", post_processor="updated").encode("a").ids
    ([64], [128000, 64])
    """
    answer = choices.get(KEY, FIRST)
    if answer not in ANSWERS:
        raise InputError(f"{name}: {KEY} is {shown(answer)}; known answers are {', '.join(ANSWERS)}")
    if answer == UPDATED:
        data, count = SECTION.subn(lambda _: f'"{KEY}": {updated}'.encode(), data)
        assert count == 1, f"{file.name} has one such section"
    made = open_bytes(data, name, "huggingface", choices, file)
    choice = Choosable(KEY, "The post-processor of the maker's file", ANSWERS, answer)
    says = note if answer == FIRST else CHOSEN
    return replace(made, choosable=(*made.choosable, choice), facts=(*made.facts, Fact("post-processor", says)))
