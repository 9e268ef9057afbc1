"""The events of post-processing, whichever original runs it."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class PostProcessEvent(IntEnum):
    """What a `PostProcessRow` says."""

    FIRST = 0
    """A token was added in front."""
    LAST = 1
    """A token was added behind."""
    TWICE = 2
    """The text itself begins with the token that was added in front."""
    NOT_ASKED = 3
    """The model has such a token, but `add_special` is off."""
    SPARE = 4
    """The original has an option that adds this token; `add_special` does not stand for it. `unused` is 1 for one that
    would go behind the text, 0 in front."""
    TRIMMED = 5
    """White space at the ends of the token is no part of its span any more: the file asks for trimmed offsets."""
    AGAIN = 6
    """The template holds the text more than once: the token is there another time."""
    LEFT_OUT = 7
    """The template does not hold the text: its tokens are left out. `unused` is how many; token is -1."""


class PostProcessRow(NamedTuple):
    """One decision of the post-processing."""

    kind: int
    """A `PostProcessEvent`."""
    position: int
    """Where in the ids, -1 for NOT_ASKED, SPARE and LEFT_OUT."""
    unused: int
    """0 but for LEFT_OUT and SPARE."""
    token: int
    """The token's id."""
