"""Options that contradict themselves are refused, with what to do; a training ends when its time is over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from explorer.engine import budget
from explorer.engine.budget import TooSlow
from explorer.errors import InputError
from explorer.training import likelihood, teaching, top_down
from explorer.training.huggingface import bpe, word_level
from explorer.training.huggingface import unigram as huggingface_unigram
from explorer.training.sentencepiece import bpe as sentencepiece_bpe
from explorer.training.sentencepiece import unigram
from explorer.training.sentencepiece.sentences import Options
from explorer.training.training import Training


@pytest.mark.parametrize(
    ("options", "given", "names"),
    [
        (bpe.Options, {"vocab_size": -1}, "vocab_size is -1; choose a number from 0 to 1,114,112"),
        (
            bpe.WordPieceOptions,
            {"vocab_size": 2_000_000},
            "vocab_size is 2,000,000; choose a number from 0 to 1,114,112",
        ),
        (bpe.Options, {"min_frequency": -1}, r"min_frequency.* -1\b.* 0 "),
        (bpe.Options, {"limit_alphabet": -1}, r"limit_alphabet.* -1\b.* 0 "),
        (bpe.Options, {"max_token_length": -1}, r"max_token_length.* -1\b.* 0 "),
        (bpe.Options, {"initial_alphabet": ("ab",)}, "initial_alphabet.*'ab'"),
        (word_level.Options, {"min_frequency": -1}, r"min_frequency.* -1\b.* 0 "),
        (teaching.Options, {"vocab_size": 255}, r"vocab_size.* 255\b.* 256"),
        (Options, {"vocab_size": 0}, r"vocab_size.* 0\b.* 1\b"),
        (Options, {"character_coverage": 0.5}, r"character_coverage.* 0\.5\b.* 0\.98 .* 1\.0"),
        (Options, {"max_sentencepiece_length": 0}, r"max_sentencepiece_length.* 0\b.* 1 .* 512"),
        (Options, {"auto_character_coverage": True}, "auto_character_coverage.*byte_fallback"),
        (
            Options,
            {"auto_character_coverage": True, "byte_fallback": True, "required_chars": "a"},
            "auto_character_coverage.*required_chars",
        ),
        (Options, {"normalization_rule_name": "nfc"}, "normalization_rule_name.*'nfc'.*nmt_nfkc"),
        (Options, {"unk_piece": ""}, "unk_piece"),
        (Options, {"user_defined_symbols": ("",)}, "user_defined_symbols"),
        (unigram.Options, {"shrinking_factor": 0.3}, r"shrinking_factor.* 0\.3\b.* 0\.5 .* 0\.95"),
        (unigram.Options, {"num_threads": 0}, r"num_threads.* 0\b.* 1 .* 1,024"),
        (
            unigram.Options,
            {"auto_character_coverage": True, "byte_fallback": True},
            "auto_character_coverage.*Unigram",
        ),
        (huggingface_unigram.Options, {"shrinking_factor": 1.0}, r"shrinking_factor.* 1\.0\b.* 0 .* 1\b"),
        (huggingface_unigram.Options, {"n_sub_iterations": 0}, r"n_sub_iterations.* 0\b.* 1 "),
        (huggingface_unigram.Options, {"initial_alphabet": ("ab",)}, "initial_alphabet.*'ab'"),
        (likelihood.Options, {"vocab_size": -1}, r"vocab_size.* -1\b.* 0 "),
    ],
)
def test_options_are_refused(options: Any, given: dict[str, Any], names: str) -> None:
    with pytest.raises(InputError, match=names):
        options(**given)


WORDS = {f"{number:x}": 20 for number in range(2_000)}
TRAINERS: dict[str, Callable[[], Training[Any]]] = {
    "BPE": lambda: bpe.train(WORDS),
    "WordPiece": lambda: bpe.train(WORDS, bpe.WordPieceOptions()),
    "WordLevel": lambda: word_level.train(WORDS),
    "teaching": lambda: teaching.train(WORDS),
    "likelihood": lambda: likelihood.train(WORDS),
    "top down": lambda: top_down.train(WORDS),
    "sentencepiece": lambda: sentencepiece_bpe.train(WORDS, Options(vocab_size=100)),
    "Unigram": lambda: huggingface_unigram.train(WORDS),
    "sentencepiece Unigram": lambda: unigram.train(WORDS, unigram.Options(vocab_size=100)),
}


@pytest.mark.parametrize("name", TRAINERS)
def test_time_that_is_over_ends_a_training(name: str) -> None:
    assert TRAINERS[name]().learned
    with (
        budget.run(budget.Budget("a training", 0.0)),
        pytest.raises(TooSlow, match=r"a training.* 0 s"),
    ):
        assert TRAINERS[name]().learned


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"vocab_size": 4}, "vocab_size.* 4,.* 3 .* 3 .* 6 "),
        ({"vocab_size": 90}, "vocab_size.* 90,.* 13 .* 13 .*hard_vocab_limit"),
        ({"bos_id": 0}, "bos_id.* 0\\b.*<unk>"),
        ({"pad_id": 90}, "pad_id.* 90\\b.*vocab_size.* 20\\b"),
        ({"unk_id": -1}, "unk_id.* -1\\b.*byte_fallback"),
        ({"bos_piece": "<unk>"}, "bos_piece.*'<unk>'.*unk_piece"),
        ({"control_symbols": ("x", "x")}, "'x'.*twice"),
        ({"control_symbols": ("<unk>",)}, "'<unk>'.*unk_piece"),
        ({"pad_id": 19, "hard_vocab_limit": False}, "'<pad>'.* 19\\b.* 13 "),
        ({"control_symbols": ("a",), "required_chars": "a", "hard_vocab_limit": False}, "'a'.*special"),
        ({"required_chars": "▅"}, "required_chars.*▅"),
    ],
)
def test_sentencepiece_says_what_to_change(given: dict[str, Any], names: str) -> None:
    with pytest.raises(InputError, match=names):
        assert sentencepiece_bpe.train(["abab"], Options(**{"vocab_size": 20, **given})).learned


def test_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="text"):
        assert sentencepiece_bpe.train(["", "▅"], Options(vocab_size=10)).learned
    with pytest.raises(InputError, match="character"):
        assert sentencepiece_bpe.train([" "], Options(vocab_size=10)).learned


def test_events_are_counted_by_the_budget() -> None:
    training = bpe.train({"abcdefgh" * 400: 1})
    with (
        budget.run(budget.Budget("a text", 60.0, 100)),
        pytest.raises(InputError, match=r"trainer.* 100 .*a text"),
    ):
        assert training.events
