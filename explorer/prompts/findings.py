"""What is worth a look in a prompt: BOS twice, a control token in a user's text, a message that is left out.

Each finding is computed from the prompt, never guessed from a template's source: what is missing is what no character
of the prompt was copied from, what straddles has two authors. What is encoded once more (text as HTML, JSON in a
string as JSON) is seen in the prompt: of one character that was sent, several were written; what causes HTML is found
by rendering without it. Findings come in order of weight.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from html import unescape
from itertools import groupby
from typing import Any, Final, TypeGuard

from explorer.errors import InputError
from explorer.prompts.llama_cpp.conversation import by_path, capabilities
from explorer.prompts.messages import REASONING, Path
from explorer.prompts.model_input import LLAMA_CPP, Prompt, covered
from explorer.prompts.rendering import Origin
from explorer.prompts.run import ROLES, TemplateFailed, by_lines, cut_off, of_field
from explorer.text.say import Say

ENTITY: Final = re.compile(r"&(?:amp|lt|gt|#34|#39|quot);")
ESCAPING: Final = {
    "safe": (r"\|\s*safe\b", ""),
    "escape": (r"\|\s*(?:escape|e|forceescape)\b", ""),
    "xmlattr": (r"\|\s*xmlattr\b", "| string"),
    "urlize": (r"\|\s*urlize\b(?:\s*\([^()]*\))?", ""),
    "filter escape": (r"\bfilter\s+(?:escape|e|forceescape)\b", "filter string"),
    "autoescape": (r"\bautoescape\s+\w+", "autoescape false"),
}
"""What makes HTML in jinja2, and how it is left out of a template."""


def html_places(prompt: Prompt) -> list[tuple[int, int]]:
    """[start, end) of what a template wrote as HTML: it was sent as another character."""
    origins = prompt.rendering.origins
    starts = [origin.start for origin in origins]
    found = []
    for match in ENTITY.finditer(prompt.text):
        origin = origins[bisect_right(starts, match.start()) - 1]
        if origin.offset < 0:
            is_copy = match[0] in prompt.rendering.source or match[0] in json.dumps(prompt.call.to_json(), default=str)
        else:
            is_copy = origin.end >= match.end()
        if not is_copy:
            found.append(match.span())
    return found


def html_cause(prompt: Prompt, count: int) -> str:
    """What escapes: without it, fewer places are HTML. A key of `ESCAPING`, "" if unknown."""
    for name, (pattern, instead) in ESCAPING.items():
        source = re.sub(pattern, instead, prompt.rendering.source)
        with suppress(InputError):
            if source != prompt.rendering.source and len(html_places(prompt.changed(source))) < count:
                return name
    return ""


def line_at(prompt: Prompt, position: int) -> int:
    """The line of the template that wrote a character of the prompt, 0 if unknown."""
    operands = prompt.rendering.operands
    steps = (step for step in prompt.rendering.steps if step.start <= position < step.end)
    if (step := next(steps, None)) is not None:
        return operands[step.operand].line
    origin = next(each for each in prompt.rendering.origins if each.start <= position < each.end)
    return operands[origin.operand].line if origin.operand >= 0 else 0


def encoded_again(prompt: Prompt) -> Iterator[tuple[Path, int, int]]:
    """Strings in JSON, of tool calls and tools, that stand in the prompt as JSON of a string: path, [start, end)."""
    call = prompt.call
    roots: list[tuple[Any, Path]] = [(call.tools or [], ("tools",))]
    roots += [(each.get("tool_calls"), ("messages", at, "tool_calls")) for at, each in enumerate(call.messages)]
    for root, place in roots:
        for path, text in by_path(root, place):
            if not isinstance(text, str) or not _is_json(text) or not (kept := _last_copy(prompt, path)):
                continue
            quote, last = text.find('"'), len(text) - 1
            start, end = kept[0], kept.get(last, kept[max(kept)]) + 1
            around = prompt.text[max(start - 1, 0) : start] + prompt.text[end : end + 1]
            escaped = prompt.text[kept[quote] : kept[quote] + 2] == '\\"' if quote in kept else around == '""'
            if escaped:
                yield path, start, end


def _last_copy(prompt: Prompt, path: Path) -> dict[int, int]:
    """The offsets of a string that the prompt holds, with their first indices in its last copy; a key is before it."""
    places: dict[int, int] = {}
    for origin in prompt.rendering.origins:
        if origin.path == path and origin.offset >= 0:
            places = {} if not origin.offset and max(places, default=0) > 0 else places
            for index in range(origin.end - origin.start):
                places.setdefault(origin.offset + index, origin.start + index)
    return places if 0 in places else {}


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


class Kind(StrEnum):
    """What a finding is about, by weight."""

    CONTROL = "control"
    BOS_TWICE = "bos-twice"
    NO_QUESTION = "no-generation-prompt"
    RAW = "written-as-data"
    HTML = "escaped-as-html"
    AGAIN = "encoded-again"
    SYSTEM = "system-dropped"
    DROPPED = "message-dropped"
    TOOLS = "tools-dropped"
    REASONING = "reasoning-dropped"
    PART = "part-dropped"
    STRADDLES = "straddles"
    STRIPPED = "stripped"
    MOVED = "moved"
    DATE = "date"
    GOES_ON = "continued"
    OWN_SYSTEM = "own-system"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something worth a look.

    sentence: what. reason: why, or what to do. message: its index, None if it is about the whole prompt. start, end:
    the tokens that it is about.
    """

    kind: Kind
    sentence: Say
    reason: Say
    message: int | None = None
    start: int = 0
    end: int = 0


def findings(prompt: Prompt) -> Iterator[Finding]:
    """All of them, the heaviest first."""
    found = [finding for look in LOOKS for finding in look(prompt)]
    yield from sorted(found, key=lambda finding: [*Kind].index(finding.kind))


def control(prompt: Prompt) -> Iterator[Finding]:
    """Special tokens that a message, a role, a tool or a document spells."""
    for index, token in enumerate(prompt.tokens):
        (writer, *others) = {_writer(origin) for origin in token.origins} or {None}
        if writer is None or others or not prompt.tokenizer.vocabulary.is_special(token.id):
            continue
        message = token.origins[0].message
        yield Finding(
            Kind.CONTROL,
            Say.of("{0:q} in {1} is read as a control token.", prompt.spelled(index), writer),
            Say.of(
                "Id {0:i} is the same as the template's own: whoever wrote this can end a turn or begin one.", token.id
            ),
            message,
            index,
            index + 1,
        )


def _writer(origin: Origin) -> Say | None:
    """Who wrote a stretch, in words; None for the template and the special tokens that it is given."""
    if origin.message is not None:
        return Say.of("message {0}", origin.message + 1)
    match origin.path:
        case ("messages", int(index), *_):
            return Say.of("the role of message {0}", index + 1)
        case ("tools" | "documents" as name, *_):
            return Say.of("the {0:t}", name)
        case (str(name), *_) if not name.endswith("_token"):
            return Say.of("the variable {0:q}", name)
    return None


def bos_twice(prompt: Prompt) -> Iterator[Finding]:
    """BOS from the template, and again from the tokenizer where its defaults are used; or twice from the template."""
    ids = prompt.ids
    if len(ids) > 1 and ids[0] == ids[1] and prompt.tokenizer.vocabulary.is_special(ids[0]):
        authors = {author for token in prompt.tokens[:2] for author in token.authors if author is not None}
        yield Finding(
            Kind.BOS_TWICE,
            Say.of("The prompt begins with {0:q} twice.", prompt.spelled(0)),
            Say.of("The template writes one, and message {0} begins with one.", min(authors) + 1)
            if authors
            else Say.of("The template writes both.")
            if prompt.engine != LLAMA_CPP
            else Say.of("The template writes one, and the tokenizer adds one that isn't the template's."),
            None,
            0,
            2,
        )
        return
    added = prompt.tokenizer.encode(prompt.text).ids if ids else []
    if len(added) > len(ids) and added[0] == ids[0] == added[1]:
        yield Finding(
            Kind.BOS_TWICE,
            Say.of("With the tokenizer's defaults the prompt begins with {0:q} twice.", prompt.spelled(0)),
            Say.of("The template writes it, and so does the tokenizer; encode this text without added tokens."),
            None,
            0,
            1,
        )


def no_question(prompt: Prompt) -> Iterator[Finding]:
    """Nothing at the end asks for an answer."""
    call = prompt.call
    if call.continue_final or call.messages[-1].get("role") == "assistant":
        return
    try:
        other = prompt.changed(add_generation_prompt=not call.add_generation_prompt)
    except InputError:
        return
    if other.text == prompt.text:
        yield Finding(
            Kind.NO_QUESTION,
            Say.of("This template writes the same with and without a generation prompt."),
            Say.of("It doesn't read add_generation_prompt, or ignores it for these messages."),
        )
    elif not call.add_generation_prompt:
        yield Finding(
            Kind.NO_QUESTION,
            Say.of("Nothing asks for an answer: the model may go on writing for the user."),
            Say.of("The generation prompt is switched off."),
        )


def raw(prompt: Prompt) -> Iterator[Finding]:
    """Content in parts that the template writes as Python's data, with its keys."""
    kinds = {origin.path[1] for origin in prompt.rendering.origins if _is_kind_of_part(origin.path)}
    for index in sorted(kinds):
        yield Finding(
            Kind.RAW,
            Say.of("The content of message {0} is written as data, with brackets and keys.", index + 1),
            Say.of("The template takes a text, not a list of parts; send the content as a text."),
            index,
        )


def _is_kind_of_part(path: Path) -> TypeGuard[tuple[str, int, str, int, str]]:
    """Whether this is the path of a part's "type", or of that key, in a message's content."""
    return len(path) == 5 and path[0] == "messages" and path[2] == "content" and path[4] == "type"


def as_html(prompt: Prompt) -> Iterator[Finding]:
    """Characters that the template wrote as HTML."""
    if not (places := html_places(prompt)):
        return
    start, end = places[0]
    written = prompt.text[start:end]
    lines = ", ".join(map(str, sorted({line_at(prompt, place) for place, _ in places[:100]} - {0})))
    cause = html_cause(prompt, len(places))
    first, last = prompt.tokens_in(start, end)
    yield Finding(
        Kind.HTML,
        Say.of("{0} characters are HTML-escaped: {1:q} is {2:q}.", len(places), unescape(written), written),
        Say.of(
            "The filter {0:q} makes Markup, and + escapes each other string that it joins to it, in line {1:t}. "
            "Without the filter nothing is escaped.",
            cause,
            lines,
        )
        if cause == "safe"
        else Say.of("{0:q} escapes it, in line {1:t}. Without it nothing is escaped.", cause, lines)
        if cause
        else Say.of("Line {0:t} writes it.", lines),
        prompt.tokens[first].authors[0] if last else None,
        first,
        last,
    )


def again(prompt: Prompt) -> Iterator[Finding]:
    """Arguments and schemas that were sent as a string of JSON, and are encoded once more."""
    for path, start, end in encoded_again(prompt):
        yield Finding(
            Kind.AGAIN,
            Say.of(
                "{0:t} The template encodes it again: the model reads {1:q}.",
                of_field(path, "is a string of JSON"),
                prompt.text[start : min(end, start + 30)],
            ),
            Say.of(
                "vLLM{0:t} an object of arguments before the template runs; transformers doesn't. Send an object.",
                " makes" if not _parses(prompt) else " and llama.cpp make",
            )
            if path[-1] == "arguments"
            else Say.of("Send an object instead of a string."),
            int(path[1]) if path[0] == "messages" else None,
            *prompt.tokens_in(start, end),
        )


def _parses(prompt: Prompt) -> bool:
    """Whether llama.cpp makes an object of arguments for this template."""
    try:
        return capabilities(prompt.rendering.source).supports_object_arguments
    except InputError:
        return False


def goes_on(prompt: Prompt) -> Iterator[Finding]:
    """An answer at the end, which llama-server would continue."""
    is_answer = prompt.call.messages[-1].get("role") == "assistant"
    if prompt.engine == LLAMA_CPP and is_answer and not prompt.call.continue_final:
        yield Finding(
            Kind.GOES_ON,
            Say.of("llama-server continues the answer at the end, and doesn't end it as here."),
            Say.of("Set continue_final_message to see that prompt; --no-prefill-assistant switches it off."),
            len(prompt.call.messages) - 1,
        )


def left_out(prompt: Prompt) -> Iterator[Finding]:
    """Texts of messages that the prompt doesn't hold, or not all of."""
    computed = _computed(prompt)
    for index, message in enumerate(prompt.call.messages):
        for path, text in _texts(message.get("content"), ("messages", index, "content")):
            kept = covered(prompt.rendering, path)
            if not kept and text.strip() and text.strip() in computed:
                continue  # there by a way that isn't followed
            if runs := list(_lost(prompt.text, text, kept)):
                yield _left_out(prompt, path, message, text, runs, not kept)
        texts = {message[name] for name in REASONING if isinstance(message.get(name), str) and message[name].strip()}
        if texts and not any(covered(prompt.rendering, ("messages", index, name)) for name in REASONING):
            if any(text.strip() in computed for text in texts):
                continue
            yield Finding(
                Kind.REASONING,
                Say.of("The reasoning of message {0} is not in the prompt.", index + 1),
                Say.of("The template leaves it out, so a cache of the model's own answer doesn't fit the next prompt."),
                index,
            )


def tools(prompt: Prompt) -> Iterator[Finding]:
    """Tools, and calls of tools, of which the prompt holds nothing."""
    computed = _computed(prompt)
    seen = {
        origin.path[:3] if origin.path[:1] == ("messages",) else origin.path[:1] for origin in prompt.rendering.origins
    }
    if prompt.call.tools and ("tools",) not in seen and not any(name in computed for name in _names(prompt.call.tools)):
        yield Finding(
            Kind.TOOLS,
            Say.of("The tools are not in the prompt."),
            Say.of("This template writes none: the model can't know that it may call them."),
        )
    for index, message in enumerate(prompt.call.messages):
        calls = message.get("tool_calls")
        if not isinstance(calls, list) or not calls or ("messages", index, "tool_calls") in seen:
            continue
        if not any(name in computed for name in _names(calls)):
            yield Finding(
                Kind.TOOLS,
                Say.of("The tool calls of message {0} are not in the prompt.", index + 1),
                Say.of("This template writes none: the model reads a result that it never asked for."),
                index,
            )


def _names(items: Sequence[Any]) -> Iterator[str]:
    """The names of the functions in tools or calls, those that are there."""
    for item in items:
        function = item.get("function", item) if isinstance(item, Mapping) else None
        name = function.get("name") if isinstance(function, Mapping) else None
        if isinstance(name, str) and name:
            yield name


def _computed(prompt: Prompt) -> str:
    """The stretches of the prompt whose origin isn't followed, with a null character between them."""
    return "\0".join(
        prompt.text[origin.start : origin.end]
        for origin in prompt.rendering.origins
        if not origin.path and origin.offset < 0
    )


def _lost(prompt: str, text: str, kept: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """[start, end) of what the prompt doesn't hold of a text. kept: the offsets that are copied, with their indices.

    What the template writes again at its place isn't lost: the tags around a thought, and what stands between the words
    that it splits and joins. White space at an end is lost where it is stripped: the prompt is the same without it.
    """
    missing = sorted(set(range(len(text))) - kept.keys())
    if not kept and missing:
        yield 0, len(text)
        return
    for _, group in groupby(enumerate(missing), lambda pair: pair[1] - pair[0]):
        indices = [index for _, index in group]
        start, end = indices[0], indices[-1] + 1
        before, after = kept.get(start - 1), kept.get(end)
        between = prompt[0 if before is None else before + 1 : len(prompt) if after is None else after]
        run = text[start:end]
        bare = run.strip()
        if before is not None and after is not None:
            again = (bare or run) in between
        elif before is None:
            again = bool(bare) and between.rstrip().endswith(bare)
        else:
            again = bool(bare) and between.lstrip().startswith(bare)
        if not again:
            yield start, end


def _left_out(
    prompt: Prompt, path: Path, message: Any, text: str, runs: list[tuple[int, int]], all_of_it: bool
) -> Finding:
    index = int(path[1])
    lost = "".join(text[start:end] for start, end in runs)
    if not lost.strip():
        return Finding(
            Kind.STRIPPED,
            Say.of("White space of message {0} is gone: {1} of {2} characters.", index + 1, len(lost), len(text)),
            Say.of("The template trims the text before it writes it."),
            index,
        )
    if all_of_it:
        system = message.get("role") in ("system", "developer")
        return Finding(
            Kind.SYSTEM if system else Kind.DROPPED,
            Say.of("Message {0} is not in the prompt.", index + 1),
            _decided(prompt, path, str(message.get("role"))),
            index,
        )
    closed = text.find("</think>")
    thought = any(text[start : min(end, closed)].removeprefix("<think>").strip() for start, end in runs)
    first = text[runs[0][0] : min(runs[0][1], runs[0][0] + 20)]
    return Finding(
        Kind.REASONING if thought and closed >= 0 else Kind.PART,
        Say.of("{0} of {1} characters of message {2} are not in the prompt.", len(lost), len(text), index + 1),
        Say.of("What is missing begins with {0:q}{1:t}.", first, by_lines(*_cut(prompt, text[slice(*runs[0])])))
        if len(runs) == 1
        else Say.of("They are missing in {0} places; the first begins with {1:q}.", len(runs), first),
        index,
    )


def _cut(prompt: Prompt, lost: str) -> tuple[int, int]:
    return cut_off(prompt.rendering.steps, prompt.rendering.operands, lost)


def _decided(prompt: Prompt, path: Path, role: str) -> Say:
    """Why a message isn't in the prompt: the line that tests otherwise for a message of another role."""
    index = int(path[1])
    for other in ROLES:
        messages = [{**each, "role": other} if at == index else each for at, each in enumerate(prompt.call.messages)]
        try:
            made = prompt.changed(messages=messages).rendering
            taken = bool(covered(made, path))
        except TemplateFailed as error:
            made, taken = error.rendering, True  # it may refuse what it reads now
        except InputError:
            continue
        if other == role or made is None or not taken:
            continue
        operands = prompt.rendering.operands
        for one, beside in zip(prompt.rendering.steps, made.steps, strict=False):
            if one.operand != beside.operand:
                break
            if operands[one.operand].kind == "test" and bool(one.value) != bool(beside.value):
                return Say.of(
                    "Line {0:i} leaves it out: its test turns out otherwise for a {1:q} message.",
                    operands[one.operand].line,
                    other,
                )
    return Say.of("The template writes no {0:q} message here, or writes it changed.", role)


def straddles(prompt: Prompt) -> Iterator[Finding]:
    """Tokens of two authors."""
    strings = {path for path, _, _ in encoded_again(prompt)}
    for index, token in enumerate(prompt.tokens):
        if len(token.authors) < 2 or any(origin.path in strings for origin in token.origins):
            continue
        spelling = prompt.spelled(index)
        message = next(author for author in token.authors if author is not None)
        yield Finding(
            Kind.STRADDLES,
            Say.of("{0:q} is one token, and message {1} wrote only a part of it.", spelling, message + 1),
            Say.of("Neither part alone gives id {0:i}.", token.id),
            message,
            index,
            index + 1,
        )


def moved(prompt: Prompt) -> Iterator[Finding]:
    """A message whose text stands after that of a later one."""
    latest = -1
    seen: set[int] = set()
    for origin in prompt.rendering.origins:
        message = origin.message
        if message is None:
            continue
        if message < latest and message not in seen:
            seen.add(message)
            yield Finding(
                Kind.MOVED,
                Say.of("Message {0} stands after message {1} in the prompt.", message + 1, latest + 1),
                Say.of("The template writes messages in another order than you sent them."),
                message,
            )
        latest = max(latest, message)


def date(prompt: Prompt) -> Iterator[Finding]:
    """A date that the template writes."""
    for text in dict.fromkeys(prompt.rendering.dates):
        yield Finding(
            Kind.DATE,
            Say.of("The template writes a date: {0:q}.", text),
            Say.of("The same messages give another prompt on another day."),
        )


SYSTEM_MESSAGE: Final = {"role": "system", "content": "Be brief."}
"""What stands in for a system message, to see what a template writes without one."""


def own_system(prompt: Prompt) -> Iterator[Finding]:
    """What the template writes where a system message would stand, if none was sent."""
    messages = prompt.call.messages
    if any(message.get("role") in ("system", "developer") for message in messages):
        return
    try:
        other = prompt.changed(messages=[SYSTEM_MESSAGE, *messages])
    except InputError:
        return
    places = covered(other.rendering, ("messages", 0, "content"))
    if len(places) != len(SYSTEM_MESSAGE["content"]):
        return
    start, rest = places[0], other.text[max(places.values()) + 1 :]
    end = len(prompt.text) - len(rest)
    own = prompt.text[start:end]
    if not own.strip() or not prompt.text.startswith(other.text[:start]) or not prompt.text.endswith(rest):
        return
    first, last = prompt.tokens_in(start, end)
    origin = next(each for each in prompt.rendering.origins if each.end > start)
    if origin.path:
        return
    yield Finding(
        Kind.OWN_SYSTEM,
        Say.of(
            "You sent no system message: the template writes its own, {0} of {1} tokens.",
            last - first,
            len(prompt.tokens),
        ),
        Say.of("Line {0:i} writes it.", prompt.rendering.operands[origin.operand].line),
        None,
        first,
        last,
    )


def _texts(content: Any, path: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The texts of a message's content: one, or those of its typed parts."""
    if isinstance(content, str):
        yield path, content
    elif isinstance(content, list):
        for index, part in enumerate(content):
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield (*path, index, "text"), part["text"]


LOOKS: Final[tuple[Callable[[Prompt], Iterator[Finding]], ...]] = (
    *(control, bos_twice, no_question, raw, as_html, again, left_out, tools),
    *(straddles, moved, date, own_system, goes_on),
)
