"""The models of tokenizer.json files against the original: every type and setting, and refused files."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import explorer
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from tests.originals.corpus import LINES
from tests.originals.generators import strings
from tests.originals.hugging_face import both, trained

SPECIAL = ["<unk>", "<s>", "</s>"]
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
TEXTS = [*LINES, *strings(41, 500)]


def learned(model: models.Model, trainer: trainers.Trainer, byte_level: bool = False) -> dict[str, Any]:
    """A file trained on the corpus, on words or on bytes."""
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = (
        pre_tokenizers.ByteLevel(add_prefix_space=False) if byte_level else pre_tokenizers.Split(" ", "isolated")
    )
    tokenizer.train_from_iterator(LINES, trainer)
    return trained(tokenizer)


def bpe(byte_level: bool = False, **settings: Any) -> dict[str, Any]:
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        special_tokens=SPECIAL,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if byte_level else [],
        **{key: value for key, value in settings.items() if key in ("continuing_subword_prefix", "end_of_word_suffix")},
    )
    return learned(models.BPE(**settings), trainer, byte_level)


def with_bytes(file: dict[str, Any], count: int = 256) -> dict[str, Any]:
    """The file with byte pieces appended."""
    vocab = file["model"]["vocab"]
    for piece in BYTES[:count]:
        if isinstance(vocab, dict):
            vocab[piece] = len(vocab)
        else:
            vocab.append([piece, -20.0])
    return file


def old(file: dict[str, Any]) -> dict[str, Any]:
    """The file in an older layout, with merges as lines and without a type."""
    model = file["model"]
    model["merges"] = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"] if " " not in "".join(pair))]
    del model["type"]
    return file


def unigram(**settings: Any) -> dict[str, Any]:
    trainer = trainers.UnigramTrainer(
        vocab_size=300, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False, shrinking_factor=0.5
    )
    file = learned(models.Unigram(), trainer)
    file["model"] |= settings
    return file


def word_piece(**settings: Any) -> dict[str, Any]:
    trainer = trainers.WordPieceTrainer(vocab_size=400, special_tokens=SPECIAL, show_progress=False)
    file = learned(models.WordPiece(unk_token="<unk>"), trainer)
    file["model"] |= settings
    return file


def word_level() -> dict[str, Any]:
    trainer = trainers.WordLevelTrainer(special_tokens=SPECIAL, show_progress=False)
    return learned(models.WordLevel(unk_token="<unk>"), trainer)


FILES = {
    "BPE": bpe,
    "BPE on bytes": lambda: bpe(True),
    "BPE, whole words first": lambda: bpe(True, ignore_merges=True),
    "BPE, unknown": lambda: bpe(unk_token="<unk>"),
    "BPE, unknown fused": lambda: bpe(unk_token="<unk>", fuse_unk=True),
    "BPE, bytes": lambda: with_bytes(bpe(unk_token="<unk>", fuse_unk=True, byte_fallback=True)),
    "BPE, not all bytes": lambda: with_bytes(bpe(unk_token="<unk>", byte_fallback=True), 0xE3),
    "BPE, bytes or nothing": lambda: with_bytes(bpe(byte_fallback=True), 0xC4),
    "BPE, prefix": lambda: bpe(unk_token="<unk>", continuing_subword_prefix="##"),
    "BPE, suffix": lambda: bpe(unk_token="<unk>", end_of_word_suffix="</w>"),
    "BPE, both": lambda: bpe(unk_token="<unk>", continuing_subword_prefix="•", end_of_word_suffix="</w>"),
    "BPE, old": lambda: old(bpe(True)),
    "WordPiece": word_piece,
    "WordPiece, short words": lambda: word_piece(max_input_chars_per_word=5),
    "WordPiece, other prefix": lambda: word_piece(continuing_subword_prefix=""),
    "Unigram": unigram,
    "Unigram, bytes": lambda: with_bytes(unigram(byte_fallback=True)),
    "Unigram, not all bytes": lambda: with_bytes(unigram(byte_fallback=True), 0xE3),
    "Unigram, odd unknown": lambda: unigram(unk_id=9),
    "WordLevel": word_level,
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FILES)
def test_ids_and_offsets_match_the_original(name: str) -> None:
    pair = both(FILES[name]())
    assert pair.differences(TEXTS) == []
    assert pair.differences(TEXTS[::5], parse_special=False) == []
    assert any(fact.kind == FactKind.USED and fact.place.startswith("model.") for fact in pair.ours.facts)


HAND = {"<unk>": 0, "a": 1, "b": 2, "c": 3, "ab": 4, "bc": 5, "abc": 6, "<0xC3>": 7, "<0xA9>": 8, "é": 9, " ": 10}
HAND_MERGES = [["a", "b"], ["b", "c"], ["ab", "c"], ["a", "b"], ["<unk>", "a"]]
HAND_VOCAB = HAND | {"<unk>a": 11}
LETTERS = ["a", "b", "c", "é", "è", "x", "漢", " ", "😊", "abc"]


@pytest.mark.sample(3)
@pytest.mark.parametrize("fallback", [False, True])
@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("unknown", [None, "<unk>"])
@pytest.mark.parametrize("drop", [[], ["é"], ["<0xC3>"]])
def test_unknown_characters_of_bpe_in_every_combination(
    fallback: bool, fuse: bool, unknown: str | None, drop: list[str]
) -> None:
    vocab = {piece: id for piece, id in HAND_VOCAB.items() if piece not in drop}
    model = {"type": "BPE", "vocab": vocab, "merges": HAND_MERGES, "unk_token": unknown, "fuse_unk": fuse}
    pair = both({"model": model | {"byte_fallback": fallback}})
    texts = [a + b + c + d for a in LETTERS for b in LETTERS for c in LETTERS[:6] for d in ("", "a")]
    assert pair.differences(texts) == []


def test_merges_with_a_prefix_and_a_suffix() -> None:
    vocab = ["a", "##b", "##c", "ab", "##bc", "abc", "##c~", "##bc~", "abc~", "a~", "?", "ab~", "##b~"]
    merges = [["##b", "##c~"], ["a", "##bc~"], ["a", "##b"], ["##b", "##c"], ["ab", "##c~"], ["a", "##b~"]]
    model = {
        "type": "BPE", "vocab": {piece: id for id, piece in enumerate(vocab)}, "merges": merges, "unk_token": "?",
        "continuing_subword_prefix": "##", "end_of_word_suffix": "~",
    }  # fmt: skip
    texts = [a + b + c + d for a in "abcé" for b in ("", *"abcé") for c in ("", *"abc") for d in ("", *"bc")]
    for fuse in (False, True):
        assert both({"model": model | {"fuse_unk": fuse}}).differences(texts) == []


def test_unigram_without_an_unknown_token_refuses_unknown_characters() -> None:
    pair = both({"model": {"type": "Unigram", "vocab": [["a", -1]], "unk_id": None}})
    assert pair.differences(["", "a", "aaa"]) == []
    with pytest.raises(InputError, match="character 2: the model has no pieces for 'x'"):
        pair.ours.encode("ax")
    with pytest.raises(Exception, match="unk_id"):
        pair.theirs.encode("ax")
    assert FactKind.WARNING in {fact.kind for fact in pair.ours.facts}


def test_offsets_stay_within_the_text_where_the_originals_exceed_it() -> None:
    vocab = {"a": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}}
    model = {"type": "BPE", "vocab": vocab, "merges": [], "byte_fallback": True, "continuing_subword_prefix": "@@"}
    pair = both({"model": model})
    for text in ("aéa", "éa", "ab", "a漢a"):
        theirs, ours = pair.theirs.encode(text), explorer.offsets(pair.ours, text)
        assert theirs.ids == pair.ours.encode(text).ids
        assert ours is not None
        assert max(end for _, end in theirs.offsets) > len(text), "or there is nothing to leave out"
        for want, got in zip(theirs.offsets, ours, strict=True):
            assert got == want if want[1] < len(text) else got == (len(text) - 1, len(text))


def test_unigram_without_an_unknown_token_refuses_only_where_it_would_be_taken() -> None:
    """A piece that ends after the unknown character is better: no unknown token is needed."""
    model = {"type": "Unigram", "unk_id": None, "vocab": [["a", -1.0], ["ab", -1.0]]}
    pair = both({"model": model})
    assert pair.differences(["a", "ab", "aab"]) == []
    for text in ("b", "abb", "c"):
        with pytest.raises(Exception, match="unk_id"):
            pair.theirs.encode(text)
        with pytest.raises(InputError, match="no unknown token"):
            pair.ours.trace(text)


ABSENT = {
    **{
        f"BPE fuse_unk={fuse} byte_fallback={fallback}": {
            "type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "<0xC3>": 3}, "merges": [["a", "b"]],
            "unk_token": "<unk>", "fuse_unk": fuse, "byte_fallback": fallback,
        }
        for fuse in (False, True) for fallback in (False, True)
    },
    "WordPiece": {"type": "WordPiece", "vocab": {"ab": 0, "##c": 1}, "unk_token": "[UNK]",
                  "continuing_subword_prefix": "##", "max_input_chars_per_word": 4},
    "WordLevel": {"type": "WordLevel", "vocab": {"ab": 0}, "unk_token": "<unk>"},
}  # fmt: skip


@pytest.mark.parametrize("name", ABSENT)
def test_an_unknown_token_that_is_not_a_piece_fails_only_when_needed(name: str) -> None:
    pair = both(
        {
            "model": ABSENT[name],
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "added_tokens": [{"id": 4, "content": "<unk>", "special": True}],
        }
    )
    assert pair.differences(["", "ab", "ab ab", "ab <unk> ab"]) == []
    for text in ("q", "ab qab", "é", "ab abcccc"):
        with pytest.raises(Exception, match=r"(?i)unk"):
            pair.theirs.encode(text)
        for run in (pair.ours.encode, pair.ours.trace):
            with pytest.raises(InputError, match=r"the model has no pieces for .* and no unknown token"):
                run(text)
    (warning,) = (fact for fact in pair.ours.facts if fact.kind is FactKind.WARNING and fact.topic == "model")
    assert warning.says.endswith("is refused: the unknown token is not a piece of the model.")


# --- refused files --------------------------------------------------------------------------------------------------

BPE = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
WORD_PIECE = {"type": "WordPiece", "vocab": {"[UNK]": 0}}
UNIGRAM = {"type": "Unigram", "vocab": [["a", -1.0], ["b", -2]], "unk_id": 0}
BAD = [
    (BPE | {"type": "CharBPE"}, "model.type is 'CharBPE'; this version runs: BPE, WordPiece, Unigram, WordLevel"),
    (BPE | {"vocab": {}}, "model.vocab is empty"),
    (BPE | {"vocab": {"a": 0, "b": 5_000}, "merges": []}, "model.vocab has 2 pieces, but ids up to 5000"),
    (BPE | {"dropout": 0.1}, "model.dropout is 0.1: merges are then skipped at random"),
    (BPE | {"dropout": True}, "model.dropout is True"),
    (BPE | {"merges": None}, "model.merges is not a list"),
    (BPE | {"merges": [["a", "b"], ["a", "c"]]}, r"model.merges\[1\] merges 'c', which is not in model.vocab"),
    (BPE | {"merges": ["#version: 1", "b a"]}, r"model.merges\[1\] makes 'ba', which is not in model.vocab"),
    (BPE | {"merges": [["a", "b"], ["a"]]}, r"model.merges\[1\] is \['a'\], not a pair"),
    (BPE | {"merges": [["a", "b"], ["a", 1]]}, r"model.merges\[1\] is \['a', 1\], not a pair"),
    (BPE | {"merges": [["a", "b"], "a b"]}, r"model.merges\[1\] is 'a b', not a pair"),
    (BPE | {"merges": ["a b", "a  b"]}, r"model.merges\[1\] is 'a  b', not a pair"),
    (BPE | {"merges": [7]}, r"model.merges\[0\] is 7, not a pair"),
    (BPE | {"unk_token": 7}, "model.unk_token is 7, not of type str"),
    (BPE | {"fuse_unk": 1}, "model.fuse_unk is 1, not of type bool"),
    (BPE | {"continuing_subword_prefix": "##"}, r"model.merges\[0\] merges 'b', which is shorter than the prefix"),
    (WORD_PIECE | {"max_input_chars_per_word": -1}, "max_input_chars_per_word is -1, which is below 0"),
    (WORD_PIECE | {"max_input_chars_per_word": True}, "max_input_chars_per_word is True, not of type int"),
    (WORD_PIECE | {"vocab": []}, "model.vocab is not an object"),
    (UNIGRAM | {"vocab": []}, "model.vocab is not a list of pieces and scores"),
    (UNIGRAM | {"vocab": {"a": 0}}, "model.vocab is not a list of pieces and scores"),
    (UNIGRAM | {"vocab": [["a", 0], ["b"]]}, r"model.vocab\[1\] is \['b'\], not a piece"),
    (UNIGRAM | {"vocab": [["a", "0"]]}, r"model.vocab\[0\] is \['a', '0'\], not a piece"),
    (UNIGRAM | {"vocab": [["a", 10**400]]}, r"model.vocab\[0\] is"),
    (UNIGRAM | {"vocab": [["a", 0], ["b", 0], ["a", 1]]}, r"model.vocab\[2\] is 'a', and so is model.vocab\[0\]"),
    (UNIGRAM | {"unk_id": 2}, "model.unk_id is 2, not one of the 2 pieces"),
    (UNIGRAM | {"unk_id": "0"}, "model.unk_id is '0', not of type int"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "says"), BAD)
def test_errors_are_found_on_opening(model: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        from_tokenizer_json(read(json.dumps({"model": model}).encode(), "bad.json"), "bad.json")
    assert str(caught.value).startswith("bad.json: ")
    assert "\n" not in str(caught.value)


def test_an_infinite_score_is_refused() -> None:
    data = b'{"model": {"type": "Unigram", "vocab": [["a", 1e999]]}}'
    with pytest.raises(InputError, match=r"score of model\.vocab\[0\] is beyond"):
        from_tokenizer_json(read(data, "bad.json", floats=None), "bad.json")


def test_facts_about_the_model() -> None:
    model = BPE | {"dropout": 0, "fuse_unk": True, "byte_fallback": True, "ignore_merges": True}
    facts = both({"model": model, "truncation": None}).ours.facts
    said = {fact.place: fact.says for fact in facts}
    assert said["model.type"] == "BPE: 3 pieces and 1 merges, the earliest in the list first."
    assert said["model.unk_token"] == "There is no unknown token: an unknown character is left out."
    assert {fact.place for fact in facts if fact.kind == FactKind.UNUSED} == {"model.fuse_unk"}
    assert "model.ignore_merges" in said
    unigram = UNIGRAM | {"alpha": 0.1, "nbest_size": -1}
    facts = from_tokenizer_json(read(json.dumps({"model": unigram}).encode(), "toy"), "toy").facts
    unused = {fact.place for fact in facts if fact.kind == FactKind.UNUSED}
    assert unused == {"model.alpha", "model.nbest_size"}
