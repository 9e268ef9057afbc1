"""The answer to "Why?" as the page draws it: a sentence, the steps that decided, the tree of merges.

Texts come from `analysis.why`; here they get a title, and each step the place in a stepper that shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from explorer.analysis.why.answers import Cut, Node, TokenOrigin, TokenText, WhyStep
from explorer.analysis.why.nearby import Elsewhere, NearbySpelling
from explorer.text.quantities import number
from explorer.text.say import Say

Card: TypeAlias = dict[str, Any]
"""What the browser draws.

title, say: sentences. rows: the steps. tree: nodes of a merge tree, each with its children. joined: the text of both
tokens as one, and whether it is a piece. notes: sentences below. go: the row to go to, None without one.
ids: the tokens it is about. nearby: other spellings. elsewhere: other tokenizers, None until they are asked.
"""
Place: TypeAlias = dict[str, Any]
"""A step on the page: the key of its stage, and its number there."""
Places: TypeAlias = Callable[[int, int | None], Place | None]
"""The step that shows an event of a stage, by the stage's index; None if no step does."""


def cut_card(
    cut: Cut, places: Places, spellings: Iterable[NearbySpelling] = (), others: Elsewhere | None = None
) -> Card:
    """Why there is a cut between two tokens. spellings: nearby. others: the cuts of other tokenizers."""
    joined = None if cut.joined is None else {"text": cut.joined.text, "piece": cut.joined.id is not None}
    return {
        "title": Say.of("Why cut {0:q} | {1:q}?", cut.left.text, cut.right.text)._asdict(),
        "say": cut.sentence._asdict(),
        "joined": joined and {**joined, "left": token(cut.left), "right": token(cut.right)},
        "rows": [row(step, places) for step in cut.steps],
        "tree": [],
        "notes": [] if cut.others is None else [cut.others.sentence._asdict()],
        "ids": [token(cut.left), token(cut.right)],
        "nearby": [each._asdict() for each in spellings],
        "elsewhere": None if others is None else cuts_elsewhere(others),
        "go": places(cut.stage, cut.event),
    }


def cuts_elsewhere(found: Elsewhere) -> dict[str, Any]:
    """The cuts of other tokenizers."""
    return {"say": found.say._asdict(), "cuts": [each._asdict() for each in found.cuts]}


def token_card(origin: TokenOrigin, places: Places) -> Card:
    """How a token came about."""
    return {
        "title": Say.of("How {0:q} came about", origin.token.text)._asdict(),
        "say": origin.sentence._asdict(),
        "joined": None,
        "rows": [] if origin.tree else [row(step, places) for step in origin.steps],
        "tree": [node(each, origin.stage, places) for each in origin.tree],
        "notes": [] if origin.meaning is None else [origin.meaning._asdict()],
        "ids": [token(origin.token)],
        "go": places(origin.stage, origin.event),
    }


def token(text: TokenText) -> dict[str, Any]:
    """A token as a chip."""
    return {"text": text.text, "id": text.id}


def row(step: WhyStep, places: Places) -> dict[str, Any]:
    """A step: what came together, what it makes, what became of it."""
    return {
        "at": places(step.stage, step.event),
        "parts": list(step.parts),
        "makes": step.makes,
        "note": step.note._asdict(),
        "value": "" if step.value is None else number(step.value),
        "good": step.good,
    }


def node(each: Node, stage: int, places: Places) -> dict[str, Any]:
    """A node of the tree; `span` counts its symbols within the token."""
    return {
        "text": each.text,
        "id": -1 if each.id is None or not each.children else each.id,
        "span": [each.start, each.end],
        "children": list(each.children),
        "value": "" if each.value is None else number(each.value),
        "at": None if each.event is None else places(stage, each.event),
    }
