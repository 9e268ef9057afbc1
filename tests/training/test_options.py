"""Options that contradict themselves are refused, with what to do; a training ends when its time is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from explorer.engine.limits import budget
from explorer.engine.limits.budget import TooSlow
from explorer.errors import InputError
from explorer.training import likelihood, teaching, top_down
from explorer.training.huggingface import bpe, word_level, wordpiece
from explorer.training.huggingface import unigram as huggingface_unigram
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import unigram
from explorer.training.sentencepiece.options import Options
from explorer.training.sentencepiece.v0_2_1 import bpe as bpe_0_2_1
from explorer.training.training import Training


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
        (Options, {"vocab_size": 0}, "vocab_size is 0; choose a number from 1 on"),
        (Options, {"character_coverage": 0.5}, "character_coverage is 0.5; choose a number from 0.98 to 1.0"),
        (Options, {"max_sentencepiece_length": 0}, "max_sentencepiece_length is 0; choose a number from 1 to 512"),
        (Options, {"auto_character_coverage": True}, "auto_character_coverage needs byte_fallback"),
        (
            Options,
            {"auto_character_coverage": True, "byte_fallback": True, "required_chars": "a"},
            "auto_character_coverage chooses the characters itself; leave required_chars out",
        ),
        (Options, {"normalization_rule_name": "nfc"}, "normalization_rule_name is 'nfc'; choose one of nmt_nfkc, nfkc"),
        (Options, {"unk_piece": ""}, "unk_piece is empty; give it a spelling"),
        (Options, {"user_defined_symbols": ("",)}, "user_defined_symbols holds an empty symbol; leave it out"),
        (unigram.Options, {"shrinking_factor": 0.3}, "shrinking_factor is 0.3; choose a number from 0.5 to 0.95"),
        (unigram.Options, {"num_threads": 0}, "num_threads is 0; choose a number from 1 to 1,024"),
        (
            unigram.Options,
            {"auto_character_coverage": True, "byte_fallback": True},
            "auto_character_coverage is not to be had for Unigram; leave it out",
        ),
        (huggingface_unigram.Options, {"shrinking_factor": 1.0}, "shrinking_factor is 1.0; choose a number between"),
        (huggingface_unigram.Options, {"n_sub_iterations": 0}, "n_sub_iterations is 0; choose 1 or more"),
        (huggingface_unigram.Options, {"initial_alphabet": ("ab",)}, "initial_alphabet: 'ab' is not one character"),
        (likelihood.Options, {"vocab_size": -1}, "vocab_size is -1; choose a number from 0"),
    ],
)
def test_options_are_refused(options: Any, given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        options(**given)


WORDS = {f"{number:x}": 20 for number in range(2_000)}
TRAINERS: dict[str, Callable[[], Training[Any]]] = {
    "BPE": lambda: bpe.train(WORDS),
    "WordPiece": lambda: wordpiece.train(WORDS),
    "WordLevel": lambda: word_level.train(WORDS),
    "teaching": lambda: teaching.train(WORDS),
    "likelihood": lambda: likelihood.train(WORDS),
    "top down": lambda: top_down.train(WORDS),
    "sentencepiece": lambda: sentencepiece_bpe.train(WORDS, Options(vocab_size=100)),
    "Unigram": lambda: huggingface_unigram.train(WORDS),
    "sentencepiece Unigram": lambda: unigram.train(WORDS, unigram.Options(vocab_size=100)),
    "sentencepiece 0.2.1": lambda: bpe_0_2_1.train(WORDS, Options(vocab_size=100)),
}


@pytest.mark.parametrize("name", TRAINERS)
def test_time_that_is_over_ends_a_training(name: str) -> None:
    assert TRAINERS[name]().learned
    with (
        budget.run(budget.Budget("a training", 0.0)),
        pytest.raises(TooSlow, match="the trainer took too long: a training may take 0 s"),
    ):
        assert TRAINERS[name]().learned


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"vocab_size": 4},
            "vocab_size is 4, and 3 characters and 3 special pieces have to be in it; choose 6 or more",
        ),
        (
            {"vocab_size": 90},
            "vocab_size is 90, and this corpus gives 13 pieces; choose 13 or less, or hard_vocab_limit",
        ),
        ({"bos_id": 0}, "bos_id is 0, the id of <unk>; choose another one"),
        ({"pad_id": 90}, "pad_id is 90, and vocab_size is 20; choose a lower id"),
        ({"unk_id": -1}, "unk_id is -1: without it a model needs byte_fallback and 0.2.3"),
        ({"bos_piece": "<unk>"}, "bos_piece is '<unk>', which is unk_piece; choose another spelling"),
        ({"control_symbols": ("x", "x")}, "the symbol 'x' is given twice; give it once"),
        ({"control_symbols": ("<unk>",)}, "the symbol '<unk>' is unk_piece already; leave it out"),
        ({"pad_id": 19, "hard_vocab_limit": False}, "the special piece '<pad>' has the id 19, and only 13 pieces come"),
        ({"control_symbols": ("a",), "required_chars": "a", "hard_vocab_limit": False}, "the piece 'a' is special and"),
        ({"required_chars": "▅"}, "required_chars holds ▅, the mark of unknown characters; leave it out"),
    ],
)
def test_sentencepiece_says_what_to_change(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        assert sentencepiece_bpe.train(["abab"], Options(**{"vocab_size": 20, **given})).learned


def test_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="the corpus holds no text to learn from; give it a line with a letter"):
        assert sentencepiece_bpe.train(["", "▅"], Options(vocab_size=10)).learned
    with pytest.raises(InputError, match="the corpus holds no character to learn from"):
        assert sentencepiece_bpe.train([" "], Options(vocab_size=10)).learned


def test_events_are_counted_by_the_budget() -> None:
    training = bpe.train({"abcdefgh" * 400: 1})
    with (
        budget.run(budget.Budget("a text", 60.0, 100)),
        pytest.raises(InputError, match="the trainer makes more than 100 decisions on a text"),
    ):
        assert training.events
