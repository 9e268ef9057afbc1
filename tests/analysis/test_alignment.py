"""Rows of tokens on the characters of the text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.ownership import (
    Alignment,
    CellKind,
    CutKind,
    align,
    cells_of,
    common_cuts,
    cut_kinds,
    cutters,
    parting,
)
from explorer.engine.part import Token
from explorer.engine.tokenizer import Encoding
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

LOSSLESS = (
    "llama-2", "rwkv-world", "rwkv-world@first-miss", "gpt-2", "gpt-2@llama.cpp", "llama-3", "qwen2.5",
    "qwen2.5@llama.cpp", "cl100k_base", "o200k_base",
)  # fmt: skip
LOSSY = ("bert-uncased", "bert-uncased@llama.cpp", "xlm-r", "mistral-v1")

TOYS = Vocabulary.of([b"<s>", b"a", b"b", b"c", b"ab", b"bc", b"abc", b" "])


def of(text: str, *specs: str) -> Alignment:
    return align(text, [(spec, bundled(spec).encode(text)) for spec in specs])


def shape(alignment: Alignment, row: int) -> list[tuple[str, list[str]]]:
    """Each cell of a row: its characters and the spellings in it."""
    made = alignment.rows[row]
    pieces = made.encoding.pieces
    return [(alignment.text[cell.start : cell.end], pieces[cell.first : cell.last]) for cell in made.cells]


def toy(*tokens: tuple[int, int, int]) -> Encoding:
    return Encoding.of(tuple(Token(*token) for token in tokens), TOYS)


def test_cuts_that_some_row_lacks_are_ringed() -> None:
    one = toy((4, 0, 2), (3, 2, 3))
    other = toy((1, 0, 1), (2, 1, 2), (3, 2, 3))
    made = align("abc", [("one", one), ("other", other)])
    assert [row.ringed for row in made.rows] == [(True, False), (True, True, False)]
    assert made.breaks == (0, 2, 3)
    assert (made.smallest, made.largest, made.spread) == (2, 3, 1.5)
    assert [row.relative for row in made.rows] == [1.0, 1.5]
    assert [row.cuts for row in made.rows] == [(0, 2, 3), (0, 1, 2, 3)]


def test_relative_counts_refer_to_the_baseline() -> None:
    made = align("abc", [("one", toy((6, 0, 3))), ("other", toy((4, 0, 2), (3, 2, 3)))], baseline=1)
    assert [row.relative for row in made.rows] == [0.5, 1.0]
    assert [(row.characters, row.bytes) for row in made.rows] == [(3.0, 3.0), (1.5, 1.5)]


def test_added_and_inserted_tokens_have_empty_cells_of_their_own() -> None:
    made = align("a", [("one", toy((0, -1, -1), (7, 0, 0), (1, 0, 1), (0, -1, -1)))])
    assert [(cell.start, cell.end, cell.kind) for cell in made.rows[0].cells] == [
        (0, 0, CellKind.ADDED), (0, 0, CellKind.INSERTED), (0, 1, CellKind.TEXT), (1, 1, CellKind.ADDED)
    ]  # fmt: skip
    assert made.rows[0].added == 2


def test_uncovered_characters_are_listed() -> None:
    made = align("abcab", [("one", toy((1, 0, 1), (3, 2, 3)))])
    assert made.rows[0].uncovered == ((1, 2), (3, 5))


def test_reordered_tokens_share_a_cell() -> None:
    assert [cell[:4] for cell in cells_of([Token(1, 0, 1), Token(2, 2, 3), Token(3, 1, 2), Token(4, 3, 4)], 4)] == [
        (0, 1, 0, 1), (1, 3, 1, 3), (3, 4, 3, 4)
    ]  # fmt: skip


def test_an_empty_text_and_two_identical_rows() -> None:
    made = of("", "gpt-2", "bert-uncased")
    assert (made.breaks, made.spread) == ((0,), None)
    assert [row.tokens for row in made.rows] == [0, 2]
    made = of("What is LoRA?", "gpt-2", "gpt-2")
    assert not any(ringed for row in made.rows for ringed in row.ringed)


@pytest.mark.parametrize(
    ("text", "spec", "cells"),
    [
        ("A\u030a!", "qwen2.5", [("A\u030a", ["Ãħ"]), ("!", ["!"])]),
        ("A\u030a!", "qwen2.5@llama.cpp", [("A", ["A"]), ("\u030a", ["Ì", "Ĭ"]), ("!", ["!"])]),
        ("ﬁ", "xlm-r", [("", ["<s>"]), ("ﬁ", ["▁fi"]), ("", ["</s>"])]),
        ("각", "gpt-2", [("각", ["ê", "°", "ģ"])]),
        ("각", "bert-uncased", [("", ["[CLS]"]), ("각", ["ᄀ", "##ᅡ", "##ᆨ"]), ("", ["[SEP]"])]),
        ("İs", "bert-uncased", [("", ["[CLS]"]), ("İs", ["is"]), ("", ["[SEP]"])]),
        ("tie\u0302\u0301ng", "bert-uncased", [("", ["[CLS]"]), ("tie", ["tie"]), ("ng", ["##ng"]), ("", ["[SEP]"])]),
        ("你", "llama-2", [("", ["<s>"]), ("", ["▁"]), ("你", ["你"])]),
        ("שלום", "gpt-2", [("ש", ["×©"]), ("ל", ["×ľ"]), ("ו", ["×ķ"]), ("ם", ["×", "Ŀ"])]),
    ],
)  # fmt: skip
def test_cells_of_real_tokenizers(text: str, spec: str, cells: list[tuple[str, list[str]]]) -> None:
    assert shape(of(text, spec), 0) == cells


def test_marks_that_normalization_drops_are_not_covered() -> None:
    row = of("tie\u0302\u0301ng", "bert-uncased").rows[0]
    assert row.uncovered == ((3, 5),)


def test_a_composed_letter_covers_its_marks_although_its_span_is_the_base() -> None:
    """With spans as Hugging Face gives them; bytes spelled as printable characters, too."""
    composed = Vocabulary.of([b"x", "Ãħ".encode(), "ế".encode()])
    for id, text in ((1, "A\u030ax"), (2, "e\u0302\u0301x")):
        encoding = Encoding.of((Token(id, 0, 1), Token(0, len(text) - 1, len(text))), composed)
        row = align(text, [("one", encoding)]).rows[0]
        assert [cell[:2] for cell in row.cells] == [(0, len(text) - 1), (len(text) - 1, len(text))]
        assert row.uncovered == ()
    dropped = Encoding.of((Token(0, 0, 1),), composed)
    assert align("x\u030a", [("one", dropped)]).rows[0].uncovered == ((1, 2),)


SYLLABLES = "\u1100 \u1161 \u11a8 가 각".split()
COMPOSED = [*SYLLABLES, *"Aexか ", *"\u030a\u0302\u0301\u0323\u09c7\u09be\u3099\u1025\u102e"]
"""Letters, marks in and out of canonical order, and conjoining letters that compose without being marks."""


def test_a_composed_syllable_covers_all_its_letters() -> None:
    made = of("\u1112\u1161\u11ab\u1100\u1173\u11af", "qwen2.5", "gpt-2")
    assert [cell[:2] for cell in made.rows[0].cells] == [(0, 3), (3, 6)]
    assert made.breaks == (0, 3, 6)


@settings(max_examples=amount(200))
@given(text=st.lists(st.sampled_from(COMPOSED), min_size=1, max_size=8).map("".join))
def test_whatever_was_composed_is_covered_once(text: str) -> None:
    made = of(text, "qwen2.5", "gpt-2")
    check(text, made)
    assert not any(row.uncovered for row in made.rows)


def test_one_to_six_rows() -> None:
    with pytest.raises(explorer.InputError, match="give 1 to 6"):
        align("", [])
    with pytest.raises(explorer.InputError, match="give 1 to 6"):
        align("", [("x", toy())] * 7)
    with pytest.raises(explorer.InputError, match=r"3.*1"):
        align("", [("x", toy())], baseline=2)


def test_no_cell_crosses_a_common_cut() -> None:
    rows = [list(cells_of([Token(1, 0, 3)], 5)), list(cells_of([Token(1, 1, 2), Token(2, 3, 5)], 5))]
    assert common_cuts(rows, 5) == (0, 3, 5)


def check(text: str, made: Alignment) -> None:
    for row in made.rows:
        covered = [position for cell in row.cells for position in range(cell.start, cell.end)]
        assert covered == sorted(set(covered)), "in order, none twice"
        missing = [position for span in row.uncovered for position in range(*span)]
        assert sorted([*covered, *missing]) == list(range(len(text)))
        numbers = [position for cell in row.cells for position in range(cell.first, cell.last)]
        assert numbers == list(range(row.tokens)), "every token in one cell"
        assert all(a.end <= b.start for a, b in zip(row.cells, row.cells[1:], strict=False))
        assert all(not cell.start < position < cell.end for cell in row.cells for position in made.breaks)


@settings(max_examples=amount(60))
@given(text=texts(), specs=st.lists(st.sampled_from(LOSSLESS), min_size=2, max_size=3))
def test_every_character_is_covered_once_by_a_lossless_row(text: str, specs: list[str]) -> None:
    made = of(text, *specs)
    check(text, made)
    assert not any(row.uncovered for row in made.rows)


@settings(max_examples=amount(60))
@given(text=texts(), spec=st.sampled_from(LOSSY))
def test_a_lossy_row_covers_no_character_twice(text: str, spec: str) -> None:
    check(text, of(text, spec, "gpt-2"))


def test_added_tokens_have_no_characters() -> None:
    text = "What is LoRA?"
    row = align(text, [("llama-2", bundled("llama-2").encode(text))]).rows[0]
    assert (row.tokens, row.added) == (6, 1)
    assert (row.characters, row.bytes) == (13 / 5, 13 / 5)
    empty = align("", [("llama-2", bundled("llama-2").encode(""))]).rows[0]
    assert (empty.tokens, empty.characters, empty.bytes) == (1, 0.0, 0.0)


def test_truncated_text_is_not_counted_per_token() -> None:
    text = "word " * 200
    whole, cut = bundled("bert-uncased"), explorer.load("bert-uncased", pad_and_truncate="yes")
    rows = align(text, [("whole", whole.encode(text)), ("cut", cut.encode(text))]).rows
    assert [row.tokens for row in rows] == [202, 128]
    assert rows[1].bytes == rows[1].characters == (126 * 5 - 1) / 126


# --- beside the baseline --------------------------------------------------------------------------------------------


@given(text=texts(), base=st.integers(0, 3))
@settings(max_examples=amount(60), deadline=None)
def test_the_kind_of_a_cell_is_what_counting_between_shared_cuts_gives(text: str, base: int) -> None:
    names = ("llama-2", "gpt-2", "bert-uncased", "xlm-r")
    alignment = align(text, [(name, bundled(name).encode(text)) for name in names], base)
    baseline = alignment.rows[base]
    assert set(cut_kinds(baseline, baseline)) <= {CutKind.SAME}
    for row in alignment.rows:
        shared = set(row.cuts) & set(baseline.cuts)
        for cell, kind in zip(row.cells, cut_kinds(row, baseline), strict=True):
            if cell.kind != CellKind.TEXT:
                continue
            start = max((cut for cut in shared if cut <= cell.start), default=-1)
            end = min((cut for cut in shared if cut >= cell.end), default=len(text) + 1)
            own, other = (
                [each for each in side.cells if each.kind == CellKind.TEXT and start <= each.start and each.end <= end]
                for side in (row, baseline)
            )
            counts = [sum(each.last - each.first for each in side) for side in (own, other)]
            expected = (
                CutKind.FEWER if counts[0] < counts[1] else CutKind.MORE if counts[0] > counts[1]
                else CutKind.SAME if len(own) == len(other) == 1 else CutKind.ELSEWHERE
            )  # fmt: skip
            assert kind == expected, (text, row.label, cell)
    for cut, count in cutters(alignment).items():
        assert count == sum(cut in row.cuts for row in alignment.rows)
    where = parting(alignment)
    alike = {tuple(cell.cut for cell in row.cells if cell.kind == CellKind.TEXT) for row in alignment.rows}
    assert (where is None) == (len(alike) == 1)
