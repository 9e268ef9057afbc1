"""The Train page's questions: a vocabulary learned from a text, with all its decisions.

Why a token is in the vocabulary and another one is not; the ways to write a word; lint. What if the corpus had one word
more or fewer, a merge were forbidden, or ties went to the other end? The answer is the difference of two vocabularies.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from explorer.analysis.lint import lint, readable
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import material, question, size_of
from explorer.engine import budget
from explorer.engine.part import silent
from explorer.errors import InputError
from explorer.formats import tokenizer_json
from explorer.languages import ENGLISH
from explorer.opening.formats import open_files
from explorer.script.script import Script, pack
from explorer.stages.lattice.story import word_lattice
from explorer.stages.table import model_kind
from explorer.text import visible
from explorer.text.say import Say, listed, plural
from explorer.training.huggingface import bpe
from explorer.training.lattice import WordWays, word_ways
from explorer.training.sentencepiece.sentences import read, special_pieces
from explorer.training.trainers import (
    ALGORITHMS,
    SECONDS,
    TRAINERS,
    Recipe,
    Trained,
    TrainRequest,
    changed,
    check_limits,
    fingerprint,
    trained_within_limits,
)
from explorer.training.training import State, Train, Training
from explorer.training.why import difference, merges_in, parting, parting_say, stored, why_text
from explorer.training.words import CUTTINGS, MOST_SYMBOLS
from explorer.views.steppers.train_board import opening
from explorer.views.steppers.training_script import training_script
from explorer.vocabulary import PieceKind, spelled

WORD = int(Train.WORD)
"""The event of a word, whatever the trainer: `UnigramTrain` has the same number."""


class TrainView(NamedTuple):
    """A finished training. script: packed. events: of each of its steps, the index of the decision. file: as the
    original saves it, `file_name` its name. opens: the step of the first decision worth looking at. before, after: the
    tokens of the text in single characters (WordLevel: words), and as the trained tokenizer gives it.

    recipe: how to repeat it. id: of the content.
    """

    script: bytes
    events: Sequence[int]
    tokens: int
    file: bytes
    file_name: str
    recipe: bytes
    id: str
    opens: int
    before: int
    after: int


@question
def algorithm_of(spec: TokenizerSpec) -> str:
    """The algorithm that learns such a tokenizer's vocabulary, by its name in `ALGORITHMS`; "" if none of them does."""
    model = tokenizer(spec).model
    title = "BPE" if model.priority is not None else model_kind(model).in_file
    return next((name for name, each in ALGORITHMS.items() if each == title), "")


@material(size_of)
def trained(request: TrainRequest) -> Trained:
    """Trains. Raises InputError."""
    return trained_within_limits(request)


@question
def letters_of(request: TrainRequest) -> int:
    """How many tokens there are before anything is learned: characters and special tokens. The size is ignored.

    WordLevel: all words and special tokens. 0 where bytes are tokens, and for a text or options from which
    nothing is learned.
    """
    trainer, cutting = TRAINERS[request.trainer_id], CUTTINGS[request.cutting]
    texts = request.text.split("\n")
    algorithm, whom = request.trainer_id
    if whom == "minbpe":
        return 0
    try:
        check_limits(request)
        if algorithm == "wordlevel":
            every = {*cutting.words(texts), *trainer.options(**dict(request.options)).special_tokens}
            return len(every)
        with budget.within("this training", SECONDS):
            if not trainer.of_words:
                options = trainer.options(vocab_size=MOST_SYMBOLS, **dict(request.options))
                special = special_pieces(options)
                return len(special) + len(read(texts, options, special, silent).required)
            words = cutting.words(texts)
            if algorithm == "unigram":
                return len(set().union(*words)) + 1
            if whom == "tensorflow-text":
                return 2 * len(set().union(*words)) + 1  # with ## and without
            options = trainer.options(vocab_size=0, **dict(request.options))
            return len(trainer.train(words, options).learned.tokens)
    except InputError:
        return 0


@question
def train_view(request: TrainRequest, language: str = ENGLISH) -> TrainView:
    """Trains, and draws it. language: of the script. Raises InputError."""
    training, words, options = finished = trained(request)
    trainer = TRAINERS[request.trainer_id]
    with budget.within("this training", SECONDS):
        file = trainer.save(training.learned, options, CUTTINGS[request.cutting], None)
        script = training_script(finished, request.trainer_id)
        before, after = before_and_after(request, finished, file)
    tokens = len(training.learned.tokens)
    corpus = words if trainer.of_words else request.text.split("\n")
    recipe = Recipe(*request.trainer_id, request.cutting, False, changed(options), None, fingerprint(corpus))
    return TrainView(
        pack(script, language),
        script.events,
        tokens,
        file,
        f"trained here, {plural(tokens, 'token')}{trainer.suffix}",
        recipe.json().encode(),
        sha256(repr((request, language)).encode()).hexdigest()[:16],
        opening(script),
        before,
        after,
    )


@question
def learned_tokens(request: TrainRequest) -> list[tuple[str, int]]:
    """The tokens that were learned, as they are shown, with their ids: no special one, and no single character or byte.

    Raises InputError.
    """
    learned = trained(request).training.learned
    special = {*learned.special, *(id for id, kind in enumerate(learned.kinds) if kind != PieceKind.NORMAL)}
    found = []
    for id, token in enumerate(learned.tokens):
        text = token if isinstance(token, str) else visible(token.decode("utf-8", "backslashreplace"))
        if id not in special and len(token) > 1 and len(text.removeprefix("##")) > 1:
            found.append((text.replace("▁", "·").replace("Ġ", "·"), id))
    return found


def before_and_after(request: TrainRequest, finished: Trained, file: bytes) -> tuple[int, int]:
    """The tokens of the text before anything is learned, and as the trained tokenizer gives it.

    A file that is not opened without a question has the number of symbols after the last decision instead.
    """
    training, words, _ = finished
    if request.trainer_id[0] == "wordlevel":
        before = sum(words.values())
    elif words:
        before = sum(n * len(word) for word, n in words.items())
    else:
        before = sum(row.b * row.n for row in training.events if row.kind == WORD)
    try:
        tokenizer = open_files({f"trained{TRAINERS[request.trainer_id].suffix}": file}, None)
        lines = request.text.split("\n")
        return before, sum(len(tokenizer.encode(line, add_special=False).ids) for line in lines if line)
    except InputError:
        state = State()
        for row in training.events:
            state.apply(row)
        return before, sum(len(word) * times for word, times in zip(state.words, state.times, strict=True))


LONGEST_ASKED = 60
"""Characters of a text that is asked about."""


class WordView(NamedTuple):
    """A word of a trained Unigram model. lattice: packed script of the search for its best way."""

    ways: WordWays
    lattice: bytes


@question
def word_view(request: TrainRequest, word: str, language: str = ENGLISH) -> WordView:
    """All ways to write a word with a trained Unigram model, and its lattice. Raises InputError."""
    spelled = stored(word[:LONGEST_ASKED], request.trainer_id, request.cutting)
    view = train_view(request)
    with budget.within("this question", SECONDS):
        tokenizer = open_files({view.file_name: view.file}, None)
        lattice = pack(word_lattice(tokenizer, spelled), language)
        return WordView(word_ways(trained(request).training.learned, spelled), lattice)


@question
def lint_of(request: TrainRequest) -> tuple[Say, ...]:
    """Contradictions in the file that a training gives, with what to do, then which versions can read it.

    Empty for a file that is no tokenizer.json.
    """
    view = train_view(request)
    if not view.file_name.endswith(".json"):
        return ()
    json = tokenizer_json.read(view.file, "tokenizer.json")
    return (*(finding.says.then(finding.fix.say) for finding in lint(json)), readable(json))


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
            text[:LONGEST_ASKED],
            request.trainer_id,
            request.cutting,
            request.text.split("\n"),
            list(words),
            options,
        )
    script = Script({}, train_view(request).events)
    return TokenAnswer(found.say, tuple((script.step_of(each.event), each.say) for each in found.steps))


LONGEST_LIST = 20_000
"""Characters of a list of merges."""


@question
def against(request: TrainRequest, text: str) -> TokenAnswer:
    """Where a list of merges parts from a training, and the step of that decision. Raises InputError."""
    training = trained(request).training
    with budget.within("this question", SECONDS):
        first = parting(training, merges_in(text[:LONGEST_LIST].split("\n")), request.cutting)
    script = Script({}, train_view(request).events)
    decided = [at for at, row in enumerate(training.events) if row.kind == Train.WINNER]
    steps = [script.step_of(decided[first.at])] if first is not None and first.ours else []
    return TokenAnswer(parting_say(first), tuple((step, Say("The decision here.")) for step in steps))


MORE = "one line more"
FEWER = "a word fewer"
FORBID = "a merge is forbidden"
TIES = "ties go to the last ids"
NAMED = 10
"""Tokens that an answer names."""


class Changeable(NamedTuple):
    """What can be changed.

    words: of the corpus that can be left out. merges: that can be forbidden, in order. ties: whether they can be broken
    otherwise.
    """

    words: tuple[str, ...]
    merges: tuple[str, ...]
    ties: bool


@question
def what_if_choices(request: TrainRequest) -> Changeable:
    """What can be changed in a training. Raises InputError."""
    training, words, options = trained(request)
    symbols = training.learned.symbols
    by_pairs = isinstance(options, bpe.Options)
    merges = training.learned.merges if by_pairs else ()
    named = (f"{number}: {shown(symbols[left])} + {shown(symbols[right])}"
             for number, (left, right, _) in enumerate(merges, 1))  # fmt: skip
    return Changeable(tuple(words) if len(words) > 1 else (), tuple(named), by_pairs)


@question
def what_if(request: TrainRequest, change: str, value: str) -> Say:
    """What would have been learned otherwise. value: the line, the word, or the number of the merge.

    Raises InputError.
    """
    before = trained(request)
    with budget.within("this training", SECONDS):
        after = retrained(request, before, change, value).learned
    found = difference(before.training.learned, after)
    if not (found.gone or found.new or found.first):
        return Say("Nothing would change: the same merges and the same tokens.")
    size, now = len(before.training.learned.tokens), len(after.tokens)
    tokens_now = plural(now, "token")
    say = (Say("The vocabulary would still have {0:t}.", tokens_now) if size == now else
           Say("The vocabulary would have {0:t} instead of {1}.", tokens_now, size))  # fmt: skip
    for tokens, what in ((found.gone, "gone"), (found.new, "new")):
        if tokens:
            names = [*map(shown, tokens)]
            named = listed(names, NAMED)
            say = say.then(Say(f"{{0}} would be {what}: {{1}}.", len(tokens), named))
    if found.first:
        say = say.then(first_merge(found.first, found.before, found.after))
    return say


def first_merge(number: int, before: Sequence[str | bytes], after: Sequence[str | bytes]) -> Say:
    """The first merge that differs."""
    if not after:
        return Say("The merges would end before number {0}, {1:q} + {2:q}.", number, *map(shown, before))
    if not before:
        return Say("Merge {0} would follow: {1:q} + {2:q}.", number, *map(shown, after))
    return Say("Merge {0} is the first that differs: {1:q} + {2:q} instead of {3:q} + {4:q}.", number,
               *map(shown, after), *map(shown, before))  # fmt: skip


def retrained(request: TrainRequest, before: Trained, change: str, value: str) -> Training[Any]:
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
