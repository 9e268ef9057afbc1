"""Why is this token in the trained vocabulary, and why is that one not? The ways to write a word, lint, and what if.

What if: the corpus had one word more or fewer, a merge were forbidden, or ties went to the other end? The answer is the
difference of two vocabularies.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from explorer.analysis.lint import lint, readable
from explorer.answers.questions import question
from explorer.answers.train import train_view, trained
from explorer.engine.limits import budget
from explorer.errors import InputError
from explorer.formats import tokenizer_json
from explorer.opening.formats import HEAD, Source, format_of, open_source
from explorer.script.packing import pack
from explorer.script.script import Script
from explorer.stages.lattice.story import word_lattice
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.text.say import Say
from explorer.training.huggingface import bpe
from explorer.training.lattice import WordWays, word_ways
from explorer.training.request import SECONDS, Trained, TrainRequest
from explorer.training.trainers import TRAINERS
from explorer.training.training import Training
from explorer.training.why import difference, stored, why_text
from explorer.vocabulary import spelled

LONGEST = 60
"""Characters of a text that is asked about."""


class WordView(NamedTuple):
    """A word of a trained Unigram model. lattice: packed script of the search for its best way."""

    ways: WordWays
    lattice: bytes


@question
def word_view(request: TrainRequest, word: str) -> WordView:
    """All ways to write a word with a trained Unigram model, and its lattice. Raises InputError."""
    spelled = stored(word[:LONGEST], request.trainer_id, request.cutting)
    view = train_view(request)
    with budget.within("this question", SECONDS):
        tokenizer = open_source(Source(view.file, {}, view.file_name), format_of(view.file[:HEAD], view.file_name),
                                view.file_name, None, {})  # fmt: skip
        return WordView(word_ways(trained(request).training.learned, spelled), pack(word_lattice(tokenizer, spelled)))


@question
def lint_of(request: TrainRequest) -> tuple[Say, ...]:
    """Contradictions in the file that a training gives, with what to do, then which versions can read it.

    Empty for a file that is no tokenizer.json.
    """
    view = train_view(request)
    if not view.file_name.endswith(".json"):
        return ()
    json = tokenizer_json.read(view.file, "tokenizer.json")
    return (*(finding.says.then(Say.of(finding.fix)) for finding in lint(json)), readable(json))


class TokenAnswer(NamedTuple):
    """Why a text is a token, or why not. lines: the steps of the training that it rests on, each with what it says."""

    say: Say
    lines: tuple[tuple[int, Say], ...]


@question
def why_token(request: TrainRequest, text: str) -> TokenAnswer:
    """The answer, beginning with whether the text is a token. Raises InputError."""
    training, words, options = trained(request)
    with budget.within("this question", SECONDS):
        found = why_text(
            training,
            text[:LONGEST],
            request.trainer_id,
            request.cutting,
            request.text.split("\n"),
            list(words),
            options,
        )
    script = Script({}, train_view(request).events)
    return TokenAnswer(found.say, tuple((script.step_of(each.event), each.say) for each in found.steps))


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
