"""Which event of a stage is about a span of the text, or output a token, on one side of a comparison."""

from __future__ import annotations

from typing import cast

from explorer.analysis.divergence.states import POST_PROCESS, States
from explorer.engine.part import Model
from explorer.stages.finders import Sought
from explorer.stages.merging.parting import Merged, merges_of
from explorer.stages.stage import Output
from explorer.stages.table import kind_of, model_kind


class TextEvents:
    """Finds events by span in a stage that cuts or changes text."""

    def __init__(self, side: States, number: int) -> None:
        stage = side.run.trace.stages[number]
        self.side, self.finder = side, kind_of(stage).finder(stage)

    def find(self, start: int, end: int, code_points: str = "", token: int | None = None) -> int | None:
        """The event about [start, end) of the original; None if no event is about it.

        code_points: the characters at the span before and after the stage. token: the special token that differs.
        """
        read = self.side.run.in_read(start), self.side.run.in_read(end)
        return self.finder.find(Sought(start, end, read, code_points, token))


def added_event(side: States, token: int) -> int | None:
    """The event of post-processing that added a token."""
    stage = side.run.trace.stages[-1]
    if stage.name != POST_PROCESS:
        return None
    return next((event for event, row in enumerate(stage.events) if row.token == token), None)


def outputs(side: States) -> dict[int, Output]:
    """By index of a token in the model's output, the event that output it. Empty if the events don't tell."""
    stage = side.run.trace.stages[side.model]
    emitted = list(model_kind(cast(Model, stage.part)).outputs(stage))
    specials = iter(side.specials)
    special = next(specials, None)
    indices = []
    for index, token in enumerate(side.tokens):
        if token == special:
            special = next(specials, None)
        else:
            indices.append(index)
    # the token is the last field of every row
    data, width = stage.events.data, stage.events.width
    if [data[each.event * width + width - 1] for each in emitted] != [side.tokens[index].id for index in indices]:
        return {}
    return dict(zip(indices, emitted, strict=True))


def merges(side: States) -> list[Merged]:
    """Every merge of the model's stage, ordered by its start; empty if the model doesn't merge."""
    stage = side.run.trace.stages[side.model]
    return sorted(merges_of(stage, side.spelling.plain)) if cast(Model, stage.part).priority else []
