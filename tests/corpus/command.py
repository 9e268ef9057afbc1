"""The command line called as a function."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from explorer.cli.main import main

GPT2 = ("corpus", "-m", "gpt-2")


def run(capsys: pytest.CaptureFixture[str], *arguments: str | os.PathLike[str]) -> tuple[int, list[str], str]:
    capsys.readouterr()  # drops what earlier calls printed
    status = main([os.fspath(each) for each in arguments])
    shown = capsys.readouterr()
    return status, shown.out.splitlines(), shown.err


def result(path: Path, *arguments: str | os.PathLike[str]) -> dict[str, Any]:
    assert main([*GPT2, *(os.fspath(each) for each in arguments), "--output", str(path)]) == 0
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | os.PathLike[str]) -> str:
    """The one-line error, with status 1 and nothing on standard output."""
    status, out, said = run(capsys, *GPT2, *arguments)
    assert (status, out) == (1, []), said
    assert said.startswith("explorer: ")
    assert said.count("\n") == 1
    return said
