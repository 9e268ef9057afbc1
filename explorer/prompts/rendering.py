"""Renders messages as `transformers` 5.23 does (`utils/chat_template_utils.py`), and tells who wrote each character.

Follows `apply_chat_template`: keys whose value is None are dropped, reasoning is copied under its other names,
`continue_final_message` is cut after the final message. Left out: tools given as Python functions, batches.

Control tokens that a message's text spells are read as text, if asked: `sanitize_control_tokens`. They are marked in
the call's strings before the template runs, with two characters for private use around each, and cut out of what it
writes. Each is encoded by itself, as plain text, and so is what stands between them. A marker that lost its partner
(the template cut the text there) is dropped, and the text is still cut there. Dict keys aren't marked, and control
tokens that the template joins from parts of a message aren't seen.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple, TypeAlias

from explorer.engine.part import Token
from explorer.errors import InputError, shown
from explorer.implementations.opened import Opened
from explorer.prompts.messages import REASONING, Call, Path, Traced, with_reasoning
from explorer.prompts.program import TemplateFailed, program
from explorer.prompts.run import Operand, Run, Step, by_lines, culprits, cut_off
from explorer.prompts.traced_text import UNKNOWN, TracedText, joined, sources_of
from explorer.text.say import Text
from explorer.vocabulary import PieceKind

START = "\U000f0000"
END = "\U000f0001"


class Piece(NamedTuple):
    """A part of a prompt that is encoded by itself. start, end: in the prompt's text. is_marked: a marked token."""

    start: int
    end: int
    is_marked: bool


Places: TypeAlias = "Iterator[tuple[tuple[int, int], tuple[int, int]]]"
"""Where a text has marked tokens: each with its markers, and without them."""


def control_tokens(tokenizer: Opened, literals: str) -> tuple[str, ...]:
    """The control tokens of a tokenizer: special ones, and other added tokens that the template's texts hold.

    The longest come first, so that a token is marked before those inside it.
    """
    vocabulary = tokenizer.vocabulary
    special = [vocabulary.spelling(id) for id in vocabulary.of_kind(PieceKind.CONTROL)]
    added = (vocabulary.spelling(id) for id in vocabulary.of_kind(PieceKind.USER_DEFINED))
    return tuple(
        sorted([*special, *(each for each in added if each in literals and not each.isspace())], key=len)[::-1]
    )


class Marks:
    """Marks control tokens, and cuts them out again."""

    def __init__(self, tokens: Iterable[str]) -> None:
        """Marks for these tokens, the longest first."""
        spelled = "|".join(map(re.escape, tokens)) or "(?!)"
        self._tokens = re.compile(spelled)
        self._marked = re.compile(f"{START}({spelled}){END}|[{START}{END}]")

    def put(self, text: TracedText) -> TracedText:
        """The text with its control tokens marked. Markers that it holds are dropped first."""
        text = text.replace(START, "").replace(END, "")
        pieces: list[str] = []
        at = 0
        for found in self._tokens.finditer(text):
            pieces += [text[at : found.start()], START, text[found.start() : found.end()], END]
            at = found.end()
        return joined([*pieces, text[at:]]) if pieces else text

    def places(self, text: TracedText) -> Places:
        """The marked tokens. A marker alone marks nothing, where it ends."""
        for found in self._marked.finditer(text):
            yield found.span(), found.span(1) if found[1] is not None else (found.end(), found.end())

    def cut(self, text: TracedText) -> tuple[TracedText, tuple[Piece, ...]]:
        """The text without markers, and its pieces."""
        parts: list[TracedText] = []  # by turns what stands outside marks, and what is marked
        at = 0
        for (start, end), marked in self.places(text):
            parts += [text[at:start], text[slice(*marked)]]
            at = end
        parts.append(text[at:])
        spans = pairwise(accumulate(map(len, parts), initial=0))
        return joined(parts), tuple(Piece(*span, bool(number % 2)) for number, span in enumerate(spans))

    def moved(self, text: TracedText) -> Callable[[int], int]:
        """Where a position of a text with markers is in the text without them."""
        ranges: list[tuple[int, int]] = []
        at = 0
        for (start, end), marked in self.places(text):
            ranges += [(at, start), marked]
            at = end
        ranges.append((at, len(text)))
        starts = [start for start, _ in ranges]
        before = list(accumulate((end - start for start, end in ranges), initial=0))

        def position(at: int) -> int:
            index = max(0, bisect_right(starts, at) - 1)
            start, end = ranges[index]
            return before[index] + min(max(at, start), end) - start

        return position

    def tokens(self, tokenizer: Opened, text: str, pieces: Iterable[Piece]) -> Iterator[Token]:
        """The tokens of a prompt whose pieces are encoded one by one. Raises InputError if a marked token stays one."""
        for piece in pieces:
            part = text[piece.start : piece.end]
            if piece.start and not part:
                continue
            tokens = _of_piece(tokenizer, part, parse_special=not piece.is_marked, first=not piece.start)
            if piece.is_marked and tokenizer.vocabulary.ids.get(part.encode()) in {token.id for token in tokens}:
                raise InputError("{0:q} can't be read as text: the tokenizer makes it of plain text, too.", part)
            yield from moved(tokens, piece.start)


def moved(tokens: Iterable[Token], by: int) -> Iterator[Token]:
    """Tokens whose spans begin so much later."""
    for token in tokens:
        yield token if token.start < 0 else token._replace(start=token.start + by, end=token.end + by)


def _of_piece(tokenizer: Opened, part: str, *, parse_special: bool, first: bool) -> list[Token]:
    """The tokens of a piece. Inside a prompt it is encoded behind a line break, which is taken off again: so a
    SentencePiece tokenizer puts no space in front."""
    options = {"add_special": False, "parse_special": parse_special}
    if not first:
        line = tokenizer.encode("\n", add_special=False).ids
        tokens = tokenizer.encode("\n" + part, **options).tokens
        if [token.id for token in tokens[: len(line)]] == line:
            return list(moved(tokens[len(line) :], -1))
    return list(tokenizer.encode(part, **options).tokens)


TAG = "CONTINUE_FINAL_MESSAGE_TAG "
"""What `transformers` puts behind the final message, to find where to cut. A template may strip the space."""


class Origin(NamedTuple):
    """Who wrote a stretch of a prompt.

    start, end: in the prompt's text. path: of the string in the call that it was copied from, with the offset in it;
    () where the template wrote it. operand: the template's index of the operand, UNKNOWN for a copied text.
    """

    start: int
    end: int
    path: Path = ()
    offset: int = UNKNOWN
    operand: int = UNKNOWN

    @property
    def message(self) -> int | None:
        """The message that wrote it; None for the template, which a role only fills, for tools and other variables."""
        of_message = self.path[:1] == ("messages",) and self.path[2:] != ("role",)
        return int(self.path[1]) if of_message else None


class Rendering(NamedTuple):
    """A prompt as text.

    origins: who wrote it, in order, without gaps. generation: [start, end) of what `{% generation %}` marks.
    dates: what `strftime_now` wrote. source, operands, steps: the template, and what it did. pieces: what is encoded by
    itself, where control tokens are read as text; generation is empty then.
    """

    text: str
    origins: tuple[Origin, ...]
    generation: tuple[tuple[int, int], ...]
    dates: tuple[str, ...]
    source: str
    operands: tuple[Operand, ...]
    steps: tuple[Step, ...]
    pieces: tuple[Piece, ...] = ()

    def part(self, start: int, end: int) -> Rendering:
        """The rendering of a part of the text. It keeps no generation spans and pieces."""
        if (start, end) == (0, len(self.text)):
            return self
        origins = tuple(
            each._replace(
                start=max(each.start, start) - start,
                end=min(each.end, end) - start,
                offset=each.offset if each.offset < 0 else each.offset + max(start - each.start, 0),
            )
            for each in self.origins
            if each.end > start and each.start < end
        )
        return self._replace(text=self.text[start:end], origins=origins, generation=(), pieces=())


def render(
    template: str,
    call: Call,
    special_tokens: Mapping[str, str] | None = None,
    *,
    now: datetime | None = None,
    marks: Marks | None = None,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Rendering:
    """Renders a call with a template's source.

    special_tokens: such as {"bos_token": "<s>"}; the call's variables come before them. now: for a template that writes
    the date; today by default. marks: marks control tokens in the call, which are then read as text. functions: what a
    format has besides those of templates; it is given the whole request, then, and continues a message itself.

    Raises TemplateFailed or another InputError.

    >>> chat = Call([{"role": "user", "content": " Hi "}])
    >>> prompt = render("{% for m in messages %}[{{ m.role }}] {{ m.content | trim }}{% endfor %}", chat)
    >>> prompt.text
    '[user] Hi'
    >>> [(prompt.text[each.start : each.end], each.path, each.offset) for each in prompt.origins]
    [('[', (), 0), ('user', ('messages', 0, 'role'), 0), ('] ', (), 0), ('Hi', ('messages', 0, 'content'), 1)]
    """
    compiled = program(template)
    check_messages(call)
    traced = Traced(len(compiled.operands), *([marks.put] if marks else []))
    kept = [{key: value for key, value in message.items() if value is not None} for message in call.messages]
    traced.nulls = {
        ("messages", at, key) for at, each in enumerate(call.messages) for key, value in each.items() if value is None
    }
    messages = list(with_reasoning(traced.copy(kept, ("messages",))))
    final = _tag(messages, call.continue_final, template) if call.continue_final and functions is None else None
    variables: dict[str, Any] = {
        key: traced.copy(value, (key,)) for key, value in {**(special_tokens or {}), **call.variables}.items()
    }
    variables |= {
        "messages": messages,
        "tools": traced.copy(call.tools, ("tools",)),
        "documents": traced.copy(call.documents, ("documents",)),
        "add_generation_prompt": call.add_generation_prompt and not call.continue_final,
    }
    if functions is not None:
        request = {"reasoning_effort": call.reasoning_effort, "continue_final_message": call.continue_final}
        given = {key: value for key, value in request.items() if value} | dict(call.extras)
        variables |= {key: traced.copy(value, (key,)) for key, value in given.items()} | dict(functions)

    def rendered(run: Run, written: TracedText, final: str | None) -> Rendering:
        text = written if final is None else _cut(written, final, lambda: lost(run, written, str(final)))
        moved = marks.moved(text) if marks else lambda position: min(position, len(text))
        made, pieces = marks.cut(text) if marks else (text, ())
        return Rendering(
            made.plain,
            tuple(stretches(made, traced)),
            () if marks else tuple(run.generation),
            tuple(run.dates),
            compiled.source,
            compiled.operands,
            tuple(run.finished(len(written), traced.paths, moved, _cleaned)),
            pieces,
        )

    def lost(run: Run, written: TracedText, final: str) -> tuple[Text, ...]:
        """What the prompt lacks of the final message, and the line that cuts it, in a sentence if known."""
        texts = [each for each in messages[-1].values() if isinstance(each, str) and final and each.startswith(final)]
        source = sources_of(texts[0])[0][0] if texts else UNKNOWN
        kept = {offset for each, offset in written.origins() if each == source}
        gone = [index for index in range(len(final)) if index not in kept]
        if source == UNKNOWN or not gone:
            return ()
        end = next((at for at in range(gone[0], len(final)) if at in kept), len(final))
        part = final[gone[0] : end]
        return (Text("It leaves out {0:t}{1:t}.", shown(part), by_lines(*cut_off(run.steps, compiled.operands, part))),)

    with failures(lambda run: rendered(run, run.so_far, None), traced):
        run = compiled.run(variables, now=now)
        return rendered(run, run.text, final)


def _cleaned(value: str) -> str:
    """A value without the tag behind the final message, and without marks."""
    for put in (TAG, TAG.strip(), START, END):
        value = value.replace(put, "")
    return value


def check_messages(call: Call) -> None:
    """Raises TemplateFailed for a call without messages, whichever engine renders it."""
    if not call.messages:
        raise TemplateFailed("There is no message. Write one.")


@contextmanager
def failures(rendered: Callable[[Run], Rendering], traced: Traced) -> Iterator[None]:
    """Adds to a TemplateFailed what the template wrote and did before, where it stopped, and on what.

    rendered: of a run. traced: the strings of the call.
    """
    try:
        yield
    except TemplateFailed as error:
        if error.run is not None:
            if not error.refused and (said := [*dict.fromkeys(culprits(error.run, traced.paths, traced.nulls))]):
                error.add(*said)
            error.step = error.run.unfinished(error.line)
            error.rendering, error.run = rendered(error.run), None
        raise


def _tag(messages: list[Any], field: str | bool, template: str) -> str:
    """Marks the end of the text that the model is to continue. Gives that text."""
    final, field = messages[-1], "content" if isinstance(field, bool) else field
    if (value := final.get(field)) is None:
        raise TemplateFailed("The last message has no {0:q} to continue.", field)
    fields = [name for name in REASONING if final.get(name) == value] if field in REASONING else [field]
    if not any(name in template for name in fields):
        raise TemplateFailed("The template never reads {0:q}, so it can't be continued.", field)
    if isinstance(value, list):
        for block in reversed(value):
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                text: str = block["text"]
                block["text"] = text + TAG
                return text
        raise TemplateFailed("The last message has no text to continue.")
    if not isinstance(value, str):
        raise TemplateFailed("The {0:q} of the last message is no text to continue.", field)
    for name in fields:
        final[name] = final[name] + TAG
    return str(value)


def _cut(text: TracedText, final: str, lost: Callable[[], tuple[Text, ...]]) -> TracedText:
    """The prompt up to the end of the final message. lost: what the prompt lacks of it, in words."""
    if final.strip() not in text or TAG.strip() not in text:
        error = TemplateFailed(
            "The final message can't be continued: the template leaves a part of it out, or changes it."
        )
        error.add(*lost())
        raise error
    at = text.rindex(TAG.strip())
    return text[:at] if text[at : at + len(TAG)] == TAG else text[:at].rstrip()


def stretches(text: TracedText, traced: Traced) -> list[Origin]:
    """Stretches of the text that follow each other in one source."""
    sources, offsets = sources_of(text)
    found: list[Origin] = []
    # inside a stretch, an offset minus its index stays the same
    keys = (
        (source, offset - index if offset >= 0 else None)
        for index, (source, offset) in enumerate(zip(sources, offsets, strict=True))
    )
    at = 0
    for (source, _), group in groupby(keys):
        end = at + sum(1 for _ in group)
        if source >= traced.first:
            found.append(Origin(at, end, traced.paths[source - traced.first], offsets[at]))
        else:
            found.append(Origin(at, end, (), offsets[at], source))
        at = end
    return found
