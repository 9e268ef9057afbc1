"""A model's folder opens as one tokenizer from a path, from a cache of links, or from several files at once."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.analysis.card import about, card
from explorer.cli.main import main
from explorer.corpus.counter import digest
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.opening.formats import open_files
from tests.formats.gguf_writer import written as gguf
from tests.meaning import mentions
from tests.ui.small_files import MERGES_TXT, VOCAB_JSON, tokenizer_json

SMALL = tokenizer_json()


def written(folder: Path, **files: Any) -> Path:
    """Writes a folder with these files, named without .json; values other than bytes are written as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        (folder / (name if "." in name else f"{name}.json")).write_bytes(data)
    return folder


def facts(tokenizer: explorer.Tokenizer, kind: FactKind) -> dict[str, str]:
    """The facts of a kind, as place → sentence."""
    return {fact.place: fact.says for fact in tokenizer.facts if fact.kind is kind}


def test_a_folder_is_opened_by_its_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "my model", tokenizer=SMALL, config={"vocab_size": 7}, generation_config={})
    tokenizer = explorer.load(folder)
    assert (tokenizer.name, tokenizer.encode("abc ab").ids) == ("my model", [4, 3])
    assert explorer.load(f"{folder}@llama.cpp", pre="gpt-2").implementation == "llama.cpp"
    assert main(["encode", "-m", f"{folder}@huggingface", "abc"]) == 0
    assert capsys.readouterr().out == "4\n"


def test_symbolic_links_of_a_cache_are_followed(tmp_path: Path) -> None:
    blobs = written(tmp_path / "blobs", **{"1.x": SMALL, "2.x": json.dumps({"vocab_size": 9}).encode()})
    snapshot = tmp_path / "snapshots" / "0123"
    snapshot.mkdir(parents=True)
    (snapshot / "tokenizer.json").symlink_to(blobs / "1.x")
    (snapshot / "config.json").symlink_to("../../blobs/2.x")
    (snapshot / "special_tokens_map.json").symlink_to("../../blobs/gone")
    tokenizer = explorer.load(snapshot)
    assert tokenizer.encode("abc").ids == [4]
    assert "config.json: vocab_size" in facts(tokenizer, FactKind.WARNING)


def test_several_files_open_as_one_model_in_any_order() -> None:
    files = {"config.json": b'{"vocab_size": 6}', "tokenizer.json": SMALL, "tokenizer_config.json": b"{}"}
    for order in (files, dict(reversed(files.items()))):
        tokenizer = open_files(order, "huggingface")
        assert tokenizer.encode("abc").ids == [4]
        assert "config.json: vocab_size" in facts(tokenizer, FactKind.WARNING)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (6, "The model has 6 rows for tokens, but ids go up to 6: token 6 has no row. A text with it makes"),
        (4, "The model has 4 rows for tokens, but ids go up to 6: 3 tokens from id 4 on have no row. A text with one"),
        (1, "The model has 1 row for tokens, but ids go up to 6: 6 tokens from id 1 on have no row."),
        (8, "The model has 8 rows for tokens, but ids go up to 6: row 7 has no token. Often it only pads"),
        (10, "The model has 10 rows for tokens, but ids go up to 6: 3 rows from 7 on have no token. Often they only"),
        (7, ""),
    ],
)
@pytest.mark.sample(6)
def test_rows_of_the_model_are_compared_with_the_ids(tmp_path: Path, rows: int, says: str) -> None:
    tokenizer = explorer.load(written(tmp_path / "x", tokenizer=SMALL, config={"vocab_size": rows}))
    found = facts(tokenizer, FactKind.WARNING).get("config.json: vocab_size", "")
    assert found.startswith(says)
    assert bool(found) == bool(says)
    assert (len(tokenizer.vocabulary), bool(says)) == (7, rows != 7)


def test_the_vocabulary_is_found_by_name_or_by_content(tmp_path: Path) -> None:
    both = written(tmp_path / "both", tokenizer=SMALL, vocab=VOCAB_JSON, **{"merges.txt": MERGES_TXT})
    assert explorer.load(both).encode("abc ab").ids == [4, 3]
    other = written(tmp_path / "other", own=SMALL, config={}, **{"notes.txt": b"notes", "model.safetensors": b"{"})
    assert explorer.load(other).encode("abc").ids == [4]
    slow = written(tmp_path / "slow", vocab=VOCAB_JSON, added_tokens={"<x>": 5}, **{"merges.txt": MERGES_TXT})
    assert explorer.load(slow, "huggingface").encode("abc").ids == [4]


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "no file in this folder is a vocabulary"),
        ({"config": {}, "tokenizer_config": {}}, "no file in this folder is a vocabulary"),
        ({"a": SMALL, "b": SMALL}, "2 of its files are vocabularies: a.json, b.json; give one of them"),
        ({"tokenizer": SMALL, "tokenizer_config": {"bos_token": 5}}, "tokenizer_config.json: bos_token is 5"),
        ({"tokenizer": SMALL, "config": b"\xff"}, "config.json: byte offset 0 is not UTF-8"),
    ],
)
def test_unusable_folders_are_refused(tmp_path: Path, files: Mapping[str, Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        explorer.load(written(tmp_path / "x", **files))
    assert says in str(caught.value)


def test_a_settings_file_alone_is_not_a_tokenizer(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", tokenizer=SMALL, tokenizer_config={}, added_tokens={"<x>": 5})
    for name in ("tokenizer_config.json", "added_tokens.json"):
        with pytest.raises(InputError, match="whole folder"):
            explorer.load(folder / name)
    with pytest.raises(InputError, match="whole folder"):
        open_files({"tokenizer_config.json": b"{}"}, None)
    with pytest.raises(InputError, match="none is"):
        open_files({"tokenizer_config.json": b"{}", "config.json": b"{}"}, None)
    with pytest.raises(InputError, match="none is"):
        open_files({"tokenizer_config.json": b"{}", "config.json": b"{}"}, None)


def test_the_card_says_what_each_file_is_used_for(tmp_path: Path) -> None:
    files = {
        "tokenizer": SMALL, "special_tokens_map": {}, "config": {"auto_map": {"AutoModel": "x.Y"}, "vocab_size": 7},
        "tokenizer_config": {"chat_template": "{{ messages }}", "auto_map": {"AutoTokenizer": ["evil.py", None]}},
        "chat_template.jinja": b"{{ messages }}",
    }  # fmt: skip
    folder = written(tmp_path / "x", **files)
    tokenizer = explorer.load(folder, "huggingface")
    unused = facts(tokenizer, FactKind.UNUSED)
    assert unused["special_tokens_map.json"] == "huggingface does not read it."
    assert "never run" in unused["tokenizer_config.json: auto_map"]
    assert "never run" in unused["config.json: auto_map"]
    assert "chat template" in unused["tokenizer_config.json: chat_template"]
    assert "chat template" in unused["chat_template.jinja"]
    found = dict(card(tokenizer, about(str(folder))).about)
    assert found["files"] == "tokenizer.json, tokenizer_config.json, special_tokens_map.json, config.json"


def test_a_corpus_job_identifies_a_folder_by_all_its_files(tmp_path: Path) -> None:
    folder = written(tmp_path / "x", tokenizer=SMALL, tokenizer_config={})
    before = digest(str(folder))
    written(folder, tokenizer_config={"add_bos_token": True})
    after = digest(str(folder))
    written(folder, preprocessor_config={})
    assert before != after == digest(str(folder))


def test_facts_about_the_settings_transformers_uses(tmp_path: Path) -> None:
    config = {
        "tokenizer_class": "GPT2Tokenizer", "add_bos_token": True, "clean_up_tokenization_spaces": True,
        "pad_token": "<pad>", "own_key": 1, "model_max_length": 9, "legacy": True,
    }  # fmt: skip
    folder = written(
        tmp_path / "x", tokenizer=SMALL, tokenizer_config=config, special_tokens_map={"sep_token": "ab"},
        added_tokens={"<x>": 7}, config={"vocab_size": 8}, vocab=VOCAB_JSON,
    )  # fmt: skip
    tokenizer = explorer.load(folder)
    assert tokenizer.implementation == "transformers-5", "the newest is the default where there are settings"
    used, unused, warned = (facts(tokenizer, kind) for kind in (FactKind.USED, FactKind.UNUSED, FactKind.WARNING))
    assert mentions(
        used["tokenizer_config.json: tokenizer_class"], "transformers 5.23.0 runs this folder as GPT2Tokenizer."
    )
    assert mentions(used["special_tokens_map.json"], "1 entry of it is used.")
    assert mentions(used["added_tokens.json"], "1 entry of it is used.")
    assert "does not clean up" in unused["tokenizer_config.json: clean_up_tokenization_spaces"]
    assert "ignores it" in unused["tokenizer_config.json: add_bos_token"]
    assert "own_key" in unused["tokenizer_config.json"]
    assert mentions(unused["vocab.json"], "It is not read: the vocabulary is that of tokenizer.json.")
    assert "pre-tokenizer" in unused["tokenizer.json: pre_tokenizer"]
    assert "<pad>" in used["tokenizer_config.json"]
    assert "rows" in warned["config.json: vocab_size"]
    (folder / "config.json").unlink()
    assert "<pad>" in facts(explorer.load(folder), FactKind.WARNING)["tokenizer_config.json"]
    shown = card(explorer.load(folder, "transformers-4"), about(str(folder)))
    said = {fact.says for _, facts in shown.topics for fact in facts}
    assert "clean_up_tokenization_spaces is true in tokenizer_config.json." not in said, (
        "a fact about the decoder says it"
    )
    assert "Spaces before punctuation and contractions are removed last." in said
    assert "legacy is set and changes nothing." in {fact.says for fact in shown.unused}


@pytest.mark.parametrize("parts", [1, 2, 12])
def test_a_folder_of_a_gguf_in_parts_opens_its_first(parts: int, tmp_path: Path) -> None:
    keys = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "gpt-2", "tokenizer.ggml.tokens": [b"a", b"b"],
            "tokenizer.ggml.token_type": array("i", [1, 1]), "tokenizer.ggml.merges": []}  # fmt: skip
    for part in range(parts):
        whole: dict[str, Any] = {"split.no": part, "split.count": parts} | (keys if part == 0 else {})
        (tmp_path / f"m-{part + 1:05}-of-{parts:05}.gguf").write_bytes(gguf({"general.architecture": "llama"} | whole))
    (tmp_path / "mmproj-m.gguf").write_bytes(gguf({"general.architecture": "clip"}))
    assert explorer.load(tmp_path).encode("ab").ids == [0, 1]
