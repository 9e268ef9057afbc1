"""`added_tokens` of a tokenizer.json: their ids as the original gives them, and how they are searched.

The original does not take the ids that stand there. A token that is a piece of the model has that piece's id, and the
others are counted on from the number of pieces. In files it wrote itself that comes to the same; in a file with gaps
it does not, and facts say so. Follows `AddedVocabulary::add_tokens` of Hugging Face's tokenizers.

A token marked `normalized` is searched in the normalized text, by its own spelling once that is normalized, and
decodes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from explorer.engine.limits.length import Room
from explorer.engine.partition.added_tokens import AddedToken, AddedTokenPartition
from explorer.errors import InputError, shown
from explorer.facts import NAMED, Fact, FactKind, listed
from explorer.formats.tokenizer_json import AddedEntry
from explorer.text import visible

NORMALIZED = "partition-normalized"
"""The stage that looks for added tokens in the normalized text."""


@dataclass(frozen=True, slots=True)
class Added:
    """The added tokens.

    contents: id → the token, as it is spelled in the file, and whether it is special. spelled: id → how a normalized
    token is searched and decoded, where that differs. special: the spellings of all special tokens; the original keeps
    them apart from the tokens, so that a spelling stays special even when a later entry says otherwise.
    """

    contents: Mapping[int, AddedEntry]
    spelled: Mapping[int, str]
    special: frozenset[str]
    facts: tuple[Fact, ...]

    def partition(self) -> AddedTokenPartition:
        """The stage before normalization."""
        return AddedTokenPartition(self._tokens(False))

    def normalized_partition(self) -> AddedTokenPartition | None:
        """The stage behind it, None where there are no such tokens."""
        tokens = self._tokens(True)
        return AddedTokenPartition(tokens, NORMALIZED) if tokens else None

    def _tokens(self, normalized: bool) -> list[AddedToken]:
        return [
            AddedToken(
                id,
                self.spelled.get(id, entry.content),
                special=entry.content in self.special,
                single_word=entry.single_word,
                lstrip=entry.lstrip,
                rstrip=entry.rstrip,
                normalized=normalized,
            )
            for id, entry in self.contents.items()
            if entry.normalized is normalized
        ]


LONGEST = 60
"""Characters of a token that are shown."""


def called(content: str) -> str:
    """A token as facts show it: visible, and shortened.

    >>> called("<s> "), len(called("x" * 1000))
    ('<s>␣', 61)
    """
    return visible(content) if len(content) <= LONGEST else f"{visible(content[:LONGEST])}…"


def added(
    entries: Sequence[AddedEntry], pieces: Mapping[str, int], normalize: Callable[[str], str] | None, name: str
) -> Added:
    """pieces: of the model. normalize: what its normalizers make of a text, None where it has none.

    Raises InputError for a token of which normalization leaves nothing: the original finds it between any two bytes,
    cuts the text there and stops at the first character of more than one.
    """
    ids: dict[str, int] = {}
    contents: dict[int, AddedEntry] = {}
    free = len(pieces)
    moved = []
    for place, entry in enumerate(entries):
        if not entry.content:
            continue
        id = ids.get(entry.content, pieces.get(entry.content))
        if id is None:
            id, free = free, free + 1
        if id != entry.id:
            moved.append((place, entry, id))
        ids[entry.content] = id
        contents[id] = entry
    spelled = {}
    room, size = Room(f"{name}: added_tokens: the normalizer", sum(len(entry.content) for entry in entries)), 0
    if normalize is not None:
        for id, entry in contents.items():
            if entry.normalized and (text := normalize(entry.content)) != entry.content:
                spelled[id] = text
                size += len(text)
                room.check(size)
                if not text:
                    raise InputError(
                        f"{name}: added_tokens[{entries.index(entry)}]: normalization leaves nothing of "
                        f"{shown(entry.content)}, and tokenizers then cuts every text to pieces, or stops; set its "
                        "normalized to false"
                    )
    special = frozenset(entry.content for entry in entries if entry.special and entry.content)
    return Added(
        contents, spelled, special, (*_facts(contents, spelled, special), *_warnings(moved, contents, spelled))
    )


def _facts(contents: Mapping[int, AddedEntry], spelled: Mapping[int, str], special: frozenset[str]) -> list[Fact]:
    facts = []
    place = "added_tokens"
    named = [f"{called(entry.content)} ({id})" for id, entry in contents.items() if entry.content in special]
    if named:
        facts.append(Fact("special tokens", f"Special tokens with their ids: {listed(named)}.", place))
    others = [f"{called(entry.content)} ({id})" for id, entry in contents.items() if entry.content not in special]
    if others:
        facts.append(Fact("added tokens", f"Other tokens cut out of the text: {listed(others)}.", place))
    for flag, says in (
        ("single_word", "stand only where no letter, digit or _ is beside them"),
        ("lstrip", "swallow the white space before them"),
        ("rstrip", "swallow the white space behind them"),
        ("normalized", "are looked for in the normalized text"),
    ):
        count = sum(getattr(entry, flag) for entry in contents.values())
        if count:
            facts.append(Fact("added tokens", f"{count:,} of the {len(contents):,} added tokens {says}.", place))
    unknown = dict.fromkeys(key for entry in contents.values() for key in entry.unknown)
    for key in list(unknown)[:NAMED]:
        count = sum(key in entry.unknown for entry in contents.values())
        says = f"An added token has no setting {shown(key)}; it stands at {count:,} of them."
        facts.append(Fact("added tokens", says, place, kind=FactKind.UNUSED))
    for id, text in list(spelled.items())[:NAMED]:
        content = called(contents[id].content)
        facts.append(Fact("added tokens", f"{content} is looked for as it is once normalized itself.", place, text))
    return facts


def _warnings(
    moved: Sequence[tuple[int, AddedEntry, int]], contents: Mapping[int, AddedEntry], spelled: Mapping[int, str]
) -> list[Fact]:
    facts = []
    if moved:
        place, entry, id = moved[0]
        more = f", and {len(moved) - 1:,} more like it" if len(moved) > 1 else ""
        facts.append(
            Fact(
                "added tokens",
                f"The file gives {called(entry.content)} the id {entry.id}, but tokenizers counts and gives it "
                f"{id}{more}.",
                f"added_tokens[{place}]",
                kind=FactKind.WARNING,
            )
        )
    seen: dict[str, int] = {}
    for id, entry in contents.items():
        text = spelled.get(id, entry.content)
        if entry.normalized and seen.setdefault(text, id) != id:
            facts.append(
                Fact(
                    "added tokens",
                    f"{called(contents[seen[text]].content)} and {called(entry.content)} are the same once "
                    "normalized: tokenizers finds one of them by chance, here it is the first.",
                    "added_tokens",
                    kind=FactKind.WARNING,
                )
            )
    return facts
