"""Normalization forms: the text as the original makes it, and where each character of it came from."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from tokenizers import normalizers as original

from explorer.engine.items import Segment
from explorer.engine.normalizers import Normalize, NormalizeRow
from explorer.engine.unicode_forms import AFTER_UNICODE_9, Form, Prepend, Replace, UnicodeForm
from explorer.trace import Events, silent
from tests.originals.generators import strings, texts
from tests.originals.unicode_versions import settled

FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")


def apply(form: Form, text: str, unknown: frozenset[str] = frozenset()) -> Segment:
    return UnicodeForm(form, unknown).apply(Segment.of(text), 0, False, silent)


@given(text=texts())
@settings(max_examples=200)
def test_clusters_add_up_to_the_form_of_the_whole(text: str) -> None:
    for form in FORMS:
        made = apply(form, text)
        assert made.text == unicodedata.normalize(form, text)
        assert len(made.starts) == len(made.ends) == len(made.text)
        assert list(made.starts) == sorted(made.starts)
        assert all(start < end <= len(text) for start, end in zip(made.starts, made.ends, strict=True))


@pytest.mark.parametrize("form", FORMS)
def test_the_same_as_the_original_whose_tables_are_old(form: Form) -> None:
    choose = random.Random(3)
    marks = [ch for ch in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(ch)]
    jamo = [chr(code_point) for code_point in (*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3))]
    letters = [*sorted(AFTER_UNICODE_9), *marks, *jamo, *"aeiouAEIKs각Å"]
    samples = strings(5, 2_000) + ["".join(choose.choices(letters, k=choose.randint(1, 8))) for _ in range(2_000)]
    theirs = getattr(original, form)()
    for text in filter(settled, samples):
        assert apply(form, text, AFTER_UNICODE_9).text == (theirs.normalize_str(text) if text else "")


def test_alignment_is_by_clusters() -> None:
    made = apply("NFC", "xe\u0301\u0323y")
    assert made.text == "xẹ\u0301y"
    assert list(zip(made.starts, made.ends, strict=True)) == [(0, 1), (1, 4), (1, 4), (4, 5)]
    made = apply("NFD", "각a")
    assert list(zip(made.starts, made.ends, strict=True)) == [(0, 1)] * 3 + [(1, 2)]
    made = apply("NFKC", "ﬁ")
    assert (made.text, list(made.ends)) == ("fi", [1, 1])


def test_what_changed_is_an_event() -> None:
    events: Events[NormalizeRow] = Events(NormalizeRow)
    UnicodeForm("NFC").apply(Segment.of("ae\u0301i"), 2, False, events.emit)
    assert list(events) == [(Normalize.FORM, 2, 1, ord("é"))]
    assert apply("NFC", "é") == Segment.of("é")


def test_replace_and_prepend() -> None:
    made = Replace(" ", "▁").apply(Segment.of("a b ", 5), 0, False, silent)
    assert (made.text, list(made.starts)) == ("a▁b▁", [5, 6, 7, 8])
    made = Replace("ab", "").apply(Segment.of("xabyab"), 0, False, silent)
    assert (made.text, list(made.starts), list(made.ends)) == ("xy", [0, 3], [1, 4])
    made = Replace("a", "bb").apply(Segment.of("xa"), 0, False, silent)
    assert (made.text, list(made.starts), list(made.ends)) == ("xbb", [0, 1, 1], [1, 2, 2])
    made = Prepend("▁").apply(Segment.of("a", 3), 0, False, silent)
    assert (made.text, list(made.starts), list(made.ends)) == ("▁a", [3, 3], [3, 4])
