"""What servers do to a chat request before a template runs: the steps that servers.toml names, each a function here.

Follows the sources of transformers, vLLM, SGLang, llama.cpp and Ollama in the versions that it names. Left out:
parts that are no text; the line with Claude Code's billing, which vLLM cuts off; models for which a server has an
encoder or renderer of its own; flags of a server; how it makes variables of reasoning_effort. llama.cpp's engine does
its steps itself; here they are accounted for. Ollama's templates are in Go, and nobody renders them here.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

from jinja2 import nodes
from msgspec import UNSET, Struct, UnsetType

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
from explorer.prompts.messages import EXTRAS, Path, with_reasoning
from explorer.prompts.program import TemplateFailed, program
from explorer.prompts.requests import (
    ABSENT,
    Draft,
    Message,
    Refused,
    Server,
    Step,
    fit_message,
    fits,
    read_object,
    reordered,
    value_at,
)
from explorer.tables import Record, read_toml
from explorer.text.say import Text

TABLE = read_toml(__file__, "servers.toml")
FIELDS: Mapping[str, list[str]] = TABLE["fields"]
WORK = "looking for a content of parts in a template"


def _on(key: str, change: Callable[[Record, Path], Record]) -> Callable[[Draft], None]:
    """A step that changes each message, or each of the tools."""

    def run(draft: Draft) -> None:
        if key == "messages":
            draft.each(change)
        elif draft.top.get(key):
            draft.top[key] = [change(each, (key, index)) for index, each in enumerate(draft.top[key])]

    return run


def texts_of(message: Record, path: Path, kinds: Mapping[str, str], *, plain: bool = False) -> list[str]:
    """The texts in a content of parts. kinds: of parts, with the key of their text. plain: a part may be a text."""
    found = []
    for index, part in enumerate(message["content"]):
        place = (*path, "content", index)
        if plain and isinstance(part, str):
            found.append(part)
            continue
        if not isinstance(part, dict) or str(part.get("type")) not in kinds:
            raise Refused(place, "is not a part of text; this account covers text alone.")
        if not isinstance(text := part.get(kinds[part["type"]]), str):
            raise Refused((*place, kinds[part["type"]]), "is no text.")
        found.append(text)
    return found


def _parts(texts: list[str]) -> list[Record]:
    return [{"type": "text", "text": text} for text in texts]


# transformers


def without_null(message: Record, path: Path) -> Record:
    return {name: value for name, value in message.items() if value is not None}


def aliased(message: Record, path: Path) -> Record:
    return dict(*with_reasoning([message]))


def given(draft: Draft) -> None:
    """What the template isn't given: the engine's sampling and the parser of its answer may read it."""
    for name in EXTRAS:
        draft.top.pop(name, None)


# vLLM


def one_reasoning(message: Record, path: Path) -> Record:
    reasoning = message.pop("reasoning_content", None)
    if reasoning is not None and message.get("reasoning") is None:
        message["reasoning"] = reasoning
    return message


TEXTS = {"text": "text", "refusal": "refusal"}


class VllmFunction(Struct):
    """As vLLM's request types take it; so the next ones."""

    name: str
    arguments: str


class VllmCall(Struct):
    """A call of a tool."""

    id: str
    type: Literal["function"]
    function: VllmFunction


class VllmMessage(Struct):
    """A message of another role than the assistant's."""

    role: str
    content: str | list[Any] | UnsetType = UNSET


class VllmAnswer(Struct):
    """A message of the assistant: of the types that a message may have, only that of OpenAI's allows null content."""

    content: str | list[Any] | UnsetType | None = UNSET
    tool_calls: list[Any] | UnsetType | None = UNSET


class VllmCaller(Struct):
    """An answer with null content: then it may have no null for its calls."""

    tool_calls: list[Any] | UnsetType = UNSET


def vllm_fields(message: Record, path: Path) -> Record:
    """Known fields. Raises Refused for what the request's types don't allow."""
    content = message.get("content", "")
    answers = message["role"] in ("assistant", "function")
    fit_message(message, path, VllmAnswer if answers else VllmMessage, VllmCall)
    if content is None:
        fits(message, VllmCaller, path)
    unread = ("reasoning", "tools", "task", "tool_call_id") if content is None else ()
    made = {name: value for name, value in message.items() if name in FIELDS["vllm"] and name not in unread}
    if made.get("tool_calls"):
        made["tool_calls"] = [
            {"id": call["id"], "function": reordered(call["function"], ("arguments", "name")), "type": "function"}
            for call in made["tool_calls"]
        ]
    return made


def vllm_contents(draft: Draft) -> None:
    """Builds each message anew."""
    typed = loops_over_content(draft.template)

    def rebuilt(message: Record, path: Path) -> Record:
        role, content = message["role"], message.get("content")
        content = [] if content is None else [content] if isinstance(content, str) else content
        texts = texts_of({"content": content}, path, TEXTS, plain=True)
        kept = texts if typed else [text for text in texts if text]
        made: Record = {"role": role, "content": _parts(texts) if typed and role != "tool" else "\n".join(kept)}
        if role == "assistant":
            made |= {"tool_calls": message["tool_calls"]} if message.get("tool_calls") is not None else {}
            reasoning = message.get("reasoning")
            made |= {"reasoning": reasoning, "reasoning_content": reasoning} if reasoning is not None else {}
        elif role == "tool" and "tool_call_id" in message:
            made["tool_call_id"] = message["tool_call_id"]
        made |= {name: message[name] for name in ("name", "task") if isinstance(message.get(name), str)}
        return made | ({"tools": message.get("tools")} if role == "developer" else {})

    draft.each(rebuilt)


def vllm_calls(message: Record, path: Path) -> Record:
    """Arguments become objects; what is none becomes an empty one."""
    if message["role"] == "assistant" and not message.get("tool_calls", True):
        del message["tool_calls"]
    for call in message.get("tool_calls") or []:
        found = read_object(call["function"]["arguments"])
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


def _function(tool: Record, path: Path) -> Record:
    """The function of a tool. Raises Refused if there is none with a name."""
    if not isinstance(value_at(tool, ("function", "name")), str):
        raise Refused((*path, "function"), "is no function with a name.")
    function: Record = tool["function"]
    return function


def vllm_tool(tool: Record, path: Path) -> Record:
    """Known fields in a fixed order; an absent description is null."""
    function = _function(tool, path)
    made = reordered(function, FIELDS["function"], description=None, parameters=None)
    optional = ("strict", "defer_loading")
    made = {name: value for name, value in made.items() if name not in optional or value is not None}
    return {"type": "function", "function": made}


def vllm_choice(draft: Draft) -> None:
    """Refuses a choice of tools that aren't there."""
    choice, tools = draft.top.get("tool_choice"), draft.top.get("tools")
    if tools == []:
        raise Refused(("tools",), "is empty; leave it out.")
    if choice in (None, "none"):
        return
    if tools is None:
        raise Refused(("tool_choice",), "is set without tools.")
    if isinstance(choice, dict):
        named(draft)
    elif choice not in ("auto", "required"):
        raise Refused(("tool_choice",), "is none of none, auto, required and a named tool.")


def named(draft: Draft) -> list[Any]:
    """The tools that tool_choice names. Raises Refused if there are none."""
    path = ("function", "name")
    name = value_at(draft.top["tool_choice"], path)
    tools = [each for each in draft.top.get("tools") or [] if value_at(each, path) == name]
    if name in (None, ABSENT) or not tools:
        raise Refused(("tool_choice", "function", "name"), "is the name of none of the tools.")
    return tools


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


@lru_cache(maxsize=32)
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


class SglangUser(Struct):
    """As SGLang's request types take it; so the next ones."""

    content: str | list[Any]


class SglangMessage(Struct):
    """A message of another role than the user's. The role's letters may be large."""

    role: Literal["system", "assistant", "tool", "function", "developer", "latest_reminder", "root"]
    content: str | list[Any] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    reasoning_content: str | None = None


class SglangFunction(Struct):
    """The function of a call."""

    name: str | None = None


class SglangCall(Struct):
    """A call of a tool."""

    function: SglangFunction
    id: str | None = None
    index: int | None = None
    type: Literal["function"] = "function"


def sglang_fields(message: Record, path: Path) -> Record:
    """Known fields in a fixed order. Raises Refused for what the request's types don't allow."""
    is_user = message["role"] == "user"
    made = {**message, "role": message["role"] if is_user else message["role"].lower()}
    if is_user:
        fits(made, SglangUser, path)
    else:
        fit_message(made, path, SglangMessage, SglangCall)
    if isinstance(message.get("content"), list):
        made["content"] = _parts(texts_of(message, path, {"text": "text"}))
    if not is_user and message.get("tools") is not None:
        made["tools"] = [sglang_tool(each, (*path, "tools", index)) for index, each in enumerate(message["tools"])]
    if not is_user and message.get("tool_calls") is not None:
        names = ("id", "index", "type", "function")
        made["tool_calls"] = [
            reordered(call | {"type": "function", "function": function}, names, id=None, index=None)
            for call in message["tool_calls"]
            for function in [reordered(call["function"], ("name", "arguments"), name=None, arguments=None)]
        ]
    return reordered(made, FIELDS["sglang"][:2] if is_user else FIELDS["sglang"], content=None)


def sglang_calls(message: Record, path: Path) -> Record:
    """Arguments become objects. Raises Refused for those that are none."""
    for index, call in enumerate(message.get("tool_calls") or [] if message["role"] == "assistant" else []):
        if isinstance(arguments := call["function"].get("arguments"), str):
            if not isinstance(found := read_object(arguments), dict):
                raise Refused((*path, "tool_calls", index, "function", "arguments"), "is no JSON object.")
            call["function"]["arguments"] = found
    return message


def content_or_empty(message: Record, path: Path) -> Record:
    return message | ({"content": ""} if message.get("content") is None else {})


def sglang_contents(draft: Draft) -> None:
    typed = sglang_takes_parts(draft.template)

    def flat(message: Record, path: Path) -> Record:
        content = message["content"]
        if isinstance(content, list) and not typed:
            content = " ".join(part["text"] for part in content)
        if isinstance(content, list):
            del message["content"]  # a list of parts is put at the end
        return {name: value for name, value in message.items() if value is not None} | {"content": content}

    draft.each(flat)


def sglang_tool_result(message: Record, path: Path) -> Record:
    if message["role"] == "tool" and isinstance(message["content"], list):
        message["content"] = " ".join(part["text"] for part in message["content"])
    return message


def sglang_last(draft: Draft) -> None:
    """An answer at the end becomes a user's message."""
    last = draft.messages[-1:]
    if last and last[0].value["role"] == "assistant" and isinstance(last[0].value["content"], str):
        if draft.top.get("continue_final_message"):
            raise Refused(("continue_final_message",), "makes SGLang encode the answer by itself; not followed here.")
        value = {"role": "user", "content": last[0].value["content"]}
        draft.messages[-1] = last[0]._replace(value=value)


def sglang_tool(tool: Record, path: Path) -> Record:
    """Known fields in the client's order, absent ones after them."""
    function = _function(tool, path)
    later = tool.get("defer_loading")
    sent = (
        function if later is None or function.get("defer_loading") is not None else function | {"defer_loading": later}
    )
    kept = {
        name: value
        for name, value in sent.items()
        if name in FIELDS["function"] and (name not in ("strict", "defer_loading") or value is not None)
    }
    absent = {name: None for name in ("description", "name", "parameters") if name not in kept}
    return {"type": tool.get("type", "function"), "function": kept | absent, "defer_loading": later}


def chosen_tools(draft: Draft) -> None:
    """The tools that tool_choice leaves."""
    choice = draft.top.get("tool_choice")
    if choice == "none":
        draft.top.pop("tools", None)
    elif isinstance(choice, dict):
        draft.top["tools"] = named(draft)
    elif choice == "required" and not draft.top.get("tools"):
        raise Refused(("tools",), "is empty, and a call is required.")


def bare_function(tool: Record, path: Path) -> Record:
    function: Record = tool.get("function", tool)
    return function


# llama.cpp


def llama_extras(draft: Draft) -> None:
    """Refuses unknown values of what the template isn't given."""
    choice, form = draft.top.get("tool_choice"), draft.top.get("response_format")
    if isinstance(choice, str) and choice not in FIELDS["choices"]:
        raise Refused(("tool_choice",), Text("is none of {0:t}.", ", ".join(FIELDS["choices"])))
    if isinstance(form, dict) and form.get("type", "text") not in FIELDS["formats"]:
        raise Refused(("response_format", "type"), Text("is none of {0:t}.", ", ".join(FIELDS["formats"])))
    given(draft)


def prefilled(draft: Draft) -> None:
    """An answer at the end is continued."""
    if draft.messages and draft.messages[-1].value.get("role") == "assistant":
        if draft.top.get("continue_final_message") and draft.top.get("add_generation_prompt", True):
            raise Refused(("continue_final_message",), "and add_generation_prompt are both true.")
        if len(draft.messages) > 1 and draft.messages[-2].value.get("role") == "assistant":
            raise Refused(("messages", len(draft.messages) - 1), "is the second answer at the end.")
        draft.top |= {"continue_final_message": True, "add_generation_prompt": False}


def _llama(change: Callable[[list[Any], str], list[Any]]) -> Callable[[Draft], None]:
    """A step of llama.cpp's engine, on texts in bytes."""

    def run(draft: Draft) -> None:
        template = llama_cpp.source_of(draft.template)
        try:
            copied = llama_cpp.ByteTraced(parsed(template)).copy([each.value for each in draft.messages], ("messages",))
            draft.replace(decoded(change(copied, template)))
        except TemplateFailed as error:
            raise Refused(("messages",), Text("is not read: {0:t}", str(error))) from None

    return run


@_llama
def llama_messages(messages: list[Any], template: str) -> list[Any]:
    return parsed_messages(messages)


@_llama
def llama_contents(messages: list[Any], template: str) -> list[Any]:
    return with_content(trimmed(messages, template), capabilities(template))


@_llama
def llama_workaround(messages: list[Any], template: str) -> list[Any]:
    return worked_around(messages, capabilities(template), template)


def llama_tools(draft: Draft) -> None:
    try:
        if tools := draft.top.get("tools"):
            draft.top["tools"] = decoded(rebuilt_tools(llama_cpp.ByteTraced(parsed("")).copy(tools, ("tools",))))
    except TemplateFailed as error:
        raise Refused(("tools",), Text("is not read: {0:t}", str(error))) from None


# Ollama


def ollama_messages(draft: Draft) -> None:
    """Each part becomes a message. What a part of the request doesn't become isn't read."""
    given(draft)
    names = {
        call.get("id"): call["function"].get("name")
        for message in draft.messages
        for call in message.value.get("tool_calls") or []
    }
    made: list[Message] = []
    for message in draft.messages:
        value, path = message.value, ("messages", message.sources[0])
        content, sent_calls = value.get("content"), value.get("tool_calls")
        if not isinstance(content, str | list) and sent_calls is None:
            raise Refused((*path, "content"), "is neither a text nor a list, and the message has no tool calls.")
        role = value.get("role") or ""
        calls = [_ollama_call(each, (*path, "tool_calls", index)) for index, each in enumerate(sent_calls or [])]
        name = (value.get("name") or names.get(value.get("tool_call_id")) or "") if role.lower() == "tool" else ""
        more = {"thinking": value.get("reasoning"), "tool_calls": calls, "tool_call_id": value.get("tool_call_id")}
        if isinstance(content, list):
            parts = [{"role": role, "content": text} for text in texts_of(value, path, {"text": "text"})]
            if parts and calls:
                parts[-1] |= more | {"tool_name": name}
            elif made and calls:  # its last message is then the one before
                made[-1] = made[-1]._replace(value=made[-1].value | more | {"tool_name": name})
        else:
            is_text = isinstance(content, str)
            parts = [{"role": role, "content": content or "", **more, **({"tool_name": name} if is_text else {})}]
        made += [
            Message({key: value for key, value in part.items() if value or key in ("role", "content")}, message.sources)
            for part in parts
        ]
    draft.messages = made


def _ollama_call(call: Record, path: Path) -> Record:
    function = call["function"]
    arguments = function.get("arguments", "")
    place = (*path, "function", "arguments")
    if not isinstance(arguments, str):
        raise Refused(place, "is no text.")
    if not isinstance(found := read_object(arguments), dict) and arguments.strip() != "null":
        raise Refused(place, "is no JSON object.")
    made = {"function": {"name": function.get("name") or "", "arguments": found or {}}}
    return ({"id": call["id"]} if call.get("id") else {}) | made


def ollama_joins(draft: Draft) -> None:
    """Messages of one role that follow each other become one, except tools'."""
    made: list[Message] = []
    for message in draft.messages:
        role = message.value["role"]
        if made and made[-1].value["role"] == role != "tool":
            last = made[-1]
            content = f"{last.value['content']}\n\n{message.value['content']}"
            sources = tuple(sorted({*last.sources, *message.sources}))
            made[-1] = Message(last.value | {"content": content}, sources)
        else:
            made.append(message)
    draft.messages = made


def ollama_tool(tool: Record, path: Path) -> Record:
    """Known fields in a fixed order."""
    function = tool.get("function") or {}
    parameters = function.get("parameters") or {}
    made = reordered(parameters, FIELDS["parameters"], type="", properties=None)
    made["properties"] = _properties(made["properties"])
    kept = {"name": function.get("name", "")} | reordered(function, ("description",)) | {"parameters": made}
    return {"type": tool.get("type", "")} | reordered(tool, ("items",)) | {"function": kept}


def _properties(value: Any) -> Any:
    return {name: _property(each) for name, each in value.items()} if isinstance(value, dict) else value


def _property(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    made = reordered(value, FIELDS["property"])
    if isinstance(made.get("anyOf"), list):
        made["anyOf"] = [_property(each) for each in made["anyOf"]]
    return made | ({"properties": _properties(made["properties"])} if "properties" in made else {})


def _servers() -> Iterator[tuple[str, Server]]:
    """The servers of servers.toml."""
    known: dict[str, Server] = {}
    for row in TABLE["server"]:
        after = known[row.pop("then")].steps if "then" in row else ()
        row |= {name: tuple(map(_step, row.get(name, ()))) for name in ("steps", "within", "fallback")}
        known[row["name"]] = Server(**row | {"steps": row["steps"] + after})
        yield row["name"], known[row["name"]]


def _step(row: Mapping[str, str]) -> Step:
    run = globals()[row["run"]]
    return Step(row["function"], row["file"], _on(row["each"], run) if "each" in row else run)


SERVERS = dict(_servers())


def server_named(name: str) -> Server:
    """A server by its name. Raises InputError."""
    if name not in SERVERS:
        raise InputError(f"No server is called {name!r}; use {', '.join(SERVERS)}.")
    return SERVERS[name]
