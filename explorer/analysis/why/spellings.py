"""Symbols and tokens as texts for people: real characters instead of a vocabulary's spelling.

A space of a vocabulary that stores plain or printable bytes is ␣; where the vocabulary writes ▁, that stays. Bytes that
are not valid UTF-8 alone are hexadecimal, as in `F0 9F`.
"""

from __future__ import annotations

from explorer.analysis.divergence.spelling import How, Spelling, spelling_of_parts
from explorer.engine.tokenizer import Trace
from explorer.engine.unicode.byte_map import bytes_of
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
            return piece.decode("utf-8", "replace") if plain is None else plain_bytes(plain)
        if how == How.RAW:
            return plain_bytes(piece)
        byte = BYTE_PIECE.fullmatch(piece)
        return spelled(piece) if byte is None else byte[1].decode()

    def text(self, text: str) -> str:
        """Text between two stages, before the model."""
        return self.symbol(text.encode())


def plain_bytes(data: bytes) -> str:
    """Bytes as text with ␣ for a space; what is not valid UTF-8 in hexadecimal.

    >>> plain_bytes(b" a"), plain_bytes(b"\\xf0\\x9f"), plain_bytes(b" \\xf0\\x9f")
    ('␣a', 'F0 9F', '␣ F0 9F')
    """
    try:
        return data.decode().replace(" ", "␣")
    except UnicodeDecodeError:
        pass
    parts: list[str] = []
    at = 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                parts.append(data[at : at + size].decode().replace(" ", "␣"))
            except UnicodeDecodeError:
                continue
            break
        else:
            size = 1
            parts.append(f"{data[at]:02X}")
        at += size
    words: list[str] = []
    was_text = False
    for part in parts:
        is_text = len(part) == 1
        if is_text and was_text:
            words[-1] += part
        else:
            words.append(part)
        was_text = is_text
    return " ".join(words)
