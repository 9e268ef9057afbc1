"""What is said of versions is what those versions did: `tokenizers_versions.json` records which opened which file.

`features` has for each a file, the versions that opened it, and those that also wrote the feature again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from tokenizers import Tokenizer, __version__

from explorer.analysis.lint import FEATURES, OLDEST, needs, parsed, readable
from explorer.cli.main import main
from explorer.formats import tokenizer_json
from explorer.text.say import plain
from tests.meaning import mentions

RECORDED: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("tokenizers_versions.json").read_text("utf-8"))


def test_versions_are_those_that_read_the_features() -> None:
    versions = sorted(RECORDED["versions"], key=parsed)
    assert versions[0] == OLDEST and versions[-1] == __version__  # noqa: PT018
    said = set()
    for name, tried in RECORDED["features"].items():
        found = needs(tokenizer_json.read(json.dumps(tried["file"]).encode(), name))
        said |= {need.what for need in found}
        refused = max((parsed(need.version) for need in found if need.refused), default=parsed(OLDEST))
        known = max((parsed(need.version) for need in found), default=parsed(OLDEST))
        assert tried["opened_by"] == [each for each in versions if parsed(each) >= refused], name
        assert tried["kept_by"] == [each for each in versions if parsed(each) >= known], name
        assert Tokenizer.from_str(json.dumps(tried["file"]))
    assert said == {need.what for need, _ in FEATURES}


def test_a_file_that_is_read_without_a_feature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(RECORDED["features"]["model.ignore_merges"]["file"]), "utf-8")
    assert mentions(
        plain(readable(tokenizer_json.read(path, "toy"))),
        "Every version of tokenizers from 0.13.2 on can read it. "
        "Before 0.19.1 it is read without ignore_merges (model.ignore_merges), which may give other ids.",
    )
    main(["lint", str(path)])
    assert "Before 0.19.1" in capsys.readouterr().out
