"""sentencepiece's ids and texts, live: the bundled model, and toy models for every setting."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings

import explorer
from explorer.errors import InputError
from explorer.formats.sentencepiece_model import read
from explorer.implementations.sentencepiece import from_model
from explorer.views.presets import PRESETS
from tests.engine.charsmap_writer import charsmap
from tests.formats.sentencepiece_writer import message, model
from tests.originals.generators import strings, texts
from tests.originals.sentencepiece import edited, original, trained

MISTRAL = explorer.catalog()["mistral-v1"].path


@pytest.fixture(scope="module")
def ours() -> explorer.Tokenizer:
    return explorer.load("mistral-v1")


@pytest.fixture(scope="module")
def theirs() -> Any:
    return original(MISTRAL.read_bytes())


def compare(ours: explorer.Tokenizer, theirs: Any, samples: list[str], seed: int = 1) -> None:
    """Ids traced and untraced, and decoding of the ids and of random ones."""
    choose = random.Random(seed)
    for text in samples:
        want = theirs.encode(text)
        assert ours.encode(text, add_special=False).ids == want, ascii(text)
        assert ours.trace(text, add_special=False).ids == want, ascii(text)
        some = [choose.randrange(len(ours.vocabulary)) for _ in range(choose.randint(1, 8))]
        for ids in (want, some):
            assert ours.decode(ids) == theirs.decode(ids), ids


def test_ids_and_texts_equal_the_originals_on_nasty_text(ours: explorer.Tokenizer, theirs: Any) -> None:
    compare(ours, theirs, strings(seed=41, count=3_000))


def test_bos_and_eos_are_added_when_asked(ours: explorer.Tokenizer, theirs: Any) -> None:
    for text in [preset.text for preset in PRESETS] + strings(seed=42, count=300):
        ids = theirs.encode(text, add_bos=True, add_eos=True)
        assert ours.encode(text).ids == ids
        assert ours.decode(ids) == theirs.decode(ids)


@given(text=texts())
@settings(max_examples=300)
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
SETTINGS: dict[str, dict[str, Any]] = {
    "nmt_nfkc": {},
    "byte fallback": {"byte_fallback": True},
    "user-defined": {"user_defined_symbols": SYMBOLS},
    "user-defined, bytes": {"user_defined_symbols": SYMBOLS, "byte_fallback": True},
    "control": {"control_symbols": ("a", "[u]")},
    "identity": {"normalization_rule_name": "identity"},
    "suffix": {"treat_whitespace_as_suffix": True},
    "suffix, spaces kept": {"treat_whitespace_as_suffix": True, "remove_extra_whitespaces": False},
    "spaces kept, no prefix": {"remove_extra_whitespaces": False, "add_dummy_prefix": False},
    "case folded": {"normalization_rule_name": "nmt_nfkc_cf", "remove_extra_whitespaces": False},
}
FIRST, SECOND = ("[u]", "[us", "<x y>", "▁z", " ", "  ", ""), ("[u]a", " cat", "[us]r", "é", "漢☃漢", " ▁z", "a")
MORE = [a + b for a in FIRST for b in SECOND]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_toy_models(model_type: str, setting: str) -> None:
    data = trained(model_type, **SETTINGS[setting])
    compare(from_model(read(data), "toy"), original(data), [*MORE, *strings(seed=43, count=400)])


EDITS: dict[str, dict[str, Any]] = {
    "unused": {"every": 3},
    "not escaped": {"normalizer_spec__escape_whitespaces": False, "trainer_spec__unk_surface": "?!"},
    "both": {"every": 2, "normalizer_spec__escape_whitespaces": False},
    "own map": {
        "normalizer_spec__precompiled_charsmap": charsmap(
            {"…": "  ", "A": "a", "A\u030a": "å", "\u0301": "", "´": " x", "aa": "b"}
        ),
    },
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_edited_toy_models(model_type: str, byte_fallback: bool, edit: str) -> None:
    data = edited(trained(model_type, byte_fallback=byte_fallback), **EDITS[edit])
    more = ["… a…", "…", "A\u030aA", "a\u0301 ´ ´", "aaa A aa", "  …  ´", "\u0301"]
    compare(from_model(read(data), "toy"), original(data), [*MORE, *more, *strings(seed=44, count=400)])


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_long_texts(model_type: str) -> None:
    """Sums of the lattice are set back on the way."""
    data = trained(model_type)
    samples = [part * 5_000 for part in ("☃", "ab", "lower ☃", "the cat ")] + [" ".join(strings(seed=3, count=1_000))]
    compare(from_model(read(data), "toy"), original(data), samples)


# --- what cannot be used -------------------------------------------------------------------------------------------

UNK = ("<unk>", 0.0, 2)
REFUSED = {
    "WORD": (model(UNK, trainer=message(f3=3)), "this is a WORD model"),
    "empty piece": (model(UNK, ("", 0.0, 1)), "token 1 has 0 bytes"),
    "long piece": (model(UNK, ("x" * 8_000, 0.0, 1)), "token 1 has 8000 bytes"),
    "NUL": (model(UNK, ("a\0b", 0.0, 1)), "token 1 contains a NUL"),
    "twice": (model(UNK, ("a", 0.0, 1), ("a", 0.0, 1)), "both spelled 'a'"),
    "no unknown": (model(("a", 0.0, 1)), "0 pieces are marked unknown"),
    "two unknown": (model(UNK, ("a", 0.0, 2)), "2 pieces are marked unknown"),
    "byte without fallback": (model(UNK, ("<0x41>", 0.0, 6)), "0 byte pieces, this one 1"),
    "fallback without bytes": (model(UNK, trainer=message(f35=1)), "256 byte pieces, this one 0"),
    "no byte": (model(UNK, ("<0x4>", 0.0, 6), trainer=message(f35=1)), "not spelled <0x00> to <0xFF>"),
    "NaN": (model(UNK, ("a", float("nan"), 1)), "NaN"),
    "infinite": (model(UNK, ("a", float("inf"), 1)), "infinite score"),
    "map": (model(UNK, ("a", 0.0, 1), normalizer=message(f2=b"xyz")), "character map is damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_sentencepiece_refuses_is_refused(name: str) -> None:
    data, says = REFUSED[name]
    with pytest.raises(InputError) as caught:
        from_model(read(data, "toy.model"), "toy.model")
    assert says in str(caught.value)


def test_a_denormalizer_is_refused() -> None:
    from tests.formats.sentencepiece_writer import field

    data = model(UNK, ("a", 0.0, 1)) + field(5, message(f2=charsmap({"a": "b"})))
    with pytest.raises(InputError, match="denormalizer"):
        from_model(read(data), "toy.model")
