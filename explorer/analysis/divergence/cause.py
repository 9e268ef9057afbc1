"""Why one region differs: what every search for a cause returns."""

from __future__ import annotations

from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.kinds import DifferenceKind

TokenRanges = tuple[range, range]
"""For each side the tokens of a region, as indices into the model's output."""


class Cause(NamedTuple):
    """Why a region differs: the stage, the kind, the span, and for each side its stage, text, words and event.

    events: None where `TextEvents` has to find them by span. token: the special token that differs. is_plain: whether
    the texts are the characters at the span and not a list of pieces.
    """

    stage: str
    kind: DifferenceKind
    spot: Span
    stages: tuple[int | None, int | None]
    texts: tuple[str, str]
    does: tuple[str, str]
    events: tuple[int | None, int | None] | None = None
    token: int | None = None
    is_plain: bool = False
