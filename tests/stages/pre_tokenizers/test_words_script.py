"""The stepper of llama.cpp's WordPiece loop, replayed."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

import explorer
from explorer.engine.part import Segment
from explorer.script.model_script import example
from explorer.script.script import Replay, Script, Window, window_of
from explorer.stages.pre_tokenizers.words_story import EMPTY, WordsScript, shown
from explorer.text import Flag
from explorer.text.code_points import flags_of
from explorer.text.say import fill
from tests.bundled import bundled
from tests.originals.generators import texts
from tests.originals.llama_cpp import codepoint_flags
from tests.tiers import amount
from tests.views.replays import boxes, play

TOK = bundled("bert-uncased@llama.cpp")


def script_of(text: str, window: Window | None = None) -> Script:
    trace = TOK.trace(text)
    return WordsScript.of(trace.stage("pre-tokenize"), TOK.vocabulary, window or window_of(trace))


def words(replay: Replay) -> list[str]:
    return [replay.script.data["texts"][row[0]] for row in replay.rows("output").values()]


@given(text=st.one_of(texts(), st.text("aÉ \t漢b!$\0\u0301\u200d", max_size=30)))
@settings(max_examples=amount(150))
def test_the_last_state_is_the_engines_words(text: str) -> None:
    trace = TOK.trace(text)
    stage = trace.stage("pre-tokenize")
    script = WordsScript.of(stage, TOK.vocabulary, window_of(trace))
    replay = play(script)
    after = [item for item in stage.after if isinstance(item, Segment)]
    assert words(replay) == [script.data["texts"][script_text(script, item.text)] for item in after]
    assert [row[2:] for row in replay.rows("output").values()] == [(w.starts[0], w.ends[-1]) for w in after]
    numbers = [number for number, _ in boxes(replay) if number >= 0]
    assert numbers == list(range(len(after)))
    assert len(script) == len(stage.events)


def script_text(script: Script, word: str) -> int:
    """The index of a word in the string table."""
    from explorer.text import visible

    return script.data["texts"].index(visible(shown(word)))


def test_the_words_grow() -> None:
    script = script_of("ÅWhat is $5?")
    replay = Replay(script)
    seen = []
    while replay.forward():
        seen.append(words(replay))
    assert seen[:3] == [[EMPTY], ["a"], ["aw"]]
    assert seen[6] == ["awhat", EMPTY]
    assert seen[-1] == ["awhat", "is", "$", "5", "?"]


def test_the_flags_are_those_of_llama_cpp() -> None:
    script = script_of("A漢\t")
    replay = Replay(script)
    replay.forward()
    for ch in "A漢\t":
        replay.forward()
        rows = [[script.data["texts"][each] for each in row] for row in replay.rows("flags").values()]
        found = {row[at]: row[at + 2] for row in rows for at in (0, 3) if row[at]}
        assert len(found) == 12
        flags = sum(int(bit, 16) for bit, is_set in found.items() if is_set == "1")
        assert flags == int(flags_of(ord(ch))) == int(codepoint_flags(ord(ch)))
        assert found == {f"0x{flag:04X}": str(int(flag in flags_of(ord(ch)))) for flag in Flag}


def test_what_is_said() -> None:
    script = script_of("Å $\u0301 漢")
    told = [fill(script.kind(s)["story"], script.args(s), script.data["texts"]) for s in range(1, len(script) + 1)]
    assert told == [
        "The list of words begins with one empty word.",
        "“A” is appended to the word, which is now “a”.",
        "White space ends the word “a”.",
        "“$” is a symbol: a word by itself.",
        "“◌\u0301” is dropped: it is a mark on another character.",
        "White space again: no word has begun since.",
        "“漢” is a Chinese character: a word by itself.",
        "The text ends before another word begins: the empty one is dropped.",
    ]
    assert script.sentence(2) == (
        "llama.cpp: U+0041, flags = 0x0C04: no rule applies. words.back() += “a”, now “a”. llama.cpp's unicode_tolower "
        "comes after the flags are read: U+0041 → U+0061."
    )


def test_a_window_and_a_long_word() -> None:
    text = "word " * 100 + "a" * 3_000 + " [SEP] end"
    trace = TOK.trace(text)
    script = WordsScript.of(trace.stage("pre-tokenize"), TOK.vocabulary, window_of(trace, 400, 300))
    play(script)
    assert len(script.data["tracks"][0]["cells"]) >= 300
    assert len(json.dumps(script.data)) < 300_000


def test_a_character_alone_says_whether_a_word_ends_before_it() -> None:
    script = example(WordsScript.of, explorer.load("bert-uncased@llama.cpp").trace("漢a猫?"), "pre-tokenize")
    alone = [script.kind(step)["story_why"] for step in range(1, len(script) + 1)
             if script.kind(step)["label"] == "alone"]  # fmt: skip
    nothing = "No word ends here, because none has begun."
    assert alone == [nothing, "The word before it ends here.", nothing]
