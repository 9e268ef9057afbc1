"""Options that contradict themselves are refused, with what to do; a training ends when its time is over."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.engine.limits import budget
from explorer.engine.limits.budget import TooSlow
from explorer.errors import InputError
from explorer.training import likelihood, teaching
from explorer.training.huggingface import bpe, word_level, wordpiece


@pytest.mark.parametrize(
    ("options", "given", "says"),
    [
        (bpe.Options, {"vocab_size": -1}, "vocab_size is -1; choose a number from 0 to 1,114,112"),
        (wordpiece.Options, {"vocab_size": 2_000_000}, "vocab_size is 2,000,000; choose a number from 0 to 1,114,112"),
        (bpe.Options, {"min_frequency": -1}, "min_frequency is -1; choose 0 or more"),
        (bpe.Options, {"limit_alphabet": -1}, "limit_alphabet is -1; choose 0 or more"),
        (bpe.Options, {"max_token_length": -1}, "max_token_length is -1; choose 0 or more"),
        (bpe.Options, {"initial_alphabet": ("ab",)}, "initial_alphabet: 'ab' is not one character"),
        (word_level.Options, {"min_frequency": -1}, "min_frequency is -1; choose 0 or more"),
        (teaching.Options, {"vocab_size": 255}, "vocab_size is 255: the 256 bytes are tokens already; choose 256"),
        (likelihood.Options, {"vocab_size": -1}, "vocab_size is -1; choose a number from 0"),
    ],
)
def test_options_are_refused(options: Any, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        options(**given)


@pytest.mark.parametrize("train", [bpe.train, wordpiece.train, word_level.train, teaching.train, likelihood.train])
def test_time_that_is_over_ends_a_training(train: Any) -> None:
    words = {f"{number:x}": 1 for number in range(2_000)}
    with budget.within("a training", 10.0) as whole:
        train(words)
        whole.seconds = 0.0
        whole.look = 0.0
        with pytest.raises(TooSlow, match="the trainer took too long: a training may take 0 s"):
            train(words)
        whole.over = None


def test_events_are_counted_by_the_budget() -> None:
    training = bpe.train({"abcdefgh" * 400: 1})
    with (
        budget.run(budget.Budget("a text", 60.0, 100)),
        pytest.raises(InputError, match="the trainer makes more than 100 decisions on a text"),
    ):
        assert training.events
