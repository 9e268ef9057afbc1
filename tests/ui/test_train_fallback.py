"""The example of byte fallback: the same pieces, and what sentencepiece itself makes of the greeting."""

from __future__ import annotations

import sentencepiece

from explorer.ui import PAGES
from explorer.ui.train import BYTES, fallback_view
from explorer.views.examples import ENGLISH, GREETING
from tests.ui.app import page, tokens_of


def test_only_with_bytes_the_text_comes_back() -> None:
    on, off = (sentencepiece.SentencePieceProcessor(model_proto=fallback_view(on=each).file) for each in (True, False))
    pieces = [[model.id_to_piece(id) for id in range(model.get_piece_size())] for model in (on, off)]
    assert pieces[0][:1] + pieces[0][1 + BYTES :] == pieces[1]
    assert not set("こ😊") & set(ENGLISH)
    unknown = "".join(ch for ch in GREETING if ord(ch) > 127)
    in_bytes = [f"<0x{byte:02X}>" for byte in unknown.encode()]
    encoded = on.encode(GREETING, out_type=str)
    assert [piece for piece in encoded if piece.startswith("<0x")] == in_bytes
    assert on.decode(on.encode(GREETING)) == GREETING
    ids = off.encode(GREETING)
    assert ids.count(off.unk_id()) == 2  # こんにちは is one, 😊 another
    assert "こ" not in off.decode(ids)


def test_the_example_leads_to_explore() -> None:
    at = page()
    at.query_params["corpus"] = ENGLISH
    at.switch_page(str(PAGES / "train.py")).run()
    at.button(key="fallback-True").click().run()
    assert not at.exception
    model = sentencepiece.SentencePieceProcessor(model_proto=fallback_view(on=True).file)
    assert tokens_of(at) == model.encode(GREETING)


def test_with_and_without_differ_in_the_unknown_characters_alone() -> None:
    """All tokens, as Explore shows them; nothing is added around the text."""
    shown = {}
    for on in (True, False):
        at = page()
        at.query_params["corpus"] = ENGLISH
        at.switch_page(str(PAGES / "train.py")).run()
        at.button(key=f"fallback-{on}").click().run()
        model = sentencepiece.SentencePieceProcessor(model_proto=fallback_view(on=on).file)
        assert tokens_of(at) == model.encode(GREETING)
        shown[on] = [model.id_to_piece(id) for id in tokens_of(at)]
    known = [piece for piece in shown[True] if not piece.startswith("<0x")]
    assert len(known) < len(shown[True])
    assert known == [piece for piece in shown[False] if piece != "<unk>"]
