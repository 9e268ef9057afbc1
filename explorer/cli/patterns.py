"""The command that says what differs between two patterns of pre-tokenizers: `patterns`."""

from __future__ import annotations

from typing import Any

from explorer.cli.commands import columns
from explorer.cli.shared import Parsed, add_command, add_value, say, say_lines


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "patterns",
        patterns,
        "How two patterns differ, alternative by alternative, with texts that they split differently.",
        ("qwen-2 llama-3", "1 of 7 alternatives is spelled differently."),
        ('"llama-3 (llama.cpp)" llama-3', "1 of 7 alternatives is spelled differently."),
    )
    add_value(command, "left", "A", "the name of a pattern: gpt-2, llama-3, qwen-2, cl100k_base …")
    add_value(command, "right", "B", "another one")


def patterns(parsed: Parsed) -> int:
    """`patterns`."""
    from explorer.analysis.pattern_difference import difference, known_pattern, pieces, shown, summary, verdict
    from explorer.text import visible

    differs = difference(known_pattern(parsed.left), known_pattern(parsed.right))
    say(summary(differs))
    for pair in differs.pairs:
        say("")
        say(shown(differs.left, pair.left))
        if not pair.same:
            say(shown(differs.right, pair.right))
        table = [(f"  {visible(each.text)}", pieces(each.left), pieces(each.right)) for each in pair.texts]
        say_lines(columns(table) if table else [f"  {verdict(pair)}"])
    return 0
