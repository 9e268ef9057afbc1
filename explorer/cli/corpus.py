"""The command that measures tokenizers over a corpus: `corpus -m A [-m B …] PATHS…`.

The result goes to `--output` (JSON, CSV or Parquet, by its suffix), or as a table to standard output; the ids go to
`--write`. Progress is shown on standard error if that is a terminal. Exit status: 0 done, 1 bad input or disk full,
2 wrong usage, 130 interrupted; after 1 and 130 `--resume` continues from the finished parts.
"""

from __future__ import annotations

import argparse
import re
from typing import Any, Final

from explorer.cli.shared import Parsed, add_command, add_flag, add_json, add_models, add_value
from explorer.corpus.sources import LONGEST, NEEDED, SIZE, Invalid
from explorer.errors import InputError

SUMMARY: Final = "Tokenizers on a corpus: the cost of each, by file and by label, and its ids for training."


def add_commands(commands: Any) -> None:
    command = add_command(
        commands,
        "corpus",
        run,
        SUMMARY,
        ("-m llama-3 -m qwen2.5 texts/ --output result.json", "3 documents, "),
        ("-m gpt-2 'texts/*.jsonl' --field text --label lang --baseline en", "3 documents, "),
        ("-m rwkv-world texts/ --write ids/ --resume", ""),
        ("-m gpt-2 - < notes.txt", "3 documents, "),
    )
    add_models(command)
    add_value(
        command,
        "paths",
        "PATH",
        "files, folders, patterns: .txt, .jsonl, .csv, also as .gz or .zst; .parquet; - for "
        "standard input as plain text",
        nargs="+",
    )
    add_value(command, "--label", "FIELD", "the field that groups records, such as a language", default="")
    add_value(command, "--baseline", "LABEL", "the label that premiums are multiples of", default="")
    add_flag(command, "--whole-files", "a plain text file is one document, instead of one per line")
    add_flag(command, "--add-special", "add BOS and other tokens around every document")
    add_flag(command, "--parse-special", "read special tokens in the text as tokens")
    add_json(command)
    add_value(command, "--output", "FILE", "write the result to this file: .json, .csv or .parquet")
    add_value(command, "--write", "DIR", "write the ids to this folder, one folder per tokenizer")
    add_value(
        command,
        "--threads",
        "N",
        "count this many parts at once; worthwhile for compiled tokenizers",
        type=count,
        default=1,
    )
    add_reading(command)


def add_reading(command: argparse.ArgumentParser) -> None:
    """Adds the options of a job that reads files in parts."""
    command.add_argument("--field", default="text", help="the field of a record that contains its text (default: text)")
    command.add_argument(
        "--invalid",
        choices=[each.value for each in Invalid],
        default="refuse",
        help="text that isn't UTF-8: refuse it (default), replace bytes by U+FFFD, or skip the document",
    )
    longest = "the longest line or document in bytes, such as 500k or 64M (default: 8M)"
    add_value(command, "--longest", "SIZE", longest, type=size, default=LONGEST)
    part = "the size of a part; an interrupted job keeps finished parts (default: 32M)"
    add_value(command, "--part", "SIZE", part, type=size, default=SIZE)
    add_value(command, "--workers", "N", "run this many processes, with Dask", type=count, default=0)
    add_value(command, "--scheduler", "ADDRESS", "use the workers of this Dask scheduler", default="")
    add_flag(command, "--resume", "continue a job that was interrupted")


def size(text: str) -> int:
    """A number of bytes.

    >>> size("500k"), size("64M"), size("1G")
    (500000, 64000000, 1000000000)
    """
    match = re.fullmatch(r"([0-9]{1,15})([kKmMgG]?)B?", text)
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a size; write bytes, or 500k, 64M, 1G")
    return int(match[1]) * int({"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[match[2].lower()])


def count(text: str) -> int:
    """A number of workers or threads."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1000):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a number of workers or threads; write 1 to 1000")
    return int(text)


def run(parsed: Parsed) -> int:
    """`corpus`. Imports what only it needs, so that `--help` starts fast."""
    try:
        import numpy  # noqa: F401  # everything below counts with it
    except ImportError:
        raise InputError(f"the corpus command needs numpy, which is not installed: {NEEDED}") from None
    from explorer.cli.corpus_job import corpus

    return corpus(parsed)
