"""Normalization forms on random texts; the tests of the other normalizers compare them with the original."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings

from explorer.engine.normalizers.unicode_forms import Form, UnicodeForm
from explorer.engine.part import Segment, silent
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
