"""Formats that llama.cpp recognizes by what their templates spell: `common_chat_template_detect_params_init`.

For each it changes messages as its model needs them, and knows how to continue an answer (`common/parsers/`). A row's
`opens` and `closes` stand around a thought; the texts are those that the original writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from explorer.prompts.traced_text import TracedText, joined

Messages: TypeAlias = "list[dict[Any, Any]]"
Adjust: TypeAlias = "Callable[[Messages, Mapping[str, Any]], Messages]"


def as_is(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """The messages."""
    return messages


def with_thinking(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """Reasoning under the name "thinking", too."""
    return [
        {**each, TracedText("thinking"): each["reasoning_content"]} if "reasoning_content" in each else each
        for each in messages
    ]


def without_content(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """As `with_thinking`; a thought before tool calls takes the place of content."""
    made = with_thinking(messages, variables)
    return [
        {key: value for key, value in each.items() if key != "content"}
        if "thinking" in each and each.get("tool_calls")
        else each
        for each in made
    ]


def in_parts(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """Answers and system messages in parts, reasoning as the first one."""
    made = []
    for message in messages:
        if message["role"] in ("system", "assistant"):
            parts = [_part("thinking", message["reasoning_content"])] if "reasoning_content" in message else []
            content = message.get("content")
            parts += [_part("text", content)] if isinstance(content, str) else content or []
            message = {key: value for key, value in message.items() if key != "reasoning_content"}
            message[TracedText("content")] = parts
        made.append(message)
    return made


def _part(kind: str, text: str) -> dict[Any, Any]:
    return {TracedText("type"): TracedText(kind), TracedText(kind): text}


def with_thoughts(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """An empty thought in each answer that has none."""
    empty = {TracedText("reasoning_content"): TracedText("")}
    return [
        {**each, **empty} if each["role"] == "assistant" and "reasoning_content" not in each else each
        for each in messages
    ]


def with_languages(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """The user's messages as one part that names the languages of a translation."""
    names = ("source_lang_code", "target_lang_code")
    languages = {TracedText(name): variables.get(name, TracedText("en-GB")) for name in names}
    made = []
    for message in messages:
        if message["role"] == "user":
            content = message["content"]
            texts = [content] if isinstance(content, str) else [part["text"] for part in content]
            text = TracedText("")
            for each in texts:
                text = joined((text, "\n" if text else "", each))
            message = {**message, TracedText("content"): [{**_part("text", text), **languages}]}
        made.append(message)
    return made


def in_order_of_calls(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """Results of tools in the order of the calls before them."""
    made, order, at = list(messages), {}, 0
    while at < len(made):
        role = made[at]["role"]
        if role == "assistant" and made[at].get("tool_calls"):
            order = {call["id"]: index for index, call in enumerate(made[at]["tool_calls"]) if call.get("id")}
        end = at
        while end < len(made) and made[end]["role"] in ("user", "tool"):
            end += 1
        places = [index for index in range(at, end) if made[index]["role"] == "tool"]
        if len(places) > 1 and order:
            results = sorted((made[place] for place in places), key=lambda each: order.get(each.get("tool_call_id"), 0))
            for place, result in zip(places, results, strict=True):
                made[place] = result
        at = max(end, at + 1)
    return made


def with_responses(messages: Messages, variables: Mapping[str, Any]) -> Messages:
    """Tool calls, their results and the answer after them as one message."""
    made, at = [], 0
    while at < len(messages):
        first = messages[at]
        at += 1
        if first["role"] != "assistant" or not first.get("tool_calls"):
            made.append(first)
            continue
        calls: list[Any] = first["tool_calls"]
        responses: list[Any] = []
        while at < len(messages) and messages[at]["role"] == "tool":
            names = [call["function"]["name"] for call in calls[len(responses) : len(responses) + 1]]
            name = next(filter(None, names), messages[at].get("tool_call_id", TracedText("")))
            response = _as_data(messages[at]["content"])
            responses.append({TracedText("name"): name, TracedText("response"): response})
            at += 1
        message = {TracedText("role"): TracedText("assistant"), TracedText("tool_calls"): calls}
        message |= {TracedText("tool_responses"): responses} if responses else {}
        after = messages[at] if at < len(messages) else first
        if after["role"] == "assistant" and after.get("content") and not after.get("tool_calls"):
            message[TracedText("content")] = after["content"]
            at += 1
        if "reasoning_content" in first:
            message[TracedText("reasoning_content")] = first["reasoning_content"]
        made.append(message)
    return made


def _as_data(content: Any) -> Any:
    """A text in JSON as its data, else the text."""
    from explorer.prompts.llama_cpp.conversation import data_of

    if not isinstance(content, str):
        return content
    try:
        return data_of(TracedText(content))
    except (ValueError, RecursionError):
        return content


@dataclass(frozen=True, slots=True)
class Format:
    """A format. needs, lacks: texts of its template. thinks: whether `enable_thinking` is true unless a call says no.

    head: before what a continued answer begins with; None for the generation prompt. opens, closes: around its thought,
    "" where there is none. adjust: what becomes of messages, with the variables of the call. instead: what is written
    for the last of a token where nothing asks for an answer. after: what a prompt ends with that needs another turn.
    """

    name: str
    needs: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    thinks: bool = True
    head: str | None = None
    opens: str = ""
    closes: str = ""
    adjust: Adjust = as_is
    instead: tuple[str, str] | None = None
    after: tuple[str, str] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether a continued answer is its content, whatever is to be continued."""
        return not self.opens and self.name != "qwen3-coder"

    def around(self, variables: Mapping[str, Any], thought: str) -> tuple[str, str]:
        """What stands around the thought of a continued answer."""
        if self.name == "deepseek-v4" and not thought:
            return self.closes, ""
        if self.name == "k2-horizon" and variables.get("enable_thinking"):
            which = {"medium": "think_fast", "low": "think_faster"}.get(variables.get("reasoning_effort", ""), "think")
            return self.opens.replace("think", which), self.closes.replace("think", which)
        return self.opens, self.closes


CHATML: Final = "<|im_start|>assistant\n"
HARMONY: Final[dict[str, Any]] = {
    "head": "",
    "opens": "<|start|>assistant<|channel|>analysis<|message|>",
    "closes": "<|end|><|start|>assistant<|channel|>final<|message|>",
    "adjust": without_content,
    "instead": ("<|return|>", "<|end|>"),
}
GEMMA: Final[dict[str, Any]] = {
    "head": "",
    "opens": "<|channel>thought\n",
    "closes": "<channel|>",
    "after": ("<turn|>\n", "<|turn>model\n"),
}
NOT_QWEN: Final = ("'<tool_call><function=' ~ tool_call.name ~ '>'",)
THINK: Final[dict[str, Any]] = {"opens": "<think>", "closes": "</think>"}
FORMATS: Final = (
    Format(
        "ministral-3",
        ("[SYSTEM_PROMPT]", "[TOOL_CALLS]", "[ARGS]"),
        ("[CALL_ID]",),
        head="",
        opens="[THINK]",
        closes="[/THINK]",
        adjust=in_parts,
    ),
    Format("llm-jp-harmony", ("chat_format=llm-jp-harmony-v1",), **HARMONY),
    Format("gpt-oss", ("<|channel|>",), **HARMONY),
    Format(
        "muse-glimmer",
        ("<atem:function_calls>", "<|eom|>"),
        head="<|start|>assistant",
        opens=" to=self<|message|>",
        closes="<|eom|><|start|>assistant to=user<|message|>",
    ),
    Format(
        "functionary-v3.2",
        (">>>all", ">>>${recipient}"),
        thinks=False,
        head="<|start_header_id|>assistant<|end_header_id|>\n\n>>>all\n",
    ),
    Format(
        "kimi-k2",
        ("<|tool_calls_section_begin|>", "<|tool_call_begin|>"),
        head="<|im_assistant|>assistant<|im_middle|>",
        **THINK,
    ),
    Format(
        "kimi-k3",
        ("<|open|>", "<|close|>", "<|end_of_msg|>"),
        head='<|open|>message role="assistant"<|sep|>',
        opens="<|open|>think<|sep|>",
        closes="<|close|>think<|sep|><|open|>response<|sep|>",
    ),
    Format(
        "k2-horizon",
        ("<|ifm|im_start|>", "<ifm|tool_calls>"),
        head="<|ifm|im_start|>assistant\n",
        opens="<ifm|think>\n",
        closes="</ifm|think>",
        adjust=with_thoughts,
    ),
    Format("ling-3", ("<role>ASSISTANT</role>", "<arg_key>"), head="<role>ASSISTANT</role>\n", **THINK),
    Format(
        "cohere2-moe",
        ("<|START_TEXT|>", "<|START_ACTION|>"),
        head="<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
        opens="<|START_THINKING|>",
        closes="<|END_THINKING|><|START_TEXT|>",
    ),
    Format("lfm2", ("<|tool_list_start|>", "<|tool_list_end|>"), head=CHATML, adjust=with_thinking, **THINK),
    Format("lfm2.5", ("List of tools: [",), ("<|tool_list_start|>",), head=CHATML, adjust=with_thinking, **THINK),
    Format(
        "gigachat-v3",
        ("<|role_sep|>", "<|message_sep|>"),
        ("<|function_call|>",),
        thinks=False,
        head="assistant<|role_sep|>\n",
    ),
    Format("minimax-m3", ("]<]minimax[>[", "<tool_call>", "<invoke name="), opens="<mm:think>", closes="</mm:think>"),
    Format("deepseek-v3.2", ("dsml_token", "DSML", "function_calls"), head="<｜Assistant｜>", **THINK),
    Format(
        "deepseek-v4", ("dsml_token", "DSML", "tool_calls"), head="<｜Assistant｜>", adjust=in_order_of_calls, **THINK
    ),
    Format("gemma-4", ("'<|tool_call>call:'", "{#- OpenAI Chat Completions:"), **GEMMA),
    Format("gemma-4-older", ("'<|tool_call>call:'",), adjust=with_responses, **GEMMA),
    Format(
        "minicpm-5",
        ("Tool usage guidelines:", '<function name="', '<param name="'),
        head=CHATML,
        opens="<think>\n",
        closes="\n</think>\n\n",
    ),
    Format(
        "translate-gemma",
        ("[source_lang_code]", "[target_lang_code]"),
        thinks=False,
        head="<start_of_turn>model\n",
        adjust=with_languages,
    ),
    Format(
        "qwen3-coder",
        ("<tool_call>", "<function=", "<parameter=", "<think>"),
        NOT_QWEN,
        head=CHATML,
        opens="<think>\n",
        closes="\n</think>\n\n",
    ),
    Format("qwen3-coder", ("<tool_call>", "<function=", "<parameter="), NOT_QWEN, thinks=False, head=CHATML),
)
"""In the order in which they are looked for."""


def format_of(source: str) -> Format | None:
    """The format that a template is recognized as, None for most.

    >>> format_of("<|channel|>").name
    'gpt-oss'
    """
    return next(
        (
            each
            for each in FORMATS
            if all(text in source for text in each.needs) and not any(text in source for text in each.lacks)
        ),
        None,
    )
