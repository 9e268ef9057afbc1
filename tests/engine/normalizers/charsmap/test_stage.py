"""The character map and the white space rules, on toy maps."""

from __future__ import annotations

import struct

import pytest

from explorer.engine.normalizers.charsmap import (
    CharsmapEvent,
    CharsmapNormalization,
    CharsmapRow,
    PrecompiledCharsmap,
    Whitespace,
    llama_cpp_whitespace,
)
from explorer.engine.part import Events, Options, Segment
from explorer.engine.partition.user_defined import SymbolTree
from explorer.errors import InputError
from tests.engine.charsmap_writer import charsmap

RULES = {"ﬁ": "fi", "A": "a", "A\u030a": "å", "\u200b": "", "\u3000": " ", "…": "  ", "\u00b4": " \u0301"}
MAP = PrecompiledCharsmap(charsmap(RULES), "toy")
PLAIN = Whitespace(add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False)


def normalized(text: str, rules: Whitespace = PLAIN, **more: object) -> tuple[str, list[CharsmapRow], list[object]]:
    """The text, the events and the spans."""
    events: Events[CharsmapRow] = Events(CharsmapRow)
    stage = CharsmapNormalization(MAP, rules, **more)  # type: ignore[arg-type]
    after = stage.run([Segment.of(text, 10)], Options(), events.emit)
    if not after:
        return "", list(events), []
    (item,) = after
    assert isinstance(item, Segment)
    return item.text, list(events), list(zip(item.starts, item.ends, strict=True))


def test_the_longest_match_wins_and_the_shorter_one_is_an_event() -> None:
    text, events, spans = normalized("A\u030aAb")
    assert text == "åab"
    assert [row[:3] for row in events] == [
        (CharsmapEvent.SHORTER, 10, 1),
        (CharsmapEvent.MAP, 10, 2),
        (CharsmapEvent.MAP, 12, 1),
        (CharsmapEvent.KEEP, 13, 1),
    ]
    assert spans == [(10, 12), (12, 13), (13, 14)]


def test_one_to_many_and_one_to_none_keep_the_alignment() -> None:
    text, _, spans = normalized("ﬁ\u200bx")
    assert text == "fix"
    assert spans == [(10, 11), (10, 11), (12, 13)]


def test_user_defined_pieces_stay_and_prefixes_of_them_only_in_llama_cpp() -> None:
    assert normalized("A[A]A", user_defined=SymbolTree(["[A]"]))[0] == "a[A]a"
    assert normalized("[A", user_defined=SymbolTree(["[A]"]))[0] == "[a"
    text, events, _ = normalized("[A", user_defined=SymbolTree(["[A]"], stand_in="\uffff"))
    assert text == "[A"
    assert events == [(CharsmapEvent.BEGINNING, 10, 2, -1)]


SENTENCEPIECE = [
    ("a  b ", Whitespace(), "▁a▁b"),
    ("  a", Whitespace(), "▁a"),
    ("   ", Whitespace(), ""),
    ("…", Whitespace(), ""),
    ("a", Whitespace(add_dummy_prefix=False), "a"),
    (" a  b ", Whitespace(remove_extra_whitespaces=False), "▁▁a▁▁b▁"),
    (" a b", Whitespace(escape_whitespaces=False), " a b"),
    ("a b", Whitespace(treat_whitespace_as_suffix=True), "a▁b▁"),
    ("   ", Whitespace(treat_whitespace_as_suffix=True), ""),
    ("…", Whitespace(treat_whitespace_as_suffix=True), "▁"),
    ("a▁▁", Whitespace(), "▁a"),  # a literal ▁ at the end is stripped, too
    ("a\u00b4", Whitespace(), "▁a▁\u0301"),
    ("a…b", Whitespace(), "▁a▁▁b"),  # two spaces from one rule stay
    ("a …b", Whitespace(), "▁a▁b"),
    ("", Whitespace(), ""),
]


@pytest.mark.parametrize(("text", "rules", "expected"), SENTENCEPIECE)
def test_white_space_as_sentencepiece(text: str, rules: Whitespace, expected: str) -> None:
    if text:
        assert normalized(text, rules)[0] == expected


LLAMA_CPP = [
    ("a  b ", Whitespace(), "▁a▁b"),
    ("  a", Whitespace(), "▁a"),
    ("   ", Whitespace(), ""),
    ("a b", Whitespace(add_dummy_prefix=False), "▁a▁b"),  # the word gets its ▁ anyway
    (" a  b ", Whitespace(remove_extra_whitespaces=False), "▁▁a▁▁b▁"),
    ("  ", Whitespace(remove_extra_whitespaces=False), "▁▁"),  # no word, no prefix
    ("a b", Whitespace(False, False), "a▁b"),
    ("a▁▁", Whitespace(), "▁a▁▁"),
    ("a…b", Whitespace(), "▁a▁b"),
    ("a", Whitespace(treat_whitespace_as_suffix=True, remove_extra_whitespaces=False), "a▁"),
]


@pytest.mark.parametrize(("text", "rules", "expected"), LLAMA_CPP)
def test_white_space_as_llama_cpp(text: str, rules: Whitespace, expected: str) -> None:
    assert normalized(text, rules, whitespace=llama_cpp_whitespace)[0] == expected


def test_spans_of_white_space() -> None:
    assert normalized("a  b ", Whitespace(), whitespace=llama_cpp_whitespace)[2] == [
        (10, 10), (10, 11), (11, 13), (13, 14)
    ]  # fmt: skip
    assert normalized("a  b ", Whitespace())[2] == [(10, 10), (10, 11), (11, 12), (13, 14)]
    assert normalized("a", Whitespace(treat_whitespace_as_suffix=True))[2] == [(10, 11), (11, 11)]


def test_every_decision_about_white_space_is_an_event() -> None:
    events = [row[:3] for row in normalized(" a  ", Whitespace())[1] if row.kind != CharsmapEvent.KEEP]
    assert events == [
        (CharsmapEvent.DROP, 10, 1),
        (CharsmapEvent.PREFIX, 11, 0),
        (CharsmapEvent.ESCAPE, 12, 1),
        (CharsmapEvent.DROP, 13, 1),
        (CharsmapEvent.DROP, 12, 1),
    ]


def damaged(data: bytes) -> str:
    def use() -> None:
        table = PrecompiledCharsmap(data, "toy.model")
        for length, value in table.matches(b"A\xcc\x8a", 0):
            table.rule(b"A\xcc\x8a", 0, length)
            table.string(value)

    with pytest.raises(InputError) as caught:
        use()
    message = str(caught.value)
    assert message.startswith("toy.model: the precompiled character map is damaged: ")
    assert "\n" not in message
    return message


def test_an_inconsistent_map_is_refused() -> None:
    whole = charsmap({"A": "a"})
    assert "its trie takes 4" in damaged(b"\1\0")
    assert "the stated size of its trie" in damaged(whole[:200])
    assert "the stated size of its trie" in damaged(struct.pack("<I", 1028) + whole[4:])
    assert "the stated size of its trie" in damaged(bytes(4) + whole[4:])
    assert "not terminated by NUL" in damaged(whole[:-1] + b"x")
    size = int.from_bytes(whole[:4], "little")
    units = list(struct.unpack(f"<{size // 4}I", whole[4 : 4 + size]))

    def changed(index: int, unit: int) -> bytes:
        return whole[:4] + struct.pack(f"<{len(units)}I", *units[:index], unit, *units[index + 1 :]) + whole[4 + size :]

    value = next(index for index, unit in enumerate(units) if unit >> 31)
    assert "points to byte 77" in damaged(changed(value, 1 << 31 | 77))
    assert "outside the" in damaged(changed(0, 1 << 30))
    assert "holds no value" in damaged(changed(value, 0))
    assert "not UTF-8" in damaged(charsmap({b"A": b"\xff"}))
    assert "ends within a character" in damaged(charsmap({b"A\xcc": b"a"}))
