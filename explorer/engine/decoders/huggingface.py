"""The decoders of Hugging Face's tokenizers: each turns a list of strings into another.

Follows `decoders/`, and `chain` of `pre_tokenizers/byte_level.rs`, `pre_tokenizers/metaspace.rs` and
`normalizers/replace.rs`. Where the original stops with an index out of bounds (Strip with more characters to take than
a string has) the string is simply used up here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from explorer.engine.decoders.chain import Owned, Tell, joined, replaced, substituted, whole
from explorer.engine.decoders.rows import Decode
from explorer.engine.limits.length import Room
from explorer.engine.unicode.byte_map import bytes_of
from explorer.text import decode_utf8

REPLACEMENT: Final = "\ufffd".encode()


def _untold(kind: Decode, position: int, size: int) -> None:
    """Where nobody asks for the decisions."""


def swapped(data: bytes, old: bytes, new: bytes) -> bytes:
    """`replaced` for the string of one token."""
    return replaced(whole(data, 0), old, new).data


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


class ByteLevel:
    """The bytes that printable characters stand for; a string with any other character stays as it is. All joined.

    last: no other decoder follows, so bytes that are no text may stay for whoever reads the whole; else each run of
    them becomes U+FFFD here.

    >>> [each.data for each in ByteLevel().run([whole("ĠÃ".encode(), 0), whole("©".encode(), 1)], lambda *row: None)]
    [b' \\xc3\\xa9']
    """

    joins = True

    def __init__(self, last: bool = True) -> None:
        self.last = last

    def alone(self, data: bytes, fused: bool) -> bytes:
        try:
            back = bytes_of(data.decode())
        except UnicodeDecodeError:
            return data
        return data if back is None else back

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        made = []
        for string in strings:
            text = string.data.decode()
            back = bytes_of(text)
            if back is None:
                tell(Decode.RAW, string.first, len(string.data))
                made.append(string)
                continue
            tell(Decode.PRINTABLE, string.first, len(back))
            if not back or string.owners[0] == string.owners[-1]:
                made.append(whole(back, string.first))
                continue
            # a printable character has one byte or two, and its byte belongs to whoever owned the first of them
            owners = [owner for owner, byte in zip(string.owners, string.data, strict=True) if byte & 0xC0 != 0x80]
            made.append(Owned(back, owners, string.first))
        whole_text = joined(made)
        return [whole_text if self.last else readable(whole_text, tell)]


def readable(string: Owned, tell: Tell) -> Owned:
    """The string with U+FFFD for every run of bytes that is no text, which belongs to the owner of the first.

    >>> readable(whole(b"a\\xc3", 5), lambda *row: None).data.decode()
    'a\ufffd'
    """
    try:
        string.data.decode()
    except UnicodeDecodeError:
        faults = [(each.start, each.start + each.length) for each in decode_utf8(string.data) if each.fault]
        for start, _ in faults:
            tell(Decode.REPLACED, string.owners[start], len(REPLACEMENT))
        return substituted(string, faults, REPLACEMENT)
    return string


BYTE: Final = re.compile(rb"<0x([0-9A-Fa-f]{2}|\+[0-9A-Fa-f])>")
"""What is taken for a byte token: whatever Rust reads as a number of two hexadecimal digits, a sign included."""


class ByteFallback:
    """Byte tokens to the text their bytes make; a run of them that is no text gives one U+FFFD for each.

    >>> strings = [whole(b"<0xC3>", 0), whole(b"<0xA9>", 1), whole(b"a", 2), whole(b"<0xC3>", 3)]
    >>> [each.data.decode() for each in ByteFallback().run(strings, lambda *row: None)]
    ['é', 'a', '\ufffd']
    """

    joins = False

    def alone(self, data: bytes, fused: bool) -> bytes:
        match = None if fused else BYTE.fullmatch(data)
        return data if match is None else bytes([int(match[1], 16)])

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        made: list[Owned] = []
        data, owners = bytearray(), list[int]()

        def flush() -> None:
            try:
                data.decode()
            except UnicodeDecodeError:
                made.extend(whole(REPLACEMENT, owner) for owner in owners)
                for owner in owners:
                    tell(Decode.REPLACED, owner, len(REPLACEMENT))
            else:
                for owner in owners:
                    tell(Decode.BYTE, owner, 1)
                if data:
                    made.append(Owned(bytes(data), list(owners), owners[0]))
            data.clear()
            owners.clear()

        for string in strings:
            match = BYTE.fullmatch(string.data)
            if match:
                data.append(int(match[1], 16))
                owners.append(string.first)
            else:
                flush()
                made.append(string)
        flush()
        return made


class Fuse:
    """All strings as one.

    >>> [each.data for each in Fuse().run([whole(b"a", 0), whole(b"b", 1)], lambda *row: None)]
    [b'ab']
    """

    joins = True

    def alone(self, data: bytes, fused: bool) -> bytes:
        return data

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        fused = joined(strings)
        if fused.data:
            tell(Decode.FUSED, fused.first, len(fused.data))
        return [fused]


class Strip:
    """Up to `start` characters `content` are taken from the beginning of every string, up to `stop` from its end.

    >>> [each.data for each in Strip(" ", 1, 0).run([whole(b"  a", 0), whole(b"b", 1)], lambda *row: None)]
    [b' a', b'b']
    """

    joins = False

    def __init__(self, content: str, start: int, stop: int) -> None:
        self.content, self.start, self.stop = content.encode(), start, stop

    def alone(self, data: bytes, fused: bool) -> bytes:
        return data if fused else self.stripped(whole(data, 0), _untold).data

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        return [self.stripped(string, tell) for string in strings]

    def stripped(self, string: Owned, tell: Tell) -> Owned:
        data, size = string.data, len(self.content)
        begin, end, left = 0, len(data), self.start
        while left and data.startswith(self.content, begin):
            begin, left = begin + size, left - 1
        left = self.stop
        while left and end - size >= begin and data.endswith(self.content, begin, end):
            end, left = end - size, left - 1
        if end - begin == len(data):
            return string
        tell(Decode.STRIPPED, string.first, len(data) - (end - begin))
        return Owned(data[begin:end], string.owners[begin:end], string.first)


Spans = Callable[[str], Iterable[tuple[int, int]]]
"""Where a pattern matches in a text: [start, end) in code points, in order."""


class Replace:
    """Another text for every match, in each string by itself.

    find: a text, or what finds the places.

    >>> [each.data for each in Replace("▁", " ").run([whole("▁a".encode(), 0)], lambda *row: None)]
    [b' a']
    """

    joins = False

    def __init__(self, find: str | Spans, content: str) -> None:
        self.find, self.content = find, content.encode()

    def alone(self, data: bytes, fused: bool) -> bytes:
        # an expression may look at what is around, and behind Fuse that is other tokens
        if not isinstance(self.find, str) and (fused or not is_text(data)):
            return data
        return self.written(whole(data, 0), _untold, Room.for_ids(1), 0).data

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        # the strings are those of ids in rising order
        room, size = Room.for_ids(strings[-1].owners[-1] + 1 if strings and strings[-1].owners else len(strings)), 0
        made = []
        for string in strings:
            made.append(self.written(string, tell, room, size))
            size += len(made[-1].data)
        return made

    def written(self, string: Owned, tell: Tell, room: Room, size: int) -> Owned:
        """A string rewritten; size: of those before it."""
        if not string.data:  # an empty string has no places, even for an empty pattern
            return string
        if isinstance(self.find, str):
            room.check(size + len(self.content) * string.data.count(self.find.encode()), self)
            made = replaced(string, self.find.encode(), self.content)
        else:
            text = string.data.decode()
            spans = list(self.find(text))
            room.check(size + len(self.content) * len(spans), self)
            if spans and not text.isascii():
                offsets = [at for at, byte in enumerate(string.data) if byte & 0xC0 != 0x80] + [len(string.data)]
                spans = [(offsets[start], offsets[end]) for start, end in spans]
            made = substituted(string, spans, self.content) if spans else string
        if made is not string:
            tell(Decode.SUBSTITUTED, string.first, len(made.data))
        return made


class Metaspace:
    """The character that stands for a space becomes one; in the first string it goes, where a text gets one in front.

    >>> strings = [whole("▁▁a".encode(), 0), whole("▁b".encode(), 1)]
    >>> [each.data for each in Metaspace("▁", True).run(strings, lambda *row: None)]
    [b'a', b' b']
    """

    joins = False

    def __init__(self, replacement: str, prepended: bool) -> None:
        self.replacement, self.prepended = replacement.encode(), prepended

    def alone(self, data: bytes, fused: bool) -> bytes:
        return swapped(data, self.replacement, b"" if fused and self.prepended else b" ")

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        made = []
        for place, string in enumerate(strings):
            new = b"" if self.prepended and not place else b" "
            made.append(told(string, replaced(string, self.replacement, new), Decode.METASPACE, tell))
        return made


CLEAN_UP: Final = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip
"""What the clean-up replaces, in this order."""


def cleaned(string: Owned, tell: Tell) -> Owned:
    """The string with the spaces gone that the clean-up takes away."""
    made = string
    for old, new in CLEAN_UP:
        made = replaced(made, old.encode(), new.encode())
    return told(string, made, Decode.CLEANED, tell)


def told(before: Owned, after: Owned, kind: Decode, tell: Tell) -> Owned:
    """The string after a change, which is said where there was one."""
    if after is not before:
        tell(kind, before.first, len(after.data))
    return after


class WordPiece:
    """A space in front of every string but the first, or no prefix where it goes on in a word; then the clean-up.

    >>> strings = [whole(b"hat", 0), whole(b"##s", 1), whole(b"?", 2), whole(b"hat", 3)]
    >>> [each.data for each in WordPiece("##", True).run(strings, lambda *row: None)]
    [b'hat', b's', b'?', b' hat']
    """

    joins = False

    def __init__(self, prefix: str, cleanup: bool) -> None:
        self.prefix, self.cleanup = prefix.encode(), cleanup

    def alone(self, data: bytes, fused: bool) -> bytes:
        return data if fused else data.removeprefix(self.prefix)

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        made = []
        for place, string in enumerate(strings):
            if place and string.data.startswith(self.prefix):
                size = len(self.prefix)
                tell(Decode.GLUED, string.first, len(string.data) - size)
                string = Owned(string.data[size:], string.owners[size:], string.first)
            elif place:
                string = spaced(string, Decode.SPACED, tell)
            made.append(cleaned(string, tell) if self.cleanup else string)
        return made


def spaced(string: Owned, kind: Decode, tell: Tell) -> Owned:
    """The string with a space in front."""
    tell(kind, string.first, len(string.data) + 1)
    return Owned(b" " + string.data, [string.first, *string.owners], string.first)


class BpeSuffix:
    """The suffix that ends a word becomes a space, in the last string nothing (BPEDecoder).

    >>> [each.data for each in BpeSuffix("</w>").run([whole(b"a</w>", 0), whole(b"b</w>", 1)], lambda *row: None)]
    [b'a ', b'b']
    """

    joins = False

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix.encode()

    def alone(self, data: bytes, fused: bool) -> bytes:
        return swapped(data, self.suffix, b"" if fused else b" ")

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        last = len(strings) - 1
        return [
            told(string, replaced(string, self.suffix, b"" if place == last else b" "), Decode.SUFFIX, tell)
            for place, string in enumerate(strings)
        ]


class Ctc:
    """For models that give a token for each moment of a recording: repeats and padding go, delimiters are spaces.

    >>> strings = [whole(text, place) for place, text in enumerate((b"a", b"a", b"<pad>", b"a", b"|"))]
    >>> [each.data for each in Ctc("<pad>", "|", True).run(strings, lambda *row: None)]
    [b'a', b'a', b' ']
    """

    joins = False

    def __init__(self, pad: str, delimiter: str, cleanup: bool) -> None:
        self.pad, self.delimiter, self.cleanup = pad.encode(), delimiter.encode(), cleanup

    def alone(self, data: bytes, fused: bool) -> bytes:
        data = swapped(data, self.pad, b"")
        return swapped(data, self.delimiter, b" ") if self.cleanup else data

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        made: list[Owned] = []
        before: bytes | None = None
        for string in strings:
            if string.data == before:
                tell(Decode.SAME, string.first, 0)
                continue
            before = string.data
            string = told(string, replaced(string, self.pad, b""), Decode.BLANK, tell)
            if self.cleanup:
                string = cleaned(string, tell)
                string = told(string, replaced(string, self.delimiter, b" "), Decode.DELIMITER, tell)
            if string.data:
                made.append(string)
        return made


class Spaces:
    """No decoder at all: a space between every two strings.

    >>> [each.data for each in Spaces().run([whole(b"a", 0), whole(b"b", 1)], lambda *row: None)]
    [b'a', b' b']
    """

    joins = False

    def alone(self, data: bytes, fused: bool) -> bytes:
        return data

    def run(self, strings: list[Owned], tell: Tell) -> list[Owned]:
        return [spaced(string, Decode.BETWEEN, tell) if place else string for place, string in enumerate(strings)]
