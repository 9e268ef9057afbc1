"""What is known about an offset of the text, and the same as plain data for JSON."""

from __future__ import annotations

from typing import NamedTuple

from explorer.analysis.export import Export, Provenance, Record
from explorer.engine.results import Trace
from explorer.implementations.opened import Opened
from explorer.stages.answers import Cut, TokenOrigin, WhyStep
from explorer.text.say import Say, plain


class Why(NamedTuple):
    """What is known about an offset of the text.

    at: in code points. origins: of the tokens that contain the character there, several if it is split. cuts: those at
    the offset, and those within the character. Both are empty where no token comes from the text there.
    """

    at: int
    origins: tuple[TokenOrigin, ...]
    cuts: tuple[Cut, ...]


def why_export(tokenizer: Opened, trace: Trace, found: Why) -> Export:
    """What is known about an offset."""
    return Export("why", Provenance.of([tokenizer], trace.text, trace.options), lambda: why_record(trace, found))


def why_record(trace: Trace, found: Why) -> Record:
    """An offset, the tokens there and the cuts."""
    return {
        "at": found.at,
        "stages": [stage.name for stage in trace.stages],
        "origins": [origin_record(each) for each in found.origins],
        "cuts": [cut_record(each) for each in found.cuts],
    }


def origin_record(origin: TokenOrigin) -> Record:
    """How a token came about."""
    return {
        "token": origin.token._asdict(),
        "how": origin.how.value,
        "sentence": said(origin.sentence),
        "meaning": None if origin.meaning is None else said(origin.meaning),
        "lost": origin.lost,
        "stage": origin.stage,
        "event": origin.event,
        "tree": [node._asdict() for node in origin.tree],
        "steps": [step_record(step) for step in origin.steps],
    }


def cut_record(cut: Cut) -> Record:
    """Why there is a cut."""
    others = cut.others
    return {
        "left": cut.left._asdict(),
        "right": cut.right._asdict(),
        "cause": cut.cause.value,
        "sentence": said(cut.sentence),
        "joined": None if cut.joined is None else cut.joined._asdict(),
        "stage": cut.stage,
        "event": cut.event,
        "steps": [step_record(step) for step in cut.steps],
        "others": None if others is None else others._asdict() | {"sentence": said(others.sentence)},
    }


def step_record(step: WhyStep) -> Record:
    """One event."""
    return step._asdict() | {"note": said(step.note)}


def said(say: Say) -> Record:
    """A sentence as plain text, and as the template, arguments and texts it is filled from."""
    return {"text": plain(say), "template": say.template, "args": list(say.args), "texts": list(say.texts)}
