"""The command that changes a vocabulary: `edit -m MODEL --script edits.toml --output FILE`.

What it prints is in `edit_job.py`, which is imported when the command runs.
"""

from __future__ import annotations

import argparse
from typing import Any

from explorer.cli.shared import MODEL, add_choices, add_command, add_escapes, add_flag, add_list


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
    edits.add_argument("--script", metavar="FILE", help="replay the edits of this file (TOML)")
    edits.add_argument("--preset", metavar="NAME", help="a list of edits with a name: emoji, for RWKV World")
    add_list(edits, "--remove", "TOKEN", "remove a token")
    add_flag(edits, "--keep-ids", "with --remove, leave gaps so that all other ids stay the same")
    add_list(edits, "--add", "TEXT", "add a token that is matched whole")
    add_list(edits, "--add-special", "TEXT", "add a control token")
    add_list(edits, "--add-merges", "WORD", "add merges that make a word one token")
    edits.add_argument("--pre", metavar="NAME", help="set the pre-tokenizer")
    out = command.add_argument_group("results")
    out.add_argument("--output", metavar="FILE", help="write the vocabulary in its own format")
    out.add_argument("--save-script", metavar="FILE", help="write the list of edits (TOML) for --script")
    out.add_argument("--text", metavar="TEXT", help="compare the tokens of a text before and after")
    add_list(out, "--lines", "FILE", "the same for the lines of a file; - is standard input")
    add_flag(out, "--languages", "the same for the bundled text in every language")
    out.add_argument(
        "--limit", type=int, default=10, metavar="N", help="print at most N words and tokens (default: 10)"
    )
    add_flag(out, "--suggest-pre", "rank llama.cpp's pre-tokenizers by how they cut --text or a bundled text")
    add_escapes(command)


def run(parsed: argparse.Namespace) -> int:
    """`edit`."""
    from explorer.cli.edit_job import edit

    return edit(parsed)
