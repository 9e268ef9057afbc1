"""Where llama.cpp doesn't do what `transformers` does: with a call, before a template runs, and in its engine.

Each rule can be left out of a rendering. If llama.cpp then writes what `transformers` writes, the rule is the cause of
their difference. Left out: features that its engine lacks, which its own errors name.
"""

from enum import StrEnum
from typing import Any

from explorer.prompts.bounds import weighed
from explorer.prompts.traced_text import TracedText, json_text


class Rule(StrEnum):
    """A rule of llama.cpp."""

    # which template runs
    SOURCE = "template-source"
    # what the template can read
    THINKING = "enable_thinking"
    PRESERVE = "preserve_reasoning"
    ASKS = "add_generation_prompt"
    TOOLS = "tools"
    REBUILT = "tools-rebuilt"
    EFFORT = "reasoning_effort"
    DATES = "dates"
    DOCUMENTS = "documents"
    TOKENS = "special-tokens"
    # what becomes of messages
    READS = "reads"
    KEYS = "keys"
    CONTENT = "content"
    REASONING = "reasoning"
    CALLS = "tool-calls"
    ARGUMENTS = "arguments"
    DEVELOPER = "developer"
    SYSTEM = "system"
    TYPED = "typed-content"
    RECOGNIZED = "recognized-formats"
    # how the template runs
    START = "first-character"
    JOINS = "joins"
    UNDEFINED = "undefined"
    SHOWN = "values-as-text"
    CHARACTERS = "characters"
    SAFE = "safe"
    FORMAT = "format"
    CHANGED = "changed-lists"
    LAZY = "generators"
    JUMPS = "continue"
    TURNS = "turns"
    MACROS = "macros"
    JSON = "json"
    # how its text is encoded
    ADDED = "added-tokens"


class Safe(TracedText):
    """A text that jinja2's `safe` has marked: what is joined to it with + is escaped as HTML."""


class Lazy(list[Any]):
    """What jinja2's `map` and `select` give: it can be looped over, and not much more."""


ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"}


def escaped(text: TracedText) -> TracedText:
    """A text as jinja2 escapes it, unless it is marked as safe.

    >>> escaped(TracedText("<b>"))
    '&lt;b&gt;'
    """
    return text if isinstance(text, Safe) else text.each(lambda character: ESCAPED.get(character, character))


def decoded(value: Any) -> Any:
    """A value of the engine as plain data of Python."""
    if isinstance(value, str):
        return TracedText(value).plain.encode("latin-1").decode("utf-8", "replace")
    if isinstance(value, list | tuple):
        return type(value)(map(decoded, value))
    return {decoded(key): decoded(item) for key, item in value.items()} if isinstance(value, dict) else value


def as_python(value: Any) -> TracedText:
    """A value as Python writes it, in bytes.

    >>> as_python([None, TracedText("it's")])
    '[None, "it\\'s"]'
    """
    weighed(value)
    return TracedText(str(decoded(value)).encode("utf-8", "replace").decode("latin-1"))


def as_json(value: Any, **settings: Any) -> TracedText:
    """A value as JSON as `transformers` writes it, in bytes."""
    weighed(value)
    return TracedText(json_text(decoded(value), **settings).plain.encode("utf-8", "replace").decode("latin-1"))
