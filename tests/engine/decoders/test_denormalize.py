"""Denormalization: the token to which rewritten text is attributed."""

from __future__ import annotations

from explorer.engine.decoders.huggingface import DecodeEvent, DecodeRow
from explorer.engine.decoders.pieces import DenormalizingDecoder, PieceReader, SentencePieceDecoder
from explorer.engine.normalizers.charsmap import CharsmapNormalization, PrecompiledCharsmap, Whitespace
from explorer.engine.part import Events
from explorer.vocabulary import Vocabulary
from tests.engine.charsmap_writer import charsmap

V = Vocabulary.of([b"a", b"bc", b"<0xC3>", b"<0xA9>", "▁x".encode()], kinds=[1, 1, 6, 6, 1])


KEPT = Whitespace(False, False, False)


def decoded(rules: dict[str, str], *ids: int, whitespace: Whitespace = KEPT) -> tuple[list[bytes], list[DecodeRow]]:
    events: Events[DecodeRow] = Events(DecodeRow)
    stage = CharsmapNormalization(PrecompiledCharsmap(charsmap(rules), "toy"), whitespace)
    parts = DenormalizingDecoder(SentencePieceDecoder(V, PieceReader(b"?")), stage).run(ids, True, True, events.emit)
    return parts, [row for row in events if row.kind == DecodeEvent.DENORMALIZED]


def test_rewritten_text_belongs_to_the_token_it_begins_in() -> None:
    parts, events = decoded({"ab": "ABB"}, 0, 1)
    assert parts == [b"ABB", b"c"]
    assert events == [(DecodeEvent.DENORMALIZED, 0, 3, 0), (DecodeEvent.DENORMALIZED, 1, 1, 1)]


def test_a_character_of_two_tokens_keeps_its_bytes_or_belongs_to_the_first() -> None:
    assert decoded({"q": "Q"}, 2, 3) == ([b"\xc3", b"\xa9"], [])
    assert decoded({"é": "e"}, 2, 3)[0] == [b"e", b""]


def test_each_malformed_byte_becomes_a_replacement_character() -> None:
    assert decoded({"q": "Q"}, 2, 2)[0] == ["\ufffd".encode()] * 2


def test_the_denormalizer_has_white_space_settings() -> None:
    assert decoded({"x": ""}, 0, 4, whitespace=Whitespace(False, True, False))[0] == [b"a", b""]
    assert decoded({"q": "Q"}, 4, whitespace=Whitespace(True, False, True))[0] == ["▁x".encode()]
    assert decoded({"q": "Q"})[0] == []
