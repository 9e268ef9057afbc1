"""The command for whole vocabularies: `vocab find|show|check|diff|export`.

`diff` exits with 1 if something differs, and with 2 for bad input. What each part prints is in `vocab_job.py`, which is
imported when the command runs.
"""

from __future__ import annotations

import argparse
from typing import Any, Final

from explorer.cli.shared import (
    Parsed,
    add_command,
    add_flag,
    add_json,
    add_list,
    add_model,
    add_models,
    add_number,
    add_value,
)

BY: Final = ("text", "regex", "bytes", "ids")
SORTS: Final = ("id", "text", "length", "score")
FORMATS: Final = ("csv", "json", "ids", "logit-bias")


def add_commands(commands: Any) -> None:
    """Adds the command to the command line."""
    command = add_command(
        commands,
        "vocab",
        run,
        "The whole vocabulary: find tokens, show one, check all, compare two, export.",
        ("find -m gpt-2 token", "7 of 50,257 tokens"),
        (r"find -m gpt-2 --by regex '^[!?]+$' --sort length", "14 of 50,257 tokens"),
        ("find -m llama-2 --by bytes 'e2 80' --kind 'signs only'", ""),
        ("show -m gpt-2 11241", "11241  ·token"),
        ("show -m gpt-2 ' token' --json", '{"format": "tokenizer-explorer token 1", '),
        ("check -m mistral-v1 --quick", ""),
        ("diff -m gpt-2 -m gpt-2@llama.cpp", "Nothing differs"),
        ("export -m gpt-2 --script Greek --format csv > greek.csv", ""),
        ("export -m gpt-2 --by regex '\\d{4}' --format logit-bias", "{"),
    )
    parts = command.add_subparsers(required=True, metavar="PART", dest="part")

    part = parts.add_parser("find", help="tokens that contain a text, match a pattern, or have a property")
    add_model(part)
    add_query(part)
    add_number(part, "--limit", "print at most N tokens", 20)
    add_json(part)

    part = parts.add_parser("show", help="everything about one token")
    add_model(part)
    add_value(part, "token", "TOKEN", "an id, or the token's text, or as the vocabulary spells it")
    add_json(part)

    part = parts.add_parser("check", help="problems of a vocabulary, each with its tokens")
    add_model(part)
    add_flag(part, "--quick", "skip the checks that run the tokenizer on every token")
    add_number(part, "--limit", "print at most N tokens for each", 5)
    add_json(part)

    part = parts.add_parser("diff", help="the differences between two vocabularies")
    add_models(part)
    add_number(part, "--limit", "print at most N tokens for each", 5)
    add_json(part)

    part = parts.add_parser("export", help="tokens as CSV, JSON, a list of ids, or the logit bias of a request")
    add_model(part)
    add_query(part)
    part.add_argument("--format", choices=FORMATS, default="csv", help="the format (default: csv)")


def add_query(part: argparse.ArgumentParser) -> None:
    """Adds a search and its facets."""
    add_value(part, "query", "QUERY", "what to search; all tokens if missing", nargs="?", default="")
    part.add_argument("--by", choices=BY, default="text", help="what QUERY is (default: text)")
    add_flag(part, "--match-case", "distinguish upper and lower case")
    add_list(part, "--kind", "KIND", "such as 'start of a word', letters, special")
    add_list(part, "--script", "SCRIPT", "the script of its letters: Latin, Han, several, none …")
    add_list(part, "--with", "PROPERTY", "'a space first', 'whole words' or 'no valid UTF-8'", dest="having")
    add_value(part, "--bytes", "A-B", "length in bytes, such as 3 or 3-5")
    add_value(part, "--characters", "A-B", "length in characters")
    part.add_argument("--sort", choices=SORTS, default="id", help="the order (default: id)")


def run(parsed: Parsed) -> int:
    """`vocab`."""
    from explorer.cli import vocab_job

    return vocab_job.JOBS[parsed.part](parsed)
