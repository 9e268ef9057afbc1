"""Where two BPE trainings part: the first merge that another trainer's list has otherwise, and the rules that give it.

The training runs again, up to that decision, so the counts are those that it decides by. Leaves out what differs after
it: from there on the two count other symbols.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise, zip_longest
from typing import NamedTuple

from explorer.training.training import State, Train, Training, TrainRow

Pair = tuple[str, str]


class Parting(NamedTuple):
    """The first merge that differs, from 0. ours, theirs: the pairs, None after a list's end. counts: of both.

    tied: how many pairs are as frequent as ours. rules: those that would choose theirs here.
    """

    at: int
    ours: Pair | None
    theirs: Pair | None
    counts: tuple[int, int]
    tied: int
    rules: list[str]


class _Reached(Exception):
    """The decision is reached."""


def parting(
    training: Training[str], theirs: Sequence[Pair], spell: Callable[[str], bytes] = str.encode
) -> Parting | None:
    """Where a list of merges parts from a training; None if it is the same. spell: the bytes of a symbol.

    >>> from explorer.training.huggingface import bpe
    >>> found = parting(bpe.train({"ab": 1, "cd": 1}, bpe.Options(vocab_size=6)), [("c", "d"), ("a", "b")])
    >>> found.ours, found.theirs, found.counts, found.rules[0]
    (('a', 'b'), ('c', 'd'), (1, 1), 'of equally frequent pairs the greater one, as CS336 asks')
    """
    text = training.learned.symbols
    both = enumerate(zip_longest(training.learned.pairs, theirs))
    at, ours, other = next(((at, *pairs) for at, pairs in both if pairs[0] != pairs[1]), (0, None, None))
    if ours == other:
        return None
    state = State()

    def until(*row: int) -> None:
        if len(state.merges) == at and row[0] == Train.WINNER:
            raise _Reached
        state.apply(TrainRow(*row))

    with suppress(_Reached):
        training.learn(until)
    counts = Counter({(text[left], text[right]): n for (left, right), n in state.counts.items()})
    most = max(counts.values(), default=0)
    tied = [pair for pair, n in counts.items() if n == most]
    apart = Counter[Pair]()
    for word, times in zip(state.words, state.times, strict=True):
        last = None
        for left, right in pairwise(word):
            last = (left, right) if (left, right) != last else None  # "aaa" has one pair here
            apart[text[left], text[right]] += times * (last is not None)
    numbers = {spelling: number for number, spelling in reversed([*enumerate(text)])}
    ids = {pair: [numbers[side] for side in pair] for pair in tied}
    rules = {
        "of equally frequent pairs the greater one, as CS336 asks": max(tied, key=lambda pair: [*map(spell, pair)]),
        "of equally frequent pairs the smaller one": min(tied, key=lambda pair: [*map(spell, pair)]),
        "of equally frequent pairs the one with the lowest ids": min(tied, key=lambda pair: ids[pair]),
        "of equally frequent pairs the one with the highest ids": max(tied, key=lambda pair: ids[pair]),
        "of equally frequent pairs the first one in the corpus": next((pair for pair in apart if pair in ids), None),
        "overlapping pairs count once": max(apart, key=lambda pair: apart[pair], default=None),
    } if most else {}  # fmt: skip
    chosen_by = [rule for rule, pair in rules.items() if pair == other]
    our_count, their_count = (counts[pair] if pair else 0 for pair in (ours, other))
    if other and not their_count:
        chosen_by = ["it occurs in no word here: words may be cut otherwise, or a special token read as text"]
    return Parting(at, ours, other, (our_count, their_count), len(tied), chosen_by)
