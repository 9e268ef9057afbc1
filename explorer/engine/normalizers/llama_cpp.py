"""llama.cpp's normalizers: a space in front, spaces written ▁, lower case."""

from __future__ import annotations

from array import array

from explorer.engine.items import Segment
from explorer.engine.normalizers.stage import ESCAPED_SPACE, Normalize
from explorer.engine.trace import Emit
from explorer.text.code_points import simple_lower


class SpacePrefix:
    """Puts a space in front of a segment at the start of the text or after a special token.

    So that `What` is the same token at the start of a text as after a space. Follows `is_prev_special` in llama.cpp's
    `tokenize`; sentencepiece, which knows no special tokens in the text, calls it the dummy prefix.
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        if after_text:
            emit(Normalize.NO_PREFIX, item, 0, -1)
            return segment
        emit(Normalize.PREFIX, item, 0, ord(" "))
        at = segment.starts[0]
        return Segment(" " + segment.text, array("i", [at, *segment.starts]), array("i", [at, *segment.ends]))


class EscapeWhitespace:
    """Writes every space as ▁ (U+2581). Tabs, newlines and other white space stay.

    >>> EscapeWhitespace().apply(Segment.of(" a\\t"), 0, False, lambda *row: None).text
    '▁a\\t'
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        at = segment.text.find(" ")
        while at >= 0:
            emit(Normalize.REPLACE, item, at, ord(ESCAPED_SPACE))
            at = segment.text.find(" ", at + 1)
        return segment._replace(text=segment.text.replace(" ", ESCAPED_SPACE))


class Lower:
    """Makes letters small, one character for one, as llama.cpp's `unicode_tolower`.

    >>> Lower().apply(Segment.of("AÉßİ"), 0, False, lambda *row: None).text
    'aéßi'
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        lower = "".join(map(simple_lower, segment.text))
        for at, (was, now) in enumerate(zip(segment.text, lower, strict=True)):
            if was != now:
                emit(Normalize.LOWER, item, at, ord(now))
        return segment._replace(text=lower)
