"""What a scanner reads, for the pre-tokenizer's script: the splitter at work, the rule it tries, look-aheads, runs.

A stage may have several splitters, and only its events say which one is at work: an alternative belongs to one of them,
and a scanner that reads left of where the last piece ended is the next one.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from explorer.engine.pre_tokenizers.scanners import ScannerSplit
from explorer.engine.pre_tokenizers.stage import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.word_scanners import END, FULL, classes
from explorer.script.script import ScriptBuilder, Values
from explorer.stages.pre_tokenizers.scanner_words import SOURCE, class_words, drawn_class, flags_words, why_look

Key: TypeAlias = PreTokenizeEvent | str

POSITION, AHEAD, OVER, SPELLED = 0, 1, 2, 3
"""Keys of the track `reads`: the cell at work; the character ahead and its class; a run and what ends it; the cells of
a piece, and the number of the last of its bytes that is spelled."""

ANY_CASE: Final = "[sS]"
"""In a rule for contractions that takes capitals as well."""
ONLY_LAST: Final = "The pattern takes it one alternative earlier, since no word follows."
LONE_SPACE: Final = "Nothing follows this space; the pattern takes it two alternatives later, as white space."
SPACE_AND_LETTERS, SPACE_AND_NUMBERS, SIGN_AND_LETTERS = r" ?\p{L}", r" ?\p{N}", r"[^\r\n\p{L}\p{N}]?"
"""How rules begin that patterns differ in."""
CAPITALS: Final = "Capitals count, too. In GPT-2 only lowercase letters do."
SIGN_ALONE: Final = "Only a space goes with the letters after it. In Qwen 2 and Llama 3 one sign does, too."
SIGN_IN_FRONT: Final = "One sign goes with the letters after it. In GPT-2 only a space does."
SPACE_ALONE: Final = "A number does not take the space before it. In GPT-2 it does."
SPACE_IN_FRONT: Final = "A number takes the space before it. In Qwen 2 and Llama 3 it does not."


class Reading:
    """The splitters of a stage, and where the one at work is.

    splitter: the index of the one at work. trying: the alternative it tries, counted over all splitters.
    """

    def __init__(self, part: PreTokenization) -> None:
        self.alternatives = part.alternatives
        self.splitters = [each for each in part.splitters if each.alternatives]
        self.scanners = [
            each.scanner if isinstance(each, ScannerSplit) and each.scanner.source else None for each in self.splitters
        ]
        self.splitter_of = [number for number, each in enumerate(self.splitters) for _ in each.alternatives]
        self.first = [self.splitter_of.index(number) for number in range(len(self.splitters))]
        self.scans = any(self.scanners)
        self.sources = [each.source for each in self.scanners if each]
        self.titles = [
            f"{number}: {'scanner' if scanner else 'pattern'}" for number, scanner in enumerate(self.scanners, 1)
        ]
        self.splitter, self.trying = 0, -1
        self._reached = 0
        self._known: set[int] = set()
        self._fresh = self._goes_on = False
        self._taken = -1

    @property
    def scanning(self) -> bool:
        """Whether a scanner is at work."""
        return bool(self.scanners) and self.scanners[self.splitter] is not None

    def classes(self, text: str) -> str:
        """The class of each character, for the first scanner of the stage."""
        return next((each.classes for each in self.scanners if each), classes)(text)[:-1]

    def rule(self, choice: int) -> int:
        """The index of an alternative among those of its splitter."""
        return choice - self.first[self.splitter_of[choice]]

    def source_block(self, choice: int) -> int:
        """The index of an alternative's lines among those of all scanners; -1 for a regex."""
        at = self.splitter_of[choice]
        if self.scanners[at] is None:
            return -1
        before = (each for each in self.scanners[:at] if each)
        return sum(len(SOURCE[each.source]) for each in before) + self.rule(choice)

    # --- following the events -----------------------------------------------------------------------------------------

    def follow(self, row: PreTokenizeRow) -> None:
        """Takes notice of an event, before it is drawn."""
        reads = row.kind in (PreTokenizeEvent.LOOK, PreTokenizeEvent.RUN)
        if not reads:
            if 0 <= row.choice < len(self.splitter_of) and row.kind not in NO_CHOICE:
                self.splitter = self.splitter_of[row.choice]
            tries = row.kind == PreTokenizeEvent.FAILED and row.choice + 1 < len(self.splitter_of)
            self.trying = row.choice + 1 if tries and self.splitter_of[row.choice + 1] == self.splitter else -1
        elif not self.scanning or row.start < self._reached:
            later = range(self.splitter + 1, len(self.scanners))
            self.splitter = next((at for at in later if self.scanners[at]), self.splitter)
            self.trying = -1
        self._fresh = self.trying < 0
        if reads and self.trying < 0:
            goes_on = row.kind == PreTokenizeEvent.RUN and self._goes_on
            self.trying = self._taken if goes_on else self.first[self.splitter]
        if row.kind == PreTokenizeEvent.RUN:
            self._goes_on = row.choice == FULL
        elif row.kind not in (PreTokenizeEvent.LOOK, PreTokenizeEvent.FAILED):
            self._reached, self._taken = row.end, row.choice

    def tried_at(self, low: int, here: int) -> int:
        """The cell where rules are tried while a scanner reads from `low`. here: where the last one was tried.

        One space or sign may be in front of a run, and a look-ahead may begin after it.
        """
        return low if self._fresh or here < 0 else here

    def forgotten(self, everything: bool = False) -> list[int]:
        """The rows of `reads` that are no longer true at a new position."""
        keys = [key for key in sorted(self._known) if everything or key != POSITION]
        self._known -= set(keys)
        if not everything and self.scanning:
            self._known.add(POSITION)
        return keys

    # --- what is said -------------------------------------------------------------------------------------------------

    def look(
        self, builder: ScriptBuilder, cells: list[list[int]], chars: str, low: int, ahead: int, end: int, kind: str
    ) -> tuple[Key, Values]:
        """A look-ahead: the kind of step, and its fields. ahead: a cell, -1 after the end, a higher
        number than that of any cell for one that is not drawn. chars: also those read after the last cell.

        end: the index after the last code point that is scanned.
        """
        after_run = OVER in self._known
        self._known.add(AHEAD)
        ch = chars[ahead] if ahead >= 0 else ""
        drawn = 0 <= ahead < len(cells)
        pos = cells[ahead][1] if drawn else end
        what = class_words(kind, ch)
        builder.write("reads", AHEAD, ahead if drawn else -1, what, drawn_class(kind, ch))
        why = why_look(chars[low], after_run, ANY_CASE in self.alternatives[self.trying].regex)
        told: Values = {"at": cells[low][1], "what": what, "flags": flags_words(ch), "position": pos, "why": why}
        return (PreTokenizeEvent.LOOK if ch else "look at the end"), told | {"char": ch}

    def run(
        self, builder: ScriptBuilder, cells: list[list[int]], chars: str, run: range, ends: int
    ) -> tuple[Key, Values]:
        """A run: the kind of step, and its fields. ends: what ends it."""
        self._known.add(OVER)
        ch = chars[run.stop] if ends != FULL and chr(ends) != END else ""
        what = "as many as a pre-token may have" if ends == FULL else class_words(chr(ends), ch)
        builder.write("reads", OVER, run.start, run.stop, what)
        key: Key = "full run" if ends == FULL else PreTokenizeEvent.RUN if ch else "run to the end"
        return key, {
            "run": chars[run.start : run.stop],
            "at": cells[run.start][1],
            "end": cells[run.stop - 1][1] + 1,
            "what": what,
            "flags": flags_words(ch),
            "length": len(run),
            "after": ch,
        }

    def why_piece(self, choice: int, piece: str, after: str) -> str:
        """What is to be said of a piece besides what its rule takes; empty without that.

        The pattern may take it with another alternative, or patterns differ in what they take before a word or a
        number. after: the character after it, "" at the end of the scanned text.
        """
        if after or not piece.isspace():
            return self._why_in_front(choice, piece, after)
        last = choice + 1 == len(self.splitter_of) or self.splitter_of[choice + 1] != self.splitter_of[choice]
        if last and self.rule(choice):
            return ONLY_LAST
        return LONE_SPACE if piece == " " else ""

    def _why_in_front(self, choice: int, piece: str, after: str) -> str:
        """What is to be said where patterns differ: a contraction in capitals, what stands before a word or number."""
        kinds, part, rule = self.classes(piece + after), self.splitter_of[choice], self.alternatives[choice].regex
        if ANY_CASE in rule and piece[0] == "'" and piece != piece.lower():
            return CAPITALS
        if rule.startswith(SIGN_AND_LETTERS) and kinds[:2] == "OL":
            return SIGN_IN_FRONT
        if rule.startswith(SPACE_AND_NUMBERS) and piece[0] == " ":
            return SPACE_IN_FRONT
        rules = [each.regex for at, each in zip(self.splitter_of, self.alternatives, strict=True) if at == part]
        if after and kinds == "OL" and any(each.startswith(SPACE_AND_LETTERS) for each in rules):
            return SIGN_ALONE
        alone = piece == " " and kinds[1:] == "N" and not any(each.startswith(SPACE_AND_NUMBERS) for each in rules)
        return SPACE_ALONE if alone else ""


NO_CHOICE: Final = (
    PreTokenizeEvent.BYTE, PreTokenizeEvent.PREFIX, PreTokenizeEvent.SPELLED, PreTokenizeEvent.NO_PREFIX,
    PreTokenizeEvent.SCRIPT,
)  # fmt: skip
"""Events whose choice is no alternative."""
