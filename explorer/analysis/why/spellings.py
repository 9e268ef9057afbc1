"""Symbols and tokens as texts for people: real characters instead of a vocabulary's spelling.

A space is ␣, and where the vocabulary writes ▁, that stays. Characters that show nothing are labels such as ↵ or U+202E
(`explorer.text.visible`). Bytes that are not valid UTF-8 alone are hexadecimal, as in `F0 9F`.
"""

from __future__ import annotations

from explorer.analysis.divergence.spelling import How, Spelling, spelling_of_parts
from explorer.engine.tokenizer import Trace
from explorer.engine.unicode.byte_map import bytes_of
from explorer.text import visible
from explorer.vocabulary import BYTE_PIECE, Vocabulary, spelled


class Speller:
    """Spells for one trace.

    >>> import explorer
    >>> speller = Speller(explorer.load("gpt-2").trace(""))
    >>> speller.token(262), speller.token(12520)
    ('␣the', '␣ F0 9F')
    """

    def __init__(self, trace: Trace) -> None:
        self.vocabulary: Vocabulary = trace.encoding.vocabulary
        self.spelling: Spelling = spelling_of_parts([stage.part for stage in trace.stages], self.vocabulary)

    def token(self, id: int) -> str:
        """A token."""
        byte = self.vocabulary.byte_of(id)
        return self.symbol(self.vocabulary.pieces[id]) if byte is None else f"{byte:02X}"

    def symbol(self, piece: bytes) -> str:
        """A piece, or a symbol that is not one."""
        how = self.spelling.how
        if how == How.PRINTABLE:
            plain = bytes_of(spelled(piece))
            return plain_bytes(piece if plain is None else plain)
        if how == How.RAW:
            return plain_bytes(piece)
        byte = BYTE_PIECE.fullmatch(piece)
        return plain_bytes(piece) if byte is None else byte[1].decode()

    def text(self, text: str) -> str:
        """Text between two stages, before the model."""
        return self.symbol(text.encode()) if self.spelling.how == How.PRINTABLE else visible(text)


def plain_bytes(data: bytes) -> str:
    """Bytes as visible text, with ␣ for a space; what is not valid UTF-8 in hexadecimal.

    >>> plain_bytes(b" a"), plain_bytes(b"\\xf0\\x9f"), plain_bytes(b" \\xf0\\x9f"), plain_bytes(b"\\n")
    ('␣a', 'F0 9F', '␣ F0 9F', '↵')
    """
    words: list[str] = []
    while data:
        try:
            words.append(visible(data.decode()))
            break
        except UnicodeDecodeError as error:
            if error.start:
                words.append(visible(data[: error.start].decode()))
            words.append(data[error.start : error.end].hex(" ").upper())
            data = data[error.end :]
    return " ".join(words)
