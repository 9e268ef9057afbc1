"""What a view of the page Prompt is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.messages import Call
from explorer.prompts.prompt import Prompt


@dataclass(frozen=True)
class Scene:
    """A call, and the prompt that it makes with a template.

    call: None if what the visitor gave is no call. template: the name of the template, `ours:NAME` for one of ours, ""
    for the model's default. source: of the template; "" if the model has none, or no such one. engine: transformers or
    llama.cpp. now: for a template that writes the date. prompt: None after the error. so_far: what a template that
    failed had written. response: the text after which is trained; None for what the template asks for an answer with.
    """

    tokenizer: Opened
    call: Call | None
    template: str
    source: str
    engine: str
    as_text: bool
    now: datetime | None
    prompt: Prompt | None
    error: InputError | None = None
    so_far: Prompt | None = None
    response: str | None = None


class Badge(NamedTuple):
    """What a card says: the answer in three words. warnings: how many. quiet: drawn gray, it has nothing to say."""

    text: str
    warnings: int = 0
    quiet: bool = False


class View(NamedTuple):
    """A view. name: in the address. badge: for its card. stage: what the page's component draws, None for nothing."""

    name: str
    title: str
    badge: Callable[[Scene], Badge]
    stage: Callable[[Scene], Mapping[str, Any] | None]


NOTHING: Badge = Badge("–", 0, True)
"""Of a view without a prompt."""
