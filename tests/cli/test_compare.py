"""The commands `compare` and `diff`: standard output, standard error and exit status."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import explorer
from explorer.cli import compare
from explorer.cli.main import main
from tests.bundled import bundled

ROOT = Path(explorer.__file__).parent.parent
TWINS = ("-m", "qwen2.5", "-m", "qwen2.5@llama.cpp")
RING = "normalize, characters 1 to 2: Hugging Face composes A + U+030A to Å (NFC); llama.cpp leaves two code points."


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opens each tokenizer once for all tests of a process."""

    def load(spec: str, **choices: str) -> explorer.Tokenizer:
        return explorer.load(spec, **choices) if choices else bundled(spec)

    monkeypatch.setattr(compare, "load", load)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], str]:
    status = main(arguments)
    shown = capsys.readouterr()
    return status, shown.out.splitlines(), shown.err


def process(*arguments: str, data: bytes = b"") -> tuple[int, bytes, bytes]:
    done = subprocess.run([sys.executable, "-m", "explorer", *arguments], input=data, capture_output=True, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def test_a_difference_is_located_and_explained_with_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", *TWINS, "A\u030a") == (
        1,
        [
            RING,
            "  Hugging Face     1 token     2.00 characters    3.00 bytes a token  ×1.00",
            "  llama.cpp        3 tokens    0.67 characters    1.00 bytes a token  ×3.00",
            "     1 × normalize, composition: A\u030a",
        ],
        "",
    )


def test_equal_ids_are_reported_with_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "-m", "gpt-2", "-m", "gpt-2@llama.cpp", "What is LoRA?")
    assert (status, out[0]) == (0, "No difference: Hugging Face and llama.cpp give the same 5 ids.")
    assert run(capsys, "compare", "-m", "gpt-2", "-m", "gpt-2", "")[:2] == (0, [
        "No difference: gpt-2 (1) and gpt-2 (2) give the same 0 ids.",
        "  gpt-2 (1)     0 tokens    0.00 characters    0.00 bytes a token",
        "  gpt-2 (2)     0 tokens    0.00 characters    0.00 bytes a token",
    ])  # fmt: skip


@pytest.mark.long
def test_standard_input_is_read_to_the_byte() -> None:
    for more in ((), ("-",)):
        status, out, err = process("compare", *TWINS, *more, data="A\u030a".encode())
        assert (status, out.decode().splitlines()[0], err) == (1, RING, b"")


def test_options_and_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    llama3 = ("-m", "llama-3", "-m", "llama-3@llama.cpp")
    assert run(capsys, "compare", *llama3, "x")[1][0].startswith("post-process: Hugging Face adds nothing at the start")
    assert run(capsys, "compare", *llama3, "--no-add-special", "x")[0] == 0
    assert run(capsys, "compare", *TWINS, "--escapes", r"A\u030a")[1][0] == RING
    status, out, _ = run(capsys, "compare", *TWINS, "--no-parse-special", "<|fim_prefix|>")
    assert (status, out[0].partition(",")[0]) == (1, "partition")


def test_three_tokenizers_are_compared_with_the_first(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "-m", "cl100k_base", "-m", "cl100k_base", "-m", "gpt-2", "12345678")
    assert status == 1
    assert out[0].startswith("pre-tokenize, before character 7: cl100k_base (1) cuts “456” | “78”")
    assert out[1] == "No difference: cl100k_base (1) and cl100k_base (2) give the same 3 ids."


def test_expected_ids(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", "-m", "llama-2", "--expect", "[1724, 338]", "What is")
    assert (status, out[0]) == (
        1, "The expected ids lack “<s>” (1) at the start; without the option “add special” they are what llama-2 gives."
    )  # fmt: skip
    assert run(capsys, "compare", "-m", "llama-2", "--expect", "tensor([1, 1724, 338])", "What is")[0] == 0
    status, stdout, _ = process("compare", "-m", "gpt-2", "What is", "--expect", "-", data=b"2061\n318\n")
    assert (status, stdout.splitlines()[0]) == (0, b"No difference: the expected ids are the 2 that gpt-2 gives.")


def test_a_difference_without_characters_shows_its_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "compare", "-m", "gpt-2", "-m", "bert-uncased", "")[1]
    assert out[0] == "post-process: gpt-2 adds nothing at the start; bert-uncased adds “[CLS]” (101) at the start."
    assert out[-1] == "     2 × post-process, added tokens: [CLS]"


def test_each_explanation_names_its_tokenizer(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("compare", "-m", "llama-2", "-m", "mistral-v1", "--expect", "[1724, 338]", "What is")
    out = run(capsys, *arguments)[1]
    asked = [line for line in out if ": The expected ids" in line]
    assert [line.partition(":")[0] for line in asked] == ["llama-2", "mistral-v1"]
    record = json.loads(run(capsys, *arguments, "--json")[1][0])
    assert [each["tokenizer"] for each in record["expected"]] == ["llama-2", "mistral-v1"]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "compare", *TWINS, "--json", "--expect", "[1, 2]", "A\u030a")
    record = json.loads(out[0])
    assert (status, record["same"], record["first"]) == (1, False, RING)
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
        "does": "composes A + U+030A to Å (NFC)",
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
    assert out[0].startswith("normalize, characters 1 to 2: Hugging Face composes A + U+030A")
    assert "| tokenizer | tokens | characters per token | bytes per token | relative to llama.cpp |" in out
    assert "| Hugging Face | 2 | 2.00 | 2.50 | 0.50 |" in out


def test_a_pattern_applies_to_every_tokenizer_and_a_single_one_is_compared_with_itself(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, "compare", "-m", "gpt-2", "--pattern", r"\w+|\W", "it is")
    assert status == 1
    assert out[0].startswith("pre-tokenize, before character 4: gpt-2 takes “␣is” as one pre-token")
    assert "gpt-2 with the pattern cuts “␣” | “is”" in out[0]
    assert run(capsys, "compare", "-m", "gpt-2", "-m", "gpt-2", "--pattern", ".", "it is")[0] == 0
    twins = ("-m", "gpt-2", "-m", "gpt-2@llama.cpp", "--pattern", ".", "--json")
    record = json.loads(run(capsys, "compare", *twins, "it is")[1][0])
    assert [row["ids"] for row in record["alignment"]["rows"]] == [[72, 83, 220, 72, 82]] * 2
    assert run(capsys, "compare", "-m", "gpt-2", "--pattern", ".", "--expect", "[72, 83]", "it")[0] == 0
    status, _, err = run(capsys, "compare", "-m", "gpt-2", "-m", "llama-2", "--pattern", ".", "it")
    assert status == 2
    assert "llama-2 does not split by a pattern" in err


def test_diff_takes_a_pattern_and_reads_escapes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("plain\nA\\u030a\n")
    assert run(capsys, "diff", *TWINS, str(file))[0] == 0
    status, out, _ = run(capsys, "diff", *TWINS, "--escapes", str(file))
    assert (status, out[0]) == (1, RING)
    assert out[-1] == f"  {file}:2: {RING}"
    file.write_text("one\nit is\n")
    status, out, _ = run(capsys, "diff", "-m", "gpt-2", "--pattern", r"\w+|\W", str(file))
    assert (status, out[1]) == (
        1,
        "1 of 2 lines differ between gpt-2 and gpt-2 with the pattern.",
    )
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
    (["compare", "-m", "nope", "-m", "gpt-2", "x"], "neither a bundled model nor a file"),
    (["compare", *TWINS, "--choose", "pre", "x"], "is not KEY=VALUE"),
    (["compare", "-m", "gpt-2", "--expect", "one", "x"], "“one” is not an id"),
    (["compare", "-m", "gpt-2", "--expect", "", "x"], "no ids"),
    (["compare", *TWINS, "--escapes", r"\q"], "position 1"),
    (["diff", *TWINS, "no such file"], "no such file: cannot be read"),
    (["diff", *TWINS, "explorer"], "explorer: cannot be read"),
    (["diff", *TWINS, "a\0b"], "cannot be read"),
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
    assert out[0].startswith("partition, characters 2 to 5: Hugging Face leaves “</s>” as text; llama.cpp takes")
    assert out[1] == "3 of 4 lines differ between qwen2.5@huggingface and qwen2.5@llama.cpp."
    assert out[4].startswith("2 lines, 3 regions: normalize, composition. One side composes")
    assert out[5:] == [
        f"  {one}:2: {RING}",
        f"  {other}:1: normalize, characters 1 to 2: Hugging Face composes e + U+0301 to é (NFC); llama.cpp leaves two "
        "code points.",
    ]
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
    assert run(capsys, "diff", *TWINS, str(file))[:2] == (
        0, ["No difference: qwen2.5@huggingface and qwen2.5@llama.cpp give the same ids on 3 lines."]
    )  # fmt: skip
    status, out, _ = process("diff", *TWINS, "-", data="A\u030a\n".encode())
    assert (status, out.decode().splitlines()[0]) == (1, RING)
    status, out, err = process("diff", *TWINS, "-", data=b"ok\nno\xff\n")
    assert (status, out) == (2, b"")
    assert b"standard input: line 2: byte offset 2" in err
