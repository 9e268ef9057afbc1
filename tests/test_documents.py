"""The documents to learn from: what they type runs and prints what they say, and their site is whole.

A block `console` has commands after `$` and what they print below, `…` for lines left out; `pycon` is a doctest; `sh`
and `python` show a use, and the command line must know what they name (`tests/cli/test_help.py`).
"""

from __future__ import annotations

import doctest
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import explorer
from tests.cli.command import command

ROOT = Path(explorer.__file__).parent.parent
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_does_what_it_says(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    blocks = BLOCK.findall(text)
    assert blocks
    for kind, block in blocks:
        if kind == "json":
            json.loads(block)
            (tmp_path / "chat.json").write_text(block, "utf-8")
    for kind, block in blocks:
        if kind == "console":
            for typed, said in re.findall(r"^\$ explorer (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                _, out, complaints = command(*shlex.split(typed.replace("chat.json", str(tmp_path / "chat.json"))))
                assert said_of((out + complaints).decode(), said), (typed, out.decode(), complaints.decode())
    examples = "\n".join(block for kind, block in blocks if kind == "pycon")
    test = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    assert not doctest.DocTestRunner().run(test).failed


def said_of(printed: str, said: str) -> bool:
    """Whether what was printed is what a document says, whose `…` stand for any lines."""
    pattern = "".join("(?:.*\n)*?" if line == "…" else f"{re.escape(line)}\n" for line in said.splitlines())
    return re.fullmatch(pattern, printed) is not None


def test_lines_left_out_are_any() -> None:
    assert said_of("a\nb\nc\n", "a\n…\nc\n")
    assert said_of("a\n", "a\n…\n")
    assert not said_of("a\nb\n", "a\n")
    assert not said_of("b\na\n", "a\n…\n")


@pytest.mark.long
def test_the_site_of_the_documents_is_whole(tmp_path: Path) -> None:
    """mkdocs is strict: a link or an anchor that leads nowhere, or a page in no list, is an error."""
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(
        build, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    )
    assert done.returncode == 0, done.stderr
    api = (tmp_path / "site" / "reference" / "api.html").read_text("utf-8")
    for name in explorer.__all__:
        assert name.startswith("_") or f"{name}</span>" in api or f">{name}<" in api, name
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text("utf-8")
    assert 'id="encode"' in commands
    assert 'id="vocab-find"' in commands
