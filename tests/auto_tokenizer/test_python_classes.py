"""Classes without a vocabulary file: what they do, and live parity with both versions of `transformers`."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.answers.offers import Upload, group_uploads, upload_offer
from explorer.errors import InputError
from explorer.opening.formats import open_files
from explorer.script.script import window_of
from explorer.stages.table import kind_of
from tests.auto_tokenizer.comparing import differences, originals, texts

Files = dict[str, dict[str, Any]]

MARKED = ["<extra_id_1>", "</s>", "<pad>", "<x>", "ab", "bcd", "b", "abcde", " [M] ", "\ue003", "\ue000", "\0", "[CLS]"]
"""Spellings that are added tokens of some folder."""


def added(content: str, **flags: bool) -> dict[str, Any]:
    """An added token as tokenizer_config.json writes it."""
    defaults = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized", "special"), False)
    return {"content": content, **defaults, **flags}


OVERLAPPING = {
    str(400 + at): added(content, lstrip=bool(at & 1), rstrip=bool(at & 2), special=bool(at & 4))
    for at, content in enumerate(("ab", "bcd", "b", "abcde", " [M] ", "<x>", "cab", " "))
}
TWO = ["<extra_id_0>", "<extra_id_1>"]
SETTINGS: dict[str, Files] = {
    "bare": {},
    "listed": {"tokenizer_config.json": {"extra_ids": 2, "additional_special_tokens": TWO}},
    "none": {"tokenizer_config.json": {"extra_ids": 0}},
    "wrong": {"tokenizer_config.json": {"extra_ids": 3, "additional_special_tokens": TWO}},
    "null": {"tokenizer_config.json": {"eos_token": None}},
    "other": {"tokenizer_config.json": {"extra_ids": 0, "additional_special_tokens": ["<x>", "abcde"],
                                        "eos_token": "ab", "cls_token": "[CLS]"}},
    "flags": {"tokenizer_config.json": {"eos_token": {"__type": "AddedToken", **added("</s>", normalized=True)},
                                        "mask_token": {"__type": "AddedToken", **added("<x>", lstrip=True)}}},
    "overlap": {"tokenizer_config.json": {"added_tokens_decoder": OVERLAPPING, "extra_ids": 0}},
    "letter": {"tokenizer_config.json": {"additional_special_tokens": ["b"], "extra_ids": 0}},
    "moved": {"tokenizer_config.json": {"added_tokens_decoder": {"420": added("b", special=True)}}},
    "split": {"tokenizer_config.json": {"split_special_tokens": True}},
    "clean": {"tokenizer_config.json": {"clean_up_tokenization_spaces": True}},
    "files": {"special_tokens_map.json": {"mask_token": "[CLS]", "additional_special_tokens": ["<x>", "bcd"]},
              "added_tokens.json": {"<y>": 450}, "tokenizer_config.json": {"extra_ids": 0}},
    "extra": {"tokenizer_config.json": {"extra_special_tokens": {"boi_token": "<x>"}}},
    "extra-list": {"tokenizer_config.json": {"extra_special_tokens": ["<x>"]}},
}  # fmt: skip
KINDS = ("ByT5Tokenizer", "CanineTokenizer")


def folder_of(kind: str, name: str, tmp_path: Path) -> Path:
    """A folder with these settings."""
    folder = tmp_path / f"{kind}.{name}"
    folder.mkdir()
    for file, content in ({"tokenizer_config.json": {}} | SETTINGS[name]).items():
        whole = {"tokenizer_class": kind, **content} if file == "tokenizer_config.json" else content
        (folder / file).write_text(json.dumps(whole))
    return folder


def hostile(count: int) -> list[str]:
    """Nasty texts, and texts full of added tokens with white space around them."""
    draw = random.Random(5)
    parts = [*MARKED, *" \t\n\u00a0\u3000\x1c\x85aébc<漢🤗\ue002", "cab", "[MASK]"]
    made = ["".join(draw.choices(parts, k=draw.randrange(1, 12))) for _ in range(count)]
    return [*texts(count), *made]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("version", [5, 4])
def test_ids_and_decoding_are_the_originals(version: int, kind: str, tmp_path: Path) -> None:
    folders = [folder_of(kind, name, tmp_path) for name in SETTINGS]
    asked = hostile(60)
    wrong: list[str] = []
    opened = 0
    for folder, theirs in zip(folders, originals(version, folders, asked), strict=True):
        opened += "error" not in theirs
        wrong += differences(version, folder, theirs, asked)
    assert wrong[:10] == []
    assert opened >= len(SETTINGS) - 3


@pytest.mark.parametrize("version", [5, 4])
def test_a_byte_is_its_value_plus_three(version: int, tmp_path: Path) -> None:
    tok = explorer.load(folder_of("ByT5Tokenizer", "bare", tmp_path), f"transformers-{version}")
    assert tok.encode("aé").ids == [byte + 3 for byte in "aé".encode()] + [1]
    assert tok.encode("a </s> ").ids == [100, 1]
    assert tok.encode("<extra_id_0>", add_special=False).ids == [259]
    assert tok.decode([198, 100, 172]) == "a"
    assert tok.decode([100, 259, 100]) == ("a <extra_id_0> a" if version == 4 else "a<extra_id_0>a")
    spans = tok.encode("é a", add_special=False).spans
    assert spans == [(0, 1), (0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("version", [5, 4])
def test_a_character_is_its_code_point(version: int, tmp_path: Path) -> None:
    tok = explorer.load(folder_of("CanineTokenizer", "bare", tmp_path), f"transformers-{version}")
    assert tok.encode("aé").ids == [0xE000, ord("a"), ord("é"), 0xE001]
    # version 5 loses the flag by which the mask strips white space before it
    assert tok.encode("a \ue003", add_special=False).ids == [ord("a"), *[0x20] * (version == 5), 0xE003]
    assert tok.decode([0xE002, 0x1F917, 0xE001], remove_special=False) == "[BOS]🤗\ue001"
    with pytest.raises(InputError, match="55296 is an id"):
        tok.decode([0xD800])


def test_every_stage_is_drawn(tmp_path: Path) -> None:
    for kind in KINDS:
        tok = explorer.load(folder_of(kind, "bare", tmp_path))
        trace = tok.trace("aé </s>")
        window = window_of(trace)
        for stage in trace.stages:
            script = kind_of(stage).script(stage, tok.vocabulary, window, trace)
            assert all(map(script.sentence, range(1, len(script.events) + 1)))


def test_settings_given_together_are_a_tokenizer() -> None:
    files = {"tokenizer_config.json": b'{"tokenizer_class": "ByT5Tokenizer"}', "config.json": b'{"model_type": "t5"}'}
    assert open_files(files, None).encode("a").ids == [100, 1]
    with pytest.raises(InputError, match="BertTokenizer"):
        open_files({"tokenizer_config.json": b'{"tokenizer_class": "BertTokenizer"}'}, None)


def test_a_vocabulary_beside_such_a_class_is_refused(tmp_path: Path) -> None:
    folder = folder_of("ByT5Tokenizer", "bare", tmp_path)
    (folder / "vocab.json").write_text('{"a": 0}')
    with pytest.raises(InputError, match="has no vocabulary file, and this folder has one"):
        explorer.load(folder, "transformers-5")


def test_uploaded_settings_of_such_a_class_are_an_offer() -> None:
    config = Upload("tokenizer_config.json", b'{"tokenizer_class": "CanineTokenizer"}')
    found = group_uploads([Upload("config.json", b"{}"), config])
    assert [[file.name for file in group] for group in found.groups] == [["tokenizer_config.json", "config.json"]]
    assert upload_offer(found.groups[0]).open("transformers-5", {}).encode("a").ids == [0xE000, 97, 0xE001]
    other = Upload("tokenizer_config.json", b'{"tokenizer_class": "BertTokenizer"}')
    assert group_uploads([other]).unclaimed == [other]


def test_a_folder_without_the_vocabulary_of_its_class_is_refused(tmp_path: Path) -> None:
    """The class has one, so the folder lacks it."""
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"}))
    with pytest.raises(InputError, match="no file in this folder is a vocabulary"):
        explorer.load(tmp_path)
