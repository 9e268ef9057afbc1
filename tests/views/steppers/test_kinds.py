"""Kinds of step: a sentence names only what its step is given, and a step is given what its kind declares."""

from __future__ import annotations

import re

import pytest

from explorer.script.script import ScriptBuilder, StepKind, kinds

TEXT = """
miss: no piece
    look: miss ring 25
    lines: 3
    fields: left:q right:q count
    say: {left} and {right} don't
        make a piece.
    log: {left:t}{right:t}
    3: {count} tried

again like miss: again
    why: {count} times.
"""


def test_a_sentence_that_names_what_its_step_lacks_fails_at_once() -> None:
    for part in ("say", "why", "log", "story", "story_why", "3"):
        text = f"{TEXT}\n\nmiss\n    {part}: {{joined}} is missing."
        with pytest.raises(ValueError, match=r"names \{joined\}, and its step has only: left:q right:q count"):
            kinds((), text)


def test_a_step_is_given_what_its_kind_declares() -> None:
    made = kinds((), TEXT)
    builder = ScriptBuilder("t", "", made, [], [], "", [])
    builder.begin("{what} begins.", what="It")
    builder.step("again", left="a", right="b", count=1_200)
    for told in ({"left": "a", "right": "b"}, {"left": "a", "right": "b", "count": 1, "more": 2}):
        with pytest.raises(TypeError, match="left, right, count"):
            builder.step("miss", **told)
    script = builder.script()
    assert script.sentence(1) == "“a” and “b” don't make a piece. 1,200 times."
    assert script.told(1) == {"left": "a", "right": "b", "count": 1_200}
    assert script.kind(1)["values"] == [(3, "{2} tried")]
    assert not re.search(r"\{[a-z]", str(script.data)), "the browser gets positions"


def test_a_kind_needs_its_sentence() -> None:
    with pytest.raises(ValueError, match="the kind of step 'miss'"):
        kinds((), "miss: no piece\n    log: no")
    with pytest.raises(ValueError, match=r"names \{left\}"):
        StepKind("merge", "merge", "{left} joins.", "")
