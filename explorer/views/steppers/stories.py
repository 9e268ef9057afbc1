"""Steps told without the data structures, for the levels Story and Algorithm.

A story takes the arguments of its kind of step and uses neither offsets nor field names. A kind without a story is told
by its own sentence, which then has none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, TypeVar

from explorer.views.steppers.script import StepKind

Key = TypeVar("Key")


class Story(NamedTuple):
    """The two sentences of a step: what happened, and why."""

    say: str
    why: str = ""


def with_stories(kinds: Mapping[Key, StepKind], stories: Mapping[Key, Story]) -> dict[Key, StepKind]:
    """The kinds of step, each with its story.

    >>> kinds = {"hit": StepKind("hit", "merge", "{0}: {1:q} fits.", "{1:q}")}
    >>> with_stories(kinds, {"hit": Story("{1:q} fits.")})["hit"].story
    '{1:q} fits.'
    """
    return {
        key: replace(kind, story=stories[key].say, story_why=stories[key].why) if key in stories else kind
        for key, kind in kinds.items()
    }
