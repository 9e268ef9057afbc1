"""Bundled files are identical to upstream, and every name opens a tokenizer or gives a clear error."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path

import pytest

import explorer
from explorer.errors import InputError

module = import_module("explorer.opening.catalog")  # `explorer.catalog` is the function, not the module


@pytest.mark.parametrize("name", explorer.catalog())
def test_bundled_files_are_the_upstream_ones(name: str) -> None:
    model = explorer.catalog()[name]
    assert hashlib.sha256(model.path.read_bytes()).hexdigest() == model.sha256
    licences = (module.VOCABS / "LICENSES.md").read_text("utf-8")
    assert model.file in licences
    assert model.sha256 in licences
    if model.settings:
        assert hashlib.sha256((module.VOCABS / model.settings).read_bytes()).hexdigest() == model.settings_sha256
        assert model.settings in licences
        assert model.settings_sha256 in licences


@pytest.mark.parametrize("name", explorer.catalog())
def test_a_bundled_model_has_its_chat_template_or_says_that_there_is_none(name: str) -> None:
    model = explorer.catalog()[name]
    chat = [{"role": "user", "content": "Hi"}]
    for implementation in model.implementations:
        tok = explorer.load(name, implementation)
        if model.settings:
            assert "Hi" in tok.prompt(chat).text
            continue
        with pytest.raises(InputError, match="ours:chatml"):
            tok.prompt(chat)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", explorer.catalog())
def test_every_model_opens_under_each_of_its_implementations(name: str) -> None:
    model = explorer.catalog()[name]
    for implementation in model.implementations:
        by_name = explorer.load(f"{name}@{implementation}")
        assert by_name.implementation == explorer.load(name, implementation).implementation == implementation
    assert explorer.load(name).implementation == model.implementations[0]


def test_a_path_gives_the_same_tokenizer(llama2: explorer.Tokenizer) -> None:
    path = explorer.catalog()["llama-2"].path
    assert explorer.load(path).vocabulary.pieces == llama2.vocabulary.pieces
    assert explorer.load(str(path), "llama.cpp").encode("is").ids == [1, 338]


@pytest.mark.parametrize(
    ("spec", "implementation", "says"),
    [
        ("llama2", None, "did you mean 'llama-2'?"),
        ("nothing", None, "bundled models: llama-2"),
        ("llama-2@rwkv", None, "cannot be run as 'rwkv'; it runs as: llama.cpp"),
        ("llama-2", "tiktoken", "it runs as: llama.cpp"),
        ("llama-2@llama.cpp", "rwkv", "give one of them"),
        (str(module.VOCABS / "ggml-vocab-llama-spm.gguf"), "rwkv", "a GGUF file runs as: llama.cpp"),
        (str(module.VOCABS / "gpt2.tokenizer.json"), "rwkv", "a tokenizer.json runs as: huggingface, llama.cpp"),
        (str(module.VOCABS / "o200k_base.tiktoken"), "huggingface", "a ranks file runs as: tiktoken"),
        ("gpt-2@tiktoken", None, "it runs as: huggingface, llama.cpp"),
        ("", None, "the name of the model is empty"),
    ],
)
def test_unknown_models_and_implementations_are_refused(spec: str, implementation: str | None, says: str) -> None:
    with pytest.raises(InputError) as caught:
        explorer.load(spec, implementation)
    assert says in str(caught.value)


@pytest.mark.long
def test_the_content_decides_the_format(tmp_path: Path) -> None:
    path = tmp_path / "vocabulary"
    for model in explorer.catalog().values():
        path.write_bytes(model.path.read_bytes())
        tok = explorer.load(path)
        assert (tok.family, tok.implementation) == (model.family, model.implementations[0])
        assert tok.encode("is it?").ids == explorer.load(model.name).encode("is it?").ids
    path.write_bytes(b"just some text\n")
    with pytest.raises(InputError, match="which no known format does"):
        explorer.load(path)


def test_a_changed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = explorer.catalog()["llama-2"].file
    (tmp_path / file).write_bytes((module.VOCABS / file).read_bytes() + b"\0")
    monkeypatch.setattr(module, "VOCABS", tmp_path)
    with pytest.raises(InputError, match="sha256 differs"):
        explorer.load("llama-2")
