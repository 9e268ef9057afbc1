"""A class that has parts of its own: Compare names those that were exchanged, and no fewer give the same ids.

The oracle exchanges the same parts in the library tokenizers. The file of another kind of model is the case where the
class drops the model, too: a WordPiece under a byte-level class is a BPE without merges.
"""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import runs
from explorer.analysis.notes import notes
from explorer.facts import FactKind
from explorer.text.say import plain
from tests.auto_tokenizer.bases import base
from tests.auto_tokenizer.folders import Case

PARTS = ("normalizer", "pre_tokenizer", "model")
CLASSES = ("RobertaTokenizer", "GPT2Tokenizer")


def of_file(name: str) -> Any:
    made: Any = Tokenizer.from_str(base(name).decode())
    made.no_padding()
    made.no_truncation()
    return made


def exchanged(name: str, parts: tuple[str, ...]) -> Any:
    """What a byte-level class builds of a file, with these parts of the file."""
    file = of_file(name)
    pieces = sorted(file.get_vocab(with_added_tokens=False).items(), key=lambda item: item[1])
    merges = [] if type(file.model).__name__ != "BPE" else merges_of(name)
    made: Any = Tokenizer(models.BPE(dict(pieces), merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for part in parts:
        theirs = getattr(file, part)
        if theirs is not None:
            setattr(made, part, theirs)
    return made


def merges_of(name: str) -> list[tuple[str, str]]:
    merges = json.loads(base(name))["model"]["merges"]
    pairs = (each.split(" ") if isinstance(each, str) else each for each in merges)
    return [(left, right) for left, right in pairs]


def ids(tokenizer: Any, text: str) -> list[int]:
    found: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
    return found


@pytest.mark.parametrize("text", ["the", "The", "is", "café"])
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", ["bert", "xlm-r", "unigram"])
def test_the_parts_that_were_exchanged_are_named(name: str, kind: str, text: str, tmp_path: Path) -> None:
    path = Case(kind, name, {"tokenizer_config.json": {"tokenizer_class": kind}}).written(tmp_path)
    file, five = (explorer.load(f"{path}@{each}") for each in ("huggingface", "transformers-5"))
    found = compare(*runs([file, five], text, add_special=False))
    wanted = ids(of_file(name), text)
    assert wanted == list(found.left.ids)
    assert ids(exchanged(name, ()), text) == list(found.right.ids)
    whole = [each for each in found.divergences if each.region == (0, len(text))]
    if not whole:
        return
    said = [match for note in notes(found) if (match := re.search(f"{kind} uses its own (.*?) instead", plain(note)))]
    assert said
    named = tuple(each.replace("-", "_") for each in re.split(", | and ", said[0][1]))
    assert set(named) <= set(PARTS)
    assert ids(exchanged(name, named), text) == wanted
    fewer = [parts for size in range(len(named)) for parts in combinations(PARTS, size)]
    assert not any(ids(exchanged(name, parts), text) == wanted for parts in fewer)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_model_without_merges_is_warned_of(kind: str, tmp_path: Path) -> None:
    """The oracle: no token of any text is longer than a character."""
    for name, lacks in (("bert", True), ("gpt2", False)):
        path = Case(f"{name} {kind}", name, {"tokenizer_config.json": {"tokenizer_class": kind}}).written(tmp_path)
        five = explorer.load(f"{path}@transformers-5")
        longest = max(len(five.vocabulary.pieces[id].decode()) for id in five.encode("the of", add_special=False).ids)
        assert (longest == 1) == lacks
        warned = [fact for fact in five.facts if fact.kind is FactKind.WARNING and fact.place == "model.merges"]
        assert bool(warned) == lacks
        dropped = [fact for fact in five.facts if fact.place == "tokenizer.json: model" and "WordPiece" in fact.says]
        assert bool(dropped) == lacks
