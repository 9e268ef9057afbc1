"""An extended vocabulary: old tokens keep their ids, no text gets more tokens, the original reads it alike."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings

from explorer.cli.main import main
from explorer.editing.extending import extended
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.opening.catalog import catalog, file_of
from explorer.opening.formats import open_bytes
from tests.bundled import bundled
from tests.editing.test_parity import hugging_face
from tests.editing.test_trimming import of_tiktoken, texts
from tests.originals.generators import texts as any_texts


class Both(NamedTuple):
    before: Opened
    after: Opened
    data: bytes
    new: dict[bytes, tuple[int, ...]]


@cache
def both(name: str, language: str = "Turkish") -> Both:
    file, data = file_of(catalog()[name])
    learned = extended(bundled(name), data, file.name, texts(language), 300)
    choices = {"pattern": name} if file.name.endswith(".tiktoken") else {}
    after = open_bytes(learned.data, file.name, bundled(name).implementation, choices)
    return Both(bundled(name), after, learned.data, dict(learned.new))


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["gpt-2", "cl100k_base", "llama-3"])
def test_old_tokens_stay_and_new_ones_save_tokens(name: str, tmp_path: Path) -> None:
    before, after, data, new = both(name)
    assert 50 < len(new) <= 300
    for id, piece in enumerate(before.vocabulary.pieces):
        if piece:
            assert after.vocabulary.ids[piece] == id
    for piece, parts in new.items():
        assert b"".join(before.vocabulary.pieces[id] for id in parts) == piece
        assert after.vocabulary.ids[piece] >= len(before.vocabulary) - 20 or name == "cl100k_base"
    own = texts("Turkish")
    counts = [sum(len(tok.encode(text, add_special=False).ids) for text in own) for tok in (before, after)]
    assert counts[1] < 0.9 * counts[0]
    encode = (of_tiktoken if name == "cl100k_base" else hugging_face)(data, tmp_path)
    for text in (*own, *texts("English"), *texts("Chinese")):
        ids = after.encode(text, add_special=name != "cl100k_base").ids
        assert [*encode(text)] == ids
        assert len(after.encode(text).ids) <= len(before.encode(text).ids)


@settings(max_examples=60, deadline=None)
@given(any_texts())
def test_no_text_gets_more_tokens(text: str) -> None:
    before, after, _, _ = both("gpt-2")
    assert len(after.encode(text).ids) <= len(before.encode(text).ids)
    assert after.decode(after.encode(text).ids) == before.decode(before.encode(text).ids)


def test_the_first_new_token_is_the_most_frequent_pair() -> None:
    before, _, _, new = both("gpt-2")
    counts: dict[bytes, int] = {}
    from explorer.training.words import counted

    parts = before.parts[: before.parts.index(before.model)]
    for word, n in counted(texts("Turkish"), parts).items():
        pieces = [before.vocabulary.pieces[id] for id in ids_of(before, word)]
        for left, right in pairwise(pieces):
            counts[left + right] = counts.get(left + right, 0) + n
    first = next(iter(new))
    assert counts[first] == max(n for pair, n in counts.items() if pair not in before.vocabulary.ids)


def ids_of(tok: Opened, word: str) -> list[int]:
    """The tokens of a word that is spelled as the model spells it."""
    from explorer.engine.models.merges import Pairs, merge_silently

    found = merge_silently(list(tok.model.initial.symbols(word, lambda *row: None).pieces), Pairs(tok.model.pair))  # type: ignore[attr-defined]
    return [tok.vocabulary.ids[piece] for piece in found.pieces]


def test_the_command_names_the_parts_of_each_new_token(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(texts("Finnish")))
    out = tmp_path / "out"
    assert main(["extend", "gpt-2", "--corpus", str(tmp_path / "a.txt"), "--size", "50", "--output", str(out)]) == 0
    parts = json.loads((out / "new_tokens.json").read_text())
    after = open_bytes((out / "tokenizer.json").read_bytes(), "t", None)
    assert [*map(int, parts)] == list(range(50_257, 50_257 + len(parts)))
    for id, old in parts.items():
        assert after.token_bytes(int(id)) == b"".join(map(bundled("gpt-2").token_bytes, old))


def test_others_say_why_not() -> None:
    file, data = file_of(catalog()["mistral-v1"])
    with pytest.raises(InputError, match="BPE"):
        extended(bundled("mistral-v1"), data, file.name, ["a"], 5)
