"""What the files beside a vocabulary add to its card: what each one said, what nobody reads, and a warning where the
model has fewer or more rows than the tokenizer has ids.

Said of every implementation that is run from a whole folder. One that reads the settings itself says so with facts
whose place begins with the file's name; files it said nothing of are not used by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from explorer.engine.tokenizer import Tokenizer
from explorer.facts import Fact, FactKind
from explorer.formats.model_files import CONFIG, TEMPLATES, TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings
from explorer.text.quantities import plural
from explorer.vocabulary import PieceKind

TOPIC: Final = "settings"


def with_settings(tokenizer: Tokenizer, settings: Settings, main: str, others: Iterable[str]) -> Tokenizer:
    """The tokenizer with what there is to say about the files beside it.

    main: the file with the vocabulary that was taken. others: vocabularies beside it that nobody has read.
    """
    return replace(tokenizer, facts=(*tokenizer.facts, *facts_of(tokenizer, settings, main, others)))


def facts_of(tokenizer: Tokenizer, settings: Settings, main: str, others: Iterable[str]) -> Iterator[Fact]:
    """The facts about a folder's files that are the same whoever runs it."""
    yield from rows(tokenizer, settings)
    for name in others:
        yield Fact(TOPIC, f"It is not read: the vocabulary is that of {main}.", name, kind=FactKind.UNUSED)
    said = {fact.place.partition(":")[0] for fact in tokenizer.facts}
    for name in settings.present:
        if name in said or (name == CONFIG and settings.rows is not None):
            continue
        says = f"{tokenizer.implementation} does not read it."
        if name in TEMPLATES:
            says = "A chat template is text to be tokenized, and no part of the tokenizer."
        yield Fact(TOPIC, says, name, kind=FactKind.UNUSED)
    if (settings.tokenizer or {}).get("chat_template") is not None:
        says = "There is a chat template; it makes the text to be tokenized, and is no part of the tokenizer."
        yield Fact(TOPIC, says, f"{TOKENIZER_CONFIG}: chat_template", kind=FactKind.UNUSED)
    for name, whole in ((TOKENIZER_CONFIG, settings.tokenizer), (CONFIG, settings.config)):
        if (whole or {}).get("auto_map"):
            says = "auto_map names code of the model's own. It is never run here."
            yield Fact(TOPIC, says, f"{name}: auto_map", kind=FactKind.UNUSED)


def rows(tokenizer: Tokenizer, settings: Settings) -> Iterator[Fact]:
    """How many rows the model has, against the ids of the tokenizer."""
    if settings.rows is None:
        return
    count, key = settings.rows
    kinds = tokenizer.vocabulary.kinds
    ids = len(kinds)
    place = f"{CONFIG}: {key}"
    if count < ids:
        lost = sum(kind != PieceKind.UNDEFINED for kind in kinds[max(count, 0) :])
        says = (
            f"The model has {count:,} rows for tokens, and ids go up to {ids - 1:,}: {plural(lost, 'token')} from id "
            f"{count:,} on without a row. A text with one of them stops the model."
        )
        yield Fact(TOPIC, says, place, kind=FactKind.WARNING)
    elif count > ids:
        says = (
            f"The model has {count:,} rows for tokens, and ids go up to {ids - 1:,}: {plural(count - ids, 'row')} from "
            f"{ids:,} on without a token. Often they only fill up to a round number."
        )
        yield Fact(TOPIC, says, place, kind=FactKind.WARNING)
    else:
        yield Fact(TOPIC, f"The model has {count:,} rows for tokens: one for each id.", place)
