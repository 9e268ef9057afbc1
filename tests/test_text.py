"""Text: every byte's verdict against Python's decoder, every flag against llama.cpp, what is shown, what comes in."""

import doctest
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explorer import text
from explorer.errors import InputError
from explorer.text import Fault, Flag, Role
from tests.originals import llama_cpp
from tests.originals.generators import texts


def test_examples_in_docstrings():
    found = doctest.testmod(text, optionflags=doctest.ELLIPSIS)
    assert found.attempted >= 14
    assert found.failed == 0


# --- UTF-8 -----------------------------------------------------------------------------------------------------


def runs(data: bytes) -> list[tuple[int, int, int | None, Fault | None]]:
    return [(one.start, one.length, one.code_point, one.fault) for one in text.decode_utf8(data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\0A\x7f", [(0, 1, 0, None), (1, 1, 65, None), (2, 1, 127, None)]),
        ("ÅA".encode(), [(0, 2, 0xC5, None), (2, 1, 65, None)]),
        ("▁".encode(), [(0, 3, 0x2581, None)]),
        ("😊".encode(), [(0, 4, 0x1F60A, None)]),
        # the ends of each length
        (b"\xc2\x80\xdf\xbf", [(0, 2, 0x80, None), (2, 2, 0x7FF, None)]),
        (b"\xe0\xa0\x80\xef\xbf\xbf", [(0, 3, 0x800, None), (3, 3, 0xFFFF, None)]),
        (b"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", [(0, 4, 0x10000, None), (4, 4, 0x10FFFF, None)]),
        (b"\xed\x9f\xbf\xee\x80\x80", [(0, 3, 0xD7FF, None), (3, 3, 0xE000, None)]),
        # one rule broken each
        (b"\x80A", [(0, 1, None, Fault.STRAY), (1, 1, 65, None)]),
        (b"A\xbf", [(0, 1, 65, None), (1, 1, None, Fault.STRAY)]),
        (b"\xc3", [(0, 1, None, Fault.TRUNCATED)]),
        (b"\xe2\x96A", [(0, 2, None, Fault.TRUNCATED), (2, 1, 65, None)]),
        (b"\xf0\x9f\x98", [(0, 3, None, Fault.TRUNCATED)]),
        (b"\xf0\x9f\x98\xc3\x85", [(0, 3, None, Fault.TRUNCATED), (3, 2, 0xC5, None)]),
        (b"\xc0\x80", [(0, 1, None, Fault.OVERLONG), (1, 1, None, Fault.STRAY)]),
        (b"\xc1", [(0, 1, None, Fault.OVERLONG)]),
        (b"\xe0\x9f\xbf", [(0, 1, None, Fault.OVERLONG), (1, 1, None, Fault.STRAY), (2, 1, None, Fault.STRAY)]),
        (b"\xf0\x8f", [(0, 1, None, Fault.OVERLONG), (1, 1, None, Fault.STRAY)]),
        (b"\xed\xa0\x80", [(0, 1, None, Fault.SURROGATE), *((at, 1, None, Fault.STRAY) for at in (1, 2))]),
        (b"\xed\xbf", [(0, 1, None, Fault.SURROGATE), (1, 1, None, Fault.STRAY)]),
        (b"\xf4\x90", [(0, 1, None, Fault.TOO_HIGH), (1, 1, None, Fault.STRAY)]),
        (b"\xf5", [(0, 1, None, Fault.TOO_HIGH)]),
        (b"\xf7", [(0, 1, None, Fault.TOO_HIGH)]),
        (b"\xf8\xff", [(0, 1, None, Fault.IMPOSSIBLE), (1, 1, None, Fault.IMPOSSIBLE)]),
    ],
)
def test_each_rule(data, expected):
    assert runs(data) == expected


# Arbitrary bytes hardly ever make a long character, so half of them come from the bytes where rules begin and end.
hard_bytes = st.lists(
    st.sampled_from(list(b"A\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xed\xee\xef\xf0\xf1\xf4\xf5\xff"))
).map(bytes)


@given(st.one_of(st.binary(), hard_bytes))
def test_arbitrary_bytes_decode_as_python_decodes_them(data):
    decoded = text.decode_utf8(data)
    shown = "".join("\ufffd" if one.code_point is None else chr(one.code_point) for one in decoded)
    assert shown == data.decode("utf-8", "replace")
    assert [one.start for one in decoded] == [sum(d.length for d in decoded[:n]) for n in range(len(decoded))]
    assert b"".join(bytes(field.value for field in one.fields) for one in decoded) == data
    assert all((one.code_point is None) == (one.fault is not None) for one in decoded)


@given(texts())
def test_text_decodes_to_itself(valid):
    assert "".join(chr(code) for _, _, code, fault in runs(valid.encode()) if fault is None) == valid


def test_every_code_point_and_every_surrogate():
    for code in range(0x110000):
        if code % 0x1000 in (0, 1, 0x7FF, 0x800, 0xFFE, 0xFFF) or code < 0x900:
            data = chr(code).encode("utf-8", "surrogatepass")
            expected = (None, Fault.SURROGATE) if 0xD800 <= code < 0xE000 else (code, None)
            assert text.decode_utf8(data)[0][2:4] == expected


def test_bit_fields_of_every_byte():
    for byte in range(256):
        field = text.fields_of(byte)
        marker, payload = field.bits
        assert field.value == byte
        assert int(marker + payload, 2) == byte
        assert len(marker) == field.prefix_bits
        assert field.payload == int(payload or "0", 2)
    roles = [text.fields_of(byte).role for byte in (0, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xF4, 0xF5, 0xFF)]
    single, lead, continuation, bad = Role.SINGLE, Role.LEAD, Role.CONTINUATION, Role.BAD
    assert roles == [single, single, continuation, continuation, bad, bad, lead, lead, bad, bad]
    prefixes = [text.fields_of(byte).prefix_bits for byte in (0x41, 0x96, 0xC3, 0xE2, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF)]
    assert prefixes == [1, 2, 3, 4, 5, 6, 7, 8, 8]


@given(st.characters(exclude_categories=["Cs"]))
def test_payload_bits_are_the_code_point(ch):
    (one,) = text.decode_utf8(ch.encode())
    assert int("".join(field.bits[1] for field in one.fields), 2) == ord(ch)


def test_each_fault_is_explained_differently():
    assert len({fault.value for fault in Fault}) == len(Fault) == 6
    assert all(fault.value.endswith(".") for fault in Fault)


# --- Facts -----------------------------------------------------------------------------------------------------


def test_flags_are_those_of_llama_cpp():
    """Every code point. Two sides with different Unicode versions may differ, but only in what that can change."""
    newer, remapped, wrong = [], [], []
    images = Flag.LOWERCASE | Flag.UPPERCASE | Flag.NFD
    for code in range(0x110000):
        theirs, ours = llama_cpp.codepoint_flags(code), text.flags_of(code)
        if theirs == ours:
            continue
        if (unicodedata.category(chr(code)) == "Cn") != bool(theirs & Flag.UNDEFINED):
            newer.append(code)  # assigned in the newer of the two versions
        elif (theirs ^ ours) & ~images:
            wrong.append((hex(code), theirs, ours))
        else:
            remapped.append(code)  # a code point of the newer version maps to this one
    assert wrong == []
    assert len(remapped) <= 20
    assert len(newer) < 11_000
    if unicodedata.unidata_version == "14.0.0":
        # llama.cpp at this pin has Unicode 15.1: 4,489 and 627 new characters, none of which maps to an old one.
        assert (len(newer), remapped) == (4489 + 627, [])


def test_lower_case_is_that_of_llama_cpp():
    different = [
        hex(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) != "Cn" and ord(text.simple_lower(chr(code))) != llama_cpp.to_lower(code)
    ]
    assert different == []


def test_flags_outside_unicode():
    assert text.flags_of(0x110000) == text.flags_of(-1) == Flag.UNDEFINED
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
        ("\x1c", "control"),  # str.isspace() is true of it
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
def test_flags_by_eye(ch, words):
    assert " ".join(text.facts(ch).words) == words


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
    fact = text.facts(ch)
    assert (fact.code_point, fact.label, fact.name) == (ord(ch), label, name)
    assert fact.category == unicodedata.category(ch)


def test_every_control_has_the_name_unicode_knows_it_by():
    controls = [ch for ch in map(chr, range(0x110000)) if unicodedata.category(ch) == "Cc"]
    assert len(controls) == 65
    assert [ch for ch in controls if unicodedata.lookup(text.name(ch)) != ch] == []


def test_every_code_point_has_a_name():
    assert not [hex(code) for code in range(0x110000) if text.name(chr(code)) in ("", "<unnamed>")]


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
    assert (text.simple_lower(ch), text.simple_upper(ch), text.first_of_nfd(ch)) == (lower, upper, base)


# --- Visible ---------------------------------------------------------------------------------------------------


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
    assert text.visible(hidden) == shown


@given(st.one_of(texts(), st.text(st.characters())))
@example("".join(map(chr, range(0x300))))
def test_nothing_invisible_is_left(some):
    shown = text.visible(some)
    assert [ch for ch in shown if unicodedata.category(ch)[0] in "CZ"] == []
    assert not set(shown) & set("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u3164")
    assert bool(shown) == bool(some)
    assert text.visible(shown) == shown


def test_every_character_alone():
    # planes 4 to 13 are unassigned, 15 and 16 private: their first 4,096 code points stand for the rest
    codes = [code for code in range(0x110000) if code < 0x40000 or code & 0xFFFF < 0x1000 or code & 0xFFFE == 0xFFFE]
    for ch in map(chr, codes):
        shown, is_label = text.visible_char(ch)
        assert is_label == text.is_control_label(ch)
        if is_label:
            assert shown == text.label(ch) or (len(shown) == 1 and unicodedata.category(shown) in ("So", "Sm"))
        else:
            assert shown in (ch, "◌" + ch)
        assert shown == text.visible(ch)


# --- Doors -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("", ""),
        ("plain ▁", "plain ▁"),
        (r"a\tb\nc\rd\0e\\n", "a\tb\nc\rd\0e\\n"),
        (r"\x00\x41\xfF", "\0A\xff"),
        (r"\u00c5\u2581x", "Å▁x"),
        (r"\U0001F60A\u{1F60A}\u{a}\u{0010FFFF}", "😊😊\n\U0010ffff"),
        (r"\ud83d\ude0a!", "😊!"),
        (r"\u{D83D}\uDE0A", "😊"),
        (r"\012", "\x0012"),
        (r"\\ud83d", r"\ud83d"),
    ],
)
def test_unescape(typed, meant):
    assert text.unescape(typed) == meant


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("ab\\", r"position 3: a backslash ends the text; write \\"),
        (r"a\q", r"position 2: unknown escape \q; write \\"),
        ("\\ ", r"position 1: unknown escape \␣; write \\"),
        ("\\\u202e", r"position 1: unknown escape \U+202E; write \\"),
        (r"\x4", r"position 1: unfinished escape \x; write \xHH with two"),
        (r"\x4g", r"position 1: unfinished escape \x; write \xHH with two"),
        (r"é\u12", r"position 2: unfinished escape \u; write \uXXXX with four"),
        (r"\U0001F60", r"position 1: unfinished escape \U; write \UXXXXXXXX with eight"),
        (r"\u{}", r"position 1: unfinished escape \u{; write one to eight"),
        (r"\u{12", r"position 1: unfinished escape \u{; write one to eight"),
        (r"\u{123456789}", r"position 1: unfinished escape \u{; write one to eight"),
        (r"\u{110000}", r"position 1: \u{110000} is above U+10FFFF"),
        (r"\UFFFFFFFF", r"position 1: \UFFFFFFFF is above U+10FFFF"),
        (r"x\ud83d", "position 2: half of a surrogate pair (U+D83D)"),
        (r"\ud83dx", "position 1: half of a surrogate pair (U+D83D)"),
        (r"\ud83d\n", "position 1: half of a surrogate pair (U+D83D)"),
        (r"\ud83d\ud83d\ude0a", "position 1: half of a surrogate pair (U+D83D)"),
        (r"\ude0a\ud83d", "position 1: half of a surrogate pair (U+DE0A)"),
    ],
)
def test_unescape_says_where_and_what(typed, message):
    with pytest.raises(InputError) as caught:
        text.unescape(typed)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@given(texts())
def test_what_is_escaped_comes_back(some):
    as_json = "".join(f"\\u{unit:04x}" for unit in memoryview(some.encode("utf-16-le")).cast("H"))
    assert text.unescape(as_json) == some
    assert text.unescape(some.replace("\\", "\\\\")) == some


@given(st.text(st.sampled_from("\\xuU{}01dDa8ntr0\\\ud83d\ude0a")))
def test_unescape_fails_only_with_input_error(typed):
    try:
        outcome = text.unescape(typed)
    except InputError as error:
        outcome = str(error)
        position = re.match(r"position (\d+): ", outcome)
        found = position is not None and typed[int(position[1]) - 1 : int(position[1])] == "\\"
    else:
        found = len(outcome) <= len(typed)
    assert found, outcome


def test_clean():
    assert text.clean("") == ""
    assert text.clean("Å😊\0") == "Å😊\0"
    assert text.clean("a\ud83d\ude0ab") == "a😊b"
    with pytest.raises(InputError, match=r"^position 2: half of a surrogate pair \(U\+D83D\)"):
        text.clean("a\ud83d")
    with pytest.raises(InputError, match=r"^position 5: half of a surrogate pair \(U\+DE0A\)"):
        text.clean("a\ud83d\ude0ab\ude0a")
    with pytest.raises(InputError, match=r"^position 1: half of a surrogate pair \(U\+D83D\)"):
        text.clean("\ud83d\ud83d\ude0a")


@given(st.text(st.sampled_from("a\ud800\ud83d\udbff\udc00\ude0a\udfff")))
def test_clean_text_is_what_utf16_says(some):
    try:
        expected = some.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        with pytest.raises(InputError):
            text.clean(some)
    else:
        assert text.clean(some) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"caf\xe9", f"menu.txt: byte offset 3 (E9) is not UTF-8. {Fault.TRUNCATED.value} "),
        (b"\xe9\xc3\xa9", f"menu.txt: byte offset 0 (E9) is not UTF-8. {Fault.TRUNCATED.value} "),
        (b"a\xc0\xafb", f"menu.txt: byte offset 1 (C0 AF) is not UTF-8. {Fault.OVERLONG.value} "),
        (b"\xed\xa0\xbd\xed", f"menu.txt: byte offset 0 (ED A0 BD) is not UTF-8. {Fault.SURROGATE.value} "),
        (b"\xc3\xa9\x80", f"menu.txt: byte offset 2 (80) is not UTF-8. {Fault.STRAY.value} "),
        (b"\xff\xfea\0", f"menu.txt: byte offset 0 (FF) is not UTF-8. {Fault.IMPOSSIBLE.value} "),
        (b"\xf4\x90\x80\x80", f"menu.txt: byte offset 0 (F4 90 80 80) is not UTF-8. {Fault.TOO_HIGH.value} "),
    ],
)
def test_bytes_that_are_no_text(data, message):
    with pytest.raises(InputError) as caught:
        text.from_bytes(data, "menu.txt")
    assert str(caught.value).startswith(message)


@given(st.one_of(st.binary(), hard_bytes))
def test_first_fault_is_where_python_stops(data):
    found = text.first_fault(data)
    if found is None:
        assert text.from_bytes(data, "x") == data.decode()
        return
    with pytest.raises(UnicodeDecodeError) as refused:
        data.decode()
    assert found[0] == refused.value.start
    assert data[found[0] :].startswith(found[1])
    with pytest.raises(InputError):
        text.from_bytes(data, "x")
