"""The tokenizer that a class of `transformers` 5 makes of its arguments and a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `TokenizersBackend.__init__`: the file unchanged, or the parts
that the class builds; then tokens of `added_tokens_decoder` with other flags; then the special tokens; then a template
with BOS and EOS if there is no post-processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from explorer.errors import shown
from explorer.formats.tokenizer_json import Json, TokenizerJson
from explorer.implementations.transformers.arguments import EXTRA, Arguments, named_tokens, unnamed_tokens
from explorer.implementations.transformers.backend import Backend, Token, text
from explorer.implementations.transformers.templates import update_template
from explorer.implementations.transformers.v5_classes import ClassSpecV5, vocabulary_for

OfFiles: TypeAlias = Callable[[Arguments], Backend]


def build(args: Arguments, spec: ClassSpecV5, file: TokenizerJson | None, of_files: OfFiles | None) -> Backend:
    """The tokenizer of a folder. of_files: what the class takes from other files, if there is no tokenizer.json.

    Raises InputError where the original raises an error.
    """
    args.values = {**spec.defaults, **args.values}
    for hook in spec.prepared:
        hook(args)
    if file is None:
        assert of_files is not None, "a folder has a tokenizer.json or other files"
        backend = of_files(args)
    elif spec.build is None:
        backend = Backend.of(file)
    else:
        backend = spec.build(args, vocabulary_for(args, spec, file.model, _charsmap(file.normalizer)))
        backend.post_processor = file.post_processor or backend.post_processor
    if file is not None and isinstance(file.padding, dict):
        args.values.setdefault("pad_token", file.padding.get("pad_token"))
    explicit = "add_bos_token" in args.values or "add_eos_token" in args.values
    _add_tokens(args, backend)
    updated = explicit or backend.post_processor is None
    if updated and spec.updates:
        update_template(args, backend)
    for finish in spec.finished:
        finish(args, backend)
    if updated and spec.twice:
        update_template(args, backend)
    return backend


def _charsmap(normalizer: Json | None) -> str | None:
    """The character map of the first Precompiled normalizer, nested Sequences excepted."""
    if not normalizer:
        return None
    parts = normalizer["normalizers"] if normalizer["type"] == "Sequence" else [normalizer]
    return next(
        (
            part["precompiled_charsmap"]
            for part in parts
            if part.get("type") == "Precompiled" and "precompiled_charsmap" in part
        ),
        None,
    )


def _add_tokens(args: Arguments, backend: Backend) -> None:
    """Adds tokens of the settings that the backend does not have, or has with other flags."""
    named, unnamed = named_tokens(args), unnamed_tokens(args)
    for token in unnamed:
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{EXTRA} contains {shown(token)}, which is not a token; give its text")
    spelled = {token.content for token in (*backend.tokens, *args.decoder.values())}
    special = [token for token in (*named.values(), *unnamed) if text(token) not in spelled]
    names = {text(token) for token in named.values() if not isinstance(token, str) or token}
    backend.add_missing(args.decoder, special, names)
