"""The stepper's script for pre-tokenizing: which alternatives are tried at each position, and what matches.

Replays the events of the pre-tokenize stage: the code points of the text, grouped into pieces as they are cut; the
alternatives of the pattern, or the rules of llama.cpp's scanner, with what each says at the position at work; what a
scanner reads; the pieces; and then the bytes of each piece as the vocabulary spells them. If a stage has several
splitters, each cuts the pieces of the one before.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.scanners import END
from explorer.engine.tokenizer import Stage
from explorer.engine.unicode.versions import NAMES
from explorer.script.model_script import Fragment, ModelScript
from explorer.script.script import TRACKS, Script, ScriptBuilder, Values, kinds, roles
from explorer.stages.pre_tokenizers.scanner import (
    LONGEST,
    POSITION,
    SOURCE,
    SPELLED,
    Reading,
    drawn_class,
    flags_words,
    lost_by_rewriting,
    made_of,
    takes,
)
from explorer.text.say import Text, plural
from explorer.vocabulary import bytes_of

CODE = """\
at the beginning of the text:
while there is text left:
    for each alternative, in order:
        if it does not match here: try the next
        else: what it matches is a pre-token;
            go on after it
""".splitlines()


KINDS = kinds(
    PreTokenizeEvent,
    """
FAILED: no
    look: miss ring 25
    lines: 2 3
    fields: number at pattern:q takes:t char:q
    say: Alternative {number}, {pattern}, does not match at character {at}.
    why: It matches this: {takes} The next alternative is tried here.
    log: {number}: {pattern:t}
    story: Alternative {number} does not match at {char}. It matches this: {takes}
    story_why: The next alternative is tried.

rewritten like FAILED
    look: miss diamond 45
    fields: number at pattern:q takes:t char:q original:q lost:q
    why: The model's own pattern has {original} here and would take {lost}. llama.cpp rewrote it: {takes} The next
        alternative is tried here.
    story_why: The model's own pattern has {original} here and would take {lost}.

PIECE: pre-token
    look: merge dot 100 landmark
    lines: 2 4 5
    fields: number text:q takes:t
    say: Alternative {number} matches: {text} is a pre-token.
    why: It matches this: {takes} The first alternative that matches wins, even if a later one would take more.
    log: {number} → {text}
    story: {text} is a pre-token. It matches this: {takes}
    story_why: Merges never cross from one pre-token to the next.

scanned FAILED: no
    look: miss ring 25
    fields: number at pattern:q takes:t char:q flags:t
    say: pos {at}: rule {number}, {pattern}, does not apply.
    why: llama.cpp's _get_cpt({at:i}) is {flags}.
    log: {number}: {pattern:t}
    story: Rule {number} does not apply at {char}. It matches this: {takes}
    story_why: The next rule is tried.

scanned rewritten like scanned FAILED
    look: miss diamond 45
    fields: number at pattern:q takes:t char:q original:q lost:q
    why: The model's own pattern has {original} and would take {lost}. llama.cpp rewrote it: {takes}
    story_why: The model's own pattern has {original} and would take {lost}.

LOOK: look-ahead
    look: token ring 45
    fields: char:q at what:t why:t flags:t position:i
    say: pos {at}: llama.cpp's _get_cpt({position}) is {flags}.
    why: {why}
    log: {char}: {what}
    story: The scanner looks ahead: {char} is {what}.

look at the end like LOOK
    log: the end
    story: The scanner looks ahead: the text ends here.

RUN: run
    look: info dot 60
    fields: run:q at end what:t flags:t length after:q
    say: pos goes from {at} to {end}: a run of {length}.
    why: Then llama.cpp's _get_cpt({end:i}) is {flags}.
    log: run {run}
    story: The run {run} ends before {after}, {what}.
    story_why: The scanner reads on as long as the rule takes the next character.

run to the end like RUN
    story: The run {run} ends with the text.

full run like RUN
    why: The rule takes no more than that.
    story: The run {run} ends: it is as long as a pre-token may be.

scanned PIECE: pre-token
    look: merge dot 100 landmark
    fields: number text:q takes:t story:t why:t end:i
    say: llama.cpp calls _add_token({end}): rule {number} takes {text}.
    why: {why}
    log: {number} → {text}
    story: {text} is a pre-token. It matches this: {takes}
    story_why: {story}

GAP: rest
    look: info dot 70
    lines: 2 3
    fields: number text:q
    say: No alternative matches within {text}: it stays one pre-token.
    why: Text between two matches is a pre-token of its own.
    log: rest {text}

REMOVED: removed
    look: stale diamond 70
    lines: 2 4 5
    fields: number text:q
    say: Alternative {number} matches {text}, a separator: it is removed.
    log: {text} removed
    story: {text} is a separator: it is removed.

PREFIX: prefix
    look: info dot 40
    fields: at prefix:t
    say: {prefix} is put before the pre-token at character {at}.
    why: A word at the beginning then gets the same tokens as after a space.
    log: {prefix} added
    story: {prefix} is put before the pre-token.

CUT: cut
    look: info diamond 50
    lines: 2 4
    fields: match:t at
    say: {match} at character {at} without taking anything: the text is cut there.
    log: cut
    story: {match} without taking anything: the text is cut here.

MERGED_PREVIOUS: joins the one before
    look: merge dot 100 landmark
    lines: 2 4 5
    fields: match:t text:q took:q
    say: {match} {took}: it joins the pre-token before it, which is now {text}.
    log: {took} to {text}

MERGED_NEXT: begins a pre-token
    look: merge dot 100 landmark
    lines: 2 4 5
    fields: match:t text:q took:q
    say: {match} {text}: it begins a pre-token, and the text after it joins it.
    log: {text} …

JOINED: joined
    look: merge dot 80
    lines: 2 4 5
    fields: match:t text:q took:q
    say: {match} {took}: it joins the text before it, which is now {text}.
    log: {took} to {text}

REST_REMOVED: removed
    look: stale diamond 70
    lines: 2 3
    fields: number text:q
    say: {text} is removed.
    why: Only what a pattern or a script takes is kept.
    log: {text} removed

SPELLED: spelled
    look: info dot 30
    fields: mark:t at
    say: The space at character {at} is written {mark}.
    why: Tokens can then contain spaces.
    log: {mark} for a space
    story: The space is written {mark}.

NO_PREFIX: no prefix
    look: miss ring 30
    fields: why:t at
    say: Nothing is put before character {at}: {why}.
    log: no prefix
    story: Nothing is put before the pre-token: {why}.

SCRIPT: script
    look: merge dot 100 landmark
    fields: script:t text:q
    say: {text} is a pre-token: its script is {script}.
    why: Spaces and characters without a script join the pre-token before them.
    log: {text}

BYTE: byte
    look: push dot 60
    fields: byte:t char:q letter:q
    say: Byte {byte} of {char} is written {letter}.
    why: The vocabulary spells every byte as one visible character.
    log: {byte} → {letter}
""",
)
"""By event, or a word where one event has several kinds of step. A scanner's sentences use llama.cpp's own names."""

ROLES = roles("here here, pre-token done, hit, looks here look, run run")
HERE, TAKEN, HIT, LOOK, RUN = range(len(ROLES))
SAID = 0
"""Key of the only row of the track `rules`: the first alternative that said no, the last one, the one that said yes,
and the text it takes."""

JOINS = (PreTokenizeEvent.MERGED_PREVIOUS, PreTokenizeEvent.JOINED)
REMOVALS = (PreTokenizeEvent.REMOVED, PreTokenizeEvent.REST_REMOVED)

FARTHEST = 3
"""Characters that a scanner reads ahead at most."""


WHY_CUT = (
    "Why cut before the model runs?",
    "Without cuts, dog. and dog! would become tokens of their own beside dog.",
)
OF_PATTERNS = (
    (
        "Whose idea was the pattern?",
        "GPT-2's, in 2019: merges stay within letters, numbers or signs, except that a space goes with its word.",
    ),
    (
        "Why do without a regex engine?",
        "llama.cpp scans by hand: a loop over code points is faster, C++'s std::regex knows no classes such as \\p{L}, "
        "and another library would be one more dependency.",
    ),
)
LETTERS = r"\p{L}"
"""In every pattern that descends from GPT-2's, and in no other pre-tokenizer's."""


def answers(patterns: Iterable[str]) -> tuple[tuple[str, str], ...]:
    r"""The questions for a pre-tokenizer with these alternatives.

    >>> len(answers([r" ?\p{L}+"])), len(answers([r"\s"]))
    (3, 1)
    """
    return (WHY_CUT, *OF_PATTERNS) if any(LETTERS in each for each in patterns) else (WHY_CUT,)


class SpelledByte(NamedTuple):
    """One byte.

    number: its index among those drawn. cell: of the character it is part of, `char`. hexadecimal: with its number, if
    the character has several.
    """

    number: int
    cell: int
    char: str
    byte: int
    letter: str
    hexadecimal: str


def spelled_bytes(stage: Stage, key_of: Mapping[int, int]) -> dict[int, SpelledByte]:
    """By event, the bytes of the characters that have a cell. key_of: code point of the text → its first cell."""
    rows = [(event, row) for event, row in enumerate(stage.events) if row.kind == PreTokenizeEvent.BYTE]
    spelled: dict[int, SpelledByte] = {}
    for at, (_, row) in enumerate(rows):
        if row.end or row.start not in key_of:
            continue
        # the first byte of a character; the others follow
        size = 1
        while at + size < len(rows) and rows[at + size][1].end == size:
            size += 1
        letters = [chr(each.choice) for _, each in rows[at : at + size]]
        data = bytes_of("".join(letters)) or b""
        char = data.decode("utf-8", "replace")
        for index, letter in enumerate(letters):
            shown = f"{data[index]:02X}" + (f", {index + 1} of {size}," if size > 1 else "")
            spelled[rows[at + index][0]] = SpelledByte(
                len(spelled), key_of[row.start], char, data[index], letter, shown
            )
    return spelled


def took_words(pieces: int, removed: int) -> str:
    """What an alternative took, in a few words.

    >>> took_words(2, 0), took_words(0, 1), took_words(1, 2)
    ('took 2 pre-tokens', 'removed 1 stretch', 'took 1 pre-token, removed 2 stretches')
    """
    out = [f"removed {plural(removed, 'stretch', 'stretches')}"] * (removed > 0)
    return ", ".join([f"took {plural(pieces, 'pre-token')}"] * (pieces > 0 or not removed) + out)


class PatternScript(ModelScript[Fragment]):
    """One pass over the events. A cell's row: how many cells it covers as a piece, the piece's alternative, its label.

    The label is the string table's index of what the piece consists of; -1 for text that is not cut yet.

    >>> import explorer
    >>> from explorer.script.model_script import example
    >>> example(PatternScript.of, explorer.load("gpt-2").trace("He's"), "pre-tokenize").sentence(2)
    'Alternative 2 matches: “He” is a pre-token. It matches this: Letters, with the space in front of them. The first \
alternative that matches wins, even if a later one would take more.'
    """

    def prepare(self) -> None:
        self.part = cast(PreTokenization, self.stage.part)
        self.alternatives = self.part.alternatives
        self.reading = Reading(self.part)
        spells = any(row.kind == PreTokenizeEvent.BYTE for row in self.stage.events)
        source = "source" if self.reading.scans else "code"
        beside = "reads" if self.reading.scans or spells else "code"
        self.listed_bytes: list[tuple[int, int, str]] = []
        """of each byte: the cell of its character, the byte, and how it is spelled"""
        self.classes: list[str] = []
        self.builder = ScriptBuilder.laid_out(
            "pre_tokenizer",
            kinds=KINDS,
            tracks=self._tracks(),
            roles=ROLES,
            layout=f"cells / rules, {source} / log, reads, output",
            algorithm_sides=f"top cells, left rules, right {beside}",
            code=() if self.reading.scans else CODE,
        )
        self.draw_segments(Fragment)
        self.key_of: dict[int, int] = {}
        """code point of the original text → its first cell"""
        for key, (_, _, _, start, _) in enumerate(self.cells):
            self.key_of.setdefault(start, key)
        self.bytes = spelled_bytes(self.stage, self.key_of)
        self.listed_bytes += ((each.cell, each.byte, each.letter) for each in self.bytes.values())
        self.spells = False
        self.chars = "".join(
            fragment.segment.text[cell] for fragment in self.fragments.values() for cell in fragment.drawn()
        )
        """the character of each cell"""
        last = max((each for each in self.fragments.values() if each.drawn()), key=lambda each: each.base, default=None)
        self.read = self.chars + (last.segment.text[last.high : last.high + FARTHEST] if last else "")
        """the same, and what a scanner reads after the last cell that is drawn"""
        if self.reading.scans:
            self.classes += map(drawn_class, self.reading.classes(self.chars), self.chars)
        self.spans = [(1, -1, -1)] * len(self.cells)
        """cell → its row"""
        self.begun = 0
        """first cell of the last piece, which what joins it makes longer"""
        self.here = -1
        """the cell where alternatives are tried; -1 after a piece"""
        self.noes = -1, -1
        """the first and the last alternative that said no there"""

    def _tracks(self) -> tuple[dict[str, Any], ...]:
        scans = self.reading.scans
        return (
            self.strip("Text", "one cell per code point; a pre-token is drawn as one", type="reading",
                       classes=self.classes),
            TRACKS["rules" if scans else "pattern"] | {
             "rules": [[each.regex, takes(each).rstrip("."), part, took]
                       for part, each, took in
                       zip(self.reading.splitter_of, self.alternatives, self._took(), strict=True)],
             "parts": self.reading.titles},
            TRACKS["scanner" if scans else "read_bytes"]
            | {"bytes": self.listed_bytes},
            TRACKS["answers"] | {"answers": answers(each.regex for each in self.alternatives)},
            TRACKS["unicode_cpp"]
            | {"lines": [rule for source in self.reading.sources for rule in SOURCE[source]]},
            TRACKS["pre_tokens"],
        )  # fmt: skip

    def _took(self) -> list[str]:
        """What each alternative took of the whole text."""
        took: dict[int, int] = {}
        removed: Counter[int] = Counter()
        for row in self.stage.events:
            if row.kind in (PreTokenizeEvent.PIECE, PreTokenizeEvent.MERGED_NEXT):
                took[row.start] = row.choice
            elif row.kind in REMOVALS:
                removed[row.choice] += 1
        counts = Counter(took.values())
        return [took_words(counts[choice], removed[choice]) for choice in range(len(self.alternatives))]

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self._begin()
        part = 0
        for builder.event, row in enumerate(self.stage.events):
            if row.kind == PreTokenizeEvent.BYTE:
                if builder.event in self.bytes:
                    self._spell(self.bytes[builder.event])
                continue
            self.reading.follow(row)
            if row.start not in self.key_of:
                continue
            if self.reading.splitter != part and len(self.reading.titles) > 1:
                part = self.reading.splitter
                builder.phase(Text("Cut {0:t}", self.reading.titles[part]))
            self._event(row, self.key_of[row.start])
        return builder.script()

    def _begin(self) -> None:
        builder = self.builder
        for key, span in enumerate(self.spans):
            builder.put("cells", key, *span)
        scans = self.reading.scans
        builder.phase(
            Text("Cut {0:t}", self.reading.titles[0]) if len(self.reading.titles) > 1 else "Cut into pre-tokens"
        )
        if not self.cells:
            builder.begin("There is no text to cut.", lines=(0,))
            return
        builder.begin(
            f"The text has {{points}} here; the {'scanner' if scans else 'pattern'} has {{tried}}.",
            "At each position they are tried in order.",
            lines=(0,),
            points=plural(len(self.cells), "code point"),
            tried=plural(len(self.alternatives), "rule" if scans else "alternative"),
        )

    # --- what each event changes ----------------------------------------------------------------------------------

    def _event(self, row: PreTokenizeRow, low: int) -> None:
        """One step. low: the cell where the event begins."""
        kind = row.kind
        if kind == PreTokenizeEvent.FAILED:
            self._failed(row, low)
        elif kind in (PreTokenizeEvent.LOOK, PreTokenizeEvent.RUN):
            self._read(row, low)
        elif kind == PreTokenizeEvent.CUT:
            self._yes(row.choice, low, -1)
            self._remark(row, low, match=match_words(row.choice))
        elif kind == PreTokenizeEvent.SPELLED:
            self._remark(row, low, mark=chr(row.choice))
        elif kind == PreTokenizeEvent.NO_PREFIX:
            why = "it is there already" if row.end > row.start else "the text begins further left"
            self._remark(row, low, why=why)
        elif kind == PreTokenizeEvent.PREFIX:
            self._remark(row, low, prefix="A space" if row.choice == ord(" ") else f"“{chr(row.choice)}”")
        else:
            self._piece(row, low)

    def _remark(self, row: PreTokenizeRow, low: int, **told: int | str) -> None:
        """A step that changes no piece."""
        self.builder.mark("cells", low, HIT)
        self.builder.step(row.kind, at=row.start + 1, **told)

    def _arrive(self, low: int) -> None:
        """Alternatives are tried at another cell: none has said anything there."""
        if self.here == low:
            return
        self.here, self.noes = low, (-1, -1)
        self.builder.put("rules", SAID, -1, -1, -1, -1)
        if self.reading.scanning:
            self.builder.put("reads", POSITION, low)
        self.builder.delete("reads", *self.reading.forgotten())

    def _failed(self, row: PreTokenizeRow, low: int) -> None:
        """An alternative does not match; the model's own spelling of it may."""
        builder, tried = self.builder, self.alternatives[row.choice]
        self._arrive(low)
        self.noes = self.noes[0] if self.noes[0] >= 0 else row.choice, row.choice
        builder.put("rules", SAID, *self.noes, -1, -1)
        self._work_on(row.choice)
        builder.mark("cells", low, HERE)
        scanned = self.reading.scanning
        told: Values = {
            "number": self.reading.rule(row.choice) + 1,
            "at": self.cells[low][1] if scanned else row.start + 1,
            "pattern": tried.regex,
            "takes": takes(tried),
            "char": self.chars[low],
        }
        lost = lost_by_rewriting(tried, self.chars[low : low + LONGEST])
        if lost:
            told |= {"original": tried.rewritten, "lost": lost}
        elif scanned:
            told["flags"] = flags_words(self.chars[low])
        name = "rewritten" if lost else "FAILED"
        builder.step(f"scanned {name}" if scanned else name if lost else row.kind, **told)

    def _read(self, row: PreTokenizeRow, low: int) -> None:
        """A scanner reads a character ahead, or a run."""
        arrived = low if self.reading.fresh or self.here < 0 else self.here
        self._arrive(arrived)
        self._work_on(self.reading.trying)
        if row.kind == PreTokenizeEvent.LOOK:
            undrawn = len(self.cells) + row.end - self.cells[-1][4]
            ahead = self.key_of.get(row.end, undrawn) if chr(row.choice) != END else -1
            at, end = self.cells[low][1], row.end - row.start
            key, told = self.reading.look(self.builder, self.cells, self.read, low, ahead, at + end, chr(row.choice))
            if 0 <= ahead < len(self.cells):
                self.builder.mark("cells", ahead, LOOK)
        else:
            high = self._end_of(row, low)
            key, told = self.reading.run(self.builder, self.cells, self.read, range(low, high), row.choice)
            for cell in {low, high - 1} if high - low > LONGEST else range(low, high):
                self.builder.mark("cells", cell, RUN)
        self.builder.mark("cells", arrived, HERE)
        self.builder.step(key, **told)

    def _piece(self, row: PreTokenizeRow, low: int) -> None:
        """A stretch of text becomes a piece, joins one, or is left out."""
        builder, kind, high = self.builder, row.kind, self._end_of(row, low)
        joins, is_script = kind in JOINS, kind == PreTokenizeEvent.SCRIPT
        if not joins:
            self.begun = low
        text = builder.text(self.chars[self.begun : high])
        if not is_script:
            self._yes(row.choice, low, text)
        color = self.spans[self.begun][1] if joins else -1 if is_script else row.choice
        self._cut(high, color)
        builder.mark("cells", self.begun, TAKEN)
        if kind in REMOVALS:
            builder.delete("output", low)
        else:
            builder.put("output", self.begun, text, color, self.cells[self.begun][3], row.end)
            if self.bytes:
                builder.put("reads", SPELLED, self.begun, high, -1)
        scanned = kind == PreTokenizeEvent.PIECE and self.reading.scanning
        builder.step("scanned PIECE" if scanned else kind, **self._piece_told(row, text, low, high))
        self.here = -1

    def _end_of(self, row: PreTokenizeRow, low: int) -> int:
        """One after the last cell of what an event takes: cells of one fragment, up to the row's end."""
        high = low + 1
        group = self.cells[low][2]
        while high < len(self.cells) and self.cells[high][4] <= row.end and self.cells[high][2] == group:
            high += 1
        return high

    def _cut(self, high: int, color: int) -> None:
        """Makes the cells [begun, high) one piece. What is left of the pieces it is cut from stays one piece each."""
        begun, spans = self.begun, self.spans
        last, first = self._head_of(high - 1), self._head_of(begun)
        after = last + spans[last][0] - high
        rest = [(high, (after, *spans[last][1:]))] if after > 0 else []
        if first < begun:
            rest.append((first, (begun - first, *spans[first][1:])))
        inside = [(key, (0, -1, -1)) for key in range(begun + 1, high)]
        label = self.builder.plain(made_of(self.chars[begun:high]))
        for key, row in [(begun, (high - begun, color, label)), *inside, *rest]:
            if spans[key] != row:
                spans[key] = row
                self.builder.put("cells", key, *row)

    def _head_of(self, cell: int) -> int:
        """The first cell of the piece that a cell is part of."""
        while not self.spans[cell][0]:
            cell -= 1
        return cell

    def _spell(self, spelled: SpelledByte) -> None:
        """A byte of a piece is spelled."""
        builder = self.builder
        if not self.spells:
            self.spells = True
            builder.phase("Write bytes as letters")
            builder.delete("reads", *self.reading.forgotten(everything=True))
        head = self._head_of(spelled.cell)
        builder.put("reads", SPELLED, head, head + self.spans[head][0], spelled.number)
        builder.mark("cells", spelled.cell, HIT)
        builder.step(PreTokenizeEvent.BYTE, byte=spelled.hexadecimal, char=spelled.char, letter=spelled.letter)

    # --- what is said -----------------------------------------------------------------------------------

    def _piece_told(self, row: PreTokenizeRow, text: int, low: int, high: int) -> Values:
        """text: the piece as it is now. low, high: the cells that this event took."""
        if row.kind in JOINS or row.kind == PreTokenizeEvent.MERGED_NEXT:
            return {"match": match_words(row.choice), "text": text, "took": self.chars[low:high]}
        if row.kind == PreTokenizeEvent.SCRIPT:
            return {"script": NAMES[row.choice].replace("_", " "), "text": text}
        if row.kind != PreTokenizeEvent.PIECE:
            return {"number": row.choice + 1, "text": text}
        taken = self.alternatives[row.choice]
        number = self.reading.rule(row.choice) + 1
        told: Values = {"number": number, "text": text, "takes": takes(taken)}
        if not self.reading.scanning:
            return told
        ends = high < len(self.cells) and self.cells[high][2] != self.cells[low][2]
        why = self.reading.why_piece(row.choice, self.chars[low:high], "" if ends else self.read[high : high + 1])
        story = why or "Merges never cross from one pre-token to the next."
        return told | {"story": story, "why": why or takes(taken), "end": self.cells[high - 1][1] + 1}

    # --- the alternatives -----------------------------------------------------------------------------------------

    def _yes(self, choice: int, low: int, text: int) -> None:
        """An alternative matches; those before it that were tried did not, those after it are not tried."""
        self._arrive(low)
        if choice >= 0:
            self.builder.put("rules", SAID, *self.noes, choice, text)
            self._work_on(choice)

    def _work_on(self, choice: int) -> None:
        """Marks an alternative as the one at work."""
        self.builder.mark("rules", choice, HIT)
        block = self.reading.source_block(choice)
        if block >= 0:
            self.builder.mark("source", block, HIT)


def match_words(choice: int) -> str:
    """Which alternative matches."""
    return f"Alternative {choice + 1} matches" if choice >= 0 else "No alternative matches"
