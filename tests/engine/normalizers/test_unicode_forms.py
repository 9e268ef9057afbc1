"""Normalization forms on random texts; the tests of the other normalizers compare them with the original."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings

from explorer.engine.normalizers import huggingface
from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.part import Segment, silent
from explorer.engine.unicode import versions
from explorer.engine.unicode.versions import UNKNOWN_TO_FORMS
from tests.originals.generators import texts
from tests.tiers import amount

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


@given(text=texts().filter(lambda text: UNKNOWN_TO_FORMS.isdisjoint(map(ord, text))))
@settings(max_examples=amount(300))
def test_the_forms_agree_with_python(text: str) -> None:
    for form in FORMS:
        made = UnicodeForm(form).apply(Segment.of(text), 0, False, silent)
        assert made.text == unicodedata.normalize(form, text)
        assert len(made.starts) == len(made.ends) == len(made.text)
        assert list(made.starts) == sorted(made.starts)
        assert all(start < end <= len(text) for start, end in zip(made.starts, made.ends, strict=True))


def test_a_normalized_text_stays_the_same_object() -> None:
    segment = Segment.of("é")
    assert UnicodeForm("NFC").apply(segment, 0, False, silent) is segment


def letters(syllable: str) -> str:
    return " ".join(f"{ord(letter):04X}" for letter in unicodedata.normalize("NFD", syllable))


@pytest.mark.sample(2)
@pytest.mark.parametrize("said", [lambda syllable: "", letters], ids=["nothing", "all letters"])
def test_hangul_composes_whatever_python_says_of_a_syllable(
    said: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`unicodedata.decomposition` of a syllable is "" up to 3.13, and its two or three letters since 3.14.8."""
    real = unicodedata.decomposition
    monkeypatch.setattr(unicodedata, "decomposition", lambda ch: said(ch) if "가" <= ch <= "힣" else real(ch))
    for composed in (versions.composed.__wrapped__, huggingface.composed):
        for syllable in map(chr, range(0xAC00, 0xD7A4, 5)):
            apart = unicodedata.normalize("NFD", syllable)
            assert composed(unicodedata.normalize("NFC", apart[:-1]), apart[-1]) == syllable
        assert composed("e", "\u0301") == "é"
        assert composed("각", "ᆨ") is None
        assert composed("\u212b", "\u0301") is None  # decomposes, so NFC is one character of other parts
