"""Ids above those of their text: which cells are marked, against the drifts; and the ends of the lists."""

from __future__ import annotations

import json

import pytest

from explorer.analysis.round_trip import ids_again
from explorer.views.compare.expected import APART, CANONICAL, again_picture
from tests.bundled import bundled

LISTS = [
    ("gpt-2", [464, 3280, 318, 220, 3682, 25, 4091, 3740, 25, 1003, 20688, 13, 2398]),
    ("gpt-2", [25, 1003]),
    ("gpt-2", [464, 318]),
    ("gpt-2", []),
    ("gpt-2", [50256, 25, 1003, 50256]),
    ("gpt-2", [8582, 97]),  # a part of a character
    ("llama-2", [1, 450, 29903, 29874]),
    ("llama-2", [450, 29903, 29874]),
    ("llama-2", [1, 1, 450]),
    ("bert-uncased", [101, 1037, 1038, 102]),
    ("bert-uncased", [1037, 1038]),
]


@pytest.mark.parametrize(("model", "ids"), LISTS)
def test_what_differs_is_marked_in_both_rows(model: str, ids: list[int]) -> None:
    tok = bundled(model)
    found = ids_again(tok, ids)
    picture = again_picture(found, tok)
    assert picture.drawn is not None
    drawn = json.loads(picture.drawn.json)
    marked = []
    for row, kind in zip(drawn["rows"], (APART, CANONICAL), strict=True):
        cells = [drawn["looks"][look] for *_, cell_kind, look in row["cells"] if cell_kind == kind]
        assert {cell[4] for cell in row["cells"]} <= {0, kind}
        marked.append([id for look in cells for id in look["ids"]])
    wanted = [id for each in found.drifts for id in each.ids], [id for each in found.drifts for id in each.canonical]
    for shown, meant in zip(marked, wanted, strict=True):
        assert set(meant) <= set(shown)
        assert bool(shown) == bool(meant)
    assert bool(picture.frame["note"]) != found.same
