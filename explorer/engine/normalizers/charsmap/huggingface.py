"""The precompiled character map of a SentencePiece model as Hugging Face's tokenizers apply it (`Precompiled`).

It goes grapheme by grapheme, which sentencepiece does not: a grapheme of less than 6 bytes is replaced whole by the
rule for its *shortest* prefix that has one, so the characters after that prefix are lost; any other grapheme is
replaced character by character, each by its shortest rule. White space is left to other normalizers. The table is the
one `stage` uses.

In the original's offsets, if the map drops the first characters of a text, all later ones are shifted by them.
Graphemes are those of Unicode 17, as in Hugging Face's `unicode-segmentation`, as far as graphemes of less than 6 bytes
can show.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from explorer.engine.items import LengthBudget, Segment
from explorer.engine.normalizers.charsmap.table import PrecompiledCharsmap
from explorer.engine.normalizers.stage import WHAT, NormalizeEvent, Step, Written, covering, emit_text, rewritten
from explorer.engine.part import Aligned
from explorer.engine.trace import Emit
from explorer.engine.unicode.stand_ins import LIKELY
from explorer.text.unicode_versions import code_points

GRAPHEME_BYTES = 6
"""Graphemes with fewer bytes are looked up whole."""

GRAPHEME = regex.compile(r"\X")

_MARKS_OF_17 = "1ACF-1ADD 1AE0-1AEB 10EFA-10EFB 11B60-11B67 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5"
_MARKS_OF_18 = (
    "5C8-5C9 B53-B54 1ADE-1ADF 1AEC-1AF0 10ECB-10ECF 10EF0-10EF9 11DF0 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F "
    "1D280-1D281"
)
STAND_INS = dict.fromkeys(code_points(_MARKS_OF_17), "\u0300") | dict.fromkeys(code_points(_MARKS_OF_18), "\U00040000")
"""Marks that some version of `regex`, or the original, does not know → one that behaves the same in all versions."""


def graphemes(text: str) -> Iterator[tuple[int, int]]:
    """The spans [start, end) of the graphemes of a text.

    >>> list(graphemes("e\u0301x"))
    [(0, 2), (2, 3)]
    """
    seen = text if text.isascii() or LIKELY.search(text) is None else text.translate(STAND_INS)
    return (grapheme.span() for grapheme in GRAPHEME.finditer(seen))


class Precompiled(Aligned):
    """The normalizer `Precompiled`.

    >>> import explorer
    >>> table = explorer.load("xlm-r").parts[1].charsmap
    >>> Precompiled(table).apply(Segment.of("ﬁne Ａ"), 0, False, lambda *row: None).text
    'fine A'
    """

    def __init__(self, charsmap: PrecompiledCharsmap) -> None:
        self.charsmap = charsmap

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment rewritten by the map. Raises InputError if the text gets too long."""
        written: list[Written] = []
        budget, size = LengthBudget.at(WHAT, segment), 0
        changed = False
        for at, end in graphemes(segment.text):
            text = segment.text[at:end]
            whole = self.rule(text) if len(text.encode()) < GRAPHEME_BYTES else None
            if whole is not None:
                kind = NormalizeEvent.GRAPHEME if len(text) > 1 else NormalizeEvent.MAP
                emit_text(emit, kind, item, at, whole)
                for index in range(at + 1, end):
                    emit(NormalizeEvent.ALSO, item, index, ord(segment.text[index]))
                size += len(whole)
                budget.check(size, self)
                written.append((whole, at, end))
                changed = True
                continue
            for index, ch in enumerate(text, at):
                now = self.rule(ch)
                if now is not None:
                    emit_text(emit, NormalizeEvent.MAP, item, index, now)
                    changed = True
                written.append((ch if now is None else now, index, index + 1))
                size += len(written[-1][0])
                budget.check(size, self)
        if not changed:
            return segment
        if not self.as_original:
            return covering(segment, written)
        steps: list[Step] = []
        for now, low, high in written:
            replace(steps, high - low, now)
        return rewritten(segment, steps)

    def rule(self, text: str) -> str | None:
        """The string of the rule for the shortest prefix of a text; None if no prefix has a rule."""
        found = self.charsmap.matches(text.encode(), 0)
        return self.charsmap.string(found[0][1]) if found else None


def replace(steps: list[Step], old: int, new: str) -> None:
    """Appends the steps that replace so many characters by `new`: extra ones are insertions, missing ones are dropped
    after the last character."""
    steps += [(ch, int(index >= old)) for index, ch in enumerate(new)]
    if len(new) < old and steps:
        ch, step = steps[-1]
        steps[-1] = ch, step + len(new) - old
