"""Decodes as sentencepiece's `DecodeIds`: pieces joined, ▁ as a space, bytes joined to characters.

Unlike llama.cpp, it never writes control pieces; it writes the unknown piece as its surface (` ⁇ ` unless the model
sets another one) and each byte that is not part of a valid character as U+FFFD; and with remove_extra_whitespaces it
strips the leading ▁ from every piece until something is written.

A model may contain a second character map as its `denormalizer_spec`, to undo what the normalizer did to the training
text. It is applied to the whole text at the very end (`SentencePieceProcessor::Decode`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from explorer.engine.decoders.rows import DecodeEvent, DecodeRow, check_ids
from explorer.engine.items import Segment
from explorer.engine.limits.length import LengthBudget
from explorer.engine.normalizers.charsmap.stage import CharsmapNormalization
from explorer.engine.part import Decoder
from explorer.engine.trace import Emit, silent
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary

_SPACE = SPACE_MARK.encode()
REPLACEMENT = "\ufffd".encode()


class SentencePieceDecoder:
    """Decodes ids to bytes.

    strip_space: strip the ▁ at the very beginning (the model adds a dummy prefix or removes extra white space).
    strip_all: and continue until something is written (it removes extra white space).

    >>> v = Vocabulary.of(["<unk>".encode(), "▁Hi".encode(), b"<0xC3>", b"<0xA9>"], kinds=[2, 1, 6, 6])
    >>> SentencePieceDecoder(v, " ⁇ ".encode()).run([1, 0, 2, 3, 2], True, True, lambda *row: None)[1:]
    [b' \\xe2\\x81\\x87 ', b'\\xc3', b'\\xa9', b'\\xef\\xbf\\xbd']
    """

    row = DecodeRow

    def __init__(
        self,
        vocabulary: Vocabulary,
        unknown_surface: bytes,
        *,
        strip_space: bool = True,
        strip_all: bool = False,
        first: int | None = None,
        last: int | None = None,
    ) -> None:
        self.vocabulary, self.unknown_surface = vocabulary, unknown_surface
        self.strip_space, self.strip_all = strip_space, strip_all
        self.first, self.last = first, last

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space, its byte, or the unknown token's surface; nothing for a control piece."""
        piece, kind = self.vocabulary.pieces[id], self.vocabulary.kinds[id]
        if kind == PieceKind.CONTROL:
            return b""
        byte = self.vocabulary.byte_of(id)
        if byte is not None:
            return bytes([byte])
        return self.unknown_surface if kind == PieceKind.UNKNOWN else piece.replace(_SPACE, b" ")

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        unknown = sum(self.vocabulary.kinds[id] == PieceKind.UNKNOWN for id in ids)
        LengthBudget.for_ids(len(ids)).check(unknown * len(self.unknown_surface))
        parts: list[bytes] = []
        at_start, stripped = self.strip_space, False
        written = False
        position = 0
        while position < len(ids):
            if self.vocabulary.kinds[ids[position]] == PieceKind.BYTE:
                run = self.bytes_from(ids, position, emit)
                parts += run
                position += len(run)
                written = True
                continue
            if stripped or written:
                at_start = False
            part, stripped = self.piece(ids, position, at_start, remove_special, emit)
            written = written or bool(part)
            parts.append(part)
            position += 1
        return parts

    def piece(
        self, ids: Sequence[int], position: int, at_start: bool, remove_special: bool, emit: Emit
    ) -> tuple[bytes, bool]:
        """The bytes of a token other than a byte token, and whether the leading space is now stripped for good."""
        id = ids[position]
        piece, kind = self.vocabulary.pieces[id], self.vocabulary.kinds[id]
        if kind == PieceKind.CONTROL:
            is_end = (position == 0 and id == self.first) or (position == len(ids) - 1 and id == self.last)
            emit(DecodeEvent.DROP if remove_special and is_end else DecodeEvent.HIDDEN, position, 0, id)
            return b"", False
        if kind == PieceKind.UNKNOWN:
            emit(DecodeEvent.SURFACE, position, len(self.unknown_surface), id)
            return self.unknown_surface, at_start and piece.startswith(_SPACE) and not self.strip_all
        strip = at_start and piece.startswith(_SPACE)
        part = piece.replace(_SPACE, b" ")
        emit(DecodeEvent.PIECE, position, len(part), id)
        if strip:
            emit(DecodeEvent.SPACE, position, 1, id)
            part = part[1:]
        return part, strip and not self.strip_all

    def bytes_from(self, ids: Sequence[int], at: int, emit: Emit) -> list[bytes]:
        """The bytes of the run of byte tokens at `at`; U+FFFD for each that is not part of a valid character."""
        run = bytearray()
        for id in ids[at:]:
            byte = self.vocabulary.byte_of(id)
            if byte is None:
                break
            run.append(byte)
        parts: list[bytes] = []
        while len(parts) < len(run):
            begin = len(parts)
            size = character_size(run, begin)
            for index in range(begin, begin + max(size, 1)):
                parts.append(bytes(run[index : index + 1]) if size else REPLACEMENT)
                emit(DecodeEvent.BYTE if size else DecodeEvent.REPLACED, at + index, len(parts[-1]), ids[at + index])
        return parts


def character_size(data: bytes | bytearray, at: int) -> int:
    """The number of bytes of the character at `at`, 0 for an invalid one.

    >>> [character_size("aé€".encode(), at) for at in (0, 1, 2, 3)], character_size(b"\\xed\\xa0\\x80", 0)
    ([1, 2, 0, 3], 0)
    """
    lead = data[at]
    size = 1 if lead < 0x80 else 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if lead >= 0xF0 else 0
    try:
        data[at : at + size].decode()
    except UnicodeDecodeError:
        return 0
    return size if len(data) >= at + size else 0


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
