"""What the kind of a tokenizer is called: of a BPE, by what it merges."""

from __future__ import annotations

import json
from typing import Any

import pytest

import explorer
from explorer.cli.main import main
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.opening.formats import open_files
from explorer.stages.spelling import kind_of
from tests.implementations.llama_cpp.toys import BYTES, CONTROL, NORMAL, UNKNOWN, keys_of

BYTE_LEVEL, CHARACTERS, SPACES = "byte-level BPE", "BPE on characters", "SentencePiece BPE"
SPLIT: Any = {"type": "Split", "pattern": {"Regex": r"\w+|\s+"}, "behavior": "Isolated", "invert": False}
SPELL: Any = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
MARK: Any = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
REPLACE: Any = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}


def of_json(pre: Any, normalizer: Any = None, **model: Any) -> explorer.Tokenizer:
    file = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": normalizer,
        "pre_tokenizer": pre,
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"], **model},
    }
    return open_files({"tokenizer.json": json.dumps(file).encode()}, None)


@pytest.mark.parametrize(("pre", "normalizer", "model", "kind"), [
    ({"type": "ByteLevel", "add_prefix_space": True}, None, {}, BYTE_LEVEL),
    (SPELL, None, {}, BYTE_LEVEL),
    ({"type": "Sequence", "pretokenizers": [SPLIT, SPELL]}, None, {}, BYTE_LEVEL),
    (None, {"type": "ByteLevel"}, {}, BYTE_LEVEL),
    (SPLIT, None, {}, CHARACTERS),
    (None, None, {}, CHARACTERS),
    ({"type": "Whitespace"}, {"type": "NFKC"}, {}, CHARACTERS),
    ({"type": "BertPreTokenizer"}, None, {"end_of_word_suffix": "</w>"}, CHARACTERS),
    (MARK, None, {}, SPACES),
    (MARK, {"type": "NFKC"}, {"byte_fallback": True}, SPACES),
    (None, REPLACE, {}, SPACES),
    (None, {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, REPLACE]}, {}, SPACES),
])  # fmt: skip
def test_a_tokenizer_json_is_called_by_what_it_merges(pre: Any, normalizer: Any, model: Any, kind: str) -> None:
    assert kind_of(of_json(pre, normalizer, **model)) == kind


@pytest.mark.parametrize(("model", "more", "kind"), [
    ("gpt2", {"pre": "gpt-2"}, BYTE_LEVEL),
    ("gpt2", {"pre": "llama-bpe"}, BYTE_LEVEL),
    ("gpt2", {"pre": "whitespace"}, CHARACTERS),
    ("gpt2", {"pre": "gemma4"}, SPACES),
    ("whitespace", {"pre": "whitespace"}, CHARACTERS),
    ("gemma4", {}, SPACES),
    ("llama", {}, SPACES),
])  # fmt: skip
def test_a_gguf_is_called_by_what_it_merges(model: str, more: dict[str, object], kind: str) -> None:
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("▁", -1.0, NORMAL), ("a", -2.0, NORMAL), *BYTES]
    keys: Any = keys_of(model, pieces, merges=[b"\xe2\x96\x81 a"], bos_token_id=1, eos_token_id=1, **more)
    assert kind_of(from_gguf(Gguf(3, 0, keys), "toy.gguf")) == kind


@pytest.mark.parametrize(("encoder", "kind"), [
    ("characters", CHARACTERS), ("metaspace", SPACES), ("byte-level", BYTE_LEVEL),
])  # fmt: skip
def test_two_files_are_called_by_the_chosen_encoder(encoder: str, kind: str) -> None:
    files = {"vocab.json": json.dumps({"a": 0, "b": 1, "ab": 2}).encode(), "merges.txt": b"a b\n"}
    assert kind_of(open_files(files, None, {"encoder": encoder})) == kind


def test_a_list_of_a_folder_calls_each_bpe_by_its_kind(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for name, pre in (("bytes", SPELL), ("characters", SPLIT), ("spaces", MARK)):
        file = {
            "version": "1.0",
            "added_tokens": [],
            "pre_tokenizer": pre,
            "model": {"type": "BPE", "vocab": {"a": 0, name: 1}, "merges": []},
        }
        (tmp_path / f"{name}.json").write_text(json.dumps(file))
    assert main(["models", "--in", str(tmp_path)]) == 0
    rows = dict(row.split(maxsplit=1) for row in capsys.readouterr().out.splitlines())
    for name, kind in (("bytes", BYTE_LEVEL), ("characters", CHARACTERS), ("spaces", SPACES)):
        assert kind in rows[f"{name}.json"]
