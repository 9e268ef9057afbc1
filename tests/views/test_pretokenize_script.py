"""The stepper's script for pre-tokenizing, replayed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

import explorer
from explorer.engine.items import Segment
from explorer.views.pretokenize_script import pretokenize_script
from explorer.views.script import Replay
from explorer.views.window import window_of
from tests.formats.gguf_writer import written
from tests.implementations.test_llama_cpp_bpe import metadata
from tests.originals.generators import texts

MODELS = ("gpt-2", "qwen2.5", "cl100k_base", "llama-3@llama.cpp")
LOADED = {name: explorer.load(name) for name in MODELS}


def check(tok: explorer.Tokenizer, text: str) -> None:
    trace = tok.trace(text)
    stage = trace.stage("pre-tokenize")
    script = pretokenize_script(stage, tok.vocabulary, window_of(trace))
    replay = Replay(script)
    initial = dict(replay.state)
    while replay.forward():
        assert script.sentence(replay.step)
        cells = replay.rows("cells")
        assert sum(row[0] for row in cells.values()) == len(cells), "every cell belongs to one piece at every step"
    pieces = [item for item in stage.after if isinstance(item, Segment)]
    assert [row[2:] for row in replay.rows("output").values()] == [(p.starts[0], p.ends[-1]) for p in pieces]
    cells = replay.rows("cells")
    assert sum(row[0] for row in cells.values()) == len(cells)
    assert [key for key, row in cells.items() if row[0]] == list(replay.rows("output"))
    while replay.back():
        pass
    assert replay.state == initial


@pytest.mark.parametrize("name", MODELS)
@given(text=texts())
@settings(max_examples=40)
def test_forward_gives_the_engines_pieces_and_back_the_initial_state(name: str, text: str) -> None:
    check(LOADED[name], text)


@pytest.mark.parametrize("pre", ["default", "falcon", "starcoder"])
def test_several_patterns_cut_in_turn(pre: str, tmp_path: Path) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(metadata(**{"tokenizer.ggml.pre": pre})))
    check(explorer.load(path), "He's 12345 a+b<=c!! (x)  y1")


def test_tries_are_counted() -> None:
    trace = LOADED["gpt-2"].trace("He's é")
    script = pretokenize_script(trace.stage("pre-tokenize"), LOADED["gpt-2"].vocabulary, window_of(trace))
    replay = Replay(script)
    while replay.forward():
        pass
    assert [row[2:] for row in replay.rows("alternatives").values()][:3] == [(3, 1), (2, 2), (0, 0)]
    assert script.sentence(1).startswith("Alternative 1 does not match at character 0: 's|'t|'re|'ve|'m|'ll|'d")
