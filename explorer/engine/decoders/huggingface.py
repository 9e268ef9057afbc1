"""Hugging Face's decoders, one class each: those that rewrite text, and those that turn tokens into bytes.

Follows `decoders/`, and `chain` of `pre_tokenizers/metaspace.rs` and `normalizers/replace.rs` of its tokenizers. Where
the original panics with an index out of bounds (`Strip` asked for more characters than a string has), the string is
used up here.

The last ones are what the tokenizers of `transformers` that are written in Python do with the strings of tokens.
Follows `_decode` of its versions 4 and 5, and `convert_tokens_to_string` of `ByT5Tokenizer`, which reads bytes as
UTF-8 and ignores errors.

`Tidy`, for clean_up_tokenization_spaces, follows `PreTrainedTokenizerBase.clean_up_tokenization`. It has one rule less
than the clean-up of the WordPiece decoder and sees the whole text, so spaces between tokens go, too.

Events of decoding, and Hugging Face's chain of decoders.

Every decoder checks ids, and drops padding and the tokens that `add_special` adds. Ids become bytes, the bytes are
joined, and only then read as UTF-8: a character may be spread over several tokens. Decoded separately, they would give
� for it.

In Hugging Face's decoding each id becomes a string, and a chain of decoders rewrites the list of strings. At the end
the strings are joined. Each byte carries the position of the token it comes from (`AttributedBytes`) through the whole
chain, and every edit keeps it, so the bytes of each token are known.

Follows `TokenizerImpl::decode` and `decoders/sequence.rs` of Hugging Face's tokenizers: a token is skipped as special
by its string, and a normalized added token gives its *normalized* spelling. An id without a token is an InputError
here; the original skips it. No ids give no text.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from explorer.engine.budget import ask
from explorer.engine.part import DECODER, Decoder, Emit, LengthBudget
from explorer.errors import InputError
from explorer.text import decode_utf8
from explorer.text.input import character_offsets, is_utf8, text_of
from explorer.vocabulary import PieceKind, Vocabulary, bytes_of

if TYPE_CHECKING:  # it needs the package regex
    from explorer.engine.regexes.safe import FindSpans

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


# --- the decoders of the chain ----------------------------------------------------------------------------------------


def _discard(kind: DecodeEvent, position: int, size: int) -> None:
    """Discards events."""


def _replaced_alone(data: bytes, old: bytes, new: bytes) -> bytes:
    """`replaced` for the string of one token."""
    return replaced(attributed(data, 0), old, new).data


def _emit_change(before: AttributedBytes, after: AttributedBytes, kind: DecodeEvent, emit: StepEmit) -> AttributedBytes:
    """The string after a change; emits an event if it did change."""
    if after is not before:
        emit(kind, before.first, len(after.data))
    return after


def _replaced(string: AttributedBytes, old: bytes, new: bytes, kind: DecodeEvent, emit: StepEmit) -> AttributedBytes:
    """`replaced`, with an event if that changes the string."""
    return _emit_change(string, replaced(string, old, new), kind, emit)


class FuseDecoder(DecoderStep):
    """Joins all strings.

    >>> [each.data for each in FuseDecoder().run([attributed(b"a", 0), attributed(b"b", 1)], lambda *row: None)]
    [b'ab']
    """

    fuses = True

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one."""
        fused = joined(strings)
        if fused.data:
            emit(DecodeEvent.FUSED, fused.first, len(fused.data))
        return [fused]


class StripDecoder(DecoderStep):
    """Strips up to `start` characters `content` from the beginning of each string, and up to `stop` from its end.

    >>> strings = [attributed(b"  a", 0), attributed(b"b", 1)]
    >>> [each.data for each in StripDecoder(" ", 1, 0).run(strings, lambda *row: None)]
    [b' a', b'b']
    """

    def __init__(self, content: str, start: int, stop: int) -> None:
        self.content, self.start, self.stop = content.encode(), start, stop

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string stripped; unchanged if the strings are fused."""
        return data if fused else self.stripped(attributed(data, 0), _discard).data

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings stripped."""
        return [self.stripped(string, emit) for string in strings]

    def stripped(self, string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
        """One string stripped; the same object if nothing is."""
        data, size = string.data, len(self.content)
        begin, end, left = 0, len(data), self.start
        while left and data.startswith(self.content, begin):
            begin, left = begin + size, left - 1
        left = self.stop
        while left and end - size >= begin and data.endswith(self.content, begin, end):
            end, left = end - size, left - 1
        if end - begin == len(data):
            return string
        emit(DecodeEvent.STRIPPED, string.first, len(data) - (end - begin))
        return AttributedBytes(data[begin:end], string.owners[begin:end], string.first)


class ReplaceDecoder(DecoderStep):
    """Replaces each match by another text, in each string on its own.

    find: a literal text, or a function that finds the matches.

    >>> [each.data for each in ReplaceDecoder("▁", " ").run([attributed("▁a".encode(), 0)], lambda *row: None)]
    [b' a']
    """

    def __init__(self, find: "str | FindSpans", content: str) -> None:
        self.find, self.content = find, content.encode()

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string rewritten; unchanged if a match may depend on its neighbors."""
        # a regex may look at the text around a match, and after Fuse that is other tokens
        if not isinstance(self.find, str) and (fused or not is_utf8(data)):
            return data
        return self.rewritten(attributed(data, 0), _discard, LengthBudget.for_ids(1), 0).data

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings rewritten. Raises InputError if the text gets too long."""
        # the strings are in the order of their tokens, so the last owner bounds the number of ids
        count = strings[-1].owners[-1] + 1 if strings and strings[-1].owners else len(strings)
        budget, size = LengthBudget.for_ids(count), 0
        made = []
        for string in strings:
            made.append(self.rewritten(string, emit, budget, size))
            size += len(made[-1].data)
        return made

    def rewritten(self, string: AttributedBytes, emit: StepEmit, budget: LengthBudget, size: int) -> AttributedBytes:
        """One string rewritten. size: the bytes of the strings before it."""
        if not string.data:  # even an empty pattern does not match in an empty string
            return string
        if isinstance(self.find, str):
            budget.check(size + len(self.content) * string.data.count(self.find.encode()), self)
            made = replaced(string, self.find.encode(), self.content)
        else:
            text = string.data.decode()
            spans = list(self.find(text))
            budget.check(size + len(self.content) * len(spans), self)
            if spans and not text.isascii():
                offsets = character_offsets(string.data)
                spans = [(offsets[start], offsets[end]) for start, end in spans]
            made = substituted(string, spans, self.content) if spans else string
        return _emit_change(string, made, DecodeEvent.SUBSTITUTED, emit)


class MetaspaceDecoder(DecoderStep):
    """Turns the character written for a space back into one; drops it in the first string if a text gets one in front.

    >>> strings = [attributed("▁▁a".encode(), 0), attributed("▁b".encode(), 1)]
    >>> [each.data for each in MetaspaceDecoder("▁", True).run(strings, lambda *row: None)]
    [b'a', b' b']
    """

    def __init__(self, replacement: str, prepended: bool) -> None:
        self.replacement, self.prepended = replacement.encode(), prepended

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string with spaces; after fusing, all of the text is the first string."""
        return _replaced_alone(data, self.replacement, b"" if fused and self.prepended else b" ")

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings with spaces."""
        return [
            _replaced(
                string, self.replacement, b"" if self.prepended and not index else b" ", DecodeEvent.METASPACE, emit
            )
            for index, string in enumerate(strings)
        ]


CLEAN_UP = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " do not", " 's", " 've", " 're")
"""The strings that the clean-up writes without their spaces, in order; “ do not” becomes “ don't”."""


def _cleaned_up(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
    """The string after the clean-up of WordPiece and CTC."""
    made = string
    for old in CLEAN_UP:
        new = " don't" if old == " do not" else old.replace(" ", "")
        made = replaced(made, old.encode(), new.encode())
    return _emit_change(string, made, DecodeEvent.CLEANED, emit)


class WordPieceDecoder(DecoderStep):
    """Prepends a space to every string but the first, or strips the prefix of a piece within a word; then cleans up.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"hat", b"##s", b"?", b"hat"))]
    >>> [each.data for each in WordPieceDecoder("##", True).run(strings, lambda *row: None)]
    [b'hat', b's', b'?', b' hat']
    """

    def __init__(self, prefix: str, cleanup: bool) -> None:
        self.prefix, self.cleanup = prefix.encode(), cleanup

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string without the prefix."""
        return data if fused else data.removeprefix(self.prefix)

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings as words."""
        made = []
        for index, string in enumerate(strings):
            if index and string.data.startswith(self.prefix):
                size = len(self.prefix)
                emit(DecodeEvent.GLUED, string.first, len(string.data) - size)
                string = AttributedBytes(string.data[size:], string.owners[size:], string.first)
            elif index:
                string = _spaced(string, DecodeEvent.SPACED, emit)
            made.append(_cleaned_up(string, emit) if self.cleanup else string)
        return made


def _spaced(string: AttributedBytes, kind: DecodeEvent, emit: StepEmit) -> AttributedBytes:
    """The string with a space in front."""
    emit(kind, string.first, len(string.data) + 1)
    return AttributedBytes(b" " + string.data, [string.first, *string.owners], string.first)


class BpeSuffixDecoder(DecoderStep):
    """Turns the end-of-word suffix into a space, in the last string into nothing (`BPEDecoder`).

    >>> strings = [attributed(b"a</w>", 0), attributed(b"b</w>", 1)]
    >>> [each.data for each in BpeSuffixDecoder("</w>").run(strings, lambda *row: None)]
    [b'a ', b'b']
    """

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix.encode()

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string with a space for the suffix; after fusing, all of the text is the last string."""
        return _replaced_alone(data, self.suffix, b"" if fused else b" ")

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings with spaces for the suffix."""
        last = len(strings) - 1
        return [
            _replaced(string, self.suffix, b"" if index == last else b" ", DecodeEvent.SUFFIX, emit)
            for index, string in enumerate(strings)
        ]


def _without_repeats(strings: Iterable[AttributedBytes], emit: StepEmit) -> Iterator[AttributedBytes]:
    """The strings that differ from the one before them."""
    before: bytes | None = None
    for string in strings:
        if string.data == before:
            emit(DecodeEvent.SAME, string.first, 0)
        else:
            yield string
        before = string.data


class CtcDecoder(DecoderStep):
    """Decodes a model that gives one token per moment of a recording: drops repeats and padding, spaces for delimiters.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b"a", b"<pad>", b"a", b"|"))]
    >>> [each.data for each in CtcDecoder("<pad>", "|", True).run(strings, lambda *row: None)]
    [b'a', b'a', b' ']
    """

    def __init__(self, pad: str, delimiter: str, cleanup: bool) -> None:
        self.pad, self.delimiter, self.cleanup = pad.encode(), delimiter.encode(), cleanup

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string without padding, with spaces for delimiters."""
        data = _replaced_alone(data, self.pad, b"")
        return _replaced_alone(data, self.delimiter, b" ") if self.cleanup else data

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings that are not repeats, padding or empty."""
        made: Strings = []
        for string in _without_repeats(strings, emit):
            string = _replaced(string, self.pad, b"", DecodeEvent.BLANK, emit)
            if self.cleanup:
                string = _replaced(_cleaned_up(string, emit), self.delimiter, b" ", DecodeEvent.DELIMITER, emit)
            if string.data:
                made.append(string)
        return made


class SpaceJoiner(DecoderStep):
    """Puts a space between every two strings, as the original does without a decoder.

    >>> [each.data for each in SpaceJoiner().run([attributed(b"a", 0), attributed(b"b", 1)], lambda *row: None)]
    [b'a', b' b']
    """

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings, all but the first with a space in front."""
        return [_spaced(string, DecodeEvent.BETWEEN, emit) if index else string for index, string in enumerate(strings)]


class WholeCtcDecoder(DecoderStep):
    """Decodes as `CtcDecoder`, but padding and delimiter are whole tokens (`Wav2Vec2CTCTokenizer` of transformers).

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b"a", b"<pad>", b"a", b"|"))]
    >>> [each.data for each in WholeCtcDecoder("<pad>", "|", " ").run(strings, lambda *row: None)]
    [b'a', b'a', b' ']
    """

    def __init__(self, pad: str, delimiter: str, space: str) -> None:
        self.pad, self.delimiter, self.space = pad.encode(), delimiter.encode(), space.encode()

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string, nothing for padding and a space for the delimiter."""
        return b"" if data == self.pad else self.space if data == self.delimiter else data

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings that are neither repeats nor padding."""
        made: Strings = []
        for string in _without_repeats(strings, emit):
            if string.data == self.pad:
                emit(DecodeEvent.BLANK, string.first, 0)
            elif string.data == self.delimiter:
                emit(DecodeEvent.DELIMITER, string.first, len(self.space))
                made.append(attributed(self.space, string.first))
            else:
                made.append(string)
        return made


REPLACEMENT = "\ufffd".encode()


class ByteLevelDecoder(DecoderStep):
    """Turns printable characters back into bytes; a string with any other character stays unchanged. Joins all strings.

    last: no other decoder follows, so bytes that aren't valid UTF-8 stay; otherwise each malformed run becomes U+FFFD.

    >>> strings = [attributed("ĠÃ".encode(), 0), attributed("©".encode(), 1)]
    >>> [each.data for each in ByteLevelDecoder().run(strings, lambda *row: None)]
    [b' \\xc3\\xa9']
    """

    fuses = True

    def __init__(self, last: bool = True) -> None:
        self.last = last

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The bytes of the token's printable characters, or its string unchanged."""
        text = text_of(data)
        back = None if text is None else bytes_of(text)
        return data if back is None else back

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in bytes."""
        text = joined([self.decoded(string, emit) for string in strings])
        return [text if self.last else with_replacements(text, emit)]

    @staticmethod
    def decoded(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
        """One string in bytes."""
        data, owners, first = string
        back = bytes_of(data.decode())
        if back is None:
            emit(DecodeEvent.RAW, first, len(data))
            return string
        emit(DecodeEvent.PRINTABLE, first, len(back))
        if not back or owners[0] == owners[-1]:
            return attributed(back, first)
        # a printable character has one or two bytes; the byte it spells belongs to the owner of the first
        return AttributedBytes(back, [owners[at] for at in character_offsets(data)[:-1]], first)


def with_replacements(string: AttributedBytes, emit: StepEmit) -> AttributedBytes:
    """The string with U+FFFD for each malformed run of bytes. It belongs to the owner of the run's first byte.

    >>> with_replacements(attributed(b"a\\xc3", 5), lambda *row: None).data.decode()
    'a\ufffd'
    """
    faults = malformed(string.data)
    for start, _ in faults:
        emit(DecodeEvent.REPLACED, string.owners[start], len(REPLACEMENT))
    return substituted(string, faults, REPLACEMENT) if faults else string


def malformed(data: bytes) -> list[tuple[int, int]]:
    """The spans [start, end) of bytes that are not valid UTF-8.

    >>> malformed(b"a\\xc3b")
    [(1, 2)]
    """
    if is_utf8(data):
        return []
    return [(each.start, each.start + each.length) for each in decode_utf8(data) if each.fault]


BYTE_TOKEN = re.compile(rb"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")
"""A byte token: anything that Rust's `u8::from_str_radix` reads as two hexadecimal digits, a plus sign included."""


class ByteFallbackDecoder(DecoderStep):
    """Turns runs of byte tokens into text. A run that isn't valid UTF-8 becomes one U+FFFD per byte.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"<0xC3>", b"<0xA9>", b"a", b"<0xC3>"))]
    >>> [each.data.decode() for each in ByteFallbackDecoder().run(strings, lambda *row: None)]
    ['é', 'a', '\ufffd']
    """

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The byte of a byte token, any other string unchanged."""
        match = None if fused else BYTE_TOKEN.fullmatch(data)
        return data if match is None else bytes([int(match[1], 16)])

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """The strings, each run of byte tokens as one."""
        made: Strings = []
        data, owners = bytearray(), list[int]()
        for string in strings:
            match = BYTE_TOKEN.fullmatch(string.data)
            if match:
                data.append(int(match[1], 16))
                owners.append(string.first)
            else:
                made += self.decoded(bytes(data), owners, emit)
                data, owners = bytearray(), []
                made.append(string)
        return made + self.decoded(bytes(data), owners, emit)

    @staticmethod
    def decoded(data: bytes, owners: list[int], emit: StepEmit) -> Strings:
        """The strings that a run of byte tokens gives."""
        if not is_utf8(data):
            for owner in owners:
                emit(DecodeEvent.REPLACED, owner, len(REPLACEMENT))
            return [attributed(REPLACEMENT, owner) for owner in owners]
        for owner in owners:
            emit(DecodeEvent.BYTE, owner, 1)
        return [AttributedBytes(data, owners, owners[0])] if data else []


class IgnoreMalformedDecoder(DecoderStep):
    """Joins all strings and leaves out the bytes that are not valid UTF-8.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"\\xc3", b"\\xa9", b"\\xc3", b"a"))]
    >>> [each.data.decode() for each in IgnoreMalformedDecoder().run(strings, lambda *row: None)]
    ['éa']
    """

    fuses = True

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in valid UTF-8."""
        text = joined(strings)
        faults = malformed(text.data)
        for start, end in faults:
            for at in range(start, end):
                emit(DecodeEvent.IGNORED, text.owners[at], 1)
        return [substituted(text, faults, b"") if faults else text]


class SpacedTokensDecoder(DecoderStep):
    """What version 4 does: it sets some added tokens apart, decodes what is between them, and puts a space on both
    sides of each.

    apart: their strings. steps: the decoder of the class, which sees the strings between two of them.

    >>> strings = [attributed(piece, at) for at, piece in enumerate((b"a", b"<x>", b"<x>", b"b"))]
    >>> [each.data for each in SpacedTokensDecoder([b"<x>"]).run(strings, lambda *row: None)]
    [b'a <x> <x> b']
    """

    fuses = True

    def __init__(self, apart: Container[bytes], steps: Sequence[DecoderStep] = (IgnoreMalformedDecoder(),)) -> None:
        self.apart, self.steps = apart, tuple(steps)

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string as the steps decode it alone."""
        return data if data in self.apart else alone(data, self.steps, fused)

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one."""
        parts: Strings = []
        text: Strings = []
        for string in strings:
            if string.data not in self.apart:
                text.append(string)
                continue
            read = self.between(text, emit)
            parts += [read, string] if read.data else [string]
            text = []
        if text:
            # the original puts a space before it even if nothing of it is left
            parts.append(self.between(text, emit))
        spaced: Strings = []
        for part in parts:
            if spaced:
                emit(DecodeEvent.APART, part.first, 1)
                spaced.append(attributed(b" ", part.first))
            spaced.append(part)
        return [joined(spaced)]

    def between(self, strings: Strings, emit: StepEmit) -> AttributedBytes:
        """The strings between two tokens that are set apart, decoded."""
        for step in self.steps:
            strings = step.run(strings, emit)
        return joined(strings)


class LowercaseDecoder(DecoderStep):
    """Joins all strings and lowercases the text.

    >>> [each.data.decode() for each in LowercaseDecoder().run([attributed("ÉΣ".encode(), 0)], lambda *row: None)]
    ['éς']
    """

    fuses = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        """The string in lower case; unchanged if it is part of a character."""
        text = text_of(data)
        return data if text is None else text.lower().encode()

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
        """All strings as one, in lower case."""
        whole = joined(strings)
        text = whole.data.decode()
        low = text.lower()
        if low == text:
            return [whole]
        data, owners, at, done = bytearray(), list[int](), 0, 0
        for ch in text:
            now = low[done : done + len(ch.lower())]
            done += len(now)
            if now != ch:
                emit(DecodeEvent.SUBSTITUTED, whole.owners[at], len(now.encode()))
            data += now.encode()
            owners += [whole.owners[at]] * len(now.encode())
            at += len(ch.encode())
        return [AttributedBytes(bytes(data), owners, whole.first)]


RULES = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""The strings that lose their spaces. Each rule runs over the text that the rules before it left."""


class TidyDecoder(DecoderStep):
    """Joins all strings and drops spaces before punctuation and contractions.

    >>> from explorer.engine.decoders.huggingface import attributed
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

    def run(self, strings: Strings, emit: StepEmit) -> Strings:
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
