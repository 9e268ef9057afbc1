"""The command that says how the tokens at an offset came about, and why there is a cut: `why`.

For each answer the sentence comes first, then its events with their numbers in their stage, as `trace` and
the steppers count them, then the other cuts that the vocabulary allows.
"""

from __future__ import annotations

from collections.abc import Iterator

from explorer.analysis import why as answers
from explorer.cli.commands import load_model
from explorer.cli.shared import (
    Parsed,
    columns,
    input_text,
    options,
    say_export,
    say_lines,
)
from explorer.engine.tokenizer import Trace
from explorer.opening.catalog import title_of
from explorer.stages.why import WhyStep
from explorer.text.say import Say, number, plain


def why(parsed: Parsed) -> int:
    tok = load_model(parsed)
    trace = tok.trace(input_text(parsed), **options(parsed))
    answer = answers.why(trace, parsed.at, tokenizer_label=title_of(tok.name))
    if parsed.json:
        say_export(answers.why_export(tok, trace, answer))
        return 0
    lines: list[str] = []
    for cut in answer.cuts:
        sides = f"{cut.left.text} | {cut.right.text}   ({cut.left.id} | {cut.right.id})"
        lines += ["", *answer_lines(trace, cut.sentence, sides, cut.steps, cut.others and cut.others.sentence)]
    for origin in answer.origins:
        token = f"{origin.token.text}   ({origin.token.id})"
        lines += ["", *answer_lines(trace, origin.sentence, token, origin.steps, origin.meaning)]
    say_lines(lines[1:] or [f"No token comes from the text at offset {parsed.at}."])
    return 0


def answer_lines(trace: Trace, sentence: Say, heading: str, steps: tuple[WhyStep, ...], last: Say | None) -> list[str]:
    """One answer: its sentence, the tokens it is about, its events, and a last sentence if there is one."""
    lines = [plain(sentence), f"  {heading}", *columns(step_rows(trace, steps))]
    return lines if last is None else [*lines, f"  {plain(last)}"]


def step_rows(trace: Trace, steps: tuple[WhyStep, ...]) -> Iterator[tuple[str, ...]]:
    """Events as the rows of a table."""
    for step in steps:
        parts = " + ".join(step.parts)
        arrow = f"{parts} → {step.makes}" if step.makes and step.makes != parts else parts
        value = "" if step.value is None else f"{step.unit} {number(step.value)}"
        yield f"  {trace.stages[step.stage].name} event {step.event}", arrow, plain(step.note), value
