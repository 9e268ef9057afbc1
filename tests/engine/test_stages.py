"""Normalizers, post-processing and decoding, checked by hand."""

from __future__ import annotations

import pytest

from explorer.engine.decoders.huggingface import DecodeEvent, DecodeRow
from explorer.engine.decoders.pieces import SpmDecoder
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, NormalizeEvent, NormalizeRow, SpacePrefix
from explorer.engine.part import Events, Item, Options, Segment, Token
from explorer.engine.post_processors import AddSpecial, PostProcessEvent, PostProcessRow
from explorer.errors import InputError
from explorer.vocabulary import PieceKind
from tests.toys import BYTE, CONTROL, NORMAL, UNUSED, vocabulary


def normalized(items: list[Item]) -> tuple[list[Item], list[NormalizeRow]]:
    events: Events[NormalizeRow] = Events(NormalizeRow)
    after = Normalization([SpacePrefix(), EscapeWhitespace()]).run(items, Options(), events.emit)
    return list(after), list(events)


def test_prefix_and_escape_keep_the_alignment() -> None:
    (item,), events = normalized([Segment.of("a b")])
    assert isinstance(item, Segment)
    assert item.text == "▁a▁b"
    assert list(zip(item.starts, item.ends, strict=True)) == [(0, 0), (0, 1), (1, 2), (2, 3)]
    assert events == [
        (NormalizeEvent.BEGIN, 0, 0, -1),
        (NormalizeEvent.PREFIX, 0, 0, 0x20),
        (NormalizeEvent.BEGIN, 0, 1, -1),
        (NormalizeEvent.REPLACE, 0, 0, 0x2581),
        (NormalizeEvent.REPLACE, 0, 2, 0x2581),
    ]


def test_the_prefix_comes_after_a_special_token_too_but_not_after_text() -> None:
    items, _ = normalized([Segment.of("a"), Token(1, 1, 4), Segment.of("b", 4), Segment.of("c", 5)])
    assert [item.text for item in items if isinstance(item, Segment)] == ["▁a", "▁b", "c"]


def test_only_the_space_is_escaped() -> None:
    (item,), _ = normalized([Segment.of("\t\n\u00a0\u3000▁")])
    assert isinstance(item, Segment)
    assert item.text == "▁\t\n\u00a0\u3000▁"


def posted(ids: list[int], add: bool, **around: int) -> tuple[list[int], list[PostProcessRow]]:
    events: Events[PostProcessRow] = Events(PostProcessRow)
    after = AddSpecial(**around).run([Token(id, 0, 1) for id in ids], Options(add_special=add), events.emit)
    return [token.id for token in after if isinstance(token, Token)], list(events)


def test_first_and_last_are_added_only_when_asked() -> None:
    assert posted([5], True, first=1, last=2)[0] == [1, 5, 2]
    assert posted([5], False, first=1, last=2) == (
        [5], [(PostProcessEvent.NOT_ASKED, -1, 0, 1), (PostProcessEvent.NOT_ASKED, -1, 0, 2)]
    )  # fmt: skip
    assert posted([], True, first=1)[0] == [1]
    assert posted([5], True)[0] == [5]


def test_a_text_that_begins_with_bos_gets_a_second_one_and_the_trace_reports_it() -> None:
    ids, events = posted([1, 5], True, first=1)
    assert ids == [1, 1, 5]
    assert events[0] == (PostProcessEvent.TWICE, 1, 0, 1)


V = vocabulary(
    ("<s>", 0, CONTROL), ("▁a", 0, NORMAL), ("<0xC3>", 0, BYTE), ("<0xA9>", 0, BYTE),
    ("[u]▁", 0, PieceKind.USER_DEFINED), ("x", 0, UNUSED), ("</s>", 0, CONTROL),
)  # fmt: skip


def decoded(ids: list[int], remove: bool = True, unparse: bool = True) -> tuple[bytes, list[DecodeRow]]:
    events: Events[DecodeRow] = Events(DecodeRow)
    return b"".join(SpmDecoder(V, first=0, last=6).run(ids, remove, unparse, events.emit)), list(events)


def test_bytes_are_joined_before_they_are_decoded() -> None:
    assert decoded([2, 3])[0].decode() == "é"


def test_one_space_is_removed_at_the_very_beginning_only() -> None:
    assert decoded([1, 1])[0] == b"a a"
    assert decoded([0, 1])[0] == b"a"
    assert (DecodeEvent.SPACE, 1, 1, 1) in decoded([0, 1])[1]


def test_special_tokens_are_dropped_spelled_or_hidden() -> None:
    assert decoded([0, 0, 1, 6])[0] == b"<s> a"
    assert decoded([0, 0, 1, 6], remove=False)[0] == b"<s><s> a</s>"
    assert decoded([0, 0, 1, 6], remove=False, unparse=False)[0] == b" a"
    assert decoded([6])[0] == b""


def test_a_user_defined_token_is_spelled_and_an_unused_one_gives_nothing() -> None:
    assert decoded([4, 5])[0] == "[u]▁".encode()


@pytest.mark.parametrize("id", [-1, 7, 10**6])
def test_an_id_outside_the_vocabulary_is_named_with_its_position(id: int) -> None:
    with pytest.raises(InputError, match=rf"id number 2: {id} is not in this vocabulary, whose ids are 0 to 6"):
        decoded([1, id])
