"""The Vocabulary page's questions about a vocabulary that is cut to some languages, or extended with tokens for them.

Of the sample's documents and of the visitor's lines every other one chooses tokens, or teaches new ones, and the ones
between say what it costs. Each size is written and opened anew, so a cost is what the file gives, not an estimate.
Leaves out a model's own files: `editing.trimming` writes the script that cuts its embeddings.
"""

import io
import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

from explorer.answers.explore import tokenizer
from explorer.answers.offers import TokenizerSpec
from explorer.answers.questions import material, question
from explorer.answers.vocabulary import EditedFile, edited_file, edited_spec
from explorer.corpus.sample import sample_texts
from explorer.editing.extending import extension
from explorer.editing.trimming import (
    PLAIN,
    chosen,
    companions,
    counted,
    removal,
    required,
    special_ids,
    unmade,
)
from explorer.engine import budget
from explorer.implementations.opened import Opened
from explorer.stages.spelling import Form, Speller
from explorer.tables import Json, Record

SIZES = tuple(1 << bits for bits in range(9, 18))
"""To which a vocabulary is cut."""
MORE = tuple(1 << bits for bits in range(5, 12))
"""New tokens."""
OTHERS = ("Spanish", "Russian", "Burmese", "Chinese", "English", "Arabic")
"""Languages that are also counted."""
OTHER = 4
"""As many as are not kept for."""
SECONDS = 20.0
"""Processor time of one size."""
NAMED = 8
"""Tokens that are named of many."""


class Aim(NamedTuple):
    """What a vocabulary is cut to, or extended for. languages: of the sample. extends: tokens are added."""

    spec: TokenizerSpec
    languages: tuple[str, ...]
    extends: bool = False

    @property
    def groups(self) -> dict[str, list[str]]:
        """The lines of each language, then of some others."""
        others = [each for each in OTHERS if each not in self.languages][:OTHER]
        return {each: sample_texts()[each] for each in (*self.languages, *others)}

    @property
    def choosing(self) -> list[str]:
        """The lines that choose."""
        return [line for each in self.languages for line in sample_texts()[each][::2]]


class Cut(NamedTuple):
    """A vocabulary of one size. ids: old → new, of the tokens that stay. new: of new pieces the old ids they are of."""

    file: EditedFile
    after: Opened
    ids: Mapping[int, int]
    new: Mapping[bytes, tuple[int, ...]]


def cost(tokenizer: Opened, lines: Iterable[str]) -> int:
    """The tokens of lines."""
    return len(tokenizer.encode_batch([*lines], **PLAIN).ids)


@question
def sizes_of(aim: Aim) -> tuple[int, ...]:
    """The sizes that can be chosen, the whole vocabulary apart."""
    before = tokenizer(aim.spec)
    least, whole = len(required(before) - special_ids(before)), sum(map(bool, before.vocabulary.pieces))
    return MORE if aim.extends else tuple(size for size in SIZES if least <= size < whole)


@material(lambda cut: len(cut.file.data) + 1_000 * len(cut.after.vocabulary))
def cut_of(aim: Aim, size: int) -> Cut:
    """The vocabulary of a size, written and opened. Raises InputError for a format or a model that can't."""
    spec, before = aim.spec, tokenizer(aim.spec)
    data, label = spec.offer.open.contents(), spec.offer.label
    if aim.extends:
        edit, new = extension(before, data, label, aim.choosing, size)
        ids: Mapping[int, int] = {}
    else:
        kept = chosen(before, counted(before, aim.choosing), size)
        (edit, ids), new = removal(before, data, label, kept), {}
    file = edited_file.function(spec, (edit,))  # each size is asked for once
    return Cut(file, edited_spec(spec, file)[1].open(), ids, new)


@question
def point_of(aim: Aim, size: int) -> Json:
    """What a size costs; 0: the vocabulary as it is. tokens: of the vocabulary. costs: tokens of each group's lines
    that did not choose. seen: of all that did. Raises InputError.
    """
    with budget.within("this vocabulary", SECONDS):
        after = cut_of.function(aim, size).after if size else tokenizer(aim.spec)
        costs = [cost(after, lines[1::2]) for lines in aim.groups.values()]
        return {"tokens": sum(map(bool, after.vocabulary.pieces)), "costs": costs, "seen": cost(after, aim.choosing)}


@question
def cut_view(aim: Aim, size: int, text: str) -> Json:
    """A size as the page draws it. Raises InputError.

    before, after: the tokens of the text: what is shown, its id, its old id, its span. named: tokens that go, or new
    ones, with what they are made of; total: how many. ids: some tokens that stay, with both ids. lines: of all groups;
    back: those that decode as before. lost: kept tokens that text no longer gives.
    """
    before = tokenizer(aim.spec)
    with budget.within("this vocabulary", SECONDS):
        cut = cut_of(aim, size)
        olds, after = {new: old for old, new in cut.ids.items()}, cut.after
        spell, spell_after = (Speller(each.trace(""), Form.AS_TEXT).token for each in (before, after))
        old, new = (each.encode(text, **PLAIN) for each in (before, after))
        lines = [line for each in aim.groups.values() for line in each]
        decoded = ({each.decode(each.encode(line, **PLAIN).ids) for each in (before, after)} for line in lines)
        found: Record = {
            "lines": len(lines), "back": sum(len(texts) == 1 for texts in decoded),
            "size": size,
            "before": [[spell(id), id, id, span] for id, span in zip(old.ids, old.spans, strict=True)],
            "after": [[spell_after(id), id, olds.get(id, id), span]
                      for id, span in zip(new.ids, new.spans, strict=True)],
        }  # fmt: skip
        if aim.extends:
            named = [(spell_after(after.vocabulary.ids[piece]), [*map(spell, parts)])
                     for piece, parts in islice(cut.new.items(), NAMED)]  # fmt: skip
            return found | {"named": named, "total": len(cut.new), "ids": []}
        dropped = [id for id, piece in enumerate(before.vocabulary.pieces) if piece and id not in cut.ids]
        shown = sorted(special_ids(before) & cut.ids.keys())[:NAMED]
        return found | {
            "named": [(spell(id), ()) for id in dropped[:NAMED]], "total": len(dropped),
            "ids": [(spell(id), id, cut.ids[id]) for id in shown],
            "lost": len(unmade(before, after, cut.ids)),
        }  # fmt: skip


@question
def files_of(aim: Aim, size: int) -> bytes:
    """All files of a size as a zip. Raises InputError."""
    cut, archive = cut_of(aim, size), io.BytesIO()
    ids = cut.after.vocabulary.ids
    others = companions(tokenizer(aim.spec), cut.ids, {}) if cut.ids else {
        "new_tokens.json": json.dumps({ids[piece]: parts for piece, parts in cut.new.items()}).encode()
    }  # fmt: skip
    with ZipFile(archive, "w", ZIP_DEFLATED) as file:
        for name, content in {f"tokenizer.{cut.file.name.rpartition('.')[2]}": cut.file.data, **others}.items():
            file.writestr(name, content)
    return archive.getvalue()
