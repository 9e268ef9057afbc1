"""What a normalizer is said to do with characters is what it does: every Unicode form, alone and in sequence.

The oracle is Python's `unicodedata`: a form is named only if the side's normalizer has it, what it is said to give is
what it gives, and no mark is said to be removed that the side keeps in another form.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

import explorer
from explorer.analysis.divergence.comparer import compare
from explorer.analysis.divergence.result import run
from explorer.opening.formats import open_files
from explorer.vocabulary import printable
from tests.bundled import bundled

NORMALIZERS: dict[str, Any] = {
    "": None,
    **{form: {"type": form} for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "lower": {"type": "Lowercase"},
    "bert NFD strip lower": {
        "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
        "lowercase": True,
    },
    "NFD strip": {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]},
    "NFKD strip": {"type": "Sequence", "normalizers": [{"type": "NFKD"}, {"type": "StripAccents"}]},
    "NFKC lower": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
    "NFC lower": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
}  # fmt: skip
"""By what they do, in words: Hugging Face's normalizers."""

TEXTS = (
    "\u2126", "\u212a", "\u212b", "\u0958", "\u0344", "\u2adc", "\ufb2c", "ﬁ\u0323", "½\u0301",
    "가", "각", "ﾊﾞ", "ſ", "㎏", "İ", "ệ", "Å\u0323", "\u1e9b\u0323", "≮",
    *map("".join, product("oSx", ("\u0323", "\u0302\u0323", "\u0323\u0307"))),
    "xo\u0302\u0323y S\u0323", "\u1100\u1161\u11a8", "A\u030a\u0323",
)  # fmt: skip


@cache
def toy(name: str) -> explorer.Tokenizer:
    """Bytes as tokens, after a normalizer."""
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    file = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "post_processor": None,
        "normalizer": NORMALIZERS[name], "pre_tokenizer": level, "decoder": level,
        "model": {
            "type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
            "vocab": {printable(bytes([byte])): byte for byte in range(256)}, "merges": [],
        },
    }  # fmt: skip
    return open_files({f"{name or 'none'}.json": json.dumps(file).encode()}, None)


def marks(text: str) -> list[str]:
    """The marks of a text, whatever they are composed with."""
    return sorted(ch for ch in unicodedata.normalize("NFKD", text) if unicodedata.category(ch).startswith("M"))


@pytest.mark.parametrize(("one", "other"), [*combinations(NORMALIZERS, 2)])
@pytest.mark.sample(12)
def test_a_side_is_said_to_do_what_it_does(one: str, other: str) -> None:
    for text in TEXTS:
        for each in compare(run(toy(one), text, "one"), run(toy(other), text, "other")).divergences:
            for name, half in ((one, each.left), (other, each.right)):
                check(name, text, half.does, f"{name} on {text!a}: {half.does}")


def check(name: str, text: str, does: str, shown: str) -> None:
    """What one normalizer is said to do with a part of a text."""
    made = bytes(toy(name).encode(text).ids).decode()
    for form in re.findall("NFK?[CD]", does):
        assert form in name, shown
        assert unicodedata.normalize(form, made) == made, shown
    if does.startswith(("removes", "drops")):
        assert "strip" in name, shown
        assert len(marks(made)) < len(marks(text)), shown
    if "lowercases" in does:
        assert "lower" in name, shown
    if does.startswith("composes"):
        assert len(unicodedata.normalize("NFC", text)) < len(text), shown
        assert "D" not in re.findall("NFK?([CD])", name), shown
    if does.startswith("decomposes"):
        assert len(unicodedata.normalize("NFD", text)) > len(text), shown
    if does.startswith("inserts"):
        raise AssertionError(shown)


@pytest.mark.parametrize(
    ("spec", "text", "does"),
    [
        ("bert-uncased", "\u2126", "replaces U+2126 \u2126 by U+03A9 \u03a9 (NFD) and lowercases it to \u03c9"),
        ("xlm-r", "xo\u0323", "composes o + U+0323 to \u1ecd (NFKC)"),
        ("qwen2.5", "\u0958", "decomposes \u0958 to \u0915 + U+093C (NFC)"),
    ],
)
def test_bundled_ones(spec: str, text: str, does: str) -> None:
    found = compare(run(bundled(spec), text, "it"), run(bundled("gpt-2"), text, "other"))
    assert does in {each.left.does for each in found.divergences}
