"""Formats that llama.cpp recognizes by what templates spell, and the tags around a thought that it finds in others.

`common_chat_template_detect_params_init`: for each format it changes messages as its model needs them, and knows how
to continue an answer (`common/parsers/`). formats.toml has a table for each; the texts are those that the original
writes.

The differential analysis of `common/chat-diff-analyzer.cpp`: a template is rendered with and without reasoning, with
and without `enable_thinking`, and the texts are compared. What is found decides whether `enable_thinking` is true by
default, and what a continued answer begins with. Left out: what is found about content and tools.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from explorer.analysis.ownership import common
from explorer.engine import budget
from explorer.prompts.llama_cpp.conversation import (
    PROBE_STEPS,
    PROBED_TOOLS,
    capabilities,
    data_of,
    said,
    texts,
    tool_call,
    with_content,
)
from explorer.prompts.llama_cpp.program import Parsed, parsed, run
from explorer.prompts.llama_cpp.values import Messages
from explorer.prompts.program import SECONDS, TemplateFailed, TemplateStopped
from explorer.prompts.run import STEPS
from explorer.prompts.traced_text import TracedText, joined
from explorer.tables import Json, Record, read_toml


def with_thinking(messages: Messages, variables: Json) -> Messages:
    """Reasoning under the name "thinking", too."""
    return [
        {**each, TracedText("thinking"): each["reasoning_content"]} if "reasoning_content" in each else each
        for each in messages
    ]


def without_content(messages: Messages, variables: Json) -> Messages:
    """As `with_thinking`; a thought before tool calls takes the place of content."""
    result = with_thinking(messages, variables)
    return [
        {key: value for key, value in each.items() if key != "content"}
        if "thinking" in each and each.get("tool_calls")
        else each
        for each in result
    ]


def in_parts(messages: Messages, variables: Json) -> Messages:
    """Answers and system messages in parts, reasoning as the first one."""
    result = []
    for message in messages:
        if message["role"] in ("system", "assistant"):
            parts = (
                [texts({"type": "thinking", "thinking": message["reasoning_content"]})]
                if "reasoning_content" in message
                else []
            )
            content = message.get("content")
            parts += [texts({"type": "text", "text": content})] if isinstance(content, str) else content or []
            message = {key: value for key, value in message.items() if key != "reasoning_content"}
            message[TracedText("content")] = parts
        result.append(message)
    return result


def with_thoughts(messages: Messages, variables: Json) -> Messages:
    """An empty thought in each answer that has none."""
    empty = {TracedText("reasoning_content"): TracedText("")}
    return [
        {**each, **empty} if each["role"] == "assistant" and "reasoning_content" not in each else each
        for each in messages
    ]


def with_languages(messages: Messages, variables: Json) -> Messages:
    """The user's messages as one part that names the languages of a translation."""
    names = ("source_lang_code", "target_lang_code")
    languages = {TracedText(name): variables.get(name, TracedText("en-GB")) for name in names}
    made = []
    for message in messages:
        if message["role"] == "user":
            content = message["content"]
            written = [content] if isinstance(content, str) else [part["text"] for part in content]
            text = TracedText("")
            for each in written:
                text = joined((text, "\n" if text else "", each))
            message = {**message, TracedText("content"): [{**texts({"type": "text", "text": text}), **languages}]}
        made.append(message)
    return made


def in_order_of_calls(messages: Messages, variables: Json) -> Messages:
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


def with_responses(messages: Messages, variables: Json) -> Messages:
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
    if not isinstance(content, str):
        return content
    try:
        return data_of(TracedText(content))
    except (ValueError, RecursionError):
        return content


class Spelled(Struct, frozen=True, kw_only=True):
    """What is recognized by a template's texts: it has all of `needs` and none of `lacks`."""

    needs: tuple[str, ...]
    lacks: tuple[str, ...] = ()

    def is_in(self, source: str) -> bool:
        return all(text in source for text in self.needs) and not any(text in source for text in self.lacks)


class Format(Spelled, frozen=True, kw_only=True):
    """A format. thinks: whether `enable_thinking` is true unless a call says no.

    head: before what a continued answer begins with; None for the generation prompt. opens, closes: around its thought,
    "" where there is none. adjust: the function above that changes its messages. instead: what is written for the last
    of a token where nothing asks for an answer. after: what a prompt ends with that needs another turn.
    """

    name: str
    thinks: bool = True
    head: str | None = None
    opens: str = ""
    closes: str = ""
    adjust: str = ""
    instead: tuple[str, str] | None = None
    after: tuple[str, str] | None = None

    def adjusted(self, messages: Messages, variables: Json) -> Messages:
        """What becomes of messages, with the variables of the call."""
        return globals()[self.adjust](messages, variables) if self.adjust else messages

    @property
    def is_plain(self) -> bool:
        """Whether a continued answer is its content, whatever is to be continued."""
        return not self.opens and self.name != "qwen3-coder"

    def around(self, variables: Json, thought: str) -> tuple[str, str]:
        """What stands around the thought of a continued answer."""
        if self.name == "deepseek-v4" and not thought:
            return self.closes, ""
        if self.name == "k2-horizon" and variables.get("enable_thinking"):
            which = {"medium": "think_fast", "low": "think_faster"}.get(variables.get("reasoning_effort", ""), "think")
            return self.opens.replace("think", which), self.closes.replace("think", which)
        return self.opens, self.closes


_TABLE: Record = read_toml(__file__, "formats.toml")
FORMATS = msgspec.convert(_TABLE["format"], tuple[Format, ...])
"""In the order in which they are looked for."""


def format_of(source: str) -> Format | None:
    """The format that a template is recognized as, None for most.

    >>> format_of("<|channel|>").name
    'gpt-oss'
    """
    return next((each for each in FORMATS if each.is_in(source)), None)


ANSWER = "A_ASST_MSG I can help END_A"
THOUGHT = "REASON_PART I am thinking END_R"
ANCHOR = 64
"""How many bytes at the end of one text are looked for in the other."""

SPACE = r"[ \t\n\v\f\r]*"
MARKER = r"(?:<[^>]*>|\[[^\]]*\])"
SEGMENT = re.compile(rf"({MARKER})|[<\[].*|[^<\[]+", re.DOTALL)


class Tags(NamedTuple):
    """What llama.cpp finds around a thought, in bytes. found: whether it finds reasoning at all."""

    found: bool = False
    start: str = ""
    end: str = ""


class Patch(Spelled, frozen=True, kw_only=True):
    """Tags that the original sets around a thought, whatever it found; with `lacks`, if it found none."""

    start: str
    end: str


PATCHES = msgspec.convert(_TABLE["patch"], tuple[Patch, ...])


class Segment(NamedTuple):
    """A tag in angle or square brackets, or the text between two."""

    is_marker: bool
    text: str


def segments(text: str) -> list[Segment]:
    """A text cut at its tags.

    >>> [each.text for each in segments("a<b>[c")]
    ['a', '<b>', '[c']
    """
    return [Segment(bool(found[1]), found[0]) for found in SEGMENT.finditer(text)]


@lru_cache(maxsize=64)
def thinks(template: str) -> bool:
    """Whether llama-server sets `enable_thinking` for a template. Raises TemplateFailed."""
    known = format_of(parsed(template).source)
    return known.thinks if known else tags(template).found


@lru_cache(maxsize=64)
def tags(template: str) -> Tags:
    """The tags around a thought. Raises TemplateFailed if the template can't be parsed, or all runs take too long."""
    program = parsed(template)
    try:
        with budget.within("looking for thoughts in a template", SECONDS):
            found = _tags(template, program)
    except budget.TooSlow as error:
        raise TemplateStopped(str(error)) from error
    for patch in PATCHES:
        if patch.is_in(program.source) and not (patch.lacks and found.found):
            found = Tags(True, patch.start, patch.end)
    if "laguna_glm_thinking" in program.source:
        found = found._replace(start=_trimmed(found.start), end=_trimmed(found.end))
    return found


def _tags(template: str, program: Parsed) -> Tags:
    user = said("user", "U_USER_MSG Hello END_U")
    answer, thought = said("assistant", ANSWER), said("assistant", ANSWER, reasoning_content=THOUGHT)

    def written(messages: Sequence[Record], *, thinking: bool, asks: bool = False, tools: Any = ()) -> str | None:
        variables = {"messages": with_content(texts([*messages]), capabilities(template)), "enable_thinking": thinking}
        variables |= {"bos_token": texts(""), "eos_token": texts("")}
        variables |= {"tools": texts([*tools])} if tools else {}
        variables |= {"add_generation_prompt": True} if asks else {}
        try:
            return run(program, variables, datetime(2026, 1, 1), spent=STEPS - PROBE_STEPS)[0].text.plain
        except TemplateFailed:
            return None

    found = Tags()
    one, other = written([user, answer], thinking=True), written([user, thought], thinking=True)
    if one is not None and other is not None and THOUGHT in _difference(one, other)[1]:
        found = _around(other, rf"({MARKER}{SPACE}){THOUGHT}({SPACE}{MARKER}{SPACE})", found, is_needed=True)
    one, other = written([user], thinking=False, asks=True), written([user], thinking=True, asks=True)
    if one is not None and other is not None:
        found = _by_switch(one, other, found)
    if capabilities(template).supports_tool_calls:
        call = said("assistant", None, reasoning_content=THOUGHT, tool_calls=[tool_call(ARGUMENTS)])
        call["tool_calls"][0]["function"]["name"] = FUNCTIONS[0]
        one = written([user, thought], thinking=True, tools=TOOLS)
        other = written([user, call], thinking=True, tools=TOOLS)
        if one is not None and other is not None and THOUGHT not in one and THOUGHT in other:
            found = _around(other, rf"({MARKER}{SPACE}){THOUGHT}{SPACE}({MARKER}{SPACE})", found)
    return found


FUNCTIONS = ("FFF_FIRST_FUN_F", "SSS_SECOND_FUN_S")
ARGUMENTS = {"AA_ARG_FST_AA": "VVVV", "BB_ARG_SND_BB": "XXXX"}
TOOLS = PROBED_TOOLS["thoughts"]


def _around(text: str, pattern: str, before: Tags, *, is_needed: bool = False) -> Tags:
    """The tags around the thought in a text; only one after it if there is none in front. is_needed: one must be."""
    if match := re.search(pattern, text):
        return Tags(True, match[1], match[2])
    after = re.search(rf"{THOUGHT}{SPACE}({MARKER}{SPACE})?", text)
    end = (after and after[1]) or ""
    return before if is_needed and not end else Tags(True, before.start, end)


def _by_switch(off: str, on: str, found: Tags) -> Tags:
    """What `enable_thinking` changes at the end of a prompt. off, on: the prompts."""
    left, right = _difference(off, on)
    only_off, only_on = _trimmed(left), _trimmed(right)
    start, end = found.start, found.end
    if not only_off and right:
        if only_on and on.endswith(only_on) and not start:
            return Tags(True, right, end)
    elif not only_on and left:
        if only_off and off.endswith(only_off) and not end:
            cut = [each for each in segments(off) if _trimmed(each.text)]
            if len(cut) >= 2 and cut[-1].text == only_off and cut[-2].is_marker:
                start = cut[-2].text
            return Tags(True, start, left)
    elif only_off and only_on:
        for base, longer in ((on, off), (off, on)):
            anchor = base[-ANCHOR:]
            place = longer.rfind(anchor)
            extra = _trimmed(longer[place + len(anchor) :]) if place >= 0 else ""
            cut = [each for each in segments(extra) if _trimmed(each.text)]
            if len(cut) == 2 and all(each.is_marker for each in cut):
                return Tags(True, start or cut[0].text, end or cut[1].text)
    return found._replace(found=found.found or (not start and bool(end)))


def _difference(left: str, right: str) -> tuple[str, str]:
    """What only the first text has and what only the second has, between what they share: `calculate_diff_split`."""
    one, other = segments(left), segments(right)
    if not one or not other:
        return left, right
    i, j, p, q = 0, 0, len(one) - 1, len(other) - 1
    spent = [False, False]  # texts whose last segment is shared
    while i != p and j != q:
        advanced = one[i] == other[j]
        i, j = i + advanced, j + advanced
        if one[p] == other[q]:
            advanced = True
            p, spent[0] = (p - 1, spent[0]) if i != p else (p, True)
            q, spent[1] = (q - 1, spent[1]) if j != q else (q, True)
        if not advanced:
            break
    if i == p and j != q:
        if one[i] == other[q]:
            q, spent[0] = q - 1, True
        elif one[i] == other[j]:
            j, spent[0] = j + 1, True
    elif j == q and i != p:
        if one[p] == other[j]:
            p, spent[1] = p - 1, True
        elif one[i] == other[j]:
            i, spent[1] = i + 1, True
    elif i == p and j == q and one[i] == other[j] and one[i].is_marker:
        spent = [True, True]
    ends_in_text = not one[p].is_marker and not other[q].is_marker
    begins_with_text = not one[i].is_marker and not other[j].is_marker
    first = "".join(each.text for each in one[i : p + (not spent[0])])
    second = "".join(each.text for each in other[j : q + (not spent[1])])
    after = common(first[::-1], second[::-1]) if ends_in_text else 0
    first, second = first[: len(first) - after], second[: len(second) - after]
    at = common(first, second) if begins_with_text else 0
    first, second = first[at:], second[at:]
    return ("", right[len(left) :]) if not first and second and right.startswith(left) else (first, second)


def _trimmed(text: str) -> str:
    return text.strip(" \t\n\v\f\r")
