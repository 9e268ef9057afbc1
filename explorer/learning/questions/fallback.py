"""Which ids byte fallback gives for a character that is not a piece.

Wrong ids come from common mistakes: the bytes' values taken for ids, the unknown token, the bytes of UTF-16 or of the
code point's number in place of UTF-8, the bytes from the last to the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from explorer.analysis.why import TraceAccount
from explorer.engine.models.bpe import Bpe, KnownCharacters
from explorer.engine.models.spm import Spm
from explorer.engine.models.trie import FirstMiss
from explorer.engine.models.unigram import Unigram
from explorer.engine.part import Model
from explorer.stages.question import Choice, Draft, Scene
from explorer.stages.spelling import Form
from explorer.stages.why import OriginKind
from explorer.text import label, visible
from explorer.text.say import Say


class Spelled(NamedTuple):
    """A character that became bytes. ids: of them. event: that output the first; last: that output the last."""

    text: str
    ids: tuple[int, ...]
    event: int
    last: int


def has_fallback(model: Model) -> bool:
    """Whether a model spells characters without a piece as bytes."""
    if isinstance(model, Spm):
        return model.byte_fallback
    if isinstance(model, Unigram):
        return model.rules.byte_fallback
    if isinstance(model, Bpe):
        return model.byte_tokens or (isinstance(model.initial, KnownCharacters) and model.initial.byte_fallback)
    return isinstance(model, FirstMiss)


def byte_fallback(scene: Scene) -> Draft | None:
    """Which ids does byte fallback give?"""
    found = list(spelled(scene))
    if not found:
        return None
    text, ids, event, last = scene.random.choice(found)
    data = text.encode()
    shift = ids[0] - data[0]
    regular = all(id - byte == shift for byte, id in zip(data, ids, strict=True))

    unknown = scene.stage.part.unknown if isinstance(scene.stage.part, Model) else None
    utf_16 = tuple(byte + shift for byte in text.encode("utf-16-be"))
    wrong = [
        (tuple(data), "These are the values of the bytes, not the ids of their tokens."),
        ((unknown,) if unknown is not None else (), "With byte fallback, no text becomes the unknown token."),
        (utf_16 if regular else (), "These are the bytes of UTF-16. Byte fallback uses UTF-8."),
        (ids[::-1], "The first byte comes first."),
        (tuple(map(ord, text)), "This is the number of the code point, not an id."),
    ]
    spelled_bytes = data.hex(" ").upper()
    said = Say.of(
        "{0:q} ({1:t}) is not a piece. Its bytes in UTF-8 are {2:t}: each becomes the token of that byte.",
        visible(text),
        " ".join(map(label, text)),
        spelled_bytes,
    )
    if regular and shift:
        said = said.then(Say.of("The id of a byte is its value plus {0}.", shift))
    # the prompt gives one byte's id, beside a panel its first step does, so that the rest can be worked out
    given = (
        Say.of("The byte 00 is token {0:t}.", str(shift)) if regular else Say.of("Each byte has a token of its own.")
    )
    spelling = Say.of(
        "{0:q} is {1:t}, in UTF-8 {2:t}, and not a piece.", visible(text), " ".join(map(label, text)), spelled_bytes
    )
    ask = Say.of("Which ids does byte fallback give?")
    prompt = spelling.then(given, ask)
    return Draft(prompt, as_choice(ids), [as_choice(each, why) for each, why in wrong if each], said,
                 scene.stage.name, event if event < last else event - 1, last, brief=spelling.then(ask))  # fmt: skip


def as_choice(ids: tuple[int, ...], why: str = "") -> Choice:
    """Ids side by side."""
    return Choice(Say.of("{0:t}", " ".join(map(str, ids))), "", Say(why))


def spelled(scene: Scene) -> Iterator[Spelled]:
    """The characters of the text that became bytes, each once."""
    asked, seen = TraceAccount(scene.trace, scene.name, Form.AS_TEXT), set()
    made = [number for number, source in enumerate(asked.sources) if source is not None]
    tokens = scene.trace.encoding.tokens
    for (start, end), group in groupby(made, key=lambda number: tokens[number][1:]):
        origins = [asked.origin(number) for number in group]
        if not all(each.how == OriginKind.BYTE and each.event is not None for each in origins):
            continue
        text, ids = scene.trace.text[start:end], tuple(each.token.id for each in origins)
        first, last = origins[0].event, origins[-1].event
        # a normalized character has other bytes than the text
        if len(text.encode()) == len(ids) and text not in seen and first is not None and last is not None:
            seen.add(text)
            yield Spelled(text, ids, first, last)
