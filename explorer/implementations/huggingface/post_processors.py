"""The post-processors of a tokenizer.json, each built from its settings.

Follows `processors/` of Hugging Face's tokenizers, which recognizes a RobertaProcessing by its settings, not by its
name: a part with `trim_offsets` and `add_prefix_space` is one, any other is a BertProcessing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from explorer.engine.items import Token
from explorer.engine.post_processors.huggingface import (
    BertProcessing,
    Entry,
    PostProcessing,
    Processor,
    RobertaProcessing,
    Slot,
    Template,
    TrimOffsets,
)
from explorer.engine.trace import silent
from explorer.errors import InputError, shown
from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.tokenizer_json import Json
from explorer.implementations.huggingface.reading import LocatedPart, flat, of_type, unknown_settings
from explorer.text import visible
from explorer.vocabulary import Vocabulary

TOPIC: Final = "post-processor"


@dataclass(frozen=True, slots=True)
class TokenLookup:
    """The tokens a post-processor sees. covered: the model's pieces of ids that an added token has taken over."""

    vocabulary: Vocabulary
    covered: Mapping[int, bytes]


ProcessorsAndFacts = tuple[list[Processor], list[Fact]]
Maker = Callable[[LocatedPart, TokenLookup], ProcessorsAndFacts]


def post_processing(part: Json | None, pieces: TokenLookup, name: str) -> tuple[PostProcessing, list[Fact]]:
    """The stage of the section `post_processor`, and the facts about it.

    Raises InputError naming an unknown type, or a template the original could not run.
    """
    processors: list[Processor] = []
    facts: list[Fact] = []
    for placed in flat(part, "post_processor", "processors", name):
        made, more = of_type(placed, POST_PROCESSORS, "post_processor")(placed, pieces)
        processors += made
        facts += [*more, *unknown_settings(placed, settings(placed), TOPIC)]
        try:  # run once on one token: errors of the original depend on the number of parts only
            for add_special in (True, False):
                PostProcessing(processors).parts([Entry(Token(0, 0, 0))], add_special, silent)
        except InputError as error:
            raise placed.error(f"single cannot be run: {error}") from None
    return PostProcessing(processors), facts


# --- the types -----------------------------------------------------------------------------------------------------


def _token(placed: LocatedPart, key: str, value: object, pieces: TokenLookup) -> tuple[str, int]:
    """A token as `[spelling, id]`."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[0], str):
        raise placed.error(f"{key} is {shown(value)}, not a spelling and an id")
    return value[0], _checked_id(placed, key, value[1], pieces)


def _checked_id(placed: LocatedPart, key: str, id: object, pieces: TokenLookup) -> int:
    if type(id) is not int or not 0 <= id < len(pieces.vocabulary):
        raise placed.error(f"{key} names the id {shown(id)}, but the ids are 0 to {len(pieces.vocabulary) - 1}")
    return id


def _added_facts(
    placed: LocatedPart, key: str, where: str, tokens: Sequence[tuple[str, int]], pieces: TokenLookup
) -> list[Fact]:
    """Which tokens are added where, with a warning for an id whose token has another spelling."""
    place = f"{placed.path}.{key}"
    names = ", ".join(f"{visible(spelling)} ({id})" for spelling, id in tokens)
    facts = [Fact(TOPIC, f"{names} {'is' if len(tokens) == 1 else 'are'} put {where}.", place)] if tokens else []
    for spelling, id in tokens:
        if pieces.vocabulary.pieces[id] != spelling.encode():
            facts.append(
                Fact(
                    TOPIC,
                    f"The id {id} is added as {visible(spelling)}, but it is the token "
                    f"{visible(pieces.vocabulary.spelling(id))}.",
                    place,
                    kind=WARNING,
                )
            )
    return facts


def _trim(placed: LocatedPart, pieces: TokenLookup) -> ProcessorsAndFacts:
    """`trim_offsets` of ByteLevel and RobertaProcessing."""
    prefix_space = placed.get("add_prefix_space", bool, default=True)
    if not placed.get("trim_offsets", bool, default=True):
        unused = Fact(TOPIC, "Offsets are not trimmed, so this part changes nothing.", placed.path, kind=UNUSED)
        return [], [unused] if placed.kind == "ByteLevel" else []
    except_one = ", except one space at the start of the text" if prefix_space else ""
    says = f"A token's span does not include white space at its ends{except_one}."
    fact = Fact(TOPIC, says, f"{placed.path}.trim_offsets")
    return [TrimOffsets(pieces.vocabulary.pieces, prefix_space, pieces.covered)], [fact]


def _enclose(placed: LocatedPart, pieces: TokenLookup) -> ProcessorsAndFacts:
    """BertProcessing and RobertaProcessing."""
    first = _token(placed, "cls", placed.part.get("cls"), pieces)
    last = _token(placed, "sep", placed.part.get("sep"), pieces)
    facts = [
        *_added_facts(placed, "cls", "in front of the text", [first], pieces),
        *_added_facts(placed, "sep", "after it", [last], pieces),
    ]
    made: list[Processor] = []
    roberta = _is_roberta(placed)
    if roberta:
        made, more = _trim(placed, pieces)
        facts += more
    processing = RobertaProcessing if roberta else BertProcessing
    return [*made, processing(first[1], last[1])], facts


def _is_roberta(placed: LocatedPart) -> bool:
    """Whether the original reads this part as a RobertaProcessing rather than a BertProcessing."""
    return placed.part.keys() >= set(OF_ROBERTA.split())


def _template(placed: LocatedPart, pieces: TokenLookup) -> ProcessorsAndFacts:
    single, spellings = _slots(placed, "single", pieces)
    pair, _ = _slots(placed, "pair", pieces) if placed.part.get("pair") else ((0, 1), [])
    facts: list[Fact] = []
    before = True
    for slot, tokens in zip(single, spellings, strict=True):
        if isinstance(slot, tuple):
            where = "in front of the text" if before else "after it"
            facts += _added_facts(placed, "single", where, tokens, pieces)
        before = before and isinstance(slot, tuple)
    if before:
        says = "The template does not contain the text, so the result has none of its tokens."
        facts.append(Fact(TOPIC, says, f"{placed.path}.single", kind=WARNING))
    if placed.part.get("pair"):
        facts.append(
            Fact(TOPIC, "The template for pairs is for two texts at once.", f"{placed.path}.pair", kind=UNUSED)
        )
    return [Template(single, pair)], facts


def _slots(placed: LocatedPart, key: str, pieces: TokenLookup) -> tuple[list[Slot], list[list[tuple[str, int]]]]:
    """The slots of a template, and for each one the tokens it adds, as spelling and id."""
    special = placed.get("special_tokens", dict, default={})
    found: list[Slot] = []
    tokens_of: list[list[tuple[str, int]]] = []
    for index, piece in enumerate(placed.get(key, list)):
        kind, inner = next(iter(piece.items())) if isinstance(piece, dict) and len(piece) == 1 else (None, None)
        id = inner.get("id") if isinstance(inner, dict) else None
        if kind == "Sequence" and id in ("A", "B"):
            found.append(0 if id == "A" else 1)
            tokens_of.append([])
            continue
        entry = special.get(id) if kind == "SpecialToken" and isinstance(id, str) else None
        if entry is None:
            raise placed.error(f"{key}[{index}] is {shown(piece)}, neither a text nor one of special_tokens")
        ids = entry.get("ids") if isinstance(entry, dict) else None
        if not isinstance(ids, list):
            raise placed.error(f"special_tokens[{shown(id)}] has no list of ids")
        tokens = entry.get("tokens")
        spellings = tokens if isinstance(tokens, list) and len(tokens) == len(ids) else [id] * len(ids)
        checked = [_checked_id(placed, f"special_tokens[{shown(id)}]", each, pieces) for each in ids]
        found.append(tuple(checked))
        tokens_of.append([(str(spelling), each) for spelling, each in zip(spellings, checked, strict=True)])
    return found, tokens_of


OF_ROBERTA: Final = "trim_offsets add_prefix_space"
ENCLOSING: Final = ("BertProcessing", "RobertaProcessing")

POST_PROCESSORS: Final = {
    "TemplateProcessing": _template,
    "ByteLevel": _trim,
    "BertProcessing": _enclose,
    "RobertaProcessing": _enclose,
}
"""`type` of a post-processor → the function that builds it."""


def settings(placed: LocatedPart) -> str:
    """The settings a post-processor has."""
    if placed.kind in ENCLOSING:
        return f"cls sep {OF_ROBERTA if _is_roberta(placed) else ''}"
    return "single pair special_tokens" if placed.kind == "TemplateProcessing" else f"{OF_ROBERTA} use_regex"
