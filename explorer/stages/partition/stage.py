"""What is cut out of a text first, as everybody else asks about it: a sentence about it, and the event about a span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from explorer.engine.part import Segment, Token
from explorer.engine.partition.dna import DnaEvent
from explorer.engine.partition.special_tokens import PartitionEvent
from explorer.engine.partition.user_defined import UserDefinedEvent
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.partition.cut_out_story import DnaScript, UserDefinedScript
from explorer.stages.partition.story import partition_script
from explorer.stages.stage import (
    Covering,
    Covers,
    Finder,
    Painted,
    Sought,
    StageKind,
    fragments,
    kinds_of,
    pre_tokens,
    special,
)
from explorer.text.say import Say, plural
from explorer.vocabulary import Vocabulary


class PartitionFinder(Finder):
    """By token, the events that it was not parsed; the events of what was cut out, and of the remaining text."""

    def __init__(self, stage: Stage) -> None:
        self.not_parsed: dict[int | None, int] = {}
        taken: list[Covering] = []
        left: list[Covering] = []
        for event, row in enumerate(stage.events):
            if row.kind == PartitionEvent.NOT_PARSED:
                self.not_parsed.setdefault(row.token, event)
            elif row.kind != PartitionEvent.NOT_THERE:
                (left if row.kind == PartitionEvent.RAW_TEXT else taken).append((row.start, row.end, event))
        self.taken, self.left = Covers(taken), Covers(left)

    def find(self, sought: Sought) -> int | None:
        """The first event of a special token, swallowed white space or a token not parsed; else of plain text."""
        events = self.not_parsed.get(sought.token), self.taken.first(*sought.read)
        found = [event for event in events if event is not None]
        return min(found) if found else self.left.first(*sought.read)


def stripped(stage: Stage) -> Covers:
    """The white space that special tokens swallowed."""
    events = enumerate(stage.events)
    return Covers((row.start, row.end, event) for event, row in events if row.kind == PartitionEvent.STRIPPED)


def partition_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """Which tokens were found, in one sentence."""
    stored = trace.encoding.vocabulary
    unparsed = [event.token for event in stage.events if event.kind == PartitionEvent.NOT_PARSED]
    passed_over = sum(trace.text.count(stored.spelling(token)) for token in unparsed)
    known = {item for item in stage.before if isinstance(item, Token)}
    cut_out = [item.id for item in stage.after if isinstance(item, Token) and item not in known]
    if not trace.text:
        return Say.of("Changed nothing: the text is empty.")
    left = sum(isinstance(item, Segment) for item in stage.after)
    unread = plural(passed_over, "special token is", "special tokens are")
    if not cut_out:
        if not passed_over:
            return Say.of("Changed nothing: the text contains no token that is cut out first.")
        return Say.of(
            "Changed nothing: {0:t} in the text, but special tokens are not parsed, so {1:t} text.",
            unread,
            "it stays" if passed_over == 1 else "they stay",
        )
    return Say.of(
        "Found {0:t} in the text: {1:t}, of which {2:t} left to tokenize.{3:t}",
        counted(cut_out, stored),
        plural(len(stage.after), "fragment"),
        plural(left, "is", "are") if left else "none is",
        f" {unread} in it, but not parsed." if passed_over else "",
    )


def counted(ids: Sequence[int], vocabulary: Vocabulary) -> str:
    """The number of tokens of each sort.

    >>> counted([0, 1, 1], Vocabulary.of([b"<s>", b"<x>"], kinds=[3, 4]))
    '1 special token and 2 user-defined tokens'
    """
    special = sum(vocabulary.is_special(id) for id in ids)
    sorts = (("special token", special), ("user-defined token", len(ids) - special))
    return " and ".join(plural(count, sort) for sort, count in sorts if count)


def dna_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many groups of DNA were cut out."""
    if not any(event.token >= 0 for event in stage.events):
        return Say.of("Changed nothing: the text contains no <dna>.")
    counts = Counter(kinds_of(stage))
    lost = counts[DnaEvent.UNKNOWN]
    groups = counts[DnaEvent.GROUP] + counts[DnaEvent.FILLED] + lost
    unknown = f", of which {lost} {'is' if lost == 1 else 'are'} unknown" if lost else ""
    return Say.of(
        "DNA was found: {0:t}{1:t}.", plural(groups, "group of six letters", "groups of six letters"), unknown
    )


def pieces_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many pieces, and what that means."""
    known = {item for item in stage.before if isinstance(item, Token)}
    pieces = [item for item in stage.after if isinstance(item, Segment) or item not in known]
    before = [item.text for item in stage.before if isinstance(item, Segment)]
    symbols = sum(isinstance(piece, Token) for piece in pieces)
    if symbols:
        words = "{0:t} cut out and {1:t} final; no token crosses a cut."
        return Say.of(words, plural(symbols, "piece is", "pieces are"), "is" if symbols == 1 else "are")
    if [piece.text for piece in pieces if isinstance(piece, Segment)] == before:
        return Say.of("Changed nothing: the text has no cut.")
    return Say.of("The text is cut into {0:t}; no token crosses a cut.", plural(len(pieces), "fragment"))


PARTITION: Final = StageKind(
    title="Special tokens",
    purpose="Special and user-defined tokens that occur in the text are cut out of it first.",
    name="Special tokens",
    script=partition_script,
    count=special,
    result=partition_result,
    finder=PartitionFinder,
    found=(PartitionEvent.TOKEN,),
)
NORMALIZED: Final = replace(
    PARTITION,
    title="Special tokens, normalized",
    purpose="Some tokens are matched in the normalized text, with their own spelling normalized as well.",
    name="Special, normalized",
)
DNA: Final = StageKind(
    title="DNA",
    purpose="DNA between its tags is cut into groups of six letters.",
    name="DNA",
    script=DnaScript.of,
    count=fragments,
    result=dna_result,
    found=(DnaEvent.TAG, DnaEvent.GROUP, DnaEvent.FILLED, DnaEvent.UNKNOWN),
)
USER_DEFINED: Final = StageKind(
    title="User-defined pieces",
    purpose="Pieces that the model's maker defined are always cut out whole.",
    name="Pre-tokenize",
    script=UserDefinedScript.of,
    count=pre_tokens,
    result=pieces_result,
    finder=lambda stage: Painted((row.start, row.end, event) for event, row in enumerate(stage.events)),
    found=(UserDefinedEvent.SYMBOL,),
)
