"""The normalizers of a tokenizer.json, each built from its settings.

Follows `normalizers/` of Hugging Face's tokenizers.

Most files have one or two, so rarely used ones are imported where they are built.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from explorer.engine.normalizers.huggingface import (
    Literal,
    Lowercase,
    Prepend,
    Replace,
    SpellBytes,
    Strip,
    StripAccents,
    bert_normalizers,
    nmt,
)
from explorer.engine.normalizers.stage import Normalizer
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.errors import InputError, verbatim
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.strict_json import MAX_FILE
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.absent import never, why_not
from explorer.implementations.huggingface.reading import LocatedPart, PartType, flat, make_parts, part_facts, plain_type
from explorer.text import visible


def normalizers(part: Json | None, name: str) -> list[Normalizer]:
    """The normalizers of the section `normalizer`, in order. Raises InputError naming an unknown type."""
    return make_parts(flat(part, "normalizer", "normalizers", name), NORMALIZERS, "normalizer")


def normalizer_facts(part: Json | None, name: str) -> list[Fact]:
    """The facts about that section.

    >>> [fact.says for fact in normalizer_facts({"type": "NFC"}, "toy")]
    ['Characters are composed (NFC): e followed by an accent becomes é.']
    """
    parts = flat(part, "normalizer", "normalizers", name)
    facts = part_facts(parts, NORMALIZERS, TOPIC)
    for index, part_of in enumerate(parts):
        if part_of.kind == "Replace":
            facts += _never_replaced(part_of, parts[:index])
    return facts


TOPIC: Final = "normalizer"


def _never_replaced(part: LocatedPart, before: Sequence[LocatedPart]) -> list[Fact]:
    """A warning if the pattern of a Replace cannot match."""
    kind, pattern = part.pattern()
    whys = [never(pattern, before)] if kind is None else why_not(pattern, before)
    what = f"“{visible(pattern)}” never occurs" if kind is None else "The pattern never matches"
    why = whys[0] if all(whys) else ""
    says = f"{what} {why}, so nothing is replaced."
    return [part.fact(TOPIC, says, key="pattern", code=pattern, kind=WARNING)] if why else []


def _bert(part: LocatedPart) -> list[Normalizer]:
    accents = None if part.part.get("strip_accents") is None else part.get("strip_accents", bool)
    return bert_normalizers(
        clean_text=part.get("clean_text", bool),
        handle_chinese_chars=part.get("handle_chinese_chars", bool),
        strip_accents=accents,
        lowercase=part.get("lowercase", bool),
    )


def _replace(part: LocatedPart) -> list[Normalizer]:
    kind, pattern = part.pattern()
    content = part.get("content", str)
    if kind is None:
        return [Replace(Literal(pattern), content)]
    from explorer.engine.regexes.oniguruma import OnigurumaSpans

    try:
        return [Replace(OnigurumaSpans(pattern), content)]
    except InputError as error:
        raise part.error(f"pattern {verbatim(pattern)} cannot be run: {error}", "") from None


def _precompiled(part: LocatedPart) -> list[Normalizer]:
    from explorer.engine.normalizers.charsmap import PrecompiledCharsmap
    from explorer.engine.normalizers.huggingface import Precompiled

    try:
        data = base64.b64decode(part.get("precompiled_charsmap", str, longest=MAX_FILE), validate=True)
    except ValueError as error:  # text that isn't ASCII does not raise binascii.Error
        raise part.error(f"precompiled_charsmap is not base64 ({error})") from None
    return [Precompiled(PrecompiledCharsmap(data, f"{part.name}: {part.path}"))]


# --- facts ---------------------------------------------------------------------------------------------------------


def _bert_says(part: LocatedPart) -> Iterator[str | Fact]:
    lowers, accents = part.get("lowercase", bool), part.part.get("strip_accents")
    done = {
        "controls are dropped and white space becomes spaces": part.get("clean_text", bool),
        "Chinese characters get spaces around them": part.get("handle_chinese_chars", bool),
        "accents are stripped": lowers if accents is None else accents,
        "letters are lowercased": lowers,
    }
    if any(done.values()):
        yield f"BERT's normalization: {', '.join(says for says, on in done.items() if on)}."
    else:
        yield part.fact(TOPIC, "BERT's normalization with everything switched off.", kind=UNUSED)
    if accents is None:
        what, lower = ("are stripped", "are") if lowers else ("stay", "aren't")
        says = f"Accents {what}, because this setting is null and letters {lower} lowercased."
        yield part.fact(TOPIC, says, key="strip_accents")


def _strip_says(part: LocatedPart) -> Iterator[str | Fact]:
    sides = [
        side for side, on in (("beginning", part.get("strip_left", bool)), ("end", part.get("strip_right", bool))) if on
    ]
    if sides:
        yield f"White space is dropped at the {' and the '.join(sides)} of the text."
    else:
        yield part.fact(TOPIC, "It strips neither side, so it does nothing.", kind=UNUSED)


def _replace_says(part: LocatedPart) -> Iterator[str | Fact]:
    kind, pattern = part.pattern()
    content = visible(part.get("content", str))
    becomes = f"replaced by “{content}”" if content else "left out"
    if kind is not None:
        yield part.fact(TOPIC, f"What the pattern matches is {becomes}.", code=pattern)
    elif pattern:
        yield part.fact(TOPIC, f"“{visible(pattern)}” is {becomes} wherever it occurs.", code=pattern)
    elif content:
        says = f"The pattern is empty and matches everywhere: “{content}” is inserted between any two characters."
        yield part.fact(TOPIC, says, key="pattern", kind=WARNING)
    else:
        yield part.fact(TOPIC, "It replaces nothing with nothing.", kind=UNUSED)


def _prepend_says(part: LocatedPart) -> Iterator[str | Fact]:
    text = part.get("prepend", str)
    if text:
        yield f"“{visible(text)}” is put in front of the text, and of every part of it after an added token."
    else:
        yield part.fact(TOPIC, "The text to put in front is empty.", kind=UNUSED)


NORMALIZERS: Final[Mapping[str, PartType[Normalizer]]] = {
    "NFC": plain_type(
        "Characters are composed (NFC): e followed by an accent becomes é.", lambda: [UnicodeForm("NFC")]
    ),
    "NFD": plain_type("Characters are decomposed (NFD): é becomes e and an accent.", lambda: [UnicodeForm("NFD")]),
    "NFKC": plain_type(
        "Variants of characters become the plain ones, composed (NFKC): ﬁ becomes fi, full-width Ａ becomes A.",
        lambda: [UnicodeForm("NFKC")],
    ),
    "NFKD": plain_type(
        "Variants of characters become the plain ones, decomposed (NFKD): ﬁ becomes fi, é becomes e and an accent.",
        lambda: [UnicodeForm("NFKD")],
    ),
    "Lowercase": plain_type("Letters are lowercased, each on its own.", lambda: [Lowercase()]),
    "StripAccents": plain_type(
        "Accents and all other combining marks are dropped; é as one character stays.", lambda: [StripAccents()]
    ),
    "Strip": PartType(
        lambda part: [Strip(left=part.get("strip_left", bool), right=part.get("strip_right", bool))],
        _strip_says,
        "strip_left strip_right",
    ),
    "Replace": PartType(_replace, _replace_says, "pattern content"),
    "Prepend": PartType(lambda part: [Prepend(part.get("prepend", str))], _prepend_says, "prepend"),
    "BertNormalizer": PartType(_bert, _bert_says, "clean_text handle_chinese_chars strip_accents lowercase"),
    "Precompiled": PartType(
        _precompiled,
        lambda part: ["Characters are replaced by SentencePiece's precompiled character map."],
        "precompiled_charsmap",
    ),
    "Nmt": plain_type(
        "Controls are dropped; tabs, line breaks, invisible characters, ▁ and U+FFFD become spaces.",
        lambda: [*nmt()],
    ),
    "ByteLevel": plain_type("Every byte is spelled as a printable character: a space is Ġ.", lambda: [SpellBytes()]),
}
"""`type` of a normalizer → how it is built and described."""
