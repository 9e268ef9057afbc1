"""Tokens as text, the default of every page, or as the vocabulary stores them.

As text, a space is ·, a character is itself, and bytes that aren't a character alone are hexadecimal: `·café`, `F0 9F`.
As stored, they are spelled as in the vocabulary: `ĠcafÃ©`, `▁café`, `\\xe8`. What a tokenizer's spelling means is known
by `analysis.why.spellings`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from explorer.analysis.why import Form, Speller
from explorer.engine.results import Trace
from explorer.text.visible import visible, visible_words
from explorer.vocabulary import Vocabulary


def speller_of(trace: Trace, stored: bool) -> Speller:
    """Spells the tokens of a trace. stored: as the vocabulary does."""
    return Speller(trace, Form.AS_STORED if stored else Form.AS_TEXT)


@dataclass(frozen=True, eq=False, repr=False)
class ShownVocabulary(Vocabulary):
    """A vocabulary whose `spelling` is what a page shows; all else is as it was."""

    token: Callable[[int], str] = str

    def spelling(self, id: int) -> str:
        """A token as it is shown."""
        return self.token(id)


def shown_vocabulary(trace: Trace, stored: bool) -> Vocabulary:
    """The vocabulary of a trace for a page.

    >>> import explorer
    >>> trace = explorer.load("gpt-2").trace("")
    >>> [shown_vocabulary(trace, stored).spelling(262) for stored in (False, True)]
    ['·the', 'Ġthe']
    >>> shown_vocabulary(explorer.load("rwkv-world").trace(""), False).spelling(200)
    'C7'
    """
    vocabulary = trace.encoding.vocabulary
    if stored:
        return vocabulary
    pieces, scores, kinds, ids = vocabulary.pieces, vocabulary.scores, vocabulary.kinds, vocabulary.ids
    return ShownVocabulary(pieces, scores, kinds, ids, speller_of(trace, stored).token)


def shown_text(vocabulary: Vocabulary, id: int) -> str:
    """A token of such a vocabulary with every character visible; between bytes in hexadecimal the spaces stay.

    >>> import explorer
    >>> trace = explorer.load("gpt-2").trace("")
    >>> shown_text(shown_vocabulary(trace, False), 12520), shown_text(explorer.load("cl100k_base").vocabulary, 262)
    ('· F0 9F', '␣␣␣')
    """
    show = visible_words if isinstance(vocabulary, ShownVocabulary) else visible
    return show(vocabulary.spelling(id))
