"""The steppers of one draw: their stories by eye, and that what they end with is what was drawn."""

from __future__ import annotations

import re

import pytest

from explorer.analysis.sampling import rules_of
from explorer.engine.models.unigram import Unigram
from explorer.engine.sampling.dropout import Verdict
from explorer.languages import phrases
from explorer.script.script import Replay, Script, in_language, window_of
from explorer.stages.spelling import shown_vocabulary
from explorer.views.steppers.draw_script import PathScript
from explorer.views.steppers.dropout_script import DropoutScript
from tests.bundled import bundled
from tests.tiers import amount

TEXTS = ["", "a", " lower", "What is LoRA?", "naïve 🤗 <s>  x", "aaaa aaaa"]
MODELS = ["gpt-2", "llama-2", "cl100k_base", "llama-3", "xlm-r", "mistral-v1"]


def script_of(model: str, text: str, alpha: float, seed: int, rule: str) -> tuple[Script, list[int]]:
    tok = bundled(model)
    trace = tok.trace(text, add_special=False)
    found = tok.sample(text, alpha, seed, rule=rule, add_special=False)
    writer = PathScript if isinstance(tok.model, Unigram) else DropoutScript
    script = writer(found, trace.stage("model"), tok.vocabulary, window_of(trace), tok.vocabulary.spelling).write()
    return script, found.ids


def deleted(script: Script, step: int) -> list[tuple[str, int]]:
    """The rows that a step deletes, by track and key."""
    steps, names = script.data["steps"], [track["name"] for track in script.data["tracks"]]
    at, found = steps["patch_at"][step - 1], []
    while at < steps["patch_at"][step]:
        track, key, count = steps["patches"][at : at + 3]
        at += 3 + max(0, count)
        if count < 0:
            found.append((names[track], key))
    return found


@pytest.mark.parametrize(("model", "rule"), [("xlm-r", "sentencepiece"), ("gpt-2", "huggingface")])
def test_the_numbers_of_a_draw_are_written_as_the_language_does(model: str, rule: str) -> None:
    script, _ = script_of(model, "unbelievable", 0.3, 1, rule)
    english, german = (in_language(script, phrases(each)).data["texts"] for each in ("en", "de"))
    assert [each for each in english if re.search(r"\d\.\d", each)], "there are numbers to write"
    assert not [each for each in german if re.search(r"\d\.\d", each)]


def labels(script: Script) -> list[str]:
    return [script.kind(step)["label"] for step in range(1, len(script) + 1)]


def test_hugging_faces_queue_gives_a_dropped_pair_another_chance() -> None:
    script, _ = script_of("gpt-2", " lower", 0.3, 1, "huggingface")
    assert labels(script) == [
        "merge", "merge", "dropped", "out of date", "dropped", "merge", "out of date", "out of date", "merge", "done"
    ]  # fmt: skip
    assert script.told(3)["joined"] == script.told(5)["joined"] == "ow"
    replay = Replay(script)
    waiting = []
    while replay.forward():
        waiting.append(len(replay.rows("aside")))
    assert waiting == [0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    # the number that dropped it is below alpha, and each other one is not
    assert all((float(str(script.told(at)["number"])) < 0.3) == (at in (3, 5)) for at in range(1, 10))


def test_sentencepieces_queue_does_not() -> None:
    script, _ = script_of("gpt-2", " lower", 0.3, 1, "sentencepiece")
    assert labels(script) == ["merge", "merge", "dropped", "merge", "dropped", "done"]


def test_a_path_is_drawn_from_the_end() -> None:
    script, _ = script_of("xlm-r", " unbelievable", 0.2, 7, "sentencepiece")
    assert labels(script)[:13] == ["sum"] * 13
    ends = [script.told(step)["end"] for step in range(14, len(script))]
    assert ends == sorted(ends, reverse=True)
    for step in range(14, len(script)):
        told = script.told(step)
        if "number" in told:
            assert float(str(told["low"])) - 0.005 <= float(str(told["number"])) <= float(str(told["high"])) + 0.005


@pytest.mark.parametrize("model", MODELS)
def test_the_last_step_has_what_was_drawn(model: str) -> None:
    for rule in rules_of(bundled(model)):
        for text in TEXTS:
            for seed in range(amount(6)):
                script, ids = script_of(model, text, 0.3, seed, rule)
                replay = Replay(script)
                states = [dict(replay.state)]
                while replay.forward():
                    # the browser reads what leaves the queue from the rows before the step
                    left = {key for at, key in deleted(script, replay.step) if at == "queue"}
                    assert left <= {key for at, key in states[-1] if at == "queue"}
                    states.append(dict(replay.state))
                assert [row[1] for row in replay.rows("output").values()] == ids, (model, rule, text, seed)
                for state in reversed(states[:-1]):
                    assert replay.back()
                    assert replay.state == state


@pytest.mark.parametrize("rule", ["huggingface", "sentencepiece", "subword-nmt"])
def test_each_number_has_a_step(rule: str) -> None:
    tok = bundled("gpt-2")
    found = tok.sample(" unrelated words", 0.3, 5, rule=rule)
    script, _ = script_of("gpt-2", " unrelated words", 0.3, 5, rule)
    words = {Verdict.MERGED: "merge", Verdict.DROPPED: "dropped", Verdict.STALE: "out of date"}
    made = [words[pick.verdict] for drawn in found.drawn for pick in drawn.picks]
    assert [label for label in labels(script) if label not in ("done", "segment")] == made


@pytest.mark.parametrize("stored", [False, True])
def test_the_timeline_of_a_draw_names_its_words(stored: bool) -> None:
    tok, text = bundled("gpt-2"), "What is  LoRA?"
    trace, found = tok.trace(text, add_special=False), tok.sample(text, 0.3, 1, rule="huggingface", add_special=False)
    spelling = shown_vocabulary(trace, stored).spelling
    script = DropoutScript(found, trace.stage("model"), tok.vocabulary, window_of(trace), spelling).write()
    space = "Ġ" if stored else "·"
    names = [phase["name"] for phase in script.data["phases"]]
    assert names == ["What", f"{space}is", space, f"{space}LoRA", "?"]
