"""Special tokens in the text, checked by hand."""

from __future__ import annotations

from explorer.engine.part import Events, Item, Options, Segment, Token
from explorer.engine.partition.special_tokens import PartitionEvent, PartitionRow, SpecialToken, SpecialTokenPartition

S = SpecialToken(1, "<s>", True)
USER = SpecialToken(7, "[u]", False)


def cut(text: str, *specials: SpecialToken, parse: bool = True) -> tuple[list[object], list[PartitionRow]]:
    events: Events[PartitionRow] = Events(PartitionRow)
    items: list[Item] = [Segment.of(text)]
    after = SpecialTokenPartition(specials).run(items, Options(parse_special=parse), events.emit)
    return [item if isinstance(item, Token) else (item.text, item.starts[0]) for item in after], list(events)


def test_fragments_have_spans() -> None:
    fragments, events = cut("<s>Hi<s>", S)
    assert fragments == [Token(1, 0, 3), ("Hi", 3), Token(1, 5, 8)]
    assert events == [
        (PartitionEvent.TOKEN, 0, 3, 1),
        (PartitionEvent.TOKEN, 5, 8, 1),
        (PartitionEvent.RAW_TEXT, 3, 5, -1),
    ]


def test_control_tokens_are_text_unless_parsed() -> None:
    fragments, events = cut("<s>[u]", S, USER, parse=False)
    assert fragments == [("<s>", 0), Token(7, 3, 6)]
    assert events[0] == (PartitionEvent.NOT_PARSED, -1, -1, 1)


def test_the_longer_token_is_searched_first() -> None:
    assert cut("<s>>", S, SpecialToken(2, "<s>>", True))[0] == [Token(2, 0, 4)]


def test_a_token_in_the_remainder_of_another_is_found() -> None:
    assert cut("[u]<s>a[u]", S, USER)[0] == [Token(7, 0, 3), Token(1, 3, 6), ("a", 6), Token(7, 7, 10)]


def test_part_of_a_token_is_text() -> None:
    assert cut("<s <s>", S)[0] == [("<s ", 0), Token(1, 3, 6)]


def test_rstrip_strips_the_white_space_after() -> None:
    fragments, events = cut("a<s> \n\tb", S._replace(rstrip=True))
    assert fragments == [("a", 0), Token(1, 1, 4), ("b", 7)]
    assert (PartitionEvent.STRIPPED, 4, 7, 1) in events


def test_lstrip_strips_the_white_space_before() -> None:
    assert cut(" \t<s>b", S._replace(lstrip=True))[0] == [Token(1, 2, 5), ("b", 5)]


def test_only_ascii_white_space_is_stripped() -> None:
    assert cut("<s>\u00a0", S._replace(rstrip=True))[0] == [Token(1, 0, 3), ("\u00a0", 3)]


def test_many_tokens_that_strip_take_linear_work() -> None:
    text = "<s> " * 20_000
    assert len(cut(text, S._replace(rstrip=True, lstrip=True))[0]) == 20_000
