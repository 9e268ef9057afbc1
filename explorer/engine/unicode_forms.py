"""Unicode normalization forms (NFC, NFD, NFKC, NFKD) as normalizers, with alignment; and plain replacement.

As Hugging Face's tokenizers apply them. The form itself is `unicodedata`'s, but for code points that came after
Unicode 9, whose tables Hugging Face's crate has to this day: it leaves them as they are, and so does `UnicodeForm`
when it is told to. Alignment is kept by clusters: a base character with the marks behind it, or Hangul letters that
join; every character of a changed cluster stands for the whole of it.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterator
from typing import Final, Literal

from explorer.engine.items import Segment
from explorer.engine.normalizers import Normalize
from explorer.trace import Emit

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_RANGES = (
    "7FD 898-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1ACE 1DF6-1DFA 32FF A7F2-A7F4 A82C AB69 10781-10785 "
    "10787-107B0 107B2-107BA 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85 11070 1133B 1145E 11839-1183A 11938 "
    "1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 16FF0-16FF1 1E130-1E136 1E2AE 1E2EC-1E2EF "
    "1F16C 1FBF0-1FBF9"
)
AFTER_UNICODE_9: Final = frozenset(
    chr(code_point)
    for low, _, high in (part.partition("-") for part in _RANGES.split())
    for code_point in range(int(low, 16), int(high or low, 16) + 1)
)
"""The characters of Unicode 10 to 14 that decompose or are combining: to older tables neither. Found by asking
Hugging Face's normalizers for every code point."""


class UnicodeForm:
    """One of the four normalization forms.

    unknown: characters that are left as they are and join with nothing.

    >>> UnicodeForm("NFC").apply(Segment.of("ne\\u0301"), 0, False, lambda *row: None)._asdict()
    {'text': 'né', 'starts': array('i', [0, 1]), 'ends': array('i', [1, 3])}
    """

    def __init__(self, form: Form, unknown: frozenset[str] = frozenset()) -> None:
        self.form: Form = form
        self.unknown = unknown

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        text, starts, ends = segment
        if unicodedata.is_normalized(self.form, text) and self.unknown.isdisjoint(text):
            return segment
        made: list[str] = []
        new_starts, new_ends = array("i"), array("i")
        size = 0
        for low, high in self.clusters(text):
            cluster = text[low:high]
            form = self.of(cluster)
            if form == cluster:
                new_starts.extend(starts[low:high])
                new_ends.extend(ends[low:high])
            else:
                emit(Normalize.FORM, item, size, ord(form[0]))
                if len(form) == high - low == 1:
                    new_starts.append(starts[low])
                    new_ends.append(ends[low])
                else:
                    new_starts.extend((starts[low],) * len(form))
                    new_ends.extend((ends[high - 1],) * len(form))
            made.append(form)
            size += len(form)
        return Segment("".join(made), new_starts, new_ends)

    def of(self, cluster: str) -> str:
        """The form of a cluster, in which only the first character may be unknown."""
        if cluster[0] in self.unknown:
            return cluster[0] + unicodedata.normalize(self.form, cluster[1:])
        return unicodedata.normalize(self.form, cluster)

    def clusters(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans [low, high) whose forms, one after the other, are the form of the whole text."""
        low = 0
        for at in range(1, len(text)):
            ch = text[at]
            # nothing below the first combining mark ever joins with what stands before it
            if ch < "\u0300" or (not self.joins(ch) and self.stands_alone(text[low:at], ch)):
                yield low, at
                low = at
        if text:
            yield low, len(text)

    def joins(self, ch: str) -> bool:
        """Whether a character is a mark, or begins with one: it belongs to what stands before it, whatever that is."""
        return ch not in self.unknown and unicodedata.combining(unicodedata.normalize("NFKD", ch)[0]) > 0

    def stands_alone(self, cluster: str, ch: str) -> bool:
        """Whether a character begins a cluster of its own behind this one."""
        return ch in self.unknown or self.of(cluster + ch) == self.of(cluster) + unicodedata.normalize(self.form, ch)


class Replace:
    """Replaces one text by another wherever it stands (Hugging Face's `Replace` with a String pattern).

    >>> Replace(" ", "▁").apply(Segment.of("a b"), 0, False, lambda *row: None).text
    'a▁b'
    """

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        text, starts, ends = segment
        at = text.find(self.old)
        if at < 0:
            return segment
        made: list[str] = []
        new_starts, new_ends = array("i"), array("i")
        begin = size = 0
        while at >= 0:
            after = at + len(self.old)
            made += (text[begin:at], self.new)
            new_starts.extend(starts[begin:at])
            new_ends.extend(ends[begin:at])
            new_starts.extend((starts[at],) * len(self.new))
            new_ends.extend((ends[after - 1],) * len(self.new))
            size += at - begin
            emit(Normalize.REPLACE, item, size, ord(self.new[0]) if self.new else -1)
            size += len(self.new)
            begin, at = after, text.find(self.old, after)
        made.append(text[begin:])
        new_starts.extend(starts[begin:])
        new_ends.extend(ends[begin:])
        return Segment("".join(made), new_starts, new_ends)


class Prepend:
    """Puts a text in front of every segment that is not empty (Hugging Face's `Prepend`)."""

    def __init__(self, text: str) -> None:
        self.text = text

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        if not segment.text or not self.text:
            return segment
        emit(Normalize.PREFIX, item, 0, ord(self.text[0]))
        at = [segment.starts[0]] * len(self.text)
        return Segment(self.text + segment.text, array("i", [*at, *segment.starts]), array("i", [*at, *segment.ends]))
