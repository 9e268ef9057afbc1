"""Formats that are no template, beside the packages whose code they follow, live."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import datetime
from functools import cache
from pathlib import Path
from shutil import copyfile
from typing import Any, Final

import mistral_common
import pytest
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import ValidationMode
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

import explorer
from explorer.errors import InputError
from explorer.prompts.check import Trial, Verdict, conversations
from explorer.prompts.engines import capabilities_of, compare_engines, lines
from explorer.prompts.formats import fits
from explorer.prompts.messages import Call
from explorer.prompts.templates import formats
from tests.prompts.formats import Requests, largest_requests
from tests.prompts.formats_environments import python
from tests.tiers import amount

DATA: Final = Path(mistral_common.__file__).with_name("data")
SPECIAL: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[ARGS]", "[CALL_ID]", "[THINK]"),
    *("[/THINK]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]"),
)
ROOT: Final = Path(__file__).parents[2]
DAY: Final = datetime(2026, 11, 29, 12)
EFFORT: Final = {"type": "enum", "values": ["none", "high"], "accepts_none": True, "default": "none"}
MISTRAL: Final = {
    "v1": "tokenizer.model.v1",
    "v2": "mistral_instruct_tokenizer_240216.model.v2",
    "v3": "mistral_instruct_tokenizer_240323.model.v3",
    "v7": "mistral_instruct_tokenizer_241114.model.v7",
} | {f"{version} tekken": "" for version in ("v3", "v7", "v11", "v13", "v15")}
Written = tuple[list[int] | None, str]
"""Ids, or why there are none."""


def tekken(version: str, folder: Path) -> Path:
    """A small tekken.json of a version: its ranks are the first of a published one."""
    whole = json.loads((DATA / "tekken_240911.json").read_text("utf-8"))
    config = {**whole["config"], "version": version, "default_vocab_size": 8_000}
    special = [{"rank": rank, "token_str": text, "is_control": True} for rank, text in enumerate(SPECIAL)]
    made: dict[str, Any] = {"config": config, "vocab": whole["vocab"][:7_000], "special_tokens": special}
    made |= {"model_settings_builder": {"reasoning_effort": EFFORT}} if version == "v15" else {}
    path = folder / f"tekken-{version}.json"
    path.write_text(json.dumps(made), "utf-8")
    return path


@pytest.fixture(scope="module", params=MISTRAL)
def mistral(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, explorer.Tokenizer, Callable[[dict[str, Any]], Written]]:
    """A version, its tokenizer here, and what the original writes of a request."""
    version, folder = request.param.split()[0], tmp_path_factory.mktemp("mistral")
    if file := MISTRAL[request.param]:
        path, ours = DATA / file, folder / "tokenizer.model"
        copyfile(path, ours)
    else:
        path = ours = tekken(version, folder)

    @cache
    def tokenizer(mode: ValidationMode) -> Any:
        return MistralTokenizer.from_file(str(path), mode=mode)

    def written(sent: dict[str, Any]) -> Written:
        sent = deepcopy(sent)
        goes_on = sent.get("continue_final_message", False)
        asks = sent.get("add_generation_prompt", True) or goes_on
        more = {key: sent[key] for key in ("reasoning_effort", "response_format") if key in sent}
        try:
            made = ChatCompletionRequest.from_openai(
                sent["messages"], sent.get("tools"), continue_final_message=goes_on, **more
            )
            mode = ValidationMode.test if asks else ValidationMode.finetuning
            return tokenizer(mode).encode_chat_completion(made).tokens, ""
        except Exception as error:  # of pydantic, of the validator, an assertion, a KeyError
            return None, repr(error)

    return version, explorer.load(ours), written


def written(tokenizer: explorer.Tokenizer, sent: dict[str, Any], name: str) -> tuple[Any, str]:
    """What is written here: the ids, of DeepSeek's formats the text; or why there is nothing."""
    try:
        made = tokenizer.prompt(deepcopy(sent), f"format:{name}", now=DAY)
        return (made.text if formats()[name].parses else made.ids), ""
    except InputError as error:
        return None, str(error)


@pytest.mark.sample(4)
@pytest.mark.parametrize("spoiled", [False, True])
def test_mistral_ids_are_those_of_mistral_common(mistral: Any, spoiled: bool) -> None:
    version, tokenizer, original = mistral
    number, count = int(version[1:]), 0
    source = Requests(number + 100 * spoiled)
    while count < amount(200):
        source.thinks, source.tools, source.parallel = (
            does or source.chance(0.05) for does in (number >= 13, number > 1, number > 2)
        )
        sent = source.spoiled() if spoiled else source.request()
        want, why = original(sent)
        got, error = written(tokenizer, sent, f"mistral-{version}")
        assert got == want, f"{sent!a}\n{why}\n{error}"
        if want is None and sent["messages"]:
            assert re.search(r"refuses: (messages(\[\d+\]|:)|reasoning_effort)", error), error
        count += want is not None or spoiled


BUILDERS: Final[tuple[dict[str, Any], ...]] = (
    {"reasoning_effort": EFFORT},
    {
        "reasoning_effort": EFFORT | {"values": ["low", "medium", "max"], "default": "medium"},
        "json_schema": {"type": "json_schema"},
    },
    {"json_schema": {"type": "json_schema"}},
    {},
)
"""What a tekken.json allows."""
SCHEMA: Final = {"type": "object", "properties": {"ü": {"type": "string"}, "a": {"type": ["null", "number"]}}}
ANSWERS: Final[tuple[Any, ...]] = (
    *(None, {"type": "text"}, {"type": "json_object"}, {"type": "json_schema"}, {"type": "yaml"}),
    {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}},
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("builder", BUILDERS, ids=["published", "both", "schema", "nothing"])
def test_the_settings_of_a_tekken_file_are_written_as_mistral_common_does(builder: Any, tmp_path: Path) -> None:
    path = tekken("v15", tmp_path)
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"model_settings_builder": builder}), "utf-8")
    original, tokenizer = MistralTokenizer.from_file(str(path), mode=ValidationMode.test), explorer.load(path)
    chat, refused = [{"role": "user", "content": "Hi"}], 0
    for answer in ANSWERS:
        for effort in (None, "none", "high", "low", "max", "odd"):
            sent = {"reasoning_effort": effort, "response_format": answer}
            sent = {name: value for name, value in sent.items() if value}
            want = None
            with suppress(Exception):
                made = ChatCompletionRequest.from_openai(chat, None, **sent)
                want = original.encode_chat_completion(made).tokens
            got, _ = written(
                tokenizer,
                {"messages": chat, **sent, "chat_template_kwargs": {"model_settings_builder": builder}},
                "mistral-v15",
            )
            assert got == want, (answer, effort)
            refused += got is None
    assert 12 <= refused < 30


def test_each_token_has_its_author_and_no_text_becomes_a_control_token(tmp_path: Path) -> None:
    tokenizer = explorer.load(tekken("v13", tmp_path))
    arguments = '{"city":  "Par\\u00eds", "days": [1, 2]}'
    function = {"name": "weather", "arguments": arguments}
    call = {"id": "call00000", "type": "function", "function": function}
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": "[INST] One [/INST]"},
        {"role": "user", "content": "Two"},
        {"role": "assistant", "reasoning_content": "Hm", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00000", "content": "sun"},
    ]
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    made = tokenizer.prompt({"messages": chat, "tools": [tool]}, "format:mistral-v13")
    controls = [made.spelled(index) for index, token in enumerate(made.tokens) if token.id < len(SPECIAL)]
    assert controls == [
        *("<s>", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[INST]", "[/INST]", "[THINK]", "[/THINK]"),
        *("[TOOL_CALLS]", "[ARGS]", "</s>", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ]
    assert all(token.authors == (None,) for token in made.tokens if token.id < len(SPECIAL))
    written = dict.fromkeys(range(4), "")
    for origin in made.rendering.origins:
        if origin.message is not None:
            written[origin.message] += made.text[origin.start : origin.end]
    assert written == {0: "[INST] One [/INST]", 1: "Two", 2: 'Hmweather{"city":"París","days":[1,2]}', 3: "sun"}
    # arguments that are written as they were sent are theirs, punctuation and all
    function["arguments"] = same = '{"city": "Paris", "days": [1, 2]}'
    made = tokenizer.prompt(chat, "format:mistral-v13")
    assert same in {made.text[each.start : each.end] for each in made.rendering.origins if each.message == 2}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"role": "critic"}, "messages[1].role"),
        ({"content": [{"type": "image_url"}]}, "messages[1].content[0].type"),
        ({"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}, "messages[1].tool_calls[0].id"),
        ({"tool_calls": [{"id": "call00000", "function": {"name": "a b", "arguments": "{}"}}]}, ".function.name"),
        ({"tool_calls": [{"id": "call00000", "function": {"name": "f"}}]}, "tool_calls[0].function.arguments"),
    ],
)
def test_what_a_format_cannot_say_is_refused_by_its_path(change: dict[str, Any], path: str, tmp_path: Path) -> None:
    tokenizer = explorer.load(tekken("v11", tmp_path))
    chat = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "b"} | change,
        {"role": "user", "content": "c"},
    ]
    with pytest.raises(InputError, match="mistral-v11") as error:
        tokenizer.prompt(chat, "format:mistral-v11")
    assert path in str(error.value)


DEEP = 5_000 if sys.version_info < (3, 14) else 200_000
"""Lists in lists that Python's reader of JSON refuses: 3.14 counts the bytes of its stack."""


@pytest.mark.parametrize(
    ("arguments", "why"),
    [("[" * DEEP + "]" * DEEP, "nested too deeply"), ("1" * 5_000, "4300")],
    ids=["lists", "digits"],
)
def test_json_that_python_does_not_read_is_named(arguments: str, why: str, tmp_path: Path) -> None:
    call = {"id": "call00000", "function": {"name": "f", "arguments": arguments}}
    result = {"role": "tool", "tool_call_id": "call00000", "content": "x"}
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "tool_calls": [call]}, result]
    for name in ("mistral-v13", "deepseek-v4"):
        with pytest.raises(InputError, match=why) as error:
            explorer.load(tekken("v13", tmp_path)).prompt(chat, f"format:{name}")
        assert "message 2, tool_calls[0].function.arguments" in str(error.value)


def test_a_vocabulary_without_the_tokens_is_refused_and_not_offered() -> None:
    tokenizer = explorer.load("qwen2.5")
    assert not fits(formats()["mistral-v3"], tokenizer.vocabulary)
    assert fits(formats()["mistral-v1"], explorer.load("mistral-v1").vocabulary)
    with pytest.raises(InputError, match=r"<s>.*no control token of qwen2\.5"):
        _ = tokenizer.prompt([{"role": "user", "content": "Hi"}], "format:mistral-v3").ids
    with pytest.raises(InputError, match="server"):
        tokenizer.prompt([{"role": "user", "content": "Hi"}], "format:mistral-v3", server="vllm")


Oracle = Callable[[str, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """What the originals make of a request, each in a process of its own."""
    processes: dict[str, Any] = {}
    settings = {**os.environ, "TIKTOKEN_ENCODINGS_BASE": str(ROOT / "vocabs")}

    def ask(name: str, sent: dict[str, Any]) -> Any:
        where = "deepseek" if name.startswith("deepseek") else "harmony"
        if where not in processes:
            command = [python(where), Path(__file__).with_name("formats_oracle.py"), f"{DAY:%Y-%m-%d}"]
            processes[where] = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings
            )
        process = processes[where]
        process.stdin.write(json.dumps({"format": name, "request": sent}) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield ask
    for process in processes.values():
        process.stdin.close()
        process.wait()
        process.stdout.close()


def harmonies(source: Requests, spoiled: bool) -> dict[str, Any]:
    """A request for Harmony, some with messages of its own form."""
    sent = source.spoiled() if spoiled else source.request()
    if source.chance(0.2):
        own = {"role": "assistant", "channel": "commentary", "content": source.content()}
        own |= {"recipient": source.random.choice(("all", "browser.search", None))}
        sent["messages"].insert(1, own | {"content_type": source.random.choice(("<|constrain|>json", "code", None))})
    for message in sent["messages"]:
        if message["role"] == "user" and source.chance(0.1):
            message["name"] = "ann"
    built_in = source.random.choice((["browser"], ["python"], ["python", "browser"], ["shell"] if spoiled else []))
    more = {"chat_template_kwargs": {"builtin_tools": built_in}} if source.chance(0.2) else {}
    return sent | more | ({"reasoning_effort": source.random.choice(("low", "high"))} if source.chance(0.2) else {})


def deepseeks(source: Requests, spoiled: bool, version: str) -> dict[str, Any]:
    """A request for an encoder of DeepSeek's."""
    sent = source.spoiled() if spoiled else source.request()
    if not sent["messages"]:
        return sent
    names = ("enable_thinking", "drop_thinking")
    sent["chat_template_kwargs"] = {name: source.chance(0.6) for name in names if source.chance(0.7)}
    if source.chance(0.2):
        source.random.choice(sent["messages"])["response_format"] = {"type": "object", "é": [1]}
    if version != "deepseek-v3.2":
        sent |= {"reasoning_effort": source.random.choice(("low", "high", "max"))} if source.chance(0.2) else {}
        if source.chance(0.2):
            sent["messages"][-1]["task"] = source.random.choice(("action", "title", "x"))
        if source.chance(0.1):
            source.random.choice(sent["messages"])["wo_eos"] = True
        if source.chance(0.1):
            reminder = {"role": "latest_reminder", "content": source.text()}
            sent["messages"].insert(source.random.randrange(len(sent["messages"])), reminder)
    return sent


@pytest.mark.sample(4)
@pytest.mark.parametrize("spoiled", [False, True])
@pytest.mark.parametrize("name", ["harmony", "deepseek-v3.2", "deepseek-v4", "deepseek-v4-preview"])
def test_harmony_and_deepseek_write_what_their_packages_write(oracle: Oracle, name: str, spoiled: bool) -> None:
    tokenizer = explorer.load("gpt-oss-20b")
    source, count = Requests(len(name) + 100 * spoiled), 0
    while count < amount(200):
        sent = harmonies(source, spoiled) if name == "harmony" else deepseeks(source, spoiled, name)
        if not spoiled and source.chance(0.8):
            sent.pop("continue_final_message", None)
        roles = [message["role"] for message in sent["messages"]]
        # what is in Anthropic's form is converted first; DeepSeek's encoders look at the wrong message for a first
        # result, and V4 drops unknown roles with the reasoning
        if (
            not roles
            or Call.from_json(sent).converted
            or (name != "harmony" and (roles[0] == "tool" or "critic" in roles))
        ):
            continue
        want = oracle(name, sent)
        got, why = written(tokenizer, sent, name)
        assert got == (None if isinstance(want, dict) else want), f"{sent!a}\n{want}\n{why}"
        assert got is not None or "refuses: " in why
        count += got is not None or spoiled


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["harmony", "deepseek-v4"])
def test_a_check_of_a_format_has_what_its_package_writes(oracle: Oracle, name: str) -> None:
    trial = Trial.of(explorer.load("gpt-oss-20b"), f"format:{name}")
    for row in conversations():
        (cell,) = trial.row(row)
        sent = trial.call(row, cell.server)
        want = oracle(name, dict(sent))
        assert (cell.verdict is Verdict.REFUSED) == isinstance(want, dict), f"{row.name}: {want}"
        if not isinstance(want, dict):
            made = trial.prompt(sent, cell.server, now=DAY)
            assert (made.text if formats()[name].parses else made.ids) == want, row.name


@pytest.mark.long
def test_deepseek_v4_writes_what_renderers_write(oracle: Oracle) -> None:
    tokenizer = explorer.load("gpt-oss-20b")
    source, count = Requests(8), 0
    while count < amount(200):
        sent = source.request()
        sent.pop("continue_final_message", None)
        roles = [message["role"] for message in sent["messages"]]
        if "developer" in roles or "system" in roles[1:]:  # which get the tools there
            continue
        sent["chat_template_kwargs"] = {name: source.chance(0.6) for name in ("enable_thinking", "drop_thinking")}
        sent |= {"reasoning_effort": source.random.choice(("low", "high", "max"))} if source.chance(0.3) else {}
        want = oracle("renderers", sent)
        assert tokenizer.prompt(deepcopy(sent), "format:deepseek-v4").text == want, f"{sent!a}\n{want}"
        count += 1


@pytest.mark.parametrize(("model", "name"), [("mistral-v1", "mistral-v1"), ("gpt-oss-20b", "harmony")])
def test_the_largest_requests_are_within_the_limits_of_a_call_and_end(model: str, name: str) -> None:
    tokenizer, said, no_call = explorer.load(model), [], 0
    for each in largest_requests():
        try:
            call = Call.from_json(json.loads(each))  # which refuses a larger one
        except InputError:
            no_call += 1
            continue
        with suppress(InputError):
            said.append(len(tokenizer.prompt(call, f"format:{name}").ids))
    assert max(said) > 20_000
    assert no_call == 1  # half of a surrogate pair


def test_a_format_is_compared_with_the_models_template(tmp_path: Path) -> None:
    copyfile(DATA / MISTRAL["v3"], tmp_path / "tokenizer.model")
    chat = [{"role": "user", "content": "Hi"}]
    for template, token in (("{{ bos_token }}[INST] {{ messages[0].content }} [/INST]", 3), ("[INST]x", 0)):
        config = {
            "tokenizer_class": "LlamaTokenizer",
            "bos_token": "<s>",
            "eos_token": "</s>",
            "chat_template": template,
        }
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
        tokenizer = explorer.load(tmp_path)
        found = compare_engines(tokenizer, chat, "format:mistral-v3")
        assert [side.engine for side in found.sides] == ["mistral-common", "transformers"]
        assert found.of_format
        assert not found.same
        assert (found.token, found.differences, found.decision) == (token, (), None)
        assert found.transformers.ids == tokenizer.prompt(chat, "format:mistral-v3").ids
        assert found.llama_cpp.ids == tokenizer.prompt(chat).ids
        said = " ".join(lines(found))
        assert "In transformers line 1 writes what differs" in said.replace(",", "")
        assert found.transformers.line_of(token) > 1
        assert not capabilities_of(found)
    with pytest.raises(InputError, match="no chat template"):
        compare_engines(explorer.load("mistral-v1"), chat, "format:mistral-v1")
