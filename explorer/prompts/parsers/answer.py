"""An answer beside the parsers of its format: what the model wrote, the message each makes, why a call was lost.

A region is read as the format says, whoever parses it. A call that a parser lost has a cause that was tried: the answer
with one change that brings the call back with this parser.
"""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import regex

from explorer.engine import budget
from explorer.errors import InputError
from explorer.prompts import left_out
from explorer.prompts.parsers.message import THINK, UNTHINK, Message, Names, ToolCall
from explorer.prompts.parsers.reading import DECODER, TABLE, Format, formats, read, sent
from explorer.prompts.parsers.reasoning import split
from explorer.prompts.parsers.response_template import Reader, ResponseTemplate
from explorer.prompts.requests import value_at
from explorer.tables import Json, Record
from explorer.text.say import Say, plain

LONGEST = 50_000
"""Characters of an answer."""
MOST_CALLS = 100
"""Calls of an answer; what follows them is content."""
MOST_LOSSES = 20
"""Losses for which a cause is looked for."""
SECONDS = 3.0
"""Processor time for all parsers of an answer; for its causes and for what streams, as much again each."""
CALLS = ("call", "broken")
TRANSFORMERS = "transformers"


class Region(NamedTuple):
    """A part of an answer: "reasoning", "content", "call" or "broken", [start, end) in characters.

    name: of the call, "" if unknown. inner: where its JSON starts. at: where it breaks. fault: what is wrong there.
    """

    kind: str
    start: int
    end: int
    name: str = ""
    inner: int = 0
    at: int = 0
    fault: Say | None = None


class Loss(NamedTuple):
    """A call that a parser lost. call: its number from 0. why: the cause. text: an answer that keeps it, or ""."""

    parser: str
    call: int
    why: Say
    text: str


def regions(format: Format, text: str, *, thinks: bool = False) -> list[Region]:
    """The parts of an answer, in order. thinks: whether the prompt has opened its reasoning."""
    at = 0 if format.reasoning else split("written", text, tag="", thinks=thinks)[1]
    parts = [Region("reasoning", 0, at)] if at else []
    opens = regex.compile(format.open)
    while len(parts) < 2 * MOST_CALLS and (match := opens.search(text, at)):
        budget.ask("the answer")
        parts += around(format, text, at, match.start())
        parts.append(call_region(format, text, match, opens))
        at = max(parts[-1].end, match.end())
    return [*parts, *around(format, text, at, len(text))]


def around(format: Format, text: str, at: int, end: int) -> Iterator[Region]:
    """What stands beside calls: content, and reasoning that the format marks."""
    for match in regex.finditer(format.reasoning, text, pos=at, endpos=end) if format.reasoning else ():
        if match.start() > at:
            yield Region("content", at, match.start())
        at = match.end()
        yield Region("reasoning", match.start(), at)
    if at < end:
        yield Region("content", at, end)


def call_region(format: Format, text: str, match: Any, opens: Any) -> Region:
    """The call that begins at a match, and what is wrong with it."""
    start, inner = match.span()
    name = (match.groupdict().get("name") or "").strip()
    at, fault = inner, None
    try:
        if format.python:
            ends = regex.compile(format.python, regex.DOTALL).match(text, inner)
            at = ends.end() if ends else len(text)
            name = ast.unparse(ast.parse(text[inner:at], mode="eval").body.func)  # type: ignore[attr-defined]
        else:
            value, at = DECODER.raw_decode(text, inner)
            name = name or value["name"]
    except json.JSONDecodeError as error:
        at = len(text[: error.pos].rstrip())
        fault = Say("{0:t}: character {1} of the call", error.msg, at - inner)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        fault = Say("It is no call in Python")
    except (TypeError, KeyError):
        fault = Say("It is no object with a name")
    close = regex.compile(format.close).match(text, at)
    if fault is None and close:
        return Region("call", start, close.end(), str(name), inner)
    later = opens.search(text, inner + 1)  # an opening may be empty
    most = later.start() if later else len(text)
    close = regex.compile(format.close).search(text, at, most) if format.close else None
    if fault is None:
        fault = Say("Nothing closes it") if close is None else Say("Something follows its JSON before it is closed")
    known = regex.search(r'"name"\s*:\s*"([^"]*)"', text[inner:most])
    return Region(
        "broken", start, close.end() if close else most, name or (known[1] if known else ""), inner, at, fault
    )


@dataclass(frozen=True)
class Answer:
    """What a model wrote, with a format.

    names: the tools of its request. template: a response template, if any. prefix: the prompt. refusal: why the model's
    own response template can't be run. source: the response template, as its file has it.
    """

    text: str
    format: Format
    names: Names
    template: ResponseTemplate | None = None
    prefix: str = ""
    refusal: str = ""
    source: Any = None

    @cached_property
    def regions(self) -> list[Region]:
        """The parts that the model wrote."""
        with budget.within("the parts of an answer", SECONDS):
            return regions(self.format, self.text, thinks=self.thinks)

    @property
    def thinks(self) -> bool:
        """Whether the prompt has opened its reasoning."""
        return self.prefix.rstrip().endswith(THINK)

    @property
    def calls(self) -> list[Region]:
        """Its calls, broken ones, too."""
        return [each for each in self.regions if each.kind in CALLS]

    @cached_property
    def messages(self) -> Mapping[str, Message]:
        """The message that each parser makes."""
        with budget.within("reading an answer", SECONDS):
            return {name: self.read(name, self.text) for name in self.parsers}

    def title(self, name: str) -> str:
        """A parser as people name it."""
        server = TABLE["servers"][name.partition("-")[0]]["title"]
        return f"{server} {self.format.parsers[name].title}" if name in self.format.parsers else str(server)

    @property
    def headline(self) -> Say:
        """How many calls the model wrote, and how many each parser keeps."""
        count, groups = len(self.calls), dict[int, list[str]]()
        for name, message in self.messages.items():
            groups.setdefault(-1 if message.error else len(self.kept(name)), []).append(self.title(name))
        say = Say("The model wrote {0} call.", count, many="The model wrote {0} calls.")
        if not count:
            return Say("The model wrote no call.")
        if set(groups) == {count}:
            return say.then(Say("All parsers keep them."))
        for kept, names in sorted(groups.items(), reverse=True):
            each = ", ".join(names)
            say = say.then(Say("Stops: {0:t}.", each) if kept < 0 else Say("{0} kept: {1:t}.", kept, each))
        return say

    @property
    def parsers(self) -> list[str]:
        """The names of the parsers."""
        return [*self.format.parsers, *([TRANSFORMERS] if self.template or self.refusal else [])]

    def read(self, name: str, text: str, names: Names | None = None) -> Message:
        """The message that one parser makes of a text."""
        if name == TRANSFORMERS:
            return self._by_template(text, ends=True)
        names = self.names if names is None else names
        return read(self.format.parsers[name], text, names, thinks=self.thinks)

    def sent(self, name: str, cuts: Sequence[int]) -> list[Message | None]:
        """What a client that streams has been sent after so many characters each; None where that isn't followed."""
        texts = [self.text[:cut] for cut in cuts]
        with budget.within("what an answer streams", SECONDS):
            if name == TRANSFORMERS:
                return [self._by_template(text, ends=False) for text in texts]
            return [sent(self.format.parsers[name], text, self.names, thinks=self.thinks) for text in texts]

    def _by_template(self, text: str, *, ends: bool) -> Message:
        if self.template is None:
            return Message(error=self.refusal)
        reader, message, error = Reader(self.template), Record(), ""
        try:
            reader.begin(self.prefix)
            reader.feed(text)
            message |= reader.finish() if ends else reader.shown()
        except InputError as refusal:
            error = str(refusal)
        begins = reader.begins
        parts = [each._replace(start=each.start - begins, end=each.end - begins) for each in reader.all_parts]
        calls = [
            ToolCall(*named_call(each), part.start, part.end)
            for part in parts[:-1]
            if "call" in part.field
            for each in (part.value if isinstance(part.value, list) else [part.value])
        ]
        thought = next((str(message[name]) for name in message if "reason" in name or "think" in name), None)
        content = message.get("content")
        content = None if content is None else str(content)
        return Message(content, thought, tuple(calls if ends and not error else ()), error, parts)

    def kept(self, name: str, message: Message | None = None, calls: Sequence[Region] | None = None) -> list[int]:
        """Which calls that the model wrote a parser kept, by number."""
        message = self.messages[name] if message is None else message
        left, numbers = list(message.calls), []
        for number, region in enumerate(self.calls if calls is None else calls):
            same = next(
                (c for c in left if c.start < region.end and region.start < c.end and region.name in ("", c.name)), None
            )
            if same is not None:
                left.remove(same)
                numbers.append(number)
        return numbers

    @cached_property
    def losses(self) -> list[Loss]:
        """The calls that were lost, each with its cause."""
        lost = [
            (name, number)
            for name in self.parsers
            for number in sorted({*range(len(self.calls))}.difference(self.kept(name)))
        ]
        with budget.within("looking for what lost a call", SECONDS):
            return [Loss(name, number, *self._cause(name, number)) for name, number in lost[:MOST_LOSSES]]

    def _cause(self, name: str, number: int) -> tuple[Say, str]:
        if name == TRANSFORMERS and self.refusal:
            return Say("{0:t}", self.refusal), ""
        region = self.calls[number]
        before = sum(each.name == region.name for each in self.calls[:number])
        for why, text, names in self._tries(region):
            budget.ask("the causes of a loss")
            if text is None:
                continue
            parts = regions(self.format, text, thinks=self.thinks and UNTHINK in text)
            calls = [each for each in parts if each.kind in CALLS]
            same = [n for n, each in enumerate(calls) if each.name == region.name]
            kept = self.kept(name, self.read(name, text, names), calls)
            if any(n in kept for n in same[min(before, len(same) - 1) :]):
                return why, text
        return Say("No change that was tried brings it back"), ""

    def _tries(self, region: Region) -> Iterator[tuple[Say, str | None, Names | None]]:
        """Changes that may bring a call back: what was wrong then, the text, the tools."""
        text = self.text
        for fixed in self._repairs(region) if region.fault else ():
            yield region.fault or Say(""), text[: region.start] + fixed + text[region.end :], None
        fine = [each for each in self.regions if each.kind != "broken" or each is region]
        if len(fine) < len(self.regions):
            without = "".join(text[each.start : each.end] for each in fine)
            yield Say("Another call is broken, and this parser then keeps none"), without, None
        yield Say("The request has no tool {0:q}", region.name), text, {**self.names, region.name: None}
        kinds = (*CALLS, "reasoning") if self.thinks else CALLS
        alone = "".join(text[each.start : each.end] for each in self.regions if each.kind in kinds)
        yield Say("It has text around its calls"), alone, None
        if region.fault is None and not self.format.python:
            opens, closes = (each.replace("{name}", region.name) for each in self.format.written)
            body = json.dumps(DECODER.raw_decode(text, region.inner)[0], ensure_ascii=False)
            anew = text[: region.start] + opens + body + closes + text[region.end :]
            yield Say("It is written otherwise than this parser expects"), anew, None
        after = next((text[each.end :] for each in self.regions if each.kind == "reasoning"), None)
        yield Say("It stands after reasoning that this parser doesn't split off"), after, None

    def _repairs(self, region: Region) -> Iterator[str]:
        """A broken call with one change where it breaks, and closed."""
        opens, body = self.text[region.start : region.inner], self.text[region.inner : region.end]
        at = region.at - region.inner
        tail = regex.compile(self.format.close).search(body, max(0, at)) if self.format.close else None
        closes, inner = (tail[0] or "", body[: tail.start()]) if tail else (self.format.written[1], body)
        for each in ("", *TABLE["inserted"]):
            for changed in (inner[:at] + each + inner[at:], inner[:at] + each, inner[:at] + each + inner[at + 1 :]):
                with suppress(ValueError):
                    json.loads(changed)
                    yield opens + changed.strip() + closes


def named_call(value: Any) -> tuple[str, str]:
    """The name and the arguments of a call as a response template shapes it."""
    function = value.get("function", value) if isinstance(value, dict) else {}
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments", function.get("parameters"))
    return str(function.get("name", "")), json.dumps(arguments, ensure_ascii=False)


def names_of(tools: Any) -> Names:
    """The tools of a request, or those with these names."""
    given = tools if isinstance(tools, list | tuple) else ()
    return dict.fromkeys(each for each in given if isinstance(each, str)) | {
        name: arguments_of(each) for each in given for name in left_out.names([each])
    }


def arguments_of(tool: Json) -> tuple[tuple[str, bool], ...]:
    """The arguments in the schema of a tool."""
    rows = value_at(tool.get("function", tool), ("parameters", "properties"))
    items = rows.items() if isinstance(rows, Mapping) else ()
    return tuple((name, value_at(row, ("type",)) == "string") for name, row in items)


def answer(
    text: str, *, format: str = "", names: Any = None, template: Any = None, own: Any = None, prefix: str = ""
) -> Answer:
    """What a model wrote, beside the parsers of a format.

    format: its name; if empty, the first of which the text has a call, or Hermes. names: the tools of the request;
    None: those that are called. template: a response template, as its file has it. own: the model's, taken if None;
    without both, ours for the format. prefix: the prompt. Raises InputError.

    >>> said = answer('<tool_call>{"name": "f", "arguments": {}}</tool_call>')
    >>> [(name, len(message.calls)) for name, message in said.messages.items()]
    [('vllm', 1), ('sglang', 0), ('sglang-hermes', 1), ('ollama', 1), ('llama', 0), ('transformers', 1)]
    >>> plain(said.losses[0].why)
    'It is written otherwise than this parser expects'
    """
    known = formats()
    if format and format not in known:
        raise InputError(f"There is no format {format!r} of answers; there are {', '.join(known)}.")
    if len(text) > LONGEST:
        raise InputError(f"The answer has more than {LONGEST:,} characters; give less of it.")
    chosen = known[format or next((name for name in known if regex.search(known[name].open, text)), "hermes")]
    for each in chosen.end:
        text = text.removesuffix(each)
    value = next((each for each in (template, own, chosen.template) if each is not None), None)
    reads, refusal = None, ""
    try:
        reads = None if value is None else ResponseTemplate(value)
    except InputError as error:
        if template is not None:
            raise
        refusal = str(error)
    said = Answer(text, chosen, names_of(names), reads, prefix, refusal, value)
    return said if names is not None else replace(said, names=dict.fromkeys(each.name for each in said.calls))


def record(said: Answer) -> dict[str, Any]:
    """An answer as data of JSON."""
    return {
        "format": said.format.title,
        "tools": sorted(said.names),
        "regions": [
            {"kind": each.kind, "start": each.start, "end": each.end, "name": each.name or None}
            | ({"at": each.at, "fault": plain(each.fault)} if each.fault else {})
            for each in said.regions
        ],
        "parsers": {
            name: {"error": message.error or None, "kept": said.kept(name), "message": message.to_json()}
            for name, message in said.messages.items()
        },
        "losses": [each._asdict() | {"why": plain(each.why)} for each in said.losses],
        "faults": [*map(plain, said.template.faults())] if said.template else [],
    }
