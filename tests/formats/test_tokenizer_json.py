"""Reading tokenizer.json, with one clear error for anything else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.formats import strict_json, tokenizer_json
from explorer.formats.tokenizer_json import read, vocabulary_ids
from explorer.opening.formats import open_files
from tests.meaning import mentions

BPE = {"type": "BPE", "vocab": {"a": 0}, "merges": []}
TOKEN = {"id": 1, "content": "<s>", "special": True}


def written(**parts: object) -> bytes:
    return json.dumps({"model": BPE} | parts).encode()


def test_the_parts_are_read() -> None:
    file = read(written(added_tokens=[TOKEN], normalizer={"type": "NFC"}, pre_tokenizer=None))
    assert file.model_type == "BPE"
    assert (file.added_tokens[0].id, file.added_tokens[0].special, file.added_tokens[0].lstrip) == (1, True, False)
    assert file.normalizer == {"type": "NFC"}
    assert file.pre_tokenizer is file.decoder is None
    assert vocabulary_ids(file.model) == {"a": 0}


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ({"vocab": {}, "merges": []}, "BPE"),
        ({"vocab": []}, "Unigram"),
        ({"vocab": {}, "unk_token": "", "continuing_subword_prefix": "##"}, "WordPiece"),
        ({"vocab": {}, "unk_token": ""}, "WordLevel"),
    ],
)
def test_old_files_do_not_say_the_type(model: object, kind: str) -> None:
    assert read(written(model=model)).model_type == kind


def test_a_byte_order_mark_and_escaped_pairs_are_read() -> None:
    escaped = b'\xef\xbb\xbf{"model": {"type": "BPE", "vocab": {"\\ud83d\\ude0a": 0, "\\\\ud83d": 1}}}'
    assert read(escaped).model["vocab"] == {"😊": 0, "\\ud83d": 1}


def test_a_path_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(b"{")
    with pytest.raises(InputError, match=r"^tokenizer\.json: .*JSON"):
        read(path)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "not JSON"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "the object 'model' is missing"),
        (b"{}", "the object 'model' is missing"),
        (written(normalizer=[]), "normalizer is not an object with a type"),
        (written(decoder={"type": 3}), "decoder is not an object"),
        (written(model={"type": 4}), "model.type is 4"),
        (written(model={"vocab": {}}), "model.type is missing"),
        (written(version="2.0"), "version is '2.0'"),
        (b'{"model": {"vocab": {"a": 0, "b": 1, "a": 2}}}', "the key 'a' occurs twice in one object"),
        (b'{"model": {"x": NaN}}', "NaN is not a number"),
        (b'{"model": {"x": -Infinity}}', "-Infinity is not a number"),
        (b'{"model": {"x": "\\ud800"}}', "byte offset 17: half of a surrogate pair"),
        (b'{"model": {"x": "\\ud83d\\ude00\\uDE00"}}', "byte offset 29: half of a surrogate pair"),
        ("\ufeff{}".encode("utf-16-le"), "not UTF-8"),
        (written(added_tokens={}), "added_tokens is not a list"),
        (written(added_tokens=[{"id": True, "content": ""}]), r"added_tokens\[0\]"),
        (written(added_tokens=[{"id": -1, "content": ""}]), r"added_tokens\[0\]"),
        (written(added_tokens=[TOKEN, {"id": 10**9, "content": ""}]), r"added_tokens\[1\]"),
        (written(added_tokens=[TOKEN | {"lstrip": "no"}]), r"added_tokens\[0\]\.lstrip"),
    ],
)
def test_errors_name_the_key(data: bytes, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read(data, "f")
    assert "\n" not in str(caught.value)


def test_oversized_json_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(data: bytes) -> str:
        with pytest.raises(InputError) as caught:
            read(data, "f")
        return str(caught.value)

    def inside(value: str) -> bytes:
        return f'{{"model": {{"x": {value}}}}}'.encode()

    assert "thousands of digits" in refused(inside("9" * 5000))
    for depth in (100, 10_000, 100_000):
        assert "nested too deeply" in refused(inside("[" * depth + "]" * depth))
        assert "nested too deeply" in refused(inside('{"a":' * depth + "1" + "}" * depth))
    monkeypatch.setattr(strict_json, "MAX_VALUES", 1_000)
    assert mentions(refused(inside("[" + "1," * 1_000 + "1]")), "more than 1000 values")
    monkeypatch.setattr(strict_json, "MAX_FILE", 20)
    assert mentions(refused(inside("1234567")), "more than a tokenizer.json has (at most 20)")


def test_too_many_entries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_json, "MOST_PIECES", 2)
    for key, entries in (("vocab", {"a": 0, "b": 1, "c": 2}), ("vocab", [[]] * 3), ("merges", ["a b"] * 3)):
        with pytest.raises(InputError, match=rf"f: .*{key}.*3.*2"):
            read(written(model=BPE | {key: entries}), "f")


@pytest.mark.parametrize(
    "vocab", [[], {}, {"a": "0"}, {"a": -1}, {"a": True}, {"a": 10**9}, {"a": 0.0}, {"a": 1, "b": 1}, None]
)
def test_an_invalid_vocabulary_is_named(vocab: object) -> None:
    with pytest.raises(InputError, match=r"model\.vocab"):
        vocabulary_ids({"vocab": vocab})


@pytest.mark.parametrize(
    "data", [b'{"model": 12}', b'{"model": null}', b'{"version": 1.0, "model": {}}', b'{"version": 1}']
)
def test_a_number_in_place_of_a_section_is_a_fault_of_this_format(data: bytes) -> None:
    """Not of a vocab.json, which begins with a number, too."""
    with pytest.raises(InputError, match=r"model|version") as caught:
        open_files({"tokenizer.json": data}, None)
    assert "merges" not in str(caught.value)
