"""An oracle for causes: runs the named stage in the other side and checks that the difference disappears.

`swapped(found, each)` is the right side with one stage of the left side instead of its own. What travels in between
is respelled: a ▁ for a space, bytes as printable characters, special tokens by their text. Where that cannot be done,
`CannotSwap` says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from itertools import pairwise
from typing import Any

from explorer.analysis.divergence.result import (
    MODEL,
    NORMALIZE,
    PARTITION,
    PRE_TOKENIZE,
    TEXT_STAGES,
    Comparison,
    DifferenceKind,
    Divergence,
    Plain,
    Run,
    plain_characters,
    states,
)
from explorer.analysis.ownership import Span
from explorer.engine.part import Emit, Item, Items, Options, Part, Segment, Token, initial_items, silent
from explorer.engine.tokenizer import Tokenizer
from explorer.stages.spelling import PROBE, How, spelling_of
from explorer.vocabulary import SPACE_MARK, Vocabulary, printable


class CannotSwap(Exception):
    """Why a stage can't run in the other side."""


class Spelled:
    """How a tokenizer spells its text after its first `upto` parts."""

    def __init__(self, tokenizer: Tokenizer, upto: int) -> None:
        self.vocabulary: Vocabulary = tokenizer.vocabulary
        spelling = spelling_of(tokenizer)
        self.printable = upto > 0 and spelling.printable[upto - 1]
        self.escapes = spelling.how == How.ESCAPED
        items: Items = initial_items("a b")
        for part in tokenizer.parts[:upto]:
            items = part.run(items, Options(False, False), silent)
        self.escaped = self.escapes and any(isinstance(item, Segment) and SPACE_MARK in item.text for item in items)

    def written(self, items: Items, original: str, into: Spelled) -> list[Item]:
        """Items in this spelling, converted to that of `into`."""
        done: list[Item] = []
        for item in items:
            if isinstance(item, Token):
                done.append(item._replace(id=self.moved(item.id, into.vocabulary)))
                continue
            made = plain_characters([item], original, self.printable, self.escapes, bytearray(len(original)))
            text, starts, ends = made.text, made.starts, made.ends
            if into.printable:
                each = [printable(ch.encode()) for ch in text]
                starts = [at for at, chars in zip(starts, each, strict=True) for _ in chars]
                ends = [at for at, chars in zip(ends, each, strict=True) for _ in chars]
                text = "".join(each)
            elif into.escapes:
                if not self.escapes and any(
                    ch == SPACE_MARK and SPACE_MARK not in original[begin:end]
                    for ch, begin, end in zip(text, starts, ends, strict=True)
                ):
                    raise CannotSwap("a ▁ was inserted, and the other vocabulary spells spaces that way")
                text = text.replace(" ", SPACE_MARK) if into.escaped else text
            done.append(Segment(text, starts, ends))
        return done

    def moved(self, id: int, vocabulary: Vocabulary) -> int:
        """A special token's id in another vocabulary."""
        if vocabulary is self.vocabulary:
            return id
        # any id does if the other vocabulary lacks it: only the token's position matters
        return vocabulary.ids.get(self.vocabulary.pieces[id], 0)


class Swapped:
    """Some parts of one tokenizer as a part of another."""

    def __init__(self, name: str, parts: Sequence[Part], like: Part, original: str,
                 spellings: tuple[Spelled, Spelled, Spelled, Spelled]) -> None:  # fmt: skip
        self.name, self.parts, self.original, self.spellings = name, parts, original, spellings
        self.row: Any = like.row
        self.kinds: type[IntEnum] = like.kinds

    def run(self, items: Items, options: Options, emit: Emit) -> Items:
        theirs, before, after, back = self.spellings
        is_probe = options == Options(False, False) and "".join(
            plain_characters(items, PROBE, theirs.printable, theirs.escapes, bytearray(3)).text
        ).strip() in (PROBE, PROBE.replace(" ", ""))  # fmt: skip
        original = PROBE if is_probe else self.original
        items = theirs.written(items, original, before)
        for part in self.parts:
            items = part.run(items, options, silent)
        return after.written(items, original, back)


def parts_of(tokenizer: Tokenizer, stage: str) -> tuple[int, int]:
    """The parts [first, last) that are a stage of the pipeline; a second partition belongs to the normalizer."""
    names = [part.name for part in tokenizer.parts]
    model = names.index(MODEL)
    if stage == MODEL:
        return model, model + 1
    ends, at = [], 0
    for number in range(len(TEXT_STAGES)):
        later = TEXT_STAGES[number + 1 :]
        while at < model and names[at] not in later:
            at += 1
        ends.append(at)
    number = TEXT_STAGES.index(stage)
    return (ends[number - 1] if number else 0), ends[number]


def swapped(left: Run, right: Run, stage: str) -> Run:
    """The right side with one stage replaced by the left side's, run on the same text."""
    if stage not in (PARTITION, NORMALIZE, PRE_TOKENIZE):
        raise CannotSwap(f"the stage is “{stage}”, which is not text in, text out")
    mine, others = left.tokenizer, right.tokenizer
    first, last = parts_of(mine, stage)
    begin, end = parts_of(others, stage)
    parts = mine.parts[first:last]
    spellings = (Spelled(others, begin), Spelled(mine, first), Spelled(mine, last), Spelled(others, end))
    like = (parts or others.parts[begin:end] or mine.parts)[-1]
    part = Swapped(stage, parts, like, left.text, spellings)
    made = replace(others, name="swapped", parts=(*others.parts[:begin], part, *others.parts[end:]))
    trace = made.trace(right.text, add_special=right.options.add_special, parse_special=right.options.parse_special)
    return Run(made, right.text, trace, "swapped")


def model_swapped(left: Run, right: Run, region: Span) -> list[Token]:
    """The left side's model output in a region for the right side's model input.

    Outside the region it is given its own text. At the edges of the region its own pieces end or go on; inside, those
    of the right side do.
    """
    mine, others = states(left), states(right)
    own, given = mine.before_model, others.before_model
    index = mine.model
    size = len(left.text)
    first, last = within(own, region, size)
    low, high = within(given, region, size)
    characters = [
        *zip(own.text[:first], own.starts[:first], own.ends[:first], own.items[:first], strict=True),
        *zip(given.text[low:high], given.starts[low:high], given.ends[low:high], given.items[low:high], strict=True),
        *zip(own.text[last:], own.starts[last:], own.ends[last:], own.items[last:], strict=True),
    ]
    cuts = {
        index for index in range(1, len(characters)) if characters[index][3] != characters[index - 1][3]
    } - {first, first + high - low}  # fmt: skip
    cuts |= {first} if cuts_at(own, region.start) else set()
    cuts |= {first + high - low} if cuts_at(own, region.end) else set()
    edges = sorted({0, *cuts, len(characters)})
    spelled = Spelled(left.tokenizer, index)
    plainly = Spelled(left.tokenizer, 0)
    items: list[Item] = []
    for begin, end in pairwise(edges):
        text, starts, ends, _ = zip(*characters[begin:end], strict=True)
        items += plainly.written([Segment("".join(text), list(starts), list(ends))], left.text, spelled)
    done = left.trace.stages[index].part.run(items, left.options, silent)
    return [item for item in done if isinstance(item, Token) and is_within(region, item, size)]


def cuts_at(side: Plain, position: int) -> bool:
    """Whether one piece ends before a position and another begins after it; always true at the ends of the text."""
    index = side.index_at(position)
    return index in (0, len(side.text)) or side.items[index] != side.items[index - 1]


def within(side: Plain, region: Span, size: int) -> tuple[int, int]:
    """The characters of a region as indices: those that begin in it; at the end of the text, all that remain."""
    found = side.within(*region)
    return found.start, len(side.text) if region.end == size else found.stop


def is_within(region: Span, token: Token, size: int) -> bool:
    """Whether a token belongs to a region. An insertion belongs to what follows it; at the end, to the last region."""
    start, end = region
    return start <= token.start < end or token.start == token.end == end == size


def went_away(each: Divergence, again: Comparison) -> bool:
    """Whether nothing of a divergence remains in a comparison with the swapped side, at this stage or an earlier one.

    What the same stage does elsewhere, and what later stages do here, is another difference.
    """
    upto = TEXT_STAGES[: 1 + TEXT_STAGES.index(each.stage)]
    return not any(
        other.stage in upto and other.kind != DifferenceKind.OTHER_IDS and overlap(other.spot, each.spot)
        for other in again.divergences
    )


def overlap(one: Span, other: Span) -> bool:
    """Whether two spans share a character or are the same empty span."""
    return one == other or (one.start < other.end and other.start < one.end)


def same_contents(found: Comparison, each: Divergence) -> bool:
    """Whether the tokens of a divergence have the same content on both sides, one by one."""
    one, other = (spelling_of(run.tokenizer) for run in (found.left, found.right))
    left = [(token.start, token.end, one.content(token.id)) for token in each.left.tokens]
    return left == [(token.start, token.end, other.content(token.id)) for token in each.right.tokens]
