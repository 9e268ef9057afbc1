"""Models that look text up whole, as everybody else asks about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from explorer.engine.models.lookup import ByteValues, CharWordEvent, CodePoints, WordLevelEvent
from explorer.engine.part import Model
from explorer.engine.results import Stage, Trace
from explorer.stages.lookup.story import char_word_script
from explorer.stages.lookup.why import Units, Words
from explorer.stages.stage import ModelKind, by_kind, of_stage
from explorer.text.say import Say, plural
from explorer.vocabulary import Vocabulary


def clause(model: Model) -> str:
    """What a model that doesn't use the vocabulary to cut does."""
    if isinstance(model, ByteValues):
        return "numbers each byte by its value"
    if isinstance(model, CodePoints):
        return "numbers each character by its code point"
    return "looks each character or word up"


def word_level_result(trace: Trace, stage: Stage, vocabulary: Vocabulary) -> Say:
    """How many words were looked up, and how many are unknown."""
    words, unknown = len(stage.events), sum(event.kind == WordLevelEvent.UNKNOWN for event in stage.events)
    if not words:
        return Say.of("There is no word to look up.")
    looked_up = plural(words, "word is", "words are")
    if unknown:
        return Say.of("{0:t} looked up, of which {1:t} unknown.", looked_up, plural(unknown, "is", "are"))
    return Say.of("{0:t} looked up and found.", looked_up)


UNITS: Final = ModelKind(
    title="Look-up",
    purpose="The text is cut into characters or words without using the vocabulary, and each is looked up whole.",
    name="Look-up",
    script=of_stage(char_word_script),
    account=Units,
    clause=clause,
    outputs=by_kind(
        *(CharWordEvent.FOUND, CharWordEvent.UNKNOWN, CharWordEvent.BYTE, CharWordEvent.BYTE_VALUE),
        *(CharWordEvent.CODE_POINT, CharWordEvent.LOST),
    ),
)
WORDS: Final = replace(
    UNITS,
    title="Words looked up",
    purpose="Each word is looked up whole: it is a piece, or it becomes the unknown token.",
    result=word_level_result,
    account=Words,
    clause=lambda model: "looks each word up",
    outputs=by_kind(WordLevelEvent.KNOWN, WordLevelEvent.UNKNOWN),
)
