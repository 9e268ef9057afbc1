"""The steps that make the list of ids: post-processing, truncation, padding.

Arguments of a step: 0 the token, 1 its id, 2 a number of tokens in words, 3 the index in the list, 4 why.
"""

from __future__ import annotations

from enum import Enum, auto

from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story, with_stories

TEMPLATE_CODE = (
    "ids = []",
    "for each slot of the template:",
    "    a special token, if asked for:",
    "        append its id",
    "    the text: append its ids in their order",
    "spans: trim white space, if the file says so",
)
TRUNCATION_CODE = (
    "room = the most tokens allowed",
    "    − those that will be added",
    "if the text has more tokens than that:",
    "    cut off the others, at the side the file names",
)
PADDING_CODE = (
    "length = the length the file names,",
    "    rounded up to a multiple if it says so",
    "while there are fewer tokens:",
    "    add the padding token, at the side it names",
)


class Filling(Enum):
    """What a step does."""

    FIRST = auto()
    LAST = auto()
    TEXT = auto()
    AGAIN = auto()
    TWICE = auto()
    TRIMMED = auto()
    LEFT_OUT = auto()
    NOT_ASKED = auto()
    SPARE = auto()
    PRESENT = auto()
    DONE = auto()
    ROOM = auto()
    CUT = auto()
    FITS = auto()
    LENGTH = auto()
    FILLED = auto()
    LONG_ENOUGH = auto()


def _step(
    label: str, tone: str, say: str, why: str, lines: tuple[int, ...], height: int, mark: bool = False
) -> StepKind:
    return StepKind(label, tone, say, say, why, lines, "dot", height, mark)


NO_SPAN = "It has no span because it is not part of the text."
SAME_LENGTH = "All texts of a batch then have the same length."

KINDS: dict[Filling, StepKind] = with_stories({
    Filling.FIRST: _step("added", "token", "ids[{3:i}] = {1:i}: {0:q}, before the text.", NO_SPAN, (1, 2, 3), 100,
        True),
    Filling.LAST: _step("added", "token", "ids[{3:i}] = {1:i}: {0:q}, after the text.", NO_SPAN, (1, 2, 3), 100, True),
    Filling.TEXT: _step("text", "merge", "From ids[{3:i}] on: {2:t} of the text.", "", (1, 4), 80, True),
    Filling.AGAIN: _step("again", "merge", "From ids[{3:i}] on: {2:t} of the text once more.",
                         "The template contains the text more than once.", (1, 4), 80, True),
    Filling.TWICE: _step("twice", "stale",
                         "ids[{3:i}] = {1:i}: the text itself begins with {0:q}, so it is there twice.",
                         "The tokenizer doesn't check for an existing one.", (3,), 60),
    Filling.TRIMMED: _step("trimmed", "push",
                           "ids[{3:i}] = {1:i}: the span of {0:q} leaves out white space at its ends.",
                           "The file asks for Hugging Face's trim_offsets; the id stays.", (5,), 40),
    Filling.LEFT_OUT: _step("left out", "stale", "The template does not contain the text: {2:t} left out.", "", (4,),
                            80, True),
    Filling.NOT_ASKED: _step("not asked", "miss", "{0:q} ({1:i}) is not added: “add special” is off.", "", (2,), 40),
    Filling.SPARE: _step("not asked", "miss", "{0:q} ({1:i}) is not added: the original has another option for it.", "",
                         (2,), 40),
    Filling.PRESENT: _step("there", "miss", "{0:q} ({1:i}) is not added: the text itself ends with it.", "", (2,), 40),
    Filling.DONE: _step("ids", "info", "The list has {2:t}.", "", (), 60),
    Filling.ROOM: _step("room", "info", "{4:t}", "", (0, 1), 50),
    Filling.CUT: _step("cut off", "stale", "{2:t} cut off, from ids[{3:i}] on.", "{4:t}", (2, 3), 100, True),
    Filling.FITS: _step("fits", "miss", "The text has {2:t}: nothing is cut off.", "", (2,), 60),
    Filling.LENGTH: _step("length", "info", "{4:t}", "", (0, 1), 50),
    Filling.FILLED: _step("padded", "token", "{2:t} of {0:q} ({1:i}), from ids[{3:i}] on.", SAME_LENGTH, (2, 3), 100,
        True),
    Filling.LONG_ENOUGH: _step("long enough", "miss", "The text has {2:t}: nothing is added.", "", (2,), 60),
}, {
    Filling.FIRST: Story("{0:q} is put in front: id {1:i}.", "The tokenizer's file asks for it before every text."),
    Filling.LAST: Story("{0:q} is put at the end: id {1:i}.", "The tokenizer's file asks for it after every text."),
    Filling.TEXT: Story("Next, in their order: the text's {2:t}.", "Nothing about them changes any more."),
    Filling.AGAIN: Story("Once more: the text's {2:t}.", "The template contains the text more than once."),
    Filling.TWICE: Story("The text itself begins with {0:q}, so it is there twice now.",
                         "The tokenizer doesn't check for an existing one."),
    Filling.TRIMMED: Story("{0:q} keeps its id; its place in the text no longer counts the space.",
                           "The file asks for that; it changes what is highlighted, not what the model reads."),
    Filling.LEFT_OUT: Story("The template does not contain the text: {2:t} left out."),
    Filling.NOT_ASKED: Story("{0:q} is not added.", "Adding special tokens is off."),
    Filling.SPARE: Story("{0:q} is not added.", "The original adds it only with an option of its own."),
    Filling.PRESENT: Story("{0:q} is not added.", "The text itself ends with it."),
    Filling.DONE: Story("This is what the model reads: {2:t}.", "It sees the ids alone, never the letters."),
    Filling.CUT: Story("{2:t} cut off.", "{4:t}"),
    Filling.FITS: Story("The text has {2:t}: it fits."),
    Filling.FILLED: Story("Padding: {2:t} of {0:q}.", SAME_LENGTH),
    Filling.LONG_ENOUGH: Story("The text has {2:t}: nothing is added."),
})  # fmt: skip
KIND_INDEX = {kind: number for number, kind in enumerate(KINDS)}
