"""Questions about the queue of a merge model: which pair merges next, and which entry is out of date.

Wrong choices wait in the same queue. For the next merge they are the runner-up, the first in the text, the newest
entry, and the one whose number looks best when its sign is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from explorer.engine.models.merges import STALE, MergeEvent, MergeReplay, Pair
from explorer.stages.merging.why import RULES, Merging
from explorer.stages.question import LONGEST_SHOWN, NO_REASON, Choice, Draft, Scene, ended, quoted_row, richest
from explorer.text.say import Say, number

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


OUT_OF_DATE = Say("This entry is out of date: one of its symbols has changed.")


def next_merge(scene: Scene) -> Draft | None:
    """Which pair merges next?"""
    return richest(_next_merges(scene))


def _next_merges(scene: Scene) -> Iterator[Draft]:
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
    best_first = sorted(rivals, key=lambda entry: (priority(scene, entry), entry.start))
    looks_best = min(rivals, key=lambda entry: (abs(priority_value(scene, entry)), entry.start))
    first, newest = min(rivals, key=lambda entry: entry.start), max(rivals, key=lambda entry: entry.event)
    wrong = [best_first[0], first, newest, looks_best, *best_first]
    unit, best = merging(scene).unit, merging(scene).pair_step(moment.merge, replay)
    prompt = scene.say("Which pair merges next in {0:q}?", scene.text(replay.text))
    brief = scene.say("Which pair merges next?")
    if len(moment.ends) <= LONGEST_SHOWN:
        prompt = symbols_now(scene, replay, moment).then(brief)
    verb = "is" if unit == "merge" else "has"
    said = Say.of(
        f"{{0:q}} + {{1:q}} {verb} {unit} {{2:t}}; the runner-up, {{3:q}} + {{4:q}}, {verb} {{5:t}}.",
        *best.parts,
        number(priority_value(scene, moment.merge)),
        *parts(scene, best_first[0]),
        number(priority_value(scene, best_first[0])),
    )
    return Draft(
        prompt,
        choice(scene, moment.merge),
        [
            *(choice(scene, entry, beside(scene, entry, moment.merge)) for entry in wrong),
            *(choice(scene, entry, OUT_OF_DATE) for entry in stale_ones),
        ],
        said.then(RULES[unit]),
        scene.stage.name,
        moment.event,
        moment.merge.event,
        brief=brief,
    )


def out_of_date(scene: Scene) -> Draft | None:
    """Which entry of the queue is out of date?"""
    return richest(_out_of_date_ones(scene))


def _out_of_date_ones(scene: Scene) -> Iterator[Draft]:
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
    brief = scene.say("Which entry of the queue is out of date?")
    return Draft(
        symbols_now(scene, replay, moment).then(brief),
        choice(scene, entry),
        [choice(scene, one, waits) for one in wrong],
        Say.of("{0:q} + {1:q} is", *parts(scene, entry)).then(ended(why), Say("It is skipped when it is popped.")),
        scene.stage.name,
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


def priority(scene: Scene, entry: Pair) -> float:
    """What the queue sorts an entry by, lowest first."""
    found = merging(scene).model.priority_of(entry.left, entry.right)
    assert found is not None, "a pair that waits may merge"
    return found


def priority_value(scene: Scene, entry: Pair) -> float:
    """The score, the rank, or the number in the list (from 1) of an entry."""
    found = merging(scene).priority_value(entry.left, entry.right)
    assert found is not None, "a pair that waits may merge"
    return found


def parts(scene: Scene, entry: Pair) -> tuple[str, str]:
    """The two symbols of an entry for people."""
    spell = scene.family.speller.symbol
    return spell(entry.left), spell(entry.right)


def choice(scene: Scene, entry: Pair, why: Say = NO_REASON) -> Choice:
    """An entry as a choice: what it joins and makes, and its number."""
    made = scene.family.speller.symbol(merging(scene).model.join([entry.left, entry.right]))
    said = Say.of("{0:q} + {1:q} → {2:q}", *parts(scene, entry), made)
    return Choice(said, f"{merging(scene).unit} {number(priority_value(scene, entry))}", why)


def beside(scene: Scene, entry: Pair, best: Pair) -> Say:
    """Why a pair that waits is not the next: its number beside the best one's."""
    mine, theirs = number(priority_value(scene, entry)), number(priority_value(scene, best))
    if mine == theirs:
        return Say.of("Both have {0:t}: of equals, the left one goes first.", mine)
    if merging(scene).unit == "score":
        return Say.of("{0:t} is lower than {1:t}.", mine, theirs)
    return Say.of("{0:t} comes after {1:t}.", mine, theirs)


def symbols_now(scene: Scene, replay: MergeReplay, moment: Moment) -> Say:
    """The symbols of a fragment at a moment."""
    spell = scene.family.speller.symbol
    side_by_side = quoted_row([spell(replay.piece(start, end)) for start, end in sorted(moment.ends.items())])
    return side_by_side._replace(template=scene.words("The symbols are now {0}.").replace("{0}", side_by_side.template))
