"""The normalization steppers, replayed: every operation of every original, on generated text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from explorer.engine.normalizers.charsmap import (
    CharsmapNormalization,
    Whitespace,
    llama_cpp_whitespace,
    sentencepiece_whitespace,
)
from explorer.engine.normalizers.huggingface import Prepend, bert_normalizers
from explorer.engine.normalizers.stage import EscapeWhitespace, Normalization, NormalizeEvent, Normalizer, SpacePrefix
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.engine.part import AnyEvents, Events, Item, Items, Options, Part, Segment, Token
from explorer.engine.partition.user_defined import SymbolTree
from explorer.engine.tokenizer import Stage
from explorer.languages import phrases
from explorer.script.script import Replay, Script, Window, in_language, window_of
from explorer.stages.normalizers.layers import Walk
from explorer.stages.normalizers.story import KINDS, normalization_script
from explorer.text.say import fill
from explorer.vocabulary import Vocabulary
from tests.bundled import bundled
from tests.engine.normalizers.test_vectors import EACH, XLM_R
from tests.originals.generators import texts
from tests.tiers import amount
from tests.views.replays import phase_of, play

NONE = Vocabulary.of([])
WHOLE = Window(0, 10**6, 0, 10**6)
NAMES = ["bert-uncased", "bert-uncased@llama.cpp", "llama-2", "qwen2.5", "xlm-r", "mistral-v1@sentencepiece"]
SOME = st.one_of(texts(), st.text("aAÅéİ각ﬁ漢e \t\u0301\u0323\u030a\U0001d15e\u200b\u3000", max_size=24))
FOLDED = (NormalizeEvent.BEGIN, NormalizeEvent.PASS, NormalizeEvent.FORM, NormalizeEvent.MORE, NormalizeEvent.ALSO)


def text_now(script: Script, rows: dict[int, tuple[int, ...]]) -> str:
    """The text in the last layer: the code points of its chips, in order."""
    track = next(each for each in script.data["tracks"] if each["name"] == "layers")
    first = (len(track["layers"]) - 1) * len(track["spans"])
    texts = script.data["texts"]
    return "".join(
        chr(int(texts[row[at + 1]], 16))
        for key, row in sorted(rows.items())
        if key >= first
        for at in range(0, len(row), 3)
    )


def run(part: Part, before: Sequence[Item]) -> Stage:
    """A stage of a trace."""
    events: AnyEvents = Events(part.row)
    after = part.run(before, Options(), events.emit)
    return Stage("normalize", part, before, after, events)


def text_of(items: Items) -> str:
    return "".join(item.text for item in items if isinstance(item, Segment))


def check(stage: Stage, window: Window = WHOLE) -> Script:
    """Plays the script; the text in the last lane is the stage's."""
    script = normalization_script(stage, NONE, window)
    replay = play(script)
    assert text_now(script, replay.rows("layers")) == text_of(stage.after)
    assert text_now(script, {key: row for (name, key), row in Replay(script).state.items() if name == "layers"}) == (
        text_of(stage.before)
    )
    for step in range(1, len(script) + 1):
        told = script.kind(step)
        assert fill(told["story"], script.args(step), script.data["texts"])
    return script


def story(script: Script, step: int) -> str:
    kind = script.kind(step)
    return " ".join(fill(kind[part], script.args(step), script.data["texts"]) for part in ("story", "story_why"))


@pytest.mark.parametrize("name", NAMES)
@given(text=SOME)
@settings(max_examples=amount(60))
def test_the_last_state_is_the_engines_text_and_back_the_text(name: str, text: str) -> None:
    tok = bundled(name)
    check(tok.trace(text).stage("normalize"))


@given(text=SOME, normalizers=st.lists(st.sampled_from(EACH), min_size=1, max_size=4))
@settings(max_examples=amount(200))
def test_any_operations_in_any_order(text: str, normalizers: list[Normalizer]) -> None:
    if text:
        script = check(run(Normalization(normalizers), [Segment.of(text)]))
        (track, *_) = script.data["tracks"]
        assert len(track["layers"]) >= 2 + len(normalizers)


@pytest.mark.parametrize("whitespace", [sentencepiece_whitespace, llama_cpp_whitespace])
@given(
    text=st.one_of(texts(), st.text("a ▁ \u3000ﬁ\u200b¨bx漢字é", max_size=14)),
    rules=st.builds(Whitespace, *[st.booleans()] * 4),
)
@example(text="ﷺ", rules=Whitespace(False, True, False, False))
@example(text="\ufdfa  \ufdfa ", rules=Whitespace())
@example(text="x  a  b  ", rules=Whitespace(escape_whitespaces=False))
@settings(max_examples=amount(150))
def test_any_white_space_rules(whitespace, text: str, rules: Whitespace) -> None:  # type: ignore[no-untyped-def]
    assert isinstance(XLM_R, CharsmapNormalization)
    part = CharsmapNormalization(XLM_R.charsmap, rules, SymbolTree(["ab", "漢字", " a  b "]), whitespace=whitespace)
    if text:
        check(run(part, [Segment.of(text)]))


def test_several_fragments_with_tokens_between() -> None:
    before: list[Item] = [Segment.of("Å b"), Token(7, 3, 4), Segment.of(" É", 4), Segment.of("x", 6)]
    check(run(Normalization([*bert_normalizers(), SpacePrefix()]), before))
    check(run(Normalization([SpacePrefix(), EscapeWhitespace(), Prepend("ab")]), before))
    assert isinstance(XLM_R, CharsmapNormalization)
    for rules in (Whitespace(), Whitespace(treat_whitespace_as_suffix=True)):
        check(run(CharsmapNormalization(XLM_R.charsmap, rules), before))


@pytest.mark.parametrize("name", NAMES)
@given(text=SOME)
@settings(max_examples=amount(20))
def test_every_event_has_a_step(name: str, text: str) -> None:
    """Those that continue another one share its step."""
    stage = bundled(name).trace(text).stage("normalize")
    script = normalization_script(stage, NONE, WHOLE)
    if isinstance(stage.part, Normalization):
        alone = [event for event, row in enumerate(stage.events) if row.kind not in (*FOLDED, NormalizeEvent.REORDER)]
        assert set(alone) <= set(script.events)
        changes = Walk(stage).changes()
        assert [change.event for change in changes] == list(script.events)
    else:
        assert len(script) == len(stage.events)


def test_every_kind_of_event_is_told() -> None:
    assert set(NormalizeEvent) - set(FOLDED) <= set(KINDS)


def test_the_walk_through_of_bert() -> None:
    script = check(bundled("bert-uncased").trace("ÅWhat is LoRA?").stage("normalize"))
    assert len(script) == 7
    assert [phase_of(script, step) for step in (1, 2, 3)] == ["Take apart", "Drop the marks", "Lower case"]
    assert (
        story(script, 1) == "“Å” is taken apart: A + ◌\u030a. A letter and its marks can be one code point or several."
    )
    assert story(script, 2) == (
        "The ring of “Å” is dropped. What is left is “A”. This model keeps no accents: from here on “Å” and “A” are "
        "the same."
    )
    assert story(script, 4).startswith("“W” becomes “w”.")
    assert script.sentence(1) == "NFD: decompose, index 0: U+00C5 → U+0041 U+030A."
    lanes = script.data["tracks"][0]["layers"]
    assert [f"{lane['title']}: {lane['note']}" for lane in lanes if lane["look"] == "quiet"] == [
        "Control characters: none to drop",
        "White space: nothing to rewrite",
        "Chinese characters: none to space",
        "Order the marks: none out of order",
    ]
    replay = play(script)
    vectors = {script.data["texts"][row[0]]: script.data["texts"][row[1]] for row in replay.rows("vectors").values()}
    assert vectors["Take apart"] == "65 778 87 104 97 116 32 105 115 32 76 111 82 65 63"
    assert vectors["Drop the marks"] == "65 87 104 97 116 32 105 115 32 76 111 82 65 63"
    assert vectors["Lower case"].startswith("97 119 104 97 116 32")


def look_ups(script: Script, step: int) -> list[list[str]]:
    replay = Replay(script)
    for _ in range(step):
        replay.forward()
    return [[script.data["texts"][each] for each in row] for row in replay.rows("lookup").values()]


@pytest.mark.parametrize("language", ["de", "ja"])
@pytest.mark.parametrize("name", ["qwen2.5", "bert-uncased"])
def test_the_layers_are_named_in_each_language(name: str, language: str) -> None:
    tok = bundled(name)
    trace = tok.trace("Łódź e\u0301", add_special=False)
    (stage,) = (each for each in trace.stages if isinstance(each.part, Normalization))
    script = normalization_script(stage, NONE, window_of(trace))
    english, said = (each.data["tracks"][0]["layers"] for each in (script, in_language(script, phrases(language))))
    for one, other in zip(english, said, strict=True):
        assert one["title"] != other["title"] or one["title"] == "Text"
        assert one["note"] != other["note"]


def test_llama_cpp_searches_its_ranges() -> None:
    script = check(bundled("bert-uncased@llama.cpp").trace("ÅWhat").stage("normalize"))
    assert look_ups(script, 1) == [
        ["ranges[0]", "{0x0000 … 0x0000 → 0x0000}", "ends before"],
        ["ranges[1]", "{0x00C0 … 0x00C5 → 0x0041}", "U+00C5 is in it: A"],
        ["ranges[2]", "{0x00C7 … 0x00C7 → 0x0043}", "the upper bound: begins after"],
        ["in full", "U+0041 U+030A", "lost: U+030A"],
    ]
    replay = play(script)
    (row,) = replay.rows("vectors").values()
    assert script.data["texts"][row[1]] == "65 87 104 97 116"


def test_a_decomposition_goes_on_until_nothing_is_left_to_take_apart() -> None:
    stage = run(Normalization([UnicodeForm("NFC")]), [Segment.of("ấ\u0323")])
    script = check(stage)
    assert look_ups(script, 1) == [
        ["U+1EA5", "U+00E2 + U+0301", "canonical"],
        ["U+00E2", "U+0061 + U+0302", "canonical"],
        ["U+0061", "no decomposition", "it stays"],
        ["U+0302", "no decomposition", "it stays"],
        ["U+0301", "no decomposition", "it stays"],
    ]
    assert look_ups(script, 2)[0] == ["U+0302", "class 230", "combining circumflex accent"]
    assert [script.kind(step)["label"] for step in range(1, len(script) + 1)] == [
        "take apart", "order", "put together", "put together",
    ]  # fmt: skip
    hangul = run(Normalization([UnicodeForm("NFD")]), [Segment.of("각")])
    assert [row[2] for row in look_ups(check(hangul), 1)] == ["Hangul: by arithmetic", "U+1100", "U+1161", "U+11A8"]


def test_the_map_is_a_walk_through_a_double_array() -> None:
    script = check(bundled("xlm-r").trace("ﬁ").stage("normalize"))
    rows = look_ups(script, 1)
    assert [row[0] for row in rows] == ["byte EF", "byte AC", "byte 81"]
    assert rows[-1][2].endswith("= “fi”")
    assert all(" ^ 0x" in row[1] for row in rows)


def test_a_window_draws_its_columns_only() -> None:
    tok = bundled("bert-uncased")
    trace = tok.trace("Ångström É各 x\u0301 " * 60)
    stage = trace.stage("normalize")
    window = window_of(trace, 300, 100)
    script = normalization_script(stage, NONE, window)
    play(script)
    spans = script.data["tracks"][0]["spans"]
    assert 100 <= len(spans) < 160
    assert all(window.start <= start <= window.end for start, _ in spans)
    assert 0 < len(script) < 120


def test_a_text_that_stays_has_no_step() -> None:
    for text in ("", "abc"):
        script = check(bundled("bert-uncased").trace(text).stage("normalize")) if text else normalization_script(
            bundled("bert-uncased").trace("").stage("normalize"), NONE, Window(0, 0, 0, 0))  # fmt: skip
        assert len(script) == 0
        assert script.opening()
