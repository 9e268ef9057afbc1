"""Facts about the files next to a vocabulary, for its card: which ones are used, and how many rows the model has.

Added for every implementation that is run from a whole folder. An implementation that reads the settings reports so in
facts whose place begins with the file's name; the other files are reported here as unused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from explorer.facts import UNUSED, WARNING, Fact
from explorer.formats.files import CONFIG, TEMPLATES, TOKENIZER_CONFIG
from explorer.formats.model_folder import Settings
from explorer.implementations.opened import Opened
from explorer.text.say import plural
from explorer.vocabulary import PieceKind

TOPIC: Final = "settings"


def with_settings(tokenizer: Opened, settings: Settings, main: str, others: Iterable[str]) -> Opened:
    """The tokenizer with facts about the files next to it.

    main: the file with the vocabulary that was read. others: vocabularies next to it that were not read.
    """
    return replace(tokenizer, facts=(*tokenizer.facts, *_facts(tokenizer, settings, main, others)))


def _facts(tokenizer: Opened, settings: Settings, main: str, others: Iterable[str]) -> Iterator[Fact]:
    """The facts about a folder's files, the same for every implementation."""
    yield from _rows(tokenizer, settings)
    for name in others:
        yield Fact(TOPIC, f"It is not read: the vocabulary is that of {main}.", name, kind=UNUSED)
    said = {fact.place.partition(":")[0] for fact in tokenizer.facts}
    for name in settings.present:
        of_model = settings.rows is not None or tokenizer.implementation.startswith("transformers")
        if name in said or (name == CONFIG and of_model):  # transformers takes the class from it
            continue
        says = f"{tokenizer.implementation} does not read it."
        if name in TEMPLATES:
            says = "A chat template makes the text to be tokenized; it is not part of the tokenizer."
        yield Fact(TOPIC, says, name, kind=UNUSED)
    if (settings.tokenizer or {}).get("chat_template") is not None:
        says = "The chat template makes the text to be tokenized; it is not part of the tokenizer."
        yield Fact(TOPIC, says, f"{TOKENIZER_CONFIG}: chat_template", kind=UNUSED)
    for name, whole in ((TOKENIZER_CONFIG, settings.tokenizer), (CONFIG, settings.config)):
        if (whole or {}).get("auto_map"):
            says = "auto_map names the model's own code. It is never run here."
            yield Fact(TOPIC, says, f"{name}: auto_map", kind=UNUSED)


def _rows(tokenizer: Opened, settings: Settings) -> Iterator[Fact]:
    """The rows of the model's embedding, compared with the ids of the tokenizer."""
    if settings.rows is None:
        return
    count, key = settings.rows
    known = [id for id, kind in enumerate(tokenizer.vocabulary.kinds) if kind != PieceKind.UNDEFINED]
    ids = known[-1] + 1 if known else 0
    place = f"{CONFIG}: {key}"
    # a count has separators, an id has none
    says = f"The model has {plural(count, 'row')} for tokens, but ids go up to {ids - 1}: "
    if count < ids:
        lost = [id for id in known if id >= count]
        which = f"token {lost[0]} has" if len(lost) == 1 else f"{plural(len(lost), 'token')} from id {lost[0]} on have"
        says += f"{which} no row. A text with {'it' if len(lost) == 1 else 'one of them'} makes the model fail."
        yield Fact(TOPIC, says, place, kind=WARNING)
    elif count > ids:
        spare = count - ids
        which = f"row {ids} has" if spare == 1 else f"{plural(spare, 'row')} from {ids} on have"
        pads = "it only pads" if spare == 1 else "they only pad"
        yield Fact(TOPIC, f"{says}{which} no token. Often {pads} to a round number.", place, kind=WARNING)
    else:
        yield Fact(TOPIC, f"The model has {count:,} rows for tokens: one for each id.", place)
