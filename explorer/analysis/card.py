"""The card of a tokenizer: what its file says, what is really in force, and what its vocabulary holds.

The facts come from whoever opened the file (`Tokenizer.facts`). What any tokenizer can be asked is asked of it here:
how many pieces of which kind, the longest token, what is put around a text, the patterns that cut it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from explorer.engine.pre_tokenizers.custom_pattern import pattern_slots
from explorer.engine.tokenizer import Tokenizer
from explorer.errors import InputError
from explorer.facts import Fact, FactKind
from explorer.opening.catalog import named
from explorer.opening.formats import files_at, format_at
from explorer.text import visible
from explorer.text.quantities import decimal, plural, size
from explorer.vocabulary import PieceKind, Vocabulary

TOPICS = ("model", "normalizer", "pre-tokenizer", "post-processor", "decoder", "special tokens", "flags")
"""The order of the usual topics; others follow as they come."""

SPECIAL = {PieceKind.CONTROL: "control", PieceKind.UNKNOWN: "unknown"}
"""The kinds of special tokens, as a card calls them."""

APART = SPECIAL | {PieceKind.USER_DEFINED: "user-defined"}
"""And those that are cut out of a text, but are no special tokens."""

KINDS = APART | {
    PieceKind.NORMAL: "normal", PieceKind.BYTE: "single bytes", PieceKind.UNUSED: "unused",
    PieceKind.UNDEFINED: "undefined",
}  # fmt: skip

ASKED = 20
"""Pieces that are decoded to find the longest token: how long a piece is spelled says roughly, not exactly."""


class Listed(NamedTuple):
    """A token that a card lists: its id, its spelling, and its kind in a word."""

    id: int
    piece: str
    kind: str


class Card(NamedTuple):
    """Everything a card shows, in plain values.

    about: where the vocabulary comes from, as pairs of a word and what it is. numbers: what the vocabulary holds, in
    the same way. stages: the names of the stages a text goes through. topics: the facts in force, by topic. special:
    the control and unknown tokens. user_defined: those that were added, but not as special.
    """

    name: str
    family: str
    implementation: str
    about: tuple[tuple[str, str], ...]
    numbers: tuple[tuple[str, str], ...]
    stages: tuple[str, ...]
    warnings: tuple[Fact, ...]
    topics: tuple[tuple[str, tuple[Fact, ...]], ...]
    unused: tuple[Fact, ...]
    special: tuple[Listed, ...]
    user_defined: tuple[Listed, ...] = ()

    def record(self) -> dict[str, Any]:
        """The same for JSON."""
        fields = ("warnings", "unused", "special", "user_defined")
        rows = {field: [row._asdict() for row in getattr(self, field)] for field in fields}
        return self._asdict() | rows | {
            "about": dict(self.about),
            "numbers": dict(self.numbers),
            "topics": {topic: [fact._asdict() for fact in facts] for topic, facts in self.topics},
        }  # fmt: skip


def card(tokenizer: Tokenizer, about: Sequence[tuple[str, str]] = ()) -> Card:
    """The card of a tokenizer.

    >>> import explorer
    >>> found = card(explorer.load("gpt-2"))
    >>> found.numbers[0], found.special
    (('ids', '50,257: 50,256 normal, 1 control'), (Listed(id=50256, piece='<|endoftext|>', kind='control'),))
    """
    vocabulary = tokenizer.vocabulary
    numbers, failed = list(counted(tokenizer)), list[Fact]()
    for asked in (longest, around):
        try:
            numbers += asked(tokenizer)
        except InputError as error:  # a tokenizer that cannot do that needs its card all the more
            failed.append(Fact("model", f"Trying it out for this card failed: {error}", kind=FactKind.WARNING))
    numbers += [("can be chosen", each.says) for each in tokenizer.choosable]
    facts = [*tokenizer.facts, *settings(tokenizer), *patterns(tokenizer), *failed]
    used = [fact for fact in facts if fact.kind == FactKind.USED]
    topics = dict.fromkeys([*TOPICS, *(fact.topic for fact in used)])
    by_topic = ((topic, tuple(fact for fact in used if fact.topic == topic)) for topic in topics)
    return Card(
        name=tokenizer.name,
        family=tokenizer.family,
        implementation=tokenizer.implementation,
        about=tuple(about),
        numbers=tuple(numbers),
        stages=tuple(part.name for part in tokenizer.parts),
        warnings=tuple(fact for fact in facts if fact.kind == FactKind.WARNING),
        topics=tuple((topic, found) for topic, found in by_topic if found),
        unused=tuple(fact for fact in facts if fact.kind == FactKind.UNUSED),
        special=tuple(listed(vocabulary, SPECIAL)),
        user_defined=tuple(listed(vocabulary, {PieceKind.USER_DEFINED: APART[PieceKind.USER_DEFINED]})),
    )


def listed(vocabulary: Vocabulary, kinds: Mapping[PieceKind, str]) -> Iterator[Listed]:
    """The tokens of some kinds."""
    for id, kind in enumerate(vocabulary.kinds):
        if kind in kinds:
            yield Listed(id, vocabulary.spelling(id), kinds[PieceKind(kind)])


def counted(tokenizer: Tokenizer) -> Iterator[tuple[str, str]]:
    """What the vocabulary holds, counted."""
    vocabulary = tokenizer.vocabulary
    counts = sorted(vocabulary.count_by_kind.items(), key=lambda each: -each[1])
    yield "ids", f"{len(vocabulary):,}: " + ", ".join(f"{count:,} {KINDS[kind]}" for kind, count in counts)
    normal = [score for score, kind in zip(vocabulary.scores, vocabulary.kinds, strict=False) if kind == 1]
    if normal and min(normal) < max(normal):
        yield "scores", f"{decimal(min(normal))} to {decimal(max(normal))}"


def longest(tokenizer: Tokenizer) -> Iterator[tuple[str, str]]:
    """The token that stands for the longest text, and how long it is spelled where that is not the same."""
    found = longest_token(tokenizer)
    if found is not None:
        id, data = found
        text, spelled = visible(data.decode("utf-8", "backslashreplace")), len(tokenizer.vocabulary.pieces[id])
        says = f"{plural(len(data), 'byte')}, id {id}: {text[:40]}{'…' if len(text) > 40 else ''}"
        yield "longest token", says if spelled == len(data) else f"{says}, spelled in {plural(spelled, 'byte')}"


def around(tokenizer: Tokenizer) -> Iterator[tuple[str, str]]:
    """What is put around a text."""
    tokens = tokenizer.encode("a").tokens
    of_text = [place for place, token in enumerate(tokens) if token.start >= 0] or [len(tokens), -1]
    for where, added in (("in front of a text", tokens[: of_text[0]]), ("behind a text", tokens[of_text[-1] + 1 :])):
        if added and len(added) < len(tokens):
            spelled = (f"{visible(tokenizer.vocabulary.spelling(token.id))} (id {token.id})" for token in added)
            yield where, ", ".join(spelled)


def longest_token(tokenizer: Tokenizer) -> tuple[int, bytes] | None:
    """The id and the bytes of the token that stands for the most bytes."""
    vocabulary = tokenizer.vocabulary
    ordinary = [id for id, kind in enumerate(vocabulary.kinds) if kind not in APART and kind != PieceKind.UNUSED]
    candidates = heapq.nlargest(ASKED, ordinary, key=lambda id: len(vocabulary.pieces[id]))
    candidates += heapq.nlargest(ASKED, ordinary, key=lambda id: len(vocabulary.spelling(id)))
    found = ((id, tokenizer.token_bytes(id)) for id in candidates)
    return max(found, key=lambda each: (len(each[1]), -each[0]), default=None)


def settings(tokenizer: Tokenizer) -> Iterator[Fact]:
    """The settings of a model's folder that count, and those that are said for nothing."""
    told = {fact.place.rpartition(" ")[2] for fact in tokenizer.facts}
    for variant in tokenizer.variants.all:
        if variant.name not in told:
            yield Fact("settings", f"{variant.says}.")
    for name in tokenizer.variants.idle:
        if name not in told:
            yield Fact("settings", f"{name} is said, and changes nothing.", kind=FactKind.UNUSED)


def patterns(tokenizer: Tokenizer) -> Iterator[Fact]:
    """The patterns in force, for a tokenizer whose facts show none."""
    if any(fact.topic == "pre-tokenizer" and fact.code and fact.kind == FactKind.USED for fact in tokenizer.facts):
        return
    known = pattern_slots(tokenizer)
    for number, place in enumerate(known, 1):
        says = (
            f"Pattern {number} of {len(known)}, each applied to the pieces of the one before."
            if len(known) > 1
            else "The text is cut into pieces by this pattern."
        )
        yield Fact("pre-tokenizer", says, code=place.regex)


def about(spec: str) -> tuple[tuple[str, str], ...]:
    """Where a vocabulary comes from, given as `explorer.load` takes it."""
    model, _ = named(spec)
    paths = files_at(model if isinstance(model, Path) else model.path)
    found = [("format", format_at(paths[0]).name), ("size", size(paths[0].stat().st_size))]
    if isinstance(model, Path):
        if model.is_dir():
            return (("folder", str(model)), ("files", ", ".join(path.name for path in paths)), *found)
        return (("file", str(model)), *found)
    return (
        ("title", model.title), ("file", f"vocabs/{model.file}"), *found, ("from", model.source),
        ("licence", model.licence), ("sha256", model.sha256),
    )  # fmt: skip


def code_lines(fact: Fact) -> list[str]:
    """What a fact is about, to the letter, line by line."""
    return [shown(line) for line in fact.code.split("\n")] if fact.code else []


def shown(text: str) -> str:
    """Text to the letter; only what a terminal would act on, or what would not be seen at all, is a label."""
    if text.isprintable() and not text.isspace():
        return text
    return visible(text) if text.isspace() else visible(text).replace("␣", " ")
