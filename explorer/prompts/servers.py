"""What servers do to a chat request before a template runs, a row a step, each with its function and file.

Follows the sources of transformers, vLLM, SGLang and llama.cpp in the versions that `SERVERS` names. Left out: parts
that are no text; the line with Claude Code's billing, which vLLM cuts off; models for which a server has an encoder of
its own; flags of a server; how it makes variables of reasoning_effort; and, but for what a step can't do, what its
request types refuse. llama.cpp's engine does its steps itself; here they are accounted for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from jinja2 import nodes

from explorer.engine import budget
from explorer.errors import InputError
from explorer.prompts.llama_cpp import rendering as llama_cpp
from explorer.prompts.llama_cpp.conversation import (
    capabilities,
    parsed_messages,
    rebuilt_tools,
    trimmed,
    with_content,
    worked_around,
)
from explorer.prompts.llama_cpp.program import parsed
from explorer.prompts.llama_cpp.rules import decoded
from explorer.prompts.messages import Path, with_reasoning
from explorer.prompts.program import TemplateFailed, program
from explorer.prompts.requests import Draft, Message, Refused, Server, Step, read_object, reordered

Values = dict[str, Any]
WORK: Final = "looking for a content of parts in a template"


def _on(key: str, change: Callable[[Values, Path], Values]) -> Callable[[Draft], None]:
    """A step that changes each message, or each of the tools."""

    def run(draft: Draft) -> None:
        if key == "messages":
            draft.each(change)
        elif draft.top.get(key):
            draft.top[key] = [change(each, (key, index)) for index, each in enumerate(draft.top[key])]

    return run


def texts_of(message: Values, path: Path, kinds: Mapping[str, str], *, plain: bool = False) -> list[str]:
    """The texts in a content of parts. kinds: of parts, with the key of their text. plain: a part may be a text."""
    found = []
    for index, part in enumerate(message["content"]):
        place = (*path, "content", index)
        if plain and isinstance(part, str):
            found.append(part)
            continue
        if not isinstance(part, dict) or str(part.get("type")) not in kinds:
            raise Refused(place, "is not a part of text; this account covers text alone")
        if not isinstance(text := part.get(kinds[part["type"]]), str):
            raise Refused((*place, kinds[part["type"]]), "is no text")
        found.append(text)
    return found


def _parts(texts: list[str]) -> list[Values]:
    return [{"type": "text", "text": text} for text in texts]


# transformers


def without_null(message: Values, path: Path) -> Values:
    return {name: value for name, value in message.items() if value is not None}


def aliased(message: Values, path: Path) -> Values:
    return dict(*with_reasoning([message]))


BASE: Final = "src/transformers/tokenization_utils_base.py"
TEMPLATES: Final = "src/transformers/utils/chat_template_utils.py"
HUGGING_FACE: Final = (
    Step("apply_chat_template", BASE, _on("messages", without_null)),
    Step("_alias_reasoning_fields", TEMPLATES, _on("messages", aliased)),
)
"""What `apply_chat_template` does, which vLLM and SGLang call."""


# vLLM


def one_reasoning(message: Values, path: Path) -> Values:
    reasoning = message.pop("reasoning_content", None)
    if reasoning is not None and message.get("reasoning") is None:
        message["reasoning"] = reasoning
    return message


TEXTS: Final = {"text": "text", "refusal": "refusal"}
NULLABLE: Final = ("assistant", "function")
KNOWN: Final = ("role", "content", "name", "tool_call_id", "tool_calls", "reasoning", "tools", "task")


def vllm_fields(message: Values, path: Path) -> Values:
    """Known fields; of the types that a message may have, only that of OpenAI's assistant allows null content."""
    content = message.get("content", "")
    if content is None and (message["role"] not in NULLABLE or message.get("tool_calls", []) is None):
        raise Refused((*path, "content"), "is null, which only an assistant's may be")
    unread = ("reasoning", "tools", "task", "tool_call_id") if content is None else ()
    made = {name: value for name, value in message.items() if name in KNOWN and name not in unread}
    if made.get("tool_calls"):
        made["tool_calls"] = [
            {"id": call.get("id"), "function": reordered(call["function"], ("arguments", "name")), "type": "function"}
            for call in made["tool_calls"]
        ]
    return made


def vllm_contents(draft: Draft) -> None:
    """Builds each message anew."""
    typed = loops_over_content(draft.template)

    def rebuilt(message: Values, path: Path) -> Values:
        role, content = message["role"], message.get("content")
        content = [] if content is None else [content] if isinstance(content, str) else content
        texts = texts_of({"content": content}, path, TEXTS, plain=True)
        kept = texts if typed else [text for text in texts if text]
        made: Values = {"role": role, "content": _parts(texts) if typed and role != "tool" else "\n".join(kept)}
        if role == "assistant":
            made |= {"tool_calls": message["tool_calls"]} if message.get("tool_calls") is not None else {}
            reasoning = message.get("reasoning")
            made |= {"reasoning": reasoning, "reasoning_content": reasoning} if reasoning is not None else {}
        elif role == "tool" and "tool_call_id" in message:
            made["tool_call_id"] = message["tool_call_id"]
        made |= {name: message[name] for name in ("name", "task") if isinstance(message.get(name), str)}
        return made | ({"tools": message.get("tools")} if role == "developer" else {})

    draft.each(rebuilt)


def vllm_calls(message: Values, path: Path) -> Values:
    """Arguments become objects; what is none becomes an empty one."""
    if message["role"] == "assistant" and not message.get("tool_calls", True):
        del message["tool_calls"]
    for call in message.get("tool_calls") or []:
        sent = call["function"].get("arguments")
        found = read_object(sent) if isinstance(sent, str) else sent
        call["function"]["arguments"] = found if isinstance(found, dict) else {}
    return message


def vllm_developer(draft: Draft) -> None:
    """Developers become the system, and all its messages one, for a template that doesn't know developers."""
    is_known = any(quoted in draft.template for quoted in ("'developer'", '"developer"'))
    if is_known or all(each.value["role"] != "developer" for each in draft.messages):
        return
    for message in draft.messages:
        if message.value["role"] == "developer":
            message.value["role"] = "system"
            del message.value["tools"]
    system = [each for each in draft.messages if each.value["role"] == "system"]
    if system == draft.messages[:1]:
        return
    texts = [
        "\n".join(part["text"] for part in content) if isinstance(content := each.value["content"], list) else content
        for each in system
    ]
    sources = tuple(sorted({source for each in system for source in each.sources}))
    joined = Message({"role": "system", "content": "\n\n".join(filter(None, texts))}, sources)
    draft.messages = [joined, *(each for each in draft.messages if each.value["role"] != "system")]


FUNCTION: Final = ("name", "description", "parameters", "strict", "defer_loading")


def vllm_tool(tool: Values, path: Path) -> Values:
    """Known fields in a fixed order; an absent description is null."""
    function = tool.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise Refused((*path, "function"), "is no function with a name")
    made = reordered(function, FUNCTION, description=None, parameters=None)
    optional = ("strict", "defer_loading")
    made = {name: value for name, value in made.items() if name not in optional or value is not None}
    return {"type": "function", "function": made}


# how a content of parts is found in a template: by vLLM, and by SGLang, which follows it


def _behind(node: Any) -> Any:
    """What filters, tests and slices are applied to."""
    while isinstance(node, nodes.Filter | nodes.Test) or (
        isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice)
    ):
        node = node.node
    return node


def _name(node: Any) -> str:
    """A name, or a name's attributes: "messages", "ns.rest"; "" for what is none."""
    if isinstance(node, nodes.NSRef):
        return f"{node.name}.{node.attr}"
    if isinstance(node, nodes.Getattr):
        return f"{owner}.{node.attr}" if (owner := _name(node.node)) else ""
    return node.name if isinstance(node, nodes.Name) else ""


def _owner(node: Any) -> str:
    """Whose content this is, "" if it is none."""
    node = _behind(node)
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const) and node.arg.value == "content":
        return _name(node.node)
    return _name(node.node) if isinstance(node, nodes.Getattr) and node.attr == "content" else ""


@lru_cache(maxsize=32)
def loops_over_content(template: str) -> bool:
    """Whether a template takes a content of parts, as vLLM finds it."""
    try:
        tree = program(template).tree
    except InputError:
        return False
    lists = {"messages"}
    while True:
        budget.ask(WORK)
        found = set(lists)
        for each in tree.find_all(nodes.Assign):
            if isinstance(each.node, nodes.Call) and _name(each.node.node) == "namespace":
                given = (pair.key for pair in each.node.kwargs if _name(_behind(pair.value)) in lists)
                found |= {f"{_name(each.target)}.{key}" for key in given}
            elif _name(_behind(each.node)) in lists:
                found.add(_name(each.target))
        if found == lists:
            break
        lists = found
    loops = list(tree.find_all(nodes.For))
    owners = {_name(each.target) for each in loops if _name(_behind(each.iter)) in lists}
    in_macros: dict[int, set[str]] = {}
    calls = [each for each in tree.find_all(nodes.Call) if isinstance(each.node, nodes.Name)]
    for macro in tree.find_all(nodes.Macro):
        budget.ask(WORK)
        names = [each.name for each in macro.args]
        pairs = [
            pair
            for call in calls
            if _name(call.node) == macro.name
            for pair in (*zip(names, call.args, strict=False), *((pair.key, pair.value) for pair in call.kwargs))
        ]
        contents = {name for name, value in pairs if name in names and _owner(value) in owners}
        for loop in macro.find_all(nodes.For):
            in_macros[id(loop)] = contents or in_macros.get(id(loop), set())
    return any(
        _owner(loop.iter) in owners
        or (isinstance(loop.iter, nodes.Name) and loop.iter.name in in_macros.get(id(loop), {"content"}))
        for loop in loops
    )


def sglang_takes_parts(template: str) -> bool:
    """Whether a template takes a content of parts, as SGLang finds it."""
    if any(word in template for word in ("image", "audio", "video", "vision")):
        return True
    try:
        loops = program(template).tree.find_all(nodes.For)
    except InputError:
        return False
    return any(_owner(each.iter) in ("message", "msg", "m") for each in loops)


# SGLang

GENERIC: Final = (
    *("role", "content", "tool_call_id", "name", "phase", "reasoning_content", "tool_calls", "tools", "prefix"),
)


def sglang_fields(message: Values, path: Path) -> Values:
    """Known fields in a fixed order."""
    role = message["role"].lower()
    made = {**message, "role": role}
    if isinstance(message.get("content"), list):
        made["content"] = _parts(texts_of(message, path, {"text": "text"}))
    elif message.get("content") is None and role == "user":
        raise Refused((*path, "content"), "is null")
    if made.get("tool_calls") and role != "user":
        names = ("id", "index", "type", "function")
        made["tool_calls"] = [
            reordered(call | {"type": "function", "function": function}, names, id=None, index=None)
            for call in message["tool_calls"]
            for function in [reordered(call["function"], ("name", "arguments"), name=None, arguments=None)]
        ]
    return reordered(made, GENERIC[:2] if role == "user" else GENERIC, content=None)


def sglang_calls(message: Values, path: Path) -> Values:
    """Arguments become objects. Raises Refused for those that are none."""
    for index, call in enumerate(message.get("tool_calls") or [] if message["role"] == "assistant" else []):
        if isinstance(arguments := call["function"].get("arguments"), str):
            if not isinstance(found := read_object(arguments), dict):
                raise Refused((*path, "tool_calls", index, "function", "arguments"), "is no JSON object")
            call["function"]["arguments"] = found
    return message


def content_or_empty(message: Values, path: Path) -> Values:
    return message | ({"content": ""} if message.get("content") is None else {})


def sglang_contents(draft: Draft) -> None:
    typed = sglang_takes_parts(draft.template)

    def flat(message: Values, path: Path) -> Values:
        content = message["content"]
        if isinstance(content, list) and not typed:
            content = " ".join(part["text"] for part in content)
        if isinstance(content, list):
            del message["content"]  # a list of parts is put at the end
        return {name: value for name, value in message.items() if value is not None} | {"content": content}

    draft.each(flat)


def sglang_tool_result(message: Values, path: Path) -> Values:
    if message["role"] == "tool" and isinstance(message["content"], list):
        message["content"] = " ".join(part["text"] for part in message["content"])
    return message


def sglang_last(draft: Draft) -> None:
    """An answer at the end becomes a user's message."""
    last = draft.messages[-1:]
    if last and last[0].value["role"] == "assistant" and isinstance(last[0].value["content"], str):
        if draft.top.get("continue_final_message"):
            raise Refused(("continue_final_message",), "makes SGLang encode the answer by itself; not followed here")
        value = {"role": "user", "content": last[0].value["content"]}
        draft.messages[-1] = last[0]._replace(value=value)


def sglang_tool(tool: Values, path: Path) -> Values:
    """Known fields in the client's order, absent ones after them."""
    function = tool.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("name"), str):
        raise Refused((*path, "function"), "is no function with a name")
    later = tool.get("defer_loading")
    sent = (
        function if later is None or function.get("defer_loading") is not None else function | {"defer_loading": later}
    )
    kept = {
        name: value
        for name, value in sent.items()
        if name in FUNCTION and (name not in ("strict", "defer_loading") or value is not None)
    }
    absent = {name: None for name in ("description", "name", "parameters") if name not in kept}
    return {"type": tool.get("type", "function"), "function": kept | absent, "defer_loading": later}


def chosen_tools(draft: Draft) -> None:
    """No tools where none may be called."""
    if draft.top.get("tool_choice") == "none":
        draft.top.pop("tools", None)


# llama.cpp


def prefilled(draft: Draft) -> None:
    """An answer at the end is continued."""
    if draft.messages and draft.messages[-1].value.get("role") == "assistant":
        if draft.top.get("continue_final_message") and draft.top.get("add_generation_prompt", True):
            raise Refused(("continue_final_message",), "and add_generation_prompt are both true")
        if len(draft.messages) > 1 and draft.messages[-2].value.get("role") == "assistant":
            raise Refused(("messages", len(draft.messages) - 1), "is the second answer at the end")
        draft.top |= {"continue_final_message": True, "add_generation_prompt": False}


def _llama(change: Callable[[list[Any], str], list[Any]]) -> Callable[[Draft], None]:
    """A step of llama.cpp's engine, on texts in bytes."""

    def run(draft: Draft) -> None:
        template = llama_cpp.source_of(draft.template)
        try:
            copied = llama_cpp.ByteTraced(parsed(template)).copy([each.value for each in draft.messages], ("messages",))
            draft.replace(decoded(change(copied, template)))
        except TemplateFailed as error:
            raise Refused(("messages",), f"is not read: {str(error).rstrip('.')}") from None

    return run


def llama_tools(draft: Draft) -> None:
    try:
        if tools := draft.top.get("tools"):
            draft.top["tools"] = decoded(rebuilt_tools(llama_cpp.ByteTraced(parsed("")).copy(tools, ("tools",))))
    except TemplateFailed as error:
        raise Refused(("tools",), f"is not read: {str(error).rstrip('.')}") from None


CHAT: Final = "common/chat.cpp"


HF: Final = "transformers"
VLLM_CHAT: Final = "vllm/renderers/chat_utils/chat_message.py"
VLLM_REQUEST: Final = "vllm/entrypoints/openai/chat_completion/protocol.py"
SGLANG_CHAT: Final = "python/sglang/srt/entrypoints/openai/serving_chat.py"
SGLANG_REQUEST: Final = "python/sglang/srt/entrypoints/openai/protocol.py"
SGLANG_PARTS: Final = "python/sglang/srt/parser/jinja_template_utils.py"

SERVERS: Final = {
    each.name: each
    for each in (
        Server("transformers", "5.23.0", "huggingface/transformers", HF, HUGGING_FACE),
        Server(
            *("vllm", "0.33.0", "vllm-project/vllm", HF),
            (
                Step("_normalize_messages_before", VLLM_REQUEST, _on("messages", one_reasoning)),
                Step("ChatCompletionMessageParam", "vllm/renderers/chat_utils/types.py", _on("messages", vllm_fields)),
                Step("ChatCompletionToolsParam", VLLM_REQUEST, _on("tools", vllm_tool)),
                Step("parse_chat_message_content", VLLM_CHAT, vllm_contents),
                Step("_postprocess_messages", VLLM_CHAT, _on("messages", vllm_calls)),
                Step("_convert_developer_to_system", "vllm/renderers/hf.py", vllm_developer),
                *HUGGING_FACE,
            ),
        ),
        Server(
            *("sglang", "0.5.23", "sgl-project/sglang", HF),
            (
                Step("ChatCompletionMessageGenericParam", SGLANG_REQUEST, _on("messages", sglang_fields)),
                Step("Tool", SGLANG_REQUEST, _on("tools", sglang_tool)),
                Step("_process_messages", SGLANG_CHAT, chosen_tools),
                Step("normalize_assistant_tool_call_arguments", SGLANG_CHAT, _on("messages", sglang_calls)),
                Step("_apply_jinja_template", SGLANG_CHAT, _on("messages", content_or_empty)),
                Step("process_content_for_template_format", SGLANG_PARTS, sglang_contents),
                Step("normalize_tool_content", SGLANG_CHAT, _on("messages", sglang_tool_result)),
                Step("_handle_last_assistant_message", SGLANG_CHAT, sglang_last),
                *HUGGING_FACE,
            ),
        ),
        Server(
            *("llama.cpp", "b11549", "ggml-org/llama.cpp", "llama.cpp"),
            (Step("oaicompat_chat_params_parse", "tools/server/server-common.cpp", prefilled),),
            (
                Step("common_chat_msgs_parse_oaicompat", CHAT, _llama(lambda each, _: parsed_messages(each))),
                Step("common_chat_tools_parse_oaicompat", CHAT, llama_tools),
                Step(
                    "render_message_to_json",
                    CHAT,
                    _llama(lambda each, source: with_content(trimmed(each, source), capabilities(source))),
                ),
                Step(
                    "workaround",
                    CHAT,
                    _llama(lambda each, source: worked_around(each, capabilities(source), source)),
                ),
            ),
        ),
    )
}


def server_named(name: str) -> Server:
    """A server by its name. Raises InputError."""
    if name not in SERVERS:
        raise InputError(f"No server is called {name!r}; use {', '.join(SERVERS)}.")
    return SERVERS[name]
