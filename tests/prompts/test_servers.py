"""What servers make of a chat request: as transformers, SGLang and llama.cpp do it live, vLLM as recorded."""

from __future__ import annotations

import ast
import contextlib
import copy
import json
import os
import re
import sys
import time
import typing
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

import pytest

import explorer
from explorer.cli.main import main
from explorer.errors import InputError
from explorer.prompts.export import record
from explorer.prompts.model_input import prompt
from explorer.prompts.partings import part, server_sides
from explorer.prompts.requests import ABSENT, Outcome, Served, serve
from explorer.prompts.servers import SERVERS
from explorer.prompts.templates import own_templates
from tests.bundled import bundled
from tests.environment import environment
from tests.prompts.conversations import SPECIAL
from tests.prompts.generated_requests import requests

CASES: Final = Path(__file__).parent / "cases"
ROOT: Final = Path(__file__).parents[2]
CALL: Final = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo"}'}}
REQUEST: Final[dict[str, Any]] = {
    "messages": [
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Use it."}]},
        {"role": "user", "content": "Weather in Oslo?"},
        {"role": "assistant", "content": None, "reasoning_content": "I need the tool.", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "4 °C, rain"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "description": "Weather of a city",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ],
}
NOTED: Final[dict[str, Any]] = {
    "messages": [
        {
            "role": "developer",
            "content": [
                {"type": "text", "text": "Answer in one sentence."},
                {"type": "text", "text": "Use the tool."},
            ],
        },
        *REQUEST["messages"][1:],
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                **REQUEST["tools"][0]["function"],
                "parameters": {**REQUEST["tools"][0]["function"]["parameters"], "required": ["city"]},
            },
        }
    ],
}
USER_: Final = {"role": "user", "content": "a"}
TEXT: Final = (
    "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls or [] %}{{ c | tojson }}{% endfor %}"
    "{{ m.reasoning_content }}{{ m.name }}{% endfor %}{{ tools | tojson if tools }}{{ enable_thinking }}"
)
PARTS: Final = "{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{{ m | tojson }}{% endfor %}"


def served(server: str, request: dict[str, Any], template: str = TEXT, *, without: int = 0) -> Served:
    """What a server makes of a request. without: how many of its last steps are left out."""
    found = SERVERS[server]
    return serve(found._replace(steps=found.steps[: len(found.steps) - without]), request, template)


def outcomes(found: Served) -> dict[str, Outcome]:
    """The last outcome of each field."""
    return {each.record()["path"]: each.outcome for each in found.changes}


def test_vllm_as_recorded() -> None:
    recorded = json.loads((CASES / "vllm-requests.json").read_text("utf-8"))
    for name, request, expected in recorded["cases"]:
        found = served("vllm", request, recorded["templates"][name], without=3).seen
        made = None if found is None else [found["messages"], found.get("tools")]
        assert json.dumps(made) == json.dumps(expected), request  # in this order of keys


PYDANTIC: Final = (*("AfterValidator", "BaseModel", "Field", "field_validator", "model_validator", "model_serializer"),)


@cache
def sglang() -> Callable[[dict[str, Any], str], list[Any]]:
    """What SGLang's own functions make of a request, from its files."""
    if sys.version_info >= (3, 14):
        pytest.skip("SGLang 0.5.23 has no wheel for this Python")
    pydantic = pytest.importorskip("pydantic")
    jinja2 = pytest.importorskip("jinja2")

    folder = Path(os.environ.get("EXPLORER_SGLANG") or ROOT / ".sglang") / "0.5.23"
    (package,) = environment(folder, "--no-deps", "sglang==0.5.23").parents[1].glob("lib/python*/site-packages/sglang")
    module = sys.modules["sglang_request"] = ModuleType("sglang_request")  # where pydantic looks for names
    known = vars(module)
    known |= {**{name: value for name, value in vars(typing).items() if name[:2] != "__"}, "jinja2": jinja2}
    known |= {name: getattr(pydantic, name) for name in PYDANTIC}
    known |= {"logger": SimpleNamespace(debug=lambda *_: None), "ImageData": None, "VideoData": None}
    known |= {"orjson": SimpleNamespace(loads=_strict, JSONDecodeError=json.JSONDecodeError)}
    known |= {"MEDIA_URL_PART_TYPES": (), "GLM_MEDIA_CONFIG_KEYS": ()}

    def take(file: str, wanted: Callable[[str], bool]) -> None:
        tree = ast.parse((package / "srt" / file).read_text("utf-8"))
        tree.body = [each for each in tree.body if wanted(getattr(each, "name", "") or _assigned(each))]
        exec(compile(tree, file, "exec"), known)  # code of a pinned package, as an import would run

    names = ("ToolCall", "FunctionResponse", "Function", "Tool", "ChatCompletionMessageParam")
    generic = ("_GenericMessageRole", "_GENERIC_MESSAGE_ROLES", "_AUDIO_FORMAT_TO_MIME_TYPE", "_to_audio_url_part")
    take(
        "entrypoints/openai/protocol.py",
        lambda name: name in (*names, *generic) or name.startswith("ChatCompletionMessage"),
    )
    take("parser/jinja_template_utils.py", lambda name: name not in ("", "logger", "MEDIA_URL_PART_TYPES"))
    take(
        "entrypoints/openai/serving_chat.py",
        lambda name: (
            name in ("normalize_tool_content", "parse_tool_call_arguments", "normalize_assistant_tool_call_arguments")
        ),
    )
    chat = ast.parse((package / "srt/entrypoints/openai/serving_chat.py").read_text("utf-8"))
    (serving,) = [each for each in chat.body if getattr(each, "name", "") == "OpenAIServingChat"]
    assert isinstance(serving, ast.ClassDef)
    (last,) = [each for each in serving.body if getattr(each, "name", "") == "_handle_last_assistant_message"]
    assert isinstance(last, ast.FunctionDef)
    for each in last.args.args:
        each.annotation = None
    exec(compile(ast.Module([last], []), "serving_chat.py", "exec"), known)
    known["_try_extract_ast"] = lambda source: jinja2.Environment(extensions=["jinja2.ext.loopcontrols"]).parse(source)
    one, tool = known["ChatCompletionMessageParam"], known["Tool"]
    message, tools = (pydantic.TypeAdapter(list.__class_getitem__(each)) for each in (one, tool))

    def made(request: dict[str, Any], template: str) -> list[Any]:
        values = [each.model_dump() for each in message.validate_python(copy.deepcopy(request["messages"]))]
        given = tools.validate_python(request.get("tools") or [])
        choice = request.get("tool_choice")
        # as _validate_request and _process_messages do, which need a server
        name = choice["function"]["name"] if isinstance(choice, dict) else ""
        if (name and all(each.function.name != name for each in given)) or (choice == "required" and not given):
            raise ValueError(choice)
        kept = [each for each in given if not name or each.function.name == name]
        dumped = [each.model_dump() for each in kept] if given and choice != "none" else None
        form = known["detect_jinja_template_content_format"](template)
        messages = []
        for value in values:
            known["normalize_assistant_tool_call_arguments"](value)
        for value in values:
            value["content"] = "" if value.get("content") is None else value["content"]
            processed = known["process_content_for_template_format"](value, form, [], [], [], [])
            processed["content"] = known["normalize_tool_content"](processed["role"], processed.get("content"))
            messages.append(processed)
        asked = SimpleNamespace(continue_final_message=False)
        return [known["_handle_last_assistant_message"](None, messages, asked)[0], dumped]

    return made


def _assigned(node: ast.AST) -> str:
    targets = [*getattr(node, "targets", ()), getattr(node, "target", None)]
    return next((each.id for each in targets if isinstance(each, ast.Name)), "")


def _strict(text: str) -> Any:
    def refuse(name: str) -> Any:
        raise json.JSONDecodeError(name, text, 0)

    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("template", [TEXT, PARTS], ids=["text", "parts"])
def test_sglang_live(template: str) -> None:
    equal = 0
    for request in requests(17, 180):
        try:
            expected = sglang()(request, template)
        except ValueError:
            expected = []
        found = served("sglang", request, template, without=3).seen
        made = [] if found is None else [found["messages"], found.get("tools")]
        assert json.dumps(made) == json.dumps(expected), request
        equal += bool(made)
    assert equal > 60


def test_transformers_live() -> None:
    from tests.prompts.test_transformers import asked

    sources = [TEXT, PARTS, *(own_templates()[name].source for name in ("chatml", "llama-3"))]
    tried = [(source, request) for source in sources for request in requests(23, 100)]
    equal = 0
    now = datetime(2026, 11, 23, 12, 34, 56)
    for (source, request), answer in zip(tried, asked([*each, SPECIAL] for each in tried), strict=True):
        text = None
        try:
            served_by = prompt(bundled("llama-2"), request, source=source, server="transformers", now=now)
            text = served_by.rendering.text
        except InputError:
            assert isinstance(answer, str), request
            continue
        assert text == answer[0], request
        equal += 1
    assert equal > 100


def test_llama_cpp_live() -> None:
    pytest.importorskip("xllamacpp")
    from tests.prompts.llama_server import LlamaServer

    source = own_templates()["chatml"].source
    equal = 0
    with LlamaServer(source) as server:
        for request in requests(29, 320):
            expected = server.prompt(request)
            try:
                found = prompt(bundled("llama-2"), request, source=source, server="llama.cpp").text
            except InputError:
                assert expected is None, request
                continue
            assert found == expected, request
            equal += 1
    assert equal > 20


def test_ollama_makes_a_message_of_each_part_and_joins_neighbors() -> None:
    # openai/openai_test.go and template/template.go at fb3076099: parts, a call's arguments, a tool's name
    found = served("ollama", {**REQUEST, "tool_choice": "none"})
    assert found.seen
    assert [each["role"] for each in found.seen["messages"]] == ["developer", "user", "assistant", "tool"]
    assert found.seen["messages"][0]["content"] == "Be brief.\n\nUse it."
    assert found.seen["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"city": "Oslo"}
    assert found.seen["messages"][3]["tool_name"] == "get_weather"
    assert outcomes(found)["messages[2].reasoning_content"] is Outcome.DROPPED
    assert outcomes(found)["tool_choice"] is Outcome.DROPPED
    split = [each for each in found.changes if each.outcome is Outcome.SPLIT]
    assert [(each.path, each.made) for each in split] == [(("messages", 0, "content"), ["Be brief.", "Use it."])]
    broken = copy.deepcopy(REQUEST)
    broken["messages"][2]["tool_calls"][0]["function"]["arguments"] = '{"city'
    assert "messages[2].tool_calls[0].function.arguments" in served("ollama", broken).refusal
    with pytest.raises(InputError, match="in Go"):
        prompt(bundled("qwen2.5"), REQUEST, server="ollama")
    # calls beside a list without parts go to the message before
    empty = {"messages": [USER, {"role": "assistant", "content": [], "tool_calls": [CALL]}]}
    seen = served("ollama", empty).seen
    assert seen
    assert "tool_calls" in seen["messages"][0]


def test_tool_choice_and_response_format() -> None:
    none = {name: served(name, {**REQUEST, "tool_choice": "none"}).seen for name in SERVERS}
    assert {name for name, seen in none.items() if seen and "tools" not in seen} == {"sglang"}
    assert all(seen and "tool_choice" not in seen for seen in none.values())
    form = {**REQUEST, "response_format": {"type": "json_object"}}
    assert {outcomes(served(name, form))["response_format"] for name in SERVERS} == {Outcome.DROPPED}
    for bad, place in (
        ({"tool_choice": "sometimes"}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "none"}}}, "tool_choice.function.name"),
        ({"response_format": {"type": "yaml"}}, "response_format.type"),
    ):
        refusals = [served(name, {**REQUEST, **bad}).refusal for name in ("vllm", "sglang", "llama.cpp")]
        assert any(place in each for each in refusals)


def test_sglang_tries_a_template_again_with_bare_functions() -> None:
    source = "{% if tools[0].function is defined %}{{ raise_exception('bare') }}{% endif %}{{ tools[0].name }}"
    made = prompt(bundled("qwen2.5"), REQUEST, source=source, server="sglang")
    assert made.text == "get_weather"
    with pytest.raises(InputError, match="bare"):
        prompt(bundled("qwen2.5"), REQUEST, source=source, server="vllm")


def test_a_parting_has_a_proved_cause() -> None:
    plain = {**REQUEST, "messages": REQUEST["messages"][1:]}
    one, other = server_sides(bundled("qwen2.5"), plain, ["transformers", "vllm"])
    found = part(one, other)
    assert found.token is not None
    (cause,) = found.causes
    assert cause.path == ("messages", 1, "tool_calls", 0, "function", "arguments")
    assert cause.functions == ("_postprocess_messages",)
    assert one.prompt
    assert "arguments" in one.prompt.rendering.source.splitlines()[found.line - 1]
    (message,) = part(*server_sides(bundled("qwen2.5"), REQUEST, ["transformers", "llama.cpp"])).causes
    assert message.path == ("messages", 0)
    assert part(*server_sides(bundled("qwen2.5"), plain, ["vllm", "llama.cpp"])).token is None
    # the same for both orders
    back = part(*server_sides(bundled("qwen2.5"), plain, ["vllm", "transformers"]))
    assert (back.token, back.causes[0].path) == (found.token, cause.path)
    assert back.causes[0].values == cause.values[::-1]


def test_the_prompts_of_the_five_servers() -> None:
    sides = server_sides(bundled("qwen2.5"), NOTED, [*SERVERS])
    counts = {side.name: len(side.prompt.ids) for side in sides if side.prompt}
    assert counts == {"transformers": 211, "vllm": 202, "sglang": 214, "llama.cpp": 202}
    assert "in Go" in sides[-1].error


ANTHROPIC: Final[dict[str, Any]] = {
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "messages": [
        {"role": "user", "content": "Weather in Oslo?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hm."},
                {"type": "tool_use", "id": "1", "name": "get_weather", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "4 °C"}]},
                {"type": "text", "text": "And now?"},
            ],
        },
    ],
    "tools": [{"name": "get_weather", "input_schema": {"type": "object", "properties": {}}}],
    "tool_choice": {"type": "tool", "name": "get_weather"},
}


def test_anthropic_messages_are_converted() -> None:
    made = prompt(bundled("qwen2.5"), ANTHROPIC, server="vllm")
    assert made.call.converted
    assert [each["role"] for each in made.call.messages] == ["system", "user", "assistant", "tool", "user"]
    assert [each["content"] for each in made.call.messages[::2]] == ["Be brief.", "", "And now?"]
    assert '"arguments": {"city": "Oslo"}' in made.text
    assert record(made)["converted"]
    call = prompt(bundled("qwen2.5"), ANTHROPIC).call
    assert call.messages[3] == {"role": "tool", "tool_call_id": "1", "content": "4 °C"}
    assert call.messages[2]["reasoning_content"] == "Hm."
    assert call.extras["tool_choice"]["function"]["name"] == "get_weather"
    assert not prompt(bundled("qwen2.5"), REQUEST).call.converted


@pytest.mark.parametrize(
    ("request_", "place"),
    [
        ({"system": "a", "messages": 3}, "messages is 3"),
        ({"system": "a", "messages": [USER_, 3]}, "messages[1]"),
        ({"system": "a", "messages": [{"role": "user", "content": ["a"]}]}, "messages[0].content[0]"),
        ({"messages": [{"role": "user", "content": [{"type": "tool_use", "id": "1"}]}]}, "messages[0].content[0]"),
        ({"messages": [USER_], "tools": [{"input_schema": {}}, 3]}, "tools[1]"),
    ],
)
def test_what_is_no_anthropic_message_names_the_path(request_: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError) as error:
        prompt(bundled("qwen2.5"), request_)
    assert place in str(error.value)


def test_rows_say_what_became_of_a_field() -> None:
    made = {name: outcomes(served(name, REQUEST)) for name in SERVERS}
    place = "messages[2].tool_calls[0].function.arguments"
    assert place not in made["transformers"]
    assert {name for name in made if made[name].get(place) is Outcome.PARSED} == made.keys() - {"transformers"}
    assert made["vllm"]["messages[0].role"] is Outcome.CHANGED
    assert made["sglang"]["messages[0].content"] is Outcome.JOINED
    two = {
        "messages": [REQUEST["messages"][1], {"role": "developer", "content": "a"}, {"role": "system", "content": "b"}]
    }
    found = served("vllm", two)
    assert found.seen
    assert [each["role"] for each in found.seen["messages"]] == ["system", "user"]
    assert found.sources == ((1, 2), (0,))
    assert outcomes(found)["messages[2].content"] is Outcome.JOINED
    assert all(each.sent != ABSENT or each.made != ABSENT for name in SERVERS for each in served(name, REQUEST).changes)


USER: Final = {"role": "user", "content": "a"}
NUMBER: Final = {"function": {"name": "f", "arguments": 3}}


@pytest.mark.parametrize(
    ("request_", "place"),
    [
        ({"messages": [USER, {**USER, "tool_calls": [{"function": 1}]}]}, "messages[1].tool_calls[0].function"),
        ({"messages": [{**USER, "tool_calls": [NUMBER]}]}, "messages[0].tool_calls[0].function.arguments"),
        ({"messages": [USER, {**USER, "tool_calls": {"a": 1}}]}, "messages[1].tool_calls"),
        ({"messages": [USER], "tools": {"a": 1}}, "tools"),
        ({"messages": [USER, {"role": 3, "content": "a"}]}, "messages[1].role"),
        ({"messages": [USER, {"role": "user", "content": 5}]}, "messages[1].content"),
    ],
)
@pytest.mark.parametrize("server", SERVERS)
def test_another_shape_names_the_path(server: str, request_: dict[str, Any], place: str) -> None:
    with pytest.raises(InputError) as error:
        prompt(bundled("qwen2.5"), request_, server=server)
    assert str(error.value).startswith(place)


def test_broken_arguments_end_in_four_ways() -> None:
    broken = copy.deepcopy(REQUEST)
    broken["messages"][2]["tool_calls"][0]["function"]["arguments"] = '{"city": "Os'
    tok = bundled("qwen2.5")
    assert '{\\"city\\": \\"Os' in prompt(tok, broken, server="transformers").text
    assert '"arguments": {}' in prompt(tok, broken, server="vllm").text
    for name in ("sglang", "llama.cpp"):
        with pytest.raises(InputError):
            prompt(tok, broken, server=name)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "request.json"
    file.write_text(json.dumps(REQUEST), "utf-8")
    asked = ["prompt", "-m", "qwen2.5", str(file)]
    assert main([*asked, "--server", "vllm", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["server"]["name"] == "vllm"
    assert {"path", "outcome", "function", "file"} <= made["server"]["changes"][0].keys()
    assert main([*asked, "--server", "vllm"]) == 0
    assert "messages[2].tool_calls[0].function.arguments" in capsys.readouterr().out
    assert main([*asked, "--server", "nobody"]) == 1
    assert main([*asked, "--server", "ollama"]) == 0
    assert "FromChatRequest" in capsys.readouterr().out
    both = [*asked, "--server", "transformers", "--server", "vllm"]
    assert main([*both, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in made["servers"]] == ["transformers", "vllm"]
    assert made["partings"][0]["token"] is not None
    assert main([*both, "--strict"]) == 1
    file.write_text(json.dumps(ANTHROPIC), "utf-8")
    capsys.readouterr()
    assert main([*asked, "--server", "vllm"]) == 0
    assert "Anthropic" in capsys.readouterr().err


def test_the_library_takes_a_server() -> None:
    tok = explorer.load("qwen2.5")
    assert tok.prompt(REQUEST, server="llama.cpp").engine == "llama.cpp"
    with pytest.raises(InputError, match="engine"):
        tok.prompt(REQUEST, server="vllm", engine="transformers")


@pytest.mark.parametrize("server", ["vllm", "sglang", "llama.cpp"])
def test_a_part_that_is_no_text_names_its_path(server: str) -> None:
    for bad in ({"type": "image_url", "image_url": {"url": "x"}}, {"type": []}, 7, {"type": "text", "text": None}):
        request = {"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}, bad]}]}
        with pytest.raises(InputError, match="messages"):
            prompt(bundled("qwen2.5"), request, server=server)


def hostile_requests() -> list[str]:
    """Requests that are small, and made to take long: of many calls, deep arguments, many tags, wide and deep tools."""
    calls = [{"id": "", "type": "function", "function": {"name": "f", "arguments": "{}"}}] * 3_000
    deep: Any = {"type": "object"}
    for _ in range(50):
        deep = {"anyOf": [deep], "properties": {"a": deep}} if len(json.dumps(deep)) < 2_000 else {"items": deep}
    arguments = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "[" * 100_000}}
    many = [{"role": "user", "content": [{"type": "text", "text": "a"}] * 5_000}]
    tool = {"type": "function", "function": {"name": "f", "description": "d", "parameters": deep}}
    anthropic = [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": str(at)} for at in range(5_000)]}]
    return [
        json.dumps(each)
        for each in (
            {"messages": [USER_, {"role": "assistant", "content": None, "tool_calls": calls}]},
            {"messages": [USER_, {"role": "assistant", "content": "", "tool_calls": [arguments]}]},
            {"messages": many},
            {"messages": [USER_] * 2_000},
            {"messages": [{**USER_, "content": "\U000e0061\u200b" * 5_000}]},
            {"messages": [{**USER_, "content": "<|a|>[INST]" * 3_000}]},
            {"messages": [USER_], "tools": [tool] * 20},
            {"system": "a", "messages": anthropic},
            {"system": [[]] * 100, "messages": [{"role": "user", "content": [{"type": "thinking", "thinking": {}}]}]},
            {"messages": [USER_], "tool_choice": {"function": []}, "tools": [tool], "response_format": {"type": []}},
        )
    ]


@pytest.mark.parametrize("number", range(10))
def test_a_hostile_request_ends(number: int) -> None:
    request_ = json.loads(hostile_requests()[number])
    for name in SERVERS:
        start = time.process_time()
        with contextlib.suppress(InputError):
            made = prompt(bundled("qwen2.5"), request_, source="{{ messages[0].content }}", server=name)
            assert made.findings is not None
        assert time.process_time() - start < 60  # ends; each part by its own clock


def test_a_deep_text_of_arguments_ends() -> None:
    deep = copy.deepcopy(REQUEST)
    deep["messages"][2]["tool_calls"][0]["function"]["arguments"] = "[" * 100_000
    for name in ("sglang", "llama.cpp"):
        with pytest.raises(InputError, match="arguments"):
            prompt(bundled("qwen2.5"), deep, server=name)
    assert '"arguments": {}' in prompt(bundled("qwen2.5"), deep, server="vllm").text


def test_a_refusal_names_the_server_as_its_makers_do_and_is_one_sentence() -> None:
    calls: list[dict[str, Any]] = [
             {"messages": [USER, {"role": "assistant", "content": 7}]},
             {"messages": [USER, {"role": "assistant", "tool_calls": [{"id": 7, "type": "function"}]}]},
             {"messages": [{"role": "tool", "content": None}]},
             {**REQUEST, "tool_choice": "sometimes"},
             {"messages": [{**USER, "content": [{"type": "input_audio"}]}]}]  # fmt: skip
    titles = {"vllm": "vLLM", "sglang": "SGLang", "ollama": "Ollama"}
    said = list[str]()
    for name, server in SERVERS.items():
        assert server.title == titles.get(name, name)
        for each in calls:
            try:
                refusal = served(name, each).refusal
            except InputError as error:  # no request at all
                said.append(str(error))
                continue
            assert not refusal or refusal.startswith(f"{server.title} {server.version} ")
            said += [refusal] if refusal else []
    assert len(said) > 12
    assert not any(each.rstrip().endswith("..") for each in said)


def test_each_step_of_a_server_names_a_file_of_its_repository() -> None:
    for server in SERVERS.values():
        assert server.steps
        for step in (*server.steps, *server.within, *server.fallback):
            assert re.fullmatch(r"[\w/.-]+\.(py|cpp|go)", step.file), step
            assert step.function.isidentifier()
