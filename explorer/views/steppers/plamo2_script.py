"""The stepper's script for PLaMo-2's Unigram: the lattice from the end, then the best path from the left."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

from explorer.engine.models.plamo2 import LAST_RESORT, UNIT, Plamo2
from explorer.engine.models.unigram import UnigramEvent, UnigramRow
from explorer.engine.results import Stage
from explorer.text.quantities import number
from explorer.views.steppers.lattice_base import HIT, Lattice, LatticeScript, Texts, back_kinds
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Script, StepKind
from explorer.views.steppers.stories import Story, with_stories
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "best[end] = 0",
    "for each offset, from the right:",
    "    for each piece that begins there, longest first:",
    "        sum = score of the piece + best[its end]",
    "        if there is none yet, or sum > best[offset]:",
    "            best[offset] = sum, by this piece",
    "    the same for the character as its bytes",
    "offset = 0",
    "while offset < the end:",
    "    output the best piece from offset, or bytes",
    "    offset = its end",
)
WON, FAILED, BYTES_WON, BYTES_FAILED, BACKWARD, OUT = (2, 3, 4, 5), (2, 3, 4), (6, 3, 4, 5), (6, 3, 4), (8, 10), (9,)

EQUAL = "A candidate has to score higher: of equal sums, the longer piece stays, which was tried first."
RESORT = f"As its bytes a character scores {number(LAST_RESORT / UNIT)}: a last resort."

_SCORES = "From offset {0} to {1}: {2:q} scores {3:t}, {4:t} to the end."
_BYTES = "From offset {0}: {2:q} as its bytes scores {3:t}, {4:t} to the end."
_FIRST = "It is the first path from there."
_LOSES = "{5:q} with {6:t} stays the best."

BACK = StepKind(
    "follow", "merge", "From offset {0} the best path takes {2:q}, to offset {1}.", "{0} → {1} by {2:q}", "",
    BACKWARD, "dot", 80)  # fmt: skip

KINDS = {
    **back_kinds(BACK, "Follow the best way from the left: ", "→"),
    "segment": StepKind(
        "segment", "info", "A new fragment of {0:t} begins.", "new fragment, {0:t}",
        "It has a lattice of its own: no piece crosses a token."),
    "first": StepKind("reaches", "push", f"{_SCORES} {_FIRST}", "{0}: {2:q} {4:t}", "", WON, "dot", 60, True),
    "beats": StepKind(
        "beats", "merge", f"{_SCORES} That beats {{5:q}} with {{6:t}}.", "{0}: {2:q} beats {5:q}, {4:t}", "", WON,
        "dot", 100, True),
    "loses": StepKind("loses", "miss", f"{_SCORES} {_LOSES}", "{0}: {2:q} loses to {5:q}", EQUAL, FAILED, "ring", 25),
    "unknown first": StepKind(
        "bytes", "byte", f"{_BYTES} {_FIRST}", "{0}: {2:q} as bytes", RESORT, BYTES_WON, "dot", 60, True),
    "unknown beats": StepKind(
        "bytes", "byte", f"{_BYTES} That still beats {{5:q}} with {{6:t}}.", "{0}: {2:q} as bytes beats {5:q}", RESORT,
        BYTES_WON, "dot", 60, True),
    "unknown loses": StepKind(
        "bytes", "byte", f"{_BYTES} {_LOSES}", "{0}: {2:q} as bytes loses", RESORT, BYTES_FAILED, "ring", 25),
    "dropped": StepKind(
        "dropped", "stale", "The byte order mark at the beginning is dropped.", "byte order mark dropped", "",
        (), "diamond", 45),
    "token": StepKind(
        "token", "token", "{2:q} from offset {0} to {1} is token {3:t}.", "{2:q} {3:t}", "", OUT, "dot", 70),
    "byte": StepKind(
        "byte", "byte", "Byte {5} of {2:q} becomes {4:q}, token {3:t}.", "byte {4:q} {3:t}",
        "Bytes lose nothing.", OUT, "dot", 70),
    "follow": FOLLOW,
}  # fmt: skip
_WAY = "{2:q} leads to the end with {7:t}"
_LOST = Story("{2:q} leads to the end with {7:t}. {5:q} with {8:t} stays better.", "Each position keeps its best way.")
_TIED = Story(
    "{2:q} leads to the end with {7:t}, no better than {5:q}, which was tried first.", "Of equal sums, the first stays."
)
KINDS = with_stories(KINDS | {"ties": KINDS["loses"], "unknown ties": KINDS["unknown loses"]}, {
    "first": Story(f"{_WAY}, the first way from here.", "Scores add up from the end; the highest sum wins."),
    "beats": Story(f"{_WAY}, better than {{5:q}} with {{8:t}}.", "Each position keeps its best way."),
    "loses": _LOST,
    "ties": _TIED,
    "unknown first": Story("{2:q} as its bytes leads to the end with {7:t}.", RESORT),
    "unknown beats": Story("{2:q} as its bytes still beats {5:q}: {7:t} against {8:t}.", RESORT),
    "unknown loses": _LOST,
    "unknown ties": _TIED,
    "token": Story("{2:q} is token {3:t}."),
})  # fmt: skip


def plamo2_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the model stage of a PLaMo-2 trace, within a window."""
    return _Writer(stage, vocabulary, window).write()


class _Writer(LatticeScript[Plamo2]):
    """Unigram from the right: a piece's sum is kept at its start."""

    kinds, code, unit = KINDS, CODE, UNIT
    texts = Texts(
        title="Lattice, from the end", opening="At the end the sum is 0.", other_end="to",
        best="Best path from each offset", best_note="its first piece, and the sum of all scores to the end",
        waiting="No tokens yet. They appear when the best path is followed from the left.",
        nothing="It is empty, or all of it is tokens.", to_end=True,
    )  # fmt: skip

    def empty_sums(self, count: int) -> MutableSequence[Any]:
        return [0] * count

    def ends(self, row: UnigramRow) -> tuple[int, int]:
        return row.start, row.end

    def score(self, token: int, unknown: bool) -> float:
        return self.model.score(token)

    def piece_text(self, fragment: Lattice, start: int, end: int, token: int) -> str:
        return fragment.segment.text[start:end]

    def open_phase(self, kind: UnigramEvent) -> None:
        if kind == UnigramEvent.SEGMENT and not self.begun:
            self.builder.phase("From the end")

    def other(self, row: UnigramRow, fragment: Lattice) -> None:
        """The byte order mark that is dropped."""
        self.mark(fragment, range(row.start, row.end), HIT)
        self.builder.step(self.kind_index["dropped"])
