"""A name that a visitor gives means the same whatever folders the server has."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.answers.hub_models import Rules
from explorer.opening.hub.names import parsed


def test_a_visitors_name_is_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = Rules(on=True).name("docs/x")
    (tmp_path / "docs").mkdir()
    assert Rules(on=True).name("docs/x") == before
    # on the command line it may be a path
    assert parsed("docs/x") is None
