"""The special tokens of a class of version 5: the named ones and the others."""

from __future__ import annotations

from typing import Any

from explorer.errors import shown
from explorer.formats.model_folder import NAMED
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, SPECIFIC, Arguments, only_tokens
from explorer.implementations.transformers.tokens import Some, Token


def named_tokens(args: Arguments) -> dict[str, Some]:
    """The named special tokens, in the order the original processes them."""
    named: dict[str, Any] = dict.fromkeys(NAMED)
    for key in NAMED:
        named[key] = args.values.get(key)
    extra = extras(args)
    if isinstance(extra, dict):
        only_tokens(args, EXTRA, extra)
        named |= extra
    own = {
        key: value
        for key, value in args.values.items()
        if key.endswith("_token") and key not in NAMED and isinstance(value, (str, Token))
    }
    specific = args.values.get(SPECIFIC) or {}
    if not isinstance(specific, dict):
        raise args.refusal(f"{SPECIFIC} is {shown(specific)}, not an object with names")
    only_tokens(args, SPECIFIC, specific)
    named |= own | specific
    return {key: value for key, value in named.items() if value is not None}


def extras(args: Arguments) -> Any:
    """The unnamed special tokens: a list, or an object with names of their own."""
    return args.values.get(EXTRA, args.values.get(ADDITIONAL))


def unnamed_tokens(args: Arguments) -> list[Any]:
    """The same if they are a list; otherwise an empty list."""
    extra = extras(args)
    return extra if isinstance(extra, list) else []


def all_tokens(args: Arguments) -> list[Some]:
    """All special tokens, the named ones first."""
    return [*named_tokens(args).values(), *unnamed_tokens(args)]
