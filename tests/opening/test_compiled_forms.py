"""A file opened from its compiled form is the file read anew; what is not to be kept leaves nothing."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.compiled import kept
from explorer.engine.models.bpe import Bpe, MergeKeys, MergeList
from explorer.engine.models.unigram import Unigram
from explorer.errors import InputError
from explorer.formats import gguf, rwkv, sentencepiece_model, strict_json, tiktoken_ranks
from explorer.implementations.opened import Opened
from explorer.opening import compiled_forms
from explorer.opening.catalog import catalog, file_of
from explorer.opening.compiled_forms import RARE, by_piece, numbered
from explorer.opening.formats import open_bytes, open_files, open_path
from explorer.vocabulary import SortedIds
from tests.engine.charsmap_writer import charsmap
from tests.formats.sentencepiece_writer import message, model
from tests.implementations.llama_cpp.test_ugm import RULES, metadata, written

TEXTS = (
    "What is LoRA?",
    "  The quick\n\n12345 brown\u0301 fox \U0001f98a",
    "<|endoftext|>naïve <|eot_id|> 日本語",
    "\x00\xff\ud7ff",
)


@pytest.fixture(autouse=True)
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of forms, which is empty."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / kept.FOLDER / "forms"


def same(one: Opened, other: Opened) -> None:
    for each in ("pieces", "kinds", "ids"):
        assert getattr(one.vocabulary, each) == getattr(other.vocabulary, each), each
    assert list(one.vocabulary.ids) == list(other.vocabulary.ids), "in the same order"
    assert [*one.vocabulary.scores] == [*other.vocabulary.scores]
    assert (one.facts, one.origin, one.choosable) == (other.facts, other.origin, other.choosable)
    assert list(map(type, one.parts)) == list(map(type, other.parts))
    for part, beside in zip(one.parts, other.parts, strict=True):
        if isinstance(part, Bpe) and isinstance(part.rule, MergeList):
            assert isinstance(beside, Bpe)
            assert isinstance(beside.rule, MergeList)
            assert part.rule.ranks == beside.rule.ranks
        if isinstance(part, Unigram):
            assert isinstance(beside, Unigram)
            assert (part.rules, part.lengths) == (beside.rules, beside.lengths)
    for text in TEXTS:
        assert one.encode(text).tokens == other.encode(text).tokens
        assert one.trace(text).ids == other.trace(text).ids


def refuses(*_: object, **__: object) -> Any:
    raise AssertionError("the file is read although it has a form")


OPENED = {
    "gpt-2": (strict_json, "read"), "llama-3": (strict_json, "read"), "qwen2.5": (strict_json, "read"),
    "cl100k_base": (tiktoken_ranks, "read"), "o200k_base": (tiktoken_ranks, "read"), "rwkv-world": (rwkv, "read"),
    "bert-uncased": (strict_json, "read"), "llama-2": (gguf, "read"), "xlm-r": (gguf, "read"),
    "mistral-v1": (sentencepiece_model, "read"),
}  # fmt: skip
"""Model → who reads its file, where that has no form."""


@pytest.mark.parametrize("name", OPENED)
def test_a_bundled_file_is_opened_from_its_form_as_from_itself(
    name: str, monkeypatch: pytest.MonkeyPatch, forms: Path
) -> None:
    model = catalog()[name]
    file, data = file_of(model)

    def load() -> Opened:
        return open_bytes(data, name, model.implementations[0], {}, file, keeps=True)

    with monkeypatch.context() as patch:
        patch.setattr(compiled_forms, "SMALLEST", 1 << 40)
        read = load()
    assert not forms.exists()
    same(load(), read)
    (form,) = forms.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(*OPENED[name], refuses)
        same(load(), read)
    form.write_bytes(form.read_bytes()[:-1] + b"?")
    same(load(), read)
    with monkeypatch.context() as patch:
        patch.setattr(compiled_forms, "version", lambda: "later")
        load()
    assert len([*forms.iterdir()]) == 2, "other code has a form of its own"


def test_the_merges_of_a_form_are_those_of_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_forms, "SMALLEST", 0)
    whole = toy()
    form = compiled_forms.json_form(json.loads(json.dumps(whole)), "toy")
    again = compiled_forms.json_of(*form)
    assert list(again) == list(whole)
    assert list(again["model"]) == list(whole["model"])
    assert again["model"].pop("merges").keys == b"a\xffb\xfeab\xffc\xfe"
    assert len(again["model"]["vocab"]) == len(whole["model"]["vocab"])
    again["model"]["vocab"] = dict(again["model"]["vocab"])
    del whole["model"]["merges"]
    assert again == whole


@given(pairs=st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["a", "b", "bc", "\u00e9"])), max_size=20))
def test_a_pair_is_found_among_the_keys_as_in_the_table_of_all(pairs: list[tuple[str, str]]) -> None:
    listed = [(left.encode(), right.encode()) for left, right in pairs]
    keys = b"".join(b"%b\xff%b\xfe" % pair for pair in listed)
    found = MergeKeys(*MergeKeys(keys).stored())
    for pair in [*listed, (b"a", b"x"), (b"", b""), (b"\xf0", b"")]:
        assert found.rank(*pair) == MergeKeys(keys).rank(*pair)
    assert type(found.ranks) is (SortedIds if pairs else dict)
    assert [found.each[rank] for rank in range(len(pairs))] == [*found.each]
    assert found.ranks == MergeKeys(keys).ranks


def toy(**model: Any) -> dict[str, Any]:
    vocab = {"c": 2, "a": 0, "b": 1, "ab": 5, "abc": 4, "\n \U0001f98a": 7}
    return {
        "version": "1.0", "added_tokens": [], "decoder": None, "truncation": None,
        "model": {"type": "BPE", "dropout": None, "vocab": vocab, "merges": ["a b", "ab c"], "unk_token": "c"} | model,
    }  # fmt: skip


UNIGRAM = {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.5], ["b", -0.9385958677423489]]}


@pytest.mark.parametrize(
    "whole",
    [
        toy(),
        toy(continuing_subword_prefix="##", merges=[]),
        {"version": "1.0", "model": UNIGRAM},
        {"version": "1.0", "model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "abc": 1, "##ab": 2}, "merges": []}},
        {"version": "1.0", "model": {"type": "WordLevel", "vocab": {"<unk>": 3, "abcab": 1}}},
    ],
    ids=["bpe", "prefix", "unigram", "word piece", "word level"],
)
def test_a_file_of_ones_own_is_opened_as_its_upload_which_leaves_nothing(
    whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forms: Path
) -> None:
    monkeypatch.setattr(compiled_forms, "SMALLEST", 0)
    data = json.dumps(whole).encode()
    uploaded = open_files({"tokenizer.json": data}, "huggingface")
    assert not forms.exists()
    path = tmp_path / "tokenizer.json"
    path.write_bytes(data)
    for _ in range(2):
        opened = open_path(path, "huggingface")
        assert (opened.vocabulary.pieces, opened.facts) == (uploaded.vocabulary.pieces, uploaded.facts)
        assert [*opened.vocabulary.scores] == [*uploaded.vocabulary.scores]
        assert opened.encode("abcab").tokens == uploaded.encode("abcab").tokens
    assert len([*forms.iterdir()]) == 1


KINDS = "tokenizer.ggml.token_type"
TOKENS = "tokenizer.ggml.tokens"
WITHOUT_KINDS = {key: value for key, value in metadata().items() if key != KINDS}
UNK, BYTES = ("<unk>", 0.0, 2), [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
BPE = message(f3=2)


def spelled(index: int, token: bytes) -> dict[str, Any]:
    """The keys of a GGUF, one of whose tokens is spelled otherwise."""
    keys: dict[str, Any] = metadata()
    keys[TOKENS][index] = token
    return keys


@pytest.mark.parametrize(
    ("data", "kept_of_it"),
    [
        (written(metadata(), charsmap(RULES)), True), (written(metadata(**{"general.tags": [b"a", b"b"]}), b""), True),
        (written(spelled(8, b""), b""), False), (written(spelled(8, b"zz\0b"), b""), False),
        (written(WITHOUT_KINDS, b""), False),
        (model(UNK, ("a", -1.0, 1), ("ab", -2.0, 1), ("b", -3.0, 1), ("c", 0.0, 4)), True),
        (model(UNK, ("a", -1.0, 1), normalizer=message(f1=b"o", f2=charsmap({"b": "a"}), f3=0), trainer=message(f3=4)),
         True),
        (model(UNK, ("a", -0.0, 1), ("b", 0.0, 1), ("ab", 0.0, 1), trainer=BPE), False),
        (model(UNK, ("a", -1.0, 1), ("b", -1.0, 1), ("b", 0.0, 3)), False),
        (model(UNK, *BYTES, ("ab", -1.0, 1), ("\0", 0.0, 1), trainer=message(f3=2, f35=1)), False),
    ],
    ids=range(10),
)  # fmt: skip
def test_a_vocabulary_that_was_checked_is_that_of_the_upload(
    data: bytes, kept_of_it: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, forms: Path
) -> None:
    monkeypatch.setattr(compiled_forms, "SMALLEST", 0)
    name = f"own.{'gguf' if data.startswith(b'GGUF') else 'model'}"
    uploaded = open_files({name: data}, None)
    path = tmp_path / name
    path.write_bytes(data)
    for _ in range(2):
        opened = open_path(path, None)
        same(opened, uploaded)
        for text in ("abcab", "ab\0 b", "[ux] <mask>c", "\ufb01A"):
            assert opened.encode(text).tokens == uploaded.encode(text).tokens
    (form,) = forms.iterdir()
    assert bool(kept.load(form)) == kept_of_it


def astray(rules: bytes) -> bytes:
    """A character map whose rules point after its strings."""
    units = array("I", rules[4 : 4 + int.from_bytes(rules[:4], "little")])
    for index, unit in enumerate(units):
        units[index] = unit | (0x7FFFFFFF if unit >> 31 else 0)
    return rules[:4] + units.tobytes() + rules[4 + 4 * len(units) :]


DAMAGED: tuple[Callable[[], bytes], ...] = (
    lambda: json.dumps(toy(merges=["a b", "x c"])).encode(),
    lambda: json.dumps(toy(merges=["a c"])).encode(),
    lambda: json.dumps(toy(vocab={"a": 1, "b": 1})).encode(),
    lambda: json.dumps(toy()).encode()[:-1],
    lambda: json.dumps(toy()).replace('"a"', '"\\ud800"').encode(),
    lambda: b"YQ== 0\nYg== 0\n",
    lambda: written(spelled(5, b"b"), b""),
    lambda: written(metadata(), charsmap(RULES)[:-1] + b"a"),
    lambda: written(metadata(), astray(charsmap(RULES))),
    lambda: written(metadata(**{"tokenizer.ggml.scores": array("f", [inf] * 18)}), b""),
    lambda: model(UNK, ("a", -1.0, 1), ("a", -1.0, 1)),
    lambda: model(UNK, ("a", inf, 1)),
    lambda: model(UNK, ("a", -1.0, 1))[:-1],
)


NAMES = {b"Y": "own.tiktoken", b"G": "own.gguf", b"\n": "own.model"}
"""First byte → the name of a file."""


@pytest.mark.parametrize("data", [each() for each in DAMAGED], ids=range(len(DAMAGED)))
def test_a_damaged_file_is_refused_each_time_in_the_same_words(
    data: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(compiled_forms, "SMALLEST", 0)
    name = NAMES.get(data[:1], "tokenizer.json")
    with pytest.raises(InputError) as expected:
        open_files({name: data}, None)
    path = tmp_path / name
    path.write_bytes(data)
    for _ in range(2):
        with pytest.raises(InputError) as refusal:
            open_path(path, None)
        assert str(refusal.value) == str(expected.value)


def test_pieces_come_back_whatever_they_are() -> None:
    pieces = [b"", b"\xff", b"\xff\x00", b"\xfe\xff\x00\xfe", b"\x00\xfe", b" ", b"\xff\x01"]
    ids = {piece: 3 * id for id, piece in enumerate(pieces)}
    assert by_piece(*numbered(ids)) == ids
    with pytest.raises(InputError):
        numbered(dict.fromkeys(RARE, 0))
    with pytest.raises(InputError):
        numbered({})


def test_every_bundled_file_has_a_form() -> None:
    assert {each.name for each in catalog().values() if each.path.stat().st_size >= compiled_forms.SMALLEST} == set(
        OPENED
    )
    assert set(OPENED) == set(catalog())
