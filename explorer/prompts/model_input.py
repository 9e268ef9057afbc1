"""What a model reads of messages: the text that a template makes of them, its ids, and who wrote each token.

Ids are those of `apply_chat_template(..., tokenize=True)`: the text is encoded without tokens around it, because the
template writes its own, and special tokens are read wherever they stand, in a user's text, too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from explorer.engine import budget
from explorer.engine.tokenizer import Encoding
from explorer.errors import InputError
from explorer.hooks import HOOKS
from explorer.hooks import show as shown
from explorer.implementations.opened import Opened
from explorer.prompts.formats import FUNCTIONS, Controls, format_with
from explorer.prompts.guards import guarded
from explorer.prompts.messages import Call
from explorer.prompts.program import SECONDS, program
from explorer.prompts.rendering import Marks, Origin, Rendering, control_tokens, render
from explorer.prompts.run import TemplateFailed, explain
from explorer.prompts.templates import MARKS, own_template
from explorer.text.say import Text

if TYPE_CHECKING:
    from explorer.prompts.requests import Served


TRANSFORMERS = "transformers"
LLAMA_CPP = "llama.cpp"
ENGINES = (TRANSFORMERS, LLAMA_CPP)
"""Who can render a template."""
ADDED = "added-tokens"
"""The rule of llama.cpp (`llama_cpp.rules`) by which its vocabulary's tokens are added, and stripped from the text."""


class PromptToken(NamedTuple):
    """A token of a prompt. start, end: in the prompt's text. origins: who wrote its characters, in order."""

    id: int
    piece: str
    start: int
    end: int
    origins: tuple[Origin, ...]

    @property
    def authors(self) -> tuple[int | None, ...]:
        """The messages that wrote it, None for the template or the tokenizer; more than one where it straddles."""
        return tuple(dict.fromkeys(origin.message for origin in self.origins)) or (None,)


@dataclass(frozen=True)
class Prompt:
    """What a model reads of a call.

    template: the name of the template. special_tokens: those that it was given. engine: who rendered it. marks: where
    control tokens in messages are read as text. without: rules of llama.cpp that were left out. now: the day for a
    template that writes it, None for today. served: what a server made of the request, None for a call as it is.
    request: the call before that.
    """

    tokenizer: Opened
    call: Call
    template: str
    special_tokens: Mapping[str, str]
    rendering: Rendering
    engine: str = TRANSFORMERS
    marks: Marks | None = None
    without: frozenset[str] = frozenset()
    now: datetime | None = None
    served: Served | None = None
    request: Call | None = None

    @property
    def text(self) -> str:
        """The prompt as text."""
        return self.rendering.text

    @cached_property
    def ids(self) -> list[int]:
        """The prompt as ids."""
        return self.encoding.ids

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding of the text."""
        if self.marks is not None:
            tokens = tuple(self.marks.tokens(self.tokenizer, self.text, self.rendering.pieces))
            return Encoding.of(tokens, self.tokenizer.vocabulary, self.tokenizer.token_bytes)
        # llama-server has stripped what its vocabulary adds
        return self.tokenizer.encode(self.text, add_special=self.engine == LLAMA_CPP and ADDED not in self.without)

    @cached_property
    def tokens(self) -> tuple[PromptToken, ...]:
        """The tokens, with who wrote them."""
        origins = self.rendering.origins
        starts = [origin.start for origin in origins]
        tokens, at = [], 0
        for id, span in zip(self.encoding.ids, self.encoding.spans, strict=True):
            # a token without a span stands where the one before it ends
            start, end = span or (at, at)
            first = max(0, bisect_right(starts, start) - 1)
            last = max(first + 1, bisect_right(starts, max(start, end - 1)))
            spelling = self.tokenizer.vocabulary.spelling(id)
            writers = origins[first:last] if span and self.text else ()
            tokens.append(PromptToken(id, spelling, start, end, writers))
            at = end
        return tuple(tokens)

    @cached_property
    def findings(self) -> tuple[Any, ...]:
        """What is worth a look, the heaviest first: `findings.Finding`."""
        return tuple(HOOKS["findings"](self))

    def _repr_html_(self) -> str:
        """A row for each message, its tokens in the color of who wrote them, for notebooks."""
        made: str = HOOKS["prompt_html"](self)
        return made

    def show(self, **asked: Any) -> Any:
        """The template's run as a page that plays in a notebook: `explorer.saved.explore.Shown`."""
        return shown("prompt", self, **asked)

    def mask(self) -> list[int]:
        """1 for each token that `{% generation %}` marks, as `return_assistant_tokens_mask` gives it.

        All zeros where the template marks nothing. A block that ends in the prompt's first token runs to the end, as
        in `transformers` (huggingface/transformers#47325).
        """
        mask = [0] * len(self.tokens)
        for start, end in self.rendering.generation:
            first, last = self._token_at(start), self._token_at(end - 1)
            if first is None:
                break
            for index in range(first, last + 1 if last else len(mask)):
                mask[index] = 1
        return mask

    def author_mask(self, role: str = "assistant") -> list[int]:
        """1 for each token of which a message with this role wrote a part."""
        roles = [message.get("role") for message in self.call.messages]
        return [int(any(each is not None and roles[each] == role for each in token.authors)) for token in self.tokens]

    def find(self, ids: Sequence[int]) -> list[int]:
        """Where a list of ids occurs among the prompt's, such as a response template for a loss mask."""
        ids = list(ids)
        return [
            index for index in range(len(self.ids) - len(ids) + 1) if ids and self.ids[index : index + len(ids)] == ids
        ]

    def spelled(self, index: int, count: int = 1) -> str:
        """Tokens as they stand in the text."""
        tokens = self.tokens[index : index + count]
        return "".join(self.text[token.start : token.end] or token.piece for token in tokens)

    def _token_at(self, position: int) -> int | None:
        return next((i for i, token in enumerate(self.tokens) if token.start <= position < token.end), None)

    def tokens_in(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that share a character with [start, end) of the text, as [first, last); 0 and 0 for none."""
        starts, ends = self._edges
        first, last = bisect_right(ends, start), bisect_left(starts, end)
        return (first, last) if first < last else (0, 0)

    @cached_property
    def _edges(self) -> tuple[list[int], list[int]]:
        """Where each token starts and where it ends; neither ever goes back."""
        return [token.start for token in self.tokens], [token.end for token in self.tokens]

    @cached_property
    def _asking(self) -> dict[int, Prompt]:
        return {}

    def before(self, index: int) -> Prompt:
        """The prompt of the messages before this one, which asks for it. Raises InputError.

        The last one is kept, because an answer and its next turn both ask for it: a long conversation has many.
        """
        known = self._asking.get(index)
        if known is None:
            asks: dict[str, Any] = {"add_generation_prompt": True, "continue_final": ""}
            if self.served and self.request:  # the server had less to go by then
                first = next((each[0] for each in self.served.sources[index:]), None)
                call = replace(self.request, messages=self.request.messages[:first], **asks)
                source = None if self.template.startswith(MARKS) else self.rendering.source
                server = self.served.server.name
                known = prompt(self.tokenizer, call, self.template, source=source, server=server, now=self.now)
            else:
                known = self.changed(messages=self.call.messages[:index], **asks)
            self._asking.clear()
            self._asking[index] = known
        return known

    def changed(self, source: str | None = None, **changes: Any) -> Prompt:
        """The prompt of a changed call, such as `changed(add_generation_prompt=False)`. source: of another template."""
        source = self.rendering.source if source is None else source
        made = rendered(
            self.tokenizer,
            self.engine,
            source,
            replace(self.call, **changes),
            self.special_tokens,
            now=self.now,
            marks=self.marks,
            without=self.without,
        )
        return replace(made, template=self.template)


def prompt(
    tokenizer: Opened,
    messages: Any,
    template: str = "",
    *,
    source: str | None = None,
    engine: str = "",
    server: str = "",
    control_as_text: bool = False,
    now: datetime | None = None,
    **changes: Any,
) -> Prompt:
    """What the model of a tokenizer reads of messages.

    messages: a list of them, an object in OpenAI's form, or a `Call`. template: the name of one of the model's own,
    `ours:NAME`, or `format:NAME`, which encodes by itself; the model's default if empty. source: a template's source
    instead. engine: transformers or llama.cpp; the tokenizer's own if empty. server: of `servers.SERVERS`, which
    changes the request first, and whose engine renders it. control_as_text: read control tokens in messages as text,
    as `sanitize_control_tokens` of transformers does. now: for a template that writes the date.
    changes: of the call, such as add_generation_prompt=False or variables={"enable_thinking": False}.

    Raises TemplateFailed or another InputError, whose message says what to do.

    >>> import explorer
    >>> hello = prompt(explorer.load("qwen2.5"), [{"role": "user", "content": "Hi"}], "ours:chatml")
    >>> [token.piece for token in hello.tokens if token.authors == (0,)]
    ['Hi']
    """
    call = as_call(messages, **changes)
    source, tokens = template_of(tokenizer, call, template, source)
    served, sent = None, call
    if format_with(source) and (server or engine or control_as_text):
        raise InputError(
            "A format has code of its own, which reads control tokens in messages as text or not: "
            "leave out the server, the engine and how control tokens are read."
        )
    if server:
        if engine or control_as_text:
            raise InputError(
                "A server has its own engine: give a server, or an engine and how it reads control tokens."
            )
        served, sent = as_served(server, call, source)
        engine = served.server.engine
    engine = engine or (LLAMA_CPP if tokenizer.implementation == LLAMA_CPP else TRANSFORMERS)
    if engine not in ENGINES:
        raise InputError(f"There is no engine {engine!r}; there are {' and '.join(ENGINES)}.")
    if control_as_text and engine == LLAMA_CPP:
        raise InputError("llama.cpp has no way to read control tokens in messages as text; take transformers.")
    marks = Marks(control_tokens(tokenizer, program(source).literals)) if control_as_text else None

    def tried(call: Call) -> Prompt:
        return rendered(tokenizer, engine, source, call, tokens, now=now, marks=marks)

    try:
        return replace(tried(sent), template=template, served=served, request=call)
    except TemplateFailed as error:
        if served and served.server.fallback:
            served, sent = as_served(server, call, source, again=True)
            with suppress(InputError):
                return replace(tried(sent), template=template, served=served, request=call)
        if form := format_with(source):  # it names the field itself
            if error.refused:
                error.args = (Text("{0:t} refuses: {1:t}", f"{form.full_name} ({form.package})", error.words),)
        else:
            explain(error, sent, tried)
        raise


def as_served(server: str, call: Call, source: str, *, again: bool = False) -> tuple[Served, Call]:
    """What a server makes of a request, and the call that its engine gets. Raises InputError if there is none.

    again: after the template has failed.
    """
    from explorer.prompts.requests import serve
    from explorer.prompts.servers import server_named

    with budget.within("what a server makes of a request", SECONDS):
        served = serve(server_named(server), call.to_json(), source, again=again)
    if served.sent is None:
        raise InputError(served.refusal)
    if not served.server.engine:
        raise InputError(
            "{0:t} renders a template of its own, in Go, so there is no prompt to show.", served.server.title
        )
    return served, replace(Call.from_json(served.sent), converted=call.converted)


def as_call(messages: Any, **changes: Any) -> Call:
    """What `prompt` takes as messages, as a call with these changes. Raises InputError."""
    return replace(messages, **changes) if isinstance(messages, Call) else Call.from_json(messages, **changes)


def template_of(
    tokenizer: Opened, call: Call, template: str, source: str | None = None
) -> tuple[str, Mapping[str, str]]:
    """The source of a template, and its special tokens. Arguments as in `prompt`. Raises InputError."""
    tokens = dict(tokenizer.chat.special_tokens)
    if source is not None:
        return source, tokens
    if template.startswith(MARKS):
        own = own_template(template)
        return own.source, {**own.tokens, **tokens}
    if tokenizer.chat.counted and not tokenizer.chat.sources:
        count = published_count(tokenizer, call)
        raise InputError("{0:t} By that rule these messages take {1} tokens.", tokenizer.chat.missing, count)
    return tokenizer.chat.named(template, tools=bool(call.tools)), tokens


def published_count(tokenizer: Opened, call: Call) -> int:
    """The tokens of messages by the rule that OpenAI published (`opening.openai`). Raises InputError for other content.

    >>> import explorer
    >>> published_count(explorer.load("gpt-4o"), as_call([{"role": "user", "content": "Hi"}]))
    8
    """
    from explorer.opening.catalog import PER_ANSWER, PER_MESSAGE, PER_NAME

    count = PER_ANSWER
    for message in call.messages:
        texts = [value for key, value in message.items() if isinstance(value, str)]
        if len(texts) < len(message) or call.tools:
            raise InputError("{0:t} The rule covers messages of text alone, without tools.", tokenizer.chat.missing)
        ids = tokenizer.encode_batch(texts, add_special=False, parse_special=False).ids
        count += PER_MESSAGE + len(ids) + ("name" in message) * PER_NAME
    return count


def rendered(
    tokenizer: Opened,
    engine: str,
    source: str,
    call: Call,
    special_tokens: Mapping[str, str],
    *,
    now: datetime | None = None,
    marks: Marks | None = None,
    without: frozenset[str] = frozenset(),
) -> Prompt:
    """The prompt that an engine makes of a call with a template's source. without: rules of llama.cpp to leave out."""
    from explorer.prompts.llama_cpp import rendering as llama_cpp
    from explorer.prompts.llama_cpp.rules import Rule

    form = format_with(source)
    # whoever wrote a template may have meant to end the process; a format did so because of this call
    run = (source, call) if form else source
    with guarded(engine, run), budget.within("running a template", SECONDS):
        if form:
            engine, marks = form.package, None if form.parses else Controls(form)
        if form or engine == TRANSFORMERS:
            functions = FUNCTIONS if form else None
            made = render(source, call, special_tokens, now=now, marks=marks, functions=functions)
        else:
            made = llama_cpp.render(source, call, special_tokens, now=now, without=frozenset(map(Rule, without)))
    if engine == LLAMA_CPP and ADDED not in without:
        added = [tokenizer.vocabulary.spelling(id) for id in tokenizer.encode("").ids]
        bos, eos = special_tokens.get("bos_token"), special_tokens.get("eos_token")
        # what the vocabulary adds around each text is stripped, or it would be there twice
        start = len(bos) if bos and added[:1] == [bos] and made.text.startswith(bos) else 0
        end = len(eos) if eos and added[-1:] == [eos] and made.text.endswith(eos) else 0
        made = made.part(start, len(made.text) - end)
    return Prompt(tokenizer, call, "", special_tokens, made, engine, marks, without, now)


def covered(rendering: Rendering, path: Iterable[str | int], *, last: bool = False) -> dict[int, int]:
    """The offsets of a string of the call that the prompt holds, in order, each with its first index in the prompt.

    last: of its last copy.
    """
    path = tuple(path)
    places: dict[int, int] = {}
    for origin in rendering.origins:
        if origin.path == path and origin.offset >= 0:
            places = {} if last and not origin.offset and max(places, default=0) > 0 else places
            for index in range(origin.end - origin.start):
                places.setdefault(origin.offset + index, origin.start + index)
    return dict(sorted(places.items()))
