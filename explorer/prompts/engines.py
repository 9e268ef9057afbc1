"""Where `transformers` and llama.cpp make different prompts of one call, and why.

A cause is a rule of llama.cpp (`llama_cpp.rules`). It is proved: llama.cpp renders again without this rule alone, and
the difference is gone, or begins later. What the engine of one side refuses is named by that engine's own error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from explorer.engine import budget
from explorer.errors import InputError
from explorer.prompts.llama_cpp.program import PRESERVE
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.thinking import thinks
from explorer.prompts.messages import Call
from explorer.prompts.prompt import LLAMA_CPP, TRANSFORMERS, Prompt, as_call, rendered, template_of
from explorer.prompts.run import Operand, Step, TemplateFailed
from explorer.prompts.turns import common

if TYPE_CHECKING:
    from explorer.implementations.opened import Opened

SECONDS: Final = 5.0
"""Seconds of the processor that looking for causes may take."""

MOST_EXTRA: Final = 7
"""Tokens that only one engine may write in one place to be called its own."""

RULES: Final = tuple(rule for rule in Rule if rule != Rule.ADDED)
"""The rules that change what a template writes."""

VARIABLES: Final[Mapping[Rule, Callable[[str], Mapping[str, Any]]]] = {
    Rule.THINKING: lambda source: {"enable_thinking": thinks(source)},
    Rule.PRESERVE: lambda source: PRESERVE,
}
"""The variables that llama.cpp sets by a rule for a template. A call that sets them is rendered the same by both."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one engine makes of a call: a prompt, or an error. line: the template's line of the error, 0 if unknown."""

    engine: str
    prompt: Prompt | None = None
    error: str = ""
    line: int = 0

    @property
    def ids(self) -> list[int]:
        """The ids, none where it fails."""
        return self.prompt.ids if self.prompt else []


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference and its cause.

    at: in the text of transformers. rules: of llama.cpp, which cause it together; none where the engine that fails
    names the cause itself, or where it isn't known. proved: without the rules it is gone, or the engine says it.
    failed: the side that fails there.
    """

    at: int
    rules: tuple[Rule, ...] = ()
    proved: bool = False
    failed: Side | None = None

    @property
    def is_named(self) -> bool:
        """Whether the cause is known."""
        return bool(self.rules) or self.failed is not None


@dataclass(frozen=True, slots=True)
class Decision:
    """The last step that both engines take together, where it turns out differently. outcomes: transformers' first."""

    operand: Operand
    outcomes: tuple[Any, Any]


@dataclass(frozen=True)
class Engines:
    """One call rendered by both engines.

    differences: in the order of the text. token: the index of the first token that differs, None if the ids are equal.
    settings: variables with which both write the same, proved by rendering.
    """

    tokenizer: Opened
    call: Call
    transformers: Side
    llama_cpp: Side
    differences: tuple[Difference, ...] = ()
    token: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both."""
        return self.transformers, self.llama_cpp

    @property
    def same(self) -> bool:
        """Whether a model reads the same; two errors are the same, too."""
        return self.token is None and (self.transformers.prompt is None) == (self.llama_cpp.prompt is None)

    @cached_property
    def extra(self) -> tuple[int, int]:
        """How many tokens only each side has where they part, and then both go on alike; 0 and 0 if they don't soon."""
        if self.token is None:
            return 0, 0
        one, other = (side.ids[self.token :] for side in self.sides)
        for count in range(1, MOST_EXTRA + 1):
            if one[count : count + 2] == other[:2] and len(one) >= count and (other or len(one) == count):
                return count, 0
            if other[count : count + 2] == one[:2] and len(other) >= count and (one or len(other) == count):
                return 0, count
        return 0, 0

    @cached_property
    def decision(self) -> Decision | None:
        """Where the template takes another branch, writes something else, or does what it does for one engine only."""
        one, other = (side.prompt.rendering if side.prompt else None for side in self.sides)
        if self.same or self.is_added or one is None or other is None:
            return None
        for step, beside in zip_longest(one.steps, other.steps):
            operand = one.operands[step.operand] if step else None
            second = other.operands[beside.operand] if beside else None
            if operand is None or second is None or (operand.kind, operand.line) != (second.kind, second.line):
                # of two different steps the one that is earlier in the source is what one engine leaves out
                only = min((each for each in (operand, second) if each), key=lambda each: each.start)
                return Decision(only, (_did(step, operand, only), _did(beside, second, only)))
            outcomes = _outcome(operand, step), _outcome(operand, beside)
            if outcomes[0] != outcomes[1]:
                return Decision(operand, outcomes)
        return None

    @property
    def is_added(self) -> bool:
        """Whether they part first at a token that no template wrote."""
        return bool(self.differences) and self.differences[0].rules == (Rule.ADDED,)

    @property
    def line(self) -> int:
        """The template's line where they part, 0 if unknown."""
        if self.decision:
            return self.decision.operand.line
        failed = next((side for side in self.sides if not side.prompt), None)
        if failed or self.token is None or self.is_added:
            return failed.line if failed else 0
        for side in self.sides:
            if side.prompt and self.token < len(side.ids):
                token = side.prompt.tokens[self.token]
                rendering = side.prompt.rendering
                found = [each.operand for each in rendering.steps if each.start <= token.start < each.end]
                found += [each.operand for each in token.origins if each.operand >= 0]
                if found:
                    return rendering.operands[found[0]].line
        return 0


NOT_RUN: Final = "not run"


def _did(step: Step | None, operand: Operand | None, only: Operand) -> Any:
    return _outcome(only, step) if step and operand is only else NOT_RUN


def _outcome(operand: Operand, step: Step) -> Any:
    """What can part the engines at a step: a test's outcome, what is written, whether a loop turns."""
    if operand.kind == "test":
        return bool(step.value)
    return step.value if operand.kind == "write" else bool(step.turn) if operand.kind == "loop" else None


def compare_engines(
    tokenizer: Opened,
    messages: Any,
    template: str = "",
    *,
    source: str | None = None,
    now: datetime | None = None,
    **changes: Any,
) -> Engines:
    """What both engines make of messages, and why they part. Arguments as in `prompt`.

    Raises InputError if there is no such template. What a template raises is part of the answer.

    >>> import explorer
    >>> found = compare_engines(explorer.load("qwen2.5"), [{"role": "user", "content": "Hi"}],
    ...     source="{{ messages[0].content }}{% if enable_thinking %}<think>{% endif %}")
    >>> found.same, found.token, found.line, [rule.value for rule in found.differences[0].rules]
    (False, 1, 1, ['enable_thinking'])
    """
    call = as_call(messages, **changes)
    source, tokens = template_of(tokenizer, call, template, source)
    return Comparer(tokenizer, source, call, tokens, now or datetime.now(), template).compared()


@dataclass(frozen=True)
class Comparer:
    """Renders one call, again and again. known: a prompt of it that is already made.

    A last message that is to be continued is rendered as it is: each engine has a way of its own to continue it.
    """

    tokenizer: Opened
    source: str
    call: Call
    special_tokens: Mapping[str, str]
    now: datetime
    template: str = ""
    known: Prompt | None = None

    def side(self, engine: str, call: Call | None = None, without: frozenset[Rule] = frozenset()) -> Side:
        """What an engine makes of the call, or of another one."""
        budget.ask("comparing two engines")
        known = self.known
        call = call or self.call
        if call.continue_final:
            call, known = replace(call, continue_final="", add_generation_prompt=False), None
        if known and known.engine == engine and not known.marks and call is self.call and not without:
            return Side(engine, known)
        try:
            made = rendered(
                *(self.tokenizer, engine, self.source, call, self.special_tokens),
                now=self.now,
                without=frozenset(without),
            )
        except InputError as error:
            budget.ask("comparing two engines")  # the time of this run may be up because that of all is
            return Side(engine, None, str(error), error.line if isinstance(error, TemplateFailed) else 0)
        return Side(engine, replace(made, template=self.template))

    def compared(self, *, causes: bool = True) -> Engines:
        """The comparison. causes: whether to look for them, which takes some thirty times as long."""
        one, other = self.side(TRANSFORMERS), self.side(LLAMA_CPP)
        found = Engines(self.tokenizer, self.call, one, other)
        if not one.prompt and not other.prompt:
            return found
        if one.prompt and other.prompt:
            if one.ids == other.ids:
                return found
            found = replace(found, token=common(one.ids, other.ids))
        if not causes:
            return found
        try:
            with budget.within("comparing two engines", SECONDS):
                differences = tuple(self._differences(one, other))
                return replace(found, differences=differences, settings=self._settings(differences))
        except budget.TooSlow:
            return replace(found, differences=(Difference(0),))

    def _differences(self, one: Side, other: Side) -> Iterator[Difference]:
        """The differences, each with its cause."""
        raw = self.side(LLAMA_CPP, without=frozenset({Rule.ADDED}))
        if _reached(one, raw) is not None:
            yield from self._causes(one, raw)
        if other.prompt and raw.prompt and other.ids != raw.ids:
            begins = other.ids[:1] != raw.ids[:1]
            yield Difference(0 if begins else len(raw.prompt.text), (Rule.ADDED,), proved=True)

    def _causes(self, one: Side, raw: Side) -> Iterator[Difference]:
        """Rules that are left out one after the other until llama.cpp writes what transformers writes."""
        gone: frozenset[Rule] = frozenset({Rule.ADDED})
        while (at := _reached(one, raw)) is not None:
            effects: dict[Rule, Side] = {}
            for rule in RULES:
                if rule not in gone:
                    effects[rule] = self.side(LLAMA_CPP, without=gone | {rule})
                    if _reached(one, effects[rule]) is None:
                        break
            best = max(effects, key=lambda rule: _progress(one, effects[rule]))
            rules: tuple[Rule, ...] = (best,)
            if _progress(one, effects[best]) <= _progress(one, raw):
                rules = self._together(one, raw, gone)
            if not rules:
                # without a possible cause the engine needs what it lacks: nothing proves it
                possible = tuple(rule for rule, side in effects.items() if raw.prompt and not side.prompt)
                yield Difference(at, possible) if possible else self._unexplained(at, one, raw)
                return
            gone = gone.union(rules)
            raw = self.side(LLAMA_CPP, without=gone)
            yield Difference(at, rules, proved=True)

    def _together(self, one: Side, raw: Side, gone: frozenset[Rule]) -> tuple[Rule, ...]:
        """The fewest rules that cause a difference only together; none if all rules don't."""
        needed = [rule for rule in RULES if rule not in gone]
        before = _progress(one, raw)
        # without a rule the engine may need what it lacks, and fail: then all but that one are left out
        tried = (needed, *([each for each in needed if each != rule] for rule in needed))
        helps = (each for each in tried if _progress(one, self.side(LLAMA_CPP, without=gone.union(each))) > before)
        needed = next(helps, [])
        for rule in tuple(needed):
            fewer = [each for each in needed if each != rule]
            if _progress(one, self.side(LLAMA_CPP, without=gone.union(fewer))) > before:
                needed = fewer
        return tuple(needed)

    def _unexplained(self, at: int, one: Side, raw: Side) -> Difference:
        """A difference that no rule causes: named by the error of the side that fails."""
        failed = next((side for side in (raw, one) if not side.prompt), None)
        return Difference(at, (), failed is not None, failed)

    def _settings(self, differences: tuple[Difference, ...]) -> Mapping[str, Any]:
        """Variables with which both engines write the same."""
        rules = {rule for each in differences for rule in each.rules}
        if not rules or not rules <= VARIABLES.keys():
            return {}
        given = {name: value for rule in rules for name, value in VARIABLES[rule](self.source).items()}
        names = {name: value for name, value in given.items() if name in self.source}
        call = replace(self.call, variables={**self.call.variables, **names})
        one, other = self.side(TRANSFORMERS, call), self.side(LLAMA_CPP, call)
        return names if one.prompt and other.prompt and one.ids == other.ids else {}


def _reached(one: Side, other: Side) -> int | None:
    """Where two sides part in their texts, None if they don't; 0 where only one fails, or both in different lines."""
    if not one.prompt or not other.prompt:
        return None if one.prompt is other.prompt and one.line == other.line else 0
    if one.prompt.text == other.prompt.text:
        return None
    return common(one.prompt.text, other.prompt.text)


def _progress(one: Side, other: Side) -> float:
    """How far two sides agree: the larger, the better."""
    at = _reached(one, other)
    return float("inf") if at is None else at if one.prompt and other.prompt else -1
