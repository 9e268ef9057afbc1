"""User-defined symbols: found first, longest first, never merged."""

from __future__ import annotations

from explorer.engine.part import Events, Item, Options, Segment, Token
from explorer.engine.partition.user_defined import UserDefinedEvent, UserDefinedRow, UserDefinedSplit


def split(text: str, *symbols: str) -> tuple[list[Item], list[UserDefinedRow]]:
    events: Events[UserDefinedRow] = Events(UserDefinedRow)
    stage = UserDefinedSplit({symbol: 100 + index for index, symbol in enumerate(symbols)})
    before = [Token(1, 0, 3), Segment.of(text, 3)]
    return list(stage.run(before, Options(), events.emit))[1:], list(events)


def test_the_longest_symbol_matches_from_the_left() -> None:
    items, events = split("xabcy", "ab", "abc", "bc")
    assert items == [Segment("x", range(3, 4), range(4, 5)), Token(101, 4, 7), Segment("y", range(7, 8), range(8, 9))]
    assert events == [
        (UserDefinedEvent.TEXT, 3, 4, -1),
        (UserDefinedEvent.SYMBOL, 4, 7, 101),
        (UserDefinedEvent.TEXT, 7, 8, -1),
    ]


def test_adjacent_symbols_have_no_text_between_them() -> None:
    assert split("abab", "ab")[0] == [Token(100, 3, 5), Token(100, 5, 7)]


def test_the_prefix_of_a_symbol_is_text() -> None:
    items, events = split("a[us", "[user]")
    assert [item.text for item in items if isinstance(item, Segment)] == ["a[us"]
    assert [row.kind for row in events] == [UserDefinedEvent.TEXT]
