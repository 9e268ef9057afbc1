"""The decoder for clean_up_tokenization_spaces: what `transformers` does to the text after all decoders.

Follows `PreTrainedTokenizerBase.clean_up_tokenization`. It has one rule less than the clean-up of the WordPiece decoder
and sees the whole text, so spaces between tokens go, too.
"""

from __future__ import annotations

from typing import Final

from explorer.engine.decoders.attributed_bytes import AttributedBytes, joined, substituted
from explorer.engine.decoders.chain import StepEmit
from explorer.engine.decoders.rows import DecodeEvent

RULES: Final = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""The strings that lose their spaces. Each rule runs over the text that the rules before it left."""


class TidyDecoder:
    """Joins all strings and drops spaces before punctuation and contractions.

    >>> from explorer.engine.decoders.attributed_bytes import attributed
    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b" ", b". it ' s"))]
    >>> [each.data for each in TidyDecoder().run(strings, lambda *row: None)]
    [b"a. it's"]
    """

    fuses = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The token's string without those spaces."""
        for rule in RULES:
            data = data.replace(rule.encode(), rule.replace(" ", "").encode())
        return data

    def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
        """All strings as one, without those spaces."""
        text = joined(strings)
        dropped: list[int] = []
        for rule in RULES:
            data = rule.encode()
            at = text.data.find(data)
            spaces = []
            while at >= 0:
                spaces += [at + offset for offset, byte in enumerate(data) if byte == 0x20]
                at = text.data.find(data, at + len(data))
            if spaces:
                dropped += [text.owners[space] for space in spaces]
                text = substituted(text, [(space, space + 1) for space in spaces], b"")
        for owner in sorted(set(dropped)):
            emit(DecodeEvent.TIDIED, owner, dropped.count(owner))
        return [text]
