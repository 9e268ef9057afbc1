"""BOS and EOS around a text: the template that classes of `transformers` put in place of a post-processor."""

from __future__ import annotations

from explorer.errors import shown
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.parts import template
from explorer.implementations.transformers.tokens import Some, text


def around(args: Arguments, backend: Backend, bos: bool, eos: bool) -> None:
    """Puts the template in place. Raises InputError where the original stops: a token is missing, or cannot be in a
    template."""
    before = [placed(args, backend, "bos_token")] if bos else []
    behind = [placed(args, backend, "eos_token")] if eos else []
    backend.post_processor = template(before, behind)


def placed(args: Arguments, backend: Backend, key: str) -> tuple[str, int]:
    """A special token by its name, with its id."""
    token: Some | None = args.token(key)
    if token is None:
        raise args.refusal(f"add_{key} is true, and there is no {key}")
    return in_template(args, text(token)), id_or_unknown(args, backend, text(token))


def in_template(args: Arguments, name: str, *, listed: bool = False) -> str:
    """A token's spelling, which the original reads out of a line of words, or takes as it is from a list."""
    if not name or (not listed and any(ch.isspace() for ch in name)) or ":" in name or name.startswith("$"):
        raise args.refusal(f"{shown(name)} cannot stand in a template")
    return name


def id_or_unknown(args: Arguments, backend: Backend, name: str) -> int:
    """The id of a token, that of the unknown token where there is no such token."""
    id = backend.id_of(name)
    unknown = args.token("unk_token")
    if id is None and unknown is not None:
        id = backend.id_of(text(unknown))
    if id is None:
        raise args.refusal(f"{shown(name)} has no id")
    return id


def updated(args: Arguments, backend: Backend) -> None:
    """The template of BOS and EOS, as far as they are asked for and there (version 5)."""
    both = [bool(args.values.get(f"add_{key}")) and args.token(key) is not None for key in ("bos_token", "eos_token")]
    around(args, backend, *both)
