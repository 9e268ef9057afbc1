"""clean_up_tokenization_spaces: what `transformers` does to the text once everything else has decoded it.

Follows `PreTrainedTokenizerBase.clean_up_tokenization`. It is like the clean-up of the WordPiece decoder, but for one
rule less, and it looks at the whole text: spaces between tokens go as well.
"""

from __future__ import annotations

from typing import Final

from explorer.engine.decoders.chain import Owned, Tell, joined, substituted
from explorer.engine.decoders.rows import Decode

RULES: Final = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""What loses its spaces, in this order: each rule goes through the text that the one before has left."""


class Tidy:
    """All strings as one, without spaces before punctuation and contractions.

    >>> from explorer.engine.decoders.chain import whole
    >>> [each.data for each in Tidy().run([whole(b"a", 0), whole(b" ", 1), whole(b". it ' s", 2)], lambda *row: None)]
    [b"a. it's"]
    """

    joins = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        for rule in RULES:
            data = data.replace(rule.encode(), rule.replace(" ", "").encode())
        return data

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        text = joined(strings)
        gone: list[int] = []
        for rule in RULES:
            data = rule.encode()
            at = text.data.find(data)
            spaces = []
            while at >= 0:
                spaces += [at + place for place, byte in enumerate(data) if byte == 0x20]
                at = text.data.find(data, at + len(data))
            if spaces:
                gone += [text.owners[space] for space in spaces]
                text = substituted(text, [(space, space + 1) for space in spaces], b"")
        for owner in sorted(set(gone)):
            tell(Decode.TIDIED, owner, gone.count(owner))
        return [text]
