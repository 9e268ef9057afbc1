"""What the Explore page draws of ids that arrive one by one."""

from __future__ import annotations

from typing import Final, NamedTuple

from explorer.analysis.inputs import read_ids
from explorer.analysis.streaming import stream
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import question
from explorer.script.packing import pack
from explorer.views.steppers.stream_script import MOST, stream_script

STREAMED: Final = MOST
"""Ids that the page draws."""
MORE: Final = 8


class StreamView(NamedTuple):
    """script: packed, as the stepper gets it. total: how many ids there are; the first of many are drawn."""

    script: bytes
    total: int


@question
def stream_of_text(spec: TokenizerSpec, text: str, parse_special: bool) -> StreamView:
    """The ids of a text one by one, without those that are put around it."""
    return _view(spec, tokenizer(spec).encode(text, add_special=False, parse_special=parse_special).ids)


@question
def stream_of_ids(spec: TokenizerSpec, pasted: str) -> StreamView:
    """Pasted ids one by one. Raises InputError for a text without ids, and for an id that is none here."""
    return _view(spec, read_ids(pasted) if pasted.strip("[]() \t\r\n") else [])


def _view(spec: TokenizerSpec, ids: list[int]) -> StreamView:
    # a few more than are drawn, so that the last character is known
    played = stream(tokenizer(spec), ids[: STREAMED + MORE])
    return StreamView(pack(stream_script(played, len(ids))), len(ids))
