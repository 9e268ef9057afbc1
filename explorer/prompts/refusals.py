"""Why a template fails on a call: the message and field that it can't take, the first message that breaks its rule.

What an error names is what was tried: the value that the failing operation was given, and how many messages the
template still takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from explorer.engine import budget
from explorer.errors import InputError
from explorer.prompts.messages import Call, Path
from explorer.prompts.run import Operand, Run, Step, TemplateFailed, TemplateStopped, source_of

SECONDS: Final = 1.0
"""Seconds of the processor that looking for a message may take."""

ROLES: Final = ("user", "assistant", "system", "tool")
OURS: Final = {"TracedText": "str", "SafeText": "Markup", "_Namespace": "Namespace", "_Dict": "dict"}
"""What the values of a run are called in the original."""


def in_words_of_the_original(words: str) -> str:
    """An error without the names of this module's classes.

    >>> in_words_of_the_original("'explorer.prompts.traced_text.TracedText object' has no attribute 'items'")
    "'str object' has no attribute 'items'"
    """
    words = re.sub(r"\bexplorer(?:\.\w+)*\.(\w+)", r"\1", words)
    return re.sub(r"\b(?:" + "|".join(OURS) + r")\b", lambda found: OURS[found[0]], words)


def path_of(value: Any, paths: Sequence[Path], first: int) -> Path:
    """Where a value of a run stands in the call, () if unknown. paths: of the sources from `first` on."""
    if isinstance(value, str):
        source = source_of(value)
        return paths[source - first] if source >= first else ()
    items = value if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return next((found[:-1] for item in items if (found := path_of(item, paths, first))), ())


def of_field(path: Path, what: str) -> str:
    """A sentence about a field of the call.

    >>> of_field(("messages", 1, "tool_calls", 0, "function", "arguments"), "is a string")
    'In message 2, tool_calls[0].function.arguments is a string.'
    """
    kinds = {"messages": "message", "tools": "tool", "documents": "document"}
    if len(path) < 2 or path[0] not in kinds or not isinstance(path[1], int):
        return f"In the call, {_dotted(path)} {what}."
    owner = f"{kinds[str(path[0])]} {path[1] + 1}"
    return f"In {owner}, {_dotted(path[2:])} {what}." if path[2:] else f"The {owner} {what}."


def _dotted(path: Path) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in path).lstrip(".")


def kind_in_json(value: Any) -> str:
    """What a value is in JSON."""
    if isinstance(value, bool) or value is None:
        return "null" if value is None else "true or false"
    kinds = (str, "a string"), (int | float, "a number"), (list | tuple, "a list"), (Mapping, "an object")
    return next((word for kind, word in kinds if isinstance(value, kind)), "of another type")


def culprits(run: Run, paths: Sequence[Path]) -> Iterator[str]:
    """The fields of the call that a failing operation was given, in sentences."""
    first = len(run.operands)
    if run.missing is not None:
        value, name = run.missing
        path = path_of(value, paths, first)
        if path and isinstance(value, Mapping) and name not in value:
            yield of_field((*path, str(name)), "is missing")
        elif path:
            yield of_field(path, f"is {kind_in_json(value)}")
        return
    for _, value in run.evaluated:
        if not isinstance(value, str) and (path := path_of(value, paths, first)):
            yield of_field(path, f"is {kind_in_json(value)}")


def explain(error: TemplateFailed, call: Call, tried: Callable[[Call], Any]) -> None:
    """Adds to an error of the template's own the line, and the first message that breaks its rule."""
    if not error.refused or not error.line:
        return
    words = str(error)
    said = [f"Line {error.line} raises this."]
    if (index := first_message(error, call, tried)) is not None:
        role = call.messages[index].get("role")
        which = f" ({role})" if isinstance(role, str) else ""
        said.append(f"Message {index + 1}{which} is the first that breaks the rule.")
    error.args = (" ".join((words if words.endswith((".", "!", "?")) else f"{words}.", *said)),)


def first_message(error: TemplateFailed, call: Call, tried: Callable[[Call], Any]) -> int | None:
    """The index of the first message from which on a template refuses; None if it isn't about messages.

    The template is tried with fewer and fewer messages, and with the first one alone in other roles.
    """

    def refuses(messages: Sequence[Mapping[str, Any]]) -> bool:
        budget.ask("looking for a message")
        try:
            tried(replace(call, messages=messages, continue_final=""))
        except TemplateStopped:
            raise
        except InputError as other:
            return isinstance(other, TemplateFailed) and other.refused and other.line == error.line
        return False

    try:
        with budget.within("looking for a message", SECONDS):
            count = len(call.messages)
            while count > 1 and refuses(call.messages[: count - 1]):
                count -= 1
            if count > 1:
                return count - 1
            others = ([{**call.messages[0], "role": role}] for role in ROLES)
            return None if all(map(refuses, others)) else 0
    except (budget.TooSlow, TemplateStopped):
        return None


def cut_off(steps: Sequence[Step], operands: Sequence[Operand], lost: str) -> tuple[int, int]:
    """The line that cuts a part off the value of a variable, and the line that set that value; zeros if none does."""
    start, known = lost.strip()[:20], dict[str, tuple[str, int]]()
    for step in steps:
        operand = operands[step.operand]
        if operand.kind != "set" or not isinstance(step.value, str):
            continue
        before, line = known.get(operand.name, ("", 0))
        if start in before and start not in step.value and step.value.strip() in before:
            return operand.line, line
        known[operand.name] = step.value, operand.line
    return 0, 0


def by_lines(cut: int, whole: int) -> str:
    """How a part was cut off, after what was cut, "" if unknown.

    >>> by_lines(5, 4)
    ': line 5 cuts it off the text that line 4 sets'
    """
    return f": line {cut} cuts it off the text that line {whole} sets" if cut else ""
