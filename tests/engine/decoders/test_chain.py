"""Hugging Face's chain of decoders on toy vocabularies: the strings, and the token of each byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.engine.decoders import huggingface as hf
from explorer.engine.decoders.huggingface import (
    AttributedBytes,
    ByteFallbackDecoder,
    ByteLevelDecoder,
    ChainDecoder,
    DecodeEvent,
    DecodeRow,
    DecoderStep,
    attributed,
    bytes_by_token,
    joined,
    replaced,
    substituted,
)
from explorer.engine.part import Events
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary

V = Vocabulary.of(["▁low".encode(), b"er", b"<0xC3>", b"<0xA9>", b"<s>", b"##s", "Ġa".encode(), "Ã".encode()])


def decoded(decoder: ChainDecoder, ids: list[int], **how: bool) -> tuple[list[bytes], list[DecodeRow]]:
    events: Events[DecodeRow] = Events(DecodeRow)
    settings = {"remove_special": True, "unparse_special": True} | how
    return decoder.run(ids, **settings, emit=events.emit), list(events)


def test_the_leading_space_is_stripped_and_bytes_become_characters() -> None:
    steps = [hf.ReplaceDecoder("▁", " "), ByteFallbackDecoder(), hf.FuseDecoder(), hf.StripDecoder(" ", 1, 0)]
    parts, rows = decoded(ChainDecoder(V, steps), [0, 1, 0, 2, 3])
    assert parts == [b"low", b"er", b" low", b"\xc3", b"\xa9"]
    assert rows[-1] == (DecodeEvent.STRIPPED, 0, 1, 0)
    assert (DecodeEvent.SUBSTITUTED, 2, 4, 0) in rows


def test_malformed_bytes_stay_at_the_end_and_are_replaced_before_another_decoder() -> None:
    assert decoded(ChainDecoder(V, [ByteLevelDecoder()]), [6, 7])[0] == [b" a", b"\xc3"]
    parts, rows = decoded(ChainDecoder(V, [ByteLevelDecoder(last=False), hf.ReplaceDecoder("a", "b")]), [6, 7])
    assert parts == [b" b", "\ufffd".encode()]
    assert (DecodeEvent.REPLACED, 1, 3, 7) in rows


def test_special_tokens_are_dropped_at_the_ends_and_skipped_within() -> None:
    decoder = ChainDecoder(V, [hf.SpaceJoiner()], before=[4], after=[4, 1], special={b"<s>"}, strings={5: b"S"})
    assert decoded(decoder, [4, 5, 4, 1])[0] == [b"", b"S", b"", b""]
    assert decoded(decoder, [4, 5, 4], remove_special=False)[0] == [b"<s>", b" S", b" <s>"]
    assert decoded(decoder, [4, 5, 4], remove_special=False, unparse_special=False)[0] == [b"", b"S", b""]


def test_an_empty_string_has_a_position() -> None:
    empty = Vocabulary((b"", b"a"), (), bytes([PieceKind.NORMAL, PieceKind.NORMAL]), {b"": 0, b"a": 1})
    assert decoded(ChainDecoder(empty, [hf.SpaceJoiner()]), [1, 0, 1])[0] == [b"a", b" ", b" a"]
    assert decoded(ChainDecoder(empty, [hf.WordPieceDecoder("##", False)]), [0, 0])[0] == [b"", b" "]


def test_unknown_ids_are_named() -> None:
    gap = Vocabulary((b"a", b""), (), bytes([PieceKind.NORMAL, PieceKind.UNDEFINED]), {b"a": 0})
    for bad in (1, 2, -1):
        with pytest.raises(InputError, match=f"id number 2: {bad} is {'an id of' if bad == 1 else 'not in'} this"):
            decoded(ChainDecoder(gap, [hf.FuseDecoder()]), [0, bad])
    assert decoded(ChainDecoder(gap, [hf.FuseDecoder()]), []) == ([], [])


STRINGS = st.lists(st.text("a▁é ", max_size=4), min_size=1, max_size=5)


@given(STRINGS, st.text("a▁é ", max_size=2), st.text("xé", max_size=2))
def test_replacing_agrees_with_str_replace_and_every_byte_has_an_owner(texts: list[str], old: str, new: str) -> None:
    string = joined([attributed(text.encode(), index) for index, text in enumerate(texts)])
    made = replaced(string, old.encode(), new.encode())
    assert made.data.decode() == string.data.decode().replace(old, new)
    assert len(made.owners) == len(made.data)
    assert list(made.owners) == sorted(made.owners)
    assert b"".join(bytes_by_token([made], len(texts))) == made.data


def test_new_bytes_belong_to_the_owner_of_the_first_replaced_byte() -> None:
    both = AttributedBytes(b"ab", [3, 4], 3)
    assert substituted(both, [(0, 2)], b"xyz").owners == [3, 3, 3]
    assert substituted(both, [(2, 2)], b"!").owners == [3, 4, 4]


def test_metaspace_drops_every_replacement_in_the_first_string() -> None:
    strings = [attributed("▁▁a▁".encode(), 0), attributed("▁b".encode(), 1)]
    events: Events[DecodeRow] = Events(DecodeRow)
    made = hf.MetaspaceDecoder("▁", True).run(
        strings, lambda kind, position, size: events.emit(kind, position, size, 0)
    )
    assert [each.data for each in made] == [b"a", b" b"]
    assert len(events) == 2


@pytest.mark.parametrize(
    ("steps", "pieces", "alone"),
    [
        ([ByteLevelDecoder()], ["Ġa", "Ã", "a b"], [b" a", b"\xc3", b"a b"]),
        ([ByteLevelDecoder(last=False), hf.ReplaceDecoder("a", "b")], ["Ġa", "Ã"], [b" b", b"\xc3"]),
        (
            [hf.ReplaceDecoder("▁", " "), ByteFallbackDecoder(), hf.FuseDecoder(), hf.StripDecoder(" ", 1, 0)],
            ["▁low", "<0xC3>", "▁"],
            [b" low", b"\xc3", b" "],
        ),
        ([hf.FuseDecoder(), ByteFallbackDecoder()], ["<0xC3>"], [b"<0xC3>"]),
        ([hf.StripDecoder(" ", 1, 1)], [" a "], [b"a"]),
        ([hf.FuseDecoder(), hf.ReplaceDecoder(lambda text: [(0, 1)], "X")], ["ab"], [b"ab"]),
        ([hf.ReplaceDecoder(lambda text: [(0, 1)], "X")], ["ab"], [b"Xb"]),
        ([ByteFallbackDecoder(), hf.ReplaceDecoder(lambda text: [(0, 1)], "X")], ["<0xC3>"], [b"\xc3"]),
        ([hf.MetaspaceDecoder("▁", True)], ["▁a▁", "▁"], [b" a ", b" "]),
        ([hf.FuseDecoder(), hf.MetaspaceDecoder("▁", True)], ["▁a"], [b"a"]),
        ([hf.WordPieceDecoder("##", True)], ["##s", "hat", "."], [b"s", b"hat", b"."]),
        ([hf.FuseDecoder(), hf.WordPieceDecoder("##", True)], ["##s"], [b"##s"]),
        ([hf.BpeSuffixDecoder("</w>")], ["low</w>", "er"], [b"low ", b"er"]),
        ([hf.CtcDecoder("<pad>", "|", True)], ["<pad>", "|", "a"], [b"", b" ", b"a"]),
        ([hf.CtcDecoder("<pad>", "|", False)], ["|"], [b"|"]),
        ([hf.SpaceJoiner()], ["a"], [b"a"]),
    ],
)
def test_a_token_alone_does_not_depend_on_neighbors_or_position(
    steps: list[DecoderStep], pieces: list[str], alone: list[bytes]
) -> None:
    v = Vocabulary.of([piece.encode() for piece in pieces])
    assert [ChainDecoder(v, steps).alone(id) for id in range(len(v))] == alone


def test_a_token_alone_is_limited() -> None:
    v = Vocabulary.of([b"o" * 10])
    with pytest.raises(InputError, match="makes more than"):
        ChainDecoder(v, [hf.ReplaceDecoder("o", "o" * 100)] * 10).alone(0)
