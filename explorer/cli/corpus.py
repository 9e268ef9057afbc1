"""The command that measures tokenizers over a corpus: `corpus -m A [-m B …] PATHS…`.

The result goes to `--output` (JSON, CSV or Parquet by its name), else as a table to standard output; the ids to
`--write`. Progress is shown on standard error where that is a terminal. Exit status: 0 done, 1 bad input or no room to
write, 2 wrong usage, 130 interrupted; after 1 and 130 `--resume` goes on from the parts that are finished.
"""

from __future__ import annotations

import argparse
import re
from typing import Any, Final

from explorer.cli.shared import added, takes_models
from explorer.corpus.reading import LONGEST, Invalid
from explorer.corpus.streams import NEEDED
from explorer.corpus.tasks import SIZE
from explorer.errors import InputError

SUMMARY: Final = "Tokenizers over a corpus: what each costs, by file and by label; and its ids, for training."


def add_commands(commands: Any) -> None:
    """Adds the command to the command line's own."""
    made = added(
        commands, "corpus", run, SUMMARY,
        ("-m llama-3 -m qwen2.5 texts/ --output result.json", "3 documents, "),
        ("-m gpt-2 'texts/*.jsonl' --field text --label lang --baseline en", "3 documents, "),
        ("-m rwkv-world texts/ --write ids/ --resume", ""),
        ("-m gpt-2 - < notes.txt", "3 documents, "),
    )  # fmt: skip
    takes_models(made)
    made.add_argument("paths", nargs="+", metavar="PATH",
                      help="files, folders, patterns: .txt, .jsonl, .csv, also as .gz or .zst; .parquet; - for "
                      "standard input as plain text")  # fmt: skip
    made.add_argument("--field", default="text", help="of the records that holds the text (text)")
    made.add_argument("--label", default="", metavar="FIELD", help="what groups the records, such as a language")
    made.add_argument("--baseline", default="", metavar="LABEL", help="the label that parity is relative to")
    made.add_argument("--invalid", choices=[each.value for each in Invalid], default="refuse",
                      help="text that is no UTF-8: refuse it (default), put U+FFFD, skip the document")  # fmt: skip
    made.add_argument("--whole-files", action="store_true",
                      help="a file of plain text is one document, not each of its lines")  # fmt: skip
    made.add_argument("--longest", type=size, default=LONGEST, metavar="SIZE",
                      help="bytes a line or document may have, such as 500k or 64M (8M)")  # fmt: skip
    made.add_argument("--add-special", action="store_true", help="add BOS and the like to every document")
    made.add_argument("--parse-special", action="store_true", help="take special tokens in the text for tokens")
    made.add_argument("--json", action="store_true", help="print one JSON object")
    made.add_argument("--output", metavar="FILE", help="write the result there: .json, .csv or .parquet")
    made.add_argument("--write", metavar="DIR", help="write the ids there, a folder for each tokenizer")
    made.add_argument("--part", type=size, default=SIZE, metavar="SIZE",
                      help="how much is done at once, and kept when a job is interrupted (32M)")  # fmt: skip
    made.add_argument("--workers", type=count, default=0, metavar="N", help="so many processes at once, over Dask")
    made.add_argument("--scheduler", default="", metavar="ADDRESS", help="the workers of this Dask scheduler")
    made.add_argument("--resume", action="store_true", help="go on with a job that was interrupted")


def size(text: str) -> int:
    """A number of bytes.

    >>> size("500k"), size("64M"), size("1G")
    (500000, 64000000, 1000000000)
    """
    found = re.fullmatch(r"([0-9]{1,15})([kKmMgG]?)B?", text)
    if not found or not int(found[1]):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no size; write bytes, or 500k, 64M, 1G")
    return int(found[1]) * int({"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[found[2].lower()])


def count(text: str) -> int:
    """A number of workers."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1000):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no number of workers; write 1 to 1000")
    return int(text)


def run(parsed: argparse.Namespace) -> int:
    """Runs the command. What it needs is imported here: the other commands start without it."""
    try:
        import numpy  # noqa: F401  # everything below counts with it
    except ImportError:
        raise InputError(f"a corpus is counted with numpy, which is not installed: {NEEDED}") from None
    from explorer.cli.corpus_job import corpus

    return corpus(parsed)
