"""Ids above those that encoding their text gives, aligned on the text, with what differs marked in both rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from explorer.analysis.alignment import Span, align
from explorer.analysis.round_trip import IdsAgain, added, changed_say, stages_say, tokens_on_bytes
from explorer.engine.items import ADDED, Token
from explorer.engine.results import Encoding
from explorer.implementations.opened import Opened
from explorer.text.say import plural
from explorer.views.compare.aligned import FEWER, MORE, Line, Picture, aligned, part_at, part_words

SAME, CANONICAL, APART = 0, 1, 2
"""Kinds of cells, as `aligned.css` has their colors."""
LABELS: Final = ("These ids", "Canonical")


def again_picture(found: IdsAgain, tokenizer: Opened, stored: bool = False, part: Span | None = None) -> Picture:
    """Both rows. part: of the text that is drawn; by default all of a short text, else what is around the first drift.

    >>> import explorer
    >>> from explorer.analysis.round_trip import ids_again
    >>> gpt2 = explorer.load("gpt-2")
    >>> again_picture(ids_again(gpt2, [5450, 25, 1003]), gpt2).frame["part"]
    ''
    """
    front, back = added(tokenizer, found.ids)
    inner = found.ids[len(front) : len(found.ids) - len(back)]
    parts = tokenizer.trace_decode(inner, remove_special=False).parts
    rows = [
        tokens_on_bytes(tokenizer, inner, parts),
        tokenizer.encode(found.text, add_special=False).tokens,
    ]
    encodings = [
        Encoding.of([*_around(front), *tokens, *_around(back)], tokenizer.vocabulary, tokenizer.decoder.alone)
        for tokens in rows
    ]
    alignment = align(found.text, list(zip(LABELS, encodings, strict=True)))
    given, canonical = set[int](), set[int]()
    shift = 0
    for each in found.drifts:
        given |= set(range(each.start, each.end))
        canonical |= set(range(each.start + shift, each.start + shift + len(each.canonical)))
        shift += len(each.canonical) - (each.end - each.start)
    kinds = [
        [kind if any(index in differ for index in range(cell.first, cell.last)) else SAME for cell in row.cells]
        for row, differ, kind in zip(alignment.rows, (given, canonical), (APART, CANONICAL), strict=True)
    ]
    first = encodings[0].tokens[min(given)].start if given else 0
    part = part or part_at(found.text, max(0, first))
    counts = [len(encoding.ids) for encoding in encodings]
    notes = [[[plural(len(found.drifts), "stretch differs", "stretches differ"), f"k{APART}"]], []]
    beside = [
        {"family": plural(count, "id"), "note": note if found.drifts else []}
        for count, note in zip(counts, notes, strict=True)
    ]
    drawn = aligned(alignment, [tokenizer] * 2, part, stored, kinds=kinds, beside=beside)
    said = Line.of(
        stages_say(found), " ", ("Orange: these ids.", MORE), " ", ("Green: what encoding gives instead.", FEWER)
    )
    frame = {
        "said": Line.of(changed_say(found)).data,
        "note": said.data if found.drifts else [],
        "head": "the text",
        "hint": "N goes to the next place that differs." if found.drifts else "",
        "fold": True,
        "part": part_words(part, found.text),
    }
    return Picture(frame, drawn)


def _around(ids: Sequence[int]) -> list[Token]:
    """Tokens that are not from the text."""
    return [Token(id, ADDED, ADDED) for id in ids]
