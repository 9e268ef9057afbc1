"""One run of a template, as a record: what it wrote, tested, set and looped over, and what each of that was made of.

Both engines fill it. A record is bounded as the run is: in steps, and in characters of each value.

If the template fails, the record says on what: the message and field that it can't take, the first message that
breaks its rule. What an error names is what was tried: the value that the failing operation was given, and how many
messages the template still takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeAlias

from explorer.engine import budget
from explorer.errors import InputError, shown
from explorer.prompts.bounds import bounded
from explorer.prompts.messages import Call, Path, dotted
from explorer.prompts.traced_text import UNKNOWN, TracedText, joined, sources_of
from explorer.tables import read_toml
from explorer.text.say import Say, Text

STEPS = 200_000
"""Steps that a run may take."""

SHOWN, PART_SHOWN = 200, 60
"""Characters that a step keeps of a value, and of a part of what it writes."""


class TemplateFailed(InputError):
    """A template that doesn't run: it is no Jinja, refuses the messages, or fails.

    line: in the template, counted from 1; 0 if unknown. refused: whether the template itself raised this.
    """

    def __init__(
        self, words: str, *values: int | str, line: int = 0, refused: bool = False, run: Run | None = None
    ) -> None:
        """The engine's own words, or ours with values. run: what the template did before."""
        super().__init__(words, *values)
        self.line, self.refused, self.run = line, refused, run
        self.words: str = self.args[0]
        """the engine's own words, to which what is found out about the call may be added"""
        if refused:
            self.args = (Text("The template refuses: {0:t}", self.words),)
        self.rendering: Any = None
        """what the template wrote and did before it failed, as a `rendering.Rendering`"""
        self.step: Step | None = None
        """the write at which it failed, with the parts that had a value"""

    @property
    def reason(self) -> str:
        """What is wrong, without the line."""
        return super().__str__()

    def __str__(self) -> str:
        return Text("Line {0:i}: {1:t}", self.line, self.reason) if self.line and not self.refused else self.reason

    def add(self, *sentences: Text) -> None:
        """Adds what is found out about the call."""
        stopped = self.reason.endswith((".", "!", "?"))
        self.args = (Text(Say("{0:t}" if stopped else "{0:t}.", self.reason).then(*(each.say for each in sentences))),)

    def __reduce__(self) -> tuple[Any, ...]:
        # between processes an error is its words: a run may be long
        return type(self), (self.words,), {"args": self.args, "line": self.line, "refused": self.refused}


class TemplateStopped(TemplateFailed):
    """A template that exceeded a limit."""


Tree: TypeAlias = "int | tuple[Any, ...]"
"""How a test is joined from its parts: a part's index, or ("and", …), ("or", …), ("not", …)."""


class Operand(NamedTuple):
    """A part of a template that writes, tests, sets or loops.

    kind: "data" (text outside tags), "literal", "write", "test", "set", "loop", "call", or "part" of a write or test.
    start, end: in the source. name: of what is set, of a loop's variable, of a macro. node: what the engine calls it.
    first: the first of its parts, -1 without. of: what it is a part of. tree: how the parts of a test are joined.
    """

    kind: str
    line: int
    start: int
    end: int
    name: str
    node: str
    first: int = -1
    of: int = -1
    tree: Tree | None = None


def has_parts(operands: list[Operand], index: int, tree: Tree | None = None) -> None:
    """Tells an operand which is the first of its parts."""
    first = next(at for at in range(index + 1, len(operands)) if operands[at].of == index)
    operands[index] = operands[index]._replace(first=first, tree=tree)


class Part(NamedTuple):
    """A part of what was written. operand: its index. kind: what the value is. length: its characters."""

    operand: int
    kind: str
    value: str | int | float | None
    length: int


class Step(NamedTuple):
    """One thing a template did.

    operand: its index. value: what was written or set, shortened, or the outcome of a test; None for a turn, and for
    what is undefined. start, end: of what was written, in the prompt; -1 where it went into a text of the template.
    parts: of what was written, if it was joined from several. decided: the parts that decided a test. turn, items: of
    a loop, counted from 1; -1 where they aren't known, and no turn of a loop without items. path: where the item of the
    turn, or the text that was set, comes from; source: the same while the template runs. kind: of a value that was set,
    or of the item.
    """

    operand: int
    value: str | int | float | None
    start: int = -1
    end: int = -1
    parts: tuple[Part, ...] = ()
    decided: tuple[int, ...] = ()
    turn: int = 0
    items: int = -1
    path: Path = ()
    source: int = UNKNOWN
    kind: str = ""

    @property
    def message(self) -> int | None:
        """The message that a turn of a loop is about, None if it is about something else."""
        path = self.path
        return (
            int(path[1])
            if self.turn and self.kind == "object" and path[:1] == ("messages",) and len(path) == 3
            else None
        )


def deciding(tree: Tree, values: Mapping[int, bool]) -> tuple[bool, tuple[int, ...]]:
    """The outcome of a test, and the parts that decided it. values: of the parts that were evaluated.

    >>> deciding(("or", 1, ("and", 2, 3)), {1: False, 2: True, 3: True})
    (True, (2, 3))
    >>> deciding(("or", 1, ("and", 2, 3)), {1: False, 2: False})
    (False, (1, 2))
    """
    if isinstance(tree, int):
        return values[tree], (tree,)
    operator, *rest = tree
    if operator == "not":
        outcome, parts = deciding(rest[0], values)
        return not outcome, parts
    decisive = operator == "or"
    seen: tuple[int, ...] = ()
    for each in rest:
        outcome, parts = deciding(each, values)
        if outcome == decisive:
            return outcome, parts
        seen += parts
    return not decisive, seen


@dataclass(slots=True)
class Run:
    """One run of a template.

    text: what it wrote; the sources of its characters are operands' indices, or, from `len(operands)` on, those of the
    call's strings (`messages.Traced`). generation: [start, end) of each generation block. readable: makes a text of the
    engine one for people.
    """

    operands: Sequence[Operand]
    now: datetime | None = None
    steps: list[Step] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    generation: list[tuple[int, int]] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    written: int = 0
    spent: int = 0
    readable: Callable[[str], str] = str
    position: int = 0
    """characters written to the prompt"""
    writes: list[TracedText] = field(default_factory=list)
    """what was written to the prompt, piece by piece"""
    buffers: int = 0
    """open texts that are not the prompt: of a macro, a block that is set or filtered"""
    evaluated: list[tuple[int, Any]] = field(default_factory=list)
    """parts of writes and tests that have a value and whose write or test has none yet"""
    missing: tuple[Any, Any] | None = None
    """the value whose attribute or item a failing operation misses, and its name"""
    given: Sequence[Any] = ()
    """what the operation that began last works on"""
    loops: list[list[int]] = field(default_factory=list)
    """of each running loop: its operand, its items (-1 if not counted), its turns"""

    @property
    def text(self) -> TracedText:
        """What the template wrote."""
        return joined(self.pieces)

    def spend(self) -> None:
        """Counts a step. Raises TemplateStopped if there were too many, TooSlow if they took too long."""
        self.spent += 1
        if self.spent > STEPS:
            raise TemplateStopped("The template was stopped: it took more than {0} steps.", STEPS)
        if not self.spent % budget.BLOCK:
            budget.ask("the template")

    def step(self, operand: int, value: Any, **more: Any) -> None:
        """Records a step."""
        self.spend()
        self.given = ()
        self.steps.append(Step(operand, self.short(value), **more))

    def wrote(self, operand: int, text: TracedText) -> None:
        """Records that a text was written: to the prompt, or to a text that is not the prompt."""
        values = self.parts_of(operand)
        parts = tuple(self.part(index, value) for index, value in values)
        if sum(part.length for part in parts) != len(text) or "".join(str(value) for _, value in values) != text:
            parts = ()  # arithmetic, not a text that is joined from them
        if self.buffers:
            self.step(operand, text, parts=parts)
            return
        bounded(self.position + len(text))
        start, self.position = self.position, self.position + len(text)
        self.writes.append(text)
        self.step(operand, text, parts=parts, start=start, end=self.position)

    def tested(self, operand: int, outcome: bool | None) -> None:
        """Records the outcome of a test, and what decided it."""
        values = {index: bool(value) and not is_undefined(value) for index, value in self.parts_of(operand)}
        tree = self.operands[operand].tree
        decided = deciding(tree, values)[1] if values and tree is not None else ()
        self.step(operand, outcome, decided=decided)

    def parts_of(self, operand: int) -> list[tuple[int, Any]]:
        """The parts of a write or test with their values, in order. They are given once."""
        first = self.operands[operand].first
        if first < 0:
            return []
        # the first part is always evaluated, and before the others; what a macro evaluates in between is gone already
        at = next((at for at in range(len(self.evaluated) - 1, -1, -1) if self.evaluated[at][0] == first), None)
        if at is None:
            return []
        found, self.evaluated[at:] = self.evaluated[at:], []
        return found

    def part(self, operand: int, value: Any) -> Part:
        """A part as a step keeps it."""
        length = len(value) if isinstance(value, str) else len(str(value)) if isinstance(value, int | float) else -1
        return Part(operand, kind_of(value), self.short(value, PART_SHOWN), length)

    def short(self, value: Any, most: int = SHOWN) -> str | int | float | None:
        """A value as a step keeps it: data of its own, which the template can't change later."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if is_undefined(value):
            return None
        if isinstance(value, str):
            return self.readable(TracedText(value).plain[: 4 * most])[:most]
        return self.readable(shown(value))

    def loop_begins(self, operand: int, items: Any, *, counted: bool = True) -> None:
        """A loop over these items begins. Without any it is a step. counted: whether it takes each of them."""
        empty = isinstance(items, Sized) and not len(items)
        self.loops.append([operand, len(items) if isinstance(items, Sized) and counted else -1, 0])
        if empty:
            self.step(operand, None, items=0)

    def turn(self, operand: int, item: Any) -> None:
        """A turn of the loop begins."""
        loop = self.loops[-1] if self.loops and self.loops[-1][0] == operand else [operand, -1, -2]
        loop[2] += 1
        self.step(operand, None, turn=loop[2], items=loop[1], source=source_of(item), kind=kind_of(item))

    def set(self, operand: int, value: Any) -> None:
        """Records that a variable was set."""
        source = source_of(value) if isinstance(value, str) else UNKNOWN
        self.step(operand, value, source=source, kind=kind_of(value))

    def lost(self, steps: int, writes: int) -> None:
        """What was written since is not in the prompt. How many steps and writes there were."""
        self.position -= sum(map(len, self.writes[writes:]))
        del self.writes[writes:]
        self.steps[steps:] = [step._replace(start=-1, end=-1) for step in self.steps[steps:]]

    @property
    def so_far(self) -> TracedText:
        """What a template wrote before it failed: more than has left it."""
        return joined(self.writes)

    def unfinished(self, line: int) -> Step | None:
        """The write on a line that has not been finished, with those parts of it that have a value."""
        operand = self.operands[self.evaluated[-1][0]].of if self.evaluated else -1
        if operand < 0 or self.operands[operand].kind != "write":
            return None
        parts = tuple(self.part(index, value) for index, value in self.parts_of(operand))
        lines = {self.operands[part.operand].line for part in parts} | {self.operands[operand].line}
        return Step(operand, None, parts=parts) if line in lines else None

    def finished(
        self, length: int, paths: Sequence[Path], moved: Callable[[int], int], cleaned: Callable[[str], str]
    ) -> list[Step]:
        """The steps with what is known only when the prompt is there.

        length: of the text. paths: of the sources from `len(operands)` on. moved: where a position of the text is in
        the prompt. cleaned: a value without what was put into it for the run only.
        """
        first = len(self.operands)

        def finished(step: Step) -> Step:
            path = paths[step.source - first] if step.source >= first else ()
            start, end, parts = -1, -1, step.parts
            # blocks that call each other write by ways that aren't followed
            if self.position == length and step.start >= 0:
                start, end = moved(step.start), moved(step.end)
                ends = [moved(at) for at in accumulate((part.length for part in parts), initial=step.start)]
                lengths = (to - at for at, to in pairwise(ends))
                parts = tuple(part._replace(length=each) for part, each in zip(parts, lengths, strict=True))
            value = cleaned(step.value) if isinstance(step.value, str) else step.value
            if isinstance(value, str) and start >= 0:
                value = value[: end - start]  # the text may be cut there
            return step._replace(start=start, end=end, parts=parts, path=path, value=value)

        return [finished(step) for step in self.steps]

    def loop_ends(self) -> None:
        """The innermost loop is over."""
        if self.loops:
            self.loops.pop()


def source_of(value: Any) -> int:
    """The source of a text, or of the first traced text in an object: a key, or a value that is a text."""
    if isinstance(value, Mapping):
        sources = (source_of(each) for pair in value.items() for each in pair if isinstance(each, str))
        return next((source for source in sources if source != UNKNOWN), UNKNOWN)
    if not isinstance(value, TracedText) or not value:
        return UNKNOWN
    # its ends are enough, and don't take as long as the text
    first, last = (sources_of(value[at])[0][0] for at in (0, -1))
    return first if first == last else UNKNOWN


def is_undefined(value: Any) -> bool:
    """Whether a value is undefined; each engine has a class for that."""
    return type(value).__name__ == "Undefined"


def kind_of(value: Any) -> str:
    """What a value is, in plain words."""
    if is_undefined(value):
        return "undefined"
    return next((word for word, kinds in KINDS_OF_VALUES.items() if isinstance(value, kinds)), type(value).__name__)


KINDS_OF_VALUES: Mapping[str, type | tuple[type, ...]] = {
    "true or false": bool,
    "text": str,
    "number": (int, float),
    "list": (list, tuple),
    "object": Mapping,
    "none": type(None),
}
"""What a value is in plain words → its types, a boolean before a number."""


WORDS = read_toml(__file__, "words.toml")
"""What is said of prompts, and names, by what they are about."""
SECONDS = 1.0
"""Seconds of the processor that looking for a message may take."""

ROLES = ("user", "assistant", "system", "tool")
OURS = {"TracedText": "str", "SafeText": "Markup", "_Namespace": "Namespace", "_Dict": "dict"}
"""What the values of a run are called in the original."""


def in_words_of_the_original(words: str) -> str:
    """An error without the names of this module's classes.

    >>> in_words_of_the_original("'explorer.prompts.traced_text.TracedText object' has no attribute 'items'")
    "'str object' has no attribute 'items'"
    """
    words = re.sub(r"\bexplorer(?:\.\w+)*\.(\w+)", r"\1", words)
    return re.sub(r"\b(?:" + "|".join(OURS) + r")\b", lambda found: OURS[found[0]], words)


def path_of(value: Any, paths: Sequence[Path], first: int) -> Path:
    """Where a value of a run stands in the call, () if unknown. paths: of the sources from `first` on."""
    if isinstance(value, str):
        source = source_of(value)
        return paths[source - first] if source >= first else ()
    of_object = [*value, *value.values()] if isinstance(value, Mapping) else ()
    items = value if isinstance(value, list | tuple) else of_object
    return next((found[:-1] for item in items if (found := path_of(item, paths, first))), ())


def of_field(path: Path, kind: str, value: str = "") -> Text:
    """A sentence about a field of the call. kind: what it is, a row of `words.toml`.

    >>> of_field(("messages", 1, "tool_calls", 0, "function", "arguments"), "json")
    'In message 2, tool_calls[0].function.arguments is a string of JSON.'
    """
    what = Text(WORDS["kinds"].get(kind, WORDS["kinds"]["other"])[0], value)
    owner = WORDS["owners" if path[2:] else "items"].get(path[0]) if path[1:] else None
    if owner is None:
        return Text("In the call, {0:t} {1:t}.", dotted(path), what)
    return Text(*owner, int(path[1]) + 1, what, dotted(path[2:]))


def culprits(run: Run, paths: Sequence[Path], nulls: Collection[Path]) -> Iterator[Text]:
    """The fields of the call that a failing operation was given, in sentences. nulls: fields that are left out."""
    first = len(run.operands)

    def about(value: Any, name: Any = None) -> Iterator[Text]:
        path = path_of(value, paths, first)
        if path and isinstance(value, Mapping) and name is not None and name not in value:
            whole = *path, str(name)
            yield of_field(whole, "null" if whole in nulls else "missing")
        elif path:
            yield of_field(path, kind_of(value), as_sent(value))

    if run.missing is not None:
        yield from about(*run.missing)
        return
    for value in (*run.given, *(value for _, value in run.evaluated if not isinstance(value, str))):
        yield from about(*(value.missing if is_undefined(value) else (value,)))


def as_sent(value: Any) -> str:
    """A value as JSON, cut short."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= PART_SHOWN else f"{text[:PART_SHOWN]}…"


def explain(error: TemplateFailed, call: Call, tried: Callable[[Call], Any]) -> None:
    """Adds to an error of the template's own the line, and the first message that breaks its rule."""
    if not error.refused or not error.line:
        return
    said = [Text("Line {0:i} raises this.", error.line)]
    if (index := first_message(error, call, tried)) is not None:
        role = call.messages[index].get("role")
        which = f" ({role})" if role else ""
        said.append(Text("Message {0}{1:t} is the first that breaks the rule.", index + 1, which))
    error.add(*said)


def first_message(error: TemplateFailed, call: Call, tried: Callable[[Call], Any]) -> int | None:
    """The index of the first message from which on a template refuses; None if it isn't about messages.

    The template is tried with fewer and fewer messages, and with the first one alone in other roles.
    """

    def refuses(messages: Sequence[Mapping[str, Any]]) -> bool:
        budget.ask("looking for a message")
        try:
            tried(replace(call, messages=messages, continue_final=""))
        except TemplateStopped:
            raise
        except InputError as other:
            return isinstance(other, TemplateFailed) and other.refused and other.line == error.line
        return False

    try:
        with budget.within("looking for a message", SECONDS):
            count = len(call.messages)
            while count > 1 and refuses(call.messages[: count - 1]):
                count -= 1
            if count > 1:
                return count - 1
            others = ([{**call.messages[0], "role": role}] for role in ROLES)
            return None if all(map(refuses, others)) else 0
    except (budget.TooSlow, TemplateStopped):
        return None


def cut_off(steps: Sequence[Step], operands: Sequence[Operand], lost: str) -> tuple[int, int]:
    """The line that cuts a part off the value of a variable, and the line that set that value; zeros if none does."""
    start, known = lost.strip()[:20], dict[str, tuple[str, int]]()
    for step in steps:
        operand = operands[step.operand]
        if operand.kind != "set" or not isinstance(step.value, str):
            continue
        before, line = known.get(operand.name, ("", 0))
        if start in before and start not in step.value and step.value.strip() in before:
            return operand.line, line
        known[operand.name] = step.value, operand.line
    return 0, 0


def by_lines(cut: int, whole: int) -> str:
    """How a part was cut off, after what was cut, "" if unknown.

    >>> by_lines(5, 4)
    ': line 5 cuts it off the text that line 4 sets'
    """
    return Text(": line {0:i} cuts it off the text that line {1:i} sets", cut, whole) if cut else ""
