"""What a class of `transformers` 4 makes of its arguments and a tokenizer.json.

Follows `PreTrainedTokenizerFast.__init__`: the file as it is, then tokens of `added_tokens_decoder` whose flags differ,
then the special tokens, and add_prefix_space over that of a ByteLevel pre-tokenizer, whether it was said or not.
"""

from __future__ import annotations

from typing import Any

from explorer.errors import InputError, shown
from explorer.formats.model_folder import NAMED
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.transformers.arguments import ADDITIONAL, EXTRA, Arguments
from explorer.implementations.transformers.backend import Backend
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.tokens import Some, Token, among, text
from explorer.implementations.transformers.v4_classes import ClassSpecV4
from explorer.implementations.transformers.v4_slow import CONVERTERS, converted

MODEL = "tokenizer.model"


def build(args: Arguments, spec: ClassSpecV4, file: TokenizerJson | None, files: Slow | None) -> Backend:
    """The tokenizer of a folder. Raises InputError where the original stops.

    files: those of the slow class, which count where there is no tokenizer.json, and where a setting asks for them.
    """
    own = dict(args.values)
    args.values = {**spec.defaults, **args.values}
    for hook in spec.prepared:
        hook(args)
    from_slow = spec.from_slow and args.values.get("add_prefix_space") is not None
    wanted = args.flag("add_prefix_space", False)
    if file is not None and not from_slow and not args.flag("from_slow", False):
        backend = Backend.of(file)
        if isinstance(file.padding, dict):
            args.values.setdefault("pad_token", file.padding.get("pad_token"))
    else:
        backend = from_files(args, own if file is None else dict(args.values), spec, files)
    add_tokens(args, backend)
    prefix_space(backend, wanted)
    for finish in spec.finished:
        finish(args, backend)
    return backend


def from_files(args: Arguments, values: dict[str, Any], spec: ClassSpecV4, files: Slow | None) -> Backend:
    """The tokenizer converted from the slow class. values: what that is args."""
    converter = CONVERTERS.get(spec.slow)
    if converter is None:
        raise InputError("there is no tokenizer.json, and its class is not converted from other files here")
    # whatever the class calls it, a tokenizer.model is taken
    if files is None or files.name not in (converter.file, MODEL if converter.file.endswith(".model") else ""):
        raise args.refusal(f"there is no {converter.file}, which it converts")
    if converter.file == "vocab.json" and files.merges is None:
        raise args.refusal("there is no merges.txt")
    slow = Arguments(args.version, values, args.decoder)
    backend = converted(slow, converter, files)
    args.values |= slow.values
    return backend


def specials(args: Arguments) -> list[Some]:
    """All special tokens, those with a name first, each spelling once."""
    own = args.values.get(ADDITIONAL)
    if own is not None and not (isinstance(own, list) and all(isinstance(each, (str, Token)) for each in own)):
        raise args.refusal(f"{ADDITIONAL} is {shown(own)}, not a list of tokens")
    extra = args.values.get(EXTRA, {})
    if not isinstance(extra, dict):
        raise args.refusal(f"{EXTRA} is {'null' if extra is None else 'a list'}, and it asks for an object with names")
    for key, value in extra.items():
        if not isinstance(value, (str, Token)):
            raise args.refusal(f"{EXTRA}.{shown(key)} is {shown(value)}, no token")
    named: dict[str, Any] = {key: args.values.get(key) for key in NAMED} | {ADDITIONAL: own or []} | extra
    found: list[Some] = []
    seen: set[str] = set()
    for value in named.values():
        for token in value if isinstance(value, list) else [value]:
            # an empty text counts for nothing, unless it stands in a list or has flags
            if token is not None and (token or isinstance(value, list)) and text(token) not in seen:
                found.append(token)
        seen |= {text(token) for token in (value if isinstance(value, list) else [value]) if token is not None}
    return found


def add_tokens(args: Arguments, backend: Backend) -> None:
    """Tokens that are not in the file, or with other flags."""
    there = backend.tokens
    flags = {token.flags for token in there}
    new: list[Some] = [token for _, token in sorted(args.decoder.items()) if token.flags not in flags]
    spelled = {token.content for token in there} | {text(token) for token in new}
    special = specials(args)
    new += [token for token in special if (isinstance(token, Token) or token not in spelled) and not among(token, new)]
    names = set(map(text, special))
    backend.add(
        token.as_special(token.special or token.content in names)
        if isinstance(token, Token)
        else Token(token, special=True)
        for token in new
    )


def prefix_space(backend: Backend, wanted: bool | None) -> None:
    """add_prefix_space of a ByteLevel pre-tokenizer becomes what the class has; null changes nothing."""
    part = backend.pre_tokenizer
    if part is None or part.get("type") != "ByteLevel" or wanted is None:
        return
    if part.get("add_prefix_space") != wanted:
        backend.pre_tokenizer = {**part, "add_prefix_space": wanted}
