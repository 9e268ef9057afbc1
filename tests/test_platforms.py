"""What only POSIX has: each use has another way on Windows, or one clear message."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import explorer
from explorer.cli.shared import progress
from explorer.corpus.run import Parts
from explorer.errors import InputError
from explorer.opening.catalog import openai_model
from explorer.opening.hub import names
from explorer.opening.model_names import is_stored
from tests.sources import GROUP

ROOT = Path(explorer.__file__).parent.parent


@pytest.mark.long
def test_the_package_runs_without_what_only_posix_has() -> None:
    run = [sys.executable, "-X", "warn_default_encoding", "-m", "tests.without_posix"]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=220)
    assert done.returncode == 0, done.stderr[-3000:]


@GROUP
def test_no_module_imports_at_once_what_only_posix_has() -> None:
    for path in (ROOT / "explorer").rglob("*.py"):
        if path.name == "worker.py":  # runs in processes that only POSIX starts
            continue
        found = re.search(r"^(?:import|from) (fcntl|resource|pwd|grp|termios)\b", path.read_text("utf-8"), re.MULTILINE)
        assert found is None, f"{path} imports {found and found[1]}"


def test_a_lock_of_windows_keeps_other_jobs_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`msvcrt.locking` raises PermissionError where another process has the lock."""

    def locking(handle: int, kind: int, size: int) -> None:
        raise PermissionError(13, "Permission denied")

    there = type(sys)("msvcrt")
    there.LK_NBLCK, there.locking = 2, locking
    monkeypatch.setitem(sys.modules, "msvcrt", there)
    monkeypatch.setattr("sys.platform", "win32")
    parts = object.__new__(Parts)
    parts.folder, parts.lock = tmp_path, None
    with pytest.raises(InputError, match="another job works here"):
        parts.lock_folder()
    assert parts.lock is None


@pytest.mark.parametrize("name", ["compare", "why", "stream", "sample", "nbest"])
def test_help_is_utf8_where_the_code_page_lacks_its_characters(name: str) -> None:
    """Python writes to a pipe or a file on Windows in the code page, such as 1252, which has no ▁."""
    done = subprocess.run(
        [sys.executable, "-m", "explorer", name, "--help"], capture_output=True, cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert any(ord(character) > 0xFF for character in done.stdout.decode())


class Console(io.StringIO):
    """A terminal that obeys no escape sequences, as consoles of Windows may."""

    def isatty(self) -> bool:
        return True

    def line(self) -> str:
        shown: list[str] = []
        for part in self.getvalue().split("\r"):
            shown[: len(part)] = part
        return "".join(shown).rstrip()


def test_a_line_of_progress_replaces_the_one_before_on_any_console(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", console := Console())
    progress("reading the vocabulary")
    progress("checked 2 %")
    assert console.line() == "checked 2 %"
    progress()
    assert console.line() == ""
    assert "\x1b" not in console.getvalue()


def test_a_path_of_windows_is_no_name_of_a_model() -> None:
    for path in (r"C:\models\a.gguf", "C:/models/a.gguf", r"models\org\name", r"\\server\models\name"):
        assert not is_stored(path)
        assert names.parsed(path) is None
        assert openai_model(path) is None
    with pytest.raises(InputError):
        names.parsed(r"org/name:folder\tokenizer.json")
    commit = "a" * 40
    assert names.SNAPSHOT.fullmatch(rf"C:\hub\models--org--name\snapshots\{commit}\tokenizer.json") is not None


def test_a_clone_on_windows_has_the_same_bytes() -> None:
    """Git for Windows changes line ends unless it is told not to; a vocabulary's sha256 would be another."""
    if not (ROOT / ".git").exists():
        pytest.skip("no clone")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    asked = ["git", "check-attr", "-z", "--stdin", "text"]
    said = subprocess.run(asked, cwd=ROOT, input=files, capture_output=True, check=True).stdout.split(b"\0")
    assert set(said[2::3]) == {b"unset"}
    assert b"vocabs/gpt2.tokenizer.json" in said
