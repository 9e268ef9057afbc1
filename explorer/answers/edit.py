"""The questions of the edits on the Vocabulary page: the edited file, what became of the tokens, and of a text.

Edits are replayed on the file's bytes wherever the tokenizer's other questions run. What they give is an upload, which
is opened in the session's own process like any other.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, NamedTuple

from explorer.analysis.languages import languages, measure
from explorer.analysis.lines import Line
from explorer.analysis.pre_tokenizer.agreement import Suggestion, suggestions
from explorer.analysis.vocabulary.dossier import speller_of
from explorer.analysis.vocabulary.index import VocabularyIndex
from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec, Upload, UploadGroup, upload_offer
from explorer.answers.questions import material, question
from explorer.editing.edits import Edit
from explorer.editing.edits_file import write
from explorer.editing.effect import Effect, changed, effect
from explorer.editing.replay import EDITORS, editor_of, replay
from explorer.implementations.tiktoken import with_sha256
from explorer.implementations.tiktoken.pattern_choice import KEY
from explorer.opening.formats import HEAD, format_of
from explorer.origin import File
from explorer.text import visible

SECONDS: Final = 10.0
"""Processor time of a list of edits on the page."""

NAMED: Final = 5
"""Suggested pre-tokenizers that are drawn."""

SHOWN: Final = 12
"""Tokens and words that are drawn of many."""


class EditedFile(NamedTuple):
    """A file after its edits. notes: what was said about each edit. choices: what opening it needs to be told.

    edits: the list of edits as a file, which names what they are for.
    """

    data: bytes
    name: str
    notes: tuple[tuple[str, ...], ...]
    choices: tuple[tuple[str, str], ...]
    edits: str
    edits_name: str


class Token(NamedTuple):
    """A token as it is drawn."""

    id: int
    text: str


class Changes(NamedTuple):
    """What became of the tokens: how many, and the first of them."""

    added: tuple[int, tuple[Token, ...]]
    removed: tuple[int, tuple[Token, ...]]
    moved: int
    same: int
    unreached: tuple[int, tuple[Token, ...]]


@question
def kinds_of(spec: TokenizerSpec) -> tuple[type, ...]:
    """The kinds of edits that the format of a tokenizer has. Raises InputError."""
    return tuple(editor_of(format_of(spec.offer.open.contents()[:HEAD], spec.offer.label), spec.offer.label).steps)


@material(lambda edited: 10_000 + len(edited.data))
def edited_file(spec: TokenizerSpec, edits: tuple[Edit, ...]) -> EditedFile:
    """The file of a tokenizer after edits. Raises InputError that names the edit."""
    data = spec.offer.open.contents()
    found = replay(data, edits, spec.offer.label, SECONDS)
    known = with_sha256(data)
    choices = dict(spec.choices) or ({KEY: known[0].name} if known else {})
    label = spec.offer.label.partition(" (")[0]
    stem = PurePath(label).stem if label.endswith(tuple(each.suffix for each in EDITORS.values())) else label
    suffix = editor_of(format_of(data[:HEAD], label), label).suffix
    head = f"# Edits of {visible(spec.name)}, sha256 {File.of(label, data).digest}; replay them with explorer edit.\n"
    return EditedFile(found.data, f"{stem}, edited here{suffix}", found.notes, tuple(choices.items()),
                      head + write(edits), f"{stem}-edits.toml")  # fmt: skip


def edited_spec(spec: TokenizerSpec, edited: EditedFile) -> tuple[UploadGroup, TokenizerSpec]:
    """The edited file as an upload, and how to open it: with the others of its folder, as before."""
    others = spec.offer.files[1:]
    name = spec.offer.files[0].name if others else edited.name
    files = (Upload(name, edited.data, f"{spec.offer.title or spec.offer.label}, edited here"), *others)
    offer = upload_offer(files)
    known = offer.implementations
    implementation = spec.implementation if spec.implementation in known else known[0]
    return files, TokenizerSpec(offer, implementation, edited.choices)


@question
def changes_of(before: TokenizerSpec, after: TokenizerSpec) -> Changes:
    """What became of the tokens. Raises InputError if the edited file can't be opened."""
    change = changed(tokenizer(before.without_pattern), tokenizer(after))
    what = change.difference
    return Changes(
        (len(what.only_right), first(change.right, what.only_right)),
        (len(what.only_left), first(change.left, what.only_left)),
        len(what.other_id),
        what.same,
        (len(change.unreached), first(change.right, change.unreached)),
    )


def first(index: VocabularyIndex, ids: tuple[int, ...]) -> tuple[Token, ...]:
    """The first of some tokens, visible and short."""
    speller = speller_of(index)
    return tuple(Token(id, speller.token(id)[:80]) for id in ids[:SHOWN])


@question
def names_like(spec: TokenizerSpec, probe: str) -> tuple[Suggestion, ...]:
    """llama.cpp's names of pre-tokenizers, those that cut a probe text most like a tokenizer. Raises InputError."""
    return suggestions(tokenizer(spec.without_pattern), probe)[:NAMED]


@question
def languages_after(before: TokenizerSpec, after: TokenizerSpec) -> tuple[tuple[str, int, int], ...]:
    """The tokens of the bundled text in every language: its name, before, after."""
    rows = measure([*languages().values()], [tokenizer(before.without_pattern), tokenizer(after)]).rows
    return tuple((row.language.name, row.costs[0].tokens, row.costs[1].tokens) for row in rows)


@question
def effect_on(before: TokenizerSpec, after: TokenizerSpec, text: str) -> Effect:
    """What the edits do to a text. Raises InputError."""
    lines = (Line("the text", number, line) for number, line in enumerate(text.split("\n"), 1))
    return effect(tokenizer(before.without_pattern), tokenizer(after), lines)
