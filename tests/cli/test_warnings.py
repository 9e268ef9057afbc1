"""Warnings on standard error, each printed once: the card's and a doubled BOS. Standard output doesn't change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.cli.main import main
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.test_bpe import metadata
from tests.meaning import named
from tests.ui.small_files import MERGES_TXT, VOCAB_JSON, tokenizer_json


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, list[str]]:
    capsys.readouterr()
    status = main([str(each) for each in arguments])
    shown = capsys.readouterr()
    return status, shown.out, shown.err.splitlines()


@pytest.fixture
def unnamed(tmp_path: Path) -> Path:
    """A GGUF that names no pre-tokenizer and no BOS; llama.cpp's default BOS is an ordinary piece here."""
    keys = metadata(**{"tokenizer.ggml.add_bos_token": True})
    path = tmp_path / "old.gguf"
    path.write_bytes(written({key: value for key, value in keys.items() if key != "tokenizer.ggml.pre"}))
    return path


@pytest.mark.parametrize("command", ["encode", "trace"])
def test_warnings_of_the_card_are_printed(capsys: pytest.CaptureFixture[str], unnamed: Path, command: str) -> None:
    status, out, said = run(capsys, command, "-m", unnamed, "ab")
    assert status == 0
    assert "warning" not in out
    assert out.splitlines()[-1].split() == [str(id) for id in explorer_ids(unnamed)]
    no_pre_tokenizer, ordinary_bos = said
    assert all(line.startswith("explorer: warning: old.gguf (llama.cpp): ") for line in said)
    assert "pre-tokenizer" in no_pre_tokenizer
    assert "BOS" in ordinary_bos
    assert named(ordinary_bos) >= {"ċ", "11"}


def explorer_ids(path: Path) -> list[int]:
    import explorer

    return explorer.load(path).encode("ab").ids


def test_json_has_warnings_only_in_its_provenance(capsys: pytest.CaptureFixture[str], unnamed: Path) -> None:
    status, out, said = run(capsys, "encode", "--json", "-m", unnamed, "ab")
    warnings = json.loads(out)["provenance"]["tokenizers"][0]["warnings"]
    assert status == 0
    assert [f"explorer: warning: old.gguf (llama.cpp): {warning}" for warning in warnings] == said
    assert (
        json.loads(run(capsys, "encode", "--json", "-m", "gpt-2", "ab")[1])["provenance"]["tokenizers"][0]["warnings"]
        == []
    )


def test_several_lines_warn_once(capsys: pytest.CaptureFixture[str], unnamed: Path) -> None:
    assert len(run(capsys, "encode", "--lines", "-m", unnamed, "ab\nab\nab")[2]) == 2
    status, out, said = run(capsys, "encode", "--lines", "-m", "llama-2", "a\n<s>b\n<s>c")
    assert (status, len(out.splitlines())) == (0, 3)
    (warning,) = said
    assert warning.startswith("explorer: warning: TEXT: line 2: llama-2: <s> (1) ")


def test_compare_warns_once_per_tokenizer_and_keeps_its_status(
    capsys: pytest.CaptureFixture[str], unnamed: Path
) -> None:
    for arguments, status in (((unnamed, unnamed), 0), (("gpt-2", unnamed), 1)):
        found, out, said = run(capsys, "compare", "-m", arguments[0], "-m", arguments[1], "ab")
        assert found == status
        assert "warning" not in out
        assert len(said) == 2
        assert all(line.startswith("explorer: warning: old.gguf (llama.cpp): ") for line in said)
    assert len(run(capsys, "compare", "--csv", "-m", "gpt-2", "-m", unnamed, "ab")[2]) == 2


@pytest.mark.parametrize("command", ["encode", "trace", "compare"])
def test_a_doubled_bos_is_a_warning(capsys: pytest.CaptureFixture[str], command: str) -> None:
    other = ("-m", "gpt-2") if command == "compare" else ()
    said = run(capsys, command, "-m", "llama-2", *other, "<s>Hi")[2]
    assert [line.partition(": warning: ")[2].partition(":")[0] for line in said] == ["llama-2"]
    assert "<s> (1)" in said[0]
    for harmless in (("--no-add-special", "<s>Hi"), ("--no-parse-special", "<s>Hi"), ("Hi",), ("Hi<s>",)):
        assert run(capsys, command, "-m", "llama-2", *other, *harmless)[2] == []


def test_eos_counts_too_and_padding_does_not_hide_it(capsys: pytest.CaptureFixture[str]) -> None:
    for choice in ("no", "yes"):
        said = run(capsys, "encode", "-m", "bert-uncased", "--choose", f"pad_and_truncate={choice}", "[CLS] hi [SEP]")[
            2
        ]
        assert [name for line in said for name in ("[CLS] (101)", "[SEP] (102)") if name in line] == [
            "[CLS] (101)", "[SEP] (102)",
        ]  # fmt: skip
        assert ("padding" in " ".join(said)) == (choice == "no")


def test_an_assumed_pattern_is_a_warning(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_bytes(VOCAB_JSON)
    (tmp_path / "merges.txt").write_bytes(MERGES_TXT)
    said = run(capsys, "encode", "-m", tmp_path / "vocab.json", "ab")[2]
    assert any("pattern=" in line for line in said)
    chosen = run(capsys, "encode", "-m", tmp_path / "vocab.json", "--choose", "pattern=gpt-2", "ab")[2]
    assert not any("pattern=" in line for line in chosen)


def test_control_characters_of_a_file_never_reach_the_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    hostile = {"type": "Split", "pattern": {"Regex": "\x1b[31m"}, "behavior": "Removed", "invert": False}
    path = tmp_path / "a\x1b[31m.json"
    path.write_bytes(tokenizer_json(padding={
        "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0,
        "pad_token": "\x1b[2J\n",
    }, pre_tokenizer=hostile))  # fmt: skip
    said = run(capsys, "encode", "-m", path, "ab")[2]
    assert said
    assert all("\x1b" not in line and line.isprintable() for line in said)


@pytest.mark.parametrize("command", ["corpus", "roundtrip"])
def test_commands_over_files_warn_once_per_tokenizer(
    capsys: pytest.CaptureFixture[str], unnamed: Path, tmp_path: Path, command: str
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("ab\nba\n")
    warned = run(capsys, "encode", "-m", unnamed, "ab")[2]
    assert len(warned) == 2
    _, out, said = run(capsys, command, "-m", unnamed, text)
    assert [line for line in said if "warning" in line] == warned
    assert "warning" not in out
    assert [line for line in run(capsys, command, "-m", "gpt-2", text)[2] if "warning" in line] == []
