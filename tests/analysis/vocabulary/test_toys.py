"""Searches, derivations, checks and differences on vocabularies small enough to check by eye, and hostile ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.tokenizer_exports import tokens_export
from explorer.analysis.vocabulary.checks import all_findings, difference, find_unbuilt, findings_from, quick_findings
from explorer.analysis.vocabulary.derivation import derivation, parents, splits
from explorer.analysis.vocabulary.index import (
    By,
    Query,
    Search,
    Sort,
    VocabularyIndex,
    flags_of,
    ids_in,
    index_of,
    selection_of,
)
from explorer.analysis.vocabulary.reach import dossier, sweep
from explorer.engine.decoders.pieces import PieceDecoder, raw
from explorer.engine.models.bpe import Bpe, MergeList
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.text.say import plain
from explorer.vocabulary import PieceKind, Vocabulary
from tests.tiers import amount

HOSTILE = ["<script>alert(1)</script>", "\u202eevil", "a\0b", "=1+1", "x" * 100_000, "\U000e0001", "{0:q}"]


def toy(pieces: list[str], merges: list[str] = (), kinds: dict[str, PieceKind] = {}) -> VocabularyIndex:  # type: ignore[assignment]  # noqa: B006
    """A BPE of characters."""
    v = Vocabulary.of([p.encode() for p in pieces], kinds=[kinds.get(p, PieceKind.NORMAL) for p in pieces])
    rule = MergeList([each.encode() for each in merges])
    special = frozenset(v.ids[p.encode()] for p in kinds)
    ids = {piece: id for piece, id in v.ids.items() if id not in special}
    return index_of(Opened("toy", "BPE", "toy", v, (Bpe(v, rule, ids=ids),), PieceDecoder(v, raw, special=special)))


LETTERS = ["a", "b", "c", "ab", "bc", "abc", "x", "abx"]


def test_a_token_is_derived_as_the_model_merges() -> None:
    """ab joins first, so abc comes of ab + c although a + bc is listed, too; nothing builds abx."""
    index = toy(LETTERS, ["a b", "b c", "a bc", "ab c"])
    tok = index.tokenizer
    assert [(node.piece, node.children) for node in derivation(tok, 5).nodes if node.children] == [  # type: ignore[union-attr]
        (b"ab", (0, 1)), (b"abc", (3, 2)),
    ]  # fmt: skip
    assert (parents(tok, 5).left, parents(tok, 5).value) == (b"ab", 4)  # type: ignore[union-attr]
    assert [(split.left, split.right) for split in splits(tok, 5)] == [(b"a", b"bc"), (b"ab", b"c")]
    found = dossier(index, 3)
    assert [(each.id, each.made_from) for each in found.longer] == [(5, True), (7, False)]
    assert (found.uses.left, found.uses.right) == (1, 0)  # type: ignore[union-attr]
    assert "abx" not in plain(dossier(index, 5).verdict)
    said = plain(dossier(index, 7).verdict)
    assert said.startswith("Its text gives ab x instead.")
    assert "no merge" in said


def test_checks_find_what_is_wrong() -> None:
    index = toy([*LETTERS, "the"], ["a b", "b c", "ab c", "b x", "q a"], {"the": PieceKind.CONTROL})
    found = {each.key: each for each in all_findings(index)}
    assert found["unreached-several"].ids == (7,)
    assert found["unbuilt"].ids == (7,)
    assert found["broken-merges"].lines == ("merge 4: b + x, without bx", "merge 5: q + a, without q")
    assert found["plain-specials"].ids == (8,)
    assert found["missing-bytes"].count == 256 - 4


def test_a_difference_has_every_sort() -> None:
    left, right = toy(["a", "b", "ab"], ["a b"]), toy(["b", "a", "ba"], ["b a"])
    found = difference(left, right)
    assert (found.only_left, found.only_right, found.other_id) == ((2,), (2,), ((0, 1), (1, 0)))
    assert (found.same, found.merges, found.equal) == (0, (1, 1, 0), False)
    assert difference(left, toy(["a", "b", "ab"], ["a b"])).equal


def test_hostile_tokens_are_harmless() -> None:
    index = toy([*HOSTILE, "a"])
    search = Search(index)
    found = search.find(Query())
    ids = search.ids(found, Query())
    export = tokens_export(index, Query(), ids, found.total)
    assert len(json.loads(export.json())["tokens"]) == len(HOSTILE) + 1
    assert "\r\n3,'=1+1," in export.csv()
    for id in ids:
        about = dossier(index, id)
        for text in (about.text, plain(about.verdict)):
            assert text.isprintable()
            assert len(text) < 2_000
    with pytest.raises(InputError, match=r"0.*7"):
        dossier(index, 8)


@settings(max_examples=amount(60), deadline=None)
@given(st.lists(st.text("aAbß İ\u0301中", min_size=1, max_size=4), min_size=1, max_size=12, unique=True),
       st.text("aAbß İ", max_size=2))  # fmt: skip
def test_a_search_finds_what_contains_the_text(pieces: list[str], wanted: str) -> None:
    index = toy(pieces)
    search = Search(index)
    for match_case in (False, True):
        query = Query(wanted, match_case=match_case, sort=Sort.LENGTH)
        found = search.find(query)
        naive = [i for i, p in enumerate(pieces) if (wanted in p if match_case else wanted.lower() in p.lower())]
        assert sorted(search.ids(found, query)) == naive
        for facet, values in search.facets.items():
            for value in values:
                narrowed = search.find(Query(wanted, match_case=match_case, facets=((facet, (value,)),)))
                assert narrowed.total == found.counts[facet][value]
        assert sum(found.lengths.values()) == found.total


@given(st.sets(st.integers(0, 40)))
def test_selections(ids: set[int]) -> None:
    selection = selection_of(ids, 41)
    assert list(ids_in(selection, 41)) == sorted(ids)
    assert [id for id, flag in enumerate(flags_of(selection, 41)) if flag] == sorted(ids)


@pytest.mark.parametrize(
    ("text", "by", "says"),
    [
        ("(", By.REGEX, "character 2 of the pattern"),
        ("2x", By.BYTES, "not hexadecimal"),
        ("5-x", By.IDS, "is not an id"),
        ("5-1", By.IDS, "write 1-5"),
        ("999", By.IDS, "larger than any id here"),
        ("a" * 1_001, By.TEXT, "at most 1000"),
    ],
)
def test_a_query_that_cannot_be_read_is_refused(text: str, by: By, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Search(toy(["a"])).find(Query(text, by))


SLOW = {
    "repeats": ("^(a|aa)+$", "a" * 40 + "b"),
    "alternatives on a short text": ("(?:-|-|-)" * 26 + "x", "-" * 30),
    "many texts": ("(?:-|-)" * 12 + "x", "-" * 13),
}


@pytest.mark.sample(len(SLOW))
@pytest.mark.parametrize("attack", SLOW)
def test_a_slow_pattern_is_stopped(attack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pattern, text = SLOW[attack]
    monkeypatch.setattr("explorer.analysis.vocabulary.index.SEARCH_SECONDS", 0.1)
    with pytest.raises(InputError, match=r"0\.1"):
        Search(toy([f"{text}{at}" for at in range(2_000 if attack == "many texts" else 1)])).find(
            Query(pattern, By.REGEX)
        )


def test_whole_words_begin_a_word_or_have_a_twin_that_does() -> None:
    index = toy([" ", " the", "the", "ing", " 12", "12", "!", " a", "a", "the!"])
    found = Search(index).find(Query(facets=(("with", ("whole words",)),)))
    assert [index.texts[id] for id in ids_in(found.selection, len(index))] == [" the", "the", " a", "a"]


def test_a_check_in_parts_finds_what_one_of_all_tokens_finds() -> None:
    index = toy([*LETTERS, "zz"], ["a b", "b c"])
    parts = [range(0, 4), range(4, 9)]
    swept = [sweep(index, ids=part) for part in parts]
    whole = sweep(index)
    assert whole.unreached == swept[0].unreached | swept[1].unreached
    assert set(whole.unreached) == {5, 7, 8}
    built = [id for part in parts for id in find_unbuilt(index, lambda done: None, part)]
    assert findings_from(index, whole, built) == all_findings(index)


@pytest.mark.parametrize(("rows", "says"), [(3, []), (2, ["token 2 has no row"]), (64, ["61 rows from 3 on"])])
def test_rows_of_config_json_are_compared_with_the_ids(rows: int, says: list[str], tmp_path: Path) -> None:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    (tmp_path / "tokenizer.json").write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast"}))
    (tmp_path / "config.json").write_text(json.dumps({"vocab_size": rows}))
    index = index_of(explorer.load(tmp_path))
    found = [each for each in quick_findings(index) if each.key == "config-rows"]
    assert [each.lines for each in found] == [("config.json: vocab_size",)] * len(says)
    assert all(part in each.means for each, part in zip(found, says, strict=True))
