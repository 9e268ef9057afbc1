"""Live parity with both versions of `transformers`: folders with each setting flipped, several hundred nasty texts.

    python -m pytest --tier all tests/auto_tokenizer

The environments are created if missing (`environments.py`). One process of each original answers for all folders,
because starting it takes longer than opening a folder.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from explorer.implementations.transformers.versions import VERSIONS
from tests.auto_tokenizer import tables
from tests.auto_tokenizer.comparing import differences, originals, texts
from tests.auto_tokenizer.folders import Case, cases

pytestmark = pytest.mark.long

FEW, MANY = 10, 80
"""The number of texts for every folder, and for those of `THOROUGH`."""
THOROUGH = ("plain", "clean", "decoder", "map-additional", "prefix-space", "no-legacy", "split-special")


def grouped() -> dict[str, list[Case]]:
    """The folders by base and class."""
    found = defaultdict(list)
    for case in cases():
        base, kind, *_ = case.name.split(".")
        found[f"{base}.{kind}" if base != "only" else base].append(case)
    return found


GROUPS = grouped()


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("version", VERSIONS)
def test_folders_match_auto_tokenizer(version: int, group: str, tmp_path: Path) -> None:
    wrong: list[str] = []
    opened = 0
    for count, thorough in ((FEW, False), (MANY, True)):
        some = [case for case in GROUPS[group] if (case.name.rpartition(".")[2] in THOROUGH) is thorough]
        asked = texts(count)
        folders = [case.written(tmp_path / str(count)) for case in some]
        for folder, theirs in zip(folders, originals(version, folders, asked), strict=True):
            opened += "error" not in theirs
            wrong += differences(version, folder, theirs, asked)
    assert wrong[:20] == []
    print(f"{group}, version {version}: {len(GROUPS[group])} folders, {opened} open")


def test_the_tables_match_the_versions() -> None:
    for path, text in tables.tables().items():
        assert path.read_text("utf-8") == text, "python -m tests.auto_tokenizer.tables"
