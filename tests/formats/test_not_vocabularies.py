"""Files that aren't vocabularies are recognized, and the error says what to do."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

import explorer
from explorer.answers.offers import Upload, group_uploads, upload_offer
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.formats.not_vocabularies import OBJECTS, ranked
from explorer.opening.formats import matching
from explorer.opening.sources import HEAD
from tests.formats.gguf_writer import written
from tests.refusals import refusal


def archive() -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as found:
        # without a date, so that all workers of a test run create the same file
        found.writestr(zipfile.ZipInfo("data.pkl"), b"")
    return written.getvalue()


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (b"", "the file is empty"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "this is a Git LFS pointer"),
        (b"<!DOCTYPE html>\n<html>", "this is a web page"),
        (b"\n <HTML><body>", "this is a web page"),
        (struct.pack("<Q", 20) + b'{"a":{"dtype":"F16"}}', "this is a safetensors file"),
        (archive(), r"this is a zip archive \(PyTorch weights are one\)"),
        *((pickle.dumps({}, protocol), "this is a Python pickle") for protocol in (2, 3, 4, 5)),
        (b"tjgg\3\0\0\0", "this is a GGML file"),
        (b"#version: 0.2\na b\n", "these are merges"),
        (b"t h\ne n</w>\n", r"these are merges; .*subword-nmt's codes run alone if they begin with #version: 0.2"),
        ("<unk>\t0\n<s>\t0\n</s>\t0\n\u2581t\t-0.5\n\u2581\t-3.1\n".encode(), "this is sentencepiece's .vocab"),
        (b"<cls>\n<pad>\n<eos>\n<unk>\nL\nA\nG\nV\n", "this is the vocab.txt of ESM"),
        (b"n g</w> 7056\nn h 4091\nt r 2888\n", "these are pairs with counts"),
        (
            b"\0" * 40,
            r"it begins with 00 00 00 00, which no known format does; give a GGUF file \(begins",
        ),
        (json.dumps([1, 2]).encode(), "this is a JSON list, which no vocabulary is"),
        (b"[" * 10_000, "this is a JSON list"),
        (json.dumps({"a": 1}).encode("utf-16"), "this is text in UTF-16"),
        ("é\nü\n".encode("latin-1"), "it begins with E9 0A FC 0A, which no known format does"),
        (b"\xef\xbb\xbf", "it begins with EF BB BF"),
        (b" " * 5_000, "the file begins with nothing but white space"),
        (b"\n" * 3, "the file begins with nothing but white space"),
        (b"\n" * 5_000, "the file begins with nothing but white space"),
    ],
)
def test_other_files_are_recognized(head: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(head)
    with pytest.raises(InputError, match=f"^{path}: {says}"):
        explorer.load(path)


FORMS: Final[tuple[Callable[[dict[str, Any]], bytes], ...]] = (
    lambda whole: json.dumps(whole).encode(),
    lambda whole: b"\xef\xbb\xbf" + json.dumps(whole, indent=4).encode(),
    lambda whole: json.dumps({"n": 1, "list": [1, {"a": "b"}], **whole}).encode(),
    # the value goes on after the first bytes
    lambda whole: json.dumps({**whole, "long": "x" * 5_000}).encode(),
)
"""The ways an object is written."""


@pytest.mark.parametrize("form", range(len(FORMS)))
@pytest.mark.parametrize(("key", "says"), [(key, says) for keys, says in OBJECTS for key in keys.split()])
def test_objects_are_known_by_their_keys_on_every_way_in(key: str, says: str, form: int, tmp_path: Path) -> None:
    data = FORMS[form]({key: "org/base"})
    said = says.replace("{0:t}", "org/base")
    path = tmp_path / "any name.json"
    path.write_bytes(data)
    assert refusal(explorer.load, path) == f"{path}: {said}"
    assert refusal(upload_offer, (Upload("any name.json", data),)).endswith(said)
    assert said in refusal(explorer.load, tmp_path)  # the folder, by what is in it


def test_a_folder_names_the_file_that_says_most(tmp_path: Path) -> None:
    files = {
        "adapter_config.json": b'{"r": 8, "base_model_name_or_path": "org/base"}',
        "adapter_model.safetensors": struct.pack("<Q", 20) + b'{"a":{}}',
        "README.md": b"---\nbase_model: org/base\nlibrary_name: peft\n---\n",
        "tokenizer_config.json": b'{"tokenizer_class": "LlamaTokenizer"}',
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert refusal(explorer.load, tmp_path).endswith("give that: org/base")
    groups = group_uploads([Upload(name, data) for name, data in files.items()])
    refused = [refusal(upload_offer, group) for group in groups.groups]
    assert any("org/base" in said for said in refused)
    assert [file.name for file in groups.unclaimed] == ["tokenizer_config.json"]
    (tmp_path / "adapter_config.json").unlink()
    assert "settings of a tokenizer without its vocabulary" in refusal(explorer.load, tmp_path)
    # with a vocabulary it is a model's folder
    (tmp_path / "adapter_config.json").write_bytes(files["adapter_config.json"])
    (tmp_path / "vocab.txt").write_bytes(b"[UNK]\n[CLS]\n[SEP]\na\n")
    assert explorer.load(tmp_path, "huggingface").encode("a", add_special=False).ids == [3]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        (f"{before}{word} {model}{after}", given)
        for before in ("", "# a comment\n\n", "PARAMETER stop x\n", "\ufeff")
        for word in ("FROM", "from")
        for after in ("", "\n", '\r\nTEMPLATE """{{ .Prompt }}"""\n')
        for model, given in (
            ("./a.gguf", "./a.gguf"),
            ("/models/a b.gguf", "/models/a b.gguf"),
            ("b.GGUF", "b.GGUF"),
            ("~/c", "~/c"),
            ("llama3.2:1b", "ollama:llama3.2:1b"),
            ("hf.co/org/name:Q4_K_M", "ollama:hf.co/org/name:Q4_K_M"),
        )
    ],
)
def test_a_modelfile_names_what_to_give(text: str, given: str) -> None:
    said = ranked(text.encode())[1]
    assert said is not None
    assert said.endswith(f": {given}")


@pytest.mark.parametrize("text", ["FROM python:3.11\nRUN pip install x\n", "From here\non we go\n", "FROMAGE x\n"])
def test_other_files_with_from_are_no_modelfiles(text: str) -> None:
    assert "Modelfile" not in ranked(text.encode())[1]


def zipped(*names: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as made:
        for name in names:
            made.writestr(zipfile.ZipInfo(name), "{}")
    return written.getvalue()


ODD: Final[dict[str, tuple[tuple[str | bytes, ...], tuple[str, ...]]]] = {
    "a digest": (
        tuple(f"{before}FROM {at}sha256{sign}dde5aa3f\n" for before in ("", "# x\n") for at in ("", "@")
              for sign in ":-"),
        ("Modelfile", "blobs", "dde5aa3f"),
    ),
    "pieces and ids": (
        tuple(f"{header}{end.join(f'{piece}{sign}{id}' for id, piece in enumerate(pieces))}{end}"
              for sign in "\t ," for end in ("\n", "\r\n") for header in ("", f"token{sign}id\n")
              for pieces in (("[PAD]", "[UNK]", "the"), ("a", "b", "c", "d"), ("1", "a", "b"))),
        ("pieces and their ids", "vocab.txt", "vocab.json"),
    ),
    "a comment": (
        tuple(f"{mark}{after}" for mark in ("// a b\n", "/* x */", "/* a\n b */\n", "# a\n", "// a\n// b\n")
              for after in ('{"version": "1.0"}', "[1]", '\n {"a": 0}')),
        ("comment", "remove"),
    ),
    "JSON in JSON": (
        tuple(json.dumps(json.dumps({"version": "1.0", "model": {}}, indent=indent)) for indent in (None, 1)),
        ("inside", "json.loads"),
    ),
    "a table": (
        tuple(f"id,text{more}{end}1,\"a, b\"{more}{end}2,c{more}{end}" for more in ("", ",label")
              for end in ("\n", "\r\n")),
        ("CSV",),
    ),
    "a zip": (
        tuple(zipped(name, "b.bin") for name in ("tokenizer.json", "my model/tokenizer.json", "spiece.model")),
        ("zip archive", "unpack"),
    ),
    "ONNX": (
        tuple(bytes([8, version]) + rest for version in (3, 7, 10)
              for rest in (b"\x12\x07pytorch\x1a\x052.1.0", b"\x3a\xd0\x05")),
        ("ONNX", "tokenizer.json"),
    ),
    "a block": (("```json\n{}\n```\n", "```\na\n```"), ("Markdown", "remove")),
    "a conflict": (("<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> x\n",), ("git", "resolve")),
    "Diffusers": (('{"_class_name": "FluxPipeline", "_diffusers_version": "0"}',), ("Diffusers", "folder")),
    "an answer": (('{"error": "Repository not found"}', '{"error":"Invalid credentials"}'), ("server", "fetch")),
}  # fmt: skip
"""Kind → files of it, and what is said of each."""


@pytest.mark.parametrize(("data", "said"), [(data, said) for files, said in ODD.values() for data in files])
@pytest.mark.parametrize("name", ["any.bin", "vocab.txt", "tokenizer.json"])
def test_odd_files_are_named_on_one_line(
    data: str | bytes, said: tuple[str, ...], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    assert main(["lint", str(path)]) == 1
    for refused in (refusal(explorer.load, path), capsys.readouterr().err.strip()):
        assert all(each in refused for each in said), refused
        assert "\n" not in refused


@pytest.mark.parametrize(
    "text", ["# My model\n\nText.\n", "import os\n\nx = 1\n", "Access is restricted.", "null", "5"]
)
def test_a_text_of_no_format_is_quoted(text: str, tmp_path: Path) -> None:
    path = tmp_path / "any"
    path.write_text(text)
    assert text.splitlines()[0] in refusal(explorer.load, path)


def test_ids_and_pieces_the_wrong_way_round(tmp_path: Path) -> None:
    path = tmp_path / "vocab.json"
    path.write_text('{"0": "a", "1": "b"}')
    assert "swap" in refusal(explorer.load, path)


@pytest.mark.parametrize("parts", [2, 3, 12])
def test_a_part_of_a_gguf_names_the_part_with_the_tokenizer(parts: int, tmp_path: Path) -> None:
    for part in range(1, parts):
        path = tmp_path / f"m-{part + 1:05}-of-{parts:05}.gguf"
        path.write_bytes(written({"split.no": part, "split.count": parts}))
        said = refusal(explorer.load, path)
        assert f"part {part + 1} of {parts}" in said
        assert f"-00001-of-{parts:05}.gguf" in said


TEXTS: Final = {
    "{% for m in messages %}{{ m.content }}{% endfor %}": "chat template",
    "{{ bos_token }}{% if x %}a{% endif %}": "chat template",
    "<|im_start|>{%- if a -%}b{% endif %}": "chat template",
    "{{- if .System }}{{ .System }}{{ end }}": "Ollama, in Go",
    "{{ .Prompt }}": "Ollama, in Go",
    "#version: 0.2\na\tb\nab\tc\n": "separated by tabs",
    "Ġ\tt\nh\te\n": "separated by tabs",
    "#version: 0.2\na b\nab c\n": "these are merges",
    "a b\nab c": "these are merges",
    "0\ta\n1\tb\n": "ids and pieces",
    "a: b\nc: d\n": "YAML",
    "---\nmodel:\n  type: x\n": "YAML",
    "<unk>\t0\n▁the\t-3.25\n": ".vocab",
    "<unk>\t0\r\n\t\t-inf\r\na\t-1e+02\r\nb": ".vocab",
}


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_known_by_their_lines(text: str) -> None:
    assert TEXTS[text] in ranked(text.encode())[1]


@pytest.mark.parametrize("head", [b"", b"a\n", b"a b c\nd e\n", b"a b", b"a \nb c\n"])
def test_other_lines_are_no_merges(head: bytes) -> None:
    assert "merges" not in ranked(head)[1]


def test_vocabularies_are_not_taken_for_something_else() -> None:
    for label, model in explorer.catalog().items():
        with open(model.path, "rb") as file:
            assert matching(file.read(HEAD)) is not None, label


def test_pieces_called_like_settings_are_a_vocabulary(tmp_path: Path) -> None:
    names = [key for keys, _ in OBJECTS for key in keys.split()]
    head = json.dumps({name: id for id, name in enumerate(names)}).encode()
    assert not ranked(head)[1]
    found = matching(head)
    assert found is not None
    assert found.name == "a vocab.json"


def test_unrecognized_files_are_not_guessed() -> None:
    assert not ranked(b"[PAD]\n[unused0]\n")[1]
