"""What whoever started the app wrote behind `streamlit run app.py --`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Asked(NamedTuple):
    """tokenizers, results: paths. problem: what was not understood, or nothing."""

    tokenizers: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    problem: str = ""


def arguments() -> tuple[str, ...]:
    """The app's own arguments; another program's, such as those of the tests, are none of ours."""
    return tuple(sys.argv[1:]) if Path(sys.argv[0]).name == "app.py" else ()


def asked(given: Sequence[str]) -> Asked:
    """Reads the arguments.

    >>> asked(["--tokenizer", "a.gguf", "--corpus", "b.json"])
    Asked(tokenizers=('a.gguf',), results=('b.json',), problem='')
    """
    parser = argparse.ArgumentParser(prog="app.py", exit_on_error=False, add_help=False, allow_abbrev=False)
    parser.add_argument("--tokenizer", action="append", default=[])
    parser.add_argument("--corpus", action="append", default=[])
    try:
        found, unknown = parser.parse_known_args(given)
    except argparse.ArgumentError as error:
        return Asked(problem=f"the command line: {error}; write: streamlit run app.py -- --tokenizer PATH")
    problem = f"the command line: {unknown[0]!r} is not known; write --tokenizer PATH" if unknown else ""
    return Asked(tuple(found.tokenizer), tuple(found.corpus), problem)
