"""The stages of a trace in a row, each with its result in two or three words.

A stage that changed nothing says so ("none", "unchanged") and is marked, so that a reader sees at a glance where a
text was changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from explorer.engine.results import DecodeTrace, Stage, Trace
from explorer.stages.table import kind_of
from explorer.text.say import plural


class Node(NamedTuple):
    """A stage in the row. key: of its section. changed: False draws it dim."""

    key: str
    name: str
    result: str
    changed: bool


def ribbon(trace: Trace, decoded: DecodeTrace) -> list[Node]:
    """All stages in order: the bytes first, the text again last.

    >>> import explorer
    >>> tok = explorer.load("llama-2")
    >>> trace = tok.trace("What is LoRA?")
    >>> [node.result for node in ribbon(trace, tok.trace_decode(trace.ids))]
    ['13 bytes', 'none', '+1 space', '9 merges', '6 tokens', 'the same']
    """
    size = len(trace.text.encode())
    first = Node("utf8", "Bytes", plural(size, "byte"), size != len(trace.text))
    same = decoded.text == trace.text
    last = Node("decode", "Text again", "the same" if same else "differs", not same)
    stages = [node(stage) for stage in trace.stages]
    return [first, *stages, last]


def node(stage: Stage) -> Node:
    """A stage with its result."""
    kind = kind_of(stage)
    return Node(stage.name, kind.name, *kind.count(stage))


def focus_of(nodes: Sequence[Node], wanted: str | None) -> str:
    """The stage to show: the one asked for, else the model's.

    >>> nodes = [Node("utf8", "", "", True), Node("model", "", "", True)]
    >>> focus_of(nodes, "utf8"), focus_of(nodes, "none of these"), focus_of(nodes, None)
    ('utf8', 'model', 'model')
    """
    keys = [node.key for node in nodes]
    return wanted if wanted in keys else "model" if "model" in keys else keys[0]
