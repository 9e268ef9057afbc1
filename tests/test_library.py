"""The library as others call it: what it exports, wrong types, many texts at once, two tokenizers in one call."""

from __future__ import annotations

import subprocess
import sys
from array import array
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import explorer
from tests.bundled import bundled
from tests.library_example import example
from tests.originals.generators import texts

ROOT = Path(explorer.__file__).parent.parent


@pytest.mark.long
def test_every_exported_name_is_there_whatever_was_imported_before() -> None:
    for before in (
        "import explorer",
        "import explorer.opening.catalog",
        "import explorer.cli.compare, explorer.corpus.run",
    ):
        code = f"{before}; import explorer; print([type(getattr(explorer, n)).__name__ for n in explorer.__all__])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
        assert "module" not in done.stdout
    assert set(explorer.__all__) <= set(dir(explorer))
    with pytest.raises(AttributeError, match="nonsense"):
        explorer.nonsense  # type: ignore[attr-defined]  # noqa: B018


NO_TEXTS: list[Any] = [None, 3, 1.5, b"a", bytearray(b"a"), ["a"], ("a",), {"a": 1}, object(), np.array(["a"])]
NO_IDS: list[Any] = [
    None, 3, 1.5, "x", "12", b"ab", {1: 2}, {1}, ["x"], [1.5], [None], [[1, 2]], [True], [1, 2.0], [b"1"],
    np.array([1.5]), np.array([[1, 2]]), [10**30], [-1],
]  # fmt: skip


@pytest.mark.parametrize(
    "spec", ["llama-2", "gpt-2", "bert-uncased", "xlm-r", "mistral-v1", "rwkv-world", "cl100k_base"]
)
def test_a_wrong_type_is_an_input_error(spec: str) -> None:
    tok = bundled(spec)
    calls: list[Any] = [tok.encode, tok.trace, lambda text: tok.encode_batch(["a", text])]
    for call in calls:
        for text in NO_TEXTS:
            with pytest.raises(explorer.InputError) as error:
                call(text)
            assert "\n" not in str(error.value)
    for ids in NO_IDS:
        for decode in (tok.decode, tok.trace_decode):
            with pytest.raises(explorer.InputError):
                decode(ids)
    for id in ("x", 1.5, None, [1], True, 10**30):
        with pytest.raises(explorer.InputError):
            tok.token_bytes(id)  # type: ignore[arg-type]
    for value in (None, 0, 1, "yes", "false", []):
        for name in ("add_special", "parse_special"):
            for encode in (tok.encode, tok.trace, lambda text, **more: tok.encode_batch([text], **more)):
                with pytest.raises(explorer.InputError, match=name):
                    encode("a", **{name: value})
        for name in ("remove_special", "unparse_special"):
            with pytest.raises(explorer.InputError, match=name):
                tok.decode([1], **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", [3, None, b"gpt-2", ["gpt-2"], "", 1.5])
def test_a_model_that_is_no_name(spec: Any) -> None:
    for call in (explorer.load, lambda each: explorer.compare(each, "gpt-2", "x")):
        with pytest.raises(explorer.InputError):
            call(spec)


def test_choices_that_are_no_text() -> None:
    for more in ({"implementation": 3}, {"pre": 3}, {"pre": None}):
        with pytest.raises(explorer.InputError, match=next(iter(more))):
            explorer.load("gpt-2", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("texts", ["abc", b"abc", None, 3])
def test_one_text_is_no_list_of_texts(texts: Any) -> None:
    with pytest.raises(explorer.InputError, match="give a list of"):
        bundled("gpt-2").encode_batch(texts)


def test_integers_of_other_libraries_are_ids() -> None:
    tok = bundled("gpt-2")
    kinds = (list, tuple, iter, np.array, lambda ids: array("I", ids), lambda ids: np.array(ids, "uint16"))
    for kind in kinds:
        assert tok.decode(kind([31373, 995])) == "hello world"
    assert tok.trace_decode(np.array([31373, 995])).ids == (31373, 995)


@pytest.mark.parametrize("spec", ["llama-2", "gpt-2", "bert-uncased", "xlm-r"])
@given(many=st.lists(texts(), max_size=5), add=st.booleans(), parse=st.booleans())
def test_a_batch_is_its_texts_one_by_one(spec: str, many: list[str], add: bool, parse: bool) -> None:
    tok = bundled(spec)
    batch = tok.encode_batch(many, add_special=add, parse_special=parse)
    one_by_one = [tok.encode(text, add_special=add, parse_special=parse).ids for text in many]
    assert [batch.ids[batch.offsets[i] : batch.offsets[i + 1]].tolist() for i in range(len(many))] == one_by_one
    assert [ids.tolist() for ids in batch] == one_by_one
    assert (len(batch), len(batch.offsets), batch.offsets[-1]) == (len(many), len(many) + 1, len(batch.ids))
    assert (
        np.frombuffer(batch.ids, "uint32").tolist() == [id for ids in one_by_one for id in ids] if batch.ids else True
    )


def test_a_batch_names_the_text_that_cannot_be_encoded() -> None:
    with pytest.raises(explorer.InputError, match=r"^texts\[1\]: position 3: half of a surrogate pair"):
        bundled("gpt-2").encode_batch(["fine", "ab\ud800"])


def test_a_batch_takes_any_iterable_and_counts_from_both_ends() -> None:
    batch = bundled("gpt-2").encode_batch(text for text in ("hi", "", "hello world"))
    assert batch[-1].tolist() == batch[2].tolist() == [31373, 995]
    assert batch[1].tolist() == []
    for wrong in (3, -4):
        with pytest.raises(IndexError):
            batch[wrong]
    assert repr(batch) == "<Batch of 3 texts, 3 tokens>"


def test_an_encoding_has_a_length() -> None:
    assert len(bundled("llama-2").encode("What is LoRA?")) == 6
    assert len(bundled("gpt-2").encode("")) == 0


@pytest.mark.long
def test_compare_takes_names_paths_and_tokenizers() -> None:
    path = explorer.catalog()["qwen2.5"].path
    for left, right in (
        ("qwen2.5", "qwen2.5@llama.cpp"), (path, f"{path}@llama.cpp"), (bundled("qwen2.5"), "qwen2.5@llama.cpp")
    ):  # fmt: skip
        found = explorer.compare(left, right, text="A\u030a")
        assert isinstance(found, explorer.Comparison)
        assert (found.same, found.first and found.first.stage) == (False, "normalize")
    assert not explorer.compare("llama-3", "llama-3@llama.cpp", "x").same
    assert explorer.compare("llama-3", "llama-3@llama.cpp", "x", add_special=False).same


def test_every_method_can_be_called_as_its_types_say(tmp_path: Path) -> None:
    example(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8").startswith("<!doctype html>")


def test_no_public_method_takes_or_gives_anything_at_all() -> None:
    """An editor completes what is written out; the changes of a prompt's call are those of its dataclass."""
    for kind in (explorer.Tokenizer, explorer.Trace):
        for name, method in vars(kind).items():
            if callable(method) and not name.startswith("_"):
                hints = signature(method)
                assert hints.return_annotation not in (hints.empty, "Any"), name
                loose = {
                    each.name
                    for each in hints.parameters.values()
                    if each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
                }
                assert loose <= {"changes"}, name
