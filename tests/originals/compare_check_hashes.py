"""Compares the table of llama.cpp's check hashes with a copy of the converter, which it reads and never runs.

usage, from the project's root:   python -m tests.originals.compare_check_hashes PATH/TO/llama.cpp/conversion/base.py

Prints what differs. Exit status 0 only without differences. `--write` writes the table of that copy.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

from explorer.implementations.llama_cpp.conversion import CHECK_TEXT, TABLE

ROW = re.compile(
    r'chkhsh == "([0-9a-f]{64})"(?: or chkhsh == "([0-9a-f]{64})")?:\n'
    r'(?:\s*# ref: (?:https://huggingface\.co/)?(\S+)[^\n]*\n)?(?:\s*#[^\n]*\n)*\s*res = "([^"]+)"'
)


def table_of(source: str) -> str:
    """The table of the function `get_vocab_base_pre`: hash, name and repository in columns.

    >>> table_of('if chkhsh == "' + "0" * 64 + '":\\n    # ref: https://huggingface.co/a/b\\n    res = "c"')[-8:]
    '0\\tc\\ta/b\\n'
    """
    return "".join(
        f"{hash}\t{match[4]}\t{match[3] or ''}\n"
        for match in ROW.finditer(source)
        for hash in match.group(1, 2)
        if hash
    )


def differences(source: str) -> list[str]:
    """What differs between the source and what is here."""
    found = []
    text = re.search(r"chktxt = ('.*')\n", source)
    if text is None or ast.literal_eval(text[1]) != CHECK_TEXT:
        found.append("the test text differs")
    ours, theirs = (set(table.splitlines()) for table in (TABLE.read_text("utf-8"), table_of(source)))
    found += [f"only there: {row}" for row in sorted(theirs - ours)] + [
        f"only here: {row}" for row in sorted(ours - theirs)
    ]
    return found


if __name__ == "__main__":
    read = Path(sys.argv[1]).read_text("utf-8")
    if "--write" in sys.argv:
        TABLE.write_text(table_of(read), "utf-8")
    lines = differences(read)
    print("\n".join(lines) or "no difference")
    sys.exit(bool(lines))
