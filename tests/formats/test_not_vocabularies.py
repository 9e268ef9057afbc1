"""Files that aren't vocabularies are recognized, and the error says what to do."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from pathlib import Path

import pytest

import explorer
from explorer.errors import InputError
from explorer.formats.not_vocabularies import recognized


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


def test_unrecognized_files_are_not_guessed() -> None:
    assert recognized(b"[PAD]\n[unused0]\n") is None
