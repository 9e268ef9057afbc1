"""The normalizers of a tokenizer.json, each made of its settings.

What only some of them need is imported by them: most files have one or two.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from explorer.engine.normalizers.bert import bert_normalizers
from explorer.engine.normalizers.huggingface import (
    Literal,
    Lowercase,
    Prepend,
    Replace,
    SpellBytes,
    Strip,
    StripAccents,
    nmt,
)
from explorer.engine.normalizers.stage import Normalizer
from explorer.engine.normalizers.unicode_forms import UnicodeForm
from explorer.errors import InputError, verbatim
from explorer.facts import Fact, FactKind
from explorer.formats.strict_json import MAX_FILE
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.absent import Absent
from explorer.implementations.huggingface.reading import Kind, Placed, facts_of, flat, made
from explorer.text import visible


def normalizers(part: Json | None, name: str) -> list[Normalizer]:
    """The normalizers of the section `normalizer`, in order. Raises InputError naming what is not known."""
    return made(parts_of(part, name), {kind: each.make for kind, each in NORMALIZERS.items()}, "normalizer")


def normalizer_facts(part: Json | None, name: str) -> list[Fact]:
    """What that section says, for people.

    >>> [fact.says for fact in normalizer_facts({"type": "NFC"}, "toy")]
    ['Characters are composed (NFC): e and an accent behind it become é.']
    """
    parts = parts_of(part, name)
    facts = facts_of(parts, NORMALIZERS, TOPIC)
    absent = Absent()
    for each in parts:
        if each.kind == "Replace":
            facts += never_replaced(each, absent)
        absent.behind(each)
    return facts


TOPIC: Final = "normalizer"


def parts_of(part: Json | None, name: str) -> list[Placed]:
    return flat(part, "normalizer", "normalizers", name)


def never_replaced(part: Placed, absent: Absent) -> list[Fact]:
    """A warning where what a Replace looks for cannot be there."""
    kind, pattern = part.pattern()
    if kind is None:
        why = absent.never(pattern)
        says = f"“{visible(pattern)}” is never there {why}, so nothing is replaced."
    else:
        whys = absent.why_not(pattern)
        why = whys[0] if all(whys) else ""
        says = f"What the pattern looks for is never there {why}, so nothing is replaced."
    return [part.fact(TOPIC, says, key="pattern", code=pattern, kind=FactKind.WARNING)] if why else []


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
        return [Replace(Literal(pattern), content)]
    from explorer.engine.regexes import oniguruma

    try:
        return [Replace(oniguruma.Spans(pattern), content)]
    except InputError as error:
        raise part.error(f"pattern {verbatim(pattern)} cannot be run: {error}", "") from None


def precompiled(part: Placed) -> list[Normalizer]:
    from explorer.engine.normalizers.charsmap.huggingface import Precompiled
    from explorer.engine.normalizers.charsmap.table import PrecompiledCharsmap

    try:
        data = base64.b64decode(part.get("precompiled_charsmap", str, longest=MAX_FILE), validate=True)
    except ValueError as error:  # what is no ASCII is no binascii.Error
        raise part.error(f"precompiled_charsmap is no base64 ({error})") from None
    return [Precompiled(PrecompiledCharsmap(data, f"{part.name}: {part.place}"))]


# --- what they say -------------------------------------------------------------------------------------------------


def bert_says(part: Placed) -> Iterator[str | Fact]:
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
        yield part.fact(TOPIC, "BERT's normalization with everything switched off.", kind=FactKind.UNUSED)
    if accents is None:
        yield part.fact(TOPIC, "Accents are stripped where letters are lowercased, because this is left open.",
                        key="strip_accents")  # fmt: skip


def strip_says(part: Placed) -> Iterator[str | Fact]:
    sides = [side for side, on in (("beginning", part.get("strip_left", bool)), ("end", part.get("strip_right", bool)))
             if on]  # fmt: skip
    if sides:
        yield f"White space is dropped at the {' and the '.join(sides)} of the text."
    else:
        yield part.fact(TOPIC, "It strips neither side, so it does nothing.", kind=FactKind.UNUSED)


def replace_says(part: Placed) -> Iterator[str | Fact]:
    kind, pattern = part.pattern()
    content = visible(part.get("content", str))
    becomes = f"replaced by “{content}”" if content else "left out"
    if kind is not None:
        yield part.fact(TOPIC, f"What the pattern matches is {becomes}.", code=pattern)
    elif pattern:
        yield part.fact(TOPIC, f"“{visible(pattern)}” is {becomes} wherever it stands.", code=pattern)
    elif content:
        says = f"The pattern is empty and matches everywhere: “{content}” is put between any two characters."
        yield part.fact(TOPIC, says, key="pattern", kind=FactKind.WARNING)
    else:
        yield part.fact(TOPIC, "It replaces nothing by nothing.", kind=FactKind.UNUSED)


def prepend_says(part: Placed) -> Iterator[str | Fact]:
    text = part.get("prepend", str)
    if text:
        yield f"“{visible(text)}” is put in front of the text, and of every part of it behind an added token."
    else:
        yield part.fact(TOPIC, "The text to put in front is empty.", kind=FactKind.UNUSED)


def listed(says: str, *normalizers: Normalizer) -> Kind[Normalizer]:
    """A type without settings."""
    return Kind(lambda part: list(normalizers), lambda part: [says])


NORMALIZERS: Final[Mapping[str, Kind[Normalizer]]] = MappingProxyType(
    {
        "NFC": listed("Characters are composed (NFC): e and an accent behind it become é.", UnicodeForm("NFC")),
        "NFD": listed("Characters are decomposed (NFD): é becomes e and an accent.", UnicodeForm("NFD")),
        "NFKC": listed(
            "Variants of characters become the plain ones, composed (NFKC): ﬁ becomes fi, full-width Ａ becomes A.",
            UnicodeForm("NFKC"),
        ),
        "NFKD": listed(
            "Variants of characters become the plain ones, decomposed (NFKD): ﬁ becomes fi, é becomes e and an accent.",
            UnicodeForm("NFKD"),
        ),
        "Lowercase": listed("Letters are lowercased, each on its own.", Lowercase()),
        "StripAccents": listed(
            "Accents and all other combining marks are dropped; é as one character stays.", StripAccents()
        ),
        "Strip": Kind(
            lambda part: [Strip(left=part.get("strip_left", bool), right=part.get("strip_right", bool))],
            strip_says,
            frozenset({"strip_left", "strip_right"}),
        ),
        "Replace": Kind(replace, replace_says, frozenset({"pattern", "content"})),
        "Prepend": Kind(lambda part: [Prepend(part.get("prepend", str))], prepend_says, frozenset({"prepend"})),
        "BertNormalizer": Kind(
            bert, bert_says, frozenset({"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"})
        ),
        "Precompiled": Kind(
            precompiled,
            lambda part: ["Characters are replaced as a map says that was made for SentencePiece."],
            frozenset({"precompiled_charsmap"}),
        ),
        "Nmt": listed(
            "Controls are dropped; tabs, line breaks and invisible characters become spaces, ▁ and U+FFFD as well.",
            *nmt(),
        ),
        "ByteLevel": listed("Every byte is spelled as a printable character: a space is Ġ.", SpellBytes()),
    }
)
"""`type` of a normalizer → what it is."""
