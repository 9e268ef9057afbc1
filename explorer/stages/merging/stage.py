"""Merging, as everybody else asks about it: one kind for each priority that merges sort by, and questions for a quiz:
which pair merges next, which entry is out of date, what if a merge were missing?

Two merging models are compared by the merges of their stages, by what each covers of the original text.

Wrong choices for the queue wait in it. For the next merge they are the runner-up, the first in the text, the newest
entry, and the one whose number looks best when its sign is ignored.

Without a merge the text is encoded again. In a list of merges one pair is missing; another pair of the list may still
make the same text. Under scores or ranks the joined piece is missing, so that no pair makes it. Wrong choices are the
tokens as they are, the two parts of the merge left where it was, the single symbols, and what another missing merge
would give. The whole fragment may be seen before the answer: it shows the pairs and their order, and not what comes
without one.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple, cast

from explorer.engine.models.bpe import Bpe
from explorer.engine.models.merges import (
    STALE,
    Chain,
    MergeEvent,
    MergeModel,
    MergeReplay,
    MergeRow,
    Pair,
    Pairs,
    merge_by_queue,
    priority_value,
)
from explorer.engine.models.spm import Spm
from explorer.engine.part import Events, Segment
from explorer.engine.tokenizer import Stage, Trace
from explorer.stages.merging.story import MergeScript
from explorer.stages.merging.why import RULES, Merging
from explorer.stages.spelling import Speller
from explorer.stages.stage import (
    DRAWN,
    LONGEST_SHOWN,
    NO_REASON,
    Choice,
    Count,
    Draft,
    Drawing,
    Kind,
    ModelKind,
    Scene,
    SegmentEvents,
    kinds_of,
    model_result,
    quoted_row,
    richest,
)
from explorer.text.say import Say, number, plural
from explorer.vocabulary import Vocabulary

# What waits in the queue of a merge model before each merge, replayed from the events of one fragment.
#
# A `Moment` lies before a merge. What the queue holds then are the pushes that no later event has popped. An entry is
# out of date if one of its symbols has changed since.


class Moment(NamedTuple):
    """The queue before a merge.

    event: the last event before the entries popped for this merge. waiting: the entries, as they were pushed, in the
    order of the pushes. merge: the pair that merges next. ends: by initial symbol that begins a symbol now, its end.
    """

    event: int
    waiting: tuple[Pair, ...]
    merge: Pair
    ends: dict[int, int]

    def is_stale(self, entry: Pair) -> bool:
        """Whether a symbol of an entry has changed since it was pushed."""
        return self.ends.get(entry.start) != entry.middle or self.ends.get(entry.middle) != entry.end


def moments(replay: MergeReplay) -> Iterator[Moment]:
    """The moments before each merge of a fragment, in order."""
    ends = {start: start + 1 for start in range(len(replay.symbols.pieces))}
    waiting: dict[tuple[int, int, int, int], Pair] = {}
    popped: list[tuple[int, int, int, int]] = []
    """popped since the last event of another kind"""
    before = -1
    for pair in replay.pairs:
        entry = (pair.start, pair.middle, pair.end, pair.token)
        if pair.kind not in STALE and pair.kind != MergeEvent.MERGE:
            before = pair.event
            if pair.kind == MergeEvent.PUSH:
                waiting[entry] = pair
            continue
        if pair.kind == MergeEvent.MERGE:
            yield Moment(before, tuple(waiting.values()), pair, dict(ends))
            ends[pair.start] = ends.pop(pair.middle)
            before = pair.event
            popped.append(entry)
            for each in popped:
                waiting.pop(each, None)
            popped.clear()
        else:
            popped.append(entry)


RUNNER_UP = {
    "merge": "{0:q} + {1:q} is merge {2:t}; the runner-up, {3:q} + {4:q}, is {5:t}.",
    "score": "{0:q} + {1:q} has score {2:t}; the runner-up, {3:q} + {4:q}, has {5:t}.",
    "rank": "{0:q} + {1:q} has rank {2:t}; the runner-up, {3:q} + {4:q}, has {5:t}.",
}
"""The merge and the next best, by what a model sorts its merges by."""
OUT_OF_DATE = Say("This entry is out of date: one of its symbols has changed.")


@partial(Kind, "next-merge", "Which pair merges next?")
@richest
def next_merge(scene: Scene) -> Iterator[Draft]:
    """The question at each moment."""
    for replay, moment in all_moments(scene):
        fresh = [entry for entry in moment.waiting if not moment.is_stale(entry)]
        rivals = [entry for entry in fresh if parts(scene, entry) != parts(scene, moment.merge)]
        if rivals:
            # entries out of date wait in the same queue
            known = {parts(scene, entry) for entry in fresh}
            stale = [entry for entry in moment.waiting if moment.is_stale(entry) and parts(scene, entry) not in known]
            yield _next_merge(scene, replay, moment, rivals, stale)


def _next_merge(scene: Scene, replay: MergeReplay, moment: Moment, rivals: list[Pair], stale_ones: list[Pair]) -> Draft:
    """The question at a moment. rivals: the entries that wait besides the next. stale_ones: those out of date."""
    model = merging(scene).model
    best_first = sorted(rivals, key=lambda entry: (model.priority_of(entry.left, entry.right) or 0.0, entry.start))
    looks_best = min(rivals, key=lambda entry: (abs(value_of(scene, entry)), entry.start))
    first, newest = min(rivals, key=lambda entry: entry.start), max(rivals, key=lambda entry: entry.event)
    wrong = [best_first[0], first, newest, looks_best, *best_first]
    unit, best = merging(scene).unit, merging(scene).pair_step(moment.merge, replay)
    prompt = Say("Which pair merges next in {0:q}?", scene.text(replay.text))
    brief = Say("Which pair merges next?")
    if len(moment.ends) <= LONGEST_SHOWN:
        prompt = symbols_now(scene, replay, moment).then(brief)
    said = Say(
        RUNNER_UP[unit],
        *best.parts,
        number(value_of(scene, moment.merge)),
        *parts(scene, best_first[0]),
        number(value_of(scene, best_first[0])),
    )
    return Draft(
        prompt,
        choice(scene, moment.merge),
        [
            *(choice(scene, entry, beside(scene, entry, moment.merge)) for entry in wrong),
            *(choice(scene, entry, OUT_OF_DATE) for entry in stale_ones),
        ],
        said.then(RULES[unit]),
        moment.event,
        moment.merge.event,
        brief=brief,
    )


@partial(Kind, "out-of-date", "Which entry of the queue is out of date?")
@richest
def out_of_date(scene: Scene) -> Iterator[Draft]:
    """The question at each moment that has such an entry."""
    for replay, moment in all_moments(scene):
        if len(moment.ends) > LONGEST_SHOWN:
            continue
        stale = {parts(scene, entry): entry for entry in moment.waiting if moment.is_stale(entry)}
        fresh = {parts(scene, entry): entry for entry in moment.waiting if not moment.is_stale(entry)}
        # the same two symbols may be stale here and fresh there
        only_stale = [entry for key, entry in stale.items() if key not in fresh]
        only_fresh = [entry for key, entry in fresh.items() if key not in stale]
        if only_stale and only_fresh:
            yield _out_of_date(scene, replay, moment, scene.random.choice(only_stale), only_fresh)


def _out_of_date(scene: Scene, replay: MergeReplay, moment: Moment, entry: Pair, fresh_ones: list[Pair]) -> Draft:
    """The question about an entry at a moment. fresh_ones: entries that wait."""
    wrong = sorted(fresh_ones, key=lambda one: (abs(one.start - entry.start), one.start))
    why = merging(scene).stale(entry._replace(kind=staleness(entry, moment)), replay)
    waits = Say("Both of its symbols are still there: it waits.")
    brief = Say("Which entry of the queue is out of date?")
    return Draft(
        symbols_now(scene, replay, moment).then(brief),
        choice(scene, entry),
        [choice(scene, one, waits) for one in wrong],
        Say("{0:q} + {1:q} is out of date: {2:q} is part of {3:q} now.", *parts(scene, entry), *why.values).then(
            Say("It is skipped when it is popped.")
        ),
        moment.event,
        popped(replay, entry),
        brief=brief,
    )


def staleness(entry: Pair, moment: Moment) -> MergeEvent:
    """Which symbol of an entry out of date has changed."""
    if entry.start not in moment.ends:
        return MergeEvent.STALE_LEFT
    return MergeEvent.STALE_RIGHT if entry.middle not in moment.ends else MergeEvent.STALE_SIZE


def popped(replay: MergeReplay, entry: Pair) -> int | None:
    """The event that skips an entry out of date."""
    same = (entry.start, entry.middle, entry.end, entry.token)
    skipped = (pair for pair in replay.pairs if pair.kind in STALE)
    return next((pair.event for pair in skipped if (pair.start, pair.middle, pair.end, pair.token) == same), None)


def all_moments(scene: Scene) -> Iterator[tuple[MergeReplay, Moment]]:
    """The moments before each merge of the text in random order, with the fragments they belong to."""
    items = [
        item
        for item, fragment in merging(scene).fragments.items()
        for _ in range(sum(row.kind == MergeEvent.MERGE for _, row in merging(scene).rows(fragment)))
    ]
    scene.random.shuffle(items)
    # as many draws of a fragment as it has merges, so that every merge is as likely
    for item in dict.fromkeys(items):
        replay = merging(scene).replay(item)
        found = list(moments(replay))
        scene.random.shuffle(found)
        yield from ((replay, moment) for moment in found)


def merging(scene: Scene) -> Merging:
    """The account of a merge model."""
    return cast(Merging, scene.family)


def value_of(scene: Scene, entry: Pair) -> float:
    """The score, the rank, or the number in the list (from 1) of an entry."""
    found = merging(scene).priority_value(entry.left, entry.right)
    assert found is not None, "a pair that waits may merge"
    return found


def parts(scene: Scene, entry: Pair) -> tuple[str, str]:
    """The two symbols of an entry for people."""
    return scene.symbol(entry.left), scene.symbol(entry.right)


def choice(scene: Scene, entry: Pair, why: Say = NO_REASON) -> Choice:
    """An entry as a choice: what it joins and makes, and its number."""
    made = scene.symbol(merging(scene).model.join([entry.left, entry.right]))
    said = Say("{0:q} + {1:q} → {2:q}", *parts(scene, entry), made)
    return Choice(said, why, f"{merging(scene).unit} {number(value_of(scene, entry))}")


def beside(scene: Scene, entry: Pair, best: Pair) -> Say:
    """Why a pair that waits is not the next: its number beside the best one's."""
    mine, theirs = number(value_of(scene, entry)), number(value_of(scene, best))
    if mine == theirs:
        return Say("Both have {0:t}: of equals, the left one goes first.", mine)
    if merging(scene).unit == "score":
        return Say("{0:t} is lower than {1:t}.", mine, theirs)
    return Say("{0:t} comes after {1:t}.", mine, theirs)


def symbols_now(scene: Scene, replay: MergeReplay, moment: Moment) -> Say:
    """The symbols of a fragment at a moment."""
    symbols = [scene.symbol(replay.piece(start, end)) for start, end in sorted(moment.ends.items())]
    return Say("The symbols are now {0}.", quoted_row(symbols))


MOST_TOKENS = 10
"""Tokens of the longest choice."""

LONGEST = 500
"""Characters of a fragment that is encoded again."""
MOST_TRIED = 12
"""Merges of a text that are left out, at most, to find a question."""

MOST_OTHERS = 2
"""Other merges whose lack is a wrong choice."""

Tokens = tuple[tuple[int, int, bytes], ...]
"""Tokens of a fragment: initial symbols [start, end) and the spelling of each."""


class Without(NamedTuple):
    """A fragment encoded again. tokens: of the whole fragment. first: the first merge that the original did not make,
    or None. shown: whether the original had each of its pairs in the queue, so that a reader can work it out."""

    tokens: Tokens
    first: Pair | None
    shown: bool


# one merge can be left out of the rules of these models
@partial(
    Kind,
    "missing-merge",
    "What if this merge were missing?",
    suits=lambda tokenizer: isinstance(tokenizer.model, Spm | Bpe),
)
@richest
def missing_merge(scene: Scene) -> Iterator[Draft]:
    """What would the tokens be without this merge?"""
    found = [
        (fragment, merge)
        for fragment in merging(scene).fragments.values()
        if len(fragment.segment.text) <= LONGEST
        for merge in merging(scene).replay(fragment.item).merges.values()
    ]
    scene.random.shuffle(found)
    tried = [(*each, without) for each in found[:MOST_TRIED] if (without := encoded_without(scene, *each)) is not None]
    tried.sort(key=lambda each: not each[2].shown)
    yield from filter(None, (_draft(scene, *each) for each in tried))


def _draft(scene: Scene, fragment: SegmentEvents, merge: Pair, without: Without) -> Draft | None:
    """The question about one merge; None where its choices would not differ or would be long."""
    replay = merging(scene).replay(fragment.item)
    ours = tokens_of(scene, fragment, replay)
    if ours is None:
        return None
    token = next((start, end) for start, end, _ in ours if start <= merge.start and merge.end <= end)
    inner = replay.within(*token)
    inner = [each for each in inner if each.event != merge.event]
    chosen = scene.random.sample(inner, min(MOST_OTHERS, len(inner)))
    others = [encoded_without(scene, fragment, each) for each in chosen]
    drafts = [
        (ours, Say("These are the tokens as they are, with the merge.")),
        (
            instead(ours, token, undone(replay, token, merge)),
            Say("The two parts do not stay as they were: they merge with other neighbors."),
        ),
        *((each.tokens, lacks(scene, other)) for other, each in zip(chosen, others, strict=True) if each is not None),
        (
            instead(ours, token, [(at, at + 1, replay.piece(at, at + 1)) for at in range(*token)]),
            Say("The other merges still happen."),
        ),
    ]
    start, end = window([without.tokens, *(tokens for tokens, _ in drafts)], merge)
    shown = [within(tokens, start, end) for tokens in (without.tokens, *(tokens for tokens, _ in drafts))]
    if len(shown[0]) > MOST_TOKENS:
        return None
    right = as_choice(scene, shown[0])
    wrong = [
        as_choice(scene, tokens, why)
        for tokens, (_, why) in zip(shown[1:], drafts, strict=True)
        if len(tokens) <= MOST_TOKENS
    ]
    if all(each.shown == right.shown for each in wrong):
        return None
    text = scene.family.speller.text(replay.characters(start, end))
    made = scene.symbol(replay.piece(merge.start, merge.end))
    if merging(scene).unit == "merge":
        prompt = Say(
            "What would the tokens of {0:q} be if the merge {1:q} + {2:q} were missing?", text, *parts(scene, merge)
        )
    else:
        prompt = Say("What would the tokens of {0:q} be if {1:q} were not in the vocabulary?", text, made)
    return Draft(prompt, right, wrong, explanation(scene, ours, without, made), fragment.last - 1)


def lacks(scene: Scene, other: Pair) -> Say:
    """That a choice lacks another merge."""
    if merging(scene).unit == "merge":
        return Say("That is without the merge {0:q} + {1:q}.", *parts(scene, other))
    made = merging(scene).model.join([other.left, other.right])
    return Say("That is without {0:q} in the vocabulary.", scene.symbol(made))


def explanation(scene: Scene, ours: Tokens, without: Without, made: str) -> Say:
    """What happens instead of the missing merge."""
    if without.first is None:
        instead = Say("Encoded again without it, no other merge takes its place.")
    else:
        both = scene.symbol(merging(scene).model.join([without.first.left, without.first.right]))
        instead = Say(
            "Encoded again without it, the first merge that is new is {0:q} + {1:q} → {2:q}.",
            *parts(scene, without.first),
            both,
        )
    if without.tokens == ours:
        return instead.then(Say("The tokens stay the same."))
    whole = any(piece == made for piece in (scene.symbol(piece) for _, _, piece in without.tokens))
    return instead.then(Say("Another pair still makes {0:q}.", made)) if whole else instead


def encoded_without(scene: Scene, fragment: SegmentEvents, merge: Pair) -> Without | None:
    """A fragment encoded by the model without one merge. None where a token is not a merged symbol.

    Under ranks the joined bytes stay a token, but only merges make it: a fragment that is one has no merges.
    """
    whole, model = merging(scene).replay(fragment.item), merging(scene).model
    if not isinstance(model, Spm | Bpe):
        return None
    missing = model.join([merge.left, merge.right])

    def pair(left: bytes, right: bytes) -> tuple[float, bytes, int] | None:
        listed = model.priority == "merge"
        lacks = (left, right) == (merge.left, merge.right) if listed else left + right == missing
        return None if lacks else model.pair(left, right)

    events: Events[MergeRow] = Events(MergeRow)
    chain = merge_by_queue(whole.symbols.pieces, Pairs(pair), events.emit)
    if not all(merging(scene).is_piece([piece]) for piece in chain.pieces):
        return None
    tokens = tuple(zip(chain.first, [*chain.first[1:], len(whole.symbols.pieces)], chain.pieces, strict=True))
    known = {(each.start, each.middle, each.end) for each in whole.merges.values()}
    seen = {(each.left, each.right) for each in whole.pairs if each.kind == MergeEvent.PUSH}
    replay = MergeReplay(model, whole.text, enumerate(events))
    merged = [each for each in replay.pairs if each.kind == MergeEvent.MERGE]
    first = next((each for each in merged if (each.start, each.middle, each.end) not in known), None)
    return Without(tokens, first, all((each.left, each.right) in seen for each in merged))


def tokens_of(scene: Scene, fragment: SegmentEvents, replay: MergeReplay) -> Tokens | None:
    """The tokens of a fragment; None where one is not a whole symbol."""
    rows = [row for _, row in merging(scene).rows(fragment)]
    if any(row.kind in NOT_SYMBOLS for row in rows):
        return None
    outputs = [(row.left, row.right) for row in rows if row.kind == MergeEvent.TOKEN]
    return tuple((*span, replay.piece(*span)) for span in outputs)


NOT_SYMBOLS = frozenset(MergeEvent) - {MergeEvent.TOKEN, MergeEvent.PUSH, MergeEvent.MISS, MergeEvent.MERGE,
                                       MergeEvent.STALE_LEFT, MergeEvent.STALE_RIGHT, MergeEvent.STALE_SIZE,
                                       MergeEvent.NOT_WHOLE}  # fmt: skip
"""Events of fragments with byte fallback, unknown characters or pieces taken whole."""


def undone(replay: MergeReplay, token: tuple[int, int], merge: Pair) -> Iterator[tuple[int, int, bytes]]:
    """A token without a merge and all that build on it, as if nothing took their place."""
    cuts = {merge.middle, *token}
    for each in replay.within(*token):
        if each.start <= merge.start and merge.end <= each.end:
            cuts.add(each.middle)
    return ((start, end, replay.piece(start, end)) for start, end in pairwise(sorted(cuts)))


def instead(tokens: Tokens, token: tuple[int, int], parts: Iterable[tuple[int, int, bytes]]) -> Tokens:
    """Tokens with one of them replaced."""
    parts = tuple(parts)
    return tuple(one for each in tokens for one in (parts if (each[0], each[1]) == token else (each,)))


def window(rows: list[Tokens], merge: Pair) -> tuple[int, int]:
    """The smallest run of symbols with a cut in all rows at both ends that contains a merge and all differences."""
    common = set.intersection(*({0, *(end for _, end, _ in row)} for row in rows))
    times = Counter(each for row in rows for each in set(row))
    different = [each for each, count in times.items() if count < len(rows)]
    low = min([merge.start, *(start for start, _, _ in different)])
    high = max([merge.end, *(end for _, end, _ in different)])
    return max(at for at in common if at <= low), min(at for at in common if at >= high)


def within(tokens: Tokens, start: int, end: int) -> Tokens:
    """The tokens of the symbols [start, end)."""
    return tuple(each for each in tokens if each[0] >= start and each[1] <= end)


def as_choice(scene: Scene, tokens: Tokens, why: Say = NO_REASON) -> Choice:
    """Tokens side by side."""
    return Choice(quoted_row([scene.symbol(piece) for _, _, piece in tokens], " | "), why)


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


BY_SCORE = ModelKind(
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

MERGING: Mapping[str, ModelKind] = {
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
