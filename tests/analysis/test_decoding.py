"""Ids traced backwards: each on the text it gives, and whether that text gives the ids again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.analysis.round_trip import decoding
from explorer.errors import InputError
from explorer.text.say import plain
from tests.bundled import bundled
from tests.meaning import mentions
from tests.tiers import amount

NAMES = ("llama-2", "gpt-2", "bert-uncased", "rwkv-world", "xlm-r", "o200k_base")


def test_ids_lie_on_their_text() -> None:
    found = decoding(bundled("llama-2"), [1, 1724, 338, 4309, 4717, 29973])
    assert found.trace.text == "What is LoRA?"
    assert found.trace.encoding.spans == bundled("llama-2").encode("What is LoRA?").spans
    assert found.same
    assert plain(found.say) == "Encoding this text gives exactly these ids."


def test_where_the_text_gives_other_ids_and_why() -> None:
    llama2 = bundled("llama-2")
    cut = decoding(llama2, [1, 450, 29903, 29874])
    assert (cut.trace.text, cut.same) == ("TheSa", False)
    assert "“S” (29903), “a” (29874), llama-2 gives" in plain(cut.say)
    assert mentions(plain(decoding(llama2, [1724, 338]).say), "These ids lack “<s>” (1) at the start")
    assert decoding(llama2, [1724, 338], add_special=False).same


def test_half_a_character_lies_on_its_replacement() -> None:
    found = decoding(bundled("gpt-2"), [12520, 97, 245, 40, 245])
    assert found.trace.text == " 🤗I\ufffd"
    assert found.trace.encoding.spans == [(0, 2), (1, 2), (1, 2), (2, 3), (3, 4)]
    assert "not UTF-8" in plain(found.say)


def test_an_id_that_is_none_is_named() -> None:
    with pytest.raises(InputError, match=r"2.*99999"):
        decoding(bundled("gpt-2"), [1, 99999])
    with pytest.raises(InputError, match="too many"):
        decoding(bundled("gpt-2"), [1] * 20_001)


@settings(max_examples=amount(16), deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.integers(0, 29_999), max_size=8))
def test_any_ids_decode_and_the_sentence_is_true(name: str, ids: list[int]) -> None:
    tok = bundled(name)
    found = decoding(tok, ids)
    assert found.trace.text == tok.decode(ids)
    assert found.trace.ids == ids
    assert found.same == (tok.encode(tok.decode(ids)).ids == ids)
    assert plain(found.say).startswith(
        "No ids" if not ids else "Encoding this text gives exactly" if found.same else "Encoding this text does not"
    )
    size = len(found.trace.text)
    assert all(0 <= start <= end <= size for start, end in filter(None, found.trace.encoding.spans))
