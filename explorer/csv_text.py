"""Every CSV the explorer writes: the pages' downloads, the command line's `--csv`, the table of a corpus job.

The dialect is RFC 4180, as spreadsheets and `pandas.read_csv` read it: commas, CRLF at the end of a row, and quotes
around a cell that holds a comma, a quote or a line break.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence


def write_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, the heading first; None is an empty cell.

    >>> write_csv([["a", 1, None], ["b", "x,y", True]])
    'a,1,\\r\\nb,"x,y",True\\r\\n'
    """
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue()
