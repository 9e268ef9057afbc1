"""Decodes tokens one by one, and as sentencepiece does.

Decodes tokens one by one: tiktoken, RWKV World, and llama.cpp's SPM, BPE and WordPiece.

A small function gives the bytes of one token: the piece itself (`raw`), the piece with ▁ as a space and `<0xXX>` as its
byte (`escaped_llama_cpp`), or the bytes that the printable characters of byte-level BPE spell (`byte_level_llama_cpp`).

Follows tiktoken's `decode_bytes`, and llama.cpp's `token_to_piece` and `detokenize`. A quirk of the latter: for GPT-2
and Llama 3 it cleans up spaces, so `Hello , world` comes back as `Hello, world`. One difference is on purpose.
llama.cpp's `detokenize(remove_special=true)` drops the BOS and then keeps the prefix space, so a round trip adds a
space. Here the tokens that `add_special` adds are dropped first and the rest is decoded as llama.cpp decodes it without
them; llama.cpp drops its [CLS] but not its [SEP]. With `remove_special=False` both agree.

Decoding WordPiece does not restore the text: case, accents, the kind of white space and every word that became [UNK]
are lost. Spaces between words are guessed: the ▁ of a piece becomes a space, and three passes over the whole text drop
spaces next to punctuation (`detokenize` with `clean_spaces`), so `n't` is never joined and `'s` sometimes is. Hugging
Face's decoder of WordPiece is in `huggingface`.

RWKV's own `decode` gives a single U+FFFD for the whole text if any of it is malformed, and fails on the end-of-text
token. Here only malformed runs are replaced, and the end-of-text token is written as it is spelled or skipped.

Left out: `clean_up_tokenization_spaces` of SPM vocabularies, which do not set it.

Decodes as sentencepiece's `DecodeIds`: pieces joined, ▁ as a space, bytes joined to characters.

Unlike llama.cpp, it never writes control pieces; it writes the unknown piece as its surface (` ⁇ ` unless the model
sets another one) and each byte that is not part of a valid character as U+FFFD; and with remove_extra_whitespaces it
strips the leading ▁ from every piece until something is written.

A model may contain a second character map as its `denormalizer_spec`, to undo what the normalizer did to the training
text. It is applied to the whole text at the very end (`SentencePieceProcessor::Decode`).

`PieceStringsDecoder` is for the tokenizers of `transformers` in Python that have a SentencePiece model. It follows
`convert_tokens_to_string` of `MarianTokenizer` and `M2M100Tokenizer`, which let the model decode what is between
special tokens, and `SentencePieceProcessor::DecodePieces`. A string that is not a piece of the model stays as it is.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from itertools import chain, groupby
from typing import NamedTuple

from explorer.engine.decoders.huggingface import (
    SPECIAL_KINDS,
    DecodeEvent,
    DecodeRow,
    DecoderStep,
    StepEmit,
    Strings,
    attributed,
    bytes_by_token,
    check_ids,
    joined,
    just,
    replaced,
    special_ids,
    substituted,
    without_added,
)
from explorer.engine.normalizers.charsmap import CharsmapNormalization
from explorer.engine.part import Decoder, Emit, LengthBudget, Segment, silent
from explorer.text.input import is_utf8
from explorer.vocabulary import SPACE_MARK, PieceKind, Vocabulary, bytes_of

Spelling = Callable[[Vocabulary, int], tuple[DecodeEvent, bytes]]
"""How a token is decoded: the kind of event and the bytes."""


def raw(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The piece itself (tiktoken)."""
    return DecodeEvent.RAW, vocabulary.pieces[id]


def byte_level_llama_cpp(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The bytes its printable characters spell; `[UNK_BYTE_0x…]` for a character that is not in the byte map."""
    return _decoded_llama_cpp(vocabulary, id, DecodeEvent.PRINTABLE, _byte_level)


def escaped_llama_cpp(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
    """The piece of a vocabulary that writes spaces as ▁, with ▁ as a space."""
    return _decoded_llama_cpp(vocabulary, id, DecodeEvent.PIECE, lambda piece: piece.replace(MARK, b" "))


MARK = SPACE_MARK.encode()


def _byte_level(piece: bytes) -> bytes:
    parts = []
    for ch in characters_llama_cpp(piece):
        back = bytes_of(ch)
        parts.append(b"[UNK_BYTE_0x%s%s]" % (ch.encode().hex().encode(), piece) if back is None else back)
    return b"".join(parts)


def characters_llama_cpp(piece: bytes) -> str:
    """A piece read as llama.cpp reads UTF-8: each byte that does not begin a valid character is one U+FFFD.

    >>> characters_llama_cpp(b"a\\xe2\\x96"), b"a\\xe2\\x96".decode("utf-8", "replace")
    ('a\ufffd\ufffd', 'a\ufffd')
    """
    done, at = "", 0
    while at < len(piece):
        for size in (1, 2, 3, 4):
            with suppress(UnicodeDecodeError):
                done += piece[at : at + size].decode()
                break
        else:
            done, size = done + "\ufffd", 1
        at += size
    return done


def _decoded_llama_cpp(
    vocabulary: Vocabulary, id: int, event: DecodeEvent, normal: Callable[[bytes], bytes]
) -> tuple[DecodeEvent, bytes]:
    """How llama.cpp decodes a token by its kind. event, normal: for a normal piece, and the bytes it gives."""
    piece, kind = vocabulary.pieces[id], vocabulary.kinds[id]
    if kind == PieceKind.NORMAL:
        return event, normal(piece)
    if kind in (*SPECIAL_KINDS, PieceKind.USER_DEFINED):
        return DecodeEvent.SPELLED, piece
    if kind == PieceKind.BYTE:
        return DecodeEvent.BYTE, byte_llama_cpp(piece)
    # the other kinds (unused, undefined) give nothing
    return DecodeEvent.HIDDEN, b""


HEXADECIMAL = re.compile(rb"[ \t\n\v\f\r]*([+-]?)([0-9A-Fa-f]*)")
"""What C's `strtol` parses of two characters in base 16."""


def byte_llama_cpp(piece: bytes) -> bytes:
    """The byte of a piece of kind BYTE: llama.cpp parses the two characters after `<0x`, whatever they are.

    >>> byte_llama_cpp(b"<0x0A>"), byte_llama_cpp(b"<0xc3>"), byte_llama_cpp(b"<0xZZ>")
    (b'\\n', b'\\xc3', b'\\x00')
    """
    match = HEXADECIMAL.match(piece[3:5])
    assert match is not None, "the expression matches the empty string"
    value = int(match[2] or b"0", 16)
    return bytes([(-value if match[1] == b"-" else value) & 0xFF])


@dataclass(eq=False)
class PieceDecoder:
    """Decodes ids to bytes, token by token.

    spelling: decodes one token. special: ids that `unparse_special=False` skips. first, last: the tokens that
    `add_special` adds. strip_space: strip the first token's leading space. clean_spaces: llama.cpp's clean-up.

    >>> v = Vocabulary.of(["Hi".encode(), "Ġyou".encode()])
    >>> PieceDecoder(v, byte_level_llama_cpp).run([0, 1], True, True, lambda *row: None)
    [b'Hi', b' you']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    spelling: Spelling
    _: KW_ONLY
    special: Container[int] = ()
    first: int | None = None
    last: int | None = None
    strip_space: bool = False
    clean_spaces: bool = False

    def alone(self, id: int) -> bytes:
        """The bytes that the piece spells."""
        return self.spelling(self.vocabulary, id)[1]

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        kept = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        parts: list[bytes] = []
        for position, id in enumerate(ids):
            if position not in kept:
                kind, part = DecodeEvent.DROP, b""
            elif not unparse_special and id in self.special:
                kind, part = DecodeEvent.HIDDEN, b""
            else:
                kind, part = self.spelling(self.vocabulary, id)
            emit(kind, position, len(part), id)
            if position == kept.start and self.strip_space and part.startswith(b" "):
                part = part[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            parts.append(part)
        if not self.clean_spaces:
            return parts
        cleaned = cleaned_up(parts)
        for position, (before, after) in enumerate(zip(parts, cleaned, strict=True)):
            if before != after:
                emit(DecodeEvent.CLEANED_SPACES, position, len(before) - len(after), ids[position])
        return cleaned


class SpmDecoder(PieceDecoder):
    """Decodes ids to bytes for a SentencePiece vocabulary, as llama.cpp does.

    >>> v = Vocabulary.of([b"<s>", "▁Hi".encode(), b"<0x0A>"], kinds=[3, 1, 6])
    >>> SpmDecoder(v, first=0).run([0, 1, 2], True, True, lambda *row: None)
    [b'', b'Hi', b'\\n']
    """

    def __init__(
        self, vocabulary: Vocabulary, *, strip_space: bool = True, first: int | None = None, last: int | None = None
    ) -> None:
        special = special_ids(vocabulary)
        super().__init__(
            vocabulary, escaped_llama_cpp, special=special, first=first, last=last, strip_space=strip_space
        )


class RwkvDecoder(PieceDecoder):
    """Decodes ids of RWKV World to the bytes of their pieces.

    >>> RwkvDecoder(Vocabulary.of([b"\\xe7\\x8c", b"\\xab"])).run([0, 1], True, True, lambda *row: None)
    [b'\\xe7\\x8c', b'\\xab']
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        others = (kind for kind in PieceKind if kind != PieceKind.NORMAL)
        special = frozenset(chain.from_iterable(map(vocabulary.of_kind, others)))

        def spelling(vocabulary: Vocabulary, id: int) -> tuple[DecodeEvent, bytes]:
            return DecodeEvent.SPELLED if id in special else DecodeEvent.RAW, vocabulary.pieces[id]

        super().__init__(vocabulary, spelling, special=special)


CLEAN_UP = (
    re.compile(rb"( )(?=[?!.,])"),
    re.compile(rb"( )'( )"),
    re.compile(rb"( )(?='(?:[sm]|[rv]e))"),
)
"""The passes of llama.cpp's clean-up, each with the spaces that it drops. ` 't`, ` 'd` and ` 'll` keep theirs."""


def cleaned_up(parts: Sequence[bytes]) -> list[bytes]:
    """The bytes of each token after llama.cpp's clean-up of spaces, in the three passes of its `detokenize`.

    >>> cleaned_up([b"Hello", b" ,", b" it", b" 's"])
    [b'Hello', b',', b' it', b"'s"]
    """
    whole = joined([attributed(part, position) for position, part in enumerate(parts)])
    for expression in CLEAN_UP:
        matches = expression.finditer(whole.data)
        spaces = [match.span(group) for match in matches for group in range(1, expression.groups + 1)]
        whole = substituted(whole, spaces, b"")
    return bytes_by_token([whole], len(parts))


@dataclass(eq=False)
class WpmDecoder:
    """Decodes ids to bytes as llama.cpp's `detokenize` for a WPM vocabulary.

    first, last: the ids that `add_special` adds. strip_space: strip the first token's leading space.

    >>> v = Vocabulary.of(["▁hat".encode(), b"s", "▁?".encode()])
    >>> WpmDecoder(v, first=None, last=None, strip_space=False).run([0, 1, 2, 0], True, True, lambda *row: None)
    [b' hat', b's', b'?', b' hat']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    _: KW_ONLY
    first: int | None
    last: int | None
    strip_space: bool

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space."""
        return escaped_llama_cpp(self.vocabulary, id)[1]

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        inside = without_added(ids, just(self.first), just(self.last)) if remove_special else range(len(ids))
        kept = []
        for position, id in enumerate(ids):
            if position not in inside:
                emit(DecodeEvent.DROP, position, 0, id)
            elif self.vocabulary.kinds[id] in SPECIAL_KINDS and not unparse_special:
                emit(DecodeEvent.HIDDEN, position, 0, id)
            else:
                kept.append((position, id))
        parts = [b""] * len(ids)
        for position, id in kept:
            kind, piece = escaped_llama_cpp(self.vocabulary, id)
            emit(kind, position, len(piece), id)
            if self.strip_space and position == inside.start and piece.startswith(b" "):
                piece = piece[1:]
                emit(DecodeEvent.SPACE, position, 1, id)
            parts[position] = piece
        cleaned = cleaned_up(parts)
        for position, (before, after) in enumerate(zip(parts, cleaned, strict=True)):
            if before != after:
                emit(DecodeEvent.CLEANED, position, len(after), ids[position])
        return cleaned


_SPACE = SPACE_MARK.encode()
REPLACEMENT = "\ufffd".encode()


class PieceReader(NamedTuple):
    """How a model decodes pieces.

    surface: of its unknown piece. strip_space: strip the ▁ at the very beginning (the model adds a dummy prefix or
    removes extra white space). strip_all: and continue until something is written (it removes extra white space).
    """

    surface: bytes
    strip_space: bool = True
    strip_all: bool = False

    def alone(self, piece: bytes, kind: int | None) -> bytes:
        """A piece by itself, ▁ as a space, its byte, or the surface; nothing for a control piece."""
        if kind == PieceKind.CONTROL:
            return b""
        if kind == PieceKind.BYTE:
            return bytes([_byte(piece)])
        return self.surface if kind == PieceKind.UNKNOWN else piece.replace(_SPACE, b" ")

    def run(
        self, pieces: Iterable[tuple[bytes, int | None]], emit: Callable[[DecodeEvent, int, int], None]
    ) -> list[bytes]:
        """The bytes of each piece. pieces: each with its kind, None for a string that stays as it is.

        emit: the sink for events: kind, index of the piece, number of bytes.
        """
        parts: list[bytes] = []
        at_start = self.strip_space
        for are_bytes, group in groupby(pieces, lambda each: each[1] == PieceKind.BYTE):
            if are_bytes:
                for part in characters_of(bytes([_byte(piece) for piece, _ in group])):
                    emit(DecodeEvent.BYTE if len(part) == 1 else DecodeEvent.REPLACED, len(parts), len(part))
                    parts.append(part)
                at_start = False
                continue
            for piece, kind in group:
                part, at = piece, len(parts)
                strip = at_start and piece.startswith(_SPACE) and kind not in (None, PieceKind.CONTROL)
                if kind == PieceKind.CONTROL:
                    emit(DecodeEvent.HIDDEN, at, 0)
                    part = b""
                elif kind == PieceKind.UNKNOWN:
                    emit(DecodeEvent.SURFACE, at, len(self.surface))
                    part = self.surface
                elif kind is not None:
                    part = piece.replace(_SPACE, b" ")
                    emit(DecodeEvent.PIECE, at, len(part))
                    if strip:
                        emit(DecodeEvent.SPACE, at, 1)
                        part = part[1:]
                at_start = at_start and not part and not (strip and not self.strip_all)
                parts.append(part)
        return parts


def _byte(piece: bytes) -> int:
    return int(piece[3:5], 16)


@dataclass(eq=False)
class SentencePieceDecoder:
    """Decodes ids to bytes. reader: decodes their pieces. first, last: the ids that `add_special` adds.

    >>> v = Vocabulary.of(["<unk>".encode(), "▁Hi".encode(), b"<0xC3>", b"<0xA9>"], kinds=[2, 1, 6, 6])
    >>> SentencePieceDecoder(v, PieceReader(" ⁇ ".encode())).run([1, 0, 2, 3, 2], True, True, lambda *row: None)[1:]
    [b' \\xe2\\x81\\x87 ', b'\\xc3', b'\\xa9', b'\\xef\\xbf\\xbd']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    reader: PieceReader
    first: int | None = None
    last: int | None = None

    def alone(self, id: int) -> bytes:
        """The piece, ▁ as a space, its byte, or the unknown token's surface; nothing for a control piece."""
        return self.reader.alone(self.vocabulary.pieces[id], self.vocabulary.kinds[id])

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        pieces = [(self.vocabulary.pieces[id], self.vocabulary.kinds[id]) for id in ids]
        unknown = sum(kind == PieceKind.UNKNOWN for _, kind in pieces)
        LengthBudget.for_ids(len(ids)).check(unknown * len(self.reader.surface))

        def emit_at(kind: DecodeEvent, position: int, size: int) -> None:
            ends = (position == 0 and ids[0] == self.first) or (position == len(ids) - 1 and ids[-1] == self.last)
            dropped = kind == DecodeEvent.HIDDEN and remove_special and ends
            emit(DecodeEvent.DROP if dropped else kind, position, size, ids[position])

        return self.reader.run(pieces, emit_at)


def characters_of(run: bytes) -> Iterator[bytes]:
    """The bytes of a run of byte tokens; U+FFFD for each that is not part of a valid character.

    >>> list(characters_of(b"\\xc3\\xa9\\xc3"))
    [b'\\xc3', b'\\xa9', b'\\xef\\xbf\\xbd']
    """
    at = 0
    while at < len(run):
        size = character_size(run, at)
        for index in range(at, at + max(size, 1)):
            yield run[index : index + 1] if size else REPLACEMENT
        at += max(size, 1)


def character_size(data: bytes, at: int) -> int:
    """The number of bytes of the character at `at`, 0 for an invalid one.

    >>> [character_size("aé€".encode(), at) for at in (0, 1, 2, 3)], character_size(b"\\xed\\xa0\\x80", 0)
    ([1, 2, 0, 3], 0)
    """
    lead = data[at]
    size = 1 if lead < 0x80 else 2 if 0xC2 <= lead < 0xE0 else 3 if 0xE0 <= lead < 0xF0 else 4 if lead >= 0xF0 else 0
    return size if len(data) >= at + size and is_utf8(data[at : at + size]) else 0


_MALFORMED_BYTE = re.compile("[\udc80-\udcff]")


@dataclass(eq=False)
class DenormalizingDecoder:
    """A decoder whose text is then normalized as a whole.

    Which bytes belong to which token is ambiguous then: rewritten text is attributed to the token it begins in.

    >>> from explorer.engine.normalizers.charsmap import Whitespace
    >>> v = Vocabulary.of([b"a", "▁ ▁b".encode()])
    >>> one_space = CharsmapNormalization(None, Whitespace(add_dummy_prefix=False, escape_whitespaces=False))
    >>> decoder = DenormalizingDecoder(SentencePieceDecoder(v, PieceReader(b"")), one_space)
    >>> decoder.run([0, 1], True, True, lambda *row: None)
    [b'a', b' b']
    """

    row = DecodeRow

    decoder: Decoder
    normalization: CharsmapNormalization

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


@dataclass(eq=False, repr=False)
class PieceStringsDecoder(DecoderStep):
    """Lets a SentencePiece model decode the strings between special tokens, and strips white space at both ends.

    kinds: of the model's pieces. reader: how it decodes them. special: the strings of special tokens. gap: what is
    written after each of them. marks: whether each ▁ that is left becomes a space.

    >>> kinds = {"▁a".encode(): PieceKind.NORMAL, b"<unk>": PieceKind.UNKNOWN}
    >>> decoder = PieceStringsDecoder(kinds, PieceReader(b"?"), special=[b"</s>"], gap=b" ", marks=True)
    >>> strings = ["▁a", "▁a", "</s>", "▁b", "<unk>"]
    >>> decoder.run([attributed(each.encode(), at) for at, each in enumerate(strings)], lambda *row: None)[0].data
    b'a a</s>  b?'
    """

    fuses = True

    kinds: Mapping[bytes, int]
    reader: PieceReader
    _: KW_ONLY
    special: Container[bytes]
    gap: bytes
    marks: bool

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The text of a token alone, ▁ as a space."""
        kind = self.kinds.get(data)
        return self.reader.alone(data, kind if kind == PieceKind.BYTE or data not in self.special else None)

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one."""
        parts: Strings = []
        between: Strings = []
        for string in strings:
            if string.data not in self.special:
                between.append(string)
                continue
            parts += [*self._pieces(between, emit), string]
            if self.gap:
                emit(DecodeEvent.APART, string.first, len(self.gap))
                parts.append(attributed(self.gap, string.first))
            between = []
        whole = joined([*parts, *self._pieces(between, emit)])
        if self.marks:
            whole = replaced(whole, _SPACE, b" ")
        text = whole.data.decode()
        left = len(text[: len(text) - len(text.lstrip())].encode())
        right = len(text.rstrip().encode())
        spans = [(0, left)] if left else []
        if left < len(whole.data) > right:
            spans.append((right, len(whole.data)))
        for start, end in spans:
            for at in range(start, end):
                emit(DecodeEvent.STRIPPED, whole.owners[at], 1)
        return [substituted(whole, spans, b"")]

    def _pieces(self, strings: Strings, emit: StepEmit) -> Strings:
        """What the model makes of strings."""

        def emit_at(kind: DecodeEvent, at: int, size: int) -> None:
            if kind != DecodeEvent.PIECE:
                emit(kind, strings[at].first, size)

        parts = self.reader.run([(each.data, self.kinds.get(each.data)) for each in strings], emit_at)
        return [attributed(part, each.first) for part, each in zip(parts, strings, strict=True)]
