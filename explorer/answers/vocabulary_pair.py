"""Charts of a vocabulary, and two vocabularies side by side: what differs, and what that does to a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.analysis.vocabulary.difference import VocabularyDifference, difference
from explorer.analysis.vocabulary.dossier import speller_of
from explorer.analysis.vocabulary.pictures import Picture, picture
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import material, question
from explorer.answers.vocabulary import vocabulary_index
from explorer.text.quantities import number
from explorer.views.vocabulary import token_text

MOST: Final = 1_000
"""Rows of a table."""

KINDS: Final[Mapping[str, Callable[[VocabularyDifference], tuple[tuple[int | None, int | None], ...]]]] = (
    MappingProxyType(
        {
            "Only left": lambda found: tuple((id, None) for id in found.only_left),
            "Only right": lambda found: tuple((None, id) for id in found.only_right),
            "Other id": lambda found: found.other_id,
            "Other score": lambda found: found.other_score,
            "Other kind": lambda found: found.other_kind,
        }
    )
)
"""What can differ, and its tokens as pairs of a left and a right id."""


class PairView(NamedTuple):
    """How many tokens differ, by kind. same: with the same id. merges: only left, only right, in both; or None."""

    counts: dict[str, int]
    same: int
    merges: tuple[int, int, int] | None


class PairRow(NamedTuple):
    """A token that differs: its text, and on each side its id and what differs."""

    text: str
    left: str
    right: str


class PairText(NamedTuple):
    """A text under both. tokens: how many each gives. own: of each, the tokens that the other lacks, as text."""

    tokens: tuple[int, int]
    own: tuple[tuple[str, ...], tuple[str, ...]]


@question
def picture_of(spec: TokenizerSpec) -> Picture:
    """The numbers of a vocabulary for its charts."""
    return picture(vocabulary_index(spec))


@material(lambda found: 1_000 + 40 * len(found.only_left + found.only_right) + 100 * len(found.other_id))
def difference_of(left: TokenizerSpec, right: TokenizerSpec) -> VocabularyDifference:
    """What differs between two vocabularies."""
    return difference(vocabulary_index(left), vocabulary_index(right))


@question
def pair_view(left: TokenizerSpec, right: TokenizerSpec) -> PairView:
    """How much differs."""
    found = difference_of(left, right)
    return PairView({name: len(pairs(found)) for name, pairs in KINDS.items()}, found.same, found.merges)


@question
def pair_rows(left: TokenizerSpec, right: TokenizerSpec, kind: str) -> list[PairRow]:
    """The first tokens that differ in one way."""
    sides = vocabulary_index(left), vocabulary_index(right)
    spellers = tuple(map(speller_of, sides))

    def shown(side: int, id: int | None) -> str:
        if id is None:
            return ""
        vocabulary = sides[side].tokenizer.vocabulary
        if kind == "Other score":
            return f"{id}: {number(vocabulary.scores[id])}"
        return f"{id}: {vocabulary.kind(id).name.lower()}" if kind == "Other kind" else str(id)

    rows = []
    for one, other in KINDS[kind](difference_of(left, right))[:MOST]:
        side, id = (1, other) if one is None else (0, one)
        assert id is not None, "one side has it"
        rows.append(PairRow(token_text(sides[side], spellers[side], id), shown(0, one), shown(1, other)))
    return rows


@question
def pair_text(left: TokenizerSpec, right: TokenizerSpec, text: str) -> PairText:
    """What the difference does to a text. Raises InputError for a text that one of them refuses."""
    found = difference_of(left, right)
    tokens, own = [], []
    for spec, only in ((left, frozenset(found.only_left)), (right, frozenset(found.only_right))):
        index = vocabulary_index(spec)
        ids = tokenizer(spec).encode(text, add_special=False).ids
        tokens.append(len(ids))
        own.append(tuple(token_text(index, speller_of(index), id) for id in dict.fromkeys(ids) if id in only))
    return PairText((tokens[0], tokens[1]), (own[0], own[1]))
