"""An alphabet that leaves no room: the trainer exceeds vocab_size, as Hugging Face does, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from explorer.cli.main import main
from explorer.text.say import plain
from explorer.training import likelihood
from explorer.training.huggingface import bpe
from explorer.training.why import crowded, why_text

TEXTS = ("தமிழ் மொழி 日本語", "αβγδ εζηθ", "한국어 문자", "abcdefghij klm", "жзий клмн опр")


@pytest.mark.sample(8)
@pytest.mark.parametrize("size", [0, 2, 5, 9, 12, 40])
@pytest.mark.parametrize("special", [(), ("<unk>", "<s>")])
@pytest.mark.parametrize("text", TEXTS)
def test_the_command_says_when_the_alphabet_fills_the_vocabulary(
    text: str, special: tuple[str, ...], size: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(f"{text}\n{text}\n")
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    theirs.train_from_iterator([text, text], trainers.BpeTrainer(
        vocab_size=size, special_tokens=list(special), show_progress=False))  # fmt: skip
    flags = [flag for each in special for flag in ("--special-token", each)]
    asked = ["train", "bpe", "--words", "whitespace", "--vocab-size", str(size), "--output", str(tmp_path / "x.json")]
    assert main([*asked, *flags, str(corpus)]) == 0
    printed = capsys.readouterr()
    assert f"{theirs.get_vocab_size()} tokens" in printed.out
    alphabet = len(set(text) - {" "}) + len(special)
    assert ("warning" in printed.err) == (alphabet >= size)
    if alphabet >= size:
        assert all(str(number) in printed.err for number in (size, alphabet))
        assert ("exceeds" in printed.err) == (alphabet > size)


@pytest.mark.parametrize("longest", [0, 1, 2, 3])
def test_a_first_pair_is_not_bound_by_max_token_length(longest: int) -> None:
    words = {"abab": 3, "cd": 2}
    options = bpe.Options(vocab_size=6, max_token_length=longest)
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    corpus = [word for word, times in words.items() for _ in range(times)]
    theirs.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=6, max_token_length=longest, show_progress=False))
    assert "ab" in theirs.get_vocab()
    training = bpe.train(words, options)
    said = plain(why_text(training, "ab", ("bpe", "huggingface"), "whitespace", corpus, list(words), options).say)
    assert ("max_token_length" in said) == (longest <= 2)


@pytest.mark.parametrize("size", [10, 17, 18, 19])
def test_special_tokens_of_any_trainer_are_no_pieces(size: int) -> None:
    """The likelihood trainer keeps five special tokens and the whole alphabet, 18 tokens here."""
    options = likelihood.Options(vocab_size=size)
    learned = likelihood.train({"abcdefgh": 2, "ijklm": 3}, options).learned
    assert len(learned.tokens) == max(size, 18)
    note = crowded(learned, options, "whitespace", "likelihood")
    assert bool(note) == (size <= 18)
    assert ("18 tokens with 5 special tokens" in note) == (size <= 18)
