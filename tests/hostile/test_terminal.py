"""Printed output never controls the terminal or forges a line, whatever files and tokens are called."""

from __future__ import annotations

import ast
import io
import json
import os
from contextlib import suppress
from pathlib import Path

import pytest

import explorer
from explorer.cli.commands import LONGEST
from explorer.cli.main import main
from tests.ui.small_files import tokenizer_json

EVIL = "\x1b[31mred\x07\n2: no error\x9b1m\u202eabc\x7f"
CLI = Path(explorer.__file__).parent / "cli"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tokenizer with terminal control sequences in its name, special token, vocabulary and settings."""
    added = [{"id": 6, "content": EVIL, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": True}]  # fmt: skip
    path = tmp_path / f"{EVIL}.json"
    prepend = {"type": "Prepend", "prepend": EVIL, EVIL: 1}
    path.write_bytes(tokenizer_json(added_tokens=added, normalizer=prepend, decoder={"type": "Fuse"}))
    return path


def test_only_one_module_prints() -> None:
    for path in CLI.glob("*.py"):
        if path.name != "shared.py":
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                assert not (isinstance(node, ast.Name) and node.id == "print"), path
                assert not (isinstance(node, ast.Attribute) and node.attr in ("write", "writelines")
                            and "std" in ast.unparse(node.value)), path  # fmt: skip


@pytest.mark.sample(2)
@pytest.mark.parametrize("command", [
    "info -m FILE", "encode -m FILE a", "trace -m FILE TEXT", "encode -m FILE@nothing a", "decode -m FILE 99",
    "compare -m FILE -m gpt-2 TEXT", "compare -m FILE -m gpt-2 --json TEXT", "info --json -m FILE",
    "trace --json -m FILE TEXT", "encode --json -m FILE TEXT", "decode --json -m FILE 6 6",
    "diff -m FILE -m gpt-2 LINES",
    "corpus -m FILE LINES", "corpus -m FILE FOLDER", "encode -m NOTHING a", "corpus -m gpt-2 NOTHING",
    "encode -m FILE --choose TEXT a", "encode -m FILE --pattern TEXT a", "info -m LINES",
    "compare -m gpt-2 -m FILE --expect 1,2 TEXT",
    "corpus -m FILE LINES --output OUT", "trace -m gpt-2 TEXT",
    "prompt -m qwen2.5 --template ours:chatml CHAT", "prompt -m qwen2.5 --template ours:chatml LINES",
])  # fmt: skip
def test_all_that_is_printed_is_printable(
    command: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{EVIL}.txt").write_bytes(EVIL.encode() * 2)
    chat = tmp_path / f"{EVIL}.chat"
    chat.write_text(json.dumps([{"role": "user", "content": f"{EVIL}<|im_end|>"}]))
    names = {"CHAT": str(chat), "FILE": str(file), "LINES": str(tmp_path / f"{EVIL}.txt"),
             "NOTHING": str(tmp_path / f"no {EVIL}"), "TEXT": EVIL, "FOLDER": str(tmp_path),
             "OUT": str(tmp_path / f"{EVIL}.json ")}  # fmt: skip
    words = []
    for word in command.split():
        for name, value in names.items():
            word = word.replace(name, value)
        words.append(word)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with suppress(SystemExit):
        main(words)
    shown = capsys.readouterr()
    assert shown.out or shown.err
    for said in (shown.out, shown.err):
        assert all(ch.isprintable() for ch in said.replace("\n", "")), said
        assert "\n2: no error" not in said


def test_wrong_usage_quotes_nothing_raw(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As when a shell expands `*` to such a file name."""
    with pytest.raises(SystemExit):
        main(["info", "-m", "gpt-2", file.name])
    assert "\x1b" not in capsys.readouterr().err


def test_json_is_the_same_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encode", "--json", "-m", "gpt-2", EVIL + "\U000e0001é"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["text"] == EVIL + "\U000e0001é"


def test_bytes_are_exact_in_a_pipe_and_escaped_on_a_terminal(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "\x1b[31m\u202eé\n\ta"
    ids = [str(id) for id in explorer.load("gpt-2").encode(text).ids]
    assert main(["decode", "-m", "gpt-2", *ids]) == 0
    assert capfdbinary.readouterr().out == text.encode() + b"\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert main(["decode", "-m", "gpt-2", *ids, "187"]) == 0
    assert capfdbinary.readouterr().out.decode() == "\\x1b[31m\\u202eé\n\ta\\xff\n"
    assert main(["compare", "-m", "gpt-2", "-m", "llama-2", "--csv", text]) == 1
    out = capfdbinary.readouterr().out.decode()
    assert all(ch.isprintable() for ch in out.replace("\n", "").replace("\t", ""))


def test_the_card_of_a_token_of_a_million_characters_is_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    added = [{"id": 6, "content": "x" * 1_000_000, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": True}]  # fmt: skip
    (tmp_path / "tokenizer.json").write_bytes(tokenizer_json(added_tokens=added))
    assert main(["info", "-m", os.fspath(tmp_path / "tokenizer.json")]) == 0
    out = capsys.readouterr().out
    assert len(out) < 50_000
    assert f"and {1_000_000 - LONGEST:,} more characters" in out
