"""Why, for the stages after the model: which event added a token, copied it, filled a length or cut off a text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from explorer.engine.post_processors.add_special import PostProcessEvent, PostProcessRow
from explorer.engine.post_processors.lengths import LengthEvent, LengthRow
from explorer.engine.results import Stage, Trace
from explorer.stages.spelling import Speller
from explorer.stages.why import WhyStep
from explorer.text.say import Say


def positions_after(stage: Stage) -> set[int]:
    """The positions of the tokens that post-processing put after the text; of another stage none."""
    rows = stage.events if stage.part.row is PostProcessRow else ()
    return {row.position for row in rows if row.kind == PostProcessEvent.LAST}


class AfterModel:
    """The account of the stages after the model, each answer as steps. model: the index of the model's stage.

    number: of a token among the ids.
    """

    def __init__(self, trace: Trace, model: int, speller: Speller) -> None:
        self.trace, self.model, self.speller = trace, model, speller

    def copied(self, number: int) -> tuple[WhyStep, ...]:
        """The event that repeated a token of the text."""
        return self.about(PostProcessRow, PostProcessEvent.AGAIN, number)

    def added(self, number: int, front: bool) -> tuple[WhyStep, ...]:
        """The event that put a token before the text, or after it."""
        return self.about(PostProcessRow, PostProcessEvent.FIRST if front else PostProcessEvent.LAST, number)

    def filled(self, number: int) -> tuple[WhyStep, ...]:
        """The event that filled a length with a token."""
        return self.about(LengthRow, LengthEvent.FILLED, number)

    def about(self, row_type: Callable[..., Any], kind: int, number: int) -> tuple[WhyStep, ...]:
        """The event of a kind about a token."""
        shift = 0
        for stage_number in range(len(self.trace.stages) - 1, self.model, -1):
            stage = self.trace.stages[stage_number]
            for event, row in enumerate(stage.events):
                filled = stage.part.row is LengthRow and row.kind == LengthEvent.FILLED
                if stage.part.row is row_type and row.kind == kind and self.is_about(row, number - shift):
                    text = self.speller.token(row.token)
                    return (WhyStep(stage_number, event, stage.part.kinds(kind).name, (text,), text, Say("added")),)
                if filled and row.start == 0:
                    # padding on the left moves what earlier stages count
                    shift += row.end
        return ()

    def is_about(self, row: Any, number: int) -> bool:
        """Whether an event of a stage after the model is about a token."""
        if isinstance(row, LengthRow):
            return row.start <= number < row.end
        at: int = row.position
        return at == number

    def truncated(self, left: int | None, right: int | None) -> tuple[WhyStep, ...]:
        """The event of a truncation between two tokens, by their indices in the model's output; None is no such."""
        for stage_number, stage in enumerate(self.trace.stages[self.model + 1 :], self.model + 1):
            for event, row in enumerate(stage.events if stage.part.row is LengthRow else ()):
                if row.kind == LengthEvent.CUT and (row.start - 1 == left is not None or row.end == right is not None):
                    note = Say.of("cut off: {0} tokens", row.end - row.start)
                    return (WhyStep(stage_number, event, LengthEvent.CUT.name, (), "", note, good=False),)
        return ()
