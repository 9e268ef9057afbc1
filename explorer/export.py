"""A trace as plain values, for JSON: every stage's items and events, with the names of their fields."""

from __future__ import annotations

from typing import Any

from explorer.engine.items import Item, Segment
from explorer.engine.tokenizer import Tokenizer, Trace


def trace_record(tokenizer: Tokenizer, trace: Trace) -> dict[str, Any]:
    """The whole trace: every stage's items and events, with the names of their fields.

    Events are lists in the order of `fields`; `kinds` says what the numbers in the first one mean.
    """

    def of_item(item: Item) -> dict[str, Any]:
        if isinstance(item, Segment):
            return {"text": item.text, "start": item.starts[0], "end": item.ends[-1]}
        return item._asdict()

    return {
        "model": tokenizer.name,
        "family": tokenizer.family,
        "implementation": tokenizer.implementation,
        "text": trace.text,
        "options": trace.options._asdict(),
        "ids": trace.ids,
        "pieces": trace.encoding.pieces,
        "bytes": [data.hex() for data in trace.encoding.bytes],
        "spans": trace.encoding.spans,
        "stages": [
            {
                "name": stage.name,
                "after": [of_item(item) for item in stage.after],
                "fields": stage.events.row._fields,  # type: ignore[attr-defined]  # a NamedTuple class
                "kinds": {kind.value: kind.name for kind in stage.part.kinds},
                "events": [list(row) for row in stage.events],
            }
            for stage in trace.stages
        ],
    }
