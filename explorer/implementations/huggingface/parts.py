"""The parts of a tokenizer.json by their type: normalizers, pre-tokenizers, post-processors.

Each table maps the `type` of a part to what makes it of its settings. Only what the known vocabularies need is here.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from explorer.engine.added_tokens import AddedToken, AddedTokenPartition
from explorer.engine.normalizers import Normalization, Normalizer
from explorer.engine.patterns import GPT2, Alternative, Pattern
from explorer.engine.postprocess import AddSpecial
from explorer.engine.pretokenizers import (
    ByteLevel,
    Digits,
    PrefixSpace,
    PreTokenization,
    RegexSplit,
    Splitter,
)
from explorer.engine.tokenizer import Part
from explorer.engine.unicode_forms import AFTER_UNICODE_9, Prepend, Replace, UnicodeForm
from explorer.errors import InputError
from explorer.formats.tokenizer_json import Json, TokenizerJson
from explorer.implementations.huggingface.settings import Makers, made, pattern, setting
from explorer.text import visible

# --- normalizers ---------------------------------------------------------------------------------------------------


def replace(part: Json, name: str) -> list[Normalizer]:
    old = pattern(part, name)
    if not isinstance(old, str):
        raise InputError(f"{name}: the normalizer Replace with a Regex is not known here; only with a String")
    return [Replace(old, setting(part, "content", str, name))] if old else []


NORMALIZERS: Final[Makers[Normalizer]] = MappingProxyType(
    {
        "NFC": lambda part, name: [UnicodeForm("NFC", AFTER_UNICODE_9)],
        "NFD": lambda part, name: [UnicodeForm("NFD", AFTER_UNICODE_9)],
        "NFKC": lambda part, name: [UnicodeForm("NFKC", AFTER_UNICODE_9)],
        "NFKD": lambda part, name: [UnicodeForm("NFKD", AFTER_UNICODE_9)],
        "Replace": replace,
        "Prepend": lambda part, name: [Prepend(setting(part, "prepend", str, name))],
    }
)

# --- pre-tokenizers ------------------------------------------------------------------------------------------------


def split(part: Json, name: str) -> list[Splitter]:
    behavior = setting(part, "behavior", str, name)
    if behavior not in ("Isolated", "Removed") or part.get("invert"):
        raise InputError(
            f"{name}: Split with behavior {behavior!r}{' and invert' if part.get('invert') else ''} is not known here; "
            "this version runs Isolated and Removed, not inverted"
        )
    wanted = pattern(part, name)
    if isinstance(wanted, str):
        says = f"The text “{visible(wanted)}” itself."
        # every character that means something in a regular expression is written as itself
        literal = "".join(ch if ch.isalnum() else f"\\{ch}" if ch.isascii() else ch for ch in wanted)
        wanted = Pattern("text", "the vocabulary file", (Alternative(literal, says),))
    return [RegexSplit(wanted, removed=behavior == "Removed")]


def byte_level(part: Json, name: str) -> list[Splitter]:
    """ByteLevel is up to three things in one: a space in front, GPT-2's pattern, and the printable spelling."""
    made: list[Splitter] = []
    if setting(part, "add_prefix_space", bool, name, default=True):
        made.append(PrefixSpace())
    if setting(part, "use_regex", bool, name, default=True):
        made.append(RegexSplit(GPT2))
    return [*made, ByteLevel()]


PRE_TOKENIZERS: Final[Makers[Splitter]] = MappingProxyType(
    {
        "Split": split,
        "ByteLevel": byte_level,
        "Digits": lambda part, name: [Digits(setting(part, "individual_digits", bool, name, default=False))],
    }
)

# --- post-processors -----------------------------------------------------------------------------------------------


def template(part: Json, name: str) -> list[AddSpecial]:
    """TemplateProcessing for a single text: special tokens before and behind `$A`."""
    known = setting(part, "special_tokens", dict, name)
    before: list[int] = []
    behind: list[int] = []
    seen = False
    for piece in setting(part, "single", list, name):
        if isinstance(piece, dict) and "Sequence" in piece:
            seen = True
            continue
        try:
            ids = known[piece["SpecialToken"]["id"]]["ids"]
            (behind if seen else before).extend(int(id) for id in ids)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{name}: TemplateProcessing.single holds {piece!r}; repair the file") from None
    if len(before) > 1 or len(behind) > 1:
        raise InputError(
            f"{name}: TemplateProcessing adds {len(before)} tokens in front and {len(behind)} behind; this version "
            "adds one each"
        )
    return [AddSpecial(*(ids[0] if ids else None for ids in (before, behind)))]


POST_PROCESSORS: Final[Makers[AddSpecial]] = MappingProxyType(
    {
        "TemplateProcessing": template,
        # it trims offsets, and here a token's span is what it stands for, white space and all
        "ByteLevel": lambda part, name: [],
    }
)

# --- all together --------------------------------------------------------------------------------------------------


def first_parts(file: TokenizerJson, name: str) -> list[Part]:
    """The stages before the model: added tokens, normalization, pre-tokenization; those the file does not have are
    left out."""
    tokens = [
        AddedToken(each.id, each.content, each.special, each.single_word, each.lstrip, each.rstrip, each.normalized)
        for each in file.added_tokens
    ]
    normalizers = made(file.normalizer, NORMALIZERS, "normalizer", name)
    # without a normalizer both kinds see the same text
    later = [token for token in tokens if token.normalized]
    parts: list[Part] = [AddedTokenPartition(token for token in tokens if not token.normalized)]
    if normalizers:
        parts.append(Normalization(normalizers))
    if later:
        parts.append(AddedTokenPartition(later))
    splitters = made(file.pre_tokenizer, PRE_TOKENIZERS, "pre_tokenizer", name)
    if splitters:
        parts.append(PreTokenization(splitters))
    return parts


def post_processor(file: TokenizerJson, name: str) -> AddSpecial:
    """The last stage. Where the file has several templates each would add its tokens; one is known here."""
    found = made(file.post_processor, POST_PROCESSORS, "post_processor", name)
    if len(found) > 1:
        raise InputError(f"{name}: the post_processor holds {len(found)} templates; this version runs one")
    return found[0] if found else AddSpecial()
