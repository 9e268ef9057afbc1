"""Why is this token in the trained vocabulary, and why is that one not? The ways to write a word, and lint."""

from __future__ import annotations

from typing import NamedTuple

from explorer.analysis.lint import lint, readable
from explorer.answers.questions import question
from explorer.answers.train import SECONDS, TrainRequest, train_view, trained
from explorer.engine.limits import budget
from explorer.formats import tokenizer_json
from explorer.opening.formats import HEAD, Source, format_of, open_source
from explorer.text.say import Say
from explorer.training.asked import stored, why_text
from explorer.training.word_ways import WordWays, word_ways
from explorer.views.steppers.lattice_script import word_lattice
from explorer.views.steppers.packing import pack
from explorer.views.steppers.script import Script

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
