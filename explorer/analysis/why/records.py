"""Answers as plain values for JSON. A sentence is its plain text, with what it is filled from beside it."""

from __future__ import annotations

from typing import Any

from explorer.analysis.exports.export import Export
from explorer.analysis.provenance import Provenance
from explorer.analysis.why.answers import Cut, TokenOrigin, Why, WhyStep
from explorer.engine.results import Trace
from explorer.implementations.opened import Opened
from explorer.text.say import Say, plain


def why_export(tokenizer: Opened, trace: Trace, found: Why) -> Export:
    """What is known about an offset."""
    return Export("why", Provenance.of([tokenizer], trace.text, trace.options), lambda: why_record(trace, found))


def why_record(trace: Trace, found: Why) -> dict[str, Any]:
    """An offset, the tokens there and the cuts."""
    return {
        "at": found.at,
        "stages": [stage.name for stage in trace.stages],
        "origins": [origin_record(each) for each in found.origins],
        "cuts": [cut_record(each) for each in found.cuts],
    }


def origin_record(origin: TokenOrigin) -> dict[str, Any]:
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


def cut_record(cut: Cut) -> dict[str, Any]:
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


def step_record(step: WhyStep) -> dict[str, Any]:
    """One event."""
    return step._asdict() | {"note": said(step.note)}


def said(say: Say) -> dict[str, Any]:
    """A sentence as plain text, and as the template, arguments and texts it is filled from."""
    return {"text": plain(say), "template": say.template, "args": list(say.args), "texts": list(say.texts)}
