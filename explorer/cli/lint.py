"""The command that looks for contradictions in a tokenizer.json: `lint`. Exit status 1 if there are any.

It also says which versions of tokenizers can read the file.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from explorer.cli.shared import add_command
from explorer.cli.terminal import say
from explorer.errors import InputError
from explorer.text import visible


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "lint",
        lint,
        "Contradictions in a tokenizer.json that its original accepts silently.",
        ("my/tokenizer.json", "my/tokenizer.json: nothing found"),
    )
    command.add_argument("file", metavar="FILE", help="a tokenizer.json, or the folder of a model")


def lint(parsed: argparse.Namespace) -> int:
    """`lint`."""
    from explorer.analysis.lint import lint as linted
    from explorer.analysis.lint import readable
    from explorer.analysis.pre_tokenizer.facts import pre_tokenizer_facts
    from explorer.formats import tokenizer_json
    from explorer.opening.formats import as_huggingface, files_at, format_at, open_json
    from explorer.text.say import plain

    given = Path(parsed.file)
    # of a folder its vocabulary is meant, as everywhere
    path = files_at(given)[0] if given.is_dir() else given
    name = visible(str(path))
    found_format = format_at(path)
    if open_json not in found_format.implementations.values():
        raise InputError(f"{name}: this is {found_format.name}; lint checks a tokenizer.json, so give one")
    json = tokenizer_json.read(path, name)
    found = linted(json)
    for finding in found:
        say(f"{name}: {finding.place}: {plain(finding.says)} {finding.fix}")
    if not found:
        say(f"{name}: nothing found")
    say(f"{name}: {plain(readable(json))}")
    for fact in pre_tokenizer_facts(as_huggingface(json, name)):
        say(f"{name}: {fact.says}{f' ({fact.code})' if fact.code else ''}")
    return 1 if found else 0
