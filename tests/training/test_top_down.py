"""Google's published learner: the vocabularies that its own code gives, recorded and live, and its documented cases."""

from __future__ import annotations

import json
import unicodedata
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.engine.part import Events, silent
from explorer.errors import InputError
from explorer.training import top_down, words
from explorer.training.top_down import Options, TopDown, TopDownRow
from tests.tiers import amount
from tests.training.corpora import corpora
from tests.training.huggingface import cut
from tests.training.tensorflow_text import RECORDED, cases, digest, original


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="the texts are drawn from Python 3.11's Unicode")
def test_as_recorded() -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))
    mine = [digest(top_down.train(*case).learned.tokens) for case in cases()]
    assert mine == recorded
    assert len(set(mine)) > 100


@pytest.mark.long
def test_live() -> None:
    for counted, options in cases():
        assert list(top_down.train(counted, options).learned.tokens) == original(counted, options)


@settings(max_examples=amount(60))
@given(corpora(), st.integers(1, 5), st.booleans())
def test_events(texts: list[str], threshold: int, joined: bool) -> None:
    """The last threshold's last round gives the tokens, and each is the end of a word."""
    counted = words.count(texts, cut("white space"))
    options = Options(40, lower_thresh=1, upper_thresh=threshold, include_joiner_token=joined, joiner="~~")
    if not counted:
        with pytest.raises(InputError, match="corpus"):
            assert top_down.train(counted, options).learned
        return
    training = top_down.train(counted, options)
    again: Events[TopDownRow] = Events(TopDownRow, array("q"))
    assert training.learn(again.emit) == training.learn(silent)
    assert again == training.events
    rows = list(training.events)
    last = max(at for at, row in enumerate(rows) if row.kind == TopDown.ROUND)
    tokens = {training.learned.symbols[row.a]: row for row in rows[last:] if row.kind == TopDown.TOKEN}
    letters = {ch for word in counted if len(word) <= 50 for ch in word}
    singles = letters | {f"~~{ch}" for ch in letters} if joined else letters
    assert {*tokens, *singles} == set(training.learned.tokens)
    (limit,) = [row.n for row in rows if row.kind == TopDown.THRESHOLD][-1:]
    for text, row in tokens.items():
        assert row.n >= limit
        if row.b > 1:
            assert any(word.endswith(text.removeprefix("~~")) for word in counted)
    sizes = [row for row in rows if row.kind == TopDown.SIZE]
    assert sizes[-1].a == len(training.learned.tokens)
    assert rows[-1].kind in (TopDown.STOP_SIZE, TopDown.STOP_SEARCH)
    assert [kind.value for kind in TopDown] == list(range(len(TopDown)))


def test_rounds_by_eye() -> None:
    """In the first round every end of a word is frequent enough; then only whole words are left to count."""
    words_ = {"apple": 1, "app": 1}
    once = Options(10, lower_thresh=1, num_iterations=1, slack_ratio=0, include_joiner_token=False)
    assert top_down.train(words_, once).learned.tokens == (
        "a", "e", "l", "p", "app", "apple", "le", "ple", "pp", "pple",
    )  # fmt: skip
    twice = Options(10, lower_thresh=1, num_iterations=2, slack_ratio=0, include_joiner_token=False)
    assert top_down.train(words_, twice).learned.tokens == ("a", "e", "l", "p", "app", "apple")


def test_options_are_refused() -> None:
    with pytest.raises(InputError, match=r"num_iterations.* 0\b.* 1\b"):
        Options(num_iterations=0)
