"""WordPiece, as everybody else asks about it: why its tokens came about, a question for a quiz, a small drawing.

It tries windows at each position, longest first, until one is a piece. Its unit is what the original measures windows
in: a character for Hugging Face, for llama.cpp a byte, those of the ▁ that it puts in front of a word included.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final, cast

from explorer.engine.items import Segment
from explorer.engine.models.wordpiece import LongestMatch, WordPieceEvent, WordPieceRow, Wpm
from explorer.engine.part import Model
from explorer.engine.tokenizer import Stage
from explorer.stages.longest_match.story import WordPieceScript
from explorer.stages.spelling import Speller
from explorer.stages.stage import (
    DRAWN,
    Choice,
    Count,
    Draft,
    Drawing,
    Kind,
    ModelKind,
    Scene,
    kinds_of,
    quoted_row,
    richest,
)
from explorer.stages.why import (
    Account,
    CutAccount,
    CutCause,
    Family,
    Made,
    OriginKind,
    OtherCuts,
    SegmentEvents,
    TokenText,
    WhyStep,
    other_cuts,
)
from explorer.text.say import Say, plural
from explorer.vocabulary import SPACE_MARK

ATTEMPTS: Final = (WordPieceEvent.MISS, WordPieceEvent.HIT)


class WordPieces(Family[LongestMatch]):
    """The account of WordPiece."""

    puts_out = (WordPieceEvent.HIT, WordPieceEvent.DISCARD, WordPieceEvent.TOO_LONG)

    def outputs(self, fragment: SegmentEvents) -> Iterable[Made]:
        """A token for each hit, or one for a word that pieces cannot spell."""
        found = list(super().outputs(fragment))
        if found[-1:] and found[-1].kind != WordPieceEvent.HIT:
            return [found[-1]._replace(start=0, end=self.size(fragment))]
        return found

    def size(self, fragment: SegmentEvents) -> int:
        """The number of units of a word."""
        row: WordPieceRow = self.events[fragment.first]
        return row.end

    def window(self, fragment: SegmentEvents, start: int, end: int) -> bytes:
        """A window as it is looked up."""
        text = fragment.segment.text
        if isinstance(self.model, Wpm):
            return (SPACE_MARK + text).encode()[start:end]
        return (self.model.prefix if start else b"") + text[start:end].encode()

    def shown(self, fragment: SegmentEvents, start: int, end: int) -> str:
        """A window for people."""
        return self.speller.symbol(self.window(fragment, start, end))

    def attempts(self, fragment: SegmentEvents, start: int, beyond: int = 0) -> list[WhyStep]:
        """The attempts at a position, those of windows that end after `beyond`."""
        steps = []
        for event, row in self.rows(fragment):
            if row.start != start or row.kind not in ATTEMPTS or row.end <= beyond:
                continue
            text = self.shown(fragment, row.start, row.end)
            hit = row.kind == WordPieceEvent.HIT
            note = Say.of("the longest piece: token {0:i}", row.token) if hit else Say("no such piece")
            steps.append(self.step(event, (text,), text if hit else "", note, good=hit))
        return steps

    def account(self, made: Made, token: TokenText) -> Account:
        """The attempts until the hit; for an unknown word, those that failed."""
        fragment = self.fragment(made)
        word = self.speller.text(fragment.segment.text)
        if made.kind == WordPieceEvent.TOO_LONG:
            row = self.events[made.event]
            said = Say.of("{0:q} has {1} characters, and words of more than {2} are not tried: it becomes {3:q}.",
                          word, row.start, row.end, token.text)  # fmt: skip
            return Account(OriginKind.UNKNOWN, said, lost=word)
        if made.kind == WordPieceEvent.DISCARD:
            at = self.events[made.event].start
            rest = self.shown(fragment, at, made.end)
            matched = [row.start for _, row in self.rows(fragment) if row.kind == WordPieceEvent.HIT]
            steps = [step for start in (*matched, at) for step in self.attempts(fragment, start)]
            said = Say.of("No piece begins {0:q}, so the whole word {1:q} becomes {2:q}, and its text is lost.",
                          rest, word, token.text)  # fmt: skip
            return Account(OriginKind.UNKNOWN, said, steps, lost=word)
        steps = self.attempts(fragment, made.start)
        longer = len(steps) - 1
        if not longer:
            said = Say.of("{0:q} is a piece and the whole rest of the word: token {1:i}.", token.text, token.id)
        else:
            said = Say.of(
                "{0:q} is the longest piece at the start of the remaining word: token {1:i}.", token.text, token.id
            )
            more = "One longer candidate is not a piece." if longer == 1 else "{0} longer candidates are not pieces."
            said = said.then(Say.of(more, longer))
        if self.skipped(fragment, made.start):
            said = said.then(Say("Candidates longer than every piece are not tried."))
        return Account(OriginKind.LONGEST_MATCH, said, steps)

    def skipped(self, fragment: SegmentEvents, start: int) -> bool:
        """Whether the windows at a position begin with a shorter one than the rest of the word."""
        tried = [row.end for _, row in self.rows(fragment) if row.start == start and row.kind in ATTEMPTS]
        return max(tried, default=0) < self.size(fragment)

    def cut_account(self, pair: tuple[Made, Made], left: TokenText, right: TokenText) -> CutAccount:
        """The attempts that would have crossed the seam, and the hit that ends at it."""
        one, other = pair
        fragment = self.fragment(one)
        joined = self.joined(self.window(fragment, one.start, other.end))
        steps = self.attempts(fragment, one.start, one.end - 1)
        steps += [step for step in self.attempts(fragment, other.start) if step.good]
        said = Say.of("The longest match from here is {0:q}.", left.text)
        others = self.cuts(fragment, one.start, other.end, joined.text)
        return CutAccount(CutCause.LONGEST_MATCH, said, one.event, joined, steps, others)

    def cuts(self, fragment: SegmentEvents, start: int, end: int, text: str) -> OtherCuts | None:
        """The cuts of the units [start, end) of a word."""
        ids = self.model.ids
        return other_cuts(text, end - start, lambda a, b: self.window(fragment, start + a, start + b) in ids)


@partial(Kind, "longest-match", "Where does the longest match end?")
@richest
def longest_match(scene: Scene) -> Iterator[Draft]:
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
    prompt = Say.of("{0:t} looks for the longest piece at the start of {1:q}. Where does it end?", scene.name, rest)
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


def count(stage: Stage) -> Count:
    """Pieces that were found."""
    return plural(kinds_of(stage).count(WordPieceEvent.HIT), "match", "matches"), True


def clause(model: Model) -> str:
    """What the model does."""
    return f"takes the longest piece that fits, by {cast(LongestMatch, model).unit}s,"


def refusal(stage: Stage, kinds: Collection[int]) -> Say | None:
    """A word with too many characters."""
    if WordPieceEvent.TOO_LONG not in kinds:
        return None
    limit = next(row.end for row in stage.events if row.kind == WordPieceEvent.TOO_LONG)
    return Say.of("doesn't try words of more than {0:i} characters", limit)


def drawing(stage: Stage, word: Segment, rows: Sequence[tuple[int, WordPieceRow]], speller: Speller) -> Drawing | None:
    """What was looked up in a word, longest first: [start, end, id], an id of -1 for what is no piece."""
    tries = [
        [row.start, row.end, row.token if row.kind == WordPieceEvent.HIT else -1]
        for _, row in rows
        if row.kind in ATTEMPTS
    ]
    return {"kind": "attempts", "leaves": list(word.text[:DRAWN]), "tries": tries} if len(tries) > 1 else None


LONGEST_MATCH: Final = ModelKind(
    title="Longest match",
    purpose="Each word is split from the left: the longest piece that fits, then the longest that fits the rest.",
    name="Longest match",
    script=WordPieceScript.of,
    count=count,
    account=WordPieces,
    discards=WordPieceEvent.DISCARD,
    clause=clause,
    starts_differ=True,
    refusal=refusal,
    questions=(longest_match,),
    drawing=drawing,
    whole_words=True,
    in_file="WordPiece",
    required=("unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"),
)
