"""What is worth a look in a prompt: BOS twice, a control token in a user's text, a message that is left out.

Each finding is computed from the prompt, never guessed from a template's source: what is missing is what no character
of the prompt was copied from, what straddles has two authors. What is encoded once more (text as HTML, JSON in a
string as JSON) is seen in the prompt: of one character that was sent, several were written; what causes HTML is found
by rendering without it. Findings come in order of weight.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from html import unescape
from typing import Any, TypeGuard

from explorer.errors import InputError
from explorer.implementations.opened import Opened
from explorer.prompts import model_input
from explorer.prompts.finding import Finding, Kind
from explorer.prompts.left_out import fields, left_out, names, tools
from explorer.prompts.llama_cpp.conversation import by_path, capabilities
from explorer.prompts.messages import Path, dotted
from explorer.prompts.model_input import LLAMA_CPP, Prompt, covered
from explorer.prompts.rendering import Origin
from explorer.prompts.run import WORDS, of_field
from explorer.prompts.templates import MARK, own_templates
from explorer.text.hidden import HIDDEN, Hidden, hidden
from explorer.text.say import Say, Text, listed
from explorer.vocabulary import PieceKind, Vocabulary

MARKER = re.compile(
    r"<\|[^\s<>|]{1,60}\|>|<｜[^\s<>｜]{1,60}｜>|<(?:start_of_turn|end_of_turn|bos|eos|/?s)>"
    r"|<</?SYS>>|\[/?INST\]"
)
"""What control tokens of known templates look like."""
SPELLED = re.compile(r"</?[A-Za-z_][\w:.-]{0,40}>|\[/?[A-Za-z_]{2,40}\]")
"""What may be one, if the vocabulary has it."""
PLAIN = frozenset({"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"})
"""Markers that are plain text by design, in vocabularies whose BOS is `<s>`: Llama 2 and the first Mistral."""


def marker_spans(text: str, vocabulary: Vocabulary) -> Iterator[tuple[int, int]]:
    """[start, end) of what looks like a control token, but for what is text by design."""
    bos = vocabulary.ids.get(b"<s>")
    by_design = PLAIN if bos is not None and vocabulary.is_special(bos) else ()
    for match in re.finditer(f"{MARKER.pattern}|{SPELLED.pattern}", text):
        if match[0].encode() in vocabulary.ids or (MARKER.fullmatch(match[0]) and match[0] not in by_design):
            yield match.span()


def all_tokens(text: str, vocabulary: Vocabulary) -> bool:
    """Whether there is a marker in a text, and each is a control token."""
    spelled = {text[start:end] for start, end in marker_spans(text, vocabulary)}
    ids = [vocabulary.ids.get(each.encode()) for each in spelled if MARKER.fullmatch(each)]
    return bool(ids) and all(id is not None and vocabulary.is_special(id) for id in ids)


KINDS = {
    PieceKind.NORMAL: Text("normal"),
    PieceKind.UNUSED: Text("unused"),
    PieceKind.USER_DEFINED: Text("user-defined"),
}
"""What a file calls a piece that is no control token."""


ENTITY = re.compile(r"&(?:amp|lt|gt|#34|#39|quot);")


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
    """What escapes: without it, fewer places are HTML. A key of the table escaping, "" if unknown."""
    for name, (pattern, instead) in WORDS["escaping"].items():
        source = re.sub(pattern, instead, prompt.rendering.source)
        with suppress(InputError):
            if source != prompt.rendering.source and len(html_places(prompt.changed(source))) < count:
                return str(name)
    return ""


def lines_of(source: str, cause: str) -> list[int]:
    """The lines of a template that escape this way."""
    matches = re.finditer(WORDS["escaping"][cause][0], source)
    return sorted({source.count("\n", 0, match.start()) + 1 for match in matches})


def line_at(prompt: Prompt, position: int) -> int:
    """The line of the template that wrote a character of the prompt, 0 if unknown."""
    operands = prompt.rendering.operands
    steps = (step for step in prompt.rendering.steps if step.start <= position < step.end)
    if (step := next(steps, None)) is not None:
        return operands[step.operand].line
    here = (each.operand for each in prompt.rendering.origins if each.start <= position < each.end)
    return operands[operand].line if (operand := next(here, -1)) >= 0 else 0


def encoded_again(prompt: Prompt) -> Iterator[tuple[Path, int, int]]:
    """Strings in JSON, of tool calls and tools, that stand in the prompt as JSON of a string: path, [start, end)."""
    call = prompt.call
    roots: list[tuple[Any, Path]] = [(call.tools or [], ("tools",))]
    roots += [(each.get("tool_calls"), ("messages", at, "tool_calls")) for at, each in enumerate(call.messages)]
    for root, place in roots:
        for path, text in by_path(root, place):
            if not isinstance(text, str) or not _is_json(text):
                continue
            kept = covered(prompt.rendering, path, last=True)  # a key is before it
            if 0 not in kept:
                continue
            quote, last = text.find('"'), len(text) - 1
            start, end = kept[0], kept.get(last, kept[max(kept)]) + 1
            around = prompt.text[max(start - 1, 0) : start] + prompt.text[end : end + 1]
            escaped = prompt.text[kept[quote] : kept[quote] + 2] == '\\"' if quote in kept else around == '""'
            if escaped:
                yield path, start, end


def _is_json(text: str) -> bool:
    if text.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


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
        if token.piece not in prompt.spelled(index):  # unknown characters spell no token
            continue
        message = token.origins[0].message
        yield Finding(
            Kind.CONTROL,
            Say("{0:q} in {1} is read as a control token.", prompt.spelled(index), writer),
            Say(
                "Id {0:i} is the same as the template's own: whoever wrote this can end a turn or begin one.", token.id
            ),
            message,
            index,
            index + 1,
        )


def _writer(origin: Origin) -> Say | None:
    """Who wrote a stretch, in words; None for the template and the special tokens that it is given."""
    if origin.message is not None:
        return Say("message {0}", origin.message + 1)
    match origin.path:
        case ("messages", int(index), *_):
            return Say("the role of message {0}", index + 1)
        case ("tools" | "documents" as name, *_):
            return Say("the {0:t}", name)
        case (str(name), *_) if not name.endswith("_token"):
            return Say("the variable {0:q}", name)
    return None


def hidden_text(prompt: Prompt) -> Iterator[Finding]:
    """Characters of the call that nobody sees, by message, tool or document."""
    call = prompt.call.to_json()
    roots = [(name, index) for name in ("messages", "tools", "documents") for index in range(len(call.get(name, ())))]
    for root in roots:
        runs = [
            (path, run)
            for path, text in by_path(call[root[0]][root[1]], root)
            if isinstance(text, str) and not text.isprintable()
            for run in hidden(text)
        ]
        if runs:
            yield _hidden(prompt, call, root, runs)


def _hidden(prompt: Prompt, call: dict[str, Any], root: tuple[str, int], runs: list[tuple[Path, Hidden]]) -> Finding:
    name, index = root
    counts: Counter[str] = Counter()
    for _, run in runs:
        counts[run.kind] += run.end - run.start
    carried = [(run.says, run.end - run.start) for _, run in runs if run.says.strip()]
    where = _writer(Origin(0, 0, root)) if name == "messages" else Say("{0:t}", dotted(root))
    place = where or ""
    sentence = Say(
        "Nobody sees {0} character of {1}.", counts.total(), place, many="Nobody sees {0} characters of {1}."
    )
    if carried:
        sentence = Say(
            "Nobody sees {0} characters of {1}; {2} of them say {3:q}.",
            counts.total(),
            place,
            sum(each for _, each in carried),
            " ".join(says for says, _ in carried),
        )
    kinds = listed([Text("{0:t} ({1})", HIDDEN[kind][0], count) for kind, count in counts.most_common()], each="{0:t}")
    reason = Say("They are {0}. A model can read them, a person can't; take them out.", kinds)
    items = [shown_alone(each) if at == index else each for at, each in enumerate(call[name])]
    with suppress(InputError):
        without = prompt.changed(None, **{name: items})
        cost = len(prompt.ids) - len(without.ids)
        reason = Say("They take {0} of {1} tokens.", cost, len(prompt.ids)).then(reason)
    path, run = runs[0]
    at = covered(prompt.rendering, path).get(run.start)
    tokens = (0, 0) if at is None else prompt.tokens_in(at, at + 1)
    return Finding(Kind.HIDDEN, sentence, reason, index if name == "messages" else None, *tokens, 0, path)


def shown_alone(value: Any, put: Callable[[Hidden, str], str] = lambda run, characters: "") -> Any:
    """Data without the characters that nobody sees. put: what stands in place of a run instead."""
    if isinstance(value, str):
        text, at = "", 0
        for run in hidden(value):
            text, at = text + value[at : run.start] + put(run, value[run.start : run.end]), run.end
        return text + value[at:]
    if isinstance(value, Mapping):
        return {key: shown_alone(item, put) for key, item in value.items()}
    return [shown_alone(item, put) for item in value] if isinstance(value, list | tuple) else value


def borrowed(tokenizer: Opened, template: str, name: str) -> Say | None:
    """Says that a template is one of ours, because the model of this name has none; None for a model's own."""
    own = own_templates().get(template.removeprefix(MARK)) if template.startswith(MARK) else None
    if own is None or tokenizer.chat.sources:
        return None
    return Say("{0:t} has no chat template; this is {1:q}.", name, own.title)


def not_its_own(prompt: Prompt) -> Iterator[Finding]:
    """A template that the model wasn't published with."""
    if (said := borrowed(prompt.tokenizer, prompt.template, prompt.tokenizer.name)) is not None:
        yield Finding(Kind.BORROWED, said, _better(prompt))


def _better(prompt: Prompt) -> Say:
    """Which template writes markers that are tokens here."""
    tokenizer = prompt.tokenizer
    if tokenizer.chat.sources:
        with suppress(InputError):
            server = prompt.served.server.name if prompt.served else ""
            engine, sent = "" if server else prompt.engine, prompt.request or prompt.call
            own = model_input.prompt(tokenizer, sent, engine=engine, server=server, now=prompt.now)
            if not prompt.marks:
                words = "{0:t}'s own template needs {1} tokens for these messages, not {2}."
                return Say(words, tokenizer.name, len(own.ids), len(prompt.ids))
        return Say("Take the model's own template.")
    special = prompt.special_tokens
    fit = [
        f"{MARK}{name}"
        for name, own in own_templates().items()
        if not name.startswith("trap-")
        and all_tokens(own.source + "".join({**own.tokens, **special}.values()), tokenizer.vocabulary)
    ]
    if f"{MARK}{prompt.template.removeprefix(MARK)}" in fit:
        return Say("Its markers are tokens of this vocabulary.")
    if fit:
        return Say("The markers of {0} are tokens of this vocabulary.", listed(fit, each="{0:t}"))
    return Say(
        "No template here writes markers that are tokens of this vocabulary. {0:t} says turns in words.",
        f"{MARK}alpaca",
    )


def markers(prompt: Prompt) -> Iterator[Finding]:
    """Markers that the template writes and that aren't a control token."""
    vocabulary = prompt.tokenizer.vocabulary
    places: dict[str, list[tuple[int, int]]] = {}
    origins = prompt.rendering.origins
    starts = [each.start for each in origins]
    for start, end in marker_spans(prompt.text, vocabulary):
        writers = origins[max(0, bisect_right(starts, start) - 1) : bisect_left(starts, end)]
        if all(_writer(each) is None or each.path[2:] == ("role",) for each in writers):
            places.setdefault(prompt.text[start:end], []).append(prompt.tokens_in(start, end))
    better = None
    for spelled, spans in places.items():
        start, end = spans[0]
        id, count = vocabulary.ids.get(spelled.encode()), end - start
        alone = count == 1 and prompt.ids[start] == id
        if alone and (vocabulary.is_special(prompt.ids[start]) or not MARKER.fullmatch(spelled)):
            continue
        line = line_at(prompt, max(prompt.tokens[start].start, 0))
        if id is None:
            said = Say(
                "{0:q} is no token of {1:t}: it is read as {2} tokens of text.", spelled, prompt.tokenizer.name, count
            )
            times = Say("The template writes it {0} time.", len(spans), many="The template writes it {0} times.")
            better = better or _better(prompt)  # renders once for all
            reason = times.then(better)
        elif not (kind := KINDS.get(vocabulary.kind(id))):
            said = Say("{0:q} is token {1:i}, but it is read as {2} tokens of text.", spelled, id, count)
            reason = Say("This program doesn't read it in a text. Add its id beside the text.")
        elif alone:
            said = Say("{0:q} is token {1:i}, which the file calls {2:t}.", spelled, id, kind)
            reason = Say("It isn't special: a user's text can write it, and decoding doesn't leave it out.")
        else:
            said = Say(
                "{0:q} is token {1:i}, but the file calls it {2:t}: it is read as {3} tokens of text.",
                spelled, id, kind, count,
            )  # fmt: skip
            reason = Say("Mark it as a control token in the file.")
        yield Finding(Kind.USER_DEFINED if alone else Kind.MARKER, said, reason, None, start, end, line)


def bos_twice(prompt: Prompt) -> Iterator[Finding]:
    """BOS from the template, and again from the tokenizer where its defaults are used; or twice from the template."""
    ids = prompt.ids
    if len(ids) > 1 and ids[0] == ids[1] and prompt.tokenizer.vocabulary.is_special(ids[0]):
        authors = {author for token in prompt.tokens[:2] for author in token.authors if author is not None}
        yield Finding(
            Kind.BOS_TWICE,
            Say("The prompt begins with {0:q} twice.", prompt.spelled(0)),
            Say("The template writes one, and message {0} begins with one.", min(authors) + 1)
            if authors
            else Say("The template writes both.")
            if prompt.engine != LLAMA_CPP
            else Say("The template writes one, and the tokenizer adds one that isn't the template's."),
            None,
            0,
            2,
        )
        return
    added = prompt.tokenizer.encode(prompt.text).ids if ids else []
    if len(added) > len(ids) and added[0] == ids[0] == added[1]:
        yield Finding(
            Kind.BOS_TWICE,
            Say("With the tokenizer's defaults the prompt begins with {0:q} twice.", prompt.spelled(0)),
            Say("The template writes it, and so does the tokenizer; encode this text without added tokens."),
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
            Say("This template writes the same with and without a generation prompt."),
            Say("It doesn't read add_generation_prompt, or ignores it for these messages."),
        )
    elif not call.add_generation_prompt:
        yield Finding(
            Kind.NO_QUESTION,
            Say("Nothing asks for an answer: the model may go on writing for the user."),
            Say("The generation prompt is switched off."),
        )


def raw(prompt: Prompt) -> Iterator[Finding]:
    """Content in parts that the template writes as Python's data, with its keys."""
    kinds = {origin.path[1] for origin in prompt.rendering.origins if _is_kind_of_part(origin.path)}
    for index in sorted(kinds):
        yield Finding(
            Kind.RAW,
            Say("The content of message {0} is written as data, with brackets and keys.", index + 1),
            Say("The template takes a text, not a list of parts; send the content as a text."),
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
        Say("{0} characters are HTML-escaped: {1:q} is {2:q}.", len(places), unescape(written), written),
        Say(
            "The filter {0:q} in line {2:t} makes Markup, and + escapes each other string that it joins to it, in "
            "line {1:t}. Without the filter nothing is escaped.",
            cause,
            lines,
            ", ".join(str(line) for line in lines_of(prompt.rendering.source, cause)),
        )
        if cause == "safe"
        else Say("{0:q} escapes it, in line {1:t}. Without it nothing is escaped.", cause, lines)
        if cause
        else Say("Line {0:t} writes it.", lines),
        prompt.tokens[first].authors[0] if last else None,
        first,
        last,
    )


def again(prompt: Prompt) -> Iterator[Finding]:
    """Arguments and schemas that were sent as a string of JSON, and are encoded once more."""
    for path, start, end in encoded_again(prompt):
        yield Finding(
            Kind.AGAIN,
            Say(
                "{0:t} The template encodes it again: the model reads {1:q}.",
                of_field(path, "json"),
                prompt.text[start : min(end, start + 30)],
            ),
            Say(
                "vLLM{0:t} an object of arguments before the template runs; transformers doesn't. Send an object.",
                " makes" if not _parses(prompt) else " and llama.cpp make",
            )
            if path[-1] == "arguments"
            else Say("Send an object instead of a string."),
            int(path[1]) if path[0] == "messages" else None,
            *prompt.tokens_in(start, end),
            line_at(prompt, start),
            path,
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
            Say("llama-server continues the answer at the end, and doesn't end it as here."),
            Say("Set continue_final_message to see that prompt; --no-prefill-assistant switches it off."),
            len(prompt.call.messages) - 1,
        )


def tool_tokens(prompt: Prompt) -> Iterator[Finding]:
    """How many tokens each tool takes, the most first."""
    if owned := tools_of(prompt):
        each = [f"{name} ({last - first})" for name, first, last in owned]
        yield Finding(
            Kind.TOOL_TOKENS,
            Say(
                "The definition of {0} tool takes {1} of {2} tokens.",
                len(owned),
                sum(last - first for _, first, last in owned),
                len(prompt.ids),
                many="The definitions of {0} tools take {1} of {2} tokens.",
            ),
            Say("By tool: {0}.", listed(each, 20, "{0:t}")),
            None,
            *owned[0][1:],
        )


def tools_of(prompt: Prompt) -> list[tuple[str, int, int]]:
    """The tools of a prompt: name, [first, last) of the tokens of its definition; those with the most come first.

    A definition is what the template's writes hold that copy of this tool alone; of a write that copies several, the
    object in its JSON.
    """
    text, spans = prompt.text, dict[int, list[int]]()
    for origin in prompt.rendering.origins:
        if origin.path[:1] == ("tools",) and len(origin.path) > 1:
            span = spans.setdefault(int(origin.path[1]), [origin.start, origin.end])
            span[1] = max(span[1], origin.end)
    for step in prompt.rendering.steps:
        inside = [at for at, (start, end) in spans.items() if step.start < end and step.end > start]
        if len(inside) == 1 and step.end > step.start:
            span = spans[inside[0]]
            span[:] = min(span[0], step.start), max(span[1], step.end)
        elif inside:
            parts = {at: (spans[at][0], spans[at][1]) for at in inside}
            for at, part in parts.items():
                first = max([step.start, *(end for _, end in parts.values() if end <= part[0])])
                last = min([step.end, *(start for start, _ in parts.values() if start >= part[1])])
                spans[at][:] = _object_around(text, part, first, last)
    called = [next(names([tool]), "") for tool in prompt.call.tools or []]
    owned = [
        (called[at], *_owned(prompt, start, end))
        for at, (start, end) in spans.items()
        if at < len(called) and called[at]
    ]
    return sorted(owned, key=lambda each: each[1] - each[2])


def _owned(prompt: Prompt, start: int, end: int) -> tuple[int, int]:
    """[first, last) of the tokens that begin in [start, end)."""
    starts = [token.start for token in prompt.tokens]
    return bisect_left(starts, start), bisect_left(starts, end)


def _object_around(text: str, part: tuple[int, int], first: int, last: int) -> tuple[int, int]:
    """[start, end) of the largest object of JSON around a part in text[first:last]; the part if none is there."""
    start, end = found = part
    for at in range(start - 1, max(first, start - MOST_BEFORE) - 1, -1):
        if text[at] == "{":
            with suppress(ValueError, RecursionError):
                _, after = DECODER.raw_decode(text[:last], at)
                found = (at, after) if after >= end else found
    return found


DECODER = json.JSONDecoder()

MOST_BEFORE = 200
"""Characters before a tool's first string in which its object begins."""


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
            Say("{0:q} is one token, and message {1} wrote only a part of it.", spelling, message + 1),
            Say("Neither part alone gives id {0:i}.", token.id),
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
                Say("Message {0} stands after message {1} in the prompt.", message + 1, latest + 1),
                Say("The template writes messages in another order than you sent them."),
                message,
            )
        latest = max(latest, message)


def date(prompt: Prompt) -> Iterator[Finding]:
    """A date that the template writes."""
    for text in dict.fromkeys(prompt.rendering.dates):
        yield Finding(
            Kind.DATE,
            Say("The template writes a date: {0:q}.", text),
            Say("The same messages give another prompt on another day."),
        )


SYSTEM_MESSAGE = {"role": "system", "content": "Be brief."}
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
        Say(
            "You sent no system message: the template writes its own, {0} of {1} tokens.",
            last - first,
            len(prompt.tokens),
        ),
        Say("Line {0:i} writes it.", prompt.rendering.operands[origin.operand].line),
        None,
        first,
        last,
    )


LOOKS: tuple[Callable[[Prompt], Iterator[Finding]], ...] = (
    control,
    hidden_text,
    markers,
    not_its_own,
    bos_twice,
    no_question,
    raw,
    as_html,
    again,
    left_out,
    tools,
    straddles,
    moved,
    date,
    own_system,
    goes_on,
    fields,
    tool_tokens,
)
