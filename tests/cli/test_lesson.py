"""The command for authors of lessons: a file to start from, and its check."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.cli.app import check_lesson
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.learning.lessons import read_lesson


def test_a_new_lesson_can_be_read_and_nothing_is_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    assert main(["lesson", "new", str(path)]) == 0
    lesson = read_lesson(path.read_bytes(), "mine.toml")
    assert {type(card.question).__name__ for card in lesson.cards} == {"NoneType", "QuestionRef", "Exercise", "Task"}
    path.write_text("mine", "utf-8")
    assert main(["lesson", "new", str(path)]) == 1
    assert path.read_text("utf-8") == "mine"
    assert main(["lesson", "new", str(tmp_path / "mine.txt")]) == 1
    assert main(["lesson", "new", str(tmp_path / "nowhere" / "mine.toml")]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3
    assert all("mine" in line for line in said)


def test_the_check_says_each_fault_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    assert main(["lesson", "new", str(path)]) == 0
    capsys.readouterr()
    assert main(["lesson", "check", str(path)]) == 0
    assert "4 cards" in capsys.readouterr().out
    source = path.read_text("utf-8").replace("tokens = 6", "tokens = 7").replace('answer = "theory"', 'answer = "x"')
    path.write_text(source, "utf-8")
    assert main(["lesson", "check", str(path)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    wanted = source[: source.index("claims = {")].count("\n") + 1
    assert first.startswith(f"{path}, line {wanted}, card 1, claims, tokens: ")
    assert ", card 4, task, answer: " in second
    assert main(["lesson", "check", str(tmp_path / "none.toml")]) == 1
    assert main(["lesson", "check", str(tmp_path)]) == 1


def test_only_a_server_for_this_machine_follows_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("", "utf-8")
    for flags in ([], ["--server.port", "8600"], ["--server.address", "localhost"], ["--server.address=127.0.0.1"]):
        check_lesson(str(path), flags)
    for flags in (["--server.address", "0.0.0.0"], ["--server.address=::"]):
        with pytest.raises(InputError, match="leave out"):
            check_lesson(str(path), flags)
    with pytest.raises(InputError, match="no such file"):
        check_lesson(str(tmp_path / "none.toml"), [])
