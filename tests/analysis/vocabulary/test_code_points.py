"""The index of all code points, by rule, is the one that reads every token."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import pytest

import explorer
from explorer.analysis.vocabulary.checks import quick_findings
from explorer.analysis.vocabulary.index import By, CodePointIndex, Query, Search, VocabularyIndex, columns, index_of
from explorer.engine.models.lookup import SIZE

ADDED = {
    str(id): {"content": content, "special": special}
    for id, content, special in (
        (98, "b", False), (200, "x", True), (1_114_115, " z", False), (1_114_117, "[X]", True), (1_114_118, "É", False)
    )
}  # fmt: skip
"""A character as itself, one that is another's, one with a space, a name, and the twin of É."""


def canine(tmp_path: Path, **settings: object) -> explorer.Tokenizer:
    whole = {"tokenizer_class": "CanineTokenizer", **settings}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(whole))
    return explorer.load(tmp_path)


def index(tmp_path: Path, **settings: object) -> VocabularyIndex:
    return index_of(canine(tmp_path, **settings))


def read(found: VocabularyIndex) -> VocabularyIndex:
    """The same index, of every token read."""
    ids = range(len(found))
    return VocabularyIndex(found.tokenizer, found.spelling, *columns(found.spelling, found.tokenizer, ids))


def test_it_takes_little_memory(tmp_path: Path) -> None:
    tokenizer = canine(tmp_path)
    tracemalloc.start()
    try:
        found = index_of(tokenizer)
        Search(found).find(Query())
        assert isinstance(found, CodePointIndex)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < found.weight
    assert most < 30_000_000


def test_tokens_of_any_block_are_described_alike(tmp_path: Path) -> None:
    found = index(tmp_path, added_tokens_decoder=ADDED)
    near = {each + at for each in (*found.classes.starts, *found.scripts.starts) for at in (-1, 0, 1)}  # type: ignore[attr-defined]
    ids = [*{each % len(found) for each in near}, *random.Random(5).sample(range(SIZE), 2_000)]
    described = columns(found.spelling, found.tokenizer, ids)
    for ours, theirs in zip((found.data, found.texts, found.classes, found.scripts), described, strict=True):
        assert [ours[id] for id in ids] == [*theirs]


def test_every_character_has_an_id_so_no_byte_is_missing(tmp_path: Path) -> None:
    found = index(tmp_path)
    assert [each.key for each in quick_findings(found)] == ["gaps"]
    search = Search(found)
    assert search.find(Query("E2 82 AC", By.BYTES)).total == 1
    assert search.ids(search.find(Query("É")), Query()) == [0xC9, 0xE9]


@pytest.mark.long
@pytest.mark.parametrize("added", [{}, {"added_tokens_decoder": ADDED}])
def test_everything_is_as_of_every_token_read(added: dict[str, object], tmp_path: Path) -> None:
    found = index(tmp_path, **added)
    whole = read(found)
    for name in ("facets", "letters", "same_bytes", "byte_lengths", "character_lengths", "all", "spaced", "broken"):
        assert getattr(found, name) == getattr(whole, name), name
    for name in ("data", "texts", "classes", "scripts", "lowered"):
        assert [*getattr(found, name)] == [*getattr(whole, name)], name
    assert quick_findings(found) == quick_findings(whole)
