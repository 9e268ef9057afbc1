"""The post-processors of a tokenizer.json, each made of its settings.

Follows `processors/` of Hugging Face's tokenizers. There a RobertaProcessing is told from a BertProcessing by its
settings and not by its name: whoever has `trim_offsets` and `add_prefix_space` is the former.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from explorer.engine.items import Token
from explorer.engine.post_processors.huggingface import (
    Enclose,
    Entry,
    PostProcessing,
    Processor,
    Slot,
    Template,
    TrimOffsets,
)
from explorer.engine.trace import silent
from explorer.errors import InputError, shown
from explorer.facts import Fact, FactKind
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import Placed, flat, maker, unknown_settings
from explorer.text import visible
from explorer.vocabulary import Vocabulary

TOPIC: Final = "post-processor"


@dataclass(frozen=True, slots=True)
class Pieces:
    """What a post-processor has to know. spelled: of ids that stand in the text otherwise than the vocabulary says."""

    vocabulary: Vocabulary
    spelled: Mapping[int, bytes]


Made = tuple[list[Processor], list[Fact]]
Maker = Callable[[Placed, Pieces], Made]


def post_processing(part: Json | None, pieces: Pieces, name: str) -> tuple[PostProcessing, list[Fact]]:
    """The stage of the section `post_processor` and what there is to say of it.

    Raises InputError naming what is not known or what the original could not run.
    """
    processors: list[Processor] = []
    facts: list[Fact] = []
    for placed in parts(part, name):
        made, said = maker(placed, POST_PROCESSORS, "post_processor")(placed, pieces)
        processors += made
        facts += [*said, *unknown_settings(placed, settings(placed), TOPIC)]
        try:  # the number of parts is known now: what the original cannot go on with is found here
            for add_special in (True, False):
                PostProcessing(processors).parts([Entry(Token(0, 0, 0))], add_special, silent)
        except InputError as error:
            raise placed.error(f"single cannot be run: {error}") from None
    return PostProcessing(processors), facts


def parts(part: Json | None, name: str) -> list[Placed]:
    return flat(part, "post_processor", "processors", name)


# --- each of them --------------------------------------------------------------------------------------------------


def token(placed: Placed, key: str, value: object, pieces: Pieces) -> tuple[str, int]:
    """A token as `[spelling, id]`."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        raise placed.error(f"{key} is {shown(value)}, not a spelling and an id")
    return value[0], known(placed, key, value[1], pieces)


def known(placed: Placed, key: str, id: object, pieces: Pieces) -> int:
    if type(id) is not int or not 0 <= id < len(pieces.vocabulary):
        raise placed.error(f"{key} names the id {shown(id)}, and the ids are 0 to {len(pieces.vocabulary) - 1}")
    return id


def added_fact(placed: Placed, key: str, where: str, said: Sequence[tuple[str, int]], pieces: Pieces) -> list[Fact]:
    """What is added where, with a warning for an id that is another token than the spelling beside it."""
    place = f"{placed.place}.{key}"
    names = ", ".join(f"{visible(spelling)} ({id})" for spelling, id in said)
    facts = [Fact(TOPIC, f"{names} {'is' if len(said) == 1 else 'are'} put {where}.", place)] if said else []
    for spelling, id in said:
        if pieces.vocabulary.pieces[id] != spelling.encode():
            facts.append(
                Fact(
                    TOPIC,
                    f"The id {id} is added as {visible(spelling)}, but it is the token "
                    f"{visible(pieces.vocabulary.spelling(id))}.",
                    place,
                    kind=FactKind.WARNING,
                )
            )
    return facts


def trim(placed: Placed, pieces: Pieces) -> Made:
    """`trim_offsets` of ByteLevel and RobertaProcessing."""
    prefix_space = placed.get("add_prefix_space", bool, default=True)
    if not placed.get("trim_offsets", bool, default=True):
        unused = Fact(
            TOPIC, "Offsets are not trimmed, so this part changes nothing.", placed.place, kind=FactKind.UNUSED
        )
        return [], [unused] if placed.kind == "ByteLevel" else []
    but = ", but for one space at the very beginning" if prefix_space else ""
    fact = Fact(
        TOPIC, f"White space at the ends of a token is no part of its span{but}.", f"{placed.place}.trim_offsets"
    )
    return [TrimOffsets(pieces.vocabulary.pieces, prefix_space, pieces.spelled)], [fact]


def byte_level(placed: Placed, pieces: Pieces) -> Made:
    return trim(placed, pieces)


def enclose(placed: Placed, pieces: Pieces) -> Made:
    first = token(placed, "cls", placed.part.get("cls"), pieces)
    last = token(placed, "sep", placed.part.get("sep"), pieces)
    facts = [
        *added_fact(placed, "cls", "in front of the text", [first], pieces),
        *added_fact(placed, "sep", "behind it", [last], pieces),
    ]
    made: list[Processor] = []
    roberta = is_roberta(placed)
    if roberta:
        made, said = trim(placed, pieces)
        facts += said
    return [*made, Enclose(first[1], last[1], doubled=roberta)], facts


def is_roberta(placed: Placed) -> bool:
    """Whether the original takes it for a RobertaProcessing, of the two that enclose a text."""
    return placed.part.keys() >= OF_ROBERTA


def template(placed: Placed, pieces: Pieces) -> Made:
    single, said = slots(placed, "single", pieces)
    pair, _ = slots(placed, "pair", pieces) if placed.part.get("pair") else ((0, 1), [])
    facts: list[Fact] = []
    before = True
    for slot, tokens in zip(single, said, strict=True):
        if isinstance(slot, tuple):
            where = "in front of the text" if before else "behind it"
            facts += added_fact(placed, "single", where, tokens, pieces)
        before = before and isinstance(slot, tuple)
    if before:
        facts.append(
            Fact(TOPIC, "The template does not hold the text: nothing of it is left.", f"{placed.place}.single",
                 kind=FactKind.WARNING)
        )  # fmt: skip
    if placed.part.get("pair"):
        facts.append(
            Fact(
                TOPIC, "The template for pairs is for two texts at once.", f"{placed.place}.pair", kind=FactKind.UNUSED
            )
        )
    return [Template(single, pair)], facts


def slots(placed: Placed, key: str, pieces: Pieces) -> tuple[list[Slot], list[list[tuple[str, int]]]]:
    """The places of a template, and for each the tokens that are put there with their spellings."""
    special = placed.get("special_tokens", dict, default={})
    found: list[Slot] = []
    said: list[list[tuple[str, int]]] = []
    for number, piece in enumerate(placed.get(key, list)):
        place = f"{key}[{number}]"
        kind, inner = next(iter(piece.items())) if isinstance(piece, dict) and len(piece) == 1 else (None, None)
        id = inner.get("id") if isinstance(inner, dict) else None
        if kind == "Sequence" and id in ("A", "B"):
            found.append(0 if id == "A" else 1)
            said.append([])
            continue
        entry = special.get(id) if kind == "SpecialToken" and isinstance(id, str) else None
        if entry is None:
            raise placed.error(f"{place} is {shown(piece)}, and no text and none of special_tokens")
        ids = entry.get("ids") if isinstance(entry, dict) else None
        if not isinstance(ids, list):
            raise placed.error(f"special_tokens[{shown(id)}] has no list of ids")
        tokens = entry.get("tokens")
        spellings = tokens if isinstance(tokens, list) and len(tokens) == len(ids) else [id] * len(ids)
        checked = [known(placed, f"special_tokens[{shown(id)}]", each, pieces) for each in ids]
        found.append(tuple(checked))
        said.append([(str(spelling), each) for spelling, each in zip(spellings, checked, strict=True)])
    return found, said


OF_ROBERTA: Final = frozenset({"trim_offsets", "add_prefix_space"})
ENCLOSING: Final = ("BertProcessing", "RobertaProcessing")

POST_PROCESSORS: Final[Mapping[str, Maker]] = MappingProxyType(
    {
        "TemplateProcessing": template,
        "ByteLevel": byte_level,
        "BertProcessing": enclose,
        "RobertaProcessing": enclose,
    }
)
"""`type` of a post-processor → what makes it."""


def settings(placed: Placed) -> frozenset[str]:
    """The settings that a post-processor has."""
    if placed.kind in ENCLOSING:
        return OF_ENCLOSING | (OF_ROBERTA if is_roberta(placed) else frozenset())
    return SETTINGS[placed.kind]


OF_ENCLOSING: Final = frozenset({"cls", "sep"})
SETTINGS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "TemplateProcessing": frozenset({"single", "pair", "special_tokens"}),
        "ByteLevel": frozenset({"add_prefix_space", "trim_offsets", "use_regex"}),
    }
)
