"""What a template encodes that was sent as it should be read: text as HTML, JSON in a string as JSON once more.

Both are seen in the prompt: of one character that was sent, several were written. What causes HTML is found by
rendering without it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Final

from explorer.errors import InputError
from explorer.prompts.messages import Path
from explorer.prompts.prompt import Prompt, rendered

ENTITY: Final = re.compile(r"&(?:amp|lt|gt|#34|#39|quot);")
ESCAPING: Final = {
    "safe": (r"\|\s*safe\b", ""),
    "escape": (r"\|\s*(?:escape|e|forceescape)\b", ""),
    "xmlattr": (r"\|\s*xmlattr\b", "| string"),
    "urlize": (r"\|\s*urlize\b(?:\s*\([^()]*\))?", ""),
    "filter escape": (r"\bfilter\s+(?:escape|e|forceescape)\b", "filter string"),
    "autoescape": (r"\bautoescape\s+\w+", "autoescape false"),
}
"""What makes HTML in jinja2, and how it is left out of a template."""


def html_places(prompt: Prompt) -> list[tuple[int, int]]:
    """[start, end) of what a template wrote as HTML: it was sent as another character."""
    origins = prompt.rendering.origins
    starts = [origin.start for origin in origins]
    found = []
    for match in ENTITY.finditer(prompt.text):
        origin = origins[bisect_right(starts, match.start()) - 1]
        if origin.offset < 0:
            is_copy = match[0] in prompt.rendering.source or match[0] in json.dumps(prompt.call.to_json(), default=str)
        else:
            is_copy = origin.end >= match.end()
        if not is_copy:
            found.append(match.span())
    return found


def html_cause(prompt: Prompt, count: int) -> str:
    """What escapes: without it, fewer places are HTML. A key of `ESCAPING`, "" if unknown."""
    for name, (pattern, instead) in ESCAPING.items():
        source = re.sub(pattern, instead, prompt.rendering.source)
        if source == prompt.rendering.source:
            continue
        try:
            other = rendered(
                *(prompt.tokenizer, prompt.engine, source, prompt.call, prompt.special_tokens),
                now=prompt.now,
                marks=prompt.marks,
                without=prompt.without,
            )
        except InputError:
            continue
        if len(html_places(other)) < count:
            return name
    return ""


def line_at(prompt: Prompt, position: int) -> int:
    """The line of the template that wrote a character of the prompt, 0 if unknown."""
    operands = prompt.rendering.operands
    steps = (step for step in prompt.rendering.steps if step.start <= position < step.end)
    if (step := next(steps, None)) is not None:
        return operands[step.operand].line
    origin = next(each for each in prompt.rendering.origins if each.start <= position < each.end)
    return operands[origin.operand].line if origin.operand >= 0 else 0


def encoded_again(prompt: Prompt) -> Iterator[tuple[Path, int, int]]:
    """Strings in JSON, of tool calls and tools, that stand in the prompt as JSON of a string: path, [start, end)."""
    call = prompt.call
    roots: list[tuple[Any, Path]] = [(call.tools or [], ("tools",))]
    roots += [(each.get("tool_calls"), ("messages", at, "tool_calls")) for at, each in enumerate(call.messages)]
    for root, place in roots:
        for path, text in _texts(root, place):
            if not _is_json(text) or not (kept := _last_copy(prompt, path)):
                continue
            quote, last = text.find('"'), len(text) - 1
            start, end = kept[0], kept.get(last, kept[max(kept)]) + 1
            around = prompt.text[max(start - 1, 0) : start] + prompt.text[end : end + 1]
            escaped = prompt.text[kept[quote] : kept[quote] + 2] == '\\"' if quote in kept else around == '""'
            if escaped:
                yield path, start, end


def _last_copy(prompt: Prompt, path: Path) -> dict[int, int]:
    """The offsets of a string that the prompt holds, with their first indices in its last copy; a key is before it."""
    places: dict[int, int] = {}
    for origin in prompt.rendering.origins:
        if origin.path == path and origin.offset >= 0:
            places = {} if not origin.offset and max(places, default=0) > 0 else places
            for index in range(origin.end - origin.start):
                places.setdefault(origin.offset + index, origin.start + index)
    return places if 0 in places else {}


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield from _texts(item, (*path, name))


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False
