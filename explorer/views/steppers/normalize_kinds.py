"""The kinds of step of a normalization, with their sentences.

Arguments: {0} what was read, {1} what is written, {2} and {3} their code points, {4} the index of the code point, {5}
the operation's name in the source, {6} a word that depends on the kind of event (`normalize_script`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from explorer.engine.normalizers.stage import NormalizeEvent
from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story

AT = "{5:t}, index {4}: "
MOVED = f"{AT}{{2:t}} → {{3:t}}."
GONE = f"{AT}{{2:t}} is dropped."


class Told(NamedTuple):
    """A kind of step: its badge and color, its sentences on the level Implementation and as a story, its log line."""

    label: str
    tone: str
    say: str
    why: str
    story: Story
    log: str = "{0:t} → {1:t}"
    shape: str = "dot"
    height: int = 70


BACK = "nothing brings it back."

KINDS: Mapping[NormalizeEvent | str, Told] = MappingProxyType(
    {
        NormalizeEvent.DECOMPOSE: Told(
            "take apart", "merge", MOVED, "",
            Story("{0:q} is taken apart: {6:t}.", "A letter and its marks can be one code point or several."),
            height=100),
        NormalizeEvent.REORDER: Told(
            "order", "push", MOVED, "Combining classes: {6:t}.",
            Story("The marks change places: {1:q}.",
                  "Marks on one letter have an order, so that equal texts are equal.")),
        NormalizeEvent.COMPOSE: Told(
            "put together", "merge", MOVED, "No mark between the two has the same class or a higher one.",
            Story("{6:t} become {1:q}.", "A letter and its mark are one code point where Unicode has one."),
            height=100),
        NormalizeEvent.FIRST_OF_NFD: Told(
            "take apart", "merge", MOVED, "In llama.cpp's unicode_ranges_nfd, the upper bound minus one is {6:t}.",
            Story("{0:q} is taken apart, and only {1:q} is kept.",
                  "llama.cpp's table has the first code point of each decomposition, and no more."), height=100),
        NormalizeEvent.DROP_MARK: Told(
            "drop", "stale", GONE, "It is a combining mark: {6:t}.",
            Story("The mark {0:q} is dropped.", f"This model keeps no accents, and {BACK}"), "{0:t} dropped",
            "diamond"),
        "mark of": Told(
            "drop", "stale", GONE, "It is a combining mark, of {7:q} in the text.",
            Story("The {6:t} of {7:q} is dropped. What is left is {8:q}.",
                  f"This model keeps no accents: from here on {{7:q}} and {{8:q}} are the same, and {BACK}"),
            "{0:t} dropped", "diamond"),
        NormalizeEvent.DROP_CONTROL: Told(
            "drop", "stale", GONE, "It is {6:t}.",
            Story("{0:q} is dropped: it is {6:t}.", f"It has no meaning for the model, and {BACK}"), "{0:t} dropped",
            "diamond"),
        NormalizeEvent.STRIP: Told(
            "strip", "stale", GONE, "It is white space at the {6:t}.",
            Story("White space at the {6:t} of the text is dropped.", f"It would make a token of its own, and {BACK}"),
            "{0:t} dropped", "diamond"),
        NormalizeEvent.SPACE: Told(
            "space", "merge", MOVED, "It is {6:t}.",
            Story("{0:q} becomes a space.", "It is {6:t}. To the model all white space is alike.")),
        NormalizeEvent.ISOLATE: Told(
            "isolate", "push", f"{AT}a space before and after {{2:t}}.", "It is in the range {6:t}.",
            Story("{0:q} is a Chinese character: a space goes on either side.",
                  "Chinese has no spaces between words, so each character is a word.")),
        NormalizeEvent.LOWER: Told(
            "lower case", "token", MOVED, "One code point at a time: its neighbors don't matter.",
            Story("{0:q} becomes {1:q}.", "Capitals and small letters are the same to this model.")),
        NormalizeEvent.REPLACE: Told(
            "replace", "merge", MOVED, "{6:t}.", Story("{0:q} is replaced by {1:q}.", "{6:t}.")),
        "left out": Told(
            "leave out", "stale", GONE, "{6:t}.", Story("{0:q} is left out.", f"{{6:t}}, and {BACK}"), "{0:t} left out",
            "diamond"),
        "space mark": Told(
            "space", "merge", MOVED, "{6:t}.",
            Story("The space is written {1:q}.", "So spaces can be part of tokens, and no text is lost."), "␣ → {1:t}"),
        NormalizeEvent.INSERT: Told(
            "insert", "push", f"{AT}{{3:t}} is inserted.", "{6:t}.",
            Story("{1:q} is put in.", "The pattern matches between any two characters."), "{1:t} put in"),
        NormalizeEvent.PREFIX: Told(
            "in front", "push", "{5:t}: {3:t} is put in front.", "",
            Story("{1:q} is put in front.", "A word then gets the same tokens at the beginning as after a space."),
            "{1:t} in front"),
        "space in front": Told(
            "in front", "push", "{5:t}: {3:t} is put in front.", "It is the beginning, or comes after a special token.",
            Story("A space is put in front.", "A word then gets the same tokens at the beginning as after a space."),
            "␣ in front"),
        NormalizeEvent.NO_PREFIX: Told(
            "no prefix", "miss", "{5:t}: nothing is put in front, because llama.cpp's is_prev_special is false.",
            "What comes before is text.",
            Story("No space is put in front.", "What comes before is text, not a special token."), "no prefix", "ring",
            40),
        NormalizeEvent.MAP: Told(
            "map", "merge", MOVED, "{6:t}.",
            Story("{0:q} becomes {1:q}.", "The model's character map has a rule for it.")),
        "map to nothing": Told(
            "map", "stale", GONE, "{6:t}.",
            Story("{0:q} is dropped.", f"The model's character map has an empty rule for it, and {BACK}"),
            "{0:t} dropped", "diamond"),
        NormalizeEvent.GRAPHEME: Told(
            "map", "merge", MOVED, "{6:t}. The rule is for a beginning of the grapheme, and the rest goes with it.",
            Story("{0:q} becomes {1:q}.", "The map has a rule for its beginning. The rest goes with it.")),
        NormalizeEvent.BYTES: Told(
            "bytes", "byte", MOVED, "Its bytes are {6:t}.",
            Story("{0:q} is spelled as its bytes: {1:q}.", "Every byte has a printable character of its own: {6:t}.")),
    }
)  # fmt: skip
"""Kind of event, or a variant of one → its kind of step. MORE and ALSO belong to the step of the event before."""


def step_kind(told: Told, lines: tuple[int, ...]) -> StepKind:
    """The kind of step. lines: of the pseudo-code."""
    return StepKind(
        told.label, told.tone, told.say, told.log, told.why, lines, told.shape, told.height, True, told.story.say,
        told.story.why,
    )  # fmt: skip
