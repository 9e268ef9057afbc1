"""What normalization did, told from the texts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysis.divergence.changes import CHANGED_MOST, change, difference, points
from explorer.analysis.divergence.kinds import Kind

CHANGES = [
    ("A\u030a", "Å", Kind.COMPOSITION, "composes A + U+030A to Å (NFC)"),
    ("ᄀ\u1161\u11a8", "각", Kind.COMPOSITION, "composes ᄀ + ᅡ + ᆨ to 각 (NFC)"),
    ("\u212b", "Å", Kind.EQUIVALENT, "writes U+212B \u212b as U+00C5 Å (NFC)"),
    ("q\u0307\u0323", "q\u0323\u0307", Kind.ORDER_OF_MARKS,
     "puts the marks of q + U+0307 + U+0323 in their order, q + U+0323 + U+0307 (NFC)"),
    ("Å", "A\u030a", Kind.DECOMPOSITION, "decomposes Å to A + U+030A (NFD)"),
    ("각", "ᄀ\u1161\u11a8", Kind.DECOMPOSITION, "decomposes 각 to ᄀ + ᅡ + ᆨ (NFD)"),
    ("각", "ᄀ", Kind.FIRST_CODE_POINT, "keeps of 각 only the first code point of its decomposition, ᄀ"),
    ("Å", "a", Kind.MARKS, "writes Å with its marks dropped, a and lower-cases it"),
    ("ế", "e", Kind.MARKS, "writes ế with its marks dropped, e"),
    ("\u0301", "", Kind.MARKS, "removes U+0301"),
    ("ﬁ", "fi", Kind.COMPATIBILITY, "writes ﬁ as “fi” (NFKC)"),
    ("Ａ", "a", Kind.COMPATIBILITY, "writes Ａ as a (NFKC) and lower-cases it"),
    ("A", "a", Kind.CASE, "lower-cases A to a"),
    ("Σ", "ς", Kind.CASE, "writes Σ as ς"),
    ("\t", " ", Kind.WHITE_SPACE, "writes U+0009 as a space"),
    ("  ", " ", Kind.WHITE_SPACE, "writes “␣␣” as a space"),
    ("\v", "", Kind.WHITE_SPACE, "drops U+000B"),
    ("\u200d", "", Kind.REMOVED, "removes U+200D"),
    ("a\u200db", "ab", Kind.REMOVED, "removes U+200D"),
    ("", " ", Kind.INSERTED, "inserts a space"),
    ("漢", " 漢 ", Kind.INSERTED, "inserts “␣␣”"),
    ("½", "x", Kind.REPLACED, "writes ½ as x"),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "kind", "does"), CHANGES)
def test_changes(was: str, now: str, kind: Kind, does: str) -> None:
    found = change(was, now)
    assert found is not None
    assert (found.kind, found.does) == (kind, does)
    # against a side that leaves the text as it is, that is the difference, whichever side it is
    assert difference(was, now, was)[0] == difference(was, was, now)[0] == kind


def test_where_both_sides_changed_a_text_the_greater_change_names_it() -> None:
    assert difference("각", "ᄀ\u1161\u11a8", "ᄀ")[0] == Kind.FIRST_CODE_POINT
    assert difference("Å", "a", "å")[:2] == (Kind.MARKS, "writes Å with its marks dropped, a and lower-cases it")


@given(st.text(max_size=4), st.text(max_size=4), st.text(max_size=4))
def test_every_difference_has_a_kind_and_words(was: str, left: str, right: str) -> None:
    if left != right:
        kind, one, other = difference(was, left, right)
        assert kind in CHANGED_MOST
        for does in (one, other):
            assert does
            assert "\n" not in does
            assert not any(unicodedata.category(ch) in ("Cc", "Cf", "Cs") for ch in does)


@given(st.text(max_size=6))
def test_the_normalization_forms_are_told(text: str) -> None:
    for form in ("NFC", "NFD"):
        now = unicodedata.normalize(form, text)
        found = change(text, now)
        assert (found is None) == (now == text)
        if found is not None and not text.isspace():
            assert found.kind in (
                Kind.COMPOSITION, Kind.DECOMPOSITION, Kind.EQUIVALENT, Kind.ORDER_OF_MARKS, Kind.WHITE_SPACE
            )  # fmt: skip


def test_long_texts_are_shortened() -> None:
    assert points("x" * 100) == f"“{'x' * 20} … {'x' * 20}”"
