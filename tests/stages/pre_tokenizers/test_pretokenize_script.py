"""The pre-tokenizer's stepper, replayed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.engine.part import Events, Options, Segment
from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeEvent, PreTokenizeRow, RegexSplit
from explorer.engine.pre_tokenizers.huggingface import PrefixSpace
from explorer.engine.pre_tokenizers.patterns import GPT2
from explorer.engine.tokenizer import Stage
from explorer.script.script import Replay, Window, window_of
from explorer.stages.pre_tokenizers import scanner
from explorer.stages.pre_tokenizers.story import PatternScript
from explorer.text.say import fill
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.formats.gguf_writer import written
from tests.implementations.llama_cpp.test_bpe import metadata
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import play, put_out

MODELS = ("gpt-2", "qwen2.5", "cl100k_base", "llama-3@llama.cpp")
NONE = Vocabulary.of([])
WHOLE = Window(0, 2_000, 0, 10**6)


def check(tok: explorer.Tokenizer, text: str) -> None:
    trace = tok.trace(text)
    stage = trace.stage("pre-tokenize")
    pieces = [item for item in stage.after if isinstance(item, Segment)]

    def look(replay: Replay) -> None:
        cells = replay.rows("cells")
        assert sum(row[0] for row in cells.values()) == len(cells), "every cell belongs to one piece at every step"
        assert all(0 <= cell < len(cells) for cell in replay.rows("reads").get(0, ()))

    script = PatternScript.of(stage, tok.vocabulary, window_of(trace))
    replay = play(script, look)
    assert [row[1:] for row in put_out(replay)] == [(p.starts[0], p.ends[-1]) for p in pieces]
    assert [key for key, row in replay.rows("cells").items() if row[0]] == list(replay.rows("output"))
    # what is said of each rule is what the events say
    steps = [kind for kind in stage.events if kind.kind in (PreTokenizeEvent.LOOK, PreTokenizeEvent.RUN)]
    labels = [script.kind(step)["label"] for step in range(1, len(script) + 1)]
    assert labels.count("look-ahead") + labels.count("run") == len(steps)
    spelled = [letter for track in script.data["tracks"] if track["name"] == "reads" for _, _, letter in track["bytes"]]
    if spelled:
        assert "".join(spelled) == "".join(piece.text for piece in pieces)
        assert labels.count("byte") == len(spelled)


@pytest.mark.parametrize("name", MODELS)
@given(text=texts())
@settings(max_examples=amount(40))
def test_forward_gives_the_engines_pieces_and_back_the_initial_state(name: str, text: str) -> None:
    check(bundled(name), text)


@pytest.mark.parametrize("pre", ["default", "falcon", "starcoder", "laguna", "afmoe", "kimi-k2", "qwen35", "superbpe"])
def test_several_patterns_cut_in_turn(pre: str, tmp_path: Path) -> None:
    path = tmp_path / "toy.gguf"
    path.write_bytes(written(metadata(**{"tokenizer.ggml.pre": pre})))
    check(explorer.load(path), "He's 12345 a+b<=c!! (x)  y1")


def test_the_pattern_says_what_was_tried_at_each_position() -> None:
    trace = bundled("gpt-2").trace("He's é")
    script = PatternScript.of(trace.stage("pre-tokenize"), bundled("gpt-2").vocabulary, window_of(trace))
    said = []
    play(script, lambda replay: said.append(replay.rows("rules").get(0, ())[:3]))
    # He: 1 no, 2 yes; 's: 1 yes;  é: 1 no, 2 yes; then five bytes and two more
    assert said[: 1 + 5] == [(), (0, 0, -1), (0, 0, 1), (-1, -1, 0), (0, 0, -1), (0, 0, 1)]
    assert [script.kind(step)["label"] for step in range(6, len(script) + 1)] == ["byte"] * 7
    assert script.opening() == "The text has 6 code points here; the pattern has 6 alternatives."
    assert script.sentence(1) == (
        "Alternative 1, “'s|'t|'re|'ve|'m|'ll|'d”, does not match at character 1. It matches this: The end of an "
        "English contraction, in lower case only. The next alternative is tried here."
    )
    script = PatternScript.of(bundled("gpt-2").trace("a").stage("pre-tokenize"), bundled("gpt-2").vocabulary, WHOLE)
    assert script.opening() == "The text has 1 code point here; the pattern has 6 alternatives."


def test_a_prefix_space_comes_before_a_character_counted_from_1() -> None:
    part = PreTokenization([PrefixSpace(), RegexSplit(GPT2)])
    events: Events[PreTokenizeRow] = Events(PreTokenizeRow)
    before = [Segment.of("hi")]
    after = part.run(before, Options(), events.emit)
    script = PatternScript.of(Stage("pre-tokenize", part, before, after, events), NONE, WHOLE)
    assert script.sentence(1).startswith("A space is put before the pre-token at character 1.")


def test_a_step_says_what_llama_cpp_does_not_take_for_a_contraction() -> None:
    def said(name: str, text: str) -> list[str]:
        trace = bundled(name).trace(text)
        script = PatternScript.of(trace.stage("pre-tokenize"), bundled(name).vocabulary, window_of(trace))
        return [script.sentence(step) for step in range(1, len(script) + 1)]

    text = "x'ſ it's"
    here = [sentence for sentence in said("llama-3@llama.cpp", text) if "and would take “'ſ”" in sentence]
    assert len(here) == 1
    assert here[0].startswith("pos 1: rule 1, ")
    assert "The model's own pattern has “(?i:'s|'t|'re|'ve|'m|'ll|'d)”" in here[0]
    assert "only in ASCII letters: not ſ." in here[0]
    taken = [sentence for sentence in said("qwen2.5", text) if "matches: “'ſ” is a pre-token." in sentence]
    assert len(taken) == 1
    assert "such as ſ for s." in taken[0]
    assert not any("and would take" in sentence for sentence in said("qwen2.5", text))


def spans_and_reasons(name: str, text: str) -> dict[tuple[int, int], str]:
    """Each piece's span → the reason that its step gives."""
    trace = bundled(f"{name}@llama.cpp").trace(text)
    stage = trace.stage("pre-tokenize")
    script = PatternScript.of(stage, bundled(name).vocabulary, window_of(trace))
    steps = [step for step in range(1, len(script) + 1) if script.kind(step)["label"] == "pre-token"]
    spans = [(item.starts[0], item.ends[-1]) for item in stage.after if isinstance(item, Segment)]
    reasons = [fill(script.kind(step)["story_why"], script.args(step), script.data["texts"]) for step in steps]
    return dict(zip(spans, reasons, strict=True))


@given(text=st.lists(st.sampled_from(["'s", "'S", "'Ve", "@", " ", "World", "12", "\n", "!"]), max_size=7).map("".join))
@settings(max_examples=amount(60))
def test_where_patterns_differ_the_reason_is_true_of_the_others(text: str) -> None:
    gpt2, *others = (spans_and_reasons(name, text) for name in ("gpt-2", "qwen2.5", "llama-3"))
    for (start, end), why in gpt2.items():
        for other in others:
            longer = [stop for begin, stop in other if begin == start and stop > start + 1]
            if why == scanner.SIGN_ALONE:
                assert longer, "the sign goes with the letters there"
            elif why == scanner.SPACE_IN_FRONT:
                assert (start, start + 1) in other
        if text[start:end] == "@" and text[end : end + 1].isalpha():
            assert why == scanner.SIGN_ALONE
    for other in others:
        for (start, end), why in other.items():
            if why == scanner.SIGN_IN_FRONT:
                assert (start, start + 1) in gpt2
            elif why == scanner.SPACE_ALONE:
                assert any(begin == start and stop > start + 1 for begin, stop in gpt2)
            elif why == scanner.CAPITALS:
                assert (start, end) not in gpt2
            elif text[start : start + 1] == "@" and end > start + 1:
                assert not text[start + 1].isalpha()


@pytest.mark.parametrize("name", ["llama-3@llama.cpp", "gpt-2@llama.cpp", "qwen2.5@llama.cpp", "gpt-2"])
def test_a_window_reads_what_comes_after_it(name: str) -> None:
    """A scanner looks beyond the last cell that is drawn: that is not the end of the text."""
    tok = bundled(name)
    for text in ("it is " * 60, "it's, don't\n" * 30, " 12a" * 60, "a  b" * 60):
        trace = tok.trace(text)
        stage = trace.stage("pre-tokenize")
        whole = PatternScript.of(stage, tok.vocabulary, window_of(trace, 0, 10**6))
        told = [whole.sentence(step) for step in range(1, len(whole) + 1)]
        for at in (0, 61, 100):
            script = PatternScript.of(stage, tok.vocabulary, window_of(trace, at, 40))
            assert script.events
            steps = {event: step for step, event in enumerate(whole.events, 1)}
            for step, event in enumerate(script.events, 1):
                if "_get_cpt" in script.sentence(step) and event in steps:
                    assert script.sentence(step) == told[steps[event] - 1]
