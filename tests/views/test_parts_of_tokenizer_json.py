"""Every normalizer and pre-tokenizer of a tokenizer.json is drawn: results, and the stepper's script, replayed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import explorer
from explorer.engine.normalizers.stage import BEGINNINGS, CONTINUED, NormalizeEvent
from explorer.engine.part import Segment
from explorer.engine.pre_tokenizers.by_regex import PreTokenizeEvent
from explorer.engine.tokenizer import Stage, Trace
from explorer.formats.tokenizer_json import read
from explorer.implementations.huggingface import from_tokenizer_json
from explorer.script.script import Replay, window_of
from explorer.stages.normalizers.stage import DONE, normalize_result
from explorer.stages.pre_tokenizers.stage import pretokenize_result
from explorer.stages.pre_tokenizers.story import KINDS, PatternScript
from explorer.text.say import plain
from tests.implementations.huggingface import test_normalizers as normalizers
from tests.implementations.huggingface import test_pre_tokenizers as pre_tokenizers
from tests.originals.generators import strings

SAMPLES = strings(seed=81, count=1_200)[::40]


UNCUT = (PreTokenizeEvent.BYTE, PreTokenizeEvent.PREFIX, PreTokenizeEvent.NO_PREFIX, PreTokenizeEvent.SPELLED)


def toy(normalizer: dict[str, Any] | None = None, pre_tokenizer: dict[str, Any] | None = None) -> explorer.Tokenizer:
    whole = {
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []},
    }
    return from_tokenizer_json(read(json.dumps(whole).encode(), "toy"), "toy")


def staged(tok: explorer.Tokenizer, name: str) -> Iterator[tuple[str, Trace, Stage]]:
    """Each sample whose trace has the stage, with both."""
    for text in SAMPLES:
        trace = tok.trace(text)
        for stage in trace.stages:
            if stage.name == name:
                yield text, trace, stage


@pytest.mark.long
@pytest.mark.parametrize("name", pre_tokenizers.CASES)
def test_the_script_makes_the_pieces_of_the_engine(name: str) -> None:
    tok = toy(pre_tokenizer=pre_tokenizers.CASES[name])
    for text, trace, stage in staged(tok, "pre-tokenize"):
        window = window_of(trace)
        assert plain(pretokenize_result(trace, stage, tok.vocabulary))
        script = PatternScript.of(stage, tok.vocabulary, window)
        replay = Replay(script)
        initial = dict(replay.state)
        while replay.forward():
            assert script.sentence(replay.step)
            cells = replay.rows("cells")
            assert sum(row[0] for row in cells.values()) == len(cells), "every cell belongs to one piece at every step"
        # a prefix space that is a piece of its own has the span of the piece after it
        pieces = {item.starts[0]: item.ends[-1] for item in stage.after if isinstance(item, Segment)}
        shown = [tuple(row[2:]) for row in replay.rows("output").values()]
        cuts = any(event.kind not in UNCUT for event in stage.events)
        assert shown == (list(pieces.items()) if cuts else []), ascii(text)
        while replay.back():
            pass
        assert replay.state == initial


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", normalizers.CASES)
def test_every_normalization_has_a_sentence(name: str) -> None:
    tok = toy(normalizer=normalizers.CASES[name])
    for _, trace, stage in staged(tok, "normalize"):
        said = plain(normalize_result(trace, stage, tok.vocabulary))
        assert ("Changed nothing" in said) == all(row.kind in BEGINNINGS for row in stage.events)


def test_every_kind_has_a_sentence() -> None:
    silent = {NormalizeEvent.NO_PREFIX, NormalizeEvent.COMPOSE}
    assert set(NormalizeEvent) - silent - {*CONTINUED, *BEGINNINGS} == set(DONE)
    assert set(PreTokenizeEvent) - {PreTokenizeEvent.BYTE} <= set(KINDS)


def sentences(part: dict[str, Any], text: str) -> list[str]:
    tok = toy(pre_tokenizer=part)
    trace = tok.trace(text)
    script = PatternScript.of(trace.stage("pre-tokenize"), tok.vocabulary, window_of(trace))
    return [script.sentence(step) for step in range(1, len(script) + 1)]


@pytest.mark.parametrize(("part", "text", "step", "says"), [
    (pre_tokenizers.split("-", "MergedWithPrevious"), "a-b", 2,
     "Alternative 1 matches “-”: it joins the pre-token before it, which is now “a-”."),
    (pre_tokenizers.split("-", "MergedWithNext"), "a-b", 2,
     "Alternative 1 matches “-”: it begins a pre-token, and the text after it joins it."),
    (pre_tokenizers.split("-", "MergedWithNext"), "a-b", 3,
     "No alternative matches “b”: it joins the text before it, which is now “-b”."),
    (pre_tokenizers.split("-", "Contiguous"), "a--b", 3,
     "Alternative 1 matches “-”: it joins the text before it, which is now “--”."),
    (pre_tokenizers.split("-", "Removed", True), "a-b", 1,
     "“a” is removed. Only what a pattern or a script takes is kept."),
    (pre_tokenizers.split("", kind="String"), "ab", 1,
     "Alternative 1 matches at character 1 without taking anything: the text is cut there."),
    (pre_tokenizers.metaspace(), "a b", 1,
     "The space at character 2 is written ▁. Tokens can then contain spaces."),
    (pre_tokenizers.metaspace(), "a b", 2,
     "“▁” is put before the pre-token at character 1. A word at the beginning then gets the same tokens as after "
      "a space."),
    (pre_tokenizers.metaspace(), " a", 2, "Nothing is put before character 1: it is there already."),
    (pre_tokenizers.one("UnicodeScripts"), "aж", 2,
     "“ж” is a pre-token: its script is Cyrillic. Spaces and characters without a script join the pre-token "
     "before them."),
])  # fmt: skip
def test_what_a_step_says(part: dict[str, Any], text: str, step: int, says: str) -> None:
    assert sentences(part, text)[step - 1] == says


@pytest.mark.parametrize(("normalizer", "text", "says"), [
    (normalizers.one("Prepend", prepend="▁"), "a", "1 fragment of text gets a prefix."),
    (normalizers.replace("a", "b"), "aa", "2 matches of a pattern are replaced."),
    (normalizers.STRIP, " a ", "2 white space characters at the ends are dropped."),
    (normalizers.one("ByteLevel"), "é", "1 character is replaced by its bytes, spelled as printable characters."),
    (normalizers.precompiled(normalizers.TOY_MAP), "A\u030aA", "1 character is replaced through the character map and "
     "1 character and its marks are replaced by what the character map has for the beginning."),
])  # fmt: skip
def test_the_sentence_names_what_was_normalized(normalizer: dict[str, Any], text: str, says: str) -> None:
    tok = toy(normalizer=normalizer)
    trace = tok.trace(text)
    assert plain(normalize_result(trace, trace.stage("normalize"), tok.vocabulary)) == says
