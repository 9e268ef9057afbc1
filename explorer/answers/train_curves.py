"""Tokens of the page's corpus by vocabulary size, for several algorithms: the Train page's comparison, on request."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from explorer.answers.questions import question
from explorer.engine.limits import budget
from explorer.errors import InputError
from explorer.training.cuts import CUTTINGS
from explorer.training.growth import growth
from explorer.training.likelihood import PREFIX
from explorer.training.request import SECONDS, TrainRequest, check_limits
from explorer.training.trainers import TRAINERS
from explorer.training.words import Words
from explorer.views.train_chart import Points, unigram_curve

WHOLE: Final = 10_000
"""More tokens than a corpus of the page has words and parts of words: merges go on until no pair is left."""
MERGING: Final = {
    ("bpe", "huggingface"): ("BPE", ""),
    ("wordpiece", "huggingface"): ("WordPiece", PREFIX),
    ("wordpiece", "likelihood"): ("by likelihood", PREFIX),
}
"""Trainers whose vocabulary of one size begins with that of each smaller one: their name on the chart, and prefix."""
UNIGRAM: Final = ("unigram", "huggingface")


class Curves(NamedTuple):
    """own: of the request's trainer, beyond the size asked for; empty if its sizes don't build on each other.

    others: of other trainers, by name.
    """

    own: Points
    others: tuple[tuple[str, Points], ...]


@question
def curves(request: TrainRequest) -> Curves:
    """The curves of all algorithms on the same words. Raises InputError."""
    check_limits(request)
    cutting = CUTTINGS[request.cutting if TRAINERS[request.trainer_id].of_words else "metaspace"]
    own: Points = ()
    others = []
    with budget.within("these trainings", SECONDS):
        words = cutting.words(request.text.split("\n"))
        for trainer_id, (name, prefix) in MERGING.items():
            if trainer_id == request.trainer_id:
                options = dict(request.options)
                prefix = prefix or options.get("continuing_subword_prefix") or ""
                if not options.get("end_of_word_suffix"):
                    own = whole(trainer_id, words, prefix, options)
            else:
                others.append((name, whole(trainer_id, words, prefix, {"special_tokens": ()})))
        if request.trainer_id != UNIGRAM and (points := of_unigram(words)):
            others.append(("Unigram", points))
    return Curves(own, tuple(others))


def whole(trainer_id: tuple[str, str], words: Words, prefix: str, options: dict[str, Any]) -> Points:
    """The curve of a trainer that merges, until no pair is left."""
    trainer = TRAINERS[trainer_id]
    learned = trainer.train(words, trainer.options(**{**options, "vocab_size": WHOLE})).learned
    return tuple(growth(words, learned, prefix))


def of_unigram(words: Words) -> Points:
    """The curve of Unigram, from its first pieces down to few more than the characters."""
    trainer = TRAINERS[UNIGRAM]
    size = len({ch for word in words for ch in word}) + 1
    try:
        return unigram_curve(trainer.train(words, trainer.options(vocab_size=size))).points
    except InputError:  # nothing repeats
        return ()
