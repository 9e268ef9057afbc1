"""Writes every CSV of the explorer: the pages' downloads, the command line's `--csv`, the table of a corpus job.

The dialect is RFC 4180, as spreadsheets and `pandas.read_csv` read it: commas, CRLF at the end of a row, and quotes
around a cell that contains a comma, a quote or a line break.

A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break, and tokens, labels and file
names are not trusted. So such a text gets an apostrophe in front, and apostrophes followed by such a character get one
more, which makes `exact` the inverse. Numbers stay as they are.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

FORMULA = re.compile(r"'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""A text that a spreadsheet may evaluate, full-width signs included, or one with apostrophes in front of it."""


def write_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV text, the heading first; None is an empty cell.

    >>> write_csv([["a", 1, None], ["b", "x,y", True]])
    'a,1,\\r\\nb,"x,y",True\\r\\n'
    >>> write_csv([["=1+1", -1, "'-"]])
    "'=1+1,-1,''-\\r\\n"
    """
    file = io.StringIO()
    csv.writer(file).writerows(map(safe, row) for row in rows)
    return file.getvalue()


def safe(cell: object) -> object:
    """A cell that spreadsheets do not evaluate."""
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def exact(cell: str) -> str:
    """The original text of a cell that `write_csv` made safe.

    >>> [exact(cell) for cell in ("'=1+1", "''-", "-1", "'s")]
    ['=1+1', "'-", '-1', "'s"]
    """
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
