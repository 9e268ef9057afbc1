"""The kinds of question, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.engine.models.merges import MergeRow
from explorer.engine.tokenizer import Tokenizer
from explorer.learning.questions.merging import next_merge
from explorer.learning.questions.question import Draft
from explorer.learning.questions.scene import Scene


class Kind(NamedTuple):
    """A kind of question.

    title: the question in short. stages: the names of the stages it can be about. write: makes a question of a scene,
    or None where its text has none. suits: whether a tokenizer can have such questions at all. most: choices.
    """

    title: str
    stages: tuple[str, ...]
    write: Callable[[Scene], Draft | None]
    suits: Callable[[Tokenizer], bool]
    most: int = 4


def merges(tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer merges pairs from a queue."""
    return tokenizer.model.row is MergeRow


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "next-merge": Kind("Which pair merges next?", ("model",), next_merge, merges),
    }
)
"""By the name in links and exports."""
