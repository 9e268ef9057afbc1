"""The special tokens of a class of version 4: the named ones and the others."""

from __future__ import annotations

from typing import Any

from explorer.errors import shown
from explorer.formats.model_folder import NAMED
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, Arguments
from explorer.implementations.transformers.tokens import Some, Token, text


def special_tokens(args: Arguments) -> list[Some]:
    """All special tokens, the named ones first, each spelling once."""
    own = args.values.get(ADDITIONAL)
    if own is not None and not (isinstance(own, list) and all(isinstance(each, (str, Token)) for each in own)):
        raise args.refusal(f"{ADDITIONAL} is {shown(own)}, not a list of tokens")
    extra = args.values.get(EXTRA, {})
    if not isinstance(extra, dict):
        raise args.refusal(f"{EXTRA} is {'null' if extra is None else 'a list'}, but it must be an object with names")
    for key, value in extra.items():
        if not isinstance(value, (str, Token)):
            raise args.refusal(f"{EXTRA}.{shown(key)} is {shown(value)}, not a token")
    named: dict[str, Any] = {key: args.values.get(key) for key in NAMED} | {ADDITIONAL: own or []} | extra
    found: list[Some] = []
    seen: set[str] = set()
    for value in named.values():
        for token in value if isinstance(value, list) else [value]:
            # an empty text is ignored, unless it is in a list or has flags
            if token is not None and (token or isinstance(value, list)) and text(token) not in seen:
                found.append(token)
        seen |= {text(token) for token in (value if isinstance(value, list) else [value]) if token is not None}
    return found
