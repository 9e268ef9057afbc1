"""Where llama.cpp finds the tags around a thought: the differential analysis of `common/chat-diff-analyzer.cpp`.

A template is rendered with and without reasoning, with and without `enable_thinking`, and the texts are compared. What
is found decides whether `enable_thinking` is true by default, and what a continued answer begins with. Left out: what
is found about content and tools.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from explorer.engine import budget
from explorer.prompts.llama_cpp.conversation import PROBE_STEPS, capabilities, said, texts, tool_call, with_content
from explorer.prompts.llama_cpp.formats import format_of
from explorer.prompts.llama_cpp.program import Parsed, parsed, run
from explorer.prompts.program import SECONDS, TemplateFailed, TemplateStopped
from explorer.prompts.run import STEPS

ANSWER: Final = "A_ASST_MSG I can help END_A"
THOUGHT: Final = "REASON_PART I am thinking END_R"
ANCHOR: Final = 64
"""How many bytes at the end of one text are looked for in the other."""

SPACE: Final = r"[ \t\n\v\f\r]*"
MARKER: Final = r"(?:<[^>]*>|\[[^\]]*\])"
SEGMENT: Final = re.compile(rf"({MARKER})|[<\[].*|[^<\[]+", re.DOTALL)


class Tags(NamedTuple):
    """What llama.cpp finds around a thought, in bytes. found: whether it finds reasoning at all."""

    found: bool = False
    start: str = ""
    end: str = ""


PATCHES: Final = (
    (("content.split('</think>')",), ("reasoning_content", "<SPECIAL_12>"), Tags(True, "<think>", "</think>")),
    (
        ("Write your thoughts between <think></think> and write your response between <response></response>",),
        (),
        Tags(True, "<think>", "</think>"),
    ),
    (("<SPECIAL_10>", "<SPECIAL_11>", "<SPECIAL_12>", "<TOOL_RESPONSE>"), (), Tags(True, "<think>\n", "</think>")),
)
"""What the original sets for templates that spell all of the first texts and none of the second."""


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
    for needs, lacks, patch in PATCHES:
        if all(each in program.source for each in needs) and not any(each in program.source for each in lacks):
            found = found if lacks and found.found else patch
    if "laguna_glm_thinking" in program.source:
        found = found._replace(start=_trimmed(found.start), end=_trimmed(found.end))
    return found


def _tags(template: str, program: Parsed) -> Tags:
    user = said("user", "U_USER_MSG Hello END_U")
    answer, thought = said("assistant", ANSWER), said("assistant", ANSWER, reasoning_content=THOUGHT)

    def written(
        messages: Sequence[dict[str, Any]], *, thinking: bool, asks: bool = False, tools: Any = ()
    ) -> str | None:
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


FUNCTIONS: Final = ("FFF_FIRST_FUN_F", "SSS_SECOND_FUN_S")
ARGUMENTS: Final = {"AA_ARG_FST_AA": "VVVV", "BB_ARG_SND_BB": "XXXX"}
TOOLS: Final = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Test function {other}",
            "parameters": {
                "type": "object",
                "properties": {
                    argument: {"type": "string", "description": f"{which} argument"}
                    for argument, which in zip(ARGUMENTS, ("First", "Second"), strict=True)
                },
                "required": [],
            },
        },
    }
    for name, other in zip(FUNCTIONS, ("foo", "bar"), strict=True)
]


def _around(text: str, pattern: str, before: Tags, *, is_needed: bool = False) -> Tags:
    """The tags around the thought in a text; only one after it if there is none in front. is_needed: one must be."""
    if found := re.search(pattern, text):
        return Tags(True, found[1], found[2])
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
    after = shared(first[::-1], second[::-1]) if ends_in_text else 0
    first, second = first[: len(first) - after], second[: len(second) - after]
    at = shared(first, second) if begins_with_text else 0
    first, second = first[at:], second[at:]
    return ("", right[len(left) :]) if not first and second and right.startswith(left) else (first, second)


def shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike.

    >>> shared("abc", "abd")
    2
    """
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _trimmed(text: str) -> str:
    return text.strip(" \t\n\v\f\r")
