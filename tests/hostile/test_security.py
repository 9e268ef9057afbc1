"""SECURITY.md is true: every limit in its table is that of the code."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import explorer

DOCUMENT = (Path(explorer.__file__).parent.parent / "SECURITY.md").read_text("utf-8")
ROW = re.compile(r"\| ([^|]+) \| ([\d,.]+)([^|]*) \| `([\w.]+)` \|")


def test_every_bound_of_the_table_is_in_the_code() -> None:
    rows = ROW.findall(DOCUMENT)
    assert len(rows) == DOCUMENT.count("| `explorer.") > 20
    for what, number, _, constant in rows:
        module, name = constant.rsplit(".", 1)
        assert float(number.replace(",", "")) == getattr(import_module(module), name), what


def test_the_headers_it_names_are_sent() -> None:
    from explorer.ui.serving.responses import headers

    assert set(headers()) == {name.lower() for name in re.findall(r"`([A-Z][\w]*(?:-[A-Z]\w*)+)`", DOCUMENT)}
