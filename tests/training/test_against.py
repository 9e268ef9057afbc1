"""Where a pasted list of merges parts from a training, and the rule that gives it."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.cli.main import main
from explorer.training.huggingface import bpe
from explorer.training.why import Pair, parting

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 4), min_size=1, max_size=8)


def naive(words: dict[str, int], merges: int, greatest: bool = False, overlaps: bool = True) -> list[Pair]:
    """Merges as a textbook learns them: all pairs counted anew each time."""
    split = {word: list(word) for word in words}
    ids = {ch: n for n, ch in enumerate(sorted({ch for word in words for ch in word}))}
    done: list[Pair] = []
    for _ in range(merges):
        counts: Counter[Pair] = Counter()
        for word, symbols in split.items():
            last: Pair | None = None
            for pair in pairwise(symbols):
                last = None if pair == last and not overlaps else pair
                counts[pair] += words[word] * (last is not None)
        if not counts:
            break
        most = max(counts.values())
        tied = [pair for pair, n in counts.items() if n == most]
        pair = max(tied) if greatest else min(tied, key=lambda pair: (ids[pair[0]], ids[pair[1]]))
        done.append(pair)
        ids.setdefault("".join(pair), len(ids))
        for symbols in split.values():
            at = 0
            while at < len(symbols) - 1:
                if (symbols[at], symbols[at + 1]) == pair:
                    symbols[at : at + 2] = ["".join(pair)]
                at += 1
    return done


@given(WORDS)
def test_the_greater_pair_is_recognized_as_the_rule(words: dict[str, int]) -> None:
    training = bpe.train(words, bpe.Options(vocab_size=100))
    theirs = naive(words, len(training.learned.pairs), greatest=True)
    found = parting(training, theirs)
    if theirs == training.learned.pairs:
        assert found is None
        return
    assert found is not None
    assert theirs[: found.at] == training.learned.pairs[: found.at]
    assert found.ours != found.theirs
    assert found.counts[0] == found.counts[1]
    assert found.tied > 1
    assert any("greater" in rule for rule in found.rules)


def test_overlapping_pairs_are_recognized() -> None:
    words = {"aaaa": 2, "bc": 5}
    training = bpe.train(words, bpe.Options(vocab_size=4))
    theirs = naive(words, 1, overlaps=False)
    found = parting(training, theirs)
    assert found is not None
    assert (found.ours, found.theirs, found.counts) == (("a", "a"), ("b", "c"), (6, 5))
    assert any("overlap" in rule for rule in found.rules)


def test_the_greater_pair_is_that_of_bytes_where_characters_spell_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Ġ, a space, is the greatest character and the least byte here
    (tmp_path / "a.txt").write_text("bc a\n")
    (tmp_path / "my.merges").write_text("Ġ a\n")
    ask = ["train", "bpe", "--vocab-size", "8", str(tmp_path / "a.txt"), "--against", str(tmp_path / "my.merges")]
    assert main(ask) == 0
    said = capsys.readouterr().out
    assert "“b” + “c” (1 time) here, “Ġ” + “a” (1 time)" in said
    assert "the smaller one" in said
    assert "the greater one" not in said


def test_a_pair_across_words_and_a_list_that_ends() -> None:
    training = bpe.train({"ab": 2, "cd": 1}, bpe.Options(vocab_size=6))
    found = parting(training, [("b", "c")])
    assert found is not None
    assert found.counts == (2, 0)
    assert any("No word" in rule for rule in found.rules)
    short = parting(training, [("a", "b")])
    assert short is not None
    assert (short.at, short.ours, short.theirs, short.rules) == (1, ("c", "d"), None, [])
    assert parting(training, training.learned.pairs) is None


def test_the_command_prints_the_first_decision(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.txt").write_text("ab cd\n")
    (tmp_path / "my.merges").write_text("#version: 0.2\nc d\na b\n")
    ask = ["train", "bpe", "--words", "whitespace", "--vocab-size", "6", str(tmp_path / "a.txt")]
    assert main([*ask, "--against", str(tmp_path / "my.merges")]) == 0
    said = capsys.readouterr().out
    assert "Merge 1: “a” + “b”" in said
    assert "“c” + “d”" in said
    assert "greater" in said
    (tmp_path / "my.merges").write_text("a b\nc d\n")
    assert main([*ask, "--against", str(tmp_path / "my.merges")]) == 0
    assert "the same merges" in capsys.readouterr().out
    (tmp_path / "my.merges").write_text("abc\n")
    assert main([*ask, "--against", str(tmp_path / "my.merges")]) == 1
