"""The stepper's script for one draw of BPE-dropout: each pair that comes up, with the random number that decides it.

Replays what was drawn on the chain of symbols and the queue, as the merge stepper shows them. A dropped pair is set
aside (Hugging Face, and in the paper until the next merge) or gone (sentencepiece). The sentences and the pseudo-code
are those of the rule.
"""

from collections.abc import Callable
from heapq import heapify
from typing import NamedTuple

from explorer.analysis.sampling import Drawn, Sample
from explorer.engine.models.bpe import Bpe
from explorer.engine.models.spm import Spm
from explorer.engine.part import Segment
from explorer.engine.sampling.dropout import DropoutRule, Pick, Verdict
from explorer.engine.tokenizer import Stage
from explorer.script.model_script import FOLLOW, ModelScript
from explorer.script.script import TRACKS, Script, ScriptBuilder, TrackRow, Values, Window, kinds, table
from explorer.stages.merging.story import LEFT, MERGED, RIGHT, ROLES, RULES, DrawnSymbols, QueueTracks, put_cells
from explorer.text.say import decimal, dotted, fixed, number, plural
from explorer.vocabulary import Vocabulary, spelled

_KINDS = """
segment: segment
    look: info dot 60
    lines: 0
    fields: symbols:t
    say: The next word begins, with {symbols}. The pairs that may merge line up in the queue.
    log: new word, {symbols}
    story: The next word begins, with {symbols}.

merge: merge
    look: merge dot 100 landmark
    fields: number:t alpha:t joined:q one:q other:q back:t
    say: {number} is not below {alpha}: {one} + {other} → {joined}.
    why: {back}
    log: {number}: {joined} merges
    story: {number} is not below {alpha}: {one} + {other} → {joined}.
    story_why: {back}

stale: out of date
    look: stale diamond 45
    fields: number:t alpha:t joined:q back:t
    say: {joined} is out of date, so nothing merges; but {number} is not below {alpha}. {back}
    why: Hugging Face draws before it looks whether an entry is out of date.
    log: {number}: {joined} is out of date
    story: {joined} is out of date, but its {number} is not below {alpha}. {back}
    story_why: Hugging Face draws a number before it looks whether an entry is out of date.

drop: dropped
    look: byte ring 60 landmark
    fields: number:t alpha:t joined:q aside:t
    log: {number}: {joined} is dropped

done: done
    look: token dot 70
    fields: tokens:t end:t
    say: {end} The symbols that are left are {tokens}.
    log: {tokens}
    story: {end} {tokens}.
"""

_OF_RULES = {
    DropoutRule.HUGGING_FACE: """
merge
    lines: 1 2 5 6 8

stale
    lines: 1 2 5 6 7

drop
    lines: 1 2 3
    say: {number} is below {alpha}: {joined} is set aside. {aside}
    why: It returns to the queue as soon as another entry is taken.
    story: {number} is below {alpha}: {joined} is dropped for now.
    story_why: It waits aside and returns as soon as another entry is taken. {aside}

done
    lines: 1
""",
    DropoutRule.SENTENCEPIECE: """
merge
    lines: 1 3 5

drop
    lines: 1 3 4
    say: {number} is below {alpha}: {joined} is dropped for good.
    why: The pair never comes up again, unless a neighbor changes and makes another pair. {aside}
    story: {number} is below {alpha}: {joined} is dropped for good.
    story_why: This pair has had its one chance. {aside}

done
    lines: 1
""",
    DropoutRule.SUBWORD_NMT: """
merge
    lines: 1 4
    say: {number} is above {alpha}, and of the pairs that were not dropped it is the first: {one} + {other} → {joined}.
    story: {number} is above {alpha}, and no better pair is left: {one} + {other} → {joined}.

drop
    lines: 1 2
    say: {number} is not above {alpha}: {joined} is dropped in this round. {aside}
    why: Before the next merge every pair gets a new number.
    story: {number} is not above {alpha}: {joined} is dropped in this round.
    story_why: Before the next merge every pair gets a new number. {aside}

done
    lines: 3
""",
}
KINDS = {rule: kinds((), _KINDS, of_rule, FOLLOW) for rule, of_rule in _OF_RULES.items()}
CODE = {
    DropoutRule.HUGGING_FACE: """\
queue all pairs that may merge
while the queue is not empty:
    take the best entry; draw a number
    if it is below α: set the entry aside, and
        go on with the next one
    return all that is aside to the queue
    if the entry is out of date:
        skip it
    merge its pair; queue the new pairs
""".splitlines(),
    DropoutRule.SENTENCEPIECE: """\
queue all pairs that may merge
while the queue is not empty:
    take the best entry; skip it if out of date
    draw a number
    if it is below α: drop the entry
    else: merge its pair; queue the new pairs
""".splitlines(),
    DropoutRule.SUBWORD_NMT: """\
repeat:
    draw a number for each pair of neighbors
    drop the pairs whose number is not above α
    if no pair is left: the word is done
    merge the best pair that is left
""".splitlines(),
}
TITLES = {
    DropoutRule.HUGGING_FACE: "BPE-dropout in Hugging Face's queue",
    DropoutRule.SENTENCEPIECE: "BPE-dropout in sentencepiece's queue",
    DropoutRule.SUBWORD_NMT: "BPE-dropout as in the paper",
}


class _Push(NamedTuple):
    """A pair that enters the queue."""

    priority: float
    left: int
    right: int
    text: bytes


class _Played(NamedTuple):
    """A pick in the chain of symbols: its right symbol (-1 if it is out of date), and the pairs that it makes."""

    pick: Pick
    right: int
    pushes: list[_Push]


class _Queue(QueueTracks):
    """A queue whose entries can be set aside."""

    def __init__(self, builder: ScriptBuilder) -> None:
        super().__init__(builder)
        self.aside: dict[int, TrackRow] = {}
        self.serials: dict[tuple[int, bytes], int] = {}
        """left symbol and text of both → serial number"""

    def take(self, serial: int) -> None:
        """Removes an entry, wherever it is."""
        self.popped = self.rows.pop(serial)
        self.heap = [entry for entry in self.heap if entry[1] != serial]
        heapify(self.heap)
        if self.fresh.get(self.popped[4]) == serial:
            del self.fresh[self.popped[4]]
        self.builder.delete("queue", serial)

    def set_aside(self, serial: int) -> None:
        """Lays an entry aside."""
        self.take(serial)
        self.aside[serial] = self.popped
        self.builder.put("aside", serial, self.popped[0], self.popped[2])

    def put_back(self) -> int:
        """Returns all that is aside to the queue; how many there were."""
        count = len(self.aside)
        for serial, row in self.aside.items():
            self.builder.delete("aside", serial)
            self.builder.put("queue", serial, *row)
            self.rows[serial] = row
            self.heap.append((row[1], serial))
            if not row[6]:
                self.fresh[row[4]] = serial
        heapify(self.heap)
        self.aside.clear()
        return count

    def forget(self, left: int) -> None:
        """Removes the entry of a symbol that changes, wherever it waits."""
        for serial, row in self.aside.items():
            if row[4] == left:
                del self.aside[serial]
                self.builder.delete("aside", serial)
                return
        if (found := self.fresh.get(left)) is not None:
            self.take(found)

    def clear(self) -> None:
        """Empties all for the next word."""
        self.builder.delete("queue", *self.rows)
        self.builder.delete("aside", *self.aside)
        for store in (self.rows, self.aside, self.serials, self.fresh):
            store.clear()
        self.heap = []

    def _draw_heap(self) -> None:
        """The heap isn't drawn."""


class DropoutScript(ModelScript[DrawnSymbols]):
    """The script of a draw. stage: the model's stage of the same text. spelling: of its tokens in the last sentence.

    >>> import explorer
    >>> tok = explorer.load("gpt-2")
    >>> one = tok.sample("unrelated", 0.5, 3)
    >>> trace = tok.trace("unrelated")
    >>> from explorer.script.script import window_of
    >>> known = tok.vocabulary
    >>> DropoutScript(one, trace.stage("model"), known, window_of(trace), known.spelling).write().data["title"]
    "BPE-dropout in Hugging Face's queue"
    """

    def __init__(
        self, found: Sample, stage: Stage, vocabulary: Vocabulary, window: Window, spelling: Callable[[int], str]
    ) -> None:
        super().__init__(stage, vocabulary, window)
        self.shown = spelling
        model = stage.part
        assert isinstance(model, Bpe | Spm), "only these leave out merges"
        self.model = model
        self.found, self.rule = found, DropoutRule(found.rule)
        self.by = self.model.priority
        self.alpha = decimal(found.alpha)
        aside = "Dropped" if self.rule == DropoutRule.SENTENCEPIECE else "Set aside"
        self.builder = ScriptBuilder.laid_out(
            "dropout",
            title=TITLES[self.rule],
            kinds=KINDS[self.rule],
            tracks=(
                self.strip("Symbols", RULES[self.by]['cells'], ["n", "prev", "next"]),
                TRACKS["queue"] | {"measure": self.by.capitalize()},
                "draws_of_pairs",
                table(
                    "aside", aside, f"pair quoted, {self.by} text", "Nothing is dropped.", layout="chips",
                    tab=aside,
                ),
                self.output("No tokens yet. They appear when a word is done."),
            ),
            roles=ROLES,
            code_title=f"{TITLES[self.rule]}: the lines at work",
            code=CODE[self.rule],
        )  # fmt: skip
        self.queue = _Queue(self.builder)
        self.drawn: list[tuple[int, DrawnSymbols, Drawn]] = []
        waiting = iter(found.drawn)
        for index, item in enumerate(self.items):
            if isinstance(item, Segment) and item.text:
                symbols = DrawnSymbols(item, self.model, window)
                self.drawn.append((index, symbols, next(waiting)))
                self.draw(index, symbols, lambda cell: self.builder.text(spelled(self.fragment.pieces[cell])))
        self.played = [self._play(symbols, drawn) for _, symbols, drawn in self.drawn]
        pushes = [push for first, _ in self.played for push in first]
        pushes += [push for _, played in self.played for each in played for push in each.pushes]
        self.order = {pair: at for at, pair in enumerate(sorted({(push.priority, push.left) for push in pushes}))}
        self.numbers = 0

    # --- what happened --------------------------------------------------------------------------------------------

    def _pair(self, symbols: DrawnSymbols, left: int) -> _Push | None:
        if left < 0 or (right := symbols.next[left]) < 0:
            return None
        found = self.model.pair(symbols.data(left), symbols.data(right))
        return None if found is None else _Push(found[0], left, right, found[1])

    def _play(self, symbols: DrawnSymbols, drawn: Drawn) -> tuple[list[_Push], list[_Played]]:
        """The pairs at first, and what each pick does."""
        first = [push for cell in range(len(symbols.size)) if (push := self._pair(symbols, cell))]
        played = []
        for pick in drawn.picks:
            right, pushes = -1, list[_Push]()
            if symbols.size[pick.left] and (now := self._pair(symbols, pick.left)) and now.text == pick.text:
                right = now.right
            if pick.verdict == Verdict.MERGED:
                symbols.absorb(pick.left, right, self._token(pick.text))
                cells = symbols.prev[pick.left], pick.left
                pushes = [push for cell in cells if (push := self._pair(symbols, cell))]
            played.append(_Played(pick, right, pushes))
        symbols.reset()
        return first, played

    def _token(self, text: bytes) -> int:
        return self.vocabulary.ids.get(text, -1)

    # --- the pass -------------------------------------------------------------------------------------------------

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        if not self.drawn:
            self.pass_all()
            builder.begin("There is nothing to merge.")
        several = len(self.drawn) > 1
        for at, ((index, symbols, drawn), (first, played)) in enumerate(zip(self.drawn, self.played, strict=True)):
            self.pass_tokens(index)
            self.fragment = symbols
            builder.put("cells", -1, at)
            if several:
                self.phase_of(at, len(self.drawn), dotted("".join(self.shown(token.id) for token in drawn.tokens)))
            if not at:
                put_cells(builder, self.fragments.values())
            for push in first:
                self._push(push)
            count = plural(len(symbols.size), "symbol")
            if at:
                builder.step("segment", symbols=count)
            else:
                what = "The first word" if several else "The text"
                builder.begin(
                    "{what} is cut into {count}; {pairs} may merge. A random number decides for each that comes up.",
                    lines=(0,), story="{what} is cut into {count}. A random number decides for each that comes up.",
                    what=what, count=count, pairs=plural(len(first), "pair"),
                )  # fmt: skip
            for pick in played:
                self._pick(pick)
            self._done(drawn)
        self.follow()
        return builder.script()

    def _push(self, push: _Push) -> None:
        symbols, (priority, left, right, text) = self.fragment, push
        value = number({"score": -priority, "merge": priority + 1}.get(self.by, priority))
        shown, joined = self.builder.plain(value), self.builder.text(spelled(text))
        size = symbols.size[left] + symbols.size[right]
        serial = self.queue.push(joined, self.order[priority, left], shown, 0, left, right, size)
        self.queue.serials[left, text] = serial

    def _pick(self, each: _Played) -> None:
        """A pair that came up."""
        pick, right, pushes = each
        queue, builder, symbols = self.queue, self.builder, self.fragment
        serial = queue.serials[pick.left, pick.text]
        told: Values = {"number": fixed(pick.number, 4), "alpha": self.alpha, "joined": spelled(pick.text)}
        # sentencepiece passes over entries that are out of date without a number
        while self.rule == DropoutRule.SENTENCEPIECE and queue.heap and queue.heap[0][1] != serial:
            queue.take(queue.heap[0][1])
        if pick.verdict == Verdict.DROPPED:
            if right >= 0:
                self._mark(pick.left, LEFT)
                self._mark(right, RIGHT)
            queue.set_aside(serial)
            builder.mark("aside", serial, MERGED)
            self._number(pick, "dropped")
            counts = self.rule == DropoutRule.HUGGING_FACE  # there, one that is out of date takes a number, too
            waits = sum(counts or not row[6] for row in queue.rows.values())
            left = plural(waits, "entry left to try.", "entries left to try.") if waits else "No entry is left to try."
            builder.step("drop", **told, aside=left)
            return
        keeps = self.rule == DropoutRule.SENTENCEPIECE
        queue.take(serial)
        changed = [cell for cell in (symbols.prev[pick.left], right) if cell >= 0]
        if self.rule == DropoutRule.SUBWORD_NMT:
            # its pairs are those of the symbols now; none is ever out of date
            for cell in changed:
                queue.forget(cell)
        returned = 0 if keeps else queue.put_back()
        back = (
            plural(returned, "pair that waited aside returns.", "pairs that waited aside return.") if returned else ""
        )
        if self.rule == DropoutRule.SUBWORD_NMT:
            back = "Before the next merge every pair gets a new number."
        if pick.verdict == Verdict.STALE:
            self._number(pick, "out of date")
            builder.step("stale", **told, back=back)
            return
        one, other = spelled(symbols.data(pick.left)), spelled(symbols.data(right))
        for cell in changed:
            queue.stale(cell)
        for cell in symbols.absorb(pick.left, right, self._token(pick.text)):
            self.put(cell, *symbols.row(cell))
        self._mark(pick.left, MERGED)
        for push in pushes:
            self._push(push)
        self._number(pick, "merged")
        builder.step("merge", **told, one=one, other=other, back=back)

    def _number(self, pick: Pick, decision: str) -> None:
        """A row in the table of numbers."""
        builder = self.builder
        builder.write(
            "draws", self.numbers, fixed(pick.number, 4), builder.text(spelled(pick.text)),
            decision,
        )  # fmt: skip
        builder.mark("draws", self.numbers, MERGED)
        self.numbers += 1

    def _done(self, drawn: Drawn) -> None:
        """A word is done: its tokens go to the output."""
        left = self.rule != DropoutRule.SENTENCEPIECE and bool(self.queue.aside)
        end = "All pairs that were left are dropped, so the word is done." if left else "No pair is left."
        self.queue.clear()
        for token in drawn.tokens:
            self.put_out(*token)
        tokens = " ".join(self.shown(token.id) for token in drawn.tokens)
        self.builder.step("done", tokens=tokens, end=end)

    # --- cells ----------------------------------------------------------------------------------------------------

    def _mark(self, cell: int, role: int) -> None:
        if self.fragment.size[cell]:
            self.mark([cell], role)
