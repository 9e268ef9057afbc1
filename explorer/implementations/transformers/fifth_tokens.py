"""Which special tokens a class of version 5 is given: by name, and the others."""

from __future__ import annotations

from typing import Any

from explorer.errors import shown
from explorer.formats.model_folder import NAMED
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, SPECIFIC, Arguments, only_tokens
from explorer.implementations.transformers.tokens import Some, Token


def named_tokens(given: Arguments) -> dict[str, Some]:
    """The special tokens with a name, in the order they are gone through."""
    named: dict[str, Any] = dict.fromkeys(NAMED)
    for key in NAMED:
        named[key] = given.values.get(key)
    extra = extras(given)
    if isinstance(extra, dict):
        only_tokens(given, EXTRA, extra)
        named |= extra
    own = {
        key: value
        for key, value in given.values.items()
        if key.endswith("_token") and key not in NAMED and isinstance(value, (str, Token))
    }
    specific = given.values.get(SPECIFIC) or {}
    if not isinstance(specific, dict):
        raise given.refusal(f"{SPECIFIC} is {shown(specific)}, not an object with names")
    only_tokens(given, SPECIFIC, specific)
    named |= own | specific
    return {key: value for key, value in named.items() if value is not None}


def extras(given: Arguments) -> Any:
    """The special tokens without a name."""
    return given.values.get(EXTRA, given.values.get(ADDITIONAL))


def unnamed_tokens(given: Arguments) -> list[Any]:
    """Those of them that are a list."""
    extra = extras(given)
    return extra if isinstance(extra, list) else []


def all_tokens(given: Arguments) -> list[Some]:
    """All special tokens, those with a name first."""
    return [*named_tokens(given).values(), *unnamed_tokens(given)]
