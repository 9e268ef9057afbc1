"""What if the corpus had one word more or fewer, a merge were forbidden, or ties went to the other end?

The difference of two vocabularies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from explorer.answers.questions import question
from explorer.answers.train import SECONDS, Trained, TrainRequest, trained
from explorer.engine.limits import budget
from explorer.errors import InputError
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.training.huggingface import bpe
from explorer.training.trainers import TRAINERS
from explorer.training.training import Training
from explorer.training.what_if import difference
from explorer.vocabulary import spelled

MORE: Final = "one line more"
FEWER: Final = "a word fewer"
FORBID: Final = "a merge is forbidden"
TIES: Final = "ties go to the last ids"
NAMED: Final = 10
"""Tokens that an answer names."""


class Choices(NamedTuple):
    """What can be changed.

    words: of the corpus that can be left out. merges: that can be forbidden, in order. ties: whether they can be broken
    otherwise.
    """

    words: tuple[str, ...]
    merges: tuple[str, ...]
    ties: bool


@question
def what_if_choices(request: TrainRequest) -> Choices:
    """What can be changed in a training. Raises InputError."""
    training, words, options = trained(request)
    symbols = training.learned.symbols
    by_pairs = isinstance(options, bpe.Options)
    merges = training.learned.merges if by_pairs else ()
    named = (f"{number}: {shown(symbols[left])} + {shown(symbols[right])}"
             for number, (left, right, _) in enumerate(merges, 1))  # fmt: skip
    return Choices(tuple(words) if len(words) > 1 else (), tuple(named), by_pairs)


@question
def what_if(request: TrainRequest, change: str, value: str) -> Say:
    """What would have been learned otherwise. value: the line, the word, or the number of the merge.

    Raises InputError.
    """
    before = trained(request)
    with budget.within("this training", SECONDS):
        after = changed(request, before, change, value).learned
    found = difference(before.training.learned, after)
    if not (found.gone or found.new or found.first):
        return Say.of("Nothing would change: the same merges and the same tokens.")
    size, now = len(before.training.learned.tokens), len(after.tokens)
    tokens_now = plural(now, "token")
    say = (Say.of("The vocabulary would still have {0:t}.", tokens_now) if size == now else
           Say.of("The vocabulary would have {0:t} instead of {1}.", tokens_now, size))  # fmt: skip
    for tokens, what in ((found.gone, "gone"), (found.new, "new")):
        if tokens:
            names = [shown(token) for token in tokens[:NAMED]]
            more = f" and {len(tokens) - NAMED:,} more" if len(tokens) > NAMED else ""
            listed = " ".join(f"{{{at}:q}}" for at in range(len(names)))
            say = say.then(Say.of(f"{len(tokens):,} would be {what}: {listed}{more}.", *names))
    if found.first:
        say = say.then(first_merge(found.first, found.before, found.after))
    return say


def first_merge(number: int, before: Sequence[str | bytes], after: Sequence[str | bytes]) -> Say:
    """The first merge that differs."""
    if not after:
        return Say.of("The merges would end before number {0}, {1:q} + {2:q}.", number, *map(shown, before))
    if not before:
        return Say.of("Merge {0} would follow: {1:q} + {2:q}.", number, *map(shown, after))
    return Say.of("Merge {0} is the first that differs: {1:q} + {2:q} instead of {3:q} + {4:q}.", number,
                  *map(shown, after), *map(shown, before))  # fmt: skip


def changed(request: TrainRequest, before: Trained, change: str, value: str) -> Training[Any]:
    """The training with one thing changed. Raises InputError."""
    training, words, options = before
    if change == MORE:
        return trained(request._replace(text=f"{request.text}\n{value}")).training
    if change == FEWER:
        fewer = {word: n for word, n in words.items() if word != value}
        return TRAINERS[request.trainer_id].train(fewer, options)
    if change == TIES:
        return bpe.train(words, options, last_first=True)
    number = int(value) if value.isdecimal() and len(value) < 9 else 0
    if not 1 <= number <= len(training.learned.pairs):
        raise InputError(f"There is no merge {number}. Choose another one.")
    pair = training.learned.pairs[number - 1]
    return bpe.train(words, options, forbidden=[pair])


def shown(token: str | bytes) -> str:
    """A token for people."""
    return visible(token if isinstance(token, str) else spelled(token))
