"""The stages of a tokenizer.json but for its model: added tokens, normalization, pre-tokenization, post-processing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine.added_tokens import AddedToken, AddedTokenPartition
from explorer.engine.normalizers import Normalization
from explorer.engine.postprocess import AddSpecial
from explorer.engine.pretokenizers import PreTokenization
from explorer.engine.tokenizer import Part
from explorer.errors import InputError
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.implementations.huggingface.normalizers import normalizers
from explorer.implementations.huggingface.pre_tokenizers import pre_tokenizers
from explorer.implementations.huggingface.reading import Placed, flat, made

# --- post-processors -----------------------------------------------------------------------------------------------


def template(part: Placed) -> list[AddSpecial]:
    """TemplateProcessing for a single text: special tokens before and behind `$A`."""
    known = part.get("special_tokens", dict)
    before: list[int] = []
    behind: list[int] = []
    seen = False
    for piece in part.get("single", list):
        if isinstance(piece, dict) and "Sequence" in piece:
            seen = True
            continue
        try:
            ids = known[piece["SpecialToken"]["id"]]["ids"]
            (behind if seen else before).extend(int(id) for id in ids)
        except (KeyError, TypeError, ValueError):
            raise part.error(f"single holds {piece!r}") from None
    if len(before) > 1 or len(behind) > 1:
        raise part.error(f"single adds {len(before)} tokens in front and {len(behind)} behind, and one each is run")
    return [AddSpecial(*(ids[0] if ids else None for ids in (before, behind)))]


POST_PROCESSORS: Final[Mapping[str, Callable[[Placed], list[AddSpecial]]]] = MappingProxyType(
    {
        "TemplateProcessing": template,
        # it trims offsets, and here a token's span is what it stands for, white space and all
        "ByteLevel": lambda part: [],
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
    before = normalizers(file.normalizer, name)
    # without a normalizer both kinds see the same text
    later = [token for token in tokens if token.normalized]
    parts: list[Part] = [AddedTokenPartition(token for token in tokens if not token.normalized)]
    if before:
        parts.append(Normalization(before))
    if later:
        parts.append(AddedTokenPartition(later))
    splitters = pre_tokenizers(file.pre_tokenizer, name)
    if splitters:
        parts.append(PreTokenization(splitters))
    return parts


def post_processor(file: TokenizerJson, name: str) -> AddSpecial:
    """The last stage. Where the file has several templates each would add its tokens; one is known here."""
    found = made(flat(file.post_processor, "post_processor", "processors", name), POST_PROCESSORS, "post_processor")
    if len(found) > 1:
        raise InputError(f"{name}: the post_processor holds {len(found)} templates; this version runs one")
    return found[0] if found else AddSpecial()
