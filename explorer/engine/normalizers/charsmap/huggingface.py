"""The precompiled character map of a SentencePiece model as Hugging Face's tokenizers apply it (`Precompiled`).

Grapheme by grapheme, which sentencepiece itself does not: a grapheme of less than 6 bytes is replaced whole by the rule
of its *shortest* beginning that has one, so what stands behind that beginning is lost; any other is replaced character
by character, each by its shortest rule. White space is left to other normalizers. The table is that of `stage`.

The alignment has a surprise, kept: where the map makes nothing of the first characters of a text, the place of
everything behind is off by them. Graphemes are those of Unicode 17, as in Hugging Face's `unicode-segmentation`, so far
as that can be seen in a grapheme of less than 6 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from explorer.engine.items import Segment
from explorer.engine.limits.length import Room
from explorer.engine.normalizers.alignment import Step, rewritten
from explorer.engine.normalizers.charsmap.table import PrecompiledCharsmap
from explorer.engine.normalizers.stage import WHAT, Normalize
from explorer.engine.trace import Emit
from explorer.engine.unicode.stand_ins import LIKELY
from explorer.text.unicode_versions import code_points

GRAPHEME_BYTES = 6
"""A grapheme is looked up whole when it is shorter than this."""

GRAPHEME = regex.compile(r"\X")

_MARKS_OF_17 = "1ACF-1ADD 1AE0-1AEB 10EFA-10EFB 11B60-11B67 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5"
_MARKS_OF_18 = (
    "5C8-5C9 B53-B54 1ADE-1ADF 1AEC-1AF0 10ECB-10ECF 10EF0-10EF9 11DF0 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F "
    "1D280-1D281"
)
STAND_INS = dict.fromkeys(code_points(_MARKS_OF_17), "\u0300") | dict.fromkeys(code_points(_MARKS_OF_18), "\U00040000")
"""Marks that a version of `regex` may not know, or the original does not → one that does the same in all versions."""


def graphemes(text: str) -> Iterator[tuple[int, int]]:
    """Where each grapheme of a text begins and ends.

    >>> list(graphemes("e\u0301x"))
    [(0, 2), (2, 3)]
    """
    seen = text if text.isascii() or LIKELY.search(text) is None else text.translate(STAND_INS)
    return (grapheme.span() for grapheme in GRAPHEME.finditer(seen))


class Precompiled:
    """The map over a segment.

    >>> import explorer
    >>> table = explorer.load("xlm-r").parts[1].charsmap
    >>> Precompiled(table).apply(Segment.of("ﬁne Ａ"), 0, False, lambda *row: None).text
    'fine A'
    """

    def __init__(self, charsmap: PrecompiledCharsmap) -> None:
        self.charsmap = charsmap

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        steps: list[Step] = []
        room = Room.at(WHAT, segment)
        changed = False
        for at, end in graphemes(segment.text):
            text = segment.text[at:end]
            whole = self.rule(text) if len(text.encode()) < GRAPHEME_BYTES else None
            if whole is not None:
                kind = Normalize.GRAPHEME if len(text) > 1 else Normalize.MAP
                emit(kind, item, at, ord(whole[0]) if whole else -1)
                room.check(len(steps) + len(whole), self)
                replace(steps, text, whole)
                changed = True
                continue
            for place, ch in enumerate(text, at):
                now = self.rule(ch)
                if now is None:
                    steps.append((ch, 0))
                    continue
                emit(Normalize.MAP, item, place, ord(now[0]) if now else -1)
                room.check(len(steps) + len(now), self)
                replace(steps, ch, now)
                changed = True
        return rewritten(segment, steps) if changed else segment

    def rule(self, text: str) -> str | None:
        """What the map has for the shortest beginning of a text that it knows."""
        found = self.charsmap.matches(text.encode(), 0)
        return self.charsmap.string(found[0][1]) if found else None


def replace(steps: list[Step], old: str, new: str) -> None:
    """Writes `new` for `old`: what is longer is added behind, what is shorter is taken from the last character."""
    steps += [(ch, int(place >= len(old))) for place, ch in enumerate(new)]
    if len(new) < len(old) and steps:
        ch, step = steps[-1]
        steps[-1] = ch, step + len(new) - len(old)
