"""What a prompt lacks of a call: messages, parts of them, reasoning, fields, tools; and which line leaves it out.

What is missing is what no character of the prompt was copied from. A line is named where the template writes what is
missing with a test of that line turned round, or for a message of another role.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import unescape
from itertools import groupby
from typing import Any

from explorer.engine import budget
from explorer.errors import InputError
from explorer.prompts.finding import Finding, Kind
from explorer.prompts.layout import layout
from explorer.prompts.llama_cpp.conversation import by_path
from explorer.prompts.messages import REASONING, Path, dotted
from explorer.prompts.model_input import Prompt, covered
from explorer.prompts.run import ROLES, TemplateFailed, by_lines, cut_off
from explorer.text.say import Say, listed


def left_out(prompt: Prompt) -> Iterator[Finding]:
    """Texts of messages that the prompt doesn't hold, or not all of."""
    computed = _computed(prompt)
    for index, message in enumerate(prompt.call.messages):
        for path, text in texts_in(message.get("content"), ("messages", index, "content")):
            kept = covered(prompt.rendering, path)
            if not kept and text.strip() and text.strip() in unescape(computed):
                continue  # there by a way that isn't followed, or as HTML
            if runs := list(_lost(prompt.text, text, kept)):
                yield _left_out(prompt, path, message, text, runs, not kept)
        texts = {message[name] for name in REASONING if isinstance(message.get(name), str) and message[name].strip()}
        if texts and not any(covered(prompt.rendering, ("messages", index, name)) for name in REASONING):
            if any(text.strip() in computed for text in texts):
                continue
            name = next(name for name in REASONING if isinstance(message.get(name), str))
            line = deciding_line(prompt, ("messages", index, name))
            yield Finding(
                Kind.REASONING,
                Say("The reasoning of message {0} is not in the prompt.", index + 1),
                _turned(prompt, line, name).then(Say("A cache of the model's own answer doesn't fit the next prompt.")),
                index,
                0,
                0,
                line,
                ("messages", index, name),
            )


def _turned(prompt: Prompt, line: int, name: str) -> Say:
    if line:
        return Say("Line {0:i} leaves it out: with its test the other way round, the template writes it.", line)
    if not re.search(rf"\b{re.escape(name)}\b", prompt.rendering.source):
        return Say("No line of it reads {0:t}.", name)
    return Say("The template writes no {0:t} here.", name)


MOST_TRIED = 12
"""Tests that are turned round."""

SECONDS = 0.25
"""Seconds of the processor that it may take."""

_LINES: OrderedDict[tuple[Any, ...], int] = OrderedDict()
"""The test that was found last for calls of one shape, -1 for none: it is tried first."""

MOST_KEPT = 64
FIRST, LAST = 2, 8
"""Of a long conversation, the messages at its ends whose line is looked for."""


def deciding_line(prompt: Prompt, path: Path, word: str = "") -> int:
    """The line of the test that leaves a text out: turned round, the template writes it. 0 if no single test does.

    word: what the block of that test reads; the name of the field by default.
    """
    rendering, name = prompt.rendering, word or str(path[-1])
    spelled = REASONING if name in REASONING else (name,)
    if not _is_near(prompt, path):
        return 0
    shape = tuple((str(each.get("role")), *each) for each in prompt.call.messages)
    key = (rendering.source, prompt.engine, path, shape)
    outcomes: dict[int, bool] = {}
    for step in rendering.steps:
        if rendering.operands[step.operand].kind == "test":
            outcomes[step.operand] = outcomes.get(step.operand, True) and bool(step.value)
    source = layout(rendering.source)

    def reads(index: int) -> bool:
        block = source.block_at(rendering.operands[index].start)
        whole = source.source[block.start : block.after] if block else ""
        return any(each in whole for each in spelled)

    turns = {
        rendering.operands[step.operand].name
        for step in rendering.steps
        if step.message is not None and ("messages", step.message) == path[:2]
    }
    ends = REASONING if name in REASONING else path[-1:]

    def writes(index: int) -> bool:
        budget.ask("looking for a line")
        operand, turned = rendering.operands[index], str(not outcomes[index]).lower()
        before, test, after = (
            rendering.source[slice(*span)]
            for span in ((0, operand.start), (operand.start, operand.end), (operand.end, None))
        )
        # where the template fails on another message, in the turn of this one alone
        of_turn = [f"({turned} if {each} == messages[{path[1]}] else ({test}))" for each in turns]
        for condition in (turned, *of_turn):
            with suppress(InputError):
                made = prompt.changed(before + condition + after)
                return any(covered(made.rendering, (*path[:-1], each)) for each in ends)
        return False

    known = _LINES.get(key)
    if known == -1 or (known is not None and known in outcomes and writes(known)):
        return rendering.operands[known].line if known >= 0 else 0
    # the innermost first: a test far out may write it along with much else
    tried = sorted(filter(reads, outcomes), key=lambda index: -rendering.operands[index].start)[:MOST_TRIED]
    try:
        with budget.within("looking for a line", SECONDS):
            found = next(filter(writes, tried), -1)
    except budget.TooSlow:
        found = -1
    _LINES[key] = found
    if len(_LINES) > MOST_KEPT:
        _LINES.popitem(last=False)
    return rendering.operands[found].line if found >= 0 else 0


def _is_near(prompt: Prompt, path: Path) -> bool:
    return path[0] != "messages" or not FIRST <= int(path[1]) < len(prompt.call.messages) - LAST


def fields(prompt: Prompt) -> Iterator[Finding]:
    """Fields of messages and tools that the prompt doesn't hold, where it holds others of the same."""
    computed = _computed(prompt)
    call = prompt.call.to_json()
    origins = prompt.rendering.origins
    parts = {origin.path[:depth] for origin in origins for depth in (1, 2, 3) if origin.path}
    copied = {origin.path for origin in origins if origin.offset >= 0 and origin.end > origin.start}
    gone: dict[str, Path] = {}
    for path, text in by_path({"messages": call["messages"], "tools": call.get("tools") or []}):
        if not isinstance(text, str) or not text.strip() or text in computed or path[-1] in UNREAD or path[1:2] == ():
            continue
        if path[0] == "messages" and ("content" in path or not ("tool_calls" not in path or path[:3] in parts)):
            continue
        if path[:2] not in parts or path[-1] == "arguments" or path in copied:
            continue
        gone.setdefault(dotted(path), path)
    if gone:
        first = next(iter(gone.values()))
        line = deciding_line(prompt, first)
        yield Finding(
            Kind.FIELDS,
            Say("The template writes nothing of {0}.", listed([*gone], 4, "{0:t}")),
            _turned(prompt, line, str(first[-1])),
            int(first[1]) if first[0] == "messages" else None,
            0,
            0,
            line,
            first,
        )


UNREAD = frozenset({"role", "type", "content", *REASONING})
"""Fields that other findings are about, or that say nothing."""


def tools(prompt: Prompt) -> Iterator[Finding]:
    """Tools, and calls of tools, of which the prompt holds nothing."""
    computed = _computed(prompt)
    seen = {
        origin.path[:3] if origin.path[:1] == ("messages",) else origin.path[:1] for origin in prompt.rendering.origins
    }
    if prompt.call.tools and ("tools",) not in seen and not any(name in computed for name in names(prompt.call.tools)):
        yield Finding(
            Kind.TOOLS,
            Say("The tools are not in the prompt."),
            _unwritten(prompt, ("tools",), prompt.call.tools).then(Say("The model can't know that it may call them.")),
        )
    for index, message in enumerate(prompt.call.messages):
        calls = message.get("tool_calls")
        if not isinstance(calls, list) or not calls or ("messages", index, "tool_calls") in seen:
            continue
        if not any(name in computed for name in names(calls)):
            yield Finding(
                Kind.TOOLS,
                Say("The tool calls of message {0} are not in the prompt.", index + 1),
                _unwritten(prompt, ("messages", index, "tool_calls"), calls).then(
                    Say("The model reads a result that it never asked for.")
                ),
                index,
            )


def _unwritten(prompt: Prompt, path: Path, items: Sequence[Any]) -> Say:
    inner = ("function", "name") if isinstance(items[0].get("function"), Mapping) else ("name",)
    return _turned(prompt, deciding_line(prompt, (*path, 0, *inner), str(path[-1])), str(path[-1]))


def names(items: Sequence[Any]) -> Iterator[str]:
    """The names of the functions in tools or calls, those that are there."""
    for item in items:
        function = item.get("function", item) if isinstance(item, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(name, str) and name:
            yield name


def _computed(prompt: Prompt) -> str:
    """The stretches of the prompt whose origin isn't followed, with a null character between them."""
    return "\0".join(
        prompt.text[origin.start : origin.end]
        for origin in prompt.rendering.origins
        if not origin.path and origin.offset < 0
    )


def _lost(prompt: str, text: str, kept: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """[start, end) of what the prompt doesn't hold of a text. kept: the offsets that are copied, with their indices.

    What the template writes again at its place isn't lost: the tags around a thought, and what stands between the words
    that it splits and joins. White space at an end is lost where it is stripped: the prompt is the same without it.
    """
    missing = sorted(set(range(len(text))) - kept.keys())
    if not kept and missing:
        yield 0, len(text)
        return
    for _, group in groupby(enumerate(missing), lambda pair: pair[1] - pair[0]):
        indices = [index for _, index in group]
        start, end = indices[0], indices[-1] + 1
        before, after = kept.get(start - 1), kept.get(end)
        between = prompt[0 if before is None else before + 1 : len(prompt) if after is None else after]
        run = text[start:end]
        bare = run.strip()
        if before is not None and after is not None:
            again = (bare or run) in between
        elif before is None:
            again = bool(bare) and between.rstrip().endswith(bare)
        else:
            again = bool(bare) and between.lstrip().startswith(bare)
        if not again:
            yield start, end


def _left_out(
    prompt: Prompt, path: Path, message: Any, text: str, runs: list[tuple[int, int]], all_of_it: bool
) -> Finding:
    index = int(path[1])
    lost = "".join(text[start:end] for start, end in runs)
    if not lost.strip():
        return Finding(
            Kind.STRIPPED,
            Say("White space of message {0} is gone: {1} of {2} characters.", index + 1, len(lost), len(text)),
            Say("The template trims the text before it writes it."),
            index,
        )
    if all_of_it:
        system = message.get("role") in ("system", "developer")
        return Finding(
            Kind.SYSTEM if system else Kind.DROPPED,
            Say("Message {0} is not in the prompt.", index + 1),
            _decided(prompt, path, str(message.get("role"))),
            index,
        )
    closed = text.find("</think>")
    thought = any(text[start : min(end, closed)].removeprefix("<think>").strip() for start, end in runs)
    first = text[runs[0][0] : min(runs[0][1], runs[0][0] + 20)]
    return Finding(
        Kind.REASONING if thought and closed >= 0 else Kind.PART,
        Say("{0} of {1} characters of message {2} are not in the prompt.", len(lost), len(text), index + 1),
        Say("What is missing begins with {0:q}{1:t}.", first, by_lines(*_cut(prompt, text[slice(*runs[0])])))
        if len(runs) == 1
        else Say("They are missing in {0} places; the first begins with {1:q}.", len(runs), first),
        index,
    )


def _cut(prompt: Prompt, lost: str) -> tuple[int, int]:
    return cut_off(prompt.rendering.steps, prompt.rendering.operands, lost)


def _decided(prompt: Prompt, path: Path, role: str) -> Say:
    """Why a message isn't in the prompt: the line that tests otherwise for a message of another role."""
    index = int(path[1])
    if line := deciding_line(prompt, path):
        return _turned(prompt, line, role)
    for other in ROLES if _is_near(prompt, path) else ():
        messages = [{**each, "role": other} if at == index else each for at, each in enumerate(prompt.call.messages)]
        try:
            made = prompt.changed(messages=messages).rendering
            taken = bool(covered(made, path))
        except TemplateFailed as error:
            made, taken = error.rendering, True  # it may refuse what it reads now
        except InputError:
            continue
        if other == role or made is None or not taken:
            continue
        operands = prompt.rendering.operands
        for one, beside in zip(prompt.rendering.steps, made.steps, strict=False):
            if one.operand != beside.operand:
                break
            if operands[one.operand].kind == "test" and bool(one.value) != bool(beside.value):
                return Say(
                    "Line {0:i} leaves it out: its test turns out otherwise for a {1:q} message.",
                    operands[one.operand].line,
                    other,
                )
    return Say("The template writes no {0:q} message here, or writes it changed.", role)


def texts_in(content: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """The texts of a message's content: one, or those of its typed parts."""
    if isinstance(content, str):
        yield path, content
    elif isinstance(content, list):
        for index, part in enumerate(content):
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield (*path, index, "text"), part["text"]
