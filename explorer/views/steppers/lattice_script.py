"""The stepper's script for Unigram: the lattice, the best sum at every place, the way back.

Replays the events of the model stage on four tracks: the characters, the candidates as arcs over them, a table with
the best way to each place, and the output. The sums are added up again as the engine adds them, 32 or 64 bits wide. A
window limits the script to the cells drawn; sums are those of the whole text all the same.
"""

from __future__ import annotations

from array import array
from collections.abc import MutableSequence
from typing import Any

from explorer.engine.models.unigram import Unigram, UnigramRow, Unigrams
from explorer.engine.tokenizer import Stage
from explorer.views.steppers.lattice_base import GONE, LOST, Lattice, LatticeScript, Texts
from explorer.views.steppers.model_script import FOLLOW
from explorer.views.steppers.script import Kind, Script
from explorer.views.window import Window
from explorer.vocabulary import Vocabulary

CODE = (
    "best[0] = 0; no other place is reached yet",
    "for each place, from the left:",
    "    for each piece that begins here:",
    "        sum = best[place] + score of the piece",
    "        if its end is not reached, or sum > best[end]:",
    "            best[end] = sum, by this piece",
    "    if the character is no piece by itself:",
    "        the same for the unknown token",
    "place = the end",
    "while place > 0:",
    "    take the piece that is best to place",
    "    place = where it begins",
    "output what was taken, from the left;",
    "    unknown characters as one token, or as bytes",
)
WON, FAILED, UNKNOWN_WON, UNKNOWN_FAILED = (2, 3, 4, 5), (2, 3, 4), (6, 7, 4, 5), (6, 7, 4)
BACKWARD, OUT, OUT_UNKNOWN = (9, 10, 11), (12,), (12, 13)

EQUAL = "It has to be higher: of equal sums the first one stays."
PENALTY = "The unknown token scores 10 less than the lowest piece, so that it is taken only where nothing else fits."

KINDS = {
    "segment": Kind("segment", "info", "A new fragment of {0:t} begins.", "new fragment, {0:t}",
                    "Its lattice begins anew: no piece reaches over a token."),
    "first": Kind("reaches", "push", "From place {0}: {2:q} scores {3:t}, {4:t} in all. Place {1} is reached for the "
                  "first time.", "{2:q} to {1}: {4:t}", "", WON, "dot", 60, True),
    "beats": Kind("beats", "merge", "From place {0}: {2:q} scores {3:t}, {4:t} in all. That beats {5:q} with {6:t}: "
                  "the best way to place {1} is now this one.", "{2:q} beats {5:q} at {1}: {4:t}", "", WON, "dot", 100,
                  True),
    "loses": Kind("loses", "miss", "From place {0}: {2:q} scores {3:t}, {4:t} in all. {5:q} with {6:t} stays the best "
                  "way to place {1}.", "{2:q} loses to {5:q} at {1}", EQUAL, FAILED, "ring", 25),
    "unknown first": Kind("unknown", "byte", "From place {0}: {2:q} is no piece. As the unknown token it scores {3:t}, "
                          "{4:t} in all. Place {1} is reached for the first time.", "{2:q} unknown to {1}: {4:t}",
                          PENALTY, UNKNOWN_WON, "dot", 60, True),
    "unknown beats": Kind("unknown", "byte", "From place {0}: {2:q} is no piece. As the unknown token it scores "
                          "{3:t}, {4:t} in all, and still beats {5:q} with {6:t} at place {1}.",
                          "{2:q} unknown beats {5:q}", PENALTY, UNKNOWN_WON, "dot", 60, True),
    "unknown loses": Kind("unknown", "byte", "From place {0}: {2:q} is no piece. As the unknown token it scores "
                          "{3:t}, {4:t} in all. {5:q} with {6:t} stays the best way to place {1}.",
                          "{2:q} unknown loses", PENALTY, UNKNOWN_FAILED, "ring", 25),
    "unused": Kind("unused", "stale", "From place {0}: {2:q} would fit, but it is marked unused.", "{2:q} is unused",
                   "sentencepiece passes over such pieces; llama.cpp takes them like any other.", (2,), "diamond", 45),
    "set back": Kind("set back", "info", "The sum at place {0} has come to {1:t}: it is set to 0, and those after it "
                     "are lowered by as much.", "sums set back at {0}", "sentencepiece does so to stay precise on a "
                     "long text: its sums have 32 bits. Which way is best does not change by it.", (3,), "diamond", 45),
    "back": Kind("back", "merge", "Back from place {1}: the best way there is {2:q}, from place {0}.",
                 "{1} ← {0} by {2:q}", "", BACKWARD, "dot", 80),
    "token": Kind("token", "token", "{2:q} from place {0} to {1} is token {3:t}.", "{2:q} {3:t}", "", OUT, "dot", 70),
    "unknown token": Kind("unknown token", "byte", "{2:q} from place {0} to {1} becomes {4:q}, token {3:t}.",
                          "{2:q} → {4:q} {3:t}", "What it was is lost.", OUT_UNKNOWN, "dot", 70),
    "joined": Kind("unknown token", "byte", "{2:q} from place {0} to {1} is unknown, too, and joins the {4:q} before "
                   "it.", "{2:q} joins {4:q}", "A run of unknown characters is one token.", OUT_UNKNOWN, "ring", 70),
    "byte": Kind("byte", "byte", "{2:q} from place {0} to {1} is unknown: its byte number {5} becomes {4:q}, token "
                 "{3:t}.", "byte {4:q} {3:t}", "With byte fallback nothing is lost.", OUT_UNKNOWN, "dot", 70),
    "follow": FOLLOW,
}  # fmt: skip


def lattice_script(stage: Stage, vocabulary: Vocabulary, window: Window) -> Script:
    """The script for the Unigram model stage of a trace, within a window.

    >>> import explorer
    >>> from explorer.views.window import window_of
    >>> tok = explorer.load("xlm-r")
    >>> trace = tok.trace("is it")
    >>> lattice_script(trace.stage("model"), tok.vocabulary, window_of(trace)).sentence(2)
    'From place 0: “▁i” scores −6.0462, −6.0462 in all. Place 2 is reached for the first time.'
    """
    return _Writer(stage, vocabulary, window).write()


class _Writer(LatticeScript):
    """Unigram from the left: a piece's sum is kept at its end."""

    texts = Texts(
        title="Lattice",
        best="Best way to each place",
        best_note="the piece that ends there, and the sum of all scores up to it",
        other_end="from",
        waiting="No tokens yet. They appear when the way back is known.",
        opening="Place 0 is reached with the sum 0.",
        nothing="It is empty, or all of it is white space or tokens already.",
    )
    kinds = KINDS
    code = CODE

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        assert isinstance(stage.part, Unigram)
        self.model = stage.part
        self.phase = ""
        super().__init__(stage, vocabulary, window)

    def empty_sums(self, count: int) -> MutableSequence[Any]:
        return array("f" if self.model.rules.single else "d", [0.0]) * count

    def ends(self, row: UnigramRow) -> tuple[int, int]:
        return row.end, row.start

    def score(self, token: int, unknown: bool) -> float:
        return self.model.rules.unknown_score if unknown else self.model.score(token)

    def piece_text(self, fragment: Lattice, start: int, end: int, token: int) -> str:
        """The piece as the vocabulary spells it; for the unknown token, the text it replaces."""
        return fragment.segment.text[start:end] if token == self.model.unknown else self.vocabulary.spelling(token)

    def open_phase(self, kind: Unigrams) -> None:
        if kind == Unigrams.SEGMENT and len(self.groups) > 1:
            self.phase_of(self.begun, len(self.groups), f"Fragment {self.begun + 1}")
        name = {Unigrams.BACK: "Back", Unigrams.TOKEN: "Output"}.get(kind, "Forward")
        if len(self.groups) <= 1 and name != self.phase:
            self.builder.phase(name)
            self.phase = name

    def prepare(self, fragment: Lattice) -> None:
        if not fragment.low:
            self.reach(fragment, 0, self.builder.text(""), self.builder.plain("–"))

    def token_kind(self, row: UnigramRow) -> str:
        if row.kind == Unigrams.JOINED:
            return "joined"
        if row.kind == Unigrams.TOKEN and row.token == self.model.unknown:
            return "unknown token"
        return super().token_kind(row)

    def other(self, row: UnigramRow, fragment: Lattice) -> None:
        if row.kind == Unigrams.SET_BACK:
            self._rebase(row, fragment)
        else:
            self.draw_arc(row, fragment, LOST, self.builder.plain("unused"), GONE)
            text = self.builder.text(self.piece_text(fragment, row.start, row.end, row.token))
            self.builder.step(self.kind_index["unused"], row.start, row.end, text)

    def _rebase(self, row: UnigramRow, fragment: Lattice) -> None:
        """The sum at a position becomes 0, and all later ones fall by the same amount."""
        offset = fragment.sums[row.start]
        fragment.sums[row.start] = 0.0
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
        self.builder.step(self.kind_index["set back"], row.start, self.shown(offset))
