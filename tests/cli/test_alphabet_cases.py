"""Two files as people bring them: an alphabet above the size of the vocabulary, and a BPE that lacks letters."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokenizers import Tokenizer

from explorer.cli.main import main

CASES = Path(__file__).parent / "cases"


def test_an_alphabet_above_the_size_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, output = CASES / "alphabet-larger-than-vocabulary.txt", tmp_path / "made.json"
    asked = ["train", "bpe", "--words", "whitespace", "--vocab-size", "40", "--output", str(output), str(corpus)]
    assert main(asked) == 0
    printed = capsys.readouterr()
    assert Tokenizer.from_file(str(output)).get_vocab_size() == 41
    assert all(each in printed.err for each in ("40", "41 tokens", "--limit-alphabet", "exceeds"))


def test_what_the_model_drops_is_no_loss_of_the_spelling(capsys: pytest.CaptureFixture[str]) -> None:
    main(["roundtrip", "-m", str(CASES / "bpe-without-alphabet.json"), str(CASES / "bpe-without-alphabet.txt")])
    said = capsys.readouterr().out
    assert "C3 AB" in said
    assert "Changed by model" in said
    assert "pre-tokenize" not in said
