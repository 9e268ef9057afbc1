"""llama.cpp's Unigram (UGM) against the original: XLM-R's vocabulary, and toy files for every setting."""

from __future__ import annotations

import itertools
import random
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

import explorer
from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.views.examples import PRESETS
from tests.bundled import bundled
from tests.engine.charsmap_writer import charsmap
from tests.formats.gguf_writer import ARRAY, U8, Writer
from tests.formats.gguf_writer import written as without_bytes
from tests.implementations.llama_cpp.test_llama_cpp import FLAGS, differences
from tests.originals.generators import strings, texts
from tests.originals.llama_cpp import LlamaCpp
from tests.refusals import refusal
from tests.tiers import amount


@pytest.fixture(scope="module")
def ours() -> explorer.Tokenizer:
    return bundled("xlm-r")


@pytest.fixture(scope="module")
def theirs() -> Iterator[LlamaCpp]:
    with LlamaCpp(explorer.catalog()["xlm-r"].path) as model:
        yield model


@pytest.mark.sample(1)
@pytest.mark.parametrize(("add", "parse"), FLAGS)
def test_ids_equal_the_originals_on_nasty_text(
    ours: explorer.Tokenizer, theirs: LlamaCpp, add: bool, parse: bool
) -> None:
    samples = [preset.text for preset in PRESETS] + strings(seed=31, count=3_000 if add and parse else 1_000)
    assert differences(ours, theirs, samples, add, parse) == []


@given(text=texts())
@settings(max_examples=amount(200))
def test_ids_equal_the_originals_on_any_text(ours: explorer.Tokenizer, theirs: LlamaCpp, text: str) -> None:
    assert differences(ours, theirs, [text], True, True) == []


@pytest.mark.long
def test_the_mask_token_absorbs_the_white_space_before_it(ours: explorer.Tokenizer, theirs: LlamaCpp) -> None:
    samples = ["a <mask> b", "a \t\n<mask>", " <mask>", "<mask> <mask>  <mask>", "a\u3000<mask>", "<s> <mask>"]
    assert differences(ours, theirs, samples, False, True) == []
    assert ours.encode("a  <mask>", add_special=False).ids == [10, 250001]


def test_decoding_equals_the_originals(ours: explorer.Tokenizer, theirs: LlamaCpp) -> None:
    for text in strings(seed=32, count=1_000):
        ids = ours.encode(text, add_special=False).ids
        for unparse in (True, False):
            want = theirs.detokenize(ids, remove_special=False, unparse_special=unparse)
            assert ours.trace_decode(ids, remove_special=False, unparse_special=unparse).data == want, ascii(text)


def test_worst_cases_take_linearly_many_decisions(ours: explorer.Tokenizer) -> None:
    for part in ("a", " ", "\n", "漢", "☃", "ﷺ", " <mask>"):
        counts = [sum(len(stage.events) for stage in ours.trace(part * size).stages) for size in (500, 5_000)]
        assert counts[1] <= 11 * counts[0]


# --- settings that XLM-R's vocabulary does not have ------------------------------------------------------------------

NORMAL, UNKNOWN, CONTROL, USER, UNUSED = 1, 2, 3, 4, 5
PIECES = [
    ("<pad>", 0.0, CONTROL), ("</s>", 0.0, CONTROL), ("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL),
    ("▁", -2.0, NORMAL), ("a", -3.0, NORMAL), ("b", -3.1, NORMAL), ("c", -3.0, NORMAL), ("ab", -4.0, NORMAL),
    ("▁ab", -4.2, NORMAL), ("bc", -4.1, NORMAL), ("abc", -8.0, UNUSED), ("[u]", -5.0, USER), ("[ux]", -5.0, USER),
    ("ca", -5.0, USER), ("fi", -3.0, NORMAL), ("<mask>", 0.0, CONTROL), ("å", -3.0, NORMAL),
]  # fmt: skip
RULES = {"ﬁ": "fi", "A": "a", "A\u030a": "å", "\u200b": "", "\u3000": " ", "…": "  ", "[": "b"}
VARIANTS: dict[str, dict[str, object]] = {
    "plain": {},
    "prefix": {"tokenizer.ggml.add_space_prefix": True},
    "merged": {"tokenizer.ggml.remove_extra_whitespaces": True},
    "prefix, merged": {"tokenizer.ggml.add_space_prefix": True, "tokenizer.ggml.remove_extra_whitespaces": True},
    "bos": {"tokenizer.ggml.add_bos_token": True, "tokenizer.ggml.bos_token_id": 3},
    "no eos": {"tokenizer.ggml.add_eos_token": False},
    "other ids": {"tokenizer.ggml.eos_token_id": 0, "tokenizer.ggml.unknown_token_id": 5},
    "jina": {"tokenizer.ggml.pre": "jina-v2-de"},
    "mask": {"general.architecture": "jina-bert-v3"},
}


def metadata(**more: object) -> dict[str, object]:
    return {
        "general.architecture": "t5",
        "tokenizer.ggml.model": "t5",
        "tokenizer.ggml.tokens": [piece.encode() for piece, _, _ in PIECES],
        "tokenizer.ggml.scores": array("f", [score for _, score, _ in PIECES]),
        "tokenizer.ggml.token_type": array("i", [kind for _, _, kind in PIECES]),
    } | more


def written(keys: dict[str, object], table: bytes) -> bytes:
    """A GGUF file with these keys and a character map."""
    writer = Writer()
    body = without_bytes(keys)
    if not table:
        return body
    pair = writer.pair(b"tokenizer.ggml.precompiled_charsmap", ARRAY, U8, list(table))
    return body[:16] + writer.number("Q", len(keys) + 1) + body[24:] + pair


@pytest.mark.sample(1)
@pytest.mark.parametrize("with_map", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_settings_of_the_file_match_the_original(variant: str, with_map: bool, tmp_path: Path) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(metadata(**VARIANTS[variant]), charsmap(RULES) if with_map else b""))
    ours = explorer.load(path)
    samples = ["ﬁ A\u030aA", "a\u200b \u3000b", "a…b", "… a …", "[u]a", "[ua [u [ux] [", "a [u] b", " <mask>  <mask>b",
               "<s>a</s> b<unk>c", "☃☃a☃", "\0a", "", " ", "\u200b"]  # fmt: skip
    samples += ["".join(letters) for letters in itertools.product("abcx ", repeat=4)]
    samples += strings(seed=33, count=300)
    with LlamaCpp(path) as theirs:
        for add, parse in FLAGS:
            assert differences(ours, theirs, samples, add, parse) == []
        for text in samples:
            ids = ours.encode(text, add_special=False).ids
            want = theirs.detokenize(ids, remove_special=False, unparse_special=True)
            assert ours.trace_decode(ids, remove_special=False).data == want


@pytest.mark.parametrize("user", [["é"], ["漢"], ["漢字x", "▁[u]"], ["😀b", "a—"]])
@pytest.mark.parametrize("replacement", [False, True])
def test_a_partial_user_defined_piece_is_normalized_byte_by_byte(
    user: list[str], replacement: bool, tmp_path: Path
) -> None:
    own = [("\ufffd", -3.5, NORMAL), ("\ufffd\ufffd", -3.6, NORMAL), ("\ufffdb", -1.0, NORMAL)] if replacement else []
    pieces = [*PIECES, *((piece, 0.0, USER) for piece in user), *own, ("è", -5.0, NORMAL), ("…", -5.0, NORMAL)]
    keys = metadata(**{
        "tokenizer.ggml.tokens": [piece.encode() for piece, _, _ in pieces],
        "tokenizer.ggml.scores": array("f", [score for _, score, _ in pieces]),
        "tokenizer.ggml.token_type": array("i", [kind for _, _, kind in pieces]),
    })  # fmt: skip
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(keys, charsmap(RULES)))
    ours = explorer.load(path)
    letters = [
        "é",
        "è",
        "漢",
        "字",
        "宇",
        "漢字",
        "a",
        "b",
        " ",
        "…",
        "—",
        "▁",
        "😀",
        "😁",
        "🤖",
        "\U000f0000",
        "ﬁ",
        "\ufffd",
    ]
    choose = random.Random(12)
    samples = ["".join(choose.choices(letters, k=choose.randint(1, 6))) for _ in range(600)]
    with LlamaCpp(path) as theirs:
        for add, parse in FLAGS:
            assert differences(ours, theirs, samples + strings(seed=34, count=200), add, parse) == []


def refused(**more: object) -> str:
    return refusal(from_gguf, Gguf(3, 0, metadata(**more)), "toy.gguf")  # type: ignore[arg-type]  # odd values


def test_missing_or_damaged_keys_are_named() -> None:
    table = "tokenizer.ggml.precompiled_charsmap"
    assert "has no bytes" in refused(**{table: array("i", [1])})
    damaged = refused(**{table: array("B", b"\0\0\0\0\0")})
    assert f"toy.gguf: {table}: the precompiled character map is damaged" in damaged
    assert "there is no such token" in refused(**{"tokenizer.ggml.add_bos_token": True})
    assert "infinite score" in refused(**{"tokenizer.ggml.scores": array("f", [float("inf")] * len(PIECES))})
