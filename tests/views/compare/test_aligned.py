"""The grid of the Compare page: in every row, the same characters share columns."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.ownership import Span, align
from explorer.views.compare.aligned import aligned
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.tiers import amount

NAMES = ("llama-2", "gpt-2", "bert-uncased", "rwkv-world", "xlm-r")


def grid(text: str, *names: str, stored: bool = False) -> dict[str, Any]:
    toks = [bundled(name) for name in names]
    made = align(text, [(tok.name, tok.encode(text)) for tok in toks])
    found: dict[str, Any] = json.loads(aligned(made, toks, stored=stored).json)
    for row in found["rows"]:
        row["cells"] = [
            {"from": cell[0], "to": cell[1], "s": cell[2], "e": cell[3], "kind": cell[4]} | found["looks"][cell[5]]
            for cell in row["cells"]
        ]
    return found


def test_equal_cuts_share_columns_and_insertions_have_their_own() -> None:
    found = grid("What is", "llama-2", "gpt-2")
    assert [[(cell["from"], cell["to"], cell["t"]) for cell in row["cells"]] for row in found["rows"]] == [
        [(0, 1, "<s>"), (1, 2, "What"), (2, 3, " is")],
        [(1, 2, "What"), (2, 3, " is")],
    ]
    assert [block[:2] for block in found["blocks"]] == [[0, 2], [2, 3]]
    assert [cell["kind"] for cell in found["rows"][1]["cells"]] == [0, 0]
    assert found["heads"] == [[1, "What", 2], [2, " is", 0]]


def test_tokens_are_text_and_by_switch_as_stored_the_inserted_space_and_the_details_too() -> None:
    texts, details = {}, {}
    for stored in (False, True):
        llama, gpt = (row["cells"] for row in grid("猫 is", "llama-2", "gpt-2", stored=stored)["rows"])
        texts[stored] = [cell["t"] for cell in llama], [cell["t"] for cell in gpt]
        details[stored] = [dict(cell["tips"][0])["token"] for cell in (llama[1], llama[-1], gpt[-1])]
    assert texts[False] == (["<s>", "·", "猫", " is"], ["猫", " is"])
    assert texts[True][0] == ["<s>", "▁", "<0xE7><0x8C><0xAB>", "▁is"]
    assert texts[True][1][-1] == "Ġis"
    assert details == {False: ["·", "·is", "·is"], True: ["▁", "▁is", "Ġis"]}


def test_the_tokens_of_a_cut_character_share_a_cell() -> None:
    found = grid("猫", "gpt-2", "o200k_base")
    assert [len(row["cells"][0]["ids"]) for row in found["rows"]] == [3, 1]
    assert [row["cells"][0]["kind"] for row in found["rows"]] == [0, 1], "fewer than the baseline's three"


def test_unknown_text_is_marked_in_every_row() -> None:
    # with llama.cpp only the model knows the unknown token, not the vocabulary
    found = grid("so 猫", "bert-uncased@huggingface", "bert-uncased@llama.cpp", "gpt-2")
    marked = [[cell["t"] for cell in row["cells"] if cell.get("look") == "bad"] for row in found["rows"]]
    assert marked == [["猫"], ["猫"], []]


@given(text=texts())
@settings(max_examples=amount(60), deadline=None)
def test_no_two_cells_of_a_row_share_a_column_and_blocks_hold_whole_cells(text: str) -> None:
    found = grid(text, *NAMES)
    ends = [0, *(block[1] for block in found["blocks"])]
    assert [block[0] for block in found["blocks"]] == ends[:-1]
    for row in found["rows"]:
        at = 0
        for cell in row["cells"]:
            assert at <= cell["from"] < cell["to"] <= ends[-1]
            at = cell["to"]
            assert not any(cell["from"] < end < cell["to"] for end in ends)


@given(text=texts(), at=st.integers(0, 40), size=st.integers(1, 30))
@settings(max_examples=amount(60), deadline=None)
def test_a_part_shows_exactly_the_cells_that_overlap_it(text: str, at: int, size: int) -> None:
    toks = [bundled(name) for name in NAMES]
    made = align(text, [(tok.name, tok.encode(text)) for tok in toks])
    part = Span(min(at, len(text)), min(at + size, len(text)))
    whole, found = json.loads(aligned(made, toks).json), json.loads(aligned(made, toks, part).json)

    def cells(row: dict[str, Any], looks: list[dict[str, Any]]) -> list[tuple[object, ...]]:
        return [(start, end, kind, looks[look]) for _, _, start, end, kind, look in row["cells"]]

    for all_of_it, row in zip(whole["rows"], found["rows"], strict=True):
        # a cell without characters comes before the cell after it; at the end of the text, last
        expected = [
            cell for cell in cells(all_of_it, whole["looks"])
            if (cell[0] < part.end and part.start < cell[1] if cell[0] < cell[1] else part.start <= cell[0] < part.end)  # type: ignore[operator]
            or (cell[0] == cell[1] == part.end == len(text))
        ]  # fmt: skip
        assert cells(row, found["looks"]) == expected
    ends = [0, *(block[1] for block in found["blocks"])]
    assert [block[0] for block in found["blocks"]] == ends[:-1]
    columns = {cell[:2]: cell[2:4] for row in found["rows"] for cell in map(tuple, row["cells"])}
    assert all(start < end <= ends[-1] for start, end in columns)
    assert not any(start < end < stop for start, stop in columns for end in ends)


def test_parts_of_a_long_text_add_up_to_the_whole() -> None:
    text = "unbelievable A\u030a 猫 " * 40
    toks = [bundled(name) for name in NAMES]
    made = align(text, [(tok.name, tok.encode(text)) for tok in toks])
    seen: list[set[tuple[int, int]]] = [set() for _ in toks]
    for at in range(0, len(text), 100):
        for row, found in zip(json.loads(aligned(made, toks, Span(at, at + 100)).json)["rows"], seen, strict=True):
            found.update((cell[2], cell[3]) for cell in row["cells"])
    assert seen == [{(cell.start, cell.end) for cell in row.cells} for row in made.rows]
