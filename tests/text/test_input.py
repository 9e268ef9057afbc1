"""Escapes, surrogates and bytes: accepted as meant, or refused with position and reason."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.text.input import Fault, clean, from_bytes, unescape
from tests.originals.generators import texts
from tests.refusals import refusal


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
    assert unescape(typed) == meant


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
def test_an_error_of_unescape_names_position_and_reason(typed, message):
    assert refusal(unescape, typed).startswith(message)


@given(texts())
def test_escaping_and_unescaping_is_a_round_trip(some):
    as_json = "".join(f"\\u{unit:04x}" for unit in memoryview(some.encode("utf-16-le")).cast("H"))
    assert unescape(as_json) == some
    assert unescape(some.replace("\\", "\\\\")) == some


@given(st.text(st.sampled_from("\\xuU{}01dDa8ntr0\\\ud83d\ude0a")))
def test_unescape_raises_only_input_error(typed):
    try:
        outcome = unescape(typed)
    except InputError as error:
        outcome = str(error)
        position = re.match(r"position (\d+): ", outcome)
        found = position is not None and typed[int(position[1]) - 1 : int(position[1])] == "\\"
    else:
        found = len(outcome) <= len(typed)
    assert found, outcome


def test_clean():
    assert clean("") == ""
    assert clean("Å😊\0") == "Å😊\0"
    assert clean("a\ud83d\ude0ab") == "a😊b"
    with pytest.raises(InputError, match=r"^position 2: half of a surrogate pair \(U\+D83D\)"):
        clean("a\ud83d")
    with pytest.raises(InputError, match=r"^position 5: half of a surrogate pair \(U\+DE0A\)"):
        clean("a\ud83d\ude0ab\ude0a")
    with pytest.raises(InputError, match=r"^position 1: half of a surrogate pair \(U\+D83D\)"):
        clean("\ud83d\ud83d\ude0a")


@given(st.text(st.sampled_from("a\ud800\ud83d\udbff\udc00\ude0a\udfff")))
def test_clean_agrees_with_utf16(some):
    try:
        expected = some.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        with pytest.raises(InputError):
            clean(some)
    else:
        assert clean(some) == expected


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
def test_malformed_bytes(data, message):
    assert refusal(from_bytes, data, "menu.txt").startswith(message)
