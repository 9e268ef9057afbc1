"""Unicode normalization forms (NFC, NFD, NFKC, NFKD) as normalizers, with alignment; and plain replacement.

As Hugging Face's tokenizers apply them. The form itself is `unicodedata`'s, so a code point newer than this Python's
Unicode stays as it is. Alignment is kept by clusters: a base character with the marks behind it, or Hangul letters that
join; every character of a changed cluster stands for the whole of it.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Iterator
from typing import Literal

from explorer.engine.items import Segment
from explorer.engine.normalizers import Normalize
from explorer.trace import Emit

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


class UnicodeForm:
    """One of the four normalization forms.

    >>> UnicodeForm("NFC").apply(Segment.of("ne\\u0301"), 0, False, lambda *row: None)._asdict()
    {'text': 'né', 'starts': array('i', [0, 1]), 'ends': array('i', [1, 3])}
    """

    def __init__(self, form: Form) -> None:
        self.form: Form = form

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        text, starts, ends = segment
        if unicodedata.is_normalized(self.form, text):
            return segment
        made: list[str] = []
        new_starts, new_ends = array("i"), array("i")
        size = 0
        for low, high in self.clusters(text):
            cluster = text[low:high]
            form = unicodedata.normalize(self.form, cluster)
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

    def clusters(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans [low, high) whose forms, one after the other, are the form of the whole text."""
        low = 0
        for at in range(1, len(text)):
            ch = text[at]
            # nothing below the first combining mark ever joins with what stands before it
            if ch < "\u0300" or self.stands_alone(text[low:at], ch):
                yield low, at
                low = at
        if text:
            yield low, len(text)

    def stands_alone(self, cluster: str, ch: str) -> bool:
        """Whether a character begins a cluster of its own behind this one."""
        if unicodedata.combining(unicodedata.normalize("NFKD", ch)[0]):
            return False
        form = unicodedata.normalize(self.form, ch)
        return unicodedata.normalize(self.form, cluster + ch) == unicodedata.normalize(self.form, cluster) + form


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
