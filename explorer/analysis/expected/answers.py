"""What becomes of expected ids: why they are others, what makes them again, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from explorer.analysis.alignment import Span
from explorer.engine.options import Options
from explorer.engine.tokenizer import Encoding, Tokenizer


class Reason(StrEnum):
    """Why the expected ids are not those of the tokenizer."""

    SAME = "same ids"
    MISSING_SPECIAL = "missing special token"
    EXTRA_SPECIAL = "extra special token"
    OTHER_SPECIAL = "other special token"
    DOUBLED = "special token twice"
    OPTIONS = "other options"
    NORMALIZED = "added token searched in the normalized text"
    ESCAPES = "escapes"
    LEADING_SPACE = "leading space"
    WHITE_SPACE = "white space at an end"
    PARTS = "encoded in parts"
    IMPLEMENTATION = "another implementation"
    OTHER_TOKENIZER = "another tokenizer"
    OUT_OF_RANGE = "no id of this vocabulary"
    TEXT = "another text"
    CUTS = "other cuts"


class Place(StrEnum):
    """Where a stretch of ids is: among the special tokens at an end, or in the text between them."""

    FRONT = "in front"
    TEXT = "in the text"
    BEHIND = "behind"


class Stretch(NamedTuple):
    """Expected ids [expected) beside given ids [given): the same, or not."""

    same: bool
    expected: range
    given: range
    place: Place = Place.TEXT


class Region(NamedTuple):
    """A stretch that differs. span: the characters it is about, None at an end. where, text: that in words.

    expected, given: the ids of both sides with their spellings. name: of the tokenizer.
    """

    stretch: Stretch
    span: Span | None
    where: str
    text: str
    expected: str
    given: str
    name: str

    @property
    def sentence(self) -> str:
        """Both sides of it."""
        at = f"{self.where}, “{self.text}”" if self.text else self.where
        return f"{at}: expected {self.expected}; {self.name} gives {self.given}."


class Encoded(NamedTuple):
    """A text under a tokenizer and options."""

    tokenizer: Tokenizer
    text: str
    options: Options

    def ids(self) -> list[int]:
        """Its ids."""
        return self.tokenizer.encode(self.text, **self.options._asdict()).ids


class Recipe(NamedTuple):
    """What makes the expected ids: texts that are encoded, their ids joined, and other tokens put at the ends.

    drop: so many ids fall away in front and behind. front, behind: what takes their place.
    """

    encoded: tuple[Encoded, ...]
    drop: tuple[int, int] = (0, 0)
    front: tuple[int, ...] = ()
    behind: tuple[int, ...] = ()

    def ids(self) -> list[int]:
        """The ids it makes."""
        made = [id for each in self.encoded for id in each.ids()]
        return [*self.front, *made[self.drop[0] : len(made) - self.drop[1]], *self.behind]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of the expected ids.

    given: what the tokenizer gives for `text`. decoded: what the expected ids spell, None where one of them is no id of
    this vocabulary. encoding: the expected ids as tokens on `text`, None where they do not spell exactly this text.
    stretches: both lists of ids side by side, in order. regions: those that differ, the ends first. recipe: what makes
    exactly the expected ids, None where nothing that was tried does, or where special tokens within the text are all
    that differs. specs: the tokenizers that give them, the nearest first, and with which options and for which text the
    first of them does. cuts: the offsets at which the text was cut, where it was encoded in parts.
    """

    text: str
    expected: tuple[int, ...]
    given: Encoding
    decoded: str | None
    encoding: Encoding | None
    stretches: tuple[Stretch, ...]
    regions: tuple[Region, ...]
    reason: Reason
    sentence: str
    recipe: Recipe | None = None
    specs: tuple[str, ...] = ()
    options: Options | None = None
    read: str | None = None
    cuts: tuple[int, ...] = ()

    @property
    def same(self) -> bool:
        """Whether the expected ids are those of the tokenizer."""
        return not self.regions

    @property
    def at(self) -> int | None:
        """The number of the first id that differs, from 0; None where they are the same."""
        return next((stretch.expected.start for stretch in self.stretches if not stretch.same), None)


class Found(NamedTuple):
    """An explanation that leaves nothing open.

    says: follows "The expected ids" or "they". recipe: what makes the expected ids; None where only the regions say it.
    specs: of the tokenizers that give the ids, where they can be named.
    """

    reason: Reason
    says: str
    recipe: Recipe | None = None
    specs: tuple[str, ...] = ()
    cuts: tuple[int, ...] = ()
