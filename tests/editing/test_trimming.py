"""A trimmed vocabulary: the original gives the old ids, mapped, on texts without dropped tokens; all kept are made."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.cli.main import main
from explorer.corpus.sample import TEXTS as SAMPLE
from explorer.editing.trimming import chosen, companions, config_changes, special_ids, trimmed, unmade
from explorer.errors import InputError
from explorer.formats import tiktoken_ranks
from explorer.implementations.opened import Opened
from explorer.implementations.tiktoken import ENCODINGS
from explorer.opening.catalog import catalog, file_of
from explorer.opening.formats import open_bytes
from tests.auto_tokenizer.environments import python
from tests.bundled import bundled
from tests.corpus.command import run
from tests.editing.test_parity import hugging_face, of_rwkv, of_sentencepiece
from tests.originals.llama_cpp import LlamaCpp

Encode = Callable[[str], Sequence[int]]


def texts(language: str) -> list[str]:
    records = map(json.loads, gzip.decompress(SAMPLE.read_bytes()).splitlines())
    return [record["text"] for record in records if record["label"] == language]


def of_tiktoken(data: bytes, folder: Path, name: str = "cl100k_base") -> Encode:
    pattern = ENCODINGS[name].pattern.regex
    original = tiktoken.Encoding(
        "trimmed", pat_str=pattern, mergeable_ranks=tiktoken_ranks.read(data, ""), special_tokens={}
    )
    return original.encode_ordinary


def of_llama_cpp(data: bytes, folder: Path) -> Encode:
    path = folder / "vocab.gguf"
    path.write_bytes(data)

    def encode(text: str) -> Sequence[int]:
        with LlamaCpp(path) as original:
            return original.tokenize(text)

    return encode


def counts_of(tok: Opened, some: Sequence[str]) -> Any:
    ids = [id for text in some for id in tok.encode(text, add_special=False, parse_special=False).ids]
    return np.bincount(ids, minlength=len(tok.vocabulary))


RANKS = {"cl100k_base": "cl100k_base", "o200k_base": "o200k_base", "llama3.tiktoken": "llama3"}
"""Files without a pattern, and whose pattern they have."""
CASES: dict[str, tuple[Callable[[bytes, Path], Encode], int]] = {
    "gpt-2": (hugging_face, 2_500),
    "mistral-v1": (of_sentencepiece, 2_500),
    "cl100k_base": (of_tiktoken, 2_500),
    "bert-uncased": (hugging_face, 5_000),
    "rwkv-world": (of_rwkv, 2_500),
    "llama-3": (hugging_face, 2_500),
    "qwen2.5": (hugging_face, 2_500),
    "llama-2": (of_llama_cpp, 2_500),
    "xlm-r": (of_llama_cpp, 30_000),
    "o200k_base": (of_tiktoken, 2_500),
}
MORE: dict[str, tuple[Callable[[bytes, Path], Encode], int]] = {
    "claude.tokenizer.json": (hugging_face, 2_500),
    "yi.tokenizer.json": (hugging_face, 2_500),
    "llama3.tiktoken": (of_tiktoken, 2_500),
    "ggml-vocab-gpt-2.gguf": (of_llama_cpp, 2_500),
    "ggml-vocab-phi-3.gguf": (of_llama_cpp, 2_500),
    "ggml-vocab-bert-bge.gguf": (of_llama_cpp, 8_000),
}
"""Vocabularies that others publish; `EXPLORER_VOCABULARIES` names the folder that has them."""
FOLDER = Path(os.environ.get("EXPLORER_VOCABULARIES") or "none")


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", CASES)
def test_the_original_opens_it_and_gives_the_same_tokens(name: str, tmp_path: Path) -> None:
    file, data = file_of(catalog()[name])
    check(name, bundled(name), data, file.name, *CASES[name], tmp_path)


@pytest.mark.long
@pytest.mark.skipif(not FOLDER.is_dir(), reason="EXPLORER_VOCABULARIES names no folder")
@pytest.mark.parametrize("name", MORE)
def test_so_does_the_original_of_others(name: str, tmp_path: Path) -> None:
    data = (FOLDER / name).read_bytes()
    before = open_bytes(data, name, None, {"pattern": RANKS[name]} if name in RANKS else {})
    check(name, before, data, name, *MORE[name], tmp_path)


def test_a_format_that_is_not_written_says_what_to_use() -> None:
    data = b"\n".join([b"[UNK]", b"[CLS]", b"[SEP]", b"[PAD]", b"[MASK]", b"a", b"b", b"##b", b"ab"])
    before = open_bytes(data, "vocab.txt", None)
    with pytest.raises(InputError, match="save_pretrained"):
        trimmed(before, data, "vocab.txt", range(8))


def check(
    name: str, before: Opened, data: bytes, file: str, original: Callable[..., Encode], size: int, folder: Path
) -> None:
    """Trims for English: its original opens the result, and gives the same tokens on what has none that went."""
    own, other = [texts(language) for language in ("English", "Turkish")]
    kept = chosen(before, counts_of(before, own), size)
    result = trimmed(before, data, file, kept)
    choices = {"pattern": RANKS[name]} if name in RANKS else {}
    after = open_bytes(result.data, file, before.implementation, choices)
    special = special_ids(before)
    assert size - 300 < len(set(result.ids) - special) <= size
    assert unmade(before, after, result.ids) == []
    assert [*result.ids.values()] == list(range(len(result.ids)))
    if original is not of_tiktoken:  # whose file has no special tokens
        assert all(before.token_bytes(old) == after.token_bytes(new) for old, new in result.ids.items())
    encode = original(result.data, folder, **({"name": RANKS[name]} if name in RANKS else {}))
    for text in own:
        old = before.encode(text, add_special=original is hugging_face).ids
        if original is of_llama_cpp:
            old = before.encode(text, add_special=True).ids
        assert list(encode(text)) == [result.ids[id] for id in old], text
    assert any(id not in result.ids for text in other for id in before.encode(text).ids)
    for text in other:
        ids = after.encode(text, add_special=False).ids
        assert [*map(int, encode(text))] == (
            after.encode(text).ids if original in (hugging_face, of_llama_cpp) else ids
        )
        if before.decode(before.encode(text).ids) == text:
            assert after.decode(after.encode(text).ids) == text


def test_a_size_below_what_is_kept_anyway_is_refused() -> None:
    before = bundled("gpt-2")
    with pytest.raises(InputError, match="too small"):
        chosen(before, counts_of(before, texts("English")), 100)


@settings(max_examples=15)
@given(st.lists(st.text(st.sampled_from("abcde the lowering"), min_size=1, max_size=30), min_size=1, max_size=4),
       st.integers(300, 700))  # fmt: skip
def test_each_kept_token_keeps_the_tokens_it_is_made_of(some: list[str], size: int) -> None:
    from explorer.analysis.vocabulary.derivation import parents

    tok = bundled("gpt-2")
    kept = set(chosen(tok, counts_of(tok, some), size))
    assert len(kept - special_ids(tok)) <= size
    for id in kept:
        if (split := parents(tok, id)) is not None:
            assert {tok.vocabulary.ids[split.left], tok.vocabulary.ids[split.right]} <= kept


def test_a_larger_size_keeps_what_a_smaller_one_uses() -> None:
    tok = bundled("gpt-2")
    counts = counts_of(tok, texts("German"))
    used = set(np.flatnonzero(counts).tolist())
    shares = [len(used & set(chosen(tok, counts, size))) for size in (500, 1_000, 2_000, 4_000)]
    assert shares == sorted(shares)
    assert shares[-1] == len(used)
    assert 33_000 in chosen(tok, counts, 4_000, first=[33_000])


def test_the_command_writes_what_a_model_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "config.json").write_text('{"vocab_size": 50304, "eos_token_id": 50256, "n_embd": 8}')
    (tmp_path / "keep.txt").write_text("antidisestablishmentarianism\n")
    out = tmp_path / "out"
    status, lines, _ = run(capsys, "trim", "gpt-2", "--corpus", SAMPLE, "--label", "label",
                           "--keep-languages", "German", "--size", "3000", "--keep", tmp_path / "keep.txt",
                           "--config", tmp_path / "config.json", "--output", out)  # fmt: skip
    assert status == 0
    assert any(line.startswith("German") for line in lines)
    map_json = {int(old): new for old, new in json.loads((out / "map.json").read_text()).items()}
    arrays = np.load(out / "map.npz")
    assert dict(zip(arrays["old"].tolist(), arrays["new"].tolist(), strict=True)) == map_json
    changes = json.loads((out / "config_changes.json").read_text())
    assert changes == {"vocab_size": 3001, "eos_token_id": map_json[50256], "special_tokens": {"<|endoftext|>": 3000}}
    before, after = bundled("gpt-2"), open_bytes((out / "tokenizer.json").read_bytes(), "t", None)
    for text in ("antidisestablishmentarianism", *texts("German")[::2]):
        assert after.encode(text).ids == [map_json[id] for id in before.encode(text).ids]
    assert (
        main(["trim", "gpt-2", "--corpus", str(SAMPLE), "--label", "label", "--keep-languages", "x", "--size", "9"])
        == 1
    )


@pytest.mark.parametrize("config", ["[1]", '{"vocab_size": "__import__(1)"}', '{"vocab_size": true}', "{"])
def test_a_config_that_is_none_is_refused_before_anything_is_written(
    config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(config)
    (tmp_path / "a.txt").write_text("a text")
    ask = ["trim", "gpt-2", "--corpus", str(tmp_path / "a.txt"), "--size", "300", "--output", str(tmp_path / "out")]
    assert main([*ask, "--config", str(tmp_path / "config.json")]) == 1
    assert "config.json" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert config_changes({"eos_token_id": [{}, "1"]}, {1: 0}) == {"eos_token_id": [None, None]}


def test_a_config_names_the_new_ids() -> None:
    assert config_changes({"pad_token_id": None, "bos_token_id": 3, "eos_token_id": [4, 9]}, {3: 0, 4: 1}) == {
        "bos_token_id": 0, "eos_token_id": [1, None],
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("kind", ["F32", "BF16"])
def test_the_script_cuts_the_embeddings_of_a_model(kind: str, tmp_path: Path) -> None:
    tok, width, rows = bundled("gpt-2"), 4, 50_304
    kept = chosen(tok, counts_of(tok, texts("English")), 1_000)
    file, data = file_of(catalog()["gpt-2"])
    result = trimmed(tok, data, file.name, kept)
    for name, content in companions(tok, result.ids, {"vocab_size": rows}).items():
        (tmp_path / name).write_bytes(content)
    size = 4 if kind == "F32" else 2
    rng = np.random.default_rng(0)
    tensors = {
        "embed.weight": ([rows, width], rng.bytes(rows * width * size)),
        "lm_head.bias": ([rows], rng.bytes(rows * size)),
        "layer.weight": ([width, width], rng.bytes(width * width * size)),
    }
    (tmp_path / "model.safetensors").write_bytes(written(tensors, kind))
    files = "model.safetensors", "out.safetensors"
    subprocess.run([python(5), "cut_embeddings.py", *files], cwd=tmp_path, check=True)
    cut = contents((tmp_path / "out.safetensors").read_bytes())
    assert {name: each[0] for name, each in cut.items()} == {
        "embed.weight": ("BF16" if kind == "BF16" else "F32", [len(kept), width]),
        "lm_head.bias": (kind, [len(kept)]),
        "layer.weight": (kind, [width, width]),
    }
    assert cut["layer.weight"][1] == tensors["layer.weight"][1]
    for name in ("embed.weight", "lm_head.bias"):
        before = np.frombuffer(tensors[name][1], np.uint8).reshape(rows, -1)
        after = np.frombuffer(cut[name][1], np.uint8).reshape(len(kept), -1)
        for old, new in result.ids.items():
            assert (after[new] == before[old]).all()


def written(tensors: dict[str, tuple[list[int], bytes]], kind: str) -> bytes:
    """A safetensors file: a header in JSON with its length in front, then the data."""
    header, at = {}, 0
    for name, (shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    head = json.dumps(header).encode()
    return len(head).to_bytes(8, "little") + head + b"".join(data for _, data in tensors.values())


def contents(data: bytes) -> dict[str, tuple[tuple[str, list[int]], bytes]]:
    """The tensors of a safetensors file."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    body = data[8 + size :]
    return {name: ((each["dtype"], each["shape"]), body[slice(*each["data_offsets"])])
            for name, each in header.items() if name != "__metadata__"}  # fmt: skip
