"""Symbols and tokens as texts for people: real characters instead of a vocabulary's spelling.

`NOTATION` writes ␣ for a space and keeps the vocabulary's ▁; `AS_TEXT` writes · for both. Characters that show nothing
are labels such as ↵ or U+202E (`explorer.text.visible`). Bytes that are not valid UTF-8 alone are hexadecimal, as in
`F0 9F`. `AS_STORED` keeps the vocabulary's spelling, which names malformed bytes as `\\xe8`. Pages show tokens as
text unless the visitor asks for them as stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from explorer.engine.results import Trace
from explorer.engine.unicode.byte_map import bytes_of
from explorer.stages.spelling import How, Spelling, spelling_of_parts
from explorer.text import visible
from explorer.text.visible import visible_words
from explorer.vocabulary import BYTE_PIECE, SPACE_MARK, Vocabulary, spelled


class Form(Enum):
    """How a space is written; None keeps the vocabulary's whole spelling."""

    NOTATION = "␣"
    AS_TEXT = "·"
    AS_STORED = None


ESCAPED_BYTES = re.compile(r"(?:\\x[0-9a-f]{2})+")
"""Malformed bytes as `vocabulary.spelled` writes them."""


class Speller:
    """Spells for one trace.

    >>> import explorer
    >>> speller = Speller(explorer.load("gpt-2").trace(""))
    >>> speller.token(262), speller.token(12520)
    ('␣the', '␣ F0 9F')
    """

    def __init__(self, trace: Trace, form: Form = Form.NOTATION) -> None:
        self.form = form
        self.vocabulary: Vocabulary = trace.encoding.vocabulary
        self.spelling: Spelling = spelling_of_parts([stage.part for stage in trace.stages], self.vocabulary)

    def token(self, id: int) -> str:
        """A token."""
        byte = self.vocabulary.byte_of(id) if self.form != Form.AS_STORED else None
        return self.symbol(self.vocabulary.pieces[id]) if byte is None else f"{byte:02X}"

    def symbol(self, piece: bytes) -> str:
        """A piece, or a symbol that is not one."""
        how, space = self.spelling.how, self.form.value
        if space is None:
            return visible(spelled(piece))
        if how == How.PRINTABLE:
            plain = bytes_of(spelled(piece))
            return plain_bytes(piece if plain is None else plain, space)
        if how == How.RAW:
            return plain_bytes(piece, space)
        if how == How.ESCAPED and self.form == Form.AS_TEXT:
            piece = piece.replace(SPACE_MARK.encode(), b" ")
        byte = BYTE_PIECE.fullmatch(piece)
        return plain_bytes(piece, space) if byte is None else byte[1].decode()

    def stored(self, text: str) -> str:
        """A symbol as a stepper has it: a text in the vocabulary's spelling, malformed bytes written `\\xe8`."""
        if self.form == Form.AS_STORED:
            return visible(text)
        parts = []
        end = 0
        for bytes_ in ESCAPED_BYTES.finditer(text) if self.spelling.how == How.RAW else ():
            parts += [self.symbol(text[end : bytes_.start()].encode()), bytes_[0].replace("\\x", " ").strip().upper()]
            end = bytes_.end()
        return " ".join(filter(None, [*parts, self.symbol(text[end:].encode())]))

    def text(self, text: str) -> str:
        """Text between two stages, before the model."""
        if self.spelling.how == How.PRINTABLE or self.form == Form.AS_TEXT:
            return self.symbol(text.encode())
        return visible(text)


def plain_bytes(data: bytes, space: str = "␣") -> str:
    """Bytes as visible text; what is not valid UTF-8 in hexadecimal. space: how a space is written.

    >>> plain_bytes(b" a"), plain_bytes(b"\\xf0\\x9f"), plain_bytes(b" \\xf0\\x9f"), plain_bytes(b"\\n")
    ('␣a', 'F0 9F', '␣ F0 9F', '↵')
    """

    def text(part: bytes) -> str:
        return space.join(map(visible, part.decode().split(" ")))

    words: list[str] = []
    while data:
        try:
            words.append(text(data))
            break
        except UnicodeDecodeError as error:
            if error.start:
                words.append(text(data[: error.start]))
            words.append(data[error.start : error.end].hex(" ").upper())
            data = data[error.end :]
    return " ".join(words)


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
