"""What only POSIX has: each use has another way on Windows, or one clear message."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import explorer
from explorer.corpus.run import Parts
from explorer.errors import InputError
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
