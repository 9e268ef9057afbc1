"""Folders opened like AutoTokenizer of both versions, compared with recorded answers of the originals.

`test_live.py`, part of the full run, compares with the originals live.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.implementations.transformers.arguments import VERSIONS
from tests.auto_tokenizer.bases import BASES
from tests.auto_tokenizer.comparing import differences
from tests.auto_tokenizer.folders import OF_CLASSES
from tests.auto_tokenizer.record import RECORDED, chosen, whole

WHOLE = json.loads(RECORDED.read_text("utf-8"))


def test_the_recording_is_of_the_supported_versions() -> None:
    assert set(WHOLE["folders"]) == {*VERSIONS.values()}
    names = {case.name for case in chosen()}
    assert len(names) > 300
    for release in VERSIONS.values():
        assert names == set(WHOLE["folders"][release]), "python -m tests.auto_tokenizer.record"


@pytest.mark.sample(2)
@pytest.mark.parametrize("base", [*BASES, *(f"of-{name}" for name in OF_CLASSES), "type", "only"])
@pytest.mark.parametrize("version", [5, 4])
def test_folders_answer_as_recorded(version: int, base: str, tmp_path: Path) -> None:
    found = WHOLE["folders"][VERSIONS[version]]
    some = [case for case in chosen() if case.name.startswith(f"{base}.")]
    wrong = [
        line
        for case in some
        for line in differences(
            version, case.written(tmp_path), whole(WHOLE["answers"][found[case.name]]), WHOLE["texts"]
        )
    ]
    assert some
    assert wrong == []
