"""Text made visible: glyphs and labels, and that nothing invisible is left."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.text.code_points import label
from explorer.text.say import is_control_label, visible, visible_char
from tests.originals.generators import texts


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("", ""),
        ("abc", "abc"),
        ("a b", "a␣b"),
        ("\n\t\r\0", "↵⇥␍␀"),
        ("\x01\x1b\x7f", "␁␛␡"),
        ("\x85\xa0", "U+0085U+00A0"),
        ("\u3000", "U+3000"),
        ("a\u202eb", "aU+202Eb"),
        ("\u200b\u200d\ufeff\u00ad", "U+200BU+200DU+FEFFU+00AD"),
        ("\u2028\u2029", "U+2028U+2029"),
        ("\ufe0f", "U+FE0F"),
        ("a\ufe0f", "aU+FE0F"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("❤\ufe0f\ufe0f", "❤\ufe0fU+FE0F"),
        ("👩\u200d👧", "👩U+200D👧"),
        ("\u0378\ue000\U0010ffff", "U+0378U+E000U+10FFFF"),
        ("\ud83d", "U+D83D"),
        ("\u0301", "◌\u0301"),
        ("e\u0301\u0323", "e\u0301\u0323"),
        ("\u0301\u0323", "◌\u0301\u0323"),
        (" \u0301", "␣◌\u0301"),
        ("\n\u093f", "↵◌\u093f"),
        ("क्षि", "क्षि"),
        ("\u3164\u115f\u2800\u034f", "U+3164U+115FU+2800U+034F"),
        ("▁␣◌", "▁␣◌"),
        ("\ufffd", "\ufffd"),
        ("שלום 漢字 😊", "שלום␣漢字␣😊"),
    ],
)
def test_visible(hidden, shown):
    assert visible(hidden) == shown


@given(st.one_of(texts(), st.text(st.characters())))
@example("".join(map(chr, range(0x300))))
def test_nothing_invisible_is_left(some):
    shown = visible(some)
    assert [ch for ch in shown if unicodedata.category(ch)[0] in "CZ"] == []
    assert not set(shown) & set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u3164")
    assert bool(shown) == bool(some)
    assert visible(shown) == shown


@pytest.mark.long
def test_every_character_alone():
    # planes 4 to 13 are unassigned, 15 and 16 private: their first 4,096 code points represent them
    codes = [code for code in range(0x110000) if code < 0x40000 or code & 0xFFFF < 0x1000 or code & 0xFFFE == 0xFFFE]
    for ch in map(chr, codes):
        shown, is_label = visible_char(ch)
        assert is_label == is_control_label(ch)
        if is_label:
            assert shown == label(ch) or (len(shown) == 1 and unicodedata.category(shown) in ("So", "Sm"))
        else:
            assert shown in (ch, "◌" + ch)
        assert shown == visible(ch)
