"""The byte-to-printable map and its inverse."""

from __future__ import annotations

from explorer.vocabulary import BYTE_OF, PRINTABLE, bytes_of, printable


def test_every_byte_has_a_printable_character_of_its_own() -> None:
    assert len(set(PRINTABLE)) == len(BYTE_OF) == 256
    assert all(ch.isprintable() and not ch.isspace() for ch in PRINTABLE)
    assert [PRINTABLE[byte] for byte in (0x20, 0x0A, 0x09, 0x00, 0xAD, 0x7F)] == ["Ġ", "Ċ", "ĉ", "Ā", "Ń", "ġ"]


def test_round_trip() -> None:
    data = bytes(range(256))
    assert bytes_of(printable(data)) == data
    assert bytes_of("▁") is None
    assert bytes_of("") == b""
