"""Renders messages as llama-server does, with llama.cpp's own template engine: `common_chat_templates_apply_jinja` in
`common/chat.cpp`, as of build b11549 (October 2026).

What a template gets differs from `transformers`: `enable_thinking` is always set, true where llama.cpp finds reasoning;
`add_generation_prompt` only when it is true; there are no documents and no pad token; content is text or a list of
parts as the template can take it: the engine finds out by probes. An answer that is continued is left out and written
after the prompt. Left out: that the server continues an answer at the end without being asked to.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from itertools import accumulate, groupby
from typing import Any

from explorer.analysis.ownership import common
from explorer.prompts.llama_cpp.conversation import (
    as_int64,
    as_number,
    capabilities,
    parsed_messages,
    rebuilt_tools,
    trimmed,
    unread,
    with_content,
    worked_around,
)
from explorer.prompts.llama_cpp.formats import Format, format_of, tags, thinks
from explorer.prompts.llama_cpp.program import PRESERVE, Parsed, as_bytes, parsed, run
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.llama_cpp.values import Messages
from explorer.prompts.messages import Call, Path, Traced
from explorer.prompts.program import TemplateFailed
from explorer.prompts.rendering import Rendering, check_messages, failures, stretches
from explorer.prompts.run import Run
from explorer.prompts.traced_text import TracedText, joined, sources_of
from explorer.tables import Json, Record, read_toml
from explorer.text.say import Text


class ByteTraced(Traced):
    """Copies a call for the engine: texts become byte texts, which are kept by their source."""

    def __init__(self, program: Parsed) -> None:
        """No string yet but those of the template."""
        super().__init__(len(program.operands))
        self.texts = dict(program.texts)

    def text(self, text: str, path: Path) -> TracedText:
        """A string at this path, in bytes."""
        self.texts[self.first + len(self.paths)] = as_bytes(str(text))
        return super().text(as_bytes(str(text)), path)

    def copy(self, value: Any, path: Path) -> Any:
        """The data, copied, its numbers as C++ reads them; those of messages are written as JSON before that."""
        if isinstance(value, int | float):
            return as_number(value) if path[:1] == ("messages",) else as_int64(as_number(value))
        return super().copy(value, path)


CHATML = """{%- for message in messages -%}
  {{- '<|im_start|>' + message.role + '
' + message.content + '<|im_end|>
' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<|im_start|>assistant
' -}}
{%- endif -%}"""
"""The template of llama.cpp where there is none."""

EDITS = read_toml(__file__, "rendering.toml")["edits"]
"""Tests that llama.cpp switches off in templates with these texts, as they would raise an error."""


def source_of(template: str, without: Collection[Rule] = ()) -> str:
    """The template that llama.cpp runs. without: rules that are left out."""
    if Rule.SOURCE in without:
        return template
    if template in ("", "chatml"):
        return CHATML
    for needs, test in EDITS:
        if all(each in template for each in needs):
            template = template.replace(test, "{%- if false %}")
    return template


def render(
    template: str,
    call: Call,
    special_tokens: Mapping[str, str] | None = None,
    *,
    now: datetime | None = None,
    without: Collection[Rule] = (),
) -> Rendering:
    """Renders a call with a template's source as llama-server does. Arguments and errors as in `rendering.render`.

    without: rules of llama.cpp that are left out: there it does as `transformers` does.

    >>> call = Call([{"role": "user", "content": " é "}])
    >>> render("{{ messages[0].content | trim }}{% if enable_thinking %}<think>{% endif %}", call).text
    'é<think>'
    >>> render("{{ messages[0].content | trim }}{{ enable_thinking }}", call).text
    'éFalse'
    """
    template = source_of(template, without)
    found = capabilities(template)
    check_messages(call)
    known = None if Rule.RECOGNIZED in without else format_of(parsed(template).source)
    if Rule.START in without and template[1:3] in ("{%", "{#"):
        template = "{{ '' }}" + template  # the engine drops a character only where the template begins
    traced = ByteTraced(parsed(template))
    messages = parsed_messages(traced.copy(call.messages, ("messages",)), without)
    last = _continued(call, messages) if call.continue_final else {}
    messages = messages if Rule.TYPED in without else with_content(trimmed(messages, template), found)
    messages = worked_around(messages[:-1] if call.continue_final else messages, found, template, without)
    variables = variables_of(call, traced, special_tokens or {}, now or datetime.now(), without)
    if Rule.THINKING not in without:
        variables = {"enable_thinking": thinks(template) and call.reasoning_effort != "none"} | variables
    if known:  # no format is about what the server doesn't read
        groups = groupby(messages, lambda message: not unread(message))
        messages = [
            made for reads, group in groups for made in (known.adjusted([*group], variables) if reads else group)
        ]
    try:
        return rendered(template, traced, messages, variables, now or datetime.now(), without, known, last)
    except TemplateFailed as error:
        # the template didn't see the messages that were sent
        if error.refused and (note := _role_note(call, messages)):
            error.add(note)
        raise


def _continued(call: Call, messages: Messages) -> dict[Any, Any]:
    """The message that is continued, {} for an empty one. Raises TemplateFailed."""
    if call.continue_final not in (True, "content", "reasoning_content"):
        raise TemplateFailed('llama.cpp continues only "content" and "reasoning_content".')
    if call.add_generation_prompt:
        raise TemplateFailed(
            "llama.cpp refuses to continue a message and to ask for an answer: set add_generation_prompt to false."
        )
    last = messages[-1] if messages else {}
    if last.get("role") == "assistant" and last.get("tool_calls"):
        raise TemplateFailed("llama.cpp doesn't continue a message with tool calls.")
    goes_on = call.continue_final
    if goes_on is True:
        goes_on = "reasoning_content" if last.get("reasoning_content") and not last["content"] else "content"
    return {**last, "goes_on": goes_on} if any(last.get(name) for name in last if name != "role") else {}


def _answer(
    template: str,
    known: Format | None,
    last: Mapping[Any, Any],
    variables: Json,
    generation_prompt: Callable[[], TracedText],
) -> Iterator[str]:
    """What is written after a prompt that ends with a continued message."""
    thought, content = last.get("reasoning_content", ""), last["content"]
    if known:
        head: str = generation_prompt() if known.head is None else as_bytes(known.head)
        opens, closes = known.around(variables, thought)
    else:
        found = tags(template)
        head, opens, closes = generation_prompt(), found.start, found.end if found.start else ""
        if opens and (at := head.find(opens)) >= 0:
            head = head[:at]
    yield from (head, opens, thought if opens else "")
    if last["goes_on"] == "content" or (known and known.is_plain):
        yield closes
        begun = False
        for part in [content] if isinstance(content, str) else [part["text"] for part in content]:
            yield from ("\n\n" * begun, part)
            begun = begun or bool(part)


def _role_note(call: Call, messages: Messages) -> Text | None:
    """What became of developer messages, if there are any."""
    sent = [message.get("role") for message in call.messages]
    changed = [str(index + 1) for index, role in enumerate(sent) if role == "developer"]
    if not changed or any(message["role"] == "developer" for message in messages):
        return None
    return Text("llama.cpp gave it message {0:t}, sent by a developer, as the system's.", ", ".join(changed))


def rendered(
    template: str,
    traced: ByteTraced,
    messages: Messages,
    variables: Json,
    now: datetime,
    without: Collection[Rule] = (),
    known: Format | None = None,
    last: Mapping[Any, Any] | None = None,
) -> Rendering:
    """Renders messages that are already what the template can take. known: its format. last: the one to continue."""
    program = parsed(template)
    given = {"messages": messages, **variables}

    def rendering(record: Run, written: TracedText) -> Rendering:
        text = as_characters(written, traced.texts)
        starts = character_starts(text.plain)
        origins = tuple(stretches(text, traced))
        dates = [variables[name].plain for name in DATES if any(each.path == (name,) for each in origins)]
        return Rendering(
            text.plain,
            origins,
            (),
            (*record.dates, *dates),
            program.source,
            program.operands,
            tuple(record.finished(len(written), traced.paths, lambda position: bisect_left(starts, position), str)),
        )

    def generation_prompt() -> TracedText:
        silent, asks = (
            run(program, given | {"add_generation_prompt": True} if each else given, now, without)[0].text
            for each in (False, True)
        )
        return asks[common(silent.plain, asks.plain) :]

    with failures(lambda record: rendering(record, record.so_far), traced):
        record, _ = run(program, given, now, without)
        text, asks = record.text, bool(variables.get("add_generation_prompt"))
        if known and known.instead and not asks and (at := text.rfind(known.instead[0])) >= 0:
            text = joined((text[:at], known.instead[1], text[at + len(known.instead[0]) :]))
        needs_turn = known and known.after and text.endswith(known.after[0])
        if known and known.after and needs_turn and (asks or last):
            text = joined((text, known.after[1]))
        if last:
            text = joined((text, *_answer(template, known, last, variables, generation_prompt)))
        return rendering(record, text)


def character_starts(plain: str) -> list[int]:
    """Where each character of a text begins in the bytes that it was read from. U+FFFD stands for one byte.

    >>> character_starts("aéb")
    [0, 1, 3]
    """
    return list(accumulate((len(each.encode()) if each != "\ufffd" else 1 for each in plain[:-1]), initial=0))[
        : len(plain)
    ]


DATES = {"datetime": "%b %d %Y", "date_string": "%d %b %Y"}
"""Variables with today's date that llama.cpp sets."""


def variables_of(
    call: Call,
    traced: ByteTraced,
    special_tokens: Mapping[str, str],
    now: datetime,
    without: Collection[Rule],
) -> Record:
    """What a template reads besides the messages and `enable_thinking`, which may be set. Raises TemplateFailed."""
    tokens = (
        special_tokens
        if Rule.TOKENS in without
        else {name: special_tokens.get(name, "") for name in ("bos_token", "eos_token")}
    )
    given = {name: traced.copy(token, (name,)) for name, token in tokens.items()}
    if call.tools or Rule.TOOLS in without:
        tools = traced.copy(call.tools, ("tools",))
        given["tools"] = tools if Rule.REBUILT in without or not tools else rebuilt_tools(tools)
    given |= {"documents": traced.copy(call.documents, ("documents",))} if Rule.DOCUMENTS in without else {}
    if Rule.DATES not in without:
        given |= {name: traced.copy(now.strftime(form), (name,)) for name, form in DATES.items()}
    given |= {key: traced.copy(value, (key,)) for key, value in call.variables.items()}
    if Rule.THINKING not in without and isinstance(given.get("enable_thinking"), str):
        raise TemplateFailed("llama.cpp takes enable_thinking as true or false, not as a text.")
    if Rule.EFFORT not in without:
        effort = call.reasoning_effort
        if effort == "none":
            given.pop("reasoning_effort", None)
        elif effort and isinstance(effort, str):
            given["reasoning_effort"] = traced.copy(effort, ("reasoning_effort",))
        if isinstance(given.get("reasoning_effort"), str):
            given = {"reasoning_strength": given["reasoning_effort"], **given}
    asks = call.add_generation_prompt
    given |= {"add_generation_prompt": asks} if asks or Rule.ASKS in without else {}
    keeps = given.get("preserve_reasoning", True)
    if Rule.PRESERVE in without or not isinstance(keeps, bool):
        return given
    return {"preserve_reasoning": keeps} | {name: value == keeps for name, value in PRESERVE.items()} | given


def as_characters(text: TracedText, texts: Mapping[int, str]) -> TracedText:
    """A byte text as characters, whose offsets count those of their sources. texts: the sources' byte texts."""
    plain = text.plain.encode("latin-1").decode("utf-8", "replace")
    starts = [min(at, len(text) - 1) for at in character_starts(plain)]
    sources, offsets = sources_of(text)
    counted = {source: _counts(found) for source, found in texts.items() if not found.isascii()}
    kind = type(sources)
    made = kind("i"), kind("i")
    for start in starts:
        source, offset = sources[start], offsets[start]
        made[0].append(source)
        made[1].append(counted[source][offset] if offset >= 0 and source in counted else offset)
    return TracedText(plain, *made)


def _counts(text: str) -> list[int]:
    """For each byte of a byte text, how many characters come before the one that it belongs to."""
    counts, before = [], -1
    for byte in str.__iter__(text):
        before += not "\x80" <= byte < "\xc0"
        counts.append(max(before, 0))
    return counts
