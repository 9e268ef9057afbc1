"""All output of commands states its provenance: text, models, implementations, files, options, pattern, version."""

from __future__ import annotations

import csv
import io
import json
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.cli import commands, compare
from explorer.cli.main import main
from explorer.cli.parser import parser
from explorer.engine.tokenizer import Tokenizer
from explorer.implementations.opened import with_pattern
from tests.bundled import bundled
from tests.exports.fields import hold

TEXT = 'A\u030a "q", a|b\n`is` <s>,=1\r\n '
PLAIN: dict[str, Any] = {"add_special": True, "parse_special": True}
NEITHER: dict[str, Any] = {"add_special": False, "parse_special": False}
OFF = ("--no-add-special", "--no-parse-special")
TWINS = ("-m", "qwen2.5", "-m", "qwen2.5@llama.cpp")

TESTED = {
    "encode": {"--json"}, "trace": {"--json"}, "decode": {"--json"}, "info": {"--json"}, "models": {"--json"},
    "compare": {"--json", "--csv", "--markdown"}, "diff": {"--json"}, "roundtrip": {"--json"}, "why": {"--json"},
    "boundary": {"--json"},
    "quiz": {"--json", "--csv"}, "stream": {"--json"}, "sample": {"--json"}, "nbest": {"--json"},
    "prompt": {"--json"},
    "corpus": {"--json", "--output", "--write"},
    "train": {"--output"}, "edit": {"--output"}, "save": {"--output"},
    "trim": {"--output"}, "extend": {"--output"},  # in tests/editing
    "vocab find": {"--json"}, "vocab show": {"--json"}, "vocab check": {"--json"}, "vocab diff": {"--json"},
    "vocab export": {"--format"},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process opens its tokenizers once; the tests of one process share them."""

    def load(spec: str, **choices: str) -> Tokenizer:
        return explorer.load(spec, **choices) if choices else bundled(spec)

    monkeypatch.setattr(commands, "load", load)
    monkeypatch.setattr(compare, "load", load)


def test_every_form_of_every_command_is_tested_here() -> None:
    forms = {"--json", "--csv", "--markdown", "--output", "--write", "--html", "--tsv", "--format"}
    found = {
        name: {option for action in made._actions for option in action.option_strings} & forms
        for name, made in parts(parser(), "")
    }
    assert {name: options for name, options in found.items() if options} == TESTED


def test_a_prompt_is_exported_with_its_provenance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"role": "user", "content": "What is LoRA?"}]))
    found = json.loads(printed(capsys, "prompt", "-m", "qwen2.5", "--template", "ours:chatml", str(chat), "--json"))
    text = found["provenance"]["text"]
    assert text == "<|im_start|>user\nWhat is LoRA?<|im_end|>\n<|im_start|>assistant\n"
    assert found["ids"] == bundled("qwen2.5").encode(text, add_special=False).ids
    assert found["provenance"]["tokenizers"][0]["files"]


def test_a_saved_page_says_what_made_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    printed(capsys, "save", "-m", "llama-2", TEXT, "--stage", "model", "--output", str(out))
    block = out.read_text("utf-8").partition('<script type="application/json" id="page">')[2].partition("</script>")[0]
    made = json.loads(block)["made"]
    (file,) = bundled("llama-2").origin.files
    assert ["Program", f"tokenizer-explorer {explorer.__version__}"] in made
    assert any(name == "File" and file.sha256 in value for name, value in made)
    assert any(name == "Text" and sha256(TEXT.encode()).hexdigest() in value for name, value in made)


def parts(made: ArgumentParser, name: str) -> Iterator[tuple[str, ArgumentParser]]:
    """A parser and those of its commands."""
    yield name, made
    for action in made._actions:
        if isinstance(action, _SubParsersAction):
            for each, inner in action.choices.items():
                yield from parts(inner, f"{name} {each}".strip())


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(arguments)
    shown = capsys.readouterr()
    assert not shown.err
    return shown.out


@pytest.mark.parametrize("command", ["encode", "trace"])
def test_one_tokenizer(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    hold("json", printed(capsys, command, "-m", "llama-2", "--json", TEXT), [bundled("llama-2")], TEXT, PLAIN)
    pattern = r"\w|\W "
    written = printed(capsys, command, "-m", "gpt-2", "--json", *OFF, "--pattern", pattern, "--escapes", r"a\n")
    hold("json", written, [with_pattern(bundled("gpt-2"), pattern)], "a\n", NEITHER)
    written = printed(capsys, command, "-m", "gpt-2@llama.cpp", "--json", "")
    hold("json", written, [bundled("gpt-2@llama.cpp")], "", PLAIN)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_quiz(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["quiz", "-m", "gpt-2", "--text", TEXT, "--count", "2", "--answers"]
    hold(form, printed(capsys, *asked, f"--{form}"), [bundled("gpt-2")], None, PLAIN)


def test_stream(capsys: pytest.CaptureFixture[str]) -> None:
    written = printed(capsys, "stream", "-m", "llama-2", "--json", "--text", "é 🤗")
    hold("json", written, [bundled("llama-2")], None, {})
    found, ids = json.loads(written), bundled("llama-2").encode("é 🤗", add_special=False).ids
    assert [each["id"] for each in found["ids"]] == ids
    assert {name: each["text"] for name, each in found["methods"].items()}["whole"] == found["text"] == "é 🤗"
    held = [each["held"] for each in found["methods"]["tokenizers"]["steps"]]
    assert held[-4:] == ["f0", "f09f", "f09fa4", ""]


def test_samples(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["-m", "xlm-r", "--json", "able"]
    one = printed(capsys, "sample", "--seed", "7", *asked)
    hold("json", one, [bundled("xlm-r")], "able", PLAIN)
    found = json.loads(one)
    assert found["ids"] == explorer.sample(bundled("xlm-r"), "able", 0.1, 7).ids
    assert len(found["drawn"][0]["choices"]) == len(found["ids"]) - 2
    many = printed(capsys, "sample", "--count", "30", *OFF, *asked)
    hold("json", many, [bundled("xlm-r")], "able", NEITHER)
    assert sum(way["times"] for way in json.loads(many)["ways"]) == 30
    best = printed(capsys, "nbest", "-n", "3", *asked)
    hold("json", best, [bundled("xlm-r")], "able", PLAIN)
    assert json.loads(best)["candidates"][0]["ids"] == bundled("xlm-r").encode("able").ids


@pytest.mark.parametrize("at", ["0", "2", "6"])
def test_why(at: str, capsys: pytest.CaptureFixture[str]) -> None:
    written = printed(capsys, "why", "-m", "llama-2", "--json", "--at", at, TEXT)
    hold("json", written, [bundled("llama-2")], TEXT, PLAIN)
    pattern = r"\w|\W "
    written = printed(capsys, "why", "-m", "gpt-2", "--json", *OFF, "--pattern", pattern, "--at", at, TEXT)
    hold("json", written, [with_pattern(bundled("gpt-2"), pattern)], TEXT, NEITHER)


def test_choices_for_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    path = explorer.catalog()["cl100k_base"].path
    tok = explorer.load(path, pattern="cl100k_base")
    written = printed(capsys, "encode", "-m", str(path), "--choose", "pattern=cl100k_base", "--json", "hi")
    hold("json", written, [tok], "hi", PLAIN)
    assert json.loads(written)["provenance"]["tokenizers"][0]["choices"] == {"pattern": "cl100k_base"}


def test_exports_without_a_text(capsys: pytest.CaptureFixture[str]) -> None:
    hold("json", printed(capsys, "info", "-m", "gpt-2", "--json"), [bundled("gpt-2")], None, {})
    written = printed(capsys, "decode", "-m", "llama-2", "--keep-special", "--json", "1", "243")
    hold("json", written, [bundled("llama-2")], None, {})
    assert json.loads(written)["decode_options"] == {"remove_special": False, "unparse_special": True}
    written = printed(capsys, "models", "--json")
    hold("json", written, [], None, {})
    models = json.loads(written)["models"]
    assert {name: (each["sha256"], each["tokens"]) for name, each in models.items()} == {
        name: (model.sha256, len(bundled(name).vocabulary)) for name, model in explorer.catalog().items()
    }


@pytest.mark.parametrize("form", ["json", "csv", "md"])
@pytest.mark.parametrize("expect", [(), ("--expect", "[5, 999999, 7]")])
def test_compare(form: str, expect: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    option = {"json": "--json", "csv": "--csv", "md": "--markdown"}[form]
    both = [bundled("qwen2.5"), bundled("qwen2.5@llama.cpp")]
    hold(form, printed(capsys, "compare", *TWINS, option, *expect, TEXT), both, TEXT, PLAIN)
    hold(form, printed(capsys, "compare", *TWINS, option, *OFF, *expect, ""), both, "", NEITHER)
    if expect:
        written = printed(capsys, "compare", "-m", "gpt-2", option, *expect, TEXT)
        hold(form, written, [bundled("gpt-2")], TEXT, PLAIN)


def test_the_verdict_is_in_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict that the command prints is in each form."""
    for arguments in (
        ("-m", "llama-2", "--expect", "[1724, 338]", "What is"),
        ("-m", "llama-2", "-m", "mistral-v1", "--expect", "[1724, 338]", "What is"),
        (*TWINS, "A\u030a"),
        ("-m", "gpt-2", "--expect", "[2061, 318]", "What is"),
    ):
        main(["compare", *arguments])
        first = capsys.readouterr().out.splitlines()[0]
        sentence = first.removeprefix("llama-2: ")
        rows = list(csv.DictReader(io.StringIO(printed(capsys, "compare", *arguments, "--csv"), newline="")))
        assert any(sentence in row["verdict"] for row in rows)
        assert json.loads(printed(capsys, "compare", *arguments, "--json"))["first"] == first
        plain = printed(capsys, "compare", *arguments, "--markdown").replace("\\", "")
        assert sentence in plain


def test_diff(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    names, data = [tmp_path / "a.txt", tmp_path / "b.txt"], [b"plain\nA\xcc\x8a\r\n", b""]
    for name, each in zip(names, data, strict=True):
        name.write_bytes(each)
    written = printed(capsys, "diff", *TWINS, "--json", *OFF, *map(str, names))
    hold("json", written, [bundled("qwen2.5"), bundled("qwen2.5@llama.cpp")], None, NEITHER)
    assert json.loads(written)["inputs"] == [
        {"name": str(name), "bytes": len(each), "sha256": sha256(each).hexdigest()}
        for name, each in zip(names, data, strict=True)
    ]


def test_roundtrip(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Lines that do not come back come first, then the totals with their provenance."""
    file = tmp_path / "a.txt"
    file.write_bytes(b"plain\nA\xcc\x8a")
    *lines, totals = printed(capsys, "roundtrip", "-m", "qwen2.5", "--json", *OFF, str(file)).splitlines()
    hold("json", totals, [bundled("qwen2.5")], None, NEITHER)
    digest = sha256(file.read_bytes()).hexdigest()
    assert json.loads(totals)["inputs"] == [{"name": str(file), "bytes": 9, "sha256": digest}]
    assert [json.loads(line)["line"] for line in lines] == [2]


def test_roundtrip_of_ids(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"[464, 318]\n[5450, 25, 1003]\n")
    *lines, totals = printed(capsys, "roundtrip", "-m", "gpt-2", "--json", "--ids", str(file)).splitlines()
    hold("json", totals, [bundled("gpt-2")], None, {})
    assert json.loads(totals)["inputs"][0]["sha256"] == sha256(file.read_bytes()).hexdigest()
    assert [json.loads(line)["line"] for line in lines] == [2]


def test_boundary(capsys: pytest.CaptureFixture[str]) -> None:
    """Every form of the command has a text, if it asks about one, and no added tokens."""
    text, options = "https://a b ", {"add_special": False, "parse_special": False}
    both = [bundled("gpt-2"), bundled("llama-2")]
    names = ["-m", "gpt-2", "-m", "llama-2", "--no-parse-special", "--json"]
    for asked in ([text], [text, "--at", "6"], [text[:6], text[6:]], [text, "--every"], [text, "--find", "a"],
                  [text, "--find-ids", "64"]):  # fmt: skip
        hold("json", printed(capsys, "boundary", *names, *asked), both, text, options)
    hold("json", printed(capsys, "boundary", *names, "--stop", "\n"), both, None, options)


def test_vocab(capsys: pytest.CaptureFixture[str]) -> None:
    rwkv = [bundled("rwkv-world")]
    hold("json", printed(capsys, "vocab", "find", "-m", "rwkv-world", "token", "--json"), rwkv, None, {})
    hold("json", printed(capsys, "vocab", "show", "-m", "rwkv-world", "300", "--json"), rwkv, None, {})
    hold("json", printed(capsys, "vocab", "check", "-m", "rwkv-world", "--quick", "--json"), rwkv, None, {})
    both = ["-m", "rwkv-world", "-m", "rwkv-world@first-miss"]
    hold("json", printed(capsys, "vocab", "diff", *both, "--json"), [*rwkv, bundled(both[3])], None, {})
    asked = ["vocab", "export", "-m", "rwkv-world", "--script", "Greek", "--format"]
    hold("json", printed(capsys, *asked, "json"), rwkv, None, {})
    hold("csv", printed(capsys, *asked, "csv"), rwkv, None, {})
    assert json.loads(printed(capsys, *asked, "ids")) == [
        int(id) for id in json.loads(printed(capsys, *asked, "logit-bias"))
    ]


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    written = printed(capsys, "encode", "-m", "gpt-2", "--lines", "--json", "one\ntwo").splitlines()
    for line, text in zip(written, ("one", "two"), strict=True):
        hold("json", line, [bundled("gpt-2")], text, PLAIN)


def test_a_custom_pattern(capsys: pytest.CaptureFixture[str]) -> None:
    pattern = r"\w+|\W"
    written = printed(capsys, "compare", "-m", "gpt-2", "--pattern", pattern, "--json", "it is")
    hold("json", written, [bundled("gpt-2"), with_pattern(bundled("gpt-2"), pattern)], "it is", PLAIN)


OWN = b'{"a": 0, "b": 1, "ab": 2}'


def test_corpus(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The files of a tokenizer are named by the sha256 that `sha256sum` gives, bundled or not."""
    text = tmp_path / "a.txt"
    text.write_text("Good morning\nab\n")
    (tmp_path / "vocab.json").write_bytes(OWN)
    (tmp_path / "merges.txt").write_bytes(b"a b")
    toks: list[Tokenizer] = [bundled("gpt-2"), bundled("gpt-2@llama.cpp")]
    asked = ["corpus", "-m", "gpt-2", "-m", "gpt-2@llama.cpp", str(text), "--add-special"]
    options = {"add_special": True, "parse_special": False}
    hold("json", printed(capsys, *asked, "--json"), toks, None, options)
    for form in ("json", "csv"):
        printed(capsys, *asked, "--output", str(tmp_path / f"out.{form}"))
        hold(form, (tmp_path / f"out.{form}").read_bytes().decode(), toks, None, options)
    printed(capsys, *asked, "--output", str(tmp_path / "out.parquet"), "--write", str(tmp_path / "ids"))
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "out.parquet").to_pandas()
    rows = io.StringIO()
    table.astype(object).where(table.notna(), "").to_csv(rows, index=False)
    hold("csv", rows.getvalue(), toks, None, options)
    manifests = sorted((tmp_path / "ids").glob("*/manifest.json"))
    assert len(manifests) == 2
    for each in manifests:
        hold("json", each.read_text(), toks, None, options)
    main(["corpus", "-m", str(tmp_path / "vocab.json"), str(text), "--output", str(tmp_path / "own.json")])
    assert "warning: vocab.json (huggingface): " in capsys.readouterr().err
    written = (tmp_path / "own.json").read_text()
    hold("json", written, [explorer.load(tmp_path / "vocab.json")], None, {"add_special": False})
    digests = [sha256(OWN).hexdigest(), sha256(b"a b").hexdigest()]
    record = json.loads(written)
    assert [file["sha256"] for file in record["provenance"]["tokenizers"][0]["files"]] == digests
    assert record["tokenizers"][0]["sha256"] == " ".join(digests)
