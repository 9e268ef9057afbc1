"""BPE is what tokenizers' own trainer learns, on hostile and generated corpora, with all options."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.training import words
from explorer.training.huggingface import bpe
from tests.originals.hugging_face_parts import parts
from tests.tiers import amount
from tests.training.corpora import HOSTILE, corpora, generated, lines_of, standard_library
from tests.training.huggingface import CUTS, affixed, cut, original, pairs_merged

SPECIAL: Final = ("<s>", "</s>", "[UNK]", "ab", "a", "the", "<s>")


def check(texts: Sequence[str], name: str, options: bpe.Options) -> None:
    """The same vocabulary, ids and merges."""
    counted = words.counted(texts, parts(*CUTS[name]))
    assert list(counted.items()) == list(words.count(texts, cut(name)).items())
    theirs = original(texts, name, options)
    training = bpe.train(counted, options)
    if options.continuing_subword_prefix or options.end_of_word_suffix:
        # the original numbers these in random order: given its order, everything else follows
        training = bpe.train(counted, options, affixed(training, theirs.vocab))
    assert training.learned.ids == theirs.vocab
    if not isinstance(options, bpe.WordPieceOptions):
        assert pairs_merged(training) == theirs.merges


def limit_ties(texts: Sequence[str], name: str, options: bpe.Options) -> bool:
    """Whether the last character kept is as frequent as the first one dropped: then the original chooses at random."""
    counts = Counter(dict.fromkeys(options.initial_alphabet, 1 << 60)) | Counter(
        ch for text in texts for word in cut(name)(text) for ch in word
    )
    ordered = sorted(counts.values(), reverse=True)
    limit = options.limit_alphabet
    return limit is not None and 0 < limit < len(ordered) and ordered[limit - 1] == ordered[limit]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_corpora(name: str) -> None:
    for how in CUTS:
        for size in (0, 30, 300):
            check(HOSTILE[name], how, bpe.Options(vocab_size=size))
        check(HOSTILE[name], how, bpe.Options(vocab_size=300, min_frequency=2, special_tokens=SPECIAL))


def options_of(choose: random.Random) -> bpe.Options:
    return bpe.Options(
        vocab_size=choose.choice((0, 5, 20, 50, 100, 400)),
        min_frequency=choose.choice((0, 0, 1, 2, 3, 10)),
        special_tokens=tuple(choose.sample(SPECIAL, choose.choice((0, 0, 2, 7)))),
        limit_alphabet=choose.choice((None, None, None, 0, 1, 3, 8, 1_000)),
        initial_alphabet=choose.choice(((), (), ("z", "猫"), tuple("abc"))),
        max_token_length=choose.choice((None, None, 0, 1, 2, 3, 4, 5, 8)),
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("block", range(8))
def test_generated_corpora_with_all_options(block: int) -> None:
    done = 0
    for seed in range(block * 50, block * 50 + amount(50)):
        texts, options = generated(seed), options_of(random.Random(seed))
        for how in random.Random(seed).sample(sorted(CUTS), 2):
            if not limit_ties(texts, how, options):
                check(texts, how, options)
                done += 1
    assert done > amount(60)


@settings(max_examples=amount(150))
@given(corpora(), st.sampled_from(sorted(CUTS)), st.integers(0, 2**32))
def test_any_corpus(texts: list[str], how: str, seed: int) -> None:
    options = options_of(random.Random(seed))
    if not limit_ties(texts, how, options):
        check(texts, how, options)


@pytest.mark.parametrize(
    ("prefix", "suffix"), [("##", None), (None, "</w>"), ("##", "</w>"), ("", ""), ("@", None), (None, "a")]
)
def test_prefixes_and_suffixes(prefix: str | None, suffix: str | None) -> None:
    for seed in range(amount(100)):
        texts = [text.replace("#", "").replace("@", "") for text in generated(seed)]
        options = replace(options_of(random.Random(seed)), continuing_subword_prefix=prefix, end_of_word_suffix=suffix)
        for how in random.Random(seed).sample(sorted(CUTS), 1):
            if not limit_ties(texts, how, options):
                check(texts, how, options)


def test_wordpiece() -> None:
    """Hugging Face's WordPiece is BPE with ##: no likelihood decides anything."""
    for seed in range(amount(200)):
        texts = [text.replace("#", "") for text in generated(seed)]
        options = replace(options_of(random.Random(seed)), max_token_length=None)
        mine = bpe.WordPieceOptions(**{**vars(options), "continuing_subword_prefix": "##"})
        for how in random.Random(seed).sample(sorted(CUTS), 1):
            if not limit_ties(texts, how, options):
                check(texts, how, mine)
    check(HOSTILE["prose"], "bert", bpe.WordPieceOptions(vocab_size=300, special_tokens=("[UNK]", "[CLS]")))


def test_a_limit_at_a_tie_keeps_the_lower_code_points() -> None:
    """The original chooses among the characters that tie; ours is one of its choices, always the same."""
    assert bpe.train({"abcdd": 1}, bpe.Options(vocab_size=0, limit_alphabet=2)).learned.tokens == ("a", "d")
    choices = {
        frozenset(original(["abcdd"], "nothing", bpe.Options(vocab_size=0, limit_alphabet=2)).vocab) for _ in range(40)
    }
    assert frozenset("ad") in choices
    assert choices <= {frozenset(pair) for pair in ("ad", "bd", "cd")}


def test_lines_of_a_file_keep_their_ends(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "one two\r\nthree\rfour\n\n  five"
    path = tmp_path_factory.mktemp("corpus") / "text.txt"
    path.write_bytes(text.encode())
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train([str(path)], trainers.BpeTrainer(vocab_size=60, show_progress=False))
    counted = words.count(lines_of(text), cut("bytes"))
    assert bpe.train(counted, bpe.Options(vocab_size=60)).learned.ids == tokenizer.get_vocab()


@pytest.mark.long
def test_a_megabyte_of_real_text() -> None:
    lines = lines_of(standard_library(amount(1_000_000)))
    check(lines, "bytes", bpe.Options(vocab_size=8_000))
