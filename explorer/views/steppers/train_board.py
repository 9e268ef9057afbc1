"""What the scripts of all trainings share: the corpus at the beginning, the vocabulary, and the columns of their board.

The board is what Story shows on the Train page. A column is a track of lines, each of which says first what it is. It
is drawn by `ui/components/stepper/board.js`, and read forwards and back as any other track.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from explorer.script.script import Script, ScriptBuilder, StepKind, Values, output
from explorer.tables import Record
from explorer.text import visible
from explorer.text.say import Text, in_a_row, number, plural
from explorer.training.training import Training

NAMED = 12
"""Pieces, tokens or words that a sentence names."""
LETTERS = 40
"""Characters that a sentence names."""
HIT, TIED = range(2)


class TrainingScript:
    """One pass over the events of a training. Subclasses name the kinds of step, the player and the code."""

    player: str
    """in players.toml"""
    kinds: Mapping[Any, StepKind]
    code: Sequence[str]
    roles: Sequence[tuple[str, str]] = (("", "hit"),)

    def __init__(self, training: Training[Any], *tracks: Record | str) -> None:
        self.events: list[Any] = list(training.events)
        self.symbols = training.learned.symbols
        self.tokens = 0
        """chips in the vocabulary"""
        self.builder = ScriptBuilder.laid_out(self.player, tracks, kinds=self.kinds, roles=self.roles, code=self.code)

    def begin(self, counts: Sequence[int], why: str) -> None:
        """The corpus, before anything is learned. counts: how often each word occurs."""
        self.builder.phase("Words")
        words = plural(len(counts), "different word")
        self.builder.begin("The corpus has {words}, {total} in all.", why, words=words, total=sum(counts))

    def add(self, text: str, id: int) -> None:
        """Adds a chip to the vocabulary."""
        self.builder.put("vocabulary", self.tokens, self.builder.text(text), id, -1, -1)
        self.tokens += 1


def vocabulary(empty: str) -> Record:
    """The track that `TrainingScript.add` fills."""
    return output("Vocabulary", empty, name="vocabulary")


def several(texts: Iterable[str], one: str, most: int = NAMED) -> Values:
    """How many things a step is about, and the first of them."""
    shown = list(texts)
    named = " ".join(visible(text) for text in shown[:most]) + (" …" if len(shown) > most else "")
    return {"count": plural(len(shown), one), "named": named}


class Line(IntEnum):
    """What a line of a column is, and what follows."""

    TITLE = 0
    """Title and note."""
    BAR = 1
    """Label, value, length in thousandths, look."""
    CHIP = 2
    """The same with a token as the label; then the token's number."""
    NOTE = 3
    CUT = 4
    """A line across, with what is above it and below."""
    WORD = 5
    """How often it occurs (−1: written otherwise), then text and look of each of its pieces."""
    STAGE = 6
    """A number of pieces: the number, what is said at the right, length, look, what happened."""


class Look(IntEnum):
    """How a bar or a piece looks."""

    PLAIN = 0
    FOCUS = 1
    """What the decision is about."""
    GOING = 2
    """What is lost by it."""
    DONE = 3
    """What was decided before."""
    COMING = 4
    """What will be decided."""


def column(name: str, title: str, note: str = "") -> Record:
    """The track of a column."""
    return {"name": name, "type": "board", "title": title, "note": note}


@dataclass(eq=False)
class Column:
    """Writes the lines of a column, each in its place."""

    builder: ScriptBuilder
    name: str
    lines: int = 0

    def write(self, lines: Iterable[Sequence[int]]) -> None:
        """Puts these lines in place of those before."""
        count = 0
        for count, line in enumerate(lines, 1):
            self.builder.put(self.name, count - 1, *line)
        self.builder.delete(self.name, *range(count, self.lines))
        self.lines = count

    def title(self, title: str, note: str = "") -> Sequence[int]:
        """A title instead of the column's own."""
        return Line.TITLE, self.builder.plain(title), self.builder.plain(note)

    def bar(self, label: int, value: str, share: float, look: Look) -> Sequence[int]:
        """A bar. label: an index in the string table. share: of the length, 0 to 1."""
        return Line.BAR, label, self.builder.plain(value), round(1000 * share), look

    def chip(self, label: int, value: str, share: float, look: Look, symbol: int) -> Sequence[int]:
        """A bar with a token. symbol: its number, which gives it its color."""
        return Line.CHIP, label, self.builder.plain(value), round(1000 * share), look, symbol

    def note(self, text: str) -> Sequence[int]:
        """A quiet line."""
        return Line.NOTE, self.builder.plain(text)

    def cut(self, above: str, below: str) -> Sequence[int]:
        """Where a list is cut."""
        return Line.CUT, self.builder.plain(above), self.builder.plain(below)

    def word(self, times: int, pieces: Iterable[tuple[str, Look]]) -> Sequence[int]:
        """A word in its pieces."""
        return Line.WORD, times, *(value for text, look in pieces for value in (self.builder.text(text), look))

    def stage(self, count: int, right: str, share: float, look: Look, note: str) -> Sequence[int]:
        """A number of pieces."""
        plain = self.builder.plain
        return Line.STAGE, plain(number(count)), plain(right), round(1000 * share), look, plain(note)


def opening(script: Script) -> int:
    """The step at which a board opens: the first decision that something decided, 0 if nothing was learned.

    Pieces that are pruned by their loss; a pair or a word that ties with no other; else the first of them.
    """
    kinds = [{}, *map(script.kind, range(1, len(script) + 1))]
    for wanted in ("pruned", "merge", "word", "tokens", "rare"):
        stops = [step for step, kind in enumerate(kinds) if kind.get("landmark") and kind["label"] == wanted]
        alone = [step for step in stops if wanted == "merge" and kinds[step - 1].get("label") != "tie"]
        if stops:
            return (alone or stops)[0]
    return 0


def occurs(times: int) -> str:
    """How often, in words.

    >>> occurs(1), occurs(2), occurs(3)
    ('once', 'twice', '3 times')
    """
    return Text("once") if times == 1 else Text("twice") if times == 2 else plural(times, "time")


def nth(number: int, total: int, one: str) -> Text:
    """Which of several.

    >>> nth(1, 18, "merge"), nth(3, 18, "merge")
    ('This is the first of 18 merges.', 'This is merge 3 of 18.')
    >>> nth(1, 1, "merge")
    'This is the only merge.'
    """
    if total == 1:
        return Text(f"This is the only {one}.")
    if number == 1:
        return Text(f"This is the first of {{0}} {one}s.", total)
    return Text(f"This is {one} {{0}} of {{1}}.", number, total)


def remaining(counts: Iterable[int]) -> str:
    """How many more occur how often.

    >>> remaining([2, 2, 1]), remaining([]), remaining([5]), remaining([9, 6, 6])
    ('2 more occur twice, 1 once', '', '1 more occurs 5 times', '1 more occurs 9 times, 2 occur 6 times')
    """
    by_count = Counter(counts)
    if not by_count:
        return ""
    ranked = sorted(by_count, reverse=True)
    (first, *others), rest = ranked[:3], ranked[3:]

    def many(times: int, one: str, more: str) -> Text:
        return Text(one, by_count[times], occurs(times), many=more)

    return in_a_row(
        many(first, "{0} more occurs {1:t}", "{0} more occur {1:t}"),
        # not "7 6 times"
        *(many(n, "{0} {1:t}", "") if n < 3 else many(n, "{0} occurs {1:t}", "{0} occur {1:t}") for n in others),
        bool(rest) and Text("{0} less often", sum(by_count[each] for each in rest)),
    )
