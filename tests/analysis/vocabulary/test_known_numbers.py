"""Counts of the bundled vocabularies that were found by other means: by the originals, and by counting in the files."""

from __future__ import annotations

import re

import pytest

from explorer.analysis.vocabulary.checks import find_unbuilt, of_unbuilt, with_space
from explorer.analysis.vocabulary.index import By, Query, Search, VocabularyIndex, index_of
from explorer.analysis.vocabulary.reach import Asking, Outcome, dossier, sweep
from tests.bundled import bundled


def index(name: str) -> VocabularyIndex:
    return index_of(bundled(name))


BROKEN = {"gpt-2": 344, "cl100k_base": 773, "llama-3": 1_352, "qwen2.5": 1_448, "o200k_base": 1_562, "rwkv-world": 486}
WITH_SPACE = {
    "gpt-2": 8_536, "llama-3": 19_413, "qwen2.5": 17_367, "rwkv-world": 11_940, "mistral-v1": 5_263,
    "cl100k_base": 16_058, "o200k_base": 28_382,
}  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", list(WITH_SPACE))
def test_tokens_that_are_not_utf8_and_pairs_with_a_space(name: str) -> None:
    of = index(name)
    if name in BROKEN:
        assert of.facets["kind"]["part of a character"].bit_count() == BROKEN[name]
    assert [found.count for found in with_space(of)] == [WITH_SPACE[name]]


def test_rwkv_world() -> None:
    """65,529 tokens, 65,043 of them UTF-8; single Han characters, kana, words, emoji, the longest."""
    of = index("rwkv-world")
    search = Search(of)

    def count(pattern: str, **more: object) -> int:
        return search.find(Query(pattern, By.REGEX, match_case=True, **more)).total  # type: ignore[arg-type]

    assert (len(of), of.all.bit_count() - BROKEN["rwkv-world"]) == (65_530, 65_044), "and the end of text"
    assert count(r"\A[\u4E00-\u9FFF]\Z") == 8_244
    assert count(r"\p{Han}{2}") == 0
    assert count(r"\A[\p{Hiragana}\p{Katakana}ー]{2,}\Z") == 315
    assert count(r"\A ?[A-Za-z]+\Z") == 45_593
    assert count(r"[\U0001F000-\U0001FFFF]") == 13
    longest = search.ids(search.find(Query(bytes=(76, 128))), Query())
    assert longest == [65_525, 65_526, 65_527, 65_528, 65_529]


def test_uses_of_merges_are_those_of_the_file() -> None:
    gpt2 = bundled("gpt-2")
    for piece, merges, left in ((b"s", 1_062, 0), (b"ing", 902, 0)):
        found = dossier(index("gpt-2"), gpt2.vocabulary.ids[piece]).uses
        assert found is not None
        assert sum(found) == merges
        assert found.left >= left


@pytest.mark.parametrize(
    ("id", "outcome"), [(77_150, Outcome.SEVERAL), (132_515, Outcome.OTHER), (9_707, Outcome.ITSELF)]
)
def test_single_tokens_of_qwen(id: int, outcome: Outcome) -> None:
    asking = Asking(index("qwen2.5"))
    found = asking.reached(id)
    assert found.outcome is outcome
    assert tuple(bundled("qwen2.5").encode(found.text).ids) == found.ids


LONGER = [
    ("xlm-r", 6, " 中"), ("o200k_base", 193_819, "亚洲AVa"), ("o200k_base", 63_100, "\U0001f60a\n\n//"),
    ("o200k_base", 3_413, " I'S"),
]  # fmt: skip


@pytest.mark.long
def test_tokens_that_only_longer_text_gives() -> None:
    for name, id, text in LONGER:
        found = Asking(index(name)).reached(id)
        assert (found.outcome, found.text) == (Outcome.ITSELF, text)
        assert id in bundled(name).encode(text, add_special=False).ids


@pytest.mark.long
def test_588_tokens_of_llama_3_that_merges_do_not_build() -> None:
    llama3 = index("llama-3")
    found = of_unbuilt(list(find_unbuilt(llama3, lambda done: None, range(len(llama3)))))
    assert found.count == 588
    assert min(found.ids) == 100_769


@pytest.mark.long
def test_1909_tokens_of_qwen_that_no_text_gives() -> None:
    found = sweep(index("qwen2.5"))
    assert (len(found.of(Outcome.SEVERAL)), len(found.of(Outcome.OTHER))) == (1_719, 190)


@pytest.mark.long
def test_tokens_that_the_first_miss_never_gives() -> None:
    """28,807 have a prefix of whole characters that is no token, and 35,118 one of bytes."""
    assert len(sweep(index("rwkv-world@first-miss")).unreached) == 28_807
    data = set(index("rwkv-world").data[1:])
    assert sum(any(each[:end] not in data for end in range(1, len(each))) for each in data) == 35_118


@pytest.mark.long
@pytest.mark.parametrize("name", ["gpt-2", "llama-3", "cl100k_base", "rwkv-world"])
def test_every_other_token_comes_from_text(name: str) -> None:
    assert not sweep(index(name)).unreached


@pytest.mark.long
def test_only_byte_tokens_of_mistral_never_come() -> None:
    """Those of printable ASCII, the space and DEL, and the controls with a piece of their own."""
    of = index("mistral-v1")
    unreached = sweep(of).unreached
    assert all(re.fullmatch(rb"<0x..>", bundled("mistral-v1").vocabulary.pieces[id]) for id in unreached)
    printable = [id for id in unreached if 0x21 <= of.data[id][0] <= 0x7E]
    assert len(printable) == 94
