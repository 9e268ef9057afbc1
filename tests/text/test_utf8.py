"""UTF-8: characters and malformed runs compared with Python's decoder."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.text import from_bytes, input
from explorer.text.input import Fault, Role
from tests.originals.generators import texts


def runs(data: bytes) -> list[tuple[int, int, int | None, Fault | None]]:
    return [(one.start, one.length, one.code_point, one.fault) for one in input.decode_utf8(data)]


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


# Random bytes rarely form a long character, so half of them are boundary values of the rules.
hard_bytes = st.lists(
    st.sampled_from(list(b"A\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xed\xee\xef\xf0\xf1\xf4\xf5\xff"))
).map(bytes)


@given(st.one_of(st.binary(), hard_bytes))
def test_arbitrary_bytes_decode_as_python_decodes_them(data):
    decoded = input.decode_utf8(data)
    shown = "".join("\ufffd" if one.code_point is None else chr(one.code_point) for one in decoded)
    assert shown == data.decode("utf-8", "replace")
    assert [one.start for one in decoded] == [sum(d.length for d in decoded[:n]) for n in range(len(decoded))]
    assert b"".join(bytes(field.value for field in one.fields) for one in decoded) == data
    assert all((one.code_point is None) == (one.fault is not None) for one in decoded)


@given(texts())
def test_valid_text_decodes_to_itself(valid):
    assert "".join(chr(code) for _, _, code, fault in runs(valid.encode()) if fault is None) == valid


def test_every_code_point_and_every_surrogate():
    for code in range(0x110000):
        if code % 0x1000 in (0, 1, 0x7FF, 0x800, 0xFFE, 0xFFF) or code < 0x900:
            data = chr(code).encode("utf-8", "surrogatepass")
            expected = (None, Fault.SURROGATE) if 0xD800 <= code < 0xE000 else (code, None)
            assert input.decode_utf8(data)[0][2:4] == expected


def test_bit_fields_of_every_byte():
    for byte in range(256):
        field = input.fields_of(byte)
        marker, payload = field.bits
        assert field.value == byte
        assert int(marker + payload, 2) == byte
        assert len(marker) == field.prefix_bits
        assert field.payload == int(payload or "0", 2)
    roles = [input.fields_of(byte).role for byte in (0, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xF4, 0xF5, 0xFF)]
    single, lead, continuation, bad = Role.SINGLE, Role.LEAD, Role.CONTINUATION, Role.BAD
    assert roles == [single, single, continuation, continuation, bad, bad, lead, lead, bad, bad]
    prefixes = [input.fields_of(byte).prefix_bits for byte in (0x41, 0x96, 0xC3, 0xE2, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF)]
    assert prefixes == [1, 2, 3, 4, 5, 6, 7, 8, 8]


@given(st.characters(exclude_categories=["Cs"]))
def test_payload_bits_are_the_code_point(ch):
    (one,) = input.decode_utf8(ch.encode())
    assert int("".join(field.bits[1] for field in one.fields), 2) == ord(ch)


def test_every_fault_has_its_own_explanation():
    assert len({fault.value for fault in Fault}) == len(Fault) == 6
    assert all(fault.value.endswith(".") for fault in Fault)


@given(st.one_of(st.binary(), hard_bytes))
def test_first_fault_is_where_python_stops(data):
    found = input.first_fault(data)
    if found is None:
        assert from_bytes(data, "x") == data.decode()
        return
    with pytest.raises(UnicodeDecodeError) as refused:
        data.decode()
    assert found[0] == refused.value.start
    assert data[found[0] :].startswith(found[1])
    with pytest.raises(InputError):
        from_bytes(data, "x")
