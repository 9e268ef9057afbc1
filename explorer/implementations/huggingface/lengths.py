"""`truncation` and `padding` of a tokenizer.json: read as the original reads them, reported, and applied on request.

tokenizers applies both to every text, transformers only when its caller asks for it. Here ids are complete unless the
user chooses otherwise (`pad_and_truncate`), and the card warns of what the file asks for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from explorer.engine.decoders.events import PaddedDecoder
from explorer.engine.part import Decoder, Part
from explorer.engine.post_processors.huggingface import PostProcessing
from explorer.engine.post_processors.lengths import MOST, Padding, Truncation
from explorer.errors import InputError, shown
from explorer.facts import USED, WARNING, Choosable, Fact
from explorer.formats.tokenizer_json import TokenizerJson
from explorer.text import visible
from explorer.vocabulary import Vocabulary

KEY: Final = "pad_and_truncate"
"""The key of the choice."""
ANSWERS: Final = ("no", "yes")

STRATEGIES: Final = ("LongestFirst", "OnlyFirst", "OnlySecond")
LEFT, RIGHT = "Left", "Right"
BATCH: Final = "BatchLongest"
WHOLE: Final = 1 << 64
ID: Final = 1 << 32


class Lengths(NamedTuple):
    """The truncation and padding of a file, each None if it has none. pad_token: its spelling of the padding token."""

    truncation: Truncation | None
    padding: Padding | None
    pad_token: str = ""

    def choosable(self, chosen: bool) -> tuple[Choosable, ...]:
        """The choice, if the file has either."""
        if self.truncation is None and self.padding is None:
            return ()
        return (Choosable(KEY, "Pad and truncate as the file asks", ANSWERS, ANSWERS[chosen]),)

    def stages(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """The stages with truncation after the model and padding at the end."""
        model = next(index for index, part in enumerate(parts) if part.name == "model") + 1
        cut = () if self.truncation is None else (self.truncation,)
        fill = () if self.padding is None else (self.padding,)
        return (*parts[:model], *cut, *parts[model:], *fill)

    def decoder(self, decoder: Decoder) -> Decoder:
        """The decoder for padded ids."""
        return decoder if self.padding is None else PaddedDecoder(decoder, self.padding.token, self.padding.left)


def are_applied(choices: Mapping[str, str], name: str) -> bool:
    """Whether the user chose padding and truncation. Raises InputError for an unknown answer."""
    answer = choices.get(KEY, ANSWERS[False])
    if answer not in ANSWERS:
        raise InputError(f"{name}: {KEY} is {shown(answer)}; known answers are {', '.join(ANSWERS)}")
    return answer == ANSWERS[True]


def read_lengths(file: TokenizerJson, post: PostProcessing, name: str) -> Lengths:
    """The truncation and padding of a file. Raises InputError for settings that the original refuses."""
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
            multiple=0 if of.values.get("pad_to_multiple_of") is None else of.number("pad_to_multiple_of", WHOLE),
            left=of.one_of("direction", (LEFT, RIGHT)) == LEFT,
        )
    return Lengths(cut, fill, pad_token)


def check_applicable(found: Lengths, vocabulary: Vocabulary, name: str) -> None:
    """Raises InputError if the padding token does not exist, or padding would fill without bound."""
    if found.padding is not None:
        id, length = found.padding.token, found.padding.length or 0
        if id >= len(vocabulary):
            raise InputError(
                f"{name}: padding.pad_id is {id}, but the last id is {len(vocabulary) - 1}; repair the file"
            )
        if max(length, found.padding.multiple) > MOST:
            raise InputError(f"{name}: padding fills every text to more than {MOST} tokens; repair the file")


class Settings:
    """The settings of a section, checked one by one; errors name their path."""

    def __init__(self, values: object, path: str, name: str) -> None:
        if not isinstance(values, Mapping):
            raise InputError(f"{name}: {path} is {shown(values)}, not an object; repair the file")
        self.values: Mapping[str, Any] = values
        self.path, self.name = path, name

    def error(self, key: str, wanted: str) -> InputError:
        """An InputError for a setting of the wrong type or value."""
        what = shown(self.values[key]) if key in self.values else "missing"
        return InputError(f"{self.name}: {self.path}.{key} is {what} but should be {wanted}; repair the file")

    def number(self, key: str, below: int) -> int:
        """A whole number."""
        value = self.values.get(key)
        if type(value) is not int or not 0 <= value < below:
            raise self.error(key, "a whole number from 0")
        return value

    def text(self, key: str) -> str:
        """A string."""
        value = self.values.get(key)
        if not isinstance(value, str):
            raise self.error(key, "a text")
        return value

    def one_of(self, key: str, known: Sequence[str], default: str = "") -> str:
        """A name; the original also accepts an object with the name as its only key and null as its value."""
        value = self.values.get(key, default)
        if isinstance(value, Mapping) and len(value) == 1 and next(iter(value.values())) is None:
            value = next(iter(value))
        if value not in known or not isinstance(value, str):
            raise self.error(key, f"one of {', '.join(known)}")
        return value

    def fixed(self, key: str) -> int | None:
        """A padding strategy: {"Fixed": length}, or BatchLongest, which is None."""
        value = self.values.get(key)
        if isinstance(value, Mapping) and list(value) == ["Fixed"]:
            return Settings(value, f"{self.path}.{key}", self.name).number("Fixed", WHOLE)
        self.one_of(key, (BATCH,))
        return None


# --- facts ------------------------------------------------------------------------------------------------------------


def length_facts(found: Lengths, vocabulary: Vocabulary, chosen: bool) -> Iterator[Fact]:
    """The facts about truncation and padding, and whether they are applied."""
    kind = USED if chosen else WARNING
    whose = (
        "You chose to apply this."
        if chosen
        else f"tokenizers always does this; here, as in transformers, only if you choose {KEY}=yes."
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
            yield Fact("padding", says, "padding.pad_id", kind=WARNING)


def truncation_says(cut: Truncation) -> str:
    """A truncation in a sentence.

    >>> truncation_says(Truncation(128, added=2))
    'The file cuts a text to 128 tokens, including 2 added ones, at its end.'
    """
    added = f", including {cut.added} added {'one' if cut.added == 1 else 'ones'}" if cut.added else ""
    stride = f" The parts that are cut off overlap by {cut.stride}." if cut.stride else ""
    if cut.second_only:
        return f"The file allows {cut.longest} tokens{added}, and cuts only the second text of a pair.{stride}"
    return f"The file cuts a text to {cut.longest} tokens{added}, at its {'beginning' if cut.left else 'end'}.{stride}"


def padding_says(fill: Padding, token: str) -> str:
    """A padding in a sentence.

    >>> padding_says(Padding(0, 128), "[PAD]")
    'The file fills a text up to 128 tokens with [PAD] (0), after it.'
    >>> padding_says(Padding(0, None, multiple=8, left=True), "x")
    'The file fills the texts of a batch up to the longest with x (0), in front, to a multiple of 8.'
    """
    where = "in front" if fill.left else "after it"
    up_to = "the texts of a batch up to the longest" if fill.length is None else f"a text up to {fill.length} tokens"
    multiple = f", to a multiple of {fill.multiple}" if fill.multiple else ""
    return f"The file fills {up_to} with {visible(token)} ({fill.token}), {where}{multiple}."
