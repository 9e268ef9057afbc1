"""Hugging Face's decoders, one class each: those that rewrite text, and those that turn tokens into bytes.

Follows `decoders/`, and `chain` of `pre_tokenizers/metaspace.rs` and `normalizers/replace.rs` of its tokenizers. Where
the original panics with an index out of bounds (`Strip` asked for more characters than a string has), the string is
used up here.

The last ones are what the tokenizers of `transformers` that are written in Python do with the strings of tokens.
Follows `_decode` of its versions 4 and 5, and `convert_tokens_to_string` of `ByT5Tokenizer`, which reads bytes as
UTF-8 and ignores errors.

`Tidy`, for clean_up_tokenization_spaces, follows `PreTrainedTokenizerBase.clean_up_tokenization`. It has one rule less
than the clean-up of the WordPiece decoder and sees the whole text, so spaces between tokens go, too.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence

from explorer.engine.decoders.chain import (
    AttributedBytes,
    DecodeEvent,
    DecoderStep,
    StepEmit,
    Strings,
    alone,
    attributed,
    joined,
    replaced,
    substituted,
)
from explorer.engine.part import LengthBudget
from explorer.engine.regexes.safe import FindSpans
from explorer.text import decode_utf8
from explorer.text.input import character_offsets, is_utf8, text_of
from explorer.vocabulary import bytes_of


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

    def __init__(self, find: str | FindSpans, content: str) -> None:
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

    >>> from explorer.engine.decoders.chain import attributed
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
