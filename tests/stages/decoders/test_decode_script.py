"""The stepper for decoding, replayed: its columns end as the bytes of the decoder, its output as the decoded text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.analysis.round_trip import decoding
from explorer.engine.tokenizer import DecodeTrace
from explorer.script.script import Script, Window, window_of
from explorer.stages.decoders.changes import changes, releases
from explorer.stages.decoders.story import FEW, KINDS, decode_script
from explorer.text import visible
from explorer.text.say import hexadecimal
from explorer.views.overview import sections
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.originals.hugging_face import both
from tests.tiers import amount
from tests.views.replays import play

MODELS = ("llama-2", "mistral-v1", "xlm-r", "bert-uncased", "bert-uncased@llama.cpp", "rwkv-world", "gpt-2",
          "llama-3@llama.cpp", "cl100k_base")  # fmt: skip


def script_of(tok: explorer.Tokenizer, text: str) -> tuple[Script, DecodeTrace]:
    """The script for a whole text, and its ids decoded."""
    trace = tok.trace(text)
    decoded = tok.trace_decode(trace.ids)
    return decode_script(trace, decoded, tok.vocabulary, Window(0, len(text), 0, len(trace.ids))), decoded


def check(tok: explorer.Tokenizer, text: str) -> None:
    script, decoded = script_of(tok, text)
    replay = play(script)
    texts_of = script.data["texts"]
    lines = len(script.data["tracks"][0]["lines"]) - 1
    shown = [texts_of[row[4 + 2 * (lines - 2)]] for row in replay.rows("columns").values()]
    expected = [hexadecimal(part, FEW) or "–" for part in decoded.parts]
    assert shown == expected
    written = [release.text for release in releases(decoded.parts)]
    assert "".join(written) == decoded.text
    if decoded.ids:
        assert [texts_of[row[0]] for row in replay.rows("output").values()] == [
            visible(each) for each in written if each
        ]
        last = script.kind(len(script))["label"]
        assert last == ("the same" if decoded.text == text else "different")
    assert not replay.rows("held")


@pytest.mark.parametrize("name", MODELS)
@given(text=texts())
@settings(max_examples=amount(25))
def test_the_columns_end_as_the_decoders_bytes(name: str, text: str) -> None:
    check(bundled(name), text)


@given(parts=st.lists(st.sampled_from([b"a", b"\xf0\x9f", b"\xa4", b"\x97", b"\xc3", b"\x85", b"\xff", b""])))
def test_nothing_is_written_that_the_next_bytes_could_still_change(parts: list[bytes]) -> None:
    whole, written, fed = b"".join(parts), "", b""
    for release in releases(parts):
        if release.position >= 0:
            fed += parts[release.position]
            assert fed.endswith(release.held)
        written += release.text
        assert whole.decode("utf-8", "replace").startswith(written)
        # what is held is the beginning of a character: some bytes after it make it valid
        assert not release.held or any(could_be(release.held, rest) for rest in range(1, 4))
    assert written == whole.decode("utf-8", "replace")


def could_be(begun: bytes, rest: int) -> bool:
    """Whether some `rest` continuation bytes after these make a character."""
    for byte in (b"\x80", b"\x90", b"\xa0", b"\xbf"):
        try:
            (begun + byte * rest).decode()
        except UnicodeDecodeError:
            continue
        return True
    return False


CHAINS = {
    "byte fallback": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
                      {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}],
    "metaspace": [{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}],
    "ctc": [{"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": True}],
    "suffix": [{"type": "BPEDecoder", "suffix": "▁"}],
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
@given(ids=st.lists(st.integers(0, 8), max_size=8))
@settings(max_examples=amount(25))
def test_a_chain_ends_as_the_decoder_and_every_decoder_has_its_steps(name: str, ids: list[int]) -> None:
    pieces = ["▁a", "b", "▁", "<0xF0>", "<0x9F>", "<0xA4>", "<0x97>", "<pad>", "|"]
    ours = both(
        {"model": {"type": "WordLevel", "vocab": {piece: id for id, piece in enumerate(pieces)}, "unk_token": "b"},
         "decoder": {"type": "Sequence", "decoders": CHAINS[name]}}
    ).ours  # fmt: skip
    decoded = ours.trace_decode(ids)
    data = [b""] * len(ids)
    seen = set()
    for change in changes(decoded, True):
        seen.add(change.step)
        if change.position >= 0:
            assert data[change.position] == change.before
            data[change.position] = change.after
    assert data == list(decoded.parts)
    assert not ids or seen >= set(range(len(CHAINS[name])))


def told(name: str, text: str) -> list[str]:
    script, _ = script_of(bundled(name), text)
    return [script.sentence(step) for step in range(1, len(script) + 1)]


def test_a_streaming_client_holds_an_emoji_back() -> None:
    said = told("gpt-2", "I 🤗")
    assert said[-4:] == [
        "“␣” is written; the buffer holds F0 9F. It only begins a character.",
        "After A4 the buffer holds F0 9F A4, which only begins a character. Output now, it would appear as �.",
        "97 completes what the buffer held: “🤗” is written.",
        "The ids give back exactly the text they were made from.",
    ]


def test_a_byte_token_is_spelled_out() -> None:
    said = told("llama-2", "🤗")
    assert any("The digits after <0x are F and 0: 15 · 16 + 0 = 240." in each for each in said)


def test_a_window_reads_on_from_the_text_before_it() -> None:
    tok = bundled("llama-2")
    trace = tok.trace("What is it? " * 400)
    window = window_of(trace, 2_000, 500)
    script = decode_script(trace, tok.trace_decode(trace.ids), tok.vocabulary, window)
    assert sorted(play(script).rows("columns")) == list(range(window.first, window.last))


def test_ids_that_were_typed_are_not_compared_with_a_text() -> None:
    """Nobody gave a text: the steps end with what the ids spell."""
    tok = bundled("gpt-2")
    found = decoding(tok, [15496, 995])
    drawn = {each.key: each.script for each in sections(tok, found.trace, found.round_trip, window_of(found.trace))}
    script = drawn["decode"]
    assert script is not None
    assert script.kind(len(script))["label"] != KINDS["same text"].label
    compared, _ = script_of(tok, "Hello world")
    assert compared.kind(len(compared))["label"] == KINDS["same text"].label
