"""A file that is written is complete, or keeps what it was."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

import explorer
from explorer.cli.main import main
from explorer.corpus import atomic
from tests.refusals import refusal
from tests.sources import GROUP, nodes

MODE = re.compile("[rbt+]*[wxa][rbt+]*")
WRITERS = {
    "cli/processes.py": "nginx's configuration, in a folder of the run",
    "corpus/atomic.py": "the helper",
    "corpus/joining.py": "into a folder of its own, which is renamed",
    "corpus/run.py": "a lock",
}
"""Where else files are opened to be written."""


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.html"
    file.write_text("before")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left" in refusal(atomic.write_whole, file, b"after")
    assert main(["save", "a", "-m", "gpt-2", "--output", str(file)]) == 1
    assert file.read_text() == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_link_stays_and_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    file, link = tmp_path / "a", tmp_path / "b"
    file.write_text("")
    link.symlink_to(file)
    atomic.write_whole(link, b"x")
    assert link.is_symlink()
    assert file.read_bytes() == b"x"
    atomic.write_whole(Path(os.devnull), b"x")
    assert not Path(os.devnull).is_file()


@GROUP
def test_files_are_written_by_the_helper_alone() -> None:
    root = Path(explorer.__file__).parent
    for path in root.rglob("*.py"):
        name = path.relative_to(root).as_posix()
        if name.startswith(("cli/", "saved/", "editing/", "corpus/")):
            assert name in WRITERS or not any(map(writes, nodes(path, ast.Call))), path


def writes(call: ast.Call) -> bool:
    """Whether a call writes a file, or opens one to write."""
    name = ast.unparse(call.func).rpartition(".")[2]
    given = (*call.args, *(word.value for word in call.keywords))
    texts = [each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return name in ("write_text", "write_bytes") or (name == "open" and any(map(MODE.fullmatch, texts)))
