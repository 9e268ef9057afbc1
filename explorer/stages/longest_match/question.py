"""A question about WordPiece: where does the longest match end?

Wrong ends are windows that the model tried, and shorter pieces that it passed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import cast

from explorer.engine.models.wordpiece import WordPieceEvent, WordPieceRow
from explorer.stages.longest_match.why import WordPieces
from explorer.stages.question import Choice, Draft, Scene, quoted_row, richest
from explorer.stages.why import SegmentEvents
from explorer.text.say import Say


def longest_match(scene: Scene) -> Draft | None:
    """Where does the longest match end?"""
    return richest(in_words(scene))


def in_words(scene: Scene) -> Iterator[Draft]:
    """The longest matches of WordPiece."""
    family = cast(WordPieces, scene.family)
    found = [
        (fragment, event, hit)
        for fragment in family.fragments.values()
        for event, hit in family.rows(fragment)
        if hit.kind == WordPieceEvent.HIT and family.size(fragment) - hit.start > 1
    ]
    shuffled = scene.random.sample(found, len(found))
    # a match that takes the whole rest asks for little
    shuffled.sort(key=lambda each: each[2].end == family.size(each[0]))
    for fragment, event, hit in shuffled:
        yield in_word(scene, family, fragment, event, hit)


def in_word(scene: Scene, family: WordPieces, fragment: SegmentEvents, event: int, hit: WordPieceRow) -> Draft:
    """The longest match in a word, which an event found."""
    start, size = hit.start, family.size(fragment)
    missed = sorted(
        row.end for _, row in family.rows(fragment) if row.kind == WordPieceEvent.MISS and row.start == start
    )
    tried = [event for event, row in family.rows(fragment) if row.start == start and row.end in missed]
    ids = family.model.ids
    passed = [end for end in range(hit.end - 1, start, -1) if family.window(fragment, start, end) in ids]
    ends = [end for pair in zip_longest(missed[:2], passed[:2]) for end in pair if end]
    # a match that takes the whole rest has missed nothing: shorter starts, pieces or not
    ends += [*missed[-1:], *range(hit.end - 1, start, -1)]
    wrong = [
        Choice(
            quoted_row([family.shown(fragment, start, end)]),
            "",
            Say("It is a piece, but not the longest.") if end in passed else Say("It is not a piece."),
        )
        for end in ends
    ]
    rest = family.shown(fragment, start, size)
    prompt = scene.say("{0:t} looks for the longest piece at the start of {1:q}. Where does it end?", scene.name, rest)
    right = family.shown(fragment, start, hit.end)
    said = Say.of("{0:q} is token {1:t}.", right, str(hit.token))
    if missed:
        longer = Say.of(
            "{0:q} is the next longer start, and it is not a piece.", family.shown(fragment, start, missed[0])
        )
        said = said.then(longer)
    return Draft(
        prompt, Choice(quoted_row([right])), wrong, said, scene.stage.name, max(tried, default=event - 1), event
    )
