"""The index of a tokenizer's vocabulary, computed once per tokenizer."""

from __future__ import annotations

from threading import Lock
from typing import Final

from explorer.analysis.divergence.spelling import spelling_of
from explorer.analysis.vocabulary.code_point_index import indexed
from explorer.analysis.vocabulary.vocabulary_index import VocabularyIndex as VocabularyIndex
from explorer.analysis.vocabulary.vocabulary_index import columns
from explorer.engine.limits import budget
from explorer.engine.limits.budget import asking
from explorer.engine.models.code_point_pieces import CodePointPieces
from explorer.implementations.opened import Opened

SECONDS: Final = 30.0
"""Processor time that an index may take."""


def index_of(tokenizer: Opened) -> VocabularyIndex:
    """The index of a tokenizer, the same one each time. Raises InputError if it takes too long.

    >>> import explorer
    >>> index = index_of(explorer.load("gpt-2"))
    >>> index.data[262], index.classes[262].value, index.scripts[262]
    (b' the', 'start of a word', 'Latin')
    >>> index.facets["kind"]["part of a character"].bit_count()
    344
    """
    with _lock:
        # on the tokenizer itself, so that both are freed together
        found: VocabularyIndex | None = tokenizer.__dict__.get(KEPT)
        if found is None:
            with budget.within("this vocabulary", SECONDS):
                found = tokenizer.__dict__[KEPT] = built(tokenizer)
        return found


KEPT: Final = "vocabulary_index"
_lock = Lock()


def built(tokenizer: Opened) -> VocabularyIndex:
    """Computes an index."""
    if isinstance(tokenizer.vocabulary.pieces, CodePointPieces):
        return indexed(tokenizer)
    spelling, ids = spelling_of(tokenizer), asking(range(len(tokenizer.vocabulary)), "the index")
    return VocabularyIndex(tokenizer, spelling, *columns(spelling, tokenizer, ids))
