"""What normalization did, derived from the texts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.analysis.divergence.changes import CHANGED_MOST, change, difference, points
from explorer.analysis.divergence.result import DifferenceKind
from explorer.text.say import plain

CHANGES = [
    ("A\u030a", "Å", DifferenceKind.COMPOSITION, "composes A + U+030A to Å (NFC)"),
    ("ᄀ\u1161\u11a8", "각", DifferenceKind.COMPOSITION, "composes ᄀ + ᅡ + ᆨ to 각 (NFC)"),
    ("\u212b", "Å", DifferenceKind.EQUIVALENT, "replaces U+212B \u212b by U+00C5 Å (NFC)"),
    ("q\u0307\u0323", "q\u0323\u0307", DifferenceKind.ORDER_OF_MARKS,
     "reorders the marks of q + U+0307 + U+0323 to q + U+0323 + U+0307 (NFC)"),
    ("Å", "A\u030a", DifferenceKind.DECOMPOSITION, "decomposes Å to A + U+030A (NFD)"),
    ("각", "ᄀ\u1161\u11a8", DifferenceKind.DECOMPOSITION, "decomposes 각 to ᄀ + ᅡ + ᆨ (NFD)"),
    ("각", "ᄀ", DifferenceKind.FIRST_CODE_POINT, "reduces 각 to the first code point of its decomposition, giving ᄀ"),
    ("Å", "a", DifferenceKind.MARKS, "drops the marks of Å and lowercases it, giving a"),
    ("ế", "e", DifferenceKind.MARKS, "drops the marks of ế, giving e"),
    ("\u0301", "", DifferenceKind.MARKS, "removes U+0301"),
    ("ﬁ", "fi", DifferenceKind.COMPATIBILITY, "replaces ﬁ by “fi” (NFKC)"),
    ("Ａ", "a", DifferenceKind.COMPATIBILITY, "replaces Ａ by a (NFKC) and lowercases it"),
    ("A", "a", DifferenceKind.CASE, "lowercases A to a"),
    ("Σ", "ς", DifferenceKind.CASE, "replaces Σ by ς"),
    ("\t", " ", DifferenceKind.WHITE_SPACE, "replaces U+0009 by a space"),
    ("  ", " ", DifferenceKind.WHITE_SPACE, "replaces “␣␣” by a space"),
    ("\v", "", DifferenceKind.WHITE_SPACE, "drops U+000B"),
    ("\u200d", "", DifferenceKind.REMOVED, "removes U+200D"),
    ("a\u200db", "ab", DifferenceKind.REMOVED, "removes U+200D"),
    ("", " ", DifferenceKind.INSERTED, "inserts a space"),
    ("漢", " 漢 ", DifferenceKind.INSERTED, "inserts “␣␣”"),
    ("½", "x", DifferenceKind.REPLACED, "replaces ½ by x"),
]  # fmt: skip


@pytest.mark.parametrize(("was", "now", "kind", "does"), CHANGES)
def test_changes(was: str, now: str, kind: DifferenceKind, does: str) -> None:
    found = change(was, now)
    assert found is not None
    assert (found.kind, plain(found.says)) == (kind, does)
    # against a side that changes nothing, the change is the difference, whichever side makes it
    assert difference(was, now, was)[0] == difference(was, was, now)[0] == kind


def test_if_both_sides_changed_a_text_the_greater_change_names_the_difference() -> None:
    assert difference("각", "ᄀ\u1161\u11a8", "ᄀ")[0] == DifferenceKind.FIRST_CODE_POINT
    kind, one, _ = difference("Å", "a", "å")
    assert (kind, plain(one)) == (DifferenceKind.MARKS, "drops the marks of Å and lowercases it, giving a")


@pytest.mark.long
@given(st.text(max_size=4), st.text(max_size=4), st.text(max_size=4))
def test_every_difference_has_a_kind_and_words(was: str, left: str, right: str) -> None:
    if left != right:
        kind, one, other = difference(was, left, right)
        assert kind in CHANGED_MOST
        for does in map(plain, (one, other)):
            assert does
            assert "\n" not in does
            assert not any(unicodedata.category(ch) in ("Cc", "Cf", "Cs") for ch in does)


@given(st.text(max_size=6))
def test_the_normalization_forms_are_recognized(text: str) -> None:
    for form in ("NFC", "NFD"):
        now = unicodedata.normalize(form, text)
        found = change(text, now)
        assert (found is None) == (now == text)
        if found is not None and not text.isspace():
            assert found.kind in (
                DifferenceKind.COMPOSITION,
                DifferenceKind.DECOMPOSITION,
                DifferenceKind.EQUIVALENT,
                DifferenceKind.ORDER_OF_MARKS,
                DifferenceKind.WHITE_SPACE,
            )


def test_long_texts_are_shortened() -> None:
    assert points("x" * 100) == f"“{'x' * 20} … {'x' * 20}”"
