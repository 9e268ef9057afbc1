"""A text, a tokenizer and the ids expected of it: what is asked of the three more than once, and words for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from explorer.analysis.alignment import Span
from explorer.analysis.divergence.result import where
from explorer.analysis.divergence.spelling import Spelling, spelling_of
from explorer.analysis.expected import normalized
from explorer.analysis.expected.answers import Place, Reason, Region, Stretch
from explorer.analysis.expected.placed import contents
from explorer.analysis.expected.stretches import stretches
from explorer.analysis.other_text import common_ends, other_text
from explorer.engine.options import Options
from explorer.engine.tokenizer import Encoding, Tokenizer
from explorer.text.visible import shortened
from explorer.vocabulary import PieceKind, Vocabulary

LISTED = 6
"""Ids that a sentence names."""


class Question:
    """given: what the tokenizer gives. stretches: both lists of ids side by side. strange: the place of the first id
    that is none.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        text: str,
        expected: tuple[int, ...],
        options: Options,
        given: Encoding | None = None,
    ) -> None:
        self.tokenizer, self.text, self.expected, self.options = tokenizer, text, expected, options
        self.name, self.vocabulary = tokenizer.name, tokenizer.vocabulary
        self.given = tokenizer.encode(text, **options._asdict()) if given is None else given
        self.strange = next((place for place, id in enumerate(expected) if not is_id(self.vocabulary, id)), None)
        self.said: dict[tuple[int, ...], list[bytes]] = {}
        self.stretches = stretches(
            expected, self.given.ids, (self.expected_around(), self.given_around()), self.contents
        )

    # --- what stands around the text ----------------------------------------------------------------------------------

    def given_around(self) -> tuple[int, int]:
        """How many tokens were added in front and behind."""
        return run_of([token.start < 0 for token in self.given.tokens])

    def expected_around(self) -> tuple[int, int]:
        """How many special tokens the expected ids have in front and behind, but for those the text is written with."""
        added = {token.id for token in self.given.tokens if token.start < 0}
        front, behind = run_of([self.is_special(id) or id in added for id in self.expected])
        spelled = [self.vocabulary.pieces[id].decode("utf-8", "replace") for id in self.expected[:front]]
        while spelled and not self.text.lstrip().startswith("".join(spelled)):
            del spelled[0]
        written = [
            self.vocabulary.pieces[id].decode("utf-8", "replace") for id in self.expected[len(self.expected) - behind :]
        ]
        while written and not self.text.rstrip().endswith("".join(written)):
            del written[-1]
        return front - len(spelled), behind - len(written)

    # --- special tokens that differ, in words -------------------------------------------------------------------------

    def special_words(self) -> tuple[Reason, str] | None:
        """Where the lists are the same but for special tokens: which are missing or too many, and where."""
        differ = [each for each in self.stretches if not each.same]
        ids = [id for each in differ for side in self.sides(each) for id in side]
        return self.stretch_words(differ) if differ and all(map(self.is_special, ids)) else None

    def stretch_words(self, differ: Sequence[Stretch]) -> tuple[Reason, str]:
        """Stretches of special tokens that differ, in words; the reason is that of the first."""
        found = [self.one_stretch(each) for each in differ]
        reason, says = found[0]
        for before, (_, more) in pairwise(found):
            # what is told of a token in a clause of its own ends with that clause
            says += f", and {more}" if before[0] in (Reason.EXTRA_SPECIAL, Reason.OTHER_SPECIAL) else f" and {more}"
        return reason, says

    def one_stretch(self, stretch: Stretch) -> tuple[Reason, str]:
        expected, given = self.sides(stretch)
        at = f"at id number {stretch.expected.start + 1}" if stretch.place == Place.TEXT else str(stretch.place)
        if not expected:
            start, stop = stretch.given.start, stretch.given.stop
            beside = self.given.ids[max(start - 1, 0) : start] + self.given.ids[stop : stop + 1]
            if len(given) == 1 and given[0] in beside and stretch.place != Place.TEXT:
                return Reason.DOUBLED, f"have {self.listed(given)} once {at}, where {self.name} gives it twice"
            return Reason.MISSING_SPECIAL, f"lack {self.listed(given)} {at}"
        if given:
            says = f"have {self.listed(expected)} {at}, where {self.name} gives {self.listed(given)}"
            return Reason.OTHER_SPECIAL, says
        times = self.times(stretch)
        if times > 1 and stretch.place != Place.TEXT:
            often = "twice" if times == 2 else f"{times} times"
            return Reason.DOUBLED, f"have {self.listed(expected[:1])} {often} {at}"
        return Reason.EXTRA_SPECIAL, f"have {self.listed(expected)} {at}, which {self.name} does not give"

    def times(self, stretch: Stretch) -> int:
        """How often the expected ids have the token of a stretch in a row; 0 where it holds several tokens."""
        ids, (start, stop) = self.expected, (stretch.expected.start, stretch.expected.stop)
        if len(set(ids[start:stop])) != 1:
            return 0
        while start and ids[start - 1] == ids[start]:
            start -= 1
        while stop < len(ids) and ids[stop] == ids[start]:
            stop += 1
        return stop - start

    @cached_property
    def ends(self) -> list[Stretch]:
        """Where the special tokens in front and behind differ."""
        return [each for each in self.stretches if not each.same and each.place != Place.TEXT]

    # --- every region -------------------------------------------------------------------------------------------------

    def regions(self) -> Iterator[Region]:
        """What differs, the ends first."""
        order = (Place.FRONT, Place.BEHIND, Place.TEXT)
        for stretch in sorted((each for each in self.stretches if not each.same), key=lambda s: order.index(s.place)):
            one, other = self.sides(stretch)
            span = self.span(stretch) if stretch.place == Place.TEXT else None
            at = {Place.FRONT: "In front of the text", Place.BEHIND: "Behind the text"}.get(stretch.place, "")
            at = at if span is None else where(span, len(self.text)).capitalize()
            shown = "" if span is None else shortened(self.text[slice(*span)])
            yield Region(stretch, span, at, shown, self.listed(one), self.listed(other), self.name)

    def span(self, stretch: Stretch) -> Span:
        """The characters of the text that the given ids of a stretch stand for."""
        tokens = self.given.tokens
        there = [token for token in tokens[stretch.given.start : stretch.given.stop] if token.start >= 0]
        if there:
            return Span(min(token.start for token in there), max(token.end for token in there))
        at = next((token.end for token in reversed(tokens[: stretch.given.start]) if token.start >= 0), 0)
        return Span(at, at)

    # --- where nothing gives them -------------------------------------------------------------------------------------

    def otherwise(self) -> tuple[Reason, str]:
        """What can be said of ids that nothing gave."""
        if self.strange is not None:
            id, size = self.expected[self.strange], len(self.vocabulary)
            what = f"is not in the vocabulary of {self.name}, whose ids are 0 to {size - 1}"
            return Reason.OUT_OF_RANGE, (
                f"Id number {self.strange + 1}, {id}, {what}, and no bundled tokenizer gives these ids for this text."
            )
        if not self.expected:
            return (
                Reason.TEXT,
                f"The list of expected ids is empty; {self.name} gives {len(self.given.ids)} for this text.",
            )
        them = "The expected ids"
        if self.ends:
            them = f"The expected ids {self.stretch_words(self.ends)[1]}. Apart from that they"
        between = [each for each in self.stretches if each.place == Place.TEXT]
        differ = [each for each in between if not each.same]
        expected = [id for each in between for id in self.sides(each)[0]]
        note = normalized.note(self.tokenizer, {id for each in differ for side in self.sides(each) for id in side})
        tokens = self.given.tokens[between[0].given.start : between[-1].given.stop]
        theirs, ours = b"".join(self.contents(expected)), self.contents([token.id for token in tokens])
        if b"".join(ours) != theirs:
            differs = other_text(self.text, tokens, ours, theirs, self.name)
            spelled = shortened(theirs.decode("utf-8", "replace"))
            return Reason.TEXT, f"{them} spell another text, “{spelled}”: {differs}.{note}"
        first = differ[0]
        many = f" in {len(differ)} places, first" if len(differ) > 1 else ""
        one, other = self.sides(first)
        return Reason.CUTS, (
            f"{them} spell the same text but part{many} at id number {first.expected.start + 1}: "
            f"expected {self.listed(one)}, {self.name} gives {self.listed(other)}.{note}"
        )

    # --- small questions ----------------------------------------------------------------------------------------------

    def sides(self, stretch: Stretch) -> tuple[list[int], list[int]]:
        """The expected and the given ids of a stretch."""
        given = self.given.ids
        return [self.expected[place] for place in stretch.expected], [given[place] for place in stretch.given]

    def listed(self, ids: Sequence[int]) -> str:
        """Ids with their spellings for a sentence."""
        shown = ", ".join(f"{self.quoted(id)} ({id})" for id in ids[:LISTED])
        return (shown or "nothing") + (f" and {len(ids) - LISTED} more" if len(ids) > LISTED else "")

    def quoted(self, id: int) -> str:
        return self.spelling.quoted(id) if is_id(self.vocabulary, id) else "no such id"

    def is_special(self, id: int) -> bool:
        return is_id(self.vocabulary, id) and self.vocabulary.kinds[id] == PieceKind.CONTROL

    def contents(self, ids: Sequence[int]) -> list[bytes]:
        """What each id between the ends says; one that is none says nothing."""
        key = tuple(ids)
        if key not in self.said:
            if all(is_id(self.vocabulary, id) for id in ids):
                self.said[key] = contents(self.tokenizer, ids, remove_special=False)
            else:
                self.said[key] = [self.spelling.content(id) if is_id(self.vocabulary, id) else b"" for id in ids]
        return self.said[key]

    @cached_property
    def decoded(self) -> str | None:
        """What the expected ids spell."""
        if self.strange is not None:
            return None
        return b"".join(self.parts_decoded).decode("utf-8", "replace")

    @cached_property
    def parts_decoded(self) -> list[bytes]:
        """What each expected id gives when all are decoded; all must be ids."""
        around = any(each.place != Place.TEXT for each in self.stretches)
        return contents(self.tokenizer, self.expected) if around else self.contents(self.expected)

    @cached_property
    def spelling(self) -> Spelling:
        return spelling_of(self.tokenizer)

    @cached_property
    def is_near(self) -> bool:
        """Whether most ids are the same, or what they spell is mostly the text, white space aside."""
        if self.strange is not None:
            return False
        same = sum(len(each.expected) for each in self.stretches if each.same and each.place == Place.TEXT)
        if 2 * same >= max(len(self.expected), len(self.given)) > 0:
            return True
        theirs, ours = (
            b"".join(b"".join(self.contents([id for id in ids if not self.is_special(id)])).split())
            for ids in (self.expected, self.given.ids)
        )
        front, behind = common_ends(theirs, ours)
        return 2 * (front + behind) >= max(len(theirs), len(ours))


def run_of(there: Sequence[bool]) -> tuple[int, int]:
    """How many are True in front, and how many of the others behind.

    >>> run_of([True, False, True, True]), run_of([True, True])
    ((1, 2), (2, 0))
    """
    front = next((place for place, each in enumerate(there) if not each), len(there))
    behind = next((place for place, each in enumerate(reversed(there[front:])) if not each), len(there) - front)
    return front, behind


def is_id(vocabulary: Vocabulary, id: int) -> bool:
    """Whether a vocabulary has a piece under this id."""
    return 0 <= id < len(vocabulary) and bool(vocabulary.pieces[id])
