"""What pages offer as files and `--json`, `--csv` and `--markdown` print: one answer in up to three forms.

The numbers of an `Export` come from whoever computed them. The text, tokenizers, options and version come from its
`Provenance`, in the same way for each form. docs/exports.md describes keys and columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from explorer.analysis.provenance import Provenance, Rows
from explorer.csv_text import write_csv


@dataclass(frozen=True, slots=True)
class Export:
    """One answer as JSON, CSV or Markdown.

    kind: a key of `SCHEMAS`. body, rows, says: functions that give the content of the JSON, the CSV and the Markdown,
    called only if that form is wanted. sides, verdicts: as for `Provenance.columns`.

    >>> import explorer
    >>> from explorer.engine.part import Options
    >>> tok = explorer.load("gpt-2")
    >>> by = Provenance.of([tok], "hi", Options())
    >>> made = Export("encoding", by, lambda: {"ids": [5303]}, lambda: [["id"], [5303]])
    >>> made.json()[:46]
    '{"format": "tokenizer-explorer encoding 1", "p'
    >>> made.csv().splitlines()[0]
    'id,model,implementation,file,file_sha256,pattern_typed,pattern_sha256,pattern,choices,add_special,parse_special,\
text_sha256,whole_text,explorer'
    """

    kind: str
    provenance: Provenance
    body: Callable[[], Mapping[str, Any]]
    rows: Callable[[], Rows] = list
    says: Callable[[], Iterable[str]] = list
    sides: Mapping[str, str] = field(default_factory=lambda: {"": ""})
    verdicts: Mapping[str, str] | None = None

    def json(self) -> str:
        """A JSON object on one line."""
        return json.dumps(self.provenance.document(self.kind, self.body()), ensure_ascii=False)

    def csv(self) -> str:
        """A table, the heading first."""
        return write_csv(self.provenance.columns(self.rows(), self.sides, self.verdicts))

    def markdown(self) -> str:
        """Sentences and tables, then their provenance."""
        return "\n".join([*self.says(), *self.provenance.lines()]) + "\n"

    @property
    def texts(self) -> dict[str, Callable[[], str]]:
        """By the ending of a file, what writes it."""
        return {"json": self.json, "csv": self.csv, "md": self.markdown}

    @property
    def file_names(self) -> dict[str, str]:
        """By ending, the name of a file with this export."""
        return {ending: self.provenance.file_name(self.kind, ending) for ending in self.texts}


# --- sentences and tables as lines of Markdown ------------------------------------------------------------------------

MOST: Final = 100
"""The most rows of a table."""


def table_lines(says: Iterable[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Sentences and a table whose first row is its heading.

    >>> for line in table_lines(["It is so."], [["a", "b"], [1, None]]): print(line)
    It is so.
    <BLANKLINE>
    | a | b |
    | --- | --- |
    | 1 |  |
    """
    lines = [line for each in says for line in (escaped(each), "")]
    heading, *body = rows
    lines += table(heading, (["" if value is None else value for value in row] for row in body[:MOST]))
    if len(body) > MOST:
        lines += ["", f"And {len(body) - MOST} more."]
    return lines


def table(heading: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table in Markdown."""
    lines = [heading, ["---"] * len(heading), *rows]
    return [f"| {' | '.join(escaped(str(value)) for value in line)} |" for line in lines]


def escaped(text: str) -> str:
    """A text escaped for Markdown, on one line.

    >>> escaped("<b> | *a*")
    '\\\\<b\\\\> \\\\| \\\\*a\\\\*'
    """
    return "".join(f"\\{ch}" if ch in "\\`*_{}[]<>|#~" else ch for ch in " ".join(text.split()))
