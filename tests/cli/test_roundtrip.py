"""`explorer roundtrip`: the lines that change, the stages that change them, and the exit status."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from explorer.analysis.inputs import Line
from explorer.analysis.round_trip import failure_of, sentences
from explorer.cli import commands
from explorer.cli.main import main
from explorer.engine.part import Options
from tests.bundled import bundled
from tests.meaning import named

BUNDLED = ("llama-2", "mistral-v1", "xlm-r", "bert-uncased", "rwkv-world", "gpt-2", "qwen2.5", "qwen2.5@llama.cpp")


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "load", bundled)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    status = main(["roundtrip", *arguments])
    shown = capsys.readouterr()
    return status, shown.out.splitlines(), shown.err


def test_changed_lines_are_printed_with_the_stages_that_changed_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "a.txt"
    file.write_text("plain\nÉ 😊\n two  spaces\n", "utf-8")
    status, (second, third, totals), _ = run(capsys, "-m", "bert-uncased", str(file))
    assert status == 1
    assert second.startswith(f"{file}:2: normalize, ")
    assert second.index("normalize") < second.index("; model, ")
    assert named(second.removeprefix(f"{file}:2:")) == {"1", "É", "e", "3", "😊", "[UNK]"}
    assert third.startswith(f"{file}:3: pre-tokenize, ")
    assert named(third.removeprefix(f"{file}:3:")) == {"1", "␣", "6"}
    assert named(totals) == {"2", "3", "1"}
    status, (same,), errors = run(capsys, "-m", "gpt-2", str(file))
    assert (status, named(same), errors) == (0, {"3"}, "")


def test_composed_characters_are_distinguished_by_code_point(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rb"A\u030a")))
    status, out, _ = run(capsys, "-m", "qwen2.5", "--escapes", "-")
    assert status == 1
    assert out[0].startswith("standard input:1: normalize, ")
    assert "A + U+030A" in out[0]


def test_json_has_each_changed_line_and_the_totals(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("W\nw\n", "utf-8")
    status, out, _ = run(capsys, "-m", "bert-uncased", "--json", str(file))
    assert status == 1
    *lines, totals = map(json.loads, out)
    assert lines == [
        {
            "file": str(file), "line": 1, "text": "W", "decoded": "w", "stages": ["normalize"],
            "lost": [{"at": 0, "stage": "normalize", "start": 0, "end": 1, "became": "w"}], "added": [],
        },
    ]  # fmt: skip
    assert {key: totals[key] for key in ("lines", "failing", "stages")} == {
        "lines": 2, "failing": 1, "stages": {"normalize": 1}
    }  # fmt: skip


def test_bad_input_is_status_2_and_names_the_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(b"ok\nno\xff\n")
    status, _, err = run(capsys, "-m", "gpt-2", str(file))
    assert status == 2
    assert f"{file}: line 2: byte offset 2" in err
    assert run(capsys, "-m", "gpt-2", str(tmp_path / "none"))[0] == 2
    file.write_bytes(b"a\n\\q\n")
    assert f"{file}: line 2: position 1" in run(capsys, "-m", "gpt-2", "--escapes", str(file))[2]


def test_warnings_of_a_file_are_printed_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "load", explorer.load)
    model, file = tmp_path / "tokenizer.json", tmp_path / "a.txt"
    model.write_text('{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}')
    file.write_text("ab\nba\n")
    status, out, err = run(capsys, "-m", str(model), str(file))
    assert (status, out[0]) == (1, f"{file}:1: decode, before character 2: “␣” inserted")
    assert err.count("decoder") == 1


@pytest.mark.parametrize("spec", BUNDLED)
@given(text=st.text(st.sampled_from("aÉ é\u0301ﬁ😊\t\x00 W漢▁Ġ<s>[UNK]\u200b"), max_size=12))
def test_exactly_the_changed_lines_are_printed_each_with_a_stage(spec: str, text: str) -> None:
    tok = bundled(spec)
    failure = failure_of(tok, Line("x", 1, text), Options())
    assert (failure is None) == (tok.decode(tok.encode(text).ids) == text)
    if failure is not None:
        names = {part.name for part in tok.parts} | {"decode"}
        assert failure.stages
        assert set(failure.stages) <= names
        assert list(sentences(failure))


def test_ids_that_text_does_not_give_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "ids.jsonl"
    file.write_text("[464, 318]\n[5450, 25, 1003]\n", "utf-8")
    status, (line, totals), _ = run(capsys, "-m", "gpt-2", "--ids", str(file))
    assert status == 1
    assert line.startswith(f"{file}:2: model, ")
    assert named(line.removeprefix(f"{file}:2:")) >= {"2", "3", "25", "1003", "1378", "://"}
    assert {"1", "2", "5", "400.00", "1000"} <= named(totals)
    file.write_text("464 318\n", "utf-8")
    assert run(capsys, "-m", "gpt-2", "--ids", str(file))[0] == 0
    file.write_text("99999\n", "utf-8")
    assert run(capsys, "-m", "gpt-2", "--ids", str(file))[0] == 2
