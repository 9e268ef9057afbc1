"""The stepper's script for a chat template: statement by statement, from what an engine recorded of its run.

Its source is drawn for Algorithm in rows that follow its tags, for Implementation verbatim. A row of Algorithm is a
line, or a part of one that holds several statements: many published templates are a single line. Rows that did nothing
in this run are folded where there are several. Lines are counted in the source; both kinds of rows name theirs.

One step per step of `prompts.run`. At most `MOST_STEPS` are drawn; one more then stands for the rest. A template that
failed ends in a step about that. Tokens are those of the whole prompt: a step writes those that begin in its text.
"""

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from explorer.prompts.layout import Block, Tag, layout
from explorer.prompts.messages import Call, Path
from explorer.prompts.rendering import Origin, Rendering
from explorer.prompts.run import Operand, Step, TemplateFailed, TemplateStopped
from explorer.script.script import TRACKS, Script, ScriptBuilder, kinds
from explorer.tables import Json, Record, read_toml
from explorer.text.say import Text, plural, visible_words

KINDS = kinds(
    (),
    """
message: loop
    look: info dot 44 landmark
    fields: message messages turn:t name:q of:q role:q line:i node:t
    say: {node}: turn {turn}, {name} is message {message}.
    log: line {line}: message {message} of {messages}
    why: Line {line} loops over {of}.
    story: Message {message} of {messages}.
    story_why: {name} is the {role} message now. Line {line} loops over {of}.

turn: loop
    look: info dot 44
    fields: turn:t name:q of:q line:i node:t
    say: {node}: turn {turn} of the loop over {of}.
    log: line {line}: turn {turn}
    story: The loop over {of} takes item {turn}.
    story_why: {name} is this item now.

no turn: loop
    look: miss dot 28
    fields: name:q of:q line:i node:t
    say: {node}: {of} has no items, so there is no turn.
    log: line {line}: no items
    story: Is there an item in {of}? No.
    story_why: The loop on line {line} does nothing.

yes: test
    look: push dot 61
    fields: test:q line:i then:t node:t
    say: {node}: {test} is true.
    log: line {line}: yes
    why: {then}
    story: Is {test} true? Yes.
    story_why: {then}

no: test
    look: miss dot 28
    fields: test:q line:i then:t node:t
    say: {node}: {test} is false.
    log: line {line}: no
    why: {then}
    story: Is {test} true? No.
    story_why: {then}

yes tools like yes
    story: Is there a list of tools? Yes.

no tools like no
    story: Is there a list of tools? No.

yes answer like yes
    story: Is an answer asked for? Yes.

no answer like no
    story: Is an answer asked for? No.

set text: set
    look: token dot 44
    fields: name:q text:q from:t line:i node:t
    say: {node}: {name} = {text}.
    log: line {line}: {name} = {text}
    why: {from}
    story: {name} is now {text}.
    story_why: {from}

set value: set
    look: token dot 44
    fields: name:q value:t line:i node:t
    say: {node}: {name} = {value}.
    log: line {line}: {name} = {value}
    story: {name} is now {value}.

call: macro
    look: info ring 44
    fields: name:q line:i node:t
    say: {node}: the macro {name} begins.
    log: line {line}: {name}
    story: The macro {name} begins.
    story_why: Its text goes into the prompt when the line that called it writes it.

write between: write
    look: merge dot 100
    fields: message before:q after:q how:t line:i node:t start:i end:i tokens:t
    say: {node}: characters {start} to {end} of the prompt, {tokens}.
    log: line {line}: message {message}, {tokens}
    why: {how}
    story: Message {message} goes between {before} and {after}.
    story_why: {how}

write after like write between
    fields: message before:q how:t line:i node:t start:i end:i tokens:t
    story: Message {message} goes after {before}.

write before like write between
    fields: message after:q how:t line:i node:t start:i end:i tokens:t
    story: Message {message} goes before {after}.

write message like write between
    fields: message how:t line:i node:t start:i end:i tokens:t
    story: Message {message} is written.

write text: write
    look: merge dot 72
    fields: text:q how:t line:i node:t start:i end:i tokens:t
    say: {node}: characters {start} to {end} of the prompt, {tokens}.
    log: line {line}: {text}
    why: {how}
    story: The template writes {text}.
    story_why: {how}

write nothing: write
    look: miss dot 28
    fields: line:i node:t
    say: {node}: an empty text.
    log: line {line}: nothing
    story: Line {line} writes an empty text.

keep: text
    look: token dot 44
    fields: text:q line:i node:t
    say: {node}: {text} goes into a buffer.
    log: line {line}: keeps {text}
    story: {text} is kept for later.
    story_why: It belongs to a macro or a block, whose text is not in the prompt yet.

more: not drawn
    look: stale diamond 100
    fields: more drawn tokens:t
    say: {more} more steps are not drawn; they write {tokens}.
    log: {more} more steps
    story: The template takes {more} more steps and writes {tokens}.
    story_why: The first {drawn} steps are drawn.

fails join: error
    look: stale diamond 100
    fields: left:t right:t engine:t words:q line:i
    say: Line {line} fails: {left} and {right} can't be joined.
    log: line {line} fails
    why: {engine} says: {words}.
    story: Line {line} fails: {left} and {right} can't be joined.
    story_why: {engine} says: {words}.

fails: error
    look: stale diamond 100
    fields: engine:t words:q line:i
    say: Line {line} fails.
    log: line {line} fails
    why: {engine} says: {words}.
    story: Line {line} fails.
    story_why: {engine} says: {words}.

fails somewhere like fails
    say: The template fails.
    log: fails
    story: The template fails.

refuses: refused
    look: stale diamond 100
    fields: words:q line:i
    say: raise_exception on line {line}: {words}.
    log: line {line} refuses
    why: The template checks the messages itself, and these are not what it takes.
    story: The template refuses: {words}.
    story_why: Line {line} checks the messages, and these are not what it takes.

stopped: stopped
    look: stale diamond 100
    fields: words:t line:i
    say: {words}
    log: stopped
    why: Nothing of it was kept. What it had written until then is shown.
    story: {words}
    story_why: Nothing of it was kept. What it had written until then is shown.
""",
)


MOST_STEPS = 2_000
"""Steps that are drawn."""
MOST_CELLS = 6_000
"""Tokens that are sent."""
LONGEST_SHOWN = 60
"""Characters of a text in a sentence or a row."""

STATEMENTS: Mapping[str, Mapping[str, str]] = read_toml(__file__, "statements.toml")
"""What the engines call the statements: nodes of jinja2, classes of `common/jinja/runtime.h`."""

FINE, HOT, FAULT, SHOWN = range(4)
"""How a row of the track `parts` is drawn: a part, the one that a message wrote, the one at fault, a value."""

NOW = -1
"""The key of what is at work, in the tracks `source`, `parts` and `grown`."""
FUTURE = -1
"""As the tokens of a turn: it isn't written yet."""


class PartRow(NamedTuple):
    """A row of the track `parts`: an expression, its value in words, its tokens, how it is drawn, what the value is."""

    expression: str
    value: str = ""
    first: int = 0
    last: int = 0
    look: int = SHOWN
    kind: str = ""


class Play(NamedTuple):
    """What a script is about.

    cells: the prompt's tokens as the page draws them (`views.prompt.tokens.Cell`), with their spans `s` and `e`. call:
    what was sent. failure: how the template ended without a prompt; `run` is then what it had done.
    """

    run: Rendering
    cells: Sequence[Json]
    call: Call
    engine: str
    failure: TemplateFailed | None = None

    @property
    def roles(self) -> list[str]:
        """The roles of the messages."""
        return [str(message.get("role")) for message in self.call.messages]

    def text_at(self, path: Path) -> str | None:
        """A text that was sent; None for what an engine made itself."""
        value: Any = {"messages": self.call.messages}
        for key in path:
            try:
                value = value[key]
            except (LookupError, TypeError):
                return None
        return value if isinstance(value, str) else None


def template_script(play: Play) -> Script:
    """The script of a run.

    >>> from explorer.prompts.rendering import render
    >>> call = Call([{"role": "user", "content": "Hi"}])
    >>> run = render("{% for m in messages %}{{ '<' + m.content + '>' }}{% endfor %}", call)
    >>> script = template_script(Play(run, [{"t": "<Hi>", "s": 0, "e": 4}], call, "transformers"))
    >>> script.told(2)["before"], script.told(2)["after"], script.told(2)["tokens"]
    ('<', '>', '1 token')
    """
    return _Writer(play).write()


def shown(text: str, most: int = LONGEST_SHOWN) -> str:
    """A text in a sentence: on one line, cut in the middle if it is long.

    >>> shown("a b\\n"), shown("abcdefgh", 5)
    ('a b↵', 'ab…gh')
    """
    half = most // 2
    return visible_words(text if len(text) <= most else f"{text[:half]}…{text[-half:]}")


def code(text: str, most: int = 90) -> str:
    """A part of a source on one line.

    >>> code("a\\n   + b")
    'a + b'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


class _Writer:
    """One pass over the steps."""

    def __init__(self, play: Play) -> None:
        self.play, self.run, self.roles = play, play.run, play.roles
        self.layout = layout(play.run.source)
        self.starts = [cell["s"] for cell in play.cells]
        self.origin_starts = [origin.start for origin in play.run.origins]
        self.drawn = self.run.steps[:MOST_STEPS]
        self.parts = 0
        """rows in the track `parts`"""
        self.phases: list[tuple[str, str, int]] = []
        """for each phase its label, the author of its tokens and the first step, counted from 1"""
        self.in_phase: list[int] = []
        """the phase of each step"""
        self.counts: dict[int, int] = {}
        """tokens of each phase"""
        self.wrote: list[tuple[int, int, int]] = []
        """the tokens that each step wrote: the first one, the one after the last, the step counted from 1"""
        failure = play.failure
        self.builder = ScriptBuilder.laid_out(
            "template",
            kinds=KINDS,
            tracks=(
                source_track(self.run, failure.line if failure else 0),
                TRACKS["parts"] | {"cells": [*play.cells[:MOST_CELLS]], **self._offer()},
                TRACKS["grown"] | {"wrote": self.wrote},
            ),
            roles=(("", "done"),),
            code=(),
        )

    def write(self) -> Script:
        """The finished script."""
        builder = self.builder
        self._find_phases()
        for phase in dict.fromkeys(self.in_phase[at] for at, step in enumerate(self.drawn) if step.start < step.end):
            self._put_phase(phase, FUTURE)
        builder.put("grown", NOW, 0, 0)
        if self.phases and self.phases[0][2] <= 1:
            builder.phase(self.phases[0][0])
        lines = self.run.source.count("\n") + 1
        rows = [PartRow(f"messages[{index}]", role) for index, role in enumerate(self.roles[:12])]
        self._put_rows("What the template gets", "", rows)
        builder.begin(
            "{messages}, and a template of {size}.",
            "Each step is one thing that the template does: a test, a turn of a loop, a text that it writes.",
            messages=plural(len(self.roles), "message"),
            size=plural(lines, "line"),
        )
        for index, step in enumerate(self.drawn):
            builder.event = index
            label, _, first = self.phases[self.in_phase[index]]
            if index and first == index + 1:
                builder.phase(label)
            self._step(index, step)
        self._end()
        return builder.script()

    def _offer(self) -> dict[str, int]:
        """The message that could be sent as text, where a template fails at its list of parts."""
        step = self.play.failure.step if self.play.failure is not None else None
        message = next((each.message for each in reversed(self.run.steps) if each.message is not None), None)
        if step is None or not step.parts or step.parts[-1].kind != "list" or message is None:
            return {}
        content = self.play.call.messages[message].get("content")
        has_text = isinstance(content, list) and any(isinstance(each, dict) and "text" in each for each in content)
        return {"offer": message} if has_text else {}

    # --- what a step is about ------------------------------------------------------------------------------------

    def _operand(self, step: Step) -> Operand:
        return self.run.operands[step.operand]

    def _source(self, operand: int) -> str:
        each = self.run.operands[operand]
        return self.run.source[each.start : each.end]

    def _tokens(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that begin in a stretch of the prompt."""
        first = bisect_left(self.starts, start)
        return first, max(first, bisect_left(self.starts, end))

    def _origins(self, start: int, end: int) -> list[Origin]:
        """Who wrote a stretch of the prompt."""
        first = max(0, bisect_left(self.origin_starts, start + 1) - 1)
        origins = self.run.origins[first : bisect_left(self.origin_starts, end)]
        return [origin for origin in origins if origin.end > start]

    def _node(self, operand: Operand, kind: str = "") -> str:
        kind = kind or operand.kind
        name = STATEMENTS[self.play.engine][kind]
        return f"{name} ({operand.node})" if kind == "write" and operand.node else name

    # --- phases: before the messages, each message, after them ---------------------------------------------------

    def _find_phases(self) -> None:
        """A phase begins where a loop that writes comes to another message, and where that loop is over."""
        writes = [self._operand(step).start for step in self.drawn if step.start < step.end]
        failure = self.play.failure  # where it failed counts as a write
        if failure is not None and failure.line:
            writes.append(self._operand(failure.step).start if failure.step else self._line_span(failure.line)[0])
        written = sorted(writes)
        macros = [block for block in self.layout.blocks if block.word == "macro"]
        beginnings = [block.start for block in macros]
        loops: dict[int, Block | None] = {}
        around: Block | None = None
        for index, step in enumerate(self.drawn, 1):
            operand = self._operand(step)
            macro = bisect_right(beginnings, operand.start) - 1
            called = operand.kind == "call" or (macro >= 0 and operand.start < macros[macro].end)
            inside = around is not None and (around.tag <= operand.start < around.after or called)
            if step.message is not None:
                block = loops.setdefault(step.operand, self._writing(operand, written))
                if block is not None and (not inside or block == around):
                    around, inside = block, True
                    self._add_phase(Text("Message {0}", step.message + 1), self._role(step.message), index)
            if around is not None and not inside:
                around = None
                self._add_phase("After", "template", index)
            if not self.phases:
                self._add_phase("Start", "template", index)
            if self.phases[-1][0] == "After" and "add_generation_prompt" in self._source(step.operand):
                self._add_phase("Answer", "template", index)
            self.in_phase.append(len(self.phases) - 1)
        if not self.phases:  # it is refused before its first statement
            self._add_phase("Start", "template", 1)
        self._name_start()

    def _writing(self, operand: Operand, written: Sequence[int]) -> Block | None:
        """The block of a loop, if something in it writes. written: where the operands begin that do."""
        block = self.layout.block_at(operand.start)
        if block is None or bisect_left(written, block.start) == bisect_left(written, block.end):
            return None
        return block

    def _name_start(self) -> None:
        """What is written before the loop may be a message's."""
        wrote = [step for step, phase in zip(self.drawn, self.in_phase, strict=True) if not phase and step.end > 0]
        if self.phases and self.phases[0][0] == "Start":
            stretches = (origin for step in wrote[:20] for origin in self._origins(step.start, step.end))
            writers = {origin.message for origin in stretches if origin.message is not None}
            if len(writers) == 1:
                role = self._role(writers.pop())
                self.phases[0] = (role.capitalize(), role, 1)

    def _role(self, message: int) -> str:
        return self.roles[message] if message < len(self.roles) else "message"

    def _add_phase(self, label: str, who: str, step: int) -> None:
        if self.phases and self.phases[-1][2] == step:
            self.phases.pop()
        self.phases.append((label, who, step))

    # --- one step ---------------------------------------------------------------------------------------------------

    def _step(self, index: int, step: Step) -> None:
        write = {"test": self._test, "set": self._set, "loop": self._loop, "call": self._call}
        operand = self._operand(step)
        write.get(operand.kind, self._write)(index, step, operand)

    def _at_work(self, index: int, step: Step, value: str, hot: tuple[int, int] = (0, 0)) -> None:
        """Marks the operand in the source, with what came of it. hot: the part of it that matters, in the source."""
        operand = self._operand(step)
        decided = [at for each in step.decided for at in (self.run.operands[each].start, self.run.operands[each].end)]
        self.builder.put("source", NOW, operand.start, operand.end, *hot, 0)
        self.builder.write("source", step.operand, value, index + 1, *decided)

    def _put_rows(self, head: str, about: str, rows: Sequence[PartRow]) -> None:
        """The rows of the track `parts`."""
        builder = self.builder
        if builder.start:
            builder.delete("parts", *range(len(rows), self.parts))
        for number, row in enumerate(rows):
            builder.write("parts", number, *row)
        builder.write("parts", NOW, head, about)
        self.parts = len(rows)

    def _say(self, index: int, step: Step, kind: str, value: str, does: str, row: PartRow, /, **fields: Any) -> None:
        """A step that adds nothing to the prompt. value: what is shown at its operand. does: what its line does."""
        operand = self._operand(step)
        self._at_work(index, step, value)
        self._put_rows(f"Line {operand.line} {does}", "", [row])
        self.builder.step(kind, line=operand.line, node=self._node(operand), **fields)

    def _phase_words(self, index: int) -> str:
        return self.phases[self.in_phase[index]][0].lower()

    def _test(self, index: int, step: Step, operand: Operand) -> None:
        yes = bool(step.value)
        source = self.run.source
        block = self.layout.block_at(operand.start)
        head = source[block.tag : operand.start] if block else ""
        if block and re.fullmatch(r"\{%[-+]?\s*(?:if|elif)\s*[(\s]*(?:not[(\s]+)*", head):
            # the whole test: an operand begins behind what opens before it, such as `not (`
            kind, then = "test", self._then(block, yes)
            tags = self.layout.tags
            end = tags[bisect_left(tags, block.tag, key=lambda tag: tag.start)].end
            expression = re.sub(r"^\{%[-+]?\s*(?:if|elif)\s*|\s*[-+]?%\}$", "", source[block.tag : end])
        else:
            kind, expression = "choice", source[operand.start : operand.end]
            then = "" if block and block.word == "for" else "It chooses one of two values."
        asked = {"tools": " tools", "add_generation_prompt": " answer"}.get(code(expression), "")
        word = "yes" if yes else f"no {expression}" if re.fullmatch("[a-z]+", expression) else "no"
        self._at_work(index, step, word)
        rows = [
            PartRow(code(self._source(part)), "yes" if _truth(operand.tree, part, yes) else "no")
            for part in step.decided
        ]
        self._put_rows(f"Line {operand.line} tests", self._phase_words(index),
                       rows or [PartRow(code(expression), "yes" if yes else "no")])  # fmt: skip
        if len(expression) > LONGEST_SHOWN and len(step.decided) == 1:
            expression = self._source(step.decided[0])
        test = self.builder.plain(code(expression, LONGEST_SHOWN))
        word = ("yes" if yes else "no") + asked
        self.builder.step(word, test=test, line=operand.line, then=then, node=self._node(operand, kind))

    def _then(self, block: Block, yes: bool) -> str:
        """What runs or is skipped after a test."""
        source = self.run.source
        inner = source[block.start : block.end]
        first = source.count("\n", 0, block.start) + 1 + (inner[:1] == "\n")
        last = source.count("\n", 0, block.end) + 1 - (not inner.rpartition("\n")[2].strip())
        if last < first or "\n" not in inner:
            return f"What stands inside {'runs' if yes else 'is skipped'}."
        if first == last:
            return f"Line {first} {'runs' if yes else 'is skipped'}."
        return f"Lines {first} to {last} {'run' if yes else 'are skipped'}."

    def _loop(self, index: int, step: Step, operand: Operand) -> None:
        name, over = code(operand.name), code(self._source(step.operand))
        fields = {"name": self.builder.plain(name), "of": self.builder.plain(over)}
        turn = f"{step.turn:,} of {step.items:,}" if step.items >= step.turn else f"{max(step.turn, 1):,}"
        if not step.turn:
            self._say(index, step, "no turn", "no items", "loops", PartRow(over, "empty"), **fields)
        elif step.message is None:
            self._say(index, step, "turn", turn, "loops", PartRow(name, f"item {turn}"), turn=turn, **fields)
        else:
            message, messages, role = step.message + 1, len(self.roles), self._role(step.message)
            row = PartRow(name, f"message {message}, {role}")
            fields |= {"message": message, "messages": messages}
            value = f"message {message} of {messages}"
            self._say(index, step, "message", value, "loops", row, turn=turn, role=role, **fields)

    def _call(self, index: int, step: Step, operand: Operand) -> None:
        row, name = PartRow(operand.name, "called"), self.builder.plain(operand.name)
        self._say(index, step, "call", "called", "is a macro", row, name=name)

    def _set(self, index: int, step: Step, operand: Operand) -> None:
        name = code(operand.name)
        kind, value = "set value", shown(_word(step.value))
        fields: Record = {"name": self.builder.plain(name), "value": value}
        if step.kind == "text":
            kind, value = "set text", shown(str(step.value))
            fields = {"name": fields["name"], "text": self.builder.plain(value), "from": self._came_from(step)}
        self._say(index, step, kind, shown(value, 20), "sets", PartRow(name, value), **fields)

    def _came_from(self, step: Step) -> str:
        """Where a text comes from that a variable is set to."""
        if step.path[:1] == ("messages",):
            return f"It comes from message {int(step.path[1]) + 1}."
        return f"It comes from {step.path[0]}." if step.path else ""

    # --- writes -----------------------------------------------------------------------------------------------------

    def _write(self, index: int, step: Step, operand: Operand) -> None:
        expression = code(self._source(step.operand))
        if step.start < 0:
            text = shown(str(step.value))
            row = PartRow(expression, text)
            self._say(index, step, "keep", "kept", "writes into a text", row, text=self.builder.plain(text))
            return
        if step.start == step.end:
            self._say(index, step, "write nothing", "nothing", "writes", PartRow(expression, "an empty text"))
            return
        first, last = self._tokens(step.start, step.end)
        tokens = plural(last - first, "token")
        rows, hot = self._parts(step)
        self._at_work(index, step, tokens, hot)
        does = f"joins {_number(len(rows))} parts" if len(rows) > 1 else "writes"
        self._put_rows(f"Line {operand.line} {does}", self._phase_words(index), rows)
        self._grow(index, first, last)
        kind, fields = self._sentence(step)
        node = self._node(operand)
        self.builder.step(kind, line=operand.line, node=node, start=step.start, end=step.end, tokens=tokens, **fields)

    def _grow(self, index: int, first: int, last: int) -> None:
        """The turn at work gets the tokens from `first` to `last`."""
        builder, phase = self.builder, self.in_phase[index]
        self.counts[phase] = self.counts.get(phase, 0) + last - first
        self._put_phase(phase, self.counts[phase])
        builder.put("grown", NOW, last, first)
        if first < last:
            self.wrote.append((first, last, len(builder.kind_of) + 1))

    def _put_phase(self, phase: int, tokens: int) -> None:
        """A phase in the track `grown`: a message by its role."""
        label, who, _ = self.phases[phase]
        self.builder.write("grown", phase, label.lower() if who == "template" else who, who_class(who), tokens)

    def _parts(self, step: Step) -> tuple[list[PartRow], tuple[int, int]]:
        """The rows of a write, and which part of the source a message filled."""
        if not step.parts:
            first, last = self._tokens(step.start, step.end)
            text = shown(self.run.text[step.start : step.end])
            expression = "text" if self._operand(step).kind == "data" else code(self._source(step.operand))
            return [PartRow(expression, text if first == last else "", first, last, FINE)], (0, 0)
        rows, hot, at = [], (0, 0), step.start
        for part in step.parts:
            end = at + part.length
            first, last = self._tokens(at, end)
            copied = any(origin.message is not None for origin in self._origins(at, end)) and part.length > 0
            operand = self.run.operands[part.operand]
            if copied:
                hot = operand.start, operand.end
            note = "" if last > first else "in the token before" if part.length else "empty"
            rows.append(PartRow(code(self._source(part.operand), 40), note, first, last, HOT if copied else FINE))
            at = end
        return rows, hot

    def _sentence(self, step: Step) -> tuple[str, Record]:
        """The kind of a write, and what its sentence is told: the text of one message with what stands around it."""
        builder, text = self.builder, self.run.text
        origins = self._origins(step.start, step.end)
        copied = [origin for origin in origins if origin.message is not None]
        if not copied or len({(origin.message, origin.path) for origin in copied}) > 1:
            return "write text", {"text": builder.plain(shown(text[step.start : step.end])), "how": self._how(origins)}
        start, end = max(copied[0].start, step.start), min(copied[-1].end, step.end)
        sides = {"before": text[step.start : start], "after": text[end : step.end]}
        told: Record = {side: builder.plain(shown(words, 36)) for side, words in sides.items() if words}
        kinds = {(): "message", ("before",): "after", ("after",): "before"}
        kind = f"write {kinds.get(tuple(told), 'between')}"
        return kind, told | {"message": (copied[0].message or 0) + 1, "how": self._copied(copied, step)}

    def _how(self, origins: Sequence[Origin]) -> str:
        """Where a text comes from that no message's content alone gives."""
        messages = sorted({origin.message + 1 for origin in origins if origin.message is not None})
        if messages:
            which = f"message {messages[0]}" if len(messages) == 1 else "several messages"
            return f"It holds parts of {which}."
        names = sorted({str(origin.path[0]) for origin in origins if origin.path} - {"messages"})
        if names:
            return f"It holds {' and '.join(names)}."
        computed = any(origin.offset < 0 for origin in origins)
        return "It is computed from other values." if computed else "It is the template's own text."

    def _copied(self, copied: Sequence[Origin], step: Step) -> str:
        """How the text of a message was put in."""
        first, last = self._tokens(step.start, step.end)
        spans = [(origin.start, origin.end) for origin in copied]
        control = any(
            cell.get("control") and any(start <= cell["s"] and cell["e"] <= end for start, end in spans)
            for cell in self.play.cells[first:last]
        )
        sent = self.play.text_at(copied[0].path)
        written = self.run.text[max(copied[0].start, step.start) : min(copied[-1].end, step.end)]
        if sent is not None and written != sent:
            if written not in sent:
                return "It is put in with changes."
            return f"{len(written):,} of its {plural(len(sent), 'character')} are put in."
        if control:
            return "Its text is put in as it is. Nothing says that the control tokens in it are only text."
        return "It is put in as it is."

    # --- the end ----------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        """The step after the last one: what isn't drawn, or how the template failed."""
        builder, failure, steps = self.builder, self.play.failure, len(self.run.steps)
        builder.event = max(0, steps - 1)
        if steps > len(self.drawn):
            written = next((step.end for step in reversed(self.drawn) if step.end >= 0), 0)
            first, last = self._tokens(written, len(self.run.text) + 1)
            self._put_rows("Not drawn", "", [])
            self._grow(len(self.drawn) - 1, first, last)
            builder.step(
                "more", more=steps - len(self.drawn), drawn=len(self.drawn), tokens=plural(last - first, "token")
            )
        if failure is not None:
            self._fail(failure)

    def _fail(self, failure: TemplateFailed) -> None:
        builder, line = self.builder, failure.line
        step = failure.step
        if step is not None:
            operand, part = self._operand(step), self.run.operands[step.parts[-1].operand] if step.parts else None
            hot = (part.start, part.end) if part else (0, 0)
            builder.put("source", NOW, operand.start, operand.end, *hot, 1)
        elif line:
            start, end = self._line_span(line)
            builder.put("source", NOW, start, end, 0, 0, 1)
        parts = step.parts if step is not None else ()
        rows = [
            PartRow(
                code(self._source(part.operand), 40),
                shown(part.value) if isinstance(part.value, str) else _word(part.value),
                look=FAULT if part is parts[-1] else SHOWN,
                kind=part.kind,
            )
            for part in parts
        ]
        where = self.phases[-1][0].lower() if self.phases else ""
        self._put_rows(f"Line {line} joins these parts" if rows else f"Line {line} stops it", where, rows)
        builder.mark("source", NOW, 0)
        told: Record = {"words": builder.plain(shown(failure.words, 200)), "line": line, "engine": self.play.engine}
        if isinstance(failure, TemplateStopped):
            builder.step("stopped", words=failure.words, line=line)
        elif failure.refused:
            builder.step("refuses", words=told["words"], line=line)
        elif step is not None and len(kinds := [part.kind for part in step.parts]) > 1 and kinds[-1] != kinds[-2]:
            left, right = (_with_article(kind) for kind in kinds[-2:])
            builder.step("fails join", left=left, right=right, **told)
        else:
            builder.step("fails" if line else "fails somewhere", **told)

    def _line_span(self, line: int) -> tuple[int, int]:
        """A line in the source, without the white space around it."""
        lines = self.run.source.split("\n")
        if line > len(lines):
            return 0, 0
        start = sum(len(each) + 1 for each in lines[: line - 1])
        text = lines[line - 1]
        return start + len(text) - len(text.lstrip()), start + len(text.rstrip())


def who_class(role: str) -> str:
    """The class of an author's colors, as the page's tokens have it.

    >>> who_class("developer"), who_class("critic"), who_class("template")
    ('system', 'other', 'template')
    """
    known = ("system", "user", "assistant", "tool", "template")
    return "system" if role == "developer" else role if role in known else "other"


def _truth(tree: Any, part: int, outcome: bool) -> bool | None:
    """The outcome of a part that decided a test with this outcome."""
    if not isinstance(tree, tuple):
        return outcome if tree == part else None
    operator, *rest = tree
    found = [_truth(each, part, outcome != (operator == "not")) for each in rest]
    return next((each for each in found if each is not None), None)


def _word(value: Any) -> str:
    """A value in words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "nothing" if value is None else shown(str(value))


def _with_article(kind: str) -> str:
    if kind in ("none", "undefined", "true or false"):
        return kind
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


NUMBERS = "no one two three four five six seven eight nine ten".split()


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else f"{count:,}"


MOST_ROWS = 2_000
"""Rows of each kind that are sent."""
FURTHEST = 20_000
"""Rows that are looked at."""
LONGEST_ROW = 6_000
"""Characters of a row that are sent."""
PREVIEW = 44
"""Characters of what folded rows would write."""
CROWDED = 100
"""Characters of a line from which it is cut at each of its statements."""

DID, IDLE, NEUTRAL = "did", "idle", ""
"""What a row is: it did something, it could have, or there is nothing in it that does."""


class Row(NamedTuple):
    """A row. line: counted from 1. start, end: in the source. depth: how many blocks it stands in.

    state: DID, IDLE or NEUTRAL.
    """

    line: int
    start: int
    end: int
    depth: int
    state: str = NEUTRAL


def acting(run: Rendering) -> dict[int, bool]:
    """The operands that do something by themselves, and whether they did in this run."""
    ran = {step.operand for step in run.steps} | {each.operand for each in run.origins if each.operand >= 0}
    return {index: index in ran for index, each in enumerate(run.operands) if each.kind not in ("part", "literal")}


def lines_that_ran(run: Rendering) -> set[int]:
    """The lines of the template that did something, counted from 1."""
    found: set[int] = set()
    for index, did in acting(run).items():
        if did:
            operand = run.operands[index]
            inside = run.source.count("\n", operand.start, operand.end) if operand.kind != "data" else 0
            found |= set(range(operand.line, operand.line + inside + 1))
    return found


def rows_of(run: Rendering, failed: int = 0) -> list[Row]:
    """The rows of Algorithm, none folded yet. failed: the line at which the template stopped, 0 for none."""
    made = layout(run.source)
    starts, ends = [tag.start for tag in made.tags], [tag.end for tag in made.tags]
    found: list[Row] = []
    at = 0
    for number, text in enumerate(made.source.split("\n"), 1):
        if inner := text.strip():
            start = at + text.index(inner)
            end = start + len(inner)
            # the tags that begin in the line, and the one that reaches into it
            tags = made.tags[bisect_right(ends, start) : bisect_left(starts, end)]
            found += _pieces(made.source, Row(number, start, end, tags[0].depth if tags else 0), tags)
        at += len(text) + 1
        if len(found) > FURTHEST:
            break
    return _with_states(found, run, failed)


def _pieces(source: str, row: Row, tags: Sequence[Tag]) -> list[Row]:
    """A line, cut at its statements if there are several and it is long. tags: those in it."""
    statements = [tag for tag in tags if tag.kind == "statement"]
    if len(statements) < 2 or row.end - row.start < CROWDED:
        return [row]
    # a statement is a row of its own, what stands between two is one
    inner = {at for tag in statements for at in (tag.start, tag.end) if row.start < at < row.end}
    pieces, depths = [], iter(tags)
    tag = next(depths)
    for start, end in pairwise([row.start, *sorted(inner), row.end]):
        text = source[start:end]
        while tag.end <= start and (following := next(depths, None)):
            tag = following
        if text.strip():
            pieces.append(Row(row.line, start + len(text) - len(text.lstrip()), end, tag.depth))
    return pieces


def _with_states(rows: Sequence[Row], run: Rendering, failed: int) -> list[Row]:
    """Rows with what they did."""
    spans = sorted((run.operands[index].start, run.operands[index].end, did) for index, did in acting(run).items())
    waiting = deque(span for span in spans if span[0] < span[1])
    active: list[tuple[int, int, bool]] = []
    found = []
    for row in rows:
        while waiting and waiting[0][0] < row.end:
            active.append(waiting.popleft())
        active = [span for span in active if span[1] > row.start]
        inside = [did for start, _, did in active if start < row.end]
        state = DID if any(inside) or row.line == failed else IDLE if inside else NEUTRAL
        found.append(row._replace(state=state))
    return found


def folded(rows: Sequence[Row]) -> list[Row | list[Row]]:
    """Rows, and lists of those that are folded: two or more together, one of which could have done something."""
    found: list[Row | list[Row]] = []
    for did, group in groupby(rows, lambda row: row.state == DID):
        together = list(group)
        # the ends of blocks before the first idle row belong to what ran
        first = next((index for index, row in enumerate(together) if row.state == IDLE), len(together))
        if did or len(together) - first < 2:
            found += together
        else:
            found += [*together[:first], together[first:]]
    return found


def source_track(run: Rendering, failed: int) -> dict[str, Any]:
    """The track of the source. Its rows: [line, last line, start, depth, text, folded], the last as words or ""."""
    rows: list[list[Any]] = []
    texts = _texts(run)
    reached = max((run.operands[step.operand].line for step in run.steps), default=0) if failed else 0
    for each in folded(rows_of(run, failed))[:MOST_ROWS]:
        if isinstance(each, Row):
            rows.append([each.line, each.line, each.start, each.depth, _text(run.source, each.start, each.end), ""])
            continue
        first, last = each[0], each[-1]
        says = (
            "not reached"
            if failed and first.line > max(failed, reached)
            else _would(run.source, texts, first.start, last.end)
        )
        rows.append([first.line, last.line, first.start, first.depth, "", says])
    lines, at = [], 0
    for number, text in enumerate(run.source.split("\n")[:MOST_ROWS], 1):
        lines.append([number, number, at, 0, text[:LONGEST_ROW], ""])
        at += len(text) + 1
    return TRACKS["template"] | {
        "brief": rows,
        "lines": lines,
        "count": run.source.count("\n") + 1,
        "cut": [list(each) for each in layout(run.source).cut],
        "places": {str(index): [run.operands[index].start, run.operands[index].end]
                   for index in dict.fromkeys(step.operand for step in run.steps)},
    }  # fmt: skip


def _texts(run: Rendering) -> list[tuple[int, int]]:
    """Where the texts stand that the template can write: [start, end), sorted."""
    writes = sorted((each.start, each.end) for each in run.operands if each.kind == "write")
    found = []
    for each in run.operands:
        around = bisect_right(writes, (each.start, len(run.source))) - 1
        written = around >= 0 and each.start < writes[around][1] and run.source[each.start - 1] != "["
        if each.kind == "data" or (each.kind == "literal" and written):
            found.append((each.start, each.end))
    return sorted(found)


def _would(source: str, texts: Sequence[tuple[int, int]], start: int, end: int) -> str:
    """What folded rows would do: write their first text, if they have one. texts: [start, end), sorted."""
    first = bisect_left(texts, (start, 0))
    for at, stop in texts[first : first + 20]:
        words = " ".join(source[at : min(stop, at + LONGEST_ROW)].split())
        if at < end and any(map(str.isalnum, words)):
            return f"would write {words if len(words) <= PREVIEW else words[: PREVIEW - 1] + '…'}"
    return "skipped"


def _text(source: str, start: int, end: int) -> str:
    return source[start : min(end, start + LONGEST_ROW)]
