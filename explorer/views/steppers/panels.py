"""The panels of a normalization: the track `layers`, the look-up of a step, the code points after each operation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from explorer.views.steppers.lookups import COLUMNS, Found
from explorer.views.steppers.script import ScriptBuilder, StepKind

ROLES = (("", "hit"), ("", "done"))
HIT, DECIDES = range(len(ROLES))
LOOKUP = {
    "name": "lookup", "type": "table", "title": "Look-up", "layout": "rows", "newest_first": False,
    "empty": "Nothing is looked up for this step.", "columns": [{"name": each, "as": "text"} for each in COLUMNS],
}  # fmt: skip
VECTORS = {
    "name": "vectors", "type": "table", "title": "Code points after each operation", "layout": "rows",
    "newest_first": False, "empty": "No operation is over yet.",
    "columns": [{"name": "after", "as": "text"}, {"name": "code points, decimal", "as": "text"}],
}  # fmt: skip
LAYOUT = (("layers",), ("lookup", "code"), ("log", "vectors"))
LEVELS = {"story": {"top": ("layers",)}}


def layers_builder(
    layers: Sequence[Mapping[str, str]],
    spans: Sequence[Sequence[int]],
    kinds: Mapping[Any, StepKind],
    code_title: str,
    code: Sequence[str],
) -> ScriptBuilder:
    """The empty script of a normalization. layers: of the track. spans: of its columns in the text."""
    track = {"name": "layers", "type": "layers", "title": "Operation by operation", "spans": spans, "layers": layers,
             "empty": "There is no text to normalize."}  # fmt: skip
    return ScriptBuilder(
        title="Normalization",
        landmark="change",
        kinds=kinds,
        tracks=(track, LOOKUP, VECTORS),
        roles=ROLES,
        layout=LAYOUT,
        levels=LEVELS,
        code_title=code_title,
        code=code,
    )


def put_lookup(builder: ScriptBuilder, found: Sequence[Found], before: int) -> int:
    """Replaces the rows of the look-up. before: how many there were. Returns how many there are."""
    for index, each in enumerate(found):
        builder.put("lookup", index, *(builder.plain(text) for text in (each.looked, each.there, each.so)))
        if each.hit:
            builder.mark("lookup", index, DECIDES)
    for index in range(len(found), before):
        builder.delete("lookup", index)
    return len(found)


def mark_columns(builder: ScriptBuilder, keys: Iterable[int]) -> None:
    """Marks cells of the layers."""
    for key in keys:
        builder.mark("layers", key, HIT)
