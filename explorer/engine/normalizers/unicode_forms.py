"""The Unicode normalization forms (NFC, NFD, NFKC, NFKD) as normalizers.

Follows `unicode_normalization_alignments`, the crate Hugging Face's tokenizers use: every character is decomposed, runs
of combining marks are put in canonical order, and the C forms compose again, each in a pass over the whole text. Its
tables are those of Unicode 9 (`unicode.versions`). A composed é has the span of its e and the accent, in the original
that of its e (see `analysis/ownership.py`).
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from explorer.engine.normalizers.stage import NormalizeEvent, covering, emit_text, rewritten
from explorer.engine.part import Aligned, Emit, Segment, silent
from explorer.engine.unicode.versions import UNKNOWN_TO_FORMS, combining_class, composed, decomposed

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

SHORT = 1 << 13
"""Characters of a text that Python's own forms are used for: they sort marks in quadratic time."""


class Step(NamedTuple):
    """A character of the new text, its step in the original, and the characters [low, high) it was made of."""

    character: str
    step: int
    low: int
    high: int


class UnicodeForm(Aligned):
    """One of the four normalization forms.

    >>> UnicodeForm("NFC").apply(Segment.of("ne\\u0301"), 0, False, lambda *row: None)._asdict()
    {'text': 'né', 'starts': array('i', [0, 1]), 'ends': array('i', [1, 3])}
    """

    unknown: frozenset[str] = frozenset(map(chr, UNKNOWN_TO_FORMS))
    """characters that are newer than the original's tables"""
    combining_class: Callable[[str], int] = staticmethod(combining_class)
    composed: Callable[[str, str], str | None] = staticmethod(composed)

    def __init__(self, form: Form) -> None:
        self.form: Form = form
        self.composes = form.endswith("C")
        self.compatible = "K" in form

    def keeps(self, text: str) -> bool:
        """Whether a text is already in this form and has no character that is newer than the original's tables."""
        return unicodedata.is_normalized(self.form, text) and self.unknown.isdisjoint(text)

    def text(self, text: str) -> str:
        """A text in this form, without its alignment.

        >>> UnicodeForm("NFC").text("ne\\u0301")
        'né'
        """
        if len(text) <= SHORT:
            return self.short(text)
        # nothing composes with a line end, and no mark moves across one
        return "".join(map(self.short, text.splitlines(keepends=True)))

    def short(self, text: str) -> str:
        """A text in this form, not cut into lines."""
        if len(text) <= SHORT and self.unknown.isdisjoint(text):
            return unicodedata.normalize(self.form, text)
        return self.apply(Segment.of(text), 0, False, silent).text

    def apply(self, segment: Segment, item: int, after_text: bool, emit: Emit) -> Segment:
        """The segment in this form."""
        text = segment.text
        if self.keeps(text):
            return segment
        steps: list[Step] = []
        for at, ch in enumerate(text):
            parts = self.decomposed(ch)
            if parts != ch:
                emit_text(emit, NormalizeEvent.DECOMPOSE, item, at, parts)
            steps += [Step(part, int(index > 0), at, at + 1) for index, part in enumerate(parts)]
        emit(NormalizeEvent.PASS, item, 1, -1)
        steps = in_order(steps, item, emit, self.combining_class)
        if self.composes:
            emit(NormalizeEvent.PASS, item, 2, -1)
            steps = list(composing(steps, item, emit, self.combining_class, self.composed))
            emit_results(text, steps, item, emit)
        if self.as_original:
            return rewritten(segment, [step[:2] for step in steps])
        return covering(segment, ((ch, low, high) for ch, _, low, high in steps))

    def decomposed(self, ch: str) -> str:
        """The full decomposition of a character."""
        return decomposed(ch, self.compatible)


def in_order(steps: Sequence[Step], item: int, emit: Emit, rank_of: Callable[[str], int]) -> list[Step]:
    """Every run of marks in canonical order: sorted by combining class, marks of one class as they were."""
    done: list[Step] = []
    run: list[tuple[int, Step]] = []
    """marks not yet in order, each with its combining class"""

    def end_run() -> None:
        for was, now in zip(run, sorted(run, key=lambda mark: mark[0]), strict=True):
            if was is not now:
                emit(NormalizeEvent.REORDER, item, len(done), ord(now[1][0]))
            done.append(now[1])
        run.clear()

    for step in steps:
        rank = rank_of(step[0])
        if rank:
            run.append((rank, step))
        else:
            end_run()
            done.append(step)
    end_run()
    return done


def emit_results(text: str, steps: Sequence[Step], item: int, emit: Emit) -> None:
    """An event for each character that is not what it was, with what it has become."""
    at = 0
    for index, (ch, step, _, _) in enumerate(steps):
        if step > 0:
            continue
        more = index + 1 < len(steps) and steps[index + 1][1] > 0
        if step or more or ch != text[at]:
            emit(NormalizeEvent.FORM, item, at, ord(ch))
        at += 1 - step


def composing(
    steps: Iterable[Step],
    item: int,
    emit: Emit,
    rank_of: Callable[[str], int],
    pair: Callable[[str, str], str | None],
) -> Iterator[Step]:
    """Decomposed characters composed again: a mark joins the base before it unless a mark of its class or a higher one
    is between them."""
    base: Step | None = None
    marks: list[Step] = []
    begin = last = 0
    """the index of the base; the class of the last mark that did not join, 0 for none"""
    for at, each in enumerate(steps):
        ch, step, low, high = each
        rank = rank_of(ch)
        if base is None:
            if rank:
                yield each
            else:
                base, begin = each, at
            continue
        one = pair(base[0], ch) if not last or last < rank else None
        if one is not None:
            emit(NormalizeEvent.COMPOSE, item, begin, ord(one))
            emit(NormalizeEvent.ALSO, item, at, ord(ch))
            base = Step(one, base.step + step - 1, min(base.low, low), max(base.high, high))
        elif rank:
            marks.append(each)
            last = rank
        else:
            yield base
            yield from marks
            marks.clear()
            base, begin, last = each, at, 0
    if base is not None:
        yield base
    yield from marks
