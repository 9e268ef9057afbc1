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
from explorer.answers.upload_groups import Upload, group_uploads
from explorer.answers.upload_offer import offer_of
from explorer.errors import InputError
from explorer.formats.not_vocabularies import OBJECTS, recognized
from explorer.opening.formats import HEAD, matching
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
    said = says.format("org/base")
    path = tmp_path / "any name.json"
    path.write_bytes(data)
    assert refusal(explorer.load, path) == f"{path}: {said}"
    assert refusal(offer_of, (Upload("any name.json", data),)).endswith(said)
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
    refused = [refusal(offer_of, group) for group in groups.groups]
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
    said = recognized(text.encode())
    assert said is not None
    assert said.endswith(f": {given}")


@pytest.mark.parametrize("text", ["FROM python:3.11\nRUN pip install x\n", "From here\non we go\n", "FROMAGE x\n"])
def test_other_files_with_from_are_no_modelfiles(text: str) -> None:
    assert "Modelfile" not in (recognized(text.encode()) or "")


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
    assert TEXTS[text] in (recognized(text.encode()) or "")


@pytest.mark.parametrize("head", [b"", b"a\n", b"a b c\nd e\n", b"a b", b"a \nb c\n"])
def test_other_lines_are_no_merges(head: bytes) -> None:
    assert "merges" not in (recognized(head) or "")


def test_vocabularies_are_not_taken_for_something_else() -> None:
    for label, model in explorer.catalog().items():
        with open(model.path, "rb") as file:
            assert matching(file.read(HEAD)) is not None, label


def test_pieces_called_like_settings_are_a_vocabulary(tmp_path: Path) -> None:
    names = [key for keys, _ in OBJECTS for key in keys.split()]
    head = json.dumps({name: id for id, name in enumerate(names)}).encode()
    assert recognized(head) is None
    found = matching(head)
    assert found is not None
    assert found.name == "a vocab.json"


def test_unrecognized_files_are_not_guessed() -> None:
    assert recognized(b"[PAD]\n[unused0]\n") is None
