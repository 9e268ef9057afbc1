"""Facts about a code point: every flag against llama.cpp, names and mappings by example."""

import unicodedata

import pytest

from explorer.text import code_points
from explorer.text.code_points import Flag, first_of_nfd, simple_lower, simple_upper
from tests.originals import llama_cpp


@pytest.mark.long
def test_flags_are_those_of_llama_cpp():
    """Every code point, whichever version of Unicode this Python has."""
    wrong = [hex(code) for code in range(0x110000) if llama_cpp.codepoint_flags(code) != code_points.flags_of(code)]
    assert wrong == []


@pytest.mark.long
def test_lower_case_is_that_of_llama_cpp():
    different = [hex(code) for code in range(0x110000) if ord(simple_lower(chr(code))) != llama_cpp.to_lower(code)]
    assert different == []


def test_flags_outside_unicode():
    assert code_points.flags_of(0x110000) == code_points.flags_of(-1) == Flag.UNDEFINED
    assert llama_cpp.codepoint_flags(0x110000) == Flag.UNDEFINED


@pytest.mark.parametrize(
    ("ch", "words"),
    [
        ("a", "letter lowercase nfd"),
        ("A", "letter uppercase nfd"),
        ("Å", "letter uppercase"),
        ("ß", "letter lowercase"),
        ("ŉ", "letter"),
        ("ᾼ", "letter uppercase"),  # what ᾳ becomes, although "ᾳ".upper() is two characters
        ("i", "letter lowercase nfd"),
        ("7", "number"),
        (" ", "separator whitespace"),
        ("\n", "control whitespace"),
        ("\x1c", "control"),  # although str.isspace() is True
        ("\0", "control nfd"),
        ("!", "punctuation"),
        ("+", "symbol"),
        ("\u0301", "accent mark nfd"),
        ("\u0378", "undefined"),
        ("\ud800", "control"),
        ("\ue000", "control"),
        ("\u200b", "control"),
        ("각", "letter"),
        ("\u1100", "letter nfd"),
    ],
)
def test_flags(ch, words):
    assert " ".join(code_points.facts(ch).words) == words


@pytest.mark.parametrize(
    ("ch", "label", "name"),
    [
        ("\0", "U+0000", "NULL"),
        ("\n", "U+000A", "LINE FEED"),
        ("\x7f", "U+007F", "DELETE"),
        ("\x85", "U+0085", "NEXT LINE"),
        ("Å", "U+00C5", "LATIN CAPITAL LETTER A WITH RING ABOVE"),
        ("漢", "U+6F22", "CJK UNIFIED IDEOGRAPH-6F22"),
        ("각", "U+AC01", "HANGUL SYLLABLE GAG"),
        ("\U00017000", "U+17000", "TANGUT IDEOGRAPH-17000"),
        ("\ue000", "U+E000", "<private use>"),
        ("\U0010fffd", "U+10FFFD", "<private use>"),
        ("\udc00", "U+DC00", "<surrogate>"),
        ("\u0378", "U+0378", "<unassigned>"),
        ("\uffff", "U+FFFF", "<noncharacter>"),
        ("\ufdd0", "U+FDD0", "<noncharacter>"),
        ("\U0003fffe", "U+3FFFE", "<noncharacter>"),
        ("\ufdcf", "U+FDCF", "ARABIC LIGATURE SALAAMUHU ALAYNAA"),
    ],
)
def test_names_and_labels(ch, label, name):
    fact = code_points.facts(ch)
    assert (fact.code_point, fact.label, fact.name) == (ord(ch), label, name)
    assert fact.category == unicodedata.category(ch)


def test_every_control_has_its_unicode_name():
    controls = [ch for ch in map(chr, range(0x110000)) if unicodedata.category(ch) == "Cc"]
    assert len(controls) == 65
    assert [ch for ch in controls if unicodedata.lookup(code_points.name(ch)) != ch] == []


def test_every_code_point_has_a_name():
    assert not [hex(code) for code in range(0x110000) if code_points.name(chr(code)) in ("", "<unnamed>")]


@pytest.mark.parametrize(
    ("ch", "lower", "upper", "base"),
    [
        ("Å", "å", "Å", "A"),
        ("å", "å", "Å", "a"),
        ("İ", "i", "İ", "I"),
        ("ß", "ß", "ß", "ß"),
        ("ẞ", "ß", "ẞ", "ẞ"),
        ("ŉ", "ŉ", "ŉ", "ŉ"),
        ("ﬁ", "ﬁ", "ﬁ", "ﬁ"),
        ("ᾳ", "ᾳ", "ᾼ", "α"),
        ("ᾼ", "ᾳ", "ᾼ", "Α"),
        ("ᾀ", "ᾀ", "ᾈ", "α"),
        ("ᾷ", "ᾷ", "ᾷ", "α"),
        ("ǆ", "ǆ", "Ǆ", "ǆ"),
        ("ǅ", "ǆ", "Ǆ", "ǅ"),
        ("Σ", "σ", "Σ", "Σ"),
        ("ſ", "ſ", "S", "ſ"),
        ("각", "각", "각", "ᄀ"),
        ("\U00010400", "\U00010428", "\U00010400", "\U00010400"),
    ],
)
def test_simple_mappings(ch, lower, upper, base):
    assert (simple_lower(ch), simple_upper(ch), first_of_nfd(ch)) == (lower, upper, base)
