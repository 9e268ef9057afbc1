"""Text that a vocabulary has no pieces for and no unknown token either: there its original stops, and so do we.

A file may name an unknown token that its model does not have. It opens in its original and runs, until such a token
is needed.
"""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.errors import InputError, shown


def needed(unknown: int | None, of: Segment) -> int:
    """The unknown token, which is to stand for a text. Raises InputError where there is none.

    >>> needed(None, Segment.of("xy", 4))
    Traceback (most recent call last):
    explorer.errors.InputError: character 5: the model has no pieces for 'xy' and no unknown token to stand for it; \
leave it out
    """
    if unknown is None:
        raise missing(of.text, of.starts[0])
    return unknown


def missing(text: str, at: int | None = None) -> InputError:
    """at: where the text stands, from 0, if that is known."""
    where = "" if at is None else f"character {at + 1}: "
    return InputError(
        f"{where}the model has no pieces for {shown(text)} and no unknown token to stand for it; leave it out"
    )
