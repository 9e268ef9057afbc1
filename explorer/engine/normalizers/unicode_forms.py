"""The Unicode normalization forms (NFC, NFD, NFKC, NFKD) as normalizers, with the original's alignment.

Follows `unicode_normalization_alignments`, the crate Hugging Face's tokenizers use: every character is decomposed, runs
of combining marks are put in canonical order, and the C forms compose again. Its tables are those of Unicode 9
(`unicode.versions`). A composed é has the span of its e (see `alignment`).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from explorer.engine.items import Segment
from explorer.engine.normalizers.alignment import Step, rewritten
from explorer.engine.normalizers.stage import NormalizeEvent
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
        """Whether a text is already in this form and has no character that is newer than the original's tables."""
        return unicodedata.is_normalized(self.form, text) and _UNKNOWN.isdisjoint(text)

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment in this form."""
        text = segment.text
        if self.keeps(text):
            return segment
        if not self.composes:
            return rewritten(segment, list(self.ordered(text, item, emit)))
        steps = list(composing(self.ordered(text, item, silent)))
        at = 0
        for index, (ch, step) in enumerate(steps):
            if step > 0:
                continue
            more = index + 1 < len(steps) and steps[index + 1][1] > 0
            if step or more or ch != text[at]:
                emit(NormalizeEvent.FORM, item, at, ord(ch))
            at += 1 - step
        return rewritten(segment, steps)

    def ordered(self, text: str, item: int, emit: Emit) -> Iterator[Step]:
        """Every character decomposed, every run of marks in canonical order (a stable sort)."""
        run: list[tuple[int, Step, int]] = []
        """marks not yet in order: combining class, the mark, the index of its character in the text"""
        for at, ch in enumerate(text):
            parts = decomposed(ch, self.compatible)
            if parts != ch:
                emit(NormalizeEvent.DECOMPOSE, item, at, ord(parts[0]))
            for index, part in enumerate(parts):
                rank = combining_class(part)
                if not rank:
                    yield from in_order(run, item, emit)
                    run.clear()
                    yield part, int(index > 0)
                else:
                    run.append((rank, (part, int(index > 0)), at))
        yield from in_order(run, item, emit)


def in_order(run: list[tuple[int, Step, int]], item: int, emit: Emit) -> Iterator[Step]:
    """A run of marks in canonical order."""
    for was, now in zip(run, sorted(run, key=lambda mark: mark[0]), strict=True):
        if was is not now:
            emit(NormalizeEvent.REORDER, item, now[2], ord(now[1][0]))
        yield now[1]


def composing(steps: Iterable[Step]) -> Iterator[Step]:
    """Decomposed characters composed again: a mark joins the base before it unless a mark of its class or a higher one
    is between them."""
    base: Step | None = None
    marks: list[Step] = []
    last = 0
    """the class of the last mark that did not join; 0 for none"""
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
