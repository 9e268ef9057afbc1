"""`explorer completion`: with its script, a shell completes commands, options, models and files."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import explorer
from explorer.cli.main import main
from explorer.cli.parser import declared


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def completed(words: list[str], script: str, folder: Path) -> set[str]:
    """The completions bash offers for the last of these words."""
    ask = f"""
    COMP_WORDS=({" ".join(map(repr, words))}); COMP_CWORD={len(words) - 1}; COMPREPLY=()
    complete -p explorer | grep -oE -- '-F [^ ]+' | cut -c4- > /dev/null
    run=$(complete -p explorer | sed -E 's/.*-F ([^ ]+).*/\\1/')
    "$run" explorer "${{COMP_WORDS[COMP_CWORD]}}"
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, cwd=folder, check=True)
    return {line.rstrip() for line in done.stdout.splitlines()}


def test_bash_completes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bash = script("bash", capsys)
    (tmp_path / "mine.gguf").touch()
    assert {"encode", "roundtrip", "app"} <= completed(["explorer", ""], bash, tmp_path)
    assert completed(["explorer", "enc"], bash, tmp_path) == {"encode"}
    assert {"--model", "--lines", "--count"} <= completed(["explorer", "encode", "--"], bash, tmp_path)
    assert {*explorer.catalog(), "mine.gguf"} <= completed(["explorer", "encode", "-m", ""], bash, tmp_path)
    assert completed(["explorer", "encode", "-m", "qw"], bash, tmp_path) == {"qwen2.5"}
    assert "mine.gguf" in completed(["explorer", "diff", "m"], bash, tmp_path)


@pytest.mark.parametrize("shell", declared()["commands"]["completion"]["options"]["shell"]["choices"])
def test_each_shell_can_parse_its_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    made = script(shell, capsys)
    assert "roundtrip" in made
    assert "llama-2" in made
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=made, text=True, check=True, capture_output=True)
