"""The events of post-processing, shared by all originals."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class PostProcessEvent(IntEnum):
    """What a `PostProcessRow` says."""

    FIRST = 0
    """A token was added at the beginning."""
    LAST = 1
    """A token was added at the end."""
    TWICE = 2
    """The text itself begins with the token that was added at the beginning."""
    NOT_ASKED = 3
    """The model has such a token, but `add_special` is off."""
    SPARE = 4
    """The original has another option, not `add_special`, that adds this token. `unused` is 1 for a token after the
    text, 0 for one before it."""
    TRIMMED = 5
    """White space at the ends of the token was removed from its span: the file asks for trimmed offsets."""
    AGAIN = 6
    """The template contains the text more than once: this is another copy of the token."""
    LEFT_OUT = 7
    """The template does not contain the text: its tokens are left out. `unused` is how many; token is -1."""
    PRESENT = 8
    """The text itself ends with the token to add at the end, so it is not added."""


class PostProcessRow(NamedTuple):
    """One decision of post-processing."""

    kind: int
    """A `PostProcessEvent`."""
    position: int
    """Index in the ids, -1 for NOT_ASKED, SPARE, LEFT_OUT and PRESENT."""
    unused: int
    """0 except for LEFT_OUT and SPARE."""
    token: int
    """The token's id."""
