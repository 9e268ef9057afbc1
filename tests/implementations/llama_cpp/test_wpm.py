"""WPM against llama.cpp: the bundled vocabulary in the form its converter writes, and every setting."""

from __future__ import annotations

import itertools
import random
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.part import Segment
from explorer.errors import InputError
from explorer.formats import gguf
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.text.code_points import Flag, flags_of
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.formats.gguf_writer import written
from tests.originals.generators import strings, texts
from tests.originals.llama_cpp import LlamaCpp, codepoint_flags
from tests.tiers import amount

SEEN = Flag.WHITESPACE | Flag.CONTROL | Flag.ACCENT_MARK | Flag.PUNCTUATION
"""The flags that WPM uses, except for ASCII symbols."""


def known(text: str) -> bool:
    """Whether Python's Unicode and llama.cpp's agree on the flags of every character of a text."""
    return all(not (codepoint_flags(ord(ch)) ^ flags_of(ord(ch))) & SEEN for ch in set(text))


def file_of(vocabulary: Vocabulary, **keys: object) -> bytes:
    return written(
        {
            "general.architecture": "bert",
            "tokenizer.ggml.model": "bert",
            "tokenizer.ggml.tokens": list(vocabulary.pieces),
            "tokenizer.ggml.token_type": array("i", list(vocabulary.kinds)),
            **{f"tokenizer.ggml.{key.replace('__', '.')}": value for key, value in keys.items()},
        }
    )


@pytest.fixture(scope="module")
def bert() -> explorer.Tokenizer:
    return bundled("bert-uncased@llama.cpp")


@pytest.fixture(scope="module")
def theirs(bert: explorer.Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaCpp]:
    """llama.cpp on the vocabulary converted from the bundled tokenizer.json."""
    path = tmp_path_factory.mktemp("wpm") / "bert.gguf"
    path.write_bytes(file_of(bert.vocabulary))
    with LlamaCpp(path) as model:
        yield model


@pytest.mark.sample(2)
@pytest.mark.parametrize(("add", "parse"), list(itertools.product((True, False), repeat=2)))
def test_ids_equal_the_originals_on_nasty_text(
    bert: explorer.Tokenizer, theirs: LlamaCpp, add: bool, parse: bool
) -> None:
    samples = strings(41, 3_500 if add and parse else 1_200)
    kept = [text for text in samples if known(text)]
    assert len(kept) > 0.99 * len(samples)
    wrong = [
        text
        for text in kept
        if not bert.encode(text, add_special=add, parse_special=parse).ids
        == bert.trace(text, add_special=add, parse_special=parse).ids
        == theirs.tokenize(text, add, parse)
    ]
    assert wrong == []


@given(text=texts())
@settings(max_examples=amount(300))
def test_ids_equal_the_originals_on_any_text(bert: explorer.Tokenizer, theirs: LlamaCpp, text: str) -> None:
    if known(text):
        assert bert.encode(text).ids == theirs.tokenize(text)


def test_decoding_equals_the_originals(bert: explorer.Tokenizer, theirs: LlamaCpp) -> None:
    for text in strings(42, 1_500):
        ids = bert.encode(text).ids
        for unparse in (True, False):
            ours = bert.trace_decode(ids, remove_special=False, unparse_special=unparse).data
            assert ours == theirs.detokenize(ids, unparse_special=unparse), text


def test_spaces_around_punctuation_are_removed_like_the_original(bert: explorer.Tokenizer, theirs: LlamaCpp) -> None:
    choose = random.Random(43)
    marks = [bert.vocabulary.ids[piece.encode()] for piece in "▁' ' ▁. . ▁? ▁, ▁s s re ▁re ve m t d ll ▁n".split()]
    for _ in range(3_000):
        ids = [choose.choice([*marks, choose.choice(marks), choose.randrange(999, 30_522)]) for _ in range(14)]
        assert bert.trace_decode(ids, remove_special=False).data == theirs.detokenize(ids)


# --- settings ------------------------------------------------------------------------------------------------------

TOY = Vocabulary.of(
    [piece.encode() for piece in (
        "[PAD] [UNK] [CLS] [SEP] ▁a ▁A ▁é ▁É ▁e ▁E b B ▁漢 ▁! x ▁x e \u0301 <|im_end|> [user] ▁ ▁' ▁각 ▁ᄀ".split()
    )],
    [0.0] * 24,
    [3, 3, 3, 3, *[1] * 14, 1, 4, 1, 1, 1, 1],
)  # fmt: skip
IDS = {"bos_token_id": 2, "seperator_token_id": 3, "unknown_token_id": 1}


@pytest.mark.parametrize("keys", [
    {}, {"normalizer__lowercase": False}, {"normalizer__lowercase": True, "normalizer__strip_accents": False},
    {"normalizer__lowercase": False, "normalizer__strip_accents": True}, {"add_bos_token": False},
    {"add_sep_token": False}, {"cls_token_id": 0},
])  # fmt: skip
def test_every_setting(keys: dict[str, object], tmp_path: Path) -> None:
    data = file_of(TOY, **IDS, **keys)
    path = tmp_path / "toy.gguf"
    path.write_bytes(data)
    ours = from_gguf(gguf.read(data), "toy")
    samples = [
        "",
        "a",
        "Ab É é e\u0301 E",
        "ab!漢x",
        "[user]ab[user] [CLS]",
        "abq x",
        "각",
        "<|im_end|>ab",
        "axe\u0301",
    ]
    with LlamaCpp(path) as original:
        for text in samples + [text for text in strings(44, 1_200) if known(text)]:
            for add, parse in itertools.product((True, False), repeat=2):
                got = ours.encode(text, add_special=add, parse_special=parse).ids
                assert got == original.tokenize(text, add, parse), (text, add, parse)


def test_the_space_prefix_affects_only_decoding(tmp_path: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "▁a", "▁", "b", " c", "▁▁d", ".", "[u]", " [v]"]
    kinds = [3, 2, 3, 3, 1, 1, 1, 1, 1, 1, 4, 4]
    toy = Vocabulary.of([piece.encode() for piece in pieces], [0.0] * len(pieces), kinds)
    choose = random.Random(45)
    for prefix in (True, False):
        path = tmp_path / f"{prefix}.gguf"
        path.write_bytes(file_of(toy, **IDS, add_space_prefix=prefix))
        ours = explorer.load(path)
        assert [fact.kind.value for fact in ours.facts if fact.place.endswith("add_space_prefix")] == [
            "warning"
        ] * prefix
        with LlamaCpp(path) as original:
            for _ in range(500):
                ids = choose.choices(range(len(pieces)), k=4)
                for unparse in (True, False):
                    got = ours.trace_decode(ids, remove_special=False, unparse_special=unparse).data
                    assert got == original.detokenize(ids, unparse_special=unparse), ids
            for text in ("", "a", "a b", " .", "ab"):
                assert ours.encode(text).ids == original.tokenize(text), "no space is put in front"


def test_a_file_without_an_unknown_token_is_refused() -> None:
    metadata = {
        "tokenizer.ggml.model": "bert",
        "tokenizer.ggml.tokens": [b"a", b"b"],
        "tokenizer.ggml.bos_token_id": 0,
        "tokenizer.ggml.seperator_token_id": 1,
    }
    with pytest.raises(InputError, match=r"toy: there is no \[UNK\] token"):
        from_gguf(Gguf(3, 0, metadata), "toy")


def test_settings_off_leave_letters_and_marks() -> None:
    keys = {"normalizer__lowercase": False, "normalizer__strip_accents": False}
    trace = from_gguf(gguf.read(file_of(TOY, **IDS, **keys)), "toy").trace("É각e\u0301\t\0")
    assert [item.text for item in trace.stage("model").before if isinstance(item, Segment)] == ["É각e\u0301"]
