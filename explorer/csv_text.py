"""Every CSV the explorer writes: the pages' downloads, the command line's `--csv`, the table of a corpus job.

The dialect is RFC 4180, as spreadsheets and `pandas.read_csv` read it: commas, CRLF at the end of a row, and quotes
around a cell that holds a comma, a quote or a line break.

A spreadsheet computes a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break, and tokens, labels and file
names are a stranger's. So an apostrophe comes before such a text, and one more before apostrophes that are followed by
such a sign, which makes `exact` its inverse. Numbers stay as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final

COMPUTED: Final = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""What a spreadsheet may take for a formula, full-width signs, too, and what looks like one made safe."""


def write_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, the heading first; None is an empty cell.

    >>> write_csv([["a", 1, None], ["b", "x,y", True]])
    'a,1,\\r\\nb,"x,y",True\\r\\n'
    >>> write_csv([["=1+1", -1, "'-"]])
    "'=1+1,-1,''-\\r\\n"
    """
    file = io.StringIO()
    csv.writer(file).writerows(map(safe, row) for row in rows)
    return file.getvalue()


def safe(cell: object) -> object:
    """A cell that no spreadsheet computes."""
    return f"'{cell}" if isinstance(cell, str) and COMPUTED.match(cell) else cell


def exact(cell: str) -> str:
    """A cell as it was before `write_csv` made it safe.

    >>> [exact(cell) for cell in ("'=1+1", "''-", "-1", "'s")]
    ['=1+1', "'-", '-1', "'s"]
    """
    return cell[1:] if cell.startswith("'") and COMPUTED.match(cell) else cell
