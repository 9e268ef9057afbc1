"""The panels beside the track `layers`: the look-up of a step, and the code points after each operation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from explorer.views.steppers.lookups import COLUMNS, Found
from explorer.views.steppers.script import ScriptBuilder

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
