"""`added_tokens` of a tokenizer.json: the ids the original assigns, and how the tokens are found in a text.

Follows `AddedVocabulary::add_tokens` of Hugging Face's tokenizers, which ignores the ids in the file. A token that is a
piece of the model gets that piece's id; the others are numbered from the number of pieces on. For files it wrote itself
the result is the same; for a file with gaps it differs, and a fact reports that.

A token marked `normalized` is searched for in the normalized text, by its own normalized spelling, and decodes to it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from explorer.engine.part import LengthBudget
from explorer.engine.partition.special_tokens import AddedToken, AddedTokenPartition
from explorer.errors import InputError, shown
from explorer.facts import NAMED, UNUSED, WARNING, Fact, listed
from explorer.formats.tokenizer_json import AddedEntry
from explorer.tables import read_toml
from explorer.text import visible

FLAGS = read_toml(__file__, "added_tokens.toml")
"""What the card says of each setting of a token."""
NORMALIZED = "partition-normalized"
"""The name of the stage that looks for added tokens in the normalized text."""


class AddedTokens(NamedTuple):
    """The added tokens.

    contents: id → entry of the file. spelled: id → normalized spelling, if it differs, also of an entry that a later
    one has replaced: the original decodes to it. special: the spellings of all special tokens; the original keeps them
    in a set of their own, so a spelling stays special even if a later entry says otherwise.
    """

    contents: Mapping[int, AddedEntry]
    spelled: Mapping[int, str]
    special: frozenset[str]
    facts: tuple[Fact, ...]

    def partition(self) -> AddedTokenPartition:
        """The stage before normalization."""
        return AddedTokenPartition(self._tokens(False))

    def normalized_partition(self) -> AddedTokenPartition | None:
        """The stage after normalization, None if it would find no tokens."""
        tokens = self._tokens(True)
        return AddedTokenPartition(tokens, NORMALIZED) if tokens else None

    def _tokens(self, normalized: bool) -> list[AddedToken]:
        return [
            AddedToken(
                id,
                self.spelled.get(id, entry.content) if normalized else entry.content,
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


def token_name(content: str) -> str:
    """A token as facts show it: made visible, and shortened.

    >>> token_name("<s> "), len(token_name("x" * 1000))
    ('<s>␣', 61)
    """
    return visible(content) if len(content) <= LONGEST else f"{visible(content[:LONGEST])}…"


def read_added_tokens(
    entries: Sequence[AddedEntry], pieces: Mapping[str, int], normalize: Callable[[str], str] | None
) -> AddedTokens:
    """The added tokens with the ids in force. pieces: of the model. normalize: the file's normalizers, None if none.

    Raises InputError for a token that is empty once normalized: the original finds it between any two bytes, cuts the
    text there, and panics within a multi-byte character.
    """
    ids: dict[str, int] = {}
    contents: dict[int, AddedEntry] = {}
    free = len(pieces)
    moved = []
    spelled: dict[int, str] = {}
    budget = LengthBudget("added_tokens: the normalizer", sum(len(entry.content) for entry in entries))
    size = 0
    for index, entry in enumerate(entries):
        if not entry.content:
            continue
        id = ids.get(entry.content, pieces.get(entry.content))
        if id is None:
            id, free = free, free + 1
        if id != entry.id:
            moved.append((index, entry, id))
        ids[entry.content] = id
        contents[id] = entry
        if normalize is not None and entry.normalized and (text := normalize(entry.content)) != entry.content:
            spelled[id] = text
            size += len(text)
            budget.check(size)
    for id, entry in contents.items():
        if entry.normalized and not spelled.get(id, entry.content):
            raise InputError(
                f"added_tokens[{entries.index(entry)}]: {shown(entry.content)} is empty once normalized, so "
                "tokenizers would cut every text into bytes, or panic; set its normalized to false"
            )
    special = frozenset(entry.content for entry in entries if entry.special and entry.content)
    return AddedTokens(
        contents, spelled, special, (*_facts(contents, spelled, special), *_warnings(moved, contents, spelled))
    )


def _facts(contents: Mapping[int, AddedEntry], spelled: Mapping[int, str], special: frozenset[str]) -> Iterator[Fact]:
    place = "added_tokens"
    named = [f"{token_name(entry.content)} ({id})" for id, entry in contents.items() if entry.content in special]
    if named:
        yield Fact("special tokens", f"Special tokens with their ids: {listed(named)}.", place)
    others = [f"{token_name(entry.content)} ({id})" for id, entry in contents.items() if entry.content not in special]
    if others:
        yield Fact("added tokens", f"Other tokens that are cut out of the text: {listed(others)}.", place)
    for flag, says in FLAGS.items():
        count = sum(getattr(entry, flag) for entry in contents.values())
        if count:
            yield Fact("added tokens", f"{count:,} of the {len(contents):,} added tokens {says}.", place)
    unknown = dict.fromkeys(key for entry in contents.values() for key in entry.unknown)
    for key in list(unknown)[:NAMED]:
        count = sum(key in entry.unknown for entry in contents.values())
        says = f"An added token has no setting {shown(key)}; {count:,} of them have it in the file."
        yield Fact("added tokens", says, place, kind=UNUSED)
    searched = [(contents[id].content, text) for id, text in spelled.items() if contents[id].normalized]
    for content, text in searched[:NAMED]:
        yield Fact("added tokens", f"{token_name(content)} is searched for by its normalized spelling.", place, text)


def _warnings(
    moved: Sequence[tuple[int, AddedEntry, int]], contents: Mapping[int, AddedEntry], spelled: Mapping[int, str]
) -> Iterator[Fact]:
    if moved:
        index, entry, id = moved[0]
        more = f", and {len(moved) - 1:,} more like it" if len(moved) > 1 else ""
        yield Fact(
            "added tokens",
            f"The file gives {token_name(entry.content)} the id {entry.id}, but tokenizers numbers added tokens "
            f"itself and gives it {id}{more}.",
            f"added_tokens[{index}]",
            kind=WARNING,
        )
    seen: dict[str, int] = {}
    for id, entry in contents.items():
        text = spelled.get(id, entry.content)
        if entry.normalized and seen.setdefault(text, id) != id:
            yield Fact(
                "added tokens",
                f"{token_name(contents[seen[text]].content)} and {token_name(entry.content)} are the same once "
                "normalized: which one tokenizers finds is undefined; here it is the first.",
                "added_tokens",
                kind=WARNING,
            )
