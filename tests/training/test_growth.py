"""The curve from the merges is that of the events."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from explorer.training import words
from explorer.training.trainers import TRAINERS
from explorer.training.words import growth
from explorer.views.charts import merge_curve
from tests.tiers import amount
from tests.training.corpora import corpora
from tests.training.huggingface import cut


@pytest.mark.parametrize(
    ("trainer_id", "prefix"),
    [(("bpe", "huggingface"), ""), (("wordpiece", "huggingface"), "##"), (("wordpiece", "likelihood"), "##")],
)
@settings(max_examples=amount(15), deadline=None)
@given(corpora())
def test_the_curve_is_that_of_the_events(trainer_id: tuple[str, str], prefix: str, texts: list[str]) -> None:
    counted = words.count(texts, cut("only white space"))
    trainer = TRAINERS[trainer_id]
    training = trainer.train(counted, trainer.options(vocab_size=60, special_tokens=("[UNK]",)))
    assert tuple(growth(counted, training.learned, prefix)) == merge_curve(training).points
