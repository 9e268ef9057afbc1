"""The export of a stream of ids: what each method shows at each step."""

from __future__ import annotations

from explorer.analysis.export import Export, Provenance, Record
from explorer.analysis.streaming.stream import Shown, Stream
from explorer.implementations.opened import Opened


def stream_export(tokenizer: Opened, stream: Stream, unparse_special: bool) -> Export:
    """A stream as JSON. unparse_special: whether special tokens are written."""

    def body() -> Record:
        methods = {
            str(method): {
                "text": stream.text_of(method),
                "same": method in stream.right,
                "steps": [_record(each) for each in stream.shown(method)[:-1]],
                "end": _record(stream.shown(method)[-1]),
            }
            for method in stream.methods
        }
        ids = [{"id": step.id, "bytes": step.data.hex(), "part": step.part.hex()} for step in stream.steps]
        return {"unparse_special": unparse_special, "text": stream.text, "ids": ids, "methods": methods}

    return Export("stream", Provenance.of([tokenizer], None, None), body)


def _record(shown: Shown) -> Record:
    marks = [{"kind": str(mark.kind), "text": mark.text} for mark in shown.marks]
    return {"back": shown.back, "text": shown.text, "held": shown.held.hex(), "marks": marks}
