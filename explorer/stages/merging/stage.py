"""Merging, as everybody else asks about it: one kind for each priority that merges sort by.

Two merging models are compared by the merges of their stages, by what each covers of the original text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, NamedTuple, cast

from explorer.engine.items import Segment
from explorer.engine.models.merges import (
    Chain,
    MergeEvent,
    MergeModel,
    MergeReplay,
    MergeRow,
    Pairs,
    merge_by_queue,
    priority_value,
)
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.merging.questions import missing_merge, next_merge, out_of_date
from explorer.stages.merging.story import MergeScript
from explorer.stages.merging.why import Merging
from explorer.stages.spelling import Speller
from explorer.stages.stage import DRAWN, Count, Drawing, ModelKind, kinds_of, model_result
from explorer.text.say import Say, number, plural
from explorer.vocabulary import Vocabulary


def merges(stage: Stage) -> int:
    """Merges that were carried out."""
    return kinds_of(stage).count(MergeEvent.MERGE)


def count(stage: Stage) -> Count:
    """The same in words."""
    return plural(merges(stage), "merge"), True


def result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many tokens the model makes, and by how many merges."""
    count = merges(stage)
    return model_result(trace, stage, vocabulary, f", by {plural(count, 'merge')}" if count else "")


def drawing(stage: Stage, segment: Segment, rows: Sequence[tuple[int, MergeRow]], speller: Speller) -> Drawing | None:
    """A character in its bytes, if one is in none; scores between symbols, or merges as trees; None without any."""
    replay = MergeReplay(cast(MergeModel, stage.part), segment.text, rows)
    count = len(replay.symbols.pieces)
    inside = [merge for merge in replay.merges.values() if merge.end <= DRAWN]
    bytes_ = [row for _, row in rows if row.kind == MergeEvent.BYTE]
    leaves = [speller.symbol(piece) for piece in replay.symbols.pieces[:DRAWN]]
    if bytes_:
        ids = [[f"{speller.vocabulary.byte_of(row.token) or 0:02X}", row.token] for row in bytes_]
        at = bytes_[0].left
        return {
            "kind": "character",
            "text": replay.text[replay.symbols.starts[at] : replay.symbols.ends[at]],
            "bytes": ids,
        }
    if not inside:
        return None
    if replay.model.priority == "score":
        first = min(pair.event for pair in replay.merges.values())
        waits = [
            pair for pair in replay.pairs if pair.event < first and pair.kind == MergeEvent.PUSH and pair.end <= DRAWN
        ]
        best = replay.pairs[[pair.event for pair in replay.pairs].index(first)]
        scores = [[pair.middle, number(priority_value(replay.model, pair.left, pair.right) or 0)] for pair in waits]
        return {"kind": "queue", "leaves": leaves, "scores": scores, "best": best.middle}
    nodes = [[merge.start, merge.middle, merge.end, merge.token] for merge in sorted(inside)]
    return {"kind": "tree", "leaves": leaves, "nodes": nodes, "more": count > DRAWN}


BY_SCORE: Final = ModelKind(
    title="Merging",
    purpose="SentencePiece BPE has no pre-tokenizer: a fragment is one chain of symbols. Neighbors that make a piece "
    "are merged, highest score first, until no pair makes one.",
    name="Merge",
    script=MergeScript.of,
    count=count,
    result=result,
    account=Merging,
    clause=lambda model: "merges by score",
    takes_whole=lambda kinds: MergeEvent.WHOLE in kinds,
    questions=(next_merge, out_of_date, missing_merge),
    drawing=drawing,
)

MERGING: Final[Mapping[str, ModelKind]] = {
    "score": BY_SCORE,
    "merge": replace(
        BY_SCORE,
        purpose="Neighbors are merged, never across a cut, if the pair is in the model's list of merges, in the order "
        "of the list. tiktoken's test is different: whether the joined bytes are a token. They may be one without "
        "this pair being listed.",
        clause=lambda model: "merges by a list",
        in_file="BPE",
        required=("vocab", "merges"),
        since=(
            ("0.13.3", "byte_fallback", "byte fallback of BPE"),
            ("0.19.1", "ignore_merges", "ignore_merges"),
        ),
    ),
    "rank": replace(
        BY_SCORE,
        purpose="Neighbors are merged, never across a cut, if their joined bytes are a token, lowest rank first. The "
        "test of Hugging Face and llama.cpp is different: whether this very pair is in a list of merges.",
        clause=lambda model: "merges by the rank of the joined bytes",
    ),
}
"""By what a model's merges sort by."""


class Merged(NamedTuple):
    """A merge: the characters [start, end) of the original it covers, both symbols in plain bytes, and its priority.

    priority_value: its index in the list of merges, its rank, or its score.
    """

    start: int
    end: int
    event: int
    left: bytes
    right: bytes
    priority_value: float | None

    @property
    def key(self) -> tuple[int, int, bytes, bytes]:
        """What is equal for the same merge of another tokenizer."""
        return self.start, self.end, self.left, self.right


def merges_of(stage: Stage, plain: Callable[[bytes], bytes]) -> Iterator[Merged]:
    """The merges, by segment in the order they were made. plain: the bytes that a symbol means."""
    model, events = cast(MergeModel, stage.part), stage.events
    kinds = kinds_of(stage)
    for first, last in pairwise([*(at for at, kind in enumerate(kinds) if kind == MergeEvent.SEGMENT), len(events)]):
        segment = cast(Segment, stage.before[events[first].left])
        rows = ((event, events[event]) for event in range(first, last) if kinds[event] == MergeEvent.MERGE)
        replay = MergeReplay(model, segment.text, rows)
        starts, ends = replay.symbols.starts, replay.symbols.ends
        for merge in replay.merges.values():
            yield Merged(
                segment.starts[starts[merge.start]],
                segment.ends[ends[merge.end - 1] - 1],
                merge.event,
                plain(merge.left),
                plain(merge.right),
                priority_value(model, merge.left, merge.right),
            )


def merges_within(found: Sequence[Merged], start: int, end: int) -> list[Merged]:
    """The merges within [start, end), in the order they were made."""
    index = bisect_left(found, start, key=lambda merged: merged.start)
    inside = []
    while index < len(found) and found[index].start < end:
        if found[index].end <= end:
            inside.append(found[index])
        index += 1
    return sorted(inside, key=lambda merged: merged.event)


def carried_out(symbols: Sequence[bytes], pairs: Pairs) -> tuple[Chain, list[tuple[int, int]]]:
    """The symbols that remain after merging, and each merge by the indices of its two symbols.

    >>> chain, merges = carried_out([b"a", b"b"], Pairs(lambda left, right: (0, left + right, 2)))
    >>> chain.pieces, merges
    ([b'ab'], [(0, 1)])
    """
    merges: list[tuple[int, int]] = []

    def note(kind: int, left: int, right: int, token: int) -> None:
        if kind == MergeEvent.MERGE:
            merges.append((left, right))

    return merge_by_queue(symbols, pairs, note), merges
