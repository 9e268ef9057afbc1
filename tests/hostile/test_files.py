"""Odd files: pipes, sockets and devices in a corpus folder, endless numbers in records."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from explorer.cli.main import main
from explorer.corpus.sources import find
from explorer.engine.pre_tokenizers.custom_pattern import oniguruma_pattern, typed_pattern
from explorer.errors import InputError
from tests.corpus.command import refused, result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one text and three files that are not regular."""
    inside = tmp_path / "texts"
    inside.mkdir()
    (inside / "a.txt").write_text("a\n")
    os.mkfifo(inside / "b.txt")
    (inside / "c.txt").symlink_to("/dev/null")
    # the address of a socket is short
    here = Path.cwd()
    os.chdir(inside)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("d.jsonl")
        os.chdir(here)
    return inside


def test_a_pipe_a_device_and_a_socket_in_a_folder_are_skipped(folder: Path, tmp_path: Path) -> None:
    found = find([str(folder)])
    assert [Path(file.path).name for file in found.files] == ["a.txt"]
    assert found.passed_over == 3
    record = result(tmp_path / "out.json", folder)
    assert record["total"]["documents"] == 1
    assert record["files_passed_over"] == 3


@pytest.mark.parametrize("name", ["b.txt", "c.txt", "d.jsonl"])
def test_a_named_one_is_refused(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "not a regular file" in refused(capsys, folder / name)
    for command in ("info", "encode"):
        assert main([command, "-m", str(folder / name)]) == 1
        assert "not a regular file" in capsys.readouterr().err


@pytest.mark.parametrize("record", ['{"text": "a", "n": %s}', '{"text": "a", "label": %s}', "%s", '{"text": %s}'])
def test_a_number_of_thousands_of_digits_is_an_input_error(
    record: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jsonl").write_text(record % ("1" * 100_000) + "\n")
    said = refused(capsys, tmp_path / "a.jsonl", "--label", "label")
    assert "a number in it has thousands of digits" in said
    assert "sys." not in said
    assert "byte offset 0" in said


@pytest.mark.parametrize("pattern", ["a{%s}", "a{1,%s}", r"(a)\%s", r"(a)\k<-%s>", "a{%s}{2}", r"(a)(?P=%s)"])
def test_a_number_of_thousands_of_digits_in_a_pattern_is_a_pattern_error(pattern: str) -> None:
    for read in (typed_pattern, oniguruma_pattern):
        with pytest.raises(InputError) as caught:
            read(pattern % ("1" * 4_500))
        assert "sys." not in str(caught.value)
