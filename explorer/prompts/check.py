"""A chat template tried with many conversations, as each server renders it: what becomes of each.

The conversations are rows of checks.toml. A verdict is never read off a template's source. What a server makes of a
call is proved: it renders the same text of another call, which has that done already. Texts of a conversation differ
from each other, so that one that isn't in the prompt is lost. A line is to blame for a loss if the text is there as
soon as the test in it is turned around. A format that is no template has one renderer, the package that it follows.

The result is said in words, as JSON, and as JUnit's report.

Left out: what servers refuse by their request types beyond `servers`, and pictures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache, cached_property
from html import escape
from typing import Any, NamedTuple
from xml.etree import ElementTree

from explorer.engine import budget
from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts.findings import line_at
from explorer.prompts.formats import format_with
from explorer.prompts.left_out import deciding_line, texts_in
from explorer.prompts.llama_cpp.conversation import by_path
from explorer.prompts.messages import REASONING, Call
from explorer.prompts.model_input import LLAMA_CPP, TRANSFORMERS, Prompt, as_served, prompt, rendered, template_of
from explorer.prompts.rendering import Rendering
from explorer.prompts.repairs import Repair, repairs
from explorer.prompts.run import WORDS, TemplateFailed, TemplateStopped, cut_off
from explorer.prompts.servers import SERVERS, content_or_empty
from explorer.tables import Json, Record, read_toml
from explorer.text.say import Say, plain, visible_words

COLUMNS = (TRANSFORMERS, LLAMA_CPP, "vllm", "sglang")
"""Who renders each conversation with a template: the servers whose steps before it are followed."""
SERVED = COLUMNS[1:]
"""Those that change a request."""
Place = tuple[str, str]
"""A conversation, or a call, and a server."""
Reading = tuple[str, tuple[object, ...]]
"""The text of a prompt, and what it doesn't say of its tokens."""
SECONDS = 15.0
"""Seconds of the processor that trying a template may take; as much again for lines and repairs."""
ROWS = 6
"""Conversations of a part. A check goes on part by part: all are tried, then lines and repairs are looked for."""
MOST_STOPPED = 2
"""Runs that exceed a limit before no further conversation is tried."""
NOW = datetime(2026, 11, 23, 12)
"""The day of each run, so that a check gives the same on every day."""
ALONE = {"bos_token": "<s>", "eos_token": "</s>"}
"""The special tokens of a template without a model."""
BEYOND = ("covers text alone", "not followed here")
"""What `servers` says of what it doesn't follow."""


class Column(NamedTuple):
    """Who renders each conversation: a server, or the package that a format follows."""

    title: str
    version: str


def columns(source: str) -> Mapping[str, Column]:
    """Those of a template's source, or of a format's, by name.

    >>> columns("{{ messages }}")["vllm"].title
    'vLLM'
    """
    if form := format_with(source):
        return {form.package: Column(form.package, form.version)}
    return {name: Column(SERVERS[name].title, SERVERS[name].version) for name in COLUMNS}


class Verdict(StrEnum):
    """What becomes of a conversation, from the best to the worst."""

    AS_SENT = "as sent"
    AS_TEXT = "as text"
    AS_SYSTEM = "as system"
    AS_OBJECT = "as object"
    AS_EMPTY = "as empty"
    ADDED = "own system"
    CONTINUES = "continues it"
    JOINED_LINE = "joined by ↵"
    JOINED_SPACE = "joined by a space"
    JOINED = "joined"
    TRIMMED = "trimmed"
    DATED = "another text each day"
    UNKNOWN = "not followed"
    TURN = "a new turn"
    MOVED = "moved"
    TWICE = "written twice"
    IGNORED = "ignored"
    USER = "becomes user"
    EMPTIED = "becomes {}"
    LOST = "loses text"
    AGAIN = "twice encoded"
    DATA = "written as data"
    HTML = "escaped as HTML"
    REFUSED = "refuses"
    CRASHED = "crashes"
    STOPPED = "doesn't end"
    UNTRIED = "not tried"

    @property
    def rank(self) -> int:
        """How bad it is: the larger, the worse."""
        return [*Verdict].index(self)

    @property
    def tone(self) -> str:
        """As it is drawn: "same", "fine", "look", "refuses", "stops" or "none"."""
        if self in (Verdict.AS_SENT, Verdict.UNTRIED, Verdict.UNKNOWN):
            return "none" if self is not Verdict.AS_SENT else "same"
        if self is Verdict.REFUSED:
            return "refuses"
        if self in (Verdict.CRASHED, Verdict.STOPPED):
            return "stops"
        return "fine" if self.rank < Verdict.UNKNOWN.rank else "look"

    @property
    def is_bad(self) -> bool:
        """Whether a template is at fault that does this: it loses text, writes it in another form, or fails."""
        return Verdict.LOST.rank <= self.rank < Verdict.UNTRIED.rank and self is not Verdict.REFUSED


class Conversation(NamedTuple):
    """A row of checks.toml. alike: what a server may make of it. look: what else is tried, "" for nothing."""

    name: str
    why: str
    call: Json
    alike: tuple[str, ...] = ()
    look: str = ""


@cache
def conversations() -> tuple[Conversation, ...]:
    """All conversations.

    >>> conversations()[0].name
    'system first'
    """
    rows = read_toml(__file__, "checks.toml")["conversation"]
    return tuple(
        Conversation(row["name"], row["why"], json.loads(row["call"]), tuple(row.get("alike", ())), row.get("look", ""))
        for row in rows
    )


@dataclass(frozen=True)
class Cell:
    """What one server makes of one conversation.

    words: the verdict. reason: why, None where there is nothing to say. text: the prompt, None without one. tokens: of
    it, None where they aren't counted. line: of the template that is to blame, 0 if unknown. lost: texts that are
    missing. repair: None if none is known.
    """

    conversation: str
    server: str
    verdict: Verdict
    words: Say
    reason: Say | None = None
    text: str | None = None
    tokens: int | None = None
    line: int = 0
    lost: tuple[str, ...] = ()
    repair: Repair | None = None


@dataclass(frozen=True)
class Check:
    """A template with all its cells, row by row. counted: whether tokens are those of the template's model."""

    name: str
    source: str
    cells: tuple[Cell, ...]
    counted: bool = True

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """Who renders it, by name."""
        return columns(self.source)

    @cached_property
    def index(self) -> Mapping[Place, Cell]:
        """The cells by conversation and server."""
        return {(cell.conversation, cell.server): cell for cell in self.cells}

    def cell(self, conversation: str, server: str = "") -> Cell:
        """The cell of a conversation's name and a server, the first by default. Raises InputError if there is none."""
        server = server or next(iter(self.columns))
        if (conversation, server) not in self.index:
            raise InputError(f"There is no cell {conversation!r} of {server!r}; names are those of `explorer.Check`.")
        return self.index[conversation, server]

    def rows(self) -> Iterator[tuple[Conversation, tuple[Cell, ...]]]:
        """Each conversation with its cells, in the order of `columns`."""
        for each in conversations():
            yield each, tuple(self.index[each.name, name] for name in self.columns if (each.name, name) in self.index)

    def worse_than(self, other: Check | Mapping[Place, str]) -> tuple[tuple[Cell, str], ...]:
        """The cells that are worse than those of another check, or than kept verdicts, with what they were."""
        kept = {key: cell.verdict for key, cell in other.index.items()} if isinstance(other, Check) else other
        known = {verdict.value: verdict.rank for verdict in Verdict}
        return tuple(
            (cell, str(before))
            for cell in self.cells
            if (before := kept.get((cell.conversation, cell.server))) in known and cell.verdict.rank > known[before]
        )


def check_template(
    tokenizer: Opened | None,
    template: str = "",
    *,
    source: str | None = None,
    special_tokens: Mapping[str, str] | None = None,
    name: str = "",
    lines: bool = True,
) -> Check:
    """A template tried with every conversation.

    tokenizer: whose tokens are counted; None for a template alone. template, source: as in `prompt`. special_tokens: of
    a template alone; <s> and </s> are its BOS and EOS if there are none. name: what the check is called. lines: whether
    to look for lines to blame and for repairs.

    Raises InputError if there is no such template. What a template raises is part of the answer.

    >>> import explorer
    >>> check = check_template(None, source="{% for m in messages %}{{ m.role + ': ' + m.content }}\\n{% endfor %}")
    >>> check.cell("text parts").words.words, check.cell("text parts", "vllm").words.words
    ('crashes', 'joined by ↵')
    """
    trial = Trial.of(tokenizer, template, source, special_tokens)
    for part in range(parts() if lines else parts() // 2):
        trial = trial.after(part)
    return trial.check(name or template)


def parts() -> int:
    """How many parts a check has."""
    return 2 * -(-len(conversations()) // ROWS)


@cache
def _any_tokenizer() -> Opened:
    """What a template without a model is rendered with: its tokens aren't counted."""
    from explorer.opening.catalog import load

    return load("gpt-2")


@dataclass
class Trial:
    """A template that is tried. tokens: its special tokens. counted: whether its prompts' tokens are counted.

    texts, repairs: renderings and repairs that were tried already, shared by the parts of a check.
    """

    tokenizer: Opened
    source: str
    tokens: Mapping[str, str]
    counted: bool = True
    left: float = SECONDS
    stopped: int = 0
    texts: dict[Place, Reading | None] = field(default_factory=dict)
    repairs: dict[str, Repair | None] = field(default_factory=dict)
    cells: tuple[Cell, ...] = ()

    @classmethod
    def of(
        cls,
        tokenizer: Opened | None,
        template: str = "",
        source: str | None = None,
        special_tokens: Mapping[str, str] | None = None,
    ) -> Trial:
        """The trial of a template, as `check_template` takes it."""
        if tokenizer is not None:
            return cls(tokenizer, *template_of(tokenizer, Call([]), template, source))
        some = _any_tokenizer()
        own, tokens = template_of(some, Call([]), template, source)
        tokens = ALONE if source is not None else {**ALONE, **tokens}
        return cls(some, own, special_tokens or tokens, counted=False)

    def after(self, part: int) -> Trial:
        """A copy that has tried one part more, or looked for its lines and repairs."""
        trial, half = replace(self), parts() // 2
        rows = conversations()[part % half * ROWS :][:ROWS]
        if part < half:
            trial.cells += tuple(cell for row in rows for cell in trial.row(row))
            return trial
        trial.left = SECONDS if part == half else trial.left
        names = {row.name: row for row in rows}
        trial.cells = tuple(
            trial.explained(names[cell.conversation], cell) if cell.conversation in names else cell
            for cell in self.cells
        )
        return trial

    def check(self, name: str) -> Check:
        """What is known so far."""
        return Check(name, self.source, self.cells, self.counted)

    # --- rendering ----------------------------------------------------------------------------------------------------

    def prompt(self, call: Json, server: str, now: datetime = NOW) -> Prompt:
        """What a server makes of a call. Raises InputError."""
        engine, sent = (LLAMA_CPP if server == LLAMA_CPP else TRANSFORMERS), Call.from_json(dict(call))
        source = self.source
        if server not in SERVED:
            return rendered(self.tokenizer, engine, source, sent, self.tokens, now=now)
        try:
            first = as_served(server, sent, source)[1]
            return rendered(self.tokenizer, engine, source, first, self.tokens, now=now)
        except TemplateFailed:
            if SERVERS[server].fallback:
                with suppress(InputError):
                    second = as_served(server, sent, source, again=True)[1]
                    return rendered(self.tokenizer, engine, source, second, self.tokens, now=now)
            raise

    def call(self, row: Conversation, server: str) -> Json:
        """What a server is sent."""
        return self.forged(row.call, server) if row.look == "forged" else sent_to(server, row)

    def read(self, output: Prompt) -> Reading:
        """What is compared of a prompt: of a format that writes ids, these, too, or without a model its pieces."""
        if output.marks is None:
            return output.text, ()
        return output.text, tuple(output.ids) if self.counted else output.rendering.pieces

    def rendered(self, call: Json, server: str, **more: Any) -> Reading | None:
        """What is read of a call, None without a prompt."""
        try:
            return self.read(self.prompt(call, server, **more))
        except TemplateStopped:
            self.stopped += 1
        except InputError:
            pass
        budget.ask("trying a template")
        return None

    def text(self, call: Json, server: str) -> str | None:
        """The text of a call, None without one."""
        reading = self.once(call, server)
        return reading and reading[0]

    def once(self, call: Json, server: str) -> Reading | None:
        """What is read of a call, rendered once."""
        key = json.dumps(call), server
        if key not in self.texts:
            self.texts[key] = self.rendered(call, server)
        return self.texts[key]

    def row(self, row: Conversation) -> list[Cell]:
        """The cells of a conversation. Those for which no time is left are not tried."""
        cells: list[Cell] = []
        names = [*columns(self.source)]
        with suppress(budget.TooSlow), budget.within("trying a template", max(self.left, 0.001)) as spent:
            try:
                for server in names:
                    if self.stopped >= MOST_STOPPED or self.left <= 0:
                        break
                    cells.append(self.cell(row, server))
            finally:
                self.left = spent.left()
        return cells + [_cell(row, server, Verdict.UNTRIED) for server in names[len(cells) :]]

    # --- verdicts -----------------------------------------------------------------------------------------------------

    def cell(self, row: Conversation, server: str) -> Cell:
        """What becomes of a conversation."""
        call = self.call(row, server)
        try:
            output = self.prompt(call, server)
        except TemplateStopped as error:
            self.stopped += 1
            return _failed(row, server, Verdict.STOPPED, error)
        except TemplateFailed as error:
            return _failed(row, server, Verdict.REFUSED if error.refused else Verdict.CRASHED, error)
        except InputError as error:
            budget.ask("trying a template")
            beyond = any(each in str(error) for each in BEYOND)
            return _failed(row, server, Verdict.UNKNOWN if beyond else Verdict.REFUSED, error)
        self.texts[json.dumps(call), server] = self.read(output)
        verdict, words, lost = self.verdict(row, call, server, output)
        count = len(output.ids) if self.counted else None
        said = Say("The model reads what it reads of {0} messages.", len(row.call["messages"]))
        reason = said if verdict is Verdict.TURN else None
        return Cell(row.name, server, verdict, words, reason, output.text, count, lost=lost)

    def verdict(
        self, row: Conversation, call: Json, server: str, output: Prompt
    ) -> tuple[Verdict, Say, tuple[str, ...]]:
        """The verdict, its words, and the texts that are lost."""
        lost = tuple(text for text in needed(call) if not written(text, output.text))
        alike = next((name for name in row.alike if self.is_alike(name, call, server, output)), None)
        outcome = self.look(row, call, server, output, lost)
        if alike == Verdict.EMPTIED and self.is_alike(OTHER_ARGUMENTS, call, server, output):
            alike = None  # no arguments are written
        if outcome is None and (lost or alike is None):
            outcome = form(call, output.text, own_texts(output.rendering))
            if lost and outcome.rank <= Verdict.LOST.rank:
                outcome = Verdict.EMPTIED if alike == Verdict.EMPTIED else Verdict.LOST
        elif outcome is None and alike is not None:
            outcome = Verdict(alike)
        assert outcome is not None
        words = self.added(call, server, output.text) if outcome is Verdict.ADDED else word(outcome)
        if outcome is Verdict.LOST:
            return outcome, words, lost or tuple(pictures(call))
        return outcome, words, ()

    def is_alike(self, name: str, call: Json, server: str, output: Prompt) -> bool:
        """Whether a server renders the same of a call to which this has been done."""
        changed = ALIKE[name](deepcopy(dict(call)))
        if changed == call:
            return False
        other = self.once(changed, server)
        if other is None and server in SERVED:
            with suppress(InputError):  # a server may make what it refuses
                seen = as_served(server, Call.from_json(dict(call)), self.source)[1].to_json()
                return ALIKE[name](deepcopy(seen)) == seen
        return other == self.read(output)

    def look(self, row: Conversation, call: Json, server: str, output: Prompt, lost: Sequence[str]) -> Verdict | None:
        """What a row is about besides, None if nothing is to say."""
        text = output.text
        match row.look:
            case "own system":
                return Verdict.ADDED if self.own_system(call, server, text) else None
            case "space" if not lost:
                return None if all(each in text for each in texts_of(call)) else Verdict.TRIMMED
            case "asks":
                asking = self.text({**call, "add_generation_prompt": True}, server)
                return Verdict.IGNORED if asking == text and self.always_asks(server, text) else None
            case "date":
                later = self.rendered(call, server, now=NOW + timedelta(days=40))
                return Verdict.DATED if later != self.read(output) else None
            case "forged":
                return Verdict.TURN if self.read(output) == self.once(row.call, server) else None
            case "image":
                url = next(pictures(call))
                return None if url in text or lost or self.marks_picture(call, server, text) else Verdict.LOST
        return None

    def always_asks(self, server: str, text: str) -> bool:
        """Whether a template asks for an answer although it isn't asked to: what it adds for one message is there."""
        user = {"messages": [{"role": "user", "content": "What is LoRA?"}]}
        one = self.text(user, server)
        other = self.text({**user, "add_generation_prompt": False}, server)
        if one is None or one != other or text.rstrip().endswith("fine-tune."):
            return False
        return (one.split("What is LoRA?")[-1].strip() or one) in text

    def marks_picture(self, call: Json, server: str, text: str) -> bool:
        """Whether a template writes something for a picture, if not its address."""
        (message,) = call["messages"]
        texts = {**message, "content": [each for each in message["content"] if each["type"] == "text"]}
        without = self.text({**call, "messages": [texts]}, server)
        return without is None or "".join(without.split()) != "".join(text.split())

    def own_system(self, call: Json, server: str, text: str) -> str:
        """What a template writes where a system message would stand."""
        content = "Be brief."
        other = self.text({**call, "messages": [{"role": "system", "content": content}, *call["messages"]]}, server)
        if other is None or other.count(content) != 1:
            return ""
        before, after = other.split(content)
        if not text.startswith(before) or not text.endswith(after):
            return ""
        return text[len(before) : len(text) - len(after)].strip()

    def added(self, call: Json, server: str, text: str) -> Say:
        """How much that is."""
        own = self.own_system(call, server, text)
        if not self.counted:
            return Say("+{0} character", len(own), many="+{0} characters")
        count = len(self.tokenizer.encode(own, add_special=False).ids)
        return Say("+{0} token", count, many="+{0} tokens")

    def forged(self, call: Json, server: str) -> Json:
        """A call with one message, whose text has what the template writes between those of this call."""
        contents = [str(message["content"]) for message in call["messages"]]
        text = self.text(call, server)
        places = [text.find(each) for each in contents] if text else [-1]
        if text is None or min(places) < 0 or places != sorted(places):
            return {**call, "messages": [{"role": "user", "content": f"{contents[0]}<|im_end|>"}]}
        inside = text[places[0] : places[-1] + len(contents[-1])]
        return {**call, "messages": [{"role": "user", "content": inside}]}

    # --- lines and repairs --------------------------------------------------------------------------------------------

    def explained(self, row: Conversation, cell: Cell) -> Cell:
        """A cell with the line to blame and a repair, if it needs them and time is left."""
        if cell.verdict.rank < Verdict.USER.rank or cell.verdict is Verdict.UNTRIED or self.left <= 0:
            return cell
        with suppress(budget.TooSlow), budget.within("looking for a line", self.left) as spent:
            try:
                cell = self.explain(row, cell)
            finally:
                self.left = spent.left()
        return cell

    def explain(self, row: Conversation, cell: Cell) -> Cell:
        """A cell with its line, why, and a repair."""
        cell = self.blamed(row, cell)
        if cell.verdict is Verdict.STOPPED or format_with(self.source):
            return cell  # a format is repaired in its package
        tried, known = 0, self.repairs
        for each in (*filter(None, known.values()), *repairs(self.source, cell.verdict, cell.line)):
            budget.ask("looking for a repair")
            other = replace(self, source=each.source, texts={})
            if other.cell(row, cell.server).verdict.rank >= min(Verdict.USER.rank, cell.verdict.rank):
                continue
            tried += 1
            if each.source not in known:
                known[each.source] = each if self.keeps(other, cell.server) else None
            if known[each.source] is not None:
                return replace(cell, repair=each)
            if tried > 3:
                break
        return cell

    def keeps(self, other: Trial, server: str) -> bool:
        """Whether a repaired template writes what was fine before as it did."""
        rows = {row.name: row for row in conversations()}
        return all(
            other.text(other.call(rows[cell.conversation], server), server) == cell.text
            for cell in self.cells
            if cell.server == server and cell.verdict.rank < Verdict.USER.rank and cell.text is not None
        )

    def blamed(self, row: Conversation, cell: Cell) -> Cell:
        """A cell with the line to blame, and why."""
        if cell.verdict is Verdict.REFUSED and cell.line:
            try:
                server = cell.server if cell.server in SERVED else ""
                engine = cell.server if cell.server == TRANSFORMERS else ""
                prompt(
                    self.tokenizer,
                    dict(self.call(row, cell.server)),
                    source=self.source,
                    engine=engine,
                    server=server,
                    now=NOW,
                )
            except InputError as error:
                return replace(cell, reason=Say("{0:t}", str(error)))
        if cell.text is None or cell.verdict.rank < Verdict.LOST.rank:
            return cell
        output = self.prompt(self.call(row, cell.server), cell.server)
        if cell.verdict is Verdict.LOST:
            return self.loser(row, cell, output)
        at = next((output.text.find(each) for each in marks(row.call) if each in output.text), -1)
        line = line_at(output, at) if at >= 0 else 0
        return replace(cell, line=line, reason=_form_reason(cell.verdict, line))

    def loser(self, row: Conversation, cell: Cell, output: Prompt) -> Cell:
        """The line that leaves a text out."""
        text, run = cell.lost[0], output.rendering
        missing = Say("{0:q} is not in the prompt.", text)
        sent = (path for path, value in by_path(output.call.to_json()) if isinstance(value, str) and text in value)
        path = next(sent, ())
        name = str(path[0 if path[0] == "tools" else 2]) if path else ""
        at, whole = cut_off(run.steps, run.operands, text)
        line = at or (deciding_line(output, path, name) if path else 0)
        if at:
            said = Say("Line {0:i} cuts it off the text that line {1:i} sets.", at, whole)
        elif line:
            said = Say("Line {0:i} leaves it out: with its test the other way round, the template writes it.", line)
        elif not path and cell.server in SERVERS:
            said = Say("{0:t} drops it before the template.", SERVERS[cell.server].title)
        elif name not in self.source:
            said = Say("No line of it reads {0:t}.", name)
        else:
            return replace(cell, reason=missing)
        return replace(cell, line=line, reason=missing.then(said))


# --- what is in a prompt ----------------------------------------------------------------------------------------------


def texts_of(call: Json) -> list[str]:
    """The texts that messages say: contents, of parts each one."""
    return [text for each in call["messages"] for _, text in texts_in(each.get("content"), ()) if text]


def pictures(call: Json) -> Iterator[str]:
    """The addresses of pictures."""
    for message in call["messages"]:
        if isinstance(message.get("content"), list):
            yield from (part["image_url"]["url"] for part in message["content"] if "image_url" in part)


def needed(call: Json) -> list[str]:
    """The texts of a call that a prompt holds if nothing is lost."""
    texts = [line for text in texts_of(call) for line in text.split("\n") if line.strip()]
    for message in call["messages"]:
        texts += [message[name] for name in REASONING if message.get(name)]
        for each in message.get("tool_calls") or []:
            texts += [each["function"]["name"], *leaves(each["function"]["arguments"])]
    for tool in call.get("tools") or []:
        function = tool["function"]
        texts += [function["name"], function["description"], *function.get("parameters", {}).get("properties", {})]
    return [each.strip() for each in dict.fromkeys(texts)]


def leaves(value: Any) -> Iterator[str]:
    """The texts in arguments, without keys; of a text that is no JSON its words."""
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except (ValueError, RecursionError):
            yield from re.findall(r"\w+", value) if value.startswith("{") else [value]
            return
        yield from leaves(inner) if isinstance(inner, dict | list) else [value]
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)


def written(text: str, prompt: str) -> bool:
    """Whether a prompt holds a text: as it is, in JSON, or as HTML."""
    as_json = (json.dumps(text, ensure_ascii=each)[1:-1] for each in (False, True))
    bare = text.replace("\r", "").strip()
    return any(each in prompt for each in (text, *as_json, escape(text), bare, _as_html(text)))


def _as_html(text: str) -> str:
    return escape(text).replace("&quot;", "&#34;").replace("&#x27;", "&#39;")


def encoded_again(call: Json) -> Iterator[str]:
    """Arguments that are a text of JSON, as JSON spells them again."""
    for message in call["messages"]:
        for each in message.get("tool_calls") or []:
            if isinstance(sent := each["function"]["arguments"], str) and '"' in sent:
                yield json.dumps(sent)[1:-1]


def marks(call: Json) -> Iterator[str]:
    """What betrays that something was written in another form: JSON in JSON, Python's data, HTML."""
    yield from encoded_again(call)
    yield from ("{'type': ", "[{'", '[{"type": "text"', "{'", "['", *PYTHON)
    yield from (each for text in texts_of(call) if (each := _as_html(text)) != text)


PYTHON = {"None": "null", "True": "true", "False": "false"}
"""How Python prints what JSON has."""


def is_spelled(word: str, sent: str, own: str) -> bool:
    """Whether a word of Python can stand in a prompt without being printed: nothing was sent that it would print."""
    return PYTHON[word] not in sent or word in sent or word in own


def form(call: Json, prompt: str, own: str) -> Verdict:
    """The verdict on the form in which texts are written, and on their order. own: the template's own texts."""
    sent = json.dumps(call, ensure_ascii=False)
    if any(each in prompt for each in encoded_again(call)):
        return Verdict.AGAIN
    lists = ["['"] if "['" not in own else []
    if any(each in prompt and each not in sent for each in ("{'type': ", "{'", '[{"type": "text"', *lists)):
        return Verdict.DATA
    if any(re.search(rf"\b{each}\b", prompt) and not is_spelled(each, sent, own) for each in PYTHON):
        return Verdict.DATA
    texts = texts_of(call)
    if any(_as_html(each) in prompt and each not in prompt for each in texts):
        return Verdict.HTML
    places = [prompt.find(each.strip()) for each in texts]
    if -1 not in places and places != sorted(places):
        return Verdict.MOVED
    if any(prompt.count(each.strip()) > texts.count(each) for each in texts if len(each) > 8):
        return Verdict.TWICE
    return Verdict.AS_SENT


def own_texts(run: Rendering) -> str:
    """What a template spells, outside its tags and inside."""
    return "\0".join(run.source[each.start : each.end] for each in run.operands if each.kind in ("data", "literal"))


# --- what a server may make of a call ---------------------------------------------------------------------------------


Change = Callable[[Record], Record]
"""What is made of a call or of a message."""


def _messages(change: Change) -> Change:
    return lambda call: call | {"messages": [change(each) for each in call["messages"]]}


def _with_arguments(change: Callable[[Any], Any]) -> Change:
    def changed(message: Record) -> Record:
        for each in message.get("tool_calls") or []:
            each["function"]["arguments"] = change(each["function"]["arguments"])
        return message

    return _messages(changed)


def sent_to(server: str, row: Conversation) -> Json:
    """A conversation as the callers of a server send it: arguments as JSON in a text, but to a library."""
    if server not in SERVED or row.look == "arguments":
        return row.call
    return _with_arguments(json.dumps)(deepcopy(dict(row.call)))


def _joined(between: str) -> Change:
    def joined(message: Record) -> Record:
        content = message.get("content")
        if not isinstance(content, list):
            return message
        return message | {"content": between.join(part["text"] for part in content)}

    return _messages(joined)


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _by_user(call: Record) -> Record:
    """The last message that isn't a user's becomes one."""
    messages = call["messages"]
    at = max((at for at, each in enumerate(messages) if each["role"] != "user"), default=-1)
    return call | {"messages": [each | {"role": "user"} if n == at else each for n, each in enumerate(messages)]}


OTHER_ARGUMENTS = "other arguments"
ALIKE: Mapping[str, Change] = {
    Verdict.AS_TEXT: _joined(""),
    Verdict.AS_SYSTEM: _messages(lambda each: each | ({"role": "system"} if each["role"] == "developer" else {})),
    Verdict.AS_OBJECT: _with_arguments(_parsed),
    Verdict.AS_EMPTY: _messages(lambda each: content_or_empty(each, ())),
    Verdict.CONTINUES: lambda call: call | {"continue_final_message": True, "add_generation_prompt": False},
    Verdict.JOINED_LINE: _joined("\n"),
    Verdict.JOINED_SPACE: _joined(" "),
    Verdict.JOINED: _joined(""),
    Verdict.USER: _by_user,
    Verdict.EMPTIED: _with_arguments(lambda each: {}),
    OTHER_ARGUMENTS: _with_arguments(lambda each: '{"spot": "Nara"}'),
}
"""What each of these verdicts says was done to a call."""


# --- words ------------------------------------------------------------------------------------------------------------


def word(verdict: Verdict) -> Say:
    """The verdict in words."""
    return Say(verdict.value.replace("{}", "{{}}"))


def _cell(row: Conversation, server: str, verdict: Verdict) -> Cell:
    return Cell(row.name, server, verdict, word(verdict))


def _failed(row: Conversation, server: str, verdict: Verdict, error: InputError) -> Cell:
    """The cell of an error, in the engine's own words."""
    line = error.line if isinstance(error, TemplateFailed) else 0
    return replace(_cell(row, server, verdict), line=line, reason=Say("{0:t}", str(error)))


def _form_reason(verdict: Verdict, line: int) -> Say | None:
    said = WORDS["forms"].get(verdict)
    return Say(*said, line) if said and line else None


Worse = tuple[tuple[Cell, str], ...]
"""Cells that became worse, with what they were."""


def headline(check: Check) -> Say:
    """How many conversations come out otherwise than sent, and how many a server doesn't render."""
    rows = list(check.rows())
    differ = sum(any(cell.verdict.rank >= Verdict.TURN.rank for cell in cells) for _, cells in rows)
    fails = sum(any(cell.verdict.tone in ("refuses", "stops") for cell in cells) for _, cells in rows)
    return Say("Of {0} conversations, {1} need a look; {2} are refused or fail in a server.", len(rows), differ, fails)


def summary(check: Check) -> Say | None:
    """The line that is to blame most often, None if no line is."""
    names: dict[int, set[str]] = {}
    for cell in check.cells:
        if cell.line:
            names.setdefault(cell.line, set()).add(cell.conversation)
    if not names:
        return None
    line, rows = max(names.items(), key=lambda pair: (len(pair[1]), -pair[0]))
    return Say(
        "Line {1:i} is to blame in {0} conversation.",
        len(rows),
        line,
        many="Line {1:i} is to blame in {0} conversations.",
    )


def record(check: Check) -> dict[str, Any]:
    """The check as data of JSON."""
    return {
        "template": check.name,
        "template_source": check.source,
        "servers": {name: each.version for name, each in check.columns.items()},
        "sentence": plain(headline(check)),
        "cells": [
            {
                "conversation": cell.conversation,
                "server": cell.server,
                "verdict": cell.verdict.value,
                "words": plain(cell.words),
                "reason": cell.reason and plain(cell.reason),
                "line": cell.line or None,
                "lost": list(cell.lost),
                "text": cell.text,
                "tokens": cell.tokens,
                "repair": cell.repair and cell.repair.record(),
            }
            for cell in check.cells
        ],
    }


def bad_cells(check: Check) -> list[Cell]:
    """The cells for which the template is at fault."""
    return [cell for cell in check.cells if cell.verdict.is_bad]


def as_json(checks: Sequence[Check], worse: Sequence[Worse]) -> str:
    """The checks as JSON, one as an object."""
    exported = [
        record(check)
        | {
            "worse": [
                {"conversation": cell.conversation, "server": cell.server, "before": before, "after": cell.verdict}
                for cell, before in each
            ]
        }
        for check, each in zip(checks, worse, strict=True)
    ]
    return json.dumps(exported if len(exported) > 1 else exported[0], ensure_ascii=False, indent=2)


def junit(checks: Sequence[Check], failures: Sequence[Sequence[Cell]]) -> bytes:
    """A report for CI: a suite for each template and server, a case for each conversation."""
    top = ElementTree.Element("testsuites", name="chat templates")
    for check, bad in zip(checks, failures, strict=True):
        for server, column in check.columns.items():
            name = visible_words(f"{check.name} {column.title} {column.version}".strip())
            suite = ElementTree.SubElement(top, "testsuite", name=name)
            for cell in (cell for cell in check.cells if cell.server == server):
                _add_case(suite, column.title, cell, is_failed=cell in bad)
            tags = {"tests": "testcase", "failures": "failure", "skipped": "skipped"}
            suite.attrib |= {name: str(len(suite.findall(f".//{tag}"))) for name, tag in tags.items()}
    data: bytes = ElementTree.tostring(top, "utf-8", xml_declaration=True)
    return data


def _add_case(suite: ElementTree.Element, title: str, cell: Cell, *, is_failed: bool) -> None:
    """Adds a conversation to a suite."""
    case = ElementTree.SubElement(suite, "testcase", classname=title, name=cell.conversation)
    words, reason = plain(cell.words), visible_words(plain(cell.reason)) if cell.reason else ""
    if is_failed:
        text = f"{reason} {plain(cell.repair.say)}" if cell.repair else reason
        ElementTree.SubElement(case, "failure", message=words).text = text
    elif cell.verdict in (Verdict.UNTRIED, Verdict.UNKNOWN):
        ElementTree.SubElement(case, "skipped", message=words)
    elif reason:
        ElementTree.SubElement(case, "system-out").text = f"{words}: {reason}"
