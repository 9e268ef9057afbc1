"""Renders messages with llama.cpp's own template engine: `common_chat_template_direct_apply_impl` in `common/chat.cpp`.

What a template gets differs from `transformers`: `enable_thinking` is always set, `add_generation_prompt` only when it
is true, there are no documents and no pad token, and content is text or a list of parts as the template can take
it: the engine finds out by probes. Left out: the formats that llama.cpp recognizes and fills in itself.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import accumulate
from typing import Any

from explorer.prompts.llama_cpp.capabilities import capabilities, with_content
from explorer.prompts.llama_cpp.conversation import parsed_messages, worked_around
from explorer.prompts.llama_cpp.program import PRESERVE, Parsed, as_bytes, parsed, run
from explorer.prompts.llama_cpp.rules import Rule
from explorer.prompts.messages import Call, Path, Traced
from explorer.prompts.program import TemplateFailed
from explorer.prompts.rendering import Rendering, failures, stretches
from explorer.prompts.run import Run
from explorer.prompts.traced_text import TracedText, sources_of


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

    >>> render("{{ messages[0].content | trim }}{{ enable_thinking }}", Call([{"role": "user", "content": " é "}])).text
    'éTrue'
    """
    found = capabilities(template)
    if Rule.START in without and template[1:3] in ("{%", "{#"):
        template = "{{ '' }}" + template  # the engine drops a character only where the template begins
    traced = ByteTraced(parsed(template))
    messages = parsed_messages(traced.copy(call.messages, ("messages",)), without)
    messages = worked_around(messages, found, template, without)
    try:
        return rendered(template, call, traced, messages, special_tokens or {}, now, without)
    except TemplateFailed as error:
        # the template didn't see the messages that were sent
        if error.refused and (note := _role_note(call, messages)):
            error.args = (f"{error} {note}",)
        raise


def _role_note(call: Call, messages: list[dict[Any, Any]]) -> str:
    """What became of developer messages, "" without any."""
    sent = [message.get("role") for message in call.messages]
    changed = [str(index + 1) for index, role in enumerate(sent) if role == "developer"]
    if not changed or any(message["role"] == "developer" for message in messages):
        return ""
    which = f"message{'s' * (len(changed) > 1)} {', '.join(changed)}"
    return f"llama.cpp gave it {which}, sent by a developer, as the system's."


def rendered(
    template: str,
    call: Call,
    traced: ByteTraced,
    messages: list[dict[Any, Any]],
    special_tokens: Mapping[str, str],
    now: datetime | None,
    without: Collection[Rule] = (),
) -> Rendering:
    """Renders messages that are already what the template can take, but for their content."""
    program = parsed(template)
    messages = messages if Rule.TYPED in without else with_content(messages, capabilities(template))
    variables = {"messages": messages, **_variables(call, traced, special_tokens, without)}

    def rendering(record: Run, written: TracedText) -> Rendering:
        text = as_characters(written, traced.texts)
        starts = character_starts(text.plain)
        return Rendering(
            text.plain,
            tuple(stretches(text, traced)),
            (),
            tuple(record.dates),
            program.source,
            program.operands,
            tuple(record.finished(len(written), traced.paths, lambda position: bisect_left(starts, position), str)),
        )

    with failures(lambda record: rendering(record, record.so_far)):
        record, _ = run(program, variables, now or datetime.now(), without)
        return rendering(record, record.text)


def character_starts(plain: str) -> list[int]:
    """Where each character of a text begins in the bytes that it was read from. U+FFFD stands for one byte.

    >>> character_starts("aéb")
    [0, 1, 3]
    """
    return list(accumulate((len(each.encode()) if each != "\ufffd" else 1 for each in plain[:-1]), initial=0))[
        : len(plain)
    ]


def _variables(
    call: Call, traced: ByteTraced, special_tokens: Mapping[str, str], without: Collection[Rule]
) -> dict[str, Any]:
    """What a template reads besides the messages."""
    tokens = (
        special_tokens
        if Rule.TOKENS in without
        else {name: special_tokens.get(name, "") for name in ("bos_token", "eos_token")}
    )
    given = {name: traced.copy(token, (name,)) for name, token in tokens.items()}
    given |= {} if Rule.THINKING in without else {"enable_thinking": True}
    given |= {"tools": traced.copy(call.tools, ("tools",))} if call.tools or Rule.TOOLS in without else {}
    given |= {"documents": traced.copy(call.documents, ("documents",))} if Rule.DOCUMENTS in without else {}
    given |= {key: traced.copy(value, (key,)) for key, value in call.variables.items()}
    asks = call.add_generation_prompt
    given |= {"add_generation_prompt": asks} if asks or Rule.ASKS in without else {}
    return given | ({} if Rule.PRESERVE in without else PRESERVE)


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
