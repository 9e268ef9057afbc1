"""The drawings of stages that only some vocabularies of llama.cpp have."""

from __future__ import annotations

import pytest

from explorer.formats.gguf import Gguf
from explorer.implementations.llama_cpp import from_gguf
from explorer.script.script import Replay, window_of
from explorer.stages.decoders.losses import round_trip
from explorer.views.overview import sections
from tests.implementations.llama_cpp import toys
from tests.implementations.llama_cpp.test_pre_tokenizers import metadata

KEYS = {
    "dna": toys.keys_of("hybriddna", toys.DNA, merges=[b"a b"], pre="gpt-2"),
    "words": toys.keys_of("whitespace", toys.WORDS, merges=[b"a b"], pre="gpt-2"),
    "both": toys.keys_of("whitespace", toys.WORDS, merges=[b"a b"], pre="sarvam-moe"),
    "gemma4": toys.keys_of("gemma4", toys.GEMMA, bos_token_id=2, merges=toys.GEMMA_MERGES),
    "rwkv": toys.keys_of("rwkv", toys.RWKV),
    "superbpe": metadata("superbpe"),
    "kimi-k2": metadata("kimi-k2"),
}
LOADED = {name: from_gguf(Gguf(3, 0, keys), name) for name, keys in KEYS.items()}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", LOADED)
@pytest.mark.parametrize("text", ["", "a <dna>acgtacgt</dna> É漢 1234567\n\n", "\0<s>[u] \u3000x"])
def test_every_stage_is_drawn_and_every_step_has_a_sentence(name: str, text: str) -> None:
    tok = LOADED[name]
    trace = tok.trace(text)
    for section in sections(tok, trace, round_trip(tok, trace), window_of(trace)):
        missing = "has no such stage" in section.what
        assert missing or section.script is not None
        if section.script is not None:
            replay = Replay(section.script)
            initial = dict(replay.state)
            while replay.forward():
                assert section.script.sentence(replay.step)
            while replay.back():
                pass
            assert replay.state == initial


def test_a_cut_at_the_empty_text_is_a_step() -> None:
    tok = LOADED["superbpe"]
    trace = tok.trace("1234")
    (shown,) = (each for each in sections(tok, trace, round_trip(tok, trace), window_of(trace))
                if each.key == "pre-tokenize")  # fmt: skip
    assert shown.script is not None
    said = [shown.script.sentence(step) for step in range(1, len(shown.script) + 1)]
    assert any(
        each.startswith("Alternative 2 matches at character 2 without taking anything: the text is cut")
        for each in said
    )
