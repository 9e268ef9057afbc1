"""The command line: standard output, standard error and exit status."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import explorer
from explorer.cli.main import main
from explorer.cli.parser import parser
from tests.bundled import bundled
from tests.cli.command import ROOT, command, process


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_encode(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "encode", "-m", "llama-2", "What is LoRA?") == (0, "1 1724 338 4309 4717 29973\n", "")
    assert run(capsys, "encode", "-m", "llama-2@llama.cpp", "--no-add-special", "is")[1] == "338\n"
    assert run(capsys, "encode", "-m", "llama-2", "--no-parse-special", "<s>")[1] == "1 529 29879 29958\n"
    assert run(capsys, "encode", "-m", "llama-2", "--escapes", r"\n")[1] == "1 29871 13\n"
    record = json.loads(run(capsys, "encode", "-m", "llama-2", "--json", "is")[1])
    assert (record["ids"], record["pieces"], record["spans"]) == ([1, 338], ["<s>", "▁is"], [None, [0, 2]])
    assert record["bytes"] == ["3c733e", "206973"]


def test_lines_print_one_line_of_json_each(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = command("encode", "-m", "gpt-2", "--lines", "-", data=b"hi\r\n\nhello world")
    assert (status, [json.loads(line) for line in out.splitlines()]) == (0, [[5303], [], [31373, 995]])
    assert run(capsys, "encode", "-m", "gpt-2", "--lines", "--count", "hi\nhello world")[1] == "1\n2\n"
    records = run(capsys, "encode", "-m", "gpt-2", "--lines", "--json", "--escapes", "hi\n\\u00e9")[1].splitlines()
    assert [json.loads(each)["spans"] for each in records] == [[[0, 2]], [[0, 1]]]


@pytest.mark.parametrize(
    ("data", "more", "says"),
    [
        (b"ok\nno\xff\n", [], b"standard input: line 2: byte offset 2"),
        (b"ok\n\\q\n", ["--escapes"], b"standard input: line 2: position 1"),
    ],
)
def test_a_bad_line_is_named(data: bytes, more: list[str], says: bytes) -> None:
    status, _, err = command("encode", "-m", "gpt-2", "--lines", *more, data=data)
    assert status == 1
    assert says in err
    assert err.count(b"\n") == 1


def test_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "encode", "-m", "llama-2", "--count", "What is LoRA?")[1] == "6\n"
    assert run(capsys, "encode", "-m", "llama-2", "--count", "--no-add-special", "")[1] == "0\n"
    assert command("encode", "-m", "gpt-2", "--count", "--json", "hello world")[0] == 2


def test_a_dash_is_standard_input_everywhere() -> None:
    assert process("encode", "-m", "gpt-2", "-", data=b"hi")[1] == b"5303\n"
    assert process("trace", "-m", "gpt-2", "-", data=b"hi")[1].endswith(b"\n5303\n")
    assert process("decode", "-m", "gpt-2", "-", data=b"[5303]")[1] == b"hi\n"
    assert command("encode", "-m", "gpt-2", "--escapes", r"\x2d")[1] == b"12\n", "a dash itself"


def test_decode(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("decode", "-m", "llama-2", "1", "1724", "338") == (0, b"What is\n", b"")
    assert command("decode", "-m", "llama-2", data=b"[1, 1724,\n338]") == (0, b"What is\n", b"")
    assert command("decode", "-m", "llama-2", "243", "162")[1] == b"\xf0\x9f\n", "bytes leave as they are"
    record = json.loads(command("decode", "-m", "llama-2", "--json", "243")[1])
    assert (record["ids"], record["text"], record["bytes"]) == ([243], "�", ["f0"])
    assert command("decode", "-m", "llama-2", "--keep-special", "1", "338")[1] == b"<s> is\n"
    assert command("decode", "-m", "llama-2", "338", "2", "--no-unparse-special")[1] == b"is\n"


def test_trace(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "trace", "-m", "llama-2", "is")
    assert status == 0
    assert "MERGE        left=1 right=2 token=275 is" in out
    assert out.splitlines()[-1] == "1 338"
    assert "12520 ĠðŁ (20 F0 9F), 97 ¤ (A4)" in run(capsys, "trace", "-m", "gpt-2", "I 🤗")[1]
    record = json.loads(run(capsys, "trace", "-m", "gpt-2", "--json", "I 🤗")[1])
    assert (record["pieces"][1], record["bytes"]) == ("ĠðŁ", ["49", "20f09f", "a4", "97"])
    record = json.loads(run(capsys, "trace", "-m", "llama-2", "--json", "is")[1])
    assert record["ids"] == [1, 338]
    model = next(stage for stage in record["stages"] if stage["name"] == "model")
    assert model["fields"] == ["kind", "left", "right", "token"]
    assert model["kinds"]["3"] == "MERGE"
    assert [3, 1, 2, 275] in model["events"]


def test_models(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "models")[1].splitlines()
    rows = [re.split(r" {2,}", line) for line in lines]
    assert rows == [
        [each.name, each.title, each.kind, ", ".join(each.implementations)] for each in explorer.catalog().values()
    ]
    assert len({line.index(f"  {kind}  ") for line, (_, _, kind, _) in zip(lines, rows, strict=True)}) == 1, "columns"
    assert list(json.loads(run(capsys, "models", "--json")[1])["models"]) == list(explorer.catalog())


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "info", "-m", "gpt-2")[1]
    assert out.startswith("gpt-2: BPE, as huggingface runs it\n")
    assert r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+" in out
    assert "50256  <|endoftext|>" in out
    record = json.loads(run(capsys, "info", "-m", f"{explorer.catalog()['gpt-2'].path}@llama.cpp", "--json")[1])
    assert record["implementation"] == "llama.cpp"
    assert record["about"]["format"] == "a tokenizer.json"
    assert record["special"] == [{"id": 50256, "piece": "<|endoftext|>", "kind": "control"}]
    out = run(capsys, "info", "-m", "qwen2.5")[1]
    assert "user-defined tokens: 8\n" in out
    assert "151657  <tool_call>  (user-defined)" in out


def test_another_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "encode", "-m", "gpt-2", "--pattern", ".", "hi it")[1] == "71 72 220 72 83\n"
    plain, replaced = (run(capsys, "info", "-m", "gpt-2", *more)[1] for more in ((), ("--pattern", ".")))
    assert plain != replaced


def test_a_missing_choice_is_asked_for_by_its_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def opened(spec: str, **choices: str) -> explorer.Tokenizer:
        if choices.get("pre") != "gpt=2":
            raise explorer.ChoiceNeeded(f"{spec}: pre is missing; choose one", "pre", ("default", "gpt=2"))
        return bundled("gpt-2")

    monkeypatch.setattr("explorer.cli.commands.load", opened)
    status, _, err = run(capsys, "encode", "-m", "x.gguf", "a")
    assert (status, err) == (
        1, "explorer: x.gguf: pre is missing; choose one. Use --choose pre=VALUE. Known: default, gpt=2.\n"
    )  # fmt: skip
    assert run(capsys, "encode", "-m", "x.gguf", "--choose", "pre=gpt=2", "a")[:2] == (0, "64\n")


def test_standard_input_is_read_to_the_byte() -> None:
    assert command("encode", "-m", "llama-2", data=b"What is LoRA?")[1] == b"1 1724 338 4309 4717 29973\n"
    assert command("encode", "-m", "llama-2", data=b"is\n")[1] == b"1 338 13\n"
    assert process("encode", "-m", "llama-2", data=b"is\r\n\x00")[1] == b"1 338 30004 13 3\n"
    assert command("encode", "-m", "llama-2", data=b"")[1] == b"1\n"


BAD = [
    (["encode", "-m", "llama-2", b"a\xffb"], b"byte offset 1"),
    (["encode", "-m", "llama-2", "--escapes", r"ab\ud800"], b"position 3"),
    (["encode", "-m", "llama-2", "--escapes", r"\q"], b"position 1"),
    (["encode", "-m", "lama-2", "x"], b"did you mean 'llama-2'?"),
    (["encode", "-m", "llama-2@tiktoken", "x"], b"it runs as: llama.cpp"),
    (["encode", "-m", "README.md", "x"], b"which no known format does"),
    (["encode", "-m", "explorer", "x"], b"folder"),
    (["decode", "-m", "llama-2", "32000"], b"ids are 0 to 31999"),
    (["decode", "-m", "llama-2", "one"], "“one” is not an id".encode()),
    (["decode", "-m", "llama-2", "--", "-1"], b"is negative"),
    (["encode", "-m", "gpt-2", "--pattern", "a(b", "x"], b"character 4 of the pattern: missing )"),
    (["encode", "-m", "gpt-2", "--pattern", "a", "--pattern-number", "2", "x"], b"pattern number 2 does not exist"),
    (["encode", "-m", "llama-2", "--pattern", "a", "x"], b"does not split by a pattern"),
    (["info", "-m", "gpt-2", "--choose", "pre"], b"is not KEY=VALUE"),
    (["info", "-m", "gpt-2", "--choose", "implementation=llama.cpp"], b"-m NAME@IMPLEMENTATION"),
    (["info", "-m", "gpt-2", "--choose", "spec=x"], b"is not KEY=VALUE"),
]


@pytest.mark.parametrize(("arguments", "says"), BAD)
def test_bad_input_is_one_clear_line_and_status_1(arguments: list[str | bytes], says: bytes) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (1, b"")
    assert says in err
    assert err.count(b"\n") == 1
    assert b"Traceback" not in err


def test_invalid_utf8_on_standard_input_names_its_offset() -> None:
    status, out, err = command("encode", "-m", "llama-2", data=b"ok \xe2\x96")
    assert (status, out) == (1, b"")
    assert b"standard input" in err
    assert b"offset 3" in err


@pytest.mark.parametrize(
    "arguments", [[], ["encode"], ["encode", "x"], ["nonsense"], ["encode", "-m", "llama-2", "--nope", "x"]]
)
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    status, out, err = command(*arguments)
    assert (status, out) == (2, b"")
    assert b"usage:" in err


def test_a_closed_pipe_is_not_an_error() -> None:
    line = f"{sys.executable} -m explorer trace -m llama-2 '{'word ' * 3000}' | head -1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, cwd=ROOT)
    assert done.stderr == b""


@pytest.mark.parametrize("ids", [b"[1, 1724,338]", b"tensor([[1, 1724]])", b"   1 -> '<s>'\n1724 -> ' What'\n"])
def test_ids_are_read_in_many_forms(ids: bytes) -> None:
    status, out, err = command("decode", "-m", "llama-2", data=ids)
    assert (status, out.startswith(b"What"), err) == (0, True, b"")


@pytest.mark.parametrize("nothing", [b"", b"[]", b"\n"])
def test_an_empty_list_of_ids_decodes_to_no_text(nothing: bytes) -> None:
    assert command("decode", "-m", "llama-2", data=nothing) == (0, b"\n", b"")


def test_the_documentation_names_every_command() -> None:
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    actions = [action for action in parser()._actions if action.choices]
    for name in actions[0].choices or ():
        assert f"explorer {name}" in page, f"docs/cli.md does not mention `python -m explorer {name}`"


def test_standard_input_can_be_replaced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é".encode())))
    assert run(capsys, "encode", "-m", "llama-2")[1] == "1 904\n"


@pytest.mark.parametrize("close", ["<&-", ">&-", ">/dev/full"])
def test_closed_and_full_outputs_are_one_line_errors(close: str) -> None:
    line = f"{sys.executable} -m explorer encode -m llama-2 --json {'' if '<' in close else 'é'} {close}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, cwd=ROOT)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


def test_output_is_utf8_whatever_the_terminal_says() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "encode", "-m", "llama-2", "--json", "é"],
        capture_output=True, cwd=ROOT, env=os.environ | {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert "▁é" in done.stdout.decode()


def test_an_invalid_file_name_is_not_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("x" * 5000, "a\0b"):
        status, _, err = run(capsys, "encode", "-m", name, "x")
        assert status == 1
        assert "gpt-2" in err  # the names that can be given


def test_control_characters_in_a_file_name_are_escaped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a\n\x1b[31m.json"
    path.write_bytes(b"{")
    status, _, err = run(capsys, "encode", "-m", str(path), "x")
    assert status == 1
    assert err.startswith(r"explorer: a\n\x1b[31m.json: ")
    assert err.count("\n") == 1


def test_a_path_can_name_its_implementation(capsys: pytest.CaptureFixture[str]) -> None:
    path = explorer.catalog()["llama-2"].path
    assert run(capsys, "encode", "-m", f"{path}@llama.cpp", "is")[1] == "1 338\n"
    assert run(capsys, "encode", "-m", f"{path}@rwkv", "is")[0] == 1
