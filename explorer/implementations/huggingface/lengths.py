"""`truncation` and `padding` of a tokenizer.json: read as the original reads them, said, and applied where asked.

tokenizers applies both to every text by itself, transformers only when its caller asks. Here ids are whole unless the
person chooses otherwise (`pad_and_truncate`), and what the file asks for is a warning on its card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from explorer.engine.decoders.padded import Padded
from explorer.engine.part import Decoder, Part
from explorer.engine.post_processors.huggingface import PostProcessing
from explorer.engine.post_processors.lengths import MOST, Padding, Truncation
from explorer.errors import InputError, shown
from explorer.facts import Choosable, Fact, FactKind
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.text import visible
from explorer.vocabulary import Vocabulary

KEY: Final = "pad_and_truncate"
"""What the choice is called."""
ANSWERS: Final = ("no", "yes")

STRATEGIES: Final = ("LongestFirst", "OnlyFirst", "OnlySecond")
LEFT, RIGHT = "Left", "Right"
BATCH: Final = "BatchLongest"
WHOLE: Final = 1 << 64
ID: Final = 1 << 32


class Lengths(NamedTuple):
    """What a file asks for, each None where it asks for none. pad_token: how it spells the padding token."""

    truncation: Truncation | None
    padding: Padding | None
    pad_token: str = ""

    def choosable(self, chosen: bool) -> tuple[Choosable, ...]:
        """The choice, where there is something to choose."""
        if self.truncation is None and self.padding is None:
            return ()
        return (Choosable(KEY, "Pad and truncate as the file asks", ANSWERS, ANSWERS[chosen]),)

    def stages(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """The stages with these: truncation behind the model, padding at the end."""
        model = next(place for place, part in enumerate(parts) if part.name == "model") + 1
        cut = () if self.truncation is None else (self.truncation,)
        fill = () if self.padding is None else (self.padding,)
        return (*parts[:model], *cut, *parts[model:], *fill)

    def decoder(self, decoder: Decoder) -> Decoder:
        """What decodes such ids."""
        return decoder if self.padding is None else Padded(decoder, self.padding.token, self.padding.left)


def asked_for(choices: Mapping[str, str], name: str) -> bool:
    """Whether padding and truncation were chosen. Raises InputError for an answer that is none."""
    answer = choices.get(KEY, ANSWERS[False])
    if answer not in ANSWERS:
        raise InputError(f"{name}: {KEY} is {shown(answer)}; known answers are {', '.join(ANSWERS)}")
    return answer == ANSWERS[True]


def lengths(file: TokenizerJson, post: PostProcessing, name: str) -> Lengths:
    """What the file asks for. Raises InputError for what the original opens no file with."""
    cut = fill = None
    pad_token = ""
    if file.truncation is not None:
        of = Settings(file.truncation, "truncation", name)
        strategy = of.one_of("strategy", STRATEGIES)
        cut = Truncation(
            of.number("max_length", WHOLE),
            added=post.added,
            left=of.one_of("direction", (LEFT, RIGHT), RIGHT) == LEFT,
            stride=of.number("stride", WHOLE),
            second_only=strategy == STRATEGIES[-1],
        )
    if file.padding is not None:
        of = Settings(file.padding, "padding", name)
        of.number("pad_type_id", ID)
        pad_token = of.text("pad_token")
        fill = Padding(
            of.number("pad_id", ID),
            of.fixed("strategy"),
            multiple=0 if of.given.get("pad_to_multiple_of") is None else of.number("pad_to_multiple_of", WHOLE),
            left=of.one_of("direction", (LEFT, RIGHT)) == LEFT,
        )
    return Lengths(cut, fill, pad_token)


def applied(found: Lengths, vocabulary: Vocabulary, name: str) -> Lengths:
    """The same, to be applied. Raises InputError where the padding token is none, or fills without end."""
    if found.padding is not None:
        id, length = found.padding.token, found.padding.length or 0
        if id >= len(vocabulary):
            raise InputError(f"{name}: padding.pad_id is {id}, and ids end with {len(vocabulary) - 1}; repair the file")
        if max(length, found.padding.multiple) > MOST:
            raise InputError(f"{name}: padding fills every text to more than {MOST} tokens; repair the file")
    return found


class Settings:
    """The settings of a part, read one by one; an error names the place."""

    def __init__(self, given: object, place: str, name: str) -> None:
        if not isinstance(given, Mapping):
            raise InputError(f"{name}: {place} is {shown(given)} and no object; repair the file")
        self.given: Mapping[str, Any] = given
        self.place, self.name = place, name

    def error(self, key: str, wanted: str) -> InputError:
        what = shown(self.given[key]) if key in self.given else "missing"
        return InputError(f"{self.name}: {self.place}.{key} is {what} and should be {wanted}; repair the file")

    def number(self, key: str, below: int) -> int:
        value = self.given.get(key)
        if type(value) is not int or not 0 <= value < below:
            raise self.error(key, "a whole number from 0")
        return value

    def text(self, key: str) -> str:
        value = self.given.get(key)
        if not isinstance(value, str):
            raise self.error(key, "a text")
        return value

    def one_of(self, key: str, known: Sequence[str], default: str = "") -> str:
        """A name; the original also takes an object whose only key it is, with null."""
        value = self.given.get(key, default)
        if isinstance(value, Mapping) and len(value) == 1 and next(iter(value.values())) is None:
            value = next(iter(value))
        if value not in known or not isinstance(value, str):
            raise self.error(key, f"one of {', '.join(known)}")
        return value

    def fixed(self, key: str) -> int | None:
        """A padding strategy: {"Fixed": length}, or BatchLongest, which is None."""
        value = self.given.get(key)
        if isinstance(value, Mapping) and list(value) == ["Fixed"]:
            return Settings(value, f"{self.place}.{key}", self.name).number("Fixed", WHOLE)
        self.one_of(key, (BATCH,))
        return None


# --- in words ---------------------------------------------------------------------------------------------------------


def facts_of(found: Lengths, vocabulary: Vocabulary, chosen: bool) -> Iterator[Fact]:
    """What the file asks for, and whether it is done."""
    kind = FactKind.USED if chosen else FactKind.WARNING
    whose = (
        "As was chosen."
        if chosen
        else f"tokenizers does so by itself; here, as with transformers, only when chosen: {KEY}=yes."
    )
    if found.truncation is not None:
        yield Fact("truncation", f"{truncation_says(found.truncation)} {whose}", "truncation", kind=kind)
    if found.padding is not None:
        yield Fact("padding", f"{padding_says(found.padding, found.pad_token)} {whose}", "padding", kind=kind)
        id = found.padding.token
        spelled = vocabulary.spelling(id) if id < len(vocabulary) else ""
        if spelled != found.pad_token:
            says = (
                f"The padding token is called {visible(found.pad_token)}, but its id {id} is "
                f"{visible(spelled) if spelled else 'no token'}."
            )
            yield Fact("padding", says, "padding.pad_id", kind=FactKind.WARNING)


def truncation_says(cut: Truncation) -> str:
    """
    >>> truncation_says(Truncation(128, added=2))
    'The file cuts a text to 128 tokens, 2 added ones among them, at its end.'
    """
    added = f", {cut.added} added {'one' if cut.added == 1 else 'ones'} among them" if cut.added else ""
    stride = f" The parts that are cut off overlap by {cut.stride}." if cut.stride else ""
    if cut.second_only:
        return f"The file allows {cut.longest} tokens{added}, and cuts only the second text of a pair.{stride}"
    return f"The file cuts a text to {cut.longest} tokens{added}, at its {'beginning' if cut.left else 'end'}.{stride}"


def padding_says(fill: Padding, token: str) -> str:
    """
    >>> padding_says(Padding(0, 128), "[PAD]")
    'The file fills a text up to 128 tokens with [PAD] (0), behind it.'
    >>> padding_says(Padding(0, None, multiple=8, left=True), "x")
    'The file fills the texts of a batch up to the longest with x (0), in front, to a multiple of 8.'
    """
    where = "in front" if fill.left else "behind it"
    up_to = "the texts of a batch up to the longest" if fill.length is None else f"a text up to {fill.length} tokens"
    multiple = f", to a multiple of {fill.multiple}" if fill.multiple else ""
    return f"The file fills {up_to} with {visible(token)} ({fill.token}), {where}{multiple}."
