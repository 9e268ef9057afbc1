"""What an alternative of a pattern takes, in words, for the stepper of the pre-tokenizer.

What a scanner reads, for the pre-tokenizer's script: the splitter at work, the rule it tries, look-aheads, runs.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import regex

from explorer.engine.pre_tokenizers.by_regex import PreTokenization, PreTokenizeEvent, PreTokenizeRow
from explorer.engine.pre_tokenizers.scanners import END, FULL, ScannerSplit, classes
from explorer.engine.regexes.safe import Alternative
from explorer.script.script import ScriptBuilder, Values
from explorer.tables import Json, read_toml
from explorer.text.code_points import facts
from explorer.text.say import Text

LONGEST = 16
"""Characters checked for what an alternative would take in its original spelling."""


def takes(alternative: Alternative) -> str:
    """What an alternative takes, in one sentence."""
    return alternative.says or "What this part of the file's pattern matches."


CONTRACTION = re.compile(r"'(?:[sdmt]|ll|ve|re)", re.IGNORECASE)


def made_of(piece: str) -> str:
    """What a piece consists of, in a word or two.

    >>> [made_of(each) for each in (" Hello", "'s", "１２", " @!", " \\n", "  ", "@World")]
    ['letters', 'contraction', 'numbers', 'other signs', 'line breaks', 'white space', 'letters']
    """
    if CONTRACTION.fullmatch(piece):
        return "contraction"
    found = classes(piece)
    names = (("L", "letters"), ("N", "numbers"), ("O", "other signs"))
    return next(
        (name for kind, name in names if kind in found), "line breaks" if BREAK.search(piece) else "white space"
    )


BREAK = re.compile(r"[\r\n]")


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.VERSION0)


def lost_by_rewriting(alternative: Alternative, text: str) -> str:
    """What the model's own spelling of an alternative takes at the beginning of a text if the rewritten one fails.

    >>> from explorer.engine.pre_tokenizers.patterns_llama_cpp import LLAMA3_ASCII
    >>> [lost_by_rewriting(LLAMA3_ASCII.alternatives[0], text) for text in ("'ſ so", "'s so", "so")]
    ["'ſ", '', '']
    """
    found = _compiled(alternative.rewritten).match(text) if alternative.rewritten else None
    return found[0] if found and not _compiled(alternative.runs).match(text) else ""


CLASS_WORDS: Mapping[str, str] = {
    "L": "a letter",
    "N": "a number",
    "S": "white space",
    "↵": "a line break",
    "O": "none of them",
    END: "the end of the text",
}
"""The letter of a class as it is drawn → what a character of it is."""


def drawn_class(kind: str, ch: str) -> str:
    """The letter under a character. A line break is white space that has rules of its own.

    >>> drawn_class("S", " "), drawn_class("S", "\\n"), drawn_class("L", "a")
    ('S', '↵', 'L')
    """
    return "↵" if ch in ("\r", "\n") else kind


def class_words(kind: str, ch: str) -> str:
    """What a character is for a scanner.

    >>> class_words("O", "!"), class_words("S", "\\n")
    ('neither letter, number nor white space', 'a line break')
    """
    letter = drawn_class(kind, ch)
    return "neither letter, number nor white space" if letter == "O" else CLASS_WORDS[letter]


@lru_cache(maxsize=1 << 12)
def flags_words(ch: str) -> str:
    """What llama.cpp reads of a character; none is after the end.

    >>> flags_words("A")
    'U+0041, flags 0x0C04: letter, uppercase and nfd'
    >>> flags_words("")
    'OUT_OF_RANGE, without flags'
    """
    if not ch:
        return "OUT_OF_RANGE, without flags"
    fact = facts(ch)
    *words, last = fact.words or ("none",)
    listed = f"{', '.join(words)} and {last}" if words else last
    return f"{fact.label}, flags 0x{int(fact.flags):04X}: {listed}"


def why_look(ch: str, in_run: bool, any_case: bool) -> str:
    """Why a scanner looks ahead. ch: the character it stands at. in_run: a run has been read. any_case: the rule tried
    also takes capitals.
    """
    if ch == "'" and not in_run:
        cases = "in capitals, too" if any_case else "in lowercase only"
        return f"After an apostrophe, s, t, m, d, re, ve or ll make a contraction, {cases}."
    if in_run and ch.isspace():
        return "The last white-space character joins the following word."
    if in_run:
        return "A contraction after a word stays with it."
    return "A space joins what follows it." if ch == " " else "One such character may stand before letters."


_WORDS: Json = read_toml(__file__, "scanners.toml")
SOURCE: Mapping[str, Sequence[Sequence[str]]] = {
    name: [_WORDS["rules"][rule].split("\n") for rule in rules] for name, rules in _WORDS["functions"].items()
}
"""Name of a function of llama.cpp → for each rule, its lines."""


Key = PreTokenizeEvent | str

POSITION, AHEAD, OVER, SPELLED = 0, 1, 2, 3
"""Keys of the track `reads`: the cell at work; the character ahead and its class; a run and what ends it; the cells of
a piece, and the number of the last of its bytes that is spelled."""

ANY_CASE = "[sS]"
"""In a rule for contractions that takes capitals as well."""
ONLY_LAST = "The pattern takes it one alternative earlier, since no word follows."
LONE_SPACE = "Nothing follows this space; the pattern takes it two alternatives later, as white space."
SPACE_AND_LETTERS, SPACE_AND_NUMBERS, SIGN_AND_LETTERS = r" ?\p{L}", r" ?\p{N}", r"[^\r\n\p{L}\p{N}]?"
"""How rules begin that patterns differ in."""
CAPITALS = "Capitals count, too. In GPT-2 only lowercase letters do."
SIGN_ALONE = "Only a space goes with the letters after it. In Qwen 2 and Llama 3 one sign does, too."
SIGN_IN_FRONT = "One sign goes with the letters after it. In GPT-2 only a space does."
SPACE_ALONE = "A number does not take the space before it. In GPT-2 it does."
SPACE_IN_FRONT = "A number takes the space before it. In Qwen 2 and Llama 3 it does not."


class Reading:
    """The splitters of a stage, and where the one at work is.

    splitter: the index of the one at work. trying: the alternative it tries, counted over all splitters. fresh: whether
    a scanner reads at a new position; otherwise it reads on for the rule tried, after a space or sign, or ahead.
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
            Text("{0}: scanner" if scanner else "{0}: pattern", number)
            for number, scanner in enumerate(self.scanners, 1)
        ]
        self.splitter, self.trying = 0, -1
        self._reached = 0
        self._known: set[int] = set()
        self.fresh = self._goes_on = False
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
        self.fresh = self.trying < 0
        if reads and self.trying < 0:
            goes_on = row.kind == PreTokenizeEvent.RUN and self._goes_on
            self.trying = self._taken if goes_on else self.first[self.splitter]
        if row.kind == PreTokenizeEvent.RUN:
            self._goes_on = row.choice == FULL
        elif row.kind not in (PreTokenizeEvent.LOOK, PreTokenizeEvent.FAILED):
            self._reached, self._taken = row.end, row.choice

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


NO_CHOICE = (
    PreTokenizeEvent.BYTE, PreTokenizeEvent.PREFIX, PreTokenizeEvent.SPELLED, PreTokenizeEvent.NO_PREFIX,
    PreTokenizeEvent.SCRIPT,
)  # fmt: skip
"""Events whose choice is no alternative."""
