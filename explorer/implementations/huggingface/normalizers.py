"""The normalizers of a tokenizer.json, each made of its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine.normalizers import Normalizer
from explorer.engine.unicode_forms import AFTER_UNICODE_9, Prepend, Replace, UnicodeForm
from explorer.facts import Fact
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import Placed, flat, made


def normalizers(part: Json | None, name: str) -> list[Normalizer]:
    """The normalizers of the section `normalizer`, in order. Raises InputError naming what is not known."""
    return made(flat(part, "normalizer", "normalizers", name), NORMALIZERS, "normalizer")


def normalizer_facts(part: Json | None, name: str) -> list[Fact]:
    """What that section says, for people."""
    return [Fact("normalizer", f"{each.kind}.", each.place) for each in flat(part, "normalizer", "normalizers", name)]


def replace(part: Placed) -> list[Normalizer]:
    pattern = part.get("pattern", dict)
    old = pattern.get("String")
    if not isinstance(old, str):
        raise part.error("pattern is no String, and this version runs no other")
    return [Replace(old, part.get("content", str))] if old else []


NORMALIZERS: Final[Mapping[str, Callable[[Placed], list[Normalizer]]]] = MappingProxyType(
    {
        "NFC": lambda part: [UnicodeForm("NFC", AFTER_UNICODE_9)],
        "NFD": lambda part: [UnicodeForm("NFD", AFTER_UNICODE_9)],
        "NFKC": lambda part: [UnicodeForm("NFKC", AFTER_UNICODE_9)],
        "NFKD": lambda part: [UnicodeForm("NFKD", AFTER_UNICODE_9)],
        "Replace": replace,
        "Prepend": lambda part: [Prepend(part.get("prepend", str))],
    }
)
"""`type` of a normalizer → what makes it."""
