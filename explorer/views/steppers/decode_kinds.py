"""The steps of decoding: their sentences, and the code they run.

Arguments of a step: 0 the token, 1 its bytes in hexadecimal, 2 what they spelled before, 3 what they spell now, 4 and 5
a decoder's name and what it does, 6 the position, 7 the id, 8 the bytes held back, 9 how a byte token is read.
"""

from __future__ import annotations

from enum import Enum, auto

from explorer.engine.decoders.rows import DecodeEvent
from explorer.views.decode_words import HOW
from explorer.views.steppers.script import StepKind
from explorer.views.steppers.stories import Story, with_stories

CODE = (
    "for each id:",
    "    skip it if it was put around the text",
    "    look up the bytes that it spells",
    "mend the bytes as the model asks",
    "for each id:",
    "    put its bytes into the buffer",
    "    write all whole characters of the buffer",
    "    keep a character that has only begun",
    "at the end, what is left becomes �",
)
SOURCE = (
    "parts = [bytes_of(id) for id in ids]",
    "",
    'decoder = codecs.getincrementaldecoder("utf-8")("replace")',
    "for part in parts:",
    '    print(decoder.decode(part), end="", flush=True)',
    "    # decoder.getstate()[0] is what it holds back",
    'print(decoder.decode(b"", final=True))',
)


class Reading(Enum):
    """What a step of the second half does, and what a chain of decoders does."""

    CHANGED = auto()
    UNCHANGED = auto()
    WRITTEN = auto()
    HELD = auto()
    PARTLY = auto()
    COMPLETED = auto()
    MALFORMED = auto()
    CUT_OFF = auto()
    SAME = auto()
    DIFFERENT = auto()


GIVES = "ids[{6:i}] = {7:i}: {0:q} gives {1:t}."


def _of_event(how: DecodeEvent) -> StepKind:
    """A step for an event of a decoder."""
    reason = HOW.get(how, "")
    return StepKind(
        "bytes", "token", GIVES, "{0:q} gives {1:t}", f"It gives {reason}." if reason else "", (0, 2), "dot", 60,
        source=(0,),
    )  # fmt: skip


def _mended(label: str, say: str, why: str) -> StepKind:
    return StepKind(label, "stale", f"ids[{{6:i}}] = {{7:i}}: {say}", say, why, (3,), "diamond", 60, source=(0,),
                    story=say[0].upper() + say[1:], story_why=why)  # fmt: skip


def _read(label: str, tone: str, say: str, why: str, lines: tuple[int, ...], height: int, mark: bool) -> StepKind:
    return StepKind(label, tone, say, say, why, lines, "dot", height, mark, source=(3, 4, 5))


KINDS: dict[DecodeEvent | Reading, StepKind] = {how: _of_event(how) for how in DecodeEvent}
KINDS |= {
    DecodeEvent.DROP: StepKind(
        "dropped", "miss", "ids[{6:i}] = {7:i}: {0:q} was added around the text, so it gives nothing.",
        "{0:q} is dropped",
        "", (0, 1), "ring", 30, source=(0,)),
    DecodeEvent.HIDDEN: StepKind(
        "dropped", "miss", "ids[{6:i}] = {7:i}: {0:q} is not written.", "{0:q} is not written",
        "A token of this kind has no text.", (0, 1), "ring", 30, source=(0,)),
    DecodeEvent.BYTE: StepKind(
        "byte", "byte", GIVES, "{0:q} is {1:t}", "{9:t}", (0, 2), "dot", 60, source=(0,)),
    DecodeEvent.SPACE: _mended(
        "space", "the space at the very beginning is removed: {3:q} is left.",
        "It was put there so that the first word looks like any other."),
    DecodeEvent.CLEANED: _mended("clean-up", "spaces beside punctuation go: {2:q} becomes {3:q}.", ""),
    DecodeEvent.CLEANED_SPACES: _mended(
        "clean-up", "spaces beside punctuation go: {2:q} becomes {3:q}.", "llama.cpp cleans up for this model."),
    DecodeEvent.DENORMALIZED: _mended("rewritten", "the denormalizer rewrites {2:q} as {3:q}.", ""),
    Reading.CHANGED: StepKind(
        "decoder", "push", "{4:t}: {2:q} becomes {3:q} (ids[{6:i}] = {7:i}).", "{4:t}: {2:q} → {3:q}", "{5:t}", (2, 3),
        "dot", 60, source=(0,)),
    Reading.UNCHANGED: StepKind(
        "decoder", "info", "{4:t} changes no bytes.", "{4:t}: no change", "{5:t}", (3,), "ring", 30, source=(0,)),
    Reading.WRITTEN: _read("written", "merge", "{1:t} → {3:q} is written.", "The buffer is empty again.", (5, 6), 100,
                           True),
    Reading.HELD: _read("held back", "stale", "{1:t} → the buffer holds {8:t}, which only begins a character.",
                        "Output now, it would appear as �.", (5, 7), 45, False),
    Reading.PARTLY: _read("written", "merge", "{3:q} is written; the buffer holds {8:t}.",
                          "It only begins a character.", (5, 6, 7), 80, True),
    Reading.COMPLETED: _read("whole", "merge", "{1:t} completes what the buffer held: {3:q} is written.", "", (5, 6),
                             100, True),
    Reading.MALFORMED: _read("malformed", "stale", "{1:t}: not UTF-8. {3:q} is written.",
                             "The bytes in the buffer cannot become a character any more.", (5, 6), 90, True),
    Reading.CUT_OFF: StepKind(
        "cut off", "stale", "The buffer still holds {8:t} at the end: it becomes �.", "{8:t} becomes �", "", (8,),
        "diamond", 90, True, source=(6,)),
    Reading.SAME: StepKind(
        "the same", "info", "The ids give back exactly the text they were made from.", "the same text", "", (8,), "dot",
        70, source=(6,)),
    Reading.DIFFERENT: StepKind(
        "different", "info", "They give back {3:q}, another text than the one they were made from.",
        "another text", "", (8,), "dot", 70, source=(6,)),
}  # fmt: skip

KINDS = with_stories(KINDS, {
    **{how: Story("{0:q} gives {1:t}.", KINDS[how].why) for how in DecodeEvent if KINDS[how].say == GIVES},
    DecodeEvent.DROP: Story("{0:q} was put around the text, so it is left out."),
    DecodeEvent.HIDDEN: Story("{0:q} is not written.", "A token of this kind has no text."),
    DecodeEvent.PIECE: Story("{0:q} gives {1:t}.", "These are the bytes of its piece; ▁ becomes a space, 20."),
    DecodeEvent.BYTE: Story("{0:q} is one byte: {1:t}.", "A byte alone need not be a character."),
    DecodeEvent.RAW: Story("{0:q} gives {1:t}.", "A token of this model is simply its bytes."),
    DecodeEvent.SPELLED: Story("{0:q} gives {1:t}.", "It is written the way it is spelled."),
    Reading.CHANGED: Story("{2:q} becomes {3:q}.", "{4:t}: {5:t}"),
    Reading.UNCHANGED: Story("{4:t} changes nothing here.", "{5:t}"),
    Reading.WRITTEN: Story("{1:t} is {3:q}. Nothing is missing: it is written.",
                           "A streaming client can show it immediately."),
    Reading.HELD: Story("{8:t} only begins a character: it is held back.",
                        "Output now, it would appear as �. A program that streams waits for the rest."),
    Reading.PARTLY: Story("{3:q} is written. {8:t} only begins a character and is held back.",
                          "Output now, it would appear as �. A program that streams waits for the rest."),
    Reading.COMPLETED: Story("With {1:t} the character is whole: {3:q} is written.",
                             "It took several tokens; none is valid text on its own."),
    Reading.MALFORMED: Story("{1:t} cannot complete a character: {3:q} is written.",
                             "� is the sign for bytes that are no text."),
    Reading.CUT_OFF: Story("The ids end within a character: {8:t} becomes �."),
    Reading.SAME: Story("The ids give back exactly your text."),
    Reading.DIFFERENT: Story("The ids give back {3:q}, not your text."),
})  # fmt: skip
KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
