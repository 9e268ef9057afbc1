"""sentencepiece's ids, offsets and texts, live: the bundled model, and toy models for every setting of a model file."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from mistral_common.protocol.instruct.messages import UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from mistral_common.tokens.tokenizers.sentencepiece import SentencePieceTokenizer as MistralCommon
from tokenizers import Tokenizer as Original

import explorer
from explorer.engine.part import Segment
from explorer.engine.post_processors import PostProcessEvent
from explorer.errors import InputError
from explorer.facts import FactKind
from explorer.formats.sentencepiece_model import read
from explorer.implementations.offsets import offsets
from explorer.implementations.sentencepiece import SWITCHES, from_model
from explorer.views.examples import PRESETS
from tests.bundled import bundled
from tests.engine.charsmap_writer import charsmap
from tests.formats.sentencepiece_writer import message, model
from tests.originals.generators import strings, texts
from tests.originals.sentencepiece import edited, original, trained
from tests.tiers import amount

MISTRAL = explorer.catalog()["mistral-v1"].path


@pytest.fixture(scope="module")
def ours() -> explorer.Tokenizer:
    return bundled("mistral-v1")


@pytest.fixture(scope="module")
def theirs() -> Any:
    return original(MISTRAL.read_bytes())


def compare(ours: explorer.Tokenizer, theirs: Any, samples: list[str], seed: int = 1) -> None:
    """Ids traced and untraced, normalized text and offsets, pieces, and decoding of the ids and of random ones."""
    choose = random.Random(seed)
    assert [ours.vocabulary.spelling(id) for id in range(len(ours.vocabulary))] == [
        theirs.id_to_piece(id) for id in range(theirs.get_piece_size())
    ]
    for text in samples:
        found = theirs.encode(text, out_type="offset_mapping")
        want = found["ids"]
        assert ours.encode(text, add_special=False).ids == want, ascii(text)
        trace = ours.trace(text, add_special=False)
        assert trace.ids == want, ascii(text)
        normalized, places = theirs.normalize(text, with_offsets=True)
        segments = [item for item in trace.stages[0].after if isinstance(item, Segment)]
        assert "".join(segment.text for segment in segments) == normalized, ascii(text)
        assert [start for segment in segments for start in segment.starts] == places[:-1], ascii(text)
        assert offsets(ours, text, add_special=False) == found["offsets"], ascii(text)
        some = [choose.randrange(len(ours.vocabulary)) for _ in range(choose.randint(1, 8))]
        for ids in (want, some):
            assert ours.decode(ids) == theirs.decode(ids), ids


def test_ids_and_texts_equal_the_originals_on_nasty_text(ours: explorer.Tokenizer, theirs: Any) -> None:
    compare(ours, theirs, strings(seed=41, count=3_000))


def test_offsets_of_hugging_face_are_its_own_and_others_have_none() -> None:
    bert = Original.from_file(str(explorer.catalog()["bert-uncased"].path))
    bert.no_padding()
    bert.no_truncation()
    for text in strings(seed=43, count=200):
        assert offsets(bundled("bert-uncased"), text) == bert.encode(text).offsets
        assert offsets(bundled("llama-2"), text) is None
    assert offsets(bundled("mistral-v1"), "🤗") == [None, (0, 0), *[(0, 0)] * 3, (0, 1)]


@pytest.mark.parametrize(("answer", "bos", "eos"), [("bos", 1, 0), ("eos", 0, 1), ("both", 1, 1), ("none", 0, 0)])
def test_bos_and_eos_are_added_as_chosen(theirs: Any, answer: str, bos: int, eos: int) -> None:
    ours = explorer.load("mistral-v1", add_special=answer)
    for text in [preset.text for preset in PRESETS] + strings(seed=42, count=100):
        ids = theirs.encode(text, add_bos=bool(bos), add_eos=bool(eos))
        assert ours.encode(text).ids == ids == ours.trace(text).ids
        assert ours.decode(ids) == theirs.decode(ids)
    assert ours.choosable[0].chosen == answer
    assert ours.origin.choices == (("add_special", answer),)


def test_a_prompt_begins_with_bos_and_has_no_eos_as_in_mistral_common(ours: explorer.Tokenizer) -> None:
    """Its tokenizer for the first version's prompts: `encode_user_message` puts BOS in front of the first one alone."""
    prompts = MistralCommon(MISTRAL)
    for text in [preset.text for preset in PRESETS] + strings(seed=42, count=100):
        assert ours.encode(text).ids == prompts.encode(text, bos=True, eos=False)
    instruct = MistralTokenizer.v1().encode_chat_completion(ChatCompletionRequest(messages=[UserMessage(content="Hi")]))
    assert instruct.tokens == ours.encode("[INST] Hi [/INST]").ids
    assert [event.kind for event in ours.trace("a").stage("post-process").events] == [
        PostProcessEvent.FIRST,
        PostProcessEvent.SPARE,
    ]


@pytest.mark.parametrize(
    ("model_type", "settings", "config", "answer"),
    [
        ("bpe", {"byte_fallback": True}, None, "bos"),
        ("bpe", {"byte_fallback": True, "bos_id": -1}, None, "eos"),
        ("unigram", {"bos_id": -1}, None, "eos"),
        ("unigram", {}, None, "both"),
        ("unigram", {"byte_fallback": True}, None, "both"),
        ("bpe", {}, None, "both"),
        ("char", {}, None, "both"),
        ("unigram", {}, {"add_bos_token": True, "add_eos_token": False}, "bos"),
        ("bpe", {"byte_fallback": True}, {"add_bos_token": False, "add_eos_token": False}, "none"),
        ("bpe", {"byte_fallback": True}, {"add_eos_token": True}, "both"),
        ("bpe", {"byte_fallback": True}, {"add_eos_token": None}, "bos"),
    ],
)
def test_what_goes_around_a_text_follows_from_the_kind_of_model_and_its_settings(
    tmp_path: Path, model_type: str, settings: dict[str, Any], config: dict[str, Any] | None, answer: str
) -> None:
    data = trained(model_type, **settings)
    (tmp_path / "tokenizer.model").write_bytes(data)
    if config is not None:
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tok, theirs = explorer.load(tmp_path, "sentencepiece"), original(data)
    assert tok.choosable[0].chosen == answer
    bos, eos = SWITCHES[answer]
    bos, eos = bos and theirs.bos_id() >= 0, eos and theirs.eos_id() >= 0
    assert tok.encode("the cat").ids == theirs.encode("the cat", add_bos=bos, add_eos=eos)
    chosen = explorer.load(tmp_path, "sentencepiece", add_special="none")
    assert chosen.encode("the cat").ids == theirs.encode("the cat")


def test_an_answer_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="add_special is 'yes'; known answers are bos, eos, both, none"):
        explorer.load("mistral-v1", add_special="yes")


@given(text=texts())
@settings(max_examples=amount(300))
def test_ids_equal_the_originals_on_any_text(ours: explorer.Tokenizer, theirs: Any, text: str) -> None:
    assert ours.encode(text, add_special=False).ids == ours.trace(text, add_special=False).ids == theirs.encode(text)


def test_control_pieces_are_never_parsed(ours: explorer.Tokenizer) -> None:
    assert 1 not in ours.encode("<s>", add_special=False, parse_special=True).ids


def test_every_single_piece_decodes_as_in_the_original(ours: explorer.Tokenizer, theirs: Any) -> None:
    for id in range(len(ours.vocabulary)):
        assert ours.decode([id]) == theirs.decode([id])
        assert ours.decode([29874, id]) == theirs.decode([29874, id])


def test_spans_cover_the_text(ours: explorer.Tokenizer) -> None:
    text = "Hello  wörld 😊"
    spans = [span for span in ours.encode(text).spans if span]
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(spans))


# --- toy models ----------------------------------------------------------------------------------------------------

SYMBOLS = ("[u]", "[us]", "<x y>", "▁z", "[u]a", "é")
NO_SPACES_CHANGED = {"remove_extra_whitespaces": False, "add_dummy_prefix": False}
TRAINED: dict[str, dict[str, Any]] = {
    "nmt_nfkc": {},
    "byte fallback": {"byte_fallback": True},
    "nfkc, user-defined": {"normalization_rule_name": "nfkc", "user_defined_symbols": SYMBOLS},
    "user-defined, bytes": {"user_defined_symbols": SYMBOLS, "byte_fallback": True},
    "identity, control": {"normalization_rule_name": "identity", "control_symbols": ("a", "[u]", "▁the")},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, spaces kept, bytes": {
        "treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False, "byte_fallback": True,
    },
    "spaces kept, no prefix": NO_SPACES_CHANGED,
    "spaces kept": {"remove_extra_whitespaces": False},
    "no prefix": {"add_dummy_prefix": False, "byte_fallback": True},
    "nmt_nfkc_cf, pieces of spaces": {
        "normalization_rule_name": "nmt_nfkc_cf", "remove_extra_whitespaces": False,
        "allow_whitespace_only_pieces": True,
    },
    "nfkc_cf, other ids": {
        "normalization_rule_name": "nfkc_cf", "unk_id": 3, "bos_id": 0, "eos_id": 1, "pad_id": 2, "unk_piece": "[UNK]",
        "bos_piece": "[CLS]", "eos_piece": "[SEP]", "pad_piece": "[PAD]", "unk_surface": "▁?",
    },
    "no BOS, no EOS": {"bos_id": -1, "eos_id": -1, "user_defined_symbols": ("<s>", "</s>"), "split_digits": True},
    "own rules": {
        "normalization_rule_tsv": (("a", "ä"), ("l", ""), ("…", "  "), ("he", "she"), (" ", "  "), ("\u0301", " ")),
        "denormalization_rule_tsv": (("ä", "a"), ("she", "he"), ("  ", " "), ("é", "e\u0301"), ("⁇", ""), ("b", "")),
    },
}  # fmt: skip
OWN_MAP = charsmap({"…": "  ", "A": "a", "A\u030a": "å", "\u0301": "", "´": " x", "aa": "b"})
EDITED: dict[str, dict[str, Any]] = {
    "unused": {"every": 3},
    "not escaped": {"normalizer_spec__escape_whitespaces": False, "trainer_spec__unk_surface": "?!"},
    "both": {"every": 2, "normalizer_spec__escape_whitespaces": False},
    "own map": {"normalizer_spec__precompiled_charsmap": OWN_MAP},
    "denormalizer": {"denormalizer_spec__precompiled_charsmap": OWN_MAP, "trainer_spec__unk_surface": " ´´ … A"},
    "pieces added": {
        "more": [("\0", 0.0, 5), ("\0", 0.0, 5), ("<s>▁", 0.0, 4), ("twq", -9.0, 1), ("☃", 0.0, 5), ("<unk", -1.0, 1)],
    },
}  # fmt: skip
FIRST, SECOND = ("[u]", "[us", "<x y>", "▁z", " ", "  ", ""), ("[u]a", " cat", "[us]r", "é", "漢☃漢", " ▁z", "a")
MORE = [
    *(a + b for a in FIRST for b in SECOND),
    *(
        "… a…",
        "…",
        "A\u030aA",
        "a\u0301 ´ ´",
        "aaa A aa",
        "  …  ´",
        "\u0301",
        "the he\u0301 hello",
        "<s>▁</s>",
        "ﬁ  ﬁ㍿ ",
    ),
]
TYPES = ("bpe", "unigram", "char", "word")


@pytest.mark.sample(6)
@pytest.mark.parametrize("setting", TRAINED)
@pytest.mark.parametrize("model_type", TYPES)
def test_toy_models(model_type: str, setting: str) -> None:
    data = trained(model_type, **TRAINED[setting])
    ours, theirs = from_model(read(data), "toy", "both"), original(data)
    compare(ours, theirs, [*MORE, *strings(seed=43, count=250)])
    bos, eos = theirs.bos_id() >= 0, theirs.eos_id() >= 0
    for text in MORE:
        assert ours.encode(text).ids == theirs.encode(text, add_bos=bos, add_eos=eos)


@pytest.mark.sample(4)
@pytest.mark.parametrize("edit", EDITED)
@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("model_type", TYPES)
def test_edited_toy_models(model_type: str, byte_fallback: bool, edit: str) -> None:
    data = edited(trained(model_type, byte_fallback=byte_fallback), **EDITED[edit])
    compare(from_model(read(data), "toy"), original(data), [*MORE, *strings(seed=44, count=150)])


@pytest.mark.parametrize("model_type", TYPES)
def test_long_texts(model_type: str) -> None:
    """Sums of the lattice are set back on the way."""
    data = trained(model_type)
    samples = [part * 5_000 for part in ("☃", "ab", "lower ☃", "the cat ")] + [" ".join(strings(seed=3, count=1_000))]
    ours, theirs = from_model(read(data), "toy"), original(data)
    for text in samples:
        assert ours.encode(text, add_special=False).ids == theirs.encode(text)


@pytest.mark.parametrize("model_type", ["unigram", "char", "word"])
def test_a_control_piece_may_be_spelled_like_one_of_the_text(model_type: str) -> None:
    data = edited(trained(model_type), more=[("<s>", -5.0, 1), ("▁the", 0.0, 3), ("a", 0.0, 3)])
    compare(from_model(read(data), "toy"), original(data), [*MORE, "<s>", "the <s> a", *strings(seed=45, count=50)])


def test_unused_pieces_are_taken_apart_to_a_depth_of_100() -> None:
    longer = [("▁" + "a" * count, float(count), 5) for count in range(1, 140)]
    data = model(UNK, ("▁", -1.0, 1), ("a", -1.0, 1), *longer, trainer=message(f3=2))
    samples = [("a" * count) for count in (1, 2, 90, 98, 99, 100, 101, 102, 103, 120, 138)]
    compare(from_model(read(data), "toy"), original(data), samples)


def test_zero_goes_before_minus_zero_when_pairs_are_merged() -> None:
    pieces = [("a", -2.0, 1), ("b", -2.0, 1), ("c", -2.0, 1), ("ab", -0.0, 1), ("bc", 0.0, 1)]
    data = model(UNK, *pieces, trainer=message(f3=2), normalizer=message(f3=0))
    ours = from_model(read(data), "toy")
    compare(ours, original(data), ["abc", "ab", "bcbcab", "abcabc"])
    assert ours.encode("abc").pieces == ["a", "bc"]


def test_with_byte_fallback_a_null_byte_is_not_a_piece() -> None:
    data = edited(trained("bpe", byte_fallback=True), more=[("\0", 0.0, 1)])
    compare(from_model(read(data), "toy"), original(data), ["\0", "a\0b", "\0\0 \0"])


def test_of_user_defined_pieces_that_begin_alike_64_are_looked_at() -> None:
    data = trained("bpe", user_defined_symbols=tuple("x" * count for count in range(1, 80)))
    compare(from_model(read(data), "toy"), original(data), ["x" * count for count in (1, 63, 64, 65, 79, 100)])


# --- the card ------------------------------------------------------------------------------------------------------


def test_facts_say_what_is_in_force() -> None:
    data = trained("unigram", **TRAINED["own rules"])
    facts = from_model(read(data), "toy").facts
    used = {fact.place: fact.says for fact in facts if fact.kind == FactKind.USED}
    assert used["trainer_spec.model_type"].startswith("A Unigram model")
    assert used["normalizer_spec.precompiled_charsmap"].startswith("Characters are rewritten by the model's own map")
    assert used["normalizer_spec.add_dummy_prefix"] == "A space is put in front of the text."
    assert used["denormalizer_spec.precompiled_charsmap"].startswith("A decoded text is rewritten")
    left = next(fact for fact in facts if fact.kind == FactKind.UNUSED and fact.place == "trainer_spec")
    assert "character_coverage: 0.98" in left.code.splitlines()
    assert "model_type" not in left.code


FACTS = {
    "map": ({"normalizer_spec__precompiled_charsmap": b""}, "normalizer_spec.name", "is missing"),
    "suffix": ({"trainer_spec__treat_whitespace_as_suffix": True}, "trainer_spec.treat_whitespace_as_suffix",
               "cuts the text of a word model before every ▁"),
    "symbol": ({"more": [("x y", 0.0, 4)]}, "pieces", "with a space in them are never found"),
}  # fmt: skip


@pytest.mark.parametrize("name", FACTS)
def test_facts_warn(name: str) -> None:
    edit, place, says = FACTS[name]
    facts = from_model(read(edited(trained("word"), **edit)), "toy").facts
    assert any(fact.place == place and says in fact.says for fact in facts if fact.kind == FactKind.WARNING)
    assert not [fact for fact in from_model(read(trained("word")), "toy").facts if fact.kind == FactKind.WARNING]


# --- what cannot be used -------------------------------------------------------------------------------------------

UNK = ("<unk>", 0.0, 2)
REFUSED = {
    "long piece": (model(UNK, ("x" * 8_000, 0.0, 1)), "token 1 has 8000 bytes"),
    "NUL": (model(UNK, ("a\0b", 0.0, 1)), "token 1 contains a NUL"),
    "only NUL": (model(UNK, ("\0", 0.0, 1)), "token 1 contains a NUL"),
    "twice": (model(UNK, ("a", 0.0, 1), ("a", 0.0, 1)), "tokens 1 and 2 are both spelled 'a'"),
    "control twice": (model(UNK, ("a", 0.0, 1), ("<s>", 0.0, 3), ("<s>", 0.0, 3)), "tokens 2 and 3"),
    "control in BPE": (model(UNK, ("a", 0.0, 1), ("a", 0.0, 3), trainer=message(f3=2)), "tokens 1 and 2"),
    "no unknown": (model(("a", 0.0, 1)), "0 pieces are marked unknown"),
    "two unknown": (model(UNK, ("a", 0.0, 2)), "2 pieces are marked unknown"),
    "byte without fallback": (model(UNK, ("<0x41>", 0.0, 6)), "0 byte pieces, but this one has 1"),
    "fallback without bytes": (model(UNK, trainer=message(f35=1)), "256 byte pieces, but this one has 0"),
    "no byte": (model(UNK, ("<0x4>", 0.0, 6), trainer=message(f35=1)), "not spelled <0x00> to <0xFF>"),
    "NaN": (model(UNK, ("a", float("nan"), 1)), "token 1 has the score NaN"),
    "infinite": (model(UNK, ("a", float("inf"), 1)), "token 1 has an infinite score"),
    "nothing for a text": (model(UNK, ("<s>", 0.0, 3)), "no text can become any of the pieces"),
    "map": (model(UNK, ("a", 0.0, 1), normalizer=message(f2=b"xyz")), "normalizer_spec: the precompiled character map"),
}


def test_very_many_user_defined_pieces_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("explorer.engine.partition.user_defined.MAX_SYMBOLS", 5)
    with pytest.raises(InputError, match=r"^toy: the user-defined pieces have 6 characters together, at most 5"):
        from_model(read(model(UNK, ("abc", 0.0, 4), ("abd", 0.0, 4))), "toy")


@pytest.mark.parametrize("name", REFUSED)
def test_what_sentencepiece_refuses_is_refused(name: str) -> None:
    data, says = REFUSED[name]
    with pytest.raises(InputError) as caught:
        from_model(read(data, "toy.model"), "toy.model")
    assert says in str(caught.value)
    if name != "NaN":  # there an order is left to chance
        with pytest.raises((RuntimeError, OSError)):
            original(data)
