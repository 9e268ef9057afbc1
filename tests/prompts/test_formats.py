"""Formats that are no template, beside the packages whose code they follow, live."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
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
from explorer.prompts.formats import fits
from explorer.prompts.templates import formats
from tests.prompts.formats import Requests
from tests.tiers import amount

DATA: Final = Path(mistral_common.__file__).with_name("data")
SPECIAL: Final = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]"),
    *("[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]"),
    *("[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]", "[ARGS]", "[CALL_ID]", "[THINK]"),
    *("[/THINK]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]"),
)
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
        more = {key: sent[key] for key in ("reasoning_effort",) if key in sent}
        try:
            made = ChatCompletionRequest.from_openai(
                sent["messages"], sent.get("tools"), continue_final_message=goes_on, **more
            )
            mode = ValidationMode.test if asks else ValidationMode.finetuning
            return tokenizer(mode).encode_chat_completion(made).tokens, ""
        except Exception as error:  # of pydantic, of the validator, an assertion, a KeyError
            return None, repr(error)

    return version, explorer.load(ours), written


def ours(tokenizer: explorer.Tokenizer, sent: dict[str, Any], name: str) -> Written:
    """What is written here."""
    try:
        return tokenizer.prompt(deepcopy(sent), f"format:{name}").ids, ""
    except InputError as error:
        return None, str(error)


@pytest.mark.sample(4)
@pytest.mark.parametrize("spoiled", [False, True])
def test_mistral_ids_are_those_of_mistral_common(mistral: Any, spoiled: bool) -> None:
    version, tokenizer, written = mistral
    number, count = int(version[1:]), 0
    source = Requests(number + 100 * spoiled)
    while count < amount(200):
        source.thinks, source.tools, source.parallel = (
            does or source.chance(0.05) for does in (number >= 13, number > 1, number > 2)
        )
        sent = source.spoiled() if spoiled else source.request()
        want, why = written(sent)
        got, error = ours(tokenizer, sent, f"mistral-{version}")
        assert got == want, f"{sent!a}\n{why}\n{error}"
        if want is None and sent["messages"]:
            assert re.search(r"refuses: (messages(\[\d+\]|:)|reasoning_effort)", error), error
        count += want is not None or spoiled


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
    assert written == {0: "[INST] One [/INST]", 1: "Two", 2: "HmweathercityParísdays", 3: "sun"}
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


def test_a_vocabulary_without_the_tokens_is_refused_and_not_offered() -> None:
    tokenizer = explorer.load("qwen2.5")
    assert not fits(formats()["mistral-v3"], tokenizer.vocabulary)
    assert fits(formats()["mistral-v1"], explorer.load("mistral-v1").vocabulary)
    with pytest.raises(InputError, match=r"'<s>', which is no control token"):
        _ = tokenizer.prompt([{"role": "user", "content": "Hi"}], "format:mistral-v3").ids
    with pytest.raises(InputError, match="server"):
        tokenizer.prompt([{"role": "user", "content": "Hi"}], "format:mistral-v3", server="vllm")
