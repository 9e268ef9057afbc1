"""Errors for text without pieces in a vocabulary without an unknown token: the original stops there, and so does this.

A file may name an unknown token that its model does not have. The original opens it and runs until such a token is
needed.
"""

from __future__ import annotations

from explorer.engine.items import Segment
from explorer.errors import InputError, shown
from explorer.vocabulary import Vocabulary


def in_vocabulary(vocabulary: Vocabulary, unknown: int | None) -> int | None:
    """The id of the unknown token, unchanged. Raises InputError for one that is not in the vocabulary.

    >>> in_vocabulary(Vocabulary.of([b"<unk>"]), 1)
    Traceback (most recent call last):
    explorer.errors.InputError: the unknown token 1 is not in this vocabulary of 1; repair the file
    """
    if unknown is not None and not 0 <= unknown < len(vocabulary):
        raise InputError(f"the unknown token {unknown} is not in this vocabulary of {len(vocabulary)}; repair the file")
    return unknown


def needed(unknown: int | None, of: Segment) -> int:
    """The unknown token for a text. Raises InputError if it is missing.

    >>> needed(None, Segment.of("xy", 4))
    Traceback (most recent call last):
    explorer.errors.InputError: character 5: the model has no pieces for 'xy' and no unknown token; remove it
    """
    if unknown is None:
        raise missing(of.text, of.starts[0])
    return unknown


def missing(text: str, at: int | None = None) -> InputError:
    """The error for a text without pieces. at: the index of its first character, if known."""
    where = "" if at is None else f"character {at + 1}: "
    return InputError(f"{where}the model has no pieces for {shown(text)} and no unknown token; remove it")
