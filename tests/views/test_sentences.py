"""Rules for every sentence on the screen: numbers, one word for one thing, nobody named who is not there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import explorer
from explorer.analysis.pattern_difference import KNOWN
from explorer.analysis.what_if import WORDS, Switch
from explorer.implementations.huggingface.text_stages import BECOMES
from explorer.learning.lessons.reading import library
from explorer.script.script import Script, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.text.say import fill
from explorer.views.examples import EXAMPLES
from explorer.views.overview import sections
from tests.bundled import bundled

ID = re.compile(r"(?:\btokens?|\bids?|symbol|\]) =? ?\d{1,3}(?:,\d{3})+\b|” \(\d{1,3}(?:,\d{3})+\)")
"""An id with separated thousands."""
COUNT = re.compile(r"\b\d{4,} (?:[a-z]+ )?(?:tokens|pieces|bytes|symbols|characters|code points|ids|merges)\b")
"""A count without them."""
ONE = re.compile(r"(?<!and )\b1 \w+ (?:are|wait|have|follow|begin|make|were|repeat)\b")
ROOT = Path(__file__).parent.parent.parent
TEXTS = ("<|end_of_text|>a<|begin_of_text|>" + " it" * 1100, "a", "", "é")
NAMES = ("llama-3@llama.cpp", "llama-3@huggingface", "o200k_base", "rwkv-world", "llama-2", "bert-uncased", "xlm-r")


def said(script: Script) -> Iterator[str]:
    """Every sentence of a script, on every level."""
    yield script.opening()
    for step in range(1, len(script) + 1):
        kind = script.kind(step)
        for part in ("say", "why", "log", "story", "story_why"):
            yield fill(kind[part], script.args(step), script.data["texts"])


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", NAMES)
def test_counts_have_separated_thousands_and_ids_have_not(name: str) -> None:
    tok = bundled(name)
    for text in TEXTS:
        trace = tok.trace(text)
        drawn = sections(tok, trace, round_trip(tok, trace), window_of(trace, 0, 60))
        told = list(chain.from_iterable(said(each.script) for each in drawn if each.script is not None))
        assert [each for each in told if ID.search(each) or COUNT.search(each) or ONE.search(each)] == []
    assert re.search(ID, "“x” is cut out: token 128,001.")
    assert re.search(COUNT, "3305 tokens of the text")


@pytest.mark.parametrize("name", ["gpt-2", "qwen2.5@llama.cpp", "cl100k_base", "bert-uncased"])
def test_what_is_cut_before_the_model_is_no_piece(name: str) -> None:
    """A piece is in the vocabulary, a pre-token is cut from the text."""
    tok = bundled(name)
    trace = tok.trace("He's here, 123!")
    by_key = {each.key: each for each in sections(tok, trace, round_trip(tok, trace), window_of(trace))}
    cut, model = by_key["pre-tokenize"].script, by_key["model"].script
    assert cut is not None
    assert model is not None
    assert [each for each in said(cut) if re.search(r"\bpieces?\b", each)] == []
    assert any("pre-token" in each for each in said(cut))
    for kind in model.data["kinds"]:
        if kind["label"] == "segment":
            assert not re.search(r"\bpiece\b", kind["say"] + kind["story"])


def test_what_a_pre_tokenizer_cuts_out_is_no_piece_in_its_description_either() -> None:
    names = [f"{name}@{each}" for name, model in explorer.catalog().items() for each in model.implementations]
    facts = [fact.says for name in names for fact in bundled(name).facts if fact.topic == "pre-tokenizer"]
    alternatives = [each.says for pattern in KNOWN.values() for each in pattern.alternatives]
    assert facts
    assert alternatives
    told = [*facts, *alternatives, *BECOMES.values(), *map(str, WORDS[Switch.IGNORE_MERGES].values())]
    assert [each for each in told if re.search(r"\bpieces?\b", each)] == []


def texts_on_the_screen() -> Iterator[tuple[str, str]]:
    """Every string of the code that is no docstring, and the text of every lesson."""
    for path in sorted((ROOT / "explorer").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
                yield str(path), node.value
    for path in sorted((ROOT / "explorer").rglob("*.toml")):
        yield str(path), path.read_text("utf-8")
    for path in sorted((ROOT / "explorer").rglob("*.js")):
        yield str(path), path.read_text("utf-8")


@pytest.mark.long
def test_nobody_is_quoted_whom_a_reader_cannot_ask() -> None:
    found = [(path, text[:80]) for path, text in texts_on_the_screen()
             if re.search(r"\b[Tt]he notes\b|\bnotes behind\b", text)]  # fmt: skip
    assert found == []


def test_no_claim_about_everybody() -> None:
    """What all people do, or most programs, has no oracle."""
    claims = re.compile(r"\b(?:everybody|nobody|many write|most programs|disagree most|often read|often shown)\b", re.I)
    words = [card.words for lesson in library().values() for card in lesson.cards]
    words += [lesson.about for lesson in library().values()]
    words += [text for each in EXAMPLES for text in (each.label, each.shows)]
    assert words
    assert [each for each in words if claims.search(str(each))] == []
