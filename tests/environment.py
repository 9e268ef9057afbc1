"""Python environments with versions of an original that can't be installed beside the project's own libraries."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path


def environment(folder: Path, *packages: str) -> Path:
    """The Python of an environment with these packages, in this folder; created on first use.

    Tests in several processes ask at once: one of them creates it, the others wait.
    """
    executable, made = folder / "bin" / "python", folder / "made.txt"
    wanted = "\n".join(packages)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists() or made.read_text("utf-8") != wanted:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            pip = [executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            subprocess.run([*pip, *packages], check=True, stdout=sys.stderr)
            made.write_text(wanted, "utf-8")
    return executable
