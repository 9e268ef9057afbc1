"""Where `transformers` and llama.cpp make different prompts of one call, why, and what is said about it.

A format that is no template is compared with the model's own template: both sides have other sources, so each names the
line that writes what differs, and no cause is looked for.

A cause is a rule of llama.cpp (`llama_cpp.rules`). It is proved: llama.cpp renders again without this rule alone, and
the difference is gone, or begins later. What the engine of one side refuses is named by that engine's own error.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple

from explorer.analysis.ownership import common
from explorer.engine import budget
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.findings import line_at
from explorer.prompts.formats import format_with
from explorer.prompts.llama_cpp.conversation import Capabilities, capabilities
from explorer.prompts.llama_cpp.formats import format_of, thinks
from explorer.prompts.llama_cpp.program import PRESERVE
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.messages import Call
from explorer.prompts.model_input import LLAMA_CPP, TRANSFORMERS, Prompt, as_call, rendered, template_of
from explorer.prompts.run import WORDS, Operand, Step, TemplateFailed
from explorer.tables import Json, Record
from explorer.text.say import Say, listed, paragraph, plain

SECONDS = 5.0
"""Seconds of the processor that looking for causes may take."""

MOST_EXTRA = 7
"""Tokens that only one engine may write in one place to be called its own."""

RULES = tuple(rule for rule in Rule if rule != Rule.ADDED)
"""The rules that change what a template writes."""

VARIABLES: Mapping[Rule, Callable[[str], Json]] = {
    Rule.THINKING: lambda source: {"enable_thinking": thinks(source)},
    Rule.PRESERVE: lambda source: PRESERVE,
}
"""The variables that llama.cpp sets by a rule for a template. A call that sets them is rendered the same by both."""


class Side(NamedTuple):
    """What one engine makes of a call: a prompt, or an error. line: the template's line of the error, 0 if unknown."""

    engine: str
    prompt: Prompt | None = None
    error: str = ""
    line: int = 0

    @property
    def ids(self) -> list[int]:
        """The ids, none where it fails."""
        return self.prompt.ids if self.prompt else []

    def line_of(self, token: int) -> int:
        """The line of its source that writes a token, 0 if unknown."""
        return line_at(self.prompt, self.prompt.tokens[token].start) if self.prompt and token < len(self.ids) else 0


class Difference(NamedTuple):
    """One difference and its cause.

    at: in the text of transformers. rules: of llama.cpp, which cause it together; none where the engine that fails
    names the cause itself, or where it isn't known. proved: without the rules it is gone, or the engine says it.
    failed: the side that fails there.
    """

    at: int
    rules: tuple[Rule, ...] = ()
    proved: bool = False
    failed: Side | None = None


class Decision(NamedTuple):
    """The last step that both engines take together, where it turns out differently. outcomes: transformers' first."""

    operand: Operand
    outcomes: tuple[Any, Any]


@dataclass(frozen=True)
class Engines:
    """One call rendered by both engines, or by a format and by the model's own template in its engine.

    differences: in the order of the text. token: the index of the first token that differs, None if the ids are equal.
    settings: variables with which both write the same, proved by rendering.
    """

    tokenizer: Opened
    call: Call
    transformers: Side
    llama_cpp: Side
    differences: tuple[Difference, ...] = ()
    token: int | None = None
    settings: Json = field(default_factory=dict)

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.transformers, self.llama_cpp

    @property
    def of_format(self) -> bool:
        """Whether the first side is a format."""
        return self.transformers.engine != TRANSFORMERS

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
        if self.same or self.is_added or self.of_format or one is None or other is None:
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
            if line := side.line_of(self.token):
                return line
        return 0


NOT_RUN = "not run"


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
                self.tokenizer,
                engine,
                self.source,
                call,
                self.special_tokens,
                now=self.now,
                without=frozenset(without),
            )
        except InputError as error:
            budget.ask("comparing two engines")  # the time of this run may be up because that of all is
            return Side(engine, None, str(error), error.line if isinstance(error, TemplateFailed) else 0)
        return Side(engine, replace(made, template=self.template))

    def compared(self, *, causes: bool = True) -> Engines:
        """The comparison. causes: whether to look for them, which takes some thirty times as long."""
        if form := format_with(self.source):
            own, causes = self.tokenizer.chat.named("", tools=bool(self.call.tools)), False
            tokens = dict(self.tokenizer.chat.special_tokens)
            beside = replace(self, source=own, special_tokens=tokens, template="", known=None)
            engine = LLAMA_CPP if self.tokenizer.implementation == LLAMA_CPP else TRANSFORMERS
            one, other = self.side(form.package), beside.side(engine)
        else:
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
                failed = next((side for side in (raw, one) if not side.prompt), None)
                # what no rule causes is named by the error of the side that fails
                yield Difference(at, possible) if possible else Difference(at, (), failed is not None, failed)
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

    def _settings(self, differences: tuple[Difference, ...]) -> Json:
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


def headline(found: Engines) -> Say:
    """Whether both write the same, else where they part."""
    if found.token is None:
        return _one_fails(found)
    return Say("At token {0} {1}", found.token + 1, _at_token(found, found.token))


def _one_fails(found: Engines) -> Say:
    if found.same:
        if not found.transformers.prompt:
            return Say("Neither engine renders this.")
        same_text = found.llama_cpp.prompt and found.transformers.prompt.text == found.llama_cpp.prompt.text
        return Say("Both write the same text." if same_text else "Both give the same ids.")
    fails, renders = found.sides if found.llama_cpp.prompt else found.sides[::-1]
    if fails.line:
        return Say("Only {0:t} renders this: {1:t} stops at line {2:i}.", renders.engine, fails.engine, fails.line)
    return Say("Only {0:t} renders this: {1:t} refuses it.", renders.engine, fails.engine)


def _at_token(found: Engines, token: int) -> Say:
    """What each engine has at the token where they part."""
    one, other = (side.prompt for side in found.sides)
    assert one
    assert other
    names = [side.engine for side in found.sides]
    for prompt, only, beside, (own, name) in (
        (one, found.extra[0], other, names),
        (other, found.extra[1], one, names[::-1]),
    ):
        if only:
            return Say("{0:t} writes {1:q}, {2:t} does not.", own, prompt.spelled(token, only), name)
        if token >= len(beside.ids) and not any(found.extra):
            return Say("{0:t} ends, {1:t} goes on with {2:q}.", name, own, prompt.spelled(token))
    return Say("{0:t} writes {1:q}, {2:t} {3:q}.", names[0], one.spelled(token), names[1], other.spelled(token))


def reason(found: Engines) -> Say:
    """The cause of the first difference, or why there is none."""
    if found.same:
        if found.transformers.prompt:
            return Say("{0} tokens, the same in both.", len(found.transformers.ids))
        return errors(found)
    if found.of_format:
        return _of_format(found)
    if not found.differences:
        return Say("The cause isn't known.")
    first = cause(found, found.differences[0])
    if found.decision and found.line:
        first = Say("{0} {1}", Say("They first differ at line {0:i}.", found.line), first)
    return first


def _of_format(found: Engines) -> Say:
    """Where a format and the model's template write what differs."""
    one, other = found.sides
    if found.token is None:
        return errors(found)
    if one.prompt and other.prompt and one.prompt.text == other.prompt.text:
        return Say("Both write the same text; {0:t} encodes it piece by piece, at its control tokens.", one.engine)
    wrote = [(side.engine, line) for side in found.sides if (line := side.line_of(found.token))]
    said = [Say("In {0:t}, line {1:i} writes what differs.", *each) for each in wrote]
    return paragraph(said)


def errors(found: Engines) -> Say:
    """What each engine says that fails."""
    said = [Say("{0:t} says: {1:t}", side.engine, side.error) for side in found.sides if not side.prompt]
    return paragraph(said)


def cause(found: Engines, difference: Difference) -> Say:
    """What causes a difference."""
    if difference.rules:
        said = [SENTENCES[rule](found) for rule in difference.rules]
        return paragraph(said)
    if difference.failed:
        return Say("{0:t} says: {1:t}", difference.failed.engine, difference.failed.error)
    return Say("The cause isn't known: no rule of llama.cpp that is followed here explains it.")


def proof(found: Engines, difference: Difference) -> Say:
    """How a cause is proved."""
    if not difference.proved and difference.rules:
        return Say("Possible, not proved: without this, llama.cpp fails.")
    if not difference.proved:
        return Say("Nothing proves a cause.")
    if not difference.rules:
        return Say("The engine says so itself.")
    if difference.rules == (Rule.ADDED,):
        return Say("Proved: without the tokens around it, llama.cpp reads the ids of the text alone.")
    this = "this" if len(difference.rules) == 1 else "these together"
    if len(found.differences) == 1:
        return Say("Proved: without {0:t}, llama.cpp does as transformers does.", this)
    return Say("Proved: without {0:t}, both agree further.", this)


def note(found: Engines) -> Say | None:
    """What llama-server does besides that this comparison of template engines leaves out, None for most calls."""
    last = found.call.messages[-1].get("role") if found.call.messages and not found.of_format else None
    if found.call.continue_final:
        return Say("The last message is compared as it is: each engine continues it in a way of its own.")
    if last != "assistant":
        return None
    return Say("llama-server would continue this answer, and not end it: what is compared is its template engine.")


def settings(found: Engines) -> Say | None:
    """With which variables both engines write the same; None if no variable makes them."""
    if not found.settings:
        return None
    assigned = ", ".join(f"{name} = {'true' if value else 'false'}" for name, value in found.settings.items())
    return Say("Both write the same with {0:q}.", assigned)


def _of_probes(found: Engines) -> Capabilities:
    side = found.llama_cpp.prompt or found.transformers.prompt
    return capabilities(side.rendering.source) if side else Capabilities()


def _preserve(found: Engines) -> Say:
    names = [f"{name} to {'true' if on else 'false'}" for name, on in PRESERVE.items() if name in _template(found)]
    return Say(
        "llama.cpp sets {0:t}, to keep earlier reasoning; transformers leaves it unset.", " and ".join(names) or "this"
    )


def _documents(found: Engines) -> Say:
    if found.call.documents:
        return Say("transformers hands the documents to the template, llama.cpp has no documents.")
    return Say("transformers sets {0:q} to none, llama.cpp leaves it unset.", "documents")


def _keys(found: Engines) -> Say:
    names = dict.fromkeys(key for message in found.call.messages for key in message if key not in WORDS["kept"])
    if not names:
        return Say("llama.cpp orders the keys of a message anew.")
    return Say("llama.cpp drops {0} from messages, transformers hands it to the template.", listed([*names]))


def _arguments(found: Engines) -> Say:
    if _of_probes(found).supports_object_arguments:
        return Say("A probe found that this template reads arguments as an object: llama.cpp makes one of them.")
    return Say("llama.cpp writes the arguments of a tool call as JSON, transformers hands them over as they are.")


def _typed(found: Engines) -> Say:
    caps = _of_probes(found)
    if not caps.supports_typed_content and caps.supports_string_content:
        return Say("Probes found that this template takes content only as text: llama.cpp joins its parts to one.")
    if caps.supports_typed_content and not caps.supports_string_content:
        return Say("Probes found that this template takes content only as parts: llama.cpp makes a part of each text.")
    return Say("llama.cpp keeps only type and text of each part of a content.")


def _added(found: Engines) -> Say:
    added = [found.tokenizer.vocabulary.spelling(id) for id in found.tokenizer.encode("").ids]
    return Say(
        "This tokenizer adds {0} to a text: llama.cpp has it once, whether the template writes it or not; transformers "
        "adds nothing to what the template writes.",
        listed(added),
    )


def _source(found: Engines) -> Say:
    if _template(found) in ("", "chatml"):
        return Say("The template is empty or a name: llama.cpp takes ChatML instead.")
    return Say("llama.cpp switches off a test of this template that refuses some messages.")


def _thinking(found: Engines) -> Say:
    return Say(
        "transformers leaves {0:q} unset, llama.cpp sets it to {1:t}: it {2:t} reasoning in what this template writes.",
        "enable_thinking",
        *(("true", "finds") if thinks(_template(found)) else ("false", "finds no")),
    )


def _template(found: Engines) -> str:
    return next(side.prompt.rendering.source for side in found.sides if side.prompt)


def _effort(found: Engines) -> Say:
    if found.call.reasoning_effort is not None:
        return Say("llama.cpp makes a variable of {0:q} at the top of the call, transformers doesn't.", EFFORT)
    return Say("llama.cpp hands {0:q} over as {1:q}, too.", EFFORT, "reasoning_strength")


EFFORT = "reasoning_effort"


def _recognized(found: Engines) -> Say:
    known = format_of(_template(found))
    return Say("llama.cpp recognizes the format {0:q}, and changes messages for it.", known.name if known else "")


def _always(template: str, *values: Any) -> Callable[[Engines], Say]:
    return lambda found: Say(template, *values)


SENTENCES: Mapping[Rule, Callable[[Engines], Say]] = {
    **{Rule(name): _always(*row) for name, row in WORDS["rules"].items()},
    Rule.SOURCE: _source,
    Rule.THINKING: _thinking,
    Rule.PRESERVE: _preserve,
    Rule.EFFORT: _effort,
    Rule.DOCUMENTS: _documents,
    Rule.READS: lambda found: Say("{0:t} transformers hands it to the template.", found.llama_cpp.error),
    Rule.KEYS: _keys,
    Rule.ARGUMENTS: _arguments,
    Rule.TYPED: _typed,
    Rule.RECOGNIZED: _recognized,
    Rule.ADDED: _added,
}


def lines(found: Engines) -> list[str]:
    """The comparison as lines of text."""
    said = [headline(found), reason(found), *(proof(found, difference) for difference in found.differences[:1])]
    said += [
        Say("Also: {0} {1}", cause(found, difference), proof(found, difference)) for difference in found.differences[1:]
    ]
    said += [each for each in (settings(found), note(found)) if each]
    return [plain(each) for each in said]


def engines_record(found: Engines) -> Record:
    """The comparison as data."""
    return {
        "same": found.same,
        "sentence": plain(headline(found)),
        "reason": plain(reason(found)),
        "token": found.token,
        "line": found.line or None,
        "sides": [
            {
                "engine": side.engine,
                "text": side.prompt.text if side.prompt else None,
                "ids": side.ids if side.prompt else None,
                "error": side.error or None,
                "line": side.line or None,
            }
            for side in found.sides
        ],
        "differences": [
            {
                "at": each.at,
                "rules": [rule.value for rule in each.rules],
                "engine": each.failed.engine if each.failed else None,
                "proved": each.proved,
                "sentence": plain(cause(found, each)),
            }
            for each in found.differences
        ],
        "settings": dict(found.settings),
        "note": plain(said) if (said := note(found)) else None,
        "capabilities": capabilities_of(found),
    }


def capabilities_of(found: Engines) -> dict[str, bool]:
    """What llama.cpp's probes found that the template can take, as its `/props` names it; none unless it parses."""
    if found.of_format:
        return {}
    try:
        caps = _of_probes(found)
    except TemplateFailed:
        return {}
    return {name: getattr(caps, name) for name in caps.__slots__}
