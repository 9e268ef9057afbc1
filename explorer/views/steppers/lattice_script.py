"""The stepper's script for Unigram: the lattice, the best sum at each offset, and the path back.

Sums are added up as the engine adds them, 32 or 64 bits wide.
"""

from __future__ import annotations

from array import array
from collections.abc import MutableSequence
from typing import Any

from explorer.engine.models.unigram import Unigram, UnigramEvent, UnigramRow
from explorer.engine.results import Stage
from explorer.views.steppers.lattice_base import GONE, LOST, Lattice, LatticeScript, back_kinds
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Script, StepKind
from explorer.views.steppers.stories import Story, with_stories
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "best[0] = 0; no other offset is reached yet",
    "for each offset, from the left:",
    "    for each piece that begins there:",
    "        sum = best[offset] + score of the piece",
    "        if its end is not reached, or sum > best[end]:",
    "            best[end] = sum, by this piece",
    "    if the character is not a piece:",
    "        the same for the unknown token",
    "offset = the end",
    "while offset > 0:",
    "    take the best piece that ends at offset",
    "    offset = its start",
    "output the pieces taken, from the left;",
    "    unknown characters as one token, or as bytes",
)
WON, FAILED, UNKNOWN_WON, UNKNOWN_FAILED = (2, 3, 4, 5), (2, 3, 4), (6, 7, 4, 5), (6, 7, 4)
BACKWARD, OUT, OUT_UNKNOWN = (9, 10, 11), (12,), (12, 13)

EQUAL = "A candidate has to score higher: of equal sums, the first stays."
PENALTY = "The unknown token scores 10 less than the lowest piece: a last resort."

_SCORES = "From offset {0}: {2:q} scores {3:t}, {4:t} in all."
_UNKNOWN = "From offset {0}: {2:q} is not a piece. As the unknown token it scores {3:t}, {4:t} in all."
_FIRST = "Offset {1} is reached for the first time."
_LOSES = "{5:q} with {6:t} stays the best path to offset {1}."

BACK = StepKind(
    "back", "merge", "Back from offset {1}: the best path to it ends with {2:q}, from offset {0}.",
    "{1} ← {0} by {2:q}", "", BACKWARD, "dot", 80)  # fmt: skip

KINDS = {
    **back_kinds(BACK, "Walk back from the end: ", "←"),
    "segment": StepKind(
        "segment", "info", "A new fragment of {0:t} begins.", "new fragment, {0:t}",
        "It has a lattice of its own: no piece crosses a token."),
    "first": StepKind("reaches", "push", f"{_SCORES} {_FIRST}", "{2:q} to {1}: {4:t}", "", WON, "dot", 60, True),
    "beats": StepKind(
        "beats", "merge", f"{_SCORES} That beats {{5:q}} with {{6:t}}: it is now the best path to offset {{1}}.",
        "{2:q} beats {5:q} at {1}: {4:t}", "", WON, "dot", 100, True),
    "loses": StepKind("loses", "miss", f"{_SCORES} {_LOSES}", "{2:q} loses to {5:q} at {1}", EQUAL, FAILED, "ring", 25),
    "unknown first": StepKind(
        "unknown", "byte", f"{_UNKNOWN} {_FIRST}", "{2:q} unknown to {1}: {4:t}", PENALTY, UNKNOWN_WON, "dot", 60,
        True),
    "unknown beats": StepKind(
        "unknown", "byte", f"{_UNKNOWN} That still beats {{5:q}} with {{6:t}} at offset {{1}}.",
        "{2:q} unknown beats {5:q}", PENALTY, UNKNOWN_WON, "dot", 60, True),
    "unknown loses": StepKind(
        "unknown", "byte", f"{_UNKNOWN} {_LOSES}", "{2:q} unknown loses", PENALTY, UNKNOWN_FAILED, "ring", 25),
    "unused": StepKind(
        "unused", "stale", "From offset {0}: {2:q} fits, but it is marked unused.", "{2:q} is unused",
        "sentencepiece skips such pieces; llama.cpp takes them like any other.", (2,), "diamond", 45),
    "rebased": StepKind(
        "rebase", "info", "The sum at offset {0} has reached {1:t}: it is set to 0, and all later sums are lowered "
        "by the same amount.", "sums rebased at {0}", "sentencepiece does this to stay precise on long texts: its sums "
        "have 32 bits. The best path does not change.", (3,), "diamond", 45),
    "token": StepKind(
        "token", "token", "{2:q} from offset {0} to {1} is token {3:t}.", "{2:q} {3:t}", "", OUT, "dot", 70),
    "unknown token": StepKind(
        "unknown token", "byte", "{2:q} from offset {0} to {1} becomes {4:q}, token {3:t}.", "{2:q} → {4:q} {3:t}",
        "The text is lost.", OUT_UNKNOWN, "dot", 70),
    "joined": StepKind(
        "unknown token", "byte", "{2:q} from offset {0} to {1} is unknown too: it joins the {4:q} before it.",
        "{2:q} joins {4:q}", "A run of unknown characters is one token.", OUT_UNKNOWN, "ring", 70),
    "byte": StepKind(
        "byte", "byte", "{2:q} from offset {0} to {1} is unknown: its byte {5} becomes {4:q}, token {3:t}.",
        "byte {4:q} {3:t}", "Byte fallback loses nothing.", OUT_UNKNOWN, "dot", 70),
    "follow": FOLLOW,
}  # fmt: skip
_WAY = "{2:q} comes here with {7:t}"
_LOST = Story("{2:q} comes here with {7:t}. {5:q} with {8:t} stays better.", "Each position keeps only its best way.")
_TIED = Story("{2:q} comes here with {7:t}, no better than {5:q}, which came first.", "Of equal sums, the first stays.")
KINDS = with_stories(KINDS | {"ties": KINDS["loses"], "unknown ties": KINDS["unknown loses"]}, {
    "first": Story(f"{_WAY}, the first way to this position.", "Scores add up along the way; the highest sum wins."),
    "beats": Story(f"{_WAY}, better than {{5:q}} with {{8:t}}.", "Each position keeps only its best way."),
    "loses": _LOST,
    "ties": _TIED,
    "unknown first": Story("{2:q} is not a piece. As the unknown token it comes here with {7:t}.", PENALTY),
    "unknown beats": Story(
        "{2:q} is not a piece. As the unknown token it still beats {5:q}: {7:t} against {8:t}.", PENALTY),
    "unknown loses": _LOST,
    "unknown ties": _TIED,
    "unused": Story("{2:q} fits, but it is marked unused.", "sentencepiece skips such pieces; llama.cpp takes them."),
    "rebased": Story("The sum has become large: it is set to 0, and all later sums are lowered with it.",
                     "The best path does not change."),
    "token": Story("{2:q} is token {3:t}."),
    "unknown token": Story("{2:q} becomes {4:q}, token {3:t}.", "What it was is lost."),
    "joined": Story("{2:q} is unknown too: it joins the {4:q} before it.", "A run of unknown characters is one token."),
    "byte": Story("{2:q} is unknown: its byte {5} becomes {4:q}, token {3:t}.", "Byte fallback loses nothing."),
})  # fmt: skip


def lattice_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the Unigram model stage of a trace, within a window.

    >>> from explorer.views.steppers.model_script import example
    >>> example(lattice_script, "xlm-r", "is it").sentence(2)
    'From offset 0: “▁i” scores −6.0462, −6.0462 in all. Offset 2 is reached for the first time.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(LatticeScript[Unigram]):
    """Unigram from the left: a piece's sum is kept at its end."""

    kinds, code = KINDS, CODE
    phase = ""

    def empty_sums(self, count: int) -> MutableSequence[Any]:
        return array("f" if self.model.rules.single else "d", [0.0]) * count

    def ends(self, row: UnigramRow) -> tuple[int, int]:
        return row.end, row.start

    def score(self, token: int, unknown: bool) -> float:
        return self.model.rules.unknown_score if unknown else self.model.score(token)

    def piece_text(self, fragment: Lattice, start: int, end: int, token: int) -> str:
        """The piece as the vocabulary spells it; for the unknown token, the text it replaces."""
        return fragment.segment.text[start:end] if token == self.model.unknown else self.vocabulary.spelling(token)

    def open_phase(self, kind: UnigramEvent) -> None:
        if kind == UnigramEvent.SEGMENT and len(self.groups) > 1:
            self.phase_of(self.begun, len(self.groups), f"Fragment {self.begun + 1}")
        name = {UnigramEvent.BACK: "Back", UnigramEvent.TOKEN: "Output"}.get(kind, "Forward")
        if len(self.groups) <= 1 and name != self.phase:
            self.builder.phase(name)
            self.phase = name

    def prepare(self, fragment: Lattice) -> None:
        if not fragment.low:
            self.reach(fragment, 0, self.builder.text(""), self.builder.plain("–"))

    def token_kind(self, row: UnigramRow) -> str:
        if row.kind == UnigramEvent.JOINED:
            return "joined"
        if row.kind == UnigramEvent.TOKEN and row.token == self.model.unknown:
            return "unknown token"
        return super().token_kind(row)

    def other(self, row: UnigramRow, fragment: Lattice) -> None:
        if row.kind == UnigramEvent.REBASE:
            self._rebase(row, fragment)
        else:
            self.draw_arc(row, fragment, LOST, self.builder.plain("unused"), GONE)
            text = self.builder.text(self.piece_text(fragment, row.start, row.end, row.token))
            self.builder.step(self.kind_index["unused"], row.start, row.end, text)

    def _rebase(self, row: UnigramRow, fragment: Lattice) -> None:
        """The sum at a offset becomes 0, and all later ones fall by the same amount."""
        offset = fragment.sums[row.start]
        fragment.sums[row.start] = 0.0
        fragment.rebased = True
        for at in range(row.start + 1, row.end + 1):
            if fragment.best[at][0] >= 0:
                fragment.sums[at] -= offset
        if not fragment.holds_span(row.start, row.start):
            return
        for at in range(row.start, row.end + 1):
            start, token = fragment.best[at]
            if start >= 0 and fragment.base + at in self.reached:
                text = self.builder.text(self.piece_text(fragment, start, at, token))
                self.reach(fragment, at, text, self.shown(self.score(token, token == self.model.unknown)))
        self.builder.step(self.kind_index["rebased"], row.start, self.shown(offset))
