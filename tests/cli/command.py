"""The command with bytes in and out: in a process of its own, and, which takes a twentieth of that, in this one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import explorer
from explorer.cli.main import main

ROOT = Path(explorer.__file__).parent.parent
Done = tuple[int, bytes, bytes]
"""The exit status, standard output and standard error."""


def process(*arguments: str | bytes, data: bytes = b"") -> Done:
    """Runs the command in its own process."""
    done = subprocess.run([sys.executable, "-m", "explorer", *arguments], input=data, capture_output=True, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def command(*arguments: str | bytes, data: bytes = b"", at: Path = ROOT) -> Done:
    """Runs the command here, in a folder, with streams such as its process has."""
    given, said, complained = (io.TextIOWrapper(io.BytesIO(each), "utf-8") for each in (data, b"", b""))
    complained.reconfigure(errors="backslashreplace", line_buffering=True)
    with chdir(at), patch("sys.stdin", given), redirect_stdout(said), redirect_stderr(complained):
        try:
            status = main([os.fsdecode(each) for each in arguments])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        said.flush()
        complained.flush()
        return status, said.buffer.getvalue(), complained.buffer.getvalue()  # type: ignore[attr-defined]
