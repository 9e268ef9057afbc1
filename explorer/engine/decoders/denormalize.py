"""Denormalization: a decoded text goes through a character map once more, as in sentencepiece.

A model may carry a second map, its `denormalizer_spec`, which is to undo what the normalizer did to the training text.
It is applied to the whole text when everything else is done (`SentencePieceProcessor::Decode`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow
from explorer.engine.items import Segment
from explorer.engine.normalizers.charsmap.stage import CharsmapNormalization
from explorer.engine.part import Decoder
from explorer.engine.trace import Emit, silent

_NO_UTF8 = re.compile("[\udc80-\udcff]")


class Denormalizing:
    """A decoder whose whole text is then normalized.

    What one token gives can no longer be emit_change for sure: what is rewritten is put down to the token it begins in.

    >>> from explorer.engine.decoders.sentencepiece import SentencePieceDecoder
    >>> from explorer.engine.normalizers.charsmap.white_space import Whitespace
    >>> from explorer.vocabulary import Vocabulary
    >>> v = Vocabulary.of([b"a", "▁ ▁b".encode()])
    >>> one_space = CharsmapNormalization(None, Whitespace(add_dummy_prefix=False, escape_whitespaces=False))
    >>> Denormalizing(SentencePieceDecoder(v, b""), one_space).run([0, 1], True, True, lambda *row: None)
    [b'a', b' b']
    """

    row = DecodeRow

    def __init__(self, decoder: Decoder, normalization: CharsmapNormalization) -> None:
        self.decoder, self.normalization = decoder, normalization

    def alone(self, id: int) -> bytes:
        """As without the denormalizer, which rewrites whole texts only."""
        return self.decoder.alone(id)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes put down to each token, one entry an id."""
        parts = self.decoder.run(ids, remove_special, unparse_special, emit)
        owner = [position for position, part in enumerate(parts) for _ in part]
        # a byte that is no UTF-8 is one U+FFFD, as sentencepiece reads its own text
        text = b"".join(parts).decode("utf-8", "surrogateescape")
        offsets = [0]
        for ch in text:
            offsets.append(offsets[-1] + len(ch.encode("utf-8", "surrogateescape")))
        text = _NO_UTF8.sub("\ufffd", text)
        made = [bytearray() for _ in parts]
        if text:
            rewritten = self.normalization.apply(Segment.of(text), silent)
            for ch, start, end in zip(rewritten.text, rewritten.starts, rewritten.ends, strict=True):
                data, owners = ch.encode(), owner[offsets[start] : offsets[end]]
                if ch != text[start:end] or len(owners) != len(data):
                    owners = [owner[min(offsets[start], len(owner) - 1)]] * len(data)
                for byte, position in zip(data, owners, strict=True):
                    made[position].append(byte)
        for position, (before, after) in enumerate(zip(parts, made, strict=True)):
            if before != after:
                emit(DecodeEvent.DENORMALIZED, position, len(after), ids[position])
        return [bytes(part) for part in made]
