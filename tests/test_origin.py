"""A tokenizer knows the bytes it was made of."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

import explorer
from explorer.implementations.opened import with_pattern
from explorer.opening.formats import open_files
from explorer.origin import WHOLE, File, TypedPattern
from tests.bundled import bundled


@pytest.mark.parametrize("name", explorer.catalog())
def test_bundled_models_know_their_files(name: str) -> None:
    model = explorer.catalog()[name]
    for implementation in model.implementations:
        (file,) = bundled(name, implementation).origin.files
        data = model.path.read_bytes()
        assert file == (model.file, len(data), sha256(data).hexdigest(), len(data))
        assert file.digest == model.sha256


@pytest.mark.parametrize("name", ["llama-2", "gpt-2", "mistral-v1", "rwkv-world", "cl100k_base", "bert-uncased"])
def test_a_path_and_bytes_give_the_same_file(name: str, tmp_path: Path) -> None:
    model = explorer.catalog()[name]
    data = model.path.read_bytes()
    path = tmp_path / "mine"
    path.write_bytes(data)
    choices = {"pattern": "cl100k_base"} if name == "cl100k_base" else {}
    by_path = explorer.load(path, **choices).origin
    assert by_path == open_files({"mine": data}, None, choices).origin
    assert by_path.files == (("mine", len(data), model.sha256, len(data)),)
    assert by_path.choices == tuple(choices.items())


VOCAB = b'{"a": 0, "b": 1, "ab": 2}'


def test_every_file_that_was_read_is_there_and_no_other(tmp_path: Path) -> None:
    files = {"vocab.json": VOCAB, "merges.txt": b"a b", "notes.txt": b"nothing"}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    found = open_files(files, None).origin
    assert [(file.name, file.sha256) for file in found.files] == [
        ("vocab.json", sha256(VOCAB).hexdigest()), ("merges.txt", sha256(b"a b").hexdigest())
    ]  # fmt: skip
    assert explorer.load(tmp_path / "vocab.json").origin == found


def test_of_a_gguf_with_weights_only_the_keys_are_hashed(tmp_path: Path) -> None:
    data = explorer.catalog()["llama-2"].path.read_bytes()
    for size, hashed in ((WHOLE, WHOLE), (WHOLE + 1, len(data))):
        whole = data.ljust(size, b"\0")
        (tmp_path / "large.gguf").write_bytes(whole)
        (file,) = explorer.load(tmp_path / "large.gguf").origin.files
        assert file == File("large.gguf", size, sha256(whole[:hashed]).hexdigest(), hashed)
        assert file.digest == file.sha256 + (f" (first {hashed} bytes)" if hashed < size else "")
        assert open_files({"large.gguf": whole}, None).origin.files == (file,)


def test_a_pattern_put_in_by_hand_is_part_of_the_origin() -> None:
    tok = bundled("gpt-2")
    one = with_pattern(tok, r"\w|\W")
    assert (tok.origin.patterns, one.origin.patterns) == ((), (TypedPattern(1, r"\w|\W"),))
    assert one.origin.files == tok.origin.files
    assert with_pattern(one, r".").origin.patterns == (TypedPattern(1, r"."),)
