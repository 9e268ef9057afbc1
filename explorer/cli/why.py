"""The command that says how the tokens at an offset came about, and why there is a cut: `why`.

For each answer the sentence comes first, then the events behind it with their numbers in their stage, as `trace` and
the steppers count them, then the other cuts that the vocabulary allows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from explorer.cli.commands import columns, load_model
from explorer.cli.shared import add_command, add_model, add_switches, add_text, input_text, options
from explorer.cli.terminal import say, say_json
from explorer.cli.warn import Warnings
from explorer.opening.catalog import catalog

if TYPE_CHECKING:
    from explorer.analysis.why import Cut, Origin, Step
    from explorer.engine.tokenizer import Trace


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands, "why", why,
        "How the tokens at an offset of the text came about, and why there is a cut.",
        ('-m llama-2 "What is LoRA?" --at 10', "To be one token, “▁LoRA” would have to be a piece of Llama 2."),
        ('-m gpt-2 "What is LoRA?" --at 8 --json', '{"format": "tokenizer-explorer why 1", '),
    )  # fmt: skip
    add_model(command)
    add_text(command)
    add_switches(command)
    command.add_argument("--at", type=int, required=True, metavar="N",
                         help="offset in code points, from 0: inside a token, or at a cut between two")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print one JSON object")


def why(parsed: argparse.Namespace) -> int:
    """`why`."""
    from explorer.analysis.why import why as asked

    warned = Warnings()
    tok = load_model(parsed, warned)
    trace = tok.trace(input_text(parsed), **options(parsed))
    known = catalog().get(tok.name)
    found = asked(trace, parsed.at, called=tok.name if known is None else known.title)
    if parsed.json:
        from explorer.analysis.why.records import why_export

        say_json(why_export(tok, trace, found).json())
        return 0
    lines: list[str] = []
    for cut in found.cuts:
        lines += ["", *cut_lines(trace, cut)]
    for origin in found.origins:
        lines += ["", *origin_lines(trace, origin)]
    for line in lines[1:] or [f"No token comes from the text at offset {parsed.at}."]:
        say(line)
    return 0


def cut_lines(trace: Trace, cut: Cut) -> Iterator[str]:
    """Why there is a cut."""
    from explorer.text.say import plain

    yield plain(cut.sentence)
    yield f"  {cut.left.text} | {cut.right.text}   ({cut.left.id} | {cut.right.id})"
    yield from step_lines(trace, cut.steps)
    if cut.others is not None:
        yield f"  {plain(cut.others.sentence)}"


def origin_lines(trace: Trace, origin: Origin) -> Iterator[str]:
    """How a token came about."""
    from explorer.text.say import plain

    yield plain(origin.sentence)
    yield f"  {origin.token.text}   ({origin.token.id})"
    yield from step_lines(trace, origin.steps)
    if origin.meaning is not None:
        yield f"  {plain(origin.meaning)}"


def step_lines(trace: Trace, steps: tuple[Step, ...]) -> Iterator[str]:
    """Events as a table."""
    from explorer.text.quantities import number
    from explorer.text.say import plain

    rows = []
    for step in steps:
        parts = " + ".join(step.parts)
        arrow = f"{parts} → {step.makes}" if step.makes and step.makes != parts else parts
        value = "" if step.value is None else f"{step.unit} {number(step.value)}"
        rows.append((f"  {trace.stages[step.stage].name} event {step.event}", arrow, plain(step.note), value))
    yield from columns(rows) if rows else ()
