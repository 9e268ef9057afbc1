"""Windows of 64 bytes beside the patterns: every rule at every place of a window, ends of texts, and what is left to
the scanners."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from explorer.compiled.scanners import (
    GPT2,
    LETTER,
    NEWLINE,
    NUMBER,
    O200K,
    SIZE,
    SPACE,
    UPPER,
    line_breaks,
    scan,
    starts,
)
from explorer.compiled.utf8 import END, PADDING, within
from explorer.engine.fast.compiling.encoder import scanner_of
from explorer.engine.fast.strategies import split_of
from tests.compiled.hostile import ASCII, CHARACTERS
from tests.compiled.test_sources import SPLITTERS
from tests.tiers import amount

BETWEEN = bytes([END])


def pieces(name: str, joined: bytes, room: int) -> list[bytes]:
    """The pieces of joined texts, found a few at a time."""
    family, digits, flags, table = scanner_of(SPLITTERS[name])()
    found = [0]
    while found[-1] < len(joined):
        ends = [0] * room
        count = scan(family, digits, flags, joined + PADDING, found[-1], len(joined), table, ends, room)
        found += ends[:count]
    return [joined[start:end] for start, end in pairwise(found)]


def of_texts(alphabet: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Texts of several windows."""
    return st.lists(st.sampled_from(alphabet), min_size=20, max_size=60).map("".join)


@given(st.lists(of_texts(ASCII) | of_texts((*ASCII, *ASCII, *ASCII, *CHARACTERS)), max_size=2), st.integers(1, 90))
def test_pieces_of_long_texts_are_those_of_the_patterns(texts: list[str], room: int) -> None:
    joined = b"".join(text.encode() + BETWEEN for text in texts)
    for name, splitter in SPLITTERS.items():
        split = split_of(splitter)
        assert split is not None
        wanted = [piece for text in texts for piece in (*map(str.encode, split(text)), BETWEEN)]
        assert pieces(name, joined, room) == wanted, name


def test_a_rule_does_not_depend_on_where_it_is_in_a_window() -> None:
    """Two characters beside each other, and contractions, before every byte up to the next window."""
    for name, splitter in SPLITTERS.items():
        split = split_of(splitter)
        assert split is not None
        for part in ("don't's", "'llama", "a''s", "\n \n  x", "!\r\n/a", " \t!", "1234567", "fooBARbaz", "'s' ", "x  "):
            for size in range(40, amount(320) // 5 + 40):
                text = "ab" * (size // 3) + " " * (size % 3) + part + " and so on" * 9
                assert pieces(name, text.encode(), 90) == [*map(str.encode, split(text))], (name, size, part)


def test_most_of_ascii_is_found_by_windows() -> None:
    """Otherwise the tests above would only try the scanners."""
    data = b"It's 1984; the clocks were striking thirteen.\n    def fooBar(self):\n" * 2 + PADDING
    for name, splitter in SPLITTERS.items():
        family, digits, flags, _ = scanner_of(splitter)()
        assert starts(family, digits, flags, data, 0).bit_count() > 10, name


def test_classes_of_ascii_are_those_of_the_tables() -> None:
    for splitter in SPLITTERS.values():
        family, _, _, table = scanner_of(splitter)()
        for begin in (0, SIZE):
            data = bytes(range(begin, begin + SIZE))
            masks = {
                LETTER: within(data, 0, 0x61, 0x7A, 0x20),
                NUMBER: within(data, 0, 0x30, 0x39, 0),
                SPACE: within(data, 0, 0x20, 0x20, 0) | within(data, 0, 0x09, 0x0D, 0),
            }
            if family != GPT2:
                masks[NEWLINE] = line_breaks(data, 0)
            if family == O200K:
                masks[UPPER] = within(data, 0, 0x41, 0x5A, 0)
            for kind, mask in masks.items():
                assert [table[byte] & kind != 0 for byte in data] == [mask >> bit & 1 != 0 for bit in range(SIZE)]
