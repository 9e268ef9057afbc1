"""Answers as a test reads them."""

from __future__ import annotations

from explorer.analysis.why import why_cut, why_token
from explorer.engine.tokenizer import Tokenizer
from explorer.stages.stage import Cut, TokenOrigin
from explorer.text.say import plain


def cut(tokenizer: Tokenizer, text: str, number: int = 0, **options: bool) -> Cut:
    """The answer about one cut."""
    return why_cut(tokenizer.trace(text, **options), number)


def origin(tokenizer: Tokenizer, text: str, number: int = 0, **options: bool) -> TokenOrigin:
    """The answer about one token."""
    return why_token(tokenizer.trace(text, **options), number)


def sentence(answer: Cut | TokenOrigin) -> str:
    return plain(answer.sentence)


def steps(answer: Cut | TokenOrigin) -> list[str]:
    """Each step in short: its event, parts, result and note."""
    return [f"{step.event}: {' + '.join(step.parts)} = {step.makes}, {plain(step.note)}" for step in answer.steps]
