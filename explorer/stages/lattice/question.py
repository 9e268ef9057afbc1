"""Which path through the lattice wins, and by how much.

The runner-up is the best path that ends with another piece. Wrong choices: the runner-up, as if the lower sum won; a
later path; and the right path with a wrong margin, that of the last pieces alone or that to a later path.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from explorer.engine.models.lattice_replay import Candidate, LatticeReplay
from explorer.stages.lattice.why import MEANING, Paths
from explorer.stages.question import NO_REASON, Choice, Draft, Scene, quoted_row
from explorer.text.say import Say, two_digits

LEAST_MARGIN = 0.01
"""A smaller difference of two sums is shown as 0.00."""
LONGEST_WAY = 6
"""Pieces of a path that a choice shows."""


def best_path(scene: Scene) -> Draft | None:
    """Which path wins, and by how much?"""
    family = cast(Paths, scene.family)
    contests = []
    for item in family.fragments:
        replay = family.replay(item)
        for here in replay.at:
            ranked = contest(replay, here)
            if len(ranked) > 1 and ranked[0].sum - ranked[1].sum >= LEAST_MARGIN:
                contests.append((item, here, ranked))
    if not contests:
        return None
    # two ways to write two characters teach less
    item, here, ranked = scene.random.choice([each for each in contests if len(each[2]) > 2] or contests)
    replay, ranked = family.replay(item), ranked[:4]
    stop = replay.fork(ranked)
    best, second = ranked[:2]
    margin = best.sum - second.sum
    ways = {each.event: replay.way(each, stop) for each in ranked}
    if any(len(way) > LONGEST_WAY for way in ways.values()):
        return None

    def choice(path: Candidate, ahead: float, why: Say) -> Choice:
        joined = quoted_row([family.shown(item, each.start, each.end) for each in ways[path.event]], " + ")
        by = scene.words("{0} by {1}").replace("{0}", joined.template).replace("{1}", two_digits(ahead))
        return Choice(Say(by, joined.args, joined.texts), sums(ways[path.event]), why, two_digits(path.score))

    lower = Say.of("Its sum is lower, and the highest sum wins.")
    wrong_margin = Say("The path is right, the difference is not.")
    margins = [abs(best.score - second.score), *(best.sum - each.sum for each in ranked[2:])]
    wrong = [
        choice(second, margin, lower),
        *(choice(best, other, wrong_margin) for other in margins),
        *(choice(each, each.sum - ranked[-1].sum or margin, lower) for each in ranked[2:]),
    ]
    wrong = [each for each in wrong if two_digits(0.0) != each.shown.rpartition(" ")[2]]
    text = family.shown(item, stop, here)
    prompt = scene.say("Which path to the end of {0:q} wins, and how far is it ahead of the next one?", text)
    brief = prompt.then(scene.say("Beside each path is the score of its last piece; the panel has the sums before it."))
    totals = [two_digits(sum(each.score for each in ways[path.event])) for path in (best, second)]
    said = Say.of("Its pieces add up to {0:t}, those of the next path to {1:t}.", *totals).then(MEANING)
    before = min(each.event for each in replay.at[here]) - 1
    return Draft(prompt, choice(best, margin, NO_REASON), wrong, said, scene.stage.name, before,
                 max(each.event for each in replay.at[here]), brief=brief)  # fmt: skip


def contest(replay: LatticeReplay, here: int) -> list[Candidate]:
    """The pieces that compete at an index, the best path first; without the unknown token."""
    return sorted((each for each in replay.at[here] if not each.unknown), key=lambda each: -each.sum)


def sums(way: Sequence[Candidate]) -> str:
    """The scores of a path, added up in writing.

    >>> sums([Candidate(1, 0, 1, 5, -1.5, -1.5, True, False), Candidate(2, 1, 2, 6, -2.0, -3.5, True, False)])
    '−1.50 − 2.00'
    """
    first, *rest = (each.score for each in way)
    return two_digits(first) + "".join(f" {'+' if each >= 0 else '−'} {two_digits(abs(each))}" for each in rest)
