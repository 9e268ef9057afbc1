"""The Train page's questions: a vocabulary learned from a text, with all its decisions."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

from explorer.answers.questions import material, question, size_of
from explorer.engine.limits import budget
from explorer.engine.trace import silent
from explorer.errors import InputError
from explorer.opening.formats import HEAD, Source, format_of, open_source
from explorer.script.packing import pack
from explorer.script.script import Script
from explorer.text import visible
from explorer.text.quantities import plural
from explorer.training.cuts import CUTTINGS
from explorer.training.huggingface.word_level import TakeWordRow
from explorer.training.recipe import Recipe, changed, fingerprint
from explorer.training.request import SECONDS, Trained, TrainRequest, check_limits, trained_within_limits
from explorer.training.rows import Train, UnigramTrainRow
from explorer.training.sentencepiece.options import special_pieces
from explorer.training.sentencepiece.sentences import read
from explorer.training.symbols import MOST_SYMBOLS
from explorer.training.top_down import TopDownRow
from explorer.training.trainers import TRAINERS
from explorer.training.training import Training
from explorer.training.words import Words
from explorer.views.steppers.train_board import opening
from explorer.views.steppers.training_script import training_script
from explorer.views.train_chart import Curve, merge_curve, unigram_curve
from explorer.vocabulary import PieceKind

WORD: Final = int(Train.WORD)
"""The event of a word, whatever the trainer: `UnigramTrain` has the same number."""


class TrainView(NamedTuple):
    """A finished training. script: packed. events: of each of its steps, the index of the decision. file: as the
    original saves it, `file_name` its name. opens: the step of the first decision worth looking at. before, after: the
    tokens of the text in single characters (WordLevel: words), and as the trained tokenizer gives it.

    recipe: how to repeat it. id: of the content.
    """

    script: bytes
    events: Sequence[int]
    curve: Curve
    tokens: int
    file: bytes
    file_name: str
    recipe: bytes
    id: str
    opens: int
    before: int
    after: int


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
def train_view(request: TrainRequest) -> TrainView:
    """Trains, and draws it. Raises InputError."""
    training, words, options = trained(request)
    trainer = TRAINERS[request.trainer_id]
    with budget.within("this training", SECONDS):
        file = trainer.save(training.learned, options, CUTTINGS[request.cutting], None)
        script, curve = drawn(training, request.trainer_id, words, options)
        before, after = taken(request, training, words, file, trainer.suffix, curve)
    tokens = len(training.learned.tokens)
    return TrainView(
        pack(script),
        script.events,
        curve,
        tokens,
        file,
        f"trained here, {plural(tokens, 'token')}{trainer.suffix}",
        recipe_of(request, words, options).json().encode(),
        sha256(repr(request).encode()).hexdigest()[:16],
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


def taken(
    request: TrainRequest, training: Training[Any], words: Words, file: bytes, suffix: str, curve: Curve
) -> tuple[int, int]:
    """The tokens of the text before anything is learned, and as the trained tokenizer gives it.

    A file that is not opened without a question has the number of the training's last decision instead.
    """
    if request.trainer_id[0] == "wordlevel":
        before = sum(words.values())
    elif words:
        before = sum(n * len(word) for word, n in words.items())
    else:
        before = sum(row.b * row.n for row in training.events if row.kind == WORD)
    name = f"trained{suffix}"
    try:
        tokenizer = open_source(Source(file, {}, name), format_of(file[:HEAD], name), name, None, {})
        lines = request.text.split("\n")
        return before, sum(len(tokenizer.encode(line, add_special=False).ids) for line in lines if line)
    except InputError:
        return before, curve.points[-1][1] if curve.points else before


def recipe_of(request: TrainRequest, words: Words, options: Any) -> Recipe:
    """How to repeat a training with `explorer train --replay`."""
    corpus = words if TRAINERS[request.trainer_id].of_words else request.text.split("\n")
    return Recipe(*request.trainer_id, request.cutting, False, changed(options), None, fingerprint(corpus))


def drawn(training: Training[Any], trainer_id: tuple[str, str], words: Words, options: Any) -> tuple[Script, Curve]:
    """The script of a training, and its curve, by what its events are about."""
    script = training_script(Trained(training, words, options), trainer_id)
    if training.row is UnigramTrainRow:
        return script, unigram_curve(training)
    if training.row in (TakeWordRow, TopDownRow):
        return script, Curve((), sum(words.values()))
    return script, merge_curve(training)
