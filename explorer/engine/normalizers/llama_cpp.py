"""llama.cpp's normalizers: prepend a space, write spaces as ▁, lowercase."""

from __future__ import annotations

from array import array

from explorer.engine.items import Emit, Segment
from explorer.engine.normalizers.stage import ByCharacter, NormalizeEvent
from explorer.text.code_points import simple_lower
from explorer.vocabulary import SPACE_MARK


class SpacePrefix:
    """Prepends a space to a segment at the start of the text or after a special token.

    With it `What` is the same token at the start of a text as after a space. Follows `is_prev_special` in llama.cpp's
    `tokenize`; sentencepiece, which does not parse special tokens in text, calls it the dummy prefix.
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with a space in front, unless it follows text."""
        if after_text:
            emit(NormalizeEvent.NO_PREFIX, item, 0, -1)
            return segment
        emit(NormalizeEvent.PREFIX, item, 0, ord(" "))
        at = segment.starts[0]
        return Segment(" " + segment.text, array("i", [at, *segment.starts]), array("i", [at, *segment.ends]))


class EscapeWhitespace:
    """Writes every space as ▁ (U+2581). Tabs, newlines and other white space stay.

    >>> EscapeWhitespace().apply(Segment.of(" a\\t"), 0, False, lambda *row: None).text
    '▁a\\t'
    """

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment with ▁ for every space."""
        at = segment.text.find(" ")
        while at >= 0:
            emit(NormalizeEvent.REPLACE, item, at, ord(SPACE_MARK))
            at = segment.text.find(" ", at + 1)
        return segment._replace(text=segment.text.replace(" ", SPACE_MARK))


class Lower(ByCharacter):
    """Lowercases each character on its own, as llama.cpp's `unicode_tolower`.

    >>> Lower().apply(Segment.of("AÉßİ"), 0, False, lambda *row: None).text
    'aéßi'
    """

    def __init__(self) -> None:
        super().__init__(simple_lower, NormalizeEvent.LOWER)
