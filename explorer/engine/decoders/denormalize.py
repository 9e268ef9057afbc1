"""Denormalization: applies a second character map to the decoded text, as sentencepiece does.

A model may contain that map as its `denormalizer_spec`, to undo what the normalizer did to the training text. It is
applied to the whole text at the very end (`SentencePieceProcessor::Decode`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow
from explorer.engine.items import Segment
from explorer.engine.normalizers.charsmap.stage import CharsmapNormalization
from explorer.engine.part import Decoder
from explorer.engine.trace import Emit, silent

_MALFORMED_BYTE = re.compile("[\udc80-\udcff]")


class DenormalizingDecoder:
    """A decoder whose text is then normalized as a whole.

    Which bytes belong to which token is ambiguous then: rewritten text is attributed to the token it begins in.

    >>> from explorer.engine.decoders.sentencepiece import SentencePieceDecoder
    >>> from explorer.engine.normalizers.charsmap.white_space import Whitespace
    >>> from explorer.vocabulary import Vocabulary
    >>> v = Vocabulary.of([b"a", "▁ ▁b".encode()])
    >>> one_space = CharsmapNormalization(None, Whitespace(add_dummy_prefix=False, escape_whitespaces=False))
    >>> DenormalizingDecoder(SentencePieceDecoder(v, b""), one_space).run([0, 1], True, True, lambda *row: None)
    [b'a', b' b']
    """

    row = DecodeRow

    def __init__(self, decoder: Decoder, normalization: CharsmapNormalization) -> None:
        self.decoder, self.normalization = decoder, normalization

    def alone(self, id: int) -> bytes:
        """The bytes without the denormalizer, which rewrites whole texts only."""
        return self.decoder.alone(id)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes attributed to each token, one entry per id."""
        parts = self.decoder.run(ids, remove_special, unparse_special, emit)
        owner = [position for position, part in enumerate(parts) for _ in part]
        # each malformed byte becomes U+FFFD, as when sentencepiece reads its own text
        text = b"".join(parts).decode("utf-8", "surrogateescape")
        offsets = [0]
        for ch in text:
            offsets.append(offsets[-1] + len(ch.encode("utf-8", "surrogateescape")))
        text = _MALFORMED_BYTE.sub("\ufffd", text)
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
