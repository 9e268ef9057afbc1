"""Facts about the files next to a vocabulary, for its card: which ones are used, and how many rows the model has.

Added for every implementation that is run from a whole folder. An implementation that reads the settings reports so in
facts whose place begins with the file's name; the other files are reported here as unused.
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
    """The tokenizer with facts about the files next to it.

    main: the file with the vocabulary that was read. others: vocabularies next to it that were not read.
    """
    return replace(tokenizer, facts=(*tokenizer.facts, *_facts(tokenizer, settings, main, others)))


def _facts(tokenizer: Tokenizer, settings: Settings, main: str, others: Iterable[str]) -> Iterator[Fact]:
    """The facts about a folder's files, the same for every implementation."""
    yield from _rows(tokenizer, settings)
    for name in others:
        yield Fact(TOPIC, f"It is not read: the vocabulary is that of {main}.", name, kind=FactKind.UNUSED)
    said = {fact.place.partition(":")[0] for fact in tokenizer.facts}
    for name in settings.present:
        if name in said or (name == CONFIG and settings.rows is not None):
            continue
        says = f"{tokenizer.implementation} does not read it."
        if name in TEMPLATES:
            says = "A chat template makes the text to be tokenized; it is not part of the tokenizer."
        yield Fact(TOPIC, says, name, kind=FactKind.UNUSED)
    if (settings.tokenizer or {}).get("chat_template") is not None:
        says = "The chat template makes the text to be tokenized; it is not part of the tokenizer."
        yield Fact(TOPIC, says, f"{TOKENIZER_CONFIG}: chat_template", kind=FactKind.UNUSED)
    for name, whole in ((TOKENIZER_CONFIG, settings.tokenizer), (CONFIG, settings.config)):
        if (whole or {}).get("auto_map"):
            says = "auto_map names the model's own code. It is never run here."
            yield Fact(TOPIC, says, f"{name}: auto_map", kind=FactKind.UNUSED)


def _rows(tokenizer: Tokenizer, settings: Settings) -> Iterator[Fact]:
    """The rows of the model's embedding, compared with the ids of the tokenizer."""
    if settings.rows is None:
        return
    count, key = settings.rows
    kinds = tokenizer.vocabulary.kinds
    ids = len(kinds)
    place = f"{CONFIG}: {key}"
    if count < ids:
        lost = sum(kind != PieceKind.UNDEFINED for kind in kinds[max(count, 0) :])
        says = (
            f"The model has {count:,} rows for tokens, but ids go up to {ids - 1:,}: {plural(lost, 'token')} from id "
            f"{count:,} on have no row. A text with one of them makes the model fail."
        )
        yield Fact(TOPIC, says, place, kind=FactKind.WARNING)
    elif count > ids:
        says = (
            f"The model has {count:,} rows for tokens, but ids go up to {ids - 1:,}: {plural(count - ids, 'row')} from "
            f"{ids:,} on have no token. Often they only pad to a round number."
        )
        yield Fact(TOPIC, says, place, kind=FactKind.WARNING)
    else:
        yield Fact(TOPIC, f"The model has {count:,} rows for tokens: one for each id.", place)
