"""A text, a tokenizer and the expected ids: properties that several explanations need, and sentences about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from explorer.analysis.divergence.result import where
from explorer.analysis.expected import variants
from explorer.analysis.expected.answers import Position, Reason, Region, Stretch
from explorer.analysis.expected.id_texts import contents, other_text, stretches
from explorer.analysis.ownership import Span, common_ends
from explorer.engine.part import Options
from explorer.engine.tokenizer import Encoding
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Spelling, spelling_of
from explorer.text.say import Say, shortened
from explorer.vocabulary import PieceKind

LISTED = 6
"""The most ids that a sentence lists."""


class ExpectedIds:
    """Expected ids beside the ids that a tokenizer gives.

    given: the tokenizer's tokens. stretches: both lists of ids, aligned. out_of_range: the index of the first expected
    id that is not in the vocabulary.
    """

    def __init__(
        self, tokenizer: Opened, text: str, expected: tuple[int, ...], options: Options, given: Encoding | None = None
    ) -> None:
        self.tokenizer, self.text, self.expected, self.options = tokenizer, text, expected, options
        self.name, self.vocabulary = tokenizer.name, tokenizer.vocabulary
        self.given = tokenizer.encode(text, **options._asdict()) if given is None else given
        self.out_of_range = next((index for index, id in enumerate(expected) if not self.vocabulary.has(id)), None)
        self.said: dict[tuple[int, ...], list[bytes]] = {}
        self.stretches = stretches(
            expected,
            self.given.ids,
            (self.expected_around(), run_of([token.start < 0 for token in self.given.tokens])),
            self.contents,
        )

    # --- tokens around the text ---------------------------------------------------------------------------------------

    def expected_around(self) -> tuple[int, int]:
        """How many special tokens the expected ids have at the start and the end, except those that the text spells."""
        added = {token.id for token in self.given.tokens if token.start < 0}
        front, back = run_of([self.is_special(id) or id in added for id in self.expected])
        spelled, written = (
            [self.vocabulary.pieces[id].decode("utf-8", "replace") for id in ids]
            for ids in (self.expected[:front], self.expected[len(self.expected) - back :])
        )
        while spelled and not self.text.lstrip().startswith("".join(spelled)):
            del spelled[0]
        while written and not self.text.rstrip().endswith("".join(written)):
            del written[-1]
        return front - len(spelled), back - len(written)

    # --- special tokens that differ, in words -------------------------------------------------------------------------

    def special_words(self) -> tuple[Reason, Say] | None:
        """If only special tokens differ: which are missing or extra, and where."""
        differ = [each for each in self.stretches if not each.same]
        ids = [id for each in differ for side in self.sides(each) for id in side]
        return self.stretch_words(differ) if differ and all(map(self.is_special, ids)) else None

    def stretch_words(self, differ: Sequence[Stretch]) -> tuple[Reason, Say]:
        """Stretches of special tokens that differ, in words; the reason is that of the first."""
        found = [self.one_stretch(each) for each in differ]
        reason, says = found[0]
        for before, (_, more) in pairwise(found):
            # a relative clause about one token ends before the next token
            ended = before[0] in (Reason.EXTRA_SPECIAL, Reason.OTHER_SPECIAL)
            says = Say.of("{0}, and {1}" if ended else "{0} and {1}", says, more)
        return reason, says

    def one_stretch(self, stretch: Stretch) -> tuple[Reason, Say]:
        """A stretch of special tokens that differs, in words, and the reason."""
        expected, given = self.sides(stretch)
        at = END_WORDS.get(stretch.position, f"at id number {stretch.expected.start + 1}")
        if not expected:
            start, stop = stretch.given.start, stretch.given.stop
            neighbors = self.given.ids[max(start - 1, 0) : start] + self.given.ids[stop : stop + 1]
            if len(given) == 1 and given[0] in neighbors and stretch.position != Position.TEXT:
                once = Say.of("have {0:t} once {1:t}, where {2:t} gives it twice", self.listed(given), at, self.name)
                return Reason.DOUBLED, once
            return Reason.MISSING_SPECIAL, Say.of("lack {0:t} {1:t}", self.listed(given), at)
        if given:
            both = self.listed(expected), self.listed(given)
            return Reason.OTHER_SPECIAL, Say.of("have {0:t} {2:t}, where {3:t} gives {1:t}", *both, at, self.name)
        times = self.times(stretch)
        if times > 1 and stretch.position != Position.TEXT:
            often = "twice" if times == 2 else f"{times} times"
            return Reason.DOUBLED, Say.of("have {0:t} {1:t} {2:t}", self.listed(expected[:1]), often, at)
        extra = Say.of("have {0:t} {1:t}, which {2:t} does not give", self.listed(expected), at, self.name)
        return Reason.EXTRA_SPECIAL, extra

    def times(self, stretch: Stretch) -> int:
        """How often the expected ids repeat the token of a stretch; 0 if it has several tokens."""
        ids, (start, stop) = self.expected, (stretch.expected.start, stretch.expected.stop)
        if len(set(ids[start:stop])) != 1:
            return 0
        while start and ids[start - 1] == ids[start]:
            start -= 1
        while stop < len(ids) and ids[stop] == ids[start]:
            stop += 1
        return stop - start

    @cached_property
    def between(self) -> list[Stretch]:
        """The stretches of the text itself."""
        return [each for each in self.stretches if each.position == Position.TEXT]

    @cached_property
    def ends(self) -> list[Stretch]:
        """The stretches at the start and the end whose special tokens differ."""
        return [each for each in self.stretches if not each.same and each.position != Position.TEXT]

    # --- every region -------------------------------------------------------------------------------------------------

    def regions(self) -> Iterator[Region]:
        """The regions that differ, the special tokens at the ends first."""
        for stretch in (*self.ends, *(each for each in self.between if not each.same)):
            span, at, shown = None, REGION_WORDS.get(stretch.position, ""), ""
            if stretch.position == Position.TEXT:
                span = self.span(stretch)
                at, shown = where(span, len(self.text)).capitalize(), shortened(self.text[slice(*span)])
            one, other = map(self.listed, self.sides(stretch))
            yield Region(stretch, span, at, shown, one, other, self.name)

    def span(self, stretch: Stretch) -> Span:
        """The span of the text that the given ids of a stretch cover."""
        tokens = self.given.tokens
        of_text = [token for token in tokens[stretch.given.start : stretch.given.stop] if token.start >= 0]
        if of_text:
            return Span(min(token.start for token in of_text), max(token.end for token in of_text))
        at = next((token.end for token in reversed(tokens[: stretch.given.start]) if token.start >= 0), 0)
        return Span(at, at)

    # --- without an explanation ---------------------------------------------------------------------------------------

    def unexplained(self) -> tuple[Reason, Say]:
        """The reason and the sentence for ids that no attempt gives."""
        if self.out_of_range is not None:
            id = self.expected[self.out_of_range]
            what = self.vocabulary.lacks(id, f"the vocabulary of {self.name}")
            template = "Id number {0}, {1:i}, {2:t}, and no bundled tokenizer gives these ids for this text."
            return Reason.OUT_OF_RANGE, Say.of(template, self.out_of_range + 1, id, what)
        if not self.expected:
            count = len(self.given.ids)
            say = Say.of("The list of expected ids is empty; {0:t} gives {1} for this text.", self.name, count)
            return Reason.TEXT, say
        them = Say("The expected ids")
        if self.ends:
            them = Say.of("{0} {1}. Otherwise they", them, self.stretch_words(self.ends)[1])
        between = self.between
        differ = [each for each in between if not each.same]
        expected = [id for each in between for id in self.sides(each)[0]]
        note = variants.note(self.tokenizer, {id for each in differ for side in self.sides(each) for id in side})
        tokens = self.given.tokens[between[0].given.start : between[-1].given.stop]
        theirs, ours = b"".join(self.contents(expected)), self.contents([token.id for token in tokens])
        if b"".join(ours) != theirs:
            differs = other_text(self.text, tokens, ours, theirs, self.name)
            spelled = shortened(theirs.decode("utf-8", "replace"))
            reason, say = Reason.TEXT, Say.of("{0} spell another text, {1:q}: {2}.", them, spelled, differs)
        else:
            first = differ[0]
            many = f" in {len(differ)} regions, first" if len(differ) > 1 else ""
            one, other = map(self.listed, self.sides(first))
            reason, index = Reason.CUTS, first.expected.start + 1
            split = Say.of(
                "{0} spell the same text but split it differently{1:t} at id number {2:i}", them, many, index
            )
            say = Say.of("{0}: expected {1:t}, {2:t} gives {3:t}.", split, one, self.name, other)
        return reason, say if note is None else say.then(note)

    # --- helpers ------------------------------------------------------------------------------------------------------

    def sides(self, stretch: Stretch) -> tuple[list[int], list[int]]:
        """The expected and the given ids of a stretch."""
        given = self.given.ids
        return [self.expected[index] for index in stretch.expected], [given[index] for index in stretch.given]

    def listed(self, ids: Sequence[int]) -> str:
        """Ids with their spellings for a sentence."""
        shown = ", ".join(f"{self.quoted(id)} ({id})" for id in ids[:LISTED])
        return (shown or "nothing") + (f" and {len(ids) - LISTED} more" if len(ids) > LISTED else "")

    def quoted(self, id: int) -> str:
        """A token's content for a sentence."""
        if self.vocabulary.has(id):
            return self.spelling.quoted(id)
        return "no token" if 0 <= id < len(self.vocabulary) else "no such id"

    def is_special(self, id: int) -> bool:
        """Whether an id is that of a control token."""
        return self.vocabulary.has(id) and self.vocabulary.kinds[id] == PieceKind.CONTROL

    def contents(self, ids: Sequence[int]) -> list[bytes]:
        """The bytes of each id between the special tokens; empty for one that is not in the vocabulary."""
        key = tuple(ids)
        if key not in self.said:
            if all(self.vocabulary.has(id) for id in ids):
                self.said[key] = contents(self.tokenizer, ids, remove_special=False)
            else:
                self.said[key] = [self.spelling.content(id) if self.vocabulary.has(id) else b"" for id in ids]
        return self.said[key]

    @cached_property
    def decoded(self) -> str | None:
        """The text that the expected ids spell; None if one is not in the vocabulary."""
        if self.out_of_range is not None:
            return None
        return b"".join(self.parts_decoded).decode("utf-8", "replace")

    @cached_property
    def parts_decoded(self) -> list[bytes]:
        """The bytes of each expected id when all are decoded. All must be in the vocabulary."""
        has_ends = any(each.position != Position.TEXT for each in self.stretches)
        return contents(self.tokenizer, self.expected) if has_ends else self.contents(self.expected)

    @cached_property
    def spelling(self) -> Spelling:
        """How the vocabulary spells."""
        return spelling_of(self.tokenizer)

    @cached_property
    def spells_the_same(self) -> bool:
        """Whether the expected ids of the text spell what the tokenizer's own do."""
        if self.out_of_range is not None:
            return False
        theirs, ours = (self.contents([id for each in self.between for id in self.sides(each)[n]]) for n in (0, 1))
        return b"".join(theirs) == b"".join(ours)

    @cached_property
    def is_near(self) -> bool:
        """Whether most ids are the same, or most of what they spell is the text, apart from white space."""
        if self.out_of_range is not None:
            return False
        same = sum(len(each.expected) for each in self.stretches if each.same and each.position == Position.TEXT)
        if 2 * same >= max(len(self.expected), len(self.given)) > 0:
            return True
        theirs, ours = (
            b"".join(b"".join(self.contents([id for id in ids if not self.is_special(id)])).split())
            for ids in (self.expected, self.given.ids)
        )
        front, back = common_ends(theirs, ours)
        return 2 * (front + back) >= max(len(theirs), len(ours))


END_WORDS: Final = {Position.FRONT: "at the start", Position.BEHIND: "at the end"}
"""A position of special tokens, in a sentence."""

REGION_WORDS: Final = {Position.FRONT: "Before the text", Position.BEHIND: "After the text"}
"""A position of special tokens, at the beginning of a sentence."""


def run_of(flags: Sequence[bool]) -> tuple[int, int]:
    """The number of leading True values, and of trailing ones among the rest.

    >>> run_of([True, False, True, True]), run_of([True, True])
    ((1, 2), (2, 0))
    """
    front = next((index for index, each in enumerate(flags) if not each), len(flags))
    return front, next((index for index, each in enumerate(reversed(flags[front:])) if not each), len(flags) - front)
