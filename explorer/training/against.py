"""Where two BPE trainings part: the first merge that another trainer's list has otherwise, and the rules that give it.

The training runs again, up to that decision, so the counts are those that it decides by. Leaves out what differs after
it: from there on the two count other symbols.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import pairwise, zip_longest
from typing import NamedTuple

from explorer.errors import InputError
from explorer.text import visible
from explorer.text.say import Say, plural
from explorer.training.training import State, Train, Training, TrainRow
from explorer.vocabulary import bytes_of

Pair = tuple[str, str]


class Parting(NamedTuple):
    """The first merge that differs, from 0. ours, theirs: the pairs, None after a list's end. counts: of both.

    tied: how many pairs are as frequent as ours. rules: a sentence for each one that would choose theirs here.
    """

    at: int
    ours: Pair | None
    theirs: Pair | None
    counts: tuple[int, int]
    tied: int
    rules: list[str]


class _Reached(Exception):
    """The decision is reached."""


def parting(training: Training[str], theirs: Sequence[Pair], cutting: str = "") -> Parting | None:
    """Where a list of merges parts from a training; None if it is the same. cutting: a name in `CUTTINGS`.

    >>> from explorer.training.huggingface import bpe
    >>> found = parting(bpe.train({"ab": 1, "cd": 1}, bpe.Options(vocab_size=6)), [("c", "d"), ("a", "b")])
    >>> found.ours, found.theirs, found.counts, found.rules[0]
    (('a', 'b'), ('c', 'd'), (1, 1), "Your list takes the greater one of them, as Stanford's CS336 asks.")
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

    def bytes_of_pair(pair: Pair) -> list[bytes]:
        return [(bytes_of(side) if cutting == "byte-level" else None) or side.encode() for side in pair]

    numbers = {spelling: number for number, spelling in reversed([*enumerate(text)])}
    ids = {pair: [numbers[side] for side in pair] for pair in tied}
    rules = {
        "Your list takes the greater one of them, as Stanford's CS336 asks.": max(tied, key=bytes_of_pair),
        "Your list takes the smaller one of them.": min(tied, key=bytes_of_pair),
        "Your list takes the one of them with the lowest ids.": min(tied, key=lambda pair: ids[pair]),
        "Your list takes the one of them with the highest ids.": max(tied, key=lambda pair: ids[pair]),
        "Your list takes the first one of them in the corpus.": next((pair for pair in apart if pair in ids), None),
        "Your list counts pairs that overlap once, as in “aaa”.": max(apart, key=apart.__getitem__, default=None),
    } if most else {}  # fmt: skip
    chosen_by = [rule for rule, pair in rules.items() if pair == other]
    our_count, their_count = (counts[pair] if pair else 0 for pair in (ours, other))
    if other and not their_count:
        chosen_by = ["No word contains it: your list may cut words otherwise, or reads a special token as text."]
    return Parting(at, ours, other, (our_count, their_count), len(tied), chosen_by)


def merges_in(lines: Iterable[str]) -> list[Pair]:
    """The merges of lines, two sides with a space between; empty lines are left out. Raises InputError.

    >>> merges_in(["#version: 0.2", "a b"])
    [('a', 'b')]
    """
    pairs = []
    for number, line in enumerate(lines, 1):
        if line and not line.startswith("#version:"):
            left, _, right = line.partition(" ")
            if not right or " " in right:
                raise InputError("Line {0:i} of the merges is not two sides with a space between.", number)
            pairs.append((left, right))
    return pairs


def parting_say(first: Parting | None) -> Say:
    """The answer: both candidates with their counts, and what chooses the other one."""
    if first is None:
        return Say("Your list has the same merges.")
    ours, theirs = (
        Say("{0:q} + {1:q} ({2:t})", *map(visible, pair), plural(count, "time")) if pair else Say("no more merges")
        for pair, count in zip((first.ours, first.theirs), first.counts, strict=True)
    )
    say = Say("Merge {0}: {1} here, {2} in your list.", first.at + 1, ours, theirs)
    if first.theirs and first.counts[0] == first.counts[1]:
        say = say.then(Say("{0} pairs have the highest count.", first.tied))
    if first.theirs and not first.rules:
        say = say.then(Say("None of the rules known here chooses it."))
    return say.then(*map(Say, first.rules))
