"""The command that changes a vocabulary: `edit -m MODEL --script edits.toml --output FILE`.

What it prints is in `edit_job.py`, which is imported when the command runs.
"""

from __future__ import annotations

from typing import Any

from explorer.cli.shared import (
    MODEL,
    Parsed,
    add_choices,
    add_command,
    add_escapes,
    add_flag,
    add_list,
    add_number,
    add_value,
)


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "edit",
        run,
        "A vocabulary with other tokens: edits replayed on its file, and what they change.",
        ("-m gpt-2 --add '<tool>' --add-merges ' kaomoji' --output my.json", "1. Add the token “<tool>”"),
        ("-m gpt-2 --remove ' Norwegian' --lines notes.txt", "1. Remove"),
        ("-m rwkv-world --preset emoji --text '(^_^)' --output emoji.txt", "1. Preset “emoji”"),
        ("-m gpt-2 --suggest-pre", "100.0 %%  gpt-2, "),
    )
    command.add_argument("-m", "--model", required=True, metavar="MODEL", help=MODEL)
    add_choices(command)
    edits = command.add_argument_group("edits, in this order")
    add_value(edits, "--script", "FILE", "replay the edits of this file (TOML)")
    add_value(edits, "--preset", "NAME", "a list of edits with a name: emoji, for RWKV World")
    add_list(edits, "--remove", "TOKEN", "remove a token")
    add_flag(edits, "--keep-ids", "with --remove, leave gaps so that all other ids stay the same")
    add_list(edits, "--add", "TEXT", "add a token that is matched whole")
    add_list(edits, "--add-special", "TEXT", "add a control token")
    add_list(edits, "--add-merges", "WORD", "add merges that make a word one token")
    add_value(edits, "--pre", "NAME", "set the pre-tokenizer")
    out = command.add_argument_group("results")
    add_value(out, "--output", "FILE", "write the vocabulary in its own format")
    add_value(out, "--save-script", "FILE", "write the list of edits (TOML) for --script")
    add_value(out, "--text", "TEXT", "compare the tokens of a text before and after")
    add_list(out, "--lines", "FILE", "the same for the lines of a file; - is standard input")
    add_flag(out, "--languages", "the same for the bundled text in every language")
    add_number(out, "--limit", "print at most N words and tokens", 10)
    add_flag(out, "--suggest-pre", "rank llama.cpp's pre-tokenizers by how they cut --text or a bundled text")
    add_escapes(command)


def run(parsed: Parsed) -> int:
    """`edit`."""
    from explorer.cli.edit_job import edit

    return edit(parsed)
