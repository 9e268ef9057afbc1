"""How long and heavy a value may be that a template builds: a template is a stranger's program.

Asked before a text or list is built, so that it never is. Time and steps are bounded elsewhere (`engine.budget`,
`prompts.program`).
"""

from typing import Any

from jinja2.utils import Namespace

from explorer.engine import budget
from explorer.errors import InputError

LONGEST = 1_000_000
"""Characters of a text, or items of a list, that a template may build."""


class TooLong(InputError):
    """A text or list that a template would build is too long. It is never built."""


def bounded(length: int) -> None:
    """Raises TooLong if a text or list of this length may not be built."""
    if length > LONGEST:
        raise TooLong("The template was stopped: it builds a value longer than {0} characters or items.", LONGEST)


def bounded_parts(count: int) -> None:
    """Raises TooLong if a text may not be taken apart into so many parts: each takes hundreds of bytes.

    >>> bounded_parts(100_001)
    Traceback (most recent call last):
    explorer.prompts.bounds.TooLong: The template was stopped: it takes a text apart into more than 100,000 parts.
    """
    if count > MOST_PARTS:
        raise TooLong("The template was stopped: it takes a text apart into more than {0} parts.", MOST_PARTS)


MOST_PARTS = 100_000
"""Characters, words or lines of a text that a template may have as texts of their own, at once."""

HEAVIEST = 10 * LONGEST
"""What a value may weigh with all inside it, counted as often as it stands there: what reading all of it takes."""


def weighed(*values: Any) -> int:
    """Characters and ten times the items of values, with those inside lists. Raises TooLong if they are too many.

    A list that holds another one twice, forty times over, is small in memory and has no end as text.

    >>> weighed(["ab", {"c": 1}])
    53
    """
    waiting, weight, looked = [*values], 0, 0
    while waiting:
        value = waiting.pop()
        looked += 1
        weight += 10 + (len(value) if isinstance(value, str) else 0)
        if isinstance(value, Namespace):
            value = object.__getattribute__(value, "_Namespace__attrs")
        if isinstance(value, list | tuple | dict):
            bounded((weight + 10 * len(value)) // 10)
            waiting += [*value, *value.values()] if isinstance(value, dict) else value
        if weight > HEAVIEST:
            bounded(weight)
        if not looked % 1024:
            budget.ask("the template")
    return weight
