"""Decoding token by token, and llama.cpp's clean-up of spaces."""

from __future__ import annotations

import pytest

from explorer.engine.decoders.huggingface import DecodeEvent, DecodeRow
from explorer.engine.decoders.pieces import PieceDecoder, byte_level_llama_cpp, raw
from explorer.engine.part import Events, silent
from explorer.errors import InputError
from explorer.vocabulary import PieceKind, Vocabulary


def decoded(decoder: PieceDecoder, ids: list[int], remove: bool = True, unparse: bool = True) -> bytes:
    return b"".join(decoder.run(ids, remove, unparse, silent))


def test_special_tokens_are_dropped_hidden_or_written() -> None:
    v = Vocabulary.of([b"<s>", b"a", b"</s>"])
    decoder = PieceDecoder(v, raw, special={0, 2}, first=0, last=2)
    assert decoded(decoder, [0, 0, 1, 2]) == b"<s>a"
    assert decoded(decoder, [0, 0, 1, 2], unparse=False) == b"a"
    assert decoded(decoder, [0, 1, 2], remove=False) == b"<s>a</s>"


def test_kinds_in_llama_cpp() -> None:
    v = Vocabulary.of(
        ["Ġa".encode(), b"<u>", "x▁".encode(), b"gone"], kinds=[1, PieceKind.USER_DEFINED, 1, PieceKind.UNUSED]
    )
    decoder = PieceDecoder(v, byte_level_llama_cpp)
    assert decoded(decoder, [0, 1, 3]) == b" a<u>"
    assert decoded(decoder, [2]) == b"x[UNK_BYTE_0xe29681" + "x▁]".encode()


CLEAN = [
    ("a ? b ! c . d ,", "a? b! c. d,"), (" ?", "?"), ("a  .", "a ."), ("x ' y", "x'y"), ("a ' ' b", "a'' b"),
    ("it 's I 'm we 're I 've", "it's I'm we're I've"), ("he 'd I 'll don 't", "he 'd I 'll don 't"), ("'s", "'s"),
    ("", ""), (" '", " '"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), CLEAN)
def test_clean_up_in_three_passes(text: str, wanted: str) -> None:
    decoder = PieceDecoder(Vocabulary.of([bytes([byte]) for byte in range(128)]), raw, clean_spaces=True)
    events: Events[DecodeRow] = Events(DecodeRow)
    assert b"".join(decoder.run(list(text.encode()), True, True, events.emit)).decode() == wanted
    cleaned = [row for row in events if row.kind != DecodeEvent.RAW]
    assert sum(row.size for row in cleaned) == len(text) - len(wanted)
    assert all(row.kind == DecodeEvent.CLEANED_SPACES for row in cleaned)


def test_unknown_ids_are_named() -> None:
    v = Vocabulary((b"a", b""), (), bytes([1, PieceKind.UNDEFINED]), {b"a": 0})
    for bad in (1, 2, -1):
        with pytest.raises(InputError, match=f"id number 2: {bad} is {'an id of' if bad == 1 else 'not in'} this"):
            decoded(PieceDecoder(v, raw), [0, bad])
