"""The normalization forms of Unicode (NFC, NFD, NFKC, NFKD) as normalizers, with the alignment of the original.

Follows `unicode_normalization_alignments`, the crate Hugging Face's tokenizers use: every character is decomposed, runs
of combining marks are put in order, and the C forms compose again what fits. Its tables are those of Unicode 9
(`unicode.versions`). What the steps of the alignment mean is said in `aligned`: a composed é has the place of its e.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from explorer.engine.items import Segment
from explorer.engine.normalizers.alignment import Step, rewritten
from explorer.engine.normalizers.stage import Normalize
from explorer.engine.trace import Emit, silent
from explorer.engine.unicode.versions import UNKNOWN_TO_FORMS, combining_class, composed, decomposed

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

_UNKNOWN = frozenset(map(chr, UNKNOWN_TO_FORMS))


class UnicodeForm:
    """One of the four normalization forms.

    >>> UnicodeForm("NFC").apply(Segment.of("ne\\u0301"), 0, False, lambda *row: None)._asdict()
    {'text': 'né', 'starts': array('i', [0, 1]), 'ends': array('i', [1, 2])}
    """

    def __init__(self, form: Form) -> None:
        self.form: Form = form
        self.composes = form.endswith("C")
        self.compatible = "K" in form

    def keeps(self, text: str) -> bool:
        """Whether a text is in this form already, and holds nothing that the original does not know."""
        return unicodedata.is_normalized(self.form, text) and _UNKNOWN.isdisjoint(text)

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        text = segment.text
        if self.keeps(text):
            return segment
        if not self.composes:
            return rewritten(segment, list(self.ordered(text, item, emit)))
        steps = list(composing(self.ordered(text, item, silent)))
        at = 0
        for place, (ch, step) in enumerate(steps):
            if step > 0:
                continue
            more = place + 1 < len(steps) and steps[place + 1][1] > 0
            if step or more or ch != text[at]:
                emit(Normalize.FORM, item, at, ord(ch))
            at += 1 - step
        return rewritten(segment, steps)

    def ordered(self, text: str, item: int, emit: Emit) -> Iterator[Step]:
        """Every character decomposed, every run of marks in canonical order, equal ones in the order they stand."""
        run: list[tuple[int, Step, int]] = []
        """marks not yet in order: combining class, the mark, where its character stands in the text"""
        for at, ch in enumerate(text):
            parts = decomposed(ch, self.compatible)
            if parts != ch:
                emit(Normalize.DECOMPOSE, item, at, ord(parts[0]))
            for place, part in enumerate(parts):
                rank = combining_class(part)
                if not rank:
                    yield from in_order(run, item, emit)
                    run.clear()
                    yield part, int(place > 0)
                else:
                    run.append((rank, (part, int(place > 0)), at))
        yield from in_order(run, item, emit)


def in_order(run: list[tuple[int, Step, int]], item: int, emit: Emit) -> Iterator[Step]:
    """A run of marks in canonical order."""
    for was, now in zip(run, sorted(run, key=lambda mark: mark[0]), strict=True):
        if was is not now:
            emit(Normalize.REORDER, item, now[2], ord(now[1][0]))
        yield now[1]


def composing(steps: Iterable[Step]) -> Iterator[Step]:
    """Decomposed characters composed again: a mark joins the base before it unless a mark of its class or above stands
    between them."""
    base: Step | None = None
    marks: list[Step] = []
    last = 0
    """the class of the last mark that did not join, 0 where there is none"""
    for ch, step in steps:
        rank = combining_class(ch)
        if base is None:
            if rank:
                yield ch, step
            else:
                base = ch, step
            continue
        one = composed(base[0], ch) if not last or last < rank else None
        if one is not None:
            base = one, base[1] + step - 1
        elif rank:
            marks.append((ch, step))
            last = rank
        else:
            yield base
            yield from marks
            marks.clear()
            base, last = (ch, step), 0
    if base is not None:
        yield base
    yield from marks
