"""The normalizers of a tokenizer.json, each made of its settings."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine import oniguruma
from explorer.engine.bert_normalizer import bert_normalizers
from explorer.engine.charsmap import PrecompiledCharsmap
from explorer.engine.normalizers import Normalizer
from explorer.engine.precompiled import Precompiled
from explorer.engine.rewriting import (
    Lowercase,
    Prepend,
    Replace,
    SpellBytes,
    Strip,
    StripAccents,
    literal,
    nmt,
)
from explorer.engine.unicode_forms import UnicodeForm
from explorer.errors import InputError
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import Placed, flat, made, shown


def normalizers(part: Json | None, name: str) -> list[Normalizer]:
    """The normalizers of the section `normalizer`, in order. Raises InputError naming what is not known."""
    return made(flat(part, "normalizer", "normalizers", name), NORMALIZERS, "normalizer")


def bert(part: Placed) -> list[Normalizer]:
    accents = None if part.part.get("strip_accents") is None else part.get("strip_accents", bool)
    return bert_normalizers(
        clean_text=part.get("clean_text", bool),
        handle_chinese_chars=part.get("handle_chinese_chars", bool),
        strip_accents=accents,
        lowercase=part.get("lowercase", bool),
    )


def replace(part: Placed) -> list[Normalizer]:
    kind, pattern = part.pattern()
    content = part.get("content", str)
    if kind is None:
        return [Replace(literal(pattern), content)]
    try:
        return [Replace(oniguruma.Spans(pattern), content)]
    except InputError as error:
        raise part.error(f"pattern {shown(pattern)} cannot be run: {error}") from None


def precompiled(part: Placed) -> list[Normalizer]:
    try:
        data = base64.b64decode(part.get("precompiled_charsmap", str), validate=True)
    except (binascii.Error, ValueError) as error:
        raise part.error(f"precompiled_charsmap is no base64 ({error})") from None
    return [Precompiled(PrecompiledCharsmap(data, f"{part.name}: {part.place}"))]


def listed(*made: Normalizer) -> Callable[[Placed], list[Normalizer]]:
    """What makes the same of every part of a type: it has no settings."""
    return lambda part: list(made)


NORMALIZERS: Final[Mapping[str, Callable[[Placed], list[Normalizer]]]] = MappingProxyType(
    {
        "NFC": listed(UnicodeForm("NFC")),
        "NFD": listed(UnicodeForm("NFD")),
        "NFKC": listed(UnicodeForm("NFKC")),
        "NFKD": listed(UnicodeForm("NFKD")),
        "Lowercase": listed(Lowercase()),
        "StripAccents": listed(StripAccents()),
        "Strip": lambda part: [Strip(left=part.get("strip_left", bool), right=part.get("strip_right", bool))],
        "Replace": replace,
        "Prepend": lambda part: [Prepend(part.get("prepend", str))],
        "BertNormalizer": bert,
        "Precompiled": precompiled,
        "Nmt": listed(*nmt()),
        "ByteLevel": listed(SpellBytes()),
    }
)
"""`type` of a normalizer → what makes it."""
