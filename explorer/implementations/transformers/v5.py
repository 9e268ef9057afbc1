"""What a class of `transformers` 5 makes of its arguments and a tokenizer.json.

Follows `TokenizersBackend.convert_to_native_format` and `TokenizersBackend.__init__`: the file as it is, or the parts
that the class builds, then tokens of `added_tokens_decoder` whose flags differ, then the special tokens, and a template
with BOS and EOS where there is no post-processor.
"""

from __future__ import annotations

from explorer.errors import shown
from explorer.formats.tokenizer_json import Json, TokenizerJson
from explorer.implementations.transformers.arguments import EXTRA, Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.bos_eos import updated
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.tokens import Some, Token, among, text
from explorer.implementations.transformers.v5_classes import ClassSpecV5, vocabulary_for
from explorer.implementations.transformers.v5_slow import converted
from explorer.implementations.transformers.v5_special_tokens import named_tokens, unnamed_tokens


def build(args: Arguments, spec: ClassSpecV5, file: TokenizerJson | None, files: Slow | None) -> Backend:
    """The tokenizer of a folder; files: those that count where it has no tokenizer.json.

    Raises InputError where the original stops.
    """
    args.values = {**spec.defaults, **args.values}
    for hook in spec.prepared:
        hook(args)
    if file is None:
        assert files is not None, "a folder has one or the other"
        backend = converted(args, spec, files)
    elif spec.build is None:
        backend = Backend.of(file)
    else:
        backend = spec.build(args, vocabulary_for(args, spec, file.model, charsmap(file.normalizer)))
        backend.post_processor = file.post_processor
    if file is not None and isinstance(file.padding, dict):
        args.values.setdefault("pad_token", file.padding.get("pad_token"))
    explicit = "add_bos_token" in args.values or "add_eos_token" in args.values
    add_tokens(args, backend)
    if explicit or backend.post_processor is None:
        updated(args, backend)
    for finish in spec.finished:
        finish(args, backend)
    return backend


def charsmap(normalizer: Json | None) -> str | None:
    """The character map of the first Precompiled normalizer, not of one within another Sequence."""
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


def add_tokens(args: Arguments, backend: Backend) -> None:
    """Tokens that are not in the backend yet, or with other flags."""
    there = backend.tokens
    flags = {token.flags for token in there}
    new: list[Some] = [token for _, token in sorted(args.decoder.items()) if token.flags not in flags]
    spelled = {token.content for token in there} | {text(token) for token in new}
    named, unnamed = named_tokens(args), unnamed_tokens(args)
    for token in (*named.values(), *unnamed):
        if not isinstance(token, (str, Token)):
            raise args.refusal(f"{EXTRA} holds {shown(token)}, which is no token; give its text")
        if text(token) not in spelled and not among(token, new):
            new.append(token)
    names = {text(token) for token in named.values() if not isinstance(token, str) or token}
    backend.add(
        token.as_special(token.special or token.content in names)
        if isinstance(token, Token)
        else Token(token, special=True)
        for token in new
    )
