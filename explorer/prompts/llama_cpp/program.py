"""A template as a program of llama.cpp's engine: parsed, and run within bounds."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from explorer.engine import budget
from explorer.prompts.llama_cpp import syntax
from explorer.prompts.llama_cpp.interpreter import Interpreter
from explorer.prompts.llama_cpp.parser import Parser
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.syntax import Node
from explorer.prompts.llama_cpp.values import Break, Continue, Failed, Raised
from explorer.prompts.program import (
    LIMITS,
    LONGEST_TEMPLATE,
    SECONDS,
    one_line,
    stopped,
)
from explorer.prompts.run import Operand, Run, TemplateFailed

PRESERVE: Final = {
    "preserve_thinking": True,
    "clear_thinking": False,
    "truncate_history_thinking": False,
    "drop_thinking": False,
}
"""What `preserve_reasoning` sets; llama-server switches it on."""


def as_bytes(text: str) -> str:
    """A text whose characters are the bytes of its UTF-8.

    >>> as_bytes("é")
    'Ã©'
    """
    return text.encode("utf-8", "replace").decode("latin-1")


def as_text(text: str) -> str:
    """What the bytes in a text are as UTF-8. Characters that are no bytes stay.

    >>> as_text("Ã©…")
    'é…'
    """
    return BYTES.sub(lambda found: found[0].encode("latin-1").decode("utf-8", "ignore"), text)


BYTES: Final = re.compile("[\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A template as llama.cpp parses it. source: normalized, as characters. texts: byte texts of operands, by index."""

    source: str
    body: Sequence[Node]
    operands: tuple[Operand, ...]
    texts: Mapping[int, str]


@lru_cache(maxsize=64)
def parsed(template: str) -> Parsed:
    """A template's source, parsed. Raises TemplateFailed."""
    if len(template) > LONGEST_TEMPLATE:
        raise TemplateFailed(f"The template has more than {LONGEST_TEMPLATE:,} characters.")
    source = syntax.normalized(as_bytes(template))
    try:
        parser = Parser(source)
        body = parser.parse()
    except Failed as error:
        line = source.count("\n", 0, max(error.at, 0)) + 1
        raise TemplateFailed(f"Line {line}: {as_text(str(error))}", line) from error
    except RecursionError:
        raise TemplateFailed("The template is nested too deeply.") from None
    counts = [0, *accumulate(not "\x80" <= byte < "\xc0" for byte in str.__iter__(source))]
    """by byte offset, the number of characters before it"""
    operands = [
        replace(each, start=counts[each.start], end=counts[each.end], name=as_text(each.name))
        for each in parser.operands
    ]
    return Parsed(source.encode("latin-1").decode("utf-8", "replace"), body, tuple(operands), parser.texts)


def run(
    template: Parsed, variables: Mapping[str, Any], now: datetime, without: Collection[Rule] = (), *, spent: int = 0
) -> tuple[Run, Interpreter]:
    """Runs a template with these variables. without: rules that are left out. spent: of its steps, before it runs.

    Raises TemplateFailed.
    """
    record = Run(template.operands, now, readable=as_text, spent=spent)
    interpreter = Interpreter(record, now, without)

    def line() -> int:
        return as_bytes(template.source).count("\n", 0, max(interpreter.at, 0)) + 1

    try:
        with budget.within("running a template", SECONDS):
            interpreter.write(template.body, dict(variables))
    except TemplateFailed as error:
        error.line, error.run = error.line or line(), record
        raise
    except Raised as error:
        words = f"The template refuses: {one_line(as_text(str(error)))}"
        raise TemplateFailed(words, line(), refused=True, run=record) from error
    except LIMITS as error:
        raise stopped(error, line(), record) from error
    except (Failed, Break, Continue) as error:
        words = f"Line {line()}: {as_text(str(error)) or 'break or continue outside a loop'}"
        raise TemplateFailed(words, line(), run=record) from error
    return record, interpreter
