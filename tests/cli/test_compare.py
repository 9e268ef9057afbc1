"""The commands `compare` and `diff`: standard output, standard error and exit status."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import explorer
from explorer.cli import commands, compare
from explorer.cli.main import main
from tests.bundled import bundled
from tests.cli.command import command, process
from tests.meaning import named

TWINS = ("-m", "qwen2.5", "-m", "qwen2.5@llama.cpp")


def is_ring(line: str) -> bool:
    """Whether a line says that Hugging Face alone composes A and its ring."""
    return (
        line.startswith("normalize, ") and "A + U+030A" in line and line.index("Hugging Face") < line.index("; llama")
    )


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opens each tokenizer once for all tests of a process."""

    def load(spec: str, **choices: str) -> explorer.Tokenizer:
        return explorer.load(spec, **choices) if choices else bundled(spec)

    monkeypatch.setattr(commands, "load", load)
    monkeypatch.setattr(compare, "load", load)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    status = main(arguments)
    shown = capsys.readouterr()
    return status, shown.out.splitlines(), shown.err


def test_a_difference_is_located_and_explained_with_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    status, (sentence, one, other, groups), errors = run(capsys, "compare", *TWINS, "A\u030a")
    assert (status, errors) == (1, "")
    assert is_ring(sentence)
    assert one.split()[:2] == ["Hugging", "Face"]
    assert named(one) == {"1", "2.00", "3.00", "1.00"}
    assert other.split()[0] == "llama.cpp"
    assert named(other) == {"3", "0.67", "1.00", "3.00"}
    assert groups.split()[:3] == ["1", "×", "normalize,"]


def test_equal_ids_are_reported_with_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "-m", "gpt-2", "-m", "gpt-2@llama.cpp", "What is LoRA?")
    assert (status, out[0].partition(":")[0], named(out[0])) == (0, "No difference", {"5"})
    status, out, _ = run(capsys, "compare", "-m", "gpt-2", "-m", "gpt-2", "")
    assert (status, len(out)) == (0, 3)
    assert "gpt-2 (1) and gpt-2 (2)" in out[0]
    for label, line in zip(("gpt-2 (1)", "gpt-2 (2)"), out[1:], strict=True):
        assert line.strip().startswith(label)
        assert named(line.partition(")")[2]) == {"0", "0.00"}


@pytest.mark.long
def test_standard_input_is_read_to_the_byte() -> None:
    for more in ((), ("-",)):
        status, out, err = process("compare", *TWINS, *more, data="A\u030a".encode())
        assert (status, is_ring(out.decode().splitlines()[0]), err) == (1, True, b"")


def test_options_and_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    llama3 = ("-m", "llama-3", "-m", "llama-3@llama.cpp")
    assert run(capsys, "compare", *llama3, "x")[1][0].startswith("post-process: Hugging Face")
    assert run(capsys, "compare", *llama3, "--no-add-special", "x")[0] == 0
    assert is_ring(run(capsys, "compare", *TWINS, "--escapes", r"A\u030a")[1][0])
    status, out, _ = run(capsys, "compare", *TWINS, "--no-parse-special", "<|fim_prefix|>")
    assert (status, out[0].partition(",")[0]) == (1, "partition")


def test_three_tokenizers_are_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "-m", "cl100k_base", "-m", "cl100k_base", "-m", "gpt-2", "12345678")
    assert status == 1
    assert out[0].startswith("pre-tokenize, ")
    assert named(out[0]) >= {"7", "456", "78"}
    assert out[1].startswith("No difference")
    assert "cl100k_base (1) and cl100k_base (2)" in out[1]


def test_expected_ids(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "-m", "llama-2", "--expect", "[1724, 338]", "What is")
    assert (status, named(out[0])) == (1, {"<s>", "1", "Add BOS/EOS"})
    assert run(capsys, "compare", "-m", "llama-2", "--expect", "tensor([1, 1724, 338])", "What is")[0] == 0
    status, stdout, _ = command("compare", "-m", "gpt-2", "What is", "--expect", "-", data=b"2061\n318\n")
    assert (status, stdout.partition(b":")[0]) == (0, b"No difference")


def test_a_difference_without_characters_shows_its_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "compare", "-m", "gpt-2", "-m", "bert-uncased", "")[1]
    assert out[0].startswith("post-process: gpt-2 ")
    assert named(out[0]) == {"[CLS]", "101"}
    assert out[-1].split()[:3] == ["2", "×", "post-process,"]


def test_each_explanation_names_its_tokenizer(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("compare", "-m", "llama-2", "-m", "mistral-v1", "--expect", "[1724, 338]", "What is")
    out = run(capsys, *arguments)[1]
    asked = [line for line in out if line.startswith(("llama-2: ", "mistral-v1: "))]
    assert [line.partition(":")[0] for line in asked] == ["llama-2", "mistral-v1"]
    record = json.loads(run(capsys, *arguments, "--json")[1][0])
    assert [each["tokenizer"] for each in record["expected"]] == ["llama-2", "mistral-v1"]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", *TWINS, "--json", "--expect", "[1, 2]", "A\u030a")
    record = json.loads(out[0])
    assert (status, record["same"], is_ring(record["first"])) == (1, False, True)
    (comparison,) = record["comparisons"]
    first = comparison["first"]
    assert (first["stage"], first["kind"], first["region"], first["spot"]) == (
        "normalize", "composition", [0, 2], [0, 2]
    )  # fmt: skip
    assert first["left"] == {
        "stage": 1,
        "event": 3,
        "text": "Å",
        "points": ["U+00C5 LATIN CAPITAL LETTER A WITH RING ABOVE"],
        "does": first["left"]["does"],
        "ids": [144044],
    }
    assert [row["ids"] for row in record["alignment"]["rows"]] == [[144044], [32, 136, 232]]
    assert record["alignment"]["rows"][1]["cells"][1] == {
        "start": 1, "end": 2, "kind": "text", "ringed": True, "tokens": [1, 2]
    }  # fmt: skip
    assert [each["reason"] for each in record["expected"]] == ["another text", "another text"]


def test_csv_and_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", "-m", "llama-2", "-m", "gpt-2", "--csv", '=1, "x"'])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows[0][:10] == ["tokenizer", "token", "id", "piece", "bytes", "from", "start", "end", "text", "ringed"]
    assert rows[1][:10] == ["llama-2", "0", "1", "<s>", "3C 73 3E", "added", "0", "0", "", "True"]
    assert ["gpt-2", "3", "366", 'Ġ"', "20 22", "text", "3", "5", ' "', "False"] in [row[:10] for row in rows]
    status, out, _ = run(capsys, "compare", *TWINS, "--markdown", "--baseline", "2", "A\u030a |")
    assert status == 1
    assert out[0].startswith("normalize, ")
    assert "| tokenizer | tokens | characters per token | bytes per token | relative to llama.cpp |" in out
    assert "| Hugging Face | 2 | 2.00 | 2.50 | 0.50 |" in out


def test_a_pattern_applies_to_every_tokenizer_and_a_single_one_is_compared_with_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, "compare", "-m", "gpt-2", "--pattern", r"\w+|\W", "it is")
    assert status == 1
    assert out[0].startswith("pre-tokenize, ")
    assert named(out[0]) >= {"4", "␣is", "␣", "is"}
    assert "gpt-2 with the pattern" in out[0]
    assert run(capsys, "compare", "-m", "gpt-2", "-m", "gpt-2", "--pattern", ".", "it is")[0] == 0
    twins = ("-m", "gpt-2", "-m", "gpt-2@llama.cpp", "--pattern", ".", "--json")
    record = json.loads(run(capsys, "compare", *twins, "it is")[1][0])
    assert [row["ids"] for row in record["alignment"]["rows"]] == [[72, 83, 220, 72, 82]] * 2
    assert run(capsys, "compare", "-m", "gpt-2", "--pattern", ".", "--expect", "[72, 83]", "it")[0] == 0
    status, _, err = run(capsys, "compare", "-m", "gpt-2", "-m", "llama-2", "--pattern", ".", "it")
    assert status == 2
    assert "llama-2" in err


def test_diff_takes_a_pattern_and_reads_escapes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("plain\nA\\u030a\n")
    assert run(capsys, "diff", *TWINS, str(file))[0] == 0
    status, out, _ = run(capsys, "diff", *TWINS, "--escapes", str(file))
    assert (status, is_ring(out[0])) == (1, True)
    assert out[-1] == f"  {file}:2: {out[0]}"
    file.write_text("one\nit is\n")
    status, out, _ = run(capsys, "diff", "-m", "gpt-2", "--pattern", r"\w+|\W", str(file))
    assert (status, named(out[1])) == (1, {"1", "2"})
    assert "gpt-2 and gpt-2 with the pattern" in out[1]
    file.write_text("ok\n\\q\n")
    status, _, err = run(capsys, "diff", *TWINS, "--escapes", str(file))
    assert status == 2
    assert f"{file}: line 2: position 1" in err


USAGE = [
    ["compare"],
    ["compare", "-m", "gpt-2", "x"],
    ["compare", *["-m", "gpt-2"] * 7, "x"],
    ["compare", *TWINS, "--json", "--csv", "x"],
    ["compare", *TWINS, "--baseline", "3", "x"],
    ["compare", "-m", "gpt-2", "--expect", "-", "-"],
    ["diff", "-m", "gpt-2", "x"],
    ["diff", *TWINS],
    ["diff", *TWINS, "-m", "gpt-2", "x"],
]


@pytest.mark.parametrize("arguments", USAGE)
def test_wrong_usage_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage:" in capsys.readouterr().err


BAD = [
    (["compare", "-m", "nope", "-m", "gpt-2", "x"], "'nope'"),
    (["compare", *TWINS, "--choose", "pre", "x"], "KEY=VALUE"),
    (["compare", "-m", "gpt-2", "--expect", "one", "x"], "“one”"),
    (["compare", "-m", "gpt-2", "--expect", "", "x"], "no ids"),
    (["compare", *TWINS, "--escapes", r"\q"], "position 1"),
    (["diff", *TWINS, "no such file"], "no such file: "),
    (["diff", *TWINS, "explorer"], "explorer: explorer: "),
    (["diff", *TWINS, "a\0b"], "a\\x00b: "),
]


@pytest.mark.parametrize(("arguments", "says"), BAD)
def test_bad_input_is_one_line_and_status_2(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, [])
    assert says in err
    assert err.count("\n") == 1


def test_a_missing_choice_is_asked_for(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A ranks file does not name its pattern."""
    ranks = tmp_path / "mine.tiktoken"
    lines = explorer.catalog()["cl100k_base"].path.read_bytes().splitlines(keepends=True)
    ranks.write_bytes(b"".join(lines[:1000]))
    both = ("-m", str(ranks), "-m", str(ranks))
    status, out, err = run(capsys, "compare", *both, "1234")
    assert (status, out) == (2, [])
    assert "Use --choose " in err
    key = err.partition("--choose ")[2].partition("=")[0]
    status, out, _ = run(capsys, "compare", *both, "--choose", f"{key}=cl100k_base", "1234")
    assert (status, out[0].partition(":")[0]) == (0, "No difference")


def test_diff_groups_the_lines_that_differ(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_bytes("plain\nA\u030a and e\u0301\r\nx</s>\n".encode())
    other.write_bytes("e\u0301".encode())
    status, out, err = run(capsys, "diff", *TWINS, str(one), str(other))
    assert (status, err) == (1, "")
    assert out[0].startswith("partition, ")
    assert named(out[0]) >= {"2", "5", "</s>"}
    assert named(out[1]) == {"3", "4"}
    assert "qwen2.5@huggingface and qwen2.5@llama.cpp" in out[1]
    assert "normalize" in out[4]
    assert named(out[4]) == {"2", "3"}
    ring, acute = out[5:]
    assert is_ring(ring.removeprefix(f"  {one}:2: "))
    assert acute.startswith(f"  {other}:1: normalize, ")
    assert "e + U+0301" in acute
    status, out, _ = run(capsys, "diff", *TWINS, "--json", str(one))
    record = json.loads(out[0])
    assert (status, record["lines"], record["differing"]) == (1, 3, 2)
    assert record["tokenizers"] == ["qwen2.5@huggingface", "qwen2.5@llama.cpp"]
    assert record["labels"] == ["Hugging Face", "llama.cpp"]
    assert [(group["stage"], group["kind"], group["lines"]) for group in record["groups"]] == [
        ("partition", "special token", 1), ("normalize", "composition", 1)
    ]  # fmt: skip
    assert record["groups"][1]["examples"][0]["line"] == 2


@pytest.mark.long
def test_diff_of_equal_lines_and_of_standard_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "same.txt"
    file.write_text("What is LoRA?\n" * 3)
    status, (same,), _ = run(capsys, "diff", *TWINS, str(file))
    assert (status, same.partition(":")[0], "3" in named(same)) == (0, "No difference", True)
    status, out, _ = process("diff", *TWINS, "-", data="A\u030a\n".encode())
    assert (status, is_ring(out.decode().splitlines()[0])) == (1, True)
    status, out, err = process("diff", *TWINS, "-", data=b"ok\nno\xff\n")
    assert (status, out) == (2, b"")
    assert b"standard input: line 2: byte offset 2" in err
