"""What the packages whose formats are followed make of requests. It runs in an environment that has them.

`python formats_oracle.py DATE` reads an object a line, `{"format": …, "request": …}`, and writes its ids, its text, or
`{"error": …}`. What becomes of a request before Harmony and DeepSeek's encoders see it is written here once more, as
servers do it: the messages of Harmony as vLLM makes them, an empty system message for tools, content of parts as text.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any


def text_of(content: Any, between: str = "") -> str:
    """A content as one text."""
    if content is None or isinstance(content, str):
        return content or ""
    if any(part["type"] != "text" for part in content):
        raise ValueError(content)
    return between.join(part["text"] for part in content)


@cache
def encoding() -> Any:
    """That of Harmony; its ranks are in the folder that TIKTOKEN_ENCODINGS_BASE names."""
    from openai_harmony import HarmonyEncodingName, load_harmony_encoding

    return load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)


def harmony(request: dict[str, Any], date: str) -> list[int]:
    """The ids that openai-harmony makes."""
    from openai_harmony import (
        Author,
        Conversation,
        DeveloperContent,
        Message,
        ReasoningEffort,
        Role,
        SystemContent,
        TextContent,
        ToolDescription,
    )

    messages, tools, names = request["messages"], request.get("tools"), dict[Any, str]()
    effort = ReasoningEffort((request.get("reasoning_effort") or "medium").capitalize())
    system = SystemContent.new().with_conversation_start_date(date).with_reasoning_effort(effort)
    built_in = (request.get("chat_template_kwargs") or {}).get("builtin_tools") or []
    if {*built_in} - {"browser", "python"}:
        raise ValueError(built_in)
    system = system.with_browser_tool() if "browser" in built_in else system
    system = system.with_python_tool() if "python" in built_in else system
    made = [Message.from_role_and_content(Role.SYSTEM, system)]
    first = text_of(messages[0].get("content")) if messages[0]["role"] in ("system", "developer") else ""
    developer = DeveloperContent.new()
    if first:
        developer = developer.with_instructions(first)
    if tools:
        functions = [tool["function"] for tool in tools]
        developer = developer.with_function_tools(
            [
                ToolDescription.new(each["name"], each.get("description") or "", each.get("parameters"))
                for each in functions
            ]
        )
    if first or tools:
        made.append(Message.from_role_and_content(Role.DEVELOPER, developer))
    for index, message in enumerate(messages):
        content, role = message.get("content"), message["role"]
        parts = [TextContent(text=each["text"]) for each in content] if isinstance(content, list) else []
        parts = parts or [TextContent(text="")]
        if text_of(content) and not isinstance(content, list):
            parts = [TextContent(text=content)]
        if role in ("system", "developer"):
            if index:
                more = DeveloperContent.new().with_instructions(text_of(content))
                made.append(Message.from_role_and_content(Role.DEVELOPER, more))
        elif message.get("channel") or role == "user":
            author = Author(role=Role(role), name=message.get("name"))
            names_of = ("channel", "recipient", "content_type")
            made.append(Message(author=author, content=parts, **{name: message.get(name) for name in names_of}))
        elif role == "tool":
            author = Author.new(Role.TOOL, f"functions.{names.get(message.get('tool_call_id')) or message['name']}")
            result = Message.from_author_and_content(author, text_of(content))
            made.append(result.with_channel("commentary").with_recipient("assistant"))
        elif role == "assistant":
            calls = message.get("tool_calls") or []
            reasoning = message.get("reasoning_content") or message.get("reasoning")
            thought = (
                [Message.from_role_and_content(Role.ASSISTANT, reasoning).with_channel("analysis")] if reasoning else []
            )
            said = (
                [Message(author=Author(role=Role.ASSISTANT), content=parts, channel="final")]
                if text_of(content)
                else []
            )
            if calls and said:
                said = [Message.from_role_and_content(Role.ASSISTANT, text_of(content)).with_channel("commentary")]
            made += said + thought if calls else thought + said
            for call in calls:
                function = call["function"]
                arguments = function.get("arguments")
                arguments = "" if arguments is None else arguments
                if not isinstance(arguments, str):
                    arguments = json.dumps(arguments, ensure_ascii=False)
                names[call.get("id")] = function["name"]
                asked = Message.from_role_and_content(Role.ASSISTANT, arguments).with_channel("commentary")
                made.append(asked.with_recipient(f"functions.{function['name']}").with_content_type("json"))
        else:
            raise ValueError(role)
    if request.get("continue_final_message"):
        raise ValueError("continue_final_message")
    conversation = Conversation.from_messages(made)
    if request.get("add_generation_prompt", True):
        return list(encoding().render_conversation_for_completion(conversation, Role.ASSISTANT))
    return list(encoding().render_conversation_for_training(conversation))


@cache
def encoder(name: str) -> Any:
    """A module of DeepSeek's, as SGLang ships it, without its package."""
    package = importlib.util.find_spec("llm_router_utils")
    assert package is not None
    assert package.origin is not None
    path = Path(package.origin).parent / "sglang/srt/entrypoints/openai" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def deepseek(request: dict[str, Any], version: str, profile: str) -> str:
    """The text that one of DeepSeek's encoders writes."""
    if request.get("continue_final_message"):
        raise ValueError("continue_final_message")
    variables, messages = request.get("chat_template_kwargs") or {}, deepcopy(request["messages"])
    for message in messages:
        message["content"] = text_of(message.get("content"), " " if version == "32" else "\n\n")
        if reasoning := message.pop("reasoning", None):
            message.setdefault("reasoning_content", reasoning)
    if request.get("tools"):
        if messages[0]["role"] != "system":
            messages.insert(0, {"role": "system", "content": ""})
        messages[0]["tools"] = request["tools"]
    more = {"reasoning_effort": request.get("reasoning_effort"), "reasoning_effort_profile": profile} if profile else {}
    mode = "thinking" if variables.get("enable_thinking") else "chat"
    made = encoder(f"encoding_dsv{version}").encode_messages(
        messages, thinking_mode=mode, drop_thinking=variables.get("drop_thinking", True), **more
    )
    return str(made)


class Characters:
    """A tokenizer whose tokens are control tokens, and characters."""

    def __init__(self) -> None:
        self.tokens = re.findall(r"<｜.*?｜>|</?think>|｜DSML｜", "".join(map(str, SPELLED)))
        self.pattern = re.compile("|".join(map(re.escape, self.tokens)) + "|.", re.DOTALL)

    def encode(self, text: str, **settings: Any) -> list[int]:
        """The ids of a text."""
        return [
            0x110000 + self.tokens.index(each) if len(each) > 1 else ord(each) for each in self.pattern.findall(text)
        ]

    def decode(self, ids: list[int], **settings: Any) -> str:
        """The text of ids."""
        return "".join(self.tokens[id - 0x110000] if id >= 0x110000 else chr(id) for id in ids)


SPELLED = (
    *("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "<｜latest_reminder｜>"),
    *(
        "<think>",
        "</think>",
        "｜DSML｜",
        "<｜action｜>",
        "<｜query｜>",
        "<｜authority｜>",
        "<｜domain｜>",
        "<｜title｜>",
    ),
    "<｜read_url｜>",
)


def renderers(request: dict[str, Any]) -> str:
    """The text that the package renderers writes for DeepSeek V4."""
    from renderers.configs import DeepSeekV4RendererConfig
    from renderers.deepseek_v4 import DeepSeekV4Renderer

    names = ("enable_thinking", "drop_thinking")
    settings = {name: value for name, value in (request.get("chat_template_kwargs") or {}).items() if name in names}
    settings |= {"reasoning_effort": request["reasoning_effort"]} if request.get("reasoning_effort") else {}
    renderer = DeepSeekV4Renderer(Characters(), DeepSeekV4RendererConfig(**settings))
    ids = renderer.render(request["messages"], tools=request.get("tools"), add_generation_prompt=True).token_ids
    return Characters().decode(ids)


def answer(name: str, request: dict[str, Any], date: str) -> Any:
    """What a format's package makes of a request."""
    if name == "harmony":
        return harmony(request, date)
    if name == "renderers":
        return renderers(request)
    profile = {"deepseek-v4": "official", "deepseek-v4-preview": "preview"}.get(name, "")
    return deepseek(request, "4" if profile else "32", profile)


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            made = answer(asked["format"], asked["request"], sys.argv[1])
        except Exception as error:  # of each package its own
            made = {"error": repr(error)}
        print(json.dumps(made), flush=True)
