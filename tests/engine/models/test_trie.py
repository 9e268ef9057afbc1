"""The walk through a trie on toy vocabularies: every step, falling back, and termination."""

from __future__ import annotations

import pytest

from explorer.engine.models.longest_match import (
    ByteModel,
    FirstMiss,
    FirstMissEvent,
    FirstMissRow,
    TrieEvent,
    TrieMatch,
    TrieRow,
)
from explorer.engine.part import Events, Options, Segment, Token, silent
from explorer.errors import InputError
from explorer.vocabulary import Vocabulary

WORDS = Vocabulary.of([b"<end>", b"!", b"!--", b"-", "é".encode(), b"x"], kinds=[3, 1, 1, 1, 1, 1])
BYTES = Vocabulary.of([b"<end>", *(bytes([byte]) for byte in range(256)), b"ab", b"abcd", "é".encode()])


def walk(model: ByteModel, data: bytes) -> tuple[list[int], list[TrieRow | FirstMissRow]]:
    events: Events[TrieRow | FirstMissRow] = Events(model.row)
    return [found.id for found in model.tokenize(data, events.emit)], list(events)


def test_the_walk_passes_a_node_that_is_not_a_token() -> None:
    ids, events = walk(TrieMatch(WORDS), b"!--x")
    assert ids == [2, 5]
    assert events == [
        (TrieEvent.SEEN, 0, 0, 1), (TrieEvent.NODE, 1, 0, -1), (TrieEvent.SEEN, 2, 0, 2), (TrieEvent.NO_EDGE, 3, 0, -1),
        (TrieEvent.TAKE, 3, 0, 2), (TrieEvent.SEEN, 3, 3, 5), (TrieEvent.END, 4, 3, -1), (TrieEvent.TAKE, 4, 3, 5),
    ]  # fmt: skip


def test_it_falls_back_to_the_last_token_seen() -> None:
    ids, events = walk(TrieMatch(WORDS), b"!-")
    assert ids == [1, 3]
    assert events[:4] == [
        (TrieEvent.SEEN, 0, 0, 1), (TrieEvent.NODE, 1, 0, -1), (TrieEvent.END, 2, 0, -1), (TrieEvent.FALL_BACK, 1, 0, 1)
    ]  # fmt: skip


def test_a_walk_without_a_token_gives_the_unknown_token_or_an_error_and_ends() -> None:
    """0xC3 begins é and is not a token itself; 0xA9 begins nothing."""
    for data in (b"\xc3", b"\xc3x", b"\xa9", b"z"):
        with pytest.raises(
            InputError, match=f"byte at offset 0: no token of this vocabulary begins with 0x{data[0]:02X}"
        ):
            TrieMatch(WORDS).tokenize(data, silent)
    ids, events = walk(TrieMatch(WORDS, unknown=0), b"\xc3x\xa9")
    assert ids == [0, 5, 0]
    assert [row for row in events if row.kind == TrieEvent.UNKNOWN] == [
        (TrieEvent.UNKNOWN, 1, 0, 0),
        (TrieEvent.UNKNOWN, 3, 2, 0),
    ]


def test_the_end_of_text_token_is_not_matched() -> None:
    with pytest.raises(InputError, match="byte at offset 0"):
        TrieMatch(WORDS).tokenize(b"<end>", silent)


def test_the_first_miss_loop_stops_where_the_trie_continues() -> None:
    assert walk(TrieMatch(BYTES), b"abcd")[0] == [258]
    ids, events = walk(FirstMiss(BYTES), b"abcd")
    assert ids == [257, 100, 101]
    assert events[:4] == [
        (FirstMissEvent.CHARACTER, 0, 0, 98),
        (FirstMissEvent.CHARACTER, 1, 0, 257),
        (FirstMissEvent.MISS, 2, 0, -1),
        (FirstMissEvent.TAKE, 2, 0, 257),
    ]


def test_a_character_that_is_not_a_token_gives_its_bytes_plus_one() -> None:
    ids, events = walk(FirstMiss(BYTES), "猫é".encode())
    assert ids == [0xE7 + 1, 0x8C + 1, 0xAB + 1, 259]
    assert events[:4] == [
        (FirstMissEvent.MISS, 2, 0, -1),
        (FirstMissEvent.BYTE, 0, 0, 0xE8),
        (FirstMissEvent.BYTE, 1, 0, 0x8D),
        (FirstMissEvent.BYTE, 2, 0, 0xAC),
    ]


def test_invalid_and_truncated_characters_end_too() -> None:
    assert walk(FirstMiss(BYTES), b"\x80\xff\xe7")[0] == [0x81, 0x100, 0xE8]


def test_the_loop_offers_the_match_of_the_trie_for_comparison() -> None:
    assert FirstMiss(BYTES).trie.trie.longest(b"xabcd", 1) == (258, 1, 5)
    assert FirstMiss(BYTES).trie.trie.longest(b"abx", 0) == (257, 0, 2)


def test_spans_count_characters_and_tokens_pass_through() -> None:
    tokens = TrieMatch(BYTES).run([Token(9, 0, 2), Segment.of("猫ab", 2)], Options(), silent)
    assert tokens == [Token(9, 0, 2), *[Token(byte + 1, 2, 3) for byte in "猫".encode()], Token(257, 3, 5)]
