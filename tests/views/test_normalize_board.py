"""The normalization map: every character of the text once, with its result, for any alignment."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.items import Segment
from explorer.engine.results import Trace
from explorer.text.say import plain
from explorer.views.boards.board import BoardCell
from explorer.views.boards.normalize import normalize_board
from explorer.views.window import Window, window_of
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

NONE = Vocabulary.of([])
"""The normalization is drawn without the vocabulary."""
KEPT = "Of a decomposition llama.cpp keeps only the first code point, Hugging Face all but the marks"
NAMES = ["bert-uncased", "bert-uncased@llama.cpp", "llama-2"]


@pytest.fixture(scope="module", params=NAMES)
def tok(request: pytest.FixtureRequest) -> explorer.Tokenizer:
    return bundled(request.param)


def cells_of(trace: Trace, window: Window | None = None) -> list[BoardCell]:
    (row,) = normalize_board(trace, NONE, window or window_of(trace)).rows
    cells: list[BoardCell] = row["cells"]
    return cells


@given(text=texts())
@settings(max_examples=amount(150))
def test_every_normalized_character_is_drawn_once(tok: explorer.Tokenizer, text: str) -> None:
    trace = tok.trace(text)
    cells = cells_of(trace, Window(0, len(text), 0, len(trace.ids)))
    covered = [index for cell in cells for index in range(cell["s"], cell["e"])]
    before = [index for item in trace.stage("normalize").before if isinstance(item, Segment) for index in item.starts]
    assert covered == before


@pytest.mark.parametrize(("name", "text", "looks"), [
    ("bert-uncased", "Å각e\u0301\0", ["changed", "changed", None, "dropped", "dropped"]),
    ("bert-uncased@llama.cpp", "Å각e\u0301\0", ["changed", "changed", None, None, None]),
    ("bert-uncased", "\u0301", ["dropped"]),
    ("bert-uncased", "a漢", [None, "inserted", None, "inserted"]),
    ("bert-uncased", "[SEP]\u200d[SEP]", ["dropped"]),
    ("bert-uncased", "a\u302e\U0001d165", [None, "changed", "changed"]),  # they are reordered
    ("qwen2.5", "e\u0301a", ["changed", None]),
])  # fmt: skip
def test_changes_are_marked(name: str, text: str, looks: list[str | None]) -> None:
    assert [cell.get("look") for cell in cells_of(bundled(name).trace(text))] == looks


def test_one_character_becomes_several() -> None:
    (cell,) = cells_of(bundled("bert-uncased").trace("각"))
    assert [to["t"] for to in cell["to"]] == ["ᄀ", "ᅡ", "ᆨ"]
    (cell,) = cells_of(bundled("bert-uncased@llama.cpp").trace("각"))
    assert [to["t"] for to in cell["to"]] == ["ᄀ"]


@pytest.mark.parametrize(("name", "text", "says"), [
    ("bert-uncased", "", "Changed nothing: the text is empty."),
    ("bert-uncased", "abc", "Changed nothing."),
    ("bert-uncased", "Å\t漢", "1 white space character is written as a space, 1 Chinese character gets spaces around "
     "it, 1 character is decomposed, 1 combining mark is dropped and 1 character is lowercased. " + KEPT +
     ". For this text both are the same."),
    ("bert-uncased@llama.cpp", "Å", "1 character is decomposed, keeping only the first code point. " + KEPT +
     ". For this text both are the same."),
    ("bert-uncased@llama.cpp", "각", "1 character is decomposed, keeping only the first code point. " + KEPT +
     ": of “각” llama.cpp keeps U+1100, Hugging Face U+1100 U+1161 U+11A8."),
    ("bert-uncased", "각", "1 character is decomposed. " + KEPT +
     ": of “각” llama.cpp keeps U+1100, Hugging Face U+1100 U+1161 U+11A8."),
    ("bert-uncased", "e\u0301", "1 combining mark is dropped."),
])  # fmt: skip
def test_the_sentence_counts(name: str, text: str, says: str) -> None:
    trace = bundled(name).trace(text)
    assert plain(normalize_board(trace, NONE, window_of(trace)).say) == says


def test_a_window_limits_the_map() -> None:
    trace = bundled("bert-uncased").trace("Ab\u0301 " * 500)
    window = window_of(trace, 800, 200)
    starts = [cell["s"] for cell in cells_of(trace, window)]
    assert starts == list(range(window.start, window.end))
