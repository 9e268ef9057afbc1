"""BOS and EOS around a text: the template that classes of `transformers` use as a post-processor."""

from __future__ import annotations

from explorer.errors import shown
from explorer.implementations.transformers.arguments import Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.parts import template
from explorer.implementations.transformers.tokens import Some, text
from explorer.implementations.transformers.versions import FIRST_5


def set_template(args: Arguments, backend: Backend, bos: bool, eos: bool) -> None:
    """Sets the template. Raises InputError if a token is missing, or not allowed in a template."""
    before = [_named_token(args, backend, "bos_token")] if bos else []
    after = [_named_token(args, backend, "eos_token")] if eos else []
    backend.post_processor = template(before, after)


def _named_token(args: Arguments, backend: Backend, key: str) -> tuple[str, int]:
    """A named special token with its id."""
    token: Some | None = args.token(key)
    if token is None:
        raise args.refusal(f"add_{key} is true, but there is no {key}")
    return in_template(args, text(token)), id_or_unknown(args, backend, text(token))


def in_template(args: Arguments, name: str, *, listed: bool = False) -> str:
    """A token's spelling, if a template may contain it. listed: the original has the template as a list, not a line."""
    if not name or (not listed and any(ch.isspace() for ch in name)) or ":" in name or name.startswith("$"):
        raise args.refusal(f"{shown(name)} is not allowed in a template")
    return name


def id_or_unknown(args: Arguments, backend: Backend, name: str) -> int:
    """The id of a token, or of the unknown token if it does not exist."""
    id = backend.id_of(name)
    unknown = args.token("unk_token")
    if id is None and unknown is not None:
        id = backend.id_of(text(unknown))
    if id is None:
        raise args.refusal(f"{shown(name)} has no id")
    return id


def update_template(args: Arguments, backend: Backend) -> None:
    """Sets the template of version 5: BOS and EOS, if requested and defined.

    If one is not, 5.0.0 stops for BOS and sets no template for EOS.
    """
    wanted = [bool(args.values.get(f"add_{key}")) for key in ("bos_token", "eos_token")]
    named = [args.token(key) is not None for key in ("bos_token", "eos_token")]
    if args.version == FIRST_5:
        if wanted[0] and not named[0]:
            raise args.refusal("add_bos_token is true, but there is no bos_token")
        if wanted[1] and not named[1]:
            return
    set_template(args, backend, wanted[0] and named[0], wanted[1] and named[1])
