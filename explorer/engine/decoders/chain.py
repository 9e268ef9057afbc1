"""Events of decoding, and Hugging Face's chain of decoders.

Every decoder checks ids, and drops padding and the tokens that `add_special` adds. Ids become bytes, the bytes are
joined, and only then read as UTF-8: a character may be spread over several tokens. Decoded separately, they would give
� for it.

In Hugging Face's decoding each id becomes a string, and a chain of decoders rewrites the list of strings. At the end
the strings are joined. Each byte carries the position of the token it comes from (`AttributedBytes`) through the whole
chain, and every edit keeps it, so the bytes of each token are known. The decoders are in `huggingface`.

Follows `TokenizerImpl::decode` and `decoders/sequence.rs` of Hugging Face's tokenizers: a token is skipped as special
by its string, and a normalized added token gives its *normalized* spelling. An id without a token is an InputError
here; the original skips it. No ids give no text.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import IntEnum
from typing import NamedTuple, Protocol

from explorer.engine.budget import ask
from explorer.engine.part import DECODER, Decoder, Emit, LengthBudget
from explorer.errors import InputError
from explorer.text.input import character_offsets
from explorer.vocabulary import PieceKind, Vocabulary

SPECIAL_KINDS = (PieceKind.CONTROL, PieceKind.UNKNOWN)
"""The kinds of tokens that `unparse_special=False` skips."""


class DecodeEvent(IntEnum):
    """What a `DecodeRow` says."""

    DROP = 0
    """`add_special` adds the token: it is dropped before decoding."""
    PIECE = 1
    """The token gives the bytes of its piece, ▁ as a space."""
    BYTE = 2
    """The token is a single byte."""
    SPELLED = 3
    """A special token is written as it is spelled, because `unparse_special` is on."""
    HIDDEN = 4
    """A special token gives nothing: `unparse_special` is off."""
    SPACE = 5
    """The first token's leading space is stripped: the space prefix added it."""
    SURFACE = 6
    """The unknown token is written as the model's surface for unknown text."""
    REPLACED = 7
    """The byte is not part of a valid character: U+FFFD is written."""
    GLUED = 8
    """The token continues a word: its bytes without the leading `##`."""
    SPACED = 9
    """The token begins a word: its bytes with a space in front."""
    CLEANED = 10
    """The clean-up drops spaces next to punctuation: `size` bytes of the token are left."""
    RAW = 11
    """The token gives the bytes of its piece as they are."""
    PRINTABLE = 12
    """The token gives the bytes that the printable characters of its piece spell."""
    CLEANED_SPACES = 13
    """llama.cpp's clean-up drops `size` spaces of this token."""
    TIDIED = 14
    """clean_up_tokenization_spaces drops `size` spaces of this token, after all decoders."""
    DENORMALIZED = 15
    """The denormalizer rewrites the text: `size` bytes of it are attributed to this token."""
    STRING = 16
    """The token's string enters the chain of decoders."""
    SUBSTITUTED = 17
    """Replace: matches in the string are replaced; it now has `size` bytes."""
    FUSED = 18
    """Fuse: all strings become one, of `size` bytes."""
    STRIPPED = 19
    """Strip: characters at the ends of the string, `size` bytes, are stripped."""
    METASPACE = 20
    """Metaspace: the character for spaces becomes a space, in the first string nothing."""
    SUFFIX = 21
    """BPEDecoder: the end-of-word suffix becomes a space, in the last string nothing."""
    SAME = 22
    """CTC: the string repeats the one before it and is dropped."""
    BLANK = 23
    """CTC: the padding token in the string is dropped."""
    DELIMITER = 24
    """CTC: the word delimiter in the string becomes a space."""
    BETWEEN = 25
    """Without a decoder, a space separates this string from the one before it."""
    APART = 26
    """A space before it separates it from the token before, one of which is set apart."""
    IGNORED = 27
    """`size` bytes of the token are not valid UTF-8 and are left out."""


GIVES_BYTES = frozenset(
    {
        DecodeEvent.DROP,
        DecodeEvent.PIECE,
        DecodeEvent.BYTE,
        DecodeEvent.SPELLED,
        DecodeEvent.HIDDEN,
        DecodeEvent.SURFACE,
        DecodeEvent.REPLACED,
        DecodeEvent.GLUED,
        DecodeEvent.SPACED,
        DecodeEvent.RAW,
        DecodeEvent.PRINTABLE,
    }
)
"""The events that say which bytes a token gives; the others change them afterward."""


class DecodeRow(NamedTuple):
    """One event of decoding."""

    kind: int
    """A `DecodeEvent`."""
    position: int
    """Index among the ids."""
    size: int
    """Number of bytes the token gives (SPACE, CLEANED_SPACES, TIDIED, STRIPPED: number of bytes removed)."""
    token: int
    """The id."""


def check_ids(ids: Sequence[int], vocabulary: Vocabulary) -> None:
    """Raises InputError for the first id that is not in the vocabulary, or if the pieces are far too long together."""
    size, pieces = len(vocabulary), vocabulary.pieces
    length = 0
    for position, id in enumerate(ids):
        if not 0 <= id < size or (not pieces[id] and not vocabulary.has(id)):
            says = "id number {0:i}: {1:t} {2:t}; give ids of the same model"
            raise InputError(says, position + 1, str(id), vocabulary.lacks(id))
        length += len(pieces[id])
    LengthBudget.for_ids(len(ids)).check(length)


def without_added(ids: Sequence[int], before: Sequence[int], after: Sequence[int]) -> range:
    """The positions of the ids without those that `add_special` adds before and after the text.

    >>> without_added([1, 338, 2], [1], [2]), without_added([338], [1], [2])
    (range(1, 2), range(0, 1))
    """
    start = len(before) if list(ids[: len(before)]) == list(before) else 0
    stop = len(ids) - len(after)
    return range(start, stop if stop >= start and list(ids[stop:]) == list(after) else len(ids))


def special_ids(vocabulary: Vocabulary) -> frozenset[int]:
    """The ids that `unparse_special=False` skips.

    >>> special_ids(Vocabulary.of([b"<s>", b"a"], kinds=[3, 1]))
    frozenset({0})
    """
    return frozenset(id for kind in SPECIAL_KINDS for id in vocabulary.of_kind(kind))


def just(id: int | None) -> tuple[int, ...]:
    """The one id as a tuple, or an empty tuple for None."""
    return () if id is None else (id,)


@dataclass(eq=False)
class PaddedDecoder:
    """A decoder that first drops the run of padding tokens at one end.

    token: the id of the padding token. left: whether the padding is at the beginning.

    >>> from explorer.engine.decoders.pieces import RwkvDecoder
    >>> from explorer.vocabulary import Vocabulary
    >>> inner = RwkvDecoder(Vocabulary.of([b"a", b"_"]))
    >>> PaddedDecoder(inner, 1, left=False).run([1, 0, 1, 1], True, True, lambda *row: None)
    [b'_', b'a', b'', b'']
    """

    row = DecodeRow

    decoder: Decoder
    token: int
    left: bool

    def alone(self, id: int) -> bytes:
        """What the inner decoder gives."""
        return self.decoder.alone(id)

    def kept(self, ids: Sequence[int], remove_special: bool) -> range:
        """The positions without the padding."""
        front, back = 0, len(ids)
        if remove_special and self.left:
            while front < back and ids[front] == self.token:
                front += 1
        elif remove_special:
            while back and ids[back - 1] == self.token:
                back -= 1
        return range(front, back)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        kept = self.kept(ids, remove_special)
        front, back = kept.start, kept.stop

        def emit_shifted(kind: int, position: int, size: int, token: int) -> None:
            emit(kind, position + front, size, token)

        for position in (*range(front), *range(back, len(ids))):
            emit(DecodeEvent.DROP, position, 0, self.token)
        parts = self.decoder.run(ids[front:back], remove_special, unparse_special, emit_shifted)
        return [b""] * front + parts + [b""] * (len(ids) - back)


class AttributedBytes(NamedTuple):
    """A string as UTF-8, and for each byte the position of the token it comes from, in ascending order.

    first: the position of the token that the string begins with; an empty string has one, too.
    """

    data: bytes
    owners: Sequence[int]
    first: int


def attributed(data: bytes, owner: int) -> AttributedBytes:
    """A string that comes from one token."""
    return AttributedBytes(data, [owner] * len(data), owner)


def joined(strings: Sequence[AttributedBytes]) -> AttributedBytes:
    """All strings as one."""
    first = strings[0].first if strings else 0
    owners = [owner for each in strings for owner in each.owners]
    return AttributedBytes(b"".join(each.data for each in strings), owners, first)


def substituted(string: AttributedBytes, spans: Sequence[tuple[int, int]], new: bytes) -> AttributedBytes:
    """The string with the bytes [start, end) of each span replaced by `new`.

    New bytes belong to the owner of the span's first byte; at the end of the string, to the owner of the last byte.

    >>> substituted(attributed(b"a_b", 7), [(1, 2)], b"  ")
    AttributedBytes(data=b'a  b', owners=[7, 7, 7, 7], first=7)
    """
    data, owners, first = string
    made, owned = bytearray(), list[int]()
    at = 0
    for start, end in spans:
        made += data[at:start] + new
        owned += owners[at:start]
        owned += [owners[min(start, len(owners) - 1)]] * len(new)
        at = end
    return AttributedBytes(bytes(made + data[at:]), [*owned, *owners[at:]], first)


def replaced(string: AttributedBytes, old: bytes, new: bytes) -> AttributedBytes:
    """The string with every `old` replaced by `new`; the same object if it does not contain `old`.

    >>> replaced(attributed("▁a▁".encode(), 0), "▁".encode(), b" ").data
    b' a '
    """
    data, owners, first = string
    if old and old not in data:
        return string
    if not data:
        return attributed(new, first)
    if old and owners[0] == owners[-1]:
        return attributed(data.replace(old, new), owners[0])
    if not old:  # between all characters
        return substituted(string, [(at, at) for at in character_offsets(data)], new)
    spans = []
    at = data.find(old)
    while at >= 0:
        spans.append((at, at + len(old)))
        at = data.find(old, at + len(old))
    return substituted(string, spans, new)


def bytes_by_token(strings: Sequence[AttributedBytes], count: int) -> list[bytes]:
    """The bytes that come from each of `count` tokens. Joined, they are the strings joined.

    >>> bytes_by_token([AttributedBytes(b"ab", [0, 2], 0), attributed(b"c", 2)], 3)
    [b'a', b'', b'bc']
    """
    parts = [b""] * count
    for data, owners, _ in strings:
        begin = 0
        while begin < len(data):
            owner, end = owners[begin], begin + 1
            if owners[-1] == owner:
                end = len(data)
            while end < len(data) and owners[end] == owner:
                end += 1
            parts[owner] += data[begin:end]
            begin = end
    return parts


Strings = list[AttributedBytes]
"""The strings of tokens, or what decoders have made of them."""

StepEmit = Callable[[DecodeEvent, int, int], None]
"""The sink for the events of a decoder: kind, position of the token, number of bytes."""


class DecoderStep(Protocol):
    """One decoder of the chain. Decoders inherit from it. fuses: it joins all strings into one."""

    fuses: bool = False

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings rewritten."""

    def alone(self, data: bytes, fused: bool) -> bytes:
        """What the decoder makes of one token's string, whatever its neighbors and position; need not be UTF-8.

        fused: an earlier decoder joined the strings, so this one does not see where the token's string begins or ends.
        """
        return data


def alone(data: bytes, steps: Sequence[DecoderStep], fused: bool = False) -> bytes:
    """What decoders in turn make of one token's string (`DecoderStep.alone`)."""
    for step in steps:
        data = step.alone(data, fused)
        fused = fused or step.fuses
    return data


@dataclass(eq=False, repr=False)
class ChainDecoder:
    """Decodes ids with a chain of decoders.

    steps: the decoders. before, after: the ids that `add_special` adds. special: the strings of the tokens that
    `unparse_special=False` skips. strings: the strings of tokens that do not decode from their piece.

    >>> class Shout(DecoderStep):
    ...     def run(self, strings: list[AttributedBytes], emit: StepEmit) -> list[AttributedBytes]:
    ...         return [each._replace(data=each.data.upper()) for each in strings]
    >>> ChainDecoder(Vocabulary.of([b"a", b"b"]), [Shout()]).run([1, 0], True, True, lambda *row: None)
    [b'B', b'A']
    """

    row = DecodeRow

    vocabulary: Vocabulary
    steps: Sequence[DecoderStep]
    _: KW_ONLY
    before: Sequence[int] = ()
    after: Sequence[int] = ()
    special: Container[bytes] = ()
    strings: Mapping[int, bytes] = field(default_factory=dict)

    def alone(self, id: int) -> bytes:
        """What the chain makes of the token's string alone."""
        return alone(self.strings.get(id, self.vocabulary.pieces[id]), self.steps)

    def run(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> list[bytes]:
        """The bytes of each token, one entry per id. Raises InputError for an id that is not in the vocabulary."""
        check_ids(ids, self.vocabulary)
        if not ids:
            return []

        *_, strings = self.states(ids, remove_special, unparse_special, emit)
        return bytes_by_token(strings, len(ids))

    def states(self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: Emit) -> Iterator[Strings]:
        """The strings of the tokens, then those that each decoder leaves."""

        def emit_at(kind: DecodeEvent, position: int, size: int) -> None:
            emit(kind, position, size, ids[position])

        budget = LengthBudget.for_ids(len(ids))
        strings = self.strings_of(ids, remove_special, unparse_special, emit_at, budget)
        yield strings
        for step in self.steps:
            ask(DECODER)
            strings = step.run(strings, emit_at)
            budget.check(sum(len(string.data) for string in strings), step)
            yield strings

    def strings_of(
        self, ids: Sequence[int], remove_special: bool, unparse_special: bool, emit: StepEmit, budget: LengthBudget
    ) -> Strings:
        """The strings of the tokens that are not skipped."""
        kept = without_added(ids, self.before, self.after) if remove_special else range(len(ids))
        strings: Strings = []
        size = 0
        for position, id in enumerate(ids):
            data = self.strings.get(id, self.vocabulary.pieces[id])
            if position not in kept:
                emit(DecodeEvent.DROP, position, 0)
            elif not unparse_special and data in self.special:
                emit(DecodeEvent.HIDDEN, position, 0)
            else:
                size += len(data)
                budget.check(size)
                emit(DecodeEvent.STRING, position, len(data))
                strings.append(attributed(data, position))
        return strings
