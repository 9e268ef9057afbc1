"""The command that measures tokenizers over a corpus: `corpus -m A [-m B …] PATHS…`.

The result goes to `--output` (JSON, CSV or Parquet, by its suffix), or as a table to standard output; the ids go to
`--write`. Progress is shown on standard error if that is a terminal. Exit status: 0 done, 1 bad input or disk full,
2 wrong usage, 130 interrupted; after 1 and 130 `--resume` continues from the finished parts.
"""

import argparse
import re

from explorer.cli.shared import Parsed
from explorer.corpus.sources import NEEDED
from explorer.errors import InputError


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
    try:
        import numpy  # noqa: F401  # everything below counts with it
    except ImportError:
        raise InputError(f"the corpus command needs numpy, which is not installed: {NEEDED}") from None
    from explorer.cli.corpus_job import corpus

    return corpus(parsed)
