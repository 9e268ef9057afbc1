"""The stepper's script for Unigram: the lattice, the best sum at every place, the way back.

Replays the events of the model stage on four tracks: the characters, the candidates as arcs over them, a table with
the best way to each place, and the output. The sums are added up again as the engine adds them, 32 or 64 bits wide. A
window limits the script to the cells drawn; sums are those of the whole text all the same.
"""

from __future__ import annotations

from array import array

from explorer.engine.items import Segment
from explorer.engine.models.unigram import Unigram, UnigramRow, Unigrams
from explorer.engine.tokenizer import Stage
from explorer.text.quantities import number, plural
from explorer.views.steppers.model_script import FOLLOW, ModelScript, Part
from explorer.views.steppers.script import Kind, Script, ScriptBuilder
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

ROLES = (("piece", "done"), ("piece", "reject"), ("unused", "gone"), ("best", "hit"), ("", "next"))
PIECE, LOSER, GONE, HIT, NEXT = range(len(ROLES))

CANDIDATE, BEST, LOST = range(3)
"""The states of an arc: the best to its end so far, on the best path, beaten."""

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
    "unknown": Kind("unknown", "byte", "From place {0}: {2:q} is no piece. As the unknown token it scores {3:t}, {4:t} "
                    "in all. Place {1} is reached for the first time.", "{2:q} unknown to {1}: {4:t}", PENALTY,
                    UNKNOWN_WON, "dot", 60, True),
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
KIND_AT = {name: place for place, name in enumerate(KINDS)}


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


class _Part(Part):
    """The lattice of one fragment as it grows; place i of it is before cell i."""

    def __init__(self, segment: Segment, window: Window, single: bool) -> None:
        super().__init__(segment, segment.starts, segment.ends, window)
        count = len(segment.text)
        self.sums = array("f" if single else "d", [0.0]) * (count + 1)
        self.by: list[tuple[int, int]] = [(-1, -1)] * (count + 1)
        """place → where the best way to it comes from, and with which token"""
        self.arc = [-1] * (count + 1)
        """place → key of the arc that is best to it"""

    def holds_piece(self, start: int, end: int) -> bool:
        return self.low <= start and end <= self.high and self.low < self.high


class _Writer(ModelScript[_Part]):
    """One pass over the events."""

    def __init__(self, stage: Stage, vocabulary: Vocabulary, window: Window) -> None:
        super().__init__(stage, vocabulary, window)
        assert isinstance(stage.part, Unigram)
        self.model = stage.part
        self.builder = ScriptBuilder(
            title="Lattice",
            landmark="better way",
            kinds=list(KINDS.values()),
            tracks=(
                self.strip("Characters", ""),
                {"name": "arcs", "type": "lattice", "of": "cells", "title": "Lattice", "note": "one cell per code "
                 "point; place i is before cell i"},
                {"name": "best", "type": "table", "title": "Best way to each place", "layout": "rows",
                 "note": "the piece that ends there, and the sum of all scores up to it",
                 "columns": [{"name": "place", "as": "number"}, {"name": "from", "as": "number"},
                             {"name": "piece", "as": "quoted"}, {"name": "score", "as": "text"},
                             {"name": "sum", "as": "text"}],
                 "empty": "No place is reached yet."},
                self.output("No tokens yet. They appear when the way back is known."),
            ),
            roles=ROLES,
            layout=(("arcs",), ("best", "output"), ("log", "code")),
            code_title="The algorithm: the lines at work",
            code=CODE,
        )  # fmt: skip
        for place, item in enumerate(self.items):
            if isinstance(item, Segment):
                self._draw(place, _Part(item, window, self.model.rules.single))
        if len(self.groups) > 1:
            self.groups[:] = [{"title": f"Fragment {i + 1}"} for i in range(len(self.groups))]
        self.fragments = len(self.groups)
        self.begun = 0
        self.arcs = self.first_arc = 0
        """key of the next arc, and of the first one of this fragment"""
        self.shown: dict[int, tuple[int, int, int, int]] = {}
        """key of an arc → its row without the state"""
        self.reached: set[int] = set()
        """keys in the table of best ways"""
        self.byte_number = 0
        self.last_byte = (-1, -1)
        self.phase = ""

    def _draw(self, place: int, part: _Part) -> None:
        text = self.builder.text
        self.draw(place, part, lambda i: text(part.segment.text[i]), lambda i: "" if i == part.low else None)

    def write(self) -> Script:
        builder = self.builder
        part: _Part | None = None
        for builder.event, row in enumerate(self.stage.events):
            if row.kind == Unigrams.SEGMENT:
                part = self.parts[row.start]
                if part.drawn():
                    self._segment(row, part)
                continue
            assert part is not None, "every event lies in a fragment"
            self._event(row, part)
        if not self.begun:
            self.pass_all()
            builder.phase("Forward")
            builder.begin("There is no text to cut.", "It is empty, or all of it is white space or tokens already.")
        self.follow(KIND_AT["follow"])
        return builder.script()

    # --- a fragment begins ----------------------------------------------------------------------------------------

    def _segment(self, row: UnigramRow, part: _Part) -> None:
        builder = self.builder
        self.pass_tokens(row.start)
        builder.put("cells", -1, self.begun)
        if self.fragments > 1:
            self.phase_of(self.begun, self.fragments, f"Fragment {self.begun + 1}")
        else:
            self._phase("Forward")
        if self.begun:
            for key in range(self.first_arc, self.arcs):
                builder.delete("arcs", key)
            for key in self.reached:
                builder.delete("best", key)
        else:
            for each in self.parts.values():
                for i in each.drawn():
                    self.put(each, i, 1, -1)
        self.first_arc = self.arcs
        self.reached.clear()
        if not part.low:
            self._reach(part, 0, builder.text(""), builder.plain("–"))
        size = len(part.segment.text)
        if self.begun:
            builder.step(KIND_AT["segment"], builder.plain(plural(size, "character")))
        else:
            what = "The text" if self.fragments == 1 else "The first fragment"
            builder.begin(f"{what} has {{0:t}} where a piece may begin.", "Place 0 is reached with the sum 0.",
                          [builder.plain(plural(size, "place"))], (0,))  # fmt: skip
        self.begun += 1

    def _phase(self, name: str) -> None:
        if self.fragments == 1 and name != self.phase:
            self.builder.phase(name)
            self.phase = name

    # --- what a step writes -------------------------------------------------------------------------------------

    def _event(self, row: UnigramRow, part: _Part) -> None:
        if row.kind <= Unigrams.UNKNOWN_LOST:
            self._candidate(row, part)
        elif row.kind == Unigrams.SET_BACK:
            self._set_back(row, part)
        elif part.holds_piece(row.start, row.end):
            if row.kind == Unigrams.UNUSED:
                self._arc(row, part, LOST, self.builder.plain("unused"), GONE)
                self._step("unused", row, part)
            elif row.kind == Unigrams.BACK:
                self._back(row, part)
            else:
                self._token(row, part)

    def _candidate(self, row: UnigramRow, part: _Part) -> None:
        """Adds up as the engine does, and draws it where it lies in the window."""
        unknown = row.kind in (Unigrams.UNKNOWN_BEST, Unigrams.UNKNOWN_LOST)
        won = row.kind in (Unigrams.BEST, Unigrams.UNKNOWN_BEST)
        score = self.model.rules.unknown_score if unknown else self.model.score(row.token)
        before, (came_from, token) = part.sums[row.end], part.by[row.end]
        total = part.sums[:1]
        total[0] = part.sums[row.start] + score  # rounds
        if won:
            part.sums[row.end], part.by[row.end] = total[0], (row.start, row.token)
        if not part.holds_piece(row.start, row.end):
            return
        self._phase("Forward")
        builder = self.builder
        shown = builder.text(part.segment.text[row.start : row.end] if unknown else self._spelling(row.token))
        value = builder.plain(number(score))
        args = [row.start, row.end, shown, value, builder.plain(number(total[0]))]
        if came_from >= 0:
            rival = self._piece_text(part, came_from, row.end, token)
            args += [builder.text(rival), builder.plain(number(before))]
        key = self._arc(row, part, CANDIDATE if won else LOST, value, PIECE if won else LOSER)
        if won:
            if part.arc[row.end] >= 0:
                self._restate(part.arc[row.end], LOST)
            part.arc[row.end] = key
            self._reach(part, row.end, shown, value)
        kind = ("first" if came_from < 0 else "beats") if won else "loses"
        if unknown:
            kind = "unknown" if kind == "first" else f"unknown {kind}"
        builder.step(KIND_AT[kind], *args)

    def _set_back(self, row: UnigramRow, part: _Part) -> None:
        offset = part.sums[row.start]
        part.sums[row.start] = 0.0
        for place in range(row.start + 1, row.end + 1):
            if part.by[place][0] >= 0:
                part.sums[place] -= offset
        if not part.holds_piece(row.start, row.start):
            return
        for place in range(row.start, row.end + 1):
            start, token = part.by[place]
            if start >= 0 and part.base + place in self.reached:
                text = self._piece_text(part, start, place, token)
                self._reach(part, place, self.builder.text(text), self._score(token))
        self.builder.step(KIND_AT["set back"], row.start, self.builder.plain(number(offset)))

    def _back(self, row: UnigramRow, part: _Part) -> None:
        self._phase("Back")
        key = part.arc[row.end]
        self._restate(key, BEST)
        self.builder.mark("arcs", key, HIT)
        self.builder.mark("best", part.base + row.end, HIT)
        self.mark(part, range(row.start, row.end), HIT)
        self._step("back", row, part)

    def _token(self, row: UnigramRow, part: _Part) -> None:
        self._phase("Output")
        builder, segment = self.builder, part.segment
        start, end = segment.starts[row.start], segment.ends[row.end - 1]
        joins = row.kind == Unigrams.JOINED
        self.put_out(row.token, start, end, joins)
        for cell in range(row.start, row.end):
            width = row.end - row.start if cell == row.start else 0
            self.put(part, cell, width, row.token if width else -1)
        self.mark(part, range(row.start, row.end), HIT)
        text = builder.text(segment.text[row.start : row.end])
        args = [row.start, row.end, text, builder.plain(str(row.token)), builder.text(self._spelling(row.token))]
        kind = "joined" if joins else "unknown token" if row.token == self.model.unknown else "token"
        if row.kind == Unigrams.BYTE:
            kind = "byte"
            self.byte_number = self.byte_number + 1 if self.last_byte == (part.base, row.start) else 1
            self.last_byte = (part.base, row.start)
            args.append(self.byte_number)
        builder.step(KIND_AT[kind], *args)

    # --- small ones ---------------------------------------------------------------------------------------------

    def _step(self, kind: str, row: UnigramRow, part: _Part) -> None:
        text = self.builder.text(self._piece_text(part, row.start, row.end, row.token))
        self.builder.step(KIND_AT[kind], row.start, row.end, text)

    def _arc(self, row: UnigramRow, part: _Part, state: int, value: int, role: int) -> int:
        """Draws a candidate; gives the key of its arc."""
        text = self.builder.text(self._piece_text(part, row.start, row.end, row.token))
        key = self.arcs
        self.arcs += 1
        self.shown[key] = (part.base + row.start, part.base + row.end, text, value)
        self.builder.put("arcs", key, *self.shown[key], state)
        self.builder.mark("arcs", key, role)
        self.mark(part, range(row.start, row.end), role)
        return key

    def _restate(self, key: int, state: int) -> None:
        self.builder.put("arcs", key, *self.shown[key], state)

    def _reach(self, part: _Part, place: int, text: int, score: int) -> None:
        """The row of a place in the table."""
        key = part.base + place
        self.reached.add(key)
        came_from = part.by[place][0]
        total = self.builder.plain(number(part.sums[place]))
        self.builder.put("best", key, place, came_from, text, score, total)
        self.builder.mark("best", key, HIT)

    def _piece_text(self, part: _Part, start: int, end: int, token: int) -> str:
        """The piece as the vocabulary spells it; the unknown token as what it stands for."""
        return part.segment.text[start:end] if token == self.model.unknown else self._spelling(token)

    def _score(self, token: int) -> int:
        score = self.model.rules.unknown_score if token == self.model.unknown else self.model.score(token)
        return self.builder.plain(number(score))

    def _spelling(self, token: int) -> str:
        return self.vocabulary.spelling(token)
