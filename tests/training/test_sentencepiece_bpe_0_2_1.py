"""BPE of sentencepiece 0.2.1 and before: what it learned from corpora with many pairs, recorded and live."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from explorer.errors import InputError
from explorer.training.rows import Train
from explorer.training.sentencepiece import bpe
from explorer.training.sentencepiece.options import Options
from explorer.training.sentencepiece.sentences import lines_given
from explorer.training.sentencepiece.v0_2_1 import bpe as bpe_0_2_1
from explorer.training.sentencepiece.v0_2_1.hash_order import HashOrder
from tests.tiers import amount, spread
from tests.training.corpora import HOSTILE, generated, many_pairs
from tests.training.recount import check_events
from tests.training.sentencepiece import RULES, options_of, ours
from tests.training.sentencepiece_old import RECORDED, SEEDS, Job, digest, job, originals
from tests.training.test_sentencepiece_bpe import by_count


@pytest.mark.long
def test_many_pairs_as_recorded() -> None:
    """Each of these trainings chooses among its pairs, and most come out otherwise than with 0.2.3."""
    recorded = json.loads(RECORDED.read_text("utf-8"))["bpe"]
    assert len(recorded) == len(SEEDS)
    different = 0
    for seed, wanted in spread(list(zip(SEEDS, recorded, strict=True)), amount(len(SEEDS))):
        texts, options, _ = job(seed)
        training = bpe_0_2_1.train(texts, options)
        assert digest(ours(training.learned)) == wanted
        different += ours(bpe.train(texts, options).learned) != ours(training.learned)
    assert different >= amount(6)


@pytest.mark.long
def test_live() -> None:
    jobs: list[Job] = [job(seed) for seed in SEEDS]
    for texts in HOSTILE.values():
        jobs += [(texts, Options(vocab_size=300, hard_vocab_limit=False), rule) for rule in ("identity", "nmt_nfkc")]
    for seed in range(400):
        choose = random.Random(seed)
        jobs.append((generated(seed), options_of(choose), choose.choice(RULES)))
    done, mine = [], []
    for texts, options, rule in jobs:
        try:
            mine.append(
                ours(bpe_0_2_1.train(lines_given(texts), replace(options, normalization_rule_name=rule)).learned)
            )
        except InputError as error:
            if str(error).startswith("required_chars"):
                continue  # the original would stop its process
            mine.append(None)
        done.append((texts, options, rule))
    theirs = list(originals(done))
    assert theirs == mine
    assert sum(pieces is not None for pieces in theirs) > 200


def test_events_where_all_pairs_are_looked_at() -> None:
    checked = 0
    for seed in range(amount(60)):
        texts, options = generated(seed), Options(vocab_size=120, hard_vocab_limit=False)
        try:
            training = bpe_0_2_1.train(lines_given(texts), options)
            _ = training.events
        except InputError:
            continue
        if any(row.a > row.b for row in training.events if row.kind == Train.ACTIVE):
            continue
        symbols: Sequence[str] = training.learned.symbols
        check_events(training, lambda state, pair: by_count(state, pair, symbols), uncounted=True, zeros=True)  # noqa: B023
        checked += 1
    assert checked > amount(30)


def test_the_choice_is_an_event() -> None:
    rows = bpe_0_2_1.train(many_pairs(0), Options(vocab_size=400, hard_vocab_limit=False)).events
    choices = [row for row in rows if row.kind == Train.ACTIVE]
    assert len(choices) == 1 + sum(row.kind == Train.TOKEN for row in rows) // 100
    assert all(row.a > row.b == 1_000 for row in choices)


def test_what_stops_the_original_is_an_error() -> None:
    with pytest.raises(InputError, match=r"required_chars.*'x'"):
        assert bpe_0_2_1.train(["a"], Options(vocab_size=10, required_chars="x")).learned
    long = Options(vocab_size=10, max_sentence_length=100_000, character_coverage=1.0)
    with pytest.raises(InputError, match=r"70,001.* 65,536.*max_sentence_length"):
        assert bpe_0_2_1.train(["a" * 70_000], long).learned


def test_a_map_remembers_what_is_in_it() -> None:
    choose, order, keys = random.Random(0), HashOrder(), set[int]()
    for _ in range(3_000):
        key = choose.randrange(500)
        if key in order:
            order.remove(key)
            keys.remove(key)
        else:
            order.add(key)
            keys.add(key)
        assert len(order) == len(keys)
    assert set(order) == keys
