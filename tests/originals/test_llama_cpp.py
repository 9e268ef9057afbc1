"""The ctypes interface to llama.cpp gives known ids, and raises an error if it cannot run."""

import importlib.metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.text import Flag
from tests.originals import llama_cpp
from tests.originals.llama_cpp import LlamaCpp, MismatchError

SPM = Path(__file__).parents[2] / "vocabs" / "ggml-vocab-llama-spm.gguf"


@pytest.fixture(scope="module")
def original():
    with LlamaCpp(SPM) as model:
        yield model


def test_the_pinned_version_is_installed():
    assert importlib.metadata.version("xllamacpp") == llama_cpp.PINNED


def test_tokenize(original):
    assert original.size == 32_000
    assert original.tokenize("") == [1]
    assert original.tokenize("", add_special=False) == []
    assert original.tokenize("What is LoRA?") == [1, 1724, 338, 4309, 4717, 29973]
    assert original.tokenize("<s>a</s>") == [1, 1, 263, 2]
    assert original.tokenize("<s>a</s>", parse_special=False) == [1, 529, 29879, 29958, 29874, 829, 29879, 29958]
    assert original.tokenize("\0") == [1, 29871, 3]
    assert original.tokenize(b"\xff", add_special=False) == [29871, 258]


def test_the_buffer_grows_when_it_is_too_small(original):
    longest = max(range(3, original.size), key=lambda id: len(original.detokenize([id])))
    word = original.detokenize([longest])
    assert len(word) > 20  # the first buffer has 16 bytes per id
    assert original.detokenize([longest] * 100) == b" ".join([word] * 100)
    assert llama_cpp._enlarged(3, 4) == 4
    for needed in (0, 3, 1 << 31):
        with pytest.raises(MismatchError, match="places"):
            llama_cpp._enlarged(3, needed)


def test_detokenize(original):
    ids = original.tokenize("What is é😊?\0")
    assert original.detokenize(ids) == "<s> What is é😊?\0".encode()
    assert original.detokenize(ids, unparse_special=False) == " What is é😊?\0".encode()
    assert original.detokenize(ids, remove_special=True) == " What is é😊?\0".encode()
    assert original.detokenize(ids[1:]) == "What is é😊?\0".encode()
    assert original.detokenize([]) == b""
    assert original.detokenize([3 + 0xE2]) == b"\xe2"
    for id in (-1, 32_000):
        with pytest.raises(ValueError, match=f"id {id} is not in the vocabulary of 32000"):
            original.detokenize([1, id])


def test_a_closed_model_is_not_used():
    model = LlamaCpp(SPM)
    model.close()
    model.close()
    with pytest.raises(ValueError, match="closed"):
        model.tokenize("a")
    with pytest.raises(ValueError, match="closed"):
        model.detokenize([1])


def test_an_unloadable_file_is_an_error(tmp_path, capfd):
    with pytest.raises(MismatchError, match=r"cannot load .*No such file"):
        LlamaCpp(tmp_path / "none.gguf")
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    with pytest.raises(MismatchError, match="invalid magic"):
        LlamaCpp(tmp_path / "bad.gguf")
    with LlamaCpp(SPM):
        pass
    assert capfd.readouterr() == ("", "")


def test_a_changed_parameter_layout_is_detected(monkeypatch):
    """If a field were added before `vocab_only`, writing to its old offset would set another field."""

    assert llama_cpp._vocab_only().vocab_only is True
    defaults = bytes(llama_cpp.library().llama_model_default_params())
    shifted = llama_cpp._ModelParams.from_buffer_copy(bytes(8) + defaults[:-8])
    monkeypatch.setattr(llama_cpp, "library", lambda: SimpleNamespace(llama_model_default_params=lambda: shifted))
    with pytest.raises(MismatchError, match=r"n_gpu_layers is 0, not -1: .*pip install xllamacpp=="):
        llama_cpp._vocab_only()


def test_not_installed(monkeypatch):
    monkeypatch.setattr(llama_cpp.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MismatchError, match="not installed; run: pip install xllamacpp=="):
        llama_cpp.library.__wrapped__()


def test_code_points():
    assert Flag(llama_cpp.codepoint_flags(ord("A"))) == Flag.LETTER | Flag.UPPERCASE | Flag.NFD
    assert llama_cpp.to_lower(ord("Å")) == ord("å")
