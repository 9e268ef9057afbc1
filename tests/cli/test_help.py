"""Every command and option that help, pages and documents name exists, and every example runs."""

from __future__ import annotations

import argparse
import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import explorer
from explorer.cli.parser import declared, named, parser
from explorer.ui.corpus import COMMAND
from explorer.version import version_line
from tests.cli.example_files import write_files
from tests.sources import GROUP, nodes

ROOT = Path(explorer.__file__).parent.parent
NAMED = re.compile(r"(?:python -m explorer|`explorer) ([a-z-]+)")


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command by the name that installed users call."""
    (found,) = (each for each in parser(prog="explorer")._actions if isinstance(each, argparse._SubParsersAction))
    return dict(found.choices)


def test_every_declared_command_runs_a_function() -> None:
    for name, each in declared()["commands"].items():
        assert commands_of(name) == [name], "only the command that is needed is built"
        for run in [part["run"] for part in each.get("parts", {}).values()] or [each["run"]]:
            assert callable(named(run))


def commands_of(name: str) -> list[str]:
    (found,) = (each for each in parser(name)._actions if isinstance(each, argparse._SubParsersAction))
    return list(found.choices)


def examples() -> Iterator[tuple[str, str]]:
    """Each example in a help text, and the beginning of its output."""
    for name, command in commands().items():
        lines = command.format_help().partition("\nexamples:\n")[2].splitlines()
        assert lines, f"explorer {name} --help has no examples"
        for line, after in zip(lines, [*lines[1:], ""], strict=True):
            if line.startswith("  explorer "):
                yield line.strip(), after.strip() if after.startswith("      ") else ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name."""
    return write_files(tmp_path_factory.mktemp("examples"))


@pytest.mark.sample(4)
@pytest.mark.parametrize(("line", "prints"), list(examples()))
def test_the_examples_of_the_help_run(line: str, prints: str, folder: Path) -> None:
    if line.startswith(("explorer app", "explorer docs")):  # they serve until they are stopped
        parser().parse_known_args(shlex.split(line)[1:])
        return
    script = f'explorer() {{ "{sys.executable}" -m explorer "$@"; }}; fpath=("" "$PWD"); {line}'
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, encoding="utf-8", cwd=folder,
                          env=environment)  # fmt: skip
    compares = any(each in line for each in (" compare ", " diff ", " roundtrip ", " --strict "))
    assert done.returncode in ((0, 1) if compares else (0,)), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith(prints)
    assert done.stdout or ">" in line


def test_help_names_every_command_and_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    whole = parser().format_help()
    for name in commands():
        assert re.search(rf"^    {name}\b", whole, re.MULTILINE)
    with pytest.raises(SystemExit) as left:
        parser().parse_args(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"{version_line()}\n"


@GROUP
def test_every_command_named_in_code_and_documents_exists() -> None:
    known, seen = set(commands()), 0
    for path in [*(ROOT / "explorer").rglob("*.py"), *ROOT.glob("*.md"), ROOT / "app.py"]:
        for text in said_in(path):
            for name in NAMED.findall(text):
                assert name in known, f"{path.relative_to(ROOT)} names explorer {name}"
                seen += 1
    assert seen >= 5


def said_in(path: Path) -> Iterator[str]:
    """The whole of a document, or every string of a Python file."""
    if path.suffix != ".py":
        yield path.read_text("utf-8")
        return
    for node in nodes(path, ast.Constant):
        if isinstance(node.value, str):
            yield node.value


@GROUP
def test_the_pages_name_commands_that_work_without_installing() -> None:
    for path in (ROOT / "explorer/ui").rglob("*.py"):
        for text in said_in(path):
            assert "`explorer " not in text, path


def lines_of_documents() -> Iterator[str]:
    """The command lines of the documents that call this program."""
    text = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"(python -m )?explorer ", line):
                yield line


@pytest.mark.parametrize("line", [*lines_of_documents(), COMMAND.replace("\\\n", " ")])
def test_command_lines_of_the_readme_and_the_pages_parse(line: str) -> None:
    words = shlex.split(line, comments=True)
    words = words[words.index("explorer") + 1 :]
    cut = next((at for at, word in enumerate(words) if word in ("<", ">", "|")), len(words))
    parsed, rest = parser().parse_known_args(words[:cut])
    assert not rest or parsed.passes_on


def test_the_documents_have_command_lines() -> None:
    assert len(list(lines_of_documents())) > 10
