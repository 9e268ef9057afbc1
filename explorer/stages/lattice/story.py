"""The stepper's script for both Unigrams: a lattice that grows arc by arc, the best piece at each offset, the path.

Replays the events of the model stage on four tracks: the characters, the candidates as arcs over them, a table of the
best piece at each offset, and the output. Sums are added up as the engine adds them. A window limits the script to
the cells drawn; sums are still those of the whole text.
"""

from array import array
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from dataclasses import replace
from typing import Any, cast

from explorer.engine.models.unigram import CANDIDATES, UNIT, UnigramEvent, UnigramRow
from explorer.engine.part import Segment
from explorer.engine.tokenizer import Tokenizer
from explorer.script.model_script import FOLLOW, Fragment, ModelScript
from explorer.script.script import (
    TRACKS,
    Script,
    ScriptBuilder,
    StepKind,
    Values,
    Window,
    kinds,
    roles,
    table,
    window_of,
)
from explorer.stages.spelling import meanings
from explorer.text.say import Say, Text, number, plural, told_apart, two_digits

CODE = """\
best[0] = 0; no other offset is reached yet
for each offset, from the left:
    for each piece that begins there:
        sum = best[offset] + score of the piece
        if its end is not reached, or sum > best[end]:
            best[end] = sum, by this piece
    if the character is not a piece:
        the same for the unknown token
offset = the end
while offset > 0:
    take the best piece that ends at offset
    offset = its start
output the pieces taken, from the left;
    unknown characters as one token, or as bytes
""".splitlines()
CODE_FROM_END = """\
best[end] = 0
for each offset, from the right:
    for each piece that begins there, longest first:
        sum = score of the piece + best[its end]
        if there is none yet, or sum > best[offset]:
            best[offset] = sum, by this piece
    the same for the character as its bytes
offset = 0
while offset < the end:
    output the best piece from offset, or bytes
    offset = its end
""".splitlines()
PATH = "abcdef"
"""The fields of the pieces of the path that a sentence names, counted from the last."""

SEGMENT = """
segment: segment
    look: info dot 60
    fields: size:t
    say: A new fragment of {size} begins.
    why: It has a lattice of its own: no piece crosses a token.
    log: new fragment, {size}
"""
"""A fragment begins, for whatever has a lattice."""

_KINDS = """
back: back
    look: merge dot 80
    lines: 9 10 11
    fields: start end piece:q why:t a:q
    say: Back from offset {end}: the best path to it ends with {piece}, from offset {start}.
    log: {end} ← {start} by {piece}
    story: Walk back from the end: {a}
    story_why: {why}

first: reaches
    look: push dot 60 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start}: {piece} scores {score}, {sum} in all. Offset {end} is reached for the first time.
    log: {piece} to {end}: {sum}
    story: {piece} reaches this position with {short}, the first path to it.
    story_why: Scores add up along a path; the highest sum wins.

beats: beats
    look: merge dot 100 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} scores {score}, {sum} in all. That beats {rival} with {rival_sum}: it is now
        the best path to offset {end}.
    log: {piece} beats {rival} at {end}: {sum}
    story: {piece} reaches this position with {short}, better than {rival} with {rival_short}.
    story_why: Each position keeps only its best path.

loses: loses
    look: miss ring 25
    lines: 2 3 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} scores {score}, {sum} in all. {rival} with {rival_sum} stays the best path to
        offset {end}.
    why: A candidate has to score higher: of equal sums, the first stays.
    log: {piece} loses to {rival} at {end}
    story: {piece} reaches this position with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

unknown first: unknown
    look: byte dot 60 landmark
    lines: 6 7 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all. Offset
        {end} is reached for the first time.
    why: The unknown token scores 10 less than the lowest piece: a last resort.
    log: {piece} unknown to {end}: {sum}
    story: {piece} is not a piece. As the unknown token it reaches this position with {short}.

unknown beats like unknown first
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all. That
        still beats {rival} with {rival_sum} at offset {end}.
    log: {piece} unknown beats {rival}
    story: {piece} is not a piece. As the unknown token it still beats {rival}: {short} against {rival_short}.

unknown loses: unknown
    look: byte ring 25
    lines: 6 7 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} is not a piece. As the unknown token it scores {score}, {sum} in all. {rival}
        with {rival_sum} stays the best path to offset {end}.
    why: The unknown token scores 10 less than the lowest piece: a last resort.
    log: {piece} unknown loses
    story: {piece} reaches this position with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

unused: unused
    look: stale diamond 45
    lines: 2
    fields: start end piece:q
    say: From offset {start}: {piece} fits, but it is marked unused.
    why: sentencepiece skips such pieces; llama.cpp takes them like any other.
    log: {piece} is unused
    story: {piece} fits, but it is marked unused.
    story_why: sentencepiece skips such pieces; llama.cpp takes them.

rebased: rebase
    look: info diamond 45
    lines: 3
    fields: start sum:t
    say: The sum at offset {start} has reached {sum}: it is set to 0, and all later sums are lowered by the same
        amount.
    why: sentencepiece does this to stay precise on long texts: its sums have 32 bits. The best path does not
        change.
    log: sums rebased at {start}
    story: The sum has become large: it is set to 0, and all later sums are lowered with it.
    story_why: The best path does not change.

token: token
    look: token dot 70
    lines: 12
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} is token {id}.
    log: {text} {id}
    story: {text} is token {id}.

unknown token: unknown token
    look: byte dot 70
    lines: 12 13
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} becomes {piece}, token {id}.
    why: The text is lost.
    log: {text} → {piece} {id}
    story: {text} becomes {piece}, token {id}.

joined: unknown token
    look: byte ring 70
    lines: 12 13
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} is unknown too: it joins the {piece} before it.
    why: A run of unknown characters is one token.
    log: {text} joins {piece}
    story: {text} is unknown too: it joins the {piece} before it.

byte: byte
    look: byte dot 70
    lines: 12 13
    fields: start end text:q id:t piece:q byte
    say: {text} from offset {start} to {end} is unknown: its byte {byte} becomes {piece}, token {id}.
    why: Byte fallback loses nothing.
    log: byte {piece} {id}
    story: {text} is unknown: its byte {byte} becomes {piece}, token {id}.

ties like loses
    story: {piece} reaches this position with {short}, no better than {rival}, which came first.
    story_why: Of equal sums, the first stays.

unknown ties like unknown loses
    story: {piece} reaches this position with {short}, no better than {rival}, which came first.
    story_why: Of equal sums, the first stays.
"""

_KINDS_FROM_END = """
back: follow
    look: merge dot 80
    lines: 8 10
    fields: start end piece:q why:t a:q
    say: From offset {start} the best path takes {piece}, to offset {end}.
    log: {start} → {end} by {piece}
    story: Follow the best path from the left: {a}
    story_why: {why}

first: reaches
    look: push dot 60 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start} to {end}: {piece} scores {score}, {sum} to the end. It is the first path from there.
    log: {start}: {piece} {sum}
    story: {piece} leads to the end with {short}, the first path from here.
    story_why: Scores add up from the end; the highest sum wins.

beats: beats
    look: merge dot 100 landmark
    lines: 2 3 4 5
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start} to {end}: {piece} scores {score}, {sum} to the end. That beats {rival} with
        {rival_sum}.
    log: {start}: {piece} beats {rival}, {sum}
    story: {piece} leads to the end with {short}, better than {rival} with {rival_short}.
    story_why: Each position keeps only its best path.

loses: loses
    look: miss ring 25
    lines: 2 3 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start} to {end}: {piece} scores {score}, {sum} to the end. {rival} with {rival_sum} stays the
        best.
    why: A candidate has to score higher: of equal sums, the longer piece stays, which was tried first.
    log: {start}: {piece} loses to {rival}
    story: {piece} leads to the end with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

unknown first: bytes
    look: byte dot 60 landmark
    lines: 6 3 4 5
    fields: start end piece:q score:t sum:t short:t
    say: From offset {start}: {piece} as its bytes scores {score}, {sum} to the end. It is the first path from
        there.
    why: As its bytes a character scores −1,000: a last resort.
    log: {start}: {piece} as bytes
    story: {piece} as its bytes leads to the end with {short}.

unknown beats like unknown first
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} as its bytes scores {score}, {sum} to the end. That still beats {rival} with
        {rival_sum}.
    log: {start}: {piece} as bytes beats {rival}
    story: {piece} as its bytes still beats {rival}: {short} against {rival_short}.

unknown loses: bytes
    look: byte ring 25
    lines: 6 3 4
    fields: start end piece:q score:t sum:t short:t rival:q rival_sum:t rival_short:t
    say: From offset {start}: {piece} as its bytes scores {score}, {sum} to the end. {rival} with {rival_sum} stays
        the best.
    why: As its bytes a character scores −1,000: a last resort.
    log: {start}: {piece} as bytes loses
    story: {piece} leads to the end with {short}. {rival} with {rival_short} stays better.
    story_why: Each position keeps only its best path.

dropped: dropped
    look: stale diamond 45
    say: The byte order mark at the beginning is dropped.
    log: byte order mark dropped

token: token
    look: token dot 70
    lines: 9
    fields: start end text:q id:t piece:q
    say: {text} from offset {start} to {end} is token {id}.
    log: {text} {id}
    story: {text} is token {id}.

byte: byte
    look: byte dot 70
    lines: 9
    fields: start end text:q id:t piece:q byte
    say: Byte {byte} of {text} becomes {piece}, token {id}.
    why: Bytes lose nothing.
    log: byte {piece} {id}

ties like loses
    story: {piece} leads to the end with {short}, no better than {rival}, which was tried first.
    story_why: Of equal sums, the first stays.

unknown ties like unknown loses
    story: {piece} leads to the end with {short}, no better than {rival}, which was tried first.
    story_why: Of equal sums, the first stays.
"""


def with_paths(made: dict[str, StepKind], arrow: str) -> dict[str, StepKind]:
    """The kinds with a step back for each number of pieces found: its story names all of them, or the last few.

    >>> with_paths({"back": StepKind("back", "merge", "", "", story="Back: {a}", fields="a:q")}, "←")["back 2"].story
    'Back: {a} ← {b}'
    """
    back = made.pop("back")
    found = {}
    for count in range(1, len(PATH) + 2):
        told = f" {arrow} ".join(f"{{{name}}}" for name in PATH[:count])
        story = back.story.replace("{a}", f"… {arrow} {told}" if count > len(PATH) else told)
        names = " ".join(f"{name}:q" for name in PATH[:count])
        found[f"back {count}"] = replace(back, story=story, fields=f"start end piece:q why:t {names}")
    return found | made


KINDS = with_paths(kinds((), SEGMENT, _KINDS, FOLLOW), "←")
"""Unigram from the left."""
KINDS_FROM_END = with_paths(kinds((), SEGMENT, _KINDS_FROM_END, FOLLOW), "→")
"""PLaMo-2, from the end."""


ROLES = roles("piece done, piece reject, best hit, unused gone, next")
PIECE, LOSER, HIT, GONE, PLACE = range(len(ROLES))
CANDIDATE, BEST, LOST = range(3)
"""States of an arc: the best piece at its offset so far, on the best path, beaten."""
WINNERS = (UnigramEvent.BEST, UnigramEvent.UNKNOWN_BEST)
UNKNOWN = (UnigramEvent.UNKNOWN_BEST, UnigramEvent.UNKNOWN_LOST)


class Lattice(Fragment):
    """The lattice of one fragment as it grows. Offset i is before cell i.

    sums: offset → best sum so far. best: offset → the piece that gives it, as (its other end, its token).
    arc: offset → key of that piece's arc. rebased: whether sums were set to 0 on the way. path: the pieces of the best
    path so far, as indices in the string table, in the order in which they are found.
    """

    def __init__(self, segment: Segment, sums: MutableSequence[Any], window: Window) -> None:
        super().__init__(segment, window)
        self.sums = sums
        self.best = [(-1, -1)] * len(sums)
        self.arc = [-1] * len(sums)
        self.rebased = False
        self.path: list[int] = []


class UnigramScript(ModelScript[Lattice]):
    """Unigram from the left: a piece's sum is kept at its end. PLaMo-2 overrides what it does from the other end.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(UnigramScript.of, explorer.load("xlm-r").trace("is it")).sentence(2)
    'From offset 0: “▁i” scores −6.0462, −6.0462 in all. Offset 2 is reached for the first time.'
    """

    kinds: Mapping[str, StepKind] = KINDS
    code: Sequence[str] = CODE
    unit = 1
    """Scores are shown divided by this."""
    title = "Lattice"
    best, best_note, other_end = "Best path to each offset", "its last piece, and the sum of all scores on it", "from"
    """Title and note of the table of best pieces, and its heading for a piece's other end."""
    waiting = "No tokens yet. They appear when the best path is known."
    opening = "Offset 0 is reached with the sum 0."
    nothing = "It is empty, or all of it is white space or tokens."
    to_end = False
    """Whether a piece's sum reaches to the end of the text, so that the path is followed from the left."""
    phase = ""

    def prepare(self) -> None:
        self.model = cast(Any, self.stage.part)
        self.meaning = self.vocabulary.once(meanings, self.model)
        self.builder = ScriptBuilder.laid_out(
            "best_path",
            title=self.title,
            kinds=self.kinds,
            tracks=(
                self.strip("Characters", ""),
                TRACKS["arcs"] | {"to_end": self.to_end},
                table(
                    "best",
                    self.best,
                    f"offset number, {self.other_end} number, piece quoted, score text, sum text",
                    "No offset is reached yet.",
                    note=self.best_note,
                ),
                self.output(self.waiting),
            ),
            roles=ROLES,
            code=self.code,
        )
        self.draw_segments(lambda segment, window: Lattice(segment, self.empty_sums(len(segment.text) + 1), window))
        self.number_groups()
        self.begun = 0
        """fragments begun so far"""
        self.arcs: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        """key of an arc of this fragment → its row before and after the state"""
        self.next_arc = 0
        self.reached: set[int] = set()
        """keys in the table of best pieces"""

    # --- the direction --------------------------------------------------------------------------------------------

    def empty_sums(self, count: int) -> MutableSequence[Any]:
        """Sums of zero, of the type the engine adds up with: 32 or 64 bits wide."""
        return array("f" if self.model.rules.single else "d", [0.0]) * count

    def ends(self) -> tuple[int, int]:
        """The end of a piece its sum is kept at, and the other one."""
        return self.row.end, self.row.start

    def score(self, token: int, unknown: bool) -> float:
        """The score of a token. unknown: it is taken as the unknown token."""
        return float(self.model.rules.unknown_score if unknown else self.model.score(token))

    def piece_text(self, start: int, end: int, token: int) -> str:
        """The piece as the vocabulary spells it; for the unknown token, the text it replaces."""
        return self.fragment.segment.text[start:end] if token == self.model.unknown else self.vocabulary.spelling(token)

    def open_phase(self, kind: int) -> None:
        """Opens the phase that an event of this kind belongs to, unless it is open."""
        if kind == UnigramEvent.SEGMENT and len(self.groups) > 1:
            self.phase_of(self.begun, len(self.groups), f"Fragment {self.begun + 1}")
        name = "Back" if kind == UnigramEvent.BACK else "Output" if kind == UnigramEvent.TOKEN else "Forward"
        if len(self.groups) <= 1 and name != self.phase:
            self.builder.phase(name)
            self.phase = name

    def open_fragment(self) -> None:
        """Writes what is known of a fragment before its first candidate."""
        if not self.fragment.low:
            self.reach(0, self.builder.text(""), self.builder.plain("–"))

    def token_kind(self) -> str:
        """The kind of step that puts a token out."""
        row = self.row
        if row.kind == UnigramEvent.BYTE:
            return "byte"
        if row.kind == UnigramEvent.JOINED:
            return "joined"
        return "unknown token" if row.token == self.model.unknown else "token"

    def other(self) -> None:
        """Writes the step of an event that only this algorithm has."""
        row = self.row
        if row.kind == UnigramEvent.REBASE:
            self._rebase()
        else:
            value = self.builder.plain("unused")
            text = self.builder.text(self.piece_text(row.start, row.end, row.token))
            self.draw_arc(text, LOST, value, GONE)
            self.builder.step("unused", start=row.start, end=row.end, piece=text)

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        for builder.event, row in enumerate(self.stage.events):
            self.row, kind = row, row.kind
            if kind == UnigramEvent.SEGMENT:
                self.fragment = self.fragments[row.start]
                if self.fragment.drawn():
                    self._segment()
            elif kind in CANDIDATES:
                self._candidate()
            elif kind != UnigramEvent.REBASE and not self.fragment.holds_span(row.start, row.end):
                continue
            elif kind == UnigramEvent.BACK:
                self._back()
            elif kind in (UnigramEvent.TOKEN, UnigramEvent.JOINED, UnigramEvent.BYTE):
                self._token()
            else:
                self.other()
        if not self.begun:
            self.pass_all()
            self.open_phase(UnigramEvent.SEGMENT)
            builder.begin("There is no text to cut.", self.nothing)
        self.follow()
        return builder.script()

    def _segment(self) -> None:
        """A fragment begins: clears the arcs and the table of the last one."""
        builder, size = self.builder, len(self.fragment.segment.text)
        self.pass_tokens(self.row.start)
        builder.put("cells", -1, self.begun)
        self.open_phase(UnigramEvent.SEGMENT)
        for key in self.arcs:
            builder.delete("arcs", key)
        for key in self.reached:
            builder.delete("best", key)
        self.arcs.clear()
        self.reached.clear()
        if not self.begun:
            self.put_single_cells()
        self.open_fragment()
        if self.begun:
            builder.step("segment", size=plural(size, "character"))
        else:
            what = "The text" if len(self.groups) == 1 else "The first fragment"
            say = f"{what} has {{positions}} where a piece may begin."
            builder.begin(say, self.opening, lines=(0,), positions=plural(size, "position"))
        self.begun += 1

    def _candidate(self) -> None:
        """Adds up as the engine does, and draws the arc if it lies in the window."""
        row, fragment = self.row, self.fragment
        at, other_end = self.ends()
        unknown, won = row.kind in UNKNOWN, row.kind in WINNERS
        score = self.score(row.token, unknown)
        before, (rival_end, rival) = fragment.sums[at], fragment.best[at]
        total = fragment.sums[:1]
        total[0] = fragment.sums[other_end] + score  # rounds to the width of the engine's sums
        if won:
            fragment.sums[at], fragment.best[at] = total[0], (other_end, row.token)
        if not fragment.holds_span(row.start, row.end):
            return
        self.open_phase(row.kind)
        builder = self.builder
        shown = builder.text(self.piece_text(row.start, row.end, row.token))
        value = self.explained(row.token, score, unknown)
        told: Values = {"start": row.start, "end": row.end, "piece": shown, "score": value, "sum": self.shown(total[0])}
        short = told["short"] = self.shown(total[0], two_digits)
        sums = (
            self.explained(row.token, score, unknown, two_digits),
            self.shown(fragment.sums[other_end], two_digits),
            short,
        )
        if rival_end >= 0:
            start, end = sorted((rival_end, at))
            told["rival"] = builder.text(self.piece_text(start, end, rival))
            told["sum"], told["rival_sum"] = self.apart(total[0], before, number)
            told["short"], told["rival_short"] = self.apart(total[0], before, two_digits)
        key = self.draw_arc(shown, CANDIDATE if won else LOST, value, PIECE if won else LOSER, sums)
        self.builder.mark("best", fragment.base + at, PLACE)
        if won:
            if fragment.arc[at] >= 0:
                self._restate(fragment.arc[at], LOST)
            fragment.arc[at] = key
            self.reach(at, shown, value)
        lost = "ties" if total[0] == before else "loses"
        kind = lost if not won else "first" if rival_end < 0 else "beats"
        builder.step(f"unknown {kind}" if unknown else kind, **told)

    def _back(self) -> None:
        """One piece of the best path."""
        row, fragment = self.row, self.fragment
        self.open_phase(UnigramEvent.BACK)
        at, _ = self.ends()
        key = fragment.arc[at]
        self._restate(key, BEST)
        self.builder.mark("arcs", key, HIT)
        self.builder.mark("best", fragment.base + at, HIT)
        self.mark(range(row.start, row.end), HIT)
        text = self.piece_text(row.start, row.end, row.token)
        shown = self.builder.text(text)
        fragment.path.append(shown)
        told: Values = {"start": row.start, "end": row.end, "piece": shown, "why": self._why_back()}
        path = dict(zip(PATH, fragment.path[-len(PATH) :], strict=False))
        self.builder.step(f"back {min(len(fragment.path), len(PATH) + 1)}", **told, **path)

    def _why_back(self) -> str:
        """Why the path is right; with its sum when it is complete."""
        fragment = self.fragment
        why, end = Say("Each position kept only its best path."), len(fragment.segment.text)
        if self.row.end == end if self.to_end else self.row.start == 0:
            total = two_digits(fragment.sums[0 if self.to_end else end] / self.unit)
            best = Say("Together these pieces are the path with the highest sum.")
            known = Say("Together these pieces are the path with the highest sum: {0:t}.", total)
            why = why.then(best if fragment.rebased else known)
        return Text(why)

    def _token(self) -> None:
        """A token, or the next byte of one, goes to the output."""
        row = self.row
        self.open_phase(UnigramEvent.TOKEN)
        segment, cells = self.fragment.segment, range(row.start, row.end)
        self.put_out(row.token, segment.starts[row.start], segment.ends[row.end - 1], row.kind == UnigramEvent.JOINED)
        self.put_box(cells, row.token)
        self.mark(cells, HIT)
        text = segment.text[row.start : row.end]
        told: Values = {"start": row.start, "end": row.end, "text": text, "id": str(row.token)}
        told["piece"] = self.vocabulary.spelling(row.token)
        if row.kind == UnigramEvent.BYTE:
            told["byte"] = self.next_byte(row.start)
        self.builder.step(self.token_kind(), **told)

    def _rebase(self) -> None:
        """The sum at an offset becomes 0, and all later ones fall by the same amount."""
        row, fragment = self.row, self.fragment
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
                text = self.builder.text(self.piece_text(start, at, token))
                self.reach(at, text, self.shown(self.score(token, token == self.model.unknown)))
        self.builder.step("rebased", start=row.start, sum=self.shown(offset))

    # --- tracks ---------------------------------------------------------------------------------------------------

    def draw_arc(self, text: int, state: int, value: int, role: int, sums: tuple[int, int, int] = (-1, -1, -1)) -> int:
        """Draws a candidate and returns the key of its arc.

        text: the piece; value: its score; sums: its score with two digits, the sum it adds to, the sum with it:
        indices in the string table.
        """
        row = self.row
        key = self.next_arc
        self.next_arc += 1
        self.arcs[key] = (self.fragment.base + row.start, self.fragment.base + row.end, text, value), (row.token, *sums)
        self._restate(key, state)
        self.builder.mark("arcs", key, role)
        self.mark(range(row.start, row.end), role)
        return key

    def _restate(self, key: int, state: int) -> None:
        before, after = self.arcs[key]
        self.builder.put("arcs", key, *before, state, *after)

    def reach(self, at: int, text: int, score: int) -> None:
        """Writes an offset's row in the table of best pieces."""
        fragment = self.fragment
        key = fragment.base + at
        self.reached.add(key)
        total = fragment.sums[at]
        # the table has no column for the last one, which the picture shows
        self.builder.put(
            "best", key, at, fragment.best[at][0], text, score, self.shown(total), self.shown(total, two_digits)
        )
        self.builder.mark("best", key, HIT)

    def explained(self, token: int, score: float, unknown: bool, shown: Callable[[float], str] = number) -> int:
        """The score of a piece, with what it means."""
        value = self.builder.plain(shown(score / self.unit))
        return self.builder.explain(value, "" if unknown else self.meaning(token, score))

    def apart(self, one: float, other: float, shown: Callable[[float], str]) -> tuple[int, int]:
        """Two sums that are compared, with as many digits as it takes, as indices in the string table."""
        texts = told_apart(one / self.unit, other / self.unit, shown)
        return self.builder.plain(texts[0]), self.builder.plain(texts[1])

    def shown(self, value: float, written: Callable[[float], str] = number) -> int:
        """A score or a sum, as an index in the string table."""
        return self.builder.plain(written(value / self.unit))


class Plamo2Script(UnigramScript):
    """Unigram from the right: a piece's sum is kept at its start."""

    kinds, code, unit, to_end = KINDS_FROM_END, CODE_FROM_END, UNIT, True
    title = "Lattice, from the end"
    best, best_note = "Best path from each offset", "its first piece, and the sum of all scores to the end"
    other_end = "to"
    waiting = "No tokens yet. They appear when the best path is followed from the left."
    opening = "At the end the sum is 0."
    nothing = "It is empty, or all of it is tokens."

    def empty_sums(self, count: int) -> MutableSequence[Any]:
        return [0] * count

    def ends(self) -> tuple[int, int]:
        return self.row.start, self.row.end

    def score(self, token: int, unknown: bool) -> float:
        return float(self.model.score(token))

    def piece_text(self, start: int, end: int, token: int) -> str:
        return self.fragment.segment.text[start:end]

    def open_phase(self, kind: int) -> None:
        if kind == UnigramEvent.SEGMENT and not self.begun:
            self.builder.phase("From the end")

    def open_fragment(self) -> None:
        """Nothing is known before the first candidate."""

    def token_kind(self) -> str:
        return "byte" if self.row.kind == UnigramEvent.BYTE else "token"

    def other(self) -> None:
        """The byte order mark that is dropped."""
        self.mark(range(self.row.start, self.row.end), HIT)
        self.builder.step("dropped")


def word_lattice(tokenizer: Tokenizer, word: str) -> Script:
    """The script for a word that is spelled as the vocabulary spells it.

    >>> import explorer
    >>> script = word_lattice(explorer.load("xlm-r"), "▁is")
    >>> script.data["layout"], script.sentence(len(script))
    ([['arcs']], '“▁is” from offset 0 to 3 is token 83.')
    """
    (model,) = (part for part in tokenizer.parts if part.row is UnigramRow)
    alone = replace(tokenizer, parts=(model,))
    trace = alone.trace(word)
    script = UnigramScript.of(trace.stages[0], tokenizer.vocabulary, window_of(trace))
    return replace(script, data=script.data | {"layout": [["arcs"]]})
