"""The tokenizer that a class of `transformers` 4 makes of its arguments and a tokenizer.json.

Follows `PreTrainedTokenizerFast.__init__`: the file unchanged, then tokens of `added_tokens_decoder` with other flags,
then the special tokens. add_prefix_space overrides that of a ByteLevel pre-tokenizer, even if it is only the default.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from explorer.errors import InputError
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.transformers import phobert as phobert
from explorer.implementations.transformers import v4_sentencepiece as v4_sentencepiece
from explorer.implementations.transformers import v4_slow as v4_slow
from explorer.implementations.transformers.arguments import Arguments, special_tokens
from explorer.implementations.transformers.backend import Backend, Token, text
from explorer.implementations.transformers.rows import Row, rows
from explorer.implementations.transformers.slow import Slow
from explorer.implementations.transformers.v4_classes import ClassSpecV4

MODEL = "tokenizer.model"


class Converter(Row, frozen=True, kw_only=True):
    """A slow class: a row of v4.toml."""

    file: str
    convert: str


CONVERTERS: Final = rows("v4.toml", "slow", Converter)
"""`ClassSpecV4.slow` → the slow class."""


def build(
    args: Arguments, spec: ClassSpecV4, file: TokenizerJson | None, slow: Callable[[str], Slow | None]
) -> Backend:
    """The tokenizer of a folder. Raises InputError where the original raises an error.

    slow: the files of the slow tokenizer by the name of its vocabulary, used if there is no tokenizer.json or a setting
    asks for them.
    """
    own = dict(args.values)
    spec.prepare(args)
    from_slow = spec.from_slow and args.values.get("add_prefix_space") is not None
    wanted = args.flag("add_prefix_space")
    if file is not None and not from_slow and not args.flag("from_slow"):
        backend = Backend.of(file)
        if isinstance(file.padding, dict):
            args.values.setdefault("pad_token", file.padding.get("pad_token"))
    else:
        backend = _from_slow_files(args, own if file is None else dict(args.values), spec, slow)
    special = special_tokens(args)
    backend.add_missing(args.decoder, special, set(map(text, special)))
    _set_prefix_space(backend, wanted)
    spec.finish(args, backend)
    return backend


def _from_slow_files(
    args: Arguments, values: dict[str, Any], spec: ClassSpecV4, slow: Callable[[str], Slow | None]
) -> Backend:
    """The tokenizer converted from the slow class. values: the arguments of that class."""
    converter = CONVERTERS.get(spec.slow)
    if converter is None:
        raise InputError("there is no tokenizer.json, and its class is not converted from other files here")
    files = slow(converter.file)
    # tokenizer.model is accepted whatever name the class uses
    if files is None or files.name not in (converter.file, MODEL if converter.file.endswith(".model") else ""):
        raise args.refusal(f"there is no {converter.file} to convert")
    if converter.file == "vocab.json" and files.merges is None:
        raise args.refusal("there is no merges.txt")
    inner = converter.applied(values)
    backend: Backend = attrgetter(converter.convert)(sys.modules[__name__])(
        Arguments(args.version, inner, args.decoder), files
    )
    # afterward the arguments of the slow class override those of the fast one, whose tokens have `normalized` set
    args.values |= {
        key: replace(value, said=value.normalized) if isinstance(value, Token) else value
        for key, value in inner.items()
    }
    return backend


def _set_prefix_space(backend: Backend, wanted: bool | None) -> None:
    """Sets add_prefix_space of a ByteLevel pre-tokenizer to the class's value; null changes nothing."""
    part = backend.pre_tokenizer
    if part is None or part.get("type") != "ByteLevel" or wanted is None:
        return
    if part.get("add_prefix_space") != wanted:
        backend.pre_tokenizer = {**part, "add_prefix_space": wanted}
